"""The compiled engine against plain Python where every vector can be listed, and against exact moments where not."""

import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exact import enumeration
from exact.engines import lanes, outer, plain, products
from exact.enumeration import choose_engine, tally
from exact.rationals import BadInput
from exact.workers import plan
from notes.counted import engine_notes
from notes.counting import Work
from notes.words import words
from tests.command import assert_refused, run

RANDOM = random.Random(9)
SIZES = (1, 9, 80, 10**3, 10**6)  # for which every lane is chosen: 16, 32 and 64 bits


def _add_bytes(row: Any, offsets: Any) -> tuple[int, int]:
    """Do in NumPy what products.add does, so that what leads to it is tested on every processor."""
    f = (row[None, :] + offsets[:, None]).astype(np.int64)
    assert row.dtype == offsets.dtype == np.uint8
    assert f.max() <= products.MOST
    return int(f.sum()), int((f * f).sum())


@pytest.fixture(params=["products of bytes, where the processor has them", "bytes in NumPy", "wider integers"])
def each_loop(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with each of the loops that add up small scores."""
    if request.param == "wider integers":
        monkeypatch.setattr(products, "available", lambda: False)
    elif request.param == "bytes in NumPy":
        monkeypatch.setattr(products, "available", lambda: True)
        monkeypatch.setattr(products, "add", _add_bytes)
        visit = lanes._visit
        monkeypatch.setattr(lanes, "_visit", lambda f, *given: f(*given) if f is _add_bytes else visit(f, *given))


@pytest.mark.parametrize("d", range(1, 6))
def test_every_small_query_is_counted_as_in_plain_python(d: int) -> None:
    for q in product((-3, -1, 0, 2) if d < 5 else (-1, 0, 2), repeat=d):
        for offset in (0, -7):
            assert lanes.power_sums(q, offset) == plain.power_sums(q, offset)
            assert lanes.histogram(q, offset) == plain.histogram(q, offset)


@pytest.mark.usefixtures("each_loop")
@pytest.mark.parametrize("d", range(6, 15))
@pytest.mark.parametrize("size", SIZES)
def test_queries_of_every_size_are_counted_as_in_plain_python(d: int, size: int) -> None:
    q = tuple(RANDOM.randint(-size, size) for _ in range(d))
    for offset in (0, 5, -(10**6)):
        assert lanes.power_sums(q, offset) == plain.power_sums(q, offset)
        if lanes.right_for(q, offset, histogram=True):
            assert lanes.histogram(q, offset) == plain.histogram(q, offset)


@pytest.mark.usefixtures("each_loop")
@pytest.mark.parametrize("largest", [20, 124, 125, 126, 127, 128, 32764, 32765, 32766, 2**20, 2**22])
def test_lanes_hold_what_they_are_chosen_for(largest: int) -> None:
    assert lanes.power_sums((1,) * 14, largest - 14) == (
        2**14 * (largest - 14),
        2**14 * ((largest - 14) ** 2 + 14),
    )
    assert lanes.power_sums((largest, *[0] * 15)) == (0, 2**16 * largest**2)


def test_bytes_hold_what_they_are_chosen_for() -> None:
    assert lanes.histogram((1,) * 20, -3) == {2 * m - 23: comb(20, m) for m in range(21)}
    assert lanes.histogram((254, *[0] * 13), 1) == {-253: 2**13, 255: 2**13}
    for q in ((0,) * 15, (0,) * 24):
        assert lanes.histogram(q, 1) == {1: 2 ** len(q)}
    wide = tuple(random.Random(10).randint(-14, 14) for _ in range(23))
    assert lanes.histogram(wide) == outer.histogram(wide)
    with pytest.raises(BadInput, match="at most 255 scores"):
        lanes.histogram((254, 1))


def test_what_64_bits_do_not_hold_is_refused_and_auto_goes_elsewhere() -> None:
    assert lanes.right_for((2**31, 1))
    assert not lanes.right_for((2**32, 1))
    with pytest.raises(BadInput, match="64 bits"):
        lanes.power_sums((2**32, 1))
    assert choose_engine("auto", (2**31,) * 40) == "numpy"
    assert choose_engine("auto", (1,) * 12) == "numpy"
    assert choose_engine("auto", (1,) * 40) == "numba"
    assert choose_engine("auto", (1,) + (11,) * 39, histogram=True) == "numpy"
    with pytest.raises(BadInput, match="numpy and plain have no such limit"):
        choose_engine("numba", (2**31,) * 40)


def test_bytes_hold_the_largest_scores_that_are_multiplied() -> None:
    assert products.MOST == lanes.MOST_PRODUCTS
    assert products.COLUMNS * products.ROWS == 1 << lanes.LEAST_PRODUCTS
    for q in ((56, *[1] * 28, 43), (43, *[-1] * 28, -56)):  # half the rows are about as large as they can be
        assert lanes.power_sums(q) == (0, 2**30 * sum(x * x for x in q))


@pytest.mark.parametrize("d", [30, 32])
def test_wide_cubes_agree_with_the_exact_moments(d: int) -> None:
    q = tuple((-1) ** r * (1 + r % 3) for r in range(d))
    counted = tally(q, engine="numba")
    assert (counted.count, counted.total, counted.second_moment) == (2**d, 0, sum(x * x for x in q))


def test_a_wide_histogram_is_the_binomials() -> None:
    assert tally((1,) * 28, histogram=True, engine="numba").histogram == {2 * m - 28: comb(28, m) for m in range(29)}


def test_shards_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    q = (3, -1, 2, 5, 7, -5, 1)
    whole = tally(q, histogram=True, engine="plain")
    monkeypatch.setattr(enumeration, "SHARD_BITS", 3)
    for engine in ("numba", "numpy"):
        assert tally(q, histogram=True, engine=engine) == whole
        assert tally(q, engine=engine).total_of_squares == whole.total_of_squares


def test_without_numba_the_command_says_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exact.engines.lanes.find_spec", lambda _: None)
    assert_refused(capsys, ["count", "-d", "8", "--engine", "numba"], "pip install -e '.[fast]'")
    assert choose_engine("auto", (1,) * 40) == "numpy"
    monkeypatch.setattr("notes.counted.installed", lambda: False)
    work = Work("numpy", 1, None, None, 1, 0, 1, 0.0, asked="auto")
    assert ".[fast]" in engine_notes(work, 40, words("en"))[0]
    assert not engine_notes(work, 12, words("en"))
    assert not engine_notes(replace(work, asked="numpy"), 40, words("en"))


def test_the_command_names_the_engine_and_what_it_cost_to_start(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "count", "-d", "16", "--engine", "numba")
    assert (code, err) == (0, "")
    assert "M/s, numba" in out
    assert "numba made ready in" in out
    assert "M/s, numpy" in run(capsys, "count", "-d", "10")[1]


def count_apart(*arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run `sqrtdk count` in a process of its own."""
    program = "import sys; from notes import cli; sys.exit(cli.run(['count', *sys.argv[1:]]))"
    command, place = [sys.executable, "-c", program, *arguments], {**os.environ, **environment}
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, env=place, check=False)
    return found.returncode, found.stdout, found.stderr


