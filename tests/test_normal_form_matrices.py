"""The decision procedure on matrices, derivatives and exponentials of scores, against loops over exact points."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from symbolic.calculus import Setting
from symbolic.counterexamples import counterexample
from symbolic.expressions import (
    Delta,
    Entry,
    Exp,
    Expression,
    Index,
    Number,
    Partial,
    Sum,
    free_indices,
    renamed,
)
from symbolic.normal_form import equal
from symbolic.points import Point, evaluate
from symbolic.quantities import Exact

i, j, l, m, n, z = (Index(name) for name in "ijlmnz")


def randomly(dice: random.Random, scope: tuple[Index, ...], depth: int) -> Expression:
    kind = dice.randrange(13) if depth else dice.randrange(4)
    one, two, three = (dice.choice(scope) for _ in range(3))
    if kind <= 2:
        leaves = (
            Delta(one, two),
            Entry("a", (one, two)) ** dice.choice([1, 2, -1]),
            Exp(Entry("e", (one, two)) - Entry("e", (one, three))),
            Partial(Entry("a", (one, two)), Entry("e", (one, three))),
            Entry("H", (one, two)),
        )
        return dice.choice(leaves)
    if kind == 3:
        return Number(Fraction(dice.randint(-2, 2)))
    if kind < 7:
        return randomly(dice, scope, depth - 1) + randomly(dice, scope, depth - 1)
    if kind < 10:
        return randomly(dice, scope, depth - 1) * randomly(dice, scope, depth - 1)
    bound = dice.choice([l, m, n])
    outer = tuple(at for at in scope if at != bound)
    unlike = tuple(dice.sample(outer, 1)) if outer and dice.random() < 0.4 else ()
    return Sum(bound, randomly(dice, (*outer, bound), depth - 1), unlike)


def agree_at_points(left: Expression, right: Expression, dice: random.Random) -> bool:
    free = sorted(free_indices(left) | free_indices(right))
    for size in (1, 2, 3):
        entries: dict[tuple[str, tuple[int, ...]], Exact] = {}
        for at in product(range(1, size + 1), repeat=2):
            entries["x", at] = Fraction(dice.randint(1, 7), dice.randint(1, 3))
            entries["H", at] = Fraction(dice.randint(-4, 4))
        point = Point(T=size, entries=entries)
        for values in product(range(1, size + 1), repeat=len(free)):
            places = dict(zip(free, values, strict=True))
            if evaluate(left, point, places, Setting()) != evaluate(right, point, places, Setting()):
                return False
    return True


@pytest.mark.parametrize("seed", range(3))
def test_pairs_of_matrix_expressions_are_decided_as_brute_force_says(seed: int) -> None:
    dice = random.Random(seed)
    verdicts = []
    for round_ in range(80):
        left = randomly(dice, (i, j), 3)
        right = (
            randomly(dice, (i, j), 2),
            left * Sum(z, Entry("a", (i, z))),
            left + Delta(i, j) * (renamed(left, {i: j}) - left),
        )[round_ % 3]
        same = equal(left, right)
        assert same == agree_at_points(left, right, dice)
        if not same and round_ % 4 == 0:
            found = counterexample(left, right)
            assert found is not None
            assert found.left != found.right
        verdicts.append(same)
    assert 20 < sum(verdicts) < 80
