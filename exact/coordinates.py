"""The law of one coordinate: exact moments of every order.

Imports the standard library and exact.rationals only.

==================  ==================================================================
one coordinate      `sign`, `two_point`, `uniform_on`, `finite`, `bernoulli` (finite lists)
                    `gaussian`, `uniform_interval`, `laplace` (known by their moments)
its moments         `moment`, `moments`, `mean`, `variance`
its hypotheses      `is_centred`, `is_unit`, `is_symmetric`
as people write it  `read_coordinate`
==================  ==================================================================

>>> mean(bernoulli("1/2")), variance(bernoulli("1/2"))
(Fraction(1, 2), Fraction(1, 4))
>>> variance(uniform_interval(1)), moment(gaussian(), 6)
(Fraction(1, 3), Fraction(15, 1))
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial
from typing import Literal

from exact.rationals import BadInput, abbreviate, add_exactly, common_denominator, read_rational, read_whole

__all__ = [
    "ATOM_LIMIT",
    "ORDER_LIMIT",
    "Continuous",
    "Coordinate",
    "Family",
    "Finite",
    "affine",
    "bernoulli",
    "finite",
    "gaussian",
    "is_centred",
    "is_symmetric",
    "is_unit",
    "laplace",
    "mean",
    "moment",
    "moments",
    "read_coordinate",
    "sign",
    "standard_moment",
    "two_point",
    "uniform_interval",
    "uniform_on",
    "variance",
]

ORDER_LIMIT = 400  # k = q takes moments of twice the order that a score is asked for
ATOM_LIMIT = 1000
_Number = int | str | Fraction

Family = Literal["sign", "gaussian", "uniform", "laplace"]


@dataclass(frozen=True, slots=True)
class Finite:
    """A finite list of values with their weights: `atoms` are (value, weight), values increasing, weights positive."""

    name: str
    atoms: tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Continuous:
    """A law known by its moments: symmetric about its mean, of the shape `family`, with this variance."""

    name: str
    family: Family
    mean: Fraction
    variance: Fraction


Coordinate = Finite | Continuous


def finite(atoms: Iterable[tuple[_Number, _Number]], name: str = "finite") -> Finite:
    """Return the law that gives each value its weight; equal values are merged and weights of 0 dropped.

    Raises `BadInput` when a weight is negative or the weights do not add to 1.

    >>> finite([(0, "1/2"), (1, "1/3")])
    Traceback (most recent call last):
    exact.rationals.BadInput: weights must add to 1 (these add to 5/6)
    """
    merged: dict[Fraction, Fraction] = {}
    for count, (value, weight) in enumerate(atoms):
        if count >= ATOM_LIMIT:
            raise BadInput(f"a law must have at most {ATOM_LIMIT} values")
        x, w = read_rational(value), read_rational(weight)
        if w < 0:
            raise BadInput(f"weights must not be negative (the weight of {abbreviate(x)} is {abbreviate(w)})")
        merged[x] = merged.get(x, Fraction(0)) + w
    common_denominator(merged)
    common_denominator(merged.values())
    total = add_exactly(merged.values())
    if total != 1:
        raise BadInput(f"weights must add to 1 (these add to {abbreviate(total)})")
    return Finite(name, tuple(sorted((x, w) for x, w in merged.items() if w)))


def sign() -> Finite:
    """Return the fair sign: −1 or 1."""
    return finite([(-1, "1/2"), (1, "1/2")], "sign")


def two_point(a: _Number, b: _Number, weight_of_b: _Number = "1/2") -> Finite:
    """Return the law on `a` and `b` in which `b` has the weight given; the weight is from 0 to 1.

    >>> mean(two_point(-2, 1, "2/3"))
    Fraction(0, 1)
    """
    w = _read_probability("the weight of b", weight_of_b)
    return finite([(a, 1 - w), (b, w)], "two-point")


def bernoulli(p: _Number) -> Finite:
    """Return the law of a coin that shows 1 with probability `p`, from 0 to 1, and 0 otherwise."""
    p = _read_probability("p", p)
    return finite([(0, 1 - p), (1, p)], "bernoulli")


def uniform_on(values: Sequence[_Number]) -> Finite:
    """Return the law in which every entry of `values`, repeated or not, has the same weight; at least one entry."""
    if not values:
        raise BadInput("a list of values must not be empty")
    return finite([(x, Fraction(1, len(values))) for x in values], "uniform on a list")


def gaussian(mean: _Number = 0, variance: _Number = 1) -> Continuous:
    """Return the Gaussian with this mean and variance, variance ≥ 0."""
    return Continuous("gaussian", "gaussian", read_rational(mean), _read_variance(variance))


def uniform_interval(half_width: _Number) -> Continuous:
    """Return the uniform law on [−a, a], a ≥ 0 the half-width: its variance is a²/3, not a²."""
    a = read_rational(half_width)
    if a < 0:
        raise BadInput(f"a half-width must be at least 0 (got {abbreviate(a)})")
    return Continuous("uniform", "uniform", Fraction(0), a * a / 3)


def laplace(scale: _Number = 1) -> Continuous:
    """Return the Laplace law of density exp(−|x|/b)/2b, b ≥ 0 the scale: its variance is 2b²."""
    b = read_rational(scale)
    if b < 0:
        raise BadInput(f"a scale must be at least 0 (got {abbreviate(b)})")
    return Continuous("laplace", "laplace", Fraction(0), 2 * b * b)


def affine(coordinate: Coordinate, scale: _Number = 1, shift: _Number = 0) -> Coordinate:
    """Return the law of scale·x + shift.

    >>> mean(affine(sign(), shift=1)), variance(affine(sign(), scale=3, shift=1))
    (Fraction(1, 1), Fraction(9, 1))
    """
    a, b = read_rational(scale), read_rational(shift)
    if isinstance(coordinate, Finite):
        return finite([(a * x + b, w) for x, w in coordinate.atoms], coordinate.name)
    return Continuous(coordinate.name, coordinate.family, a * coordinate.mean + b, a * a * coordinate.variance)


def standard_moment(family: Family, order: int) -> Fraction:
    """Return E[x^order] for the law of this shape with mean 0 and variance 1.

    Signs 1; Gaussian 1·3·5…(m − 1); uniform 3^(m/2)/(m + 1); Laplace m!/2^(m/2); 0 at every odd order m.

    >>> [int(standard_moment("gaussian", m)) for m in range(9)]
    [1, 0, 1, 0, 3, 0, 15, 0, 105]
    """
    half, odd = divmod(order, 2)
    if odd:
        return Fraction(0)
    if family == "sign":
        return Fraction(1)
    if family == "gaussian":
        return Fraction(factorial(order), 2**half * factorial(half))
    if family == "uniform":
        return Fraction(3**half, order + 1)
    return Fraction(factorial(order), 2**half)


def moment(coordinate: Coordinate, order: int) -> Fraction:
    """Return E[x^order], order ≥ 0."""
    return _moment(coordinate, read_whole("order", order, 0, ORDER_LIMIT))


def moments(coordinate: Coordinate, order: int) -> tuple[Fraction, ...]:
    """Return E[x^m] for m = 0, 1, …, order."""
    return tuple(_moment(coordinate, m) for m in range(read_whole("order", order, 0, ORDER_LIMIT) + 1))


def mean(coordinate: Coordinate) -> Fraction:
    """Return E[x]."""
    return moment(coordinate, 1)


def variance(coordinate: Coordinate) -> Fraction:
    """Return E[x²] − E[x]²."""
    return moment(coordinate, 2) - moment(coordinate, 1) ** 2


def is_centred(coordinate: Coordinate) -> bool:
    """Return whether E[x] = 0."""
    return mean(coordinate) == 0


def is_unit(coordinate: Coordinate) -> bool:
    """Return whether E[x²] = 1, typical size 1."""
    return moment(coordinate, 2) == 1


def is_symmetric(coordinate: Coordinate) -> bool:
    """Return whether x and −x have the same law."""
    if isinstance(coordinate, Continuous):
        return coordinate.mean == 0
    weights = dict(coordinate.atoms)
    return all(weights.get(-x) == w for x, w in coordinate.atoms)


def read_coordinate(text: str) -> Coordinate:
    """Return the law that a person names: a name, then its numbers after a colon, between commas.

    sign or signs · gaussian[:mean,variance] · uniform:half-width · laplace[:scale] · bernoulli:p ·
    values:1,2,3 · weights:0=1/3,1=1/6,5=1/2

    >>> read_coordinate("weights:0=1/3,1=1/6,5=1/2").atoms[2]
    (Fraction(5, 1), Fraction(1, 2))
    >>> read_coordinate("cauchy")
    Traceback (most recent call last):
    exact.rationals.BadInput: 'cauchy' is not a law; accepted: sign, gaussian:mean,variance, uniform:half-width, ...
    """
    name, colon, rest = text.strip().partition(":")
    name = name.strip().lower()
    numbers = [part.strip() for part in rest.split(",")] if colon else []
    if name == "values":
        return uniform_on(numbers)
    if name == "weights":
        pairs = [part.partition("=") for part in numbers]
        return finite([(value, weight) for value, _, weight in pairs])
    makers = {"sign": (sign, 0, 0), "signs": (sign, 0, 0), "gaussian": (gaussian, 0, 2), "laplace": (laplace, 0, 1),
              "uniform": (uniform_interval, 1, 1), "bernoulli": (bernoulli, 1, 1)}  # fmt: skip
    if name not in makers:
        raise BadInput(
            f"{name[:40]!r} is not a law; accepted: sign, gaussian:mean,variance, uniform:half-width, laplace:scale, "
            "bernoulli:p, values:1,2,3, weights:0=1/2,1=1/2"
        )
    maker, low, high = makers[name]
    if not low <= len(numbers) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise BadInput(f"{name} takes {wanted} numbers after a colon (got {len(numbers)})")
    law: Coordinate = maker(*numbers)  # type: ignore[operator] # the table above fixes how many numbers go in
    return law


def _moment(coordinate: Coordinate, order: int) -> Fraction:
    if isinstance(coordinate, Finite):
        return add_exactly(w * x**order for x, w in coordinate.atoms)
    return add_exactly(
        comb(order, i) * coordinate.mean ** (order - i) * standard_moment(coordinate.family, i)
        * coordinate.variance ** (i // 2)
        for i in range(0, order + 1, 2)
    )  # fmt: skip


def _read_probability(name: str, value: _Number) -> Fraction:
    p = read_rational(value)
    if not 0 <= p <= 1:
        raise BadInput(f"{name} must be from 0 to 1 (got {abbreviate(p)})")
    return p


def _read_variance(value: _Number) -> Fraction:
    v = read_rational(value)
    if v < 0:
        raise BadInput(f"a variance must be at least 0 (got {abbreviate(v)})")
    return v
