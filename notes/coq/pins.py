"""Writes the file of pins: each statement beside its claim's formula, held to the theorem that proves it."""

from collections.abc import Iterable, Mapping
from typing import Final

from notes.coq.statement import Statement
from notes.coq.statements import PREAMBLE

__all__ = ["PINS", "answer_name", "by_claim", "pin_text"]

PINS: Final = "Pins"


def by_claim(statements: Iterable[Statement]) -> dict[str, tuple[Statement, ...]]:
    """Return the statements of each claim, in order."""
    groups: dict[str, tuple[Statement, ...]] = {}
    for statement in statements:
        groups[statement.id] = (*groups.get(statement.id, ()), statement)
    return groups


def answer_name(claim: str, axioms: str) -> str:
    """Return the name of the pins of a claim that may use the same axioms, and of the file that says what they use."""
    return f"claim_{claim.replace('-', '_')}_{axioms}"


def _comment(text: str) -> str:
    for mark, apart in (("(*", "( *"), ("*)", "* )"), ('"', "''")):
        text = text.replace(mark, apart)
    return f"(* {text} *)"


def pin_text(
    claims: Mapping[str, Iterable[Statement]], formulas: Mapping[str, str]
) -> tuple[str, dict[int, tuple[str, str]]]:
    """Return the text of the file, and the claim and theorem that each of its lines is about.

    What a claim's pins assume is asked once for all that may use the same axioms: that is three times as fast.
    """
    lines = PREAMBLE.splitlines()
    owners: dict[int, tuple[str, str]] = {}

    def add(text: str, id_: str, theorem: str) -> None:
        for line in text.splitlines():
            lines.append(line)
            owners[len(lines)] = id_, theorem

    for id_, statements in claims.items():
        groups: dict[str, list[str]] = {}
        for s in statements:
            add(f"\n{_comment(f'{id_}: {formulas.get(id_, s.theorem)}')}", id_, s.theorem)
            add(f"Definition pin_{s.theorem} :\n{s.statement}\n:= @{s.theorem}.", id_, s.theorem)
            groups.setdefault(s.axioms, []).append(f"pin_{s.theorem}")
        for axioms, pins in groups.items():
            name = answer_name(id_, axioms)
            add(f'Definition {name} := ({", ".join(pins)}).\nRedirect "{name}" Print Assumptions {name}.', id_, pins[0])
    return "\n".join(lines) + "\n", owners
