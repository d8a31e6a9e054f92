"""The compiled engine: the outer sum of the NumPy engine with several rows in one pass, by numba (the `fast` extra).

Small scores are multiplied as bytes where the processor can do that.  Otherwise four rows are added up in registers for
each column before memory is touched, in the narrowest integers that hold four squares.  A histogram compares bytes with
each score that they can reach: few, for rows and columns are sorted.  What the integers hold is decided from Σ|q_r|
beforehand: see `right_for`.

numba is imported when a block is first visited; what it compiles is kept beside this file, or in the user's cache, for
the next run, and compiled each time where neither can be written.  The compiled code holds no lock of the interpreter,
so threads run side by side.
"""

import time
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from math import gcd
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from exact.engines.scores import half_scores, largest_half, scores, whole_sums
from exact.rationals import BadInput

__all__ = ["histogram", "import_problem", "installed", "power_sums", "prepare", "right_for"]

ROW_BITS: Final = 10  # at twice the length one run in four takes three times as long
COUNT_BITS: Final = 14
COUNTED_COLUMNS: Final = 256
PRODUCT_BITS: Final = 12
LEAST_PRODUCTS: Final = 10  # coordinates: rows and columns as exact.engines.products wants them
MOST_PRODUCTS: Final = 127  # products.MOST, kept here too so that numba is not imported
TOGETHER: Final = 4  # rows in one pass
BYTE: Final = 255
LEAST_ROWS: Final = 16  # fewer between two flushes, and wider integers are faster
COUNTED_ROWS: Final = BYTE // TOGETHER * TOGETHER
LANES: Final = ((np.int16, np.uint16), (np.int32, np.uint32), (np.int64, np.uint64))


def installed() -> bool:
    """Say whether numba can be imported, without importing it."""
    return find_spec("numba") is not None


def import_problem() -> str:
    """Import numba; return why that fails, or "": it wants certain versions of NumPy, and its settings to be right."""
    try:
        import numba  # noqa: F401
    except Exception as error:  # whatever stands in numba
        return str(error).strip().split("\n", 1)[0] or type(error).__name__
    return ""


def right_for(q: Sequence[int], offset: int = 0, histogram: bool = False) -> bool:
    """Say whether the block is visited exactly: sums of squares stay below 2^63, or there are at most 255 scores."""
    if histogram:
        return sum(map(abs, q)) // (gcd(*q) or 1) < BYTE
    return largest_half(q, offset) ** 2 << max(2, len(q)) < 1 << 63


def prepare(q: Sequence[int], histogram: bool = False) -> float:
    """Import numba, and compile what `q` needs or load what was compiled before; return the seconds that took."""
    start = time.perf_counter()
    if histogram:
        _visit(_count, *(np.zeros(4, np.uint8) for _ in range(3)), np.zeros(1, np.int64))
    else:
        power_sums(q[:LEAST_PRODUCTS], sum(map(abs, q[LEAST_PRODUCTS:])))  # as large a score, so the same lanes
    return time.perf_counter() - start


def power_sums(q: Sequence[int], offset: int = 0) -> tuple[int, int]:
    """Return Σ e and Σ e² over the block, exactly; BadInput where `right_for` is false."""
    if not right_for(q, offset):
        raise BadInput("the numba engine adds up in 64 bits, which this query may overflow; numpy and plain do not")
    largest = largest_half(q, offset)
    if 2 * largest - 1 <= MOST_PRODUCTS and len(q) >= LEAST_PRODUCTS and _products().available():
        return _sums_of_products(q, offset, largest)
    padded, copies = _padded(q)
    cut = min(ROW_BITS, len(padded) - 2)
    signed, unsigned, rows = _lane(largest)
    low, offsets, parity = half_scores(padded[:cut], padded[cut:], offset, signed)
    row, columns, squares = np.empty((3, low.size), signed)
    row[:] = low
    sums = _visit(_add, row, offsets, columns, squares.view(unsigned), max(TOGETHER, min(rows, offsets.size)))
    total, total_of_squares = whole_sums(int(sums[0]), int(sums[1]), parity, 1 << len(padded))
    return total // copies, total_of_squares // copies


def _sums_of_products(q: Sequence[int], offset: int, shift: int) -> tuple[int, int]:
    """Add up half scores as bytes, with a shift that leaves none negative: from 0 to 2·shift − 1.

    Blocks have at most 2^32 vectors, so that 64 bits hold the squares.
    """
    cut = min(PRODUCT_BITS, len(q) - 1)
    low, offsets, parity = half_scores(q[:cut], q[cut:], offset, np.int16)
    sums = _visit(_products().add, (low + shift).astype(np.uint8), offsets.astype(np.uint8))
    return whole_sums(int(sums[0]), int(sums[1]), parity - 2 * shift, 1 << len(q))


