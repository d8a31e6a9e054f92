"""What a letter of a claim stands for: an index, a row, a matrix, a size, a loss, or what its definition says.

A gradient written as dX is worked out from what X is made into: dQ through S = QKᵀ/√d, dS through A = softmax(S).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from exact.verdicts import note
from symbolic.expressions import (
    Delta,
    Entry,
    Expression,
    Index,
    Number,
    OutsideClass,
    Partial,
    Root,
    Sum,
    Symbol,
    renamed,
    walk,
)
from symbolic.reading.surface import (
    Differentiated,
    Name,
    Node,
    Reading,
)
from symbolic.reading.surface import Number as Figure
from symbolic.reading.surface import walk as walk_surface
from symbolic.weights.letters import (
    COORDINATE_ROWS,
    MATRICES,
    SCORES,
    UPSTREAM,
    Choice,
    Definition,
    is_loss,
    key,
)
from symbolic.weights.roles import roles
from symbolic.weights.tensors import (
    Tensor,
    contracted,
    mapped,
    scalar,
    transposed,
)

__all__ = ["CONSUMERS", "UNIT", "Env", "Names"]

DEEPEST: Final = 12
CONSUMERS: Final = {"Q": "S", "K": "S", "S": "A", "E": "A", "A": "O", "P": "O", "V": "O"}
UNIT = Number(Fraction(1))
Env = Mapping[str, Index]


class Names(ABC):
    """Reads names, indices and definitions; the rules for what is made of them are in a subclass."""

    def __init__(self, reading: Reading, choice: Choice) -> None:
        """Find the part each letter plays."""
        self.reading, self.roles = reading, roles(reading, choice)
        self.notes = list(self.roles.notes)
        self.names = {key(node) for node in self._all() if isinstance(node, Name)}
        self.depth = 0
        self.scale: Expression = UNIT
        self.defined = False  # whether the weights have a definition
        self.free: set[str] = set()
        self.even = False  # whether shapes fit only where T = d

    @abstractmethod
    def tensor(self, node: Node, env: Env) -> Tensor:
        """Return what a node means."""

    def _all(self) -> list[Node]:
        trees = [self.reading.claim, *self.reading.aside]
        return [node for tree in trees for node in walk_surface(tree)]

    def _index(self, letter: str, scope: Node) -> Index:
        """Return the index that a letter stands for: over coordinates where it stands on a q, a k, or a column of Q.

        Where the rows of weights are counted apart, it is over them where it stands first of two.
        """
        for node in walk_surface(scope):
            if not isinstance(node, Name):
                continue
            for place, index in enumerate(node.subscripts):
                if isinstance(index, Name) and index.letter == letter:
                    shape = MATRICES.get(node.letter)
                    if shape and len(node.subscripts) == 2:
                        return Index(letter, shape[place])
                    if len(node.subscripts) == 1 and self._has_coordinates(node):
                        return Index(letter, "d")
                    if self._in_lines(node):
                        return Index(letter, "dT"[place])
        claim = self.reading.claim
        return self._index(letter, claim) if self.roles.lines and scope is not claim else Index(letter)

    def _has_coordinates(self, node: Name) -> bool:
        """Say whether a letter is a query or a key, and no row of positions."""
        rows = {self.roles.weights, self.roles.scores, *self.roles.labels, *self.roles.rows}
        return node.letter in COORDINATE_ROWS and key(node) not in rows

    def _is_row(self, name: str) -> bool:
        found = self.roles
        return name in {found.weights, found.scores, found.upstream, *found.labels, *found.rows, *found.ranks}

    def _in_lines(self, node: Name) -> bool:
        """Say whether a letter is a matrix whose rows are counted apart from its columns."""
        return bool(self.roles.lines) and len(node.subscripts) == 2 and node.letter != "δ"

    def _place(self, node: Node, env: Env) -> Index:
        match node:
            case Name(letter, ()):
                if letter in self.roles.definitions and isinstance(self.roles.definitions[letter].value, Name | Figure):
                    return self._place(self.roles.definitions[letter].value, env)
                return env.get(letter, Index(letter))
            case Figure(value) if value.denominator == 1 and value >= 0:
                return Index(str(int(value) + self.roles.from_zero))
            case _:
                raise OutsideClass("an index is a letter or a place, such as i or 1")

    def _placed(self, node: Node, axis: str, env: Env) -> Index:
        index = self._place(node, env)
        return Index(index.name, axis or "T") if index.fixed else index

    def _name(self, node: Name, env: Env) -> Tensor:
        name, found = key(node), self.roles
        width = (node.letter == "d" and found.sizes.get("d") != "T") or (node.letter, node.accent) == ("head", "")
        if node.letter == "δ" and len(node.subscripts) == 2:
            return scalar(Delta(self._place(node.subscripts[0], env), self._place(node.subscripts[1], env)))
        if width and not node.accent and name not in found.ranks:
            return scalar(Number(Fraction(found.fixed["d"])) if "d" in found.fixed else Symbol("d"))
        if name in found.definitions and name not in {found.weights}:
            return self._defined(node, found.definitions[name], env)
        if node.accent == "d" and name != found.upstream and (consumer := self._consumer(node.letter)):
            return self._with_subscripts(self._through(node.letter, consumer), node.subscripts, env)
        if name == found.asked:
            if node.letter not in SCORES or found.scores not in {"", node.letter}:
                raise OutsideClass(f"d{node.letter} is read where it is said what {node.letter} makes, as O = AV")
            found.scores = node.letter
            return self.tensor(Differentiated(Name("L"), Name(node.letter, node.subscripts)), env)
        if name in found.fixed:
            return scalar(Number(Fraction(found.fixed[name])))
        if found.sizes.get(name) == "T" and not node.subscripts:
            return scalar(Symbol("T"))
        if name == found.lines and not node.subscripts:
            return scalar(Symbol("d"))
        if name == "J" and found.scores and name not in {found.weights, found.scores}:
            by, of = found.scores, found.weights or "a"
            found.weights = of
            self.notes.append(note("jacobian", weights=of, scores=by))
            jacobian = Tensor(("T", "T"), lambda at: Partial(Entry(of, at[:1]), Entry(by, at[1:])))
            return self._with_subscripts(jacobian, node.subscripts, env)
        if name == "onehot":
            return self._with_subscripts(Tensor(("T",), lambda at: Delta(at[0], Index("c"))), node.subscripts, env)
        if name == "I" and len(node.subscripts) == 2:
            return scalar(Delta(self._place(node.subscripts[0], env), self._place(node.subscripts[1], env)))
        if name in env and not node.subscripts and not self._is_row(name):
            raise OutsideClass(f"{name} stands as an index and as a number")
        if name == "I" and found.matrices and not node.subscripts:
            return Tensor(("T", "T"), lambda at: Delta(at[0], at[1]))
        if is_loss(node) and name not in found.ranks and name not in {found.weights, found.scores}:
            raise OutsideClass(f"{name} is not said; add what it is after a comma, such as {name} = -log a_c")
        axes = self._axes(name, node)
        if not axes:
            return scalar(Symbol({"T": "τ"}.get(name, name) if found.sizes.get(name) == "" else name))
        if self._has_coordinates(node) and len(node.subscripts) == 1 and self._is_vector_among_vectors(name):
            raise OutsideClass(f"{name}_i beside a whole q or k is a row itself; write its coordinates, {name}_{{ic}}")
        if node.letter in MATRICES or found.lines:
            self._check_axes(axes, node.subscripts, env)
        return self._with_subscripts(Tensor(axes, lambda at: Entry(name, at)), node.subscripts, env)

    def _is_vector_among_vectors(self, name: str) -> bool:
        """Say whether k_i stands beside a q without index, so that i counts keys, and no coordinates."""
        return any(other in self.names and other not in self.roles.ranks for other in COORDINATE_ROWS - {name})

    def _check_axes(self, axes: tuple[str, ...], subscripts: tuple[Node, ...], env: Env) -> None:
        """Note where an index over positions stands at the place of a coordinate, or the other way round."""
        at = [self._place(index, env) for index in subscripts]
        self.even |= any(not index.fixed and index.over != axis for index, axis in zip(at, axes, strict=False))

    def _axes(self, name: str, node: Name) -> tuple[str, ...]:
        """Return what the indices of a letter run over."""
        found, letter = self.roles, node.letter
        if found.numbers:
            return ()
        rank = len(node.subscripts) or found.ranks.get(name)
        whole = letter.isupper() and bool(found.matrices or {"Q", "K", "V", "O"} & self._letters())
        if letter in MATRICES and (rank == 2 or (rank is None and whole and (letter != "X" or "W" in self._letters()))):
            return MATRICES[letter]
        if self._has_coordinates(node) and rank in {None, 1}:
            return ("d",)
        rows = {found.weights, found.scores, found.upstream, *found.labels} - {""}
        if rank is None and name in rows:
            if name == found.scores and found.weights.isupper():
                whole = bool(found.matrices or {"Q", "K", "V", "O"} & self._letters())
            rank = found.ranks.get(found.weights) or (2 if whole else 1)
        if rank is None and letter in {"A", "P", "S", "E", "G", "W"} and whole:
            rank = 2
        if rank is None and name in found.rows:
            rank = 1
        if rank == 2 and found.lines:
            return ("d", "T")
        if rank is None and "W" in self.names and self.names & {"x", "z", "b"}:
            rank = {"x": 1, "b": 1, "W": 2}.get(letter)
        if rank is None and (letter in {"v", "u", "g"} or node.accent == "d") and (found.weights or found.scores):
            rank = 1
        return ("T",) * (rank or 0)

    def _letters(self) -> set[str]:
        return {name.split()[-1] for name in self.names}

    def _with_subscripts(self, tensor: Tensor, subscripts: tuple[Node, ...], env: Env) -> Tensor:
        if not subscripts:
            return tensor
        if len(subscripts) != len(tensor.axes):
            raise OutsideClass(f"{len(subscripts)} indices stand on {tensor}")
        at = tuple(self._placed(index, axis, env) for index, axis in zip(subscripts, tensor.axes, strict=True))
        return scalar(tensor.at(at))

    def _defined(self, node: Name, definition: Definition, env: Env) -> Tensor:
        self.depth += 1
        if self.depth > DEEPEST:
            raise OutsideClass(f"the definition of {node.letter} leads back to itself")
        try:
            if not definition.subscripts:
                return self._with_subscripts(self.tensor(definition.value, env), node.subscripts, env)
            own = {i.letter: self._index(i.letter, definition.value) for i in definition.subscripts}
            value = self.tensor(definition.value, {**env, **own}).at(())
            names = tuple(own[i.letter] for i in definition.subscripts)
            axes = tuple(index.over for index in names)
            tensor = Tensor(axes, lambda at: renamed(value, dict(zip(names, at, strict=True))))
            return self._with_subscripts(tensor, node.subscripts, env)
        finally:
            self.depth -= 1

    def _consumer(self, letter: str) -> str:
        """Return Y where dX is the gradient by X, through Y = f(X), of a loss whose gradient by Y is at hand."""
        for name, definition in self.roles.definitions.items():
            if any(isinstance(n, Name) and key(n) == letter for n in walk_surface(definition.value)):
                return name
        consumer = CONSUMERS.get(letter, "")
        names = {"A": ("A", "P")}.get(consumer, (consumer,))
        made = next((name for name in names if f"d {name}" in self.names), "")
        weights, upstream = self.roles.weights, self.roles.upstream
        if not made and letter in SCORES and letter != weights and upstream in UPSTREAM and len(weights) == 1:
            made = weights
        return made

    def _through(self, letter: str, consumer: str) -> Tensor:
        """Return the gradient by one matrix or row, as the gradient by what is made of it, times the derivative."""
        upstream = f"d {consumer}" if f"d {consumer}" in self.names else self.roles.upstream or "G"
        defined = consumer in self.roles.definitions
        made = self.tensor(Name(consumer), {}) if defined else self._standard(consumer, letter)
        row = self.tensor(Name(letter), {})
        at = tuple(Index(name, axis) for name, axis in zip(("u'", "v'"), made.axes, strict=False))
        given: Expression = Entry(upstream, at)
        if upstream in self.roles.definitions:
            given = self.tensor(Name(consumer, (), "d"), {}).at(at)
            if any(isinstance(node, Entry) and node.name in {consumer, letter} for node in walk(given)):
                raise OutsideClass(f"d{consumer} is said to hold {consumer} or {letter}, which is not read as constant")
        inner = {node.name for node in walk(made.at(at)) if isinstance(node, Entry)}
        if not inner & {letter, self.roles.weights if letter == self.roles.scores else letter}:
            raise OutsideClass(f"it is not said how {consumer} is made of {letter}")
        loss: Expression = given * made.at(at)
        for index in reversed(at):
            loss = Sum(index, loss)
        self.notes.append(note("through", by=letter, made=consumer, upstream=upstream.replace("d ", "d")))

        def entry(at: tuple[Index, ...]) -> Expression:
            variable = row.at(at)
            if not isinstance(variable, Entry):
                raise OutsideClass(f"the gradient by {letter} is read where {letter} is a variable")
            return Partial(loss, variable)

        return Tensor(row.axes, entry)

    def _standard(self, name: str, letter: str) -> Tensor:
        """Return what attention makes of its parts: S = QKᵀ/√d, A = softmax(S), O = AV."""
        if name == "S":
            product = contracted(self.tensor(Name("Q"), {}), transposed(self.tensor(Name("K"), {})))
            return mapped(product, lambda x: x / Root(Symbol("d")))
        weights = "P" if name == "P" or "P" in self._letters() else "A"
        if name == "O":
            return contracted(Tensor(("T", "T"), lambda at: Entry(weights, at)), self.tensor(Name("V"), {}))
        self.roles.weights = name
        self.roles.scores = letter if letter in SCORES else "S" if "S" in self._letters() else "E"
        return Tensor(self._axes(name, Name(name)), lambda at: Entry(name, at))

    def _new_indices(self, axes: tuple[str, ...], taken: set[str]) -> tuple[Index, ...]:
        letters = [letter for letter in "ijlmn" if letter not in taken]
        coordinates = [letter for letter in "rsuv" if letter not in taken]
        return tuple(Index((coordinates if axis == "d" else letters).pop(0), axis or "T") for axis in axes)
