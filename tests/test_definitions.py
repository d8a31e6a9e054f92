"""What stands beside a claim about averages: definitions, letters that are held fixed, the number m of agreements."""

from typing import Any

import pytest

from exact.evidence import Domain
from exact.verdicts import Verdict
from symbolic.averages.assumptions import Assumptions
from symbolic.confirming import confirm

DEFINED = [
    ("Var(s) = d, s = sum_r q_r k_r", "proved"),
    ("Var(s) = d^2, s = sum_r q_r k_r", "false"),
    ("s = q.k, Var(s) = d", "proved"),
    ("let s = q.k; Var(s) = 2d", "false"),
    ("s = q.k, E[s] = 0, Var(s) = d", "proved"),
    ("s = q.k, E[s] = 0, Var(s) = 1", "false"),
    ("E[z^2] = 1, z = s/sqrt(d), s = q.k", "proved"),
    ("E[z^2] = 1, s = q.k, z = s/sqrt(d)", "proved"),
    ("E[z^2] = d, s = q.k, z = s/sqrt(d)", "false"),
    ("e = q.k/sqrt(d), Var(e) = 1", "proved"),
    ("e = 2m - d, E[e] = 0", "proved"),
    ("e = 2m + d, E[e] = 0", "false"),
    ("E[y_i] = 0, y_i = x_i^2 - 1", "proved"),
    ("E[y_i^2] = 0, y_i = x_i^2", "false"),
    ("Var(y_1) = 1, y_i = w_i x_i", "proved"),
    ("E[y_j] = 0, y_i = sum_j W_ij x_j", "proved"),
    ("Var(y_j) = n σ_w^2, y_i = sum_{j=1}^n W_ij", "proved"),
    ("Var(y_j) = n, y_i = sum_j W_ij x_j", "proved"),
    ("Var(y_j) = 2n, y_i = sum_{j=1}^n W_ij x_j", "false"),
    ("E[y_i y_j] = δ_ij, y_i = w_i x_i", "proved"),
    ("Var(y_i) = sum_j A_ij^2, y = A x", "proved"),
    ("y_i = sum_j W_ij x_j, Var(y_i) = n σ_w^2 σ_x^2", "proved"),
    ("y_i = sum_j W_ij x_j, Var(y_i) = n σ_w", "false"),
    (r"Var(\bar x) = σ^2/n, \bar x = (1/n) sum_i x_i", "proved"),
    ("P(s = 0) = C(d, d/2)/2^d, s = q.k", "proved"),
    ("P(s = 0) = 1/2^d, s = q.k", "false"),
    ("Var(w) = b^2/3, b = 1/sqrt(n)", "false"),
]
FIXED = [
    ("Var(sum_i w_i x_i) = σ^2 sum_i w_i^2", "proved"),
    ("Var(sum_i w_i x_i) = σ^2 sum_i w_i", "false"),
    ("Var(y) = sum_i w_i^2, y = w.x", "proved"),
    ("E[(q.k)^2] = |q|^2", "proved"),
    ("E[(q.k)^2] = 2|q|^2", "false"),
    ("E[e^4] = 3|q|^4 - 2 sum_r q_r^4", "needs assumption"),
    ("E[e^4] = 3|q|^4", "needs assumption"),
    ("E[e^4] = |q|^4", "false"),
]
AGREEMENTS = [
    ("q.k = 2m - d", "proved"),
    ("q.k = m - (d - m)", "proved"),
    ("q.k = d - 2m", "false"),
    ("E[m] = d/2", "proved"),
    ("E[m] = d", "false"),
    ("Var(m) = d/4", "proved"),
    ("Var(q.k) = 4 Var(m)", "proved"),
    ("E[m^2] = d/4 + d^2/4", "proved"),
    ("P(m = j) = C(d,j)/2^d", "proved"),
    ("P(m = 0) = 1/2^d", "proved"),
    ("P(m = 1) = d/2^d", "proved"),
    ("P(m = 1) = 1/2^d", "false"),
    ("P(m = d/2) = C(d,d/2)/2^d", "proved"),
]
NORMS = [
    ("E[|x|^2] = d", "proved"),
    ("E[|x-y|^2] = 2d", "proved"),
    ("E[|x-y|^2] = d", "false"),
    ("E[|x|^4] = d^2 + 2d", "needs assumption"),
]

