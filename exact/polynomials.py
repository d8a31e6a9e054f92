"""Polynomials in named variables with rational coefficients, as plain data that any printer can read.

Imports the standard library and exact.rationals only.

>>> d = variable(("d",), "d")
>>> p = 3 * d * d - 2 * d
>>> write_polynomial(p), dict(p.terms) == {(2,): 3, (1,): -2}, evaluate(p, {"d": 4})
('3d² − 2d', True, Fraction(40, 1))
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Self

from exact.rationals import write_rational

__all__ = [
    "Polynomial",
    "coefficients",
    "constant",
    "degree",
    "evaluate",
    "falling_factorial",
    "variable",
    "write_polynomial",
]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial: `terms` maps a tuple of exponents, one for each of `variables`, to a coefficient other than 0."""

    variables: tuple[str, ...]
    terms: Mapping[tuple[int, ...], Fraction]

    def __add__(self, other: Self | int | Fraction) -> "Polynomial":
        terms = dict(self.terms)
        for exponents, coefficient in _as_polynomial(self, other).terms.items():
            terms[exponents] = terms.get(exponents, Fraction(0)) + coefficient
        return _without_zeros(self.variables, terms)

    def __mul__(self, other: Self | int | Fraction) -> "Polynomial":
        terms: dict[tuple[int, ...], Fraction] = {}
        for left, a in self.terms.items():
            for right, b in _as_polynomial(self, other).terms.items():
                exponents = tuple(i + j for i, j in zip(left, right, strict=True))
                terms[exponents] = terms.get(exponents, Fraction(0)) + a * b
        return _without_zeros(self.variables, terms)

    def __neg__(self) -> "Polynomial":
        return self * -1

    def __sub__(self, other: Self | int | Fraction) -> "Polynomial":
        return self + -_as_polynomial(self, other)

    def __rsub__(self, other: int | Fraction) -> "Polynomial":
        return -self + other

    def __bool__(self) -> bool:
        return bool(self.terms)

    __radd__ = __add__
    __rmul__ = __mul__


def constant(variables: tuple[str, ...], value: int | Fraction) -> Polynomial:
    """Return the constant `value` as a polynomial in `variables`."""
    return _without_zeros(variables, {(0,) * len(variables): Fraction(value)})


def variable(variables: tuple[str, ...], name: str) -> Polynomial:
    """Return the variable `name`, one of `variables`, as a polynomial; ValueError when it is not among them."""
    place = variables.index(name)
    return Polynomial(variables, {tuple(int(i == place) for i in range(len(variables))): Fraction(1)})


def falling_factorial(x: Polynomial, count: int) -> Polynomial:
    """Return x(x − 1)…(x − count + 1), the number of ways to choose `count` different indices in order.

    >>> write_polynomial(falling_factorial(variable(("d",), "d"), 3))
    'd³ − 3d² + 2d'
    """
    result = constant(x.variables, 1)
    for i in range(count):
        result = result * (x - i)
    return result


def evaluate(p: Polynomial, values: Mapping[str, int | Fraction]) -> Fraction:
    """Return the value of `p` where each variable takes its value in `values`; KeyError when one is missing."""
    point = [Fraction(values[name]) for name in p.variables]
    return sum(
        (c * prod((x**i for x, i in zip(point, exponents, strict=True)), start=Fraction(1))
         for exponents, c in p.terms.items()),
        Fraction(0),
    )  # fmt: skip


def degree(p: Polynomial, name: str) -> int:
    """Return the degree of `p` in the variable `name`; 0 for the polynomial 0.

    >>> degree(falling_factorial(variable(("d",), "d"), 4), "d")
    4
    """
    place = p.variables.index(name)
    return max((exponents[place] for exponents in p.terms), default=0)


def coefficients(p: Polynomial) -> tuple[Fraction, ...]:
    """Return the coefficients of a polynomial in one variable, the constant first; ValueError for more variables.

    >>> [int(c) for c in coefficients(falling_factorial(variable(("d",), "d"), 3))]
    [0, 2, -3, 1]
    """
    (name,) = p.variables
    return tuple(p.terms.get((i,), Fraction(0)) for i in range(degree(p, name) + 1))


def write_polynomial(p: Polynomial) -> str:
    """Return `p` in plain text, the highest degree first.

    >>> x, y = (variable(("d", "rho"), name) for name in ("d", "rho"))
    >>> write_polynomial(x * x * y * y - x * y * y + x * Fraction(1, 2) - 1)
    'd²·rho² − d·rho² + (1/2)d − 1'
    """
    ordered = sorted(p.terms.items(), key=lambda term: (sum(term[0]), term[0]), reverse=True)
    pieces = [_write_term(p.variables, exponents, c, first=i == 0) for i, (exponents, c) in enumerate(ordered)]
    return " ".join(pieces) or "0"


def _write_term(variables: tuple[str, ...], exponents: tuple[int, ...], c: Fraction, *, first: bool) -> str:
    factors = [_write_power(name, i) for name, i in zip(variables, exponents, strict=True) if i]
    size = write_rational(abs(c))
    if factors and "/" in size:
        size = f"({size})"
    number = "" if factors and abs(c) == 1 else size
    sign = ("−" if c < 0 else "") if first else ("− " if c < 0 else "+ ")
    return sign + number + "·".join(factors)


def _write_power(name: str, exponent: int) -> str:
    if exponent == 1:
        return name
    power = str(exponent).translate(_SUPERSCRIPTS)
    return f"({name}){power}" if name.endswith("²") else name + power


def _as_polynomial(p: Polynomial, other: Polynomial | int | Fraction) -> Polynomial:
    if not isinstance(other, Polynomial):
        return constant(p.variables, other)
    if other.variables != p.variables:
        raise ValueError(f"polynomials must share their variables (got {p.variables} and {other.variables})")
    return other


def _without_zeros(variables: tuple[str, ...], terms: dict[tuple[int, ...], Fraction]) -> Polynomial:
    return Polynomial(variables, {exponents: c for exponents, c in terms.items() if c})
