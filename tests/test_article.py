"""The article: all of the derivation is in it, in both languages; its PDF; and what is refused."""

import re
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from exact.evidence import Rung
from exact.rationals import BadInput
from notes import cli_article, document_evidence, drawings, pdf, teaching
from notes.assistant import Reason
from notes.coq.pins import by_claim
from notes.coq.statements import STATEMENTS
from notes.document import article
from notes.document_evidence import Findings, coq_definitions, evidence, find, how_established
from notes.letters import SYMBOLS, symbol
from notes.machine import Checked, Outcome
from notes.questions import QUESTIONS, Number
from notes.report import Finding
from notes.words import LANGUAGES, lesson_words
from symbolic.formulas import DEFINITIONS, FORMULAS
from symbolic.latex import align, worded
from symbolic.writing import Notation
from tests import command
from tests.lesson import CLOSED_ROWS, SCORES_GROW
from tests.test_latex_command import need_pdflatex

DATA = Path(__file__).parent / "data"
LESSON = [*SCORES_GROW, *CLOSED_ROWS]
MAIN = {claim: statements[0] for claim, statements in by_claim(STATEMENTS).items()}


@cache
def found() -> Findings:
    return find(None)


@cache
def written(language: str) -> str:
    return article(None, Notation(), lesson_words(language), found())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_claim_stands_in_order_with_formula_words_evidence_and_coq(language: str) -> None:
    text, words = written(language), lesson_words(language)
    assert re.findall(r"\\claim\{(.*?)\}", text) == LESSON
    parts = dict(zip(LESSON, text.split(r"\claim{")[1:], strict=True))
    for shown in FORMULAS:
        part = parts[shown.id]
        assert align(shown.statements) in part
        assert worded(words["claims"][shown.id]) in part
        assert worded(words["explained"][shown.id]) in part
        assert all(rf"\textbf{{{words['rungs'][rung].capitalize()}}}" in part for rung in ("counted", "proved"))
        statement = MAIN[shown.id].statement
        assert statement.split() == part.split(r"\begin{coq}")[1].split(r"\end{coq}")[0].split()
    assert align([statement for shown in DEFINITIONS for statement in shown.statements]) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_run_is_not_called_machine_checked(language: str) -> None:
    rung = lesson_words(language)["rungs"]["machine-checked"].capitalize()
    assert rf"\textbf{{{rung}}}" not in written(language)


@pytest.mark.parametrize("letters", [Notation(), Notation("d", "α", "s")], ids=["usual", "chosen"])
def test_every_letter_is_said_in_the_letters_that_were_chosen(letters: Notation) -> None:
    text, say = article(None, letters, lesson_words("es"), found()), lesson_words("es")["notation"]
    for key, shown in SYMBOLS:
        assert rf"${symbol(shown, letters)}$ & {worded(say[key], letters)} \\" in text
    assert text.index(worded(say["title"])) < text.index(r"\claim{")


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_stand_before_their_answers(language: str) -> None:
    words = lesson_words(language)
    asked, answers = written(language).split(worded(words["document"]["answers"]) + "}")
    for question in QUESTIONS:
        say = words["questions"][question.id]
        assert worded(say["ask"]) in asked
        assert worded(say["why"]) in answers
        assert worded(say["why"]) not in asked
        if isinstance(question, Number):
            assert "$16 \\pm 1/2$" in answers
            for key, wrong in question.mistakes:
                assert rf"\item[${wrong}$:] {worded(say['mistakes'][key])}" in answers
        else:
            for key, _ in question.options:
                assert worded(say["options"][key]) in asked
                assert worded(say["reasons"][key]) in answers
    right = re.findall(r"\\item \\textbf\{([a-f, ]+)\.\}", answers)
    assert right == ["c", "a, c, d, f", "b", "b"]


def test_the_tables_are_the_lessons() -> None:
    rows = {tuple(re.findall(r"-?[0-9]+(?:\.[0-9]+)?", row)) for row in written("en").splitlines()}
    for name in ("score-size", "softmax-row"):
        for line in (DATA / f"{name}.csv").read_text("utf-8").splitlines()[2:]:
            assert tuple(x for x in line.split(",") if x != "sqrt") in rows
    assert r"$-0{,}012$" in written("es")


