"""What a reader assumes of the letters in a claim: laws, sizes, what is fixed, what is correlated; and laws by moments.

A law here is known by its moments, which are polynomials: numbers for a law of numbers (signs, poisson:5.2), formulas
where a parameter is a letter (uniform:-s,s, bernoulli:p, gaussian:0,σ^2).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial

from exact.coordinates import Coordinate, Finite, moment, read_coordinate, standard_moment, uniform_on
from exact.rationals import BadInput, read_rational, read_whole
from symbolic.polynomial import Polynomial, Rules, constant, minus, plus, power, scalar, times

__all__ = ["PLAIN", "Assumptions", "Law", "moment_law", "read_law", "shaped", "unknown_law"]

PLAIN = Rules({})
MOMENT_LIMIT = 48
_LETTER = re.compile(r"\s*(-|−)?\s*([^\W\d]\w*)\s*(?:\^\s*(\d)|(²))?\s*")
_ACCEPTED = (
    "signs, gaussian[:mean,variance], uniform:-a,b, laplace[:scale], bernoulli:p, poisson:mean, exponential:rate, "
    "die:faces, values:1,2,3, weights:0=1/2,1=1/2, unit-sphere"
)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is assumed beside the claim itself; everything left out takes the default of the field.

    `keys`, `query`: the law of each coordinate of a random vector, and of q alone ("same" for k = q, or the numbers of
    one fixed query).  `laws`: (name, law) for vectors and variables by name, going before both.  `rho`: E[q_r k_r], a
    number or a letter.  `mean`: the mean of every coordinate.  `width` and `sizes`: numbers for d and for other letters
    (n, d_model, h).  `fixed`: names that are not random; `vectors`: names that are vectors; `independent`: whether
    variables of different names are (None: not said); `symmetric`: whether matrices are (None: not said).
    """

    keys: str = ""
    query: str = ""
    laws: tuple[tuple[str, str], ...] = ()
    rho: str = ""
    mean: str = ""
    width: str = ""
    sizes: tuple[tuple[str, str], ...] = ()
    fixed: tuple[str, ...] = ()
    vectors: tuple[str, ...] = ()
    independent: bool | None = None
    symmetric: bool | None = None

    def law_text(self, name: str) -> str:
        """Return what is said of the law of a name, "" for nothing.

        >>> Assumptions(keys="signs", laws=(("w", "gaussian"),)).law_text("w")
        'gaussian'
        """
        own = dict(self.laws).get(name, "")
        if not own and name == "q" and self.query and self.query != "same":
            return self.query
        return own or self.keys


@dataclass(frozen=True, slots=True)
class Law:
    """The law of one coordinate: `moment(m)` is E[x^m]; `finite` is the list of its values where it has one.

    `known`: no moment is an unknown of its own.  `normalised`: the coordinates are those of a unit vector, in all
    directions alike, and `moment` is that of the Gaussian vector that it is the direction of.
    """

    text: str
    moment: Callable[[int], Polynomial]
    finite: Finite | None = None
    known: bool = True
    normalised: bool = False


def moment_law(coordinate: Coordinate, text: str) -> Law:
    """Return a law of numbers."""

    def at(order: int) -> Polynomial:
        return constant(moment(coordinate, _checked(order)))

    return Law(text, at, coordinate if isinstance(coordinate, Finite) else None)


