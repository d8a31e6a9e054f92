from itertools import product

import numpy as np
import pytest

from exact.termwise import (
    FailsAt,
    agreements_match,
    holds_at_every_key,
    self_scores_are_width,
    square_splits,
    squares_are_one,
)


@pytest.mark.parametrize("d", range(1, 8))
def test_the_identities_hold_for_every_query(d: int) -> None:
    for q in product((1, -1), repeat=d):
        assert agreements_match(q) == squares_are_one(q) == square_splits(q) == 2**d
    assert self_scores_are_width(d) == 2**d


def test_more_than_one_block_is_visited() -> None:
    done: list[int] = []
    assert square_splits((1, -1) * 8, done.append) == 2**16 == sum(done)
    assert len(done) == 4


def test_a_false_identity_is_refuted_with_its_first_key() -> None:
    with pytest.raises(FailsAt, match=r"q = \(1, -1, 1\), k = \(-1, 1, 1\)"):
        holds_at_every_key((1, -1, 1), lambda keys, _: keys != 1)
    with pytest.raises(FailsAt, match=r"k = \(1, 1\)"):  # without the diagonal
        holds_at_every_key((1, 1), lambda _, t: np.asarray(sum(t) ** 2 == 2 * t[0] * t[1]))


@pytest.mark.parametrize("query", [(), (1, 0), (2,), (1,) * 63])
def test_only_sign_queries_are_taken(query: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"must be −1 or 1|from width 1 to 62"):
        agreements_match(query)
