"""What a claim about averages is said of: every value of its free indices, every event, the pair that is correlated."""

import pytest

from exact.verdicts import Answer, Verdict
from symbolic import confirm
from symbolic.averages.assumptions import Assumptions

P, F, N, U, I = Answer.PROVED, Answer.FALSE, Answer.NEEDS_ASSUMPTION, Answer.UNDECIDED, Answer.INVALID


def asked(claim: str, **said: object) -> Verdict:
    return confirm(claim, assumptions=Assumptions(**said))  # type: ignore[arg-type] # the fields are named below


SIGNS, GAUSSIAN = {"keys": "signs"}, {"keys": "gaussian"}
PAIRS = r"\delta_{ij}\delta_{kl}+\delta_{ik}\delta_{jl}+\delta_{il}\delta_{jk}"

FREE_INDICES: tuple[tuple[str, dict[str, str], Answer, dict[str, str]], ...] = (
    (r"E[x_i x_j x_k x_l] = " + PAIRS, GAUSSIAN, P, {}),
    (r"E[x_i x_j x_k x_l] = " + PAIRS + r" - 2\delta_{ij}\delta_{jk}\delta_{kl}", SIGNS, P, {}),
    (r"E[x_i x_j x_k x_l] = " + PAIRS, SIGNS, F, {"i": "1", "j": "1", "k": "1", "l": "1"}),
    (r"E[x_i x_j x_k x_l] = \delta_{ij}\delta_{kl}", GAUSSIAN, F, {"i": "1", "j": "2", "k": "2", "l": "1"}),
    ("E[x_i x_j x_k x_l] = 0", SIGNS, N, {"i": "1", "j": "1", "k": "2", "l": "2"}),
    (r"E[x_i x_j x_k x_l] = 0, i \ne j", GAUSSIAN, N, {"i": "1", "j": "2", "k": "2", "l": "1"}),
    ("E[x_i x_j^2 x_k] = 0", SIGNS, N, {"i": "1", "k": "1"}),
    ("E[x_i^2 x_j^2 x_k^2] = 1", GAUSSIAN, N, {"j": "2", "k": "2"}),
    ("E[x_1 x_i] = 0", SIGNS, N, {"i": "1"}),
    (r"E[x_1 x_i] = 0, i \ne 1", SIGNS, P, {}),
    (r"E[x_i x_j] = 0, i \ne j", {}, P, {}),
    ("E[x_i x_j] = 0", {}, N, {"i": "1", "j": "1"}),
    ("E[q_r k_r q_s k_s] = [r=s]", {}, P, {}),
    (r"E[x_i x_j x_k x_l] = \delta_{ik}\delta_{jl} + \delta_{il}\delta_{jk}, i \ne j", SIGNS, P, {}),
    (r"E[x_i x_j x_k x_l] = \delta_{ik}\delta_{jl}, i < j, k < l", SIGNS, P, {}),
    (r"E[x_i x_j x_k] = 0, i < j < k", SIGNS, P, {}),
    (r"E[x_i x_j^2 x_k] = 0, i \ne k, i \ne j", SIGNS, P, {}),
    ("E[x_i x_j] = 1, i = j", {}, P, {}),
    (r"E[x_i x_j] \le 0, i \ne j", {}, P, {}),
    (r"E[x_i x_j] \le 0", SIGNS, F, {"i": "1", "j": "1"}),
    (r"E[x_i x_j] + \sum_i E[x_i^2] = d", {}, N, {"i": "1", "j": "1"}),
    (r"E[x_1 x_i] = \delta_{1i}", {}, P, {}),
    (r"E[x_1 x_2 x_i x_j] = \delta_{1i}\delta_{2j} + \delta_{1j}\delta_{2i}", {}, P, {}),
    (r"E[(A x)_i x_j] = A_{ij}", {}, P, {}),
    (r"\operatorname{Corr}(X,X+Y) = 1/2", {}, F, {}),
)


@pytest.mark.parametrize(("claim", "said", "answer", "where"), FREE_INDICES)
def test_free_indices_may_coincide(claim: str, said: dict[str, str], answer: Answer, where: dict[str, str]) -> None:
    verdict = asked(claim, **said)
    assert verdict.answer is answer
    found = dict(verdict.counterexample.where) if verdict.counterexample else {}
    assert {name: found.get(name) for name in where} == where


