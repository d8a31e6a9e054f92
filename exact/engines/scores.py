"""The scores of all sign vectors of a few coordinates, in the order of the vectors: where the array engines start."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["half_scores", "largest_half", "scores", "whole_sums"]


def scores(q: Sequence[int], offset: int, dtype: type[Any]) -> NDArray[Any]:
    """Return the 2^len(q) scores offset + Σ_r q_r k_r, in integers that hold |offset| + Σ|q_r|."""
    e = np.array([offset], dtype)
    for x in np.array(q, dtype):
        e = np.concatenate([e + x, e - x])
    return e


def largest_half(q: Sequence[int], offset: int) -> int:
    """Return what no f of `half_scores` exceeds."""
    return (abs(offset) + sum(map(abs, q))) // 2 + 1


def half_scores(
    low: Sequence[int], high: Sequence[int], offset: int, dtype: type[Any]
) -> tuple[NDArray[Any], NDArray[Any], int]:
    """Return f of the low and f of the high coordinates, and the parity with which a score is e = 2 f + parity.

    Scores of one block are all even or all odd, so that f, the sum of one of each, is half as large, and its square a
    quarter as large.
    """
    parity = sum(low) % 2 + (offset + sum(high)) % 2
    return scores(low, 0, dtype) >> 1, scores(high, offset, dtype) >> 1, parity


def whole_sums(total: int, squares: int, parity: int, count: int) -> tuple[int, int]:
    """Return Σ e and Σ e² from Σ f and Σ f² of `count` vectors, e = 2 f + parity.

    >>> whole_sums(6, 14, 1, 3)  # f = 1, 2, 3
    (15, 83)
    """
    return 2 * total + parity * count, 4 * squares + parity * (4 * total + parity * count)
