"""Counting, vector by vector: identities that hold at every key, not only on the average.

Each function visits all 2^d keys with one sign query, works both sides out at every key by separate arithmetic, and
returns how many keys it visited, or raises `FailsAt` with the first key at which the sides differ.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from exact.cube import index, signs

__all__ = ["FailsAt", "agreements_match", "self_scores_are_width", "square_splits", "squares_are_one"]

BLOCK_BITS: Final = 14
MAX_WIDTH: Final = 62

Integers = NDArray[np.integer[Any]]
Identity = Callable[[Integers, list[Integers]], NDArray[np.bool_]]


class FailsAt(ArithmeticError):
    """An identity fails; the message names the key."""


def _terms(query: Sequence[int], keys: Integers) -> list[Integers]:
    """Return t_1 … t_d, each an array over the keys."""
    return [np.int32(q) * (1 - 2 * (keys >> np.uint64(r) & np.uint64(1)).astype(np.int32)) for r, q in enumerate(query)]


def _blocks(d: int) -> Iterator[Integers]:
    size = 1 << min(d, BLOCK_BITS)
    for start in range(0, 1 << d, size):
        yield np.arange(start, start + size, dtype=np.uint64)


def holds_at_every_key(query: Sequence[int], identity: Identity, progress: Callable[[int], None] | None = None) -> int:
    """Return the number of keys at which `identity(keys, terms)` is true, all 2^d, or raise `FailsAt` with the first.

    The query is d signs, 1 ≤ d ≤ 62, or ValueError.
    """
    d = len(query)
    index(query)
    if not 1 <= d <= MAX_WIDTH:
        raise ValueError(f"the cube is visited from width 1 to {MAX_WIDTH} (got width {d})")
    visited = 0
    for keys in _blocks(d):
        right = identity(keys, _terms(query, keys))
        if not right.all():
            k = int(keys[np.argmin(right)])
            raise FailsAt(f"fails at q = {tuple(query)}, k = {signs(k, d)}")
        visited += keys.size
        if progress:
            progress(keys.size)
    return visited


def agreements_match(query: Sequence[int], progress: Callable[[int], None] | None = None) -> int:
    """Check e = 2m − d at every key, with m counted on bits and e added up term by term.

    >>> agreements_match((1, -1, 1, 1))
    16
    """
    q, d = np.uint64(index(query)), len(query)

    def identity(keys: Integers, terms: list[Integers]) -> NDArray[np.bool_]:
        m = d - np.bitwise_count(keys ^ q).astype(np.int32)
        return np.asarray(sum(terms) == 2 * m - d)

    return holds_at_every_key(query, identity, progress)


def squares_are_one(query: Sequence[int], progress: Callable[[int], None] | None = None) -> int:
    """Check t_r² = 1 for every coordinate at every key."""

    def identity(_: Integers, terms: list[Integers]) -> NDArray[np.bool_]:
        return np.asarray(np.logical_and.reduce([t * t == 1 for t in terms]))

    return holds_at_every_key(query, identity, progress)


def square_splits(query: Sequence[int], progress: Callable[[int], None] | None = None) -> int:
    """Check e² = d + Σ_{r≠s} t_r t_s at every key, the cross terms added up one pair after the other."""
    d = len(query)

    def identity(_: Integers, terms: list[Integers]) -> NDArray[np.bool_]:
        e, cross = sum(terms), np.zeros_like(terms[0])
        for r in range(d):
            for s in range(r):
                cross += 2 * terms[r] * terms[s]
        return np.asarray(e * e == d + cross)

    return holds_at_every_key(query, identity, progress)


def self_scores_are_width(d: int, progress: Callable[[int], None] | None = None) -> int:
    """Check q·q = d at every sign vector q of width d: a key equal to its query scores d, always."""

    def identity(_: Integers, coordinates: list[Integers]) -> NDArray[np.bool_]:
        return np.asarray(sum(x * x for x in coordinates) == d)

    return holds_at_every_key((1,) * d, identity, progress)
