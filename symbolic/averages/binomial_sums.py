"""Sums with a binomial in closed form, by the binomial theorem in falling factorials.

Σ_k k(k − 1)…(k − j + 1)·C(M, k)·x^k = M(M − 1)…(M − j + 1)·x^j·(1 + x)^(M − j), and a polynomial in k is a sum of
falling factorials.  With x = −1 the sum is 0 as soon as M is above the degree; `left_out` says where it may not be.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from symbolic.averages.hypergeometric import Form, Reader, Sum, difference, linear, powers_of
from symbolic.averages.points import Point, letters_of, placed
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.expressions import OutsideClass
from symbolic.polynomial import Polynomial, Term, constant, plus, scalar
from symbolic.reading.surface import (
    Added,
    Big,
    Divided,
    Multiplied,
    Negated,
    Node,
    Number,
    walk,
)

__all__ = ["Closed", "close"]


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed form, and where it may fail: `left_out` are linear forms with the values at which it is not proved."""

    value: Sum
    left_out: tuple[tuple[Form, Fraction, int], ...] = ()


def close(node: Node, reader: Reader) -> Closed:
    """Return a tree in closed form, its sums by the binomial theorem."""
    if not any(isinstance(part, Big) for part in walk(node)):
        return Closed(reader.of(node))
    if isinstance(node, Big):
        return _closed_sum(node, reader)
    if isinstance(node, Negated):
        inner = close(node.of, reader)
        return Closed(reader.times(inner.value, reader.of(Number(Fraction(-1)))), inner.left_out)
    if isinstance(node, Added):
        total: Sum = {}
        left_out: tuple[tuple[Form, Fraction, int], ...] = ()
        for term in node.terms:
            inner = close(term, reader)
            minus_inner = reader.times(inner.value, reader.of(Number(Fraction(-1))))
            total, left_out = difference(total, minus_inner, reader.numbers), (*left_out, *inner.left_out)
        return Closed(total, left_out)
    if isinstance(node, Multiplied):
        product_ = reader.of(Number(Fraction(1)))
        lines: tuple[tuple[Form, Fraction, int], ...] = ()
        for factor in node.factors:
            inner = close(factor, reader)
            product_, lines = reader.times(product_, inner.value), (*lines, *inner.left_out)
        return Closed(product_, lines)
    if isinstance(node, Divided):
        inner = close(node.over, reader)
        one_over = reader.of(Divided(Number(Fraction(1)), node.under))
        return Closed(reader.times(inner.value, one_over), inner.left_out)
    raise OutsideClass(f"a sum is not read inside this part (at {node.at})")


def _closed_sum(node: Big, reader: Reader) -> Closed:
    if node.kind != "sum" or len(node.indices) != 1 or node.conditions or node.lower is None or node.upper is None:
        raise OutsideClass(f"a sum over one index with both limits is expected (at {node.at})")
    index = node.indices[0].letter
    low, high = reader._value(node.lower), reader._value(node.upper)
    body = reader.of(node.body)
    total: Sum = {}
    left_out: list[tuple[Form, Fraction, int]] = []
    for key, coefficient in body.items():
        value, lines, bottom, top = _binomial_sum(key, coefficient, index, reader)
        total = difference(total, reader.times(value, reader.of(Number(Fraction(-1)))), reader.numbers)
        left_out += lines
        for place in _outside(bottom, top, low, high, reader):
            inner = Reader(reader.numbers, {**reader.places, index: place}, reader.bases)
            total = difference(total, inner.of(node.body), reader.numbers)
    return Closed(total, tuple(left_out))


def _outside(bottom: Quotient, top: Quotient, low: Quotient, high: Quotient, reader: Reader) -> list[Quotient]:
    """Return the places of the natural range bottom … top that low … high leaves out: a few at either end."""
    places = []
    for first, last, step in ((bottom, low, 1), (top, high, -1)):
        gap = as_number(reader.numbers.multiply(quotient(step), reader.numbers.subtract(last, first)))
        if gap is None:
            if step == 1 and as_number(last) == 0 and as_number(first) is None:
                continue  # 0 lies at or below a natural lower end such as q
            raise OutsideClass("the limits of a sum are not those of its binomial")
        if gap.denominator != 1 or gap > 8:
            raise OutsideClass("the limits of a sum are not those of its binomial")
        places += [reader.numbers.add(first, quotient(step * i)) for i in range(int(gap))]
    return places