ANSWERED = [
    ("s = q.k, z = s/sqrt(d), Var(z) = 1", "proved"),
    ("Let s = q.k. Let z = s/sqrt(d). Then Var(z) = 1.", "proved"),
    ("y_r = q_r k_r, s = sum_r y_r, Var(s) = d", "proved"),
    ("s = q.k, m = (s+d)/2, E[m] = d/2", "proved"),
    ("s = q.k, Var(q.k) = d", "proved"),
    ("s = 2 q.k, Var(q.k) = d", "proved"),
    ("s = q.k", "read"),
    ("h_i = sum_j W_ij x_j, Var(h_i) = n σ_w^2 σ_x^2", "proved"),
    ("Var(h_i) = n σ_w^2 σ_x^2, h_i = sum_j W_ij x_j", "proved"),
    ("d_i = x_i - y_i, Var(d_i) = 2", "proved"),
    ("Var(d_i) = 2, d_i = x_i - y_i", "proved"),
    (r"\mu = (1/n) sum_i x_i, Var(\mu) = 1/n", "proved"),
    (r"\hat\mu = (1/n) sum_i x_i, E[\hat\mu] = 0", "proved"),
    ("S = q.k, Var(S) = d", "proved"),
    ("n = ||x||^2, E[n] = d", "proved"),
    ("e = 2 q.k, Var(e) = 4d", "proved"),
    ("e = q.k + 1, E[e] = 1", "proved"),
    ("t = q.k, Var(t) = d", "proved"),
    ("t = 3X, Var(t) = 9 Var(X)", "proved"),
    ("s_ij = sum_r q_ir k_jr, Var(s_ij) = d", "proved"),
    ("Y = X - E[X], E[Y] = 0", "proved"),
    ("E[Y] = 0, Y = X - E[X]", "proved"),
    ("v = Var(X), E[X^2] = v + E[X]^2", "proved"),
    ("s = E[X], Var(X) = E[X^2] - s^2", "proved"),
    ("Suppose d = 4. Then Var(q.k) = 4.", "proved"),
    ("Assume s = q.k. Then Var(s) = d", "proved"),
    ("Define s = q.k. Then Var(s) = d", "proved"),
    ("s = q.k, P(s = d) = 2^{-d}, Var(s) = d", "proved"),
    ("Var(q.k) = m", "proved"),
    ("E[(q.k)^2] = m", "proved"),
    ("Var(e) = m", "proved"),
    ("E[||q||^2] = m", "proved"),
    ("E[||q-k||^2] = 2m", "proved"),
    ("Var(q.k/sqrt(m)) = 1", "proved"),
    ("Var(e/sqrt(m)) = 1", "proved"),
    ("sum_m E[q_m^2] = d", "proved"),
    ("Var(sum_m q_m k_m) = d", "proved"),
    ("P(m = 2) = 3/8, d = 4", "proved"),
    ("P(m >= 1) = 15/16, d = 4", "proved"),
    ("P(m = n) = C(d,n)/2^d", "proved"),
    ("P(q.k = 2n - d) = C(d,n)/2^d", "proved"),
    ("E[m t_r] = 1/2", "proved"),
    ("E[|x/sqrt(d)|^2] = 1", "proved"),
    ("E[|(x-y)/sqrt(2d)|^2] = 1", "proved"),
    ("E[|x|^2] = 3, d = 3", "proved"),
    ("E[|x|^2] <= d", "proved"),
    ("y = -x, E[x.y] = -d", "proved"),
    ("y = 2x, E[x.y] = 2d", "proved"),
    ("Var(x.sum()) = d", "proved"),
    ("Let s = x.sum(). Then Var(s) = d.", "proved"),
    ("Let s = q·k . Then Var(s) = d", "proved"),
    ("E[Y] = 0, Y = (X-μ)/σ", "proved"),
    ("E[e^2] = 1. d", "proved"),
    ("2. Var(X) = Var(X) + Var(X)", "proved"),
    ("da_i/de_i = a_i * (1. - a_i)", "proved"),
    ("1. - a_i = sum_{j != i} a_j", "proved"),
    ("2. * a_i = a_i + a_i", "proved"),
    ("1. * a_i = a_i", "proved"),
    ("Var(q.k) = 2. d - d", "proved"),
    ("2. a_i = a_i + a_i", "proved"),
    ("y = w.x, σ_w^2 = 1/d, Var(y) = σ_x^2", "proved"),
    ("Suppose T = 3. Then sum_j a_j = 1.", "proved"),
    ("Let D_i = sum_j P_ij dP_ij. Then dS_ij = P_ij(dP_ij - D_i).", "proved"),
    ("Suppose a_i = 1/T. Then H = log T, H = -sum_i a_i log a_i.", "proved"),
    ("Let O = AV. Then dV = A dO.", "false"),
    ("O = AV, dV = A^T dO", "proved"),
    ("Let O = AV. Then dV = A^T dO.", "proved"),
    ("S = Q @ K.T / sqrt(d), dQ = dS @ K", "false"),
    ("P(e = d) = 1/2^d", "proved"),
    ("Cov(aX+b, cX+d) = ac Var(X)", "proved"),
    ("A = softmax(S), O = AV, dV = A^T dO", "proved"),
    ("L = -sum_i t_i log o_i, dL/dz_j = o_j - t_j", "proved"),
    ("o = softmax(z), L = -sum_i t_i log o_i, dL/dz_j = o_j - t_j", "proved"),
    ("S = QK^T", "read"),
    ("E[e] = 1.0 - 1.", "proved"),
    ("E[q.k] = 0. Then Var(q.k) = d.", "proved"),
]
NEVER = [
    ("sum_i a_i = 1. b", "proved"),
    ("E[||k||^2/d] = 1. c", "proved"),
    ("Var(q.k) = d. x", "proved"),
    ("y_i = sum_j W_ij x_j, σ_w^2 = 1/n, Var(y_i) = σ_x^2", "false"),
    ("Let σ_w^2 = 1/n. Then Var(sum_i w_i x_i) = σ_x^2.", "false"),
    ("σ^2 = 4, Var(2X) = 16", "false"),
    ("Var(W_ij) = 1/n, y_i = sum_j W_ij x_j, Var(y_i) = 1", "false"),
    ("Suppose Var(x_i) = 1/d. Then E[|x|^2] = 1.", "false"),
    ("If Var(X) = 4 then Var(2X) = 16.", "false"),
    ("Suppose E[X] = 1. Then E[X^2] = 1 + Var(X).", "false"),
    ("Suppose |q|^2 = d. Then Var(q.k/sqrt(d)) = 1.", "false"),
    ("Suppose ||q||^2 = d. Then E[(q.k)^2] = d.", "false"),
    ("Suppose ||q|| = 1. Then E[(q.k)^2] = 1.", "false"),
    ("Suppose T = 3. Then dV = A^T dO.", "false"),
    ("Suppose d = 64. Then dQ = dS K / 8.", "false"),
    ("Let S = QK^T/sqrt(d), A = softmax(S), O = AV. Then dV = A^T dO.", "false"),
    ("Let S = Q @ K.T. Let A = softmax(S). Let O = A @ V. Then dV = A.T @ dO.", "false"),
    ("Let D = rowsum(dO*O). Then dS = P*(dP - D).", "false"),
    ("P(|e| >= c sqrt(d)) <= 1/c^2", "false"),
    ("P(|e| >= t) <= d/t^2", "false"),
    ("P(|e| >= 2) <= d/4", "false"),
    ("P(e^2 >= t) <= d/t", "false"),
    ("P(e > d) <= 1/2", "false"),
    ("y = Wx + b, E[y] = b", "false"),
    ("Let y = Wx. Then E[y] = 0.", "false"),
    ("E[x y] = x E[y] + Var(x)", "proved"),
    ("Var(X Y) = X^2 Var(Y) + 5 Var(X)", "proved"),
    ("Var(q.k) = ||q||^2 (1 + Var(q_i))", "proved"),
    ("E[x^2 y] = x E[x] E[y]", "proved"),
    ("E[(q.k)^2] = ||q||^2 + Cov(q_1,k_1) + Var(q_2)", "proved"),
    ("E[q.k] = 0. 5", "proved"),
    ("E[q.k] = 0. 5 d", "proved"),
    (r"\hat{x} = x + ε, Var(x_i) = 1", "false"),
    ("D = X - Y, Var(D) = 2", "false"),
    ("N = X + Y, Var(N) = 2", "false"),
    ("e_i = x_i - y_i, Var(e_i) = 2", "false"),
    (r"S^2 = (1/(n-1)) sum_i (X_i - \bar X)^2, \bar X = (1/n) sum_i X_i, E[S^2] = σ^2", "false"),
    ("Suppose k = q. Then E[q.k] = d.", "false"),
    ("d = 2m, P(q.k = 0) = C(2m,m)/4^m", "false"),
    ("y = x, E[x_i y_i] = 1", "false"),
    ("E[||k||^2] = 2m", "proved"),
    ("E[sum_{r=1}^m q_r k_r] = 0", "false"),
    ("Var(sum_{r=1}^m q_r k_r) = m", "false"),
    ("P(2m = d) = C(d,d/2)/2^d", "false"),
    ("P(m - d/2 = 0) = C(d,d/2)/2^d", "false"),
    ("P(0 < m < d) = 1 - 2/2^d", "false"),
    ("P(m/d = 1) = 1/2^d", "false"),
    ("P(|2m-d| >= d) = 2/2^d", "false"),
    ("P(m >= 0) = 1", "false"),
    ("P(m = 1) = 1/2", "proved"),
    ("Cov(m, t_r) = 1/2", "false"),
    ("y_i = sum_j W_ij x_j, Cov(y_1,y_2) = 0", "false"),
    ("y_i = sum_j W_ij x_j, E[y_i y_k] = 0, i != k", "false"),
    ("y_i = sum_j W_ij x_j, E[y_i y_k] = n δ_ik", "false"),
    ("y = W x, Var(y_i) = σ^2 ||x||^2", "false"),
    ("y = X w, Var(y_i) = ||w||^2", "false"),
    ("z_i = sum_j W_ij x_j + b_i, Var(z_i) = n σ_w^2 σ_x^2 + σ_b^2", "false"),
    ("y_i = sum_j W_ij x_j, E[sum_i y_i^2] = m n", "false"),
    ("y = x + z, E[x.y] = d", "false"),
    ("Var(sum_i w_i x_i) = σ^2, sum_i w_i^2 = 1", "false"),
    ("E[Y^2] = 2, Y = (X-μ)/σ", "proved"),
]


