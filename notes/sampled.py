"""Writes what sampling found beside the truth; and the tables of the lesson and of the exact mean gradient."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from exact import lesson_tables
from exact.mean_gradient import DIVISORS, mean_trace
from exact.rationals import BadInput, abbreviate, write_rational
from exact.sampling import FALSE_ALARM, GENERATOR, NUMPY, Estimate, Plan
from notes.sheets import Sheet, columns

__all__ = ["LESSON_TABLES", "data", "lesson_sheet", "lines"]

LESSON_TABLES: Final = ("score-size", "softmax-row", "mean-gradient")
GRADIENT_WIDTHS: Final = (1, 4, 16, 64, 256, 1024, 10**4, 10**5, 10**6)


def lines(plan: Plan, draws: int, estimates: Sequence[Estimate], words: Mapping[str, Any]) -> Iterator[str]:
    """Write the estimates, a line at a time; `draws` are those that were made."""
    say = words["sample"]
    yield say["title"].format(width=plan.width, law=plan.coordinate.name, draws=draws, method=say[plan.method])
    yield say["source"].format(generator=GENERATOR, seed=plan.seed, numpy=NUMPY)
    if draws < plan.draws:
        yield say["partial"].format(draws=draws, planned=plan.draws)
    head = [say[key] for key in ("quantity", "truth", "estimate", "standard_error", "z", "normal", "chebyshev")]
    rows = [
        (
            say[row.name],
            abbreviate(row.truth),
            _number(row.value),
            f"{row.standard_error:.3g}",
            f"{row.z:+.2f}",
            _interval(row.normal),
            _interval(row.chebyshev),
        )
        for row in estimates
    ]
    yield from columns([tuple(head), *rows])
    yield say["agrees" if all(row.agrees for row in estimates) else "disagrees"].format(alarm=f"{FALSE_ALARM:g}")


def data(plan: Plan, draws: int, estimates: Sequence[Estimate]) -> dict[str, Any]:
    """Return the estimates as JSON data."""
    return {
        "width": plan.width,
        "coordinate": plan.coordinate.name,
        "method": plan.method,
        "draws": draws,
        "planned": plan.draws,
        "seed": plan.seed,
        "generator": GENERATOR,
        "numpy": NUMPY,
        "false_alarm": FALSE_ALARM,
        "estimates": [
            {
                "quantity": row.name,
                "truth": write_rational(row.truth),
                "estimate": row.value,
                "standard_error": row.standard_error,
                "z": row.z if abs(row.z) < float("inf") else None,
                "normal_asymptotic": list(row.normal),
                "chebyshev_rigorous": list(row.chebyshev),
                "agrees": row.agrees,
            }
            for row in estimates
        ],
    }


# ---- tables --------------------------------------------------------------------------------------------


def lesson_sheet(name: str, seed: int | None) -> Sheet:
    """Return a table of the lesson, from its own seed or another; or the exact mean gradient, which takes none."""
    if name == "mean-gradient":
        if seed is not None:
            raise BadInput("the table mean-gradient is exact and draws nothing; leave --seed out")
        return _mean_gradient()
    if name == "score-size":
        seed = lesson_tables.SIZE_SEED if seed is None else seed
        drawn = {"seed": seed, "draws": lesson_tables.SIZE_PAIRS}
        found = list(lesson_tables.score_size_csv(lesson_tables.score_size(seed), seed))
    else:
        seed = lesson_tables.ROW_SEED if seed is None else seed
        drawn = {"seed": seed, "draws": lesson_tables.ROW_QUERIES, "keys": lesson_tables.ROW_KEYS}
        found = list(lesson_tables.softmax_row_csv(lesson_tables.softmax_row(seed), seed))
    source, head, *rows = found
    body = tuple(tuple(row.split(",")) for row in rows)
    return Sheet(name, source.removeprefix("# "), tuple(head.split(",")), body, drawn=drawn)


@cache
def _mean_gradient() -> Sheet:
    source = "two keys, sign vectors: E[1 - sum of a^2], exact; every digit is certain, the last is cut, not rounded"
    rows = tuple((str(d), *(mean_trace(d, divisor).digits for divisor in DIVISORS)) for d in GRADIENT_WIDTHS)
    return Sheet("mean-gradient", source, ("d_k", "undivided", "divided_by_root", "divided_by_width"), rows)


def _number(x: float) -> str:
    return f"{x:.6g}"


def _interval(ends: tuple[float, float]) -> str:
    return f"[{_number(ends[0])}, {_number(ends[1])}]"
