"""What stands beside a claim about averages: definitions, letters that are held fixed, the number m of agreements."""

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


@pytest.mark.parametrize(("claim", "answer"), DEFINED + FIXED + AGREEMENTS + NORMS)
def test_what_stands_beside_a_claim_is_taken_into_account(claim: str, answer: str) -> None:
    found = confirm(claim)
    assert found.answer.value == answer
    assert (found.counterexample is not None or bool(found.steps)) or answer in ("proved", "needs assumption")


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
        ("E[y_j] = 0, y_i = sum_j W_ij x_j", "j is a letter of a sum in a definition"),
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
