"""The command.  Thin: it reads arguments, calls the floors below, and prints; each subcommand imports what it needs.

Exit codes: 0 proved or fine, 1 false, 2 bad input or usage, 3 undecided or needs an assumption.
"""

import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from exact.rationals import BadInput
from notes import cli_confirm, cli_gradient, cli_lesson, cli_moments, cli_sample, cli_teach
from notes.console import (
    Json,
    Language,
    ReaderGone,
    Yes,
    ask_before,
    folded,
    load_words,
    print_json,
    print_lines,
    progress_bar,
    read_query,
    terminal_columns,
)
from notes.files import begins_as_ledger, check_writable, write_whole

if TYPE_CHECKING:
    from notes.machine import Outcome
    from notes.routes import Run

__all__ = ["app", "main"]

app = typer.Typer(
    name="sqrtdk",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help starts in half the time
    context_settings={"help_option_names": ["-h", "--help"]},
)

ClickException: type[Any] = typer.BadParameter.__mro__[2]  # what typer raises for bad usage, wherever it keeps it
INTERRUPTED: Final = 130  # what typer makes of a KeyboardInterrupt

Width = Annotated[str | None, typer.Option("--width", "-d", metavar="D", help="The width d of q and k.")]
Query = Annotated[
    str | None, typer.Option("--query", "-q", metavar="Q", help="The query, such as 3,-1,1/2; its width is d.")
]


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print_lines([f"sqrtdk {version('sqrtdk')}"])
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the release.")
    ] = False,
) -> None:
    """Check, to the last integer, why attention divides by √d_k."""


# ---- check ----------------------------------------------------------------------------------------------------------


@app.command()
def check(
    width: Width = None,
    query: Query = None,
    lang: Language = "en",
    as_json: Json = False,
    certificate: Annotated[
        str | None, typer.Option("--certificate", metavar="FILE", help="Write the proofs, for `sqrtdk verify`.")
    ] = None,
    yes: Yes = False,
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what is sampled.")] = False,
    machine: Annotated[
        bool, typer.Option("--machine", help="Have Coq or Rocq confirm the claims for every width, in about a minute.")
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="With --machine: check what was compiled again, and list definitions.")
    ] = False,
) -> None:
    """Check the whole derivation: every claim, by every route that is available."""
    from exact.enumeration import MAX_WIDTH
    from notes import machine_report, report
    from notes.routes import Run

    words = load_words(lang)
    if thorough and not machine:
        raise BadInput("--thorough goes with --machine")
    run = Run(read_query(width, query, MAX_WIDTH))
    work = report.estimate(run)
    ask_before(work.seconds, f"visiting {1 << run.width} vectors", "a smaller d", yes)
    if certificate is not None:
        check_writable(certificate)
    with progress_bar(work.visits) as run.progress:
        results = list(report.derive(run, quick=quick))
    outcome = _machine(run, thorough) if machine else None
    if as_json:
        print_json(machine_report.add(report.data(run, results, words), outcome, words))
    else:
        columns, beside = terminal_columns(), machine_report.beside(outcome, words)
        print_lines(folded(report.lines(run, results, words, beside, columns), columns))
        print_lines(folded(machine_report.closing(outcome, run, words), columns))
    if not report.holds(results) or (outcome and outcome.failed):
        raise typer.Exit(1)
    if certificate is not None:
        from exact.certificate import dumps

        write_whole(certificate, dumps(report.certificates(run)))
    if outcome and outcome.not_run:
        raise typer.Exit(3)


def _machine(run: "Run", thorough: bool) -> "Outcome":
    from notes import machine, machine_report

    with progress_bar(machine.STEPS) as done:
        return machine_report.ask(run, thorough, done)


# ---- count ----------------------------------------------------------------------------------------------------------


