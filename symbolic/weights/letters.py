"""The letters of formulas about the softmax: what each usually stands for, and where letters stand in a tree.

A letter in a subscript is an index and never a row; heads are the letters that stand on the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from exact.verdicts import Note
from symbolic.reading.surface import (
    Big,
    Called,
    Divided,
    Indexed,
    Iverson,
    Name,
    Node,
    Number,
    Raised,
    letters_in,
    walk,
)
from symbolic.reading.surface import inside as children

__all__ = [
    "COORDINATED",
    "COORDINATE_ROWS",
    "DISTRIBUTIONS",
    "LABELS",
    "LOGITS",
    "MATRICES",
    "MOST_POSITIONS",
    "PARAMETERS",
    "SCORES",
    "SIZES",
    "SOFTMAXED",
    "UPSTREAM",
    "WEIGHTS",
    "Choice",
    "Definition",
    "Roles",
    "exponent_of",
    "free_letters",
    "heads",
    "is_label",
    "is_log",
    "is_loss",
    "key",
    "row_letter",
    "softmaxed",
]

WEIGHTS: Final = ("a", "p", "s", "α", "π", "o", "y hat", "p hat", "w", "A", "P", "S", "q")
SOFTMAXED: Final = frozenset(WEIGHTS) - {"w", "o", "S"}
SCORES: Final = ("e", "z", "x", "s", "u", "l", "E", "Z", "S", "X", "o", "v", "f", "h", "g")
LOGITS: Final = frozenset({"e", "z", "s", "o", "l", "θ", "E", "Z", "S"})
LABELS: Final = ("y", "t", "y '", "Y")
DISTRIBUTIONS: Final = ("p", "q", "π", "p hat", "y hat")
UPSTREAM: Final = ("G", "g")
LOSSES: Final = ("L", "E", "J", "C", "loss", "ℓ", "l", "H", "CE", "NLL", "Loss")
MATRICES: Final = {"Q": ("T", "d"), "K": ("T", "d"), "V": ("T", "d"), "O": ("T", "d"), "X": ("T", "d")}
SIZES: Final = ("T", "n", "N", "K", "C", "m")
MOST_POSITIONS: Final = 8
COORDINATED: Final = frozenset({*MATRICES, "q", "k"})
COORDINATE_ROWS: Final = frozenset({"q", "k"})
PARAMETERS: Final = frozenset({"w", "β", "τ", "T", "λ"})
LABEL_SUBSCRIPTS: Final = frozenset({"k", "v", "q", "model", "head", "in", "out", "key", "h", "fan", "size"})


@dataclass(frozen=True, slots=True)
class Choice:
    """Settle what a claim leaves open: which letter is the weights, of which scores, and what else has two readings.

    `square`: a matrix of weights has as many rows as columns; `entrywise`: σ(z)_i is the sigmoid of z_i.
    """

    weights: str = ""
    scores: str = ""
    square: bool = False
    entrywise: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name is said to be: its subscripts, in which the right side is written, and the right side."""

    subscripts: tuple[Name, ...]
    value: Node


