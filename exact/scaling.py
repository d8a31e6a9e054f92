"""Only the root: dividing a score by d^α leaves E[(e/d^α)²] = d^(1 − 2α), exactly.

Imports the standard library and exact.rationals only.

>>> for alpha in ("1/3", "1/2", "2/3"):
...     law = scaling(alpha)
...     print(law.exponent, law.verdict, scaled_second_moment(8, alpha).value)
1/3 grows 2
0 constant 1
-1/3 vanishes 1/2
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from exact.rationals import BadInput, abbreviate, read_rational, read_whole

__all__ = ["Power", "Scaling", "scaled_second_moment", "scaling"]

EXPONENT_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Scaling:
    """What dividing by d^alpha does to E[e²] = d as d grows: it becomes d^exponent."""

    alpha: Fraction
    exponent: Fraction
    verdict: Literal["grows", "constant", "vanishes"]


@dataclass(frozen=True, slots=True)
class Power:
    """The number base^exponent; `value` is it as a fraction, and None when it is irrational."""

    base: int
    exponent: Fraction
    value: Fraction | None


def scaling(alpha: int | str | Fraction) -> Scaling:
    """Return the exponent 1 − 2α and its verdict: constant for α = 1/2 alone, growing below it, vanishing above.

    For d ≥ 2 the power d^x is above 1, equal to 1 or below 1 as x is above, equal to or below 0, and it is monotone in
    d; so 1/2 is the only exponent that neither grows nor vanishes.  α is within ±1000.
    """
    a = read_rational(alpha)
    if abs(a) > EXPONENT_LIMIT or a.denominator > EXPONENT_LIMIT:
        raise BadInput(f"the exponent must be within ±1000, with a denominator up to 1000 (got {abbreviate(a)})")
    exponent = 1 - 2 * a
    return Scaling(a, exponent, "grows" if exponent > 0 else "vanishes" if exponent < 0 else "constant")


def scaled_second_moment(width: int, alpha: int | str | Fraction) -> Power:
    """Return d^(1 − 2α), which is E[(e/d^α)²] when E[e²] = d; width 1 to 10^9.

    >>> scaled_second_moment(512, 0).value, scaled_second_moment(512, 1).value, scaled_second_moment(2, "1/4").value
    (Fraction(512, 1), Fraction(1, 512), None)
    """
    d = read_whole("width", width, 1, 10**9)
    exponent = scaling(alpha).exponent
    root = _exact_root(d, exponent.denominator)
    return Power(d, exponent, None if root is None else Fraction(root) ** exponent.numerator)


def _exact_root(number: int, degree: int) -> int | None:
    """Return r with r^degree = number, or None: d^(p/q) in lowest terms is rational only when d is a q-th power."""
    low, high = 1, number
    while low < high:
        middle = (low + high + 1) // 2
        if middle.bit_length() > number.bit_length() // degree + 1 or middle**degree > number:
            high = middle - 1
        else:
            low = middle
    return low if low**degree == number else None