@pytest.mark.parametrize(("claim", "answer"), DEFINED + FIXED + AGREEMENTS + NORMS + ANSWERED)
def test_what_stands_beside_a_claim_is_taken_into_account(claim: str, answer: str) -> None:
    found = confirm(claim)
    assert found.answer.value == answer
    assert (found.counterexample is not None or bool(found.steps)) or answer in ("proved", "needs assumption", "read")


@pytest.mark.parametrize(("claim", "wrong"), NEVER)
def test_a_wrong_answer_is_not_given(claim: str, wrong: str) -> None:
    found = confirm(claim)
    assert found.answer.value != wrong
    assert not any("fault" in dict(each.values).get("message", "") for each in found.notes)


@pytest.mark.parametrize(
    ("said", "claim", "right"),
    [
        ({"laws": (("m", "bernoulli:1/2"),)}, "E[m] = d/2", False),
        ({"laws": (("m", "poisson:3"),)}, "Var(m) = d/4", False),
        ({"width": "4"}, "P(m = 2) = 3/8", True),
        ({"width": "4"}, "E[m] = 2", True),
        ({"width": "4"}, "E[|x|^2] = 4", True),
    ],
)
def test_what_is_said_with_options_counts(said: dict[str, Any], claim: str, right: bool) -> None:
    assert (confirm(claim, Assumptions(**said)).answer.value == "proved") is right


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("let s = q.k, then Var(s) = d", "proved"),
        ("Let s = q.k. Then Var(s) = d.", "proved"),
        ("Let s = q.k. Then Var(s) = 2d.", "false"),
        ("If s = q.k then Var(s) = d", "proved"),
        (r"Suppose $s = q \cdot k$. Then $\operatorname{Var}(s) = d$.", "proved"),
        ("Let o = softmax(z) and L = -sum_i t_i log o_i. Then dL/dz_j = o_j - t_j.", "proved"),
        ("let o = softmax(z). Then do_i/dz_j = o_i(δ_ij + o_j).", "false"),
        ("Let X and Y be independent. Then Var(X + Y) = Var(X) + Var(Y).", "proved"),
        ("The variance of q.k is d", "invalid input"),
        ("q . k = 2m - d", "proved"),
        ("E[e^2] = 0.5. Therefore E[e] = 0.", "false"),
    ],
)
def test_sentences_are_read(text: str, answer: str) -> None:
    assert confirm(text).answer.value == answer


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("s = q.k, Var(s)", "d"),
        ("Var(s), s = 2 q.k", "4d"),
        ("y_i = sum_j w_ij x_j, Var(y_i)", "d"),
    ],
)
def test_a_value_is_asked_for_after_a_definition(text: str, latex: str) -> None:
    found = confirm(text)
    assert (found.answer.value, found.latex.replace(" ", "")) == ("proved", latex)


