import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from exact.coordinates import gaussian, read_coordinate, sign
from exact.kernel import Theorem
from exact.terms import Independent, Same, correlated_gaussians, correlated_signs
from notes.everywhere import prove_everywhere
from notes.routes import Disagrees
from notes.words import LANGUAGES, words
from tests.command import assert_refused, run

SIGNS = Independent(sign(), sign())
GAUSSIANS = Independent(gaussian(), gaussian())


def value(order: int, *options: str, capsys: pytest.CaptureFixture[str]) -> str:
    code, out, _ = run(capsys, "moments", "--order", str(order), "--json", *options)
    assert code == 0
    return str(json.loads(out)["moments"][order - 1])


@pytest.mark.parametrize(
    ("order", "options", "expected"),
    [
        (4, ["--width", "4"], "40"),
        (6, ["--width", "7"], "3787"),
        (4, ["--width", "1", "--queries", "gaussian", "--keys", "gaussian"], "9"),
        (2, ["--width", "4", "--rho", "1/2"], "7"),
        (2, ["--width", "4", "--rho", "0.5", "--queries", "gaussian", "--keys", "gaussian"], "9"),
        (2, ["--width", "3", "--same"], "9"),
        (1, ["--width", "3", "--same", "--queries", "uniform:1"], "1"),
        (4, ["--query", "3/5,4/5"], "1201/625"),
        (2, ["--width", "1000000"], "1000000"),
        (2, ["--width", "5", "--keys", "bernoulli:1/2", "--queries", "bernoulli:1/2"], "5/2"),
    ],
)
def test_moments_at_a_width(order: int, options: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert value(order, *options, capsys=capsys) == expected


@pytest.mark.parametrize("order", range(1, 13))
def test_every_width_is_proved_by_three_routes_for_signs(order: int) -> None:
    found = prove_everywhere(SIGNS, order)
    assert [t.statement.how[0] for t in found.theorems] == ["counting", "expansion"]


@pytest.mark.parametrize(
    "pair",
    [
        GAUSSIANS,
        Same(sign()),
        Same(gaussian()),
        correlated_signs("1/3"),
        correlated_gaussians("1/3"),
        Independent(read_coordinate("weights:0=1/3,1=1/6,5=1/2"), read_coordinate("laplace:2")),
    ],
    ids=str,
)
def test_every_width_is_proved_from_mixed_moments_for_other_laws(pair: Independent) -> None:
    for order in range(1, 7):
        (theorem,) = prove_everywhere(pair, order).theorems
        assert isinstance(theorem, Theorem)


def test_routes_that_differ_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = prove_everywhere(SIGNS, 2).polynomial
    monkeypatch.setattr("notes.everywhere.moment_polynomial", lambda *_: wrong + wrong)
    with pytest.raises(Disagrees, match="set partitions and the kernel differ"):
        prove_everywhere(SIGNS, 2)


def test_order_six_at_every_width_prints_both(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "moments", "--order", "6", "--every-width")
    assert code == 0
    assert out.count("E[e⁶] = 15d³ − 30d² + 16d") == 3
    assert "set partitions of the indices: 11 patterns" in out
    assert "the cube counted at d = 1 … 7" in out


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "arguments",
    [
        ["moments", "--width", "9", "--order", "3", "--queries", "values:1,2"],
        ["moments", "--order", "20", "--every-width"],
        ["moments", "--order", "50", "--every-width"],
        ["moments", "--every-width", "--keys", "gaussian:1,2"],
        ["moments", "--query", "1,2,3", "--order", "4"],
        ["moments", "--alpha", "1/4", "--width", "16"],
        ["moments", "--alpha", "1"],
        ["moments", "--alpha", "0.5"],
        ["moments", "--init", "xavier-uniform:512,512", "--heads", "8"],
        ["moments", "--init", "kaiming-normal:64"],
        ["moments", "--symbols", "--queries", "gaussian", "--keys", "uniform:1"],
        ["moments", "--distribution", "--width", "10"],
        ["moments", "--distribution", "--query", "1,1/2", "--json"],
        ["moments", "--at-least", "30", "--width", "100"],
        ["moments", "--at-least", "1e900", "--width", "5"],
        ["moments", "--csv", "--width", "4"],
        ["hypotheses", "--order", "1"],
        ["hypotheses", "--order", "4"],
        ["hypotheses", "--wrong-proofs"],
        ["draws", "--matrix", "2", "--width", "2", "--ddof", "1"],
        ["draws", "--width", "64", "--keys", "gaussian"],
    ],
    ids=" ".join,
)
def test_each_answer_is_given_in_each_language(
    arguments: list[str], language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *arguments, "--lang", language)
    assert (code, err) == (0, "")
    assert out.strip()
    assert "{" not in out.replace("{−1,1}", "").replace("{\n", "").replace("_{", "") or "--json" in arguments


def test_the_initialisations_say_what_divides_right(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "moments", "--init", "xavier-uniform:512,512", "--heads", "8", "--json")[1])
    assert found["weight_variance"] == "1/512"
    assert [found[f"score_variance_divided_by_{c}"] for c in ("1", "√d_k", "√d_model")] == ["64", "1", "1/8"]


def test_a_decimal_is_read_exactly_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "0.1 is read as 1/10\n" in run(capsys, "moments", "--query", "1,0.1")[1]
    assert "0.1 se lee como 1/10\n" in run(capsys, "moments", "--rho", "0.1", "--lang", "es")[1]


