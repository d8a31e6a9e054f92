"""The command.  Thin: it reads arguments, calls the floors below, and prints; each subcommand imports what it needs.

Exit codes: 0 proved or fine, 1 false, 2 bad input or usage, 3 undecided or needs an assumption.
"""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from exact.rationals import BadInput, read_rational, read_whole

__all__ = ["app", "main"]

app = typer.Typer(
    name="sqrtdk",
    help="Checks, to the last integer, why attention divides by √d_k.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help starts in half the time
)

ClickException: type[Any] = typer.BadParameter.__mro__[2]  # what typer raises for bad usage, wherever it keeps it
DEFAULT_WIDTH: Final = 12
LONG_SECONDS: Final = 60
BAR_AFTER_SECONDS: Final = 2
INTERRUPTED: Final = 130  # what typer makes of a KeyboardInterrupt

Width = Annotated[str | None, typer.Option("--width", "-d", metavar="D", help="The width d of q and k.")]
Query = Annotated[
    str | None, typer.Option("--query", "-q", metavar="Q", help="The query, such as 3,-1,1/2; its width is d.")
]
Language = Annotated[str, typer.Option("--lang", metavar="en|es", help="The language of the report.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start, however long it may take.")]


# ---- what subcommands share -----------------------------------------------------------------------------------------


def _query(width: str | None, query: str | None, largest: int) -> tuple[Fraction, ...]:
    """Return the query that the options mean: the one given, or the signs 1, −1, 1, … of a width."""
    try:
        d = None if width is None else read_whole("width", width, 1, largest)
    except BadInput as error:
        raise BadInput(f"--width: {error}") from None
    if query is None:
        return tuple(Fraction((-1) ** r) for r in range(d or DEFAULT_WIDTH))
    entries = query.split(",")
    if not query.strip():
        raise BadInput("the query is empty; accepted: numbers and fractions with commas, such as 3,-1,1/2")
    if len(entries) > largest:
        raise BadInput(f"the query must have at most {largest} entries (got {len(entries)})")
    values = []
    for r, entry in enumerate(entries):
        try:
            values.append(read_rational(entry))
        except BadInput as error:
            raise BadInput(f"--query, entry {r}: {error}") from None
    if d is not None and d != len(values):
        raise BadInput(f"the query has {len(values)} entries, but the width is {d}; leave one of the two out")
    return tuple(values)


def _words(language: str) -> dict[str, dict[str, str]]:
    from notes.words import words

    return dict(words(language))


def _say_time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    for size, name in ((86400 * 365, "years"), (86400, "days"), (3600, "hours")):
        if seconds > 2 * size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds / 60:.0f} minutes"


def _ask_before(seconds: float, vectors: int, yes: bool) -> None:
    if seconds > LONG_SECONDS and not yes:
        raise BadInput(
            f"visiting {vectors} vectors takes about {_say_time(seconds)}; --yes starts, and so does a smaller d"
        )


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, once two seconds have passed."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task = bar.add_task("", total=total)
    start = time.monotonic()

    def advance(done: int) -> None:
        if time.monotonic() - start > BAR_AFTER_SECONDS:
            bar.start()
        bar.advance(task, done)

    try:
        yield advance
    finally:
        bar.stop()


class ReaderGone(RuntimeError):
    """Standard output was closed; not an OSError, which typer would swallow."""


def _print(*lines: object) -> None:
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        raise ReaderGone from None


def _print_json(value: object) -> None:
    _print(json.dumps(value, ensure_ascii=False, indent=2))


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
) -> None:
    """Check the whole derivation: every claim, by every route that is available."""
    from exact.enumeration import MAX_WIDTH
    from notes import report
    from notes.routes import Run

    words = _words(lang)
    run = Run(_query(width, query, MAX_WIDTH))
    work = report.estimate(run)
    _ask_before(work.seconds, 1 << run.width, yes)
    if certificate is not None:
        _check_writable(certificate)
    with _progress(work.visits) as run.progress:
        results = list(report.derive(run))
    if as_json:
        _print_json(report.data(run, results, words))
    else:
        _print(*report.lines(run, results, words))
    if not report.holds(results):
        raise typer.Exit(1)
    if certificate is not None:
        from exact.certificate import dumps

        _write(certificate, dumps(report.certificates(run)))


# ---- count ----------------------------------------------------------------------------------------------------------


