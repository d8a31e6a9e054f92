"""`sqrtdk confirm` for functions and pairings: what it prints in both languages, JSON, exit codes, bad input."""

import io
import json
import os
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from exact.functions.judge import Status
from tests import command

ROOT = Path(__file__).parents[1]
SOURCE = """
import numpy as np

def right(A, G):
    return A * (G - (A * G).sum(-1, keepdims=True))

def diagonal(A, G):
    return A * (1 - A) * G

def writes(A, G):
    G -= (A * G).sum(-1, keepdims=True)
    G *= A
    return G

def jacobian(x):
    x = x.reshape(-1, 1)
    return np.diagflat(x) - x @ x.T

def scores_gradient(A, G):
    out = np.zeros_like(A)
    for i in range(len(A)):
        out[i] = A[i] * (G[i] - A[i] @ G[i])
    G *= 0
    return out

def toggle(S):
    return S ^ {1}
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE, "utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code, out, err = command.run(capsys, "confirm", *arguments)
    assert all(len(line) <= 80 for line in out.splitlines()) or "--json" in arguments or "⊢" in out
    return code, out, err


@pytest.mark.parametrize(("lang", "word"), [("en", "FALSE"), ("es", "FALSO")])
def test_false(capsys: pytest.CaptureFixture[str], file: str, lang: str, word: str) -> None:
    code, out, _ = run(capsys, f"{file}:diagonal", "--as", "gradient", "--lang", lang)
    assert code == 1
    assert out.startswith(f"{word}  diagonal")
    for shown in ("[[1/2, 1/2]]", "[[0, 1]]", "[[0, 1/4]]", "[[-1/4, 1/4]]", "1x2", "−a_i a_j G_j"):
        assert shown in " ".join(out.split())


def test_right_is_agreement_not_proof(capsys: pytest.CaptureFixture[str], file: str) -> None:
    code, out, _ = run(capsys, f"{file}:right", "--as", "gradient")
    assert code == 0
    assert out.startswith("AGREES")
    assert "not a proof" in " ".join(out.split())
    assert "proved" not in out.lower()
    code, out, _ = run(capsys, f"{file}:writes", "--as", "gradient")
    assert code == 0
    assert "[0, 1] becomes [-1/4, 1/4]" in " ".join(out.split())


def test_it_depends(capsys: pytest.CaptureFixture[str], file: str) -> None:
    code, out, _ = run(capsys, f"{file}:jacobian", "--as", "jacobian")
    assert code == 3
    assert "Right if the first array holds weights; wrong if it holds logits." in " ".join(out.split())
    assert run(capsys, f"{file}:jacobian", "--as", "jacobian", "--argument", "logits")[0] == 1
    assert run(capsys, f"{file}:jacobian", "--as", "jacobian", "--argument", "weights")[0] == 0


@pytest.mark.parametrize(("lang", "broken"), [("en", "BROKEN"), ("es", "INCUMPLIDO")])
def test_challenge(capsys: pytest.CaptureFixture[str], file: str, lang: str, broken: str) -> None:
    code, out, _ = run(capsys, file, "--challenge", "--lang", lang)
    assert code == 1
    assert out.count(broken) == 2
    assert "T = 16" in " ".join(out.split())


@pytest.mark.parametrize(("lang", "more"), [("en", "Failures in all: 3."), ("es", "Fallos en total: 3.")])
def test_failures_are_counted(capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str, more: str) -> None:
    path = tmp_path / "pairing.json"
    path.write_text('{"domain": "signs", "size": 2, "pairing": {"partner": [1, 2, 0, 3]}}', "utf-8")
    assert more in run(capsys, str(path), "--lang", lang)[1]
    path.write_text('{"domain": "signs", "pairing": {"flip": [20]}}', "utf-8")
    code, out, _ = run(capsys, str(path), "--lang", lang)
    assert (code, "21, 22" in out, "↔" in out) == (1, True, False)


def test_what_is_no_regular_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    command.assert_refused(capsys, ["confirm", f"{pipe}:f", "--as", "softmax"], "regular file")
    command.assert_refused(capsys, ["confirm", f"{pipe}:f", "--as", "pairing", "--size", "2"], "regular file")


@pytest.mark.parametrize("lang", ["en", "es"])
def test_what_the_fence_stopped(capsys: pytest.CaptureFixture[str], tmp_path: Path, lang: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import os, signal\ndef f(A, G):\n    signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)")
    code, out, _ = run(capsys, f"{path}:f", "--as", "gradient", "--lang", lang)
    assert (code, "os.pidfd_open" in out) == (3, True)
    assert "1/2" not in out  # no counterexample
    path.write_text("import numpy as np\ndef f(A, G): return np.zeros((10**9, 10**4))")
    code, out, _ = run(capsys, f"{path}:f", "--as", "gradient", "--lang", lang)
    assert (code, "1/2" in out) == (3, False)


def test_what_is_written_to_can_be_repeated(capsys: pytest.CaptureFixture[str], file: str) -> None:
    assert "with A = [1/2, 1/2" in " ".join(run(capsys, f"{file}:scores_gradient", "--challenge")[1].split())
    assert "shape 1x2; A = [1/2, 1/2]" in " ".join(run(capsys, f"{file}:writes", "--as", "gradient")[1].split())


def test_tried_and_proved_are_two_words(capsys: pytest.CaptureFixture[str], file: str) -> None:
    out = run(capsys, f"{file}:right", "--as", "gradient", "--lang", "es")[1]
    assert ("ensayado" in out, "probado" in out) == (True, False)


def test_json(capsys: pytest.CaptureFixture[str], file: str) -> None:
    code, out, _ = run(capsys, f"{file}:diagonal", "--as", "gradient", "--json")
    data = json.loads(out)
    assert (code, data["verdict"], data["diagnosis"]) == (1, "false", [{"code": "diagonal"}])
    assert data["counterexample"]["claimed"] == [["0", "1/4"]]
    assert data["understood"]["arguments"] == {"A": "weights", "G": "upstream"}
    assert data["readings"].keys() == {"weights", "logits"}
    code, out, _ = run(capsys, f"{file}:absent", "--as", "gradient", "--json")
    assert (code, json.loads(out)["trouble"]["code"]) == (2, "missing")


def test_pairings(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    path, kept = tmp_path / "pairing.json", tmp_path / "kept.json"
    path.write_text('{"domain": "subsets", "pairing": "complement"}', "utf-8")
    code, out, _ = run(capsys, str(path))
    assert code == 1
    assert "2, 4, 6" in out
    assert "{} ↔ {1,2}" in out
    assert "✗" in out
    path.write_text('{"domain": "signs", "size": 2, "pairing": {"partner": [1, 0, 3, 2]}}', "utf-8")
    code, out, _ = run(capsys, str(path), "--certificate", str(kept), "--lang", "es")
    assert code == 0
    assert "⊢ Σ t_0 t_1 = 0" in out
    assert command.run(capsys, "verify", str(kept))[0] == 0
    assert run(capsys, f"{file}:toggle", "--as", "pairing", "--size", "3")[0] == 0
    assert json.loads(run(capsys, str(path), "--json")[1])["verdict"] == "proved"


def test_a_pairing_from_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"domain": "subsets", "pairing": {"flip": [1]}}'))
    assert run(capsys, "-", "--as", "pairing")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["FILE"], "needs the name"),
        (["FILE:right"], "--as is needed"),
        (["FILE:right", "--as", "proof"], "--as must be one of"),
        (["FILE:absent", "--as", "gradient"], "no such function in the file; it defines: right"),
        (["FILE:right", "--as", "softmax", "--challenge"], "the challenge asks for a gradient"),
        (["FILE:right", "--as", "gradient", "--argument", "cats"], "--argument must be"),
        (["FILE:right", "--as", "gradient", "--size", "3"], "goes with a pairing"),
        (["FILE:toggle", "--as", "pairing"], "--size"),
        (["FILE:toggle", "--as", "pairing", "--size", "3", "--domain", "cats"], "--domain must be"),
        (["nowhere.py:f", "--as", "gradient"], "cannot be read"),
        (["nowhere.json"], "cannot be read"),
        (["nowhere.json", "--as", "gradient"], "FILE.py:NAME"),
        (["/nowhere.json", "--as", "pairing"], "cannot be read"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], file: str, arguments: list[str], said: str) -> None:
    command.assert_refused(capsys, ["confirm", *(a.replace("FILE", file) for a in arguments)], said)


def test_every_code_has_words() -> None:
    """The codes that the floor of numbers uses stand in both languages, and no other."""
    for lang in ("en", "es"):
        words = tomllib.loads((ROOT / "notes" / "words" / f"{lang}.toml").read_text("utf-8"))["confirm_function"]
        known = (ROOT / "exact" / "functions" / "known_mistakes.py").read_text("utf-8")
        gradient, _, attention = known.partition("def argument(")
        codes = set(re.findall(r'^    \("([a-z-]+)", ', gradient, re.M))
        codes |= {f"attention-{code}" for code in re.findall(r'\("([a-z-]+)", (?:lambda|_key|_query)', attention)}
        codes |= set(
            re.findall(r'Finding\(\s*"([a-z-]+)"', (ROOT / "exact" / "functions" / "diagnosis.py").read_text("utf-8"))
        )
        codes |= {"none", "raises", "ended", "shape", "single-number", "type", "nan", "infinite"}
        assert codes <= words["diagnosis"].keys()
        findings = (ROOT / "exact" / "functions" / "findings.py").read_text("utf-8")
        said = set(re.findall(r'Finding\("([a-z-]+)"', findings)) | {"order", "refused", "module"}
        assert said <= words["finding"].keys()
        loading, roles = ((ROOT / "exact" / "functions" / f"{n}.py").read_text("utf-8") for n in ("loading", "roles"))
        troubles = set(re.findall(r'(?:_Trouble\(|Roles\(\(\), \(\), )"([a-z -]+)"', loading + roles))
        troubles |= {"syntax", "loading", "loading-refused", "loading-module", "ended", "time", "nonsense"}
        assert {code.replace(" ", "-") for code in troubles} <= words["trouble"].keys()
        assert {j for j in get_args(Status) if j != "rounds"} <= words["status"].keys()
        assert set(re.findall(r'Requirement\("([a-z-]+)"', findings)) == words["requirement"].keys()
