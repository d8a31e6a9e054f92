"""The sign cube {−1,1}^d.

A vector is an integer: bit r is set exactly where coordinate r is −1.  So 0 is (1, …, 1), flipping a coordinate is one
XOR, and the agreements of two sign vectors are the bits in which they do not differ.  Standard library and
more-itertools only.

>>> signs(0b101, 3)
(-1, 1, -1)
>>> score((3, -1, 2), 0b101)
Fraction(-6, 1)
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from more_itertools import gray_product

__all__ = ["agreements", "flip", "gray_walk", "index", "score", "signs", "walk"]


def _checked(k: int, d: int) -> None:
    if d < 1:
        raise ValueError(f"width must be at least 1 (got {d})")
    if not 0 <= k < 1 << d:
        raise ValueError(f"a vector of width {d} is an integer from 0 to 2^{d} − 1 (got {k})")


def signs(k: int, d: int) -> tuple[int, ...]:
    """Return vector k as d entries of +1 or −1; 0 ≤ k < 2^d, or ValueError."""
    _checked(k, d)
    return tuple(-1 if k >> r & 1 else 1 for r in range(d))


def index(vector: Iterable[int]) -> int:
    """Return the integer that stands for a vector of signs, or ValueError at the first entry that is no sign.

    >>> index((-1, 1, -1))
    5
    """
    k = 0
    for r, sign in enumerate(vector):
        if sign not in (-1, 1):
            raise ValueError(f"entry {r} must be −1 or 1 (got {sign})")
        k |= (sign < 0) << r
    return k


def flip(k: int, r: int) -> int:
    """Return k with the sign of coordinate r changed and nothing else; r ≥ 0.

    >>> signs(flip(0, 1), 3)
    (1, -1, 1)
    """
    return k ^ 1 << r


def agreements(q: int, k: int, d: int) -> int:
    """Count the coordinates in which two sign vectors of width d agree.

    With m agreements the score is m − (d − m) = 2m − d:

    >>> q, k = index((1, -1, 1, 1)), index((1, -1, 1, -1))
    >>> m = agreements(q, k, 4)
    >>> m, 2 * m - 4, score(signs(q, 4), k)
    (3, 2, Fraction(2, 1))
    """
    _checked(q, d)
    _checked(k, d)
    return d - (q ^ k).bit_count()


def score(q: Sequence[int | Fraction], k: int) -> Fraction:
    """Return e = Σ_r q_r k_r for a query of d integers or fractions and vector k of the same width."""
    _checked(k, len(q))
    return sum((-Fraction(x) if k >> r & 1 else Fraction(x) for r, x in enumerate(q)), Fraction(0))


def walk(d: int) -> Iterator[tuple[int, ...]]:
    """Visit all 2^d vectors in lexicographic order, +1 before −1, one at a time; d ≥ 1.

    >>> list(walk(2))
    [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    """
    _checked(0, d)
    return product((1, -1), repeat=d)


def gray_walk(d: int) -> Iterator[tuple[int, ...]]:
    """Visit all 2^d vectors so that each differs from the one before in a single sign; d ≥ 1.

    >>> list(gray_walk(2))
    [(1, 1), (-1, 1), (-1, -1), (1, -1)]
    """
    _checked(0, d)
    return gray_product(*[(1, -1)] * d)
