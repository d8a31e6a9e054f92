"""What each letter of a claim about expectations stands for: random or not, a vector, a matrix, a width, a parameter.

Letters are read the way the field writes them: q and k are random vectors and e = q·k, t_r = q_r k_r,
S_n = X_1 + … + X_n; A is a matrix; σ, μ, ρ are parameters of the random letters; d, n, N are widths.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from symbolic.averages.assumptions import Assumptions
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Indexed,
    Inner,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Number,
    Raised,
    Reading,
    Transposed,
    walk,
)

__all__ = [
    "MATRICES",
    "OPERATORS",
    "Roles",
    "base_name",
    "has_operator",
    "held_fixed",
    "in_bars",
    "is_index",
    "spelled",
    "survey",
]

OPERATORS = frozenset({"E", "Var", "Std", "SD", "Cov", "Corr", "P", "std", "var", "cov"})
_USUALLY_RANDOM = frozenset("qkxywuvzgXYZWUVQKεξηζϵ")
_LOWER_VECTORS = frozenset("qkxywuvzgabcεξηζϵ")
MATRICES = frozenset("ABHMIΣΛGP")
_INDICES = frozenset("ijlrstuvmpk")
_WIDTHS = ("d_k", "d", "n", "N", "D", "m", "head_size", "dim", "head_dim", "ch")
_PARAMETERS = frozenset("σμθρΣλ")


@dataclass(slots=True)
class Roles:
    """The letters of a claim: which are random, which of them are vectors, which letters are matrices.

    `width`: the letter for how many coordinates a vector has.  `score`: whether e, t and S are the field's short names.
    `means`: parameters μ, θ that are vectors.  `mentioned`: the letters σ, μ, … with their subscripts, as written.
    """

    random: frozenset[str] = frozenset()
    vectors: frozenset[str] = frozenset()
    matrices: frozenset[str] = frozenset()
    width: str = "d"
    means: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    single: bool = False
    score: tuple[str, str] = ("q", "k")
    summand: str = "X"
    scaled: frozenset[str] = field(default_factory=frozenset)

    @property
    def pair(self) -> tuple[str, str]:
        """The two random letters that a correlation, or k = q, speaks of: q and k, or the only two that there are."""
        if len(self.random) == 2:
            first, second = sorted(self.random)
            return self.score if set(self.score) == self.random else (first, second)
        if set(self.score) <= self.random or not self.random:
            return self.score
        raise OutsideClass(
            "--rho and --query same speak of two random letters, q and k or the only two there are; "
            f"random here: {', '.join(sorted(self.random))}"
        )

    @property
    def variables(self) -> frozenset[str]:
        """The random letters that are numbers, not vectors."""
        return self.random - self.vectors


def base_name(name: Name) -> str:
    """Return a letter with its accent, without its subscripts.

    >>> base_name(Name("q", (Name("r"),))), base_name(Name("k", accent="hat"))
    ('q', 'k̂')
    """
    return name.letter + {"": "", "hat": "̂", "tilde": "̃", "bar": "̄"}.get(name.accent, "")


def is_index(node: Node) -> bool:
    """Say whether a subscript is an index: a number, or a letter that is used for one."""
    return isinstance(node, Number) or (isinstance(node, Name) and not node.subscripts and len(node.letter) == 1)


def has_operator(node: Node) -> bool:
    """Say whether an average, a variance, a probability or the like stands in a node."""
    return any(isinstance(part, Called) and part.function in OPERATORS for part in walk(node))


def spelled(name: Name) -> str:
    """Return a letter with its subscripts, without its accent: σ_x."""
    below = ",".join(_word(each) for each in name.subscripts)
    return f"{name.letter}_{below}" if below else name.letter


def _word(node: Node) -> str:
    if isinstance(node, Name):
        return spelled(node)
    return str(node.value) if isinstance(node, Number) else "?"


def _names(nodes: tuple[Node, ...]) -> Iterator[Name]:
    for node in nodes:
        for part in walk(node):
            if isinstance(part, Name):
                yield part


def _standing(nodes: Sequence[Node]) -> list[Name]:
    """Return the names among nodes that are no subscripts of others."""
    below = {id(sub) for part in nodes if isinstance(part, Name) for sub in part.subscripts}
    return [part for part in nodes if isinstance(part, Name) and id(part) not in below]


def _averages(nodes: Sequence[Node]) -> tuple[list[Called], list[Node]]:
    """Return the averages among nodes, and the nodes that stand outside every one."""
    calls = [part for part in nodes if isinstance(part, Called) and part.function in OPERATORS]
    averaged = {id(part) for call in calls for part in walk(call)}
    return calls, [part for part in nodes if id(part) not in averaged]


def survey(reading: Reading, assumptions: Assumptions) -> Roles:
    """Return what the letters of a reading stand for, under what is assumed."""
    roots: tuple[Node, ...] = (reading.claim, *reading.aside)
    nodes = [part for root in roots for part in walk(root)]
    names = _standing(nodes)
    matrices = _matrices(nodes)
    vectors = set(assumptions.vectors) | _vectors(nodes, matrices) - matrices
    letters = {base_name(each) for each in names} | {name for name, _ in assumptions.laws}
    random = _random(nodes, assumptions, letters - matrices)
    scores = ("Q", "K") if {"Q", "K"} <= letters else ("q", "k")
    shorthand = {n.letter for n in names if n.letter in ("e", "t") and n.letter not in dict(assumptions.laws)}
    if shorthand:
        random |= set(scores)
    vectors |= {"q", "k", "Q", "K"} & (random | letters)
    summand = next((n for n, _ in assumptions.laws if n in vectors or n in ("X", "Y", "ε", "ξ")), "X")
    if any(n.letter == "S" and (n.subscripts or "S" not in dict(assumptions.laws)) for n in names):
        random, vectors = random | {summand}, vectors | {summand}
    if any(n.letter == "e" for n in names):
        vectors |= set(scores)
    random -= set(assumptions.fixed)
    mentioned = frozenset(spelled(n) for n in names if n.letter in _PARAMETERS)
    means = frozenset(
        n.letter for n in names if n.letter in "μθ" and not n.subscripts and _stands_as_vector(n.letter, nodes)
    ) | frozenset(spelled(n) for n in names if n.letter in "μθ" and n.subscripts and _transposed(n, nodes))
    return Roles(
        frozenset(random),
        frozenset(vectors) - matrices,
        frozenset(matrices),
        _width(names, assumptions),
        means,
        mentioned,
        _has_single(nodes, vectors & random),
        scores,
        summand,
        frozenset(n.letter for n in names if n.letter == "σ" and n.subscripts and _is_bound(n, nodes)),
    )


def _matrices(nodes: list[Node]) -> set[str]:
    outer = any(isinstance(part, Multiplied) and isinstance(part.factors[-1], Transposed) for part in nodes)
    found = {"I"} if outer and any(isinstance(part, Name) and part.letter == "I" for part in nodes) else set[str]()
    for part in nodes:
        inside: tuple[Node, ...] = ()
        if isinstance(part, Called) and part.function in ("tr", "diag", "trace", "Tr"):
            inside = part.arguments
        elif isinstance(part, Normed) and part.kind in ("F", "Frobenius"):
            inside = (part.of,)
        elif isinstance(part, Multiplied) and any(isinstance(each, Transposed) for each in part.factors):
            inside = part.factors
        elif isinstance(part, Name) and len(part.subscripts) == 2 and part.letter in MATRICES:
            found.add(base_name(part))
        found |= {base_name(n) for n in _names(inside) if n.letter in MATRICES and n.letter != "Σ"}
    return found


def _vectors(nodes: list[Node], matrices: set[str]) -> set[str]:
    found: set[str] = set()
    for part in nodes:
        if (
            isinstance(part, Name)
            and part.subscripts
            and part.letter not in _PARAMETERS
            and part.letter not in "demnNhδtS"
            and all(is_index(sub) for sub in part.subscripts)
        ):
            found.add(base_name(part))
        inside: tuple[Node, ...] = ()
        if isinstance(part, Inner):
            inside = (part.left, part.right)
        elif isinstance(part, Normed | Transposed):
            inside = (part.of,)
        elif isinstance(part, Called) and part.function in ("cos", "diag", "sum"):
            inside = part.arguments
        elif isinstance(part, Multiplied):
            for sign, left, right in zip(part.signs, part.factors, part.factors[1:], strict=False):
                if sign in ("·", "@", "⊙") and (sign != "·" or _both_lower(left, right)):
                    inside += (left, right)
                elif isinstance(left, Transposed) or (
                    isinstance(left, Name) and base_name(left) in matrices and not left.subscripts
                ):
                    inside += (right,)
        found |= {
            base_name(n)
            for node in inside
            for n in _heads(node)
            if not n.subscripts and n.letter not in _PARAMETERS and base_name(n) not in matrices
            and n.letter not in ("d", "n", "N", "e", "S")
        }  # fmt: skip
    return found


def _is_whole(name: Name, matrices: set[str]) -> bool:
    return base_name(name) in matrices and not name.subscripts


def _heads(node: Node) -> Iterator[Name]:
    """Yield the names that a vector is made of, not those in a divisor or a power."""
    if isinstance(node, Name):
        yield node
    elif isinstance(node, Multiplied):
        for factor in node.factors:
            yield from _heads(factor)
    elif isinstance(node, Added):
        for term in node.terms:
            yield from _heads(term)
    elif isinstance(node, Transposed | Indexed | Negated):
        yield from _heads(node.of)


def _both_lower(left: Node, right: Node) -> bool:
    return _is_lower(left) and _is_lower(right)


def _is_lower(node: Node) -> bool:
    """Say whether a node is a lower-case vector, or a sum or a multiple of such."""
    if isinstance(node, Name):
        return not node.subscripts and node.letter in _LOWER_VECTORS
    if isinstance(node, Negated):
        return _is_lower(node.of)
    if isinstance(node, Added):
        return all(map(_is_lower, node.terms))
    if isinstance(node, Multiplied):
        return len(node.factors) == 2 and isinstance(node.factors[0], Number) and _is_lower(node.factors[1])
    return False


def _random(nodes: list[Node], assumptions: Assumptions, letters: set[str]) -> set[str]:
    stated = {name for name, _ in assumptions.laws}
    labels = [n.subscripts for n in nodes if isinstance(n, Name) and n.letter == "σ" and len(n.subscripts) == 1]
    labelled = {base_name(each) for (each,) in labels if isinstance(each, Name) and each.letter not in "ijr"}
    found = set(stated)
    for part in nodes:
        if not (isinstance(part, Called) and part.function in OPERATORS):
            continue
        spoken = (*part.arguments, *part.given)
        inside = {base_name(n) for n in _names(spoken) if len(n.letter) == 1} & letters
        # The k of d_k and σ_k is a label, not an index.
        indexed = [n for n in _names(spoken) if n.letter not in "dnNmhσμθΣ"]
        inside -= {base_name(sub) for n in indexed for sub in n.subscripts if isinstance(sub, Name)} - (
            _USUALLY_RANDOM - _INDICES
        )
        usual = {n for n in inside if n[0] in _USUALLY_RANDOM or n in labelled} | (inside & stated)
        shorthand = {"e", "t", "S"} & inside
        if usual or shorthand:
            found |= usual
        else:
            found |= {n for n in inside if n[0] not in _PARAMETERS and n not in ("d", "n", "N", "h", "p")}
    if not any(isinstance(part, Called) and part.function in OPERATORS for part in nodes):
        return set(stated)
    return found - set(assumptions.fixed) - _normed_outside(nodes)


def _normed_outside(nodes: list[Node]) -> set[str]:
    """Return the letters whose norm stands outside every average: they are held fixed, as x in Var(w·x) = σ²‖x‖²."""
    calls, outside = _averages(nodes)
    norms = [part for part in outside if isinstance(part, Normed)]
    found = {part.of.letter for part in norms if isinstance(part.of, Name) and not part.of.subscripts}
    return found - _averaged_alone(calls, found)


def _averaged_alone(calls: list[Called], names: Container[str]) -> set[str]:
    """Return those of some letters of which a call speaks without any other vector, as x in Var(x_i) and E[x]."""
    found: set[str] = set()
    for call in calls:
        inside = {base_name(n) for n in _standing([part for x in (*call.arguments, *call.given) for part in walk(x)])}
        inside -= {name for name in inside if name[0] not in _USUALLY_RANDOM}
        found |= inside if all(name in names for name in inside) else set()
    return found


def held_fixed(reading: Reading, roles: Roles, assumptions: Assumptions) -> tuple[str, ...]:
    """Return the random letters of no stated law that stand outside every average too, as w in Var(w·x) = σ² Σ w_i².

    Not those whose own mean or variance is spoken of; nothing where no other letter would be left to average over.
    """
    sums = [aside for aside in reading.aside if isinstance(aside.parts[0], Big)]
    calls, nodes = _averages([part for root in (reading.claim, *sums) for part in walk(root)])
    outside = {base_name(name) for name in _standing(nodes)}
    stated = {name for name, _ in assumptions.laws} | ({"q"} if assumptions.query else set())
    found = roles.random & outside - stated
    found -= {name for name in found for letter in "σμ" if f"{letter}_{name}" in roles.mentioned}
    found -= _averaged_alone(calls, found)
    return tuple(sorted(found)) if found and roles.random - found else ()


def in_bars(reading: Reading, roles: Roles, assumptions: Assumptions) -> tuple[str, ...]:
    """Return the variables between bars that may be vectors, for the claim speaks of a width: x in E|x|² = d."""
    written = {
        spelled(part) for root in (reading.claim, *reading.aside) for part in walk(root) if isinstance(part, Name)
    }
    if roles.width not in written | {name for name, _ in assumptions.sizes} and not assumptions.width:
        return ()
    bars = tuple(part.of for part in walk(reading.claim) if isinstance(part, Absolute))
    found = {base_name(each) for each in _names(bars) if each.letter in _LOWER_VECTORS and not each.subscripts}
    return tuple(sorted(found & roles.variables))


def _width(names: list[Name], assumptions: Assumptions) -> str:
    written = {spelled(n) for n in names}
    written |= {s.letter for n in names if n.letter == "S" for s in n.subscripts if isinstance(s, Name)}
    for name in _WIDTHS:
        if name in written:
            return name
    return next((name for name, _ in assumptions.sizes if name in _WIDTHS), "d")


def _stands_as_vector(letter: str, nodes: list[Node]) -> bool:
    return any(isinstance(p, Transposed) and isinstance(p.of, Name) and p.of.letter == letter for p in nodes)


def _transposed(name: Name, nodes: list[Node]) -> bool:
    return any(isinstance(p, Transposed) and p.of == name for p in nodes)


def _is_bound(name: Name, nodes: list[Node]) -> bool:
    return any(isinstance(p, Big) and any(i in name.subscripts for i in p.indices) for p in nodes)


def _has_single(nodes: list[Node], random: set[str]) -> bool:
    """Say whether a moment of one coordinate, as E[X_1^4] or Var(X_i), is part of the claim."""
    for part in nodes:
        if isinstance(part, Called) and part.function in OPERATORS - {"P"} and len(part.arguments) == 1:
            inner = part.arguments[0]
            if isinstance(inner, Raised):
                inner = inner.base
            if isinstance(inner, Absolute):
                inner = inner.of
            if isinstance(inner, Name) and base_name(inner) in random and inner.subscripts:
                return True
    return False
