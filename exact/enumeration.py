"""Counting: every vector of the sign cube is visited, and what was seen is added up exactly.

This module knows nothing of the kernel, so that what it counts and what the kernel concludes are two routes.

>>> t = tally((3, -1, 2))
>>> t.count, t.total, t.total_of_squares
(8, Fraction(0, 1), Fraction(112, 1))
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, Protocol

from exact.cube import walk
from exact.engines import lanes, outer, plain
from exact.rationals import BadInput

__all__ = ["ENGINES", "Tally", "choose_engine", "estimate_seconds", "prepare_engine", "tally"]

MAX_WIDTH: Final = 62
SHARD_BITS: Final = 26
LARGEST_BITS: Final = 32  # no block is larger
PROBE_BITS: Final = {"numba": 24, "numpy": 20, "plain": 12}
MAX_SCORES: Final = 1 << 19
FAST_WIDTH: Final = 31  # below it, importing numba takes longer than NumPy takes to visit the cube


class Engine(Protocol):
    """What `exact.engines` asks of an engine."""

    def power_sums(self, q: Sequence[int], offset: int = 0) -> tuple[int, int]:
        """Return Σ e and Σ e² over a block."""

    def histogram(self, q: Sequence[int], offset: int = 0) -> dict[int, int]:
        """Return how many vectors of a block have each score."""


ENGINES: Final[dict[str, Engine]] = {"numba": lanes, "numpy": outer, "plain": plain}


@dataclass(frozen=True, slots=True)
class Tally:
    """What was counted over all 2^d vectors: how many, Σ e, Σ e² and, when asked for, how many have each score."""

    query: tuple[Fraction, ...]
    count: int
    total: Fraction
    total_of_squares: Fraction
    histogram: Mapping[Fraction, int] | None = None

    @property
    def mean(self) -> Fraction:
        """E[e]."""
        return self.total / self.count

    @property
    def second_moment(self) -> Fraction:
        """E[e²]."""
        return self.total_of_squares / self.count


def _integers(query: Sequence[int | Fraction]) -> tuple[tuple[int, ...], int]:
    """Return integers n_r and the least u > 0 with q_r = n_r / u."""
    q = [Fraction(x) for x in query]
    if not 1 <= len(q) <= MAX_WIDTH:
        raise BadInput(f"the cube is visited from width 1 to {MAX_WIDTH} (got width {len(q)})")
    unit = lcm(*(x.denominator for x in q))
    return tuple(x.numerator * (unit // x.denominator) for x in q), unit


def choose_engine(name: str, query: Sequence[int | Fraction], *, histogram: bool = False) -> str:
    """Return the engine that `name` means for this query: `auto` is the fastest that is installed and exact for it.

    BadInput for an unknown name, and for numba where it is not installed or its integers do not hold the query.
    """
    if name not in ("auto", *ENGINES):
        raise BadInput(f"engine must be one of auto, {', '.join(ENGINES)} (got {name[:40]!r})")
    if name not in ("auto", "numba"):
        return name
    q, _ = _integers(query)
    right = lanes.right_for(q[:LARGEST_BITS], sum(map(abs, q[LARGEST_BITS:])), histogram)
    if name == "auto":
        wanted = len(q) >= FAST_WIDTH and right and lanes.installed()
        return "numba" if wanted and not lanes.import_problem() else "numpy"
    if not lanes.installed():
        raise BadInput("the numba engine is not installed; pip install -e '.[fast]' does that, or take numpy")
    if problem := lanes.import_problem():
        raise BadInput(f"numba is installed and cannot be imported ({problem}); mend it, or take numpy")
    if not right:
        raise BadInput(
            "the numba engine adds up in 64 bits and counts at most 255 scores, which this query passes; "
            "numpy and plain have no such limit"
        )
    return name


def prepare_engine(engine: str, query: Sequence[int | Fraction], *, histogram: bool = False) -> float:
    """Have an engine import and compile what it needs for this query; return the seconds it took, 0 for most."""
    return lanes.prepare(_integers(query)[0], histogram) if engine == "numba" else 0.0


def _shards(q: Sequence[int], bits: int) -> Iterator[tuple[Sequence[int], int]]:
    """Cut the cube by its high coordinates: a block of low ones each time, and the score of the others."""
    low, high = q[:bits], q[bits:]
    if not high:
        yield low, 0
        return
    for signs in walk(len(high)):
        yield low, sum(x * k for x, k in zip(high, signs, strict=True))


def tally(
    query: Sequence[int | Fraction],
    *,
    histogram: bool = False,
    engine: str = "numpy",
    progress: Callable[[int], None] | None = None,
) -> Tally:
    """Visit all 2^d sign vectors k, d = len(query) from 1 to 62, and return the exact tally of e = Σ_r q_r k_r.

    Memory does not grow with 2^d.  `progress` is called with the number of vectors done since its last call.
    BadInput for another width, an unknown engine, or a histogram of more than 2^19 scores.
    """
    q, unit = _integers(query)
    if histogram and min(1 << len(q), sum(map(abs, q)) + 1) > MAX_SCORES:
        raise BadInput(f"this query may have more than {MAX_SCORES} scores; a histogram of so many is not kept")
    visit = ENGINES[choose_engine(engine, query, histogram=histogram)]
    count = total = squares = 0
    scores: Counter[int] = Counter()
    for low, offset in _shards(q, SHARD_BITS):
        if histogram:
            block = visit.histogram(low, offset)
            scores.update(block)
            done = sum(block.values())
            total += sum(e * n for e, n in block.items())
            squares += sum(e * e * n for e, n in block.items())
        else:
            done = 1 << len(low)
            e, e_squared = visit.power_sums(low, offset)
            total, squares = total + e, squares + e_squared
        count += done
        if progress:
            progress(done)
    kept = {Fraction(e, unit): scores[e] for e in sorted(scores)} if histogram else None
    return Tally(tuple(map(Fraction, query)), count, Fraction(total, unit), Fraction(squares, unit**2), kept)


def estimate_seconds(query: Sequence[int | Fraction], *, histogram: bool = False, engine: str = "numpy") -> float:
    """Estimate how long `tally` will take, from the rate at which it visits the first 2^24 vectors or fewer."""
    q, _ = _integers(query)
    engine = choose_engine(engine, query, histogram=histogram)
    probe = q[: PROBE_BITS[engine]]
    visit = ENGINES[engine].histogram if histogram else ENGINES[engine].power_sums
    prepare_engine(engine, query, histogram=histogram)  # is paid once, whatever the width
    scale = sum(map(abs, q[len(probe) :]))
    start = time.perf_counter()
    visit(probe, scale)
    return (time.perf_counter() - start) * 2.0 ** (len(q) - len(probe))