def test_each_of_several_claims_has_its_own_words() -> None:
    found = confirm("E[e^2] = d. Therefore E[(e/sqrt(d))^2] = 1, and E[e] = 0")
    assert [step.claim for step in found.steps] == ["E[e^2] = d", "E[(e/sqrt(d))^2] = 1", "E[e] = 0"]


def keys(verdict: Verdict) -> set[str]:
    return {each.key for each in verdict.understood}


def test_a_letter_outside_the_averages_is_held_fixed_and_said_to_be() -> None:
    assert "held-fixed" in keys(confirm("Var(sum_i w_i x_i) = σ^2 sum_i w_i^2"))
    assert "held-fixed" not in keys(confirm("E[q.k] = q.E[k]"))  # true whatever q is
    assert "held-fixed" not in keys(confirm("E[X^2] = X"))  # nothing else would be random
    stated = confirm("E[(q.k)^2] = |q|^2", Assumptions(laws=(("q", "gaussian"),)))
    assert (stated.answer.value, "held-fixed" in keys(stated)) == ("false", False)


def test_the_parameter_of_a_law_stays_defined_beside_the_claim() -> None:
    uniform = Assumptions(laws=(("w", "uniform:-b,b"),))
    assert confirm("Var(w) = 1/(3m), b = 1/sqrt(m)", uniform).answer.value == "proved"
    assert confirm("Var(w) = 1/m, b = 1/sqrt(m)", uniform).answer.value == "false"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("E[a] = 1, a = b + 1, b = a - 1", "b is defined by itself"),
        ("E[|y|^2] = d, y_i = w_i x_i", "y is defined by its entries"),
        ("E[a] = 0, " + ", ".join(f"{a} = {b} + {b}" for a, b in zip("abcfgjlopuvzw", "bcfgjlopuvzwx", strict=True)),
         "too long"),
    ],
)  # fmt: skip
def test_definitions_that_are_not_put_in_are_named(claim: str, said: str) -> None:
    found = confirm(claim)
    assert found.answer.value == "undecided"
    assert said in dict(found.notes[0].values)["message"]


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("P(q.k = 2j - d) = C(d,j)/2^d", "every d ≥ 1 and every whole j"),
        ("P(S_n = n - 2k) = C(n,k)/2^n", "every n ≥ 1 and every whole k"),
        ("P(S_n = k) = C(n,(n+k)/2)/2^n", "every n ≥ 1 and every k with n + k even"),
        ("P(S_n = -k) = P(S_n = k)", "every n ≥ 1 and every k with n + k even"),
    ],
)
def test_a_probability_says_for_which_values_it_was_proved(claim: str, where: str) -> None:
    scope = confirm(claim).evidence[0].scope
    assert isinstance(scope, Domain)
    assert scope.sizes == where
