"""The cases that people brought to public trackers: each of the 76 gets the verdict recorded for it, or is listed here.

Functions and pairings are judged in test_functions and test_involution, averages and sums in test_moment_claims; here
stand formulas about the softmax, what had to be read, and the count of all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exact.verdicts import Answer
from symbolic import confirm
from symbolic.expressions import Delta, Entry, Index
from symbolic.latex import snippet
from tests.command import run
from tests.moments import CASES as AVERAGES

LINES = (Path(__file__).parent / "data" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
RECORDED: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, LINES)}
P, F, R, I = Answer.PROVED, Answer.FALSE, Answer.READ, Answer.INVALID

FUNCTIONS = {"A01", "A03", "A04", "A06", "A07", "A11", "A12", "A22", "A24", "A29", "D17"}

# Each claim of a case as a person types it, its answer, and both values of the smallest counterexample.
FORMULAS: dict[str, list[tuple[str, Answer, str, str]]] = {
    "A08": [
        (r"\frac{\partial L}{\partial z_c} = s_c - 1, L = -\log(softmax(z)_c)", P, "", ""),
        (r"\frac{\partial L}{\partial z_c} = s_c (1 - s_c), L = -\log(softmax(z)_c)", F, "1/4", "−1/2"),
        (r"\frac{\partial L}{\partial z_c} = s_c (s_c - 1), L = -\log(softmax(z)_c)", F, "−1/4", "−1/2"),
    ],
    "A10": [
        ("dX = G - sum(G)*exp(Y), Y = log_softmax(X)", P, "", ""),
        ("dX = exp(Y)*(G - sum(G*exp(Y))), Y = log_softmax(X)", F, "−1/4", "−1/2"),
    ],
    "A14": [
        (r"\frac{\partial}{\partial a_i}\left(-\sum_j y_j \log a_j\right) = a_i - y_i", F, "", ""),
        (r"\frac{\partial}{\partial a_i}\left(-\sum_j y_j \log a_j\right) = -y_i/a_i", P, "", ""),
        ("diff(-sum(y[j]*log(a[j])), a[i]) == a[i]-y[i]", F, "", ""),
    ],
    "A15": [(r"\frac{\partial E}{\partial z_j} = -\frac{t_j}{o_j}\,o_j(1-o_j)", F, "0", "1/2")],
    "A17": [
        ("sum(y') = 1, y' = onehot*(1 - s/K) + s/K", F, "1", "3/2"),
        ("sum(y') = 1, y' = onehot*(1 - s/K) + s/K, K = 7, s = 1/10", F, "1", "38/35"),
        ("sum(y') = 1, y' = onehot*(1 - s) + s/K", P, "", ""),
    ],
    "A19": [
        ("softmax(z*w) = softmax(z/T) for w=1/T", P, "", ""),
        ("d softmax(z*w)_i/dz_j = w*a_i*(delta_ij-a_j)", P, "", ""),
        ("d softmax(z*w)_i/dw = a_i*(z_i - sum_j a_j z_j)", P, "", ""),
        (r"\frac{\partial}{\partial T} softmax(z/T)_i = -\frac{1}{T^2} a_i(z_i - \sum_j a_j z_j)", P, "", ""),
    ],
    "A23": [
        ("softmax([-inf, -inf]) = [1/2, 1/2]", I, "", ""),
        ("softmax([-inf, -inf]) = [0, 0]", I, "", ""),
        ("softmax([0, -inf]) = [1, 0]", P, "", ""),
    ],
    "A26": [("grad_z = softmax(z) - y, L = -log softmax(softmax(z))_c, y = onehot", F, "", "")],
    "A27": [
        (r"\operatorname{logsoftmax}(\operatorname{logsoftmax}(z)) = \operatorname{logsoftmax}(z)", P, "", ""),
    ],
    "A28": [
        ("J_ij = p_i p_j for i != j", F, "1/4", "−1/4"),
        ("sum_ij J_ij^2 = sum_i p_i^2(1-p_i)^2 + sum_{i!=j} p_i^2 p_j^2", P, "", ""),
    ],
    "A31": [
        (r"\sum_j P_{ij}\,dP_{ij} = \sum_k dO_{ik}O_{ik},\quad O=PV,\ dP=dO\,V^\top", P, "", ""),
    ],
    "A32": [("Sum(p_i*(log(Z)-a_i)) == -Sum(p_i*log(p_i)), p_i=exp(a_i)/Z", P, "", "")],
    "A34": [
        (
            r"\log\frac{\sum_j y_j e^{x_j}}{\sum_j e^{x_j}} = -\sum_j y_j\log\frac{e^{x_j}}{\sum_k e^{x_k}}",
            F,
            "log 2",
            "−log 2",
        ),
    ],
    "A35": [
        (r"p_j = \frac{e^{g_j}}{\sum_l g_l}", F, "undefined (a division by 0)", "1"),
        (r"\sum_j \frac{e^{g_j}}{\sum_l g_l} = 1", F, "1", "undefined (a division by 0)"),
    ],
    "A37": [
        ("A*(G - s) = 0, G = 1, s = sum(G*A)", P, "", ""),
        ("A*(G + s) = 0, G = 1, s = sum(G*A)", F, "0", "2"),
        ("A*(G * s) = 0, G = 1, s = sum(G*A)", F, "0", "1"),
        ("A*(G / s) = 0, G = 1, s = sum(G*A)", F, "0", "1"),
    ],
    "C01": [("a_i(1-a_i)", R, "", "")],
    "C02": [(r"a_{i}(\delta_{i,j} - a_{j})", R, "", "")],
    "C03": [(r"a_i(\delta_{ij} - a_j)", R, "", "")],
    "C05": [(r"\sum_{j} a_j^2", R, "", "")],
    "C11": [(r"\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij}-a_j)", P, "", "")],
    "C12": [(r"\frac{QK^\top}{\sqrt{d_k}}", R, "", "")],
    "C13": [("diff(Sum(X[i],(i,1,N)),X[1]) = 1", P, "", ""), ("diff(Sum(X[i],(i,1,N)),X[1]) = N", F, "2", "1")],
    "C18": [(r"\sum_j \delta_{ij}A_jB_j = A_iB_i", P, "", "")],
    "C21": [
        ("a1*(1-a1) == a1*a2, a = softmax((x,y))", P, "", ""),
        ("a1*(1-a1) == a1*a2", F, "1/9", "2/9"),
    ],
}
HERE = {"C20", "C26"}
OUTSIDE = {
    "C15": "a product over an index has no normal form here",
    "C16": "a condition on values, [x_i > 0], is not read: only one between indices is",
}


@pytest.mark.parametrize("case", FORMULAS)
def test_each_formula_gets_its_recorded_verdict(case: str) -> None:
    for claim, answer, claimed, correct in FORMULAS[case]:
        verdict = confirm(claim)
        assert verdict.answer is answer, (claim, verdict)
        found = verdict.counterexample
        assert (found is not None) == (answer is F)
        if claimed and found is not None:
            assert (found.claimed, found.correct) == (claimed, correct), claim
        if answer is R:
            assert confirm(verdict.latex).latex == verdict.latex


def test_the_smallest_counterexamples_are_those_recorded() -> None:
    twice = confirm(FORMULAS["A26"][0][0]).counterexample
    assert twice is not None
    assert dict(twice.where)["z"] == "(0, 0)"
    assert (twice.claimed, twice.correct) in {("−1/2", "−1/4"), ("1/2", "1/4")}
    assert RECORDED["A26"]["answer"]["smallest_counterexample"]["z"] == ["0", "0"]
    other = confirm(FORMULAS["A15"][0][0])
    assert "holds-true-class" in {note.key for note in other.notes}
    wrong = confirm(FORMULAS["A14"][0][0])
    said = {note.key: dict(note.values) for note in wrong.notes}
    assert said["correct"]["formula"] == "−y_i/a_i"
    assert "true-by" in said


@pytest.mark.parametrize("case", OUTSIDE)
def test_what_lies_outside_says_so(case: str) -> None:
    texts = {"C15": r"\sum_i \prod_{j \ne i} x_j = 1", "C16": r"-\sum_i [x_i > 0] \delta_{ij} = -[x_j > 0]"}
    verdict = confirm(texts[case])
    assert verdict.answer is Answer.UNDECIDED
    assert verdict.notes[0].key == "outside"


def test_latex_of_indices_and_indexed_names() -> None:
    """Case C20: indices without ranges, names that compile, and own output read again."""
    i, j = Index("i"), Index("j")
    assert snippet(Entry("x", (Index("1"), i))) == "x_{1i}"
    assert snippet(Delta(i, j) * Entry("a", (i,))) == r"\delta_{ij} a_i"
    assert confirm(r"\delta_{ij} a_i").latex == r"\delta_{ij} a_i"


def test_a_sample_says_where_it_comes_from(capsys: pytest.CaptureFixture[str]) -> None:
    """Case C26: generator, seed, NumPy's version, size and standard error; and it is not called proved."""
    code, out, _ = run(capsys, "sample", "--width", "8", "--seed", "0", "--draws", "100", "--json")
    assert code == 0
    data = json.dumps(json.loads(out))
    for word in ("SFC64", "seed", "numpy", "standard_error"):
        assert word in data, word
    assert '"proved"' not in data


def test_every_case_is_judged_somewhere_and_at_most_ten_lie_outside() -> None:
    judged = FUNCTIONS | set(AVERAGES) | set(FORMULAS) | HERE
    assert set(RECORDED) == judged | set(OUTSIDE)
    assert not judged & set(OUTSIDE)
    assert len(OUTSIDE) <= 10
    assert len(RECORDED) == 76
