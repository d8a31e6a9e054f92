"""What stands beside a claim: definitions, sizes, i ≠ j, ranges such as i = 1, …, K, and rows that add to 1.

Each is taken into account; what cannot be is refused, never passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Added, Big, Called, Name, Negated, Node, Number, Related
from symbolic.weights.letters import (
    LABELS,
    MOST_POSITIONS,
    SIZES,
    WEIGHTS,
    Definition,
    Roles,
    is_label,
    key,
    softmaxed,
)

__all__ = ["read_asides"]

DOTS = Name("…")
ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))


def read_asides(asides: tuple[Related, ...], found: Roles) -> None:
    """Take all that follows the claim."""
    for aside in _without_ranges(list(asides), found):
        _read_aside(aside, found)
    for row in found.totals:
        if row in found.definitions and softmaxed(found.definitions[row].value) is None:
            raise _not_taken()


def _without_ranges(asides: list[Related], found: Roles) -> Iterator[Related]:
    """Take the ranges i = 1, …, K and 1 ≤ i ≤ K, and yield the other statements."""
    while asides:
        aside = asides.pop(0)
        left, right = aside.parts[0], aside.parts[-1]
        begins = aside.relations == ("=",) and isinstance(left, Name) and right in {ZERO, ONE}
        dots = next((n for n, part in enumerate(asides[:3]) if part.parts == (DOTS,)), None)
        between = asides[: dots or 0]
        if begins and dots is not None and all(isinstance(part.parts[0], Number) for part in between):
            if dots + 1 >= len(asides):
                raise _not_taken()
            _range(left, right, asides[dots + 1].parts[0], found)
            asides[: dots + 1 + (not asides[dots + 1].relations)] = []
        elif aside.relations == ("≤", "≤") and left in {ZERO, ONE} and isinstance(aside.parts[1], Name):
            _range(aside.parts[1], left, right, found)
        else:
            yield aside


def _range(index: Node, lower: Node, upper: Node, found: Roles) -> None:
    """Note what an index runs to; a range that is not all positions is refused."""
    if lower == ZERO and isinstance(upper, Added) and len(upper.terms) == 2 and upper.terms[1] == Negated(ONE):
        upper = upper.terms[0]
    elif lower == ZERO:
        raise OutsideClass("a range of positions goes from 1 to T, or from 0 to T - 1")
    if not isinstance(index, Name) or index.subscripts:
        raise _not_taken()
    if isinstance(upper, Number):
        _fix("T", upper, found)
    elif isinstance(upper, Name) and not upper.subscripts and (upper.letter.isupper() or upper.letter in (*SIZES, "d")):
        found.ranges[index.letter] = upper.letter
    else:
        raise OutsideClass("a range of positions ends at their number, such as T")


def _fix(letter: str, value: Number, found: Roles) -> None:
    if value.value.denominator != 1 or not 1 <= value.value <= MOST_POSITIONS:
        raise OutsideClass(f"{letter} is read from 1 to {MOST_POSITIONS}")
    if found.fixed.setdefault(letter, int(value.value)) != value.value:
        raise OutsideClass("every index runs over all T positions; here their numbers differ")


def _read_aside(aside: Related, found: Roles) -> None:
    """Take one statement: a definition, a condition i ≠ j, a size."""
    left = aside.parts[0]
    if not aside.relations:
        if isinstance(left, Name) and not left.subscripts and len(left.letter) == 1 and left != DOTS:
            return
        raise _not_taken()
    right = aside.parts[-1]
    if len(aside.parts) != 2 or not isinstance(left, Name):
        if _is_known(aside, found):
            return
        raise _not_taken()
    if aside.relations == ("≠",):
        if not isinstance(right, Name) or left.subscripts or right.subscripts:
            raise _not_taken()
        found.unlike.append((left.letter, right.letter))
    elif aside.relations == ("=",) and not any(isinstance(i, Number) for i in left.subscripts):
        if isinstance(right, Number) and left.letter in (*SIZES, "d") and not left.accent:
            _fix(left.letter, right, found)
        elif (
            isinstance(right, Name | Number)
            and not _subscripts(right)
            and not left.subscripts
            and left.letter in "ijlcrs"
        ):
            found.definitions[left.letter] = Definition((), right)
        else:
            subscripts = tuple(i for i in left.subscripts if isinstance(i, Name))
            found.definitions[key(left)] = Definition(() if is_label(left) else subscripts, right)
    elif not _is_known(aside, found):
        raise _not_taken()


def _subscripts(node: Node) -> tuple[Node, ...]:
    return node.subscripts if isinstance(node, Name) else ()


def _not_taken() -> OutsideClass:
    return OutsideClass(
        "beside a claim stand definitions, sizes and i ≠ j; another condition is not taken into account"
    )


def _is_known(aside: Related, found: Roles) -> bool:
    """Say whether a condition is taken: a row adds to 1, parameters are positive."""
    left, right = aside.parts[0], aside.parts[-1]
    if aside.relations == ("=",) and right == ONE:
        return _adds_to_one(left, found)
    if aside.relations != (">",) or right != ZERO or not isinstance(left, Name):
        return False
    return not left.subscripts or key(left) in WEIGHTS[:5]


def _adds_to_one(left: Node, found: Roles) -> bool:
    """Note which row adds to 1; a sum over another index than the last of its row is not taken."""
    inside: Node | None = None
    if isinstance(left, Big) and left.kind == "sum" and not left.conditions and len(left.indices) < 2:
        inside = left.body
    elif isinstance(left, Called) and left.function == "sum" and not left.below:
        inside = left.arguments[0]
    if not isinstance(inside, Name):
        return False
    if isinstance(left, Big) and left.indices and inside.subscripts[-1:] != left.indices:
        return False
    if not inside.subscripts and key(inside) not in {*LABELS, *WEIGHTS}:
        return False
    found.totals.append(key(inside))
    return True
