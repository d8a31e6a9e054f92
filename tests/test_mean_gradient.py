"""The mean trace: against every pair of sign keys, against mpmath's intervals, and against published figures."""

from collections.abc import Callable
from importlib import import_module
from itertools import product
from math import comb, cosh, pi, sqrt
from typing import Any

import pytest

from exact.mean_gradient import DIVISORS, Divisor, mean_trace
from exact.rationals import BadInput

mpmath: Any = import_module("mpmath")  # it carries no types
GOLDEN: dict[Divisor, dict[int, float]] = {
    "none": {1: 0.3550, 4: 0.2366, 16: 0.1339, 64: 0.0697, 256: 0.0352},
    "root": {1: 0.3550, 4: 0.3606, 16: 0.3625, 64: 0.3630, 256: 0.3631},
}  # the shared external figures, recomputed


def scale(d: int, divisor: Divisor) -> float:
    return {"none": 1.0, "root": sqrt(d), "width": float(d)}[divisor]


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5])
def test_every_pair_of_keys_gives_the_mean(d: int, divisor: Divisor) -> None:
    keys = list(product((-1, 1), repeat=d))
    total = sum(1 / (1 + cosh((sum(a) - sum(b)) / scale(d, divisor))) for a, b in product(keys, repeat=2))
    found = mean_trace(d, divisor)
    assert abs(total / 4**d - float(found.low)) < (4**d + 20) * 2.0**-52


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("d", [1, 2, 7, 30, 200])
def test_intervals_of_another_library_lie_on_the_same_digits(d: int, divisor: Divisor) -> None:
    iv = mpmath.iv
    iv.dps = 60
    step = 2 / {"none": iv.mpf(1), "root": iv.sqrt(d), "width": iv.mpf(d)}[divisor]
    total = iv.mpf(0)
    for m in range(-d, d + 1):
        total += iv.mpf(comb(2 * d, d + m)) / (2 + iv.exp(m * step) + iv.exp(-m * step))
    total = 2 * total / iv.mpf(4) ** d
    found = mean_trace(d, divisor, places=40)
    with mpmath.workdps(70):
        low, high = (mpmath.mpf(x.numerator) / x.denominator for x in (found.low, found.high))
        assert low <= mpmath.mpf(total.b)
        assert mpmath.mpf(total.a) <= high
        assert high - low < mpmath.mpf(10) ** -40
    assert len(found.digits) == 42


@pytest.mark.parametrize("divisor", ["none", "root"])
def test_the_published_figures_come_out(divisor: Divisor) -> None:
    for d, figure in GOLDEN[divisor].items():
        assert f"{float(mean_trace(d, divisor).low):.4f}" == f"{figure:.4f}"


def test_undivided_it_falls_like_a_power_and_divided_it_stays() -> None:
    """√d·E[tr J] tends to Σ_m 1/(1 + cosh 2m)/√π = .5653 and stays within 1/d of it, by the local limit theorem."""
    limit = sum(1 / (1 + cosh(2 * m)) for m in range(-40, 41)) / sqrt(pi)
    assert f"{limit:.4f}" == "0.5653"
    for d in (100, 10_000, 100_000):
        assert abs(sqrt(d) * float(mean_trace(d).low) - limit) < 1 / d
    assert mean_trace(100_000, "root", 4).digits == mean_trace(10_000, "root", 4).digits
    assert float(mean_trace(100_000, "width").high) > 0.49999


@pytest.mark.parametrize("places", [1, 12, 50, 200])
def test_more_places_only_add_digits(places: int) -> None:
    most = mean_trace(37, "root", 200).digits
    assert most.startswith(mean_trace(37, "root", places).digits)


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: mean_trace(0), "width must be at least 1"),
    (lambda: mean_trace(10**12), "width must be at most"),
    (lambda: mean_trace(4, "cube"), "a divisor must be one of"),  # type: ignore[arg-type]
    (lambda: mean_trace(4, places=0), "places must be at least 1"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
