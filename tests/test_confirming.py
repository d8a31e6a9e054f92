"""Formulas that people bring, about rows of weights: each gets its verdict, its counterexample and its diagnosis."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.verdicts import Answer, Verdict, as_json
from notes.confirmed import claims_in, verdict_lines
from notes.words import LANGUAGES, words
from symbolic import confirm

P, F, N, U = Answer.PROVED, Answer.FALSE, Answer.NEEDS_ASSUMPTION, Answer.UNDECIDED

TRUE = (
    r"\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij}-a_j)",
    r"\frac{\partial p_i}{\partial z_j} = p_j(\delta_{ij}-p_i)",
    r"\frac{\partial \operatorname{softmax}(x)_i}{\partial x_j} = s_i([i=j]-s_j), s = \operatorname{softmax}(x)",
    r"\frac{\partial p_i}{\partial a_j} = p_i(\delta_{ij}-p_j)",
    r"\frac{\partial a_i}{\partial e_j} = -a_i a_j \qquad (i \ne j)",
    r"\frac{\partial a_i}{\partial e_i} = a_i(1-a_i)",
    r"J = \operatorname{diag}(a) - a a^\top",
    r"J \mathbf{1} = 0",
    r"\mathbf{1}^\top J = 0",
    r"\operatorname{tr}(J) = 1 - \sum_j a_j^2",
    r"\operatorname{tr}(\operatorname{diag}(a) - a a^T) = 1 - a^T a",
    r"J = J^\top",
    r"\|J\|_F^2 = \sum_j a_j^2 - 2\sum_j a_j^3 + \left(\sum_j a_j^2\right)^2",
    r"\sum_j a_j(1-a_j) = 1 - \sum_j a_j^2",
    r"\sum_{j \ne i} a_j = 1 - a_i",
    r"\sum_{i \ne j} a_i a_j = 1 - \sum_j a_j^2",
    r"\sum_{i<j} a_i a_j = \frac{1}{2}\left(1 - \sum_j a_j^2\right)",
    r"\sum_{j=1}^{T} \frac{1}{T} = 1",
    r"\frac{a_i}{a_j} = e^{z_i - z_j}, a = \operatorname{softmax}(z)",
    r"\log a_i - \log a_j = z_i - z_j, a = \operatorname{softmax}(z)",
    r"\frac{\partial \log a_i}{\partial z_j} = \delta_{ij} - a_j",
    r"\frac{\partial L}{\partial z_j} = a_j - y_j",
    r"\nabla_z L = a - y",
    r"\frac{\partial L}{\partial z_j} = p_j - [j=c]",
    r"\frac{\partial}{\partial z_j}\left(-\log p_c\right) = p_j - \delta_{jc}",
    r"\frac{\partial L}{\partial z_j} = a_j(g_j - \sum_l a_l g_l)",
    r"\frac{\partial L}{\partial z_j} = \sum_i \frac{\partial L}{\partial a_i} \frac{\partial a_i}{\partial z_j}",
    r"\frac{\partial L}{\partial E_{ij}} = A_{ij}(G_{ij} - \sum_l A_{il}G_{il})",
    r"\frac{\partial a_i}{\partial z_j} = \frac{1}{T} a_i(\delta_{ij} - a_j), a = \operatorname{softmax}(z/T)",
    r"\frac{\partial a_i}{\partial e_j} = \frac{1}{\sqrt{d_k}} a_i(\delta_{ij} - a_j), a = softmax(e/\sqrt{d_k})",
    "d softmax(z*w)_i/dw = a_i*(z_i - sum_j a_j z_j)",
    "sum(softmax(z)) = 1",
    "sigmoid(x) = 1/(1 + exp(-x))",
    r"\operatorname{softmax}(z + c) = \operatorname{softmax}(z)",
    "dV = A^T dO",
    "dA = dO V^T",
    r"dS = A \odot (dA - rowsum(dA \odot A))",
    r"dQ = dS K / \sqrt{d}",
    r"dK = dS^T Q / \sqrt{d}",
    r"v^\top J v = \sum_j a_j v_j^2 - \left(\sum_j a_j v_j\right)^2",
    r"\sum_l \delta_{jl} g_l = g_j",
    "a[0]*(1 - a[0]) = a[0] - a[0]**2",
    r"0 \le a_i",
    r"a_i(1-a_i) \le \frac14",
    r"1 - \sum_j a_j^2 \le 1 - \frac1T",
    "d/de_j sum_i a_i^3 = 3 a_j (a_j^2 - sum_i a_i^3)",
    "∂/∂β softmax(β e)_i = a_i (e_i - sum_j a_j e_j)",
)


@pytest.mark.parametrize("claim", TRUE)
def test_what_is_true_is_proved(claim: str) -> None:
    verdict = confirm(claim)
    assert verdict.answer is P, [dict(note.values) for note in verdict.notes]
    assert verdict.evidence
    assert verdict.counterexample is None


FALSE = (
    (r"\frac{\partial a_i}{\partial e_j} = a_i(1-a_i)", "holds-same", "1/4", "−1/4"),
    (r"\frac{\partial a_i}{\partial e_j} = -a_i a_j", "holds-different", "−1", "0"),
    (r"\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij}+a_j)", "correct", "2", "0"),
    (r"\frac{\partial a_i}{\partial e_j} = a_i(a_j - \delta_{ij})", "sign", "−1/4", "1/4"),
    (r"\frac{\partial a_i}{\partial e_j} = 2a_i(\delta_{ij}-a_j)", "factor", "1/2", "1/4"),
    (r"\frac{\partial a_i}{\partial e_j} = \delta_{ij}-a_j", "answers", "1/2", "1/4"),
    (r"\frac{\partial L}{\partial z_j} = y_j - a_j", "sign", None, None),
    (r"\frac{\partial L}{\partial a_j} = a_j - y_j, L = -\sum_j y_j \log a_j", "true-by", None, None),
    (r"\frac{\partial L}{\partial z_j} = a_j g_j", "missing", None, None),
    (r"\frac{\partial L}{\partial z_j} = a_j (1-a_j) g_j", "correct", None, None),
    (r"\frac{\partial L}{\partial z_c} = s_c(1-s_c), L = -\log \operatorname{softmax}(z)_c", "answers", "1/4", "−1/2"),
    ("dQ = dS K", "factor", "1", "1/2"),
    ("dQ = dS K", "holds-width-one", "1", "1/2"),
    ("dV = A dO", "correct", None, None),
    (r"\sum_j a_j^2 = 1", "holds-sizes", "1", "1/2"),
    (r"\sum_j a_j(1-a_j) = 1 + \sum_j a_j^2", "correct", "2", "0"),
    ("sum(y') = 1, y' = onehot*(1 - s/K) + s/K", None, "1", "3/2"),
    (r"a_i(1-a_i) \le \frac15", None, "1/5", "1/4"),
    (r"p_j = \frac{e^{g_j}}{\sum_l g_l}", None, "undefined (a division by 0)", "1"),
)


@pytest.mark.parametrize(("claim", "key", "claimed", "correct"), FALSE)
def test_what_is_false_has_its_counterexample_and_its_reason(
    claim: str, key: str | None, claimed: str | None, correct: str | None
) -> None:
    verdict = confirm(claim)
    assert verdict.answer is F
    found = verdict.counterexample
    assert found is not None
    if claimed is not None:
        assert (found.claimed, found.correct) == (claimed, correct)
    keys = {note.key for note in verdict.notes}
    assert key is None or key in keys or key == "correct", keys


def test_a_matrix_product_transposed_is_false() -> None:
    verdict = confirm("dV = A dO")
    assert verdict.answer is F
    assert dict(verdict.counterexample.where)["T"] == "2"  # type: ignore[union-attr]


def test_right_result_wrong_step() -> None:
    chain = r"\sum_j a_j(1 - a_j) = \sum_j a_j + \sum_j a_j^2 = 1 - \sum_j a_j^2"
    verdict = confirm(chain)
    assert [step.answer for step in verdict.steps] == [F, F]
    assert verdict.notes[0].key == "right-result-wrong-step"
    good = confirm(r"\begin{align} \sum_j a_j(1-a_j) &= \sum_j a_j - \sum_j a_j^2 \\ &= 1 - \sum_j a_j^2 \end{align}")
    assert good.answer is P
    assert len(good.steps) == 2


def test_weights_or_scores_are_both_answered() -> None:
    verdict = confirm(r"J = \operatorname{diag}(x) - x x^\top")
    assert verdict.answer is N
    assert [step.answer for step in verdict.steps] == [F, P]
    assert verdict.notes[0].key == "two-readings"


def test_an_expression_is_read_and_valued() -> None:
    verdict = confirm(r"\sum_j \frac{\partial a_i}{\partial e_j}")
    assert verdict.answer is Answer.READ
    assert dict(verdict.notes[0].values)["formula"] == "0"
    assert confirm(r"a_i(1-a_i)").latex == "a_i(1 - a_i)"


@pytest.mark.parametrize("claim", ["O = A V", "S = QK^T", r"S = QK^\top/\sqrt{d_k}", "c = 1", "u_i = a_i - y_i"])
def test_a_definition_alone_is_read_and_not_judged(claim: str) -> None:
    verdict = confirm(claim)
    assert verdict.answer is Answer.READ
    assert verdict.notes[0].key == "definition"


OUTSIDE = (
    r"\prod_j a_j = 1",
    r"\frac{\partial L}{\partial z_j} = q_j",
    r"\|A\|_{op} \le 1",
    r"\sum_{j=3}^T a_j = 1",
    "[x_i > 0] = 1",
    r"H = -\sum_i p_i \log p_i",
    r"L = -\log a_c",
)


@pytest.mark.parametrize("claim", OUTSIDE)
def test_what_lies_outside_says_so(claim: str) -> None:
    verdict = confirm(claim)
    assert verdict.answer is U
    assert verdict.exit_code == 3
    assert verdict.notes[0].key in {"outside", "undecided", "undecided-search"}


@pytest.mark.parametrize("claim", ["", "a_i = ", "x + ", r"\foo = 1", "softmax([-inf, -inf])"])
def test_bad_input_is_a_verdict_of_its_own(claim: str) -> None:
    verdict = confirm(claim)
    assert verdict.answer is Answer.INVALID
    assert verdict.exit_code == 2


def everything(verdict: Verdict) -> list[Verdict]:
    return [verdict, *(inner for step in verdict.steps for inner in everything(step))]


def test_every_verdict_can_be_said_in_both_languages() -> None:
    for claim in (*TRUE, *(row[0] for row in FALSE), *OUTSIDE, "a_i = ", r"J = \operatorname{diag}(x) - x x^\top"):
        verdict = confirm(claim)
        assert as_json(verdict)["verdict"] == verdict.answer.value
        for say in map(words, LANGUAGES):
            assert say["confirm"]["answers"][verdict.answer.value] in "\n".join(verdict_lines(verdict, say))


# ---- what stands beside a claim, and the limits of its sums, are never passed over ----------------------------------

BESIDE = (
    (r"\frac{\partial a_i}{\partial z_j} = a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(-z)", F),
    (r"\frac{\partial a_i}{\partial z_j} = -a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(-z)", P),
    (r"\frac{\partial a_i}{\partial z_j} = 3a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(z + 2z)", P),
    (r"\frac{\partial a_i}{\partial z_j} = a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(z + 2z)", F),
    (r"\frac{\partial a_i}{\partial z_j} = a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(z^2)", F),
    (r"\frac{\partial a_i}{\partial z_j} = 2a_i(\delta_{ij}-a_j), a = \operatorname{softmax}(2z + z^2)", U),
    (r"\frac{\partial a_i}{\partial z_j} = a_i(\delta_{ij}-a_j), a = 2\operatorname{softmax}(z)", F),
    (r"\frac{\partial a_i}{\partial z_j} = a_i(\delta_{ij}-a_j), a_i = \frac{e^{z_i}}{\sum_l e^{2z_l}}", F),
    (
        r"\frac{\partial a_i}{\partial z_j} = b a_i(\delta_{ij}-a_j), a_i = \frac{e^{b z_i}}{\sum_l e^{b z_l}}",
        P,
    ),
    (r"\sum_i a_i = 1, a_i = \frac{e^{z_i}}{1 + \sum_l e^{z_l}}", F),
    (r"\sum_i a_i = 1, a_i = \frac{e^{z_i}}{2\sum_l e^{z_l}}", F),
    (r"\sum_j a_j = 1, a_j = z_j^2", F),
    (r"\frac{a_i}{a_j} = e^{2(z_i - z_j)}, a = \operatorname{softmax}(z)", F),
    (r"\frac{a_i}{a_j} = \exp(2 e_i - 2 e_j)", F),
    (r"\sum_{j=1}^{T-1} a_j = 1", U),
    (r"\sum_{j=1}^{i} a_j = 1", U),
    (r"\sum_{j=1}^{2T} a_j = 1", U),
    (r"\sum_{j=0}^{T} \frac1T = 1", U),
    (r"\sum_{j=0}^{T-1} \frac1T = 1", P),
    (r"\sum_{j=1}^{3} a_j = \sum_{j=1}^{2} a_j", U),
    (r"\sum_{i=1}^n \sum_{j=1}^m 1 = n^2", U),
    (r"\sum_{j=1}^{1000000} a_j = 1", U),
    (r"\sum_j a_j = 1, T = 0", U),
    (r"\sum_{r=1}^{d} 1 = d", P),
    (r"\sum_{j<i} a_i a_j = \frac12 a_i(1-a_i)", U),
    (r"\sum_{i<j,k<l} a_i a_j a_k a_l = \frac12 (1-\sum_j a_j^2)^2", U),
    (r"\sum_{j\ne i} a_j \le 1", P),
    (r"\log_2 a_i = \log a_i", U),
    ("softmax(A, axis=0) = softmax(A, axis=1), A = X Q^T", U),
    (r"\sum_j a_j^2 < 1, T \ge 2", U),
    (r"a_1 = a_2, z_1 = z_2, a = \operatorname{softmax}(z)", U),
    (r"\frac{\partial L}{\partial z_j} = p_j - y_j, \sum_j y_j = 1", P),
    (r"\frac{\partial a_1}{\partial e_i} = a_1(1-a_1), i = 2", F),
    ("a_3 = 1 - a_1 - a_2", F),
    (r"\frac{\partial \hat y_i}{\partial z_j} = y_i(\delta_{ij} - \hat y_j)", F),
    (r"\frac{\partial a_i}{\partial e_n} = a_i(\delta_{in} - a_n)", P),
    (r"\frac{\partial p_i}{\partial z_j} = p_i(1_{i=j} - p_j)", P),
    (r"\sum_i \alpha_{ij} = 1", F),
    (r"$$\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j)$$ where $p = \mathrm{softmax}(z)$", P),
    (r"$$\frac{\partial p_i}{\partial z_j} = p_i(\delta_{ij} - p_j)$$ where $p = \mathrm{softmax}(2z)$", F),
    (r"The derivative is $\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij} - a_j)$.", Answer.INVALID),
    (r"A^\top \mathbf 1 = \mathbf 1", F),
    (r"A A^\top = I", F),
    (r"a_i^{(2)} = a_i^2", Answer.INVALID),
    (r"\log(-a_i) = 1", F),
    (r"\sum_j y_j \log\frac{y_j}{p_j} = \sum_j y_j \log y_j - \sum_j y_j \log p_j", P),
)


@pytest.mark.parametrize(("claim", "answer"), BESIDE)
def test_definitions_limits_and_conditions_count(claim: str, answer: Answer) -> None:
    verdict = confirm(claim)
    assert verdict.answer is answer
    assert verdict_lines(verdict, words("en"))


TOO_LARGE = (
    r"(a_i+a_j+a_k+a_l)^{60} = (a_i+a_j+a_k+a_l)^{59}(a_l+a_k+a_j+a_i)",
    r"\binom{20000}{10000} = 1",
    r"a_i = 10^{900} 10^{900} 10^{900} 10^{900} 10^{900} 10^{900}",
    r"\frac{\partial}{\partial z_j}\log(-a_i) = \delta_{ij} - a_j",
)


@pytest.mark.parametrize("claim", TOO_LARGE)
def test_what_is_too_large_or_has_no_value_is_undecided(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbolic.confirming.MOST_SECONDS", 1)
    verdict = confirm(claim)
    assert verdict.answer is U
    assert verdict_lines(verdict, words("en"))


def test_what_is_too_large_for_a_proof_is_still_refuted_by_a_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbolic.confirming.MOST_SECONDS", 2)
    verdict = confirm(r"(a_i+a_j+a_k+a_l)^{60} = 1")
    assert verdict.answer is Answer.FALSE
    assert verdict.counterexample
    assert dict(verdict.counterexample.where)["T"] == "1"
    assert verdict.counterexample.correct == str(4**60)


def test_two_sides_that_are_the_same_are_equal_however_large_they_are() -> None:
    assert confirm(r"(a_i+a_j+a_k+a_l)^{60} = (a_i+a_j+a_k+a_l)^{60}").answer is Answer.PROVED


def test_a_percent_sign_hides_nothing_in_plain_text() -> None:
    assert confirm("10 % 3 = 1").answer is Answer.INVALID


SIGMOID = (
    (r"\sigma(-x) = 1 - \sigma(x)", P),
    (r"\sigma(-x) = -\sigma(x)", F),
    (r"\sigma'(x) = \sigma(x)(1-\sigma(x))", P),
    (r"\frac{d}{dx}\log\sigma(x) = 1-\sigma(x)", P),
    (r"\operatorname{softmax}(x)_1 = \sigma(x_1 - x_2), T=2", P),
    (r"\tanh(x) = 2\sigma(2x) - 1", P),
    (r"\tanh(x) = 2\sigma(x) - 1", F),
    ("softplus(-x) = -softplus(x)", Answer.INVALID),
    ("f(2x) = 2f(x)", Answer.INVALID),
)


@pytest.mark.parametrize(("claim", "answer"), SIGMOID)
def test_a_function_is_never_read_as_a_product(claim: str, answer: Answer) -> None:
    assert confirm(claim).answer is answer


# ---- what must not change a verdict, and what must ------------------------------------------------------------------

JACOBIAN = r"\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij}-a_j)"


@settings(max_examples=12, deadline=None)
@given(st.permutations(["i", "j", "l", "m", "n"]), st.sampled_from(["a e", "p z", "s x", "o z"]))
def test_renaming_changes_nothing(indices: list[str], letters: str) -> None:
    weights, scores = letters.split()
    i, j, l, *_ = indices
    derivative = rf"\frac{{\partial {weights}_{i}}}{{\partial {scores}_{j}}}"
    assert confirm(rf"{derivative} = {weights}_{i}(\delta_{{{i}{j}}} - {weights}_{j})").answer is P
    assert confirm(rf"{derivative} = {weights}_{i}(\delta_{{{i}{j}}} + {weights}_{j})").answer is F
    assert confirm(rf"\sum_{l} {derivative.replace('_' + j, '_' + l)} = 0").answer is P


SCALARS = (
    ("\\sum_j a_j(1-a_j)", "1 - \\sum_j a_j^2"),
    ("\\sum_j a_j", "1"),
    ("\\operatorname{tr}(J)", "1 - \\sum_j a_j^2"),
)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(SCALARS), st.integers(1, 9), st.integers(1, 9), st.sampled_from(["\\sum_l a_l^3", "a_1", "T"]))
def test_what_is_added_or_multiplied_on_both_sides_changes_nothing(
    claim: tuple[str, str], p: int, q: int, term: str
) -> None:
    left, right = claim
    factor = rf"\frac{{{p}}}{{{q}}}"
    assert confirm(rf"{factor}\left({left}\right) + {term} = {factor}\left({right}\right) + {term}").answer is P
    assert confirm(rf"{left} = {right} + {p}").answer is F
    assert confirm(rf"{left} + {term} = {right} - {term}").answer is F


# ---- files of claims ------------------------------------------------------------------------------------------------


def test_a_file_of_claims_is_split_as_its_writer_meant() -> None:
    text = (
        "# remarks\na = b\n\nc = d\n  = e\n\\begin{align}\nf &= g \\\\\n &= h\n\\end{align}\n% more\n\\[\nx = y\n\\]\n"
    )
    assert [(line, claim.split()[0]) for line, claim in claims_in(text)] == [
        (2, "a"),
        (4, "c"),
        (6, "\\begin{align}"),
        (11, "\\["),
    ]
