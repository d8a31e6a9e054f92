import json
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exact import shards
from exact.audit import audit
from exact.engines import outer
from exact.ledger import Ledger
from exact.shards import Job
from tests.command import assert_refused, run
from tests.ledgers import sealed

ROOT = Path(__file__).parents[1]
COMMAND = [sys.executable, "-c", "from notes.cli import main; main()", "count", "--engine", "plain", "--width", "19"]
JOB = Job(tuple(Fraction((-1) ** r) for r in range(19)), 12, engine="plain")  # 128 shards of some milliseconds


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a ledger with its first line."""
    with Ledger(str(tmp_path / "ledger")) as kept:
        kept.begin(JOB)
    return tmp_path / "ledger"


def start(path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Count in a process group of its own, and wait for some shards."""
    started = subprocess.Popen(
        [*COMMAND, "--resume", str(path), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while path.read_bytes().count(b"\n") < 4:
        assert time.monotonic() < until
        time.sleep(0.005)
    return started


def kept(path: Path) -> int:
    """Return how many shards a ledger has, all of them right."""
    return audit(str(path), 1, 7).present


def finish(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Go on with a ledger, and see that the total is right."""
    arguments = ["count", "--engine", "plain", "--width", "19", "--resume", str(path), "--workers", "1", "--json"]
    code, out, err = run(capsys, *arguments)
    found: dict[str, Any] = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["vectors"], found["sum"], found["sum_of_squares"]) == (2**19, "0", str(2**19 * 19))
    assert path.read_bytes().count(b"\n") == found["shards"] + 1 == 129
    return found


@pytest.mark.parametrize("workers", ["1", "2"])
def test_killed_at_any_moment_it_is_gone_on_with(workers: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with start(path, "--workers", workers) as process:
        process.kill()
    before = kept(path)
    assert 3 <= before < 128
    assert finish(path, capsys)["resumed_shards"] == before
    again = finish(path, capsys)
    assert (again["resumed_shards"], again["workers"], again["seconds"]) == (128, 0, 0)


def test_a_killed_worker_is_survived(path: Path) -> None:
    with start(path, "--workers", "2", "--json") as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        workers = [pid for pid in children if "spawn_main" in Path(f"/proc/{pid}/cmdline").read_text()]
        os.kill(int(workers[0]), signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert json.loads(out)["sum_of_squares"] == str(2**19 * 19)
    assert kept(path) == 128


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_says_how_to_go_on(workers: str, path: Path) -> None:
    with start(path, "--workers", workers) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        out, err = process.communicate(timeout=60)
    said = f"sqrtdk: interrupted; {kept(path)} of 128 shards are kept in {path}; the same command goes on\n"
    assert (process.returncode, out, err) == (2, "", said)


@pytest.mark.parametrize("seconds", [1.2, 1.6, 2])
def test_an_interrupt_without_a_ledger_keeps_nothing(seconds: float) -> None:
    command = [*COMMAND[:-1], "40", "--yes", "--workers", "3"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, text=True) as process:
        time.sleep(seconds)  # while its workers start, or soon after that
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, "")
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("sqrtdk: interrupted; nothing was ")


def test_two_processes_do_not_count_into_one_ledger(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with start(path, "--workers", "1") as process:
        arguments = ["count", "-d", "19", "--engine", "plain", "--resume", str(path)]
        assert_refused(capsys, arguments, "is in use: another process counts into it")
        process.kill()
    finish(path, capsys)


def test_a_file_that_may_not_grow_keeps_what_it_has(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); "
    command = [sys.executable, "-c", limit + COMMAND[2], *COMMAND[3:], "--resume", str(path), "--workers", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    said = f"sqrtdk: {path}: File too large; {kept(path)} of 128 shards are kept in {path}; the same command goes on\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    assert path.read_bytes().endswith(b"}\n")
    assert finish(path, capsys)["resumed_shards"] > 3


def count(path: Path, *more: str) -> list[str]:
    return ["count", "--query", "3,-1,1/2,2", "--resume", str(path), *more]


def test_a_finished_ledger_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger"
    code, first, _ = run(capsys, *count(path, "--histogram"))
    assert code == 0
    assert "1 worker" in first
    for language, said in (("en", f"finished: {path} has"), ("es", f"terminado: {path} tiene")):
        code, out, err = run(capsys, *count(path, "--histogram", "--lang", language))
        assert (code, err) == (0, "")
        assert said in out
        assert "13/2" in out
    found = json.loads(run(capsys, *count(path, "--histogram", "--json"))[1])
    assert found["resumed_shards"] == found["shards"]
    assert found["histogram"]["13/2"] == 1
    assert found["seconds"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--query", "3,-1,1/2,3"], "is the ledger of another query (q_3 = 2)"),
        (["--query", "3,-1,1/2"], "is the ledger of another query (width 4)"),
        (["--query", "3,-1,1/2,2", "--histogram"], "is a ledger without histograms"),
        (["--query", "3,-1,1/2,2", "--engine", "plain"], "go on with --engine numpy"),
        (["--query", "3,-1,1/2,2", "--workers", "2"], "another version of the program"),
    ],
)
def test_the_ledger_of_another_count_is_refused(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger"
    assert run(capsys, *count(path))[0] == 0
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    before = path.read_bytes()
    if "another version" in said:
        shards.fingerprint.cache_clear()
        monkeypatch.setattr(shards, "CODE", ("cube.py",))
    try:
        assert_refused(capsys, ["count", *arguments, "--resume", str(path)], said)
    finally:
        shards.fingerprint.cache_clear()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["count", "--workers", "0"], "--workers: workers must be at least 1"),
        (["count", "--workers", "many"], "--workers: 'many' is not a number"),
        (["count", "--workers", "2000"], "--workers: workers must be at most 1024"),
        (["count", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "leave one of the two out"),
        (["count", "--resume", "/"], "cannot be written: it is not a regular file"),
        (["count", "--resume", "/dev/null"], "cannot be written: it is not a regular file"),
        (["count", "--resume", "/no/such/folder/ledger"], "cannot be written"),
        (["count", "--resume", "README.md"], "README.md is no ledger: it does not begin as one"),
        (["verify", "README.md", "--shards", "2"], "are about a ledger, and README.md is none"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    before = (ROOT / "README.md").read_bytes()
    assert_refused(capsys, arguments, said)
    assert (ROOT / "README.md").read_bytes() == before


def test_a_refusal_to_start_leaves_no_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, ["count", "-d", "50", "--resume", str(tmp_path / "ledger")], "--yes starts")
    assert list(tmp_path.iterdir()) == []


# ---- verify ---------------------------------------------------------------------------------------------------------


def test_a_ledger_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger"
    run(capsys, *count(path, "--histogram", "--workers", "2"))
    found = json.loads(run(capsys, "verify", str(path), "--json", "--seed", "4", "--shards", "1")[1])
    assert (found["finished"], found["shards"], found["seed"]) == (True, 8, 4)
    assert len(found["recounted_shards"]) == 1
    code, out, err = run(capsys, "verify", str(path), "--shards", "all", "--engine", "plain", "--lang", "es")
    assert (code, err) == (0, "")
    assert "Σ e² = 2^4·57/4" in out
    assert "todos se contaron de nuevo" in out
    code, out, _ = run(capsys, "verify", str(path))
    assert code == 0
    assert "is the word of whoever ran it" in out
    assert re.search(r"--seed \d+ chooses the same", out)
    kept = path.read_bytes()
    path.write_bytes(kept[:-10])
    code, out, err = run(capsys, "verify", str(path))
    assert (code, err) == (3, "")
    assert "NOT finished: 7 of 8 shards" in out
    path.write_bytes(kept.replace(b'"shard":3', b'"shard":4'))
    assert_refused(capsys, ["verify", str(path)], "is damaged in line")
    for option, value in (("--shards", "x"), ("--seed", "-1"), ("--engine", "abacus")):
        assert_refused(capsys, ["verify", str(path), option, value], option.strip("-"))


def test_a_ledger_with_wrong_sums_is_not_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger"
    run(capsys, *count(path))
    first, line, *others = path.read_bytes().splitlines()
    forged = sealed(first, line, sum=json.loads(line)["sum"] + 7)
    for lines in ([forged, *others], [forged, *others[:-1]]):
        path.write_bytes(b"\n".join([first, *lines, b""]))
        assert_refused(capsys, count(path), "a shard in it is wrong; sqrtdk verify")


def test_an_empty_ledger_is_not_said_to_be_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger"
    run(capsys, *count(path))
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    code, out, _ = run(capsys, "verify", str(path))
    assert code == 3
    assert "NOT finished: 0 of 1 shards" in out
    assert "The numbers are right" not in out


def test_a_shard_that_is_counted_otherwise_is_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ledger"
    run(capsys, *count(path))
    monkeypatch.setattr(outer, "power_sums", lambda q, offset=0: (1, 1))
    code, out, err = run(capsys, "verify", str(path), "--shards", "1")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"sqrtdk: \S+ is rejected: shard \d+, counted again: .*\n", err)
