"""The words that formulas are made of: small frozen classes, with the operators a person writes.

A formula is written once, out of these.  LaTeX and plain text are printed from them (latex, plain), equality is
decided on them (normal_form), values are computed from them (points).  Nothing is reordered or simplified here: what a
person wrote is what is printed.  Standard library only.

>>> j, l = Index("j"), Index("l")
>>> Entry("a", (j,)) * (1 - Entry("a", (j,)))
Mul(factors=(Entry(name='a', indices=(Index(name='j', over='T'),)), Add(terms=(Number(value=Fraction(1, 1)), ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import TypeAlias

__all__ = [
    "Add",
    "Delta",
    "Dot",
    "Entry",
    "Exp",
    "Expression",
    "Gradient",
    "Index",
    "Limit",
    "Log",
    "Matrix",
    "Mean",
    "Mul",
    "Number",
    "OutsideClass",
    "Partial",
    "Power",
    "Prime",
    "Quotient",
    "Root",
    "Softmax",
    "Sum",
    "Symbol",
    "Transpose",
    "Variance",
    "as_expression",
    "free_indices",
    "fresh",
    "negative",
    "rebuilt",
    "renamed",
    "walk",
]

Like: TypeAlias = "Expression | int | Fraction"


class OutsideClass(ValueError):
    """An expression lies outside what can be decided; the message says which part, and what is accepted."""


@dataclass(frozen=True, slots=True, order=True)
class Index:
    """Name an index over positions ("T") or coordinates ("d"); a name of digits is one fixed place, from 1."""

    name: str
    over: str = "T"

    @property
    def fixed(self) -> bool:
        """Say whether the index is a number, counted from 1, rather than a letter."""
        return self.name.isdigit()


class Expression:
    """Lend the arithmetic operators to every class below; the operands stay in the order written."""

    __slots__: tuple[str, ...] = ()

    def __add__(self, other: Like) -> Expression:
        return Add((*_terms(self), *_terms(as_expression(other))))

    def __radd__(self, other: Like) -> Expression:
        return as_expression(other) + self

    def __sub__(self, other: Like) -> Expression:
        return Add((*_terms(self), -as_expression(other)))

    def __rsub__(self, other: Like) -> Expression:
        return as_expression(other) - self

    def __neg__(self) -> Expression:
        if isinstance(self, Number):
            return Number(-self.value)
        if isinstance(self, Mul) and isinstance(self.factors[0], Number):
            value = -self.factors[0].value
            rest = self.factors[1:]
            return _product(rest) if value == 1 else Mul((Number(value), *rest))
        return Mul((Number(Fraction(-1)), *_factors(self)))

    def __mul__(self, other: Like) -> Expression:
        right = as_expression(other)
        return Mul((*_factors(self), *((right,) if negative(right) else _factors(right))))

    def __rmul__(self, other: Like) -> Expression:
        return as_expression(other) * self

    def __truediv__(self, other: Like) -> Expression:
        return Quotient(self, as_expression(other))

    def __rtruediv__(self, other: Like) -> Expression:
        return as_expression(other) / self

    def __pow__(self, other: Like) -> Expression:
        return Power(self, as_expression(other))


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """Stand for a rational constant."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol(Expression):
    """Stand for a positive scalar such as T, d, β; or for a score e, a loss L, a constant c of any sign."""

    name: str


@dataclass(frozen=True, slots=True)
class Entry(Expression):
    """Stand for one entry of a row or a matrix: a_j, g_l, q_r, a_ij, K_jr."""

    name: str
    indices: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Delta(Expression):
    """Stand for 1 where two indices agree and 0 elsewhere; printed δ_jl, or [j = l] with bracket."""

    left: Index
    right: Index
    bracket: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Dot(Expression):
    """Stand for the inner product of two rows of coordinates, q·k = Σ_r q_r k_r."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Add(Expression):
    """Add terms, in the order written; a term taken away carries a leading −1."""

    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Mul(Expression):
    """Multiply factors, in the order written (which matters where they are matrices)."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Expression):
    """Divide one expression by another."""

    over: Expression
    under: Expression


@dataclass(frozen=True, slots=True)
class Power(Expression):
    """Raise an expression to a power."""

    base: Expression
    exponent: Expression


@dataclass(frozen=True, slots=True)
class Root(Expression):
    """Take the positive square root."""

    inside: Expression


@dataclass(frozen=True, slots=True)
class Exp(Expression):
    """Take the exponential."""

    inside: Expression


@dataclass(frozen=True, slots=True)
class Log(Expression):
    """Take the natural logarithm."""

    inside: Expression


@dataclass(frozen=True, slots=True)
class Softmax(Expression):
    """Stand for the weight that softmax gives to one position of a row of scores, softmax(e)_j."""

    scores: str
    indices: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Sum(Expression):
    """Sum over every value of an index, except where it equals one of the indices in `unlike`."""

    index: Index
    body: Expression
    unlike: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Mean(Expression):
    """Average over all keys, with the query fixed: E[·]."""

    inside: Expression


