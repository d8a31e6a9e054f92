"""A limit on the time that deciding one claim may take, so that a claim too large ends in a clear answer.

Expressions of a few letters can have normal forms of millions of terms; no limit on the text keeps them out.  Where the
system has no timer for a process, or outside the main thread, there is no limit.
"""

from __future__ import annotations

import gc
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TooLong", "within"]

AGAIN = 1.0  # seconds until it is raised once more, should a finalizer have swallowed it
SOON = 0.001  # seconds until it is tried once more, where a callback of the collector would swallow it


class TooLong(Exception):
    """The time allowed has passed."""


def _stop(_: int, frame: FrameType | None) -> None:
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None:
        if frame.f_code in callbacks:
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
            return
        frame = frame.f_back
    raise TooLong


def _silence() -> None:
    while True:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
            if signal.getitimer(signal.ITIMER_REAL)[0] == 0:
                return
        except TooLong:  # it went off just now
            continue


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong in the block once `seconds` have passed; a timer that was running goes on afterwards."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    start = time.monotonic()
    before = signal.signal(signal.SIGALRM, _stop)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    if 0 < left < seconds:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
    try:
        yield
    finally:
        _silence()
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - start), 0.001))
