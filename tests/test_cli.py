import errno
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from exact.certificate import dumps
from notes.files import write_whole
from tests.command import assert_refused, run
from tests.forgeries import FORGERIES, HONEST

COMMAND = [sys.executable, "-c", "from notes.cli import main; main()"]
ROOT = Path(__file__).parents[1]


def test_check_shows_every_claim_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "check")
    assert (code, err) == (0, "")
    assert "second-moment   E[e²] = d" in out
    assert "counted  Σ e² = 49152 = 2^12·12" in out
    assert "trace-range     0 ≤ 1 − Σ_j a_ij² ≤ 1 − 1/T" in out
    assert out.splitlines()[-3].startswith("All 23 claims hold: 59 routes")
    assert out.splitlines()[-2].startswith("Besides, sampled and not proved: 6 estimates inside their exact bounds, 2 ")


def test_quick_leaves_out_what_is_sampled(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--width", "3", "--quick")
    assert code == 0
    assert "sampled" not in out
    assert "measured" not in out
    assert "All 23 claims hold: 59 routes" in out
    found = json.loads(run(capsys, "check", "--width", "3", "--quick", "--json")[1])
    assert found["tables"] == []
    assert "sampled" not in {r["rung"] for c in found["claims"] for r in c["routes"]}


def test_check_takes_a_query_and_a_language(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--query", "3,-1,0.5", "--lang", "es")
    assert code == 0
    assert "Σ e² = 82 = 2^3·41/4" in out
    assert "Solo sobrevive la diagonal." in out


def test_check_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--width", "5", "--json")
    found = json.loads(out)
    assert (code, found["width"], found["holds"]) == (0, 5, True)
    (claim,) = [c for c in found["claims"] if c["id"] == "second-moment"]
    assert [r["rung"] for r in claim["routes"]] == ["counted", *["proved"] * 3, *["sampled"] * 2]
    assert claim["routes"][0]["visited"] == 32
    assert len(found["claims"]) == 23
    assert all(c["holds"] for c in found["claims"])


def test_a_certificate_is_written_and_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proofs.json"
    assert run(capsys, "check", "--query", "3,-1,2", "--certificate", str(file))[0] == 0
    code, out, _ = run(capsys, "verify", str(file))
    assert code == 0
    assert "⊢ Σ e² = 2^3·14, E[e²] = 14 over {−1,1}^3, for q = (3, −1, 2)\n" in out
    assert json.loads(run(capsys, "verify", str(file), "--json")[1])[0]["claims"] == ["match-count"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~current_umask()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_count_gives_the_histogram(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "count", "--width", "4", "--histogram", "--pairs", "--json")[1])
    assert found["histogram"] == {"-4": 1, "-2": 4, "0": 6, "2": 4, "4": 1}
    assert (found["sum"], found["sum_of_squares"], found["pairing"]["pairs"]) == ("0", "64", 6)
    code, out, _ = run(capsys, "count", "--width", "4", "--histogram", "--pairs", "--engine", "plain", "--lang", "es")
    assert code == 0
    assert "6 pares r < s" in out
    assert "\n   0        6 " + "█" * 40 in out


LONG = ",".join(["1"] * 63)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--width", "0"], "--width: width must be at least 1 (got 0)"),
        (["check", "--width", "-3"], "--width: width must be at least 1 (got -3)"),
        (["check", "--width", "many"], "--width: 'many' is not a number"),
        (["check", "--width", "2.5"], "--width: width must be a whole number"),
        (["check", "--width", "1000000000"], "--width: width must be at most 62"),
        (["check", "--width", "45"], "--yes starts"),
        (["count", "--width", "62"], "--yes starts"),
        (["check", "--query", ""], "the query is empty"),
        (["check", "--query", "1,x"], "--query, entry 1: 'x' is not a number"),
        (["check", "--query", "1,"], "--query, entry 1: '' is not a number"),
        (["check", "--query", "1/0"], "--query, entry 0: a fraction must not have denominator 0"),
        (["check", "--query", LONG], "the query must have at most 62 entries (got 63)"),
        (["check", "--query", "9" * 3000], "at most 1000 digits"),
        (["check", "--width", "3", "--query", "1,2"], "leave one of the two out"),
        (["check", "--lang", "fr"], "language must be one of en, es"),
        (["check", "--certificate", "/no/such/folder/file"], "cannot be written"),
        (["check", "--certificate", "/dev/null"], "cannot be written: it is not a regular file"),
        (["check", "--certificate", "/dev/stdout"], "cannot be written: it is not a regular file"),
        (["check", "--certificate", "/"], "cannot be written: it is not a regular file"),
        (["count", "--width", "36", "--pairs"], "--yes starts"),
        (["count", "--engine", "abacus"], "engine must be one of auto, numba, numpy, plain"),
        (["count", "--histogram", "--query", ",".join(str(3**r) for r in range(25))], "more than 524288 scores"),
        (["count", "--width", "1", "--pairs"], "the pairing needs two coordinates"),
        (["verify", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["verify", "/"], "Is a directory"),
        (["verify", "/dev/null"], "is no certificate: the file is not JSON"),
        (["verify"], "Missing argument"),
        (["check", "--nothing"], "No such option"),
        (["chekc"], "No such command"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(capsys, arguments, said)


@pytest.mark.parametrize(
    ("forgery", "why"),
    [FORGERIES[name] for name in ("second: flips both", "split: cross terms once", "counts: wrong total")],
)
def test_a_lie_is_exit_code_1(forgery: object, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lie.json"
    file.write_text(dumps([HONEST["term"][0], forgery]), "utf-8")
    code, out, err = run(capsys, "verify", str(file))
    assert (code, out) == (1, "")
    assert "is rejected: certificates[1]: " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]], ids=str)
def test_help_is_printed_plainly(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    assert out.startswith("Usage: ")
    assert "Check the whole derivation" in out


def test_the_release_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "--version") == (0, f"sqrtdk {version('sqrtdk')}\n", "")
    assert run(capsys, "check", "-h")[1].startswith("Usage: ")


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize(
    "arguments", [["check", "-d", "4"], ["hypotheses", "-m", "4"], ["moments", "--every-width"]], ids=str
)
def test_lines_are_broken_between_words_in_a_narrow_terminal(
    arguments: list[str], language: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*arguments, "--lang", language]
    whole = run(capsys, *command)[1]
    for module in ("notes.cli", "notes.cli_moments"):
        monkeypatch.setattr(f"{module}.terminal_columns", lambda: 80)
    narrow = run(capsys, *command)[1]
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, whole.splitlines()))
    untimed = [re.sub(r"[·]|[0-9.]+\s+(?:ms|s)\b", "", text).split() for text in (whole, narrow)]
    assert sorted(untimed[0]) == sorted(untimed[1])


