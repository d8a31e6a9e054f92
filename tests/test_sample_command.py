"""The subcommand `sample`: its tables to the last figure, its words in both languages, its errors in one line."""

import json
import sys
from pathlib import Path

import pytest

from exact import closed_forms, rows, sampling
from exact.rows import Measured
from notes.sheets import concise
from tests import command

DATA = Path(__file__).parent / "data"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return command.run(capsys, "sample", *arguments)


@pytest.mark.parametrize("table", ["score-size", "softmax-row"])
@pytest.mark.parametrize("lang", ["en", "es"])
def test_tables_are_the_lessons_in_every_form(capsys: pytest.CaptureFixture[str], table: str, lang: str) -> None:
    published = (DATA / f"{table}.csv").read_text("utf-8")
    assert run(capsys, "--table", table, "--csv", "--lang", lang) == (0, published, "")
    figures = [x for line in published.splitlines()[2:] for x in line.split(",") if x != "sqrt"]
    code, text, _ = run(capsys, "--table", table, "--lang", lang)
    code_latex, latex, _ = run(capsys, "--table", table, "--latex", "--lang", lang)
    assert code == code_latex == 0
    for figure in figures:
        assert figure.replace("-", "−") in text
        assert f"${figure}$" in latex
    assert latex.count(r"\\") == len(published.splitlines()) - 1
    assert all(rule in latex for rule in (r"\toprule", r"\midrule", r"\bottomrule"))
    rows = json.loads(run(capsys, "--table", table, "--json")[1])["rows"]
    assert [x for row in rows for x in row.values() if x != "sqrt"] == figures


def test_estimates_are_shown_with_their_source(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "--width", "64", "--coordinates", "sign", "--draws", "2000", "--seed", "5")
    assert (code, err) == (0, "")
    assert "seed 5" in out
    assert "normal (asymptotic)" in out
    assert "Sampled, not proved" in out
    assert "error típico" in run(capsys, "--draws", "1000", "--lang", "es")[1]


