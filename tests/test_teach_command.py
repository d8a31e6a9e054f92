"""The stepper: recited through the real command, and driven with scripted answers."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notes import steps, teaching
from notes.derivation import NOTATION
from notes.letters import OF_ANY_QUERY, formula_for
from notes.questions import QUESTIONS
from notes.scenes import Scene, proof_scenes, question_scenes
from notes.words import LANGUAGES, lesson_words
from symbolic.formulas import formula
from symbolic.latex import formula_snippet
from symbolic.plain import plain_formula
from tests.command import assert_refused, run

ROOT = Path(__file__).parents[1]
ENGLISH = lesson_words("en")
ESCAPE = "\033["


# ---- recited --------------------------------------------------------------------------------------------------------


def flat(text: str) -> str:
    """Undo line breaks and indents."""
    return " ".join(text.split())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--width", "1"],
        ["--width", "2", "--pair", "2,1"],
        ["--width", "6", "--pair", "2,5"],
        ["--query", "99/98,-97/96,3,1,1,-1", "--latex"],
        ["--questions", "--latex"],
    ],
)
def test_it_is_recited_whole_where_nobody_answers(
    arguments: list[str], language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "teach", *arguments, "--lang", language)
    assert (code, err) == (0, "")
    assert ("\\mathbb{E}" in out) == ("--latex" in arguments)
    assert max(map(len, out.splitlines())) <= 80
    assert ESCAPE not in out
    assert not [line for line in out.splitlines() if line != line.rstrip()]
    assert not re.search(r"(?<![_^\w])\{(?!−1)[a-z_]+\}", out)
    say = lesson_words(language)
    if "--questions" in arguments:
        assert all(say["questions"][asked.id]["hint"] not in flat(out) for asked in QUESTIONS)
        named = {claim for asked in QUESTIONS for claim in asked.claims}
    else:
        known = teaching.steps(1 if "1" in arguments else 3)
        query = [Fraction(x) for x in arguments[1].split(",")] if "--query" in arguments else []
        assert all(say["proof"][step.id]["title"] in out for step in known)
        named = {name for step in known for name in step.formulas}
    for name in named:
        shown = formula(name) if "--questions" in arguments else formula_for(name, query)
        assert flat(plain_formula(shown, NOTATION)) in flat(out)
        if "--latex" in arguments:
            assert flat(formula_snippet(shown, NOTATION)) in flat(out)


def test_a_query_that_is_not_of_signs_has_formulas_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "teach", "--query", "3,-1,1/2", "--no-pause")
    for shown in ("t_r² = q_r²\n", "E[e²] = |q|²\n", "√E[e²] = |q|\n", "= |q|² + Σ_{r≠s} t_r t_s\n"):
        assert shown in out
    assert "t_r² = 1\n" not in out
    assert "= d" not in out


def test_the_formulas_of_any_query_hold_at_every_key() -> None:
    query = (Fraction(3), Fraction(-1), Fraction(1, 2))
    keys = list(product((1, -1), repeat=3))
    norm = sum(x * x for x in query)
    assert sum(sum(x * y for x, y in zip(query, key, strict=True)) ** 2 for key in keys) == len(keys) * norm
    assert {plain_formula(formula_for(name, (1, -1)), NOTATION) for name in OF_ANY_QUERY} == {
        plain_formula(formula(name), NOTATION) for name in OF_ANY_QUERY
    }


def test_the_table_shows_every_key_with_its_partner_and_sum_zero(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "teach", "--query", "1,-1,2,1,1,3", "--pair", "3,6")
    rows = re.findall(r"^  \(([+− ]+)\)  \(([+− ]+)\) +(−?\d+) +(−?\d+) +(−?\d+)$", out, re.MULTILINE)
    assert len(rows) == 128  # of the product, and of the single term
    for at, (key, partner, *values) in enumerate(rows):
        k, p = ([-1 if sign == "−" else 1 for sign in text.split()] for text in (key, partner))
        here, there, total = (int(value.replace("−", "-")) for value in values)
        assert [u for u in range(6) if k[u] != p[u]] == [2]
        assert (here, there, total) == ((6 * k[2] * k[5], 6 * p[2] * p[5], 0) if at < 64 else (2 * k[2], 2 * p[2], 0))
    assert len({key for key, *_ in rows[:64]}) == 64


def test_every_condition_fails_somewhere(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "teach")
    say = ENGLISH["proof"]["conditions"]
    for condition in teaching.CONDITIONS:
        assert f"The condition that fails: {say[condition]}" in out
    assert say["holds"] in flat(out)
    assert "Σ t_2 t_1 = 0" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--width", "7"], "--width: width must be at most 6 (got 7)"),
        (["--width", "0"], "--width: width must be at least 1"),
        (["--width", "x"], "is not a number"),
        (["--query", ""], "the query is empty"),
        (["--query", "1,0"], "entry 2 of the query must not be 0"),
        (["--query", "1,12345"], "entry 2 of the query must be short"),
        (["--query", "1,1,1,1,1,1,1"], "at most 6 entries"),
        (["--query", "1,2", "--width", "3"], "the query has 2 entries, but the width is 3"),
        (["--pair", "1"], "--pair takes two coordinates with a comma"),
        (["--pair", "1,2,3"], "--pair takes two coordinates with a comma"),
        (["--pair", "1,x"], "--pair: 'x' is not a number"),
        (["--pair", "1,4"], "--pair: a coordinate must be at most 3 (got 4)"),
        (["--pair", "0,1"], "--pair: a coordinate must be at least 1 (got 0)"),
        (["--pair", "2,2"], "--pair: the two coordinates must differ (got 2 twice)"),
        (["--width", "1", "--pair", "1,1"], "a query of one entry has no pair"),
        (["--questions", "--width", "3"], "--questions has nothing to do with --width"),
        (["--lang", "fr"], "language must be one of en, es"),
        (["extra"], "extra"),
    ],
)
def test_bad_input_is_refused(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, ["teach", *arguments], said)


# ---- scripted -------------------------------------------------------------------------------------------------------


def walked(
    scenes: tuple[Scene, ...], answers: list[str], size: tuple[int, int] = (80, 24), colour: bool = False
) -> str:
    """Return what is written, each answer on a line of its own after its prompt."""
    written: list[str] = []
    script = iter(answers)

    def read(prompt: str) -> str:
        answer = next(script, None)
        if answer is None:
            raise EOFError
        written.append(prompt + answer)
        return answer

    steps.walk(scenes, steps.Terminal(written.append, read, lambda: size, colour), ENGLISH)
    return "\n".join(written)


PROOF = proof_scenes((1, -1, 1), 0, 2, ENGLISH)
RIGHT = ["8", "− − +", "-1", "4", "0", "6", "3", "3", "0"]


def test_right_answers_lead_to_the_end() -> None:
    text = walked(PROOF, [line for answer in RIGHT for line in (answer, "")] + ["1", "k1", ""])
    assert text.count("\nRight.") == 9
    assert "Not that" not in text
    assert text.index("Step 10 of 10") < text.index("make k_1 equal to q_1:") < text.index("That is the end.")
    assert text.endswith("Goodbye.")


def test_nothing_is_shown_before_it_is_predicted() -> None:
    for at, scene in enumerate(PROOF[:-1]):
        before = walked(PROOF, [f"j {at + 1}", "h", "q"])
        after = walked(PROOF, [f"j {at + 1}", "", "q"])
        for block in scene.after:
            if isinstance(block, str):
                assert flat(block) not in flat(before)
                assert flat(block) in flat(after)
        assert flat(scene.hint) in flat(before)
        for found in scene.formulas:
            assert f"  {found.id}:" not in before.split(scene.title)[-1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sum_of_squares_is_not_told_before_it_is_asked(language: str) -> None:
    scenes = [scene for scene in proof_scenes((7, -11, 13), 0, 2, lesson_words(language)) if scene.answer == "339"]
    assert len(scenes) == 2
    for scene in scenes:
        assert "339" not in " ".join((*scene.before, *scene.ask, scene.hint))


@pytest.mark.parametrize(
    ("step", "answer", "said"),
    [
        (1, "6", "Not that: 6. That would be two for each sign, added."),
        (1, "9", "not 3 by itself"),
        (1, "7", "Each further sign doubles the number"),
        (1, "eight", "A number is expected here"),
        (2, "+-+", "That is (+ − +) itself; its partner has the other sign in place 1."),
        (2, "(+ + +)", "That differs from (+ − +) in place 2. The partner differs in place 1 and no other."),
        (2, "-1, 1, -1", "in places 1, 2, 3."),
        (2, "+-", "A key of 3 signs is expected here"),
        (2, "8", "A key of 3 signs is expected here"),
        (3, "1", "That is its value at the key itself."),
        (4, "8", "That is the number of keys."),
        (5, "1", "It is a sum of zeros, divided by 8."),
        (6, "3", "That counts each pair of places once."),
        (6, "9", "That counts r = s too."),
        (7, "0", "Squares are never negative"),
        (7, "1", "Add up all 3."),
        (8, "0", "0 is the average of e itself."),
        (8, "9", "not 3 times 3"),
        (9, "3", "That is the average of e²."),
        (10, "k1 k3", "it cancels; at (+ + +) and at (− + −)"),
        (10, "k4", "it stays inside; the partner of (+ + +) is no key of 3 signs"),
        (10, "k1=q", "no fixed point; (+ + +) is its own partner"),
        (10, "k1=-", "it undoes itself; from (+ + +) it leads to (− + +), and from there to (− + +)"),
        (10, "k3 k2", "All four conditions hold"),
        (10, "8", "That is no pairing"),
        (10, "nonsense", "That is no pairing"),
    ],
)
def test_answers_are_explained(step: int, answer: str, said: str) -> None:
    assert said in flat(walked(PROOF, [f"j {step}", answer, "q"]))


def test_the_reader_moves_about() -> None:
    text = walked(PROOF, ["b", "jump 5", "l", "back", "l", "j 99", "j", "j x", "?", "jump 10", "h", "quit", "8"])
    titles = re.findall(r"^Step (\d+)", text, re.MULTILINE)
    assert titles == ["1", "5", "4", "10"]
    assert "This is the beginning." in text
    assert formula_snippet(formula("pairing"), NOTATION) in text
    assert "No formula stands here." in text
    assert text.count("Jump to a number from 1 to 10") == 3
    assert text.count(ENGLISH["teach"]["keys"]) == 2
    assert "There is no hint here." in text
    assert text.endswith("> quit\nGoodbye.")


def test_the_end_of_the_input_is_a_goodbye() -> None:
    assert walked(PROOF, []).endswith("\nGoodbye.")
    assert walked(proof_scenes((1,) * 6, 0, 1, ENGLISH), ["j 4", ""]).endswith("\nGoodbye.")  # at the foot of a page


@pytest.mark.parametrize("height", [1, 5, 12, 24, 60, 200])
def test_64_rows_are_shown_page_by_page(height: int) -> None:
    scenes = proof_scenes((1,) * 6, 0, 1, ENGLISH)
    text = walked(scenes, ["j 4", "32", *[""] * 20], size=(80, height)).split("Step 5")[0]
    rows = re.findall(r"^  \([+− ]+\)  \([+− ]+\)", text, re.MULTILINE)
    assert len(rows) == len(set(rows)) == 64
    pages = [page for page in text.split("64 keys, two in a pair")[1].split("> ") if "  (" in page]
    assert max(page.count("\n") for page in pages) <= max(height, 8)
    skipped = walked(scenes, ["j 4", "32", "s", "q"], size=(80, 24))
    assert "The other rows are of the same kind." in skipped


def test_colour_says_only_what_words_say_too() -> None:
    answers = ["7", "8", "", "h", "j 10", "2", "q"]
    coloured = walked(PROOF, answers, colour=True)
    assert f"{ESCAPE}31mNot that: 7." in coloured
    assert re.sub(r"\033\[\d+m", "", coloured) == walked(PROOF, answers)


QUESTIONS_ASKED = question_scenes(ENGLISH)


@pytest.mark.parametrize(
    ("number", "answer", "said"),
    [
        (1, "16,4", "Right."),
        (1, "256", "Not right. That is the average of the square"),
        (1, "17", "Not right."),
        (1, "x", "A number is expected here"),
        (2, "3", "Right."),
        (2, "4", "Not right. Softmax ignores a constant that is added, not one that divides"),
        (2, "a b", "One of the letters a to d is expected here."),
        (2, "c", "Right."),
        (3, "a c d f", "Right."),
        (3, "6431", "Right."),
        (3, "a b c", "Not right. Does not hold: b. Missing: d, f."),
        (3, "9", "Letters from a to f are expected here"),
        (4, "b", "Right."),
        (4, "f", "One of the letters a to d is expected here."),
        (4, "2", "Right."),
        (4, "1", "Not right. The number does not matter"),
        (5, "2", "Right."),
        (5, "false", "Right."),
        (5, "true", "Not right. No order can change"),
    ],
)
def test_every_answer_to_a_question_is_explained(number: int, answer: str, said: str) -> None:
    text = flat(walked(QUESTIONS_ASKED, [f"j {number}", answer, "q"]))
    assert said in text
    graded = text.split(f"> {answer}")[1]
    asked = QUESTIONS[number - 1]
    if "expected" not in said:
        assert all(f"{claim}: {ENGLISH['claims'][claim]}" in graded for claim in asked.claims)
        assert ENGLISH["questions"][asked.id]["why"] in graded


def test_a_letter_leads_back_only_where_it_is_no_answer() -> None:
    titles = [
        line for line in walked(QUESTIONS_ASKED, ["j 3", "back", "b", "j 1", "q"]).splitlines() if "Question" in line
    ]
    assert titles == [f"Question {n} of 5" for n in (1, 3, 2, 1)]
    titles = [line for line in walked(PROOF, ["j 3", "b", "q"]).splitlines() if line.startswith("Step")]
    assert [title.split()[1] for title in titles] == ["1", "3", "2"]


SCENES = (PROOF, QUESTIONS_ASKED, proof_scenes((-1,), 0, 0, ENGLISH), proof_scenes((3, -2), 1, 0, ENGLISH))
SILLY = [
    "",
    "",
    "b",
    "h",
    "l",
    "?",
    "j 1",
    "j 4",
    "k1",
    "k1~k2",
    "+-+",
    "1/0",
    "1e999999",
    "\x1b[2J",
    "\ud800",
    "9" * 5000,
]
TYPED = st.text(max_size=30) | st.sampled_from(SILLY) | st.integers(0, 100).map(str)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SCENES), st.lists(TYPED, max_size=12), st.integers(1, 200), st.integers(0, 60))
def test_whatever_is_typed_is_answered(scenes: tuple[Scene, ...], answers: list[str], columns: int, lines: int) -> None:
    assert walked(scenes, answers, size=(columns, lines)).endswith("\nGoodbye.")


@pytest.mark.parametrize("columns", [40, 60, 80, 300])
def test_lines_fit_the_terminal(columns: int) -> None:
    for scenes in (*SCENES, proof_scenes((97, -89, 1, 1, 1, 1), 0, 1, ENGLISH)):
        text = walked(scenes, ["l", "", "h", ""] * 12, size=(columns, 24))
        assert max(map(len, text.split("\n"))) <= min(columns, 80)
