"""The rung of what is sampled: inside derived bounds, beside the record, never counted among the proofs."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from exact import lesson_tables
from exact.evidence import Rung, Sample, as_json
from exact.sampling import FALSE_ALARM, Totals, estimate, total
from notes import report, sampled_routes
from notes.derivation import CLAIMS, TABLES
from notes.routes import Disagrees, Run, Sampled
from notes.words import words

ROOT = Path(__file__).parents[1]
RUN = Run((Fraction(1), Fraction(-1)))
SAMPLED = ("mean", "second-moment", "unit-scale")


def test_the_record_is_the_published_file() -> None:
    for table in TABLES:
        name = f"{table.id}.csv"
        assert (ROOT / "notes/recorded" / name).read_bytes() == (ROOT / "tests/data" / name).read_bytes()


def test_three_claims_and_two_tables_are_sampled() -> None:
    assert [c.id for c in CLAIMS if any(isinstance(r, Sampled) for r in c.routes)] == [*SAMPLED]
    assert [(t.id, [r.rung for r in t.routes]) for t in TABLES] == [
        ("score-size", [Rung.SAMPLED]),
        ("softmax-row", [Rung.SAMPLED]),
    ]


@pytest.mark.parametrize("claim", SAMPLED)
def test_a_route_reports_what_was_drawn(claim: str) -> None:
    for route, plan in zip(sampled_routes.of(claim), sampled_routes.PLANS, strict=True):
        evidence = route.establish(RUN)
        data = as_json(evidence)
        assert (data["rung"], data["widths"], data["draws"]) == ("sampled", [plan.width], plan.draws)
        assert evidence.visited == 0
        (row,) = [x for x in estimate(plan, total(plan)) if x.name == claim]
        assert f"≈ {row.value:.6g} ±".replace("-", "−") in evidence.formula


def test_the_plans_share_one_false_alarm() -> None:
    """The normal interval of each plan has its share of the alarm: the bound is wider than for a plan alone."""
    plan = sampled_routes.PLANS[0]
    alone, shared = (estimate(plan, Totals(100, 0.0, 102_400.0), alarm) for alarm in (FALSE_ALARM, FALSE_ALARM / 2))
    assert all(a.normal[1] < s.normal[1] for a, s in zip(alone, shared, strict=True))


def test_a_sample_out_of_bounds_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled_routes._estimates.cache_clear()
    monkeypatch.setattr(sampled_routes, "total", lambda plan: Totals(plan.draws, 0.0, 1.1 * plan.draws * plan.width))
    try:
        for claim, holds in (("mean", True), ("second-moment", False), ("unit-scale", False)):
            (route, _) = sampled_routes.of(claim)
            if holds:
                route.establish(RUN)
            else:
                with pytest.raises(Disagrees, match=r"standard errors from"):
                    route.establish(RUN)
    finally:
        sampled_routes._estimates.cache_clear()


def test_a_table_with_another_figure_is_false(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = lesson_tables.softmax_row()
    moved: Any = (*rows[:3], replace(rows[3], trace=rows[3].trace + 0.001), *rows[4:])
    monkeypatch.setattr(lesson_tables, "softmax_row", lambda: moved)
    monkeypatch.setattr(report, "CLAIMS", ())
    monkeypatch.setattr(report, "TABLES", TABLES[1:])
    results = list(report.derive(RUN))
    assert not report.holds(results)
    text = "\n".join(report.lines(RUN, results, words("en")))
    assert "FALSE: line 6, one_minus_sum_of_squares: " in text
    assert text.endswith("FALSE: softmax-row.")


def test_a_sample_says_what_it_is_about() -> None:
    assert str(Sample("sign", (4, 16), 8000, 7)) == "for 8000 draws at d = 4, 16, sign, seed 7"
