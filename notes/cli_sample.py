"""The subcommand `sqrtdk sample`: reads its arguments, samples, prints or writes a file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exact.rationals import BadInput, read_rational, read_whole
from notes.console import Yes, ask_before, folded, load_words, print_lines, progress_bar, terminal_columns
from notes.files import check_writable, write_whole

if TYPE_CHECKING:
    from notes.experiments import Experiment
    from notes.sheets import Sheet

__all__ = ["register"]

DEFAULT_WIDTH, DEFAULT_DRAWS, DEFAULT_SEED = 1024, 100_000, 7
INTERRUPTED = 130
EXPERIMENTS = ("large-width", "closed-forms")
PICTURES = ("size", "row", "gradient")
LESS = "fewer draws or smaller sizes"
WAYS = ("csv", "latex", "json")


@dataclass(frozen=True, slots=True)
class _Page:
    """Where the answer goes and in which form, and the words of its language."""

    form: str  # text, csv, latex or json
    output: str | None
    words: dict[str, Any]

    def show(self, lines: Iterable[str]) -> None:
        """Print, or write the file; what cannot be written after all is printed, so that no work is lost."""
        text = "\n".join(lines)
        if self.output is not None:
            self.keep(text + "\n", text)
        else:
            print_lines([text])

    def keep(self, content: str | bytes, instead: str) -> None:
        """Write the file, and print `instead` where that fails."""
        try:
            write_whole(self.output or "", content)
        except OSError:
            print_lines([instead])
            raise

    def sheet(self, sheet: Sheet) -> None:
        """Show a table."""
        from notes import sheets

        words = self.words["sample"] | self.words["experiments"]
        if self.form == "json":
            self.show([_json(sheets.as_data(sheet))])
        elif self.form == "csv":
            self.show(sheets.as_csv(sheet))
        else:
            columns = None if self.output is not None else terminal_columns()
            lines = (
                sheets.as_latex(sheet, words)
                if self.form == "latex"
                else folded(sheets.as_lines(sheet, words), columns)
            )
            self.show(lines)


def sample(
    width: Annotated[str, typer.Option("--width", "-d", metavar="D", help="The width d of q and k.")] = str(
        DEFAULT_WIDTH
    ),
    coordinates: Annotated[
        str,
        typer.Option(
            "--coordinates",
            metavar="LAW",
            help="sign, gaussian, uniform:half-width, laplace:scale, values:1,2 or weights:0=1/2,1=1/2.",
        ),
    ] = "gaussian",
    method: Annotated[str, typer.Option("--method", metavar="NAME", help="vectors, or scores (Gaussian).")] = "vectors",
    draws: Annotated[str | None, typer.Option("--draws", "-n", metavar="N", help="How many scores, or rows.")] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="S", help="A whole number.")] = None,
    workers: Annotated[str, typer.Option("--workers", metavar="W", help="Threads; the answer is the same.")] = "1",
    table: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="NAME", help="score-size, softmax-row, mean-gradient, large-width or closed-forms."
        ),
    ] = None,
    widths: Annotated[str | None, typer.Option("--widths", metavar="D,…", help="For large-width: up to 10^9.")] = None,
    positions: Annotated[str | None, typer.Option("--positions", metavar="T,…", help="How long the rows are.")] = None,
    exponents: Annotated[
        str | None, typer.Option("--exponents", metavar="α,…", help="For large-width: scores are divided by d^α.")
    ] = None,
    error: Annotated[
        str, typer.Option("--error", metavar="ε", help="For closed-forms: how far off they may be, relatively.")
    ] = "0.05",
    plot: Annotated[
        str | None,
        typer.Option("--plot", metavar="NAME", help="Draw large-width (the plots extra): size, row or gradient."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX (booktabs).")] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
    yes: Yes = False,
    lang: Annotated[str, typer.Option("--lang", metavar="en|es", help="The language of the report.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Draw scores at random, and compare them with the exact moments."""
    from exact.sampling import SEED_LIMIT, WORKER_LIMIT

    words = load_words(lang)
    chosen = None if seed is None else _whole("--seed", seed, 0, SEED_LIMIT)
    threads = _whole("--workers", workers, 1, WORKER_LIMIT)
    if csv + latex + as_json > 1:
        raise BadInput("--csv, --latex and --json are three ways to print; choose one")
    if (csv or latex) and table is None:
        raise BadInput("--csv and --latex print a table; name it with --table")
    if (widths, exponents, plot) != (None, None, None) and table != "large-width":
        raise BadInput("--widths, --exponents and --plot are for --table large-width")
    if positions is not None and table not in EXPERIMENTS:
        raise BadInput(f"--positions is for --table {' or '.join(EXPERIMENTS)}")
    if plot is not None:
        _check_picture(plot, output)
    if output is not None:
        check_writable(output)
    form = next((way for way, asked in zip(WAYS, (csv, latex, as_json), strict=True) if asked), "text")
    page = _Page(form, output, words)
    if table is None:
        count = _whole("--draws", _given(draws, str(DEFAULT_DRAWS)))
        _estimate(page, coordinates, _whole("--width", width), count, chosen, method, threads, yes)
    elif table in EXPERIMENTS:
        from notes import experiments

        count = _whole("--draws", _given(draws, str(experiments.DRAWS)))
        used = DEFAULT_SEED if chosen is None else chosen
        if table == "large-width":
            drawn = plot is not None
            plans: Any = experiments.row_plans(
                _given(widths, experiments.WIDTHS_DRAWN if drawn else experiments.WIDTHS),
                _given(positions, experiments.POSITIONS_DRAWN if drawn else experiments.POSITIONS),
                _given(exponents, experiments.EXPONENTS),
                count,
                used,
            )
            _experiment(page, experiments.Experiment(plans), None, plot, threads, yes)
        else:
            from exact import closed_forms

            tolerance = float(_fraction("--error", error))
            closed_forms.check_tolerance(tolerance)
            plans = experiments.closed_form_plans(_given(positions, experiments.FORM_POSITIONS), count, used)
            _experiment(page, experiments.Experiment(plans), tolerance, None, threads, yes)
    else:
        from notes import sampled

        if table not in sampled.LESSON_TABLES:
            raise BadInput(
                f"--table must be one of {', '.join((*sampled.LESSON_TABLES, *EXPERIMENTS))} (got {table!r})"
            )
        if draws is not None:
            raise BadInput(f"the table {table} has its own size; leave --draws out")
        page.sheet(sampled.lesson_sheet(table, chosen))


