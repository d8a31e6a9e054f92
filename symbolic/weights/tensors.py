"""Rows and matrices written without their indices: a tensor is an expression for each choice of indices.

Products of tensors become sums over an index, as a person works them out by hand: a aᵀ is a_i a_j, J g is Σ_l J_il g_l,
A ⊙ G is A_ij G_ij.  Shapes are followed, and what does not fit is refused with the shapes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symbolic.expressions import (
    Delta,
    Expression,
    Index,
    OutsideClass,
    Sum,
    free_indices,
    fresh,
)

__all__ = [
    "KEPT",
    "Tensor",
    "contracted",
    "diagonal",
    "elementwise",
    "mapped",
    "multiplied",
    "scalar",
    "summed",
    "transposed",
]

KEPT = ""  # an axis of length 1 that was kept: it fits every axis
Indices = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """An expression for each choice of indices; axes say what each runs over; a transposed row is `lying`."""

    axes: tuple[str, ...]
    at: Callable[[Indices], Expression]
    lying: bool = False

    def __str__(self) -> str:
        if not self.axes:
            return "a number"
        return f"a row of {self._size(0)}" if len(self.axes) == 1 else "a matrix " + self._shape()

    def _size(self, n: int) -> str:
        return self.axes[n] or "1"

    def _shape(self) -> str:
        return " × ".join(self._size(n) for n in range(len(self.axes)))


def scalar(expression: Expression) -> Tensor:
    """Return a number as a tensor without axes."""
    return Tensor((), lambda _: expression)


def mapped(tensor: Tensor, change: Callable[[Expression], Expression]) -> Tensor:
    """Change each entry alike."""
    return Tensor(tensor.axes, lambda at: change(tensor.at(at)), tensor.lying)


def elementwise(left: Tensor, right: Tensor, combine: Callable[[Expression, Expression], Expression]) -> Tensor:
    """Combine entry by entry; a number, a kept axis, or a row beside a matrix is spread, as NumPy does."""
    if len(left.axes) < len(right.axes):
        flipped = elementwise(right, left, lambda b, a: combine(a, b))
        return Tensor(flipped.axes, flipped.at, right.lying)
    lead = len(left.axes) - len(right.axes)
    axes = list(left.axes)
    for n, axis in enumerate(right.axes):
        here = axes[lead + n]
        if KEPT not in {here, axis} and here != axis:
            raise OutsideClass(f"{left} and {right} do not fit entry by entry")
        axes[lead + n] = here or axis
    return Tensor(tuple(axes), lambda at: combine(left.at(at), right.at(at[lead:])), left.lying)


def transposed(tensor: Tensor) -> Tensor:
    """Turn a matrix over; lay a row down, or stand it up again."""
    if len(tensor.axes) == 2:
        return Tensor(tensor.axes[::-1], lambda at: tensor.at(at[::-1]))
    return Tensor(tensor.axes, tensor.at, not tensor.lying) if tensor.axes else tensor


def summed(tensor: Tensor, axis: int = -1, *, keep: bool = False) -> Tensor:
    """Sum over one axis; a kept axis stays with length 1."""
    place = axis % len(tensor.axes)
    over = tensor.axes[place]
    rest = (*tensor.axes[:place], *((KEPT,) if keep else ()), *tensor.axes[place + 1 :])

    def entry(at: Indices) -> Expression:
        before, after = at[:place], at[place + keep :]
        index = _unused(over, at, tensor)
        return Sum(index, tensor.at((*before, index, *after))) if over else tensor.at((*before, Index("1"), *after))

    return Tensor(rest, entry, tensor.lying and bool(rest))


def contracted(left: Tensor, right: Tensor) -> Tensor:
    """Multiply and sum over the last axis of one and the first of the other."""
    if left.axes[-1] != right.axes[0]:
        raise OutsideClass(f"{left} and {right} cannot be multiplied: {left.axes[-1]} against {right.axes[0]}")
    head = len(left.axes) - 1

    def entry(at: Indices) -> Expression:
        index = _unused(left.axes[-1], at, left, right)
        return Sum(index, left.at((*at[:head], index)) * right.at((index, *at[head:])))

    lying = len(left.axes) == 1 and len(right.axes) == 2
    return Tensor((*left.axes[:-1], *right.axes[1:]), entry, lying)


def diagonal(tensor: Tensor) -> Tensor:
    """Put a row on the diagonal of a matrix; of a matrix, take the diagonal."""
    if len(tensor.axes) == 1:
        return Tensor(tensor.axes * 2, lambda at: Delta(at[0], at[1]) * tensor.at(at[:1]))
    if len(tensor.axes) == 2 and tensor.axes[0] == tensor.axes[1]:
        return Tensor(tensor.axes[:1], lambda at: tensor.at((at[0], at[0])))
    raise OutsideClass(f"diag is read of a row or of a square matrix (got {tensor})")


def multiplied(left: Tensor, right: Tensor, sign: str) -> Tensor:
    """Multiply as the sign says: ⊙, * and × entry by entry; @, · and nothing as matrices, rows and numbers."""
    if not left.axes or not right.axes or sign in {"*", "⊙", "×"}:
        return elementwise(left, right, lambda a, b: a * b)
    shapes = (len(left.axes), len(right.axes))
    if shapes == (1, 1):
        if sign == "@" and right.lying:
            raise OutsideClass("x.T of a row is the row itself in NumPy; write x[:, None] * x, or x xᵀ")
        inner = sign in {"·", "@"} or (left.lying and not right.lying) or left.axes == right.axes == ("d",)
        if not left.lying and right.lying and sign != "@":
            return Tensor(left.axes + right.axes, lambda at: left.at(at[:1]) * right.at(at[1:]))
        if inner:
            return contracted(left, right)
        raise OutsideClass("two rows stand side by side; write aᵀb for their inner product, a bᵀ or a ⊙ b")
    return contracted(left, right)


def _unused(over: str, at: Indices, *tensors: Tensor) -> Index:
    """Return an index that no part of the tensors uses."""
    taken = set(at)
    for tensor in tensors:
        probes = tuple(Index(f"probe{n}", axis or "T") for n, axis in enumerate(tensor.axes))
        taken |= free_indices(tensor.at(probes))
    return fresh(Index("r" if over == "d" else "l", over or "T"), frozenset(taken))
