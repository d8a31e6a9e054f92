"""The scores of all sign vectors of a few coordinates, in the order of the vectors: where the array engines start."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["scores"]


def scores(q: Sequence[int], offset: int, dtype: type[Any]) -> NDArray[Any]:
    """Return the 2^len(q) scores offset + Σ_r q_r k_r, in integers that hold |offset| + Σ|q_r|."""
    e = np.array([offset], dtype)
    for x in np.array(q, dtype):
        e = np.concatenate([e + x, e - x])
    return e
