"""The scenes of `sqrtdk teach`: what each shows, what it asks, how an answer is judged, and what is shown after it.

Nothing here writes to a terminal: a scene is data, and its paragraphs are wrapped where they are shown.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from exact import cube
from exact.kernel import Theorem
from exact.rationals import BadInput
from notes import attempts, teaching
from notes.attempts import Attempt
from notes.letters import formula_for
from notes.questions import LETTERS, QUESTIONS, Choice, Question, grade, read_number
from notes.teaching import Query, show_number, show_signs
from symbolic.formulas import formula
from symbolic.statements import Formula

__all__ = ["Scene", "Table", "Verdict", "proof_scenes", "question_scenes"]

NUMBER_LENGTH: Final = 40  # of a number that is repeated to the reader

Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text: a header, the short letters that stand for it where there is little room, and the rows."""

    header: tuple[str, ...]
    short: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = str | Table


@dataclass(frozen=True, slots=True)
class Verdict:
    """Says whether an answer is right (None: it is neither), why, and whether what comes after is shown."""

    right: bool | None
    says: tuple[str, ...]
    reveals: bool


@dataclass(frozen=True, slots=True)
class Scene:
    """One step or question: what stands before the question, the question, and what stands after the answer.

    `judge` takes what was typed; a scene without an answer of its own has "" for `answer`.
    Where `lettered`, a letter is one of the options, and no command.
    """

    title: str
    before: tuple[str, ...]
    ask: tuple[str, ...]
    hint: str
    judge: Callable[[str], Verdict]
    answer: str
    after: tuple[Block, ...]
    formulas: tuple[Formula, ...]
    lettered: bool = False


# ---- the proof ------------------------------------------------------------------------------------------------------


def proof_scenes(query: Query, r: int, s: int, words: Words) -> tuple[Scene, ...]:
    """Return the scenes of the pairing proof, for a query of 1 to 6 entries and r ≠ s from 0; at width 1 both 0."""
    known = teaching.steps(len(query))
    facts = teaching.facts(query, r, s)
    scenes = []
    for number, step in enumerate(known, 1):
        say = words["proof"][step.id]
        title = words["teach"]["heading"].format(number=number, count=len(known), title=say["title"])
        text = tuple(line.format(**facts) for line in say["text"])
        if number == 1:
            text = (*_opening(query, words), *text)
        if step.id == "break":
            scenes.append(_breaking(title, text, query, (r, s) if r != s else (r,), words))
            continue
        if step.id in ("diagonal", "average") and number > 1:
            text = (*text, *_unlike_signs(query, words))
        wanted = teaching.expected(step.id, query, r, s)
        scenes.append(
            Scene(
                title,
                text,
                (say["ask"].format(**facts),),
                say["hint"].format(**facts),
                partial(_judge, _Prediction(step.id, query, wanted, facts, words)),
                facts["partner"] if isinstance(wanted, tuple) else show_number(wanted),
                (say["why"].format(**facts), *_shown(step, query, r, s, words)),
                tuple(formula_for(name, query) for name in step.formulas),
            )
        )
    return tuple(scenes)


def _opening(query: Query, words: Words) -> Iterator[str]:
    if len(query) == 1:
        yield words["proof"]["single"]
    yield from _unlike_signs(query, words)


def _unlike_signs(query: Query, words: Words) -> Iterator[str]:
    if any(abs(x) != 1 for x in query):
        yield words["proof"]["not_signs"]


def _shown(step: teaching.Step, query: Query, r: int, s: int, words: Words) -> Iterator[Table]:
    """Yield the table that belongs to a step: all keys, or the sums of all crossed terms."""
    d = len(query)
    columns = words["proof"]["columns"]
    if step.table:
        rows = teaching.rows(query, (r, s) if step.table == "pair" else (r,))
        yield Table(
            tuple(columns[name] for name in ("key", "partner", "here", "there", "sum")),
            ("k", "k′", "t", "t′", "t + t′"),
            tuple(
                (
                    show_signs(row.key, d),
                    show_signs(row.partner, d),
                    *map(show_number, (row.here, row.there, row.total)),
                )
                for row in rows
            ),
        )
    if step.id == "cross":
        sums = teaching.crossed(query)
        rows_of_sums = tuple((f"Σ t_{i + 1} t_{j + 1}", show_number(total)) for i, j, total in sums)
        yield Table(("r < s", columns["sum"]), ("r < s", "Σ"), rows_of_sums)


