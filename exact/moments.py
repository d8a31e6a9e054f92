"""Moments of a score e = t_1 + … + t_d, exactly: at a width, and as polynomials in d for every width.

Imports the standard library and the exact modules above it only.

**E[e^m] is a polynomial in d of degree at most m**, when the terms t_r are independent and share one law.

1. Expand: e^m = Σ t_{r_1} t_{r_2} … t_{r_m} over all the tuples (r_1, …, r_m) of indices from 1 to d.
2. Group the tuples by which of their places hold equal indices.  That is a set partition π of the m places, and π does
   not depend on d: there are finitely many, for every d.
3. With π of j blocks, a tuple is a choice of j different indices in order: there are d(d − 1)…(d − j + 1) of them, a
   falling factorial, which is a polynomial in d of degree j (and is 0, rightly, when d < j).
4. Each of those tuples has the same expectation: different indices are independent, so it is the product over the
   blocks of E[t^size], a constant c_π that does not depend on d.

So E[e^m] = Σ_π c_π · d(d − 1)…(d − |π| + 1), and |π| ≤ m.  If moreover E[t] = 0, a block of one place makes c_π = 0,
so that |π| ≤ m/2 and the degree is at most m/2.  A polynomial of degree at most m that agrees with exhaustive counts at
m + 1 widths is therefore right at every width.

==========================  ==============================================================================
`score_moments`             E[e^m] at a width, for m = 0 … order       (power recurrence)
`central_moments`           E[(e − E e)^m] at a width                  (the same, on centred terms)
`moment_polynomial`         E[e^m] as a polynomial in d                (the proof above, grouped by |π|)
`central_polynomial`        E[(e − E e)^m] as a polynomial in d
`coincidence_patterns`      the set partitions of step 2, a line for each list of block sizes (`count_patterns` of them)
`cumulants`                 of one term; those of e are d times as large
`moments_from_cumulants`    back again
`query_moments`             E[e^m] for a fixed q                       (cumulants and power sums)
`query_polynomial`          the same as a polynomial in p_n = Σ_r q_r^n
`kurtosis`                  3 + c/d, with the constant c
`absolute_mean`             E|e| for signs, and `absolute_mean_bounds` on its limit
==========================  ==============================================================================

>>> from exact.coordinates import gaussian, sign
>>> from exact.polynomials import write_polynomial
>>> from exact.terms import Independent
>>> signs, gaussians = Independent(sign(), sign()), Independent(gaussian(), gaussian())
>>> print(*(write_polynomial(moment_polynomial(signs, m)) for m in (2, 4, 6)), sep=" ; ")
d ; 3d² − 2d ; 15d³ − 30d² + 16d
>>> write_polynomial(moment_polynomial(gaussians, 4))
'3d² + 6d'
>>> score_moments(signs, 10**6, 4)[4]
Fraction(2999998000000, 1)
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial
from typing import TypeVar

from exact.coordinates import Coordinate, moments
from exact.polynomials import Polynomial, constant, variable
from exact.rationals import BadInput, add_exactly, common_denominator, read_rational, read_whole
from exact.terms import Pair, limit_digits, term_moments

__all__ = [
    "ORDER_LIMIT",
    "POLYNOMIAL_ORDER_LIMIT",
    "QUERY_LIMIT",
    "WIDTH_LIMIT",
    "Kurtosis",
    "Pattern",
    "absolute_mean",
    "absolute_mean_bounds",
    "central_moments",
    "central_polynomial",
    "centre",
    "coincidence_patterns",
    "count_patterns",
    "cumulants",
    "kurtosis",
    "moment_polynomial",
    "moments_from_cumulants",
    "partition_polynomial",
    "query_moments",
    "query_polynomial",
    "score_cumulants",
    "score_moments",
]

ORDER_LIMIT = 200
POLYNOMIAL_ORDER_LIMIT = 60
WIDTH_LIMIT = 10**9
QUERY_LIMIT = 10**6
_Number = int | str | Fraction
R = TypeVar("R", Fraction, Polynomial)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A way for m indices to coincide: the sizes of the blocks, and how many set partitions have those sizes."""

    sizes: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Kurtosis:
    """E[(e − E e)⁴]/Var(e)² at every width: 3 + `excess`/d, whose limit is 3, a Gaussian's."""

    excess: Fraction
    limit: Fraction = Fraction(3)


