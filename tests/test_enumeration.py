import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact import enumeration
from exact.engines import outer, plain
from exact.enumeration import estimate_seconds, tally
from exact.rationals import BadInput

RANDOM = random.Random(7)


def queries(d: int) -> list[tuple[int, ...]]:
    """Return queries of width d for which the engines choose every lane: 16, 32 and 64 bits, and beyond."""
    sizes = (1, 9, 80, 10**3, 10**6, 10**12, 10**30)
    return [
        (1,) * d,
        tuple((-1) ** r for r in range(d)),
        (0,) * d,
        *(tuple(RANDOM.randint(-size, size) for _ in range(d)) for size in sizes),
    ]


@pytest.mark.parametrize("d", range(1, 13))
def test_the_numpy_engine_agrees_with_plain_python(d: int) -> None:
    for q in queries(d):
        for offset in (0, 5, -(10**6)):
            assert outer.power_sums(q, offset) == plain.power_sums(q, offset)
            assert outer.histogram(q, offset) == plain.histogram(q, offset)


EDGES = (43, 44, 179, 180, 11583, 11584, 46339, 46340, 759250123, 759250124, 3037000497, 3037000498)


@pytest.mark.parametrize("largest", [*EDGES, 2**31, 2**32, 2**62, 2**64])
def test_lanes_hold_what_they_are_chosen_for(largest: int) -> None:
    whole = (largest - 18, *[1] * 18)
    for q in (whole, whole[::-1], tuple(-x for x in whole), tuple(-x for x in whole[::-1])):
        assert outer.power_sums(q, 0) == (0, 2**19 * (sum(x * x for x in q)))
    shifted = outer.power_sums((1,) * 10, largest)
    assert shifted == (2**10 * largest, 2**10 * (largest**2 + 10))


@pytest.mark.parametrize("dtype", [np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_columns_are_added_up_whatever_they_hold(dtype: type[Any]) -> None:
    assert outer.KEPT << outer.COLUMN_BITS <= 1 << 17
    ends = np.iinfo(dtype)
    for x in (ends.min, ends.max, -1 if ends.min else 1):
        assert outer._exact_sum(np.full((2, 1 << 16), x, dtype)) == int(x) << 17
    assert outer._exact_sum(np.array([[ends.min, ends.max, 0, 1]], dtype)) == int(ends.min) + int(ends.max) + 1


@pytest.mark.parametrize("d", [17, 19, 22, 27])
def test_wide_cubes_are_cut_into_rows_and_shards(d: int) -> None:
    counted = tally((1,) * d, histogram=True)
    assert counted.histogram == {2 * m - d: comb(d, m) for m in range(d + 1)}
    assert (counted.count, counted.total, counted.total_of_squares) == (2**d, 0, 2**d * d)
    assert (tally((1,) * d).total, tally((1,) * d).total_of_squares) == (0, 2**d * d)


def test_shards_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    q = (3, -1, 2, Fraction(1, 2), 7, -5, 1)
    whole = tally(q, histogram=True)
    monkeypatch.setattr(enumeration, "SHARD_BITS", 3)
    done: list[int] = []
    assert tally(q, histogram=True, progress=done.append) == whole
    assert done == [8] * 16
    assert (tally(q).count, tally(q).total, tally(q).total_of_squares) == (128, whole.total, whole.total_of_squares)


@settings(max_examples=60)
@given(st.lists(st.fractions(max_denominator=50), min_size=1, max_size=7), st.sampled_from(["numpy", "plain", "auto"]))
def test_any_rational_query_is_counted_exactly(q: list[Fraction], engine: str) -> None:
    scores = Counter(
        sum((x * s for x, s in zip(q, k, strict=True)), Fraction(0)) for k in product((1, -1), repeat=len(q))
    )
    counted = tally(q, histogram=True, engine=engine)
    assert counted.histogram == scores
    assert counted.count == 2 ** len(q)
    assert counted.total == sum(e * n for e, n in scores.items())
    assert counted.total_of_squares == sum(e * e * n for e, n in scores.items())
    assert (counted.mean, counted.second_moment) == (0, sum(x * x for x in q))


@pytest.mark.parametrize(
    ("q", "options", "why"),
    [
        ((), {}, "from width 1 to 62"),
        ((1,) * 63, {}, "from width 1 to 62"),
        ((1,), {"engine": "abacus"}, "engine must be one of auto, numba, numpy, plain"),
        (tuple(3**r for r in range(25)), {"histogram": True}, "more than 524288 scores"),
    ],
)
def test_what_cannot_be_counted_is_refused(q: tuple[int, ...], options: dict[str, bool], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        tally(q, **options)  # type: ignore[arg-type]


def test_an_estimate_grows_with_the_cube() -> None:
    assert estimate_seconds((1,) * 60) > 1000 * estimate_seconds((1,) * 40)
    assert estimate_seconds((1,) * 30, engine="plain") > estimate_seconds((1,) * 30)
