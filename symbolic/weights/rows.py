"""Rows of numbers under the softmax: softmax([0, -inf]) is [1, 0], and of a row that is masked whole there is none.

exp(−∞) is 0; where every exponential is 0 the weights are 0/0, and what programs return there is a convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbolic.reading.surface import Called, Divided, Listed, Name, Negated, Node, Number, Reading, walk

__all__ = ["RowOfNumbers", "row_of_numbers"]


@dataclass(frozen=True, slots=True)
class RowOfNumbers:
    """A claim softmax(row) = weights: its weights, None where a row masked whole has none, and what was claimed."""

    right: tuple[Fraction, ...] | None
    claimed: tuple[Fraction, ...] | None


def row_of_numbers(reading: Reading) -> RowOfNumbers | None:
    """Return what a claim about the softmax of numbers comes to; None where it is no such claim, or not exact.

    The weights are exact where the scores that are not masked are all the same.
    """
    for node in walk(reading.claim):
        if isinstance(node, Called) and node.function == "softmax" and isinstance(node.arguments[0], Listed):
            scores = [_score(item) for item in node.arguments[0].items]
            break
    else:
        return None
    kept = [score for score in scores if score is not None]
    if len(set(kept)) > 1 or "?" in kept:
        return None
    right = tuple(Fraction(score is not None, len(kept)) for score in scores) if kept else None
    others = [part for part in reading.claim.parts if isinstance(part, Listed)]
    claimed = _numbers(others[0].items) if len(others) == 1 and reading.claim.relations == ("=",) else None
    return RowOfNumbers(right, claimed)


def _score(node: Node) -> Fraction | str | None:
    """Return a score, None for −∞, "?" for what is no number."""
    if isinstance(node, Negated) and isinstance(node.of, Name) and node.of.letter in {"inf", "∞", "infty"}:
        return None
    found = _number(node)
    return "?" if found is None else found


def _number(node: Node) -> Fraction | None:
    match node:
        case Number(value):
            return value
        case Negated(Number(value)):
            return -value
        case Divided(Number(p), Number(q)) if q:
            return p / q
        case _:
            return None


def _numbers(items: Sequence[Node]) -> tuple[Fraction, ...] | None:
    found = [_number(item) for item in items]
    return tuple(value for value in found if value is not None) if None not in found else None
