import errno
import json
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exact import ledger
from exact.audit import audit, recount
from exact.enumeration import tally
from exact.kernel import Rejected
from exact.ledger import Damaged, Ledger, read
from exact.rationals import BadInput
from exact.shards import Job, count_shard
from notes.files import begins_as_ledger
from tests.ledgers import sealed

QUERY = tuple(map(Fraction, ("3", "-1", "1/2", "2", "-5")))
JOB = Job(QUERY, 3, histogram=True)
WHOLE = tally(QUERY, histogram=True, engine="plain")
SHARDS = [count_shard(JOB, i) for i in range(JOB.shards)]


def write(path: Path, job: Job = JOB, order: tuple[int, ...] = (2, 0, 3, 1)) -> bytes:
    """Write a finished ledger, and return its bytes."""
    with Ledger(str(path)) as kept:
        kept.begin(job)
        for i in order:
            kept.add(count_shard(job, i))
    return path.read_bytes()


@pytest.fixture
def no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)


def go_on(path: Path) -> Ledger:
    """Open a ledger, count what it lacks, and see that the total is right."""
    with Ledger(str(path)) as kept:
        total = kept.sum or kept.begin(JOB)
        for i in range(JOB.shards):
            if i not in total.done:
                kept.add(SHARDS[i])
        assert total.tally() == WHOLE
    return kept


def test_the_format_is_what_it_says(tmp_path: Path) -> None:
    """The lines once more, from the description of the format and not from the code that writes them."""
    path = tmp_path / "ledger"
    first, *others = write(path).splitlines()
    header = json.loads(first)
    assert list(header) == [
        *("format", "version", "query", "shard_bits", "shards", "unit", "counted"),
        *("engine", "release", "code", "checksum"),
    ]
    assert (header["query"], header["shard_bits"], header["shards"]) == (["3", "-1", "1/2", "2", "-5"], 3, 4)
    assert header["unit"] == "1/2"
    assert [json.loads(line)["shard"] for line in others] == [2, 0, 3, 1]
    assert sum(json.loads(line)["sum_of_squares"] for line in others) == 4 * WHOLE.total_of_squares
    assert sealed(first, others[0]) == others[0]
    assert begins_as_ledger(str(path))


