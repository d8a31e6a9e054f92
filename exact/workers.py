"""Workers: shards are counted by anything that has the interface of `concurrent.futures`.

`here` counts in this process, `on_this_machine` on its cores, `exact.cluster` on other machines.  What a dead worker
had in hand is given to another; a shard counted by another version of the program is refused.

>>> from exact.shards import add_up
>>> job = Job((Fraction(3), Fraction(-1), Fraction(2)), bits=1)
>>> add_up(job, count_shards(job, range(job.shards), here())).total_of_squares
Fraction(112, 1)
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from multiprocessing import get_context, parent_process
from typing import Final, ParamSpec, TypeVar

from exact.enumeration import ENGINES
from exact.rationals import BadInput
from exact.shards import MAX_BITS, Job, ShardTally, count_shard, fingerprint

__all__ = [
    "Here",
    "Pool",
    "WorkersLost",
    "cores",
    "count_shards",
    "here",
    "interrupts_held",
    "measure_rate",
    "on_this_machine",
    "other_version",
    "plan",
    "processes",
    "threads",
]

MAX_FAILURES: Final = 5
LOOK_SECONDS: Final = 1.0
STALLED_SECONDS: Final = 60  # a shard takes a fraction of a second; machines may be busy with others' work
SHARD_SECONDS: Final = 0.25  # of one worker: far above what a shard costs besides, little to lose
SHARDS_EACH: Final = 8
SHORT_SECONDS: Final = 1.0  # not worth starting processes for
WITHOUT_LOCK: Final = frozenset({"numba"})  # engines whose code holds no lock of the interpreter
PROBE_BITS: Final = 10
PROBE_SECONDS: Final = 0.05

P = ParamSpec("P")
T = TypeVar("T")


class WorkersLost(BadInput):
    """Workers failed so often that the count stopped; shards that were finished are whole."""


class Here(Executor):
    """Runs each task at once, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a task and return its future, done."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # the executor's interface: whatever it is, it is raised by result()
            future.set_exception(error)
        return future


@dataclass(frozen=True, slots=True)
class Pool:
    """Workers: how to open an executor, how many shards to hand it at a time, and how many workers there are now.

    `look` is called while nothing comes back, and raises `WorkersLost` where there is nobody to wait for.  `inside`:
    whether the workers share the memory of this process.
    """

    open: Callable[[], Executor]
    in_flight: int
    workers: Callable[[], int]
    look: Callable[[], None] = lambda: None
    inside: bool = False


def here() -> Pool:
    """Return a pool that is this process."""
    return Pool(Here, 1, lambda: 1, inside=True)


def on_this_machine(workers: int, engine: str) -> Pool:
    """Return what suits an engine: threads where they run side by side, for they start at once, else processes."""
    if workers == 1:
        return here()
    return threads(workers) if engine in WITHOUT_LOCK else processes(workers)


def threads(workers: int) -> Pool:
    """Return a pool of threads of this process."""
    return Pool(partial(ThreadPoolExecutor, workers), 2 * workers, lambda: workers, inside=True)


def processes(workers: int) -> Pool:
    """Return a pool of processes on this machine.

    They are spawned, not forked: a fork would copy locks that threads hold, and keep a ledger locked after its writer
    is gone.
    """
    return Pool(
        partial(ProcessPoolExecutor, workers, get_context("spawn"), _serve),
        2 * workers,  # one in hand and one waiting
        lambda: workers,
    )


