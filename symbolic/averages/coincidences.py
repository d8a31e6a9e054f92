"""Free indices in a claim: which there are, and in which ways they may coincide.

A claim with free indices is said of all their values, so that E[x_i x_j] = 0 is false: i may be j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations
from operator import eq, gt, lt, ne
from typing import Final

from more_itertools import set_partitions

from symbolic.averages.roles import Roles, base_name
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Big, Iverson, Name, Node, Number, Reading, inside, walk

__all__ = ["apart_in_words", "coincidences", "free_indices", "has_delta"]

MOST = 5
TESTS: Final[dict[str, Callable[[int, int], bool]]] = {"=": eq, "≠": ne, "<": lt, ">": gt}
Aliases = Mapping[str, str]


def free_indices(left: Node, right: Node, roles: Roles) -> tuple[list[str], list[str]]:
    """Return the letters that stand as free indices on vectors, matrices and deltas, and the numbers that do."""
    found = [at for side in (left, right) for at in _indices(side, frozenset(), roles)]
    letters = {at.letter for at in found if isinstance(at, Name)}
    return sorted(letters), sorted({str(at.value) for at in found if isinstance(at, Number)})


def _indices(node: Node, bound: frozenset[str], roles: Roles) -> Iterator[Name | Number]:
    """Yield the indices in a node that no sum binds."""
    if isinstance(node, Big):
        bound |= {i.letter for i in node.indices}
    places: tuple[Node, ...] = ()
    if isinstance(node, Iverson):
        places = node.condition.parts
    elif isinstance(node, Name) and node.subscripts:
        if node.letter == "δ" or base_name(node) in roles.matrices:
            places = node.subscripts
        elif base_name(node) in roles.vectors or node.letter == "t":
            places = node.subscripts[-1:]
    for at in places:
        if isinstance(at, Number) or (isinstance(at, Name) and not at.subscripts and at.letter not in bound):
            yield at
    for part in inside(node):
        yield from _indices(part, bound, roles)


def has_delta(left: Node, right: Node, letters: list[str]) -> bool:
    """Say whether a claim itself tells apart whether free indices are the same."""

    def free(i: Node) -> bool:
        return isinstance(i, Number) or (isinstance(i, Name) and i.letter in letters)

    for part in (part for side in (left, right) for part in walk(side)):
        if isinstance(part, Iverson) and all(map(free, part.condition.parts)):
            return True
        if (
            isinstance(part, Name)
            and part.letter == "δ"
            and len(part.subscripts) == 2
            and all(map(free, part.subscripts))
        ):
            return True
    return False


def coincidences(letters: list[str], numbers: list[str], reading: Reading) -> tuple[list[Aliases], bool]:
    """Return the ways in which free indices may coincide, all different first: "=letter" → the number that it is.

    Conditions beside the claim, as i ≠ j, i < j and i = j, leave ways out; the second value says whether any does.
    OutsideClass for more than five indices, and where no way is left.
    """
    if len(letters) + len(numbers) > MOST:
        raise OutsideClass(f"a claim is read with at most {MOST} free indices")
    conditions = list(_conditions({*letters, *numbers}, reading))
    ways: list[Aliases] = []
    for blocks in sorted(set_partitions([*letters, *numbers]), key=lambda blocks: -len(blocks)):
        place = _placed(sorted(map(sorted, blocks)), numbers, conditions)
        if place is not None:
            ways.append({"=" + letter: str(place[letter]) for letter in letters})
    if not ways:
        raise OutsideClass("the conditions leave no values for the indices")
    return ways, bool(conditions)


def _conditions(names: set[str], reading: Reading) -> Iterator[tuple[str, str, str]]:
    """Yield the relations between two free indices that stand beside a claim; i < j < k has two."""
    for aside in reading.aside:
        shown = [p.letter if isinstance(p, Name) else str(getattr(p, "value", "")) for p in aside.parts]
        for first, relation, second in zip(shown, aside.relations, shown[1:], strict=False):
            if {first, second} <= names and relation in TESTS:
                yield first, relation, second


def _placed(
    blocks: list[list[str]], numbers: list[str], conditions: list[tuple[str, str, str]]
) -> dict[str, int] | None:
    """Give each block a number of its own so that the conditions hold; None where that cannot be."""
    if any(len(set(block) & set(numbers)) > 1 for block in blocks):
        return None
    known = {n: int(n) for n in numbers}
    rest = [block for block in blocks if not set(block) & set(numbers)]
    unused = [n for n in range(1, len(blocks) + max(known.values(), default=0) + 2) if str(n) not in numbers]
    for places in permutations(unused, len(rest)):
        place = {name: n for block, n in zip(rest, places, strict=True) for name in block}
        for block in blocks:
            place.update({name: known[n] for n in set(block) & set(numbers) for name in block})
        if all(TESTS[relation](place[a], place[b]) for a, relation, b in conditions):
            return place
    return None


def apart_in_words(letters: list[str], numbers: list[str]) -> str:
    """Write down that indices differ, each from each."""
    return ", ".join(f"{a} ≠ {b}" for a, b in combinations([*letters, *numbers], 2))