@pytest.mark.usefixtures("no_sync")
def test_cut_anywhere_it_is_gone_on_with_or_refused(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole")
    first = whole.index(b"\n") + 1
    for cut in range(len(whole)):
        path = tmp_path / "cut"
        path.write_bytes(whole[:cut])
        if 0 < cut < first:
            with pytest.raises(Damaged):
                Ledger(str(path))
            assert path.read_bytes() == whole[:cut]
            continue
        assert whole[:cut].count(b"\n") - 1 <= len(go_on(path).sum.done)  # type: ignore[union-attr]
        assert audit(str(path), 2, 7).tally == WHOLE
        path.unlink()


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_the_bytes_no_total_is_wrong(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "any"
    whole = write(tmp_path / "whole") if not (tmp_path / "whole").exists() else (tmp_path / "whole").read_bytes()
    lines = whole.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(["bytes", "header", "splice", "lines"]))
    if kind == "bytes":
        found = data.draw(st.binary(max_size=300))
    elif kind == "header":
        found = lines[0] + data.draw(st.binary(max_size=300))
    elif kind == "splice":
        at, to = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
        found = whole[:at] + data.draw(st.binary(max_size=20)) + whole[to:]
    else:
        found = b"".join(data.draw(st.lists(st.sampled_from(lines), max_size=8)))
    path.write_bytes(found)
    try:
        with path.open("rb") as file:
            _, shards = read(file, str(path))
            assert all(shard in SHARDS for shard, _ in shards)
    except Damaged:
        return  # refused, which is right for what is no ledger


def test_a_line_twice_or_damaged_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    lines = write(path).splitlines(keepends=True)
    for wrong, why in (
        ([*lines, lines[1]], "line 6: shard 2 stands there twice"),
        ([lines[0], lines[1].replace(b"1", b"2", 1), lines[2]], "is damaged in line 2: it does not fit its checksum"),
        ([lines[0], b"\n", lines[2]], "is damaged in line 2: it is no line of a ledger"),
        ([lines[0], b"[" * 9000 + b"\n", lines[2]], "is damaged in line 2: it is no line of a ledger"),
        ([lines[0].replace(b"numpy", b"plain"), *lines[1:]], "line 1: its first line does not fit its checksum"),
        ([lines[0].replace(b'"version":1', b'"version":2')], "version 2 of the format; this program reads 1"),
        ([b"A thesis.\n"], "is no ledger"),
    ):
        path.write_bytes(b"".join(wrong))
        with pytest.raises(Damaged, match=why):
            Ledger(str(path))
        assert path.read_bytes() == b"".join(wrong)


def test_a_line_of_another_ledger_is_refused(tmp_path: Path) -> None:
    lines = write(tmp_path / "one").splitlines(keepends=True)
    other = write(tmp_path / "other", Job((*QUERY[:4], Fraction(5)), 3, histogram=True)).splitlines(keepends=True)
    (tmp_path / "mixed").write_bytes(lines[0] + other[1] + lines[2])
    with pytest.raises(Damaged, match="damaged in line 2"):
        Ledger(str(tmp_path / "mixed"))


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with Ledger(str(path)) as first:
        for _ in range(2):
            with pytest.raises(BadInput, match="is in use"):
                Ledger(str(path))
            if first.header is None:
                first.begin(JOB)
    go_on(path)


def test_a_ledger_that_was_never_begun_leaves_no_file(tmp_path: Path) -> None:
    with Ledger(str(tmp_path / "ledger")):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_full_disk_loses_nothing(failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, written = tmp_path / "ledger", os.write

    def full(file: int, data: bytes = b"") -> int:
        if len(data) > 10:
            return written(file, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    with Ledger(str(path)) as kept:
        kept.begin(JOB)
        kept.add(SHARDS[1])
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, failing, full)
            with pytest.raises(OSError, match="No space left on device"):
                kept.add(SHARDS[2])
        assert path.read_bytes() == before
        assert kept.sum is not None
        assert kept.sum.done == {1}
        kept.add(SHARDS[2])
    go_on(path)


def test_a_ledger_that_would_be_huge_is_refused(tmp_path: Path) -> None:
    q = tuple(Fraction(2 * 3**r) for r in range(11)) + (Fraction(1),) * 20
    with Ledger(str(tmp_path / "ledger")) as kept, pytest.raises(BadInput, match="more than the limit of 1 GB"):
        kept.begin(Job(q, 16, histogram=True))


# ---- judging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("histogram", [False, True])
def test_an_honest_ledger_is_accepted_and_counted_again(histogram: bool, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    write(path, replace(JOB, histogram=histogram))
    found = audit(str(path), 3, 7)
    assert found.tally == (WHOLE if histogram else tally(QUERY))
    assert str(found.theorems[1]) == "⊢ Σ e² = 2^5·157/4, E[e²] = 157/4 over {−1,1}^5, for q = (3, −1, 1/2, 2, −5)"
    assert len(found.chosen) == 3
    assert audit(str(path), 3, 7) != audit(str(path), 3, 8) or audit(str(path), 3, 7) != audit(str(path), 3, 9)
    for shard in found.chosen:
        recount(found, shard, "plain")
        with pytest.raises(Rejected, match=rf"shard {shard.index}, counted again: "):
            recount(found, replace(shard, total=shard.total + 1), "plain")
        if shard.histogram:
            with pytest.raises(Rejected, match="or another histogram"):
                recount(found, replace(shard, histogram=shard.histogram[1:]), "plain")


def test_a_forged_ledger_is_rejected_though_its_checksums_fit(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    for histogram in (False, True):
        path.unlink(missing_ok=True)
        first, *lines = write(path, replace(JOB, histogram=histogram)).splitlines()
        one, two = (json.loads(line) for line in lines[:2])
        for changes, why in (
            ([{"sum": one["sum"] + 2}], r"shard 2: Σ e = \S+, but by the theorem it is"),
            ([{"sum_of_squares": 0}], r"shard 2: Σ e² = 0, but by the theorem it is"),
            # two lies that cancel in the total
            ([{"sum": one["sum"] + 2}, {"sum": two["sum"] - 2}], r"shard 2: Σ e = "),
            ([{"sum_of_squares": one["sum_of_squares"] + 4}, {"sum_of_squares": two["sum_of_squares"] - 4}], "Σ e²"),
            *([([{"histogram": one["histogram"][:-1]}], "is not the exact distribution")] if histogram else []),
        ):
            forged = [sealed(first, line, **change) for line, change in zip(lines, changes, strict=False)]
            path.write_bytes(b"\n".join([first, *forged, *lines[len(forged) :], b""]))
            with pytest.raises(Rejected, match=why):
                audit(str(path), 0, 7)


def test_scores_stand_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    first, line, *others = write(path, replace(JOB, histogram=True)).splitlines()
    seen = json.loads(line)["histogram"]
    for forged in ([[seen[0][0], 999], *seen], seen[::-1], [[seen[0][0] - 2, 0], *seen], [*seen, [10**6, -1]]):
        path.write_bytes(b"\n".join([first, sealed(first, line, histogram=forged), *others, b""]))
        with pytest.raises(Damaged, match="does not list each score once, in order"):
            audit(str(path), 0, 7)


def test_the_first_line_has_no_room_for_sentences(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    first, *others = write(path).splitlines()
    lies = {"release": "1.0\n  all were counted again"}, {"release": "\x1b[8m"}, {"release": ""}, {"code": "x" * 999}
    for change in lies:
        path.write_bytes(b"\n".join([sealed(first, first, **change), *others, b""]))
        with pytest.raises(Damaged, match="its release or its fingerprint is none"):
            audit(str(path), 0, 7)


def test_an_unfinished_ledger_has_no_tally(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    lines = write(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:40])
    found = audit(str(path), 9, 7)
    assert (found.tally, found.present, sorted(s.index for s in found.chosen)) == (None, 2, [0, 2])


def test_systems_without_locks_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ledger, "fcntl", None)
    write(tmp_path / "ledger")
