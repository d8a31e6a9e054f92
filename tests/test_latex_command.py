"""What `sqrtdk latex` writes: every form, letters and language; that a real LaTeX takes all of it; what it refuses."""

import json
import os
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from notes import formulas_text
from notes.words import LANGUAGES, words
from symbolic import second_moment, softmax
from symbolic.findings import NotShown
from symbolic.formulas import DEFINITIONS, FORMULAS
from symbolic.latex import document, worded
from symbolic.writing import Notation
from tests import command

IDS = [found.id for found in (*DEFINITIONS, *FORMULAS)]
LETTERS = list(product(("d_k", "d"), ("a", "alpha", "p"), ("e", "z", "s"), ("0", "1"), (False, True)))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return command.run(capsys, "latex", *arguments)


def test_all_formulas_are_listed_with_their_ids(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == IDS
    assert r"second-moment   \mathbb{E}[e^2] = d_k" in out


def test_one_formula_is_bare(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "second-moment") == (0, "\\mathbb{E}[e^2] = d_k\n", "")
    assert run(capsys, "softmax", "--score", "z", "--weight", "alpha", "--limits", "--base", "0", "--as", "align")[
        1
    ] == (
        "% softmax\n\\begin{align*}\n"
        "  \\alpha_{ij} &= \\frac{\\exp(z_{ij})}{\\sum_{l=0}^{T - 1} \\exp(z_{il})}\n\\end{align*}\n"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_steps_carry_their_reasons_in_words(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    say = words(language)
    code, out, _ = run(capsys, "jacobian", "--as", "steps", "--lang", language, "--score", "s", "--weight", "p")
    assert (code, out.count(r"\begin{align*}"), out.count(r"&& \text{")) == (0, 2, 10)
    assert rf"&= -p_j p_l && \text{{{say['steps']['fold into weights']}}}" in out
    assert r"$s_l$}" in out
    assert r"x_j = \exp(s_j)" in out
    assert run(capsys, "second-moment", "--as", "steps", "--lang", language)[1].count("&=") == 4
    assert run(capsys, "--as", "steps")[1].count("align*") == 6


def test_every_rule_of_a_derivation_has_its_words() -> None:
    found = softmax.derive()
    rules = {step.rule for case in (found.same, found.crossed, second_moment.derive()) for step in case}
    assert rules == set(words("en")["steps"])


def test_a_false_step_of_the_second_moment_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_moment, "one", second_moment.zero)
    with pytest.raises(NotShown, match="term-sign and pairing"):
        second_moment.derive()


@pytest.mark.parametrize("language", LANGUAGES)
def test_json_has_formulas_words_and_steps(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, "--as", "json", "--lang", language)[1])
    assert [row["id"] for row in rows] == IDS
    by_id = {row["id"]: row for row in rows}
    assert by_id["mean"]["sentence"] == words(language)["claims"]["mean"]
    assert (by_id["mean"]["latex"], by_id["mean"]["text"]) == ([r"\mathbb{E}[e] = 0"], "E[e] = 0")
    assert {row["id"]: len(row["derivations"]) for row in rows if row["derivations"]} == {
        "second-moment": 1,
        "jacobian": 2,
    }
    assert by_id["jacobian"]["derivations"][1]["steps"][-1]["latex"] == "-a_j a_l"
    assert [row["id"] for row in json.loads(run(capsys, "trace", "--as", "json")[1])] == ["trace"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_document_says_every_claim_in_words(language: str, capsys: pytest.CaptureFixture[str]) -> None:
    say = words(language)
    text = run(capsys, "--as", "document", "--lang", language)[1]
    assert all(worded(sentence) in text for sentence in say["claims"].values())
    assert text.startswith("\\documentclass")
    assert text.endswith("\\end{document}\n")


def test_a_file_is_written_and_nothing_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "trace.tex"
    assert run(capsys, "trace", "-o", str(file)) == (0, "", "")
    assert file.read_text("utf-8") == "\\sum_j a_{ij}(1 - a_{ij}) = 1 - \\sum_j a_{ij}^2\n"
    assert run(capsys, "nothing", "-o", str(file))[0] == 2
    assert file.read_text("utf-8").startswith("\\sum_j")
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing-like-it"], "no formula is called 'nothing-like-it'; sqrtdk latex lists all"),
        (["second-momentum"], "did you mean second-moment?"),
        ([""], "no formula is called ''"),
        (["--as", "word"], "--as must be one of snippet, align, steps, document, pdf, json (got 'word')"),
        (["trace", "--as", "steps"], "only second-moment and jacobian are derived in steps (got 'trace')"),
        (["nothing", "--as", "steps"], "no formula is called 'nothing'"),
        (["--width-symbol", "n"], "--width-symbol must be one of d_k, d (got 'n')"),
        (["--weight", "w"], "--weight must be one of a, alpha, p (got 'w')"),
        (["--score", "x"], "--score must be one of e, z, s (got 'x')"),
        (["--base", "2"], "--base must be one of 0, 1 (got '2')"),
        (["--base", "one"], "--base must be one of 0, 1 (got 'one')"),
        (["--lang", "fr"], "language must be one of en, es (got 'fr')"),
        (["-o", "/no/such/folder/file"], "cannot be written"),
        (["-o", "/"], "cannot be written"),
        (["trace", "ratio"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_options_are_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command.assert_refused(capsys, ["latex", *arguments], said)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("m out of d give 2m − d.", "$m$ out of $d_k$ give $2m - d_k$."),
        ("dividing by d_k^α, α = 1/2", r"dividing by $d_k^{\alpha}$, $\alpha = 1/2$"),
        ("A row, and a_c y e", "A row, and $a_c$ y e"),
        ("(the row i; x_j = exp(e_j)):", r"(the row $i$; $x_j = \exp(e_j)$):"),
        (
            "√E[e²] of e is 3, e igual e = m − (d − m), e²",
            r"$\sqrt{\mathbb{E}[e^2]}$ of $e$ is $3$, e igual $e = m - (d_k - m)$, $e^2$",
        ),
        ("the mean of e", "the mean of $e$"),
        (
            "(− − +) in {−1,1}^d, 2^(d−1) and a(1 − a)",
            r"$({-}\,{-}\,{+})$ in $\{-1{,}1\}^{d_k}$, $2^{d_k-1}$ and $a(1 - a)$",
        ),
        ("x = exp(puntuación) with --as", r"$x = \exp(\text{puntuación})$ with -{}-as"),
        ("every A has A rows. A row", "every $A$ has $A$ rows. A row"),
        ("dL/dE at 0,875 and 50 %", r"$dL/dE$ at $0{,}875$ and $50$ \%"),
    ],
)
def test_mathematics_in_words_is_set_as_mathematics(text: str, latex: str) -> None:
    assert worded(text) == latex


def test_mathematics_in_words_follows_the_letters() -> None:
    letters = Notation("d", "α", "s")
    assert worded("a_c of E[e²] at √d_k, d_k^α, dL/dE, t_s", letters) == (
        r"$\alpha_c$ of $\mathbb{E}[s^2]$ at $\sqrt{d}$, $d^{\gamma}$, $dL/dS$, $t_u$"
    )


def need_pdflatex() -> None:
    """Skip a test where there is no pdflatex; fail where there has to be one."""
    if shutil.which("pdflatex") is None:
        missing = "pdflatex is missing: install texlive-latex-base, texlive-latex-recommended and lmodern"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)


def _compiled(tmp_path: Path, text: str) -> str:
    need_pdflatex()
    (tmp_path / "all.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return (tmp_path / "all.log").read_text(encoding="latin-1")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("options", [[], ["--score", "s", "--weight", "alpha", "--width-symbol", "d", "--limits"]])
def test_a_real_latex_takes_the_document(
    options: list[str], language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = _compiled(tmp_path, run(capsys, "--as", "document", "--lang", language, *options)[1])
    assert not re.findall(r"Overfull.*|Missing.*|[Uu]ndefined.*|invalid in math mode", log)


@pytest.mark.parametrize("weight", ["a", "alpha", "p"])
def test_a_real_latex_takes_every_formula_in_every_notation(weight: str, tmp_path: Path) -> None:
    say = words("en")
    notations = [formulas_text.notation(*letters) for letters in LETTERS if letters[1] == weight]
    assert len(notations) == 24
    body = [
        text
        for letters in notations
        for text in (
            *(f"$${formulas_text.write(claim, 'snippet', letters, say)}$$" for claim in IDS),
            formulas_text.write(None, "align", letters, say),
            formulas_text.write(None, "steps", letters, say),
        )
    ]
    log = _compiled(tmp_path, document("\n\n".join(body)))
    assert "Missing character" not in log