def test_a_reader_that_goes_away_is_told_nothing() -> None:
    with subprocess.Popen([*COMMAND, "check"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 2


def test_an_interrupt_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "proofs.json"
    command = [*COMMAND, "check", "--width", "40", "--yes", "--certificate", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (2, b"")
    assert err.decode() == "sqrtdk: interrupted; nothing was written\n"
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kept.json"
    write_whole(str(file), "before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(str(file), "after")
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_help_verify_and_count_import_only_what_they_need() -> None:
    for arguments, absent in (
        (["--help"], {"numpy", "sympy", "rich", "symbolic"}),
        (["count", "--width", "3"], {"sympy"}),
        (["verify", "/dev/null"], {"sympy"}),
        (["check", "--width", "3"], {"sympy"}),
        (["latex", "--as", "json"], {"sympy", "numpy", "rich"}),
    ):
        code = f"import sys; from notes.cli import run; run({arguments!r}); print(sorted(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
        loaded = done.stdout.splitlines()[-1]
        assert not {name for name in absent if f"'{name}'" in loaded}


def test_only_a_regular_file_is_replaced_and_it_keeps_its_mode(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, loop, kept = tmp_path / "pipe", tmp_path / "loop", tmp_path / ("x" * 250)
    os.mkfifo(pipe)
    loop.symlink_to(loop)
    kept.write_text("before")
    kept.chmod(0o600)
    for path in (pipe, loop):
        code, out, err = run(capsys, "check", "--width", "3", "--certificate", str(path))
        assert (code, out, err.count("\n")) == (2, "", 1)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert run(capsys, "check", "--width", "3", "--certificate", str(kept))[0] == 0
    assert kept.read_text().startswith("{")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("redirection", "code"),
    [("verify - <&-", 2), ("law - <&-", 2), ("count -d 3 >&-", 2), ("count -d 3 2>&-", 0), ("count -d x 2>&-", 2)],
)
def test_closed_streams_are_survived(redirection: str, code: int) -> None:
    line = f'"$0" -c "from notes.cli import main; main()" {redirection}'
    done = subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == code
    assert "Traceback" not in done.stderr + done.stdout


def test_routes_about_signs_name_the_query_they_used(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "check", "--query", "3,-1,1/2")[1].splitlines()
    (typical,) = [line for line in lines if "√E[e²] = √3" in line]
    assert "d = 3, q = (1, −1, 1)" in typical
    (second,) = [line for line in lines if "Σ e² = 82" in line]
    assert "this q" in second
