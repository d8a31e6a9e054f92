"""Rows of the softmax at any width, and the gradient that crosses them, drawn by the exact law of their scores.

Imports NumPy and the exact modules above it only.

One query q meets T keys; all coordinates are independent standard Gaussians; the scores e_j = q·k_j are divided by
d^α, and the loss reaches the weights as G = dL/dA, independent standard Gaussians too.  No vector is drawn:

* e_j = |q| z_j, with |q|² chi-squared with d degrees of freedom and z_j standard Gaussians, independent.
* With δ = a(G − Σ a G), the gradient at the divided scores, dL/dq = d^−α Σ_j δ_j k_j.  A key is z_j q/|q| and a part
  orthogonal to q, which δ does not depend on: so |dL/dq|² is d^−2α ((Σ δ z)² + |δ|² χ²), χ² with d − 1 degrees.
* dL/dk_j = d^−α δ_j q, so that |dL/dK| = d^−α |δ||q|, K the T × d keys that the row meets.

A row costs T numbers at any width, and memory does not grow with the width or the draws.  Blocks, streams and workers
are those of sampling; every exponent is applied to the same draws.  The error of the typical size comes from exact
moments; nothing exact is known of the other quantities, so their standard errors are the sample's own.

>>> plan = RowPlan(width=10**6, positions=8, exponents=(Fraction(0), Fraction(1, 2)), draws=500, seed=7)
>>> closed, kept = summarise(plan, gather(plan))
>>> closed.values["one_minus_sum_of_squares"].value < 0.002, kept.values["one_minus_sum_of_squares"].value > 0.7
(True, True)
"""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from exact.attention import scores_gradient, softmax, summarise_rows
from exact.rationals import BadInput, read_rational, read_whole
from exact.sampling import SEED_LIMIT, in_order

__all__ = [
    "QUANTITIES",
    "Measured",
    "Moments",
    "RowEstimate",
    "RowPlan",
    "blocks",
    "combine",
    "gather",
    "moments_of",
    "seconds",
    "summarise",
]

WIDTH_LIMIT, POSITION_LIMIT, DRAW_LIMIT, EXPONENT_LIMIT = 10**9, 10**6, 10**9, 10
BLOCK_NUMBERS = 1 << 16  # scores in one block: a few arrays of this many stay in cache
CLOSED = 0.01  # a row with 1 − Σ a² below this counts as closed
QUANTITIES = (
    "typical_size",
    "largest_weight",
    "one_minus_sum_of_squares",
    "largest_a_times_one_minus_a",
    "closed_rows",
    "gradient_to_Q",
    "gradient_to_K",
)


@dataclass(frozen=True, slots=True)
class RowPlan:
    """What to draw: the width (1 to 10^9), the positions T (1 to 10^6), the exponents α (−10 to 10), how many rows.

    Draws 2 to 10^9, seed 0 to 2^128; `BadInput` outside.
    """

    width: int
    positions: int
    exponents: tuple[Fraction, ...]
    draws: int
    seed: int

    def __post_init__(self) -> None:
        """Read what was given."""
        object.__setattr__(self, "width", read_whole("width", self.width, 1, WIDTH_LIMIT))
        object.__setattr__(self, "positions", read_whole("positions", self.positions, 1, POSITION_LIMIT))
        object.__setattr__(self, "draws", read_whole("draws", self.draws, 2, DRAW_LIMIT))
        object.__setattr__(self, "seed", read_whole("seed", self.seed, 0, SEED_LIMIT))
        exponents = tuple(map(read_rational, self.exponents))
        if not exponents or max(map(abs, exponents)) > EXPONENT_LIMIT:
            raise BadInput(f"exponents must be one or more numbers from −{EXPONENT_LIMIT} to {EXPONENT_LIMIT}")
        object.__setattr__(self, "exponents", exponents)


@dataclass(frozen=True, slots=True)
class Moments:
    """How many rows were drawn, the means of some quantities and the sums of squares about them, of one shape."""

    draws: int
    mean: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]

    @property
    def error(self) -> npt.NDArray[np.float64]:
        """The standard errors of the means, from the sample; 2 draws at least."""
        error: npt.NDArray[np.float64] = np.sqrt(self.squares / (self.draws - 1) / self.draws)
        return error


