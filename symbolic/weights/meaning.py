"""From what was read to what is meant: a tree of surface becomes expressions that can be decided.

The letters get their parts from roles.  Rows without indices become tensors, softmax(…) becomes weights where its
argument is the row of scores, and is written out where it is not; a loss that is not defined is the one its right side
speaks of.  What has no meaning here is refused with its place (OutsideClass), never passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exact.verdicts import Note, note
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
    renamed,
    walk,
)
from symbolic.plain import plain
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
from symbolic.weights.roles import (
    MATRICES,
    MOST_POSITIONS,
    Definition,
    Roles,
    free_letters,
    is_loss,
    key,
    roles,
    softmaxed,
)
from symbolic.weights.tensors import (
    Tensor,
    contracted,
    diagonal,
    elementwise,
    multiplied,
    scalar,
    summed,
    transposed,
)
from symbolic.writing import Notation

__all__ = ["Meant", "mean"]

DEEPEST: Final = 12
CONSUMERS: Final = {"Q": "S", "K": "S", "S": "A", "E": "A", "A": "O", "P": "O", "V": "O"}
COORDINATE_ROWS: Final = frozenset({"q", "k"})
COORDINATES: Final = frozenset({"r", "s"})
UNIT = Number(Fraction(1))
Env = Mapping[str, Index]


@dataclass(frozen=True, slots=True)
class Meant:
    """A claim as expressions: its parts, its relations, the setting, indices that must differ, what was resolved."""

    parts: tuple[Expression, ...]
    relations: tuple[str, ...]
    setting: Setting
    unlike: tuple[tuple[Index, Index], ...]
    size: int | None
    notes: tuple[Note, ...]
    roles: Roles


def mean(reading: Reading, weights: str = "") -> Meant:
    """Give a reading its meaning; OutsideClass says what has none.  `weights` settles which letter the weights are."""
    return _Meaning(reading, weights).meant()


class _Meaning:
    def __init__(self, reading: Reading, weights: str) -> None:
        self.reading, self.roles = reading, roles(reading, weights)
        self.notes = list(self.roles.notes)
        self.names = {key(node) for node in self._all() if isinstance(node, Name)}
        self.depth = 0
        self.scale: Expression = UNIT
        self.defined = False  # whether the weights have a definition
        self.free: set[str] = set()
        self._undo_what_is_no_softmax()

    def _all(self) -> list[Node]:
        trees = [self.reading.claim, *self.reading.aside]
        return [node for tree in trees for node in walk_surface(tree)]

    def meant(self) -> Meant:
        claim = self.reading.claim
        lettered = [free_letters(part) for part in claim.parts]
        self.free = set().union(*lettered)
        env = {letter: self._index(letter, claim) for letter in sorted(self.free)}
        tensors = [self.tensor(part, env) for part in claim.parts]
        axes = max((tensor.axes for tensor in tensors), key=len)
        for tensor in tensors:
            if tensor.axes and tensor.axes != axes and len(tensor.axes) == len(axes):
                both = zip(tensor.axes, axes, strict=True)
                axes = tuple(a or b for a, b in both)
        taken = {index.name for index in env.values()}
        at = self._new_indices(axes, taken)
        for tensor in tensors:
            if len(tensor.axes) not in {0, len(axes)}:
                raise OutsideClass(f"{tensor} is set equal to {tensors[0]}")
        parts = tuple(tensor.at(at) if tensor.axes else tensor.at(()) for tensor in tensors)
        unlike = tuple((env.get(i, Index(i)), env.get(j, Index(j))) for i, j in self.roles.unlike)
        setting = self._setting(parts)
        size = self.roles.fixed.get("T", next((v for k, v in self.roles.fixed.items() if k != "d"), None))
        self._say_rows(parts, setting)
        return Meant(parts, claim.relations, setting, unlike, size, tuple(dict.fromkeys(self.notes)), self.roles)

    def _new_indices(self, axes: tuple[str, ...], taken: set[str]) -> tuple[Index, ...]:
        letters = [letter for letter in "ijlmn" if letter not in taken]
        coordinates = [letter for letter in "rsuv" if letter not in taken]
        return tuple(Index((coordinates if axis == "d" else letters).pop(0), axis or "T") for axis in axes)

    def _setting(self, parts: tuple[Expression, ...]) -> Setting:
        """Find by how much the scores are multiplied before the exponential, and which rows add to 1."""
        found = self.roles
        scale = self._written_scale(parts) if self.scale == UNIT and not self.defined else self.scale
        used = {node.name for part in parts for node in walk(part) if isinstance(node, Entry)}
        totals = tuple((label, "") for label in found.labels if label in used)
        weights = found.weights or ("a" if found.scores != "a" else "p")
        scores = found.scores or ("e" if weights != "e" else "z")
        if weights == scores:
            raise OutsideClass(f"{weights} is read both as weights and as scores")
        return Setting(weights, scores, scale, found.upstream or "G", totals)

    def _written_scale(self, parts: tuple[Expression, ...]) -> Expression:
        """Return the factor of the scores in a softmax that the claim writes out, where all of its exponents agree."""
        found = set()
        for part in parts:
            for node in walk(part):
                if isinstance(node, Quotient) and isinstance(node.over, Exp):
                    found.add(_coefficient(node.over.inside, self.roles.scores) or UNIT)
        return found.pop() if len(found) == 1 else UNIT

    def _say_rows(self, parts: tuple[Expression, ...], setting: Setting) -> None:
        found = self.roles
        used = {node.name for part in parts for node in walk(part) if isinstance(node, Entry)}
        if found.weights in used:
            scores = Symbol(found.scores or "e")
            shown = plain(scores if setting.scale == UNIT else setting.scale * scores, Notation(width="d"))
            self.notes.append(note("weights", weights=found.weights, scores=shown))
        if found.upstream in used:
            self.notes.append(note("upstream", upstream=found.upstream))
        self.notes += [note("labels", labels=label) for label in found.labels if label in used]

    def _undo_what_is_no_softmax(self) -> None:
        """Take the weights for a softmax only where their definition says so; else keep it, to be written out."""
        name = self.roles.weights
        definition = self.roles.definitions.get(name)
        if definition is None:
            return
        scale = self._scale_of(definition)
        if scale is None:
            self.roles.weights = ""
            return
        del self.roles.definitions[name]
        self.scale, self.defined = scale, True
        value = definition.value
        if isinstance(value, Divided) and isinstance(value.under, Name):
            self.notes.append(note("normaliser", letter=value.under.letter))
            old = next(iter(definition.subscripts), Name("j"))
            self.roles.definitions.setdefault(value.under.letter, Definition((), Big("sum", (old,), value.over)))

    def _scale_of(self, definition: Definition) -> Expression | None:
        """Return the factor of the scores where a definition is their softmax, and None where it is anything else."""
        value, scores = definition.value, self.roles.scores
        inside = softmaxed(value)
        if isinstance(value, Called) and value.function == "logsoftmax":
            return None
        if isinstance(inside, Listed):
            return UNIT
        if inside is None or (isinstance(value, Divided) and not self._normalised(definition, value)):
            return None
        row = self.tensor(inside, {})
        if row.axes:
            return _coefficient(row.at(tuple(Index(letter) for letter in "mn"[: len(row.axes)])), scores)
        return _coefficient(row.at(()), scores)

    def _normalised(self, definition: Definition, value: Divided) -> bool:
        """Say whether what stands below is the sum of what stands above, over its last index; an unknown Z is."""
        under = value.under
        if isinstance(under, Name) and under.letter == "Z" and not under.subscripts:
            if "Z" not in self.roles.definitions:
                return True
            under = self.roles.definitions["Z"].value
        if not isinstance(under, Big | Called) or not definition.subscripts:
            return False
        own = {letter.letter: Index(letter.letter) for letter in definition.subscripts}
        m, last = Index("m'"), own[definition.subscripts[-1].letter]
        over, below = self.tensor(value.over, own).at(()), self.tensor(under, own)
        if below.axes or not isinstance(total := below.at(()), Sum) or total.unlike:
            return False
        return renamed(total.body, {total.index: m}) == renamed(over, {last: m})

    # Indices.

    def _index(self, letter: str, scope: Node) -> Index:
        """Return the index that a letter stands for: over coordinates where it stands on a q, a k, or a column of Q."""
        for node in walk_surface(scope):
            if not isinstance(node, Name):
                continue
            for place, index in enumerate(node.subscripts):
                if isinstance(index, Name) and index.letter == letter:
                    shape = MATRICES.get(node.letter)
                    if shape and len(node.subscripts) == 2:
                        return Index(letter, shape[place])
                    if (
                        node.letter in COORDINATE_ROWS
                        and len(node.subscripts) == 1
                        and node.letter != self.roles.weights
                    ):
                        return Index(letter, "d")
        return Index(letter)

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

    # One rule for each kind of node.

    def tensor(self, node: Node, env: Env) -> Tensor:
        """Return what a node means."""
        match node:
            case Figure(value):
                return scalar(Number(value))
            case Name():
                return self._name(node, env)
            case Negated(of):
                return self._map(self.tensor(of, env), lambda x: -x)
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
                return self._indexed(of, indices, env)
            case Big():
                return self._big(node, env)
            case Differentiated(of, by):
                return self._derivative(of, by, env)
            case Iverson(condition):
                return self._iverson(condition, env)
            case Normed(of, kind):
                return self._map(self._squared_norm(of, kind, env), Root)
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

    def _map(self, tensor: Tensor, change: object) -> Tensor:
        assert_callable = change
        return Tensor(tensor.axes, lambda at: assert_callable(tensor.at(at)), tensor.lying)  # type: ignore[operator]

    def _fold(self, tensors: list[Tensor]) -> Tensor:
        total = tensors[0]
        for tensor in tensors[1:]:
            total = elementwise(total, tensor, lambda a, b: a + b)
        return total

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
        if name in found.fixed:
            return scalar(Number(Fraction(found.fixed[name])))
        if found.sizes.get(name) == "T" and not node.subscripts:
            return scalar(Symbol("T"))
        if name == "J" and found.scores and name not in {found.weights, found.scores}:
            by, of = found.scores, found.weights or "a"
            found.weights = of
            self.notes.append(note("jacobian", weights=of, scores=by))
            jacobian = Tensor(("T", "T"), lambda at: Partial(Entry(of, at[:1]), Entry(by, at[1:])))
            return self._with_subscripts(jacobian, node.subscripts, env)
        if name == "onehot":
            return self._with_subscripts(Tensor(("T",), lambda at: Delta(at[0], Index("c"))), node.subscripts, env)
        if name == "I" and found.matrices and not node.subscripts:
            return Tensor(("T", "T"), lambda at: Delta(at[0], at[1]))
        if is_loss(node) and name not in found.ranks and name not in {found.weights, found.scores}:
            return scalar(Symbol("L"))
        axes = self._axes(name, node)
        if not axes:
            return scalar(Symbol({"T": "τ"}.get(name, name) if found.sizes.get(name) == "" else name))
        return self._with_subscripts(Tensor(axes, lambda at: Entry(name, at)), node.subscripts, env)

    def _axes(self, name: str, node: Name) -> tuple[str, ...]:
        """Return what the indices of a letter run over."""
        found, letter = self.roles, node.letter
        rank = len(node.subscripts) or found.ranks.get(name)
        whole = letter.isupper() and bool(found.matrices or {"Q", "K", "V", "O"} & self._letters())
        if letter in MATRICES and (rank == 2 or (rank is None and whole and (letter != "X" or "W" in self._letters()))):
            return MATRICES[letter]
        if letter in COORDINATE_ROWS and name not in {found.weights, found.scores} and rank in {None, 1}:
            return ("d",)
        rows = {found.weights, found.scores, found.upstream, *found.labels} - {""}
        if rank is None and name in rows:
            rank = found.ranks.get(found.weights) or (2 if whole else 1)
        if rank is None and letter in {"A", "P", "S", "E", "G", "W"} and whole:
            rank = 2
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

    def _placed(self, node: Node, axis: str, env: Env) -> Index:
        index = self._place(node, env)
        return Index(index.name, axis or "T") if index.fixed else index

    def _defined(self, node: Name, definition: Definition, env: Env) -> Tensor:
        self.depth += 1
        if self.depth > DEEPEST:
            raise OutsideClass(f"the definition of {node.letter} leads back to itself")
        try:
            if not definition.subscripts:
                return self._with_subscripts(self.tensor(definition.value, env), node.subscripts, env)
            own = {i.letter: Index(i.letter) for i in definition.subscripts}
            value = self.tensor(definition.value, {**env, **own}).at(())
            axes = tuple(self._index(i.letter, definition.value).over for i in definition.subscripts)
            names = tuple(own.values())
            tensor = Tensor(axes, lambda at: renamed(value, dict(zip(names, at, strict=True))))
            return self._with_subscripts(tensor, node.subscripts, env)
        finally:
            self.depth -= 1

    def _raised(self, base: Node, exponent: Node, env: Env) -> Tensor:
        euler = (
            isinstance(base, Name) and base.letter == "e" and not base.subscripts and not isinstance(exponent, Figure)
        )
        if euler and self._is_exponent(exponent):
            self.notes.append(note("euler"))
            return self._exponential(self.tensor(exponent, env))
        if isinstance(base, Normed) and exponent == Figure(Fraction(2)):
            return self._squared_norm(base.of, base.kind, env)
        power = self.tensor(exponent, env)
        under = self.tensor(base, env)
        if power.axes:
            raise OutsideClass("an exponent is a number, or a combination of symbols")
        if len(under.axes) == 2:
            raise OutsideClass("the power of a matrix is not decided here; ⊙ multiplies entry by entry")
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
        if degree is None:
            return self._map(inside, Root)
        order = self.tensor(degree, env).at(())
        return self._map(inside, lambda x: Power(x, UNIT / order))

    def _indexed(self, of: Node, indices: tuple[Node, ...], env: Env) -> Tensor:
        return self._with_subscripts(self.tensor(of, env), indices, env)

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
        total = self._map(inside, lambda x: x**2)
        while total.axes:
            total = summed(total)
        return total

    def _big(self, node: Big, env: Env) -> Tensor:
        if node.kind == "product":
            raise OutsideClass("a product over an index is not decided here; sums are")
        letters = [index.letter for index in node.indices]
        pairs: list[tuple[str, str]] = []
        halved = False
        for condition in node.conditions:
            names = [part.letter for part in condition.parts if isinstance(part, Name) and not part.subscripts]
            if len(names) != 2 or len(condition.parts) != 2 or condition.relations[0] not in {"≠", "<", ">"}:
                raise OutsideClass("what stands under a sum is an index, its start, or a condition j ≠ i")
            halved |= condition.relations[0] != "≠"
            pairs.append((names[0], names[1]))
            used = free_letters(node.body)
            both = condition.relations[0] != "≠" or names[1] in used or names[0] not in used
            if both and names[1] not in {*letters, *env, *self.free}:
                letters.append(names[1])
        if halved and (len(pairs) > 1 or not {*pairs[0]} <= {*letters} - self.free or node.lower is not None):
            raise OutsideClass("a sum over i < j is read where it runs over both, and under no other condition")
        if not letters:
            letters = sorted(free_letters(node.body) - set(env))
            if not letters:
                return self._sum_of(self.tensor(node.body, env))
        self._check_limits(node, env)
        bound = {letter: self._summed_index(letter, node) for letter in letters}
        inner = {**env, **bound}
        body = self.tensor(node.body, inner)
        if halved:
            first, second = (inner[name] for name in pairs[0])
            self._check_symmetric(body, first, second)
            body = self._map(body, lambda x: Number(Fraction(1, 2)) * x)
        unlike: dict[str, list[Index]] = {letter: [] for letter in letters}
        for left, right in pairs:
            later = max((left, right), key=lambda name: letters.index(name) if name in letters else -1)
            other = right if later == left else left
            unlike[later].append(inner.get(other, Index(other)))
        for letter in reversed(letters):
            index, apart = bound[letter], tuple(unlike[letter])
            body = self._map(body, lambda x, index=index, apart=apart: Sum(index, x, apart))
        return body

    def _summed_index(self, letter: str, node: Big) -> Index:
        """Return the index of a sum; what its limit says that it runs over must agree with its use."""
        index, upper = self._index(letter, node.body), node.upper
        if not isinstance(upper, Name):
            return index
        over = "d" if self.roles.sizes.get(upper.letter, upper.letter) == "d" else "T"
        if over == index.over:
            return index
        if over == "T" or letter in free_letters(node.body):
            raise OutsideClass(
                f"the sum over {letter} ends at {upper.letter}, which does not count what {letter} stands on"
            )
        return Index(letter, over)

    def _check_symmetric(self, body: Tensor, first: Index, second: Index) -> None:
        from symbolic.normal_form import equal

        at = self._new_indices(body.axes, {first.name, second.name})
        there = body.at(at)
        if not equal(there, renamed(there, {first: second, second: first}), self._setting((there,))):
            raise OutsideClass("a sum over i < j is read where the terms are the same for j < i")

    def _check_limits(self, node: Big, env: Env) -> None:
        """Refuse limits by which a sum does not run over all positions, or over all coordinates."""
        lower, upper = node.lower, node.upper
        if lower is not None and not (isinstance(lower, Figure) and lower.value in {0, 1}):
            raise OutsideClass("a sum over positions starts at 1 (or 0)")
        from_zero = lower is not None and lower == Figure(Fraction(0))
        if isinstance(upper, Figure):
            size = int(upper.value) + from_zero
            if upper.value.denominator != 1 or self.roles.fixed.setdefault("T", size) != size:
                raise OutsideClass("every sum over positions runs over all T of them; here their numbers differ")
            if not 1 <= size <= MOST_POSITIONS:
                raise OutsideClass(f"the number of positions is read from 1 to {MOST_POSITIONS}")
            return
        if (
            from_zero
            and isinstance(upper, Added)
            and len(upper.terms) == 2
            and upper.terms[1] == Negated(Figure(UNIT.value))
        ):
            upper = upper.terms[0]
        elif from_zero and upper is not None:
            raise OutsideClass("a sum over all positions runs from 1 to T, or from 0 to T - 1")
        if upper is None:
            return
        if (
            not isinstance(upper, Name)
            or (upper.subscripts and key(upper) != "d")
            or upper.letter in {*env, *self.free, *"ijlrs"}
        ):
            raise OutsideClass("a sum over positions ends at their number, such as T")

    def _exponential(self, inside: Tensor) -> Tensor:
        return Tensor(inside.axes, lambda at: Exp(inside.at(at)), inside.lying)

    def _sum_of(self, tensor: Tensor) -> Tensor:
        while tensor.axes:
            tensor = summed(tensor)
        return tensor

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
                return self._exponential(first)
            case "log":
                return self._map(first, Log)
            case "softmax":
                return self._softmax(node.arguments[0], env)
            case "logsoftmax":
                return self._log_softmax(node.arguments[0], first, env)
            case "logsumexp":
                return self._map(summed(self._exponential(first)), Log)
            case "sigmoid":
                return self._map(first, lambda x: UNIT / (UNIT + Exp(-x)))
            case "tanh":
                return self._map(first, lambda x: UNIT - 2 / (UNIT + Exp(2 * x)))
            case "sum" | "rowsum" | "mean":
                return self._summed(node, first, env)
            case "tr" if len(first.axes) == 2:
                return summed(diagonal(first))
            case "diag":
                return diagonal(first)
            case "onehot":
                return Tensor(("T",), lambda at: Delta(at[0], Index("c")))
            case "entropy":
                return self._sum_of(self._map(first, lambda p: -(p * Log(p))))
            case _:
                raise OutsideClass(f"{function} is not decided here")

    def _summed(self, node: Called, first: Tensor, env: Env) -> Tensor:
        axis, keep = None, False
        for option in node.below:
            if isinstance(option, Related) and isinstance(option.parts[0], Name):
                value = self.tensor(option.parts[1], env).at(())
                if option.parts[0].letter == "keepdims":
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
        return self._map(total, lambda x: x / Symbol("T")) if node.function == "mean" else total

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
            return self._map(self._softmax(argument, env), Log)
        normaliser = self._map(summed(self._exponential(inside), keep=True), Log)
        return elementwise(inside, normaliser, lambda x, y: x - y)

    # Derivatives.

    def _derivative(self, of: Node, by: Node, env: Env) -> Tensor:
        if not isinstance(by, Name):
            raise OutsideClass("a derivative is taken by a letter, such as e_j or β")
        row = self.tensor(by, env)
        inside = self._loss(by) if is_loss(of) and key(of) not in self.roles.definitions else self.tensor(of, env)  # type: ignore[arg-type]
        rank = len(inside.axes)
        probe = row.at(tuple(Index(f"b{n}", axis or "T") for n, axis in enumerate(row.axes)))
        if not isinstance(probe, Entry | Symbol):
            raise OutsideClass("a derivative is taken by a variable, not by an expression")

        def entry(at: tuple[Index, ...]) -> Expression:
            variable = row.at(at[rank:])
            if not isinstance(variable, Entry | Symbol):
                raise OutsideClass("a derivative is taken by a variable, not by an expression")
            return Partial(inside.at(at[:rank]), variable)

        return Tensor(inside.axes + row.axes, entry)

    def _loss(self, by: Name) -> Tensor:
        """Return the loss that a right side speaks of: −Σ y log a with labels, −log a_c with a class, else any loss."""
        found = self.roles
        if not found.weights and key(by) == found.scores:
            found.weights = "a" if "a" not in self.names else "p'"
        weights = found.weights or (key(by) if found.scores != key(by) else "a")
        m = Index("m")
        if found.labels:
            label = found.labels[0]
            self.notes.append(note("loss-labels", labels=label, weights=weights))
            return scalar(-Sum(m, Entry(label, (m,)) * Log(Entry(weights, (m,)))))
        speaks = [node for part in self.reading.claim.parts for node in walk_surface(part)]
        classed = any(isinstance(n, Iverson) or (isinstance(n, Name) and n.letter in {"δ", "1"}) for n in speaks)
        classed |= any(isinstance(n, Name) and any(i == Name("c") for i in n.subscripts) for n in speaks)
        if classed and not found.upstream:
            self.notes.append(note("loss-class", weights=weights))
            return scalar(-Log(Entry(weights, (Index("c"),))))
        if found.upstream:
            return scalar(Symbol("L"))
        raise OutsideClass("the loss is not said; add it after a comma, such as L = -log a_c")

    def _consumer(self, letter: str) -> str:
        """Return Y where dX is the gradient by X, through Y = f(X), of a loss whose gradient by Y is at hand."""
        for name, definition in self.roles.definitions.items():
            if any(isinstance(n, Name) and key(n) == letter for n in walk_surface(definition.value)):
                return name
        consumer = CONSUMERS.get(letter, "")
        names = {"A": ("A", "P")}.get(consumer, (consumer,))
        return next((name for name in names if f"d {name}" in self.names), "")

    def _through(self, letter: str, consumer: str) -> Tensor:
        """Return the gradient by one matrix or row, as the gradient by what is made of it, times the derivative."""
        upstream = f"d {consumer}" if f"d {consumer}" in self.names else self.roles.upstream or "G"
        made = self.tensor(Name(consumer), {}) if consumer in self.roles.definitions else self._standard(consumer)
        row = self.tensor(Name(letter), {})
        at = tuple(Index(name, axis) for name, axis in zip(("u'", "v'"), made.axes, strict=False))
        loss: Expression = Entry(upstream, at) * made.at(at)
        for index in reversed(at):
            loss = Sum(index, loss)
        self.notes.append(note("through", by=letter, made=consumer, upstream=upstream.replace("d ", "d")))

        def entry(at: tuple[Index, ...]) -> Expression:
            variable = row.at(at)
            if not isinstance(variable, Entry):
                raise OutsideClass(f"the gradient by {letter} is read where {letter} is a variable")
            return Partial(loss, variable)

        return Tensor(row.axes, entry)

    def _standard(self, name: str) -> Tensor:
        """Return what attention makes of its parts: S = QKᵀ/√d, A = softmax(S), O = AV."""
        if name == "S":
            product = contracted(self.tensor(Name("Q"), {}), transposed(self.tensor(Name("K"), {})))
            return self._map(product, lambda x: x / Root(Symbol("d")))
        weights = "P" if name == "P" or "P" in self._letters() else "A"
        if name == "O":
            return contracted(Tensor(("T", "T"), lambda at: Entry(weights, at)), self.tensor(Name("V"), {}))
        self.roles.weights = name
        self.roles.scores = "S" if "S" in self._letters() else "E"
        return Tensor(("T", "T"), lambda at: Entry(name, at))


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


def _coefficient(inside: Expression, scores: str) -> Expression | None:
    """Return c where an exponent is c times the scores, c free of rows, plus what is free of rows; None elsewhere."""
    match inside:
        case Entry(name):
            return UNIT if name == scores else None
        case Mul(factors):
            inner = [factor for factor in factors if not _rowless(factor)]
            if len(inner) != 1 or (found := _coefficient(inner[0], scores)) is None:
                return None
            for factor in reversed([factor for factor in factors if _rowless(factor)]):
                found = factor if found == UNIT else factor * found
            return found
        case Quotient(over, under) if _rowless(under):
            found = _coefficient(over, scores)
            return None if found is None else found / under
        case Add(terms):
            inner = [term for term in terms if not _rowless(term)]
            return _coefficient(inner[0], scores) if len(inner) == 1 else None
        case _:
            return None


def _last_axis(option: Node, of: Tensor) -> bool:
    """Say whether an option leaves a function of rows as it is: the last axis, or that an axis is kept."""
    if not isinstance(option, Related) or not isinstance(option.parts[0], Name):
        return False
    last = {Negated(Figure(UNIT.value)), Figure(Fraction(max(len(of.axes), 1) - 1))}
    return option.parts[0].letter in {"axis", "dim"} and option.parts[1] in last


def _rowless(expression: Expression) -> bool:
    return not any(isinstance(node, Entry | Delta | Partial | Sum) for node in walk(expression))
