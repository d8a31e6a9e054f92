"""Free indices in a claim: which there are, and in which ways they may coincide.

A claim with free indices is said of all their values, so that E[x_i x_j] = 0 is false: i may be j.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from more_itertools import set_partitions

from symbolic.averages.roles import Roles, base_name
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Big, Iverson, Name, Node, Number, Reading, walk

__all__ = ["apart_in_words", "coincidences", "free_indices", "has_delta"]

MOST = 5
Aliases = Mapping[str, str]


def free_indices(left: Node, right: Node, roles: Roles) -> tuple[list[str], list[str]]:
    """Return the letters that stand as free indices on vectors, matrices and deltas, and the numbers that do."""
    letters: set[str] = set()
    numbers: set[str] = set()
    for side in (left, right):
        bound = {i.letter for part in walk(side) if isinstance(part, Big) for i in part.indices}
        for at in _indices(side, roles):
            if isinstance(at, Name) and not at.subscripts and at.letter not in bound:
                letters.add(at.letter)
            elif isinstance(at, Number):
                numbers.add(str(at.value))
    return sorted(letters), sorted(numbers)


def _indices(side: Node, roles: Roles) -> list[Node]:
    found: list[Node] = []
    for part in walk(side):
        if isinstance(part, Iverson):
            found += part.condition.parts
        elif isinstance(part, Name) and part.subscripts:
            if part.letter == "δ" or base_name(part) in roles.matrices:
                found += part.subscripts
            elif base_name(part) in roles.vectors or part.letter == "t":
                found += part.subscripts[-1:]
    return found


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


def coincidences(letters: list[str], numbers: list[str], reading: Reading) -> list[Aliases]:
    """Return the ways in which free indices may coincide, all different first: "=letter" → the number that it is.

    Conditions beside the claim, as i ≠ j and i < j, leave ways out.  OutsideClass for more than five indices.
    """
    if len(letters) + len(numbers) > MOST:
        raise OutsideClass(f"a claim is read with at most {MOST} free indices")
    apart = [
        {p.letter if isinstance(p, Name) else str(p.value) for p in aside.parts if isinstance(p, Name | Number)}
        for aside in reading.aside
        if set(aside.relations) & {"≠", "<", ">"}
    ]
    ways: list[Aliases] = []
    for blocks in sorted(set_partitions([*letters, *numbers]), key=lambda blocks: -len(blocks)):
        if any(pair <= set(block) for pair in apart for block in blocks):
            continue
        if any(len(set(block) & set(numbers)) > 1 for block in blocks):
            continue
        unused = (str(n) for n in range(1, 2 * MOST) if str(n) not in numbers)
        way: dict[str, str] = {}
        for block in sorted(map(sorted, blocks)):
            place = next(iter(set(block) & set(numbers)), None) or next(unused)
            way.update({"=" + letter: place for letter in block if letter in letters})
        ways.append(dict(sorted(way.items())))
    return ways


def apart_in_words(letters: list[str], numbers: list[str]) -> str:
    """Write down that indices differ, each from each."""
    return ", ".join(f"{a} ≠ {b}" for a, b in combinations([*letters, *numbers], 2))
