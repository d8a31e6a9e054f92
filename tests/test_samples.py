"""The sample variance of small score matrices, by listing; how many draws, against exact tails."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest

from exact.coordinates import gaussian, sign
from exact.distribution import mean, pmf, support, variance
from exact.rationals import BadInput
from exact.samples import count_draws, sample_variance, sample_variance_distribution
from exact.terms import Independent, Same

SIGNS = Independent(sign(), sign())


@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (6, 1), (1, 6)])
@pytest.mark.parametrize("ddof", [0, 1])
def test_mean_and_spread_by_listing(n: int, d: int, ddof: int) -> None:
    if n * n <= ddof:
        return
    scores, found = n * n, []
    for bits in product((-1, 1), repeat=2 * n * d):
        q = [bits[i * d : (i + 1) * d] for i in range(n)]
        k = [bits[(n + i) * d : (n + i + 1) * d] for i in range(n)]
        e = [sum(a * b for a, b in zip(x, y, strict=True)) for x in q for y in k]
        centre = Fraction(sum(e), scores)
        found.append(sum((x - centre) ** 2 for x in e) / (scores - ddof))
    average = sum(found, Fraction(0)) / len(found)
    spread = sum((x - average) ** 2 for x in found) / len(found)
    answer = sample_variance(n, d, ddof=ddof)
    assert (answer.mean, answer.variance) == (average, spread)
    law = sample_variance_distribution(n, d, ddof=ddof)
    assert (mean(law), variance(law)) == (average, spread)
    assert {x: pmf(law, x) for x in support(law)} == {x: Fraction(found.count(x), len(found)) for x in set(found)}


def test_two_by_two_as_published() -> None:
    # a public question ("my test gave 1.6"): 3/2 with ddof 0, 2 with ddof 1
    assert sample_variance(2, 2).mean == Fraction(3, 2)
    assert sample_variance(2, 2, ddof=1).mean == 2
    assert [str(x) for x in support(sample_variance_distribution(2, 2, ddof=1))] == ["0", "4/3", "8/3", "16/3"]


def test_variance_of_three_by_four_scores() -> None:
    # uvadlc_notebooks#72: with 3 positions of 4 coordinates, the variance of a score is 4, not 3
    assert sample_variance(3, 4, ddof=1).mean == 4


def test_more_rows_settle_the_answer() -> None:
    spreads = [sample_variance(n, 16, ddof=1).variance for n in (2, 4, 8, 16, 1000)]
    assert spreads == sorted(spreads, reverse=True)
    assert sample_variance(10**6, 16, ddof=1).mean == 16


def test_draws_from_exact_moments() -> None:
    for d in (1, 4, 64):
        signs = count_draws(SIGNS, d, 1, "1/20")
        assert signs.second_moment == d
        assert signs.variance == 2 * d * d - 2 * d
        gaussians = count_draws(Independent(gaussian(), gaussian()), d, 1, "1/20")
        assert gaussians.second_moment == d
        assert gaussians.variance == 2 * d * d + 6 * d
        assert gaussians.rigorous == 20 * (2 * d * d + 6 * d)
    assert count_draws(Same(sign()), 8, "1/100", "1/100").rigorous == 1  # e² never varies


def test_the_rigorous_count_is_enough() -> None:
    # d = 2: e² is 0 or 4, each half the time, so the mean of N draws is 4·Binomial/N
    answer = count_draws(SIGNS, 2, "1/2", "1/5")
    n = answer.rigorous
    outside = sum(comb(n, a) for a in range(n + 1) if abs(Fraction(4 * a, n) - 2) >= Fraction(1, 2))
    assert Fraction(outside, 2**n) <= answer.risk
    assert answer.approximate < answer.rigorous


def test_a_tiny_risk_is_answered() -> None:
    answer = count_draws(SIGNS, 2, 1, Fraction(1, 10**900))
    assert answer.rigorous == 4 * 10**900


def large(function: Callable[..., Any], *arguments: Any, **options: Any) -> Callable[[], object]:
    return lambda: function(*arguments, **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (large(sample_variance, 1, 5, ddof=1), "n must be at least 2"),
        (large(sample_variance, 0, 5), "n must be at least 1"),
        (large(sample_variance, 2, 10**12), "width must be at most 1000000"),
        (large(sample_variance, 2, 2, ddof=2), "ddof must be at most 1"),
        (large(sample_variance_distribution, 3, 3), "at most 8 \\(got 9: 2\\^18 pairs\\)"),
        (large(count_draws, SIGNS, 4, 0, "1/2"), "error must be above 0"),
        (large(count_draws, SIGNS, 4, 1, 1), "risk must be above 0 and below 1"),
        (large(count_draws, SIGNS, 4, 0.1, "1/2"), "the float 0.1"),
        (large(count_draws, SIGNS, 10**12, 1, "1/2"), "width must be at most"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
