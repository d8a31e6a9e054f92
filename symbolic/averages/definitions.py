"""Definitions beside a claim, as s = q·k or y_i = Σ_j W_ij x_j: put in the place of the letters that they define."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import replace

from symbolic.averages.assumptions import Assumptions
from symbolic.averages.roles import base_name, has_operator
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Big, Divided, Indexed, Name, Node, Number, Reading, Related, Root, replaced, walk

__all__ = ["claim_first", "inlined"]

_OTHERWISE_READ = frozenset("dnNDhSσμθρΣλ")  # widths, partial sums and parameters
_SHORT_NAMES = frozenset("et")  # of the score and its terms
_WORD = re.compile(r"[^\W\d_]+")
MOST_NODES = 5000


def claim_first(reading: Reading) -> Reading:
    """Return a reading that begins with a definition, as “let s = q·k, then Var(s) = d”, with the claim first."""
    claim = reading.claim
    found = _definition(claim)
    if found is None:
        return reading
    scaled = any(isinstance(part, Divided | Root) for part in walk(found[1]))
    if found[0].letter in _SHORT_NAMES and not scaled:
        return reading  # of e = 2m − d and e = Σ_r t_r it can be said whether they are true
    uses = [each for each in reading.aside if each.relations and has_operator(each) and _uses(each, found[0])]
    if not uses:
        return reading
    rest = tuple(each for each in reading.aside if each is not uses[0])
    return claim_first(replace(reading, claim=uses[0], aside=(*rest, claim)))


def inlined(reading: Reading, assumptions: Assumptions) -> Reading:
    """Return a reading without definitions: the claim, and the conditions beside it, in what they are made of.

    The parameter of a law, as b of uniform:-b,b, stays defined beside the claim.
    """
    stated = (
        assumptions.keys,
        assumptions.query,
        assumptions.rho,
        assumptions.mean,
        *(law for _, law in assumptions.laws),
    )
    kept = {word for text in stated for word in _WORD.findall(text)}
    aside, claim = list(reading.aside), reading.claim
    while (at := next((i for i, each in enumerate(aside) if _definition(each, kept)), None)) is not None:
        defined = aside.pop(at)
        claim, *aside = (_without(each, defined) for each in (claim, *aside))
        if sum(1 for each in (claim, *aside) for _ in walk(each)) > MOST_NODES:
            raise OutsideClass("with its definitions written out this claim is too long")
    for each in aside:
        left = each.parts[0]
        if each.relations == ("=",) and isinstance(left, Name) and _uses(each.parts[1], left):
            raise OutsideClass(f"{base_name(left)} is defined by itself")
    return replace(reading, claim=claim, aside=tuple(aside))


def _definition(aside: Related, kept: Container[str] = ()) -> tuple[Name, Node] | None:
    """Return the letter that an equation defines, and what it is; None for sizes, parameters, k = q and the like."""
    if aside.relations != ("=",):
        return None
    left, right = aside.parts
    if not isinstance(left, Name) or isinstance(right, Number | Name) or left.letter in _OTHERWISE_READ:
        return None
    if len(left.subscripts) > 1 or left.letter in kept or has_operator(right) or _uses(right, left):
        return None
    return left, right


def _uses(node: Node, name: Name) -> bool:
    return any(isinstance(part, Name) and base_name(part) == base_name(name) for part in walk(node))


def _without(node: Related, definition: Related) -> Related:
    left, right = definition.parts
    assert isinstance(left, Name)  # noqa: S101 - by _definition
    index = next((sub for sub in left.subscripts if isinstance(sub, Name) and _uses(right, sub)), None)

    def written_out(part: Node) -> Node | None:
        if not isinstance(part, Name) or base_name(part) != base_name(left):
            return None
        if part.subscripts == left.subscripts:
            return right
        if index is not None and len(part.subscripts) == 1:
            return _at(right, index, part.subscripts[0])
        if not left.subscripts:
            return Indexed(right, part.subscripts, part.at)
        if index is None:
            return None  # another label
        raise OutsideClass(f"{base_name(left)} is defined by its entries; write {base_name(left)} by its entries too")

    found = replaced(node, written_out)
    return found if isinstance(found, Related) else node


def _at(node: Node, index: Name, place: Node) -> Node:
    """Return what is defined for an index at another place."""
    bound = {each.letter for part in walk(node) if isinstance(part, Big) for each in part.indices}
    if isinstance(place, Name) and place.letter in bound:
        raise OutsideClass(f"{place.letter} is a letter of a sum in a definition; take another one")
    return replaced(node, lambda part: place if part == index else None)
