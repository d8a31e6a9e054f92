"""Pairings that readers bring: every one on four things, the recorded ones, and files that are wrong in every way."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact.involution import (
    Everywhere,
    Pairing,
    PairingVerdict,
    complement,
    examine_pairing,
    flip,
    parity,
    term_weight,
    thing_as_list,
    write_thing,
)
from exact.kernel import check
from exact.pairing_file import call_pairing, read_pairing
from exact.rationals import BadInput

CASES = {}
for line in (Path(__file__).parent / "data" / "cases.jsonl").read_text("utf-8").splitlines():
    CASES[json.loads(line)["id"]] = json.loads(line)


def judge(**data: Any) -> PairingVerdict:
    found = read_pairing(json.dumps(data))
    assert isinstance(found, Pairing)
    return examine_pairing(found)


def everywhere(**data: Any) -> Everywhere:
    found = read_pairing(json.dumps(data))
    assert isinstance(found, Everywhere)
    return found


@pytest.mark.parametrize("term", [(0,), (1,), (0, 1), (0, 0), ()])
def test_every_map_on_two_signs(term: tuple[int, ...]) -> None:
    """All 5^4 maps of four things to four things and one outside, beside the definition written out."""
    weight = term_weight(2, term)
    for partner in product((0, 1, 2, 3, None), repeat=4):
        found = examine_pairing(Pairing("signs", 2, partner, weight, term))
        inside = all(p is not None for p in partner)
        undone = inside and all(partner[partner[x]] == x for x in range(4))  # type: ignore[index]
        cancels = undone and all(partner[x] == x or weight[x] + weight[partner[x]] == 0 for x in range(4))  # type: ignore[index]
        assert (found.verdict != "false") == cancels
        if cancels:
            fixed = [x for x in range(4) if partner[x] == x]
            assert list(found.fixed) == fixed
            assert found.total == sum(weight) == sum(weight[x] for x in fixed)
            assert (found.verdict == "proved") == (not fixed)
            if found.certificate is not None:
                assert str(check(found.certificate)) == str(found.theorem)


def test_the_recorded_pairings() -> None:
    """Case D17: the complement fails for even n, toggling one element holds, the asker's has two bad pairs of four."""
    answer = CASES["D17"]["answer"]
    found = everywhere(domain="subsets", pairing="complement")
    assert found.fails[:3] == (2, 4, 6)
    assert all(n % 2 == 0 for n in found.fails)
    first = found.first
    assert first is not None
    assert (write_thing("subsets", 2, first.bad[0].thing), write_thing("subsets", 2, first.bad[0].partner or 0)) == (
        "{}",
        "{1,2}",
    )
    assert "n=2, {} <-> {1,2}" in answer["complement"]
    toggle = everywhere(domain="subsets", pairing={"flip": [1]})
    assert (toggle.fails, toggle.least) == ((), 1)
    pairs = [[[1], [2]], [[3], []], [[1, 2], [2, 3]], [[1, 3], [1, 2, 3]]]
    askers = judge(domain="subsets", size=3, pairing={"pairs": pairs})
    assert askers.verdict == "false"
    assert [(thing_as_list("subsets", 3, b.thing), b.code) for b in askers.bad] == [
        ([1], "same-sign"),
        ([1, 2], "same-sign"),
    ]
    assert (askers.bad_pairs, "2 of 4 pairs" in answer["askers"]) == (2, True)


def test_a_flip_of_nothing_is_refused() -> None:
    with pytest.raises(BadInput, match="at least one coordinate"):
        everywhere(domain="signs", pairing={"flip": []})


def test_a_failure_too_large_to_write_out() -> None:
    found = everywhere(domain="signs", pairing={"flip": [20]})
    assert (found.first, found.fails[0], found.to_json()["example"]) == (None, 21, None)


