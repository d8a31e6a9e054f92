"""What a letter of a claim about averages stands for: a vector, an entry, a matrix, a score, a sum of terms."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.averages.arrays import Arrays, Value
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.roles import Roles, base_name
from symbolic.averages.writing import plain, text
from symbolic.expressions import Index, OutsideClass
from symbolic.polynomial import ONE, constant, entry, plus, scalar, sum_over
from symbolic.reading.surface import Name, Node, Number, Related

__all__ = ["WRITTEN_OUT", "Letters"]

WRITTEN_OUT = 5


@dataclass(slots=True, kw_only=True)
class Letters(Arrays):
    """Reads names, indices and definitions; the rules for what is made of them are in a subclass."""

    roles: Roles
    assumptions: Assumptions
    definitions: Mapping[str, Node] = field(default_factory=dict)
    same: Mapping[str, str] = field(default_factory=dict)
    ranges: dict[str, Quotient] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)

    @abstractmethod
    def of(self, node: Node) -> Value:
        """Return the value of a tree."""

    @abstractmethod
    def number(self, node: Node) -> Quotient:
        """Return the value of a tree that is a number."""

    def _name(self, node: Name) -> Value:
        key = self.same.get(base_name(node), base_name(node))
        if key in self.definitions and not node.subscripts:
            return self.of(self.definitions[key])
        if key not in self.roles.random | self.roles.vectors:
            if key == "e":
                return self._dot(self._vector(self.roles.score[0]), self._vector(self.roles.score[1]))
            if key == "t" and len(node.subscripts) == 1:
                q, k = (self._entry(n, node.subscripts) for n in self.roles.score)
                return Value(self.numbers.multiply(q, k))
            if key == "S" and len(node.subscripts) < 2:
                return Value(self._partial_sum(node))
        if key in self.roles.matrices:
            if len(node.subscripts) == 2:
                return Value(self._matrix_entry(key, *(self._index(sub) for sub in node.subscripts)))
            rows, columns = self._axis(), self._axis()
            return Value(self._matrix_entry(key, rows, columns), (rows, columns))
        hatted = key.endswith("̂") and key not in self.roles.random
        if hatted and not node.subscripts:
            inside = self._vector(node.letter)
            norm = self.numbers.power(self._dot(inside, inside).value, Fraction(1, 2))
            return self._scaled(inside, self.numbers.divide(quotient(1), norm))
        if key in self.roles.vectors:
            return Value(self._entry(key, node.subscripts)) if node.subscripts else self._vector(key)
        if key in ("μ", "θ") and self._spelled(node) in self.roles.means:
            axis = self._axis()
            return Value(quotient(entry(self._spelled(node), (axis,))), (axis,))
        if key == "Σ":
            rows, columns = self._axis(), self._axis()
            return Value(self._matrix_entry(self._spelled(node), rows, columns), (rows, columns))
        if key == "δ" and len(node.subscripts) == 2:
            return Value(self._iverson(Related(node.subscripts, ("=",), node.at)))
        if key in self.roles.random and key not in self.roles.vectors and not node.subscripts:
            return Value(quotient(scalar(key)))
        if node.letter in self.bound and not node.subscripts:
            raise OutsideClass(f"the index {node.letter} stands as a number (at {node.at})")
        if node.letter == "σ" and node.letter in self.roles.scaled:
            return Value(quotient(entry("σ", (self._index(node.subscripts[0]),))))
        return Value(quotient(scalar(self._spelled(node))))

    def _spelled(self, node: Name) -> str:
        below = ",".join(self._spelled(s) if isinstance(s, Name) else text(self.number(s)) for s in node.subscripts)
        return f"{base_name(node)}_{below}" if below else base_name(node)

    def _vector(self, name: str) -> Value:
        axis = self._axis()
        return Value(self._coordinate(self.same.get(name, name), axis), (axis,))

    def _entry(self, name: str, subscripts: tuple[Node, ...]) -> Quotient:
        at = subscripts[-1] if len(subscripts) == 2 else subscripts[0]  # row i of a matrix of queries, coordinate r
        return self._coordinate(self.same.get(name, name), self._index(at))

    def _coordinate(self, name: str, at: Index) -> Quotient:
        value = entry(name, (at,))
        if name in self.roles.random:
            if self.roles.scaled:
                value = self.numbers.product(value, entry("σ", (at,)))
            mean = next((m for m in (f"μ_{name}", f"θ_{name}", "μ", "θ") if m in self.roles.means), "")
            if mean:
                value = plus(value, entry(mean, (at,)))
        return quotient(value)

    def _matrix_entry(self, name: str, row: Index, column: Index) -> Quotient:
        if name == "I":
            return self._delta(row, column)
        if name[0] == "Σ" or self.assumptions.symmetric:
            both = plus(entry(name, (row, column)), entry(name, (column, row)))
            return quotient(self.numbers.product(constant(Fraction(1, 2)), both))
        return quotient(entry(name, (row, column)))

    def _delta(self, row: Index, column: Index) -> Quotient:
        return quotient(ONE if row == column else entry("δ", (row, column)))

    def _iverson(self, condition: Related) -> Quotient:
        if condition.relations not in (("=",), ("≠",)):
            raise OutsideClass(f"a bracket is read with = or ≠ between two indices (at {condition.at})")
        same = self._delta(*(self._index(part) for part in condition.parts))
        return same if condition.relations == ("=",) else self.numbers.subtract(quotient(1), same)

    def _index(self, node: Node) -> Index:
        if isinstance(node, Number) and node.value.denominator == 1 and node.value >= 0:
            return Index(str(node.value), self.roles.width)
        if isinstance(node, Name) and not node.subscripts:
            letter = self.same.get("=" + node.letter, node.letter)
            if letter.isdigit():
                return Index(letter, self.roles.width)
            return Index(letter, self.bound.get(letter, self.roles.width))
        raise OutsideClass(f"an index is a letter or a number (at {node.at})")

    def _partial_sum(self, node: Name) -> Quotient:
        over = self.roles.width
        if node.subscripts:
            count = as_number(self.number(node.subscripts[0]))
            if count is not None and count.denominator == 1 and 1 <= count <= WRITTEN_OUT:
                places = (Index(str(i), over) for i in range(1, int(count) + 1))
                return quotient(plus(*(self._coordinate(self.roles.summand, at).over for at in places)))
            over = self._range(node.subscripts[0])
        index = Index("i~", over)
        body = self._coordinate(self.roles.summand, index).over
        return quotient(sum_over(index, body, self.numbers.rules))

    def _range(self, node: Node) -> str:
        """Name the range 1 … node of an index."""
        count = self.number(node)
        name = plain(count.over) if count.under == ONE else text(count)
        if name != self.roles.width:
            self.ranges[name] = count
        return name
