"""The limit on time: it is raised once, not swallowed by the collector's callbacks, and leaves no timer behind."""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable

import pytest

from symbolic.patience import TooLong, within

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer for a process")


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def limited(seconds: float, *steps: Callable[[], None]) -> None:
    with within(seconds):
        for step in steps:
            step()


def test_what_takes_too_long_ends_and_what_does_not_is_let_be() -> None:
    with pytest.raises(TooLong):
        limited(0.02, lambda: busy(5))
    limited(5, lambda: None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_callback_of_the_collector_does_not_swallow_it() -> None:
    seen = []

    def slow(phase: str, _: dict[str, int]) -> None:
        busy(0.05)
        seen.append(phase)

    def collect() -> None:
        gc.collect()

    gc.callbacks.append(slow)
    try:
        with pytest.raises(TooLong):
            limited(0.02, collect, lambda: busy(0.5))
    finally:
        gc.callbacks.remove(slow)
    assert seen[0] == "start"
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_outer_limit_outlives_an_inner_one() -> None:
    def inner() -> None:
        with pytest.raises(TooLong):
            limited(0.02, lambda: busy(5))

    start = time.monotonic()
    with pytest.raises(TooLong):
        limited(0.1, inner, lambda: busy(5))
    assert time.monotonic() < start + 4
