"""Values of expressions at exact points.

Nothing here is shared with normal_form: sums are looped over, averages visit every sign vector, and a derivative is
carried along as a slope.  Scores are logarithms of rationals, e_j = log(x_j)/scale, so that all weights are fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from symbolic.calculus import Setting
from symbolic.expressions import (
    Add,
    Delta,
    Dot,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Log,
    Mean,
    Mul,
    Number,
    OutsideClass,
    Partial,
    Power,
    Quotient,
    Root,
    Softmax,
    Sum,
    Symbol,
    Variance,
)
from symbolic.quantities import Exact, NotExact, Slope, Undefined, exp, log, raised

__all__ = ["Places", "Point", "evaluate"]

Key = tuple[str, tuple[int, ...]]
Places = Mapping[Index, int]


@dataclass(frozen=True, slots=True)
class Point:
    """Give everything a value: sizes, scalars, and entries by name and places from 1; weights are given as ("x", …)."""

    T: int = 1
    d: int = 1
    scalars: Mapping[str, Exact] = field(default_factory=dict)
    entries: Mapping[Key, Exact] = field(default_factory=dict)


def evaluate(expression: Expression, point: Point, places: Places, setting: Setting) -> Exact:
    """Return the value of an expression at a point, with its free indices at the places given."""
    return _Evaluation(point, setting, {}).value(expression, places)


class _Evaluation:
    """Evaluates at one point; `seeds` gives a slope to the variables that are being differentiated by."""

    def __init__(self, point: Point, setting: Setting, seeds: Mapping[Key, None]) -> None:
        self.point, self.setting, self.seeds = point, setting, seeds

    def value(self, expression: Expression, places: Places) -> Exact:
        def value(part: Expression) -> Exact:
            return self.value(part, places)

        def at(indices: tuple[Index, ...]) -> tuple[int, ...]:
            return tuple(int(i.name) if i.fixed else places[i] for i in indices)

        match expression:
            case Number(number):
                return number
            case Symbol(name):
                return self.symbol(name)
            case Entry(name, indices):
                return self.entry(name, at(indices))
            case Softmax(_, indices):
                return self.entry(self.setting.weights, at(indices))
            case Delta(left, right):
                return Fraction(at((left,)) == at((right,)))
            case Dot(left, right):
                return self.dot(left, right)
            case Add(terms):
                return _total(value(term) for term in terms)
            case Mul(factors):
                return _product(value(factor) for factor in factors)
            case Quotient(over, under):
                return _divided(value(over), value(under))
            case Power(base, exponent):
                power = value(exponent)
                if not isinstance(power, Fraction):
                    raise NotExact("an exponent is not a fraction")
                return raised(value(base), power)
            case Root(inside):
                return raised(value(inside), Fraction(1, 2))
            case Exp(inside):
                return exp(value(inside))
            case Log(inside):
                return log(value(inside))
            case Sum(index, body, unlike):
                left_out = at(unlike)
                size = self.point.T if index.over == "T" else self.point.d
                kept = (n for n in range(1, size + 1) if n not in left_out)
                return _total(self.value(body, {**places, index: n}) for n in kept)
            case Partial(of, by):
                key: Key = (by.name, at(by.indices)) if isinstance(by, Entry) else (by.name, ())
                return self.slope(of, key, places)
            case Gradient("L", "E", indices) if indices:
                return self.slope(Symbol("L"), (self.setting.scores, at(indices)), places)
            case Gradient("L", "A", indices) if indices:
                return self.entry(self.setting.upstream, at(indices))
            case Gradient("L", by_name, indices) if indices:
                return self.entry(f"dL/d{by_name}", at(indices))
            case Mean(inside):
                return self.mean(inside, places)
            case Variance(inside):
                return self.mean(inside**2, places) - raised(self.mean(inside, places), Fraction(2))
            case _:
                raise OutsideClass(f"{type(expression).__name__} has no value at a point")

    def slope(self, of: Expression, key: Key, places: Places) -> Exact:
        if self.seeds:
            raise NotExact("a derivative of a derivative is not evaluated")
        if of == Symbol("L"):
            row = key[1][:-1]
            upstream, weights = self.setting.upstream, self.setting.weights
            inner = _Evaluation(self.point, self.setting, {key: None})
            columns = range(1, self.point.T + 1)
            found = _total(inner.entry(upstream, (*row, m)) * inner.entry(weights, (*row, m)) for m in columns)
        else:
            found = _Evaluation(self.point, self.setting, {key: None}).value(of, places)
        return found.slope if isinstance(found, Slope) else Fraction(0)

    def seeded(self, key: Key, value: Exact) -> Exact:
        return Slope(value, Fraction(1)) if key in self.seeds else value

    def symbol(self, name: str) -> Exact:
        sizes = {"T": self.point.T, "d": self.point.d}
        if name == self.setting.scores:
            return self.dot("q", "k")
        if name not in self.point.scalars and name not in sizes:
            raise OutsideClass(f"{name} has no value at a point")
        value = self.point.scalars[name] if name in self.point.scalars else Fraction(sizes[name])
        return self.seeded((name, ()), value)

    def dot(self, left: str, right: str) -> Exact:
        return _total(self.entry(left, (r,)) * self.entry(right, (r,)) for r in range(1, self.point.d + 1))

    def entry(self, name: str, at: tuple[int, ...]) -> Exact:
        setting, entries = self.setting, self.point.entries
        if name == setting.weights and (name, at) not in self.seeds:
            row = [self.grown((*at[:-1], m)) for m in range(1, self.point.T + 1)]
            return row[at[-1] - 1] / _total(row)
        if name == setting.weights:
            plain = _Evaluation(self.point, setting, {}).entry(name, at)
            return Slope(plain, Fraction(1))
        if name == setting.scores and ("x", at) in entries:
            scale = _Evaluation(self.point, setting, {}).value(setting.scale, {})
            return self.seeded((name, at), log(entries["x", at]) / scale)
        if name == "t" and (name, at) not in entries:
            return self.entry("q", at) * self.entry("k", at)
        return self.seeded((name, at), self.given(name, at))

    def given(self, name: str, at: tuple[int, ...]) -> Exact:
        if (name, at) not in self.point.entries:
            raise NotExact("an entry has no value at this point")
        return self.point.entries[name, at]

    def grown(self, at: tuple[int, ...]) -> Exact:
        if not self.seeds:
            return self.given("x", at)
        return exp(self.entry(self.setting.scores, at) * self.value(self.setting.scale, {}))

    def mean(self, inside: Expression, places: Places) -> Exact:
        """Average over every sign vector of the random rows."""
        if self.setting.moments:
            raise NotExact("an average over coordinates given by their moments has no finite list to walk")
        coordinates = range(1, self.point.d + 1)
        keys: list[Key] = [(name, (r,)) for name in sorted(self.setting.random) for r in coordinates]
        values: list[Exact] = []
        for signs in product((Fraction(1), Fraction(-1)), repeat=len(keys)):
            entries = {**self.point.entries, **dict(zip(keys, signs, strict=True))}
            there = Point(self.point.T, self.point.d, self.point.scalars, entries)
            values.append(_Evaluation(there, self.setting, self.seeds).value(inside, places))
        return _total(values) / len(values)


def _total(values: Iterator[Exact] | list[Exact]) -> Exact:
    total: Exact = Fraction(0)
    for value in values:
        total = total + value
    return total


def _product(values: Iterator[Exact]) -> Exact:
    total: Exact = Fraction(1)
    for value in values:
        total = total * value
    return total


def _divided(over: Exact, under: Exact) -> Exact:
    bottom = under.value if isinstance(under, Slope) else under
    if bottom == 0:
        raise Undefined("a denominator is 0")
    return over / under
