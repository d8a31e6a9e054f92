"""The joint law of one pair (q_r, k_r), and the law of its term t_r = q_r k_r.

Imports the standard library, exact.rationals and exact.coordinates only.

>>> term_moments(Independent(gaussian(), gaussian()), 4)[4], term_moments(Same(gaussian()), 2)
(Fraction(9, 1), (Fraction(1, 1), Fraction(1, 1), Fraction(3, 1)))
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

from exact.coordinates import ATOM_LIMIT, ORDER_LIMIT, Coordinate, Finite, finite, gaussian, moments
from exact.rationals import BadInput, abbreviate, add_exactly, read_rational, read_whole

__all__ = [
    "GaussianPair",
    "Independent",
    "Joint",
    "Pair",
    "Same",
    "correlated_gaussians",
    "correlated_signs",
    "limit_digits",
    "term_law",
    "term_moments",
]

MOMENT_DIGITS: Final = 20_000

_Number = int | str | Fraction


@dataclass(frozen=True, slots=True)
class Independent:
    """q_r and k_r independent, each with its own law."""

    q: Coordinate
    k: Coordinate


@dataclass(frozen=True, slots=True)
class Same:
    """k_r = q_r: a vector against itself."""

    q: Coordinate


@dataclass(frozen=True, slots=True)
class Joint:
    """A finite joint law: `atoms` are (q_r, k_r, weight)."""

    name: str
    atoms: tuple[tuple[Fraction, Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True)
class GaussianPair:
    """q_r and k_r jointly Gaussian."""

    mean_q: Fraction
    mean_k: Fraction
    variance_q: Fraction
    variance_k: Fraction
    covariance: Fraction


Pair = Independent | Same | Joint | GaussianPair


def correlated_signs(rho: _Number) -> Joint:
    """Return two fair signs that agree with probability (1 + ρ)/2, so that E[q_r k_r] = ρ; −1 ≤ ρ ≤ 1.

    >>> term_moments(correlated_signs("1/2"), 2)
    (Fraction(1, 1), Fraction(1, 2), Fraction(1, 1))
    """
    rho = _read_correlation(rho)
    atoms = ((Fraction(q), Fraction(k), (1 + q * k * rho) / 4) for q, k in product((-1, 1), repeat=2))
    return Joint("correlated signs", tuple(atom for atom in atoms if atom[2]))


def correlated_gaussians(rho: _Number) -> GaussianPair:
    """Return two standard Gaussians with correlation ρ; −1 ≤ ρ ≤ 1.

    >>> term_moments(correlated_gaussians("1/2"), 2)[2]
    Fraction(3, 2)
    """
    return GaussianPair(Fraction(0), Fraction(0), Fraction(1), Fraction(1), _read_correlation(rho))


def term_moments(pair: Pair, order: int) -> tuple[Fraction, ...]:
    """Return E[t^m] for m = 0, 1, …, order, where t = q_r k_r; BadInput where they would have too many digits."""
    order = read_whole("order", order, 0, ORDER_LIMIT // 2)
    if order > 2:
        limit_digits(term_moments(pair, 2)[2], order)
    if isinstance(pair, Independent):
        both = zip(moments(pair.q, order), moments(pair.k, order), strict=True)
        return tuple(a * b for a, b in both)
    if isinstance(pair, Same):
        return moments(pair.q, 2 * order)[::2]
    if isinstance(pair, GaussianPair):
        return _gaussian_term_moments(pair, order)
    return tuple(add_exactly(w * (q * k) ** m for q, k, w in pair.atoms) for m in range(order + 1))


def limit_digits(second: Fraction, order: int) -> None:
    """Raise BadInput where the moment of an order, judged from the second one, is too long to work with."""
    digits = max(second.numerator.bit_length(), second.denominator.bit_length()) * 3 // 10 * order // 2
    if digits > MOMENT_DIGITS:
        raise BadInput(
            f"moments have at most some {MOMENT_DIGITS} digits (order {order} has {digits} here); "
            "take a lower order, or smaller numbers"
        )


def term_law(pair: Pair) -> Finite | None:
    """Return the law of t = q_r k_r when it is a finite list, and None when the pair is known by its moments only.

    >>> term_law(Same(finite([(-2, "1/2"), (2, "1/2")])))
    Finite(name='term', atoms=((Fraction(4, 1), Fraction(1, 1)),))
    """
    if isinstance(pair, Joint):
        return finite([(q * k, w) for q, k, w in pair.atoms], "term")
    if isinstance(pair, Same) and isinstance(pair.q, Finite):
        return finite([(q * q, w) for q, w in pair.q.atoms], "term")
    if isinstance(pair, Independent) and isinstance(pair.q, Finite) and isinstance(pair.k, Finite):
        if len(pair.q.atoms) * len(pair.k.atoms) > ATOM_LIMIT:
            raise BadInput(f"a law must have at most {ATOM_LIMIT} values (q_r k_r would list more)")
        return finite([(q * k, v * w) for q, v in pair.q.atoms for k, w in pair.k.atoms], "term")
    return None


def _gaussian_term_moments(pair: GaussianPair, order: int) -> tuple[Fraction, ...]:
    """Stein: E[q·f] = μ E[f] + σ² E[∂f/∂q] + c E[∂f/∂k], with f = q^(a−1) k^b, fills the table E[q^a k^b]."""
    table = [list(moments(gaussian(pair.mean_k, pair.variance_k), order))]
    for a in range(1, order + 1):
        row = []
        for b in range(order + 1):
            value = pair.mean_q * table[a - 1][b]
            if a > 1:
                value += (a - 1) * pair.variance_q * table[a - 2][b]
            if b > 0:
                value += b * pair.covariance * table[a - 1][b - 1]
            row.append(value)
        table.append(row)
    return tuple(table[m][m] for m in range(order + 1))


def _read_correlation(value: _Number) -> Fraction:
    rho = read_rational(value)
    if abs(rho) > 1:
        raise BadInput(f"a correlation must be from −1 to 1 (got {abbreviate(rho)})")
    return rho
