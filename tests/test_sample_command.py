"""The subcommand `sample`: its tables to the last figure, its words in both languages, its errors in one line."""

import json
from pathlib import Path

import pytest

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
