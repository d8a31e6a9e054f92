"""The lesson's tables, to the last figure printed."""

from pathlib import Path

import pytest

from exact.lesson_tables import score_size, score_size_csv, softmax_row, softmax_row_csv
from exact.rationals import BadInput

DATA = Path(__file__).parent / "data"


def test_score_size_is_the_lessons() -> None:
    assert list(score_size_csv(score_size())) == (DATA / "score-size.csv").read_text("utf-8").splitlines()


def test_softmax_row_is_the_lessons_and_reads_in_pairs() -> None:
    rows = softmax_row()
    assert list(softmax_row_csv(rows)) == (DATA / "softmax-row.csv").read_text("utf-8").splitlines()
    undivided = [row.steepest for row in rows if row.divisor == "1"]
    assert undivided[0] > 5 * undivided[-1]


@pytest.mark.parametrize("seed", [-1, 2**129])
def test_a_seed_has_a_range(seed: int) -> None:
    with pytest.raises(BadInput, match="seed must be"):
        score_size(seed)
