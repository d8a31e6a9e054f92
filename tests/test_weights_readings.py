r"""How letters of formulas about the softmax are read: what is true under the reading a person means, and what is not.

Each row of a table is a claim, its answer and, where it helps, a word of the reading that must be said.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from exact.verdicts import Answer, Verdict
from notes.confirmed import verdict_lines
from notes.words import LANGUAGES, words
from symbolic import confirm

P, F, N, U = Answer.PROVED, Answer.FALSE, Answer.NEEDS_ASSUMPTION, Answer.UNDECIDED
Table = tuple[tuple[str, Answer], ...]


def everything(verdict: Verdict) -> list[Verdict]:
    return [verdict, *(inner for step in verdict.steps for inner in everything(step))]


def check(claim: str, answer: Answer) -> Verdict:
    verdict = confirm(claim)
    assert verdict.answer is answer, (claim, verdict)
    for language in LANGUAGES:
        assert verdict_lines(verdict, words(language))
    return verdict


def keys(verdict: Verdict) -> set[str]:
    return {item.key for each in everything(verdict) for item in (*each.understood, *each.notes)}


SEEDED = (
    r"\frac{\partial \sigma_i}{\partial z_j} = \sigma_i(\delta_{ij} - \sigma_j)",
    r"\frac{\partial h_i}{\partial z_j} = h_i(\delta_{ij} - h_j)",
    r"\frac{\partial}{\partial z_j}\sum_i p_i\log\frac{p_i}{q_i} = p_j - q_j",
)


def test_no_verdict_depends_on_the_order_of_sets() -> None:
    code = "import sys; from symbolic import confirm\nfor claim in sys.argv[1:]: print(confirm(claim))"
    found = set()
    for seed in ("0", "1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ran = subprocess.run(
            [sys.executable, "-c", code, *SEEDED], env=environment, capture_output=True, text=True, check=True
        )
        found.add(ran.stdout)
    assert len(found) == 1
    assert confirm(SEEDED[0]).answer is P


# ---- a letter in a subscript is an index, whatever it stands for elsewhere ------------------------------------------

INDICES: Table = (
    (r"\frac{\partial p_a}{\partial z_b} = p_a(\delta_{ab}-p_b)", P),
    (r"\frac{\partial p_a}{\partial z_b} = 0", F),
    (r"\sum_a \frac{\partial\log\pi_a}{\partial\theta_j} = 0", F),
    (r"\sum_a \pi_a\frac{\partial\log\pi_a}{\partial\theta_j} = 0", P),
    (r"\frac{\partial}{\partial\theta_j}\sum_a\pi_a r_a = \pi_j\left(r_j - \sum_a\pi_a r_a\right)", P),
    (r"\frac{\partial p_s}{\partial z_t} = p_s(\delta_{st} - p_t)", P),
    (r"\frac{\partial}{\partial z_j}(-\log p_y) = p_j - \delta_{jy}", P),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_i^j-p_j)", P),
    (r"\frac{\partial y_k}{\partial a_j} = y_k(I_{kj} - y_j)", P),
    (r"\frac{\partial \log\pi(a)}{\partial\theta_b} = \mathbb{1}[a=b] - \pi(b)", U),
    (r"D_j S_i = S_i(\delta_{ij} - S_j)", P),
    (r"D_j S_i = S_j(\delta_{ij} - S_j)", F),
    (r"\partial_j p_i = p_i(\delta_{ij}-p_j)", P),
)

# ---- an operator takes the whole product, up to + or − --------------------------------------------------------------

OPERATORS: Table = (
    (r"\frac{\partial}{\partial z_j}\frac12\sum_i(p_i-y_i)^2 = 0", F),
    (r"\frac{\partial}{\partial z_j}\frac12\sum_i(p_i-y_i)^2 = \sum_i(p_i-y_i)p_i(\delta_{ij}-p_j)", P),
    (r"\frac{\partial}{\partial z_j} p_i p_k = p_i(\delta_{ij}-p_j)p_k", F),
    (r"\frac{\partial}{\partial z_j} p_i p_k = p_i p_k(\delta_{ij}+\delta_{jk}-2p_j)", P),
    ("d/dz_j p_i*p_k = p_i*p_k*(delta_ij + delta_kj - 2*p_j)", P),
    ("d/dz_j p_i/2 = p_i*(delta_ij - p_j)/2", P),
    ("d/dx 2*x^2 = 4*x", P),
    (r"\frac{d}{dx} x e^x = e^x", F),
    (r"\frac{d}{dx} x e^x = e^x + x e^x", P),
    (r"\frac{\partial}{\partial z_j} \tau\log\sum_i e^{z_i/\tau} = p_j, p = softmax(z/\tau)", P),
    (r"\nabla_z \frac12\|p-y\|^2 = J^\top(p-y), J = \mathrm{diag}(p)-pp^\top", P),
    (r"\frac{\partial}{\partial z_j} y_ip_i = 0", F),
    (r"\frac{\partial L}{\partial z_j} = \sum_i \frac{\partial L}{\partial a_i}\frac{\partial a_i}{\partial z_j}", P),
    (r"\nabla_p L \odot p = -y", P),
)


def test_the_claim_printed_shows_how_far_an_operator_reaches() -> None:
    assert confirm(r"\frac{\partial}{\partial z_j} p_i p_k = 0").claim == "∂(p_i p_k)/∂z_j = 0"


# ---- p and q: two distributions -------------------------------------------------------------------------------------

DISTRIBUTIONS: Table = (
    (r"\sum_i p_i\log\frac{p_i}{q_i} = \sum_i p_i\log p_i - \sum_i p_i\log q_i", P),
    (r"\frac{\partial}{\partial z_j}\left(-\sum_i q_i\log p_i\right) = p_j - q_j", P),
    (r"\frac{\partial}{\partial z_j}\sum_i q_i\log\frac{q_i}{p_i} = p_j - q_j", P),
    (r"\frac{\partial}{\partial z_j}\sum_i q_i\log\frac{q_i}{p_i} = q_j - p_j, p = softmax(z)", F),
    (r"\frac{\partial L}{\partial z_j} = q_j - p_j, L = -\sum_i p_i\log q_i", P),
    (r"\frac{\partial L}{\partial z_j} = q_j - p_j, L = -\sum_i q_i\log p_i", F),
    (r"\frac{\partial L}{\partial z_j} = p_j - q_j", P),
    (r"\frac{\partial L}{\partial z_j} = q_j - p_j", N),
    (r"\frac{\partial}{\partial q_j}\left(-\sum_i p_i\log q_i\right) = -\frac{p_j}{q_j}", P),
    (
        r"\frac{\partial}{\partial z_j}\sum_i p_i\log\frac{p_i}{q_i}"
        r" = p_j\left(\log\frac{p_j}{q_j} - \sum_i p_i\log\frac{p_i}{q_i}\right), p = softmax(z)",
        P,
    ),
    (
        r"\frac{\partial a_i}{\partial q_c} = \frac{1}{\sqrt d}a_i\left(k_{ic} - \sum_j a_jk_{jc}\right),"
        r" a = softmax(s), s_i = \frac{1}{\sqrt d}\sum_c q_ck_{ic}",
        P,
    ),
    (
        r"\frac{\partial a_i}{\partial q} = \frac{1}{\sqrt d}a_i\left(k_i - \sum_j a_jk_j\right),"
        r" a_i = \frac{e^{q\cdot k_i/\sqrt d}}{\sum_j e^{q\cdot k_j/\sqrt d}}",
        U,
    ),
)

# ---- ranges, sums with …, and rows that are not as many as columns --------------------------------------------------

RANGES: Table = (
    (r"\frac{\partial p_i}{\partial z_j} = p_i(1 - p_j), \quad i = 1,\dots,K, j = 1,\dots,K", F),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j), \quad i,j = 1,\dots,K", P),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j), 1 \le i \le K", P),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j), i = 0, \dots, K-1", P),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j), i = 1, \dots, j", U),
    (r"\sum_i p_i = 1, i = 1,2,\dots,n", P),
    (r"\frac{\partial p_i}{\partial z_j} = -p_ip_j, \quad j = 1,\dots,K, i = 2", F),
    (r"p_i = \frac{e^{z_i}}{e^{z_1} + \cdots + e^{z_n}}", P),
    (r"p_i = \frac{e^{z_i}}{1 + e^{z_1} + \dots + e^{z_n}}", F),
    (r"p_1 + p_2 + \cdots + p_n = n", F),
    (r"p_1 + p_3 + \cdots + p_n = 1", U),
    (r"\sum_n\sum_k p_{nk} = K", N),
    (r"\sum_{n=1}^N\sum_{k=1}^K p_{nk} = K", F),
    (r"\sum_{n=1}^N\sum_{k=1}^K p_{nk} = N", P),
    (r"\sum_n \frac{1}{N} p_{nk} = \frac{1}{K}", F),
    (r"\sum_n\sum_k p_{nk} = \sum_n 1", P),
    (r"\sum_{i=1}^n\sum_{j=1}^n \alpha_{ij} = n", P),
    (r"\frac{\partial p_{nk}}{\partial z_{mj}} = \delta_{nm} p_{nk}(\delta_{kj} - p_{nj})", P),
    (
        r"\frac{\partial L}{\partial z_{nk}} = \frac{1}{N}(p_{nk} - y_{nk}),"
        r" L = -\frac{1}{N}\sum_{n=1}^N\sum_k y_{nk}\log p_{nk}",
        P,
    ),
)


def test_a_sum_with_dots_is_printed_as_a_sum() -> None:
    assert confirm(r"p_i = \frac{e^{z_i}}{e^{z_1} + \cdots + e^{z_n}}").claim == "p_i = exp(z_i)/(Σ_j exp(z_j))"


def test_the_number_of_rows_has_its_own_letter() -> None:
    verdict = check(r"\sum_n p_{nk} = 1", F)
    assert verdict.counterexample is not None
    assert dict(verdict.counterexample.where)["N"] == "2"
    assert "rows" in keys(verdict)


# ---- what is differentiated, and by what ----------------------------------------------------------------------------

ROLES: Table = (
    (r"\frac{\partial}{\partial z_j}\sum_i p_iz_i = p_j", F),
    (r"\frac{\partial}{\partial z_j}\sum_i p_iz_i = p_j\left(1 + z_j - \sum_i p_iz_i\right)", P),
    (r"\frac{\partial}{\partial x_j}\sum_i w_i x_i = w_j", P),
    (r"\frac{\partial}{\partial x_j}\sum_i p_i x_i = p_j(1 + x_j - \sum_i p_i x_i)", N),
    (
        r"\frac{\partial L}{\partial z_i} = p_i - y_i + \lambda z_i,"
        r" L = -\sum_i y_i\log p_i + \frac{\lambda}{2}\sum_i z_i^2",
        P,
    ),
    (r"\frac{\partial y_i}{\partial x_j} = y_i(\delta_{ij} - y_j)", P),
    (r"\frac{\partial E}{\partial a_k} = y_k - t_k", P),
    (r"\frac{\partial E}{\partial a_k} = t_k - y_k", F),
    (r"\frac{\partial L}{\partial y_k} = -\frac{t_k}{y_k}", P),
    (r"\frac{\partial \ell}{\partial z_k} = p_k - y_k", P),
    (r"\frac{\partial \mathrm{CE}}{\partial z_i} = p_i - y_i", P),
    (r"\frac{\partial L_{CE}}{\partial z_i} = p_i - y_i", P),
    (r"\frac{\partial L}{\partial b_i} = p_i - y_i, z_i = \sum_j W_{ij}x_j + b_i, p = softmax(z)", P),
    (r"\frac{\partial L}{\partial W_{ij}} = (p_i - y_i)x_j, z_i = \sum_j W_{ij}x_j + b_i, p = softmax(z)", P),
    (r"\frac{\partial L}{\partial W_{ij}} = (p_j - y_j)x_i, z_i = \sum_j W_{ij}x_j + b_i, p = softmax(z)", F),
    (r"\frac{\partial L}{\partial W} = (p-y)x^\top, z = Wx + b", P),
    (r"\frac{\partial L}{\partial x} = W^\top(p-y), z = Wx + b", P),
    (r"\frac{\partial L}{\partial x} = W(p-y), z = Wx + b", F),
    (r"\frac{\partial L}{\partial z} = (p-y)/N", U),
    (r"\frac{\partial}{\partial\beta}\log\sum_i e^{\beta z_i} = \sum_i p_i z_i", P),
    (r"\frac{\partial}{\partial\beta} p_i = p_i(z_i - \sum_j p_j z_j)", U),
    (r"\frac{\partial a_i}{\partial q_r} = 0, a = softmax(e)", U),
    (r"\frac{\partial e_i}{\partial q_r} = k_{ir}", U),
    (r"p_1 = \sigma(z_1 - z_2), K = 2", P),
    (
        r"\frac{\partial p_i}{\partial z_i} = \frac{e^{z_i}\Sigma - e^{z_i}e^{z_i}}{\Sigma^2}"
        r" = \frac{e^{z_i}}{\Sigma}\frac{\Sigma - e^{z_i}}{\Sigma} = p_i(1-p_i)",
        P,
    ),
    (r"\frac{df}{dx} = 0", U),
)

# ---- σ with an index, and functions of numbers ----------------------------------------------------------------------

SIGMAS: Table = (
    (r"\frac{\partial \sigma(z)_i}{\partial z_j} = \sigma(z)_i(\delta_{ij} - \sigma(z)_j)", P),
    (r"\frac{\partial \sigma(z)_i}{\partial z_j} = \sigma(z)_i(1-\sigma(z)_i)\delta_{ij}", N),
    (
        r"\frac{\partial \sigma(z)_i}{\partial z_j} = \sigma(z)_i(\delta_{ij}-\sigma(z)_j),"
        r" \sigma(z)_i = \frac{e^{z_i}}{\sum_k e^{z_k}}",
        P,
    ),
    (
        r"\frac{\partial \sigma(z)_i}{\partial z_j} = \sigma(z)_i(\delta_{ij}-\sigma(z)_j),"
        r" \sigma(z)_i = \frac{e^{2z_i}}{\sum_k e^{2z_k}}",
        F,
    ),
    (r"\frac{\partial S(x)_i}{\partial x_j} = S(x)_i(\delta_{ij}-S(x)_j)", Answer.INVALID),
    (r"\sigma(z + c)_i = \sigma(z)_i", P),
    (r"\frac{d}{dx}\log(1+e^x) = \frac{1}{1+e^{-x}}", P),
    (r"\frac{d}{dx}\log(1+e^x) = \frac{1}{1+e^{x}}", F),
    (r"\frac{d\sigma}{dx} = \sigma(x)(1-\sigma(x)), \sigma(x) = \frac{1}{1+e^{-x}}", P),
    (r"\frac{\partial L}{\partial p} = \frac{p-y}{p(1-p)}, L = -y\log p - (1-y)\log(1-p)", P),
    (r"\frac{\partial L}{\partial p} = \frac{y-p}{p(1-p)}, L = -y\log p - (1-y)\log(1-p)", F),
    (r"\frac{d}{dx}\sqrt{x^2} = 1", U),
)


def test_that_sigma_is_the_softmax_is_said() -> None:
    assert "sigma-softmax" in keys(confirm(r"\sum_i \sigma(z)_i = 1"))


# ---- gradients of programs, and lists of them -----------------------------------------------------------------------

GRADIENTS: Table = (
    ("dE = A * (G - np.sum(A*G, axis=1, keepdims=True))", P),
    ("dE = A * (G - np.sum(A*G, axis=0, keepdims=True))", F),
    ("dE = A * (G - np.sum(A*G, axis=1))", F),
    ("dX = A * (G - (A*G).sum(-1, keepdim=True))", P),
    ("dX = A * (G - (A*G).sum(dim=-1, keepdim=True))", P),
    ("dz = p*(g - sum(p*g))", P),
    ("dz = p - y", P),
    ("dz = (p - y)/N", U),
    ("dL/dz = G - np.exp(Y)*G.sum(axis=-1, keepdims=True), Y = log_softmax(z)", P),
    (r"\frac{\partial L}{\partial Q} = \frac{1}{\sqrt{d_k}} dS K", P),
    (r"\frac{\partial L}{\partial K} = dS^\top Q", F),
    (
        r"\frac{\partial L}{\partial Q} = \left(A \odot (G - \mathrm{rowsum}(G\odot A))\right)K,"
        r" G = \frac{\partial L}{\partial A}",
        U,
    ),
    (r"\frac{\partial L}{\partial V} = A^\top \frac{\partial L}{\partial O}, O = AV", P),
    (r"\frac{\partial L}{\partial A} = V^\top\frac{\partial L}{\partial O}, O = AV", F),
    (r"\nabla_Q L = \frac{1}{\sqrt{d}} (\nabla_S L) K", P),
    ("J = diag(s) - s @ s.T", U),
    (r"dA = dO V^\top, O = AV", P),
    (r"dP = dO V^\top, O = AV", U),
    ("dB = A * G", U),
    (r"dQ = dS K/\sqrt{d}, dK = dS^\top Q/\sqrt{d}", P),
    (r"dQ = dS K/\sqrt{d}, dK = dS^\top Q", F),
    (r"dS = P \odot (dP - \mathrm{rowsum}(dP \odot P)), dP = dO V^\top, O = PV", P),
    (r"dV = P^\top dO, dP = dO V^\top, dS = P \circ (dP - \mathrm{rowsum}(dP\circ P))", P),
)

# ---- values that are undefined, and points that say something -------------------------------------------------------

POINTS: Table = (
    ("softmax(log(p)) = p", P),
    ("softmax(log(p)/2) = p", F),
    ("softmax(x/T) = softmax(x)", F),
    (r"\frac{\partial S_{ij}}{\partial Q_{ic}} = \frac{K_{cj}}{\sqrt{d}}, S = \frac{QK^\top}{\sqrt{d}}", F),
    (r"\frac{\partial S_{ij}}{\partial Q_{ic}} = \frac{K_{jc}}{\sqrt{d}}, S = \frac{QK^\top}{\sqrt{d}}", P),
)


def test_a_temperature_of_a_counterexample_is_not_0() -> None:
    found = confirm("softmax(x/T) = softmax(x)").counterexample
    assert found is not None
    assert dict(found.where)["τ"] != "0"
    assert "undefined" not in found.correct + found.claimed


def test_shapes_that_do_not_fit_are_refuted_where_they_do() -> None:
    verdict = check(r"dK = Q^\top dS/\sqrt{d}", F)
    assert verdict.counterexample is not None
    where = dict(verdict.counterexample.where)
    assert where["T"] == where["d"]
    assert "even" in keys(verdict)
    assert "correct" not in keys(verdict)


# ---- chains that define, rows said to add to 1, cases ---------------------------------------------------------------

BESIDE: Table = (
    (r"L = -\log p_c = \log\sum_j e^{z_j} - z_c", P),
    (r"L = -\log p_c = \log(1 + \sum_{j\neq c} e^{z_c - z_j})", F),
    (r"D = \sum_i p_i\log\frac{p_i}{q_i} = \sum_i p_i\log p_i - \sum_i p_i\log q_i", P),
    (r"L = -\log p_c, \frac{\partial L}{\partial z_j} = p_j - \delta_{jc}", P),
    (r"\frac{\partial L}{\partial z_j} = p_j - r_j, L = -\sum_i r_i\log p_i, \sum_i r_i = 1", P),
    (r"\frac{\partial L}{\partial z_j} = p_j - r_j, L = -\sum_i r_i\log p_i", F),
    (r"\sum_k y_{nk} = 1, \sum_n y_{nk} = 1", U),
    (r"\frac{\partial p_j}{\partial o_i} = \begin{cases} p_i(1-p_i) & i=j \\ -p_i p_j & i \neq j \end{cases}", P),
    (
        r"\frac{\partial p_j}{\partial o_i} = \begin{cases} p_i(1-p_i) & \text{if } i=j \\"
        r" p_i p_j & \text{otherwise} \end{cases}",
        F,
    ),
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        *INDICES,
        *OPERATORS,
        *DISTRIBUTIONS,
        *RANGES,
        *ROLES,
        *SIGMAS,
        *GRADIENTS,
        *POINTS,
        *BESIDE,
    ],
)
def test_a_claim_is_read_as_it_is_meant(claim: str, answer: Answer) -> None:
    check(claim, answer)


def test_a_factor_that_is_a_quotient_is_turned_over() -> None:
    verdict = confirm(r"\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j), p = softmax(z/\tau)")
    factors = [dict(item.values)["factor"] for item in verdict.notes if item.key == "factor"]
    assert factors == ["τ"]


def test_a_fault_of_the_program_is_a_verdict_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("symbolic.confirming.mean", broken)
    verdict = confirm(r"\sum_i p_i = 1")
    assert verdict.answer is U
    assert "IndexError" in dict(verdict.notes[0].values)["message"]