@dataclass(frozen=True, slots=True)
class _Prediction:
    step: str
    query: Query
    wanted: Fraction | tuple[int, ...]
    facts: Mapping[str, str]
    words: Words


def _judge(asked: _Prediction, text: str) -> Verdict:
    """Judge what a reader predicts, and explain what is wrong with it."""
    say = asked.words["teach"]
    if isinstance(asked.wanted, tuple):
        signs, d = _read_signs(text), len(asked.query)
        if len(signs) != d:
            return Verdict(None, (say["expects_key"].format(d=d, example=show_signs(0, d)),), False)
        right, shown, why = signs == asked.wanted, show_signs(cube.index(signs), d), _why_not_key(asked, signs)
    else:
        try:
            number = read_number(text)
        except BadInput:
            return Verdict(None, (say["expects_number"],), False)
        shown = show_number(number)
        shown = shown if len(shown) <= NUMBER_LENGTH else shown[:12] + "…"
        right, why = number == asked.wanted, _why_not_number(asked, number)
    if right:
        return Verdict(True, (say["right"],), True)
    return Verdict(False, (" ".join((say["wrong"].format(answer=shown), why, say["again"])),), False)


def _why_not_number(asked: _Prediction, number: Fraction) -> str:
    say = asked.words["proof"][asked.step]
    known = teaching.mistakes(asked.step, asked.query)
    if asked.step == "terms" and isinstance(asked.wanted, Fraction):
        known = {"same": -asked.wanted}  # the value at the key itself
    key = next((key for key, value in known.items() if value == number), None)
    return str(say["mistakes"][key] if key else say["hint"]).format(**asked.facts)


def _why_not_key(asked: _Prediction, given: tuple[int, ...]) -> str:
    d = len(given)
    sample = cube.signs(teaching.sample_key(d), d)
    places = [str(at) for at in range(1, d + 1) if given[at - 1] != sample[at - 1]]
    text = asked.words["teach"]["itself" if not places else "place" if len(places) == 1 else "places"]
    return str(text.format(key=asked.facts["key"], r=asked.facts["r"], places=", ".join(places)))


def _read_signs(text: str) -> tuple[int, ...]:
    """Read + and −, or 1 and −1, with or without spaces, commas and parentheses; () where there is something else."""
    plain = re.sub(r"[\s,;()]", "", text.replace("−", "-"))
    if re.fullmatch(r"[+-]+|([+-]?1)+", plain):
        return tuple(-1 if sign[0] == "-" else 1 for sign in re.findall(r"[+-]?1|[+-]", plain))
    return ()


# ---- breaking it ----------------------------------------------------------------------------------------------------


def _breaking(title: str, text: tuple[str, ...], query: Query, term: tuple[int, ...], words: Words) -> Scene:
    say = words["teach"]
    tries = attempts.prepared(query, term)
    listed = tuple(f"{number}) {_named(found, term, words)}" for number, found in enumerate(tries, 1))
    conditions = tuple(f"· {line}" for line in words["proof"]["conditions"]["which"])

    def judge(typed: str) -> Verdict:
        try:
            if re.fullmatch(r"[0-9]{1,3}", typed.strip()) and 1 <= int(typed) <= len(tries):
                return Verdict(None, _judged(tries[int(typed) - 1], term, words), False)
            return Verdict(None, _judged(attempts.own(query, term, typed), term, words), False)
        except BadInput:
            return Verdict(None, (say["own_bad"].format(count=len(tries), d=len(query)),), False)

    after = tuple(
        line for option, found in zip(listed, tries, strict=True) for line in (option, *_judged(found, term, words)[1:])
    )
    ask = (say["attempts"], *listed, say["own"])
    return Scene(title, (*text, *conditions), ask, "", judge, "", after, ())


