"""Numbers for a reader's code: they compute as fractions and logarithms do, and refuse what they cannot do exactly."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.functions.exact_numbers import Inexact, Number, from_terms, log, number, symbol

fractions = st.fractions(min_value=-50, max_value=50, max_denominator=40)
positive = st.fractions(min_value=Fraction(1, 40), max_value=50, max_denominator=40)


@given(fractions, fractions)
def test_rationals_compute_as_fractions_do(x: Fraction, y: Fraction) -> None:
    a, b = number(x), number(y)
    for found, wanted in ((a + b, x + y), (a - b, x - y), (a * b, x * y), (-a, -x), (abs(a), abs(x)), (a**3, x**3)):
        assert found.rational == wanted
    assert ((a < b), (a <= b), (a == b), (a != b), (a > b), (a >= b)) == (x < y, x <= y, x == y, x != y, x > y, x >= y)
    if y:
        assert (a / b).rational == x / y
    assert (2 - a).rational == 2 - x
    assert (a == b) == (hash(a) == hash(b)) or hash(x) == hash(y)


@given(positive, positive)
def test_logarithms_add_compare_and_go_back(x: Fraction, y: Fraction) -> None:
    assert (log(x) + log(y)).same(log(x * y))
    assert (log(x) - log(y)).exp().rational == x / y
    assert number(x).log().exp().rational == x
    assert (log(x) < log(y)) == (x < y)
    assert (log(x) == log(y)) == (x == y)
    assert float(log(x).decimal()) == pytest.approx(math.log(x), abs=1e-12)


@settings(max_examples=40)
@given(st.lists(positive, min_size=1, max_size=5), fractions, fractions)
def test_polynomials_in_logs_have_the_value_that_floats_have(xs: list[Fraction], p: Fraction, q: Fraction) -> None:
    total, near = number(p), float(p)
    for x in xs:
        total, near = total * log(x) + q, near * math.log(x) + float(q)
    assert float(total.decimal()) == pytest.approx(near, rel=1e-6, abs=1e-6)
    assert from_terms(total.terms.items()).same(total)


@settings(max_examples=30)
@given(st.lists(st.lists(positive, min_size=3, max_size=3), min_size=2, max_size=3))
def test_the_usual_softmax_is_exact_on_logarithms(u: list[list[Fraction]]) -> None:
    z = np.array([[log(x) for x in row] for row in u], object)
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    a = e / np.sum(e, axis=-1, keepdims=True)
    assert [[x.rational for x in row] for row in a] == [[x / sum(row) for x in row] for row in u]


def test_what_numpy_asks_of_objects() -> None:
    x = np.array([number(4), number(Fraction(9, 16))], object)
    one: Any = x[0]
    assert [str(y) for y in np.sqrt(x)] == ["2", "3/4"]
    assert [str(y) for y in x**0.5] == ["2", "3/4"]
    assert str(np.mean(x)) == "73/32"
    assert str(np.einsum("i,i->", x, x)) == str(x @ x) == str(np.vecdot(x, x)) == "4177/256"
    assert [str(y) for y in np.float64(0.5) * x] == ["2", "9/32"]
    assert str(np.float32(0.5) * one) == str(one / np.int64(2) / 1) == "2"
    assert [str(y) for y in one * x] == [str(y) for y in x * one] == ["16", "9/4"]
    assert np.argmax(x) == 0
    assert str(math.e ** log(3)) == "3"
    assert (one < math.inf, one > -math.inf, one == math.nan, one < math.nan) == (True, True, False, False)
    assert f"{one:.2f} {one}" == "4.00 4"


@pytest.mark.parametrize(
    "impossible",
    [
        lambda: number(2).sqrt(),
        lambda: number(2).exp(),
        lambda: (log(2) / 2).exp(),
        lambda: number(-1).log(),
        lambda: log(0),
        lambda: number(1) / log(2),
        lambda: log(3) / log(2),
        lambda: float(number(1)),
        lambda: int(number(1)),
        lambda: number(1) * (1 / 3),
        lambda: number(1) + math.inf,
        lambda: symbol("a") < 1,
        lambda: bool(symbol("a")),
        lambda: symbol("a") == symbol("b"),
        lambda: number(1) / symbol("a"),
        lambda: number(2) ** 10_000,
        lambda: log(2**61 - 1),
        lambda: np.zeros(1).__setitem__(0, number(1)),
        lambda: (log(2) * 100_000).exp(),
    ],
)
def test_what_is_not_exact_is_refused(impossible: Callable[[], object]) -> None:
    with pytest.raises(Inexact):
        impossible()


def test_a_short_float_is_the_decimal_that_was_written() -> None:
    assert (number(1) + 1e-9).rational == 1 + Fraction(1, 10**9)
    assert (number(1) * 0.1).rational == Fraction(1, 10)
    with pytest.raises(ZeroDivisionError):
        number(1) / 0


def test_symbols_are_polynomials() -> None:
    a, b = symbol("a"), symbol("b")
    assert ((a + b) * (a - b)).same(a * a - b * b)
    assert not (a * b).same(b)
    assert (a - a).rational == 0
    assert Number(a).symbolic
