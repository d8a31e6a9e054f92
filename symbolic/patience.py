"""A limit on the time that deciding one claim may take, so that a claim too large ends in a clear answer.

Expressions of a few letters can have normal forms of millions of terms; no limit on the text keeps them out.  Where the
system has no timer for a process, or outside the main thread, there is no limit.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TooLong", "within"]

AGAIN = 1.0  # seconds until it is raised once more, should what was interrupted have caught it
SOON = 0.001  # seconds until it is raised once more where Python itself dropped it


class TooLong(Exception):
    """The time allowed has passed."""


def _stop(_: int, frame: FrameType | None) -> None:
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
    report = sys.unraisablehook

    def dropped(unraisable: sys.UnraisableHookArgs) -> None:
        """Raise it anew: what a finalizer, a weak reference's callback or the collector's raises goes nowhere."""
        if unraisable.exc_type is TooLong:
            signal.setitimer(signal.ITIMER_REAL, SOON, AGAIN)
        else:
            report(unraisable)

    sys.unraisablehook = dropped
    before = signal.signal(signal.SIGALRM, _stop)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    if 0 < left < seconds:
        signal.setitimer(signal.ITIMER_REAL, left, AGAIN)
    try:
        yield
    finally:
        _silence()
        sys.unraisablehook = report
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - start), 0.001))
