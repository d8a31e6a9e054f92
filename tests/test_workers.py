import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exact.workers
from exact.engines import lanes
from exact.enumeration import tally
from exact.rationals import BadInput
from exact.shards import Job, ShardTally, add_up, count_shard, fingerprint
from exact.workers import Here, Pool, WorkersLost, count_shards, here, on_this_machine, plan, processes, threads

ROOT = Path(__file__).parents[1]
QUERY = tuple(map(Fraction, ("3", "-1", "1/2", "2", "-5", "1", "7", "1/3")))
WHOLE = {histogram: tally(QUERY, histogram=histogram, engine="plain") for histogram in (False, True)}


@given(st.randoms(use_true_random=False), st.integers(1, 8), st.booleans(), st.sampled_from(["numpy", "plain"]))
def test_shards_add_in_any_order(order: random.Random, bits: int, histogram: bool, engine: str) -> None:
    job = Job(QUERY, bits, histogram, engine)
    indices = list(range(job.shards))
    order.shuffle(indices)
    assert add_up(job, (count_shard(job, i) for i in indices)) == WHOLE[histogram]


def test_a_shard_is_the_vectors_whose_high_signs_are_its_index() -> None:
    job = Job((Fraction(1), Fraction(10), Fraction(100)), 1, True)
    assert [[e for e, _ in count_shard(job, i).histogram or ()] for i in range(4)] == [
        [109, 111],
        [89, 91],
        [-91, -89],
        [-111, -109],
    ]


def test_no_shard_is_missing_or_added_twice() -> None:
    job = Job(QUERY, 6)
    shards = [count_shard(job, i) for i in range(4)]
    for wrong, why in (
        (shards[:3], "1 of 4 shards are missing"),
        ([*shards, shards[0]], "shard 0 comes twice"),
        ([replace(shards[0], index=4)], "shard 4 comes twice, or is none of the 4"),
        ([replace(shards[0], count=32)], "is not the tally of 2\\^6 vectors"),
        ([count_shard(replace(job, histogram=True), 0)], "that was asked for"),
    ):
        with pytest.raises(ValueError, match=why):
            add_up(job, wrong)


def pool(opening: Callable[[], Executor], in_flight: int) -> Pool:
    return Pool(opening, in_flight, lambda: 1)


POOLS = {"here": here(), "processes": processes(2), "threads": threads(3)}


@pytest.mark.parametrize("workers", POOLS.values(), ids=POOLS)
def test_whatever_counts_the_total_is_the_same(workers: Pool) -> None:
    for histogram in (False, True):
        job = Job(QUERY, 3, histogram)
        assert add_up(job, count_shards(job, range(job.shards), workers)) == WHOLE[histogram]


@pytest.mark.parametrize(
    ("workers", "engine", "kind"),
    [(1, "numba", Here), (2, "numba", ThreadPoolExecutor), (2, "numpy", ProcessPoolExecutor)],
)
def test_threads_count_where_they_run_side_by_side(workers: int, engine: str, kind: type[Executor]) -> None:
    chosen = on_this_machine(workers, engine)
    executor = chosen.open()
    executor.shutdown()
    assert type(executor) is kind
    assert chosen.workers() == workers


@pytest.mark.skipif(not lanes.installed(), reason="numba is not installed: pip install -e '.[fast]'")
@pytest.mark.parametrize("histogram", [False, True])
def test_the_compiled_engine_counts_the_same_in_threads(histogram: bool) -> None:
    job = Job(QUERY, 3, histogram, "numba")
    for _ in range(20):
        assert add_up(job, count_shards(job, range(job.shards), threads(8))) == WHOLE[histogram]


class Failing(Here):
    """Fails at certain calls, as a worker that dies or raises."""

    def __init__(self, fails: Callable[[int], Exception | None]) -> None:
        self.fails, self.calls = fails, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        error = self.fails(self.calls)
        if error is None:
            return super().submit(fn, *args, **kwargs)
        future: Future[Any] = Future()
        future.set_exception(error)
        return future


@pytest.mark.parametrize("error", [BrokenExecutor("gone"), MemoryError(), ValueError("odd")], ids=repr)
def test_what_fails_now_and_then_is_counted_again(error: Exception) -> None:
    job = Job(QUERY, 3)
    executor = Failing(lambda call: error if call % 3 == 1 else None)
    opened: list[Executor] = []

    def opening() -> Executor:
        opened.append(executor)
        return executor

    found = list(count_shards(job, range(job.shards), pool(opening, 2)))
    assert sorted(shard.index for shard in found) == list(range(job.shards))
    assert add_up(job, found) == WHOLE[False]
    assert (len(opened) > 1) == isinstance(error, BrokenExecutor)


def test_too_many_failures_end_it_and_what_was_finished_has_been_given() -> None:
    job = Job(QUERY, 3)
    found: list[ShardTally] = []
    failing = pool(lambda: Failing(lambda call: None if call <= 4 else ValueError("the disk burns\nand more")), 1)
    with pytest.raises(WorkersLost, match=r"failed 5 times in a row, the last time so: the disk burns$"):
        found.extend(count_shards(job, range(job.shards), failing))
    assert {shard.index for shard in found} == {0, 1, 2, 3}