def test_all_keys_stand_in_the_pairing_table_with_opposite_products() -> None:
    rows = re.findall(
        r"^\$\((.*?)\)\$ & \$\((.*?)\)\$ & \$(.*?)\$ & \$(.*?)\$ & \$(.*?)\$", written("en"), re.MULTILINE
    )
    assert len({row[0] for row in rows}) == 8
    for key, partner, here, there, total in rows:
        assert [a == b for a, b in zip(key.split(r"\,"), partner.split(r"\,"), strict=True)] == [False, True, True]
        assert {here, there} == {"1", "-1"}
        assert total == "0"


def test_the_bars_are_the_weights() -> None:
    groups = teaching.groups(teaching.FIGURE.scores, teaching.FIGURE.widths)
    drawn = [float(x) for x in re.findall(r"\\color\{(?:winner|other)\}\\rule\{[^}]*\}\{(.*?)mm\}", written("en"))]
    assert drawn == pytest.approx([drawings.TALL * a for group in groups for a in group.weights], abs=6e-4)
    above = re.findall(r"\\footnotesize \$(\d\.\d{3})\$", written("en"))
    assert above == [f"{max(group.weights):.3f}" for group in groups]


@pytest.mark.parametrize("r", [0, 1, 2])
def test_the_thick_edges_of_the_cube_join_partners(r: int) -> None:
    text = drawings.cube((1, -1, 1), r, (r + 1) % 3)
    edges = re.findall(r"\\put\((.*?),(.*?)\)\{(.*?)\\line\((\d),(\d)\)\{(\d+)\}\}", text)
    assert len(edges) == 12
    values = {(x, y): sign for x, y, sign in re.findall(r"\\put\((.*?),(.*?)\)\{\\makebox.*\$([+-])1\$", text)}
    assert sorted(values.values()) == ["+"] * 4 + ["-"] * 4
    thick = [edge for edge in edges if "pair" in edge[2]]
    assert len(thick) == 4
    for x, y, _, dx, dy, length in thick:
        end = str(int(x) + int(dx) * int(length)), str(int(y) + int(dy) * int(length))
        assert {values[x, y], values[end]} == {"+", "-"}


def test_letters_are_those_that_were_chosen() -> None:
    letters = Notation("d", "α", "s", limits=True)
    text = article(None, letters, lesson_words("en"), found())
    assert all(align(shown.statements, letters) in text for shown in FORMULAS)
    assert "d_k" not in text.split(r"\begin{document}")[1]


def test_a_document_on_one_formula_has_that_one_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = command.run(capsys, "latex", "trace", "--as", "document")
    assert (code, re.findall(r"\\claim\{(.*?)\}", out)) == (0, ["trace"])
    assert "Definition trace" in out
    assert "Definition Zcube" not in out
    code, out, _ = command.run(capsys, "latex", "score", "--as", "document")
    assert (code, out.count("Coq")) == (0, 0)