@dataclass(frozen=True, slots=True)
class Measured:
    """An estimate and its standard error."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class RowEstimate:
    """What the rows of one width, T and exponent are like, by the names of `QUANTITIES`: means, but the first."""

    width: int
    positions: int
    exponent: Fraction
    draws: int
    values: Mapping[str, Measured]


def blocks(plan: RowPlan, workers: int = 1) -> Iterator[Moments]:
    """Yield the moments of each block in order: shape (exponents, quantities), with e² in place of the typical size."""
    return in_order(lambda block: _draw_block(plan, block), ceil(plan.draws / _block_draws(plan)), workers)


def combine(a: Moments | None, b: Moments) -> Moments:
    """Return the moments of both."""
    if a is None:
        return b
    n = a.draws + b.draws
    gap = b.mean - a.mean
    squares = a.squares + b.squares + gap * gap * (a.draws * b.draws / n)
    return Moments(n, a.mean + gap * (b.draws / n), squares)


def gather(plan: RowPlan, workers: int = 1) -> Moments:
    """Draw the whole plan."""
    so_far: Moments | None = None
    for block in blocks(plan, workers):
        so_far = combine(so_far, block)
    if so_far is None:
        raise BadInput("a plan must have rows to draw")
    return so_far


def seconds(plan: RowPlan) -> float:
    """Estimate how long the plan takes one worker, from its first rows, drawn once."""
    rows = min(plan.draws, max(2, (1 << 13) // plan.positions))
    probe = replace(plan, draws=rows)
    start = time.perf_counter()
    _draw_block(probe, 0)
    return (time.perf_counter() - start) * plan.draws / rows


def summarise(plan: RowPlan, moments: Moments) -> tuple[RowEstimate, ...]:
    """Return an estimate for each exponent; `moments` may be of a part of the plan, 2 draws at least.

    With s = Σ_j e_j²/T, Var s = (d² + 2d)(1 + 2/T) − d², exactly; the error of √s is that of s over 2√d.
    """
    if moments.draws < 2:
        raise BadInput(f"an estimate needs at least 2 draws (got {moments.draws})")
    d, T = plan.width, plan.positions
    spread = Fraction(d * d + 2 * d) * (1 + Fraction(2, T)) - d * d
    error = sqrt(spread / moments.draws) / (2 * sqrt(d))
    found = []
    for exponent, mean, errors in zip(plan.exponents, moments.mean, moments.error, strict=True):
        factor = _factor(d, exponent)
        values = [Measured(float(x), float(s)) for x, s in zip(mean, errors, strict=True)]
        values[0] = Measured(sqrt(float(mean[0])) * factor, error * factor)
        found.append(RowEstimate(d, T, exponent, moments.draws, dict(zip(QUANTITIES, values, strict=True))))
    return tuple(found)


def moments_of(columns: npt.NDArray[Any]) -> Moments:
    """Return the moments of rows that stand along the last axis."""
    mean = columns.mean(axis=-1)
    return Moments(columns.shape[-1], mean, np.square(columns - mean[..., None]).sum(axis=-1))


def _factor(d: int, exponent: Fraction) -> float:
    return math.pow(d, -float(exponent))


def _block_draws(plan: RowPlan) -> int:
    return max(1, BLOCK_NUMBERS // plan.positions)


def _draw_block(plan: RowPlan, block: int) -> Moments:
    size = _block_draws(plan)
    n, d, T = min(size, plan.draws - block * size), plan.width, plan.positions
    child = np.random.SeedSequence(plan.seed, spawn_key=(d, T, block))
    generator = np.random.Generator(np.random.SFC64(child))
    q = np.sqrt(generator.chisquare(d, n))
    rest = generator.chisquare(d - 1, n) if d > 1 else np.zeros(n)
    z, G = generator.standard_normal((n, T)), generator.standard_normal((n, T))
    squares = q * q * np.vecdot(z, z) / T
    columns = np.empty((len(plan.exponents), len(QUANTITIES), n))
    for column, exponent in zip(columns, plan.exponents, strict=True):
        factor = _factor(d, exponent)
        A = softmax(z * (q * factor)[:, None])
        row = summarise_rows(A)
        delta = scores_gradient(A, G, rows="trust")
        size_squared = np.vecdot(delta, delta)
        to_q = factor * np.sqrt(np.square(np.vecdot(delta, z)) + size_squared * rest)
        to_k = factor * np.sqrt(size_squared) * q
        column[:] = squares, row.largest, row.trace, row.steepest, row.trace < CLOSED, to_q, to_k
    return moments_of(columns)
