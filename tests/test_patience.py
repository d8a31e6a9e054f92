"""The limit on time: it is raised also where Python would drop it, and leaves no timer behind."""

from __future__ import annotations

import gc
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator

import pytest

from symbolic.patience import TooLong, within

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer for a process")


def busy(seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def limited(seconds: float, *steps: Callable[[], object]) -> None:
    with within(seconds):
        for step in steps:
            step()


def test_what_takes_too_long_ends_and_what_does_not_is_let_be() -> None:
    with pytest.raises(TooLong):
        limited(0.02, lambda: busy(5))
    limited(5, lambda: None)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


class Dying:
    """What takes long when nothing refers to it any more."""

    def __del__(self) -> None:
        busy(0.05)


def slow_callback(phase: str, _: dict[str, int]) -> None:
    busy(0.05)


def slow_reference() -> None:
    dying = type("Thing", (), {})()
    reference = weakref.ref(dying, lambda _: busy(0.05))
    del dying
    assert reference() is None


@pytest.fixture
def collection() -> Iterator[Callable[[], object]]:
    gc.callbacks.append(slow_callback)
    yield gc.collect
    gc.callbacks.remove(slow_callback)


@pytest.mark.parametrize("slow", [Dying, slow_reference, None], ids=["finalizer", "weak reference", "collector"])
def test_where_python_would_drop_it_it_is_raised_again_and_nothing_is_printed(
    slow: Callable[[], object] | None, collection: Callable[[], object], capfd: pytest.CaptureFixture[str]
) -> None:
    start = time.monotonic()
    with pytest.raises(TooLong):
        limited(0.02, slow or collection, lambda: busy(5))
    assert time.monotonic() < start + 0.9
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert capfd.readouterr().err == ""


class Broken:
    """What fails when nothing refers to it any more."""

    def __del__(self) -> None:
        raise ValueError("mine")


def test_what_others_drop_is_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: seen.append(unraisable.exc_type))
    limited(5, Broken)
    assert seen == [ValueError]


def test_an_outer_limit_outlives_an_inner_one() -> None:
    def inner() -> None:
        with pytest.raises(TooLong):
            limited(0.02, lambda: busy(5))

    start = time.monotonic()
    with pytest.raises(TooLong):
        limited(0.1, inner, lambda: busy(5))
    assert time.monotonic() < start + 4