def test_a_shard_that_nobody_can_count_keeps_no_other_from_being_counted() -> None:
    class Poisoned(Here):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            if args[1] == 3:
                future.set_exception(BrokenExecutor("out of memory"))
                return future
            return super().submit(fn, *args, **kwargs)

    job = Job(QUERY, 3)
    found: list[ShardTally] = []
    with pytest.raises(WorkersLost, match="out of memory"):
        found.extend(count_shards(job, range(job.shards), pool(Poisoned, 2)))
    assert {shard.index for shard in found} == set(range(job.shards)) - {3}


class Losing(Here):
    """Never answers certain calls, as where a shard was lost on the way."""

    def __init__(self, loses: Callable[[int], bool]) -> None:
        self.loses, self.calls, self.lost = loses, 0, list[Future[Any]]()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        if not self.loses(self.calls):
            return super().submit(fn, *args, **kwargs)
        self.lost.append(Future())
        return self.lost[-1]


def test_what_is_lost_on_the_way_is_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact.workers, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(exact.workers, "STALLED_SECONDS", 0.05)
    job = Job(QUERY, 3)
    executor = Losing(lambda call: call % 3 == 1)
    found = list(count_shards(job, range(job.shards), pool(lambda: executor, 3)))
    assert sorted(shard.index for shard in found) == list(range(job.shards))
    assert add_up(job, found) == WHOLE[False]
    assert executor.lost
    assert all(future.cancelled() for future in executor.lost)


def test_where_nothing_ever_comes_back_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact.workers, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(exact.workers, "STALLED_SECONDS", 0.05)
    job = Job(QUERY, 3)
    with pytest.raises(WorkersLost, match=r"5 times in a row, the last time so: no shard came back for 0\.05 s"):
        list(count_shards(job, range(job.shards), pool(lambda: Losing(lambda call: True), 3)))


def test_a_process_that_is_killed_is_survived() -> None:
    job = Job(tuple(map(Fraction, (1, -1) * 9)), 12, engine="plain")
    found: list[ShardTally] = []
    for shard in count_shards(job, range(job.shards), processes(2)):
        if len(found) in (0, 20):
            for child in multiprocessing.active_children():
                child.kill()
        found.append(shard)
    assert sorted(shard.index for shard in found) == list(range(job.shards))
    assert add_up(job, found).total_of_squares == 2**18 * 18


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda shard: replace(shard, code="0" * 16), "another version of the program"),
        (lambda shard: replace(shard, index=shard.index + 1), "asked for shard 0 and answered with shard 1"),
        (lambda shard: (shard.index, shard.total), "another version of the program \\(unknown"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(change: Callable[[ShardTally], Any], why: str) -> None:
    class Other(Here):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result(change(fn(*args, **kwargs)))
            return future

    job = Job(QUERY, 3)
    with pytest.raises(BadInput, match=why):
        next(count_shards(job, range(job.shards), pool(Other, 1)))


def test_the_fingerprint_changes_with_the_engines(tmp_path: Path) -> None:
    copy = copy_of_the_program(tmp_path)
    code = "from exact.shards import fingerprint; print(fingerprint())"

    def elsewhere() -> str:
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.strip()

    assert elsewhere() == fingerprint()
    with (copy / "exact/engines/outer.py").open("a") as file:
        file.write("\n")
    assert elsewhere() != fingerprint()


def copy_of_the_program(folder: Path) -> Path:
    """Copy the floor of numbers into a folder of its own."""
    copy = folder / "program"
    for file in (ROOT / "exact").rglob("*.py"):
        target = copy / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return copy


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = (
        "import multiprocessing; from fractions import Fraction\n"
        "from exact.workers import *; from exact.shards import Job\n"
        "job = Job((Fraction(1),) * 30, 10, engine='plain')\n"
        "for i, _ in enumerate(count_shards(job, range(job.shards), processes(2))):\n"
        "    if i == 4: print(*(child.pid for child in multiprocessing.active_children()), flush=True)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        children = [Path(f"/proc/{pid}") for pid in process.stdout.readline().split()]
        process.kill()
    assert children
    until = time.monotonic() + 20
    while any(child.exists() for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(child.exists() for child in children)


@pytest.mark.parametrize("workers", [None, 1, 2, 7])
@pytest.mark.parametrize("d", [1, 2, 5, 40, 62])
def test_a_plan_is_a_job_that_can_be_done(d: int, workers: int | None) -> None:
    job, rate, number = plan((Fraction(1),) * d, workers=workers)
    assert 1 <= job.bits <= min(d, 32)
    assert rate > 0
    assert number == (workers or number)
    assert job.shards >= min(8 * number, 1 << (d - 1)) or number == 1


@pytest.mark.parametrize(
    ("query", "bits", "options", "why"),
    [
        ((), 1, {}, "from width 1 to 62"),
        ((1,) * 63, 1, {}, "from width 1 to 62"),
        ((1,) * 4, 0, {}, "from 2 to 2\\^4 vectors \\(got 2\\^0\\)"),
        ((1,) * 4, 5, {}, "from 2 to 2\\^4 vectors"),
        ((1,) * 40, 33, {}, "from 2 to 2\\^32 vectors"),
        ((1,), 1, {"engine": "abacus"}, "engine must be one of numba, numpy, plain"),
        (tuple(3**r for r in range(25)), 9, {"histogram": True}, "more than 524288 scores"),
    ],
)
def test_a_job_that_makes_no_sense_is_refused(
    query: tuple[int, ...], bits: int, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        Job(tuple(map(Fraction, query)), bits, **options)
