"""Two closed forms for the softmax of Gaussian scores, against sampling: up to which variance they hold.

Imports NumPy and the exact modules above it only.

For a row of T scores of variance σ² and correlation ρ, Kedia et al. (Transformers Get Stable, 2024) use

    Var a ≈ (e^s − 1)/T²        Var (dL/de) ≈ σ_g² e^s/T²        s = σ²(1 − ρ),

with independent gradients G = dL/dA of variance σ_g².  What the scores share shifts a whole row and changes nothing, so
that s is all there is.  By symmetry E[a] = 1/T, so Var a = E[Σ a²]/T − 1/T², and over G the variance of a(G − Σ a G) is
exactly σ_g² a²(1 − 2a + Σ a²): no gradient is drawn, and what is left is a mean over rows.

The same draws serve every s; the place where an error passes the tolerance is read between two points of a grid.

>>> [round(form(name, 1.0, 64), 6) for name in FORMS]
[0.00042, 0.000664]
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, exp

import numpy as np

from exact.attention import softmax
from exact.rationals import BadInput, read_whole
from exact.rows import DRAW_LIMIT, POSITION_LIMIT, Measured, Moments, moments_of
from exact.sampling import SEED_LIMIT, in_order

__all__ = ["FORMS", "GRID", "FormPlan", "Holds", "check_tolerance", "form", "form_blocks", "holds", "seconds"]

FORMS = ("weight_variance", "gradient_variance")
GRID = tuple(2.0 ** (i / 4) for i in range(-20, 17))  # s from 1/32 to 16
BLOCK_NUMBERS = 1 << 15


@dataclass(frozen=True, slots=True)
class FormPlan:
    """How many rows of T ≥ 2 independent scores to draw, and the seed."""

    positions: int
    draws: int
    seed: int

    def __post_init__(self) -> None:
        """Read what was given."""
        object.__setattr__(self, "positions", read_whole("positions", self.positions, 2, POSITION_LIMIT))
        object.__setattr__(self, "draws", read_whole("draws", self.draws, 2, DRAW_LIMIT))
        object.__setattr__(self, "seed", read_whole("seed", self.seed, 0, SEED_LIMIT))


@dataclass(frozen=True, slots=True)
class Holds:
    """Up to which s, from 0, a form is within the tolerance of the truth, and its errors form/truth − 1 on `GRID`.

    `up_to` is None where it does not hold even as s tends to 0, where both errors are 1/(T − 1) exactly; and an end at
    the last point of `GRID`, with no error of its own, says that the form may hold further.
    """

    form: str
    positions: int
    draws: int
    up_to: Measured | None
    errors: tuple[Measured, ...]


def form(name: str, s: float, positions: int) -> float:
    """Return what a form says, for σ_g = 1."""
    return (exp(s) - (name == "weight_variance")) / positions**2


def form_blocks(plan: FormPlan, workers: int = 1) -> Iterator[Moments]:
    """Yield the moments of each block in order: shape (forms, points of `GRID`)."""
    return in_order(lambda block: _draw_block(plan, block), ceil(plan.draws / _block_draws(plan)), workers)


def check_tolerance(tolerance: float) -> None:
    """Raise `BadInput` for a tolerance that is not above 0 and below 10."""
    if not 0 < tolerance < 10:
        raise BadInput(f"the error must be above 0 and below 10 (got {tolerance:g})")


def holds(plan: FormPlan, moments: Moments, tolerance: float) -> tuple[Holds, ...]:
    """Return where each form holds to the `tolerance`, above 0 and below 10; 2 draws at least."""
    check_tolerance(tolerance)
    if moments.draws < 2:
        raise BadInput(f"an estimate needs at least 2 draws (got {moments.draws})")
    found = []
    for name, truths, spreads in zip(FORMS, moments.mean, moments.error, strict=True):
        errors = []
        for s, truth, spread in zip(GRID, truths, spreads, strict=True):
            ratio = form(name, s, plan.positions) / float(truth)
            errors.append(Measured(ratio - 1, ratio * float(spread / truth)))
        up_to = _reach(errors, tolerance) if 1 / (plan.positions - 1) <= tolerance else None
        found.append(Holds(name, plan.positions, moments.draws, up_to, tuple(errors)))
    return tuple(found)


def _reach(errors: Sequence[Measured], tolerance: float) -> Measured:
    """Return where the error first passes the tolerance, on a line between two points; its own error from the slope."""
    beyond = next((i for i, x in enumerate(errors) if abs(x.value) > tolerance), None)
    if beyond is None:
        return Measured(GRID[-1], 0.0)
    if not beyond:
        return Measured(GRID[0], GRID[0])
    left, right = errors[beyond - 1], errors[beyond]
    slope = (abs(right.value) - abs(left.value)) / (GRID[beyond] - GRID[beyond - 1])
    return Measured(GRID[beyond - 1] + (tolerance - abs(left.value)) / slope, left.error / slope)


def _block_draws(plan: FormPlan) -> int:
    return max(1, BLOCK_NUMBERS // plan.positions)


def seconds(plan: FormPlan) -> float:
    """Estimate how long the plan takes one worker, from its first rows, drawn once."""
    rows = min(plan.draws, max(2, (1 << 12) // plan.positions))
    start = time.perf_counter()
    _draw_block(replace(plan, draws=rows), 0)
    return (time.perf_counter() - start) * plan.draws / rows


def _draw_block(plan: FormPlan, block: int) -> Moments:
    size, T = _block_draws(plan), plan.positions
    n = min(size, plan.draws - block * size)
    child = np.random.SeedSequence(plan.seed, spawn_key=(T, block))
    z = np.random.Generator(np.random.SFC64(child)).standard_normal((n, T))
    columns = np.empty((len(FORMS), len(GRID), n))
    for i, s in enumerate(GRID):
        a = softmax(z * s**0.5)
        a2 = a * a
        second, third = a2.sum(axis=-1), np.vecdot(a2, a)
        columns[0, i] = second / T - 1 / T**2
        columns[1, i] = (second + second * second - 2 * third) / T
    return moments_of(columns)