SUMS: tuple[tuple[str, dict[str, str], Answer], ...] = (
    (r"E[(q\cdot k)^2] = \sum_{i,j} E[q_i q_j k_i k_j] = d", {}, P),
    (r"E[(q\cdot k)^2] = \sum_{i=1}^d\sum_{j=1}^d E[q_iq_j]E[k_ik_j] = \sum_{i,j} \delta_{ij} = d", {}, P),
    (r"\operatorname{Var}(\sum_{i=1}^n a_i X_i) = \sum_{i,j} a_i a_j \operatorname{Cov}(X_i,X_j)", {}, P),
    (r"E[(\sum_{i=1}^n x_i)^4] = \sum_{i,j,k,l} E[x_i x_j x_k x_l]", SIGNS, P),
    (r"E[\|q\|^4] = \sum_{i,j} E[q_i^2 q_j^2]", {}, P),
    (r"\sum_{i,j} E[x_i x_j] = 0", GAUSSIAN, F),
    (r"\sum_i \sum_j E[x_i^2 x_j^2] = d^2", GAUSSIAN, F),
    (r"\sum_i \sum_j E[x_i^2 x_j^2] = d^2 + 2d", GAUSSIAN, P),
    (r"\sum_{i \ne j} E[x_i x_j] = 0", {}, P),
    (r"\sum_{i < j} E[x_i^2 x_j^2] = d(d-1)/2", {}, P),
    (r"\sum_{i<j, i \ne 1} E[x_i^2 x_j^2] = (d-1)^2/2", GAUSSIAN, U),
    (r"\sum_{i}\sum_{j > i} E[x_i^2 x_j^2] = d^3", GAUSSIAN, U),
)


@pytest.mark.parametrize(("claim", "said", "answer"), SUMS)
def test_sums_of_averages_run_over_all_pairs(claim: str, said: dict[str, str], answer: Answer) -> None:
    assert asked(claim, **said).answer is answer


PROBABILITIES = (
    ("P(S_n > 0) = 1/2", F),
    ("P(S_n = 0) = 0", F),
    ("P(S_n = 1) = 1/2", F),
    ("P(S_n < 2) = 1", F),
    ("E[|S_n|] = 1", F),
    ("P(X=1, Y=1) = 1/2", F),
    ("P(X=1, Y=1) = 1/4", P),
    ("P(X=1, X=-1) = 1/2", F),
    ("P(X=1, X=-1) = 0", P),
    ("P(X=1 | X+Y=2) = 1/2", F),
    ("P(X=1 | X+Y=2) = 1", P),
    ("P(S_n = n) = 2^{-n}", P),
    ("P(S_n = n) = 2^{1-n}", F),
    ("P(q.k = d) = 2^{-d}", P),
    (r"P(S_{2n} = 0) = \binom{2n}{n}/4^n", P),
    (r"P(S_n = 0) = \binom{n}{n/2}2^{-n}", P),
    (r"P(S_n = -n) = 2^{-n}", P),
    ("P(S_n = k) = P(S_n = -k)", P),
    (r"P(S_n \ge n) = 2^{-n}", P),
    (r"P(S_n = k) = \binom{n}{(n+k)/2} 2^{-n}", P),
    (r"P(S_n = k) = \binom{n}{k} 2^{-n}", F),
    (r"P(q\cdot q = d) = 1/2^d", F),
    ("P(q = k) = 1/2", U),
    (r"P(S_n = 0) = \binom{n}{\lfloor n/2\rfloor}/2^n", F),
)


@pytest.mark.parametrize(("claim", "answer"), PROBABILITIES)
def test_probabilities_of_signs(claim: str, answer: Answer) -> None:
    assert asked(claim, keys="signs").answer is answer


CORRELATED: tuple[tuple[str, dict[str, object], Answer], ...] = (
    ("E[x.y] = 0", {"rho": "1/2"}, F),
    ("Var(x.y) = d", {"rho": "1/2", "keys": "signs"}, F),
    ("Var(x.y) = 3d/4", {"rho": "1/2", "keys": "signs"}, P),
    ("E[x.y] = n*rho", {"rho": "rho"}, P),
    ("E[(x.y)^2] = n + n^2*rho^2 + n*rho^2", {"rho": r"\rho", "keys": "gaussian"}, P),
    ("E[X^2 Y^2] = 1 + 2*rho^2", {"rho": "rho", "keys": "gaussian"}, P),
    ("Var(X+Y) = 3", {"rho": "1/2"}, P),
    ("Var(X+Y) = 2", {"rho": "1/2"}, F),
    ("Cov(X,Y) = 1/2", {"rho": "1/2"}, P),
    ("E[x.y] = d", {"query": "same"}, P),
    ("Var(q.k) = -3d", {"rho": "2", "keys": "signs"}, I),
    ("E[q.k] = 4d", {"mean": "2", "keys": "uniform:0,1"}, I),
    ("E[x.y] + E[u.v] = 0", {"rho": "1/2"}, U),
    ("E[e | q] = 0", {"rho": "1/2"}, U),
    ("E[q_1^2 k_1^2] = 1", {"rho": "1", "mean": "1", "keys": "signs"}, I),
    (r"P(q\cdot k = 4) = 1/16", {"query": "same", "keys": "signs", "width": "4"}, U),
    (r"P(q\cdot k = d) = 1/2^d", {"rho": "1/2", "keys": "signs"}, U),
    ("P(X + Y = 2) = 1/4", {"keys": "signs", "independent": False}, U),
    ("E|S_2| = 1", {"mean": "1"}, U),
)