def test_json_is_the_same_for_any_number_of_workers(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--width", "1000000", "--method", "scores", "--draws", "50000", "--json"]
    one, three = (run(capsys, *arguments, "--workers", workers)[1] for workers in ("1", "3"))
    assert one == three
    found = json.loads(one)
    assert (found["draws"], found["seed"], found["generator"]) == (50_000, 7, "SFC64")
    assert [row["truth"] for row in found["estimates"]] == ["0", "1000000", "1"]


def test_the_mean_gradient_has_its_published_figures(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--table", "mean-gradient", "--csv")
    rows = [line.split(",") for line in out.splitlines()[2:]]
    found = {int(d): (f"{float(x):.4f}", f"{float(y):.4f}") for d, x, y, _ in rows}
    assert code == 0
    assert found[64] == ("0.0697", "0.3630")
    assert found[256] == ("0.0352", "0.3631")
    assert "dividido por √d_k" in run(capsys, "--table", "mean-gradient", "--lang", "es")[1]
    assert r"\sqrt{d_k}" in run(capsys, "--table", "mean-gradient", "--latex")[1]


BAD = [
    (["--table", "mean-gradient", "--seed", "1"], "leave --seed out"),
    (["--draws", "0"], "draws must be at least 2"),
    (["--draws", "1"], "draws must be at least 2"),
    (["--width", "0"], "width must be at least 1"),
    (["--width", "1000000000000"], "width must be at most"),
    (["--seed", "1.5"], "seed must be a whole number"),
    (["--seed", "x"], "is not a number"),
    (["--coordinates", "cauchy"], "is not a law"),
    (["--method", "keys"], "a method must be one of"),
    (["--method", "scores", "--coordinates", "sign"], "standard Gaussians"),
    (["--table", "weights"], "--table must be one of"),
    (["--csv"], "name it with --table"),
    (["--table", "score-size", "--csv", "--latex"], "choose one"),
    (["--lang", "fr"], "language must be one of"),
    (["--workers", "0"], "workers must be at least 1"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    command.assert_refused(capsys, ["sample", *arguments], message)


LARGE = ["--table", "large-width", "--widths", "16,1000000", "--positions", "2,8", "--draws", "200"]


@pytest.mark.parametrize("table", [LARGE, ["--table", "closed-forms", "--positions", "8,64", "--draws", "200"]])
def test_an_experiment_has_one_table_in_every_form(capsys: pytest.CaptureFixture[str], table: list[str]) -> None:
    code, text, err = run(capsys, *table)
    assert (code, err) == (0, "")
    assert "Sampled, not proved." in text
    spanish = run(capsys, *table, "--lang", "es")[1]
    assert "uestreado, no\ndemostrado." in spanish
    assert "{" not in text + spanish
    rows = json.loads(run(capsys, *table, "--json")[1])["rows"]
    head, *lines = run(capsys, *table, "--csv")[1].splitlines()[1:]
    assert head.split(",") == list(rows[0])
    assert [line.split(",") for line in lines] == [[str(x) for x in row.values()] for row in rows]
    latex = run(capsys, *table, "--latex")[1]
    assert latex.count(r"\\") == len(rows) + 1
    for row in rows:
        for key, value in row.items():
            if isinstance(value, float) and key + "_error" in row:
                assert concise(Measured(value, row[key + "_error"])).replace("-", "−") in text
    assert run(capsys, *table, "--workers", "2", "--json")[1] == run(capsys, *table, "--json")[1]


def test_a_row_is_as_many_standard_errors_off_as_it_should(capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(run(capsys, *LARGE, "--exponents", "0,1/2,3/4", "--json")[1])["rows"]
    assert len(rows) == 2 * 2 * 3
    for row in rows:
        alpha = {"0": 0.0, "1/2": 0.5, "3/4": 0.75}[row["exponent"]]
        truth = int(row["d_k"]) ** (0.5 - alpha)
        assert abs(row["typical_size"] - truth) < 5.5 * row["typical_size_error"]


def test_closed_forms_hold_further_where_more_error_is_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for error in ("0.01", "0.05", "1/2"):
        out = run(capsys, "--table", "closed-forms", "--positions", "64", "--error", error, "--json")[1]
        found.append([row["holds_up_to"] for row in json.loads(out)["rows"]])
    assert found[0] == ["nowhere"] * 2
    assert all(0.1 < near < far for near, far in zip(*found[1:], strict=True))


@pytest.mark.parametrize("form", ["--csv", "--latex", "--json", "--workers=1"])
def test_a_table_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str) -> None:
    file = tmp_path / "table"
    assert run(capsys, "--table", "score-size", form, "-o", str(file)) == (0, "", "")
    assert file.read_text("utf-8") == run(capsys, "--table", "score-size", form)[1]


def test_an_estimate_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "estimate"
    assert run(capsys, "--draws", "100", "-o", str(file)) == (0, "", "")
    assert file.read_text("utf-8") == run(capsys, "--draws", "100")[1]


@pytest.mark.parametrize("plot", ["size", "row", "gradient"])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_goes_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], plot: str, suffix: str) -> None:
    file = tmp_path / f"picture.{suffix}"
    arguments = ["--table", "large-width", "--widths", "4,64", "--draws", "50", "--plot", plot, "--lang", "es"]
    assert run(capsys, *arguments, "--exponents", "0,1/4,1/2,1", "-o", str(file)) == (0, "", "")
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert file.read_bytes().startswith(starts[suffix])


def test_what_cannot_be_written_after_all_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, content: str | bytes) -> None:
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("notes.cli_sample.write_whole", full)
    file = str(tmp_path / "picture.png")
    for arguments, shown in (
        (["--table", "score-size", "--csv", "-o", file], "d_k,mean,typical_size"),
        ([*LARGE[:4], "--draws", "20", "--plot", "size", "-o", file], "positions,exponent,d_k,typical_size"),
    ):
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (2, f"sqrtdk: {file}: No space left on device\n")
        assert shown in out


@pytest.mark.parametrize("table", ["large-width", "closed-forms", None])
def test_an_interrupt_gives_the_estimate_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, table: str | None
) -> None:
    module = {"large-width": rows, "closed-forms": closed_forms, None: sampling}[table]
    draw, calls = getattr(module, "_draw_block"), []  # noqa: B009 # of any of three modules

    def interrupted(plan: object, block: int) -> object:
        calls.append(block)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return draw(plan, block)

    monkeypatch.setattr(module, "_draw_block", interrupted)
    monkeypatch.setattr(module, "seconds", lambda _: 0.0)
    file = tmp_path / "table"
    which = [] if table is None else ["--table", table, "--positions", "4096"]
    code, out, err = run(capsys, *which, "--draws", "200000", "-o", str(file))
    assert (code, err.count("\n")) == (2, 1)
    assert "nterrupted: the estimate" in out
    assert not file.exists()


