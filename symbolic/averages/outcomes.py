"""A claim's value by visiting every outcome: the second route, which shares no code with the polynomials.

A tree is computed at one small width, with numbers for its letters, and E walks through all outcomes of finite laws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import comb, factorial, isqrt, prod
from typing import Any, TypeAlias

from exact.coordinates import Finite
from symbolic.averages.roles import base_name
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Divided,
    Indexed,
    Inner,
    Iverson,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Number,
    Raised,
    Related,
    Root,
    Transposed,
    walk,
)

__all__ = ["NotCounted", "Table", "Values", "computed", "drawn_from"]

OUTCOME_LIMIT = 4096
Values: TypeAlias = Any  # a Fraction, a list of them for a vector, a list of lists for a matrix


class NotCounted(Exception):
    """A tree is not computed outcome by outcome here: too many outcomes, an irrational number, a part not read."""


@dataclass(frozen=True, slots=True)
class Table:
    """Numbers for every letter at one width; `laws` of what is random, `drawn` their values in one outcome."""

    width: int
    letters: Mapping[str, Fraction] = field(default_factory=dict)
    arrays: Mapping[str, Values] = field(default_factory=dict)
    laws: Mapping[str, Finite] = field(default_factory=dict)
    vectors: frozenset[str] = frozenset()
    drawn: Mapping[str, Values] = field(default_factory=dict)
    score: tuple[str, str] = ("q", "k")
    summand: str = "X"
    visited: list[int] = field(default_factory=list)


def computed(node: Node, table: Table) -> Fraction:
    """Return the value of a tree that is a number; NotCounted where it is not computed here."""
    found: Values = _of(node, table)
    if not isinstance(found, Fraction):
        raise NotCounted("a number is expected")
    return found


def _of(node: Node, t: Table) -> Values:
    match node:
        case Number():
            return node.value
        case Name():
            return _name(node, t)
        case Negated():
            return _map(_of(node.of, t), Fraction(-1))
        case Added():
            return _added(node, t)
        case Multiplied():
            total = _of(node.factors[0], t)
            row = isinstance(node.factors[0], Transposed)
            for sign, factor in zip(node.signs, node.factors[1:], strict=True):
                total, row = _times(total, row, _of(factor, t), isinstance(factor, Transposed), sign)
            return total
        case Divided():
            under = computed(node.under, t)
            if not under:
                raise NotCounted("a division by 0")
            return _map(_of(node.over, t), 1 / under)
        case Raised():
            return _raised(node, t)
        case Root():
            return _root(computed(node.of, t), 2 if node.degree is None else int(computed(node.degree, t)))
        case Transposed():
            value = _of(node.of, t)
            return [list(each) for each in zip(*value, strict=True)] if _is_matrix(value) else value
        case Inner():
            return _dot(_of(node.left, t), _of(node.right, t))
        case Absolute():
            value = _of(node.of, t)
            return abs(value) if isinstance(value, Fraction) else _root(_square(value), 2)
        case Normed():
            return _root(_square(_of(node.of, t)), 2)
        case Indexed():
            inner = node.of
            if isinstance(inner, Multiplied) and len(inner.factors) == 2 and isinstance(inner.factors[1], Transposed):
                rows = _of(inner.factors[0], t), _of(inner.factors[1].of, t)
                if not any(_is_matrix(row) for row in rows):  # rows i and j of the queries and keys: a score
                    return _dot(*rows)
            value = _of(inner, t)
            for at in node.indices:
                if isinstance(value, list):
                    place = int(computed(at, t))
                    if not 1 <= place <= len(value):
                        raise NotCounted("an index outside the range")
                    value = value[place - 1]
            return value
        case Iverson():
            return Fraction(_true(node.condition, t))
        case Big():
            return _big(node, t)
        case Called():
            return _called(node, t)
    raise NotCounted(type(node).__name__)


def _name(node: Name, t: Table) -> Values:
    key = base_name(node)
    value = t.drawn.get(key, t.arrays.get(key))
    if value is None and key in t.laws:
        raise NotCounted(f"{key} is random")
    if value is None and key == "e" and "e" not in t.letters:
        return _dot(_letter(t.score[0], t), _letter(t.score[1], t))
    if value is None and key == "t" and node.subscripts and "t" not in t.letters:
        r = _place(node.subscripts[0], t)
        pair = [_letter(name, t) for name in t.score]
        if not all(isinstance(x, list) and 1 <= r <= len(x) for x in pair):
            raise NotCounted("an index outside the range")
        return prod((x[r - 1] for x in pair if isinstance(x, list)), start=Fraction(1))
    if value is None and key == "S" and "S" not in t.letters:
        count = int(computed(node.subscripts[0], t)) if node.subscripts else t.width
        values = _letter(t.summand, t)
        if not isinstance(values, list) or count > len(values):
            raise NotCounted("a sum of more terms than there are")
        return sum(values[:count], Fraction(0))
    if value is not None:
        for sub in node.subscripts[-1:] if not _is_matrix(value) else node.subscripts:
            place = _place(sub, t)
            if not isinstance(value, list) or not 1 <= place <= len(value):
                raise NotCounted("an index outside the range")
            value = value[place - 1]
        return value
    if key == "δ" and len(node.subscripts) == 2:
        return Fraction(_place(node.subscripts[0], t) == _place(node.subscripts[1], t))
    spelled = key + "".join("_" + base_name(s) for s in node.subscripts if isinstance(s, Name))
    if spelled in t.letters:
        return t.letters[spelled]
    raise NotCounted(f"{spelled} has no number")


def _letter(name: str, t: Table) -> Values:
    return _name(Name(name), t)


def _place(node: Node, t: Table) -> int:
    return int(computed(node, t))


def _added(node: Added, t: Table) -> Values:
    if any(isinstance(term, Name) and term.letter in ("…", "⋯", "...") for term in node.terms):
        last = node.terms[-1]
        if not isinstance(last, Name) or len(node.terms) < 3:
            raise NotCounted("…")
        values = _letter(base_name(last), t)
        return sum(values[: _place(last.subscripts[0], t)], Fraction(0))
    total = _of(node.terms[0], t)
    for term in node.terms[1:]:
        total = _plus(total, _of(term, t))
    return total


def _plus(a: Values, b: Values) -> Values:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [_plus(x, y) for x, y in zip(a, b, strict=True)]
    raise NotCounted("a number and a list are added")


def _map(a: Values, factor: Fraction) -> Values:
    return a * factor if isinstance(a, Fraction) else [_map(x, factor) for x in a]


def _times(a: Values, row: bool, b: Values, column_turned: bool, sign: str) -> tuple[Values, bool]:
    if isinstance(a, Fraction):
        return _map(b, a), column_turned
    if isinstance(b, Fraction):
        return _map(a, b), row
    if sign in ("⊙", "*"):
        return [_times(x, False, y, False, sign)[0] for x, y in zip(a, b, strict=True)], row
    if _is_matrix(a) and _is_matrix(b):
        columns = list(zip(*b, strict=True))
        return [[_dot(x, list(y)) for y in columns] for x in a], False
    if _is_matrix(a):
        return [_dot(x, b) for x in a], False
    if _is_matrix(b):
        return [_dot(a, list(y)) for y in zip(*b, strict=True)], True
    if column_turned and not row and sign == "":
        return [[x * y for y in b] for x in a], False
    return _dot(a, b), False


def _dot(a: Values, b: Values) -> Fraction:
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
        raise NotCounted("an inner product of two lists of one length is expected")
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def _is_matrix(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], list)


def _square(value: Values) -> Fraction:
    return value**2 if isinstance(value, Fraction) else sum((_square(x) for x in value), Fraction(0))


def _root(value: Fraction, degree: int) -> Fraction:
    if degree == 2 and value >= 0:
        top, bottom = isqrt(value.numerator), isqrt(value.denominator)
        if top * top == value.numerator and bottom * bottom == value.denominator:
            return Fraction(top, bottom)
    raise NotCounted("an irrational root")


def _raised(node: Raised, t: Table) -> Values:
    exponent = computed(node.exponent, t)
    if exponent.denominator != 1 or abs(exponent) > 64:
        raise NotCounted("a power that is no small whole number")
    if isinstance(node.base, Normed | Root) and exponent == 2:
        return _square(_of(node.base.of, t)) if isinstance(node.base, Normed) else computed(node.base.of, t)
    base = _of(node.base, t)
    if _is_matrix(base):
        result = base
        for _ in range(int(exponent) - 1):
            result, _ = _times(result, False, base, False, "")
        return result
    if isinstance(base, list):
        if exponent == 2:
            return _square(base)
        raise NotCounted("a power of a list")
    if exponent < 0 and not base:
        raise NotCounted("a division by 0")
    return base ** int(exponent)


def _big(node: Big, t: Table) -> Values:
    low = 1 if node.lower is None else _place(node.lower, t)
    high = t.width if node.upper is None else _place(node.upper, t)
    if high - low > 200:
        raise NotCounted("a long sum")
    total = Fraction(0 if node.kind == "sum" else 1)
    for places in product(range(low, high + 1), repeat=len(node.indices)):
        chosen = {i.letter: Fraction(n) for i, n in zip(node.indices, places, strict=True)}
        inner = replace(t, letters={**t.letters, **chosen})
        if all(_true(condition, inner) for condition in node.conditions):
            value = computed(node.body, inner)
            total = total + value if node.kind == "sum" else total * value
    return total


def _true(condition: Related, t: Table) -> bool:
    values = [computed(part, t) for part in condition.parts]
    tests = {"=": lambda a, b: a == b, "≠": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
             "≤": lambda a, b: a <= b, "≥": lambda a, b: a >= b}  # fmt: skip
    return all(tests[r](a, b) for a, r, b in zip(values, condition.relations, values[1:], strict=False))


def _called(node: Called, t: Table) -> Values:
    name, given = node.function, node.arguments
    if name in ("P", "Pr"):
        return _probability(node, t)
    if name == "E" and len(given) == 1:
        return _mean(given[0], node, t)
    if name in ("Var", "Cov"):
        left, right = given[0], given[-1]
        both = _mean(Multiplied((left, right), ("",)), node, t)
        return both - _mean(left, node, t) * _mean(right, node, t)
    if name in ("Std", "SD"):
        return _root(_mean(Multiplied((given[0],) * 2, ("",)), node, t) - _mean(given[0], node, t) ** 2, 2)
    if name in ("tr", "trace"):
        value = _of(given[0], t)
        return sum((row[i] for i, row in enumerate(value)), Fraction(0)) if _is_matrix(value) else value
    if name == "diag":
        value = _of(given[0], t)
        if _is_matrix(value):
            return [row[i] for i, row in enumerate(value)]
    if name in ("binomial", "binom", "C") and len(given) == 2:
        n, k = (computed(each, t) for each in given)
        if n > 2000:
            raise NotCounted("a large binomial")
        if n.denominator != 1 or k.denominator != 1 or n < 0:
            return Fraction(0) if k.denominator != 1 else _not_counted()
        if n > 10_000:
            raise NotCounted("a large binomial")
        return Fraction(comb(int(n), int(k)) if k >= 0 else 0)
    if name == "factorial":
        n = computed(given[0], t)
        return Fraction(factorial(int(n))) if n.denominator == 1 and 0 <= n <= 500 else _not_counted()
    if name == "floor":
        value = computed(given[0], t)
        return Fraction(value.numerator // value.denominator)
    if name in ("Abs", "abs"):
        return abs(computed(given[0], t))
    raise NotCounted(name)


def _probability(node: Called, t: Table) -> Fraction:
    """Return how likely all events are, where those after the bar are."""
    if not all(isinstance(event, Related) for event in (*node.arguments, *node.given)):
        raise NotCounted("an event that is no equation or inequality")
    both = under = Fraction(0)
    for weight, drawn in drawn_from(t, frozenset(t.laws)):
        t.visited.append(1)
        here = replace(t, drawn={**t.drawn, **drawn})
        if all(_true(event, here) for event in node.given if isinstance(event, Related)):
            under += weight
            both += weight * all(_true(event, here) for event in node.arguments if isinstance(event, Related))
    if not under:
        raise NotCounted("a condition that never holds")
    return both / under


def _not_counted() -> Fraction:
    raise NotCounted("a binomial or a factorial outside its range")


def _mean(inside: Node, node: Called, t: Table) -> Fraction:
    held = {base_name(n) for g in node.given for n in walk(g) if isinstance(n, Name)}
    total = Fraction(0)
    for weight, drawn in drawn_from(t, frozenset(t.laws) - held):
        t.visited.append(1)
        total += weight * computed(inside, replace(t, drawn={**t.drawn, **drawn}))
    return total


def drawn_from(t: Table, names: frozenset[str]) -> Iterator[tuple[Fraction, dict[str, Values]]]:
    """Yield every outcome of the names given, with its weight; NotCounted where there are too many."""
    listed = sorted(names)
    slots = [(name, t.width if name in t.vectors else 1) for name in listed]
    if prod(len(t.laws[name].atoms) ** count for name, count in slots) > OUTCOME_LIMIT:
        raise NotCounted("too many outcomes")
    for draws in product(*(product(t.laws[name].atoms, repeat=count) for name, count in slots)):
        weight = prod((w for draw in draws for _, w in draw), start=Fraction(1))
        drawn: dict[str, Values] = {
            name: [x for x, _ in draw] if name in t.vectors else draw[0][0]
            for name, draw in zip(listed, draws, strict=True)
        }
        yield weight, drawn
