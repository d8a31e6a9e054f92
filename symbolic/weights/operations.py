"""What is made of letters: sums, products, powers, softmax, derivatives, each kind of node by one rule.

softmax(…) becomes weights where its argument is the row of scores, and is written out where it is not; a loss that is
not defined is the one its right side speaks of.
"""

from __future__ import annotations

from fractions import Fraction

from exact.verdicts import note
from symbolic.calculus import Setting
from symbolic.expressions import (
    Add,
    Delta,
    Entry,
    Exp,
    Expression,
    Index,
    Log,
    Mul,
    Number,
    OutsideClass,
    Partial,
    Power,
    Quotient,
    Root,
    Sum,
    Symbol,
    free_indices,
    fresh,
    walk,
)
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Differentiated,
    Divided,
    Indexed,
    Inner,
    Iverson,
    Listed,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Raised,
    Reading,
    Related,
    Transposed,
)
from symbolic.reading.surface import Number as Figure
from symbolic.reading.surface import Root as Radical
from symbolic.reading.surface import walk as walk_surface
from symbolic.weights.derivatives import Derivatives
from symbolic.weights.letters import (
    free_letters,
    key,
)
from symbolic.weights.names import UNIT, Env
from symbolic.weights.tensors import (
    Tensor,
    contracted,
    diagonal,
    elementwise,
    mapped,
    multiplied,
    scalar,
    summed,
    transposed,
)

__all__ = ["Operations", "coefficient"]


