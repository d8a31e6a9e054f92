"""Numbers, vectors and matrices whose entries are quotients of polynomials with indices: sums, products, transposes.

An axis is a free index; a product contracts two axes by giving them one name and summing over it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from symbolic.averages.deltas import settled
from symbolic.averages.quotients import Field, Quotient
from symbolic.expressions import Index, OutsideClass
from symbolic.polynomial import (
    Polynomial,
    mentions,
    plus,
    renamed_free,
    sum_over,
)

__all__ = ["Arrays", "Value"]


@dataclass(frozen=True, slots=True)
class Value:
    """A number, a vector (one axis) or a matrix (two); `row` says that a vector stands transposed."""

    value: Quotient
    axes: tuple[Index, ...] = ()
    row: bool = False


@dataclass(slots=True)
class Arrays:
    """The arithmetic of values; `width` is the range of a new axis, `fresh` counts the axes made."""

    numbers: Field
    width: str = "d"
    fresh: int = 0

    def _axis(self) -> Index:
        self.fresh += 1
        return Index(f"~{self.fresh}", self.width)

    def _scaled(self, value: Value, factor: Quotient) -> Value:
        return replace(value, value=self.numbers.multiply(value.value, factor))

    def moved(self, value: Value, axes: tuple[Index, ...]) -> Value:
        """Name the axes of a value anew."""
        over, under = value.value.over, value.value.under
        if any(mentions(under, at) for at in value.axes):
            raise OutsideClass("a division of vectors entry by entry is not read")
        for old, new in zip(value.axes, axes, strict=True):
            over = renamed_free(over, old, new, self.numbers.rules)
        return replace(value, value=Quotient(over, under), axes=axes)

    def _product(self, left: Value, right: Value, sign: str, at: int) -> Value:
        if not left.axes or not right.axes:
            value = self.numbers.multiply(left.value, right.value)
            holder = left if left.axes else right
            return Value(value, holder.axes, holder.row)
        if sign in ("⊙", "*"):
            if len(left.axes) != len(right.axes):
                raise OutsideClass(f"a product entry by entry needs two of one shape (at {at})")
            moved = self.moved(right, left.axes)
            return replace(left, value=self.numbers.multiply(left.value, moved.value))
        if len(left.axes) == len(right.axes) == 1:
            if (left.row and not right.row) or sign in ("·", "@"):
                return self._dot(left, right)
            if right.row and not left.row:
                return Value(self.numbers.multiply(left.value, right.value), (*left.axes, *right.axes))
            raise OutsideClass(f"two vectors side by side are read with ·, with ᵀ or in ⟨, ⟩ (at {at})")
        return self._contracted(left, right)

    def _contracted(self, left: Value, right: Value) -> Value:
        joint, fresh = left.axes[-1], tuple(self._axis() for _ in right.axes[1:])
        moved = self.moved(right, (joint, *fresh))
        product = self.numbers.multiply(left.value, moved.value)
        over = self._summed(joint, product.over)
        axes = (*left.axes[:-1], *fresh)
        return Value(Quotient(over, product.under), axes, row=left.row and len(axes) == 1)

    def _dot(self, left: Value, right: Value) -> Value:
        if len(left.axes) != 1 or len(right.axes) != 1:
            raise OutsideClass("an inner product is of two vectors")
        return self._contracted(left, right)

    def _summed(self, index: Index, value: Polynomial) -> Polynomial:
        """Sum over an index, a delta picking its one term."""
        rest: Polynomial = {}
        total: Polynomial = {}
        for term, c in settled(value, self.numbers.rules).items():
            deltas = [f for f in term.entries if f[0] == "δ" and index in f[1]]
            if not deltas:
                rest[term] = c
                continue
            other = next(at for at in deltas[0][1] if at != index)
            left = {term._replace(entries=tuple(f for f in term.entries if f != deltas[0])): c}
            total = plus(total, renamed_free(left, index, other, self.numbers.rules))
        return plus(settled(total, self.numbers.rules), sum_over(index, rest, self.numbers.rules))

    def _transposed(self, value: Value) -> Value:
        if len(value.axes) == 2:
            return replace(value, axes=value.axes[::-1])
        return replace(value, row=not value.row)

    def _powered_value(self, value: Value, exponent: Fraction, at: int) -> Value:
        if exponent == 1:
            return value
        if len(value.axes) == 2 and exponent.denominator == 1 and 0 < exponent < 5:
            result = value
            for _ in range(int(exponent) - 1):
                fresh = self._axis(), self._axis()
                result = self._contracted(result, self.moved(value, fresh))
            return result
        if len(value.axes) == 1 and exponent == 2:
            return self._dot(value, value)
        if value.axes:
            raise OutsideClass(f"this power of a vector or a matrix is not read (at {at})")
        return Value(self.numbers.power(value.value, exponent))

    def _square_norm(self, value: Value) -> Quotient:
        if len(value.axes) == 1:
            return self._dot(value, value).value
        if len(value.axes) == 2:
            square = self.numbers.multiply(value.value, value.value).over
            for axis in value.axes:
                square = self._summed(axis, square)
            return Quotient(square, self.numbers.product(value.value.under, value.value.under))
        return self.numbers.multiply(value.value, value.value)

    def _norm(self, value: Value) -> Quotient:
        return self.numbers.power(self._square_norm(value), Fraction(1, 2))

    def _diagonal(self, value: Value) -> Quotient:
        rows, columns = value.axes
        over: Polynomial = {}
        for term, c in value.value.over.items():
            deltas = tuple(f for f in term.entries if f[0] == "δ" and set(f[1]) == {rows, columns})
            left = {term._replace(entries=tuple(f for f in term.entries if f not in deltas)): c}
            over = plus(over, renamed_free(left, columns, rows, self.numbers.rules))
        return Quotient(over, value.value.under)
