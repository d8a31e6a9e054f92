r"""What a sum may run through besides indices: the vectors of a cube, {−1, 1}^n or {0, 1}^n, and the subsets of [n].

A set is read whole, from the text after ∈ or ⊆, and comes out as the tokens of a call: cube(−1, 1, n), subsets(n).
"""

from __future__ import annotations

import re

__all__ = ["ACCEPTED", "set_tokens"]

ACCEPTED = r"\in \{-1,1\}^n, \in \{0,1\}^n, \subseteq [n]"
_SIZE = r"(?P<size>[A-Za-z](?:_[A-Za-z0-9]|_\{[A-Za-z0-9]+\})?|\d{1,3})"
_POWER = rf"\s*\^\s*(?:\{{\s*{_SIZE}\s*\}}|(?P<one>[A-Za-z0-9]))"
_NUMBER = r"([-−+]?)\s*(\d{1,3})"
_CUBE = re.compile(rf"\s*\\?\{{\s*(?:{_NUMBER}\s*,\s*{_NUMBER}|(\\pm|±)\s*1)\s*\\?\}}{_POWER}")
_DOTS = r"(?:\\[lc]?dots|\.\.\.|…)"
_SUBSETS = re.compile(rf"\s*(?:\[\s*{_SIZE}\s*\]|\\?\{{\s*1\s*,\s*(?:2\s*,\s*)?{_DOTS}\s*,\s*(?P<one>\w)\s*\\?\}})")

Piece = tuple[str, str]


def set_tokens(text: str, at: int, relation: str) -> tuple[list[Piece], int] | None:
    """Return the tokens of the set that follows ∈ or ⊆ and where it ends; None where none is read there.

    >>> set_tokens("{0,1}^n x", 0, "∈")[0][:4]
    [('FUNC', 'cube'), ('LPAR', '('), ('NUMBER', '0'), ('COMMA', ',')]
    """
    found = (_CUBE if relation == "∈" else _SUBSETS).match(text, at)
    if found is None:
        return None
    size = found["size"] or found["one"]
    pieces: list[Piece] = [("FUNC", "cube" if relation == "∈" else "subsets"), ("LPAR", "(")]
    if relation == "∈":
        written = [(found[1], found[2]), (found[3], found[4])] if not found[5] else [("-", "1"), ("", "1")]
        for number in sorted(-int(digits) if sign in ("-", "−") else int(digits) for sign, digits in written):
            pieces += [("MINUS", "-")] * (number < 0) + [("NUMBER", str(abs(number))), ("COMMA", ",")]
    pieces += _size(size)
    return [*pieces, ("RPAR", ")")], found.end()


def _size(size: str) -> list[Piece]:
    if size.isdigit():
        return [("NUMBER", size)]
    letter, _, below = size.partition("_")
    if not below:
        return [("NAME", letter)]
    return [("NAME", letter), ("SUB", "_"), ("NAME", below.strip("{}"))]
