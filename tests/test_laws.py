"""Joint laws: the two properties, the published refuting laws, quadratic forms, and the reading of JSON."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.coordinates import bernoulli, finite, sign, uniform_on
from exact.laws import (
    REFUTING_LAWS,
    JointLaw,
    examine,
    independent_law,
    joint_law,
    law_moment,
    law_variance,
    mixed_moment,
    read_law,
    uniform_law,
    write_law,
)
from exact.rationals import BadInput


def test_published_refuting_laws() -> None:
    # each recomputed elsewhere: two equal signs 4; three pairwise E[S²] = 3, E[S³] = 6; four of product 1: 64
    pair, triple, four, *_ = (refuting.law for refuting in REFUTING_LAWS)
    assert [len(law.outcomes) for law in (pair, triple, four)] == [2, 4, 8]
    assert law_moment(pair, 2) == 4
    assert law_moment(triple, 2) == 3
    assert law_moment(triple, 3) == 6
    assert law_moment(four, 4) == 64
    assert law_moment(four, 2) == 4
    for refuting in REFUTING_LAWS:
        assert law_moment(refuting.law, refuting.order) != refuting.claimed


def test_which_property_fails_and_where() -> None:
    equal = examine(uniform_law([(1, 1, 1), (-1, 1, 1), (1, -1, -1), (-1, -1, -1)]))
    assert equal.cross_failure is not None
    assert equal.cross_failure.positions == (2, 3)
    assert equal.cross_failure.value == 1
    assert equal.square_failure is None
    assert equal.second_moment == 5
    sizes = examine(independent_law([sign(), uniform_on([-2, 0, 0, 0, 0, 0, 0, 2]), uniform_on([-2, 2])]))
    assert sizes.cross_failure is None
    assert sizes.square_failure is not None
    assert sizes.square_failure.positions == (3,)
    assert sizes.square_failure.value == 4
    assert sizes.square_failure.wanted == 1


def test_both_properties_give_the_width() -> None:
    for d in range(1, 8):
        report = examine(independent_law([sign()] * d))
        assert report.cross_failure is None
        assert report.square_failure is None
        assert report.second_moment == d == report.width
    pairwise = examine(REFUTING_LAWS[1].law)
    assert pairwise.cross_failure is None
    assert pairwise.square_failure is None
    assert pairwise.second_moment == 3


def test_the_width_by_luck() -> None:
    # neither property, and E[e²] = d all the same
    lucky = examine(uniform_law([(1, "1/2"), (-1, "1/2"), ("3/2", 0), ("-3/2", 0)]))
    assert lucky.square_failure is not None
    crossed = examine(joint_law([((1, 1), "1/4"), ((-1, -1), "1/4"), ((0, 0), "1/2")]))
    assert crossed.cross_failure is not None
    assert crossed.square_failure is not None
    assert crossed.second_moment == 2


def test_mixed_moments_by_listing() -> None:
    law = joint_law([((1, 2, 3), "1/2"), ((0, -1, "1/3"), "1/3"), ((5, 5, 5), "1/6")])
    for positions in product((1, 2, 3), repeat=3):
        expected = Fraction(0)
        for point, w in law.outcomes:
            a, b, c = positions
            expected += w * point[a - 1] * point[b - 1] * point[c - 1]
        assert mixed_moment(law, positions) == expected
    total = sum(mixed_moment(law, positions) for positions in product((1, 2, 3), repeat=3))
    assert law_moment(law, 3) == total


def quadratic_form(matrix: list[list[int]], law_of_x: list[tuple[int, str]]) -> JointLaw:
    """Return the joint law of the terms A_ij x_i x_j, for independent x_i."""
    outcomes = []
    for atoms in product(law_of_x, repeat=len(matrix)):
        weight = Fraction(1)
        for _, w in atoms:
            weight *= Fraction(w)
        x = [value for value, _ in atoms]
        outcomes.append(([matrix[i][j] * x[i] * x[j] for i, j in product(range(len(x)), repeat=2)], weight))
    return joint_law(outcomes)


def test_quadratic_forms_as_published() -> None:
    signs = [(-1, "1/2"), (1, "1/2")]
    # Girard–Hutchinson: 2(|A|² − Σ A_ii²) for a symmetric A, 16; not for [[0, 1], [0, 0]], 1 against 2
    assert law_variance(quadratic_form([[1, 2], [2, -3]], signs)) == 16
    assert law_variance(quadratic_form([[0, 1], [0, 0]], signs)) == 1
    # skewed coordinates that are not centred: 225/2
    assert law_variance(quadratic_form([[1, 2], [2, -1]], [(0, "1/2"), (1, "1/4"), (3, "1/4")])) == Fraction(225, 2)


def test_a_dependent_key_vector_as_published() -> None:
    # Var⟨X, Y⟩ = σ² tr(Σ + μμᵀ): X two signs, Y uniform on (0, 1), (2, 1), (1, 3): 16/3
    outcomes = [(x1 * y1, x2 * y2) for x1, x2 in product((-1, 1), repeat=2) for y1, y2 in ((0, 1), (2, 1), (1, 3))]
    assert law_variance(uniform_law(outcomes)) == Fraction(16, 3)


def test_a_normalised_product_as_published() -> None:
    # signs divided by √N: variance 1/N
    for n in (2, 3):
        terms = [uniform_on([Fraction(-1, n), Fraction(1, n)])] * n
        assert law_variance(independent_law(terms)) == Fraction(1, n)


def test_product_of_coins_as_published() -> None:
    coin = bernoulli("1/2")
    product_law = finite([(a * b, v * w) for (a, v), (b, w) in product(coin.atoms, repeat=2)])
    assert law_variance(independent_law([product_law])) == Fraction(3, 16)


def test_json_round_trip_and_decimals() -> None:
    text = '{"outcomes": [{"weight": 0.1, "terms": [1, "-1/3"]}, {"weight": "9/10", "terms": [0.25, -2e1]}]}'
    law = read_law(text)
    assert law == joint_law([((1, "-1/3"), "1/10"), (("1/4", -20), "9/10")])
    assert read_law(write_law(law)) == law


def outcome(terms: Any = (1,), weight: Any = "1", **more: Any) -> dict[str, Any]:
    return {"terms": list(terms) if isinstance(terms, tuple) else terms, "weight": weight, **more}


def law_text(*outcomes: Any) -> str:
    return json.dumps({"outcomes": list(outcomes)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON"),
        ("{", "must be JSON .* line 1, column 2"),
        ("[]", 'one key "outcomes"'),
        ('{"outcomes": []}', "these add to 0"),
        ('{"outcomes": {}}', 'one key "outcomes", a list'),
        ('{"outcomes": [], "more": 1}', 'one key "outcomes"'),
        ('{"outcomes": [], "outcomes": []}', "must not appear twice"),
        (law_text(7), "outcome 1 does not"),
        (law_text(outcome(), outcome(more=1)), "outcome 2 does not"),
        (law_text(outcome(terms=5)), '"terms" must be a list'),
        (law_text(outcome(terms=([1],))), '"terms" must be a list of numbers'),
        (law_text(outcome(terms=(True,))), '"terms" must be a list of numbers'),
        (law_text(outcome(weight=None)), '"weight" must be a number'),
        (law_text(outcome(weight="x")), "outcome 1: 'x' is not a number"),
        (law_text(outcome(weight="1/0")), "outcome 1: a fraction must not have denominator 0"),
        (law_text(outcome(weight="2/3"), outcome(weight="1/6")), "weights must add to 1 \\(these add to 5/6\\)"),
        (law_text(outcome(weight="2"), outcome((2,), "-1")), "must not be negative \\(outcome 2 has -1\\)"),
        (law_text(outcome((1, 2), "1/2"), outcome((1,), "1/2")), "as many terms as the first, 2 \\(outcome 2 has 1\\)"),
        (law_text(outcome(())), "from 1 to 12 terms"),
        (law_text(outcome((1,) * 13)), "from 1 to 12 terms \\(outcome 1 has 13\\)"),
        ('{"outcomes": [{"terms": [NaN], "weight": 1}]}', "NaN is not a number that can be exact"),
        ('{"outcomes": [{"terms": [1], "weight": Infinity}]}', "Infinity is not a number"),
        ('{"outcomes": [{"terms": [' + "9" * 5000 + '], "weight": 1}]}', "at most 1000 digits"),
        ('{"outcomes": [{"terms": [1e999999999], "weight": 1}]}', "exponent"),
        ("[" * 100_000, "must not nest"),
        (" " * 1_000_001, "at most 1000000 characters"),
        (law_text(*[outcome(weight="1/6000")] * 6000), "at most 5000 outcomes"),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        read_law(text)


def test_bad_calls() -> None:
    binary: Any = 0.5
    with pytest.raises(BadInput, match=r"outcome 1: numbers here are exact, and the float 0\.5 is 1/2"):
        joint_law([((1,), binary), ((-1,), binary)])
    with pytest.raises(BadInput, match="from 1 to 1 "):
        mixed_moment(uniform_law([(1,)]), [2])
    with pytest.raises(BadInput, match="at most 5000 outcomes"):
        independent_law([uniform_on(range(10))] * 4)
    with pytest.raises(BadInput, match="these add to 0"):
        uniform_law([])


NUMBERS = st.integers(-9, 9) | st.floats() | st.text(max_size=4) | st.sampled_from(["1/2", "1/4", "-1", "0.5"])
VALUES = st.recursive(st.none() | st.booleans() | NUMBERS, lambda x: st.lists(x) | st.dictionaries(st.text(), x))
OUTCOMES = st.fixed_dictionaries({"terms": st.lists(NUMBERS, max_size=3), "weight": NUMBERS})


@given(VALUES | st.fixed_dictionaries({"outcomes": st.lists(OUTCOMES | VALUES, max_size=4)}))
@settings(deadline=None)  # other work shares the machine
def test_arbitrary_json_is_read_or_refused(found: object) -> None:
    try:
        law = read_law(json.dumps(found))
    except BadInput:
        return
    assert sum(w for _, w in law.outcomes) == 1


@given(st.text())
@settings(deadline=None)  # other work shares the machine
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(BadInput):
        read_law(text)