@pytest.mark.parametrize(("claim", "said", "answer"), CORRELATED)
def test_a_correlation_is_that_of_the_two_random_letters(claim: str, said: dict[str, object], answer: Answer) -> None:
    assert asked(claim, **said).answer is answer


NEEDED: tuple[tuple[str, dict[str, object], Answer, str], ...] = (
    ("Var(X+Y) <= Var(X)+Var(Y)", {}, N, "needs-independent"),
    ("Var(X+Y) <= Var(X)+Var(Y)", {"independent": True}, P, ""),
    ("Var(X+Y) <= Var(X)+Var(Y)", {"independent": False}, F, ""),
    ("E[X^2Y^2] <= E[X^2]E[Y^2]", {}, N, "needs-independent"),
    ("Var(XY) >= Var(X)Var(Y)", {}, N, "needs-independent"),
    ("Var(X) >= E[X^2]", {}, N, "needs-centred"),
    ("Var(X) <= E[X^2]", {}, P, ""),
    ("Var(X) = 1", {}, N, "needs-unit"),
    ("Cov(X+Y, X-Y) = 0", {}, N, "needs-unit"),
    ("Var(X_1+X_2) = Var(X_1)+Var(X_2)", {"independent": False}, U, ""),
    ("E[(q.k)^3] = 0", {}, N, "both-laws-not-every"),
    ("E[(q.k)^3] = 0", {"keys": "signs"}, P, ""),
    (r"E[X^4] \le 3", {}, N, "both-laws-not-every"),
    (r"E[X^3] \ge 0", {}, N, "both-laws-not-every"),
    ("E[X^3] = E[Y^3]", {"independent": True}, N, "both-laws-not-every"),
    (r"E[XY]^2 \le E[X^2]E[Y^2]", {}, U, ""),
)


@pytest.mark.parametrize(("claim", "said", "answer", "key"), NEEDED)
def test_what_is_used_is_named(claim: str, said: dict[str, object], answer: Answer, key: str) -> None:
    verdict = asked(claim, **said)
    assert verdict.answer is answer
    if answer is N:
        assert [each.key for each in verdict.notes if each.key.startswith(("needs-", "both-"))] == [key]
        assert verdict.counterexample is not None


def test_both_sides_of_an_inequality_are_shown_as_they_stand() -> None:
    found = asked("E[(q.k)^4] >= 3d^2", keys="signs").counterexample
    assert found is not None
    assert (found.claimed, found.correct) == ("≥ 3", "1")


PARAMETERS: tuple[tuple[str, Answer, dict[str, str]], ...] = (
    (r"E[S_n^4] = n\mu_4 + 6n(n-1)\sigma^4", F, {"n": "2", "X": "signs", "σ": "1", "μ_4": "1"}),
    (r"E[S_n^4] = n\mu_4 + 3n(n-1)\sigma^4", P, {}),
    (r"E[X^2] = \sigma^2", N, {"X": "values:1", "σ": "0"}),
    (r"Var(X) = \sigma^2 + \mu^2", F, {"X": "values:1", "μ": "1", "σ": "0"}),
)


@pytest.mark.parametrize(("claim", "answer", "where"), PARAMETERS)
def test_the_parameters_in_a_counterexample_are_those_of_its_law(
    claim: str, answer: Answer, where: dict[str, str]
) -> None:
    verdict = asked(claim)
    assert verdict.answer is answer
    found = dict(verdict.counterexample.where) if verdict.counterexample else {}
    assert {name: found.get(name) for name in where} == where


SPELLINGS: tuple[tuple[str, Answer], ...] = (
    (r"\mathrm{Var}[q^Tk] = \sum_{i=1}^{d_k}\mathrm{Var}[q_ik_i] = d_k", P),
    ("E[(q^Tk)^2] = d", P),
    ("E[(q^Tk)^2] = d^2", F),
    (r"\mathrm{E}\left[X\right]^2 = \left(\mathrm{E}X\right)^2", P),
)