def test_the_two_properties_of_a_law_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "law.json"
    atoms = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    file.write_text(json.dumps({"outcomes": [{"terms": t, "weight": "1/4"} for t in atoms]}))
    code, out, _ = run(capsys, "law", str(file))
    assert code == 0
    assert "the first property holds" in out
    assert "E[e²]      = 3   = d" in out
    file.write_text(json.dumps({"outcomes": [{"terms": [1, 1], "weight": 1}]}))
    assert "E[t_1 t_2] = 1   it should be 0" in run(capsys, "law", str(file))[1]


def test_wrong_proofs_are_said_in_both_languages() -> None:
    from exact.wrong_proofs import WRONG_PROOFS, refute

    for language in LANGUAGES:
        assert set(words(language)["wrong_proofs"]) == {proof.key for proof in WRONG_PROOFS}
    for proof in WRONG_PROOFS:
        assert (refute(proof) != proof.claimed) == (proof.relation == "=")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["moments", "--order", "1000000"], "--order must be at most 200"),
        (["moments", "--order", "100", "--every-width"], "order must be at most 60"),
        (["moments", "--width", "1000000000000"], "--width must be at most"),
        (["moments", "--rho", "2"], "a correlation must be from −1 to 1"),
        (["moments", "--rho", "1/2", "--keys", "gaussian"], "--rho is for two signs"),
        (["moments", "--rho", "1/2", "--same"], "leave --rho out"),
        (["moments", "--keys", "weights:0=1/2,1=1/3"], "weights must add to 1 (these add to 5/6)"),
        (["moments", "--keys", "weights:0=3/2,1=-1/2"], "weights must not be negative"),
        (["moments", "--keys", "gaussian:0,-1"], "a variance must be at least 0"),
        (["moments", "--keys", "cauchy"], "is not a law"),
        (["moments", "--keys", "gaussian", "--distribution"], "only finite coordinates"),
        (["moments", "--width", "100000", "--distribution"], "more than the limit"),
        (["moments", "--init", "orthogonal:3"], "--init: 'orthogonal' is not known"),
        (["moments", "--init", "lecun-normal"], "takes 1 to 1 numbers"),
        (["moments", "--init", "lecun-normal:10", "--heads", "3"], "heads must divide"),
        (["moments", "--symbols", "--keys", "values:1,2"], "whose shape has a name"),
        (["moments", "-q", "3,1", "--every-width"], "a fixed query or a distribution has one d"),
        (["moments", "--distribution", "--every-width"], "a fixed query or a distribution has one d"),
        (["moments", "--distribution", "--at-least", "3", "--json"], "choose one"),
        (["moments", "--plot", "picture.txt"], "must end in .png, .svg or .pdf"),
        (["law", "/dev/null"], "a law must be JSON"),
        (["hypotheses", "--order", "5"], "--order must be at most 4"),
        (["draws", "--error", "0"], "the error must be above 0"),
        (["draws", "--risk", "2"], "the risk must be"),
        (["draws", "--matrix", "1", "--ddof", "1"], "n must be at least 2"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(capsys, arguments, said)


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ([], "d = 12, q_r: sign, k_r: sign, all independent"),
        (["--keys", "signs", "--width", "3"], "d = 3, q_r: sign, k_r: signs, all independent"),
        (["--same"], "d = 12, q_r: sign, k = q"),
        (["--rho", "1/2", "--lang", "es"], "d = 12, q_r: sign, k_r: sign, con correlación 1/2"),
        (["--query", "3,1/2"], "q = (3, 1/2), k_r: sign, independent"),
        (["--distribution", "--width", "2"], "d = 2, q_r: sign, k_r: sign, all independent"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_width_and_the_laws_are_said_first(
    arguments: list[str], first: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "moments", *arguments)[1].splitlines()[0] == first


def test_a_distribution_and_its_tail_are_shown_together(capsys: pytest.CaptureFixture[str]) -> None:
    _, whole, _ = run(capsys, "moments", "--distribution", "--width", "6")
    _, tail, _ = run(capsys, "moments", "--at-least", "4", "--width", "6")
    _, both, _ = run(capsys, "moments", "--distribution", "--at-least", "4", "--width", "6")
    assert both == whole + "\n" + tail.split("\n", 1)[1]


@pytest.mark.parametrize(
    ("language", "said"), [("en", "E[t_r²] = 1 and E[t_r⁴] = 1 are kept"), ("es", "E[t_r²] = 1 y E[t_r⁴] = 1")]
)
def test_hypotheses_say_what_else_is_kept(language: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "hypotheses", "--order", "4", "--lang", language)
    first = out.splitlines()[0]
    for name in ("E[t_r] = 0", "E[t_r²] = 1", "E[t_r t_s] = 0", "E[t_r³] = 0", "E[t_r² t_s] = 0", "E[t_r t_s t_u] = 0"):
        assert name in first
    assert said in out
    found = json.loads(run(capsys, "hypotheses", "--order", "4", "--json")[1])
    assert {"exponents": [2], "wanted": "1"} in found["kept"]
    assert "E[t_r]" not in run(capsys, "hypotheses", "--order", "1", "--lang", language)[1].splitlines()[1]


def test_a_distribution_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")
    for name in ("scores.png", "scores.svg"):
        assert run(capsys, "moments", "--width", "20", "--plot", str(tmp_path / name))[0] == 0
        assert (tmp_path / name).stat().st_size > 5000
