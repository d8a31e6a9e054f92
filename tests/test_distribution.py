"""Exact distributions against listing, icepool, binomials and published probabilities; tables; refusals."""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from importlib import import_module
from itertools import product
from math import comb, prod
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.binomials import binomial
from exact.coordinates import Finite, finite, sign, two_point, uniform_on
from exact.distribution import (
    Distribution,
    absolute_mean,
    cdf,
    central_moment,
    compare_with_hoeffding,
    iid_distribution,
    mean,
    modes,
    moment,
    pmf,
    probabilities,
    quantile,
    query_distribution,
    sign_distribution,
    sign_probability,
    sum_distribution,
    support,
    tail,
    variance,
)
from exact.rationals import BadInput
from exact.tables import draw_histogram, to_csv, to_floats, to_json

icepool: Any = import_module("icepool")  # it is used here as a source of truth only


def list_sum(terms: Sequence[Finite]) -> dict[Fraction, Fraction]:
    found: dict[Fraction, Fraction] = {}
    for atoms in product(*(term.atoms for term in terms)):
        x = sum((value for value, _ in atoms), Fraction(0))
        found[x] = found.get(x, Fraction(0)) + prod((w for _, w in atoms), start=Fraction(1))
    return found


def as_dict(e: Distribution) -> dict[Fraction, Fraction]:
    assert sum(e.counts) == e.total
    assert min(e.counts) > 0
    assert list(e.values) == sorted(set(e.values))
    return dict(probabilities(e))