class Operations(Derivatives):
    """Turns each kind of node into a tensor."""

    def _setting(self, parts: tuple[Expression, ...]) -> Setting:
        """Find by how much the scores are multiplied before the exponential, and which rows add to 1."""
        found = self.roles
        scale = self._written_scale(parts) if self.scale == UNIT and not self.defined else self.scale
        used = {node.name for part in parts for node in walk(part) if isinstance(node, Entry)}
        totals = tuple((label, "") for label in found.labels if label in used)
        weights = found.weights or ("a" if found.scores != "a" else "p")
        scores = found.scores or ("e" if weights != "e" else "z")
        if found.numbers:
            weights, scores = "row of weights", "row of scores"
        if weights == scores:
            raise OutsideClass(f"{weights} is read both as weights and as scores")
        return Setting(weights, scores, scale, found.upstream or "G", totals)

    def _written_scale(self, parts: tuple[Expression, ...]) -> Expression:
        """Return the factor of the scores in a softmax that the claim writes out, where all of its exponents agree."""
        found = set()
        for part in parts:
            for node in walk(part):
                if isinstance(node, Quotient) and isinstance(node.over, Exp):
                    found.add(coefficient(node.over.inside, self.roles.scores) or UNIT)
                elif isinstance(node, Sum) and isinstance(node.body, Exp):
                    scale = coefficient(node.body.inside, self.roles.scores) or UNIT
                    found |= {scale} if any(isinstance(inner, Symbol) for inner in walk(scale)) else set()
        return found.pop() if len(found) == 1 else UNIT

    def tensor(self, node: Node, env: Env) -> Tensor:
        """Return what a node means."""
        match node:
            case Figure(value):
                return scalar(Number(value))
            case Name():
                return self._name(node, env)
            case Negated(of):
                return mapped(self.tensor(of, env), lambda x: -x)
            case Added(terms):
                return self._fold([self.tensor(term, env) for term in terms])
            case Multiplied(factors, signs):
                total = self.tensor(factors[0], env)
                for factor, sign in zip(factors[1:], signs, strict=True):
                    total = multiplied(total, self.tensor(factor, env), sign)
                return total
            case Divided(Figure(p), Figure(q)) if q:
                return scalar(Number(p / q))
            case Divided(Negated(Figure(p)), Figure(q)) if q:
                return scalar(Number(-p / q))
            case Divided(over, under):
                return elementwise(self.tensor(over, env), self.tensor(under, env), lambda a, b: a / b)
            case Raised(base, exponent):
                return self._raised(base, exponent, env)
            case Transposed(of):
                return transposed(self.tensor(of, env))
            case Radical(of, degree):
                return self._root(of, degree, env)
            case Indexed(of, indices):
                return self._with_subscripts(self.tensor(of, env), indices, env)
            case Big():
                return self._big(node, env)
            case Differentiated(of, by):
                return self._derivative(of, by, env)
            case Iverson(condition):
                return self._iverson(condition, env)
            case Normed(of, kind):
                return mapped(self._squared_norm(of, kind, env), Root)
            case Inner(left, right):
                return contracted(self.tensor(left, env), self.tensor(right, env))
            case Called():
                return self._called(node, env)
            case Listed():
                raise OutsideClass("a list of numbers has no place in this formula")
            case Absolute():
                raise OutsideClass("an absolute value is not decided here")
            case _:
                raise OutsideClass("an equation inside a formula has no value")

    def _fold(self, tensors: list[Tensor]) -> Tensor:
        total = tensors[0]
        for tensor in tensors[1:]:
            total = elementwise(total, tensor, lambda a, b: a + b)
        return total

    def _raised(self, base: Node, exponent: Node, env: Env) -> Tensor:
        euler = (
            isinstance(base, Name) and base.letter == "e" and not base.subscripts and not isinstance(exponent, Figure)
        )
        if euler and self._is_exponent(exponent):
            self.notes.append(note("euler"))
            return mapped(self.tensor(exponent, env), Exp)
        if isinstance(base, Normed) and exponent == Figure(Fraction(2)):
            return self._squared_norm(base.of, base.kind, env)
        power = self.tensor(exponent, env)
        under = self.tensor(base, env)
        if power.axes:
            raise OutsideClass("an exponent is a number, or a combination of symbols")
        if len(under.axes) == 2:
            raise OutsideClass("the power of a matrix is not decided here; ⊙ multiplies entry by entry")
        if isinstance(exponent, Divided):
            self._check_sign(under)
        if under.axes:
            self.notes.append(note("entrywise"))
        return elementwise(under, power, lambda a, b: a**b)

    def _is_exponent(self, node: Node) -> bool:
        """Say whether e^… is an exponential: some row of scores stands above it."""
        return "e" not in self.roles.ranks or any(
            isinstance(part, Name) and part.subscripts for part in walk_surface(node)
        )

    def _root(self, of: Node, degree: Node | None, env: Env) -> Tensor:
        inside = self.tensor(of, env)
        self._check_sign(inside)
        if degree is None:
            return mapped(inside, Root)
        order = self.tensor(degree, env).at(())
        return mapped(inside, lambda x: Power(x, UNIT / order))

    def _check_sign(self, inside: Tensor) -> None:
        """Refuse the root of a power of a number, which may be below 0: √x² is |x|."""
        if self.roles.numbers and any(isinstance(node, Power) for node in walk(inside.at(()))):
            raise OutsideClass("the root of a power depends on a sign, which is not said")

    def _iverson(self, condition: Related, env: Env) -> Tensor:
        if len(condition.parts) == 2 and condition.relations[0] in {"=", "≠"}:
            left, right = (self._place(part, env) for part in condition.parts)
            delta = Delta(left, right, bracket=True)
            return scalar(delta if condition.relations[0] == "=" else 1 - delta)
        raise OutsideClass("a condition in brackets is read between two indices, [i = j] or [i ≠ j]")

    def _squared_norm(self, of: Node, kind: str, env: Env) -> Tensor:
        inside = self.tensor(of, env)
        if kind not in {"", "F", "2"} or (kind != "F" and len(inside.axes) != 1):
            raise OutsideClass("norms are read of rows, ‖v‖, and of matrices as ‖A‖_F")
        return self._sum_of(mapped(inside, lambda x: x**2))

    def _called(self, node: Called, env: Env) -> Tensor:
        function = node.function
        if function == "ones":
            return Tensor(("T",), lambda _: UNIT)
        if len(node.arguments) != 1:
            raise OutsideClass(f"{function} is read of one argument")
        first = self.tensor(node.arguments[0], env) if function not in {"onehot", "softmax"} else scalar(UNIT)
        if function not in {"sum", "rowsum", "mean"} and any(not _last_axis(option, first) for option in node.below):
            raise OutsideClass(f"{function} is read with nothing below it, and along the last axis")
        match function:
            case "exp":
                return mapped(first, Exp)
            case "log":
                return mapped(first, Log)
            case "softmax":
                return self._softmax(node.arguments[0], env)
            case "logsoftmax":
                return self._log_softmax(node.arguments[0], first, env)
            case "logsumexp":
                return mapped(summed(mapped(first, Exp)), Log)
            case "sigmoid":
                return mapped(first, lambda x: UNIT / (UNIT + Exp(-x)))
            case "tanh":
                return mapped(first, lambda x: UNIT - 2 / (UNIT + Exp(2 * x)))
            case "sum" | "rowsum" | "mean":
                return self._summed(node, first, env)
            case "tr" if len(first.axes) == 2:
                return summed(diagonal(first))
            case "diag":
                return diagonal(first)
            case "onehot":
                return Tensor(("T",), lambda at: Delta(at[0], Index("c")))
            case "entropy":
                return self._sum_of(mapped(first, lambda p: -(p * Log(p))))
            case _:
                raise OutsideClass(f"{function} is not decided here")

    def _summed(self, node: Called, first: Tensor, env: Env) -> Tensor:
        axis, keep = None, False
        for option in node.below:
            if isinstance(option, Related) and isinstance(option.parts[0], Name):
                value = self.tensor(option.parts[1], env).at(())
                if option.parts[0].letter in {"keepdims", "keepdim"}:
                    keep = value != Number(Fraction(0)) and value != Symbol("False")
                elif isinstance(value, Number):
                    axis = int(value.value)
        if not first.axes:
            letters = sorted(free_letters(node.arguments[0]) - set(env))
            if len(letters) != 1:
                raise OutsideClass("a sum needs the index it runs over, such as sum_j")
            index = self._index(letters[0], node)
            return scalar(Sum(index, self.tensor(node.arguments[0], {**env, letters[0]: index}).at(())))
        if node.function == "rowsum":
            return summed(first, -1, keep=len(first.axes) == 2)
        if axis is not None and not -len(first.axes) <= axis < len(first.axes):
            raise OutsideClass(f"axis {axis} is not one of {first}")
        total = self._sum_of(first) if axis is None else summed(first, axis, keep=keep)
        if node.function == "mean":
            for over in first.axes if axis is None else (first.axes[axis],):
                total = _shared(total, over)
        return total

    def _softmax(self, argument: Node, env: Env) -> Tensor:
        inside = self.tensor(argument, env)
        if not inside.axes:
            raise OutsideClass("softmax is read of a row of scores, softmax(e)_i")
        at = tuple(Index(name, axis) for name, axis in zip(("m'", "m''"), inside.axes, strict=False))
        there = inside.at(at)
        found = self.roles
        if there == Entry(found.scores, at) and not _scaled_elsewhere(self.reading, found.scores):
            found.weights = found.weights or ("a" if "a" not in self.names else "p'")
            weights = found.weights
            return Tensor(inside.axes, lambda at: Entry(weights, at), inside.lying)

        def entry(at: tuple[Index, ...]) -> Expression:
            m = fresh(Index("m"), frozenset(at) | free_indices(inside.at(at)))
            mine, other = inside.at(at), inside.at((*at[:-1], m))
            if _only_scores(mine, found.scores):
                return Exp(mine) / Sum(m, Exp(other))
            return UNIT / Sum(m, Exp(other - mine))

        return Tensor(inside.axes, entry, inside.lying)

    def _log_softmax(self, argument: Node, inside: Tensor, env: Env) -> Tensor:
        at = tuple(Index(name, axis) for name, axis in zip(("m'", "m''"), inside.axes, strict=False))
        if _only_scores(inside.at(at), self.roles.scores):
            return mapped(self._softmax(argument, env), Log)
        normaliser = mapped(summed(mapped(inside, Exp), keep=True), Log)
        return elementwise(inside, normaliser, lambda x, y: x - y)


