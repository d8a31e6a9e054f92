"""The claims on softmax counted at exact rational points, for T = 2 … 6, sharing nothing with expressions or laws.

Why a full grid is a proof at its T.  With x = e^z > 0 and Z = Σ x, both sides of each identity below, multiplied by Z²,
are polynomials in x_1 … x_T of degree at most D = 2 in each variable: a_j Z = x_j, and the slope of x_j/Z along e_l,
which is x_l times its derivative by x_l, is a polynomial over Z².  A polynomial of degree at most D in each of its
variables that vanishes on a grid of D + 1 values a variable is 0 (one variable at a time).  Both sides keep their
value when x is scaled, so that x_T = 1 may be fixed.  Sides linear in G, or in H, Q and K each, are compared on unit
vectors, which span.  So agreement on {1, 2, 3}^(T−1) proves the identity at this T for all real scores; nothing is said
about another T.

Derivatives are not taken from a formula: a slope is carried along with each value, in fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import isqrt
from operator import mul

__all__ = ["COUNTED", "SIZES", "Count", "Miscount", "count", "frobenius_squared", "norm_infinity_to_one"]

SIZES = range(2, 7)
DEGREE = 2
WIDTH = 4
MOST_SUBSETS = 20


class Miscount(Exception):
    """A point at which a claim fails."""


@dataclass(frozen=True, slots=True)
class Count:
    """Say that a claim held at every point of a full grid: its T's, the number of points, and why that is enough."""

    claim: str
    sizes: tuple[int, ...]
    points: int
    reason: str


Row = tuple[Fraction, ...]
Matrix = tuple[Row, ...]

GRID = f"polynomials of degree at most {DEGREE} in each x_j (after clearing Z²) that agree on {DEGREE + 1} values each"


@cache
def _rows(T: int) -> tuple[tuple[Row, Row, Matrix], ...]:
    """Return every grid point x, its weights, and its Jacobian by slopes."""
    found = []
    for head in product(range(1, DEGREE + 2), repeat=T - 1):
        x = tuple(map(Fraction, (*head, 1)))
        total = sum(x)
        found.append((x, tuple(value / total for value in x), _jacobian(x)))
    return tuple(found)


def _jacobian(x: Row) -> Matrix:
    """Return ∂a_j/∂e_l at x = e^z: the slope of x_l is x_l, and slopes add, multiply and divide as they must."""
    total = sum(x, Fraction(0))
    columns = []
    for l, grown in enumerate(x):
        slopes = [grown if j == l else Fraction(0) for j in range(len(x))]
        total_slope = sum(slopes, Fraction(0))
        columns.append([_quotient_slope(x[j], slopes[j], total, total_slope) for j in range(len(x))])
    return tuple(zip(*columns, strict=True))


def _quotient_slope(over: Fraction, over_slope: Fraction, under: Fraction, under_slope: Fraction) -> Fraction:
    return (over_slope - over / under * under_slope) / under


def _hold(claim: str, x: Sequence[Fraction], left: object, right: object) -> None:
    if left != right:
        raise Miscount(f"{claim} fails at x = ({', '.join(map(str, x))}): {left} against {right}")


def _softmax(T: int) -> int:
    points = 0
    for x, a, _ in _rows(T):
        _hold("softmax", x, sum(a), 1)
        for factor in (2, 3):
            shifted = [factor * value for value in x]
            _hold("softmax", x, a, tuple(value / sum(shifted) for value in shifted))
        points += 1
    return points


def _ratio(T: int) -> int:
    for x, a, _ in _rows(T):
        for j, l in product(range(T), repeat=2):
            _hold("ratio", x, a[j] * x[l], a[l] * x[j])
    return len(_rows(T))


def _entrywise(T: int) -> int:
    for x, a, J in _rows(T):
        for j, l in product(range(T), repeat=2):
            _hold("jacobian", x, J[j][l], a[j] * (1 - a[j]) if j == l else -a[j] * a[l])
    return len(_rows(T))


