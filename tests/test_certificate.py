import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact import certificate, pairing
from exact.certificate import Malformed, dumps, judge, loads
from exact.kernel import Rejected, check
from tests.forgeries import HONEST

ROOT = Path(__file__).parents[1]
HEAD = '{"format": "sqrtdk certificate", "version": 1, "certificates": ['


def file_of(*certificates: object, **more: object) -> str:
    return json.dumps({"format": "sqrtdk certificate", "version": 1, "certificates": certificates} | more)


TERM = {"rule": "term", "power": 1, "agree": 1, "differ": -1}


@pytest.mark.parametrize("honest", [c for c, _ in HONEST.values()], ids=HONEST)
def test_every_certificate_comes_back_as_it_was(honest: object) -> None:
    assert loads(dumps([honest])) == (honest,)


def test_many_certificates_come_back_in_order() -> None:
    everything = tuple(c for c, _ in HONEST.values())
    text = dumps(everything)
    assert loads(text) == everything
    assert dumps(loads(text)) == text


@given(st.lists(st.fractions(), min_size=1, max_size=6), st.sampled_from([1, 2, 3]))
def test_fractions_come_back_exactly(q: list[Fraction], order: int) -> None:
    proposed = pairing.moment_at(q, order)
    (read,) = loads(dumps([proposed]))
    assert read == proposed
    assert str(check(read)) == str(check(proposed))


def test_what_is_no_certificate_is_not_written() -> None:
    with pytest.raises(TypeError, match="not a certificate: str"):
        dumps(["E[e²] = d"])


MALFORMED: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "not JSON"),
    "half": (HEAD, "not JSON"),
    "two": (file_of(TERM) * 2, "not JSON: Extra data"),
    "not UTF-8": (b"\xff\xfe", "not UTF-8"),
    "an array": ("[]", "the file: expected an object, found an array"),
    "null": ("null", "found null"),
    "no certificates": (file_of(), "expected an array of 1 to 100"),
    "too many": (file_of(*[TERM] * 101), "expected an array of 1 to 100"),
    "unknown version": (file_of(TERM, version=2), "version: expected version 1, found an integer 2"),
    "version true": (file_of(TERM, version=True), "version: expected version 1"),
    "another format": (file_of(TERM, format="proof"), "format: expected"),
    "extra key": (file_of(TERM, claim="second-moment"), 'key "claim" is not one of'),
    "missing key": ('{"format": "sqrtdk certificate", "version": 1}', 'key "certificates" is missing'),
    "a headline": (file_of(TERM | {"claim": "second-moment"}), r'certificates\[0\]: key "claim" is not one of'),
    "a missing field": (file_of({"rule": "term", "power": 1, "agree": 1}), 'key "differ" is missing'),
    "no rule": (file_of({"power": 1}), "expected one of the rules"),
    "unknown rule": (file_of({"rule": "axiom"}), r"certificates\[0\].rule: expected one of the rules"),
    "rule is a list": (file_of({"rule": []}), "expected one of the rules"),
    "not an object": (file_of(7), r"certificates\[0\]: expected an object, found an integer 7"),
    "a string for a number": (file_of(TERM | {"power": "1"}), 'power: expected an integer, found a string "1"'),
    "true for a number": (file_of(TERM | {"power": True}), "expected an integer, found a boolean"),
    "a float": (file_of(TERM | {"power": 1.5}), "1.5 is not exact"),
    "a whole float": (file_of(TERM | {"power": 1.0}), "1.0 is not exact"),
    "NaN": (file_of(TERM | {"power": float("nan")}), "NaN is not exact"),
    "infinity": (file_of(TERM | {"power": float("inf")}), "Infinity is not exact"),
    "key twice": (HEAD + '{"rule": "term", "power": 1, "power": 2, "agree": 1, "differ": -1}]}', "stands twice"),
    "a million digits": ('{"format": ' + "1" * 10**6 + "}", "an integer of 1000000 digits"),
    "deep": ("[" * 10**5, "nests deeper"),
    "deep, closed": ("[" * 10**5 + "]" * 10**5, "nests deeper"),
    "deep objects": ('{"a":' * 10**5, "nests deeper"),
    "9 MB": (b" " * (9 << 20), "at most 8388608 bytes"),
    "denominator 0": (
        file_of({"rule": "moment", "query": ["1", "1/0"], "order": 1, "flips": []}),
        r"certificates\[0\].query\[1\]: the denominator of 1/0 is 0",
    ),
    "a fraction of 1001 digits": (
        file_of({"rule": "moment", "query": ["1" * 1001], "order": 1, "flips": []}),
        "more than 1000 digits",
    ),
    "a decimal": (file_of({"rule": "moment", "query": ["0.5"], "order": 1, "flips": []}), "expected a fraction"),
    "other digits": (file_of({"rule": "moment", "query": ["٣"], "order": 1, "flips": []}), "expected a fraction"),
    "a pair of three": (
        file_of({"rule": "moment", "query": ["1"], "order": 1, "flips": [[[0], [0], [0]]]}),
        r"flips\[0\]: expected an array of two",
    ),
}