@dataclass(frozen=True, slots=True)
class Variance(Expression):
    """Take the variance over all keys, E[(· − E[·])²]."""

    inside: Expression


@dataclass(frozen=True, slots=True)
class Partial(Expression):
    """Differentiate partially with respect to an entry or a scalar."""

    of: Expression
    by: Entry | Symbol


@dataclass(frozen=True, slots=True)
class Prime(Expression):
    """Differentiate a function of one variable: σ'."""

    of: Symbol


@dataclass(frozen=True, slots=True)
class Gradient(Expression):
    """Stand for the gradient of a loss by a matrix, dL/dE; with indices, for one entry of it, (dL/dE)_ij."""

    of: str
    by: str
    indices: tuple[Index, ...] = ()


@dataclass(frozen=True, slots=True)
class Matrix(Expression):
    """Stand for a whole matrix."""

    name: str


@dataclass(frozen=True, slots=True)
class Transpose(Expression):
    """Turn a matrix over its diagonal."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Limit(Expression):
    """Take the limit as an entry tends to a value."""

    of: Expression
    variable: Entry
    value: Number


def as_expression(value: Like) -> Expression:
    """Return an expression as it is, and an integer or a fraction as a Number."""
    return value if isinstance(value, Expression) else Number(Fraction(value))


def _terms(expression: Expression) -> tuple[Expression, ...]:
    return expression.terms if isinstance(expression, Add) else (expression,)


def _factors(expression: Expression) -> tuple[Expression, ...]:
    return expression.factors if isinstance(expression, Mul) else (expression,)


def negative(expression: Expression) -> bool:
    """Say whether an expression is written with a minus before it."""
    first = expression.factors[0] if isinstance(expression, Mul) else expression
    return isinstance(first, Number) and first.value < 0


def _product(factors: tuple[Expression, ...]) -> Expression:
    return factors[0] if len(factors) == 1 else Mul(factors)


def children(expression: Expression) -> Iterator[Expression]:
    """Yield the expressions directly inside one."""
    for name in expression.__slots__:
        value = getattr(expression, name)
        if isinstance(value, Expression):
            yield value
        elif isinstance(value, tuple):
            yield from (part for part in value if isinstance(part, Expression))


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and everything inside it, outermost first."""
    stack = [expression]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(children(here))


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with `change` made to each expression directly inside it."""
    changed: dict[str, object] = {}
    for name in expression.__slots__:
        value = getattr(expression, name)
        if isinstance(value, Expression):
            changed[name] = change(value)
        elif isinstance(value, tuple) and any(isinstance(part, Expression) for part in value):
            changed[name] = tuple(change(part) for part in value)
    return replace(expression, **changed) if changed else expression  # type: ignore[type-var]


def _own_indices(expression: Expression) -> tuple[Index, ...]:
    match expression:
        case Entry(_, indices) | Softmax(_, indices) | Gradient(_, _, indices):
            return indices
        case Delta(left, right):
            return (left, right)
        case Sum(_, _, unlike):
            return unlike
        case _:
            return ()


@cache
def free_indices(expression: Expression) -> frozenset[Index]:
    """Return the indices that no sum inside the expression binds; fixed places count as free.

    >>> l = Index("l")
    >>> free_indices(Sum(l, Entry("a", (l,)), unlike=(Index("j"),)))
    frozenset({Index(name='j', over='T')})
    """
    found = frozenset(_own_indices(expression)).union(*map(free_indices, children(expression)))
    if not isinstance(expression, Sum):
        return found
    return (free_indices(expression.body) - {expression.index}) | frozenset(expression.unlike)


def fresh(index: Index, taken: frozenset[Index]) -> Index:
    """Return the index, primed as often as it takes to stay clear of those taken."""
    while index in taken:
        index = replace(index, name=index.name + "'")
    return index


def renamed(expression: Expression, change: Mapping[Index, Index]) -> Expression:
    """Return the expression with free indices renamed; bound ones step aside where they would capture.

    >>> j, l = Index("j"), Index("l")
    >>> renamed(Sum(l, Entry("G", (j, l))), {j: l}).index.name
    "l'"
    """
    change = {old: new for old, new in change.items() if old != new and old in free_indices(expression)}
    if not change:
        return expression

    def to(indices: tuple[Index, ...]) -> tuple[Index, ...]:
        return tuple(change.get(index, index) for index in indices)

    match expression:
        case Entry(_, indices) | Softmax(_, indices) | Gradient(_, _, indices):
            return replace(expression, indices=to(indices))
        case Delta(left, right, bracket):
            return Delta(change.get(left, left), change.get(right, right), bracket)
        case Sum(index, body, unlike):
            bound = fresh(index, frozenset(change.values()) | (free_indices(body) - {index}))
            inner = {**{old: new for old, new in change.items() if old != index}, index: bound}
            return Sum(bound, renamed(body, inner), to(unlike))
        case _:
            return rebuilt(expression, lambda part: renamed(part, change))