def _closed_row(T: int) -> int:
    for x, a, J in _rows(T):
        crossed = sum(J[j][l] for j in range(T) for l in range(T) if j != l)
        _hold("closed-row", x, sum(J[j][j] for j in range(T)) - crossed, 2 * (1 - sum(value**2 for value in a)))
        _hold(
            "closed-row",
            x,
            all((entry > 0) == (j == l) for j, row in enumerate(J) for l, entry in enumerate(row)),
            True,
        )
    for c in range(T):
        closed = tuple(Fraction(j == c) for j in range(T))
        _hold("closed-row", closed, _jacobian(closed), tuple(tuple(Fraction(0) for _ in closed) for _ in closed))
    return len(_rows(T)) + T


def _what_dies(T: int) -> int:
    """Compare, at d = 4 (√d = 2), the loss Σ H∘QKᵀ/√d along each entry of Q and K with the two matrix products.

    The loss is linear in Q and in K, so its derivative along an entry is its value at that unit matrix.
    """
    points = 0
    units = [(spot, _unit(*spot, T, WIDTH)) for spot in product(range(T), range(WIDTH))]
    columns = {spot: tuple(zip(*matrix, strict=True)) for spot, matrix in units}
    for j, l in product(range(T), repeat=2):
        H = _unit(j, l, T, T)
        H_columns = tuple(zip(*H, strict=True))
        for (there, other), ((m, s), moved) in product(units, repeat=2):
            # `other` is the matrix, K or Q, that stays; `moved` is the entry (m, s) of the one that is moved.
            along_query = _dot(moved[j], other[l])
            along_key = _dot(other[j], moved[l])
            by_query = _dot(H[m], columns[there][s])
            by_key = _dot(H_columns[m], columns[there][s])
            if any((along_query, along_key, by_query, by_key)):
                _hold("what-dies", (), _halved(along_query), _halved(by_query))
                _hold("what-dies", (), _halved(along_key), _halved(by_key))
            points += 1
    return points


def _halved(value: int) -> Fraction:
    return Fraction(value, isqrt(WIDTH))


def _unit(row: int, column: int, rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(int((n, k) == (row, column)) for k in range(columns)) for n in range(rows))


def _dot(left: Sequence[int], right: Sequence[int]) -> int:
    return sum(map(mul, left, right))


def _cross_entropy(T: int) -> int:
    for x, a, J in _rows(T):
        for c, j in product(range(T), repeat=2):
            _hold("cross-entropy", x, -J[c][j], a[c] * (a[j] - (j == c)))
    return len(_rows(T))


def _sigmoid(T: int) -> int:
    """Compare at T = 2; the curve's bound is an identity in one weight."""
    if T != 2:
        return 0
    for x, a, J in _rows(T):
        _hold("sigmoid", x, a[0], 1 / (1 + x[1] / x[0]))
        _hold("sigmoid", x, J[0][0], a[0] * (1 - a[0]))
        _hold("sigmoid", x, Fraction(1, 4) - J[0][0], (a[0] - Fraction(1, 2)) ** 2)
    return len(_rows(T))


def _trace(T: int) -> int:
    for x, a, J in _rows(T):
        _hold("trace", x, sum(J[j][j] for j in range(T)), 1 - sum(value**2 for value in a))
    return len(_rows(T))


def _trace_range(T: int) -> int:
    top = 1 - Fraction(1, T)
    for x, a, J in _rows(T):
        trace = sum((J[j][j] for j in range(T)), Fraction(0))
        _hold("trace-range", x, trace, sum(a[j] * a[l] for j in range(T) for l in range(T) if j != l))
        _hold("trace-range", x, top - trace, sum((value - Fraction(1, T)) ** 2 for value in a))
    return len(_rows(T))


def _row_sums(T: int) -> int:
    for x, _, J in _rows(T):
        _hold("row-sums", x, [sum(row) for row in J], [0] * T)
        _hold("row-sums", x, J, tuple(zip(*J, strict=True)))
    return len(_rows(T))


