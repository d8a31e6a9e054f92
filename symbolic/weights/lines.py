"""How many rows a matrix of weights has: p_nk has N rows of K weights each, and N is not K.

The rows of p_nk are examples and its columns classes; what holds only where they are as many is no law of a loss.
Rows are counted by d, which no claim about examples and classes uses otherwise, and are called by their own letter.
"""

from __future__ import annotations

from dataclasses import dataclass

from exact.verdicts import note
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Big, Name, Node
from symbolic.weights.letters import COORDINATED, SIZES, Roles, is_label, key
from symbolic.writing import Notation

__all__ = ["Lined", "find_lines"]

COUNTING_ROWS = ("N", "n", "B", "m", "M")


@dataclass(frozen=True, slots=True)
class Lined(Notation):
    """Write the number of rows with its own letter."""

    lines: str = "N"

    def letter(self, name: str) -> str:
        """Return the letter that stands for a row, a matrix or a scalar."""
        return self.lines if name == "d" else Notation.letter(self, name)


def find_lines(nodes: list[Node], names: tuple[str, ...], found: Roles) -> None:
    """Give the rows of a matrix of weights a number of their own, unless it is attention or is said to be square."""
    weights = found.weights
    attention = {*names} & {*COORDINATED, "d"} - ({"K"} - {*found.ranks})
    if found.ranks.get(weights) != 2 or found.matrices or attention or "d" in found.sizes:
        return
    places: tuple[set[str], set[str]] = (set(), set())
    for node in nodes:
        if isinstance(node, Name) and found.ranks.get(key(node)) == 2 and len(node.subscripts) == 2:
            if is_label(node) or node.letter == "δ":
                continue
            for place, index in zip(places, node.subscripts, strict=True):
                place |= {index.letter} if isinstance(index, Name) else set()
    if places[0] & places[1]:
        return
    counts = _counts(nodes, found)
    named: dict[str, set[str]] = {}
    for counted, letter in counts:
        for over, place in zip("dT", places, strict=True):
            if counted in place or letter.lower() in place:
                named.setdefault(letter, set()).add(over)
    if any(len(overs) > 1 for overs in named.values()):
        return
    for letter in dict.fromkeys(letter for _, letter in counts):
        over = named[letter].pop() if letter in named else "d" if letter in COUNTING_ROWS else "T"
        found.sizes[letter] = over
    rows = [letter for letter, over in found.sizes.items() if over == "d"]
    if len(rows) > 1:
        raise OutsideClass(f"{' and '.join(rows)} would both be the number of rows: one letter is read for it")
    if rows and rows[0] in found.fixed:
        raise OutsideClass(f"the number of rows, {rows[0]}, is read as a letter")
    found.lines = rows[0] if rows else "N" if "N" not in {*names, *found.sizes} else "M"
    found.notes.append(note("rows", weights=weights, letter=found.lines))


def _counts(nodes: list[Node], found: Roles) -> list[tuple[str, str]]:
    """Return the letters of sizes, each with the index that it is the limit of, or with none."""
    counts = [(index, letter) for index, letter in found.ranges.items()]
    for node in nodes:
        if isinstance(node, Big) and isinstance(node.upper, Name) and not node.upper.subscripts:
            counts += [(index.letter, node.upper.letter) for index in node.indices]
    indices = {i.letter for node in nodes if isinstance(node, Name) for i in node.subscripts if isinstance(i, Name)}
    indices |= {i.letter for node in nodes if isinstance(node, Big) for i in node.indices}
    for node in nodes:
        if isinstance(node, Name) and node.letter in SIZES and not node.subscripts and not node.accent:
            taken = {found.weights, found.scores, found.upstream, *found.labels, *found.ranks, *found.definitions}
            if node.letter not in taken | indices:
                counts.append(("", node.letter))
    return list(dict.fromkeys(counts))
