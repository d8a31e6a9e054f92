"""Derivatives: ∂a_i/∂e_j, ∂L/∂z_j, and through z = Wx + b those by W and b.

A loss that is not said is the one its right side speaks of; where that has something the usual loss has not, it is
refused and never guessed.
"""

from __future__ import annotations

from exact.verdicts import note
from symbolic.expressions import (
    Entry,
    Expression,
    Index,
    Log,
    OutsideClass,
    Partial,
    Sum,
    Symbol,
    renamed,
    walk,
)
from symbolic.reading.surface import Differentiated, Iverson, Name, Node
from symbolic.reading.surface import walk as walk_surface
from symbolic.weights.letters import (
    LABELS,
    MATRICES,
    SCORES,
    UPSTREAM,
    WEIGHTS,
    Definition,
    exponent_of,
    heads,
    is_log,
    is_loss,
    key,
    softmaxed,
)
from symbolic.weights.names import CONSUMERS, Env
from symbolic.weights.sums import Sums
from symbolic.weights.tensors import Tensor, scalar

__all__ = ["Derivatives"]


class Derivatives(Sums):
    """Turns a derivative into a tensor."""

    def _derivative(self, of: Node, by: Node, env: Env) -> Tensor:
        if not isinstance(by, Name):
            raise OutsideClass("a derivative is taken by a letter, such as e_j or β")
        row = self.tensor(by, env)
        unsaid = isinstance(of, Name) and is_loss(of) and key(of) not in self.roles.definitions
        if unsaid and self.roles.upstream in UPSTREAM and (made := self._output(key(by))):
            return self._with_subscripts(self._through(by.letter, made), by.subscripts, env)
        if unsaid and by.letter in CONSUMERS:
            consumer = self._consumer(by.letter)
            if consumer and (by.letter in MATRICES or f"d {consumer}" in self.names):
                return self._with_subscripts(self._through(by.letter, consumer), by.subscripts, env)
            if by.letter in MATRICES:
                raise OutsideClass(f"it is not said what {by.letter} makes, or the gradient of that, such as dS")
        inside = self._loss(by) if unsaid else self.tensor(of, env)
        rank = len(inside.axes)
        probe = row.at(tuple(Index(f"b{n}", axis or "T") for n, axis in enumerate(row.axes)))
        if not isinstance(probe, Entry | Symbol):
            raise OutsideClass("a derivative is taken by a variable, not by an expression")
        self._check_dependence(inside, probe.name, scaling=self._scales(by))

        def entry(at: tuple[Index, ...]) -> Expression:
            variable = row.at(at[rank:])
            if not isinstance(variable, Entry | Symbol):
                raise OutsideClass("a derivative is taken by a variable, not by an expression")
            return self._total(inside.at(at[:rank]), variable)

        return Tensor(inside.axes + row.axes, entry)

    def _check_dependence(self, inside: Tensor, name: str, *, scaling: bool) -> None:
        """Refuse ∂f_i/∂x_j = 0 where it is not said what f is: it may depend on x."""
        found = self.roles
        probe = inside.at(tuple(Index(f"b{n}", axis or "T") for n, axis in enumerate(inside.axes)))
        letters = {node.name for node in walk(probe) if isinstance(node, Entry | Symbol)}
        through = {found.weights, "L"} if name == found.scores or scaling else {"L"}
        through |= {name} | ({found.layer[0], found.weights} if found.layer else set())
        unknown = sorted(letters - {"T", "d", name, *found.labels, found.upstream, found.layer and found.layer[0]})
        if unknown and not letters & through:
            raise OutsideClass(f"it is not said how {unknown[0]} depends on {name}; add what {unknown[0]} is")

    def _scales(self, by: Name) -> bool:
        """Say whether a number stands in an exponent or a softmax, as β in softmax(βz), so that the weights vary."""
        trees = (self.reading.claim, *self.reading.aside)
        inner = [exponent_of(node) or softmaxed(node) for tree in trees for node in walk_surface(tree)]
        return any(key(name) == key(by) for node in inner if node is not None for name in heads(node))

    def _stranger(self) -> str | None:
        """Return a number in the claim that the usual loss does not have, as N in (p − y)/N."""
        found, beside = self.roles, {key(name) for name in heads(*self.reading.aside)}
        rows = {*WEIGHTS, *SCORES, *LABELS, *UPSTREAM, *MATRICES, *found.definitions, *beside, "e", "c", "d", "δ", "W"}
        for name in heads(self.reading.claim):
            if not name.subscripts and not name.accent and not is_loss(name) and name.letter not in rows:
                return name.letter
        return None

    def _output(self, letter: str) -> str:
        """Return Y where a loss is said to have the gradient G and Y = log softmax(z), whose gradient G then is."""
        for name, definition in self.roles.definitions.items():
            if is_log(definition.value) and any(key(part) == letter for part in heads(definition.value)):
                return name
        return ""

    def _total(self, of: Expression, by: Entry | Symbol) -> Expression:
        """Differentiate; where the scores are made of `by`, through every score too."""
        layer = self.roles.layer
        if layer is None or by.name == layer[0]:
            return Partial(of, by)
        m = Index("m'")
        row = self._made(layer[1])
        through = Sum(m, Partial(of, Entry(layer[0], (m,))) * Partial(row.at((m,)), by))
        direct = any(isinstance(node, Entry | Symbol) and node.name == by.name for node in walk(of))
        return Partial(of, by) + through if direct else through

    def _made(self, definition: Definition) -> Tensor:
        """Return the row that a definition makes: z_i = …, or z = Wx + b."""
        if not definition.subscripts:
            row = self.tensor(definition.value, {})
        else:
            [i] = (Index(i.letter) for i in definition.subscripts[:1])
            value = self.tensor(definition.value, {i.name: i}).at(())
            row = Tensor(("T",) * len(definition.subscripts), lambda at: renamed(value, {i: at[0]}))
        if row.axes != ("T",):
            raise OutsideClass(f"the scores are made as {row}; a row of T is read there")
        return row

    def _loss(self, by: Name) -> Tensor:
        """Return the loss that a right side speaks of: −Σ y log a with labels, −log a_c with a class, else any loss."""
        found = self.roles
        if not found.weights and (key(by) == found.scores or found.layer):
            found.weights = "a" if "a" not in self.names else "p'"
        weights = found.weights or (key(by) if found.scores != key(by) else "a")
        m = Index("m")
        if found.labels:
            label = found.labels[0]
            if (letter := self._stranger()) is not None:
                raise OutsideClass(f"the loss is not said, and {letter} is not in −Σ {label} log {weights}; add L = …")
            self.notes.append(note("loss-labels", labels=label, weights=weights))
            return scalar(-Sum(m, Entry(label, (m,)) * Log(Entry(weights, (m,)))))
        speaks = [node for part in self.reading.claim.parts for node in walk_surface(part)]
        classed = any(isinstance(n, Iverson) or (isinstance(n, Name) and n.letter in {"δ", "1"}) for n in speaks)
        classed |= any(isinstance(n, Name) and any(i == Name("c") for i in n.subscripts) for n in speaks)
        if classed and not found.upstream:
            self.notes.append(note("loss-class", weights=weights))
            return scalar(-Log(Entry(weights, (Index("c"),))))
        if found.upstream or any(_upstream(node, found.weights) for node in speaks):
            return scalar(Symbol("L"))
        raise OutsideClass("the loss is not said; add it after a comma, such as L = -log a_c")


def _upstream(node: Node, weights: str) -> bool:
    """Say whether a node is the derivative of a loss by the weights, which stands for any loss."""
    return (
        isinstance(node, Differentiated)
        and is_loss(node.of)
        and isinstance(node.by, Name)
        and bool(weights)
        and key(node.by) == weights
    )