def test_what_fails_is_said_and_not_hidden(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = lesson_words("en")
    false = replace(found().results["mean"], findings=(Finding(Rung.COUNTED, 0.0, failure="Σ e = 2"),))
    broken = Findings(found().run, {**found().results, "mean": false})
    assert not broken.holds
    assert any(r"FALSE: $\sum e = 2$" in " ".join(line.split()) for line in evidence("mean", broken, words, Notation()))
    monkeypatch.setattr(cli_article, "_article", lambda *_: ("text", False))
    assert command.run(capsys, "latex", "--as", "document")[:2] == (1, "text\n")


@pytest.mark.parametrize("axioms", [(), ("a", "b", "c")])
def test_a_machine_check_that_was_run_is_named_with_its_axioms(axioms: tuple[str, ...]) -> None:
    checked = Checked("mean", by_claim(STATEMENTS)["mean"], (), axioms)
    run = Findings(found().run, found().results, Outcome("Coq 8.16.1", (checked,)))
    said = " ".join(evidence("mean", run, lesson_words("en"), Notation()))
    ending = "no axioms but 3 of Coq's real numbers" if axioms else "no axioms"
    assert rf"\textbf{{Machine-checked}} by Coq 8.16.1: 2 theorems, {ending}." in said


def test_a_refused_statement_is_marked_and_the_article_does_not_hold() -> None:
    checked = Checked("mean", by_claim(STATEMENTS)["mean"], (), failure=Reason("no_answer", {"claim": "mean"}))
    run = Findings(found().run, found().results, Outcome("Coq 8.16.1", (checked,)))
    said = " ".join(evidence("mean", run, lesson_words("en"), Notation()))
    assert r"\textbf{Machine-checked}: NOT CHECKED: nothing was answered" in said
    assert not run.holds
    assert "Coq 8.16.1 refused some" in how_established(run, lesson_words("en"), Notation())


def test_every_word_that_the_project_gives_a_statement_is_defined() -> None:
    text = "\n".join(coq_definitions(LESSON))
    for word in ("Zcube", "Zscore", "ZSum", "softmax", "J", "E_", "is_gradient", "power", "Numbers"):
        assert re.search(rf"^(Definition|Fixpoint|Record) {word}\b", text, re.MULTILINE)
    assert all(len(line) <= document_evidence.COLUMNS for line in text.splitlines())


# ---- the PDF --------------------------------------------------------------------------------------------------------


def test_the_pdf_is_made_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_pdflatex()
    file = tmp_path / "derivación.PDF"
    assert command.run(capsys, "latex", "--as", "pdf", "--lang", "es", "-o", str(file)) == (0, "", "")
    assert file.read_bytes().startswith(b"%PDF-")
    assert list(tmp_path.iterdir()) == [file]


def test_the_same_text_is_the_same_pdf() -> None:
    need_pdflatex()
    text = article("trace", Notation(), lesson_words("en"), found())
    assert pdf.make_pdf(text) == pdf.make_pdf(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"\documentclass{article}\begin{document}\nosuch\end{document}", "Undefined control sequence"),
        (
            "\\documentclass{article}\n\\usepackage{no-such-package}\\begin{document}",
            "does not find no-such-package.sty; to have it: apt",
        ),
        (r"\documentclass{article}\begin{document}", "pdflatex made no PDF"),
        (r"\documentclass{article}\begin{document}\input{|echo hello}\end{document}", "echo hello"),
    ],
)
def test_what_pdflatex_stops_at_is_one_line(text: str, said: str) -> None:
    need_pdflatex()
    with pytest.raises(BadInput, match=re.escape(said)) as error:
        pdf.make_pdf(text)
    assert "\n" not in str(error.value)


def test_pdflatex_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    need_pdflatex()
    monkeypatch.setattr(pdf, "SECONDS", 0.3)
    with pytest.raises(BadInput, match="gave no answer in"):
        pdf.make_pdf(r"\documentclass{article}\begin{document}\def\x{\x}\x\end{document}")


def test_without_pdflatex_the_latex_is_written_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    code, out, err = command.run(capsys, "latex", "trace", "--as", "pdf", "-o", str(tmp_path / "x.pdf"))
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "x.tex was written; to have it: apt-get install" in err
    assert [path.name for path in tmp_path.iterdir()] == ["x.tex"]
    assert (tmp_path / "x.tex").read_text("utf-8").endswith("\\end{document}\n")
    again = ["latex", "trace", "--as", "pdf", "-o", str(tmp_path / "x.pdf")]
    command.assert_refused(capsys, again, "x.tex exists already")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--as", "pdf"], "--as pdf needs the name of a file that ends in .pdf"),
        (["--as", "pdf", "-o", "derivation.tex"], "--as pdf needs the name of a file that ends in .pdf"),
        (["--as", "document", "-o", "derivation.pdf"], "--as document writes LaTeX"),
        (["--as", "pdf", "-o", "/no/such/folder/x.pdf"], "cannot be written"),
        (["--as", "document", "-o", "/"], "cannot be written"),
        (["traces", "--as", "document"], "did you mean trace?"),
        (["--as", "document", "--lang", "fr"], "language must be one of en, es"),
        (["--as", "pdf", "--width-symbol", "n"], "--width-symbol must be one of"),
        (["--machine"], "--machine goes with --as document or --as pdf"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_options_are_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    command.assert_refused(capsys, ["latex", *arguments], said)