def _binomial_sum(
    key: tuple[tuple[tuple[Form, int], ...], tuple[tuple[str, Form], ...]],
    coefficient: Quotient,
    index: str,
    reader: Reader,
) -> tuple[Sum, list[tuple[Form, Fraction, int]], Quotient, Quotient]:
    """Sum p(k)·x^k/((k + α)! (β − k)!) over k from −α to β, M = α + β."""
    with_index = [(form, e) for form, e in key[0] if dict(form).get(index)]
    up = [form for form, e in with_index if dict(form)[index] == 1 and e == -1]
    down = [form for form, e in with_index if dict(form)[index] == -1 and e == -1]
    if len(with_index) != 2 or len(up) != 1 or len(down) != 1:
        raise OutsideClass("a sum of one binomial C(M, k) times a polynomial times x^k is expected")
    numbers = reader.numbers
    alpha, beta = (_without(form, index) for form in (up[0], down[0]))
    m_form, _ = linear(Quotient(plus(_as_polynomial(alpha), _as_polynomial(beta))))
    powers = powers_of(key)
    x, kept = quotient(1), Sum({((), ()): quotient(1)})
    for base, form in powers.items():
        root = reader.bases.get(base, quotient(Fraction(base)) if base.lstrip("-").isdigit() else quotient(0))
        c = dict(form).get(index, Fraction(0))
        if c:
            x = numbers.multiply(x, numbers.power(root, c))
        rest, _ = linear(
            numbers.subtract(
                Quotient(_as_polynomial(_without(form, index))),
                numbers.multiply(quotient(c), Quotient(_as_polynomial(alpha))),
            )
        )
        if rest:
            kept = reader.times(kept, reader.letter_power(root, rest, Fraction(0)))
    others: tuple[tuple[Form, int], ...] = tuple((form, e) for form, e in key[0] if not dict(form).get(index))
    kept = reader.times(kept, {(others, ()): quotient(1)})
    shifted = Point({index: Quotient(plus(scalar(index), _as_polynomial(tuple((n, -c) for n, c in alpha))))})
    p = placed(coefficient, shifted, numbers)
    if index in letters_of(Quotient(p.under)):
        raise OutsideClass("a sum with its index in a divisor is not closed by the binomial theorem")
    degree = max((int(dict(term.scalars).get(index, 0)) for term in p.over), default=0)
    values = [placed(p, Point({index: quotient(i)}), numbers) for i in range(degree + 1)]
    total: Sum = {}
    one_more = numbers.add(quotient(1), x)
    m_over = reader._inverse(
        reader.factorial(Quotient(_as_polynomial(m_form))) if m_form else {((), ()): quotient(1)}, 0
    )
    falling = quotient(1)
    for j in range(degree + 1):
        c_j = quotient(0)
        for i in range(j + 1):  # Δ^j p(0)/j!
            sign = Fraction((-1) ** (j - i), factorial(i) * factorial(j - i))
            c_j = numbers.add(c_j, numbers.multiply(quotient(sign), values[i]))
        if one_more.over and c_j.over:
            piece = numbers.multiply(numbers.multiply(c_j, falling), numbers.power(x, Fraction(j)))
            grown = reader.times({((), ()): piece}, reader.letter_power(one_more, m_form, Fraction(-j)))
            total = difference(total, reader.times(grown, reader.of(Number(Fraction(-1)))), numbers)
        falling = numbers.multiply(falling, Quotient(plus(_as_polynomial(m_form), constant(Fraction(-j)))))
    lines = [] if one_more.over else [(m_form, Fraction(0), degree)]
    value = reader.times(reader.times(total, m_over), kept)
    bottom = Quotient(_as_polynomial(tuple((n, -c) for n, c in alpha)))
    return value, lines, bottom, Quotient(_as_polynomial(beta))


def _without(form: Form, index: str) -> Form:
    return tuple((n, c) for n, c in form if n != index)


def _as_polynomial(form: Form) -> Polynomial:
    return plus(*({Term(() if n == "1" else ((n, Fraction(1)),)): c} for n, c in form))
