"""The verdict on a reader's claim, for people: what was understood, the answer, the counterexample, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from textwrap import wrap
from typing import Any, Final

from exact.evidence import Evidence, Positions
from exact.verdicts import Answer, Note, Refutation, Verdict

__all__ = ["WIDTH", "claims_in", "column", "table_lines", "verdict_lines"]

Words = Mapping[str, Any]
WIDTH: Final = 80
LABEL: Final = 10
READINGS: Final = frozenset({"as-scores", "as-weights", "law-read"})


def verdict_lines(verdict: Verdict, words: Words, *, indent: str = "") -> Iterator[str]:
    """Yield the lines that say a verdict, 80 columns wide; formulas are never broken."""
    say, tables = words["confirm"], _tables(verdict, words)
    if verdict.answer is Answer.INVALID:
        yield indent + say["answers"]["invalid input"]
        yield from (
            indent + "  " + line for item in verdict.notes for line in _sentence(item, words, tables).splitlines()
        )
        return
    yield f"{indent}{say['answers'][verdict.answer.value]}  {verdict.claim}"
    yield from column(say["latex"], [verdict.latex] if verdict.latex else [], indent, broken=False)
    yield from column(say["understood"], [_sentence(item, words, tables) for item in verdict.understood], indent)
    if verdict.answer is Answer.PROVED and not verdict.steps:
        yield from column(say["evidence"], [_evidence(item, words) for item in verdict.evidence], indent)
    if verdict.counterexample is not None and not verdict.steps:
        where, sides = _refutation(verdict.counterexample, words)
        yield from column(say["counterexample"], [text for text in (where, sides) if text], indent)
    yield from column(say["because"], [_sentence(item, words, tables) for item in verdict.notes], indent)
    readings = any(item.key in READINGS for step in verdict.steps for item in step.understood)
    several = any(item.key == "several-claims" for item in verdict.notes)
    title = say["part" if several else "reading" if readings else "step"]
    for number, step in enumerate(verdict.steps, 1):
        yield f"{indent}  {title.format(number=number)}"
        yield from verdict_lines(step, words, indent=indent + "    ")


def _refutation(found: Refutation, words: Words) -> tuple[str, str]:
    """Return where a claim fails, and what both sides are there."""
    say = words["confirm"]
    where = ", ".join(f"{name} = {value}" for name, value in found.where)
    return where, f"{say['claimed']} {found.claimed}, {say['correct']} {found.correct}"


def column(label: str, texts: Sequence[str], indent: str = "", *, broken: bool = True) -> Iterator[str]:
    """Yield texts under a label, each from a line of its own."""
    head = f"{indent}  {label:<{LABEL}}"
    if len(label) >= LABEL and texts:
        yield head.rstrip()
        head = f"{indent}  {'':<{LABEL}}"
    space = f"{indent}  {'':<{LABEL}}"
    for text in texts:
        if broken:
            width = max(WIDTH, len(space) + 40)
            yield from wrap(text, width, initial_indent=head, subsequent_indent=space, break_on_hyphens=False) or [head]
        else:
            yield head + text
        head = space


def _tables(verdict: Verdict, words: Words) -> tuple[str, str]:
    """Return where to look for sentences first: some keys stand in both tables, said of averages or of weights."""
    own = words["confirm"]["moments"].keys() - words["confirm"]["notes"].keys()
    queue, seen = [verdict], set[str]()
    while queue:
        here = queue.pop()
        seen |= {item.key for item in (*here.understood, *here.notes)}
        queue += here.steps
    return ("moments", "notes") if seen & own else ("notes", "moments")


def _sentence(item: Note, words: Words, tables: tuple[str, str]) -> str:
    laws = words["confirm"]["moments"]["laws"]
    values = {name: laws.get(value, value) if name == "law" else value for name, value in item.values}
    for name in tables:
        text = words["confirm"][name].get(item.key)
        if text is not None and {field for _, field, _, _ in Formatter().parse(text) if field} <= set(values):
            return str(text).format_map(values)
    raise KeyError(f"there are no words for {item.key} with {sorted(values)}")


def _evidence(item: Evidence, words: Words) -> str:
    rules = ", ".join(words["confirm"]["rules"].get(rule) or words["rules"].get(rule, rule) for rule in item.how)
    if isinstance(item.scope, Positions):
        say, positions = words["scope"], item.scope
        key = "every_T" if positions.sizes is None else "T"
        place = say["every_T_every_width" if key == "every_T" and positions.width == "every" else key]
        return str(words["confirm"]["holds"]).format(scope=place.format(sizes=positions.range), how=rules)
    where = str(item.scope).removeprefix("for ")
    for english, said in words["confirm"]["scope"].items():
        where = re.sub(rf"\b{english}\b", said, where)
    return str(words["confirm"]["holds"]).format(scope=where, how=rules)


def claims_in(text: str) -> list[tuple[int, str]]:
    r"""Return the claims of a file and the line each begins on.

    A claim is a line; a line that begins with a relation, or & or +, goes on; what stands between \begin{…} and
    \end{…}, or between \[ and \] or $$ and $$, is one; # and % begin a remark.
    """
    found: list[tuple[int, str]] = []
    open_until = ""
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if open_until:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
            open_until = "" if open_until in bare else open_until
            continue
        if not bare or bare[0] in "#%":
            continue
        goes_on = (
            bare[0] in "=≤≥<>&+"
            or bare.startswith(("\\le", "\\ge", "\\ne", "\\approx"))
            or (bool(found) and found[-1][1].rstrip().endswith(("\\\\", "=")))
        )
        if goes_on and found and not bare.startswith("\\left"):
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
            continue
        found.append((number, line))
        for opening, closing in (("\\begin{", "\\end{"), ("\\[", "\\]")):
            if opening in bare and closing not in bare:
                open_until = closing
        if bare.count("$$") == 1:
            open_until = "$$"
    return found


def table_lines(verdicts: Sequence[tuple[int, Verdict]], words: Words) -> Iterator[str]:
    """Yield a line for each claim of a file, what is wrong with those that are, and a summary."""
    say = words["confirm"]
    for line, verdict in verdicts:
        claim = " ".join(verdict.claim.split())
        yield say["table"].format(line=line, answer=say["answers"][verdict.answer.value], claim=claim)
        if verdict.answer is Answer.FALSE and verdict.counterexample is not None:
            where, sides = _refutation(verdict.counterexample, words)
            yield f"{'':<24}{where}: {sides}"
        if verdict.answer is not Answer.PROVED and verdict.notes:
            sentence = _sentence(verdict.notes[0], words, _tables(verdict, words))
            yield from (f"{'':<24}{part}" for part in sentence.splitlines()[:4])
    counts = Counter(verdict.answer for _, verdict in verdicts)
    shown = ", ".join(f"{counts[answer]} {say['answers'][answer.value].lower()}" for answer in Answer if counts[answer])
    yield ""
    yield say["summary"].format(claims=len(verdicts), counts=shown)
