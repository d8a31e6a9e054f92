"""What the letters of a formula stand for: weights, scores, labels, upstream gradient, sizes, a loss, definitions.

The same letter means different things to different people: a is a weight in a lesson and a logit in a paper, e is a
score or 2.718…, T a number of positions or a temperature.  What stands around a letter decides; each decision is noted,
so that it can be said before the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from exact.verdicts import Note, note
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Big,
    Called,
    Differentiated,
    Divided,
    Indexed,
    Listed,
    Multiplied,
    Name,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    Transposed,
    walk,
)
from symbolic.reading.surface import inside as children

__all__ = ["Definition", "Roles", "free_letters", "is_loss", "key", "roles", "softmaxed"]

WEIGHTS: Final = ("a", "p", "s", "α", "π", "o", "y hat", "p hat", "w", "A", "P", "S", "q")
SCORES: Final = ("e", "z", "x", "s", "u", "l", "E", "Z", "S", "X", "o", "v", "f", "h", "g")
LABELS: Final = ("y", "t", "y '", "Y")
UPSTREAM: Final = ("G", "g")
LOSSES: Final = ("L", "E", "J", "C", "loss", "ℓ", "H")
MATRICES: Final = {"Q": ("T", "d"), "K": ("T", "d"), "V": ("T", "d"), "O": ("T", "d"), "X": ("T", "d")}
SIZES: Final = ("T", "n", "N", "K", "C", "m")
MOST_POSITIONS: Final = 8
COORDINATED: Final = frozenset({*MATRICES, "q", "k"})
PARAMETERS: Final = frozenset({"w", "β", "τ", "T", "λ"})
LABEL_SUBSCRIPTS: Final = frozenset({"k", "v", "q", "model", "head", "in", "out", "key", "h", "fan", "size"})


def key(name: Name) -> str:
    r"""Return how a letter is known: its letter and, if any, its accent; dP is "d P", \\hat y is "y hat"."""
    if name.accent == "d":
        return f"d {name.letter}"
    return f"{name.letter} {name.accent}" if name.accent else name.letter


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name is said to be: its subscripts, in which the right side is written, and the right side."""

    subscripts: tuple[Name, ...]
    value: Node


@dataclass(slots=True)
class Roles:
    """The part each letter plays; ranks holds how many indices a letter carries."""

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
    matrices: bool = False
    from_zero: bool = False


def is_loss(node: Node) -> bool:
    """Say whether a name stands for a loss."""
    return isinstance(node, Name) and not node.subscripts and not node.accent and node.letter in LOSSES


def roles(reading: Reading, weights: str = "") -> Roles:
    """Return the part that each letter of a reading plays; `weights` settles which one the weights are."""
    found = Roles(weights=weights)
    nodes = [*walk(reading.claim), *(node for aside in reading.aside for node in walk(aside))]
    for node in nodes:
        if isinstance(node, Name) and node.subscripts and not _is_label(node):
            found.ranks[key(node)] = max(found.ranks.get(key(node), 0), len(node.subscripts))
            found.from_zero |= any(isinstance(i, Number) and i.value == 0 for i in node.subscripts)
    found.matrices = any(
        isinstance(node, Transposed) or (isinstance(node, Called) and node.function in {"diag", "tr"}) for node in nodes
    )
    found.matrices |= any(isinstance(node, Name) and node.accent == "d" and node.letter in "QKVOSAPE" for node in nodes)
    found.matrices |= any(isinstance(node, Multiplied) and "@" in node.signs for node in nodes)
    for aside in reading.aside:
        _read_aside(aside, found)
    _find_rows(nodes, found)
    _find_sizes(nodes, found)
    if found.from_zero:
        found.notes.append(note("from-zero"))
    return found


def _is_label(name: Name) -> bool:
    """Say whether the subscripts are part of the name: d_k, n_{in}, head_size."""
    if name.letter in {"d", "σ", "n", "head", "fan"} and len(name.subscripts) == 1:
        index = name.subscripts[0]
        return isinstance(index, Name) and (index.letter in LABEL_SUBSCRIPTS or name.letter in {"d", "head", "fan"})
    return False


