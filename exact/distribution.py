"""The exact distribution of a score, without visiting the cube.

Imports the standard library and the exact modules above it only.

=======================  ================================================================================
`sign_distribution`      two sign vectors: C(d, a)/2^d by its recurrence, half of it and a mirror
`iid_distribution`       d independent terms of one finite law: Miller's recurrence, on integers
`sum_distribution`       independent terms, each with its own finite law: shift and add of one big integer
`query_distribution`     a fixed integer or rational q against independent k_r: the same
`sign_probability`       one value of the first, at widths where the whole would not fit
the law, asked           `pmf`, `cdf`, `mean`, `variance`, `moment`, `central_moment`, `absolute_mean`,
                         `quantile`, `tail`, `modes`, `support`, `probabilities`
the tail, bounded        `compare_with_hoeffding`
=======================  ================================================================================

>>> e = sign_distribution(4)
>>> [(int(x), str(p)) for x, p in probabilities(e)]
[(-4, '1/16'), (-2, '1/4'), (0, '3/8'), (2, '1/4'), (4, '1/16')]
>>> str(tail(e, 3)), str(mean(e)), str(variance(e)), quantile(e, "1/2")
('1/8', '0', '4', Fraction(0, 1))
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import exp, gcd, prod

from exact.binomials import binomial
from exact.coordinates import Finite, sign
from exact.rationals import BadInput, abbreviate, common_denominator, read_rational, read_whole

__all__ = [
    "Distribution",
    "HoeffdingComparison",
    "absolute_mean",
    "cdf",
    "central_moment",
    "compare_with_hoeffding",
    "iid_distribution",
    "mean",
    "modes",
    "moment",
    "pmf",
    "probabilities",
    "quantile",
    "query_distribution",
    "sign_distribution",
    "sign_probability",
    "sum_distribution",
    "support",
    "tail",
    "variance",
]

BYTE_LIMIT = 100_000_000
TERM_LIMIT = 100_000
WORK_LIMIT = 20_000_000_000  # bytes moved by shift and add: several seconds
_Number = int | str | Fraction


@dataclass(frozen=True, slots=True)
class Distribution:
    """A finite law on multiples of `unit`: `unit`·values[i] has probability counts[i]/total.

    `values` increase, `counts` are positive and add to `total`.
    """

    unit: Fraction
    values: tuple[int, ...]
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class HoeffdingComparison:
    """P(|e| ≥ x) exactly, and Hoeffding's 2·exp(exponent), exponent = −x²/(2Σq_r²), as a float."""

    x: Fraction
    exact: Fraction
    exponent: Fraction
    bound: float


