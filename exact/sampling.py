"""Monte Carlo that knows its own error: every error bar comes from exact moments, none from the sample.

Imports NumPy and the exact modules above it only.

Two methods, named.  `vectors` draws q and k and multiplies them, which is what checks the claim.  `scores`, for
standard Gaussians, draws e itself: given q, e is N(0, |q|²), and |q|² is chi-squared with d degrees of freedom.

Draws come in blocks whose size depends on the method and the width only; block i has a stream of its own, the i-th
child of the seed, and blocks are added in order.  So the answer does not depend on how many workers there are, nor on
how many blocks each takes at a time.  Memory does not grow with the width or the draws: vectors are drawn in tiles.

>>> from exact.coordinates import sign
>>> plan = Plan(sign(), width=64, draws=10_000, seed=7)
>>> report = estimate(plan, total(plan))
>>> [(row.name, row.truth, row.agrees) for row in report]
[('mean', Fraction(0, 1), True), ('second-moment', Fraction(64, 1), True), ('unit-scale', Fraction(1, 1), True)]
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from math import prod, sqrt
from statistics import NormalDist
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from exact.coordinates import Coordinate, Finite, gaussian, sign
from exact.moments import WIDTH_LIMIT, score_moments
from exact.rationals import BadInput, read_whole
from exact.terms import Independent

__all__ = [
    "FALSE_ALARM",
    "GENERATOR",
    "METHODS",
    "NUMPY",
    "Estimate",
    "Method",
    "Plan",
    "Totals",
    "add",
    "blocks",
    "estimate",
    "in_order",
    "seconds",
    "total",
]

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Method = Literal["vectors", "scores"]
METHODS: tuple[Method, ...] = ("vectors", "scores")
GENERATOR = "SFC64"
NUMPY = np.__version__
DRAW_LIMIT, SEED_LIMIT, WORKER_LIMIT = 10**12, 2**128, 256
FALSE_ALARM = 1e-6  # of the whole table: mean and second moment share it, unit-scale is the second moment over d
TILE = 1 << 14  # numbers drawn at a time, for each of q and k
BLOCK_DRAWS, BLOCK_NUMBERS = 1 << 14, 1 << 22


@dataclass(frozen=True, slots=True)
class Plan:
    """What to draw: coordinates of both q and k, the width, how many scores, the seed and the method.

    Width 1 to 10^9, draws 2 to 10^12, seed 0 to 2^128; `BadInput` outside, and for `scores` of any other coordinate.
    """

    coordinate: Coordinate
    width: int
    draws: int
    seed: int
    method: Method = "vectors"

    def __post_init__(self) -> None:
        """Read what was given."""
        object.__setattr__(self, "width", read_whole("width", self.width, 1, WIDTH_LIMIT))
        object.__setattr__(self, "draws", read_whole("draws", self.draws, 2, DRAW_LIMIT))
        object.__setattr__(self, "seed", read_whole("seed", self.seed, 0, SEED_LIMIT))
        if self.method not in METHODS:
            raise BadInput(f"a method must be one of {', '.join(METHODS)} (got {self.method!r})")
        if self.method == "scores" and self.coordinate != gaussian():
            raise BadInput("the method scores is for standard Gaussians; accepted for any other coordinate: vectors")


@dataclass(frozen=True, slots=True)
class Totals:
    """How many scores were drawn, their sum and the sum of their squares."""

    draws: int = 0
    first: float = 0.0
    second: float = 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over the draws beside its truth, with the standard error √(Var/draws), exact but for the last root.

    `normal` is the interval of a Gaussian limit (asymptotic), `chebyshev` the one of Chebyshev's inequality (rigorous);
    each misses the truth with its share of the alarm at most, the first as the draws grow.
    """

    name: str
    value: float
    truth: Fraction
    standard_error: float
    z: float
    normal: tuple[float, float]
    chebyshev: tuple[float, float]
    agrees: bool


