import tomllib
from collections.abc import Mapping
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest

from exact.evidence import Rung
from exact.kernel import check
from notes import report, routes
from notes.derivation import CLAIMS, claims_proved_by
from notes.routes import Counted, Disagrees, Goal, Proved, Run, dependent_signs
from notes.words import LANGUAGES, words
from tests.forgeries import HONEST

ENGLISH = words("en")


def run_of(*query: int | Fraction) -> Run:
    return Run(tuple(map(Fraction, query)))


QUERIES = [
    *[tuple((-1) ** r for r in range(d)) for d in range(1, 13)],
    (1,) * 12,
    (3, -1, 2),
    (Fraction(1, 3), Fraction(-2, 7), 0, 5),
    (0, 0),
    (10**40, -3, Fraction(1, 10**30)),
]


@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_every_claim_holds_by_every_route(query: tuple[int, ...]) -> None:
    run = run_of(*query)
    results = list(report.derive(run))
    assert [r.claim.id for r in results] == [c.id for c in CLAIMS]
    assert report.holds(results), [f.failure for r in results for f in r.findings]
    for result in results:
        rungs = {finding.rung for finding in result.findings if finding.evidence}
        assert rungs == (
            {Rung.PROVED} if result.claim.id == "pairing" and run.width == 1 else {Rung.COUNTED, Rung.PROVED}
        )


def test_the_claims_are_the_lesson_s_in_its_order() -> None:
    assert [c.id for c in CLAIMS][:11] == [
        "match-count",
        "term-sign",
        "square-split",
        "pairing",
        "mean",
        "second-moment",
        "typical-size",
        "unit-scale",
        "two-properties",
        "scope",
        "only-the-root",
    ]


def test_counting_at_twelve_visits_the_whole_cube_for_the_second_moment() -> None:
    (result,) = [r for r in report.derive(run_of(*[1] * 12)) if r.claim.id == "second-moment"]
    evidence = result.findings[0].evidence
    assert evidence is not None
    assert (evidence.formula, evidence.visited) == ("Σ e² = 49152 = 2^12·12", 4096)


def test_a_route_whose_theorem_is_another_one_fails() -> None:
    wrong = Proved(lambda _: HONEST["mean"][0], lambda _: Goal("moment", (2,), ((Fraction(1), Fraction(1)),)))
    with pytest.raises(Disagrees, match="the theorem is another one"):
        wrong.establish(run_of(1, 1))


def test_a_false_claim_is_reported_as_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(_: Run) -> None:
        raise Disagrees("Σ e² is 8, not 9")

    claim = CLAIMS[5]
    false = type(claim)(claim.id, claim.formula, (Counted(lie), *claim.routes[1:]))
    monkeypatch.setattr(report, "CLAIMS", (*CLAIMS[:5], false, *CLAIMS[6:]))
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
    law = dependent_signs(d)
    assert sum(w for w, _ in law) == 1
    assert all(len(terms) == d and set(terms) <= {1, -1} for _, terms in law)
    if d >= 3:
        assert all(terms[0] * terms[1] == terms[2] for _, terms in law)


def test_theorems_know_their_claims_and_only_theirs() -> None:
    assert claims_proved_by(check(HONEST["second"][0]).statement) == ("second-moment", "typical-size", "only-the-root")
    assert claims_proved_by(check(HONEST["here"][0]).statement) == ("second-moment",)
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
    assert {claim.id for claim in CLAIMS} <= set(first["claims"])
    assert {rung.value for rung in Rung} == set(first["rungs"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_report_speaks_each_language(language: str) -> None:
    run = run_of(3, -1)
    say = words(language)
    text = "\n".join(report.lines(run, list(report.derive(run)), say))
    assert say["claims"]["second-moment"] in text
    assert "|q|² = 10" in text
    assert "{" not in text.replace("{−1,1}", "").replace("_{", "")