def sign_distribution(width: int) -> Distribution:
    """Return the law of q·k for two sign vectors, or for one sign vector fixed; width 1 to about 28 000.

    A width whose exact counts would take more than 100 MB is refused, with the size.

    >>> sign_distribution(100_000)
    Traceback (most recent call last):
    exact.rationals.BadInput: this distribution would take about 1.25 GB, more than the limit of 0.1 GB
    """
    d = read_whole("width", width, 1, 10**9)
    _limit_bytes((d + 1) * (d // 8 + 28))
    half = [1]
    for a in range(d // 2):
        half.append(half[-1] * (d - a) // (a + 1))
    counts = half + half[: (d + 1) // 2][::-1]
    return Distribution(Fraction(1), tuple(range(-d, d + 1, 2)), tuple(counts), 1 << d)


def sign_probability(width: int, x: _Number) -> Fraction:
    """Return P(q·k = x) for two sign vectors: C(d, (d + x)/2)/2^d, and 0 off the lattice; width 1 to 10^6.

    >>> sign_probability(4, 2), sign_probability(4, 1)
    (Fraction(1, 4), Fraction(0, 1))
    """
    d, value = read_whole("width", width, 1, 10**6), read_rational(x)
    agreements = (d + value) / 2
    if agreements.denominator != 1 or not 0 <= agreements <= d:
        return Fraction(0)
    return Fraction(binomial(d, int(agreements)), 1 << d)


def iid_distribution(term: Finite, width: int) -> Distribution:
    """Return the law of a sum of `width` independent copies of `term`.

    With f(z) = Σ w_i z^{a_i} in integer weights and a_0 = 0, the coefficients of g = f^d obey
    n·w_0·g_n = Σ_{i ≥ 1} (a_i(d + 1) − n)·w_i·g_{n − a_i}, from f·g' = d·f'·g (J. C. P. Miller).

    >>> from exact.coordinates import uniform_on
    >>> iid_distribution(uniform_on([1, 2, 3]), 2).counts
    (1, 2, 3, 2, 1)
    """
    d = read_whole("width", width, 1, 10**9)
    unit = _common_unit([term])
    (low, first), *others = _on_lattice(term, unit)
    step = gcd(*(a - low for a, _ in others)) or 1
    steps = [((a - low) // step, w) for a, w in others]
    points = d * max((a for a, _ in steps), default=0) + 1
    weight = first + sum(w for _, w in steps)
    size = d * weight.bit_length() // 8
    _limit_bytes(points * (size + 28))
    _limit_work(points * len(steps) * (size + 1500))
    g = [first**d]
    for n in range(1, points):
        known = sum((a * (d + 1) - n) * w * g[n - a] for a, w in steps if a <= n)
        g.append(known // (n * first))
    return _keep_positive(unit, range(low * d, low * d + points * step, step), g, weight**d)


def sum_distribution(terms: Sequence[Finite]) -> Distribution:
    """Return the law of a sum of independent terms, each with its own finite law; from 1 to 10^5 terms.

    All the counts live in one big integer, a fixed number of bits each, so a term of the law is one shift and one
    addition.  Where few sums are possible and they lie far apart, they are kept in a table instead.

    >>> from exact.coordinates import uniform_on
    >>> dice = [uniform_on(range(1, faces + 1)) for faces in (4, 6)]
    >>> pmf(sum_distribution(dice), 10)
    Fraction(1, 24)
    """
    if not 1 <= len(terms) <= TERM_LIMIT:
        raise BadInput(f"a sum must have from 1 to {TERM_LIMIT} terms (got {len(terms)})")
    different = {id(term): term for term in terms}  # a query repeats few laws many times
    unit = _common_unit(different.values())
    lattices = {key: _on_lattice(term, unit) for key, term in different.items()}
    placed = [lattices[id(term)] for term in terms]
    weights = [sum(w for _, w in steps) for steps in placed]
    _limit_bytes(sum(weight.bit_length() for weight in weights) // 8)
    total = prod(weights)
    low = sum(steps[0][0] for steps in placed)
    step = gcd(*(a - steps[0][0] for steps in placed for a, _ in steps)) or 1
    shifted = [[((a - steps[0][0]) // step, w) for a, w in steps] for steps in placed]
    points = sum(steps[-1][0] for steps in shifted) + 1
    sparse = _product_up_to([len(steps) for steps in shifted], points)
    if sparse * 16 < points:
        _limit_bytes(sparse * (total.bit_length() // 8 + 200))
        table = _convolve_table(shifted)
        places = sorted(table)
        return _keep_positive(unit, [low + step * a for a in places], [table[a] for a in places], total)
    slot = total.bit_length() // 8 + 1
    _limit_bytes(points * (4 * slot + 72))  # the integer, its shift, their sum and the counts, for a moment together
    _limit_work(points * slot * sum(len(steps) for steps in shifted) // 2)
    packed = 1
    for steps in sorted(shifted, key=lambda steps: steps[-1][0]):  # short steps first: the integer stays short longer
        longer = _place(packed, steps[0][1], 0)
        for a, w in steps[1:]:
            longer += _place(packed, w, 8 * slot * a)
        packed = longer
    raw = packed.to_bytes(points * slot, "little")
    counts = [int.from_bytes(raw[i : i + slot], "little") for i in range(0, len(raw), slot)]
    return _keep_positive(unit, range(low, low + points * step, step), counts, total)


def query_distribution(query: Sequence[_Number], k: Finite | None = None) -> Distribution:
    """Return the law of Σ q_r k_r for a fixed q, k_r independent with the law `k`, a fair sign unless given.

    >>> [(int(x), str(p)) for x, p in probabilities(query_distribution([2, 1]))]
    [(-3, '1/4'), (-1, '1/4'), (1, '1/4'), (3, '1/4')]
    """
    law = sign() if k is None else k
    if len(query) > TERM_LIMIT:
        raise BadInput(f"a query must have at most {TERM_LIMIT} entries (got {len(query)})")
    known: dict[Fraction, Finite] = {}
    terms = []
    for entry in query:
        q = read_rational(entry)
        if q not in known:
            known[q] = _multiply(law, q)
        terms.append(known[q])
    return sum_distribution(terms)


def pmf(e: Distribution, x: _Number) -> Fraction:
    """Return P(e = x)."""
    value = read_rational(x) / e.unit
    i = bisect_left(e.values, value)
    found = i < len(e.values) and e.values[i] == value
    return Fraction(e.counts[i], e.total) if found else Fraction(0)


def cdf(e: Distribution, x: _Number) -> Fraction:
    """Return P(e ≤ x)."""
    return Fraction(sum(e.counts[: bisect_right(e.values, read_rational(x) / e.unit)]), e.total)


def tail(e: Distribution, x: _Number) -> Fraction:
    """Return P(|e| ≥ x).

    >>> str(tail(sign_distribution(10), 10)), tail(sign_distribution(10), -1)
    ('1/512', Fraction(1, 1))
    """
    bound = read_rational(x) / e.unit
    if bound <= 0:
        return Fraction(1)
    outside = sum(e.counts[: bisect_right(e.values, -bound)]) + sum(e.counts[bisect_left(e.values, bound) :])
    return Fraction(outside, e.total)


def quantile(e: Distribution, p: _Number) -> Fraction:
    """Return the smallest value x of e with P(e ≤ x) ≥ p; 0 < p ≤ 1."""
    level = read_rational(p)
    if not 0 < level <= 1:
        raise BadInput(f"a quantile is asked at p above 0 and up to 1 (got {abbreviate(level)})")
    running = list(accumulate(e.counts))
    return e.unit * e.values[bisect_left(running, level * e.total)]


def moment(e: Distribution, order: int) -> Fraction:
    """Return E[e^order]; order 0 to 200."""
    m = read_whole("order", order, 0, 200)
    return e.unit**m * Fraction(sum(c * x**m for x, c in zip(e.values, e.counts, strict=True)), e.total)


def central_moment(e: Distribution, order: int) -> Fraction:
    """Return E[(e − E e)^order]; order 0 to 200."""
    m, centre = read_whole("order", order, 0, 200), mean(e) / e.unit
    top, bottom = centre.numerator, centre.denominator
    scaled = sum(c * (x * bottom - top) ** m for x, c in zip(e.values, e.counts, strict=True))
    return (e.unit / bottom) ** m * Fraction(scaled, e.total)


def mean(e: Distribution) -> Fraction:
    """Return E[e]."""
    return moment(e, 1)


def variance(e: Distribution) -> Fraction:
    """Return E[e²] − E[e]²."""
    return moment(e, 2) - moment(e, 1) ** 2


def absolute_mean(e: Distribution) -> Fraction:
    """Return E|e|."""
    return e.unit * Fraction(sum(c * abs(x) for x, c in zip(e.values, e.counts, strict=True)), e.total)


def modes(e: Distribution) -> tuple[Fraction, ...]:
    """Return the values of the highest probability, in order."""
    highest = max(e.counts)
    return tuple(e.unit * x for x, c in zip(e.values, e.counts, strict=True) if c == highest)


def support(e: Distribution) -> tuple[Fraction, ...]:
    """Return the values that e takes, in order."""
    return tuple(e.unit * x for x in e.values)


def probabilities(e: Distribution) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return (x, P(e = x)) for every value of e, in order."""
    return tuple((e.unit * x, Fraction(c, e.total)) for x, c in zip(e.values, e.counts, strict=True))


def compare_with_hoeffding(e: Distribution, x: _Number, squares: _Number) -> HoeffdingComparison:
    """Return P(|e| ≥ x) beside Hoeffding's bound 2·exp(−x²/(2s)), s = `squares` = Σ q_r², which is d for signs.

    Holds for Σ q_r k_r with independent k_r of mean 0 within [−1, 1]; x ≥ 0, s > 0.

    >>> c = compare_with_hoeffding(sign_distribution(100), 30, 100)
    >>> f"{float(c.exact):.5f} ≤ {c.bound:.5f}"
    '0.00352 ≤ 0.02222'
    """
    bound, s = read_rational(x), read_rational(squares)
    if bound < 0:
        raise BadInput(f"x must be at least 0 (got {abbreviate(bound)})")
    if s <= 0:
        raise BadInput(f"the sum of the squares must be above 0 (got {abbreviate(s)})")
    exponent = -bound * bound / (2 * s)
    limit = 2 * exp(exponent) if exponent > -1000 else 0.0  # below the smallest float
    return HoeffdingComparison(bound, tail(e, bound), exponent, limit)


def _multiply(law: Finite, q: Fraction) -> Finite:
    if q == 0:
        return Finite("term", ((q, Fraction(1)),))
    return Finite("term", tuple(sorted((q * x, w) for x, w in law.atoms)))


def _common_unit(terms: Iterable[Finite]) -> Fraction:
    return Fraction(1, common_denominator(x for term in terms for x, _ in term.atoms))


def _on_lattice(term: Finite, unit: Fraction) -> list[tuple[int, int]]:
    bottom = common_denominator(w for _, w in term.atoms)
    return [(int(x / unit), int(w * bottom)) for x, w in term.atoms]


def _place(packed: int, weight: int, bits: int) -> int:
    weighted = packed if weight == 1 else packed * weight  # a multiplication or a shift by nothing would copy megabytes
    return weighted << bits if bits else weighted


def _convolve_table(terms: Sequence[Sequence[tuple[int, int]]]) -> dict[int, int]:
    table = {0: 1}
    for term in terms:
        longer: dict[int, int] = {}
        for place, count in table.items():
            for a, w in term:
                longer[place + a] = longer.get(place + a, 0) + count * w
        table = longer
    return table


def _keep_positive(unit: Fraction, values: Sequence[int], counts: Sequence[int], total: int) -> Distribution:
    kept = [(x, c) for x, c in zip(values, counts, strict=True) if c]
    return Distribution(unit, tuple(x for x, _ in kept), tuple(c for _, c in kept), total)


def _product_up_to(factors: Sequence[int], stop: int) -> int:
    result = 1
    for factor in factors:
        result = min(result * factor, stop)
    return result


def _limit_bytes(size: int) -> None:
    if size > BYTE_LIMIT:
        gigabytes = f"{size / 1e9:.2f}" if size < 10**12 else f"10^{len(str(size // 10**9)) - 1} or more"
        raise BadInput(f"this distribution would take about {gigabytes} GB, more than the limit of 0.1 GB")


def _limit_work(moved: int) -> None:
    if moved > WORK_LIMIT:
        raise BadInput(f"this distribution would move about {moved / 1e9:.0f} GB, more than the limit of 20 GB")