def blocks(plan: Plan, workers: int = 1, chunk: int = 8) -> Iterator[Totals]:
    """Yield the totals of each block in order; `workers` threads, which are handed `chunk` blocks each at a time."""
    workers = read_whole("workers", workers, 1, WORKER_LIMIT)
    chunk = read_whole("chunk", chunk, 1, 10**6)
    yield from in_order(lambda block: _draw_block(plan, block), -(-plan.draws // _block_draws(plan)), workers, chunk)


def in_order(draw: Callable[[int], T], count: int, workers: int = 1, chunk: int = 8) -> Iterator[T]:
    """Yield draw(0), draw(1), … draw(count − 1) in order; `workers` threads, with `chunk` calls each at a time."""
    tasks = iter(range(count))
    if workers == 1:
        yield from map(draw, tasks)
        return
    with ThreadPoolExecutor(workers) as pool:
        while batch := list(islice(tasks, workers * chunk)):
            yield from pool.map(draw, batch)


def total(plan: Plan, workers: int = 1, chunk: int = 8, progress: Callable[[int], None] | None = None) -> Totals:
    """Draw the whole plan and add it up; `progress` is told of the draws as they are made."""
    so_far = Totals()
    for block in blocks(plan, workers, chunk):
        so_far = add(so_far, block)
        if progress is not None:
            progress(block.draws)
    return so_far


def seconds(plan: Plan) -> float:
    """Estimate how long the plan takes one worker, from a few scores, of a smaller width where it is large."""
    short = plan.method == "scores"
    width, draws = (plan.width, 4096) if short else (min(plan.width, TILE), max(2, TILE // plan.width))
    probe = replace(plan, width=width, draws=draws)
    start = time.perf_counter()
    _draw_block(probe, 0)
    spent = time.perf_counter() - start
    return spent * plan.draws / draws * (1 if short else plan.width / width)


def add(a: Totals, b: Totals) -> Totals:
    """Return the totals of both."""
    return Totals(a.draws + b.draws, a.first + b.first, a.second + b.second)


def estimate(plan: Plan, totals: Totals, alarm: float = FALSE_ALARM) -> tuple[Estimate, ...]:
    """Return E[e], E[e²] and E[e²]/d beside the truth; `totals` may be of a part of the plan, 2 draws at least.

    `alarm`: the probability, above 0 and below 1, with which one of the three disagrees by chance, as the draws grow.

    >>> plan = Plan(gaussian(), 4, 2, 0)
    >>> [round(row.standard_error, 4) for row in estimate(plan, Totals(2, 0.0, 8.0))]      # √(4/2), √(56/2), a quarter
    [1.4142, 5.2915, 1.3229]
    """
    n, d = totals.draws, plan.width
    if n < 2:
        raise BadInput(f"an estimate needs at least 2 draws (got {n})")
    m = score_moments(Independent(plan.coordinate, plan.coordinate), d, 4)
    mean_error, square_error = (m[2] - m[1] ** 2) / n, (m[4] - m[2] ** 2) / n
    return (
        _compare("mean", totals.first / n, m[1], mean_error, alarm / 2),
        _compare("second-moment", totals.second / n, m[2], square_error, alarm / 2),
        _compare("unit-scale", totals.second / n / d, m[2] / d, square_error / d**2, alarm / 2),
    )


def _compare(name: str, value: float, truth: Fraction, error: Fraction, alpha: float) -> Estimate:
    width = sqrt(error)
    off = value - float(truth)
    slack = 1e-12 * max(abs(value), abs(float(truth)))  # of adding up: at most 10^4 roundings of 2^−53 each
    reach, far = NormalDist().inv_cdf(1 - alpha / 2) * width, width / sqrt(alpha)
    z = off / width if width else (0.0 if abs(off) <= slack else float("inf"))
    agrees = abs(off) <= reach + slack
    return Estimate(name, value, truth, width, z, (value - reach, value + reach), (value - far, value + far), agrees)


def _block_draws(plan: Plan) -> int:
    return BLOCK_DRAWS if plan.method == "scores" else max(1, min(BLOCK_DRAWS, BLOCK_NUMBERS // plan.width))


def _draw_block(plan: Plan, block: int) -> Totals:
    size = _block_draws(plan)
    n, d = min(size, plan.draws - block * size), plan.width
    child = np.random.SeedSequence(plan.seed, spawn_key=(block,))  # what seed.spawn() gives as its child number `block`
    generator = np.random.Generator(np.random.SFC64(child))
    if plan.method == "scores":
        e: Floats = np.sqrt(generator.chisquare(d, n)) * generator.standard_normal(n)
    elif plan.coordinate == sign():
        e = _sign_scores(generator, n, d)
    else:
        e = _vector_scores(plan.coordinate, generator, n, d)
    return Totals(n, float(e.sum()), float(np.square(e).sum()))


def _vector_scores(coordinate: Coordinate, generator: np.random.Generator, n: int, d: int) -> Floats:
    e = np.zeros(n)
    rows, columns = max(1, TILE // d), min(d, TILE)
    for i in range(0, n, rows):
        for r in range(0, d, columns):
            shape = min(rows, n - i), min(columns, d - r)
            q, k = (_draw(coordinate, generator, shape) for _ in range(2))
            e[i : i + rows] += np.einsum("ij,ij->i", q, k)
    return e


def _sign_scores(generator: np.random.Generator, n: int, d: int) -> Floats:
    """Return d less twice the disagreements of two words of random bits; 64 coordinates a word, spare bits cleared."""
    words, spare = -(-d // 64), -d % 64
    e = np.full(n, float(d))
    rows, columns = max(1, TILE // words), min(words, TILE)
    for i in range(0, n, rows):
        for w in range(0, words, columns):
            shape = min(rows, n - i), min(columns, words - w)
            q, k = (np.frombuffer(generator.bytes(8 * prod(shape)), "<u8").reshape(shape) for _ in range(2))
            differ = q ^ k
            if w + shape[1] == words:
                differ[:, -1] >>= np.uint64(spare)
            e[i : i + rows] -= 2.0 * np.bitwise_count(differ).sum(axis=1, dtype=np.int64)
    return e


def _draw(coordinate: Coordinate, generator: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[Any]:
    if isinstance(coordinate, Finite):
        values = np.array([float(x) for x, _ in coordinate.atoms])
        steps = np.cumsum([float(w) for _, w in coordinate.atoms])[:-1]
        return values[np.searchsorted(steps, generator.random(shape), side="right")]
    if coordinate.family == "gaussian":
        x = generator.standard_normal(shape)
    elif coordinate.family == "laplace":
        x = generator.laplace(0, sqrt(1 / 2), shape)
    elif coordinate.family == "uniform":
        x = generator.uniform(-sqrt(3), sqrt(3), shape)
    else:
        x = np.where(generator.random(shape) < 0.5, -1.0, 1.0)
    return x if coordinate == gaussian() else x * sqrt(coordinate.variance) + float(coordinate.mean)