def _gradient(T: int) -> int:
    for x, a, J in _rows(T):
        for n in range(T):
            G = [int(l == n) for l in range(T)]
            inner = sum(weight * g for weight, g in zip(a, G, strict=True))
            for j in range(T):
                _hold("gradient", x, sum(G[l] * J[l][j] for l in range(T) if G[l]), a[j] * (G[j] - inner))
    return len(_rows(T))


def _argmax(T: int) -> int:
    """Compare a_j − a_l with (x_j − x_l)/Z; and x² grows as x does, which is a division of the scores by √d_k = 2."""
    for x, a, _ in _rows(T):
        total = sum(x)
        for j in range(T):
            for l in range(j):
                _hold("argmax", x, (a[j] - a[l]) * total, x[j] - x[l])
                _hold("argmax", x, x[j] ** 2 < x[l] ** 2, x[j] < x[l])
    return len(_rows(T))


COUNTED: tuple[tuple[str, Callable[[int], int], str], ...] = (
    ("softmax", _softmax, GRID),
    ("ratio", _ratio, GRID),
    ("jacobian", _entrywise, GRID),
    (
        "closed-row",
        _closed_row,
        GRID + "; the sizes of all entries add up to 2(1 − Σa²), and every closed row gives the zero matrix",
    ),
    ("what-dies", _what_dies, "linear in dL/dE, Q and K each, compared on all unit matrices at d = 4"),
    ("cross-entropy", _cross_entropy, GRID + "; the logarithm's 1/a_c is multiplied out"),
    ("sigmoid", _sigmoid, GRID + "; 1/4 − a(1 − a) is the square of a − 1/2"),
    ("trace", _trace, GRID),
    ("trace-range", _trace_range, GRID + "; both differences are sums of products and of squares"),
    ("row-sums", _row_sums, GRID),
    ("gradient", _gradient, GRID + "; linear in G, compared on unit vectors"),
    ("argmax", _argmax, GRID + "; a_j − a_l has the sign of x_j − x_l"),
)


def count(claim: str) -> Count:
    """Count one claim by its id on all its grids; raise Miscount at the first point where it fails."""
    for name, at_size, reason in COUNTED:
        if name == claim:
            counts = [(T, at_size(T)) for T in SIZES]
            sizes = tuple(T for T, points in counts if points)
            return Count(claim, sizes, sum(points for _, points in counts), reason)
    raise KeyError(f"no claim on softmax is called {claim!r}")


def _subsets(values: Sequence[Fraction]) -> Iterator[Fraction]:
    for chosen in product((0, 1), repeat=len(values)):
        yield sum((value for value, taken in zip(values, chosen, strict=True) if taken), Fraction(0))


def frobenius_squared(a: Sequence[Fraction]) -> Fraction:
    """Return the squared Frobenius norm of the Jacobian at a row of weights, exactly.

    >>> frobenius_squared([Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
    Fraction(67, 324)
    """
    square, cube = (sum((Fraction(value) ** power for value in a), Fraction(0)) for power in (2, 3))
    return square - 2 * cube + square**2


def norm_infinity_to_one(a: Sequence[Fraction]) -> Fraction:
    """Return the ∞→1 norm of the Jacobian at a row of weights, exactly: max over subsets S of 4p(S)(1 − p(S)).

    For signs s = 1 on S and −1 off it, |Js|₁ = 4p(S)(1 − p(S)), and the largest |Jv|₁ over |v|∞ ≤ 1 is at signs.

    >>> norm_infinity_to_one([Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)])
    Fraction(1, 1)
    """
    if len(a) > MOST_SUBSETS:
        raise ValueError(f"all subsets are visited, which is for at most {MOST_SUBSETS} weights (got {len(a)})")
    return max(4 * p * (1 - p) for p in _subsets(list(map(Fraction, a))))
