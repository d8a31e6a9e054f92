"""The subcommand `gradient`: what scores_gradient says, through files, and each way in which the files can be wrong."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from exact.attention import jacobian, scores_gradient, softmax
from tests.command import assert_refused, run

A_TEXT, G_TEXT = "1/6,1/3,1/2\n1/2,1/2,0\n", "1,0,0\n0,2,-1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "a": A_TEXT,
        "g": G_TEXT,
        "floats": "0.25,0.75,0\n0.5,0.5,0\n",
        "short": "1,0\n0,1\n",
        "ragged": "1,0\n1\n",
        "open": "1/6,1/3,1/2\n1/2,1/4,0\n",
        "nan": "1,0,0\nnan,0,0\n",
        "huge": "1e300,0,0\n0,0,0\n",
        "tall": "1" + "0" * 400 + ",0,0\n0,0,0\n",
        "ones": "1,1,1\n1,0,0\n",
        "large": "1e308,1e308,1e308\n0,0,0\n",
        "steep": "-1.7e308,0,1.7e308\n1.7e308,-1.7e308,0\n",
        "empty": "# nothing\n",
    }.items():
        Path(name).write_text(text, "utf-8")
    Path("binary").write_bytes(b"\xff\xfe\x00")
    Path("broken.npy").write_bytes(b"\x93NUMPY")
    Path("pickled.npy").write_bytes(b"not an array")
    np.save("whole.npy", np.array([[1, 0, 0], [0, 1, 0]]))
    np.save("words.npy", np.array([["one", "two", "six"]]))
    np.save("half.npy", np.full((2, 3), 1 / 3, np.float16))
    np.save("not_finite.npy", np.array([[0.5, 0.5, 0.0], [np.nan, 0.0, 1.0]]))
    np.save("weights.npy", softmax(np.arange(24.0, dtype=np.float32).reshape(2, 4, 3)))
    np.save("upstream.npy", np.ones((2, 4, 3), np.float32).cumsum(axis=-1, dtype=np.float32))


def test_fractions_give_the_exact_gradient(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "gradient", "a", "g", "--exact")
    assert (code, err) == (0, "")
    A = np.array([[Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2), Fraction(0)]])
    G = np.array([[Fraction(1), Fraction(0), Fraction(0)], [Fraction(0), Fraction(2), Fraction(-1)]])
    expected = [[sum(J[j, l] * g[l] for l in range(3)) for j in range(3)] for J, g in zip(jacobian(A), G, strict=True)]
    assert [[Fraction(x) for x in line.split(",")] for line in out.splitlines()] == expected
    assert json.loads(run(capsys, "gradient", "a", "g", "--exact", "--json")[1])["dL_dE"][0][0] == "5/36"


def test_arrays_keep_their_shape_and_dtype(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "gradient", "weights.npy", "upstream.npy", "--json")[1])
    expected = scores_gradient(np.load("weights.npy"), np.load("upstream.npy"))
    assert found["dtype"] == "float32"
    assert (np.array(found["dL_dE"], np.float32) == expected).all()
    assert len(run(capsys, "gradient", "weights.npy", "upstream.npy")[1].splitlines()) == 8
    assert json.loads(run(capsys, "gradient", "floats", "g", "--dtype", "float32", "--json")[1])["dtype"] == "float32"


def test_a_row_that_does_not_add_to_1_is_warned_about_and_refused_in_fractions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = run(capsys, "gradient", "open", "g")
    assert (code, err) == (0, "sqrtdk: warning: row 1 of A must add to 1 (it adds to 0.75)\n")
    assert len(out.splitlines()) == 2
    assert_refused(capsys, ["gradient", "open", "g", "--exact"], "row 1 of A must add to 1 (it adds to 3/4)")


def test_a_file_is_written_whole(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(capsys, "gradient", "a", "g", "--exact", "-o", "out") == (0, "", "")
    assert Path("out").read_text("utf-8") == run(capsys, "gradient", "a", "g", "--exact")[1]

    def full(path: str, content: str) -> None:
        raise OSError(28, "No space left on device", path)

    monkeypatch.setattr("notes.cli_gradient.write_whole", full)
    code, out, err = run(capsys, "gradient", "a", "g", "--exact", "-o", "out")
    assert (code, out.splitlines()[0], err) == (2, "5/36,-1/18,-1/12", "sqrtdk: out: No space left on device\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "short"], "A and G must have the same shape (A has (2, 3), G has (2, 2))"),
        (["a", "nan"], "nan, row 1, column 0: 'nan' is not a number"),
        (["not_finite.npy", "g"], "row 1 of A or G holds NaN"),
        (["a", "huge", "--dtype", "float32"], "huge holds a number that is too large for float32"),
        (["ones", "large"], "Σ a g overflows float64"),
        (["a", "steep"], "the answer overflows float64"),
        (["a", "tall"], "too large for a float"),
        (["a", "whole.npy"], "G has dtype int64, which cannot hold weights"),
        (["half.npy", "g"], "A has dtype float16, which cannot hold weights"),
        (["a", "g", "--dtype", "float16"], "a dtype must be one of float32, float64, longdouble (got 'float16')"),
        (["a", "g", "--dtype", "int8"], "a dtype must be one of"),
        (["a", "g", "--exact", "--dtype", "float32"], "leave --dtype out"),
        (["words.npy", "g", "--dtype", "float64"], "A has dtype <U3, which cannot hold weights"),
        (["weights.npy", "g", "--exact"], "--exact takes text"),
        (["ragged", "g"], "row 1 has 1"),
        (["empty", "g"], "holds no numbers"),
        (["binary", "g"], "is not text"),
        (["broken.npy", "g"], "is not a file of one NumPy array"),
        (["pickled.npy", "g"], "is not a file of one NumPy array"),
        (["missing", "g"], "missing: No such file or directory"),
        (["/", "g"], "Is a directory"),
        (["a", "g", "-o", "/no/such/folder/file"], "cannot be written"),
        (["a", "g", "-o", "a"], "a is read here, and would be replaced"),
        (["a", "g", "-o", "./g"], "./g is read here, and would be replaced"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, ["gradient", *arguments], said)


@pytest.mark.parametrize("exact", [[], ["--exact"]], ids=["floats", "fractions"])
def test_weights_below_0_are_said(exact: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    Path("below").write_text("1.5,-0.5,0\n1,0,0\n", "utf-8")
    code, out, err = run(capsys, "gradient", "below", "g", *exact)
    assert (code, out.count("\n"), err.count("\n")) == (0, 2, 1)
    assert "A has an entry below 0" in err
