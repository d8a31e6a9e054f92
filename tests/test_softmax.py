"""The derivation, its consequences on two routes, and for each claim false twins that must be refuted by numbers."""

from __future__ import annotations

import subprocess
import sys
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from itertools import pairwise, product

import pytest

from symbolic import counted
from symbolic.calculus import Setting
from symbolic.counted import COUNTED, Miscount, count, frobenius_squared, norm_infinity_to_one
from symbolic.counterexamples import counterexample
from symbolic.expressions import (
    Delta,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Log,
    Number,
    Partial,
    Root,
    Sum,
    Symbol,
)
from symbolic.findings import NotShown, identity
from symbolic.formulas import FORMULAS
from symbolic.laws import BEYOND, PROVED, prove
from symbolic.normal_form import equal
from symbolic.points import Point, evaluate
from symbolic.softmax import against_sympy, derive, jacobian
from symbolic.statements import Chain, Formula

i, j, l, c, n = (Index(name) for name in "ijlcn")
r, s = Index("r", "d"), Index("s", "d")
one, two = Index("1"), Index("2")
T, d = Symbol("T"), Symbol("d")
PLAIN = Setting()
SOFT = Setting(totals=(("y", "s"),))
HARD = Setting(totals=(("y", ""),))


def a(*at: Index) -> Entry:
    return Entry("a", at)


def e(*at: Index) -> Entry:
    return Entry("e", at)


def g(*at: Index) -> Entry:
    return Entry("G", at)


def row(name: str, at: Index) -> Entry:
    return Entry(name, (at,))


def number(*value: int) -> Number:
    return Number(Fraction(*value))


J = Partial(a(j), e(l))
SPREAD = 1 - Sum(j, a(j) ** 2)
MIXED = Sum(l, a(l) * g(l))
BACK = Gradient("L", "E", (j,))


# The derivation.


def test_every_step_of_the_derivation_names_its_rule_and_was_decided() -> None:
    steps = derive()
    for case, last in ((steps.same, a(j) * (1 - a(j))), (steps.crossed, -(a(j) * a(l)))):
        rules = [step.rule for step in case]
        assert rules[:2] == ["locality", "quotient rule"]
        assert rules[-1] == "fold into weights"
        assert case[-1].expression == last


def test_a_step_that_does_not_follow_is_refused_with_numbers() -> None:
    with pytest.raises(NotShown, match="against") as refused:
        identity("split", -(a(j) * a(l)), a(j) * a(l), unlike=((j, l),))
    assert "T = 2" in str(refused.value)


@pytest.mark.parametrize("size", [1, 2, 5, 64])
def test_the_jacobian_at_a_size_is_its_two_cases(size: int) -> None:
    found = jacobian(size)
    assert len(found.rows) == size
    for p, line in enumerate(found.rows, 1):
        assert len(line) == size
        for q, entry in enumerate(line, 1):
            low, high = sorted((p, q))
            here, there = a(Index(str(low))), a(Index(str(high)))
            assert entry == (here * (1 - here) if p == q else -(here * there))


@pytest.mark.parametrize("size", range(1, 5))
def test_the_jacobian_at_a_size_agrees_with_the_derivative_at_an_exact_point(size: int) -> None:
    point = Point(T=size, entries={("x", (k,)): Fraction(k * k + 1, 2) for k in range(1, size + 1)})
    for p, q in product(range(1, size + 1), repeat=2):
        derivative = Partial(a(Index(str(p))), e(Index(str(q))))
        entry = jacobian(size).rows[p - 1][q - 1]
        assert evaluate(entry, point, {}, PLAIN) == evaluate(derivative, point, {}, PLAIN)


@pytest.mark.parametrize("size", [0, -1, 65])
def test_a_size_out_of_range_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match="from 1 to 64"):
        jacobian(size)


@pytest.mark.parametrize("size", range(1, 7))
def test_sympy_differentiates_to_the_same_entries(size: int) -> None:
    assert against_sympy(size) == size * size


# The claims.


@pytest.mark.parametrize("claim", [name for name, _ in (*PROVED, *BEYOND)])
def test_each_claim_is_proved(claim: str) -> None:
    found = prove(claim)
    assert found.claim == claim
    assert found.route == "proved"
    assert found.statements


@pytest.mark.parametrize("claim", [name for name, _, _ in COUNTED])
def test_each_claim_is_counted(claim: str) -> None:
    found = count(claim)
    assert found.points > 0
    assert found.sizes == ((2,) if claim == "sigmoid" else (2, 3, 4, 5, 6))


