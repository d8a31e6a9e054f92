"""Judging a ledger: its numbers against the kernel's theorems and the exact law, and shards counted again.

A shard is the cube of the low coordinates, each score moved by an offset a that the high ones fix.  So what the kernel
proves of the low query, E[e] = 0 and E[e²], says by linearity what a shard of n vectors must hold: Σ e = n·a and
Σ e² = n(E[e²] + a²).  Theorems about the whole query say it of the total.  A histogram must be the exact distribution.

A ledger that passes has the right numbers.  That they come from a count is seen only for the shards that are counted
again: whoever writes a formula's numbers into a ledger and visits nothing is not found out.

Standard library, and the modules above it.
"""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from exact import pairing
from exact.distribution import query_distribution
from exact.enumeration import Tally
from exact.kernel import Rejected, Theorem, check
from exact.ledger import Header, read
from exact.shards import ShardTally, Sum, count_shard

__all__ = ["Audit", "audit", "recount"]


@dataclass(frozen=True, slots=True)
class Audit:
    """A ledger that says nothing false: what it is about, how many shards it has, and theorems about the whole query.

    `tally`: of the whole cube, None while shards are missing.  `chosen`: the shards to count again, as the ledger has
    them.
    """

    header: Header
    present: int
    theorems: tuple[Theorem, ...]
    tally: Tally | None
    chosen: tuple[ShardTally, ...]


@dataclass(frozen=True, slots=True)
class _Expected:
    """What theorem and law say of a cube: E[e], E[e²] and how many vectors have each score, in units of 1/u."""

    theorems: tuple[Theorem, ...]
    moments: tuple[Fraction, Fraction]
    histogram: dict[int, int] | None

    def compare(self, name: str, seen: ShardTally, a: int) -> None:
        """Refuse a tally of scores moved by the offset a, unless it is what must be seen."""
        first, second = (x * seen.count for x in self.moments)
        for what, found, due in (
            ("Σ e", seen.total, first + seen.count * a),
            ("Σ e²", seen.squares, second + 2 * a * first + seen.count * a * a),
        ):
            if found != due:
                raise Rejected(f"{name}: {what} = {found}, but by the theorem it is {due}, in the unit of the ledger")
        if self.histogram is not None and dict(seen.histogram or ()) != {e + a: n for e, n in self.histogram.items()}:
            raise Rejected(f"{name}: the histogram is not the exact distribution of the score")


def _expected(query: tuple[Fraction, ...], unit: int, histogram: bool) -> _Expected:
    theorems = tuple(check(pairing.moment_at(query, order)) for order in (1, 2))
    first, second = (t.statement.value[0][0] * unit**order for order, t in enumerate(theorems, 1))
    if not histogram:
        return _Expected(theorems, (first, second), None)
    law, vectors = query_distribution(query), 1 << len(query)
    exact = {
        int(x * law.unit * unit): int(n * Fraction(vectors, law.total))
        for x, n in zip(law.values, law.counts, strict=True)
    }
    return _Expected(theorems, (first, second), exact)


def audit(path: str, number: int, seed: int) -> Audit:
    """Judge all that a ledger says, and choose `number` ≥ 0 of its shards for `recount`, by the seed.

    Damaged or OSError where it cannot be read; Rejected where it says what is false.
    """
    with Path(path).open("rb") as file:
        header, shards = read(file, path)
        job, total = header.job, Sum(header.job)
        part = _expected(job.query[: job.bits], job.unit, job.histogram)
        for shard, _ in shards:
            part.compare(f"shard {shard.index}", shard, job.offset(shard.index))
            total.add(shard)
        drawn = set(random.Random(seed).sample(sorted(total.done), min(number, len(total.done))))
        file.seek(0)
        chosen = tuple(shard for shard, _ in read(file, path)[1] if shard.index in drawn)
    whole = _expected(job.query, job.unit, job.histogram)
    tally = total.tally() if total.finished else None
    if tally is not None:
        whole.compare("the whole cube", _as_shard(tally, job.unit), 0)
    return Audit(header, len(total.done), whole.theorems, tally, chosen)


def _as_shard(tally: Tally, unit: int) -> ShardTally:
    seen = None if tally.histogram is None else tuple((int(e * unit), n) for e, n in tally.histogram.items())
    return ShardTally(0, tally.count, int(tally.total * unit), int(tally.total_of_squares * unit**2), seen, "")


def recount(found: Audit, shard: ShardTally, engine: str) -> None:
    """Visit a shard again with an engine of your choice; Rejected where the ledger has something else."""
    seen = count_shard(replace(found.header.job, engine=engine), shard.index)
    if replace(seen, code=shard.code) != shard:
        raise Rejected(
            f"shard {shard.index}, counted again: Σ e = {seen.total}, Σ e² = {seen.squares}; the ledger has "
            f"{shard.total} and {shard.squares}" + ", or another histogram" * (shard.histogram is not None)
        )
