"""Rows at any width: the law of vectors that are drawn, one figure from an integral, and the same answer every time.

Where two samples are compared, means differ by 5.5 of their joint standard errors with probability about 4·10^−8 each;
some 250 are compared here, with fixed seeds.
"""

import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
import pytest

from exact.attention import attend, attend_back, summarise_rows
from exact.rationals import BadInput
from exact.rows import QUANTITIES, Moments, RowPlan, blocks, combine, gather, moments_of, seconds, summarise

F = Fraction
HALVES = (F(0), F(1, 2), F(1))
mpmath: Any = import_module("mpmath")  # it carries no types


def drawn(d: int, T: int, exponent: Fraction, n: int) -> Moments:
    """Draw q, K and G whole, and go forward and back through attention with V = 1."""
    generator = np.random.default_rng(d + 100 * T)
    q, K, G = (generator.standard_normal(shape) for shape in ((n, 1, d), (n, T, d), (n, 1, T)))
    V = np.broadcast_to(np.eye(T), (n, T, T))
    there = attend(q, K, V, scale=d ** -float(exponent))
    back = attend_back(q, K, V, there, G)
    e = (q @ K.swapaxes(-1, -2))[:, 0]
    row = summarise_rows(there.A[:, 0])
    norms = (np.sqrt(np.square(x).sum(axis=(1, 2))) for x in (back.Q, back.K))
    columns = (np.square(e).mean(axis=1), row.largest, row.trace, row.steepest, row.trace < 0.01, *norms)
    return moments_of(np.array(columns))


@pytest.mark.parametrize("d", [1, 2, 20])
@pytest.mark.parametrize("T", [1, 2, 5])
def test_rows_have_the_law_of_vectors(d: int, T: int) -> None:
    short = gather(RowPlan(d, T, HALVES, 12_000, 7))
    for i, exponent in enumerate(HALVES):
        long = drawn(d, T, exponent, 12_000)
        joint = np.sqrt(short.error[i] ** 2 + long.error**2)
        assert (np.abs(short.mean[i] - long.mean) <= 5.5 * joint + 1e-12).all(), (exponent, short.mean[i], long.mean)


def test_the_trace_at_width_two_is_its_integral() -> None:
    """|q|² is exponential of mean 2, so the difference of two scores is Laplace of scale √2."""
    (row,) = summarise(plan := RowPlan(2, 2, (F(0),), 200_000, 3), gather(plan))
    found = row.values["one_minus_sum_of_squares"]
    scale = mpmath.sqrt(2)
    truth = mpmath.quad(lambda x: mpmath.exp(-x / scale) / scale / (1 + mpmath.cosh(x)), [0, 5, 20, 80])
    assert abs(found.value - truth) < 5.5 * found.error


@pytest.mark.parametrize("d", [1, 64, 10**6, 10**9])
def test_the_typical_size_is_the_root_within_its_exact_error(d: int) -> None:
    for row in summarise(plan := RowPlan(d, 8, HALVES, 4000, 11), gather(plan)):
        size = row.values["typical_size"]
        assert abs(size.value - d ** (0.5 - float(row.exponent))) < 5.5 * size.error
        assert (row.width, row.positions, row.draws) == (d, 8, 4000)


def test_the_error_of_the_typical_size_is_that_of_the_fourth_moment() -> None:
    """At T = 1 it is Var e² = 2d² + 6d."""
    for d in (1, 7, 300):
        (row,) = summarise(RowPlan(d, 1, (F(0),), 50, 0), Moments(50, np.full((1, 7), d), np.zeros((1, 7))))
        assert row.values["typical_size"].error == pytest.approx(sqrt((2 * d * d + 6 * d) / 50 / (4 * d)), rel=1e-12)


def test_the_root_alone_keeps_the_row_as_it_is() -> None:
    found = {}
    for d in (8, 512, 10**6):
        for row in summarise(plan := RowPlan(d, 8, HALVES, 4000, 5), gather(plan)):
            found[d, row.exponent] = row.values["largest_a_times_one_minus_a"].value
    assert found[8, F(0)] > 3 * found[512, F(0)] > 30 * found[10**6, F(0)]
    assert abs(found[512, F(1, 2)] - found[10**6, F(1, 2)]) < 0.005
    assert found[10**6, F(1)] == pytest.approx(7 / 64, abs=1e-3)  # the uniform row


def test_workers_do_not_change_the_answer_and_blocks_add_up() -> None:
    plan = RowPlan(64, 4096, (F(1, 3),), 100, 2)
    parts = list(blocks(plan))
    assert [part.draws for part in parts] == [16] * 6 + [4]
    one, three = gather(plan), gather(plan, workers=3)
    assert (one.mean == three.mean).all()
    assert (one.squares == three.squares).all()
    columns = np.random.default_rng(1).standard_normal((2, 3, 50))
    both = combine(combine(None, moments_of(columns[..., :7])), moments_of(columns[..., 7:]))
    assert both.mean == pytest.approx(columns.mean(axis=-1))
    assert both.error == pytest.approx(columns.std(axis=-1, ddof=1) / sqrt(50))


def test_memory_does_not_grow_with_the_width_or_the_draws() -> None:
    tracemalloc.start()
    gather(RowPlan(10**9, 4096, HALVES, 200, 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


def test_a_plan_says_how_long_it_takes() -> None:
    short, long = (seconds(RowPlan(64, 64, HALVES, draws, 1)) for draws in (1000, 10**9))
    assert 0 < short < 60 < long


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: RowPlan(0, 2, HALVES, 10, 1), "width must be at least 1"),
    (lambda: RowPlan(10**12, 2, HALVES, 10, 1), "width must be at most"),
    (lambda: RowPlan(4, 0, HALVES, 10, 1), "positions must be at least 1"),
    (lambda: RowPlan(4, 2, HALVES, 1, 1), "draws must be at least 2"),
    (lambda: RowPlan(4, 2, HALVES, 10, -1), "seed must be at least 0"),
    (lambda: RowPlan(4, 2, (), 10, 1), "one or more numbers"),
    (lambda: RowPlan(4, 2, (F(11),), 10, 1), "from −10 to 10"),
    (lambda: summarise(RowPlan(4, 2, HALVES, 10, 1), moments_of(np.ones((3, len(QUANTITIES), 1)))), "at least 2 draws"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
