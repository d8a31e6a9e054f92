"""Definitions beside a claim, as s = q·k or y_i = Σ_j W_ij x_j: put in the place of the letters that they define."""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from fractions import Fraction

from symbolic.averages.assumptions import Assumptions
from symbolic.averages.roles import base_name, has_operator
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Big,
    Indexed,
    Multiplied,
    Name,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    Root,
    letters_in,
    replaced,
    walk,
)

__all__ = ["claim_first", "inlined", "introduces", "is_definition"]

_SIZES = frozenset("dnNDhmTK")
_PARAMETERS = frozenset("σμθρΣλ")
_SHORT_NAMES = frozenset("et")  # of the score and its terms: of e = 2m − d it can be said whether it is true
_INDICES = "jlirsuvp"
_WORD = re.compile(r"[^\W\d_]+")
MOST_NODES = 5000


@dataclass(frozen=True, slots=True)
class _Definition:
    """What is defined, a letter or a power of one; the letter; and what it is."""

    left: Node
    name: Name
    right: Node


def claim_first(reading: Reading, holds: Callable[[Related], bool]) -> Reading:
    """Return a reading that begins with definitions or sizes, as “let s = q·k, then Var(s) = d”, with the claim first.

    `holds`: whether an equation is true as it stands, so that it is a claim.
    """
    statements = [_as_root(each) for each in (reading.claim, *reading.aside)]
    while (first := statements[0]).relations == ("=",):
        if not any(has_operator(each) and not is_definition(each) for each in statements[1:]):
            break
        left = first.parts[0]
        size = isinstance(left, Name) and not has_operator(first)
        if not size and not is_definition(first):
            break
        if isinstance(left, Name) and left.letter in _SHORT_NAMES and holds(first):
            break
        statements = [*statements[1:], first]
    return replace(reading, claim=statements[0], aside=tuple(statements[1:]))


def _as_root(aside: Related) -> Related:
    """Return σ_w = √(1/n) for σ_w² = 1/n: parameters are letters."""
    if aside.relations != ("=",) or not isinstance(left := aside.parts[0], Raised):
        return aside
    if not isinstance(left.base, Name) or left.base.letter != "σ" or left.exponent != Number(Fraction(2)):
        return aside
    return replace(aside, parts=(left.base, Root(aside.parts[1])))


def introduces(claim: Related) -> str:
    """Return the letter of an equation that does nothing but introduce it, as s = q·k; "" for any other claim."""
    found = _definition(claim)
    if found is None or found.left != found.name or found.name.letter in _SHORT_NAMES | {"m"}:
        return ""
    return "" if has_operator(claim) or isinstance(found.right, Name) else base_name(found.name)


def is_definition(aside: Related) -> bool:
    """Say whether an equation beside a claim defines a letter."""
    return _definition(aside) is not None


def inlined(reading: Reading, assumptions: Assumptions) -> Reading:
    """Return a reading without definitions: the claim, and the conditions beside it, in what they are made of.

    The parameter of a law, as b of uniform:-b,b, stays defined beside the claim.
    """
    stated = [assumptions.keys, assumptions.query, assumptions.rho, assumptions.mean, *(x for _, x in assumptions.laws)]
    kept = {word for text in stated for word in _WORD.findall(text)}
    aside, claim = list(reading.aside), reading.claim
    while defined := next(((i, found) for i, each in enumerate(aside) if (found := _definition(each, kept))), None):
        del aside[defined[0]]
        claim, *aside = (_without(each, defined[1]) for each in (claim, *aside))
        if sum(1 for each in (claim, *aside) for _ in walk(each)) > MOST_NODES:
            raise OutsideClass("with its definitions written out this claim is too long")
    for each in aside:
        left = each.parts[0]
        if each.relations == ("=",) and isinstance(left, Name) and _uses(each.parts[1], left):
            raise OutsideClass(f"{base_name(left)} is defined by itself")
    return replace(reading, claim=claim, aside=tuple(aside))