def _scaled_elsewhere(reading: Reading, scores: str) -> bool:
    """Say whether the scores also stand multiplied inside a softmax, so that all must be written out alike."""
    for tree in (reading.claim, *reading.aside):
        for node in walk_surface(tree):
            if not isinstance(node, Called) or node.function != "softmax" or isinstance(node.arguments[0], Name):
                continue
            if any(isinstance(part, Name) and key(part) == scores for part in walk_surface(node.arguments[0])):
                return True
    return False


def _only_scores(expression: Expression, scores: str) -> bool:
    """Say whether an exponent is the scores, multiplied by numbers and symbols."""
    entries = [node for node in walk(expression) if isinstance(node, Entry)]
    inner = [node for node in walk(expression) if isinstance(node, Exp | Log | Sum)]
    return bool(entries) and not inner and all(node.name == scores for node in entries)


def coefficient(inside: Expression, scores: str) -> Expression | None:
    """Return c where an exponent is c times the scores, c free of rows, plus what is free of rows; None elsewhere."""
    match inside:
        case Entry(name):
            return UNIT if name == scores else None
        case Mul(factors):
            inner = [factor for factor in factors if not _rowless(factor)]
            if len(inner) != 1 or (found := coefficient(inner[0], scores)) is None:
                return None
            for factor in reversed([factor for factor in factors if _rowless(factor)]):
                found = factor if found == UNIT else factor * found
            return found
        case Quotient(over, under) if _rowless(under):
            found = coefficient(over, scores)
            return None if found is None else found / under
        case Add(terms):
            inner = [term for term in terms if not _rowless(term)]
            return coefficient(inner[0], scores) if len(inner) == 1 else None
        case _:
            return None


def _shared(total: Tensor, over: str) -> Tensor:
    return mapped(total, lambda x: x / Symbol(over)) if over else total


def _last_axis(option: Node, of: Tensor) -> bool:
    """Say whether an option leaves a function of rows as it is: the last axis, or that an axis is kept."""
    if not isinstance(option, Related) or not isinstance(option.parts[0], Name):
        return False
    last = {Negated(Figure(UNIT.value)), Figure(Fraction(max(len(of.axes), 1) - 1))}
    return option.parts[0].letter in {"axis", "dim"} and option.parts[1] in last


def _rowless(expression: Expression) -> bool:
    return not any(isinstance(node, Entry | Delta | Partial | Sum) for node in walk(expression))
