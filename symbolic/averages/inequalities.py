"""Inequalities between polynomials in a width and in parameters, where the signs of the coefficients decide them.

With d = 1 + c, c ≥ 0, a polynomial none of whose coefficients is below 0 is at least 0 for every width; sums of even
powers are at least 0.
"""

from __future__ import annotations

from fractions import Fraction

from symbolic.averages.points import Point, placed, smallest
from symbolic.averages.quotients import Field, Quotient, as_number, quotient
from symbolic.expressions import OutsideClass
from symbolic.polynomial import ONE, Polynomial, Term, plus, scalar

__all__ = ["below", "sign_shown"]


def sign_shown(difference: Quotient, width: str, *, strict: bool) -> bool:
    """Say whether a difference is seen to be at least 0 (above 0 when `strict`) at every width from 1.

    >>> d = scalar("d")
    >>> sign_shown(Quotient(plus(d, {Term(): Fraction(-1)})), "d", strict=False)
    True
    """
    numbers = Field()
    shifted = Point({width: Quotient(plus(scalar(width), ONE))})
    try:
        over = placed(Quotient(difference.over), shifted, numbers).over
        under = placed(Quotient(difference.under), shifted, numbers).over
    except OutsideClass:
        return False
    if not all(_at_least_0(value, width) for value in (over, under)):
        return False
    return not strict or over.get(Term(), Fraction(0)) > 0


def _at_least_0(value: Polynomial, width: str) -> bool:
    return all(c > 0 and _is_even(term, width) for term, c in value.items())


def _is_even(term: Term, width: str) -> bool:
    """Say whether a monomial is at least 0: the width and standard deviations, sums of even powers, even powers."""
    for name, exponent in term.scalars:
        positive = name == width or name[0] in "σ√" or name.startswith("Var(")
        if not positive and exponent % 2:
            return False
    for part in (*term.sums, *((factor,) for factor in term.entries)):
        if any(exponent % 2 for _, _, exponent in part) and term.sums.count(part) % 2:
            return False
    return True


def below(difference: Quotient, width: str, numbers: Field, *, strict: bool) -> Point | None:
    """Return a small point at which a difference is below 0 (or 0, when `strict`); None where none was found."""
    value = difference
    for _ in range(6):
        point = smallest(value, quotient(0), width, numbers, symmetric=False)
        if point is None:
            return None
        found = as_number(placed(difference, point, numbers))
        if found is not None and (found < 0 or (strict and found == 0)):
            return point
        if found is None or width not in point.letters:
            return None
        here = as_number(point.letters[width]) or Fraction(0)
        value = numbers.multiply(value, Quotient(plus(scalar(width), {Term(): -here})))  # look past this width
    return None