def _read_aside(aside: Related, found: Roles) -> None:
    """Take what follows the claim: a definition, a condition i ≠ j, a size.  What cannot be taken is refused."""
    left = aside.parts[0]
    if not aside.relations:
        if isinstance(left, Name) and not left.subscripts and len(left.letter) == 1:
            return
        raise _not_taken()
    right = aside.parts[-1]
    if len(aside.parts) != 2 or not isinstance(left, Name):
        if _is_known(aside, found):
            return
        raise _not_taken()
    if aside.relations == ("≠",):
        if not isinstance(right, Name) or left.subscripts or right.subscripts:
            raise _not_taken()
        found.unlike.append((left.letter, right.letter))
    elif aside.relations == ("=",) and not any(isinstance(i, Number) for i in left.subscripts):
        if isinstance(right, Number) and left.letter in (*SIZES, "d") and not left.accent:
            if right.value.denominator != 1 or not 1 <= right.value <= MOST_POSITIONS:
                raise OutsideClass(f"{left.letter} is read from 1 to {MOST_POSITIONS}")
            found.fixed[left.letter] = int(right.value)
        elif (
            isinstance(right, Name | Number)
            and not _subscripts(right)
            and not left.subscripts
            and left.letter in "ijlcrs"
        ):
            found.definitions[left.letter] = Definition((), right)
        else:
            subscripts = tuple(i for i in left.subscripts if isinstance(i, Name))
            found.definitions[key(left)] = Definition(() if _is_label(left) else subscripts, right)
    elif not _is_known(aside, found):
        raise _not_taken()


def _subscripts(node: Node) -> tuple[Node, ...]:
    return node.subscripts if isinstance(node, Name) else ()


def _not_taken() -> OutsideClass:
    return OutsideClass(
        "beside a claim stand definitions, sizes and i ≠ j; another condition is not taken into account"
    )


def _is_known(aside: Related, found: Roles) -> bool:
    """Say whether a condition is assumed anyway: rows of weights or labels add to 1, parameters are positive."""
    left, right = aside.parts[0], aside.parts[-1]
    if aside.relations == ("=",) and right == Number(Fraction(1)):
        inside = left.body if isinstance(left, Big) and not left.conditions else None
        if isinstance(left, Called) and left.function == "sum" and not left.below:
            inside = left.arguments[0]
        return isinstance(inside, Name) and key(inside) in {*LABELS, *WEIGHTS}
    if aside.relations != (">",) or right != Number(Fraction(0)) or not isinstance(left, Name):
        return False
    return not left.subscripts or key(left) in WEIGHTS[:5]


def softmaxed(node: Node) -> Node | None:
    """Return the argument of softmax where a node is softmax(x), softmax(x)_i, or exp(x_i)/(a sum, or Z)."""
    if isinstance(node, Indexed):
        return softmaxed(node.of)
    if isinstance(node, Called) and node.function in {"softmax", "logsoftmax"}:
        return node.arguments[0]
    if isinstance(node, Divided) and (inside := _exponent(node.over)) is not None:
        return inside
    return None


def _is_log(node: Node) -> bool:
    return isinstance(node, Called) and node.function == "logsoftmax"


def _exponent(node: Node) -> Node | None:
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


def _row_letter(node: Node, exclude: Iterable[str] = ()) -> str:
    """Return the letter of the row inside an argument such as z, z w, βe_j, z/T."""
    letters = [part for part in walk(node) if isinstance(part, Name) and key(part) not in exclude]
    indexed = [part for part in letters if part.subscripts and not _is_label(part)]
    for part in (*indexed, *letters):
        if key(part) in SCORES or part.subscripts:
            return key(part)
    return key(letters[0]) if letters else ""


def _find_rows(nodes: list[Node], found: Roles) -> None:
    names = {key(node) for node in nodes if isinstance(node, Name)}
    for name, definition in found.definitions.items():
        inside = softmaxed(definition.value)
        if inside is not None and not isinstance(inside, Listed | Called):
            found.scores = found.scores or _row_letter(inside)
            if not _is_log(definition.value):
                found.weights = found.weights or name
        elif isinstance(inside, Listed):
            found.weights = found.weights or name
            found.fixed.setdefault("T", len(inside.items))
            found.ranks.setdefault(name, 1)
    for node in nodes:
        if isinstance(node, Differentiated):
            _by_derivative(node, names, nodes, found)
    for node in nodes:
        inside = softmaxed(node) or _exponent(node)
        if inside is not None and not found.scores and softmaxed(inside) is None:
            letter = _row_letter(inside, {found.weights, *found.definitions})
            found.scores = letter if letter != found.weights else ""
    if "J" in names and found.ranks.get("J", 0) in {0, 2} and "J" not in found.definitions and not found.scores:
        others: list[str] = [letter for letter in SCORES if letter in names and letter != found.weights]
        found.scores = (others or [letter for letter in "ezx" if letter not in names])[0]
    if not found.weights:
        taken = {found.scores, *found.definitions, *found.labels}
        if not any(_is_variable(node, WEIGHTS[0]) for node in nodes) or found.scores:
            found.weights = next((w for w in WEIGHTS if w in names and w not in taken and _is_row(w, found)), "")
    found.labels = tuple(
        y for y in LABELS if y in names and y not in {found.weights, found.scores} and _is_row(y, found)
    )
    dual = f"d {found.weights}"
    upstream = [
        letter for letter in (dual, *UPSTREAM) if letter in names and letter not in {found.scores, found.weights}
    ]
    found.upstream = upstream[0] if upstream else ""