def test_complement_by_visiting() -> None:
    for n in range(1, 9):
        found = examine_pairing(Pairing("subsets", n, complement(n), parity(n), tuple(range(n))))
        assert (found.verdict == "proved") == (n % 2 == 1)


def test_every_width() -> None:
    found = everywhere(domain="signs", pairing={"flip": [0]})
    assert str(found.theorem).startswith("⊢ Σ t_r t_s = 0 over {−1,1}^d, for every width d ≥ 2")
    assert everywhere(domain="signs", pairing={"flip": [0, 1]}).fails
    spectators = everywhere(domain="signs", pairing={"flip": [0, 5]}, weight={"term": [0, 1]})
    assert (spectators.least, spectators.fails) == (6, ())
    json.dumps(found.to_json())


def test_fixed_points_and_weights_of_ones_own() -> None:
    swap = judge(domain="signs", size=2, pairing={"partner": [0, 2, 1, 3]}, weight={"values": ["1/2", 3, "-3", "5"]})
    assert (swap.verdict, swap.fixed, swap.total) == ("counted", (0, 3), Fraction(11, 2))
    assert swap.to_json()["fixed_points"] == [[1, 1], [-1, -1]]
    mean = judge(domain="signs", size=3, pairing={"flip": [0]}, weight={"term": [0]})
    assert str(mean.theorem) == "⊢ Σ t_0 = 0 over {−1,1}^3, for every q"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a pairing is a JSON object"),
        ("[]", "the pairing: expected an object"),
        ("[" * 100_000, "nested"),
        ('{"domain": "signs"}', '"pairing" is missing'),
        ('{"domain": "words", "pairing": "complement"}', "domain: expected"),
        ('{"domain": "signs", "domain": "signs", "pairing": "complement"}', "twice"),
        ('{"domain": "signs", "pairing": "complement", "title": "proved"}', '"title" is not one of'),
        ('{"domain": "signs", "size": 0, "pairing": "complement"}', "size: expected"),
        ('{"domain": "signs", "size": 17, "pairing": "complement"}', "size: expected"),
        ('{"domain": "signs", "size": true, "pairing": "complement"}', "size: expected"),
        ('{"domain": "signs", "size": 2, "pairing": {"flip": [2]}}', "pairing.flip[0]"),
        ('{"domain": "subsets", "size": 2, "pairing": {"flip": [0]}}', "pairing.flip[0]"),
        ('{"domain": "signs", "size": 2, "pairing": {"flip": [1, 1]}}', "once"),
        ('{"domain": "signs", "size": 2, "pairing": {"partner": [0, 1]}}', "expected 4 entries"),
        ('{"domain": "signs", "size": 2, "pairing": {"partner": [0, 1, 2, 1.5]}}', "pairing.partner[3]"),
        ('{"domain": "signs", "size": 2, "pairing": {"pairs": [[[1, 1], [2]]]}}', "pairs[0][1]"),
        ('{"domain": "subsets", "size": 1, "pairing": {"pairs": [[[1], [1, 1]]]}}', "pairing.pairs[0][1]"),
        ('{"domain": "subsets", "size": 2, "pairing": {"pairs": [[[1], [2]], [[1], []]]}}', "has a partner already"),
        ('{"domain": "subsets", "size": 2, "pairing": {"pairs": [[1]]}}', "pairing.pairs[0]"),
        ('{"domain": "signs", "size": 1, "pairing": {"flip": [0]}}', "weight"),
        ('{"domain": "signs", "size": 1, "pairing": {"flip": [0]}, "weight": {"values": [1]}}', "weight.values"),
        (
            '{"domain": "signs", "size": 1, "pairing": {"flip": [0]}, "weight": {"values": [0.5, 1]}}',
            "weight.values[0]",
        ),
        (
            '{"domain": "signs", "size": 1, "pairing": {"flip": [0]}, "weight": {"values": ["x", 1]}}',
            "weight.values[0]",
        ),
        ('{"domain": "signs", "size": 1, "pairing": {"flip": [0]}, "weight": "even"}', "weight: expected"),
        ('{"domain": "signs", "pairing": {"partner": [0]}}', "a size is needed"),
        ('{"domain": "signs", "pairing": {"flip": [99]}}', "pairing.flip[0]"),
        ('{"domain": "signs", "size": ' + "9" * 5000 + ', "pairing": "complement"}', "a pairing is a JSON object"),
    ],
)
def test_malformed_files(text: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        read_pairing(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


leaves = st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.sampled_from(["signs", "subsets", "parity"])
values = st.recursive(leaves, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.sampled_from(
    ["domain", "size", "pairing", "weight", "flip", "partner", "pairs", "term", "values"]), x, max_size=4))  # fmt: skip


@given(values, values, values, values)
def test_any_json_is_read_or_refused(domain: Any, size: Any, pairing: Any, weight: Any) -> None:
    for data in (
        pairing,
        {"domain": domain, "size": size, "pairing": pairing, "weight": weight},
        {"domain": "subsets", "size": 2, "pairing": pairing, "weight": weight},
        {"domain": "signs", "size": 2, "pairing": {"pairs": pairing}, "weight": weight},
    ):
        try:
            found = read_pairing(json.dumps(data))
        except BadInput:
            continue
        assert isinstance(found, Everywhere) or examine_pairing(found).to_json()


def test_functions() -> None:
    toggle = examine_pairing(call_pairing("def f(S): return S ^ {1}", "f", "subsets", 4))
    assert (toggle.verdict, toggle.pairing.partner) == ("proved", flip(4, 1))
    turn = examine_pairing(call_pairing("def f(k): return (k[0], -k[1]) + k[2:]", "f", "signs", 3))
    assert turn.verdict == "proved"
    backwards = examine_pairing(call_pairing("def f(k): return list(reversed(k))", "f", "signs", 3))
    assert (backwards.verdict, len(backwards.fixed)) == ("counted", 4)
    outside = examine_pairing(call_pairing("def f(S): return S | {9}", "f", "subsets", 2))
    assert outside.bad[0].code == "outside"
    lost = examine_pairing(call_pairing("def f(S): return frozenset()", "f", "subsets", 2))
    assert (lost.bad[0].code, lost.bad[0].thing) == ("not-undone", 1)


def test_the_pairing_of_absolute_values() -> None:
    """Case D06: flipping the last sign gives |a + 1| + |a − 1| = 2|a| for a ≠ 0, so the weights do not cancel."""
    source = "def f(k): return k[:-1] + (-k[-1],)\ndef w(k): return abs(sum(k)) - abs(sum(k[:-1]))\n"
    source += "def v(k): return abs(sum(k))"
    even = examine_pairing(call_pairing(source, "f", "signs", 4, "w"))
    assert (even.verdict, even.total) == ("counted", 0)  # E|S_4| = E|S_3|
    odd = examine_pairing(call_pairing(source, "f", "signs", 3, "w"))
    assert odd.verdict == "false"  # E|S_3| = 3/2, E|S_2| = 1
    plain = examine_pairing(call_pairing(source, "f", "signs", 4, "v"))
    assert (plain.verdict, plain.total) == ("false", 24)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def g(S): return S", "no function f"),
        ("def f(S): raise KeyError(1)", "raises KeyError"),
        ("def f(S): return None", "must return a set"),
        ("def f(S):\n import os; os._exit(1)", "ends the process"),
        ("f = 1 / 0", "division by zero"),
    ],
)
def test_functions_that_do_not_run(source: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        call_pairing(source, "f", "subsets", 2)


def test_weights_that_are_none() -> None:
    with pytest.raises(BadInput, match="whole number or a Fraction"):
        call_pairing("def f(S): return S\ndef w(S): return 'one'", "f", "subsets", 1, "w")
    with pytest.raises(BadInput, match="sizes 1 to 10"):
        call_pairing("", "f", "subsets", 11)