def score_moments(pair: Pair, width: int, order: int) -> tuple[Fraction, ...]:
    """Return E[e^m] for m = 0, 1, …, order, where e is a sum of `width` independent terms q_r k_r.

    Width 1 to 10^9, order 0 to 200.  The moments of e are those of M(x)^d, M the generating function of one term; for
    two signs it is (cosh x)^d.

    >>> from exact.coordinates import sign
    >>> from exact.terms import Same
    >>> [int(x) for x in score_moments(Same(sign()), 5, 3)]           # k = q: e = d, always
    [1, 5, 25, 125]
    """
    width, order = _read_width(width), _read_order(order, ORDER_LIMIT)
    return _power_moments(term_moments(pair, order), width)


def central_moments(pair: Pair, width: int, order: int) -> tuple[Fraction, ...]:
    """Return E[(e − E e)^m] for m = 0, 1, …, order, with the limits of `score_moments`.

    >>> from exact.coordinates import affine, sign
    >>> from exact.terms import Independent
    >>> biased = affine(sign(), shift=1)                              # mean 1, variance 1
    >>> int(central_moments(Independent(biased, biased), 10, 2)[2])   # 3d, not d
    30
    """
    width, order = _read_width(width), _read_order(order, ORDER_LIMIT)
    return _power_moments(centre(term_moments(pair, order)), width)


def moment_polynomial(pair: Pair, order: int) -> Polynomial:
    """Return E[e^order] as a polynomial in d that holds at every width; order 0 to 60.

    >>> from exact.polynomials import write_polynomial
    >>> from exact.terms import correlated_gaussians, correlated_signs
    >>> print(*(write_polynomial(moment_polynomial(p("1/2"), 2)) for p in (correlated_signs, correlated_gaussians)))
    (1/4)d² + (3/4)d (1/4)d² + (5/4)d
    """
    order = _read_order(order, POLYNOMIAL_ORDER_LIMIT)
    return partition_polynomial(term_moments(pair, order))


def central_polynomial(pair: Pair, order: int) -> Polynomial:
    """Return E[(e − E e)^order] as a polynomial in d that holds at every width; order 0 to 60."""
    order = _read_order(order, POLYNOMIAL_ORDER_LIMIT)
    return partition_polynomial(centre(term_moments(pair, order)))


def partition_polynomial(term: Sequence[R]) -> Polynomial:
    """Return E[e^m] as a polynomial in d from the moments E[t^0], …, E[t^m] of one term.

    They are fractions, or polynomials in variables of which "d" is one.  This is step 4 of the proof with the
    partitions of j blocks added together: their sum of Π E[t^size] is the partial Bell polynomial B(m, j), and the
    block that holds the last place gives its recurrence.
    """
    one = term[0]
    names = one.variables if isinstance(one, Polynomial) else ("d",)
    d, total, falling = variable(names, "d"), constant(names, 0), constant(names, 1)
    for j, entry in enumerate(_by_block_count(term, one * 0)):
        total = total + falling * entry
        falling = falling * (d - j)
    return total


def coincidence_patterns(order: int) -> tuple[Pattern, ...]:
    """Return the patterns in which `order` indices can coincide, the fewest blocks first; order 1 to 60.

    >>> [(p.sizes, p.count) for p in coincidence_patterns(4)]
    [((4,), 1), ((3, 1), 4), ((2, 2), 3), ((2, 1, 1), 6), ((1, 1, 1, 1), 1)]
    """
    order = read_whole("order", order, 1, POLYNOMIAL_ORDER_LIMIT)
    return tuple(Pattern(sizes, _count_partitions(sizes)) for sizes in sorted(_sizes(order, order), key=_by_blocks))


def count_patterns(order: int) -> int:
    """Return how many patterns `coincidence_patterns` lists, by allowing one block size after the other.

    >>> count_patterns(4), count_patterns(60)
    (5, 966467)
    """
    order = read_whole("order", order, 1, POLYNOMIAL_ORDER_LIMIT)
    ways = [1] + [0] * order
    for size in range(1, order + 1):
        for total in range(size, order + 1):
            ways[total] += ways[total - size]
    return ways[order]