def _estimate(
    page: _Page, coordinates: str, width: int, draws: int, seed: int | None, method: str, threads: int, yes: bool
) -> None:
    from exact.coordinates import read_coordinate
    from exact.sampling import Plan, Totals, add, blocks, estimate, seconds
    from notes import sampled

    named: Any = method  # the plan says what is accepted
    plan = Plan(read_coordinate(coordinates), width, draws, DEFAULT_SEED if seed is None else seed, named)
    ask_before(seconds(plan), f"drawing {plan.draws} scores", LESS, yes)
    totals, stopped = Totals(), False
    with progress_bar(plan.draws) as progress:
        try:
            for block in blocks(plan, threads):
                totals = add(totals, block)
                progress(block.draws)
        except KeyboardInterrupt:
            stopped = True
            if totals.draws < 2:
                raise
    if stopped:
        page = _Page(page.form, None, page.words)  # a file holds the whole or nothing
    found = estimate(plan, totals)
    if page.form == "json":
        page.show([_json(sampled.data(plan, totals.draws, found))])
    else:
        page.show(sampled.lines(plan, totals.draws, found, page.words))
    if stopped:
        raise typer.Exit(INTERRUPTED)
    if not all(row.agrees for row in found):
        raise typer.Exit(1)


def _experiment(
    page: _Page, experiment: Experiment, tolerance: float | None, plot: str | None, threads: int, yes: bool
) -> None:
    from notes import experiments

    if plot is not None and len({plan.positions for plan in experiment.plans}) > 1:
        raise BadInput("a picture is of rows of one length; give one number to --positions")
    ask_before(experiments.seconds(experiment), f"drawing {experiment.scores} scores", LESS, yes)
    stopped = False
    with progress_bar(experiment.scores) as progress:
        try:
            experiment.run(threads, progress)
        except KeyboardInterrupt:
            stopped = True
            if not list(experiment.found()):
                raise
    if tolerance is None:
        sheet = experiments.large_width_sheet(experiment, page.words)
    else:
        sheet = experiments.closed_forms_sheet(experiment, tolerance, page.words)
    if stopped:
        _Page(page.form, None, page.words).sheet(sheet)
        raise typer.Exit(INTERRUPTED)
    if plot is None:
        page.sheet(sheet)
        return
    from notes.plots import plot_rows
    from notes.sheets import as_csv

    picture = plot_rows(
        experiments.found_rows(experiment), plot, page.output or "", page.words["sample"] | page.words["experiments"]
    )
    page.keep(picture, "\n".join(as_csv(sheet)))


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(sample)


def _check_picture(plot: str, output: str | None) -> None:
    if plot not in PICTURES:
        raise BadInput(f"--plot must be one of {', '.join(PICTURES)} (got {plot!r})")
    if output is None:
        raise BadInput("a picture goes to a file; name it with --output, ending in .png, .svg or .pdf")
    from notes.plots import check_picture

    check_picture(output)


def _given(option: str | None, default: str) -> str:
    return default if option is None else option


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _fraction(option: str, text: str) -> Any:
    try:
        return read_rational(text)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from None


def _whole(option: str, text: str, low: int = -(10**30), high: int = 10**30) -> int:
    try:
        return read_whole(option.lstrip("-"), text, low, high)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from None
