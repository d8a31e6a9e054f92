from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from exact import matching
from exact.matching import Matching, NotAMatching, count_pairing
from exact.rationals import BadInput


@pytest.mark.parametrize("d", range(2, 14))
@pytest.mark.parametrize("flipped", [min, max])
def test_flipping_either_coordinate_of_the_pair_is_a_matching(d: int, flipped: Callable[[int, int], int]) -> None:
    assert count_pairing(d, flipped) == Matching(d, d * (d - 1) // 2, 2**d)


@pytest.mark.parametrize("d", [7, 8, 10])
@pytest.mark.parametrize("bits", [6, 7])
@pytest.mark.parametrize("flipped", [min, max])
def test_pairs_across_blocks_are_found(
    d: int, bits: int, flipped: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "BLOCK_BITS", bits)
    done: list[int] = []
    assert count_pairing(d, flipped, progress=done.append).vectors == 2**d == sum(done)


def look_up(table: dict[tuple[int, int], int], r: int, s: int) -> int:
    return table[r, s]


@pytest.mark.parametrize("d", [3, 4, 5, 6, 7, 9])
@pytest.mark.parametrize("bits", [6, 19])
def test_flipping_a_spectator_is_caught_with_the_vector(d: int, bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "BLOCK_BITS", bits)
    for r, s in combinations(range(d), 2):
        for spectator in set(range(d)) - {r, s}:
            wrong = {pair: pair[1] for pair in combinations(range(d), 2)} | {(r, s): spectator}
            with pytest.raises(NotAMatching, match=f"r = {r}, s = {s}: t_r t_s is the same at vector 0 and its"):
                count_pairing(d, partial(look_up, wrong))


@pytest.mark.parametrize("wrong", range(10))
def test_a_column_that_is_wrong_is_caught(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    true = matching._columns

    def broken(bits: int) -> list[matching.Words]:
        columns = true(bits)
        columns[wrong][3] ^= 1 << 5
        return columns

    monkeypatch.setattr(matching, "_columns", broken)
    with pytest.raises(NotAMatching, match="does something else"):
        count_pairing(10)


def test_a_cross_sum_that_is_not_zero_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    true = np.bitwise_count

    def one_more(words: matching.Words, out: NDArray[np.uint8]) -> NDArray[np.uint8]:
        counts = true(words, out=out)
        counts[0] += 1
        return counts

    monkeypatch.setattr(np, "bitwise_count", one_more)
    with pytest.raises(NotAMatching, match="adds to"):
        count_pairing(7)
    assert count_pairing(7, cross_sums=False).vectors == 128


@pytest.mark.parametrize("d", [-1, 0, 1, 63])
def test_widths_without_a_pair_or_too_wide_are_refused(d: int) -> None:
    with pytest.raises(BadInput, match="two coordinates"):
        count_pairing(d)
