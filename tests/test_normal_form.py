"""The decision procedure against brute force, and the places where general engines go wrong."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from symbolic.calculus import Setting, differentiate
from symbolic.counterexamples import counterexample
from symbolic.expressions import (
    Delta,
    Dot,
    Entry,
    Exp,
    Expression,
    Index,
    Log,
    Mean,
    Mul,
    Number,
    OutsideClass,
    Partial,
    Root,
    Sum,
    Symbol,
    Variance,
    free_indices,
    rebuilt,
    renamed,
    walk,
)
from symbolic.normal_form import differences, equal, first_difference, normal_form
from symbolic.points import Point, evaluate
from symbolic.quantities import Exact, Logs, NotExact, exp, log

i, j, l, m, n = (Index(name) for name in "ijlmn")
r, s = Index("r", "d"), Index("s", "d")
T, d, e = Symbol("T"), Symbol("d"), Symbol("e")
LABELS = Setting(totals=(("y", ""),))
SIGNS = Setting(random=frozenset("k"), signs=frozenset("qk"))
GAUSSIAN = Setting(random=frozenset("qk"), moments=tuple(map(Fraction, (1, 0, 1, 0, 3, 0, 15, 0, 105))))


def row(name: str, *at: Index) -> Entry:
    return Entry(name, at)


def number(value: int) -> Expression:
    return Number(Fraction(value))


# Random expressions, against loops over exact points.


def randomly(dice: random.Random, scope: tuple[Index, ...], depth: int) -> Expression:
    kind = dice.randrange(10) if depth else dice.randrange(4)
    if kind in (0, 1) and scope:
        return row(dice.choice("aaagy"), dice.choice(scope))
    if kind == 2 and len(scope) > 1:
        one, two = dice.sample(scope, 2)
        return Delta(one, two)
    if kind <= 3:
        return dice.choice([number(dice.randint(-2, 3)), T])
    if kind in (4, 5):
        return randomly(dice, scope, depth - 1) + randomly(dice, scope, depth - 1)
    if kind in (6, 7):
        return randomly(dice, scope, depth - 1) * randomly(dice, scope, depth - 1)
    bound = dice.choice([l, m, n])
    outer = tuple(at for at in scope if at != bound)
    unlike = tuple(dice.sample(outer, 1)) if outer and dice.random() < 0.4 else ()
    return Sum(bound, randomly(dice, (*outer, bound), depth - 1), unlike)


def rewritten(expression: Expression, dice: random.Random) -> Expression:
    """Return an expression that is equal by construction: one true rule applied at random places."""
    expression = rebuilt(expression, lambda part: rewritten(part, dice) if dice.random() < 0.7 else part)
    rule = dice.randrange(7)
    if rule == 0:
        return expression * Sum(n, row("a", n))
    if rule == 1:
        return Sum(n, row("y", n)) * expression
    if rule == 2 and isinstance(expression, Mul):
        return Mul(tuple(dice.sample(expression.factors, len(expression.factors))))
    if rule == 3 and isinstance(expression, Sum) and not expression.unlike:
        chosen = [at for at in free_indices(expression) if at != expression.index]
        if chosen:
            at = dice.choice(sorted(chosen))
            return renamed(expression.body, {expression.index: at}) + Sum(expression.index, expression.body, (at,))
    if rule == 4 and isinstance(expression, Sum):
        new = Index("p")
        return Sum(new, renamed(expression.body, {expression.index: new}), expression.unlike)
    if rule == 5:
        free = sorted(free_indices(expression))
        if len(free) > 1:
            one, two = dice.sample(free, 2)
            swapped = renamed(expression, {one: two})
            return expression + Delta(one, two) * swapped - Delta(one, two) * expression
    if rule == 6:
        return 2 * expression - expression
    return expression


def mutated(expression: Expression, dice: random.Random) -> Expression:
    """Return an expression in which one place is changed, so that it is probably no longer equal."""
    places = list(walk(expression))
    target = dice.randrange(len(places))
    seen = iter(range(len(places) + 1))

    def change(part: Expression) -> Expression:
        if next(seen) == target:
            return dice.choice([-part, part + 1, part * row("a", j)])
        return rebuilt(part, change)

    return change(expression)


def random_point(dice: random.Random, size: int) -> Point:
    entries: dict[tuple[str, tuple[int, ...]], Exact] = {}
    entries |= {("x", (k,)): Fraction(dice.randint(1, 9), dice.randint(1, 3)) for k in range(1, size + 1)}
    entries |= {("g", (k,)): Fraction(dice.randint(-5, 5)) for k in range(1, size + 1)}
    labels = [Fraction(dice.randint(-3, 3)) for _ in range(size - 1)]
    labels.append(1 - sum(labels, Fraction(0)))
    entries |= {("y", (k + 1,)): value for k, value in enumerate(labels)}
    return Point(T=size, entries=entries)


def agree_at_points(left: Expression, right: Expression, dice: random.Random) -> bool:
    """Loop over T from 1 to 4, two points each, and every assignment of the free indices."""
    free = sorted(free_indices(left) | free_indices(right))
    for size in (1, 2, 3, 4):
        for _ in range(2):
            point = random_point(dice, size)
            for values in product(range(1, size + 1), repeat=len(free)):
                places = dict(zip(free, values, strict=True))
                if evaluate(left, point, places, LABELS) != evaluate(right, point, places, LABELS):
                    return False
    return True


@pytest.mark.parametrize("seed", range(4))
def test_random_pairs_are_decided_as_brute_force_says(seed: int) -> None:
    dice = random.Random(seed)
    for round_ in range(400):
        left, right = (randomly(dice, (i, j), 3 + round_ % 2) for _ in range(2))
        assert equal(left, right, LABELS) == agree_at_points(left, right, dice)


@pytest.mark.parametrize("seed", range(4))
def test_pairs_equal_by_construction_are_found_equal(seed: int) -> None:
    dice = random.Random(100 + seed)
    for round_ in range(300):
        left = randomly(dice, (i, j), 3 + round_ % 2)
        right = rewritten(left, dice)
        assert equal(left, right, LABELS)
        generic = [normal_form(side, LABELS).cases[-1][1] for side in (left, right + 0 * left)]
        assert generic[0] == generic[1]


@pytest.mark.parametrize("seed", range(4))
def test_mutated_pairs_are_decided_as_brute_force_says_and_refuted_by_numbers(seed: int) -> None:
    dice = random.Random(200 + seed)
    refuted = 0
    for _ in range(100):
        left = randomly(dice, (i, j), 2)
        right = mutated(rewritten(left, dice), dice)
        same = agree_at_points(left, right, dice)
        assert equal(left, right, LABELS) == same
        found = counterexample(left, right, LABELS)
        assert (found is None) == same
        if found is not None:
            assert found.left != found.right
            refuted += 1
    assert refuted > 50


def test_derivatives_agree_with_slopes_at_points() -> None:
    dice = random.Random(7)
    by = row("e", l)
    for _ in range(60):
        body = randomly(dice, (j,), 2)
        derivative = Partial(body, by)
        point = random_point(dice, 3)
        written = differentiate(body, by, LABELS)
        for here, there in product((1, 2, 3), repeat=2):
            places = {j: here, l: there}
            expected = evaluate(written, point, places, LABELS)
            assert evaluate(derivative, point, places, LABELS) == expected


# Sums and deltas.


def test_a_delta_collapses_its_sum_and_leaves_the_free_index() -> None:
    g, y = row("g", j), row("y", j)
    assert equal(Sum(j, Delta(i, j) * g * y), row("g", i) * row("y", i))
    assert not equal(Sum(j, Delta(i, j) * g * y), Sum(j, g * y))
    assert equal(-Sum(i, row("v", i) * Delta(i, j)), -row("v", j))
    assert not equal(-Sum(i, row("v", i) * Delta(i, j)), -row("v", i))


def test_the_derivative_of_a_whole_sum_is_one() -> None:
    assert equal(Partial(Sum(i, row("g", i)), row("g", Index("1"))), number(1))
    assert equal(Sum(i, Delta(Index("1"), i)), number(1))


def test_nested_sums_stay_nested() -> None:
    squared = Sum(j, row("g", j)) ** 2
    assert not equal(squared, Sum(j, row("g", j) ** 2))
    assert equal(squared, Sum(j, Sum(l, row("g", j) * row("g", l))))
    assert equal(squared, Sum(j, row("g", j) ** 2) + Sum(j, Sum(l, row("g", j) * row("g", l), unlike=(j,))))
    assert equal(Sum(j, Sum(j, row("g", j))), T * Sum(j, row("g", j)))


def test_an_inner_sum_with_the_same_letter_is_its_own() -> None:
    assert equal(Sum(l, row("a", l) * Sum(l, row("g", l))), Sum(l, row("g", l)))
    assert equal(renamed(Sum(l, row("H", j, l)), {j: l}), Sum(m, row("H", l, m)))


def test_power_sums_are_independent() -> None:
    p2, p3 = (Sum(j, row("a", j) ** k) for k in (2, 3))
    assert not equal(p2 * p2, p3)
    assert not equal(p2, number(1))
    assert str(counterexample(p2 * p2, p3)) == "T = 2, a = (1/3, 2/3): 25/81 against 1/3"


def test_two_weights_of_two_but_not_of_three() -> None:
    one, two = row("a", Index("1")), row("a", Index("2"))
    assert one * (1 - one) != one * two
    assert equal(one * (1 - one), one * two, T=2)
    assert not equal(one * (1 - one), one * two, T=3)
    first = first_difference(one * (1 - one), one * two)
    assert first is not None
    assert first.T == 3


def test_matrices_are_summed_with_their_indices_apart() -> None:
    p, v, o = row("P", i, j), row("V", j, r), row("D", i, r)
    through_weights = Sum(j, p * Sum(r, o * v))
    through_output = Sum(r, o * Sum(j, p * v))
    assert equal(through_weights, through_output)
    assert not equal(Sum(i, Sum(j, row("H", i, j) * row("H", j, i))), Sum(i, Sum(j, row("H", i, j) ** 2)))


# Scores, exponentials and logarithms.


def test_exponentials_of_scores_are_ratios_of_weights() -> None:
    assert equal(Exp(row("e", j) - row("e", l)), row("a", j) / row("a", l))
    assert equal(Exp(2 * row("e", j)), Exp(row("e", j)) ** 2)
    assert equal(Log(row("a", j)), row("e", j) - Log(Sum(l, Exp(row("e", l)))))
    assert equal(Exp(Log(number(6)) - Log(number(2))), number(3))


def test_softmax_with_no_exponential_below_is_not_softmax() -> None:
    wrong = Exp(row("e", j)) / Sum(l, row("e", l))
    assert not equal(row("a", j), wrong)


def test_the_entropy_in_two_forms() -> None:
    a, log_z = row("a", l), Log(Sum(m, Exp(row("e", m))))
    assert equal(Sum(l, a * (log_z - row("e", l))), -Sum(l, a * Log(a)))


def test_the_logarithm_of_a_mean_is_not_the_mean_of_logarithms() -> None:
    y = row("y", l)
    with pytest.raises(OutsideClass, match="logarithm"):
        equal(Log(Sum(l, y * row("a", l))), Sum(l, y * Log(row("a", l))), LABELS)


# Averages.


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Mean(e), number(0)),
        (Mean(e**2), d),
        (Mean(e**4), 3 * d**2 - 2 * d),
        (Mean(e**6), 15 * d**3 - 30 * d**2 + 16 * d),  # Polar; recomputed
        (Root(Mean(e**2)), Root(d)),
        (Mean((e / Root(d)) ** 2), number(1)),
        (Root(Mean((e / d ** Symbol("α")) ** 2)), d ** (Fraction(1, 2) - Symbol("α"))),
        (Mean(Dot("q", "q") ** 2), d**2),
        (Variance(e), d),
    ],
)
def test_averages_over_signs_hold_at_every_width(left: Expression, right: Expression) -> None:
    assert equal(left, right, SIGNS)


def test_averages_over_gaussians_differ_from_those_over_signs() -> None:
    assert equal(Mean(e**4), 3 * d * (d + 2), GAUSSIAN)
    assert equal(Mean(e**6), 15 * d * (d + 2) * (d + 4), GAUSSIAN)
    found = counterexample(Mean(e**4), 3 * d * (d + 2), SIGNS)
    assert found is not None
    assert (found.left, found.right) == (Fraction(1), Fraction(9))


def test_the_fourth_moment_with_any_coefficients() -> None:
    c = Entry("c", (r,))
    score = Sum(r, c * Entry("k", (r,)))
    settled = 3 * Sum(r, c**2) ** 2 - 2 * Sum(r, c**4)
    assert equal(Mean(score**4), settled, Setting(random=frozenset("k")))


def test_two_different_coordinates_average_to_nothing_and_one_does_not() -> None:
    t_r, t_s = Entry("t", (r,)), Entry("t", (s,))
    assert equal(Mean(t_r * t_s), Delta(r, s), SIGNS)
    assert equal(Mean(t_r * t_s), number(0), SIGNS, unlike=((r, s),))
    assert not equal(Mean(t_r * t_s), number(0), SIGNS)


def test_a_sum_around_an_average_sees_the_coordinate_that_it_shares() -> None:
    t_r, t_s = Entry("t", (r,)), Entry("t", (s,))
    assert equal(Sum(r, Mean(t_r * t_s)), number(1), SIGNS)
    assert equal(Sum(r, Sum(s, Mean(t_r * t_s))), d, SIGNS)
    assert equal(Sum(r, Sum(s, Mean(t_r * t_s), unlike=(r,))), number(0), SIGNS)


def test_a_root_is_refuted_where_both_sides_are_fractions() -> None:
    found = counterexample(Mean(e**2), Root(d), SIGNS)
    assert found is not None
    assert str(found) == "d = 4, q = (1, 1, 1, 1): 4 against 2"


# What lies outside is said to.


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (Sum(l, 1 / (1 - row("a", l))), "denominator depends"),
        (1 / (row("a", j) - row("a", j)), "denominator is 0"),
        (Root(row("g", j)), "root can be taken"),
        (Exp(row("e", j) * row("e", l)), "exponential is read"),
        (row("g", j) ** 1000, "power must lie"),
        (Sum(j, row("g", j)) ** row("a", l), "exponent must be"),
        (Mul(tuple(row("g", Index(f"i{k}")) + row("v", j) + 1 for k in range(12))), "more than 5000 terms"),
        (Mul(tuple(Delta(Index(f"i{k}"), j) for k in range(12))), "patterns of coincidence"),
    ],
)
def test_an_expression_outside_the_class_is_named(expression: Expression, reason: str) -> None:
    with pytest.raises(OutsideClass, match=reason):
        normal_form(expression, unlike=())


def test_sums_nested_too_deep_around_a_delta_are_refused() -> None:
    body: Expression = Delta(i, j)
    for k in range(9):
        body = Sum(Index(f"n{k}"), body * Delta(Index(f"n{k}"), i))
    with pytest.raises(OutsideClass, match="steps to decide"):
        normal_form(body)


def test_sizes_of_differences_come_in_order() -> None:
    sizes = list(differences(Sum(l, row("g", l) ** 2), Sum(l, row("g", l)) ** 2))
    assert [size.T for size in sizes][:2] == [2, 3]


def test_exact_numbers_refuse_what_they_cannot_hold() -> None:
    assert exp(log(Fraction(8, 9)) / 2 * 2) == Fraction(8, 9)
    with pytest.raises(NotExact):
        exp(Fraction(1))
    with pytest.raises(NotExact):
        log(Fraction(0))
    assert isinstance(log(Fraction(2)), Logs)
