"""Writes what sampling found beside the truth; and tables, the lesson's and the exact mean gradient, in every form."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from exact import lesson_tables
from exact.mean_gradient import DIVISORS, mean_trace
from exact.rationals import BadInput, abbreviate, write_rational
from exact.sampling import FALSE_ALARM, GENERATOR, NUMPY, Estimate, Plan

__all__ = ["TABLES", "data", "lines", "table_csv", "table_data", "table_latex", "table_lines"]

TABLES: Final = ("score-size", "softmax-row", "mean-gradient")
GRADIENT_WIDTHS: Final = (1, 4, 16, 64, 256, 1024, 10**4, 10**5, 10**6)
Row = tuple[str, ...]


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
    yield from _columns([tuple(head), *rows])
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


def table_lines(name: str, seed: int | None, words: Mapping[str, Any]) -> Iterator[str]:
    """Write a table for the terminal."""
    source, head, rows = _table(name, seed)
    yield source
    yield from _columns([tuple(words["sample"][key] for key in head), *_titled(rows, words)])


def table_csv(name: str, seed: int | None) -> Iterator[str]:
    """Write a table as lines of CSV, for the lesson's in the figures of the published file."""
    source, head, rows = _table(name, seed)
    yield "# " + source
    for row in (head, *rows):
        yield ",".join(row)


def table_latex(name: str, seed: int | None, words: Mapping[str, Any]) -> Iterator[str]:
    """Write a table as LaTeX; it needs the package booktabs."""
    source, head, rows = _table(name, seed)
    root = r"\sqrt{d_k}"
    yield "% " + source
    yield rf"\begin{{tabular}}{{{'r' * len(head)}}}"
    yield r"\toprule"
    yield " & ".join(words["sample"][key + "_latex"] for key in head) + r" \\"
    yield r"\midrule"
    for row in rows:
        yield " & ".join(f"${x.replace('sqrt', root)}$" for x in row) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def table_data(name: str, seed: int | None) -> dict[str, Any]:
    """Return a table as JSON data: the figures as they are printed."""
    source, head, rows = _table(name, seed)
    return {
        "table": name,
        "source": source,
        "numpy": NUMPY,
        "rows": [dict(zip(head, x, strict=True)) for x in rows],
    }


def _table(name: str, seed: int | None) -> tuple[str, Row, list[Row]]:
    if name == "mean-gradient":
        if seed is not None:
            raise BadInput("the table mean-gradient is exact and draws nothing; leave --seed out")
        return _mean_gradient()
    if name == "score-size":
        seed = lesson_tables.SIZE_SEED if seed is None else seed
        found = list(lesson_tables.score_size_csv(lesson_tables.score_size(seed), seed))
    else:
        seed = lesson_tables.ROW_SEED if seed is None else seed
        found = list(lesson_tables.softmax_row_csv(lesson_tables.softmax_row(seed), seed))
    source, head, *rows = found
    return source.removeprefix("# "), tuple(head.split(",")), [tuple(row.split(",")) for row in rows]


def _mean_gradient() -> tuple[str, Row, list[Row]]:
    source = "two keys, sign vectors: E[1 - sum of a^2], exact; every digit is certain, the last is cut, not rounded"
    rows = [(str(d), *(mean_trace(d, divisor).digits for divisor in DIVISORS)) for d in GRADIENT_WIDTHS]
    return source, ("d_k", "undivided", "divided_by_root", "divided_by_width"), rows


def _titled(rows: Sequence[Row], words: Mapping[str, Any]) -> list[Row]:
    return [tuple(words["sample"]["sqrt"] if x == "sqrt" else x.replace("-", "−") for x in row) for row in rows]


def _number(x: float) -> str:
    return f"{x:.6g}"


def _interval(ends: tuple[float, float]) -> str:
    return f"[{_number(ends[0])}, {_number(ends[1])}]"


def _columns(rows: Sequence[Row]) -> Iterator[str]:
    sizes = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for first, *rest in rows:
        yield "  ".join([first.ljust(sizes[0]), *(x.rjust(n) for x, n in zip(rest, sizes[1:], strict=True))]).rstrip()
