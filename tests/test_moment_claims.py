"""Claims about moments: recorded cases, textbook facts, and what must never change a verdict or always must."""

import json
import tomllib
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.evidence import Rung
from exact.rationals import BadInput
from exact.verdicts import Answer, Disagreement, Verdict, as_json
from symbolic.averages.assumptions import Assumptions, read_law
from symbolic.averages.claims import about_moments, confirm_moments
from symbolic.averages.outcomes import NotCounted, Table, computed
from symbolic.expressions import OutsideClass
from symbolic.reading.reader import read
from tests.moments import BOOK, CASES, Claim

RECORDED = {
    case["id"]: case
    for case in map(json.loads, (Path(__file__).parent / "data" / "cases.jsonl").read_text("utf-8").splitlines())
}
CLAIMS = [(case, claim) for case, claims in CASES.items() for claim in claims] + [("", claim) for claim in BOOK]


def verdict(text: str, **assumed: Any) -> Verdict:
    """Return the verdict on a text."""
    reading = read(text)
    assert about_moments(reading), text
    return confirm_moments(reading, Assumptions(**assumed))


@pytest.mark.parametrize(
    ("case", "claim"), CLAIMS, ids=lambda value: value if isinstance(value, str) else value[0][:50]
)
def test_a_claim_gets_its_answer_and_its_counterexample(case: str, claim: Claim) -> None:
    text, assumed, answer, claimed, correct = claim
    found = verdict(text, **assumed)
    assert found.answer.value == answer
    if claimed:
        assert found.counterexample is not None
        assert (found.counterexample.claimed, found.counterexample.correct) == (claimed, correct)
    else:
        assert found.counterexample is None
    if found.answer is Answer.PROVED:
        assert found.evidence[0].rung in (Rung.PROVED, Rung.COUNTED)
    assert json.dumps(as_json(found))


@pytest.mark.parametrize("case", CASES)
def test_every_case_has_the_answer_recorded(case: str) -> None:
    recorded = RECORDED[case]["verdict"]
    answers = {claim[2] for claim in CASES[case]}
    wanted = {"proved": "proved", "false": "false", "needs_assumption": "needs assumption"}.get(recorded)
    assert wanted is None or wanted in answers


def test_the_smallest_counterexamples_are_those_recorded() -> None:
    found = verdict(CASES["D09"][0][0], keys="signs").counterexample
    assert found is not None
    assert dict(found.where)["A"] == RECORDED["D09"]["input"]["tests"][1].replace(",", ", ")
    chain = verdict(CASES["B17"][0][0], independent=True)
    assert chain.counterexample is not None
    assert dict(chain.counterexample.where) == {"X": "values:1", "Y": "values:1"}
    assert [step.answer for step in chain.steps] == [Answer.PROVED, Answer.FALSE, Answer.FALSE]
    assert chain.notes[0].key == "right-result-wrong-step"
    assert dict(chain.notes[0].values)["step"] == "2"
    zero = verdict(CASES["D19"][0][0], keys="signs").counterexample
    assert zero is not None
    assert dict(zero.where) == {"n": "1", "a": "[0]", "x": "0"}


def test_values_come_as_fraction_decimal_and_latex() -> None:
    note = verdict("Var(X)", laws=(("X", "weights:0=1/3,1=1/6,5=1/2"),)).notes[0]
    assert dict(note.values) == {"value": "50/9", "latex": r"\frac{50}{9}", "decimal": "5.55556"}
    assert dict(verdict("E[e^6]", keys="signs").notes[0].values)["value"] == "15d³ − 30d² + 16d"
    both = verdict("E[e^4]")
    assert [step.claim for step in both.steps] == ["E[e^4] = 3d² − 2d", "E[e^4] = 3d² + 6d"]


def test_a_decimal_is_read_exactly_and_this_is_said() -> None:
    found = verdict("Var(X_1 + X_2) = 10.4", laws=(("X", "poisson:5.2"),))
    said = {dict(each.values).get("text"): dict(each.values).get("value") for each in found.understood}
    assert said["5.2"] == "26/5"
    assert said["10.4"] == "52/5"


@pytest.mark.parametrize(
    ("text", "assumed", "key"),
    [
        ("Var(q·k) = 8", {"keys": "signs", "width": "64"}, "standard-deviation-not-variance"),
        ("Var(q·k) = √d", {}, "standard-deviation-not-variance"),
        ("Std(q·k) = d", {}, "variance-not-standard-deviation"),
        ("E[e^4] = 3d^2 + 6d", {"keys": "signs"}, "value-under-gaussian"),
        ("E[e^4] = 3d^2", {"keys": "signs"}, "normal-formula"),
        ("Var(X) = E[X^2]", {"laws": (("X", "bernoulli:1/3"),)}, "second-moment-not-variance"),
        ("E[X^2] = Var(X)", {"laws": (("X", "bernoulli:1/3"),)}, "variance-not-second-moment"),
        ("E[e^2] = 2d", {}, "factor"),
        ("Var(X Y) = Var(X) Var(Y)", {"independent": True}, "needs-centred"),
        ("E[X Y] = E[X] E[Y]", {}, "needs-independent"),
        (r"\sum_{k=0}^n (-1)^k\binom nk = 0", {}, "holds-for"),
    ],
)
def test_a_slip_is_named(text: str, assumed: dict[str, Any], key: str) -> None:
    found = verdict(text, **assumed)
    assert found.answer is not Answer.PROVED
    assert key in {note.key for note in found.notes}


