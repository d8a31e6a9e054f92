"""One worker and two, in turn: `python -m tests.bench.workers`.  Processor time includes that of the workers."""

import os
import time
from fractions import Fraction
from statistics import median

from exact.engines import lanes
from exact.enumeration import prepare_engine
from exact.shards import Job, add_up
from exact.workers import Pool, count_shards, here, plan, processes, threads
from tests.bench.timing import machine

ROUNDS = 5


def _processor_seconds() -> float:
    """Return the processor time of this process and of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _compare(job: Job, pools: dict[str, Pool]) -> None:
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in pools}
    for _ in range(ROUNDS):
        for name, pool in pools.items():
            start = _processor_seconds(), time.perf_counter()
            add_up(job, count_shards(job, range(job.shards), pool))
            spent[name].append((_processor_seconds() - start[0], time.perf_counter() - start[1]))
    print(f"\n{job.engine}, d = {len(job.query)}, {job.shards} shards of 2^{job.bits} vectors")
    print(f"{'':16}{'CPU s':>10}{'wall s':>10}{'× wall':>8}")
    first = median(wall for _, wall in next(iter(spent.values())))
    for name, times in spent.items():
        cpu, wall = (median(column) for column in zip(*times, strict=True))
        print(f"{name:<16}{cpu:>10.2f}{wall:>10.2f}{first / wall:>8.2f}")


def main() -> None:
    """Print the tables."""
    print(machine())
    two = {"one": here(), "two threads": threads(2), "two processes": processes(2)}
    for engine, width in (("numpy", 36), ("numba", 39)):
        if engine == "numba" and not lanes.installed():
            continue
        query = tuple(Fraction((-1) ** r) for r in range(width))
        prepare_engine(engine, query)
        _compare(plan(query, engine=engine, workers=2)[0], two)


if __name__ == "__main__":
    main()
