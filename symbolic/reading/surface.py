r"""What a reader's formula looks like before anyone says what its letters mean: the tree that reader builds.

A node knows where it stood in the text (`at`, an offset), so that who gives it a meaning can point at what has none.
Nothing is decided here: e^2 is a Raised, whether e is a score or 2.718…; a_i(1 − a_i) is a product; q \cdot k is a
product whose sign is "·".  Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from typing import TypeAlias, cast

__all__ = [
    "Absolute",
    "Added",
    "Big",
    "Called",
    "Differentiated",
    "Divided",
    "Indexed",
    "Inner",
    "Iverson",
    "Listed",
    "Multiplied",
    "Name",
    "Negated",
    "Node",
    "Normed",
    "Number",
    "Raised",
    "Reading",
    "Related",
    "Root",
    "Transposed",
    "inside",
    "letters_in",
    "replaced",
    "walk",
]


@dataclass(frozen=True, slots=True)
class Number:
    """A rational constant as written: 3, 0.1 (read as 1/10)."""

    value: Fraction
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    r"""A letter or a word with its subscripts and its accent: a_i, d_k, \sigma_q, \hat q, head_size, n_{in}.

    Greek letters are written out in Unicode (σ); d_k is Name("d", (Name("k"),)); a[i, j] and a_{ij} are the same.
    """

    letter: str
    subscripts: tuple[Node, ...] = ()
    accent: str = ""
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negated:
    """Minus what follows."""

    of: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Added:
    """A sum, in the order written; what is taken away is Negated."""

    terms: tuple[Node, ...]
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Multiplied:
    """A product, in the order written; signs[i] stands between factors i and i + 1: "", "·", "×", "*", "⊙" or "@"."""

    factors: tuple[Node, ...]
    signs: tuple[str, ...]
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Divided:
    r"""A quotient: \frac{a}{b} or a/b."""

    over: Node
    under: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Raised:
    """A power; never a transpose."""

    base: Node
    exponent: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Transposed:
    r"""A transpose: K^\top, K^T, K.T."""

    of: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Root:
    r"""A root: \sqrt{x}, \sqrt[3]{x}, sqrt(x)."""

    of: Node
    degree: Node | None = None
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Called:
    """A known function by its standard name, and its arguments; `given` follows the bar in E[X | Y].

    exp, log, softmax, logsoftmax, sigmoid, E, Var, Std, Cov, P, diag, tr, sum, mean, max, min, binomial, factorial, …
    `below` holds what stands under the name, as the k of E_k[…] or the axis of sum(…, axis=1).
    """

    function: str
    arguments: tuple[Node, ...]
    given: tuple[Node, ...] = ()
    below: tuple[Node, ...] = ()
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Indexed:
    """Subscripts on something that is not a name: softmax(e)_i, (q k^T)_{ij}."""

    of: Node
    indices: tuple[Node, ...]
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Big:
    """A sum or product over indices: kind "sum" or "product"; limits where written; conditions such as j ≠ i."""

    kind: str
    indices: tuple[Name, ...]
    body: Node
    lower: Node | None = None
    upper: Node | None = None
    conditions: tuple[Related, ...] = ()
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Differentiated:
    r"""A derivative: \frac{\partial a_i}{\partial e_j}, dL/dz_c, diff(L, z_c)."""

    of: Node
    by: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Iverson:
    r"""1 where a condition holds and 0 elsewhere: [i = j], \mathbb{1}\{i = j\}."""

    condition: Related
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Absolute:
    """An absolute value, or the size of a set: |x|."""

    of: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Normed:
    r"""A norm: \|q\|, \|A\|_F; kind is the subscript, "" for none."""

    of: Node
    kind: str = ""
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Inner:
    r"""An inner product in angle brackets: \langle a, c\rangle."""

    left: Node
    right: Node
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Listed:
    """A list in brackets, [1, 2] or [[1, 2], [2, -3]]."""

    items: tuple[Node, ...]
    at: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Related:
    """Parts and the relations between them: "=", "≠", "<", ">", "≤", "≥", "≈"; one part alone is an expression."""

    parts: tuple[Node, ...]
    relations: tuple[str, ...] = ()
    at: int = field(default=0, compare=False, repr=False)


Node: TypeAlias = (
    Number
    | Name
    | Negated
    | Added
    | Multiplied
    | Divided
    | Raised
    | Transposed
    | Root
    | Called
    | Indexed
    | Big
    | Differentiated
    | Iverson
    | Absolute
    | Normed
    | Inner
    | Listed
    | Related
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A whole input: the claim, what stands after it (definitions as O = PV, conditions as i ≠ j), the text."""

    claim: Related
    aside: tuple[Related, ...] = ()
    text: str = ""


def inside(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside one, in the order written."""
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, tuple):
            yield from (item for item in value if not isinstance(item, str))
        elif value is not None and not isinstance(value, str | int | Fraction):
            yield value


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything inside it, outermost first, in the order written.

    >>> a = Name("a", (Name("i"),))
    >>> [type(part).__name__ for part in walk(Multiplied((a, Number(Fraction(2))), ("",)))]
    ['Multiplied', 'Name', 'Name', 'Number']
    """
    stack = [node]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(list(inside(here))))


def letters_in(*nodes: Node) -> set[str]:
    """Return the letters of all names in some nodes, subscripts included.

    >>> sorted(letters_in(Name("a", (Name("i"),)), Number(Fraction(2))))
    ['a', 'i']
    """
    return {part.letter for node in nodes for part in walk(node) if isinstance(part, Name)}


def replaced(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Return a tree with what `change` gives in the place of each outermost node for which it gives something.

    >>> doubled = replaced(Negated(Name("a")), lambda node: Name("b") if node == Name("a") else None)
    >>> doubled == Negated(Name("b"))
    True
    """
    found = change(node)
    if found is not None:
        return found
    parts: dict[str, object] = {}
    for part in fields(node):
        value = getattr(node, part.name)
        if isinstance(value, tuple):
            parts[part.name] = tuple(item if isinstance(item, str) else replaced(item, change) for item in value)
        elif is_dataclass(value) and not isinstance(value, type):
            parts[part.name] = replaced(cast("Node", value), change)
    return replace(node, **parts)  # type: ignore[arg-type] # each part keeps its kind
