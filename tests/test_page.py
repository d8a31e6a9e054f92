"""The lesson page as text: its words, formulas, tables and data are those of the derivation, in both languages."""

import json
import re
import webbrowser
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]

from exact.rationals import BadInput
from notes.coq.statements import STATEMENTS
from notes.derivation import CLAIMS
from notes.letters import SYMBOLS, symbol
from notes.page import bilingual, build
from notes.page.mathml import display, mathml, phrase
from notes.questions import QUESTIONS
from notes.teaching import CHALLENGE, FIGURE, SECTIONS, STEPS
from notes.words import LANGUAGES, lesson_words
from symbolic.formulas import DEFINITIONS, FORMULAS, formula
from symbolic.latex import formula_snippet
from symbolic.plain import plain_formula
from tests.browser import built as page
from tests.command import assert_refused, run

DATA = Path(__file__).parent / "data"
VOID = {"meta", "link", "input", "br"}


class Tree(HTMLParser):
    """Reads HTML into nested lists [tag, attributes, children], and refuses what is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[list[Any]] = [["", {}, []]]
        self.feed(text)
        self.close()
        assert len(self.open) == 1, f"{self.open[-1][0]} is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = [tag, {k: v or "" for k, v in attrs}, []]
        self.open[-1][2].append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open[-1][2].append([tag, dict(attrs), []])

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag, f"{tag} is closed out of order"

    def handle_data(self, data: str) -> None:
        self.open[-1][2].append(data)


@cache
def nodes() -> list[list[Any]]:
    """Return all elements of the page, in order."""
    found, left = [], [Tree(page()).open[0]]
    while left:
        node = left.pop()
        found.append(node)
        left.extend(child for child in reversed(node[2]) if isinstance(child, list))
    return found


def content(node: list[Any], language: str = "") -> str:
    """Return the text of an element, in one language or both."""
    return "".join(
        child if isinstance(child, str) else content(child, language)
        for child in node[2]
        if isinstance(child, str) or not language or child[1].get("lang", language) == language
    )


def with_attribute(name: str) -> list[list[Any]]:
    return [node for node in nodes() if name in node[1]]


# ---- words ----------------------------------------------------------------------------------------------------------


def test_every_sentence_stands_in_both_languages() -> None:
    for node in nodes():
        if node[0] == "":
            continue  # the root: <html lang> is the language it opens in
        spoken = Counter(child[1]["lang"] for child in node[2] if isinstance(child, list) and "lang" in child[1])
        assert spoken["en"] == spoken["es"], content(node)[:200]
    assert sum(node[1].get("lang") == "es" for node in nodes()) > 400


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_whole_lesson_is_on_the_page(language: str) -> None:
    say = lesson_words(language)
    text = page().replace("&nbsp;", " ")
    for section in SECTIONS:
        for sentence in (*say["lesson"][section.id]["opening"], *say["lesson"][section.id]["closing"]):
            assert phrase(sentence) in text
    for claim in CLAIMS:
        assert phrase(say["explained"][claim.id]) in text
    for asked in QUESTIONS:
        words = say["questions"][asked.id]
        sentences = [words["ask"], words["hint"], words["why"], *words.get("mistakes", {}).values()]
        for sentence in (*sentences, *words.get("options", {}).values(), *words.get("reasons", {}).values()):
            assert phrase(sentence) in text
    assert all(phrase(say["proof"][step.id]["title"]) in text for step in STEPS)
    assert all(phrase(say["challenge"]["rules"][rule]) in text for rule in CHALLENGE.rules)
    assert not re.search(
        r"[^\\$]\{\w+\}", re.sub(r"<(script|style|pre|code).*?</\1>|data-latex=\"[^\"]*\"", "", text, flags=re.S)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_letter_is_said_and_why_counting_is_a_proof(language: str) -> None:
    say = lesson_words(language)
    assert set(say["notation"]) - {"title"} == {key for key, _ in SYMBOLS}
    for key, shown in SYMBOLS:
        assert f"<dt>{mathml(symbol(shown))}</dt>" in page()
        assert phrase(say["notation"][key]) in page()
    for why in say["why"].values():
        assert phrase(" ".join(why.split())) in page()
    assert all(phrase(said) in page() for said in say["arguments"].values())


def test_a_word_that_is_missing_in_one_language_stops_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    spanish = dict(lesson_words("es"))
    spanish["page"] = {key: value for key, value in spanish["page"].items() if key != "hint"}
    monkeypatch.setattr(bilingual, "book", lambda language: spanish if language == "es" else lesson_words(language))
    with pytest.raises(KeyError, match="hint"):
        bilingual.both("page.hint")


def test_what_the_script_says_is_on_the_page_in_both_languages() -> None:
    script = "".join(
        x.read_text("utf-8") for x in files("notes.page").joinpath("script").iterdir() if x.name.endswith(".js")
    )
    said = set(re.findall(r'(?:say|tell)\((?:"[\w-]+", )?"(\w+)"', script)) | set(
        re.findall(r'data-(?:text|label)="(\w+)"', page())
    )
    assert len(said) > 15
    for language in LANGUAGES:
        assert said <= data()["words"][language].keys()


def data() -> dict[str, Any]:
    (found,) = (node for node in nodes() if node[1].get("id") == "data")
    loaded: dict[str, Any] = json.loads(content(found))
    return loaded


# ---- formulas -------------------------------------------------------------------------------------------------------


def symbols(text: str) -> str:
    """Return the letters, numbers and relations of a formula, sorted: what its layout does not change."""
    same = str.maketrans("𝔼⟹⟺∑²⊤ᵀ₁₂−·⋅", "E⇒⇔Σ2TT12-**")
    return "".join(sorted(c for c in text.translate(same) if c.isalnum() or c in "=≠≤∂⇒⇔-*σαδ→"))


def test_every_formula_is_the_one_of_the_derivation() -> None:
    shown: dict[str, list[Any]] = {}
    for node in with_attribute("data-formula"):
        shown.setdefault(node[1]["data-formula"], node)
    assert {claim.id for claim in CLAIMS} <= shown.keys()
    for id_, node in shown.items():
        (button,) = (child for child in node[2] if child[0] == "button")
        assert button[1]["data-latex"] == formula_snippet(formula(id_))
        (math,) = (child for child in node[2][0][2] if isinstance(child, list))
        assert symbols(content(math)) == symbols(plain_formula(formula(id_))), id_


def test_a_formula_that_is_another_one_is_noticed() -> None:
    assert symbols("E[e²] = d_k") == symbols("𝔼[e2]=dk")
    for wrong in ("E[e²] = d_k²", "E[e] = d_k", "E[e²] ≤ d_k"):
        assert symbols(wrong) != symbols("𝔼[e2]=dk")


def test_each_claim_says_how_it_was_established_and_what_coq_accepts() -> None:
    text = page()
    for claim in CLAIMS:
        start = text.index(f'<article class="claim" id="{claim.id}"')
        article = text[start : text.index("</article>", start)]
        assert article.count("<li>") >= 1
        assert "<b lang" in article
        for s in STATEMENTS:
            if s.id == claim.id:
                assert s.statement.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in article


@pytest.mark.parametrize("found", [*DEFINITIONS, *FORMULAS], ids=lambda found: found.id)
def test_the_font_has_every_character_of_the_formulas(found: Any) -> None:
    font = TTFont(BytesIO(files("notes.page").joinpath("fonts/math.woff2").read_bytes()))
    italic = {
        **{chr(97 + n): 0x1D44E + n for n in range(26)},
        **{chr(65 + n): 0x1D434 + n for n in range(26)},
        "h": 0x210E,
    }
    for name in re.findall(r"<m[ino][^>]*>([^<]+)<", display(found)):
        for c in name.replace("&lt;", "<").replace("&gt;", ">"):
            assert (italic.get(c, ord(c)) if len(name) == 1 else ord(c)) in font.getBestCmap(), c


def test_mathml_keeps_limits_below_and_signs_apart() -> None:
    assert "<munder>" in mathml(r"\lim_{a \to 1} J = 0")
    assert '<mo form="prefix">−</mo>' in mathml("x = -1")
    assert "<mo>⟹</mo>" in mathml(r"x \implies y")
    assert phrase("Words & <b> stay words.") == "Words &amp; &lt;b&gt; stay words."


# ---- figures and tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["score-size", "softmax-row"])
@pytest.mark.parametrize(("language", "mark"), [("en", "."), ("es", ",")])
def test_the_tables_are_the_golden_ones(name: str, language: str, mark: str) -> None:
    source, _, *rows = (DATA / f"{name}.csv").read_text("utf-8").splitlines()
    (panel,) = (node for node in with_attribute("data-table") if node[1]["data-table"] == name)
    assert source.removeprefix("# ") in content(panel)
    (body,) = (node for node in panel[2][1][2] if node[0] == "table")
    cells = [
        [content(cell, language) for cell in row[2]]
        for part in body[2]
        if part[0] == "tbody"
        for row in part[2]
        if isinstance(row, list)
    ]
    golden = [row.replace("sqrt", "dk").replace("-", "−").split(",") for row in rows]
    assert cells == [[x.replace(".", mark) for x in row] for row in golden]


def test_the_script_has_the_figure_and_the_answers() -> None:
    found = data()
    assert found["figure"] == {"z": [float(x) for x in FIGURE.scores], "widths": list(FIGURE.widths)}
    assert found["steps"] == len(STEPS)
    assert found["questions"]["typical-size"] | {"mistakes": None} == {
        "kind": "number",
        "answer": 16,
        "tolerance": 0.5,
        "mistakes": None,
    }
    for asked in QUESTIONS[1:]:
        assert set(found["questions"][asked.id]["right"]) == asked.right  # type: ignore[union-attr]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_challenge_names_the_command_that_grades_it(language: str) -> None:
    name = CHALLENGE.names[language == "en"]
    (command,) = (n for n in nodes() if n[1].get("class") == "command" and n[1].get("lang") == language)
    assert content(command) == CHALLENGE.command.format(name=name)


def test_that_command_grades(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in CHALLENGE.names:
        for factor, expected in (("A", 0), ("1", 1)):
            body = f"    return {factor} * (G - (A * G).sum(axis=1, keepdims=True))\n"
            (tmp_path / "solution.py").write_text(f"def {name}(A, G):\n{body}", "utf-8")
            command = CHALLENGE.command.format(name=name).split()[1:]
            assert run(capsys, *command)[0] == expected


# ---- the file -------------------------------------------------------------------------------------------------------


def test_the_page_needs_nothing_and_is_small() -> None:
    text = page()
    assert len(text.encode()) < 300_000
    outside = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    assert not re.search(r"(?:src|href)=\"(?!#|data:)", outside)
    assert not re.search(r"url\((?!data:)|@import|fetch\(|XMLHttpRequest|import\(", outside)
    assert "GUST Font License" in text
    ids = [node[1]["id"] for node in with_attribute("id")]
    assert len(ids) == len(set(ids))
    for node in with_attribute("href"):
        assert not node[1]["href"].startswith("#") or node[1]["href"][1:] in ids


def test_the_command_writes_the_page_and_opens_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def show(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr(webbrowser, "open", show)
    monkeypatch.setattr("notes.page.build", page)
    target = tmp_path / "lección 1.html"
    code, out, err = run(capsys, "lesson", "-o", str(target), "--lang", "es", "--open")
    assert (code, err) == (0, "")
    assert "se abre desde el disco" in out
    assert target.read_text("utf-8") == page("es")
    assert opened == [target.as_uri()]
    code, out, err = run(capsys, "lesson", "-o", str(target), "--open")
    assert (code, err.count("\n")) == (3, 1)
    assert "no browser was found" in err
    assert '<html lang="en"' in target.read_text("utf-8")


def test_bad_input_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, ["lesson", "-o", str(tmp_path)], "is not a regular file")
    assert_refused(capsys, ["lesson", "-o", str(tmp_path / "none" / "x.html")], "a folder that exists")
    assert_refused(capsys, ["lesson", "-o", str(tmp_path / "x.html"), "--lang", "fr"], "one of en, es (got 'fr')")
    assert_refused(capsys, ["lesson", "-o"], "try sqrtdk --help")
    assert not list(tmp_path.iterdir())


def test_no_page_is_written_where_a_claim_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("notes.page.cards.find", lambda _: SimpleNamespace(holds=False))
    with pytest.raises(BadInput, match="no page is written"):
        build("en")
