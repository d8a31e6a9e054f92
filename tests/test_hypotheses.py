"""What a claim touches, the laws that break it without a hypothesis, and the wrong proofs."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

import pytest
from more_itertools import set_partitions

from exact.hypotheses import SPACES, Refutation, describe_space, drop_hypothesis, lower_moments, touched_moments
from exact.laws import JointLaw
from exact.rationals import BadInput
from exact.wrong_proofs import WRONG_PROOFS, WrongProof, measure, refute

CASES = [(m, t.exponents) for m in range(1, 5) for t in touched_moments(m)]


def list_mixed_moment(law: JointLaw, positions: tuple[int, ...]) -> Fraction:
    total = Fraction(0)
    for point, w in law.outcomes:
        for r in positions:
            w *= point[r]
        total += w
    return total


def sign_moment(width: int, order: int) -> Fraction:
    return Fraction(sum(sum(v) ** order for v in product((-1, 1), repeat=width)), 2**width)


def exponents_of(positions: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(Counter(positions).values(), reverse=True))


def test_touched_moments_are_the_set_partitions() -> None:
    for m in range(1, 8):
        found = Counter(tuple(sorted(map(len, blocks), reverse=True)) for blocks in set_partitions(range(m)))
        touched = touched_moments(m)
        assert {t.exponents: t.times for t in touched} == found
        assert all(t.wanted == all(a % 2 == 0 for a in t.exponents) for t in touched)


def test_the_variance_touches_two_and_the_fourth_up_to_four_at_a_time() -> None:
    assert [t.exponents for t in touched_moments(2)] == [(2,), (1, 1)]
    assert max(len(t.exponents) for t in touched_moments(4)) == 4


@pytest.mark.parametrize(("order", "dropped"), CASES)
def test_each_law_found_breaks_the_claim_and_nothing_else(order: int, dropped: tuple[int, ...]) -> None:
    found = drop_hypothesis(order, dropped)
    assert (found.law is None) == found.implied
    if found.law is None:
        return
    law, d = found.law, found.law.width
    assert sum(w for _, w in law.outcomes) == 1
    assert min(w for _, w in law.outcomes) > 0
    value = sum((w * sum(point) ** order for point, w in law.outcomes), Fraction(0))
    assert found.value == value != sign_moment(d, order) == found.claimed
    broken = set()
    for degree in range(1, order + 1):
        for positions in combinations_with_replacement(range(d), degree):
            wanted = all(a % 2 == 0 for a in exponents_of(positions))
            if list_mixed_moment(law, positions) != wanted:
                broken.add(exponents_of(positions))
    assert broken == {dropped}


def test_the_published_laws_are_found_again() -> None:
    # two equal signs 4; three with z3 = z1 z2, E[S³] = 6; four of product 1, E[S⁴] = 64
    sizes: dict[int, tuple[int, int, str]] = {}
    for order, dropped in [(2, (1, 1)), (3, (1, 1, 1)), (4, (1, 1, 1, 1))]:
        found = drop_hypothesis(order, dropped)
        assert found.law is not None
        sizes[order] = (found.law.width, len(found.law.outcomes), str(found.value))
    assert sizes == {2: (2, 2, "4"), 3: (3, 4, "6"), 4: (4, 8, "64")}


def test_no_smaller_law_of_equally_likely_signs() -> None:
    # every multiset of sign vectors, not only sets: fewer than 2, 4 and 5 outcomes (8 are needed; 5 keeps it short)
    for order, width, outcomes in [(2, 2, 2), (3, 3, 4), (4, 4, 5)]:
        points = list(product((1, -1), repeat=width))
        for size in range(1, outcomes):
            for chosen in combinations_with_replacement(points, size):
                kept = (
                    sum(_product(point, positions) for point in chosen)
                    == size * all(a % 2 == 0 for a in exponents_of(positions))
                    for degree in range(1, order + 1)
                    for positions in combinations_with_replacement(range(width), degree)
                    if exponents_of(positions) != (1,) * width
                )
                assert not all(kept) or Fraction(sum(sum(p) ** order for p in chosen), size) == sign_moment(
                    width, order
                )


def _product(point: tuple[int, ...], positions: tuple[int, ...]) -> int:
    result = 1
    for r in positions:
        result *= point[r]
    return result


def test_implied_hypotheses_have_a_reason() -> None:
    # E[t²] = E[t⁴] = 1 makes Var(t²) = 0, so t² = 1 and t_r² t_s t_u is t_s t_u
    implied = [dropped for order, dropped in CASES if drop_hypothesis(order, dropped).implied]
    assert implied == [(3, 1), (2, 2), (2, 1, 1)]


def test_an_implied_hypothesis_is_implied_only_with_the_moments_of_lower_order() -> None:
    # independent terms in {0, ±2}: all that is listed for E[e⁴] holds but E[t_r² t_s²] = 1, and E[t_r²] = 1 fails too
    one = {Fraction(0): Fraction(15, 16), Fraction(2): Fraction(1, 32), Fraction(-2): Fraction(1, 32)}
    weighed = ((point, prod((one[x] for x in point), start=Fraction(1))) for point in product(one, repeat=4))
    law = JointLaw(4, tuple(weighed))
    positions: dict[tuple[int, ...], tuple[int, ...]] = {
        (4,): (0, 0, 0, 0),
        (3, 1): (0, 0, 0, 1),
        (2, 2): (0, 0, 1, 1),
        (2, 1, 1): (0, 0, 1, 2),
    }
    positions |= {(1, 1, 1, 1): (0, 1, 2, 3), (2,): (0, 0)}
    for touched in (*touched_moments(4), *(t for t in lower_moments(4) if t.exponents == (2,))):
        holds = list_mixed_moment(law, positions[touched.exponents]) == touched.wanted
        assert holds == (touched.exponents not in [(2, 2), (2,)])
    assert [t.exponents for t in lower_moments(4)] == [(1,), (2,), (1, 1), (3,), (2, 1), (1, 1, 1)]


def test_what_was_searched_is_said() -> None:
    found: Refutation = drop_hypothesis(3, (2, 1))
    assert found.searched == SPACES[1:2]
    assert describe_space(SPACES[3]) == "laws of 4 terms with values in −1, 1, up to 8 outcomes, equal weights"


@pytest.mark.parametrize(
    ("order", "dropped", "message"),
    [
        (0, (1,), "order must be at least 1"),
        (5, (5,), "order must be at most 4"),
        (10**6, (1,), "order must be at most 4"),
        (2, (3,), "does not touch"),
        (2, (), "does not touch"),
    ],
)
def test_bad_input(order: int, dropped: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        drop_hypothesis(order, dropped)


@pytest.mark.parametrize("proof", WRONG_PROOFS, ids=lambda proof: proof.key)
def test_each_wrong_proof_is_refuted(proof: WrongProof) -> None:
    moments: list[Fraction] = [
        sum((w * sum(point) ** m for point, w in proof.law.outcomes), Fraction(0)) for m in range(5)
    ]
    size = sum((w * abs(sum(point, Fraction(0))) for point, w in proof.law.outcomes), Fraction(0))
    listed = {
        "E[e²]": moments[2],
        "E[e³]": moments[3],
        "E[e⁴]": moments[4],
        "Var(e)": moments[2] - moments[1] ** 2,
        "E|e|²": size**2,
    }
    assert refute(proof) == measure(proof.quantity, proof.law) == listed[proof.quantity]
    assert (listed[proof.quantity] == proof.claimed) == (proof.relation == "≠")


def test_the_three_kinds_people_write_are_there() -> None:
    keys = [proof.key for proof in WRONG_PROOFS]
    assert len(set(keys)) == len(keys)
    assert {"independence-needed", "mean-zero-forgotten", "cross-terms-twice"} <= set(keys)


def test_a_law_that_does_not_refute_is_refused() -> None:
    first = WRONG_PROOFS[0]
    true = WrongProof("true", first.law, "E[e²]", "=", Fraction(3))
    with pytest.raises(BadInput, match="does not refute 'true'"):
        refute(true)
