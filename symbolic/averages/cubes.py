"""Sums over all vectors of a cube and over all subsets, as averages and as sums of binomials.

Σ over ε in {−1, 1}^n is 2^n times the average over fair signs, and Σ over x in {0, 1}^n the same over fair coins; a sum
over the subsets S of {1, …, n} in which S stands as its size |S| alone is Σ_k C(n, k) of what stands there with k.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from symbolic.averages.assumptions import Assumptions
from symbolic.averages.roles import base_name, has_operator
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Absolute,
    Big,
    Called,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    letters_in,
    replaced,
    walk,
)

__all__ = ["over_sets", "spelled_out"]

LETTERS = "kjmslp"


def over_sets(node: Node) -> bool:
    """Say whether a sum over the vectors of a cube, or over subsets, stands in a node."""
    return any(isinstance(part, Big) and _set(part) is not None for part in walk(node))


def spelled_out(reading: Reading, assumptions: Assumptions) -> tuple[Reading, Assumptions]:
    """Return a reading without such sums, and with the laws that they stand for."""
    laws: dict[str, str] = {}
    widths: set[str] = set()

    def change(node: Node) -> Node | None:
        if not isinstance(node, Big) or (found := _set(node)) is None:
            return None
        name, members = found
        if len(node.conditions) > 1 or len(node.indices) > 1:
            raise OutsideClass(f"a sum over a set has one letter and no further condition (at {node.at})")
        body = replaced(node.body, change)
        if members.function == "subsets":
            return _by_size(name, members.arguments[0], body, node.at)
        *values, width = members.arguments
        numbers = [_number(value) for value in values]
        if len(set(numbers)) < len(numbers):
            raise OutsideClass(f"a cube has two different numbers for coordinates (at {node.at})")
        if name in laws and laws[name] != _law(numbers):
            raise OutsideClass(f"{name} runs through two different cubes; take another letter (at {node.at})")
        laws[name] = _law(numbers)
        if isinstance(width, Number):
            widths.add(str(width.value))
        if numbers == [0, 1]:
            body = replaced(body, lambda part: Called("sum", (Name(name),)) if part == Absolute(Name(name)) else None)
        return Multiplied((Raised(Number(Fraction(len(numbers))), width), Called("E", (body,))), ("",), node.at)

    claim = replaced(reading.claim, change)
    if claim == reading.claim or not isinstance(claim, Related):
        return reading, assumptions
    if len(widths) > 1:
        raise OutsideClass("sums over cubes of different widths are not read together")
    names = {base_name(part) for part in walk(claim) if isinstance(part, Name)}
    fixed = set[str]() if has_operator(reading.claim) else names - set(laws)
    return replace(reading, claim=claim), replace(
        assumptions,
        fixed=(*assumptions.fixed, *sorted(fixed)),
        laws=(*assumptions.laws, *laws.items()),
        vectors=(*assumptions.vectors, *laws),
        width=next(iter(widths), assumptions.width),
    )


def _law(numbers: list[Fraction]) -> str:
    return "signs" if numbers == [-1, 1] else f"values:{','.join(map(str, numbers))}"


def _number(node: Node) -> Fraction:
    if isinstance(node, Negated) and isinstance(node.of, Number):
        return -node.of.value
    if isinstance(node, Number):
        return node.value
    raise OutsideClass("the vectors of a cube have two numbers for coordinates")


def _set(node: Big) -> tuple[str, Called] | None:
    """Return the letter that a sum runs over and the set it runs through."""
    for condition in node.conditions:
        if isinstance(condition, Related) and condition.relations == ("∈",):
            letter, members = condition.parts
            if isinstance(letter, Name) and isinstance(members, Called):
                return letter.letter, members
    return None


def _by_size(name: str, size: Node, body: Node, at: int) -> Node:
    taken = letters_in(size, body)
    k = Name(next(letter for letter in LETTERS if letter not in taken))
    counted = replaced(body, lambda part: k if part == Absolute(Name(name)) else None)
    if any(isinstance(part, Name) and part.letter == name for part in walk(counted)):
        raise OutsideClass(f"a sum over subsets {name} is read where {name} stands as its size |{name}| only (at {at})")
    inside = Multiplied((Called("binomial", (size, k)), counted), ("",), at)
    return Big("sum", (k,), inside, Number(Fraction(0)), size, (), at)