def test_the_two_routes_cover_the_same_claims() -> None:
    assert [name for name, _ in PROVED] == [name for name, _, _ in COUNTED]


@pytest.mark.parametrize("claim", ["jacobian", "cross-entropy", "trace", "row-sums", "gradient", "closed-row"])
def test_counting_notices_a_wrong_derivative(claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = counted._jacobian

    def wrong(x: tuple[Fraction, ...]) -> tuple[tuple[Fraction, ...], ...]:
        first, *rest = right(x)
        return ((first[0] + Fraction(1, 7), *first[1:]), *rest)

    monkeypatch.setattr(counted, "_jacobian", wrong)
    counted._rows.cache_clear()
    with pytest.raises(Miscount, match=f"{claim} fails at x = "):
        count(claim)
    monkeypatch.undo()
    counted._rows.cache_clear()


# What is printed is what is proved.

SIGNS = Setting(random=frozenset("k"), signs=frozenset("qk"))
BY_OTHER_MEANS = ("match-count", "two-properties", "closed-row", "what-dies", "sigmoid", "trace-range", "argmax")


@pytest.mark.parametrize("shown", [found for found in FORMULAS if found.id not in BY_OTHER_MEANS], ids=lambda f: f.id)
def test_each_printed_equation_is_decided_as_printed(shown: Formula) -> None:
    setting = SIGNS if shown.section == 1 else PLAIN
    for statement in shown.statements:
        assert isinstance(statement, Chain)
        assert set(statement.relations) == {"="}
        for left, right in pairwise(statement.parts):
            assert equal(left, right, setting, unlike=statement.unlike)
            assert not equal(left, right + 1, setting, unlike=statement.unlike)


# False twins: what people write, and the point that refutes it.


@pytest.mark.parametrize(
    ("claim", "left", "right", "setting", "unlike", "shown"),
    [
        ("softmax: no division", a(j), Exp(e(j)), PLAIN, (), None),
        ("softmax: shifted below only", a(j), Exp(e(j)) / Sum(l, Exp(e(l) + Symbol("c"))), PLAIN, (), None),
        ("ratio: turned over", a(j) / a(l), Exp(e(l) - e(j)), PLAIN, (), "1/2 against 2"),
        ("ratio: sum of scores", a(j) / a(l), Exp(e(j) + e(l)), PLAIN, (), None),
        ("jacobian: crossed sign", J, a(j) * a(l), PLAIN, ((j, l),), "a = (1/2, 1/2): −1/4 against 1/4"),
        ("jacobian: delta sign", J, a(j) * (Delta(j, l) + a(l)), PLAIN, (), None),
        ("jacobian: wrong index", J, a(j) * (Delta(j, l) - a(j)), PLAIN, (), None),
        ("jacobian: diagonal only", J, Delta(j, l) * a(j) * (1 - a(j)), PLAIN, (), "−1/4 against 0"),
        ("jacobian: scores inside", J, a(j) * (Delta(j, l) - e(l)), PLAIN, (), None),
        ("jacobian: factor two", J, 2 * a(j) * (Delta(j, l) - a(l)), PLAIN, (), "1/4 against 1/2"),
        ("closed-row: no zero", Delta(j, c) * (Delta(j, l) + Delta(l, c)), number(0), PLAIN, (), None),
        ("cross-entropy: sign", Partial(-Log(a(c)), e(j)), Delta(j, c) - a(j), PLAIN, (), "−1/2 against 1/2"),
        ("cross-entropy: s(1−s)", Partial(-Log(a(c)), e(c)), a(c) * (1 - a(c)), PLAIN, (), "−1/2 against 1/4"),
        ("cross-entropy: s(s−1)", Partial(-Log(a(c)), e(c)), a(c) * (a(c) - 1), PLAIN, (), "−1/2 against −1/4"),
        (
            "cross-entropy: labels forgotten to add to s",
            Partial(-Sum(l, row("y", l) * Log(a(l))), e(j)),
            a(j) - row("y", j),
            SOFT,
            (),
            None,
        ),
        (
            "cross-entropy: by the weight",
            Partial(-Sum(l, row("y", l) * Log(a(l))), a(j)),
            a(j) - row("y", j),
            HARD,
            (),
            None,
        ),
        (
            "cross-entropy: one output only",
            (-row("y", j) / a(j)) * a(j) * (1 - a(j)),
            Partial(-Sum(l, row("y", l) * Log(a(l))), e(j)),
            HARD,
            (),
            "0 against 1/2",
        ),
        ("sigmoid: a(1−a) is not a₁a₂ for three", a(one) * (1 - a(one)), a(one) * a(two), PLAIN, (), "2/9 against 1/9"),
        ("sigmoid: bound without the square", number(1, 4) - a(j) * (1 - a(j)), a(j) - number(1, 2), PLAIN, (), None),
        ("trace: sign", Sum(j, a(j) * (1 - a(j))), 1 + Sum(j, a(j) ** 2), PLAIN, (), "a = (1): 0 against 2"),
        ("trace: square of the sum", Sum(j, a(j) * (1 - a(j))), 1 - Sum(j, a(j)) ** 2, PLAIN, (), "1/2 against 0"),
        ("trace-range: 1 at the uniform row", 1 - Sum(j, (1 / T) ** 2), number(1), PLAIN, (), "0 against 1"),
        ("row-sums: 1", Sum(l, J), number(1), PLAIN, (), "0 against 1"),
        ("row-sums: without the diagonal", Sum(l, J, unlike=(j,)), number(0), PLAIN, (), "−1/4 against 0"),
        ("row-sums: printed plus", J, a(j) * a(l) * (2 * Delta(j, l) - 1), PLAIN, (), None),
        ("gradient: copied", BACK, g(j), PLAIN, (), None),
        ("gradient: A*G", BACK, a(j) * g(j), PLAIN, (), None),
        (
            "gradient: diagonal only",
            BACK,
            a(j) * (1 - a(j)) * g(j),
            PLAIN,
            (),
            "G = (0, 1), a = (1/2, 1/2): −1/4 against 0",
        ),
        ("gradient: sign", BACK, a(j) * (MIXED - g(j)), PLAIN, (), None),
        ("gradient: plus", BACK, a(j) * (g(j) + MIXED), PLAIN, (), None),
        ("gradient: doubled", BACK, 2 * a(j) * (g(j) - MIXED), PLAIN, (), None),
        ("gradient: weights lost", BACK, a(j) * (g(j) - Sum(l, g(l))), PLAIN, (), None),
        ("gradient: in log mode", BACK, g(j) - a(j) * Sum(l, g(l)), PLAIN, (), "−1/4 against −1/2"),
        ("gradient: by exp(e)", BACK, g(j) * Exp(e(j)), PLAIN, (), None),
        (
            "gradient: columns",
            Gradient("L", "E", (i, j)),
            a(i, j) * (g(i, j) - Sum(l, a(l, j) * g(l, j))),
            PLAIN,
            (),
            None,
        ),
        ("argmax: turned", a(j), a(l) * Exp(e(l) - e(j)), PLAIN, (), None),
        ("log-softmax: crossed", Partial(Log(a(j)), e(l)), Delta(j, l) - a(j), PLAIN, (), None),
        (
            "temperature: squared",
            J,
            a(j) * (Delta(j, l) - a(l)) / Symbol("τ") ** 2,
            Setting(scale=1 / Symbol("τ")),
            (),
            None,
        ),
        ("temperature: lost", J, a(j) * (Delta(j, l) - a(l)), Setting(scale=1 / Root(d)), (), None),
        ("frobenius: one sum", Sum(j, Sum(l, J**2)), Sum(j, a(j) ** 2 * (1 - a(j)) ** 2), PLAIN, (), "1/4 against 1/8"),
    ],
)
def test_a_false_twin_is_refuted(
    claim: str,
    left: Expression,
    right: Expression,
    setting: Setting,
    unlike: tuple[tuple[Index, Index], ...],
    shown: str | None,
) -> None:
    found = counterexample(left, right, setting, unlike=unlike)
    assert found is not None, claim
    assert found.left != found.right
    if shown is not None:
        assert shown in str(found), claim


def test_the_root_lost_on_the_way_to_the_queries_is_refuted() -> None:
    score = Sum(s, Entry("Q", (j, s)) * Entry("K", (l, s))) / Root(d)
    loss = Sum(j, Sum(l, Entry("H", (j, l)) * score))
    lost = Sum(l, Entry("H", (n, l)) * Entry("K", (l, r)))
    found = counterexample(Partial(loss, Entry("Q", (n, r))), lost)
    assert found is not None
    assert (found.point.d, found.left, found.right) == (4, Fraction(1, 2), Fraction(1))
    turned = Sum(l, Entry("H", (l, n)) * Entry("K", (l, r))) / Root(d)
    assert counterexample(Partial(loss, Entry("Q", (n, r))), turned) is not None


def test_entropy_falls_and_does_not_rise() -> None:
    beta = Symbol("β")
    variance = Sum(l, a(l) * e(l) ** 2) - Sum(l, a(l) * e(l)) ** 2
    entropy = -Sum(l, a(l) * Log(a(l)))
    found = counterexample(Partial(entropy, beta), beta * variance, Setting(scale=beta))
    assert str(found) == "T = 2, β = 1, a = (1/3, 2/3): −2/9·log 2·log 2 against 2/9·log 2·log 2"


def test_an_upstream_of_ones_cannot_tell_a_sign() -> None:
    ones = Sum(l, a(l) * 1)
    assert equal(a(j) * (1 - ones), a(j) * (ones - 1))
    assert equal(a(j) * (1 - ones), number(0))
    assert not equal(a(j) * (1 + ones), number(0))


def test_smoothed_labels_must_add_to_one() -> None:
    eps, size = Symbol("ε"), Symbol("T")
    kept = Delta(j, c) * (1 - eps / size) + eps / size
    assert equal(Sum(j, kept), 1 + eps * (size - 1) / size)
    assert equal(Sum(j, Delta(j, c) * (1 - eps) + eps / size), number(1))
    assert Fraction(38, 35) == 1 + Fraction(1, 10) * Fraction(6, 7)


def test_softmax_of_softmax_has_another_gradient() -> None:
    again = Exp(a(j)) / Sum(l, Exp(a(l)))
    assert not equal(again, a(j))
    twice = Log(a(j)) - Log(Sum(l, Exp(Log(a(l)))))
    assert equal(twice, Log(a(j)))


# The figures of the lesson.


def test_eight_apart_is_a_factor_of_2981() -> None:
    factor = Decimal(8).exp()
    assert factor.quantize(Decimal(1), rounding=ROUND_HALF_EVEN) == 2981
    assert Decimal("2980.95") < factor < Decimal("2980.96")


def test_the_uniform_row_of_eight_has_trace_seven_eighths() -> None:
    point = Point(T=8, entries={("x", (k,)): Fraction(1) for k in range(1, 9)})
    assert evaluate(SPREAD, point, {}, PLAIN) == Fraction(7, 8)
    assert float(Fraction(7, 8)) == 0.875


def test_a_half_and_a_half_reaches_a_quarter() -> None:
    point = Point(T=2, entries={("x", (k,)): Fraction(1) for k in (1, 2)})
    assert evaluate(Partial(a(one), e(one)), point, {}, PLAIN) == Fraction(1, 4)


def test_a_public_worked_example() -> None:
    # golden figures, recomputed: a = (1/6, 1/3, 1/2), trace 11/18, squared Frobenius norm 67/324, norm ∞→1 equal to 1
    point = Point(T=3, entries={("x", (k,)): Fraction(k) for k in (1, 2, 3)})
    assert evaluate(SPREAD, point, {}, PLAIN) == Fraction(11, 18)
    assert evaluate(Sum(j, Sum(l, J**2)), point, {}, PLAIN) == Fraction(67, 324)
    row_of_weights = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)]
    assert frobenius_squared(row_of_weights) == Fraction(67, 324)
    assert norm_infinity_to_one(row_of_weights) == 1


@pytest.mark.parametrize("x", [(1,), (1, 1), (1, 5), (2, 3, 4), (1, 1, 7, 2), (3, 1, 4, 1, 5)])
def test_the_norm_by_subsets_is_the_norm_by_signs(x: tuple[int, ...]) -> None:
    weights = [Fraction(value, sum(x)) for value in x]
    size = len(x)
    J = [[weights[p] * ((p == q) - weights[q]) for q in range(size)] for p in range(size)]
    by_signs = max(
        sum((abs(sum((J[p][q] * signs[q] for q in range(size)), Fraction(0))) for p in range(size)), Fraction(0))
        for signs in product((1, -1), repeat=size)
    )
    assert norm_infinity_to_one(weights) == by_signs <= 1
    assert frobenius_squared(weights) == sum((entry * entry for line in J for entry in line), Fraction(0))


def test_the_norm_refuses_too_many_weights() -> None:
    with pytest.raises(ValueError, match="at most 20"):
        norm_infinity_to_one([Fraction(1, 30)] * 30)


def test_deciding_does_not_import_sympy() -> None:
    code = "import sys, symbolic, symbolic.laws, symbolic.latex, symbolic.counted; print('sympy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
