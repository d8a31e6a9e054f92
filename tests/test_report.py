import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from string import Formatter
from typing import Any

import pytest

from exact.evidence import Positions, Rung
from exact.kernel import check
from exact.laws import uniform_law
from exact.pairing import moment_at
from notes import report, routes, softmax_routes
from notes.derivation import CLAIMS, TABLES, claims_proved_by
from notes.routes import Counted, Disagrees, Goal, Proved, Run, dependent_signs
from notes.words import LANGUAGES, lesson_words, words
from symbolic.counted import Miscount
from symbolic.findings import NotShown
from symbolic.formulas import FORMULAS
from symbolic.plain import plain_formula
from symbolic.softmax import jacobian
from symbolic.writing import Notation
from tests.forgeries import HONEST
from tests.lesson import CLOSED_ROWS, SCORES_GROW

ENGLISH = words("en")


def run_of(*query: int | Fraction) -> Run:
    return Run(tuple(map(Fraction, query)))


ON_SCORES = tuple(claim for claim in CLAIMS if claim.section == 1)  # the others do not depend on the query
ALL = tuple(report.derive(run_of(*[1] * 12)))

QUERIES = [
    *[tuple((-1) ** r for r in range(d)) for d in range(1, 13)],
    (1,) * 12,
    (3, -1, 2),
    (Fraction(1, 3), Fraction(-2, 7), 0, 5),
    (0, 0),
    (10**40, -3, Fraction(1, 10**30)),
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_every_claim_on_scores_holds_by_every_route(query: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "CLAIMS", ON_SCORES)
    run = run_of(*query)
    results = list(report.derive(run, quick=True))
    assert [r.claim.id for r in results] == [c.id for c in ON_SCORES]
    assert report.holds(results), [f.failure for r in results for f in r.findings]
    for result in results:
        rungs = {finding.rung for finding in result.findings if finding.evidence} - {Rung.SAMPLED}
        assert rungs == (
            {Rung.PROVED} if result.claim.id == "pairing" and run.width == 1 else {Rung.COUNTED, Rung.PROVED}
        )


def test_the_claims_are_the_lesson_s_in_its_order() -> None:
    assert [(c.id, c.section) for c in CLAIMS] == [
        *((claim, 1) for claim in SCORES_GROW),
        *((claim, 2) for claim in CLOSED_ROWS),
    ]


def test_counting_at_twelve_visits_the_whole_cube_for_the_second_moment() -> None:
    (result,) = [r for r in ALL if r.claim.id == "second-moment"]
    evidence = result.findings[0].evidence
    assert evidence is not None
    assert (evidence.formula, evidence.visited) == ("Σ e² = 49152 = 2^12·12", 4096)


@pytest.mark.parametrize("result", [r for r in ALL if r.claim.section == 2], ids=lambda r: r.claim.id)
def test_every_claim_on_softmax_is_counted_and_decided(result: report.Result) -> None:
    assert result.holds
    counted, decided, *others = [f.evidence for f in result.findings if f.evidence]
    small = (2,) if result.claim.id == "sigmoid" else (2, 3, 4, 5, 6)
    assert (counted.rung, isinstance(counted.scope, Positions)) == (Rung.COUNTED, True)
    assert getattr(counted.scope, "sizes", None) == small
    assert counted.visited >= 3
    assert decided.rung is Rung.PROVED
    assert getattr(decided.scope, "sizes", None) == ((2,) if result.claim.id == "sigmoid" else None)
    assert all(other.rung is Rung.PROVED for other in others)


def test_the_largest_jacobian_and_the_factor_of_eight_apart_are_shown() -> None:
    text = "\n".join(report.lines(run_of(*[1] * 12), ALL, ENGLISH))
    assert "2980.95 < exp(8) < 2980.96, exp(8) ≈ 2981" in text
    assert "J_jl = a_j(δ_jl − a_l), 64·64         T = 64" in text
    assert "T = 2 … 6, d = 4: 36384 cases" in text
    assert text.splitlines()[-2].startswith(
        "All 23 claims hold: 59 routes, 25 of them by visiting 81019 vectors, outcomes and points in all, "
        "20 by proofs the kernel accepted, 14 by exact algebra on the formulas; "
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_data_says_where_and_why(language: str) -> None:
    say = words(language)
    claims = {c["id"]: c for c in report.data(run_of(*[1] * 12), ALL, say)["claims"]}
    counted, decided = claims["trace"]["routes"]
    assert (counted["positions"], counted["visited"], counted["how"]) == ([2, 3, 4, 5, 6], 363, ["grid"])
    assert counted["why"] == " ".join(say["why"]["grid"].split())
    assert (decided["positions"], decided["how"], "width" in decided) == (None, ["normal form"], False)
    counted, decided = claims["what-dies"]["routes"]
    assert (counted["width"], decided["width"], decided["least_width"]) == (4, None, 1)
    assert claims["argmax"]["argument"] == say["arguments"]["argmax"]
    assert claims["mean"]["argument"] is None


def test_a_softmax_claim_that_fails_is_reported_as_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def miscount(claim: str) -> None:
        raise Miscount(f"{claim} fails at x = (1, 1): 1 against 2")

    def refute(claim: str) -> None:
        raise NotShown(claim, "at T = 2 the sides are 0 and 1")

    monkeypatch.setattr(softmax_routes, "count", miscount)
    monkeypatch.setattr(softmax_routes, "prove", refute)
    monkeypatch.setattr(softmax_routes, "bounds_of_exp", lambda *_: (Fraction(2980), Fraction(2981)))
    monkeypatch.setattr(softmax_routes, "jacobian", lambda T: type(jacobian(T))(T, jacobian(T).rows[::-1]))
    monkeypatch.setattr(report, "CLAIMS", [c for c in CLAIMS if c.id in ("ratio", "jacobian")])
    results = list(report.derive(run_of(1, 1), quick=True))
    assert [[f.failure is None for f in r.findings] for r in results] == [[False] * 3] * 2
    text = "\n".join(report.lines(run_of(1, 1), results, ENGLISH))
    assert "proved   FALSE: ratio: at T = 2 the sides are 0 and 1" in text
    assert text.endswith("FALSE: ratio, jacobian.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_columns_of_the_routes_stand_below_each_other(language: str) -> None:
    say = words(language)
    shown = [line for line in report.lines(run_of(*[1] * 12), ALL, say) if line.endswith(" ms")]
    rules = "|".join(sorted(map(re.escape, say["rules"].values()), key=len, reverse=True))
    at = {found.start() for line in shown if (found := re.search(rf"(?<=\S )(?: *)(?:{rules}) +[\d.]+ ms$", line))}
    starts = {re.search(rf"(?:{rules}) +[\d.]+ ms$", line).start() for line in shown}  # type: ignore[union-attr]
    assert len(shown) > 60
    assert len(starts) == 1, at


def test_the_weights_of_the_divided_row_have_a_letter_of_their_own() -> None:
    text = "\n".join(report.lines(run_of(1, 1), ALL, ENGLISH))
    assert "a_ij = a_il exp(e_ij − e_il)" in text
    assert "a'_ij = a'_il exp((e_ij − e_il)/√d)" in text
    assert "a'_ij are the weights of the divided row" in text


def test_a_formula_is_written_once() -> None:
    assert [c.formula for c in CLAIMS] == [plain_formula(found, Notation(width="d")) for found in FORMULAS]


def test_bounds_of_exp_close_in() -> None:
    low, high = softmax_routes.bounds_of_exp(8, 40)
    assert low < Fraction(Decimal(8).exp()) < high
    assert high - low < Fraction(1, 10**9)
    assert softmax_routes.bounds_of_exp(0, 3) == (1, 1)


def test_a_route_whose_theorem_is_another_one_fails() -> None:
    wrong = Proved(lambda _: HONEST["mean"][0], lambda _: Goal("moment", (2,), ((Fraction(1), Fraction(1)),)))
    with pytest.raises(Disagrees, match="the theorem is another one"):
        wrong.establish(run_of(1, 1))


def test_a_false_claim_is_reported_as_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(_: Run) -> None:
        raise Disagrees("Σ e² is 8, not 9")

    claim = CLAIMS[5]
    false = replace(claim, routes=(Counted(lie), *claim.routes[1:]))
    monkeypatch.setattr(report, "CLAIMS", (*CLAIMS[:5], false, *CLAIMS[6:11]))
    run = run_of(1, 1)
    results = list(report.derive(run))
    assert not report.holds(results)
    text = "\n".join(report.lines(run, results, ENGLISH))
    assert "FALSE: Σ e² is 8, not 9" in text
    assert text.endswith("FALSE: second-moment.")
    assert report.data(run, results, ENGLISH)["holds"] is False


@pytest.mark.parametrize("count", [routes.count_mean, routes.count_second_moment])
def test_a_wrong_tally_is_noticed(count: Any) -> None:
    run = run_of(1, 1, 1)
    run.__dict__["tally"] = type(run.tally)(run.query, 8, Fraction(1), Fraction(25))
    with pytest.raises(Disagrees):
        count(run)


@pytest.mark.parametrize("d", range(1, 9))
def test_dependent_signs_have_both_properties_and_are_dependent(d: int) -> None:
    law = dependent_signs(d).outcomes
    assert sum(w for _, w in law) == 1
    assert all(len(terms) == d and set(terms) <= {1, -1} for terms, _ in law)
    if d >= 3:
        assert all(terms[0] * terms[1] == terms[2] for terms, _ in law)


@pytest.mark.parametrize(("cross", "second_moment"), [(0, 4), (1, 2)])
def test_a_law_that_is_not_as_stated_is_noticed(cross: int, second_moment: int) -> None:
    with pytest.raises(Disagrees, match="is 1, not 0" if cross == 0 else r"E\[e²\] is 4, not 2"):
        routes._count_law("t_1 = t_2", uniform_law([(1, 1), (-1, -1)]), cross, second_moment)


def test_theorems_know_their_claims_and_only_theirs() -> None:
    assert claims_proved_by(check(HONEST["second"][0]).statement) == ("second-moment", "typical-size", "only-the-root")
    assert claims_proved_by(check(HONEST["here"][0]).statement) == ()
    assert claims_proved_by(check(moment_at((1, -1), 2)).statement) == ("second-moment",)
    assert claims_proved_by(check(HONEST["fourth"][0]).statement) == ()
    assert claims_proved_by(check(HONEST["table"][0]).statement) == ()


def test_the_certificates_of_a_run_prove_every_claim() -> None:
    proved = {
        c for certificate in report.certificates(run_of(2, 3)) for c in claims_proved_by(check(certificate).statement)
    }
    assert proved >= {claim.id for claim in CLAIMS if any(isinstance(r, Proved) for r in claim.routes)}


# ---- words ----------------------------------------------------------------------------------------------------------


def keys(table: Mapping[str, Any], before: str = "") -> set[str]:
    found = set()
    for key, value in table.items():
        found |= keys(value, f"{before}{key}.") if isinstance(value, Mapping) else {before + key}
    return found


def test_both_languages_say_everything() -> None:
    first, *others = (tomllib.loads(files("notes.words").joinpath(f"{x}.toml").read_text("utf-8")) for x in LANGUAGES)
    for other in others:
        assert keys(first) == keys(other)
    assert {claim.id for claim in CLAIMS} == set(first["claims"])
    assert {str(x) for x in ({c.section for c in CLAIMS} | {t.section for t in TABLES})} == set(first["sections"])
    assert {table.id for table in TABLES} == set(first["tables"])
    assert set(first["arguments"]) <= {claim.id for claim in CLAIMS}
    assert set(report.WHY_A_PROOF) == set(first["why"])
    assert set(report.TELLING) == set(first["rules"])
    assert {rung.value for rung in Rung} == set(first["rungs"])


def test_both_languages_say_the_whole_lesson() -> None:
    first, *others = (lesson_words(language) for language in LANGUAGES)
    for other in others:
        assert keys(first) == keys(other)
        assert placeholders(first) == placeholders(other)
    assert {claim.id for claim in CLAIMS} == set(first["explained"])


def placeholders(table: Any) -> Any:
    """Return what each sentence leaves open, and how many sentences a list has."""
    if isinstance(table, Mapping):
        return {key: placeholders(value) for key, value in table.items()}
    if isinstance(table, list):
        return [placeholders(value) for value in table]
    return {name for _, name, _, _ in Formatter().parse(table) if name}


def test_each_language_has_its_own_words() -> None:
    english, spanish = (words(language) for language in LANGUAGES)
    for table in ("claims", "sections", "why", "arguments", "latex", "steps"):
        assert not [key for key in english[table] if english[table][key] == spanish[table][key]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_speaks_each_language(language: str) -> None:
    run = run_of(3, -1)
    say = words(language)
    results = [r for r in report.derive(run) if r.claim.section == 1] + [r for r in ALL if r.claim.section > 1]
    text = "\n".join(report.lines(run, results, say))
    assert all(say["claims"][claim.id] in text for claim in CLAIMS)
    assert say["claims"]["second-moment"] in text
    assert "|q|² = 10" in text
    assert "{" not in text.replace("{−1,1}", "").replace("_{", "")
