"""The five questions: what is right, within which tolerance, and the claim that each answer rests on.

What is asked and what is explained stand in notes/words/lesson.*.toml under "questions", by the keys used here.

>>> grade(question("typical-size"), "16,2").right, grade(question("typical-size"), "256").mistake
(True, 'square')
>>> grade(question("closed-row"), "a c d").missed
('well-defined',)
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from exact.rationals import BadInput, read_rational

__all__ = ["LETTERS", "QUESTIONS", "Choice", "Grade", "Number", "Question", "grade", "question", "read_number"]

LETTERS: Final = "abcdef"


@dataclass(frozen=True, slots=True)
class Number:
    """Asks for a number: right within the tolerance, the ends included; `mistakes` names wrong numbers by key."""

    id: str
    claims: tuple[str, ...]
    answer: Fraction
    tolerance: Fraction
    mistakes: tuple[tuple[str, Fraction], ...]
    kind: Literal["number"] = "number"


@dataclass(frozen=True, slots=True)
class Choice:
    """Asks to choose: `options` are (key, claim it rests on), in the order shown; "all" means all or nothing."""

    id: str
    claims: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    right: frozenset[str]
    kind: Literal["one", "all"]


Question = Number | Choice


@dataclass(frozen=True, slots=True)
class Grade:
    """How an answer is judged: right or not, and what to explain.

    Of a choice: the options chosen, those chosen wrongly and those missed, as keys.  Of a number: as it was read, and
    the key of the mistake where it is a known one.
    """

    right: bool
    chosen: tuple[str, ...] = ()
    mistaken: tuple[str, ...] = ()
    missed: tuple[str, ...] = ()
    number: Fraction | None = None
    mistake: str | None = None


QUESTIONS: Final[tuple[Question, ...]] = (
    Number(
        "typical-size",
        ("typical-size",),
        Fraction(16),
        Fraction(1, 2),
        (
            ("square", Fraction(256)),
            ("divided", Fraction(1)),
            ("average", Fraction(0)),
            ("other-root", Fraction(4)),
        ),
    ),
    Choice(
        "why-root",
        ("only-the-root",),
        (
            ("cheaper", "only-the-root"),
            ("gradient-explodes", "only-the-root"),
            ("exact-factor", "only-the-root"),
            ("no-matter", "softmax"),
        ),
        frozenset({"exact-factor"}),
        "one",
    ),
    Choice(
        "closed-row",
        ("closed-row", "trace", "what-dies"),
        (
            ("both-cases", "jacobian"),
            ("large-gradient", "closed-row"),
            ("trace-near-zero", "trace"),
            ("nothing-learned", "what-dies"),
            ("learns-elsewhere", "closed-row"),
            ("well-defined", "what-dies"),
        ),
        frozenset({"both-cases", "trace-near-zero", "nothing-learned", "well-defined"}),
        "all",
    ),
    Choice(
        "classifier",
        ("cross-entropy",),
        (
            ("fewer-classes", "closed-row"),
            ("log-cancels", "cross-entropy"),
            ("never-closes", "cross-entropy"),
            ("divided-too", "cross-entropy"),
        ),
        frozenset({"log-cancels"}),
        "one",
    ),
    Choice("winner", ("argmax",), (("true", "argmax"), ("false", "argmax")), frozenset({"false"}), "one"),
)


def question(name: str) -> Question:
    """Return a question by its id, or KeyError."""
    for found in QUESTIONS:
        if found.id == name:
            return found
    raise KeyError(name)


def read_number(text: str) -> Fraction:
    """Return the number that a person typed, with a decimal comma or a decimal point; BadInput for anything else.

    >>> read_number("15,5") == read_number("15.5")
    True
    """
    shown = text.strip()
    if re.fullmatch(r"[+\-−]?[0-9]*,[0-9]+", shown):
        shown = shown.replace(",", ".")
    return read_rational(shown)


def grade(asked: Question, answer: str) -> Grade:
    """Judge an answer: a number, or options by letter, number or key; BadInput where it cannot be read."""
    if isinstance(asked, Number):
        number = read_number(answer)
        right = abs(number - asked.answer) <= asked.tolerance
        known = next((key for key, wrong in asked.mistakes if number == wrong), None)
        return Grade(right, number=number, mistake=known)
    chosen = _read_options(asked, answer)
    mistaken = tuple(key for key in chosen if key not in asked.right)
    missed = tuple(key for key, _ in asked.options if key in asked.right and key not in chosen)
    return Grade(not mistaken and not missed, chosen, mistaken, missed)


def _read_options(asked: Choice, answer: str) -> tuple[str, ...]:
    """Return the keys of the options that an answer names, in the order shown."""
    keys = [key for key, _ in asked.options]
    by_name = {key: key for key in keys}
    for number, key in enumerate(keys):
        by_name |= {LETTERS[number]: key, str(number + 1): key}
    words = [word.rstrip(")") for word in re.split(r"[\s,;.]+", answer.strip().lower()) if word]
    if len(words) == 1 and words[0] not in by_name and set(words[0]) <= by_name.keys():
        words = list(words[0])  # acdf, written together
    for word in words:
        if word not in by_name:
            raise BadInput(f"{word[:20]!r} is no option; the options are {', '.join(LETTERS[: len(keys)])}")
    chosen = {by_name[word] for word in words}
    if asked.kind == "one" and len(chosen) != 1:
        raise BadInput(f"one option is to be chosen (got {len(chosen)})")
    return tuple(key for key in keys if key in chosen)