def _named(found: Attempt, term: tuple[int, ...], words: Words) -> str:
    places = {"r": term[0] + 1, "s": term[-1] + 1, "beyond": len(found.query) + 1}
    return str(words["proof"]["attempts"][found.id].format(**places))


def _judged(found: Attempt, term: tuple[int, ...], words: Words) -> tuple[str, ...]:
    """Say of an attempt what the kernel finds."""
    say, d = words["proof"]["conditions"], len(found.query)
    head = (f"{_named(found, term, words)}:",) if found.id else ()
    result = teaching.attempt(d, found.term, found.partner)
    if isinstance(result, Theorem):
        formula = "Σ " + " ".join(f"t_{r + 1}" for r in result.statement.of) + " = 0"
        proves = words["teach"]["theorem"].format(formula=formula, keys=1 << d)
        return (*head, f"{say['holds']} {proves}")
    shown = {"key": show_signs(result.key, d), "d": d}
    if result.back is not None:
        shown["partner"] = show_signs(result.partner, d)
        shown["back"] = show_signs(result.back, d) if 0 <= result.back < 1 << d else "?"
        for name, key in (("here", result.key), ("there", result.partner)):
            shown[name] = show_number(teaching.value(found.query, found.term, key))
    why = say[f"{result.condition}_why"].format(**shown)
    return (*head, say["fails"].format(condition=say[result.condition], why=why))


# ---- the questions --------------------------------------------------------------------------------------------------


def question_scenes(words: Words) -> tuple[Scene, ...]:
    """Return the five questions, each answer explained with the claims it rests on."""
    return tuple(_question(number, asked, words) for number, asked in enumerate(QUESTIONS, 1))


def _question(number: int, asked: Question, words: Words) -> Scene:
    say = words["questions"][asked.id]
    title = words["teach"]["question"].format(number=number, count=len(QUESTIONS))
    listed: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    answer = show_number(asked.answer) if not isinstance(asked, Choice) else ""
    if isinstance(asked, Choice):
        keys = [key for key, _ in asked.options]
        place = dict(zip(keys, LETTERS, strict=False))
        listed = tuple(f"{place[key]}) {say['options'][key]}" for key in keys)
        reasons = tuple(f"{place[key]}) {say['reasons'][key]} [{c}]" for key, c in asked.options)
        answer = ", ".join(place[key] for key in keys if key in asked.right)
    ask = (f"{say['ask']} ({words['questions'][asked.kind]})", *listed)
    after = (say["why"], *reasons, *(f"{c}: {words['claims'][c]}" for c in asked.claims))
    formulas = tuple(map(formula, asked.claims))
    return Scene(
        title, (), ask, say["hint"], partial(_judge_question, asked, words), answer, after, formulas, listed != ()
    )


def _judge_question(asked: Question, words: Words, text: str) -> Verdict:
    say, teach = words["questions"], words["teach"]
    try:
        found = grade(asked, text)
    except BadInput:
        if not isinstance(asked, Choice):
            return Verdict(None, (teach["expects_number"],), False)
        last = LETTERS[len(asked.options) - 1]
        return Verdict(None, (teach[f"expects_{asked.kind}"].format(last=last),), False)
    head = say["right" if found.right else "wrong"]
    if found.mistake:
        head = f"{head} {say[asked.id]['mistakes'][found.mistake]}"
    if isinstance(asked, Choice) and not found.right:
        if asked.kind == "one":
            return Verdict(False, (f"{head} {say[asked.id]['reasons'][found.chosen[0]]}",), True)
        place = {key: letter for letter, (key, _) in zip(LETTERS, asked.options, strict=False)}
        for name, keys in (("too_many", found.mistaken), ("missed", found.missed)):
            if keys:
                head += " " + teach[name].format(letters=", ".join(place[key] for key in keys))
    return Verdict(found.right, (head,), True)