@app.command()
def count(
    width: Width = None,
    query: Query = None,
    histogram: Annotated[bool, typer.Option("--histogram", help="Count how many keys have each score.")] = False,
    pairs: Annotated[bool, typer.Option("--pairs", help="Look up every partner, for all pairs r < s.")] = False,
    engine: Annotated[
        str, typer.Option("--engine", metavar="NAME", help="numpy, or plain for the reference.")
    ] = "numpy",
    lang: Language = "en",
    as_json: Json = False,
    yes: Yes = False,
) -> None:
    """Visit the whole cube {−1,1}^d, and add up the scores exactly."""
    from exact.enumeration import MAX_WIDTH, estimate_seconds, tally
    from notes import counted

    words = _words(lang)
    values = _query(width, query, MAX_WIDTH)
    d = len(values)
    _ask_before(estimate_seconds(values, histogram=histogram, engine=engine), 1 << d, yes)
    with _progress(1 << d) as progress:
        start = time.perf_counter()
        counted_scores = tally(values, histogram=histogram, engine=engine, progress=progress)
        seconds = time.perf_counter() - start
    matching = None
    if pairs:
        from exact.matching import count_pairing

        with _progress(1 << d) as progress:
            matching = count_pairing(d, progress=progress)
    if as_json:
        _print_json(counted.data(counted_scores, matching, engine, seconds))
    else:
        _print(*counted.lines(counted_scores, matching, engine, seconds, words))


# ---- verify ---------------------------------------------------------------------------------------------------------


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A certificate, or - for standard input.")],
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Judge a certificate written by anyone: what it proves, or where it is wrong."""
    from exact.certificate import Malformed, judge
    from exact.kernel import Rejected
    from notes.derivation import claims_proved_by

    words = _words(lang)
    try:
        theorems = judge(file)
    except Malformed as error:
        raise BadInput(f"{file} is no certificate: {error}") from None
    except Rejected as error:
        print(f"sqrtdk: {file} is rejected: {error}", file=sys.stderr)
        raise typer.Exit(1) from None
    found = [(theorem, claims_proved_by(theorem.statement)) for theorem in theorems]
    if as_json:
        _print_json([{"theorem": str(t), "how": t.statement.how, "claims": claims} for t, claims in found])
        return
    for theorem, claims in found:
        _print(theorem)
        if claims:
            _print("  " + words["verify"]["claim"].format(claims=", ".join(claims)))


# ---- latex ----------------------------------------------------------------------------------------------------------


@app.command()
def latex(
    claim: Annotated[str | None, typer.Argument(metavar="ID", help="One formula; all of them without it.")] = None,
    form: Annotated[
        str, typer.Option("--as", metavar="FORM", help="snippet, align, steps, document or json.")
    ] = "snippet",
    lang: Language = "en",
    width_symbol: Annotated[str, typer.Option(metavar="d_k|d", help="The letter of the width.")] = "d_k",
    weight: Annotated[str, typer.Option(metavar="a|alpha|p", help="The letter of the weights.")] = "a",
    score: Annotated[str, typer.Option(metavar="e|z|s", help="The letter of the scores.")] = "e",
    base: Annotated[str, typer.Option(metavar="0|1", help="The number of the first position.")] = "1",
    limits: Annotated[bool, typer.Option("--limits", help="Write the limits of every sum.")] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
) -> None:
    """Write the formulas as LaTeX, in the letters of your paper."""
    from notes import formulas_text

    letters = formulas_text.notation(width_symbol, weight, score, base, limits)
    text = formulas_text.write(claim, form, letters, _words(lang))
    if output is None:
        _print(text)
    else:
        _check_writable(output)
        _write(output, text + "\n")


# ---- the program ----------------------------------------------------------------------------------------------------


def _check_writable(path: str) -> None:
    folder = Path(path).resolve().parent
    if Path(path).is_dir() or not os.access(folder, os.W_OK):
        raise BadInput(f"{path} cannot be written: choose a file in a folder that exists and may be written")


def _write(path: str, text: str) -> None:
    from notes.files import write_whole

    write_whole(path, text)


def _fail(message: str) -> int:
    print(f"sqrtdk: {message}", file=sys.stderr)
    return 2


def run(arguments: list[str]) -> int:
    """Run the command and return its exit code; every error is one line on standard error."""
    try:
        code = app(arguments, standalone_mode=False)
    except ClickException as error:
        return _fail(f"{error.format_message()} (try sqrtdk --help)")
    except BadInput as error:
        return _fail(str(error))
    except ReaderGone:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
        return _fail("the reader of standard output went away")
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
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))
