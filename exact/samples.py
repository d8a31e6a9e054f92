"""The answer to "I drew one small matrix and its variance was 1.6": what a sample variance of scores does, exactly.

Imports the standard library and the exact modules above it only.

Q and K are n × d matrices of independent fair signs, E = QKᵀ has N = n² scores, and s² is their sample variance,
divided by N (ddof 0) or N − 1 (ddof 1).  With A = Σ e_ij² and B = Σ e_ij, s² = (A − B²/N)/(N − ddof), and

    E[A] = dN       Var(A) = 2d(d − 1)N       E[B²] = dN       Cov(A, B²) = 2d(d − 1)N
    Var(B²) = d(3n² − 2n)² + 3d(d − 1)N² − d²N²

The scores are uncorrelated, which gives the means.  A = dN + 2Σ_{r<s} G_rs H_rs with G = QᵀQ, H = KᵀK, whose entries
off the diagonal are uncorrelated, with E[G_rs²] = n: so Var(A) = 4·C(d, 2)·n².  B = Σ_r u_r v_r, u and v the column
sums: E[G_rs u_r u_s] = n gives the covariance, and d independent products, each with E[(u_r v_r)²] = n² and
E[(u_r v_r)⁴] = (3n² − 2n)², give the last.  The scores of a matrix are not independent: a key meets every query.

>>> answer = sample_variance(2, 2)
>>> str(answer.mean), str(answer.variance), str(sample_variance(2, 2, ddof=1).mean)
('3/2', '9/8', '2')
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil
from statistics import NormalDist

from exact.distribution import Distribution
from exact.moments import score_moments
from exact.rationals import BadInput, abbreviate, read_rational, read_whole
from exact.terms import Pair

__all__ = ["Draws", "SampleVariance", "count_draws", "sample_variance", "sample_variance_distribution"]

_Number = int | str | Fraction


@dataclass(frozen=True, slots=True)
class SampleVariance:
    """Mean and variance of the sample variance of the n² scores of two n × d sign matrices."""

    n: int
    width: int
    ddof: int
    mean: Fraction
    variance: Fraction


@dataclass(frozen=True, slots=True)
class Draws:
    """How many independent scores bring the mean of e² within `error` of E[e²], failing with probability ≤ `risk`.

    `rigorous` follows from Chebyshev's inequality and the exact `variance` of e², for any law.  `approximate` supposes
    that the mean is Gaussian, which a large number of draws makes nearly so: it is an estimate and proves nothing.
    """

    second_moment: Fraction
    variance: Fraction
    error: Fraction
    risk: Fraction
    rigorous: int
    approximate: int


def sample_variance(n: int, width: int, *, ddof: int = 0) -> SampleVariance:
    """Return the exact mean and variance of the sample variance; n from 2 (1 with ddof 0) and width from 1, to 10^6.

    Each row of Q and of K holds `width` signs; ddof is 0 or 1.
    """
    n, d, ddof = _read_shape(n, width, ddof)
    scores, divisor = n * n, n * n - ddof
    var_a = covariance = 2 * d * (d - 1) * scores
    var_b = d * (3 * n * n - 2 * n) ** 2 + 3 * d * (d - 1) * scores**2 - d * d * scores**2
    mean = Fraction(d * (scores - 1), divisor)
    variance = (var_a - Fraction(2 * covariance, scores) + Fraction(var_b, scores**2)) / divisor**2
    return SampleVariance(n, d, ddof, mean, variance)


def sample_variance_distribution(n: int, width: int, *, ddof: int = 0) -> Distribution:
    """Return the exact law of the sample variance, by listing the sign matrices; n·width is at most 8.

    >>> from exact.distribution import probabilities
    >>> [(str(x), str(p)) for x, p in probabilities(sample_variance_distribution(2, 2))]
    [('0', '5/32'), ('1', '3/8'), ('2', '3/8'), ('4', '3/32')]
    """
    n, d, ddof = _read_shape(n, width, ddof)
    if n * d > 8:
        raise BadInput(f"the matrices can be listed while n·width is at most 8 (got {n * d}: 2^{2 * n * d} pairs)")
    scores, unit = n * n, Fraction(1, n * n * (n * n - ddof))
    matrices = list(product(product((-1, 1), repeat=d), repeat=n))
    counts: Counter[int] = Counter()
    for q_rows in matrices:
        for k_rows in matrices:
            e = [sum(a * b for a, b in zip(q, k, strict=True)) for q in q_rows for k in k_rows]
            counts[scores * sum(x * x for x in e) - sum(e) ** 2] += 1
    values = sorted(counts)
    return Distribution(unit, tuple(values), tuple(counts[x] for x in values), sum(counts.values()))


def count_draws(pair: Pair, width: int, error: _Number, risk: _Number) -> Draws:
    """Return how many draws of e show E[e²] within `error`, above 0, except with probability `risk`, above 0, below 1.

    >>> from exact.coordinates import sign
    >>> from exact.terms import Independent
    >>> answer = count_draws(Independent(sign(), sign()), 64, error="6.4", risk="0.05")
    >>> str(answer.variance), answer.rigorous, answer.approximate
    ('8064', 3938, 757)
    """
    epsilon, delta = read_rational(error), read_rational(risk)
    if epsilon <= 0:
        raise BadInput(f"the error must be above 0 (got {abbreviate(epsilon)})")
    if not 0 < delta < 1:
        raise BadInput(f"the risk must be above 0 and below 1 (got {abbreviate(delta)})")
    raw = score_moments(pair, width, 4)
    variance = raw[4] - raw[2] ** 2
    ratio = variance / epsilon**2
    tail = max(float(delta / 2), 1e-300)
    z = Fraction(-NormalDist().inv_cdf(tail))
    return Draws(raw[2], variance, epsilon, delta, max(1, ceil(ratio / delta)), max(1, ceil(ratio * z * z)))


def _read_shape(n: int, width: int, ddof: int) -> tuple[int, int, int]:
    ddof = read_whole("ddof", ddof, 0, 1)
    return read_whole("n", n, 1 + ddof, 10**6), read_whole("width", width, 1, 10**6), ddof
