"""The lesson's data against a cube walked another way; the kernel's judgement against one made here; the questions."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact.attention import jacobian, softmax
from exact.coordinates import gaussian, sign
from exact.enumeration import tally
from exact.kernel import Theorem
from exact.moments import score_moments
from exact.rationals import BadInput
from exact.terms import Independent
from notes import attempts, teaching
from notes.derivation import CLAIMS
from notes.questions import QUESTIONS, Choice, Number, grade, question, read_number
from notes.words import LANGUAGES, lesson_words

QUERIES = [(1,), (-1, 1), (3, -1), (1, -1, 1), (Fraction(1, 2), -2, 5), (1, 1, -1, 1), (-1, 1, 1, -1, 1), (1,) * 6]
PAIRS = [(q, r, s) for q in QUERIES for r, s in permutations(range(len(q)), 2)]


def vectors(d: int) -> dict[int, tuple[int, ...]]:
    """All keys in the order of the integers that stand for them: the first coordinate changes fastest."""
    return {k: signs[::-1] for k, signs in enumerate(product((1, -1), repeat=d))}


@pytest.mark.parametrize(("query", "r", "s"), PAIRS)
def test_each_key_has_a_partner_that_differs_in_one_place_and_the_products_cancel(
    query: tuple[int | Fraction, ...], r: int, s: int
) -> None:
    keys = vectors(len(query))
    for term in ((r, s), (r,)):
        rows = teaching.rows(query, term)
        assert [row.key for row in rows] == sorted(keys)
        for row in rows:
            differ = [u for u in range(len(query)) if keys[row.key][u] != keys[row.partner][u]]
            assert differ == [r]
            assert rows[row.partner].partner == row.key
            assert row.here == prod(query[u] * keys[row.key][u] for u in term)
            assert row.there == prod(query[u] * keys[row.partner][u] for u in term)
            assert row.total == 0


@pytest.mark.parametrize("query", QUERIES)
def test_the_sums_are_those_that_are_counted(query: tuple[int | Fraction, ...]) -> None:
    counted = tally(tuple(map(Fraction, query)))
    d = len(query)
    facts = teaching.facts(query, 0, min(1, d - 1))
    assert Fraction(facts["total"]) == counted.total_of_squares
    assert Fraction(facts["norm"]) == counted.second_moment == sum(teaching.squares(query))
    assert int(facts["keys"]) == counted.count
    assert [(r, s) for r, s, _ in teaching.crossed(query)] == list(combinations(range(d), 2))
    assert all(total == 0 for _, _, total in teaching.crossed(query))
    assert len(teaching.crossed(query)) * 2 == int(facts["crossed"])


@pytest.mark.parametrize(("query", "r", "s"), PAIRS)
def test_what_is_expected_is_what_is_counted(query: tuple[int | Fraction, ...], r: int, s: int) -> None:
    d, keys = len(query), vectors(len(query))
    scores = [sum(q * k for q, k in zip(query, key, strict=True)) for key in keys.values()]
    products = [query[r] * key[r] * query[s] * key[s] for key in keys.values()]
    sample = keys[teaching.sample_key(d)]
    partner = tuple(-k if u == r else k for u, k in enumerate(sample))
    wanted: dict[str, object] = {
        "start": len(scores),
        "partner": partner,
        "terms": query[r] * partner[r] * query[s] * partner[s],
        "table": len({key[:r] + key[r + 1 :] for key in keys.values()}),
        "total": Fraction(sum(products)) / len(products),
        "cross": len(list(permutations(range(d), 2))),
        "diagonal": sum((q * k) ** 2 for q, k in zip(query, sample, strict=True)),
        "average": Fraction(sum(e * e for e in scores)) / len(scores),
        "mean": Fraction(sum(scores)) / len(scores),
    }
    assert {step.id for step in teaching.steps(d)} == set(wanted) | {"break"}
    for step, value in wanted.items():
        assert teaching.expected(step, query, r, s) == value


def test_at_width_one_there_is_no_pair() -> None:
    assert [step.id for step in teaching.steps(1)] == ["diagonal", "average", "mean", "break"]
    assert teaching.expected("average", (1,), 0, 0) == 1


@pytest.mark.parametrize("width", [0, 7])
def test_other_widths_are_refused(width: int) -> None:
    with pytest.raises(BadInput, match="widths from 1 to 6"):
        teaching.steps(width)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ((), "1 to 6 entries"),
        ((1,) * 7, "1 to 6 entries"),
        ((1, 0), "entry 2 of the query must not be 0"),
        ((100, 1), "entry 1 of the query must be short"),
        ((1, Fraction(1, 101)), "entry 2 of the query must be short"),
    ],
)
def test_queries_that_cannot_be_shown_are_refused(query: tuple[int | Fraction, ...], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        teaching.read_query(query)


# ---- the reader's own pairing ---------------------------------------------------------------------------------------


def first_fault(d: int, term: tuple[int, ...], partner: tuple[int, ...]) -> tuple[str, int] | None:
    """Return the condition that breaks at the first key where one does, and the key."""
    keys = vectors(d)
    for k in keys:
        p = partner[k]
        if p not in keys:
            return "inside", k
        if partner[p] != k:
            return "undoes", k
        if p == k:
            return "fixed", k
        if prod(keys[k][u] for u in term) + prod(keys[p][u] for u in term):
            return "cancels", k
    return None


def judged(d: int, term: tuple[int, ...], partner: tuple[int, ...]) -> tuple[str, int] | None:
    result = teaching.attempt(d, term, partner)
    return None if isinstance(result, Theorem) else (result.condition, result.key)


@pytest.mark.parametrize(("query", "r", "s"), PAIRS)
def test_prepared_attempts_fail_as_they_are_seen_to_fail(query: tuple[int | Fraction, ...], r: int, s: int) -> None:
    found = {}
    for tried in attempts.prepared(query, (r, s)):
        width = len(tried.query)
        found[tried.id] = judged(width, tried.term, tried.partner)
        assert found[tried.id] == first_fault(width, tried.term, tried.partner)
    broken = {name: fault[0] for name, fault in found.items() if fault}
    assert broken["same-sign"] in ("fixed", "undoes")
    assert broken["flip-outside"] == "inside"
    assert broken["flip-none"] == "fixed"
    assert broken["flip-two"] == broken["one-coordinate"] == "cancels"
    assert broken["next-key"] == "undoes"
    assert "flip-s" not in broken


@given(st.data())
def test_the_kernel_names_the_condition_that_any_table_breaks(data: st.DataObject) -> None:
    d = data.draw(st.integers(1, 3))
    size = 1 << d
    term = data.draw(st.sampled_from([(0,), (0, 0), *permutations(range(d), min(d, 2))]))
    honest = st.sampled_from([tuple(k ^ mask for k in range(size)) for mask in range(size)])
    anything = st.lists(st.integers(-1, size), min_size=size, max_size=size).map(tuple)
    partner = data.draw(honest | anything | st.permutations(range(size)).map(tuple))
    assert judged(d, term, partner) == first_fault(d, term, partner)


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match="this is no pairing"):
        teaching.attempt(2, (0, 1), (1, 0))


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("k1", "−++"),
        ("k1 k3", "−+−"),
        ("K_1,k3", "−+−"),
        ("k1 k1", "+++"),
        ("k2=-", "+−+"),
        ("k2 = −", "+−+"),
        ("k2=+", "+++"),
        ("k3=q", "++−"),
        ("k3 k1=k3", "−+−"),
        ("k3 k3~k1", "−++"),
    ],
)
def test_an_own_pairing_says_what_becomes_of_a_key(text: str, image: str) -> None:
    query = (1, 1, -1)
    tried = attempts.own(query, (0, 1), text)
    assert teaching.show_signs(tried.partner[0], 3) == f"({' '.join(image)})"
    assert sorted(set(tried.partner)) == sorted(set(tried.partner) & set(range(8)))


@pytest.mark.parametrize(
    "text", ["", "k", "k0", "1", "k1=", "k1=k9", "k9=+", "k1~k4", "k1;;q", "x" * 100, "k1=k2=k3", "k²"]
)
def test_what_is_no_pairing_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        attempts.own((1, 1, -1), (0, 1), text)


# ---- the figure and the challenge -----------------------------------------------------------------------------------


def test_the_scores_of_the_figure_are_standardised() -> None:
    scores = teaching.FIGURE.scores
    assert len(scores) == 6
    assert sum(scores) == 0
    assert sum(z * z for z in scores) == 6


def test_the_groups_are_softmax_rows_and_only_the_root_keeps_them() -> None:
    z, widths = teaching.FIGURE.scores, teaching.FIGURE.widths
    groups = teaching.groups(z, widths)
    divide: dict[str, Callable[[int], float]] = {"one": lambda _: 1.0, "root": lambda d: d**0.5, "width": float}
    assert [(group.divisor, group.width) for group in groups] == [(name, d) for name in divide for d in widths]
    for group in groups:
        scores = np.array([group.width**0.5 * float(x) / divide[group.divisor](group.width) for x in z])
        np.testing.assert_allclose(group.weights, softmax(scores), rtol=1e-12)
        assert group.winner == z.index(max(z))
    closed, kept, flat = (groups[i : i + 3] for i in (0, 3, 6))
    assert len({group.weights for group in kept}) == 1
    assert len({group.weights for group in closed}) == len({group.weights for group in flat}) == 3
    assert max(closed[-1].weights) > 0.999
    assert abs(max(flat[-1].weights) - 1 / 6) < 0.02


def test_extreme_scores_make_weights_too() -> None:
    assert teaching.groups((1e300, 0, -1e300), (10**6,))[0].weights == (1.0, 0.0, 0.0)


def test_the_lesson_names_only_what_exists() -> None:
    ids = {claim.id for claim in CLAIMS}
    size, gradient = teaching.SECTIONS[:2]
    assert [*size.claims, *gradient.claims] == [claim.id for claim in CLAIMS]
    named = {c for section in teaching.SECTIONS for c in section.claims} | {teaching.CHALLENGE.formula}
    for asked in QUESTIONS:
        named |= set(asked.claims)
        named |= {claim for _, claim in asked.options} if isinstance(asked, Choice) else set()
    assert named <= ids
    for language in LANGUAGES:
        say = lesson_words(language)
        assert {section.id for section in teaching.SECTIONS} <= set(say["lesson"])
        assert set(say["figure"]["divisors"]) == set(say["figure"]["answers"]) == set(teaching.DIVISORS)
        assert set(say["challenge"]["rules"]) == set(teaching.CHALLENGE.rules)
        assert {step.id for step in teaching.steps(2)} <= set(say["proof"])
        for asked in QUESTIONS:
            own = say["questions"][asked.id]
            if isinstance(asked, Choice):
                assert set(own["options"]) == set(own["reasons"]) == {key for key, _ in asked.options}
            else:
                assert set(own["mistakes"]) == {key for key, _ in asked.mistakes}
        for step in teaching.steps(2):
            explained = set(say["proof"][step.id].get("mistakes", {})) - {"same"}
            assert explained == set(teaching.mistakes(step.id, (1, 1)))


# ---- the questions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["16", "15.5", "15,5", "16,5", "+16.5", "33/2", " 16 ", "1.6e1"])
def test_the_typical_size_is_16_within_a_half(text: str) -> None:
    assert grade(question("typical-size"), text).right


@pytest.mark.parametrize("text", ["15.4999", "16,51", "−16", "256", "0", "1", "4", "160000"])
def test_other_sizes_are_wrong(text: str) -> None:
    assert not grade(question("typical-size"), text).right


@pytest.mark.parametrize("text", ["", "16,", "1,5,0", "1.600,0", "√256", "nan", "inf", "16 16", "9" * 3000, "１６"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        grade(question("typical-size"), text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3))
def test_a_comma_reads_as_a_point(number: Decimal) -> None:
    text = f"{number:f}"
    assert read_number(text) == read_number(text.replace(".", ",")) == Fraction(number)


def test_the_typical_size_is_what_the_moments_say() -> None:
    asked = question("typical-size")
    assert isinstance(asked, Number)
    for law in (sign(), gaussian(0, 1)):
        assert score_moments(Independent(law, law), 256, 2)[2] == asked.answer**2


@pytest.mark.parametrize("asked", [asked for asked in QUESTIONS if isinstance(asked, Choice)])
def test_a_choice_takes_all_that_holds_or_nothing(asked: Choice) -> None:
    keys = [key for key, _ in asked.options]
    for size in range(len(keys) + 1):
        for chosen in combinations(range(len(keys)), size):
            if size == 0 or (asked.kind == "one" and size > 1):
                continue
            marked = {keys[at] for at in chosen}
            for answer in (
                " ".join("abcdef"[at] for at in chosen),
                ",".join(str(at + 1) for at in chosen),
                "".join(str(at + 1) for at in reversed(chosen)),
                "; ".join(keys[at] for at in chosen),
            ):
                found = grade(asked, answer)
                assert found.right == (marked == asked.right)
                assert set(found.mistaken) == marked - asked.right
                assert set(found.missed) == asked.right - marked


@pytest.mark.parametrize("answer", ["", "z", "0", "7", "a z", "1 2", "a,b", "true false", "\x00", "💥"])
def test_what_is_no_option_is_refused(answer: str) -> None:
    with pytest.raises(BadInput):
        grade(question("winner"), answer)


def test_marking_nothing_where_some_hold_is_wrong() -> None:
    found = grade(question("closed-row"), "")
    assert not found.right
    assert set(found.missed) == {"both-cases", "trace-near-zero", "nothing-learned", "well-defined"}


def test_a_closed_row_is_as_the_answers_say() -> None:
    row = np.array([Fraction(98, 100), *[Fraction(2, 700)] * 7])
    derivatives = jacobian(row)
    assert max(map(abs, derivatives.flat)) == Fraction(98, 100) * Fraction(2, 100)
    assert 1 - sum(a * a for a in row) < Fraction(4, 100)
    assert 1 - sum(a * a for a in (Fraction(98, 100), Fraction(2, 100))) < Fraction(4, 100)