@pytest.mark.parametrize(("text", "why"), MALFORMED.values(), ids=MALFORMED)
def test_what_is_malformed_is_refused_with_the_place(text: str | bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        loads(text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_arbitrary_json_is_rejected_and_nothing_worse(value: object) -> None:
    with pytest.raises(Rejected):
        loads(json.dumps(value))


@given(st.text() | st.binary())
def test_arbitrary_text_is_rejected_and_nothing_worse(text: str | bytes) -> None:
    with pytest.raises(Rejected):
        loads(text)


@given(st.data())
def test_a_certificate_with_one_field_replaced_is_judged_or_rejected(data: st.DataObject) -> None:
    honest, line = data.draw(st.sampled_from(list(HONEST.values())))
    value: dict[str, Any] = json.loads(dumps([honest]))
    place = value["certificates"][0]
    place[data.draw(st.sampled_from(sorted(place)))] = data.draw(json_values | st.lists(st.integers(-2, 9), max_size=5))
    try:
        (read,) = loads(json.dumps(value))
        theorem = check(read)
    except Rejected:
        return
    if read == honest:
        assert str(theorem) == line


# ---- as a program, with nothing installed but Python ---------------------------------------------------------------


def judge_file(path: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the module without site-packages, as `python -m exact.certificate FILE` would with nothing installed."""
    program = (
        f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[1:] = [{path!r}]; "
        "runpy.run_module('exact.certificate', run_name='__main__')"
    )
    command = [sys.executable, "-I", "-S", "-c", program]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)


def test_the_program_judges_a_file_and_standard_input(tmp_path: Path) -> None:
    text = dumps([c for c, _ in HONEST.values()])
    (tmp_path / "honest.json").write_text(text, "utf-8")
    for done in (judge_file(str(tmp_path / "honest.json")), judge_file("-", text)):
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == [line for _, line in HONEST.values()]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (file_of(TERM | {"differ": 1}), 1, "rejected: certificates[0]: at q_r = 1 and k_r = -1"),
        ("{", 2, "not a certificate: the file is not JSON"),
        ("[" * 10**5, 2, "not a certificate: the file nests deeper"),
    ],
)
def test_the_program_says_why_not_in_one_line(text: str, code: int, said: str) -> None:
    done = judge_file("-", text)
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1


def test_a_missing_file_is_one_line() -> None:
    done = judge_file("no-such-file.json")
    assert done.returncode == 2
    assert done.stderr == "no-such-file.json: No such file or directory\n"


def test_the_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert certificate.main([]) == 2
    assert capsys.readouterr().err.startswith("usage: python -m exact.certificate FILE")


def test_the_first_lie_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "lie.json").write_text(file_of(TERM, TERM | {"agree": -1}), "utf-8")
    with pytest.raises(Rejected, match=r"certificates\[1\]: at q_r = 1 and k_r = 1"):
        judge(str(tmp_path / "lie.json"))
