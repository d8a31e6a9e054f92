"""The NumPy engine: a score is the sum of the scores of two halves of the vector, so a block is an outer sum.

The low half has 2^16 vectors at most and stays in the cache; the engine goes through the vectors of the high half and
adds the score of each to the row of the others.  The integers used are the narrowest that hold every partial result,
chosen from Σ|q_r| beforehand, never by trying; past 64 bits they are Python's own.
"""

from collections import Counter
from collections.abc import Sequence
from math import gcd
from typing import Any, Final

import numpy as np
from more_itertools import chunked
from numpy.typing import NDArray

from exact.engines.scores import scores

__all__ = ["histogram", "power_sums"]

ROW_BITS: Final = 16
COUNT_BITS: Final = 18
MAX_BINS: Final = 1 << 20
MAX_JOINT_BINS: Final = 1 << 15
LEAST_ROWS: Final = 8
LARGE_PAGE: Final = 1 << 21  # bytes; all arrays fit in one
LANES: Final = ((np.int16, np.uint16), (np.int32, np.uint32), (np.int64, np.uint64))

Integers = NDArray[np.signedinteger[Any]]


def power_sums(q: Sequence[int], offset: int = 0) -> tuple[int, int]:
    """Return Σ e and Σ e² over the block, exactly.

    >>> power_sums((3, -1, 2))
    (0, 112)
    """
    low, high = q[:ROW_BITS], q[ROW_BITS:]
    largest = max(1, abs(offset) + sum(map(abs, q)))
    for signed, unsigned in LANES:
        limit = int(np.iinfo(signed).max)
        rows = min(limit // largest, (2 * limit + 1) // largest**2)  # that fit between two flushes
        if rows >= LEAST_ROWS:
            return _narrow_sums(scores(low, 0, signed), scores(high, offset, signed), unsigned, rows, largest)
    row, total, squares = scores(low, 0, object), 0, 0
    for a in scores(high, offset, object):
        e = row + a
        total += int(e.sum())
        squares += int((e * e).sum())
    return total, squares


def _narrow_sums(row: Integers, offsets: Integers, unsigned: type[Any], rows: int, largest: int) -> tuple[int, int]:
    """Add up e and e² column by column, for as many rows as the columns hold, then into Python integers."""
    signed = row.dtype.type
    low, e, columns, square_columns = _side_by_side(row.size, (signed, signed, signed, unsigned))
    low[:] = row
    e_squared = e.view(unsigned)
    groups = int(np.iinfo(signed).max) // largest // rows  # how many the columns of e hold, whose squares need room
    total = squares = 0
    for number, group in enumerate(chunked(offsets, rows), 1):
        for a in group:
            np.add(low, a, e)
            np.add(columns, e, columns)
            np.square(e, e)  # faster than multiply, which NumPy compiles for narrower registers
            np.add(square_columns, e_squared, square_columns)
        squares += _exact_sum(square_columns)
        square_columns.fill(0)
        if number % groups == 0:
            total += _exact_sum(columns)
            columns.fill(0)
    return total + _exact_sum(columns), squares


def _side_by_side(size: int, dtypes: Sequence[type[Any]]) -> list[NDArray[Any]]:
    """Return arrays of zeros; large ones in one large page of memory, for scattered pages crowd one another's cache."""
    if size < 1 << ROW_BITS:
        return [np.zeros(size, dtype) for dtype in dtypes]
    room = np.empty(2 * LARGE_PAGE, np.uint8)  # of so many bytes NumPy asks the system for large pages
    start, each = -room.ctypes.data % LARGE_PAGE, size * np.dtype(dtypes[0]).itemsize
    room[start : start + each * len(dtypes)] = 0
    return [room[start + i * each :][:each].view(dtype) for i, dtype in enumerate(dtypes)]


def _exact_sum(column: NDArray[Any]) -> int:
    """Add up at most 2^16 integers: in twice their bits where there are such, else the low and high 32 bits apart."""
    if column.itemsize < 8:
        return int(column.sum(dtype=f"{column.dtype.kind}{2 * column.itemsize}"))
    low = int((column & column.dtype.type(0xFFFFFFFF)).sum())
    return low + (int((column >> column.dtype.type(32)).sum()) << 32)


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
