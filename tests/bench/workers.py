"""One worker and two, in turn: `python -m tests.bench.workers`.  Processor time includes that of the workers."""

import os
import time
from fractions import Fraction
from statistics import median

from exact.shards import add_up
from exact.workers import count_shards, here, plan, processes
from tests.bench.timing import machine

WIDTH, ROUNDS = 34, 5


def _processor_seconds() -> float:
    """Return the processor time of this process and of the workers that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    """Print the table."""
    query = tuple(Fraction((-1) ** r) for r in range(WIDTH))
    job, _, _ = plan(query, workers=2)
    pools = {"this process": here(), "1 process": processes(1), "2 processes": processes(2)}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in pools}
    for _ in range(ROUNDS):
        for name, pool in pools.items():
            start = _processor_seconds(), time.perf_counter()
            add_up(job, count_shards(job, range(job.shards), pool))
            spent[name].append((_processor_seconds() - start[0], time.perf_counter() - start[1]))
    print(f"{machine()}\nd = {WIDTH}, {job.shards} shards of 2^{job.bits} vectors")
    print(f"{'':16}{'CPU s':>10}{'wall s':>10}{'× wall':>8}")
    first = median(wall for _, wall in spent["this process"])
    for name, times in spent.items():
        cpu, wall = (median(column) for column in zip(*times, strict=True))
        print(f"{name:<16}{cpu:>10.2f}{wall:>10.2f}{first / wall:>8.2f}")


if __name__ == "__main__":
    main()
