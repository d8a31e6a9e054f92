"""Memory for the arrays of an engine: side by side.

A first-level cache finds a line by some bits of its address.  Arrays at scattered addresses may look the same to it, so
that one drives the other out, again and again: the compiled engine was seen to take four times as long, by chance of
where its arrays lay.  Neighbours look different.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["side_by_side"]

LARGE_PAGE: Final = 1 << 21  # bytes
LARGE: Final = 1 << 19


def side_by_side(dtype: type[Any], columns: int, rows: Sequence[int]) -> list[NDArray[Any]]:
    """Return arrays of so many rows, of any content; from 2^19 to 2^21 bytes they lie in one large page."""
    ends = list(accumulate((n * columns * np.dtype(dtype).itemsize for n in rows), initial=0))
    start = 0
    if ends[-1] < LARGE:
        room = np.empty(ends[-1], np.uint8)
    else:
        room = np.empty(ends[-1] + LARGE_PAGE, np.uint8)
        start = -room.ctypes.data % LARGE_PAGE
    return [room[start + a : start + b].view(dtype).reshape(-1, columns) for a, b in pairwise(ends)]
