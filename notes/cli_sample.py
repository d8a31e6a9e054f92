"""The subcommand `sqrtdk sample`: reads its arguments, samples, prints."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from exact.rationals import BadInput, read_whole

__all__ = ["register"]

DEFAULT_WIDTH, DEFAULT_DRAWS, DEFAULT_SEED = 1024, 100_000, 7
INTERRUPTED = 130


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
    draws: Annotated[str, typer.Option("--draws", "-n", metavar="N", help="How many scores.")] = str(DEFAULT_DRAWS),
    seed: Annotated[str | None, typer.Option("--seed", metavar="S", help="A whole number.")] = None,
    workers: Annotated[str, typer.Option("--workers", metavar="W", help="Threads; the answer is the same.")] = "1",
    table: Annotated[
        str | None,
        typer.Option("--table", metavar="NAME", help="score-size, softmax-row or mean-gradient."),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the table as LaTeX (booktabs).")] = False,
    lang: Annotated[str, typer.Option("--lang", metavar="en|es", help="The language of the report.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Draw scores at random, and compare them with the exact moments."""
    from exact.coordinates import read_coordinate
    from exact.sampling import SEED_LIMIT, WORKER_LIMIT, Plan, Totals, add, blocks, estimate
    from notes import sampled
    from notes.console import load_words, print_json, print_lines, progress_bar

    say = load_words(lang)
    chosen = None if seed is None else _whole("--seed", seed, 0, SEED_LIMIT)
    if csv + latex + as_json > 1:
        raise BadInput("--csv, --latex and --json are three ways to print; choose one")
    if table is not None:
        if table not in sampled.TABLES:
            raise BadInput(f"--table must be one of {', '.join(sampled.TABLES)} (got {table!r})")
        if as_json:
            print_json(sampled.table_data(table, chosen))
        elif csv:
            print_lines(sampled.table_csv(table, chosen))
        else:
            print_lines((sampled.table_latex if latex else sampled.table_lines)(table, chosen, say))
        return
    if csv or latex:
        raise BadInput("--csv and --latex print a table; name it with --table")
    used = DEFAULT_SEED if chosen is None else chosen
    method_used: Any = method  # the plan says what is accepted
    plan = Plan(read_coordinate(coordinates), _whole("--width", width), _whole("--draws", draws), used, method_used)
    threads = _whole("--workers", workers, 1, WORKER_LIMIT)
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
    found = estimate(plan, totals)
    if as_json:
        print_json(sampled.data(plan, totals.draws, found))
    else:
        print_lines(sampled.lines(plan, totals.draws, found, say))
    if stopped:
        raise typer.Exit(INTERRUPTED)
    if not all(row.agrees for row in found):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(sample)


def _whole(option: str, text: str, low: int = -(10**30), high: int = 10**30) -> int:
    try:
        return read_whole(option.lstrip("-"), text, low, high)
    except BadInput as error:
        raise BadInput(f"{option}: {error}") from None
