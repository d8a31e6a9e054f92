r"""The two tables of the lesson, draw by draw: what its reader compares with.

Imports NumPy and the exact modules above it only.

>>> print(*score_size_csv(score_size(widths=(4,))), sep="\n")
# numpy.random.default_rng(7), 8000 pairs a width, float64
d_k,mean,typical_size,root_d_k,after_dividing
4,-0.012,2.00,2.00,1.00
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from exact.attention import softmax, summarise_rows
from exact.rationals import read_whole

__all__ = [
    "ScoreSize",
    "SoftmaxRow",
    "score_size",
    "score_size_cells",
    "score_size_csv",
    "softmax_row",
    "softmax_row_cells",
    "softmax_row_csv",
]

SIZE_SEED, SIZE_PAIRS, SIZE_WIDTHS = 7, 8000, (4, 16, 64, 256, 1024)
ROW_SEED, ROW_KEYS, ROW_QUERIES, ROW_WIDTHS = 11, 8, 4000, (8, 64, 512)
SEED_LIMIT = 2**128
TILE = 1 << 15  # numbers drawn at a time


@dataclass(frozen=True, slots=True)
class ScoreSize:
    """One width: the mean of e and its typical size √(mean of e²), over the pairs drawn."""

    width: int
    mean: float
    typical_size: float


@dataclass(frozen=True, slots=True)
class SoftmaxRow:
    """One width and divisor: means over the queries of the largest weight, 1 − Σ a² and the largest a(1 − a)."""

    divisor: Literal["1", "sqrt"]
    width: int
    largest: float
    trace: float
    steepest: float


def score_size(
    seed: int = SIZE_SEED, pairs: int = SIZE_PAIRS, widths: Sequence[int] = SIZE_WIDTHS
) -> tuple[ScoreSize, ...]:
    """Draw, at each width, all q and then all k from one PCG64 generator, standard normal, and measure q·k."""
    generator = _generator(seed)
    pairs = read_whole("pairs", pairs, 2, 10**6)
    rows = []
    for d in widths:
        q, e = generator.standard_normal((pairs, d)), np.empty(pairs)
        for i in range(0, pairs, step := max(1, TILE // d)):  # all k need not stand in memory at once
            k = generator.standard_normal((min(step, pairs - i), d))
            np.vecdot(q[i : i + step], k, out=e[i : i + step])
        rows.append(ScoreSize(d, float(e.mean()), sqrt(float((e * e).mean()))))
    return tuple(rows)


def softmax_row(
    seed: int = ROW_SEED,
    queries: int = ROW_QUERIES,
    keys: int = ROW_KEYS,
    widths: Sequence[int] = ROW_WIDTHS,
) -> tuple[SoftmaxRow, ...]:
    """Draw, at each width, all queries and then the keys that they share, and measure the rows of the softmax."""
    generator = _generator(seed)
    queries, keys = read_whole("queries", queries, 2, 10**6), read_whole("keys", keys, 1, 10**4)
    rows = []
    for d in widths:
        q = generator.standard_normal((queries, d))
        E = q @ generator.standard_normal((keys, d)).T
        for name, scores in (("1", E), ("sqrt", E / sqrt(d))):
            row = summarise_rows(softmax(scores))
            means = (float(x.mean()) for x in (row.largest, row.trace, row.steepest))
            rows.append(SoftmaxRow("sqrt" if name == "sqrt" else "1", d, *means))
    return tuple(rows)


def score_size_cells(row: ScoreSize) -> tuple[str, ...]:
    """Write one row: width, mean, typical size, √d_k, typical size divided by √d_k."""
    root = sqrt(row.width)
    sizes = (row.typical_size, root, row.typical_size / root)
    return str(row.width), f"{row.mean:.3f}", *(f"{x:.2f}" for x in sizes)


def softmax_row_cells(row: SoftmaxRow) -> tuple[str, ...]:
    """Write one row: divisor, width, largest weight, 1 − Σ a², largest a(1 − a)."""
    return row.divisor, str(row.width), f"{row.largest:.3f}", f"{row.trace:.3f}", f"{row.steepest:.4f}"


def score_size_csv(rows: Sequence[ScoreSize], seed: int = SIZE_SEED, pairs: int = SIZE_PAIRS) -> Iterator[str]:
    """Write the table as lines of CSV, the generator first."""
    yield f"# numpy.random.default_rng({seed}), {pairs} pairs a width, float64"
    yield "d_k,mean,typical_size,root_d_k,after_dividing"
    for row in rows:
        yield ",".join(score_size_cells(row))


def softmax_row_csv(
    rows: Sequence[SoftmaxRow], seed: int = ROW_SEED, queries: int = ROW_QUERIES, keys: int = ROW_KEYS
) -> Iterator[str]:
    """Write the table as lines of CSV, the generator first."""
    yield f"# numpy.random.default_rng({seed}), T={keys} keys, {queries} queries a width, float64"
    yield "divisor,d_k,largest_weight,one_minus_sum_of_squares,largest_a_times_one_minus_a"
    for row in rows:
        yield ",".join(softmax_row_cells(row))


def _generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(read_whole("seed", seed, 0, SEED_LIMIT))
