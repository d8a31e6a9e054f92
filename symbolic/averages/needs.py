"""The levels at which a claim is tried, and what the one at which it holds assumes beyond what is said."""

from __future__ import annotations

from collections.abc import Mapping

from exact.verdicts import Note, note
from symbolic.averages.case import Case
from symbolic.averages.laws import is_stated
from symbolic.averages.points import Point, placed
from symbolic.averages.quotients import quotient
from symbolic.averages.search import sides_of
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Node

__all__ = ["LEVEL_WORDS", "holds_dependent", "levels_of", "missing_at", "needs_of"]

LEVEL_WORDS = {
    "joint": "every-law",
    "any": "every-law-independent",
    "centred": "centred-law",
    "spread": "spread-law",
    "unit": "unit-law",
}


def levels_of(case: Case) -> tuple[str, ...]:
    """Return the levels at which a claim is tried, the weakest assumptions first."""
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    free = len(case.roles.variables) > 1 and case.assumptions.independent is not True and not case.assumptions.rho
    start = ("joint",) if free else ()
    if case.assumptions.independent is False:
        if case.roles.random & case.roles.vectors:
            raise OutsideClass("--dependent is read of variables X, Y; coordinates of a vector are independent here")
        return start
    if not unstated:
        if case.assumptions.rho:
            return ("any",)
        return ("any",) if case.assumptions.independent is None else (*start, "any")
    if case.assumptions.rho:
        return ("centred", "unit")
    return (*start, "any", "centred", "spread", "unit")


def missing_at(case: Case, level: str) -> list[str]:
    """Return what a level assumes of variables beyond what is said: independent, centred, unit."""
    variables = [n for n in case.roles.variables if not is_stated(n, case.assumptions) and not case.assumptions.rho]
    missing = []
    if "joint" in levels_of(case) and level != "joint" and case.assumptions.independent is None:
        missing.append("independent")
    if variables and not case.assumptions.mean and level in ("centred", "unit"):
        missing.append("centred")
    if variables and level in ("spread", "unit"):
        missing.append("unit")
    return missing


def holds_dependent(case: Case, left: Node, right: Node, missing: list[str], aliases: Mapping[str, str] | None) -> bool:
    """Say whether a claim about variables that may depend on each other holds with the other needs met."""
    if "independent" not in missing:
        return False
    letters = {f"E[{n}]": quotient(0) for n in case.roles.variables if "centred" in missing}
    letters |= {f"Var({n})": quotient(1) for n in case.roles.variables if "unit" in missing}
    try:
        sides = sides_of(case, left, right, "joint", aliases)
        values = [placed(value, Point(letters), sides.meaning.numbers) for value in (sides.left, sides.right)]
    except (OutsideClass, ZeroDivisionError):
        return False
    return sides.meaning.numbers.equal(*values)


def needs_of(case: Case, missing: list[str]) -> tuple[Note, ...]:
    """Return the notes that name what is missing."""
    return tuple(note(f"needs-{each}", names=", ".join(sorted(case.roles.variables))) for each in missing)
