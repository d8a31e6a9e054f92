"""Sampling: reproducible whatever the workers, inside its own bounds, and bounds that are themselves right.

Each table misses its normal intervals with probability about 10^−6; some 30 are made here, so the whole file would
raise a false alarm for about one choice of its seeds in 30 000, and they are fixed.
"""

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from math import sqrt

import numpy as np
import pytest

from exact.coordinates import bernoulli, finite, gaussian, laplace, read_coordinate, sign, two_point, uniform_interval
from exact.distribution import probabilities, sign_distribution
from exact.rationals import BadInput
from exact.sampling import FALSE_ALARM, Plan, Totals, blocks, estimate, total

LAWS = [
    sign(),
    gaussian(),
    gaussian(1, 2),
    uniform_interval(2),
    laplace(),
    bernoulli("1/3"),
    two_point(-2, 1, "2/3"),
    finite([(0, "1/3"), (1, "1/6"), (5, "1/2")]),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize("width", [1, 7, 100])
def test_every_law_agrees_with_its_exact_moments(law: object, width: int) -> None:
    plan = Plan(law, width, 100_000, 5)  # type: ignore[arg-type] # a law
    for row in estimate(plan, total(plan)):
        assert row.agrees, row
        assert row.chebyshev[0] <= row.normal[0] <= row.truth <= row.normal[1] <= row.chebyshev[1]


@pytest.mark.parametrize("width", [1, 3, 64, 10**6, 10**9])
def test_scores_agree_with_the_exact_moments(width: int) -> None:
    plan = Plan(gaussian(), width, 400_000, 3, "scores")
    assert all(row.agrees for row in estimate(plan, total(plan)))


def test_scores_have_the_law_of_vectors() -> None:
    """Two samples, same law: the greatest gap of their distribution functions, by Massart's bound at 10^−6."""
    d, n = 5, 100_000
    generator = np.random.default_rng(1)
    drawn = np.sort((generator.standard_normal((n, d)) * generator.standard_normal((n, d))).sum(axis=1))
    short = np.sort(np.sqrt(generator.chisquare(d, n)) * generator.standard_normal(n))
    both = np.concatenate([drawn, short])
    gap = np.abs(np.searchsorted(drawn, both, "right") - np.searchsorted(short, both, "right")).max() / n
    assert gap <= 2 * sqrt(np.log(4 / 1e-6) / (2 * n))


@pytest.mark.parametrize("method", ["vectors", "scores"])
def test_workers_and_chunks_do_not_change_the_answer(method: str) -> None:
    plan = Plan(gaussian(), 1000, 20_000 if method == "vectors" else 100_000, 9, method)  # type: ignore[arg-type]
    first = total(plan)
    assert first.draws == plan.draws
    for workers, chunk in ((2, 1), (3, 2), (4, 100)):
        assert total(plan, workers, chunk) == first
    assert total(Plan(gaussian(), 1000, plan.draws, 10, plan.method)) != first


def test_a_prefix_of_the_blocks_is_an_estimate() -> None:
    plan = Plan(sign(), 10**5, 400, 2)
    parts = list(blocks(plan))
    assert len(parts) == 10
    assert estimate(plan, parts[0])[1].standard_error > estimate(plan, total(plan))[1].standard_error


def test_standard_errors_are_those_of_the_exact_distribution() -> None:
    for d in range(1, 8):
        law = [(x, p) for x, p in probabilities(sign_distribution(d))]
        second = sum(x**2 * p for x, p in law)
        spread = sum((x**2 - second) ** 2 * p for x, p in law)
        mean, square, unit = estimate(Plan(sign(), d, 50, 0), Totals(50, 0.0, 50.0 * d))
        assert mean.standard_error == sqrt(second / 50)
        assert square.standard_error == sqrt(spread / 50)
        assert unit.standard_error == sqrt(spread / 50 / d**2)
        assert (square.z, square.truth, unit.truth) == (0, d, 1)


def test_intervals_have_the_stated_reach() -> None:
    _, row, _ = estimate(Plan(gaussian(), 4, 100, 0), Totals(100, 0.0, 400.0))
    error = sqrt(Fraction(56, 100))
    assert row.normal[1] - row.value == pytest.approx(5.0263 * error, rel=1e-4)  # the quantile at 2.5·10^−7
    assert row.chebyshev[1] - row.value == pytest.approx(error / sqrt(FALSE_ALARM / 2), rel=1e-12)
    assert not estimate(Plan(gaussian(), 4, 100, 0), Totals(100, 0.0, 400.0 + 600 * error))[1].agrees


@pytest.mark.parametrize("law", [sign(), gaussian(), laplace()], ids=str)
def test_memory_does_not_grow_with_the_width(law: object) -> None:
    tracemalloc.start()
    total(Plan(law, 10**6, 6, 1), workers=2)  # type: ignore[arg-type] # a law
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: Plan(sign(), 0, 10, 1), "width must be at least 1"),
    (lambda: Plan(sign(), 10**12, 10, 1), "width must be at most"),
    (lambda: Plan(sign(), 4, 0, 1), "draws must be at least 2"),
    (lambda: Plan(sign(), 4, 1, 1), "draws must be at least 2"),
    (lambda: Plan(sign(), 4, 10, -1), "seed must be at least 0"),
    (lambda: Plan(sign(), 4, 10, 1.5), "exact"),  # type: ignore[arg-type]
    (lambda: Plan(sign(), 4, 10, 1, "keys"), "a method must be one of"),  # type: ignore[arg-type]
    (lambda: Plan(sign(), 4, 10, 1, "scores"), "standard Gaussians"),
    (lambda: Plan(read_coordinate("gaussian:1,1"), 4, 10, 1, "scores"), "standard Gaussians"),
    (lambda: total(Plan(sign(), 4, 10, 1), workers=0), "workers must be at least 1"),
    (lambda: estimate(Plan(sign(), 4, 10, 1), Totals(1, 0.0, 0.0)), "at least 2 draws"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