def test_long_work_is_not_started_unasked(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["--draws", "1000000000000"],
        ["--width", "1000000000", "--draws", "100000"],
        ["--table", "large-width", "--draws", "1000000000"],
        ["--table", "closed-forms", "--draws", "100000000"],
    ):
        command.assert_refused(capsys, ["sample", *arguments], "; --yes starts, or choose fewer draws or smaller sizes")


def test_pictures_need_matplotlib(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    arguments = ["sample", "--table", "large-width", "--plot", "size", "-o", "x.svg"]
    command.assert_refused(capsys, arguments, "pip install -e '.[plots]'")


MORE_BAD = [
    (["--draws", ""], "'' is not a number"),
    (["--table", "large-width", "--widths", ""], "--widths: '' is not a number"),
    (["--positions", ""], "--positions is for --table"),
    (["--widths", "4"], "are for --table large-width"),
    (["--table", "closed-forms", "--plot", "size"], "are for --table large-width"),
    (["--positions", "4"], "--positions is for --table"),
    (["--table", "score-size", "--draws", "10"], "leave --draws out"),
    (["--table", "score-size", "--draws", "0"], "leave --draws out"),
    (["--table", "large-width", "--draws", "0"], "draws must be at least 2"),
    (["--table", "large-width", "--draws", "1"], "draws must be at least 2"),
    (["--table", "large-width", "--widths", "0"], "--widths: width must be at least 1"),
    (["--table", "large-width", "--widths", "1000000000000"], "--widths: width must be at most"),
    (["--table", "large-width", "--widths", "4,"], "--widths: '' is not a number"),
    (["--table", "large-width", "--widths", ",".join(map(str, range(1, 200)))], "at most 100 entries"),
    (["--table", "large-width", "--positions", "0"], "--positions: positions must be at least 1"),
    (["--table", "large-width", "--exponents", "nan"], "--exponents: 'nan' is not a number"),
    (["--table", "large-width", "--exponents", "11"], "from −10 to 10"),
    (["--table", "large-width", "--seed", "1/2"], "seed must be a whole number"),
    (["--table", "large-width", "--seed", "-1"], "seed must be at least 0"),
    (["--table", "large-width", "--plot", "cube"], "--plot must be one of"),
    (["--table", "large-width", "--plot", "size"], "name it with --output"),
    (["--table", "large-width", "--plot", "size", "-o", "x.jpg"], "must end in .png"),
    (["--table", "large-width", "--plot", "size", "--positions", "2,8", "-o", "x.png"], "rows of one length"),
    (["--table", "closed-forms", "--positions", "1"], "--positions: positions must be at least 2"),
    (["--table", "closed-forms", "--error", "0"], "error must be above 0"),
    (["--table", "closed-forms", "--error", "x"], "--error: 'x' is not a number"),
    (["--table", "score-size", "-o", "/no/such/folder/file"], "cannot be written"),
    (["--table", "score-size", "-o", "/dev/null"], "cannot be written: it is not a regular file"),
    (["-o", "/"], "cannot be written"),
]


@pytest.mark.parametrize(("arguments", "message"), MORE_BAD, ids=[" ".join(x)[:60] for x, _ in MORE_BAD])
def test_bad_input_of_experiments_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    command.assert_refused(capsys, ["sample", *arguments], message)