@app.command()
def count(
    width: Width = None,
    query: Query = None,
    histogram: Annotated[bool, typer.Option("--histogram", help="Count how many keys have each score.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Look up every partner, for all pairs r < s.")] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="auto, numba, numpy, or plain for the reference.")
    ] = "auto",
    workers: Annotated[
        str | None, typer.Option("--workers", metavar="N", help="Processes or threads; all cores without it.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="A Dask cluster, as tcp://127.0.0.1:8786.")
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="FILE", help="Keep what is counted in a ledger; go on from one.")
    ] = None,
    lang: Language = "en",
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Visit the whole cube {−1,1}^d, and add up the scores exactly."""
    from exact.enumeration import MAX_WIDTH
    from notes import counted, counting

    words = load_words(lang)
    values = read_query(width, query, MAX_WIDTH)
    d, more = len(values), 0.0
    if pairs:
        from exact.matching import count_pairing, estimate_pairing_seconds

        more = estimate_pairing_seconds(d)
    options = counting.read_options(histogram, engine, workers, scheduler, resume, yes)
    counted_scores, work = counting.count(values, options, more, words)
    matching = None
    if pairs:
        with progress_bar(1 << d) as progress:
            matching = count_pairing(d, progress=progress)
    if as_json:
        print_json(counted.data(counted_scores, matching, work))
    else:
        print_lines(counted.lines(counted_scores, matching, work, words))


# ---- verify ---------------------------------------------------------------------------------------------------------


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A certificate, or - for standard input; or a ledger.")],
    shards: Annotated[
        str | None, typer.Option("--shards", metavar="N", help="Of a ledger: how many shards to count again, or all.")
    ] = None,
    seed: Annotated[str | None, typer.Option("--seed", metavar="S", help="Of the choice of these shards.")] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="NAME", help="Which counts them again: auto, numba, numpy, plain."),
    ] = None,
    lang: Language = "en",
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Judge a certificate or a ledger written by anyone: what it proves, or where it is wrong."""
    from exact.certificate import Malformed, judge
    from exact.kernel import Rejected
    from notes.derivation import claims_proved_by

    words = load_words(lang)
    if begins_as_ledger(file):
        from notes import audited

        raise typer.Exit(audited.show(file, audited.read_options(shards, seed, engine, yes), as_json, words))
    if (shards, seed, engine) != (None, None, None):
        raise BadInput(f"--shards, --seed and --engine are about a ledger, and {file} is none")
    try:
        theorems = judge(file)
    except Malformed as error:
        raise BadInput(f"{file} is no certificate: {error}") from None
    except Rejected as error:
        print(f"sqrtdk: {file} is rejected: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    found = [(theorem, claims_proved_by(theorem.statement)) for theorem in theorems]
    if as_json:
        print_json([{"theorem": str(t), "how": t.statement.how, "claims": claims} for t, claims in found])
        return
    for theorem, claims in found:
        print_lines([theorem])
        if claims:
            print_lines(["  " + words["verify"]["claim"].format(claims=", ".join(claims))])


cli_moments.register(app)
cli_sample.register(app)
cli_lesson.register(app)
cli_confirm.register(app)
cli_gradient.register(app)
cli_teach.register(app)


# ---- latex ----------------------------------------------------------------------------------------------------------


@app.command()
def latex(
    claim: Annotated[str | None, typer.Argument(metavar="ID", help="One formula; all of them without it.")] = None,
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="snippet, align, steps, document, pdf or json.")
    ] = "snippet",
    lang: Language = "en",
    width_symbol: Annotated[str, typer.Option(metavar="d_k|d", help="The letter of the width.")] = "d_k",
    weight: Annotated[str, typer.Option(metavar="a|alpha|p", help="The letter of the weights.")] = "a",
    score: Annotated[str, typer.Option(metavar="e|z|s", help="The letter of the scores.")] = "e",
    base: Annotated[str, typer.Option(metavar="0|1", help="The number of the first position.")] = "1",
    limits: Annotated[bool, typer.Option("--limits", help="Write the limits of every sum.")] = False,
    machine: Annotated[
        bool, typer.Option("--machine", help="In a document: have Coq or Rocq confirm the claims, in about a minute.")
    ] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Write the formulas as LaTeX, in the letters of your paper."""
    from notes import formulas_text

    letters = formulas_text.notation(width_symbol, weight, score, base, limits)
    if formulas_text.read_form(form) in formulas_text.ARTICLES:
        from notes import cli_article

        raise typer.Exit(cli_article.write(claim, form, letters, lang, machine, output))
    if machine:
        raise BadInput("--machine goes with --as document or --as pdf")
    text = formulas_text.write(claim, form, letters, load_words(lang))
    if output is None:
        print_lines([text])
    else:
        check_writable(output)
        write_whole(output, text + "\n")


# ---- the program ----------------------------------------------------------------------------------------------------


def _fail(message: str) -> int:
    with suppress(OSError):  # nobody listens
        print(f"sqrtdk: {message}", file=sys.stderr)
    return 2


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code; every error is one line on standard error."""
    try:
        code = app(arguments or ["--help"], standalone_mode=False)
    except ClickException as error:
        hint = "put -- before a claim that begins with −, or " if arguments[:1] == ["confirm"] else ""
        return _fail(f"{error.format_message()} ({hint}try sqrtdk --help)")
    except BadInput as error:
        return _fail(str(error))
    except ReaderGone:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
        return 2  # whoever reads a part of the output, as head does, wants no message about it
    except OSError as error:
        return _fail(f"{error.filename or 'file'}: {error.strerror or error}")
    except MemoryError:
        return _fail("there is not enough memory for this; choose a smaller width")
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    if code == INTERRUPTED:
        return _fail("interrupted; nothing was written")
    return int(code or 0)


def main() -> None:
    """Run the command with the arguments of the process."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - open until the process ends
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))
