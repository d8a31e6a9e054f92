"""What a sum means: over which index it runs, by its limits or without any, and under which conditions."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction

from symbolic.calculus import Setting
from symbolic.expressions import Expression, Index, Number, OutsideClass, Sum, renamed
from symbolic.normal_form import equal
from symbolic.reading.surface import Added, Big, Name, Negated
from symbolic.reading.surface import Number as Figure
from symbolic.weights.letters import MOST_POSITIONS, free_letters, key
from symbolic.weights.names import UNIT, Env, Names
from symbolic.weights.tensors import Tensor, mapped, summed

__all__ = ["Sums"]


class Sums(Names):
    """Turns a sum into a tensor."""

    @abstractmethod
    def _setting(self, parts: tuple[Expression, ...]) -> Setting:
        """Find by how much the scores are multiplied before the exponential, and which rows add to 1."""

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
        if "·" in bound:
            bound["·"] = Index(next(letter for letter in "jklmn" if letter not in self.names), bound["·"].over)
        inner = {**env, **bound}
        body = self.tensor(node.body, inner)
        if halved:
            first, second = (inner[name] for name in pairs[0])
            self._check_symmetric(body, first, second)
            body = mapped(body, lambda x: Number(Fraction(1, 2)) * x)
        unlike: dict[str, list[Index]] = {letter: [] for letter in letters}
        for left, right in pairs:
            later = max((left, right), key=lambda name: letters.index(name) if name in letters else -1)
            other = right if later == left else left
            unlike[later].append(inner.get(other, Index(other)))
        for letter in reversed(letters):
            body = _summed_over(body, bound[letter], tuple(unlike[letter]))
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

    def _sum_of(self, tensor: Tensor) -> Tensor:
        while tensor.axes:
            tensor = summed(tensor)
        return tensor


def _summed_over(tensor: Tensor, index: Index, apart: tuple[Index, ...]) -> Tensor:
    return mapped(tensor, lambda x: Sum(index, x, apart))
