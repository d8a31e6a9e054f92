"""The reference engine: plain Python integers, one vector after the other, nothing clever."""

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import mul

from exact.cube import walk

__all__ = ["histogram", "power_sums"]


def _scores(q: Sequence[int], offset: int) -> Iterator[int]:
    return (offset + sum(map(mul, q, k)) for k in walk(len(q)))


def power_sums(q: Sequence[int], offset: int = 0) -> tuple[int, int]:
    """Return Σ e and Σ e² over the block.

    >>> power_sums((3, -1, 2))
    (0, 112)
    """
    total = squares = 0
    for e in _scores(q, offset):
        total += e
        squares += e * e
    return total, squares


def histogram(q: Sequence[int], offset: int = 0) -> dict[int, int]:
    """Return how many vectors of the block have each score.

    >>> histogram((1, 1))
    {2: 1, 0: 2, -2: 1}
    """
    return dict(Counter(_scores(q, offset)))