@pytest.mark.parametrize("width", range(1, 11))
def test_signs_by_listing(width: int) -> None:
    listed = Counter(sum(a * b for a, b in zip((1,) * width, k, strict=True)) for k in product((-1, 1), repeat=width))
    expected = {Fraction(x): Fraction(count, 2**width) for x, count in listed.items()}
    assert as_dict(sign_distribution(width)) == expected
    assert as_dict(iid_distribution(sign(), width)) == expected
    assert as_dict(sum_distribution([sign()] * width)) == expected
    assert as_dict(query_distribution([1, -1] * (width // 2) + [1] * (width % 2))) == expected
    for x in range(-width - 1, width + 2):
        assert sign_probability(width, x) == expected.get(Fraction(x), 0)


def test_four_signs_as_published() -> None:
    # a public question: P(x·y = k) = C(n, (n + k)/2)/2^n; n = 4 gives 3/8, 1/4, 1/16
    e = sign_distribution(4)
    assert [str(pmf(e, x)) for x in (0, 2, 4, 1)] == ["3/8", "1/4", "1/16", "0"]


def test_eight_dice_as_published() -> None:
    # reasoning-gym#110: P(1d24 + 1d23 + 1d20 + 1d16 + 1d11 + 1d9 + 1d7 + 1d4 ≥ 65)
    e = sum_distribution([uniform_on(range(1, faces + 1)) for faces in (24, 23, 20, 16, 11, 9, 7, 4)])
    assert 1 - cdf(e, 64) == Fraction(64800983, 163215360)


def test_no_scaling_at_64() -> None:
    # tiny-transformers#71: the variance is 64, not 8
    e = sign_distribution(64)
    assert len(support(e)) == 65
    assert variance(e) == 64
    assert pmf(e, 0) == Fraction(comb(64, 32), 2**64)


TERMS = [
    [sign(), sign(), uniform_on([0, 3])],
    [two_point(-2, 1, "2/3")] * 4,
    [uniform_on([0, "1/2", "5/3"]), sign(), finite([(7, 1)])],
    [finite([(0, 1)])] * 3,
    [finite([(-1, "1/7"), (0, "2/7"), (10**9, "4/7")])] * 3,
    [uniform_on([1, 1, 2]), uniform_on([-100, 100]), uniform_on([1, 2, 3, 4])],
]


@pytest.mark.parametrize("terms", TERMS)
def test_sums_by_listing(terms: list[Finite]) -> None:
    assert as_dict(sum_distribution(terms)) == list_sum(terms)
    if all(term == terms[0] for term in terms) and support(sum_distribution(terms))[-1] < 1000:
        assert as_dict(iid_distribution(terms[0], len(terms))) == list_sum(terms)


@pytest.mark.parametrize("values", [[1, 2, 3], [-1, 1], [0, 0, 1, 5], [-3, 0, 4, 4, 4]])
@pytest.mark.parametrize("width", [1, 2, 7, 20])
def test_iid_sums_against_icepool(values: list[int], width: int) -> None:
    theirs = width @ icepool.Die(values)
    expected = {Fraction(x): Fraction(p) for x, p in zip(theirs.outcomes(), theirs.probabilities(), strict=True)}
    assert as_dict(iid_distribution(uniform_on(values), width)) == expected
    assert as_dict(sum_distribution([uniform_on(values)] * width)) == expected


@given(
    st.lists(
        st.lists(st.tuples(st.fractions(-9, 9, max_denominator=4), st.integers(1, 4)), min_size=1, max_size=3),
        min_size=1,
        max_size=4,
    )
)
@settings(deadline=None)
def test_any_sum_by_listing(lists: list[list[tuple[Fraction, int]]]) -> None:
    terms = [finite([(x, Fraction(w, sum(v for _, v in atoms))) for x, w in atoms]) for atoms in lists]
    assert as_dict(sum_distribution(terms)) == list_sum(terms)
    width = len(terms)
    assert as_dict(iid_distribution(terms[0], width)) == list_sum([terms[0]] * width)


@given(st.lists(st.fractions(-20, 20, max_denominator=6), min_size=1, max_size=8))
@settings(deadline=None)
def test_any_query_by_listing(query: list[Fraction]) -> None:
    listed = Counter(sum((q * k for q, k in zip(query, keys, strict=True)), Fraction(0))
                     for keys in product((-1, 1), repeat=len(query)))  # fmt: skip
    expected = {x: Fraction(count, 2 ** len(query)) for x, count in listed.items()}
    assert as_dict(query_distribution(query)) == expected


def test_routes_agree_at_large_widths() -> None:
    assert sign_distribution(501) == iid_distribution(sign(), 501)
    assert as_dict(sign_distribution(500)) == as_dict(query_distribution([1] * 500))
    skewed = two_point(-2, 1, "2/3")
    assert as_dict(iid_distribution(skewed, 90)) == as_dict(sum_distribution([skewed] * 90))


@pytest.mark.parametrize("e", [sign_distribution(7), query_distribution([3, -1, "1/2"]), sum_distribution(TERMS[2])])
def test_questions_by_definition(e: Distribution) -> None:
    law = list(as_dict(e).items())
    centre = sum((x * p for x, p in law), Fraction(0))
    assert mean(e) == centre
    assert variance(e) == sum((p * (x - centre) ** 2 for x, p in law), Fraction(0))
    assert absolute_mean(e) == sum((p * abs(x) for x, p in law), Fraction(0))
    for m in range(6):
        assert moment(e, m) == sum((p * x**m for x, p in law), Fraction(0))
        assert central_moment(e, m) == sum((p * (x - centre) ** m for x, p in law), Fraction(0))
    points = [x for x, _ in law]
    for x in [*points, *(x + Fraction(1, 7) for x in points), points[0] - 1, Fraction(0)]:
        assert pmf(e, x) == dict(law).get(x, 0)
        assert cdf(e, x) == sum((p for y, p in law if y <= x), Fraction(0))
        assert tail(e, x) == sum((p for y, p in law if abs(y) >= x), Fraction(0))
    for i in range(1, 41):
        p = Fraction(i, 40)
        assert quantile(e, p) == min(x for x in points if cdf(e, x) >= p)
    highest = max(p for _, p in law)
    assert modes(e) == tuple(x for x, p in law if p == highest)


def test_mode_is_at_most_the_central_binomial() -> None:
    # Littlewood–Offord: max P(Σ ε_i a_i = x) ≤ C(n, ⌊n/2⌋)/2^n for a_i ≠ 0, with equality at ones; a = (0) breaks it
    for n in range(1, 6):
        bound = Fraction(comb(n, n // 2), 2**n)
        for a in product((1, 2, 3), repeat=n):
            e = query_distribution(a)
            assert pmf(e, modes(e)[0]) <= bound
        assert pmf(query_distribution([1] * n), n % 2) == bound
    assert pmf(query_distribution([0]), 0) == 1


@pytest.mark.parametrize("query", [[1] * 30, [3, 1, 4, 1, 5, 9, 2, 6], ["1/2", "1/3", "1/5", 2]])
def test_hoeffding_holds_exactly(query: list[int | str]) -> None:
    # p ≤ 2·exp(−y) is decided by a decimal exponential, correctly rounded to 60 digits, with a margin
    e, squares = query_distribution(query), sum(Fraction(q) ** 2 for q in query)
    with localcontext() as context:
        context.prec = 60
        for x in [x for x in support(e) if x >= 0]:
            c = compare_with_hoeffding(e, x, squares)
            y = Decimal(c.exponent.numerator) / Decimal(c.exponent.denominator)
            assert Decimal(c.exact.numerator) / Decimal(c.exact.denominator) <= 2 * y.exp() * (1 + Decimal(10) ** -50)
            assert float(c.exact) <= c.bound * (1 + 1e-12)


def test_one_value_at_a_million() -> None:
    # Stirling: P(e = 0) = √(2/(πd))·(1 − 1/(4d) + …)
    p = sign_probability(10**6, 0)
    assert abs(float(p) / (2 / (3.141592653589793 * 10**6)) ** 0.5 - (1 - 1 / 4e6)) < 1e-12
    assert p.denominator & (p.denominator - 1) == 0


@pytest.mark.parametrize("n", [0, 1, 17, 4999, 5000, 5001, 9973, 12000])
def test_binomials(n: int) -> None:
    for k in {0, 1, 2, n // 3, n // 2, n - 1, n, n + 1, -1}:
        assert binomial(n, k) == (comb(n, k) if k >= 0 else 0)


def test_tables() -> None:
    e = query_distribution([2, "1/2"])
    law = probabilities(e)
    found = json.loads(to_json(e))
    assert [(Fraction(x), Fraction(p)) for x, p in found["law"]] == list(law)
    assert (found["mean"], found["variance"], found["second_moment"]) == ("0", "17/4", "17/4")
    rows = list(csv.reader(io.StringIO(to_csv(e))))
    assert rows[0] == ["value", "probability", "decimal"]
    assert [(Fraction(x), Fraction(p), float(y)) for x, p, y in rows[1:]] == [(x, p, float(p)) for x, p in law]
    assert to_floats(e) == tuple((float(x), float(p)) for x, p in law)
    # long denominators: more digits than Python writes by itself
    long = iid_distribution(two_point(0, 1, Fraction(1, 10**950)), 6)
    assert json.loads(to_json(long))["law"][6] == ["6", "1/1" + "0" * 5700]
    assert to_csv(long).endswith(f"6,1/1{'0' * 5700},0.0\n")
    wide = sign_distribution(16_000)
    assert to_floats(wide)[8000][1] == pytest.approx((2 / (3.141592653589793 * 16_000)) ** 0.5, rel=1e-4)
    for write in (to_json, to_csv):
        with pytest.raises(BadInput, match="153 MB"):
            write(wide)
    with pytest.raises(BadInput, match="too large for a float"):
        to_floats(query_distribution([10**400]))


def test_histogram() -> None:
    picture = draw_histogram(sign_distribution(4), bar=6).splitlines()
    assert [line.count("█") for line in picture] == [1, 4, 6, 4, 1]
    grouped = draw_histogram(sign_distribution(1000), rows=10).splitlines()
    assert len(grouped) <= 10
    assert max(line.count("█") for line in grouped) == 40
    assert grouped[0].startswith("-1000…")
    with pytest.raises(BadInput, match="rows must be at least 1"):
        draw_histogram(sign_distribution(4), rows=0)


def large(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (large(sign_distribution, 0), "width must be at least 1"),
        (large(sign_distribution, 10**12), "width must be at most"),
        (large(sign_distribution, 100_000), "would take about 1.25 GB"),
        (large(sign_distribution, 10**9), "would take about 10\\^8 or more GB|about [0-9.]+ GB"),
        (large(iid_distribution, uniform_on([1, 2, 3]), 10**6), "would take about"),
        (large(iid_distribution, uniform_on([0, 10**12]), 10**9), "would take about"),
        (large(iid_distribution, uniform_on(range(1000)), 40), "would move about"),
        (large(sum_distribution, [uniform_on([0, 1, 10**9])] * 50), "would take about|would move about"),
        (large(sum_distribution, []), "from 1 to 100000 terms"),
        (large(query_distribution, []), "from 1 to 100000 terms"),
        (large(query_distribution, [1] * 50_000), "would take about|would move about"),
        (large(query_distribution, list(range(20_000))), "would take about|would move about"),
        (large(query_distribution, [0.5]), "the float 0.5"),
        (large(query_distribution, ["1/0"]), "denominator 0"),
        (large(sign_probability, 10**12, 0), "width must be at most 1000000"),
        (large(pmf, sign_distribution(2), "x"), "is not a number"),
        (large(quantile, sign_distribution(2), 0), "above 0 and up to 1"),
        (large(quantile, sign_distribution(2), "1.5"), "above 0 and up to 1"),
        (large(moment, sign_distribution(2), 10**6), "order must be at most 200"),
        (large(compare_with_hoeffding, sign_distribution(2), -1, 2), "x must be at least 0"),
        (large(compare_with_hoeffding, sign_distribution(2), 1, 0), "must be above 0"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
