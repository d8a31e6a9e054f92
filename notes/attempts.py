"""Pairings that a reader tries in order to break the proof: prepared ones, and a small language for one's own.

Each is written out as a partner for every key, and the kernel judges it (teaching.attempt).

>>> own((1, -1, 1), (0, 1), "k1 k3").partner[:3]
(5, 4, 7)
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exact.rationals import BadInput
from notes.teaching import Query

__all__ = ["Attempt", "own", "prepared"]

LENGTH: Final = 80
CHANGE: Final = re.compile(r"k_?([1-9])(?:(=)(\+|-|q|k_?([1-9]))|(~)k_?([1-9]))?")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A pairing for Σ Π_{r in term} t_r at a query; `id` is its key in the words, or "" for the reader's own."""

    id: str
    query: Query
    term: tuple[int, ...]
    partner: tuple[int, ...]


def _attempt(name: str, query: Query, term: tuple[int, ...], change: Callable[[int], int]) -> Attempt:
    return Attempt(name, query, term, tuple(map(change, range(1 << len(query)))))


def prepared(query: Query, term: tuple[int, ...]) -> tuple[Attempt, ...]:
    """Return the prepared attempts at a term of one or two coordinates, at a query of 1 to 6 entries."""
    d, r = len(query), term[0]
    bit, negative = 1 << r, query[r] < 0
    changes: dict[str, Callable[[int], int]] = {"same-sign": lambda k: k | bit if negative else k & ~bit}
    if len(term) == 2:
        other = 1 << term[1]
        changes |= {"flip-two": lambda k: k ^ bit ^ other, "flip-s": lambda k: k ^ other}
    changes |= {
        "flip-outside": lambda k: k ^ 1 << d,
        "flip-none": lambda k: k,
        "next-key": lambda k: (k + 1) % (1 << d),
    }
    found = [_attempt(name, query, term, change) for name, change in changes.items()]
    return (*found, _attempt("one-coordinate", query[:1], (0, 0), lambda k: k ^ 1))


def own(query: Query, term: tuple[int, ...], text: str) -> Attempt:
    """Read a pairing: k1 changes the sign of k_1, k1=+ or k1=- sets it, k1=q makes it that of q_1, k1=k2, k1~k2.

    Several, one after the other, with spaces or commas.  A sign may be changed at a place that no key has; that is for
    the kernel to notice.  BadInput for anything else.
    """
    if len(text) > LENGTH:
        raise BadInput(f"a pairing is written in at most {LENGTH} characters (got {len(text)})")
    words = re.split(r"[\s,;]+", re.sub(r"\s*([=~])\s*", r"\1", text.strip().lower().replace("−", "-")))
    changes = [_change(word, query) for word in words]

    def partner(k: int) -> int:
        for change in changes:
            k = change(k)
        return k

    return _attempt("", query, term, partner)


def _change(word: str, query: Query) -> Callable[[int], int]:
    found = CHANGE.fullmatch(word)
    if found is None:
        raise BadInput(f"{word[:20]!r} is no change of a key; accepted: k1, k1=+, k1=-, k1=q, k1=k2, k1~k2")
    at = int(found[1]) - 1
    second = found[4] or found[6]
    other = int(second) - 1 if second else at
    if (found[2] or found[5]) and max(at, other) >= len(query):
        raise BadInput(f"a key has places from 1 to {len(query)} (got {max(at, other) + 1})")
    if found[5]:
        return lambda k: _put(_put(k, at, k >> other & 1), other, k >> at & 1)
    if not found[2]:
        return lambda k: k ^ 1 << at
    if second:
        return lambda k: _put(k, at, k >> other & 1)
    negative = int(query[at] < 0 if found[3] == "q" else found[3] == "-")
    return lambda k: _put(k, at, negative)


def _put(k: int, at: int, bit: int) -> int:
    return k & ~(1 << at) | bit << at
