"""Exact numbers for evaluating formulas: fractions, logarithms of fractions, and values with a slope.

Logs is a polynomial in logarithms of primes with rational coefficients, so that scores e = log x are exact numbers and
exp(log 3 − log 2) is the fraction 3/2.  Slope carries a derivative along with a value (forward differentiation), which
gives exact derivatives at a point without any formula for them.  Standard library only.

>>> exp(log(Fraction(3)) - log(Fraction(2)))
Fraction(3, 2)
>>> exp(Slope(log(Fraction(2)), Fraction(1))).slope
Fraction(2, 1)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, Union

__all__ = ["Exact", "Logs", "NotExact", "Slope", "Undefined", "exp", "log", "raised", "shown"]

Exact: TypeAlias = Union[Fraction, "Logs", "Slope"]


class NotExact(ArithmeticError):
    """A value is not one of the exact numbers kept here, or is not defined."""


class Undefined(NotExact):
    """A value is not defined: a denominator is 0, or a logarithm is taken of no positive number."""


@dataclass(frozen=True, slots=True)
class Logs:
    """A polynomial in logarithms of primes: each term is a product of primes' logarithms and its coefficient."""

    terms: tuple[tuple[tuple[int, ...], Fraction], ...]

    def __add__(self, other: Exact | int) -> Exact:
        if isinstance(other, Slope):
            return NotImplemented
        total = dict(self.terms)
        for key, value in _terms(other).items():
            total[key] = total.get(key, Fraction(0)) + value
        return _simplest(total)

    __radd__ = __add__

    def __neg__(self) -> Exact:
        return Logs(tuple((key, -value) for key, value in self.terms))

    def __sub__(self, other: Exact | int) -> Exact:
        return self + (-other)

    def __rsub__(self, other: Exact | int) -> Exact:
        return -self + other

    def __mul__(self, other: Exact | int) -> Exact:
        if isinstance(other, Slope):
            return NotImplemented
        total: dict[tuple[int, ...], Fraction] = {}
        for left, a in self.terms:
            for right, b in _terms(other).items():
                key = tuple(sorted(left + right))
                total[key] = total.get(key, Fraction(0)) + a * b
        return _simplest(total)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Exact:
        if isinstance(other, Logs):
            if other == self:
                return Fraction(1)
            raise NotExact("a quotient of logarithms is not kept exactly")
        if isinstance(other, Slope):
            return NotImplemented
        return self * (Fraction(1) / other)

    def __rtruediv__(self, other: Exact | int) -> Exact:
        raise NotExact("a quotient by a logarithm is not kept exactly")

    def __float__(self) -> float:
        return math.fsum(float(value) * math.prod(math.log(p) for p in key) for key, value in self.terms)


@dataclass(frozen=True, slots=True)
class Slope:
    """A value and its derivative by one variable."""

    value: Exact
    slope: Exact

    def __add__(self, other: Exact | int) -> Slope:
        other = _slope(other)
        return Slope(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __neg__(self) -> Slope:
        return Slope(-self.value, -self.slope)

    def __sub__(self, other: Exact | int) -> Slope:
        return self + (-other)

    def __rsub__(self, other: Exact | int) -> Slope:
        return -self + other

    def __mul__(self, other: Exact | int) -> Slope:
        other = _slope(other)
        return Slope(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Exact | int) -> Slope:
        other = _slope(other)
        top = self.slope * other.value - self.value * other.slope
        return Slope(self.value / other.value, top / (other.value * other.value))

    def __rtruediv__(self, other: Exact | int) -> Slope:
        return _slope(other) / self


def _slope(value: Exact | int) -> Slope:
    if isinstance(value, Slope):
        return value
    return Slope(Fraction(value) if isinstance(value, int) else value, Fraction(0))


def _terms(value: Exact | int) -> Mapping[tuple[int, ...], Fraction]:
    if isinstance(value, Logs):
        return dict(value.terms)
    if isinstance(value, Slope):
        raise NotExact("a value with a slope stands where a number is needed")
    return {(): Fraction(value)} if value else {}


def _simplest(terms: Mapping[tuple[int, ...], Fraction]) -> Exact:
    kept = {key: value for key, value in terms.items() if value}
    if not kept:
        return Fraction(0)
    if set(kept) == {()}:
        return kept[()]
    return Logs(tuple(sorted(kept.items())))


def log(value: Exact) -> Exact:
    """Return the logarithm of a positive fraction, exactly."""
    if isinstance(value, Slope):
        return Slope(log(value.value), value.slope / value.value)
    if isinstance(value, Logs):
        raise NotExact("a logarithm is kept exactly of positive fractions only")
    if value <= 0:
        raise Undefined("a logarithm is taken of positive numbers only")
    terms: dict[tuple[int, ...], Fraction] = {}
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        prime = 2
        while number > 1:
            if prime * prime > number:
                prime = number
            while number % prime == 0:
                terms[(prime,)] = terms.get((prime,), Fraction(0)) + sign
                number //= prime
            prime += 1
    return _simplest(terms)


def exp(value: Exact) -> Exact:
    """Return the exponential of a sum of logarithms, exactly."""
    if isinstance(value, Slope):
        grown = exp(value.value)
        return Slope(grown, grown * value.slope)
    result = Fraction(1)
    for key, coefficient in _terms(value).items():
        if len(key) != 1:
            raise NotExact("an exponential is kept exactly of sums of logarithms only")
        result *= _fraction_power(Fraction(key[0]), coefficient)
    return result


def raised(base: Exact, exponent: Fraction) -> Exact:
    """Return a power, exactly; a root only where it is a fraction."""
    if isinstance(base, Slope):
        return Slope(raised(base.value, exponent), exponent * raised(base.value, exponent - 1) * base.slope)
    if isinstance(base, Fraction):
        return _fraction_power(base, exponent)
    if exponent.denominator != 1 or exponent < 0:
        raise NotExact("a power of a logarithm is kept exactly for whole exponents only")
    return math.prod((base for _ in range(int(exponent))), start=Fraction(1))


def _fraction_power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent < 0:
        raise NotExact("0 has no negative power")
    if exponent.denominator == 1:
        return Fraction(base ** int(exponent))
    if base < 0:
        raise NotExact("a negative number has no root here")
    roots = [_root(number, exponent.denominator) for number in (base.numerator, base.denominator)]
    return Fraction(Fraction(*roots) ** exponent.numerator)


def _root(number: int, degree: int) -> int:
    """Return the whole root of a whole number, by bisection on integers."""
    low, high = 0, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < number else (low, middle)
    if low**degree != number:
        raise NotExact(f"{number} has no whole root of degree {degree}")
    return low


def shown(value: Exact) -> str:
    """Write an exact number: 3/2, 2·log 2 − 1/2·log 3."""
    if isinstance(value, Slope):
        return f"{shown(value.value)} (slope {shown(value.slope)})"
    text = ""
    for key, coefficient in _terms(value).items():
        logs = "·".join(f"log {prime}" for prime in key)
        size = str(abs(coefficient)) if not logs else (f"{abs(coefficient)}·" if abs(coefficient) != 1 else "") + logs
        sign = ("−" if coefficient < 0 else "") if not text else (" − " if coefficient < 0 else " + ")
        text += sign + size
    return text or "0"
