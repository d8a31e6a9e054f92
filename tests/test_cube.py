from fractions import Fraction
from itertools import pairwise, product

import pytest

from exact.cube import agreements, flip, gray_walk, index, score, signs, walk


@pytest.mark.parametrize("d", range(1, 9))
def test_integers_and_vectors_are_two_names_of_the_same(d: int) -> None:
    vectors = [signs(k, d) for k in range(2**d)]
    assert len(set(vectors)) == 2**d
    assert [index(v) for v in vectors] == list(range(2**d))


@pytest.mark.parametrize("d", range(1, 9))
def test_both_walks_visit_every_vector_once(d: int) -> None:
    everything = set(product((1, -1), repeat=d))
    for visit in (walk, gray_walk):
        visited = list(visit(d))
        assert len(visited) == 2**d
        assert set(visited) == everything
    assert all(sum(x != y for x, y in zip(a, b, strict=True)) == 1 for a, b in pairwise(gray_walk(d)))


@pytest.mark.parametrize("visit", [walk, gray_walk])
def test_a_walk_is_lazy(visit: object) -> None:
    assert next(visit(62)) == (1,) * 62  # type: ignore[operator]


@pytest.mark.parametrize("d", range(1, 7))
def test_agreements_give_the_score(d: int) -> None:
    for q in range(2**d):
        for k in range(2**d):
            m = agreements(q, k, d)
            assert score(signs(q, d), k) == 2 * m - d


def test_the_lesson_s_examples() -> None:
    assert 2 * agreements(0, index((1, 1, 1, -1)), 4) - 4 == 2
    assert 2 * agreements(0, index((1,) * 300 + (-1,) * 100), 400) - 400 == 200
    assert score((1,) * 400, index((1,) * 300 + (-1,) * 100)) == 200


def test_flip_changes_one_sign_and_undoes_itself() -> None:
    for k in range(2**5):
        for r in range(5):
            changed = [i for i in range(5) if signs(flip(k, r), 5)[i] != signs(k, 5)[i]]
            assert changed == [r]
            assert flip(flip(k, r), r) == k


def test_a_score_of_fractions_is_exact() -> None:
    assert score((Fraction(1, 3), Fraction(-1, 7)), 0b10) == Fraction(1, 3) + Fraction(1, 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: signs(8, 3), r"from 0 to 2\^3 − 1 \(got 8\)"),
        (lambda: signs(-1, 3), "got -1"),
        (lambda: signs(0, 0), "width must be at least 1"),
        (lambda: walk(0), "width must be at least 1"),
        (lambda: gray_walk(-2), "width must be at least 1"),
        (lambda: index((1, 0)), "entry 1 must be −1 or 1"),
        (lambda: score((1, 1), 4), "got 4"),
        (lambda: agreements(4, 0, 2), "got 4"),
    ],
)
def test_what_is_no_vector_is_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
