"""The smallest counterexample of a claim about moments: small laws, then small widths, entries and letters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from exact.verdicts import Refutation
from symbolic.averages.case import Case, constraints
from symbolic.averages.laws import is_stated
from symbolic.averages.meaning import Meaning, make
from symbolic.averages.points import describe, placed, smallest
from symbolic.averages.quotients import Quotient
from symbolic.averages.roles import has_operator
from symbolic.averages.writing import text
from symbolic.reading.surface import (
    Node,
)

__all__ = ["Sides", "counterexample_of", "sides_of"]

_SMALL_LAWS = ("values:1", "signs", "bernoulli:1/2", "values:2", "weights:-2=1/3,1=2/3")


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides under one meaning."""

    meaning: Meaning
    left: Quotient
    right: Quotient

    @property
    def equal(self) -> bool:
        """Say whether the two sides are the same."""
        return self.meaning.numbers.equal(self.left, self.right)


def sides_of(case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None = None) -> Sides:
    """Return both sides of a claim at a level of assumption."""
    meaning = make(case.roles, case.assumptions, level, case.definitions, aliases)
    values = [case.value(left, meaning), case.value(right, meaning)]
    return Sides(meaning, *values)


def counterexample_of(
    case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Return the smallest point at which the sides differ: small laws for variables, then small numbers for letters."""
    variables = sorted(n for n in case.roles.variables if not is_stated(n, case.assumptions))
    symmetric = bool(case.assumptions.symmetric)
    if level == "joint":
        return _dependent(case, left, right, variables, aliases)
    claimed_left = not has_operator(left) and has_operator(right)
    for laws in (
        product(_SMALL_LAWS, repeat=min(len(variables), 3))
        if len(variables) < 4
        else [_SMALL_LAWS[:1] * len(variables)]
    ):
        assumed = replace(case.assumptions, laws=(*case.assumptions.laws, *zip(variables, laws, strict=False)))
        vectors_level = level if level in ("signs", "gaussian") or "μ_2" in case.roles.mentioned else "signs"
        sides = sides_of(replace(case, assumptions=assumed), left, right, vectors_level, aliases)
        numbers = sides.meaning.numbers
        keep = partial(case.keeps, sides.meaning) if constraints(case) else None
        point = smallest(sides.left, sides.right, case.roles.width, numbers, symmetric, keep)
        if point is None:
            continue
        values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
        if claimed_left:
            values.reverse()
        where = describe(point, sides.left, sides.right, case.roles.width, numbers)
        where += tuple((name, law) for name, law in zip(variables, laws, strict=False))
        where += tuple(
            (name, vectors_level if vectors_level in ("signs", "gaussian") else "centred")
            for name in sorted(case.roles.random & case.roles.vectors)
            if not is_stated(name, case.assumptions)
        )
        where += tuple(
            (n, case.assumptions.law_text(n)) for n in sorted(case.roles.random) if is_stated(n, case.assumptions)
        )
        return Refutation(where, claimed=values[1], correct=values[0])
    return None


def _dependent(
    case: Case, left: Node, right: Node, variables: list[str], aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Put one variable in the place of another: the plainest way to depend."""
    if len(variables) < 2:
        return None
    first, second, *_ = variables
    same = {**(aliases or {}), second: first}
    roles = replace(case.roles, random=case.roles.random - {second})
    for law in ("signs", "bernoulli:1/2", "values:1", "values:2"):
        assumed = replace(case.assumptions, laws=(*case.assumptions.laws, (first, law)), independent=True)
        sides = sides_of(replace(case, roles=roles, assumptions=assumed), left, right, "any", same)
        numbers = sides.meaning.numbers
        point = smallest(sides.left, sides.right, case.roles.width, numbers, False)
        if point is not None:
            values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
            where = describe(point, sides.left, sides.right, case.roles.width, numbers)
            return Refutation(((second, first), (first, law), *where), claimed=values[1], correct=values[0])
    return None
