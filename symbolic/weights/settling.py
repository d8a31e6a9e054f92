r"""What a claim is once its way of writing is settled: what is defined, what is claimed, and which function σ is.

L = −log p_c = log Σ e^z − z_c defines L and claims the rest; L = …, ∂L/∂z = … defines L first; σ(z)_i is the softmax,
since the sigmoid of a row would need no index; L_{CE} is one name; dz in plain text is the gradient by z.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from exact.verdicts import Note, note
from symbolic.reading.surface import (
    Added,
    Big,
    Called,
    Differentiated,
    Divided,
    Indexed,
    Iverson,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Reading,
    Related,
    replaced,
    walk,
)
from symbolic.weights.letters import (
    LABELS,
    MATRICES,
    SCORES,
    SIZES,
    UPSTREAM,
    WEIGHTS,
    exponent_of,
    heads,
    is_loss,
    key,
    softmaxed,
)

__all__ = ["claims_of", "gradient_first", "has_row_sigmoid", "settled", "with_operator"]

ONE = Number(Fraction(1))
SIGMA = Name("Σ")
MADE = {"Q": ("S", "E"), "K": ("S", "E"), "V": ("O",), "A": ("O",), "P": ("O",)}
NAMED = frozenset({"L", "l", "J"})  # losses that carry a name below, as L_{CE}


def with_operator(reading: Reading) -> Reading:
    """Read D_j S_i = … as ∂_j S_i where a delta beside it says that it is a derivative."""
    claim = reading.claim
    left, trees = claim.parts[0], (claim, *reading.aside)
    names = [node for tree in trees for node in walk(tree) if isinstance(node, Name)]
    delta = any(name.letter == "δ" for name in names) or any(isinstance(node, Iverson) for node in walk(claim))
    if not isinstance(left, Multiplied) or not delta or [name.letter for name in names].count("D") != 1:
        return reading
    operator, of = left.factors[0], left.factors[1:]
    if not isinstance(operator, Name) or operator.letter != "D" or len(operator.subscripts) != 1 or left.signs[0]:
        return reading
    whole = of[0] if len(of) == 1 else Multiplied(of, left.signs[1:], of[0].at)
    first = Differentiated(whole, operator.subscripts[0], left.at)
    return replace(reading, claim=replace(claim, parts=(first, *claim.parts[1:])))


def claims_of(reading: Reading) -> list[Reading]:
    """Return the claims of a list of gradients, dQ = …, dK = …, each with what else stands beside it."""
    claim = reading.claim
    if not _is_gradient(claim):
        return [reading]
    used = {key(node) for node in walk(claim) if isinstance(node, Name)}
    others = [aside for aside in reading.aside if _is_gradient(aside) and not _defines(aside, used)]
    if not others:
        return [reading]
    beside = tuple(aside for aside in reading.aside if aside not in others)
    return [Reading(each, beside, reading.text) for each in (claim, *others)]


def gradient_first(reading: Reading) -> Reading:
    """Return a reading of a gradient before which letters are defined, as O = AV, dV = AᵀdO, with that first."""
    statements = (reading.claim, *reading.aside)
    at = next((n for n, each in enumerate(statements) if _is_gradient(each)), 0)
    if not all(each.relations == ("=",) and isinstance(each.parts[0], Name) for each in statements[:at]):
        return reading
    return replace(reading, claim=statements[at], aside=(*statements[at + 1 :], *statements[:at]))


def _is_gradient(related: Related) -> bool:
    """Say whether an equation says what a gradient is: dQ = …, ∂L/∂Q = …."""
    left = related.parts[0]
    if related.relations[:1] != ("=",):
        return False
    if isinstance(left, Name):
        return left.accent == "d" or _plain_gradient(left) is not None
    return isinstance(left, Differentiated) and is_loss(left.of)


def _defines(related: Related, used: set[str]) -> bool:
    left = related.parts[0]
    return isinstance(left, Name) and key(left) in used


def settled(reading: Reading, *, entrywise: bool = False) -> tuple[Reading, list[Note]]:
    """Return a reading in which what can be written in more than one way is written in one, and what was settled."""
    notes: list[Note] = []
    claim, aside = reading.claim, list(reading.aside)
    trees = _with_gradients(_with_variables([_with_names(tree) for tree in (claim, *aside)]))
    if not entrywise:
        trees = _with_softmax(trees, notes)
    trees += _normaliser(trees, notes)
    claim, aside = trees[0], trees[1:]
    claim, aside = _led_by_claim(claim, aside)
    left = claim.parts[0]
    if len(claim.parts) > 2 and claim.relations[0] == "=" and isinstance(left, Name) and _is_new(left):
        others = [node for tree in (*claim.parts[1:], *aside) for node in walk(tree) if isinstance(node, Name)]
        if left.letter not in {name.letter for name in others}:
            notes.append(note("defined-here", name=left.letter))
            claim = Related(claim.parts[1:], claim.relations[1:], claim.parts[1].at)
    return Reading(claim, tuple(aside), reading.text), notes


def _normaliser(trees: list[Related], notes: list[Note]) -> list[Related]:
    """Return the definition of a Σ beside exponentials that nobody defines: the sum of them."""
    names = [name for tree in trees for name in heads(tree) if name == SIGMA]
    if not names or any(tree.parts[0] == SIGMA for tree in trees):
        return []
    for tree in trees:
        for node in walk(tree):
            inner = exponent_of(node)
            if isinstance(inner, Name) and len(inner.subscripts) == 1:
                notes.append(note("normaliser", letter="Σ"))
                index = Name("m'")
                return [Related((SIGMA, Big("sum", (index,), _at(node, inner, index))), ("=",))]
    return []


def _at(node: Node, old: Name, index: Name) -> Node:
    """Put another index on a row."""
    return replaced(node, lambda part: replace(old, subscripts=(index,)) if part == old else None)


def _is_new(left: Name) -> bool:
    """Say whether a letter may be what a chain defines: a loss, or one that has no part of its own."""
    known = {*WEIGHTS, *SCORES, *LABELS, *UPSTREAM, *MATRICES, *SIZES, "J", "I", "T", "d", "δ"}
    return is_loss(left) or (not left.subscripts and not left.accent and left.letter not in known)


def _led_by_claim(claim: Related, aside: list[Related]) -> tuple[Related, list[Related]]:
    """Put the claim first where what is defined stands before it: L = …, ∂L/∂z = …."""
    left = claim.parts[0]
    rest = [each for each in aside if isinstance(each.parts[0], Differentiated) and each.relations]
    if len(claim.parts) != 2 or claim.relations != ("=",) or not isinstance(left, Name) or len(rest) != 1:
        return claim, aside
    used = {key(node) for node in walk(rest[0]) if isinstance(node, Name)}
    if key(left) not in used or left.accent == "d":
        return claim, aside
    return rest[0], [claim, *(each for each in aside if each is not rest[0])]


def _with_names(tree: Related) -> Related:
    """Make one name of L_{CE} and the gradient dz of the letters dz."""

    def change(node: Node) -> Node | None:
        if not isinstance(node, Name):
            return None
        if (by := _plain_gradient(node)) is not None:
            return by
        labels = [i for i in node.subscripts if isinstance(i, Name) and i.letter.isupper()]
        if node.letter in NAMED and labels and len(labels) == len(node.subscripts):
            return replace(node, letter="L_" + "".join(i.letter for i in labels), subscripts=())
        return None

    return _related(replaced(tree, change))


def _with_gradients(trees: list[Related]) -> list[Related]:
    """Write ∂L/∂O as dO where the claim is about ∂L/∂V, and so for what else attention makes of its parts."""
    left = trees[0].parts[0]
    if not isinstance(left, Differentiated) or not is_loss(left.of) or not isinstance(left.by, Name):
        return trees
    of, made = left.of, MADE.get(left.by.letter, ())

    def change(node: Node) -> Node | None:
        if isinstance(node, Differentiated) and node.of == of and isinstance(node.by, Name) and node.by.letter in made:
            return replace(node.by, accent="d")
        return None

    return [_related(replaced(tree, change)) for tree in trees] if made else trees


def _with_variables(trees: list[Related]) -> list[Related]:
    """Read ∂_j as the derivative by z_j, where j is an index elsewhere and no row."""
    indices = {i for tree in trees for node in walk(tree) if isinstance(node, Name) for i in node.subscripts}
    rows = [key(name) for tree in trees for name in heads(tree)]
    arguments = [found for tree in trees for node in walk(tree) if (found := softmaxed(node)) is not None]
    letters = [key(name) for argument in arguments for name in heads(argument)]
    scores = next((letter for letter in (*letters, "z", "e", "x") if letter in letters or letter not in rows), "z")

    variables = [n.by for tree in trees for n in walk(tree) if isinstance(n, Differentiated) and isinstance(n.by, Name)]
    short = [by for by in variables if by in indices and rows.count(key(by)) == variables.count(by)]

    def change(node: Node) -> Node | None:
        if isinstance(node, Differentiated) and isinstance(node.by, Name) and node.by in short:
            return Differentiated(replaced(node.of, change), Name(scores, (node.by,), at=node.by.at), node.at)
        return None

    return [_related(replaced(tree, change)) for tree in trees]


def _related(node: Node) -> Related:
    return node if isinstance(node, Related) else Related((node,))


def _plain_gradient(node: Name) -> Name | None:
    """Return the gradient that dz, ds, dx stand for in plain text."""
    if len(node.letter) == 2 and node.letter[0] == "d" and node.letter[1] in SCORES and not node.accent:
        return replace(node, letter=node.letter[1], accent="d")
    return None


def has_row_sigmoid(reading: Reading) -> bool:
    """Say whether σ stands with an index after its argument, as in σ(z)_i."""
    trees = (reading.claim, *reading.aside)
    return any(_row_sigmoid(node) is not None for tree in trees for node in walk(tree))


def _row_sigmoid(node: Node) -> Called | None:
    if isinstance(node, Indexed) and isinstance(node.of, Called) and node.of.function == "sigmoid":
        return node.of
    return None


def _with_softmax(trees: list[Related], notes: list[Note]) -> list[Related]:
    """Read σ(z)_i as softmax(z)_i, or as what a definition of σ(z)_i beside the claim says."""
    calls = [call for tree in trees for node in walk(tree) if (call := _row_sigmoid(node)) is not None]
    defined = [tree for tree in trees[1:] if len(tree.parts) == 2 and _sigmoid(tree.parts[0]) is not None]
    if len(defined) == 1 and _is_sigmoid(defined[0]):
        call = _sigmoid(defined[0].parts[0])
        rest = [tree for tree in trees if tree is not defined[0]]
        return [_related(replaced(tree, lambda node: call if node == Name("σ") else None)) for tree in rest]
    if len(defined) == 1:
        call = _sigmoid(defined[0].parts[0])
        return [_related(replaced(tree, lambda node: _named(node, call))) for tree in trees]
    if not calls:
        return trees
    notes.append(note("sigma-softmax"))

    def as_softmax(node: Node) -> Node | None:
        return Called("softmax", node.arguments, at=node.at) if isinstance(node, Called) and node in calls else None

    return [_related(replaced(tree, as_softmax)) for tree in trees]


def _sigmoid(node: Node) -> Called | None:
    """Return the call where a node is σ(z) or σ(z)_i."""
    found = _row_sigmoid(node) or node
    return found if isinstance(found, Called) and found.function == "sigmoid" else None


def _named(node: Node, call: Called | None) -> Node | None:
    """Return the name σ, with its index, in the place of σ(z)_i."""
    if isinstance(node, Indexed) and node.of == call:
        return Name("σ", node.indices, at=node.at)
    return Name("σ", at=node.at) if node == call else None


def _is_sigmoid(tree: Related) -> bool:
    """Say whether an equation is σ(x) = 1/(1 + e^{−x}), which says nothing new."""
    left, right = tree.parts[0], tree.parts[-1]
    if not isinstance(left, Called) or not isinstance(right, Divided) or not isinstance(right.under, Added):
        return False
    one, *exponentials = right.under.terms
    return right.over == one == ONE and [exponent_of(node) for node in exponentials] == [Negated(left.arguments[0])]
