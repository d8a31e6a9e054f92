"""Closed forms for the softmax of Gaussian scores, against integrals, gradients that are drawn, and known errors."""

from collections.abc import Callable
from functools import reduce
from importlib import import_module
from math import sqrt
from typing import Any

import numpy as np
import pytest

from exact.attention import scores_gradient, softmax
from exact.closed_forms import FORMS, GRID, FormPlan, Holds, form, form_blocks, holds, seconds
from exact.rationals import BadInput
from exact.rows import Moments, combine, moments_of

mpmath: Any = import_module("mpmath")  # it carries no types


def gather(plan: FormPlan) -> Moments:
    found = reduce(combine, form_blocks(plan), None)
    assert found is not None
    return found


def at(s: float) -> int:
    return min(range(len(GRID)), key=lambda i: abs(GRID[i] - s))


def test_the_known_errors_are_found() -> None:
    """Errors within 8 % for σ² ≤ 1, of 180 % and 330 % at σ² = 4, T = 300: computed elsewhere, by other means."""
    weight, gradient = holds(plan := FormPlan(300, 4000, 7), gather(plan), 0.08)
    for found, known in ((weight, 1.8), (gradient, 3.3)):
        error = found.errors[at(4)]
        assert abs(error.value - known) < 5.5 * error.error + 0.05
        assert found.up_to is not None
        assert found.up_to.value > 1 - 3 * found.up_to.error
        assert all(abs(x.value) < 0.08 + 3 * x.error for x, s in zip(found.errors, GRID, strict=True) if s <= 1)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mpmath.exp(-x))


INTEGRANDS: list[Callable[[Any], Any]] = [
    lambda x: (sigmoid(x) - 0.5) ** 2,
    lambda x: 2 * (sigmoid(x) * sigmoid(-x)) ** 2,
]


@pytest.mark.parametrize("s", [0.25, 1.0, 4.0])
def test_two_positions_are_two_integrals(s: float) -> None:
    """One weight is the sigmoid of x ~ N(0, 2s), and the gradient a(G − Σ a G) is a(1 − a)(G_1 − G_2)."""
    moments = gather(FormPlan(2, 100_000, 3))
    reach = 12 * sqrt(2 * s)
    for i, value in enumerate(INTEGRANDS):
        truth = mpmath.quad(lambda x, f=value: f(x) * mpmath.npdf(x, 0, sqrt(2 * s)), [-reach, 0, reach])
        assert abs(moments.mean[i, at(s)] - truth) < 5.5 * moments.error[i, at(s)]


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_gradients_and_correlated_scores_that_are_drawn_agree(correlation: float) -> None:
    """With σ² = 1/(1 − ρ), s = 1 whatever the correlation."""
    T, n = 6, 30_000
    generator = np.random.default_rng(4)
    shared, own, G = (generator.standard_normal(shape) for shape in ((n, 1), (n, T), (n, T)))
    e = sqrt(correlation / (1 - correlation)) * shared + own
    a = softmax(e)
    columns = np.array([np.square(a - 1 / T).mean(axis=1), np.square(scores_gradient(a, G)).mean(axis=1)])
    long, short = moments_of(columns), gather(FormPlan(T, n, 9))
    i = at(1)
    joint = np.sqrt(long.error**2 + short.error[:, i] ** 2)
    assert (np.abs(long.mean - short.mean[:, i]) < 5.5 * joint).all()


@pytest.mark.parametrize("T", [2, 3, 21, 400])
def test_both_errors_tend_to_one_part_in_t_less_one(T: int) -> None:
    found = holds(plan := FormPlan(T, 4000, 5), gather(plan), 0.05)
    for row in found:
        assert (row.up_to is None) == (T < 21)
        assert row.errors[0].value > 1 / (T - 1) - 5.5 * row.errors[0].error
    assert form("weight_variance", 1e-6, T) / (1e-6 * (1 - 1 / T) / T**2) - 1 == pytest.approx(1 / (T - 1), abs=1e-6)


def test_the_reach_is_where_the_tolerance_is_met() -> None:
    """A truth that is the form over 1 + s/10 has the error s/10: within 1/5 up to s = 2, within 2 on all the grid."""
    forms = np.array([[form(name, s, 50) for s in GRID] for name in FORMS])
    truth = forms / (1 + np.array(GRID) / 10)
    moments = Moments(100, truth, (truth / 100) ** 2 * 99 * 100)
    near: tuple[Holds, ...] = holds(FormPlan(50, 100, 1), moments, 0.2)
    for row in near:
        assert row.up_to is not None
        assert row.up_to.value == pytest.approx(2.0)
        assert row.up_to.error == pytest.approx(1.2 / 100 * 10, rel=0.1)
    assert [row.up_to and (row.up_to.value, row.up_to.error) for row in holds(FormPlan(50, 100, 1), moments, 2)] == [
        (GRID[-1], 0.0)
    ] * 2


def test_bad_input_is_named() -> None:
    with pytest.raises(BadInput, match="positions must be at least 2"):
        FormPlan(1, 10, 1)
    with pytest.raises(BadInput, match="draws must be at least 2"):
        FormPlan(2, 1, 1)
    with pytest.raises(BadInput, match="error must be above 0"):
        holds(FormPlan(4, 10, 1), gather(FormPlan(4, 10, 1)), 0)
    assert seconds(FormPlan(4, 10**9, 1)) > 60