def cumulants(raw: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the cumulants κ_0 = 0, κ_1, …, κ_m of a law with the moments raw = 1, E[t], …, E[t^m].

    >>> from exact.coordinates import gaussian
    >>> [int(x) for x in cumulants(moments(gaussian(3, 2), 5))]
    [0, 3, 2, 0, 0, 0]
    """
    result = [Fraction(0)]
    for n in range(1, len(raw)):
        known = add_exactly(comb(n - 1, j - 1) * result[j] * raw[n - j] for j in range(1, n))
        result.append(raw[n] - known)
    return tuple(result)


def moments_from_cumulants(kappa: Sequence[R], one: R) -> tuple[R, ...]:
    """Return 1, E[x], …, E[x^m] for a law with cumulants kappa = 0, κ_1, …, κ_m; `one` is the 1 of their kind.

    The cumulants of independent variables add: two Poisson variables of mean 26/5 have all of theirs equal to 52/5.

    >>> m = moments_from_cumulants([Fraction(0), Fraction(52, 5), Fraction(52, 5)], Fraction(1))
    >>> m[2] - m[1] ** 2
    Fraction(52, 5)
    """
    result = [one]
    for n in range(1, len(kappa)):
        value = kappa[n]
        for j in range(1, n):
            value = value + kappa[j] * result[n - j] * comb(n - 1, j - 1)
        result.append(value)
    return tuple(result)


def score_cumulants(pair: Pair, width: int, order: int) -> tuple[Fraction, ...]:
    """Return the cumulants of e, which are `width` times those of one term, with the limits of `score_moments`."""
    width, order = _read_width(width), _read_order(order, ORDER_LIMIT)
    return tuple(width * x for x in cumulants(term_moments(pair, order)))


def query_moments(query: Sequence[_Number], k: Coordinate, order: int) -> tuple[Fraction, ...]:
    """Return E[e^m] for m = 0, 1, …, order, where e = Σ q_r k_r with q fixed and k_r independent with the law `k`.

    The n-th cumulant of e is κ_n(k)·Σ_r q_r^n.  The query has 1 to 10^6 entries, the order is 0 to 200.

    >>> from exact.coordinates import sign
    >>> int(query_moments([1, 2, 3], sign(), 4)[4]), 3 * 14**2 - 2 * (1 + 16 + 81)
    (392, 392)
    """
    if not 1 <= len(query) <= QUERY_LIMIT:
        raise BadInput(f"a query must have from 1 to {QUERY_LIMIT} entries (got {len(query)})")
    order = _read_order(order, ORDER_LIMIT)
    entries = [read_rational(x) for x in query]
    common_denominator(entries)
    limit_digits(_power_sums(entries, 2)[2] * moments(k, 2)[2], order)
    sums = _power_sums(entries, order)
    scaled = [a * b for a, b in zip(cumulants(moments(k, order)), sums, strict=True)]
    return moments_from_cumulants(scaled, Fraction(1))


def query_polynomial(k: Coordinate, order: int) -> Polynomial:
    """Return E[e^order] for a fixed q, a polynomial in the power sums p_n = Σ_r q_r^n; order 1 to 12.

    >>> from exact.coordinates import sign
    >>> from exact.polynomials import write_polynomial
    >>> write_polynomial(query_polynomial(sign(), 4))                 # 3|q|⁴ − 2Σ q_r⁴
    '3p2² − 2p4'
    """
    order = read_whole("order", order, 1, 12)
    names = tuple(f"p{n}" for n in range(1, order + 1))
    kappa = cumulants(moments(k, order))
    scaled = [constant(names, 0), *(variable(names, f"p{n}") * kappa[n] for n in range(1, order + 1))]
    return moments_from_cumulants(scaled, constant(names, 1))[order]


def kurtosis(pair: Pair) -> Kurtosis:
    """Return the kurtosis of e at every width: 3 + c/d, c = κ_4/κ_2² of one term; `BadInput` when e is constant.

    >>> from exact.coordinates import gaussian, sign
    >>> from exact.terms import Independent
    >>> [int(kurtosis(Independent(x, x)).excess) for x in (sign(), gaussian())]     # 3 − 2/d and 3 + 6/d
    [-2, 6]
    """
    kappa = cumulants(term_moments(pair, 4))
    if kappa[2] == 0:
        raise BadInput("the kurtosis needs a variance above 0 (every score is the same here)")
    return Kurtosis(kappa[4] / kappa[2] ** 2)


def absolute_mean(width: int) -> Fraction:
    """Return E|e| for two sign vectors: d·C(d − 1, ⌊(d − 1)/2⌋)/2^(d − 1); width 1 to 10^5.

    >>> [str(absolute_mean(d)) for d in range(1, 7)]
    ['1', '1', '3/2', '3/2', '15/8', '15/8']
    """
    d = read_whole("width", width, 1, 10**5)
    return Fraction(d * comb(d - 1, (d - 1) // 2), 2 ** (d - 1))


def absolute_mean_bounds(width: int) -> tuple[Fraction, Fraction]:
    """Return two fractions with 2/π between them, the limit of E|e|²/d for signs; `width` is even, 2 to 10^5.

    So a typical |e| is √(2/π)·√d ≈ 0.798·√d and not √d.  From Wallis's product, with w = C(d, d/2)/2^d:
    1/(π(d + 1)/2) < w² < 1/(π(d + 1/2)/2), and E|e| = d·w.

    >>> low, high = absolute_mean_bounds(1000)
    >>> float(low) < 0.6366197723 < 0.63661977237 < float(high)
    True
    """
    d = read_whole("width", width, 2, 10**5)
    if d % 2:
        raise BadInput(f"the bounds are for an even width (got {d})")
    square = absolute_mean(d) ** 2 / d
    return square * (2 * d + 1) / (2 * d), square * (d + 1) / d


def centre(raw: Sequence[R]) -> tuple[R, ...]:
    """Return the moments about the mean, from 1, E[t], …, E[t^m]."""
    if len(raw) < 2:
        return tuple(raw)
    shifted = []
    for m in range(len(raw)):
        total, power = raw[m], raw[0]
        for i in range(1, m + 1):
            power = power * raw[1] * -1
            total = total + raw[m - i] * power * comb(m, i)
        shifted.append(total)
    return tuple(shifted)


def _power_moments(term: Sequence[Fraction], width: int) -> tuple[Fraction, ...]:
    """Return the moments of a sum of `width` copies, from M·g' = d·M'·g where g = M^d.

    In moments, g_n = Σ_{j ≥ 1} (d·C(n−1, j−1) − C(n−1, j))·f_j·g_{n−j}.  The sum runs in integers when f does.
    """
    whole = all(x.denominator == 1 for x in term)
    f: list[tuple[int, int | Fraction]] = [(j, x.numerator if whole else x) for j, x in enumerate(term) if j and x]
    g: list[int | Fraction] = [1]
    for n in range(1, len(term)):
        g.append(sum((width * comb(n - 1, j - 1) - comb(n - 1, j)) * x * g[n - j] for j, x in f if j <= n and g[n - j]))
    return tuple(Fraction(x) for x in g)


def _by_block_count(term: Sequence[R], zero: R) -> list[R]:
    """Return B(m, j) for j = 0 … m: the sum of Π E[t^size] over the set partitions of m places into j blocks."""
    bell: list[list[R]] = [[term[0]]]
    for n in range(1, len(term)):
        row = [zero]
        for j in range(1, n + 1):
            entry = zero
            for i in range(1, n - j + 2):
                if term[i] and bell[n - i][j - 1]:
                    entry = entry + term[i] * bell[n - i][j - 1] * comb(n - 1, i - 1)
            row.append(entry)
        bell.append(row)
    return bell[-1]


def _sizes(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if total == 0:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in _sizes(total - first, first):
            yield (first, *rest)


def _by_blocks(sizes: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    return len(sizes), tuple(-size for size in sizes)


def _count_partitions(sizes: tuple[int, ...]) -> int:
    count = factorial(sum(sizes))
    for size, times in Counter(sizes).items():
        count //= factorial(size) ** times * factorial(times)
    return count


def _power_sums(query: Sequence[Fraction], order: int) -> list[Fraction]:
    times = Counter(query).items()
    return [add_exactly(count * x**n for x, count in times) for n in range(order + 1)]


def _read_width(width: int) -> int:
    return read_whole("width", width, 1, WIDTH_LIMIT)


def _read_order(order: int, limit: int) -> int:
    return read_whole("order", order, 0, limit)
