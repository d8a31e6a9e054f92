"""Shards: the cube cut by its high coordinates into blocks, each with an exact tally of its own.

A shard holds the vectors whose high coordinates have the signs of its index, bit i of which is set where coordinate
bits + i is −1.  Its tally is a small record; records add in any order, each shard once.

>>> job = Job((Fraction(3), Fraction(-1), Fraction(2)), bits=1)
>>> add_up(job, [count_shard(job, i) for i in (2, 0, 3, 1)]).total_of_squares
Fraction(112, 1)
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from exact.enumeration import ENGINES, MAX_SCORES, MAX_WIDTH, Tally
from exact.rationals import BadInput, common_denominator

__all__ = ["Job", "ShardTally", "Sum", "add_up", "count_shard", "fingerprint"]

MAX_BITS: Final = 32
CODE: Final = ("cube.py", "enumeration.py", "rationals.py", "shards.py")  # and the engines


@dataclass(frozen=True, slots=True)
class Job:
    """What is counted, and how it is cut: plain data, which every worker understands.

    A shard has 2^bits vectors, 1 ≤ bits ≤ min(d, 32); d from 1 to 62; `engine` is a name in `ENGINES`.
    """

    query: tuple[Fraction, ...]
    bits: int
    histogram: bool = False
    engine: str = "numpy"

    def __post_init__(self) -> None:
        d = len(self.query)
        if not 1 <= d <= MAX_WIDTH:
            raise BadInput(f"the cube is visited from width 1 to {MAX_WIDTH} (got width {d})")
        if self.engine not in ENGINES:
            raise BadInput(f"engine must be one of {', '.join(ENGINES)} (got {self.engine[:40]!r})")
        if not 1 <= self.bits <= min(d, MAX_BITS):
            raise BadInput(f"a shard of width {d} must have from 2 to 2^{min(d, MAX_BITS)} vectors (got 2^{self.bits})")
        if self.histogram and self.scores > MAX_SCORES:
            raise BadInput(f"this query may have more than {MAX_SCORES} scores; a histogram of so many is not kept")

    @property
    def unit(self) -> int:
        """The least u > 0 for which u·q has whole entries; scores are counted in units of 1/u."""
        return common_denominator(self.query)

    @property
    def whole(self) -> tuple[int, ...]:
        """The entries of u·q."""
        u = self.unit
        return tuple(int(x * u) for x in self.query)

    @property
    def scores(self) -> int:
        """A bound for the number of different scores."""
        return min(1 << len(self.query), sum(map(abs, self.whole)) + 1)

    @property
    def shards(self) -> int:
        """The number of shards."""
        return 1 << (len(self.query) - self.bits)

    def offset(self, index: int) -> int:
        """Return what the high coordinates add to every score of a shard, in units of 1/u."""
        return sum(-x if index >> i & 1 else x for i, x in enumerate(self.whole[self.bits :]))


@dataclass(frozen=True, slots=True)
class ShardTally:
    """What was seen in a shard, in units of 1/u: the number of vectors, Σ e, Σ e², and pairs (e, how many), e rising.

    `code`: the fingerprint of the program that counted it.
    """

    index: int
    count: int
    total: int
    squares: int
    histogram: tuple[tuple[int, int], ...] | None
    code: str


def count_shard(job: Job, index: int) -> ShardTally:
    """Visit every vector of a shard, 0 ≤ index < job.shards; this is what a worker runs."""
    visit, low, offset = ENGINES[job.engine], job.whole[: job.bits], job.offset(index)
    if not job.histogram:
        return ShardTally(index, 1 << job.bits, *visit.power_sums(low, offset), None, fingerprint())
    seen = tuple(sorted(visit.histogram(low, offset).items()))
    return ShardTally(
        index,
        sum(n for _, n in seen),
        sum(e * n for e, n in seen),
        sum(e * e * n for e, n in seen),
        seen,
        fingerprint(),
    )


@cache
def fingerprint() -> str:
    """Return 16 hexadecimal digits that change with any file of the program that takes part in counting."""
    room = files("exact")
    engines = [x for x in (room / "engines").iterdir() if x.name.endswith(".py")]
    digest = sha256()
    for part in (*(room / name for name in CODE), *sorted(engines, key=lambda x: x.name)):
        digest.update(part.name.encode() + b"\0" + sha256(part.read_bytes()).digest())
    return digest.hexdigest()[:16]


class Sum:
    """Adds up shards in the order in which they come, each once."""

    def __init__(self, job: Job) -> None:
        """Begin with no shard."""
        self.job, self.done = job, set[int]()
        self._total = self._squares = 0
        self._scores: Counter[int] = Counter()

    @property
    def finished(self) -> bool:
        """Whether every shard was added."""
        return len(self.done) == self.job.shards

    def add(self, shard: ShardTally) -> None:
        """Add a shard, or raise ValueError for one that came before or is none of this job."""
        if not 0 <= shard.index < self.job.shards or shard.index in self.done:
            raise ValueError(f"shard {shard.index} comes twice, or is none of the {self.job.shards}")
        if shard.count != 1 << self.job.bits or (shard.histogram is None) == self.job.histogram:
            raise ValueError(f"shard {shard.index} is not the tally of 2^{self.job.bits} vectors that was asked for")
        self.done.add(shard.index)
        self._total, self._squares = self._total + shard.total, self._squares + shard.squares
        for e, n in shard.histogram or ():
            self._scores[e] += n

    def tally(self) -> Tally:
        """Return the tally of the whole cube, or raise ValueError while a shard is missing."""
        job, u = self.job, self.job.unit
        if not self.finished:
            raise ValueError(f"{job.shards - len(self.done)} of {job.shards} shards are missing")
        kept = {Fraction(e, u): self._scores[e] for e in sorted(self._scores)} if job.histogram else None
        return Tally(
            job.query, len(self.done) << job.bits, Fraction(self._total, u), Fraction(self._squares, u * u), kept
        )


def add_up(job: Job, shards: Iterable[ShardTally]) -> Tally:
    """Return the tally of the whole cube; ValueError where a shard is missing or comes twice."""
    total = Sum(job)
    for shard in shards:
        total.add(shard)
    return total.tally()