def cores() -> int:
    """Return how many cores this process may use."""
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _serve() -> None:
    """Leave Ctrl-C to the parent, and end when the parent ends, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until what is being done is done; a process that is started meanwhile never sees it."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))  # any thread may be interrupted
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # and this is what processes inherit
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if held:
            signal.raise_signal(signal.SIGINT)


def count_shards(job: Job, todo: Iterable[int], pool: Pool) -> Iterator[ShardTally]:
    """Count the shards `todo`, each once, and yield their tallies as they come, in any order.

    A shard whose worker died or failed is counted again, after all others; `WorkersLost` after five failures in a row
    with no shard between them, BadInput for a worker with another version of the program.
    """
    coming, again = iter(todo), deque[int]()
    pending: dict[Future[ShardTally], int] = {}
    failures, executor, moved = 0, pool.open(), time.monotonic()
    try:
        while True:
            problem = _hand_out(job, coming, again, pending, executor, pool.in_flight)
            if not pending and not problem:
                return
            done = wait(pending, LOOK_SECONDS, FIRST_COMPLETED).done
            if pending and not done:
                pool.look()
                if time.monotonic() - moved > STALLED_SECONDS:  # lost on the way with a worker: nobody will answer
                    problem = TimeoutError(f"no shard came back for {STALLED_SECONDS} s")
                    _take_back(pending, again)
            if done or problem:
                moved = time.monotonic()
            for future in done:
                index = pending.pop(future)
                try:
                    shard = future.result()
                except Exception as error:  # whatever happened to a worker, the shard is not counted yet
                    problem = error
                    again.append(index)
                else:
                    failures = 0
                    yield _checked(job, index, shard)
            if problem is None:
                continue
            pool.look()
            failures += 1
            if failures >= MAX_FAILURES:
                said = str(problem).split("\n", 1)[0] or type(problem).__name__
                raise WorkersLost(f"workers failed {failures} times in a row, the last time so: {said[:200]}")
            if isinstance(problem, BrokenExecutor):
                _take_back(pending, again)
                executor.shutdown()
                executor = pool.open()
    finally:
        with interrupts_held():  # a second Ctrl-C does not leave workers behind
            _take_back(pending, again)
            executor.shutdown()


def _take_back(pending: dict[Future[ShardTally], int], again: deque[int]) -> None:
    """Give up what is pending: it is to be counted again."""
    for future in pending:
        future.cancel()
    again.extend(pending.values())
    pending.clear()


def _hand_out(
    job: Job,
    coming: Iterator[int],
    again: deque[int],
    pending: dict[Future[ShardTally], int],
    executor: Executor,
    most: int,
) -> Exception | None:
    """Submit shards until `most` are pending; return what went wrong, if anything did."""
    with interrupts_held():
        while len(pending) < most:
            index = next(coming, None)
            if index is None:
                if not again:
                    break
                index = again.popleft()  # last: a shard that nobody can count keeps no other from being counted
            try:
                pending[executor.submit(count_shard, job, index)] = index
            except Exception as error:  # no process could be started, or the last one just died
                again.append(index)
                return error
    return None


def _checked(job: Job, index: int, shard: object) -> ShardTally:
    if not isinstance(shard, ShardTally) or shard.code != fingerprint():
        raise other_version("a worker", getattr(shard, "code", "unknown"))
    if shard.index != index:
        raise BadInput(f"a worker was asked for shard {index} and answered with shard {shard.index}")
    return shard


def other_version(who: str, code: object) -> BadInput:
    """Return the refusal of a worker whose program has another fingerprint."""
    return BadInput(
        f"{who} runs another version of the program ({code}, here {fingerprint()}); "
        "install the same version everywhere and start the workers again"
    )


# ---- before a long job ----------------------------------------------------------------------------------------------


def plan(
    query: Sequence[Fraction], *, histogram: bool = False, engine: str = "numpy", workers: int | None = None
) -> tuple[Job, float, int]:
    """Return the job, the rate of one worker here in vectors a second, and how many workers it is worth.

    The rate is that of a short probe.  A shard takes a worker about a quarter of a second, or less, so that each has
    several.  Unless they are given, workers are as many as there are cores, but one for what takes less than a second.
    """
    job = Job(tuple(query), 1, histogram, engine)
    d, rate = len(query), measure_rate(job)
    if workers is None:
        workers = cores() if 2.0**d / rate > SHORT_SECONDS else 1
    bits = int(rate * SHARD_SECONDS).bit_length() - 1
    if workers > 1:
        bits = min(bits, d - (SHARDS_EACH * workers - 1).bit_length())
    return replace(job, bits=max(1, min(bits, d, MAX_BITS))), rate, workers


def measure_rate(job: Job) -> float:
    """Return the vectors a second that this process visits, in blocks that grow until one takes 0.05 s."""
    visit = ENGINES[job.engine].histogram if job.histogram else ENGINES[job.engine].power_sums
    q, most = job.whole, min(len(job.query), MAX_BITS)
    bits, seconds = min(PROBE_BITS, most), 0.0
    visit(q[:bits], 0)  # what an engine does only once is not part of its rate
    while True:
        start = time.perf_counter()
        visit(q[:bits], sum(map(abs, q[bits:])))
        seconds = time.perf_counter() - start
        if seconds >= PROBE_SECONDS or bits == most:
            return (1 << bits) / max(seconds, 1e-9)
        bits = min(bits + (2 if seconds < PROBE_SECONDS / 4 else 1), most)
