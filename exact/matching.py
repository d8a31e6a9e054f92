"""The pairing, counted: for every pair r < s and every vector of the cube, the partner is looked up and compared.

Column r of the table of all vectors is a string of bits, one for each vector, set where k_r = −1; 64 vectors stand in a
word.  So t_r t_s is, up to the constant q_r q_s, the XOR of two columns, and the partner that differs in coordinate f
alone stands 2^f places further on.  Blocks of 2^19 vectors stay in the cache; a coordinate above them is the same for
all of a block, and flipping it leads to another block.  This module counts; it knows nothing of the kernel.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from exact.rationals import BadInput

__all__ = ["Matching", "NotAMatching", "count_pairing", "estimate_pairing_seconds"]

MAX_WIDTH: Final = 62
BLOCK_BITS: Final = 19
PROBE_WIDTH: Final = 17
WORD_BITS: Final = 6
ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)

Words = NDArray[np.uint64]


class NotAMatching(ArithmeticError):
    """The pairing fails; the message names the pair (r, s) and what went wrong."""


@dataclass(frozen=True, slots=True)
class Matching:
    """What was counted: for all `pairs` r < s, each of the `vectors` with its partner."""

    width: int
    pairs: int
    vectors: int


def count_pairing(
    d: int,
    flipped: Callable[[int, int], int] = max,
    cross_sums: bool = True,
    progress: Callable[[int], None] | None = None,
) -> Matching:
    """Visit all 2^d vectors for all pairs r < s, and check the pairing that flips coordinate `flipped(r, s)`.

    The partner undoes itself, is never the vector itself and differs in that coordinate alone; t_r t_s is opposite at
    vector and partner; and, unless `cross_sums` is false, t_r t_s added up over the cube is 0.  2 ≤ d ≤ 62, or
    BadInput; NotAMatching where a check fails.  `progress` is called with the vectors done since its last call.

    >>> count_pairing(8)
    Matching(width=8, pairs=28, vectors=256)
    >>> count_pairing(3, flipped=lambda r, s: 3 - r - s)
    Traceback (most recent call last):
        ...
    exact.matching.NotAMatching: r = 0, s = 1: t_r t_s is the same at vector 0 and its partner 4
    """
    if not 2 <= d <= MAX_WIDTH:
        raise BadInput(f"the pairing needs two coordinates and is counted up to width {MAX_WIDTH} (got width {d})")
    pairs = list(combinations(range(d), 2))
    if d < WORD_BITS:
        for r, s in pairs:
            _count_pair(d, r, s, flipped(r, s))
        return Matching(d, len(pairs), 1 << d)
    block = _Block(min(d, BLOCK_BITS))
    sums = dict.fromkeys(pairs, 0)
    for number in range(1 << (d - block.bits)):
        for r, s in pairs:
            f = flipped(r, s)
            x = block.product(number, r, s, block.buffer)
            place = block.same_at(x, number, r, s, f)
            if place is not None:
                raise _same(r, s, (number << block.bits) + place, f)
            if cross_sums:
                sums[r, s] += block.size - 2 * int(np.bitwise_count(x, out=block.counts).sum(dtype=np.uint32))
        if progress:
            progress(block.size)
    for (r, s), total in sums.items():
        if total:
            raise NotAMatching(f"r = {r}, s = {s}: t_r t_s adds to {total} over the cube")
    return Matching(d, len(pairs), 1 << d)


def estimate_pairing_seconds(d: int) -> float:
    """Estimate how long `count_pairing` takes at width d ≥ 2, from a run at width 17 or less."""
    probe = min(d, PROBE_WIDTH)
    start = time.perf_counter()
    count_pairing(probe)
    return (time.perf_counter() - start) * 2.0 ** (d - probe) * (d * (d - 1)) / (probe * (probe - 1))


def _same(r: int, s: int, k: int, f: int) -> NotAMatching:
    return NotAMatching(f"r = {r}, s = {s}: t_r t_s is the same at vector {k} and its partner {k ^ 1 << f}")


def _count_pair(d: int, r: int, s: int, f: int) -> None:
    """Check one pair, one vector at a time."""
    total = 0
    for k in range(1 << d):
        partner = k ^ 1 << f
        if partner == k or partner ^ 1 << f != k:
            raise NotAMatching(f"vector {k} and {partner} are no partners")
        here, there = ((-1) ** (x >> r & 1) * (-1) ** (x >> s & 1) for x in (k, partner))
        if here + there:
            raise _same(r, s, k, f)
        total += here
    if total:
        raise NotAMatching(f"r = {r}, s = {s}: t_r t_s adds to {total} over the cube")


def _columns(bits: int) -> list[Words]:
    """Return the columns of a block of 2^bits vectors, bits ≥ 6."""
    places = np.arange(1 << bits, dtype=np.uint32)
    return [
        np.packbits((places >> np.uint32(r) & np.uint32(1)).astype(np.uint8), bitorder="little").view(np.uint64)
        for r in range(bits)
    ]


class _Block:
    """The columns of the low coordinates, which every block shares, and the partner of each place."""

    def __init__(self, bits: int) -> None:
        self.bits, self.size = bits, 1 << bits
        self.columns = _columns(bits)
        self.inverted = [~column for column in self.columns]
        self.constant = [np.zeros_like(self.columns[0]), np.full_like(self.columns[0], ALL)]
        self.buffer, self.other, self.shifted = (np.empty_like(self.columns[0]) for _ in range(3))
        self.counts = np.empty(self.columns[0].size, np.uint8)
        for f in range(bits):
            self._check_partners(f)

    def _check_partners(self, f: int) -> None:
        """See that flipping f maps each place of a block to one that differs from it in coordinate f alone."""
        for u, column in enumerate(self.columns):
            difference = self._against_partner(column, f)  # all ones where the column differs, or f is set
            if not np.array_equal(difference, self.constant[1] if u == f else self.columns[f]):
                raise NotAMatching(f"flipping coordinate {f} does something else to coordinate {u}")

    def _against_partner(self, x: Words, f: int) -> Words:
        """Return x XOR (x at the partner) at the places with bit f clear, and ones at the others."""
        if f < WORD_BITS:  # the partner stands in the same word
            np.right_shift(x, np.uint64(1 << f), out=self.shifted)
            np.bitwise_xor(x, self.shifted, out=self.shifted)
        else:
            words = 1 << (f - WORD_BITS)
            np.bitwise_xor(x[:-words], x[words:], out=self.shifted[:-words])
            self.shifted[-words:] = ALL
        return np.bitwise_or(self.shifted, self.columns[f], out=self.shifted)

    def product(self, number: int, r: int, s: int, out: Words) -> Words:
        """Return t_r t_s for each vector of a block, as bits that are set where it is −1 (q all ones)."""
        if s < self.bits:
            return np.bitwise_xor(self.columns[r], self.columns[s], out=out)
        high = number >> (s - self.bits) & 1
        if r < self.bits:
            return self.inverted[r] if high else self.columns[r]
        return self.constant[high ^ (number >> (r - self.bits) & 1)]

    def same_at(self, x: Words, number: int, r: int, s: int, f: int) -> int | None:
        """Return the first place at which t_r t_s is the same at the partner, or None: it is opposite everywhere."""
        if f >= self.bits:
            if number >> (f - self.bits) & 1:
                return None  # looked at from the partner's block, which came before
            there = self.product(number ^ 1 << (f - self.bits), r, s, self.other)
            if r >= self.bits:  # both sides are one value for the whole block
                x, there = x[:1], there[:1]
            opposite = np.bitwise_xor(x, there, out=self.shifted[: x.size])
        elif f - WORD_BITS < 5:
            opposite = self._against_partner(x, f)
        else:  # the same, half the work: the words with bit f clear, against those with it set
            words = 1 << (f - WORD_BITS)
            halves, opposite = x.reshape(-1, 2, words), self.shifted[: x.size // 2]
            np.bitwise_xor(halves[:, 0], halves[:, 1], out=opposite.reshape(-1, words))
        if np.bitwise_and.reduce(opposite) == ALL:
            return None
        bits = np.unpackbits(self._against_partner(x, f).view(np.uint8), bitorder="little") if f < self.bits else None
        return 0 if bits is None else int(np.argmin(bits))
