"""The NumPy engine: a score is the sum of the scores of two halves of the vector, so a block is an outer sum.

For sums the low half has at most 2^12 vectors, whose scores are a row.  The engine goes through the vectors of the high
half and adds the score of each to the row, as many rows at once as stay in the cache.  The integers used are the
narrowest that hold every partial result, chosen from Σ|q_r| beforehand, never by trying; past 64 bits they are Python's
own.
"""

from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import Any, Final

import numpy as np
from more_itertools import chunked
from numpy.typing import NDArray

from exact.engines.scores import half_scores, largest_half, scores, whole_sums

__all__ = ["histogram", "power_sums"]

COLUMN_BITS: Final = 12
COUNT_BITS: Final = 18
MAX_BINS: Final = 1 << 20
MAX_JOINT_BINS: Final = 1 << 15
BLOCK_BYTES: Final = 1 << 19  # rows of one block, in the second-level cache
LEAST_ROWS: Final = 8  # fewer, and wider integers are faster
MANY_ROWS: Final = 32  # with fewer, a shift costs more than it saves
KEPT: Final = 16  # blocks whose columns are kept and added up together
LANES: Final = ((np.int16, np.uint16), (np.int32, np.uint32), (np.int64, np.uint64))

Integers = NDArray[np.integer[Any]]


def power_sums(q: Sequence[int], offset: int = 0) -> tuple[int, int]:
    """Return Σ e and Σ e² over the block, exactly.

    >>> power_sums((3, -1, 2))
    (0, 112)
    """
    largest = largest_half(q, offset)
    for signed, unsigned in LANES if len(q) > 1 else ():
        limit = int(np.iinfo(unsigned).max)
        if limit // largest**2 >= LEAST_ROWS:
            shift = largest if limit // (2 * largest) ** 2 >= MANY_ROWS else 0
            return _narrow_sums(q, offset, signed, unsigned, shift, limit // (largest + shift) ** 2)
    low, high = q[:COLUMN_BITS], q[COLUMN_BITS:]
    row, total, squares = scores(low, 0, object), 0, 0
    for a in scores(high, offset, object):
        e = row + a
        total += int(e.sum())
        squares += int((e * e).sum())
    return total, squares


def _narrow_sums(
    q: Sequence[int], offset: int, signed: type[Any], unsigned: type[Any], shift: int, rows: int
) -> tuple[int, int]:
    """Return Σ e and Σ e², from half scores f + shift and their squares in columns of at most `rows` rows.

    With a shift no lane is negative, so none carries into the next, and four of 16 bits are added as one number of 64:
    which NumPy does faster.
    """
    row, offsets, parity = half_scores(q[:COLUMN_BITS], q[COLUMN_BITS:], offset, signed)
    word = np.uint64 if shift else signed
    rows = min(rows, offsets.size, BLOCK_BYTES // row.nbytes)
    room = np.empty((1 + rows + 2 * KEPT, row.size), signed)  # scattered arrays may crowd one another's cache
    low, f, sums, squares = np.split(room, [1, 1 + rows, 1 + rows + KEPT])
    np.add(row, signed(shift), out=low[0])
    total = total_of_squares = 0
    for blocks in chunked((offsets[i : i + rows, None] for i in range(0, offsets.size, rows)), KEPT):
        for block, f_sums, f_squares in zip(blocks, sums, squares, strict=False):
            f = f[: len(block)]
            np.add(low, block, out=f)
            np.add.reduce(f.view(word), axis=0, dtype=word, out=f_sums.view(word))
            np.square(f, out=f)
            np.add.reduce(f.view(np.uint64), axis=0, dtype=np.uint64, out=f_squares.view(np.uint64))
        total += _exact_sum(sums[: len(blocks)])
        total_of_squares += _exact_sum(squares[: len(blocks)].view(unsigned))
    return whole_sums(total, total_of_squares, parity - 2 * shift, 1 << len(q))


def _exact_sum(kept: Integers) -> int:
    """Add up at most 2^17 integers: the halves of 32 or 64 bits apart, and 2^bits less for each that is negative."""
    bits = 8 * kept.itemsize
    words = kept.view(np.dtype(f"u{min(8, 2 * kept.itemsize)}"))
    word, half = words.dtype.type, 4 * words.itemsize
    low, high = (int(x.sum(dtype=word)) for x in (words & word((1 << half) - 1), words >> word(half)))
    if bits == 64:  # halves of one integer, not two integers side by side
        high <<= half
    return low + high - (int(np.count_nonzero(kept < 0)) << bits)


def histogram(q: Sequence[int], offset: int = 0) -> dict[int, int]:
    """Return how many vectors of the block have each score, exactly.

    Scores lie on a grid of at most Σ|q_r| + 1 points, in steps of twice the greatest common divisor.  Several rows are
    counted in one pass: their places on the grid are the digits of one number.

    >>> histogram((1, 1))
    {-2: 1, 0: 2, 2: 1}
    """
    step = 2 * gcd(*q) or 1
    span = sum(map(abs, q))
    bins = 2 * span // step + 1
    low, high = q[:COUNT_BITS], q[COUNT_BITS:]
    if bins > MAX_BINS or abs(offset) + span >= 1 << 62:
        row = scores(low, 0, object)
        tally: Counter[int] = Counter()
        for a in scores(high, offset, object):
            tally.update((row + a).tolist())
        return dict(tally)
    lowest = -sum(map(abs, low))
    row = (scores(low, 0, np.int64) - lowest) // step
    places = ((scores(high, 0, np.int64) + sum(map(abs, high))) // step).tolist()
    digits = next((n for n in (4, 3, 2) if bins**n <= MAX_JOINT_BINS), 1)
    digits = min(digits, len(places))
    joint = np.zeros(bins**digits, np.int64)
    packed = row * sum(bins**i for i in range(digits))
    cut = len(places) - len(places) % digits
    position = np.empty_like(row)
    for group in chunked(places[:cut], digits):
        np.add(packed, sum(a * bins**i for i, a in enumerate(group)), out=position)
        joint += np.bincount(position, minlength=joint.size)
    counts = np.zeros(bins, np.int64)
    axes = range(digits)
    for axis in axes:
        counts += joint.reshape([bins] * digits).sum(axis=tuple(x for x in axes if x != axis))
    for a in places[cut:]:
        counts += np.bincount(row + a, minlength=bins)
    return {offset - span + step * i: n for i, n in enumerate(counts.tolist()) if n}