def histogram(q: Sequence[int], offset: int = 0) -> dict[int, int]:
    """Return how many vectors of the block have each score, exactly; BadInput where `right_for` is false."""
    if not right_for(q, offset, histogram=True):
        raise BadInput(f"the numba engine counts at most {BYTE} scores; numpy and plain count more")
    unit = gcd(*q) or 1
    padded, copies = _padded(sorted(abs(x) // unit for x in q))
    cut = min(COUNT_BITS, len(padded) - 2)
    row, offsets = (
        np.sort((scores(x, 0, np.int16) + sum(x)) // 2).astype(np.uint8) for x in (padded[:cut], padded[cut:])
    )
    counts = np.zeros(sum(padded) + 1, np.int64)
    _visit(_count, row, offsets, np.empty(COUNTED_COLUMNS, np.uint8), counts)
    return {offset + unit * (2 * i - sum(padded)): n // copies for i, n in enumerate(counts.tolist()) if n}


def _lane(largest: int) -> tuple[type[Any], type[Any], int]:
    """Return integers for f and for f², |f| ≤ largest, and how many rows they hold between two flushes."""
    for signed, unsigned in LANES:  # noqa: B007 - returned
        limit = int(np.iinfo(signed).max)
        rows = min(limit // largest, (2 * limit + 1) // largest**2) // TOGETHER * TOGETHER
        if rows >= LEAST_ROWS:
            break
    return signed, unsigned, rows  # 64 bits hold 8 rows of all that is `right_for` them


def _padded(q: Sequence[int]) -> tuple[list[int], int]:
    """Return a query of at least two entries, and how often each score of `q` is then seen: zeros only repeat it."""
    zeros = max(0, 2 - len(q))
    return [0] * zeros + list(q), 1 << zeros


def _add(row: Any, offsets: Any, columns: Any, square_columns: Any, rows: int) -> Any:
    """Add up f = row + offset and f², `rows` at a time before the columns are flushed into 64 bits."""
    signed, unsigned = columns.dtype.type, square_columns.dtype.type
    total, squares = np.int64(0), np.int64(0)
    for start in range(0, offsets.size, rows):
        columns[:] = 0
        square_columns[:] = 0
        for first in range(start, min(start + rows, offsets.size), 4):
            for i in range(row.size):
                some, some_squares = signed(0), unsigned(0)
                for j in range(4):
                    f = signed(row[i] + offsets[first + j])
                    some = signed(some + f)
                    some_squares = unsigned(some_squares + unsigned(signed(f * f)))
                columns[i] = signed(columns[i] + some)
                square_columns[i] = unsigned(square_columns[i] + some_squares)
        for i in range(row.size):
            total += np.int64(columns[i])
            squares += np.int64(square_columns[i])
    return total, squares


def _count(row: Any, offsets: Any, columns: Any, counts: Any) -> None:
    """Count the scores of each part of a sorted row with each run of sorted offsets, in bytes flushed in time."""
    byte = columns.dtype.type
    for left in range(0, row.size, COUNTED_COLUMNS):
        part = row[left : left + COUNTED_COLUMNS]
        least, most = np.int64(part[0]), np.int64(part[-1])
        for start in range(0, offsets.size, COUNTED_ROWS):
            stop = min(start + COUNTED_ROWS, offsets.size)
            for score in range(least + np.int64(offsets[start]), most + np.int64(offsets[stop - 1]) + 1):
                columns[:] = 0
                wanted = byte(score)
                for first in range(start, stop, 4):
                    if least + np.int64(offsets[first]) <= score <= most + np.int64(offsets[first + 3]):
                        for i in range(part.size):
                            seen = byte(0)
                            for j in range(4):
                                seen = byte(seen + byte(byte(part[i] + offsets[first + j]) == wanted))
                            columns[i] = byte(columns[i] + seen)
                for i in range(part.size):
                    counts[score] += np.int64(columns[i])


def _products() -> Any:
    from exact.engines import products

    return products


@cache
def _compiled(function: Callable[..., Any], kept: bool) -> Any:
    import numba

    return numba.njit(cache=kept, nogil=True)(function)


def _visit(function: Callable[..., Any], *arguments: NDArray[Any] | int) -> Any:
    """Run compiled code, keeping it for the next run where that can be written."""
    try:
        return _compiled(function, True)(*arguments)
    except Exception:  # a full or locked disk, no place at all, or files that were damaged: compile it for this run
        return _compiled(function, False)(*arguments)
