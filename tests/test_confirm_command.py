"""`sqrtdk confirm` for formulas, chains and files of claims: what it prints, its JSON, its exit codes, bad input."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from notes.words import LANGUAGES, words
from tests.command import assert_refused, run

TRUE, FALSE = r"\sum_j a_j(1 - a_j) = 1 - \sum_j a_j^2", r"\frac{\partial a_i}{\partial e_j} = a_i(1 - a_i)"
KEYS = {"verdict", "claim", "latex", "understood", "evidence", "counterexample", "diagnosis", "steps"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("claim", "answer", "code"),
    [
        (TRUE, "proved", 0),
        (FALSE, "false", 1),
        ("a_i(1 - ", "invalid input", 2),
        ("E[e^4] = 3d^2 - 2d", "needs assumption", 3),
        (r"\prod_j a_j = 0", "undecided", 3),
        ("a_i(1-a_i)", "read", 0),
    ],
)
def test_each_answer_has_its_words_and_its_exit_code(
    claim: str, answer: str, code: int, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = run(capsys, "confirm", claim, "--lang", language)
    assert (found, err) == (code, "")
    assert out.startswith(words(language)["confirm"]["answers"][answer])
    assert all(len(line) <= 80 for line in out.splitlines() if not any(c in line for c in "\\=["))


def test_a_false_claim_shows_where_it_fails_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "confirm", FALSE)[1]
    for said in ("T = 2, i = 1, j = 2, e = (0, 0), a = (1/2, 1/2)", "claimed 1/4, correct −1/4", "only the diagonal"):
        assert said in out


def test_json_has_every_key_and_exact_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "confirm", FALSE, "--json")
    data = json.loads(out)
    assert code == 1
    assert set(data) == KEYS
    assert data["counterexample"]["correct"] == "−1/4"
    assert {"key": "holds-same", "i": "i", "j": "j"} in data["diagnosis"]
    proved = json.loads(run(capsys, "confirm", TRUE, "--json")[1])
    assert proved["evidence"][0]["rung"] == "proved"
    assert proved["evidence"][0]["positions"] is None


def test_assumptions_are_taken_from_options(capsys: pytest.CaptureFixture[str]) -> None:
    fourth = "E[(q.k)^4] = 3d^2 - 2d"
    assert run(capsys, "confirm", fourth, "--keys", "signs")[0] == 0
    assert run(capsys, "confirm", fourth, "--keys", "gaussian")[0] == 1
    assert run(capsys, "confirm", "E[(q.k)^2] = 7", "--rho", "1/2", "--keys", "signs", "--width", "4")[0] == 0
    assert run(capsys, "confirm", "Var(XY) = 3/16", "--law", "X=bernoulli:1/2", "--law", "Y=bernoulli:1/2")[0] in {0, 3}
    assert run(capsys, "confirm", "Var(q.k/sqrt(d_model)) = 1/8", "--where", "d_model=512", "--where", "h=8")[0] == 0


def test_a_file_of_claims_gives_a_table_and_a_summary(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "claims.tex"
    file.write_text(f"% appendix\n{TRUE}\n{FALSE}\na_i(\n", encoding="utf-8")
    code, out, _ = run(capsys, "confirm", str(file))
    assert code == 1
    assert "   2  PROVED" in out
    assert "   3  FALSE" in out
    assert "   4  INVALID INPUT" in out
    assert out.rstrip().endswith("3 claims: 1 proved, 1 false, 1 invalid input")
    data = json.loads(run(capsys, "confirm", str(file), "--json")[1])
    assert [(claim["line"], claim["verdict"]) for claim in data] == [
        (2, "proved"),
        (3, "false"),
        (4, "invalid input"),
    ]


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TRUE + "\n"))
    assert run(capsys, "confirm", "-")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.txt"], "cannot be read"),
        ([TRUE, "--as", "gradient"], "--as goes with a function"),
        ([TRUE, "--challenge"], "--challenge goes with a function"),
        ([TRUE, "--size", "3"], "--size goes with a pairing"),
        ([TRUE, "--law", "X"], "--law takes a name and what it is"),
        (["-log a_c = 0"], "put -- before a claim"),
        (["f.py:g", "--as", "gradient", "--keys", "signs"], "--keys goes with a formula"),
    ],
)
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, ["confirm", *arguments], said)


def test_a_file_without_a_claim_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_text("# nothing\n", encoding="utf-8")
    assert_refused(capsys, ["confirm", str(file)], "holds no claim")
    file.write_bytes(b"\xff\xfe")
    assert_refused(capsys, ["confirm", str(file)], "not text in UTF-8")