@pytest.mark.parametrize(
    "text",
    [
        r"\operatorname{Var}\left(\frac{q^\top k}{\sqrt{d_k}}\right) = 1",
        r"\operatorname{Var}(q\cdot k/\sqrt{d_k}) = 1",
        r"E[(\frac{\mathbf q^T \mathbf k}{\sqrt{d_k}})^2] = 1",
        r"E[(q\cdot k)^2/(\sigma_q^2 \sigma_k^2)] = d",
        "Var(aX+b) = a^2 Var(X)",
        "E[(aX + bY)^2] = a^2 E[X^2] + b^2 E[Y^2] + 2ab E[XY]",
        "E[XY] = E[X]E[Y], X and Y independent",
        r"\operatorname{Var}(q\cdot k) = d, E[q_r] = 0, E[q_r^2] = 1",
    ],
)
def test_labels_letters_side_by_side_and_words_are_read(text: str) -> None:
    assert verdict(text).answer is Answer.PROVED


@pytest.mark.parametrize(
    "text",
    [
        "E[X^2] = 2, E[X^2] = 1 where X large",
        r"\operatorname{Var}(\bar X) = \sigma^2, \operatorname{Var}(X_i) = \sigma^2",
        r"\operatorname{Var}(\bar X) = \sigma^2",
        "E[X | Y] = E[X]",
        r"\sum_k \binom{n}{k} = 0",
        r"\sum_{k=0}^n \binom{n}{k} (1 + (-1)^n) = 2^{n+1}, n \text{ even}",
    ],
)
def test_what_would_be_passed_over_is_refused(text: str) -> None:
    with pytest.raises(OutsideClass):
        verdict(text)


@pytest.mark.parametrize("text", [r"\operatorname{Var}(q\cdot k) = d, E[q_r^2] = 2", "E[X^2] = Var(X), E[X] = 3"])
def test_a_second_average_after_a_comma_is_a_claim_of_its_own(text: str) -> None:
    found = verdict(text)
    assert [step.answer for step in found.steps][1] is Answer.FALSE
    assert found.answer is Answer.FALSE


@pytest.mark.parametrize("text", ["Var(X+Y) = Var(X) + Var(Y)", "E[XY] = E[X]E[Y]"])
def test_what_needs_independence_is_false_of_dependent_variables(text: str) -> None:
    found = verdict(text, independent=False)
    assert found.answer is Answer.FALSE
    assert found.counterexample is not None
    assert verdict("Var(X+Y) = Var(X) + Var(Y) + 2Cov(X,Y)", independent=False).answer is Answer.PROVED


TRUE = [claim for claim in BOOK if claim[2] == "proved" and claim[0].count(" = ") == 1 and "<=" not in claim[0]]


@pytest.mark.parametrize("claim", TRUE, ids=lambda claim: claim[0][:50])
def test_adding_1_to_one_side_makes_a_true_claim_false(claim: Claim) -> None:
    left, rest = claim[0].split(" = ", 1)
    right, comma, aside = rest.partition(", ")
    if "_{n+1}" in claim[0]:
        right = f"{right} + 1"
    found = verdict(f"{left} = {right} + 1{comma}{aside}", **claim[1])
    assert found.answer is Answer.FALSE, found


@pytest.mark.parametrize("claim", [c for c in TRUE if "_{n+1}" not in c[0]], ids=lambda claim: claim[0][:50])
def test_turning_an_equation_round_or_doubling_it_changes_nothing(claim: Claim) -> None:
    left, rest = claim[0].split(" = ", 1)
    right, comma, aside = rest.partition(", ")
    assert verdict(f"{right} = {left}{comma}{aside}", **claim[1]).answer is Answer.PROVED
    assert verdict(f"2({left}) = 2({right}){comma}{aside}", **claim[1]).answer is Answer.PROVED


@pytest.mark.parametrize(("q", "k"), [("x", "y"), ("u", "v"), ("k", "q")])
def test_renaming_the_vectors_changes_nothing(q: str, k: str) -> None:
    assert verdict(f"Var({q}·{k}) = d").answer is Answer.PROVED
    assert verdict(f"E[({q}·{k})^4] = 3d^2 - 2d", keys="signs").answer is Answer.PROVED
    assert verdict(f"E[({q}·{k})^4] = 3d^2 + 6d", keys="signs").answer is Answer.FALSE


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(-4, 4), min_size=5, max_size=5))
def test_only_the_right_polynomial_is_proved(coefficients: list[int]) -> None:
    terms = " + ".join(f"({c}) d^{n}" if n else f"({c})" for n, c in enumerate(coefficients))
    found = verdict(f"E[e^4] = {terms}", keys="signs")
    assert (found.answer is Answer.PROVED) == (coefficients == [0, -2, 3, 0, 0])
    if found.counterexample is not None:
        d = Fraction(dict(found.counterexample.where)["d"])
        assert Fraction(found.counterexample.claimed) == sum(c * d**n for n, c in enumerate(coefficients))
        assert Fraction(found.counterexample.correct) == 3 * d**2 - 2 * d


