"""What is written: the lesson's formulas as text and as LaTeX, and that a real LaTeX takes every one of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from symbolic.expressions import Delta, Entry, Exp, Expression, Index, Log, Mean, Number, Partial, Root, Sum, Symbol
from symbolic.formulas import DEFINITIONS, FORMULAS, formula
from symbolic.latex import align, as_json, derivation, document, escaped, formula_snippet, snippet, worded
from symbolic.laws import BEYOND, PROVED
from symbolic.plain import plain, plain_formula, plain_statement
from symbolic.softmax import derive
from symbolic.statements import chain
from symbolic.writing import Notation
from tests.lesson import CLOSED_ROWS, SCORES_GROW

i, j, l = Index("i"), Index("j"), Index("l")
r, s = Index("r", "d"), Index("s", "d")
d, e = Symbol("d"), Symbol("e")

LESSON = [*SCORES_GROW, *CLOSED_ROWS]


def a(*at: Index) -> Entry:
    return Entry("a", at)


def g(*at: Index) -> Entry:
    return Entry("g", at)


def test_every_claim_of_the_lesson_has_its_formula_in_order() -> None:
    assert [found.id for found in FORMULAS] == LESSON
    with pytest.raises(KeyError, match="no claim is called"):
        formula("nothing")


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("match-count", "e = m − (d_k − m) = 2m − d_k"),
        ("square-split", "e² = Σ_r t_r² + Σ_{r≠s} t_r t_s = d_k + Σ_{r≠s} t_r t_s"),
        ("pairing", "E[t_r t_s] = 0  (r ≠ s)"),
        ("typical-size", "√E[e²] = √d_k"),
        ("unit-scale", "E[(e/√d_k)²] = 1"),
        ("two-properties", "E[t_r t_s] = 0 (r ≠ s), E[t_r²] = 1 ⇒ E[e²] = d_k"),
        ("only-the-root", "√E[(e/d_k^α)²] = d_k^(1/2−α)"),
        (
            "jacobian",
            "∂a_ij/∂e_ij = a_ij(1 − a_ij);  ∂a_ij/∂e_il = −a_ij a_il  (l ≠ j);  ∂a_ij/∂e_il = a_ij(δ_jl − a_il)",
        ),
        ("what-dies", "dL/dQ = (dL/dE) K/√d_k;  dL/dK = (dL/dE)ᵀ Q/√d_k"),
        ("cross-entropy", "∂(−log a_c)/∂e_j = a_j − [j = c]"),
        ("trace-range", "0 ≤ 1 − Σ_j a_ij² ≤ 1 − 1/T"),
        ("gradient", "(dL/dE)_ij = a_ij(G_ij − Σ_l a_il G_il)"),
        ("argmax", "e_ij ≤ e_il ⇔ a_ij ≤ a_il"),
    ],
)
def test_formulas_read_as_in_the_lesson(claim: str, text: str) -> None:
    assert plain_formula(formula(claim)) == text


@pytest.mark.parametrize(
    ("claim", "latex"),
    [
        ("square-split", r"e^2 = \sum_r t_r^2 + \sum_{r \ne s} t_r t_s = d_k + \sum_{r \ne s} t_r t_s"),
        ("second-moment", r"\mathbb{E}[e^2] = d_k"),
        ("only-the-root", r"\sqrt{\mathbb{E}\left[\left(\frac{e}{d_k^{\alpha}}\right)^2\right]} = d_k^{1/2 - \alpha}"),
        ("softmax", r"a_{ij} = \frac{\exp(e_{ij})}{\sum_l \exp(e_{il})}"),
        ("row-sums", r"\sum_l \frac{\partial a_{ij}}{\partial e_{il}} = 0"),
        ("gradient", r"\left(\frac{dL}{dE}\right)_{ij} = a_{ij}\left(G_{ij} - \sum_l a_{il} G_{il}\right)"),
    ],
)
def test_latex_is_written_as_a_person_writes_it(claim: str, latex: str) -> None:
    assert formula_snippet(formula(claim)) == latex


@pytest.mark.parametrize(
    ("expression", "latex", "text"),
    [
        (Entry("q", (r,)) * Entry("k", (r,)), "q_r k_r", "q_r k_r"),
        (Delta(i, j) * a(i), r"\delta_{ij} a_i", "δ_ij a_i"),
        (Delta(j, l, bracket=True), "[j = l]", "[j = l]"),
        (a(Index("12")), "a_{12}", "a_12"),
        (Entry("x", (Index("1"), i)), "x_{1i}", "x_1i"),
        (Entry("x", (Index("12"), i)), "x_{12, i}", "x_{12,i}"),
        (Sum(j, a(j)) ** 2, r"\left(\sum_j a_j\right)^2", "(Σ_j a_j)²"),
        (Sum(j, a(j)) * g(i), r"\left(\sum_j a_j\right) g_i", "(Σ_j a_j) g_i"),
        (g(i) * Sum(j, a(j)), r"g_i \sum_j a_j", "g_i Σ_j a_j"),
        (Sum(j, a(j) + g(j)), r"\sum_j (a_j + g_j)", "Σ_j (a_j + g_j)"),
        (Sum(j, a(j)) + g(i), r"\sum_j a_j + g_i", "Σ_j a_j + g_i"),
        (Sum(l, a(l), unlike=(j,)), r"\sum_{l \ne j} a_l", "Σ_{l≠j} a_l"),
        (g(i) - (a(i) - a(j)), "g_i - (a_i - a_j)", "g_i − (a_i − a_j)"),
        (-(a(i) * a(j)), "-a_i a_j", "−a_i a_j"),
        (g(i) * -a(i), "g_i(-a_i)", "g_i(−a_i)"),
        (a(i) / (a(j) * g(j)), r"\frac{a_i}{a_j g_j}", "a_i/(a_j g_j)"),
        ((a(i) / a(j)) ** 2, r"\left(\frac{a_i}{a_j}\right)^2", "(a_i/a_j)²"),
        (Number(Fraction(-1, 2)) * a(i), r"-\frac{1}{2} a_i", "−(1/2) a_i"),
        (2 * Number(Fraction(3)), r"2 \cdot 3", "2·3"),
        (Log(a(i)) * a(i), r"(\log a_i) a_i", "(log a_i) a_i"),
        (a(i) * Log(a(i)), r"a_i \log a_i", "a_i log a_i"),
        (Exp(a(i)) ** 2, r"(\exp(a_i))^2", "(exp(a_i))²"),
        (Root(d) ** 3, r"\sqrt{d_k}^3", "√d_k³"),
        (Mean(Log(e)), r"\mathbb{E}[\log e]", "E[log e]"),
        (Partial(-Log(a(i)), Entry("e", (j,))), r"\frac{\partial (-\log a_i)}{\partial e_j}", "∂(−log a_i)/∂e_j"),
    ],
)
def test_parentheses_are_where_they_must_be(expression: Expression, latex: str, text: str) -> None:
    assert snippet(expression) == latex
    assert plain(expression) == text


def test_letters_limits_and_the_first_index_are_a_matter_of_notation() -> None:
    paper = Notation(width="d", weight="p", score="z", base=0, limits=True)
    assert (
        formula_snippet(formula("softmax"), paper) == r"p_{ij} = \frac{\exp(z_{ij})}{\sum_{l=0}^{T - 1} \exp(z_{il})}"
    )
    assert formula_snippet(formula("typical-size"), paper) == r"\sqrt{\mathbb{E}[z^2]} = \sqrt{d}"
    assert snippet(a(Index("1")), paper) == "p_0"
    assert snippet(Sum(r, Entry("q", (r,))), Notation(limits=True)) == r"\sum_{r=1}^{d_k} q_r"
    assert snippet(formula("what-dies").statements[0].parts[0]) == r"\frac{dL}{dQ}"  # type: ignore[union-attr]


def test_no_letter_means_two_things() -> None:
    pairs = formula_snippet(formula("pairing"), Notation(score="s"))
    assert pairs == r"\mathbb{E}[t_r t_u] = 0 \qquad (r \ne u)"
    powers = formula_snippet(formula("only-the-root"), Notation(weight="α"))
    assert r"\alpha" not in powers
    with pytest.raises(ValueError, match="score must be one of e, z, s"):
        Notation(score="x")


def test_a_chain_of_equalities_is_aligned_step_by_step() -> None:
    assert align(formula("match-count").statements) == (
        "\\begin{align*}\n  e &= m - (d_k - m) \\\\\n  &= 2m - d_k\n\\end{align*}"
    )
    assert align(formula("trace-range").statements).count("\\\\") == 0


def test_the_derivation_is_written_with_its_reasons() -> None:
    steps = derive().crossed
    lines = derivation([(Partial(a(j), Entry("e", (l,))), ""), *((step.expression, step.rule) for step in steps)])
    assert lines.count("&=") == 5
    assert r"-a_j a_l && \text{fold into weights}" in lines


def test_json_carries_ids_latex_and_text() -> None:
    rows = json.loads(as_json(FORMULAS))
    assert [found["id"] for found in rows] == LESSON
    assert rows[3]["latex"] == [r"\mathbb{E}[t_r t_s] = 0 \qquad (r \ne s)"]
    assert rows[3]["text"] == "E[t_r t_s] = 0  (r ≠ s)"


def test_words_are_escaped() -> None:
    assert escaped("l ≠ j; 50 % of a_b & #1 {x} ~ ^ \\ $") == (
        r"l $\ne$ j; 50 \% of a\_b \& \#1 \{x\} \textasciitilde{} \textasciicircum{} \textbackslash{} \$"
    )


def test_a_chain_must_alternate() -> None:
    with pytest.raises(ValueError, match="alternates"):
        chain(e, "=", "=", d)
    with pytest.raises(ValueError, match="alternates"):
        chain(e, "=")


def _everything() -> str:
    notations = [
        Notation(),
        Notation("d", "α", "z", 0, limits=True),
        Notation("d_k", "p", "s", 1, limits=True),
    ]
    found = derive()
    tail = [
        derivation([(Partial(a(j), Entry("e", (by,))), ""), *((step.expression, step.rule) for step in case)])
        for by, case in ((j, found.same), (l, found.crossed))
    ]
    tail += [align(prove().statements) for _, prove in (*PROVED, *BEYOND)]
    tail += [align(shown.statements, notation) for notation in notations[1:] for shown in FORMULAS]
    body = [align(shown.statements) for shown in (*DEFINITIONS, *FORMULAS)] + tail
    return document("\n".join(body), title=worded("Fórmulas: 100 % of √d_k, Σ a² ≤ 1"))


def test_a_real_latex_takes_every_formula(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("pdflatex is missing: install texlive-latex-base, texlive-latex-recommended and lmodern")
        pytest.skip("pdflatex is missing: install texlive-latex-base, texlive-latex-recommended and lmodern")
    (tmp_path / "all.tex").write_text(_everything(), encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "all.pdf").stat().st_size > 10_000
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert not re.findall(r"Overfull \\hbox.*|Missing character.*", log)


def test_every_proved_statement_can_be_written_as_text() -> None:
    texts = [plain_statement(statement) for _, prove in (*PROVED, *BEYOND) for statement in prove().statements]
    assert "Σ_j Σ_l (∂a_j/∂e_l)² = Σ_j a_j² − 2Σ_j a_j³ + (Σ_j a_j²)²" in texts
    assert all(text.count("(") == text.count(")") for text in texts)
