"""Times callables side by side: in turn, several rounds, medians of the processor's time and of the clock's."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

__all__ = ["Row", "compare", "machine", "medians"]


@dataclass(frozen=True, slots=True)
class Row:
    """One contestant: what it is called, what to call, and how much one call gets done."""

    name: str
    call: Callable[[], object]
    amount: float


def machine() -> str:
    """Name the machine, the Python and the number of cores."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"


def medians(rows: Sequence[Row], rounds: int) -> list[tuple[float, float]]:
    """Run the rows in turn, and return each one's median seconds of the processor and of the clock."""
    spent: list[list[tuple[float, float]]] = [[] for _ in rows]
    for _ in range(rounds):
        for row, times in zip(rows, spent, strict=True):
            start = time.process_time(), time.perf_counter()
            row.call()
            times.append((time.process_time() - start[0], time.perf_counter() - start[1]))
    return [(median(c for c, _ in times), median(w for _, w in times)) for times in spent]


def compare(title: str, unit: str, rows: Sequence[Row], rounds: int = 5) -> dict[str, float]:
    """Time the rows in turn, print a table, and return each row's rate as a multiple of the last row's."""
    times = dict(zip((row.name for row in rows), medians(rows, rounds), strict=True))
    cpu = {name: c for name, (c, _) in times.items()}
    rate = {row.name: row.amount / max(cpu[row.name], 1e-9) for row in rows}
    ours = {row.name: rate[rows[0].name] / rate[row.name] for row in rows}
    print(f"\n{title}\n{'':32}{'CPU s':>12}{'wall s':>12}{unit:>18}{'ours / it':>12}")
    for row in rows:
        wall = times[row.name][1]
        print(f"{row.name:<32}{cpu[row.name]:>12.6f}{wall:>12.6f}{rate[row.name]:>18.4g}{ours[row.name]:>12.1f}")
    return ours
