"""Proposes pairings for the kernel.  Nothing here is trusted: a wrong proposal is rejected.

Every proposal rests on the pairing of the lesson: change the sign of one coordinate that stands in the term an odd
number of times, and nothing else.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

from exact.kernel import Coordinates, Expansion, Interpolation, MomentAt, MomentEverywhere, PairingFlip, PairingTable

__all__ = ["expansion", "flip", "interpolation", "moment_at", "moment_everywhere", "table"]


def _first_odd(term: Coordinates) -> int:
    """Return the first coordinate that stands in the term an odd number of times, or ValueError."""
    for r in term:
        if term.count(r) % 2:
            return r
    raise ValueError(f"the term {term} is a square: no pairing changes its sign")


def flip(term: Coordinates, width: int | None = None) -> PairingFlip:
    """Propose the pairing that cancels a term at one width or, without one, at every width.

    >>> flip((0, 1))
    PairingFlip(width=None, term=(0, 1), flip=(0,))
    """
    return PairingFlip(width, term, (_first_odd(term),))


def table(width: int, term: Coordinates) -> PairingTable:
    """Propose the same pairing written out, a partner for each of the 2^width vectors; width ≤ 20.

    >>> table(2, (0, 1)).partner
    (1, 0, 3, 2)
    """
    bit = 1 << _first_odd(term)
    return PairingTable(width, term, tuple(k ^ bit for k in range(1 << width)))


def moment_at(query: Sequence[int | Fraction], order: int) -> MomentAt:
    """Propose the pairings for E[e^order] with a given query of integers or fractions; order ≥ 1.

    Its characters are the sets of order, order − 2, … coordinates in which q is not 0.

    >>> moment_at((3, -1), 2).flips
    (((0, 1), (0,)),)
    """
    used = [r for r, x in enumerate(query) if x]
    characters = (c for j in range(order, 0, -2) for c in combinations(used, j))
    return MomentAt(tuple(map(Fraction, query)), order, tuple((c, c[:1]) for c in characters))


def moment_everywhere(order: int, alpha: Fraction = Fraction(0)) -> MomentEverywhere:
    """Propose the pairings for E[(e/d^alpha)^order] at every width: flip the first coordinate of each character."""
    return MomentEverywhere(order, tuple((j, (0,)) for j in range(order, 0, -2)), alpha)


def expansion() -> Expansion:
    """Propose e² = d + 2 Σ_{r<s} t_r t_s."""
    return Expansion(2, ((0, 1), (0,), (2,)))


def interpolation(order: int) -> Interpolation:
    """Propose the power sums of the scores at widths 1 … order + 1, by counting agreements: C(d, m) vectors have m."""
    totals = ((d, sum(comb(d, m) * (2 * m - d) ** order for m in range(d + 1))) for d in range(1, order + 2))
    return Interpolation(order, order, tuple(totals))
