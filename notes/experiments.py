"""Two experiments beyond the lesson, run and set out as tables: rows at large width, closed forms against sampling.

Both are sums over blocks, so that what was drawn so far is an estimate at any moment.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from exact import closed_forms, rows
from exact.closed_forms import FormPlan, Holds
from exact.rationals import BadInput, read_rational, read_whole, write_rational
from exact.rows import Measured, Moments, RowEstimate, RowPlan
from exact.sampling import GENERATOR
from notes.sheets import Cell, Sheet

__all__ = [
    "Experiment",
    "closed_form_plans",
    "closed_forms_sheet",
    "found_rows",
    "large_width_sheet",
    "row_plans",
    "seconds",
]

WIDTHS, WIDTHS_DRAWN = "16,256,4096,65536,1000000", ",".join(str(4**i) for i in range(1, 11))
POSITIONS, POSITIONS_DRAWN, FORM_POSITIONS = "2,64,4096", "8", "8,64,300,1024,4096"
EXPONENTS: Final = "0,1/2,1"
DRAWS: Final = 2000
SHOWN: Final = (Fraction(1, 4), Fraction(1), Fraction(4))  # the variances whose errors are in the table
LIST_LIMIT: Final = 100
SOURCE: Final = "generator {generator}, seed {seed}, {rows} rows each"


@dataclass
class Experiment:
    """Plans, and the moments of each as far as they have been drawn."""

    plans: Sequence[RowPlan | FormPlan]
    moments: dict[RowPlan | FormPlan, Moments] = field(default_factory=dict)

    @property
    def scores(self) -> int:
        """How many scores there are to draw in all."""
        return sum(plan.draws * plan.positions for plan in self.plans)

    def run(self, workers: int, progress: Callable[[int], None]) -> None:
        """Draw all plans, in order; `progress` is told of the scores as they are drawn."""
        for plan in self.plans:
            drawn = rows.blocks(plan, workers) if isinstance(plan, RowPlan) else closed_forms.form_blocks(plan, workers)
            for block in drawn:
                self.moments[plan] = rows.combine(self.moments.get(plan), block)
                progress(block.draws * plan.positions)

    @property
    def partial(self) -> bool:
        """Whether something of it is left to draw."""
        return any(plan not in self.moments or self.moments[plan].draws < plan.draws for plan in self.plans)

    def found(self) -> Iterator[tuple[Any, Moments]]:
        """Yield the plans of which there is an estimate, and what was drawn of them."""
        return ((plan, m) for plan, m in self.moments.items() if m.draws > 1)


def _read_list(option: str, text: str, read: Callable[[str], Any]) -> tuple[Any, ...]:
    entries = text.split(",")
    if len(entries) > LIST_LIMIT:
        raise BadInput(f"{option} must have at most {LIST_LIMIT} entries (got {len(entries)})")
    try:
        return tuple(dict.fromkeys(map(read, entries)))
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from None


def _read_positions(text: str, least: int) -> tuple[int, ...]:
    return _read_list("--positions", text, lambda x: read_whole("positions", x, least, rows.POSITION_LIMIT))


def row_plans(widths: str, positions: str, exponents: str, draws: int, seed: int) -> list[RowPlan]:
    """Return a plan for each width and T, from lists with commas; T outermost."""
    powers = _read_list("--exponents", exponents, read_rational)
    ds = _read_list("--widths", widths, lambda x: read_whole("width", x, 1, rows.WIDTH_LIMIT))
    return [RowPlan(d, T, powers, draws, seed) for T in _read_positions(positions, 1) for d in ds]


def closed_form_plans(positions: str, draws: int, seed: int) -> list[FormPlan]:
    """Return a plan for each T."""
    return [FormPlan(T, draws, seed) for T in _read_positions(positions, 2)]


def seconds(experiment: Experiment) -> float:
    """Estimate how long it takes one worker."""
    return sum(
        rows.seconds(plan) if isinstance(plan, RowPlan) else closed_forms.seconds(plan) for plan in experiment.plans
    )


def found_rows(experiment: Experiment) -> list[RowEstimate]:
    """Return the estimates, by T, then by exponent, then by width."""
    found = [estimate for plan, moments in experiment.found() for estimate in rows.summarise(plan, moments)]
    return sorted(found, key=lambda x: (x.positions, x.exponent, x.width))


def large_width_sheet(experiment: Experiment, words: Mapping[str, Any]) -> Sheet:
    """Set the rows out as a table."""
    found = found_rows(experiment)
    body: list[tuple[Cell, ...]] = []
    for x in found:
        place = str(x.positions), write_rational(x.exponent), str(x.width)
        body.append((*place, *(x.values[name] for name in rows.QUANTITIES)))
    head = ("positions", "exponent", "d_k", *rows.QUANTITIES)
    below, drawn = _below("large_width", experiment, words), _drawn(experiment)
    return Sheet("large-width", SOURCE.format(**drawn), head, tuple(body), below, drawn)


def closed_forms_sheet(experiment: Experiment, tolerance: float, words: Mapping[str, Any]) -> Sheet:
    """Set out where the closed forms hold as a table."""
    found = [x for plan, moments in experiment.found() for x in closed_forms.holds(plan, moments, tolerance)]
    at = {s: min(range(len(closed_forms.GRID)), key=lambda i: abs(closed_forms.GRID[i] - s)) for s in SHOWN}
    body = tuple((str(x.positions), x.form, _up_to(x), *(x.errors[i] for i in at.values())) for x in found)
    head = ("positions", "form", "holds_up_to", "error_at_quarter", "error_at_one", "error_at_four")
    below, drawn = _below("closed_forms", experiment, words), _drawn(experiment) | {"tolerance": f"{tolerance:g}"}
    return Sheet("closed-forms", (SOURCE + "; tolerance {tolerance}").format(**drawn), head, body, below, drawn)


def _up_to(found: Holds) -> str | Measured:
    if found.up_to is None:
        return "nowhere"
    return f"≥ {found.up_to.value:g}" if not found.up_to.error else found.up_to


def _drawn(experiment: Experiment) -> dict[str, object]:
    drawn = sorted({m.draws for _, m in experiment.found()})
    each = str(drawn[0]) if len(drawn) == 1 else f"{drawn[0]} … {drawn[-1]}"
    return {"generator": GENERATOR, "seed": experiment.plans[0].seed, "rows": each}


def _below(name: str, experiment: Experiment, words: Mapping[str, Any]) -> tuple[str, ...]:
    said = words["experiments"]
    return (*said[name].splitlines(), *((said["interrupted"],) if experiment.partial else ()))