def test_a_numba_that_cannot_be_imported_is_refused_and_auto_goes_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba/__init__.py").write_text("raise ImportError('Numba needs NumPy 1.0 or less\\nor so')")
    code, out, err = count_apart("-d", "8", "--engine", "numba", PYTHONPATH=str(tmp_path))
    assert (code, out) == (2, "")
    assert err == (
        "sqrtdk: numba is installed and cannot be imported (Numba needs NumPy 1.0 or less); mend it, or take numpy\n"
    )
    code, out, _ = count_apart("-d", "31", PYTHONPATH=str(tmp_path))
    assert code == 0
    assert "M/s, numpy" in out


FRESH = """
import threading
from exact.engines import lanes
start = threading.Barrier(2)
queries = (1,) * 14, (300,) * 14
def count(q):
    start.wait()
    lanes.power_sums(q)
threads = [threading.Thread(target=count, args=(q,)) for q in queries]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(*(lanes.power_sums(q) for q in queries))
"""


def test_the_first_two_calls_may_come_at_once() -> None:
    found = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, timeout=300, check=False)
    assert (found.stdout, found.stderr) == ("(0, 229376) (0, 20643840000)\n", "")


@pytest.mark.parametrize("kept", [0, 40])
def test_a_damaged_cache_breaks_nothing(kept: int, tmp_path: Path) -> None:
    for _ in range(2):
        code, out, err = count_apart("-d", "16", "--engine", "numba", NUMBA_CACHE_DIR=str(tmp_path))
        assert (code, err) == (0, "")
        assert "M/s, numba" in out
        files = [file for file in tmp_path.rglob("*.nb?") if file.is_file()]
        assert files
        for file in files:
            file.write_bytes(file.read_bytes()[:kept])


@pytest.mark.parametrize(("rate", "shown"), [(1.341e11, "134 G/s"), (1.04e10, "10.4 G/s"), (5.64e9, "5.64 G/s")])
def test_a_long_job_is_announced_with_its_rate_and_time(
    rate: float, shown: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measured(*arguments: Any, **options: Any) -> tuple[Any, float, int]:
        job, _, workers = plan(*arguments, **options)
        return job, rate, workers

    monkeypatch.setattr("notes.counting.plan", measured)
    monkeypatch.setattr("notes.counting.LONG_SECONDS", 0)
    err = run(capsys, "count", "-d", "16")[2]
    assert err.startswith("2^16 vectors, ")
    assert f"1 worker of {shown}: about 0:00:00" in err


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), RuntimeError("no locator available")])
def test_a_cache_that_cannot_be_written_breaks_nothing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lanes._compiled

    def failing(function: Callable[..., Any], kept: bool) -> Any:
        if kept:
            raise error
        return whole(function, kept)

    monkeypatch.setattr(lanes, "_compiled", failing)
    assert lanes.power_sums((3, -1, 2)) == (0, 112)


@pytest.mark.parametrize(
    ("arguments", "unwanted"),
    [
        (["--help"], "numba llvmlite dask distributed matplotlib sympy numpy"),
        (["count", "--width", "10"], "numba llvmlite dask distributed matplotlib sympy"),
        (["check", "--width", "6"], "numba llvmlite dask distributed matplotlib"),
    ],
)
def test_what_is_heavy_is_imported_only_when_used(arguments: list[str], unwanted: str) -> None:
    child = (
        "import sys; from notes import cli; code = cli.run(sys.argv[1:]); "
        "print('LOADED', *{name.split('.')[0] for name in sys.modules}); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", child, *arguments], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rsplit("LOADED", 1)[1].split())
    assert "notes" in loaded
    assert not loaded & set(unwanted.split())