def shaped(family: str, mean: Polynomial, variance: Polynomial, text: str) -> Law:
    """Return the law of a shape (sign, gaussian, uniform, laplace) with a mean and a variance that may be formulas."""

    def central(order: int) -> Polynomial:
        size = standard_moment(family, order)  # type: ignore[arg-type] # callers pass one of the four shapes
        return times(constant(size), power(variance, order // 2, PLAIN), PLAIN)

    return Law(text, _shifted(mean, central))


def unknown_law(name: str, variance: Polynomial, text: str, central: Callable[[int], Polynomial] | None = None) -> Law:
    """Return a centred law of which the variance alone is known: its higher moments are letters of their own."""

    def at(order: int) -> Polynomial:
        if order < 3:
            return (constant(Fraction(1)), {}, variance)[order]
        return central(order) if central else scalar(f"E[{name}^{_checked(order)}]")

    return Law(text, at, known=central is not None)


def read_law(text: str) -> Law:
    """Return the law that a person names; a parameter may be a letter.

    >>> from symbolic.averages.assumptions import read_law
    >>> read_law("uniform:-s,s").moment(2)
    {Term(scalars=(('s', Fraction(2, 1)),), entries=(), sums=()): Fraction(1, 3)}
    >>> read_law("cauchy")
    Traceback (most recent call last):
    exact.rationals.BadInput: 'cauchy' is not a law; accepted: signs, gaussian[:mean,variance], uniform:-a,b, ...
    """
    name, colon, rest = text.strip().partition(":")
    name = name.strip().lower()
    parts = [part.strip() for part in rest.split(",")] if colon else []
    name = {"rademacher": "signs", "sign": "signs", "normal": "gaussian", "n": "gaussian", "u": "uniform",
            "uniform-on": "values", "unif": "uniform", "normalized": "normalised", "sphere": "normalised",
            "unit-sphere": "normalised", "coin": "bernoulli", "exp": "exponential"}.get(name, name)  # fmt: skip
    if name == "signs" and not parts:
        return moment_law(read_coordinate("sign"), "signs")
    if name == "normalised" and not parts:
        gaussian = shaped("gaussian", {}, constant(Fraction(1)), "unit-sphere")
        return Law("unit-sphere", gaussian.moment, normalised=True)
    if name == "die" and len(parts) == 1:
        return moment_law(uniform_on(range(1, read_whole("the faces of a die", parts[0], 1, 1000) + 1)), text.strip())
    if name in ("values", "weights"):
        return moment_law(read_coordinate(f"{name}:{rest}"), text.strip())
    made = _parametric(name, [_parameter(part) for part in parts], text.strip())
    if made is None:
        raise BadInput(f"{text.strip()[:40]!r} is not a law; accepted: {_ACCEPTED}")
    return made


def _parametric(name: str, given: list[Polynomial], text: str) -> Law | None:
    one: Polynomial = constant(Fraction(1))
    if name == "gaussian" and len(given) in (0, 2):
        mean, variance = given or ({}, one)
        if variance and all(c < 0 for c in variance.values()):
            raise BadInput(f"a variance must be at least 0 (in {text!r})")
        return shaped("gaussian", mean, variance, text)
    if name == "uniform" and len(given) in (1, 2):
        low, high = given if len(given) == 2 else (minus({}, given[0]), given[0])

        def uniform(m: int) -> Polynomial:
            pieces = [times(power(low, i, PLAIN), power(high, m - i, PLAIN), PLAIN) for i in range(_checked(m) + 1)]
            return times(constant(Fraction(1, m + 1)), plus(*pieces), PLAIN)

        return Law(text, uniform)
    if name == "laplace" and len(given) < 2:
        scale = given[0] if given else one
        return shaped("laplace", {}, times(constant(Fraction(2)), times(scale, scale, PLAIN), PLAIN), text)
    if name == "bernoulli" and len(given) == 1:
        return _bernoulli(given[0], text)
    if name == "poisson" and len(given) == 1:
        return Law(text, lambda order: _poisson(given[0], _checked(order)))
    if name == "exponential" and len(given) == 1 and len(given[0]) == 1:
        ((term, c),) = given[0].items()
        inverse = {term._replace(scalars=tuple((letter, -e) for letter, e in term.scalars)): 1 / c}
        return Law(text, lambda m: times(constant(Fraction(factorial(m))), power(inverse, m, PLAIN), PLAIN))
    return None


def _bernoulli(p: Polynomial, text: str) -> Law:
    (number,) = p.values() if len(p) == 1 else (Fraction(0),)
    if p == constant(number):
        return moment_law(read_coordinate(f"bernoulli:{number}"), text)
    return Law(text, lambda order: p if order else constant(Fraction(1)))


def _poisson(rate: Polynomial, order: int) -> Polynomial:
    """E[x^(m+1)] = λ Σ_j C(m, j) E[x^j]."""
    found: list[Polynomial] = [constant(Fraction(1))]
    for m in range(order):
        pieces = [times(constant(Fraction(comb(m, j))), found[j], PLAIN) for j in range(m + 1)]
        found.append(times(rate, plus(*pieces), PLAIN))
    return found[order]


def _shifted(mean: Polynomial, central: Callable[[int], Polynomial]) -> Callable[[int], Polynomial]:
    def at(order: int) -> Polynomial:
        return plus(
            *(
                times(times(constant(Fraction(comb(_checked(order), i))), central(i), PLAIN),
                      power(mean, order - i, PLAIN), PLAIN)
                for i in range(order + 1)
                if mean or i == order
            )
        )  # fmt: skip

    return at


def _parameter(text: str) -> Polynomial:
    """Read a number, or a letter with a sign and a small power."""
    match = _LETTER.fullmatch(text)
    if not match:
        return constant(read_rational(text))
    exponent = int(match[3] or (2 if match[4] else 1))
    return times(constant(Fraction(-1 if match[1] else 1)), scalar(match[2], Fraction(exponent)), PLAIN)


def _checked(order: int) -> int:
    return read_whole("the order of a moment", order, 0, MOMENT_LIMIT)