def _is_row(letter: str, found: Roles) -> bool:
    rank = found.ranks.get(letter)
    return rank in {1, 2} or (
        rank is None and letter in {"a", "p", "y", "α", "π", "y hat", "p hat", "A", "P", "t", "o"}
    )


def _is_variable(node: Node, letter: str) -> bool:
    return isinstance(node, Differentiated) and isinstance(node.by, Name) and key(node.by) == letter


def _by_derivative(node: Differentiated, names: set[str], nodes: list[Node], found: Roles) -> None:
    """Learn from ∂a_i/∂e_j that a is the softmax of e; from ∂L/∂z_j that z are the scores."""
    if not isinstance(node.by, Name):
        return
    by = key(node.by)
    parts = _written_out(node.of, found)
    inner = {key(part) for part in parts if isinstance(part, Name)}
    if by in PARAMETERS and not node.by.subscripts:
        return
    if by in inner and by not in found.definitions:
        if _have_softmax(parts):
            found.scores = found.scores or by
        return
    if by in found.definitions or by in PARAMETERS or (by in MATRICES and found.ranks.get(by, 2) == 2 and by != "X"):
        return
    if is_loss(node.of) and key(node.of) not in found.definitions:  # type: ignore[arg-type]
        others = [w for w in WEIGHTS if w in names and w != by and w not in LABELS and _is_row(w, found)]
        if not others and by in WEIGHTS and by not in {"s", "o", "w"} and not _have_softmax(nodes):
            return
        found.scores = found.scores or by
        found.weights = found.weights or (others[0] if others else "")
        return
    if not found.scores:
        found.scores = by
    if not found.weights and not _have_softmax(walk(node.of)):
        candidates = [w for w in (*WEIGHTS, *inner) if w in inner and w != by and w not in found.labels]
        candidates = [w for w in candidates if w not in LABELS and not is_loss(Name(w))]
        found.weights = candidates[0] if candidates else ""


def _written_out(node: Node, found: Roles) -> list[Node]:
    """Return all that stands in a node, and in the definitions of the names in it."""
    parts, seen, queue = [], set[str](), [node]
    while queue:
        for part in walk(queue.pop()):
            parts.append(part)
            if isinstance(part, Name) and key(part) in found.definitions and key(part) not in seen:
                seen.add(key(part))
                queue.append(found.definitions[key(part)].value)
    return parts


def _have_softmax(nodes: Iterable[Node]) -> bool:
    return any(isinstance(node, Called) and node.function in {"softmax", "logsoftmax"} for node in nodes)


def _find_sizes(nodes: list[Node], found: Roles) -> None:
    """Find the letters that count positions or coordinates, as upper limits do; T that divides scores is not one."""
    for node in nodes:
        if isinstance(node, Big) and isinstance(node.upper, Name) and not node.upper.subscripts:
            coordinates = any(isinstance(part, Name) and part.letter in COORDINATED for part in nodes)
            coordinates |= any(isinstance(part, Name) and part.letter == "d" and part.subscripts for part in nodes)
            found.sizes[node.upper.letter] = "d" if node.upper.letter == "d" and coordinates else "T"
        if not isinstance(node, Divided) or node.under != Name("T"):
            continue
        if any(isinstance(part, Name) and key(part) == found.scores for part in walk(node.over)):
            found.sizes["T"] = ""
            found.notes.append(note("temperature", letter="T"))
    names = [node for node in nodes if isinstance(node, Name) and not node.subscripts and not node.accent]
    for name in names:
        letter = name.letter
        if letter in SIZES and letter not in found.sizes and letter not in found.definitions:
            taken = letter in {found.weights, found.scores, found.upstream, *found.labels} or letter in found.ranks
            matrix = letter in {"C", "m"} or (letter == "K" and found.matrices)
            if not taken and not matrix and not _is_index(letter, nodes):
                found.sizes[letter] = "T"
    counts = sorted(letter for letter, over in found.sizes.items() if over == "T" and letter not in found.fixed)
    if len(counts) > 1:
        raise OutsideClass(f"{' and '.join(counts)} would both be the number of positions: one letter is read for it")
    for letter, over in found.sizes.items():
        if over == "T" and letter != "T":
            found.notes.append(note("size", letter=letter))


def _is_index(letter: str, nodes: list[Node]) -> bool:
    """Say whether a letter stands among subscripts or under a sum."""
    for node in nodes:
        if isinstance(node, Name) and any(isinstance(i, Name) and i.letter == letter for i in node.subscripts):
            return not _is_label(node)
        if isinstance(node, Big) and any(i.letter == letter for i in node.indices):
            return True
    return False


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
        named = {part.letter for condition in node.conditions for part in walk(condition) if isinstance(part, Name)}
        inner = bound | {index.letter for index in node.indices} | named
        yield from _free(node.body, inner)
        return
    if isinstance(node, Name):
        if not _is_label(node):
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