@pytest.mark.parametrize(("claim", "answer"), SPELLINGS)
def test_averages_are_written_in_many_ways(claim: str, answer: Answer) -> None:
    assert asked(claim).answer is answer


def test_steps_stand_as_they_were_written() -> None:
    chain = r"\begin{align} \mathbb{E}[e^2] &= \sum_{r,s} \mathbb{E}[t_r t_s] \\ &= d \end{align}"
    assert [step.claim for step in asked(chain).steps] == [
        r"\mathbb{E}[e^2] = \sum_{r,s} \mathbb{E}[t_r t_s]",
        r"\sum_{r,s} \mathbb{E}[t_r t_s] = d",
    ]


def test_a_sum_in_python_may_have_limits() -> None:
    assert asked("sum(k*binomial(n,k), (k,0,n)) = n*2**(n-1)").answer is P
    assert asked("sum(k*binomial(n,k), (k,0,n)) = n*2**n").answer is F


def test_a_score_counts_agreements() -> None:
    assert asked("e = 2m - d").answer is P  # the signs are said in the reading
    assert asked("e = 2m - d", keys="gaussian").answer is U
    assert asked("e = m - (d - m) = 2m - d", keys="signs").answer is P
    wrong = asked("e = m - d", keys="signs")
    assert wrong.answer is F
    assert wrong.counterexample is not None
    assert {"k": "[1]", "q": "[1]"}.items() <= dict(wrong.counterexample.where[:3]).items()


ARRAYS: tuple[tuple[str, Answer], ...] = (
    (r"E[x x^\top] = I", P),
    (r"E[x x^\top] = 2I", F),
    (r"E[x x^\top] = 0", F),
    (r"E[x x^\top] = 1", U),
    (r"E[q k^\top] = 0", P),
    (r"E[q k^\top] = I", F),
    (r"E[x^\top A y] = 0", P),
    (r"E[x^\top A x] = \operatorname{tr}(A)", P),
    (r"Var(x^\top A y) = \|A\|_F^2", P),
    (r"Var(x^\top A y) = 2\|A\|_F^2", F),
    (r"Var(w^\top x) = \sigma^2\|x\|^2", P),
    (r"Var(w^\top x) = \sigma\|x\|^2", F),
)


@pytest.mark.parametrize(("claim", "answer"), ARRAYS)
def test_averages_of_vectors_and_matrices(claim: str, answer: Answer) -> None:
    assert asked(claim).answer is answer


SAME: tuple[tuple[str, Answer], ...] = (
    ("E[(q.k)^2] = d^2 + 2d, k = q", P),
    ("E[q.k] = d, q = k", P),
    ("E[q.k] = 0, q = k", F),
    ("Var(X+Y) = 4Var(X), X = Y", P),
    ("Var(X+Y) = 2Var(X), X = Y", F),
)


@pytest.mark.parametrize(("claim", "answer"), SAME)
def test_two_letters_may_be_said_to_be_one(claim: str, answer: Answer) -> None:
    assert asked(claim, keys="gaussian").answer is answer


FROM_A_LETTER: tuple[tuple[str, Answer], ...] = (
    (r"\sum_{k=r}^n \binom kr = \binom{n+1}{r+1}", P),
    (r"\sum_{k=r}^n \binom kr = \binom{n+1}{r}", F),
    (r"\sum_{k=r}^n k = \frac{n(n+1) - r(r-1)}{2}", F),  # at n = 0 and r = 2 the sum is empty
)


@pytest.mark.parametrize(("claim", "answer"), FROM_A_LETTER)
def test_a_sum_may_begin_at_a_letter(claim: str, answer: Answer) -> None:
    assert asked(claim).answer is answer


UNDER_A_LAW: tuple[tuple[str, str, Answer], ...] = (
    (r"Var(X) = \sigma^2", "bernoulli:1/2", P),
    (r"Var(X) = \sigma", "bernoulli:1/2", F),
    (r"Var(X) = \sigma^2", "gaussian:0,4", P),
    (r"Var(X) = \sigma^2", "signs", P),
    (r"E[X^2] = \sigma^2 + \mu^2", "bernoulli:1/2", P),
    (r"E[X^4] = \mu_4", "signs", P),
    (r"E[X^4] = \mu_4", "bernoulli:1/2", F),
    (r"Var(X) = \sigma^2", "die:6", U),
)


@pytest.mark.parametrize(("claim", "law", "answer"), UNDER_A_LAW)
def test_parameters_are_those_of_a_stated_law(claim: str, law: str, answer: Answer) -> None:
    assert asked(claim, laws=(("X", law),)).answer is answer