@dataclass(slots=True)
class Roles:
    """The part each letter plays; ranks holds how many indices a letter carries.

    `totals` are rows said to add to 1, `rows` letters such as q that are read over positions though they often have
    coordinates, `ranges` what the limits beside a claim say that an index runs to, `lines` the letter that counts the
    rows of a matrix of weights where they are not as many as its columns.  `layer` says what the scores are made of,
    where a claim differentiates by that, as by b in z = Wx + b; `asked` is the gradient a claim begins with, as dX.
    `numbers`: no letter is a row.
    """

    weights: str = ""
    scores: str = ""
    labels: tuple[str, ...] = ()
    upstream: str = ""
    sizes: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, int] = field(default_factory=dict)
    definitions: dict[str, Definition] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    unlike: list[tuple[str, str]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    totals: list[str] = field(default_factory=list)
    rows: tuple[str, ...] = ()
    ranges: dict[str, str] = field(default_factory=dict)
    lines: str = ""
    layer: tuple[str, Definition] | None = None
    asked: str = ""
    matrices: bool = False
    numbers: bool = False
    from_zero: bool = False


def key(name: Name) -> str:
    r"""Return how a letter is known: its letter and, if any, its accent; dP is "d P", \\hat y is "y hat"."""
    if name.accent == "d":
        return f"d {name.letter}"
    return f"{name.letter} {name.accent}" if name.accent else name.letter


def is_loss(node: Node) -> bool:
    """Say whether a name stands for a loss."""
    if not isinstance(node, Name) or node.subscripts or node.accent:
        return False
    return node.letter in LOSSES or node.letter.startswith("L_")


def is_label(name: Name) -> bool:
    """Say whether the subscripts are part of the name: d_k, n_{in}, head_size."""
    if name.letter in {"d", "σ", "n", "head", "fan"} and len(name.subscripts) == 1:
        index = name.subscripts[0]
        return isinstance(index, Name) and (index.letter in LABEL_SUBSCRIPTS or name.letter in {"d", "head", "fan"})
    return False


def heads(*trees: Node) -> Iterator[Name]:
    """Yield the letters of trees that are no indices, in the order written."""
    stack = list(reversed(trees))
    while stack:
        match stack.pop():
            case Name() as name:
                yield name
            case Indexed(of):
                stack.append(of)
            case Big(body=body):
                stack.append(body)
            case Iverson():
                continue
            case here:
                stack.extend(reversed(list(children(here))))


def softmaxed(node: Node) -> Node | None:
    """Return the argument of softmax where a node is softmax(x), softmax(x)_i, or exp(x_i)/(a sum, or Z)."""
    if isinstance(node, Indexed):
        return softmaxed(node.of)
    if isinstance(node, Called) and node.function in {"softmax", "logsoftmax"}:
        return node.arguments[0]
    if isinstance(node, Divided) and (inside := exponent_of(node.over)) is not None:
        return inside
    return None


def is_log(node: Node) -> bool:
    """Say whether a node is a logarithm of the softmax."""
    return isinstance(node, Called) and node.function == "logsoftmax"


def exponent_of(node: Node) -> Node | None:
    """Return x of exp(x) and of e^x, where x is not a number."""
    if isinstance(node, Called) and node.function == "exp":
        return node.arguments[0]
    if (
        isinstance(node, Raised)
        and isinstance(node.base, Name)
        and node.base.letter == "e"
        and not node.base.subscripts
    ):
        return None if isinstance(node.exponent, Number) else node.exponent
    return None


def row_letter(node: Node, exclude: Iterable[str] = ()) -> str:
    """Return the letter of the row inside an argument such as z, z w, βe_j, z/T."""
    letters = [part for part in heads(node) if key(part) not in exclude]
    indexed = [part for part in letters if part.subscripts and not is_label(part)]
    for part in (*indexed, *letters):
        if key(part) in SCORES or part.subscripts:
            return key(part)
    return key(letters[0]) if letters else ""


def free_letters(node: Node) -> set[str]:
    """Return the index letters that stand free in a node: in subscripts, and bound by no sum around them."""
    return set(_free(node, frozenset()))


def _free(node: Node, bound: frozenset[str]) -> Iterator[str]:
    if isinstance(node, Big) and not node.indices and not node.conditions:
        return
    if (
        isinstance(node, Called)
        and node.function in {"sum", "rowsum"}
        and len(free_letters(node.arguments[0]) - bound) == 1
    ):
        return
    if isinstance(node, Big):
        named = letters_in(*node.conditions)
        inner = bound | {index.letter for index in node.indices} | named
        yield from _free(node.body, inner)
        return
    if isinstance(node, Name):
        if not is_label(node):
            for index in node.subscripts:
                for part in walk(index):
                    if isinstance(part, Name) and part.letter not in bound:
                        yield part.letter
        return
    if isinstance(node, Indexed):
        for index in node.indices:
            for part in walk(index):
                if isinstance(part, Name) and part.letter not in bound:
                    yield part.letter
        yield from _free(node.of, bound)
        return
    for part in children(node):
        yield from _free(part, bound)