def _definition(aside: Related, kept: Container[str] = ()) -> _Definition | None:
    """Return what an equation defines, and what it is; None for sizes, parameters, k = q and the like."""
    if aside.relations != ("=",):
        return None
    left, right = aside.parts
    name = left.base if isinstance(left, Raised) else left
    if not isinstance(name, Name) or isinstance(right, Number) or name.letter in kept or _uses(right, name):
        return None
    if len(name.subscripts) > 2 or (isinstance(left, Raised) and not isinstance(left.exponent, Number)):
        return None
    plain = not name.accent and not (set(name.subscripts) & set(walk(right)))
    if (
        plain
        and name.letter in _SIZES | _PARAMETERS
        and (has_operator(right) or not letters_in(right) - _SIZES - _PARAMETERS - {"p"})
    ):
        return None
    if isinstance(right, Name) and ((plain and name.letter in _SIZES | {"q", "k"}) or right.letter in _SIZES):
        return None
    if name.letter in _SHORT_NAMES and has_operator(right):
        return None
    if name.letter == "S" and name.subscripts and not set(name.subscripts) & set(walk(right)):
        return None  # a partial sum
    return _Definition(left, name, right)


def _uses(node: Node, name: Name) -> bool:
    return any(isinstance(part, Name) and base_name(part) == base_name(name) for part in walk(node))


def _without(node: Related, definition: _Definition) -> Related:
    left, name, right = definition.left, definition.name, definition.right
    indices = tuple(sub for sub in name.subscripts if isinstance(sub, Name) and _uses(right, sub))
    letter = base_name(name)

    def written_out(part: Node) -> Node | None:
        if part == left:
            return right
        if left != name or not isinstance(part, Name) or base_name(part) != letter:
            return None
        if indices and indices == name.subscripts and len(part.subscripts) == len(indices):
            return _at(right, dict(zip(indices, part.subscripts, strict=True)))
        if not name.subscripts:
            return _entry(right, part)
        if not indices:
            return None  # another label
        raise OutsideClass(f"{letter} is defined by its entries; write {letter} by its entries too")

    found = replaced(node, written_out)
    if left != name and _uses(found, name):
        raise OutsideClass(f"a power of {letter} is defined, and {letter} is not")
    return found if isinstance(found, Related) else node


def _entry(whole: Node, part: Name) -> Node:
    """Return an entry of what is defined as a whole; of a matrix times a vector, Σ_j W_ij x_j."""
    factors = whole.factors if isinstance(whole, Multiplied) else ()
    names = [each for each in factors if isinstance(each, Name) and not each.subscripts]
    if len(names) == len(factors) == 2 and len(part.subscripts) == 1:
        (left, right), (place,) = names, part.subscripts
        if left.letter.isupper() and right.letter.islower():
            taken = letters_in(place, left, right)
            j = Name(next(letter for letter in _INDICES if letter not in taken))
            entries = replace(left, subscripts=(place, j)), replace(right, subscripts=(j,))
            return Big("sum", (j,), Multiplied(entries, ("",), part.at), at=part.at)
    return Indexed(whole, part.subscripts, part.at)


def _at(node: Node, places: dict[Name, Node]) -> Node:
    """Return what is defined for indices at other places; letters of its sums give way to them."""
    taken = letters_in(node, *places.values())
    bound = {each for part in walk(node) if isinstance(part, Big) for each in part.indices}
    for letter in sorted(bound & {each for each in places.values() if isinstance(each, Name)}, key=base_name):
        if (free := next((each for each in _INDICES if each not in taken), "")) == "":
            raise OutsideClass(f"{letter.letter} is a letter of a sum in a definition; take another one")
        taken.add(free)
        node = _renamed(node, letter, free)
    return replaced(node, lambda part: places.get(part) if isinstance(part, Name) else None)


def _renamed(node: Node, letter: Name, free: str) -> Node:
    return replaced(node, lambda part: Name(free) if part == letter else None)