@pytest.mark.parametrize(
    "text",
    [
        r"E[1/e] = 0",
        r"E[|e|^3] = 1",
        r"E[e^{60}] = 1",
        r"E[\sqrt{e}] = 1",
        r"E[q] + d = 0",
        r"P(q\cdot k > 0) = 1/2",
        r"m_{n+1} = m_n + 1, m_n = n",
        r"E[(X_1 X_2 X_3 + X_4)^{40}] = 1",
    ],
)
def test_what_is_not_decided_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises((OutsideClass, BadInput), match=r"\w{3}"):
        confirm_moments(read(text), Assumptions())


@pytest.mark.parametrize(
    "law", ["cauchy", "uniform:", "bernoulli:2", "gaussian:0,-1", "die:0", "weights:0=1/2", "poisson"]
)
def test_a_law_that_is_none_is_refused(law: str) -> None:
    with pytest.raises(BadInput):
        confirm_moments(read("Var(X) = 1"), Assumptions(laws=(("X", law),)))


def test_laws_with_letters_have_the_moments_of_laws_with_numbers() -> None:
    from symbolic.averages.points import Point, placed
    from symbolic.averages.quotients import Field, Quotient, as_number, quotient

    for formula, number, value in (("uniform:-s,s", "uniform:3", 3), ("bernoulli:p", "bernoulli:1/3", Fraction(1, 3))):
        for order in range(7):
            moment = Quotient(read_law(formula).moment(order))
            letter = formula[-1]
            found = as_number(placed(moment, Point({letter: quotient(value)}), Field()))
            assert found == as_number(Quotient(read_law(number).moment(order)))


def test_a_search_is_never_called_a_proof() -> None:
    found = verdict(r"\sum_{k=0}^r \binom mk\binom n{r-k} = \binom{m+n}{r}")
    assert found.answer in (Answer.UNDECIDED, Answer.PROVED)
    if found.answer is Answer.UNDECIDED:
        assert found.evidence[0].rung is Rung.COUNTED
    bounded = verdict(r"P(\sum_i \epsilon_i a_i = x) \le \binom{n}{\lfloor n/2\rfloor}/2^n, a_i \ne 0", keys="signs")
    assert bounded.answer is Answer.UNDECIDED


def test_two_routes_that_disagree_are_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symbolic.averages.outcomes._root", lambda value, degree: Fraction(7))
    with pytest.raises(Disagreement):
        verdict("Std(X) = 1", laws=(("X", "signs"),))


def test_every_note_has_its_words_in_both_languages() -> None:
    notes = set()
    for _, (text, assumed, *_rest) in CLAIMS:
        stack = [verdict(text, **assumed)]
        while stack:
            found = stack.pop()
            notes |= {*found.notes, *found.understood}
            stack += found.steps
    for language in ("en", "es"):
        words = tomllib.loads(files("notes.words").joinpath(f"{language}.toml").read_text("utf-8"))["confirm"][
            "moments"
        ]
        for each in notes:
            said = words[each.key].format(**dict(each.values))
            assert "{" not in said.replace("{ij}", "")
    assert len({each.key for each in notes}) > 25


_DOTS = ("q·k", "e", r"\|q\|^2 + X", r"\sum_r q_r^3 k_r", "X Y", "X", "(X + 2Y)", "q_1", "(q_1 + k_1)", r"\sum_r k_r")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(_DOTS), st.integers(1, 3)), min_size=1, max_size=3),
    st.sampled_from(("E[{}]", r"\operatorname{{Var}}({})", r"\operatorname{{Cov}}({}, q·k + X)")),
    st.sampled_from(("signs", "bernoulli:1/3", "weights:-1=2/3,2=1/3")),
    st.integers(1, 2),
)
def test_averages_are_those_counted_outcome_by_outcome(
    factors: list[tuple[str, int]], operator: str, law: str, d: int
) -> None:
    text = operator.format(" ".join(f"({base})^{power}" for base, power in factors))
    assumed = {"laws": (("X", law), ("Y", "die:3"), ("q", "weights:-2=1/3,1=2/3"), ("k", law)), "independent": True}
    reading = read(text)
    try:
        asked = confirm_moments(reading, Assumptions(width=str(d), **assumed))  # type: ignore[arg-type]
    except (OutsideClass, BadInput):
        return
    laws = {name: read_law(said).finite for name, said in assumed["laws"]}  # type: ignore[attr-defined]
    known = {name: found for name, found in laws.items() if found is not None}
    table = Table(d, {"d": Fraction(d)}, {}, known, frozenset("qk"))
    try:
        counted = computed(reading.claim.parts[0], table)
    except NotCounted:
        return
    assert Fraction(dict(asked.notes[0].values)["value"]) == counted
