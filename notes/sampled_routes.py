"""What is sampled in the derivation: three claims at large width, and the lesson's two tables, figure by figure.

A sample proves nothing.  Its error bars come from exact moments, so that what may be put down to chance is derived:
the whole of it raises a false alarm for about one choice of the seed in a million.
"""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from exact import lesson_tables as tables
from exact.coordinates import gaussian, sign
from exact.evidence import Evidence, Rung, Sample
from exact.sampling import FALSE_ALARM, NUMPY, Estimate, Plan, estimate, total
from notes.routes import Disagrees, Run, Sampled
from notes.softmax_routes import JOIN

__all__ = ["PLANS", "SCORE_SIZE", "SOFTMAX_ROW", "of"]

SEED: Final = 7
PLANS: Final = (
    Plan(sign(), 1024, 1 << 16, SEED),
    Plan(gaussian(), 10**6, 1 << 18, SEED, "scores"),
)
SHOWN: Final = {"mean": "E[e]", "second-moment": "E[e²]", "unit-scale": "E[(e/√d)²]"}


@cache
def _estimates(plan: Plan) -> dict[str, Estimate]:
    return {row.name: row for row in estimate(plan, total(plan), FALSE_ALARM / len(PLANS))}


def _compare(claim: str, plan: Plan) -> Evidence:
    row = _estimates(plan)[claim]
    error = f"{row.standard_error:.0f}" if row.standard_error >= 10 else f"{row.standard_error:.2g}"
    found = f"{SHOWN[claim]} ≈ {row.value:.6g} ± {error}".replace("-", "−")
    if not row.agrees:
        raise Disagrees(f"{found}: {abs(row.z):.1f} standard errors from {row.truth}")
    return Evidence(Rung.SAMPLED, found, _sample(plan), ("exact bounds",))


def _sample(plan: Plan) -> Sample:
    return Sample(plan.coordinate.name, (plan.width,), plan.draws, plan.seed)


def of(claim: str) -> tuple[Sampled, ...]:
    """Return the routes of a claim: signs drawn as vectors, and Gaussians at a width where nothing can be counted."""
    return tuple(Sampled(lambda _, plan=plan: _compare(claim, plan)) for plan in PLANS)  # type: ignore[misc]


def _reproduce(name: str, found: Sequence[str], told: str, sample: Sample) -> Evidence:
    """Compare a table that was just drawn with its record, figure by figure; `told` is what it shows in short."""
    recorded = files("notes").joinpath("recorded", f"{name}.csv").read_text("utf-8").splitlines()
    head = found[1].split(",")
    for n, (ours, theirs) in enumerate(zip(found, recorded, strict=True)):
        if ours != theirs:
            pairs = zip(head, ours.split(","), theirs.split(","), strict=False)
            what, got, kept = next((x for x in pairs if x[1] != x[2]), ("", ours, theirs))
            raise Disagrees(f"line {n + 1}, {what}: {got} drawn, {kept} recorded (NumPy {NUMPY})")
    return Evidence(Rung.SAMPLED, told, sample, ("recorded figures",))


def _score_size(_: Run) -> Evidence:
    rows = tables.score_size()
    cells = [tables.score_size_cells(row) for row in rows]
    told = JOIN.join(f"{what}: {' '.join(c[i] for c in cells)}" for what, i in (("√E[e²]", 2), ("√E[e²]/√d", 4)))
    sample = Sample("gaussian", tables.SIZE_WIDTHS, tables.SIZE_PAIRS, tables.SIZE_SEED)
    return _reproduce("score-size", tuple(tables.score_size_csv(rows)), told, sample)


def _softmax_row(_: Run) -> Evidence:
    rows = tables.softmax_row()
    told = JOIN.join(
        f"1 − Σ_j a_j²{by}: " + " → ".join(f"{row.trace:.3f}" for row in rows if row.divisor == divisor)
        for divisor, by in (("1", ""), ("sqrt", ", √d"))
    )
    sample = Sample("gaussian", tables.ROW_WIDTHS, tables.ROW_QUERIES, tables.ROW_SEED)
    return _reproduce("softmax-row", tuple(tables.softmax_row_csv(rows)), told, sample)


SCORE_SIZE: Final = Sampled(_score_size)
SOFTMAX_ROW: Final = Sampled(_softmax_row)
