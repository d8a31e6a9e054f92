"""What the subcommands share: options, reading a query, printing that minds a closed pipe, the progress bar."""

import json
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Any, Final

import typer

from exact.rationals import BadInput, read_rational, read_whole, write_rational

__all__ = [
    "Json",
    "Language",
    "ReaderGone",
    "Yes",
    "ask_before",
    "folded",
    "load_words",
    "print_json",
    "print_lines",
    "progress_bar",
    "read_query",
    "say_decimals",
    "terminal_columns",
]

DEFAULT_WIDTH: Final = 12
BAR_AFTER_SECONDS: Final = 2
LONG_SECONDS: Final = 60
NARROWEST: Final = 20

Language = Annotated[str, typer.Option("--lang", metavar="en|es", help="The language of the report.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Start, however long it may take.")]


def ask_before(seconds: float, work: str, less: str, yes: bool) -> None:
    """Refuse to start what takes longer than a minute, unless it was asked for; `less` is what would take less."""
    if seconds > LONG_SECONDS and not yes:
        raise BadInput(f"{work} takes about {_say_time(seconds)}; --yes starts, or choose {less}")


def _say_time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    for size, name in ((86400 * 365, "years"), (86400, "days"), (3600, "hours")):
        if seconds > 2 * size:
            return f"{seconds / size:.3g} {name}"
    return f"{seconds / 60:.0f} minutes"


def read_query(width: str | None, query: str | None, largest: int) -> tuple[Fraction, ...]:
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


def say_decimals(sentence: str, *options: str | None) -> None:
    """Say how each decimal that stands in the options was read."""
    for option in options:
        for decimal in re.findall(r"[+-]?[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?", option or ""):
            print_lines([sentence.format(text=decimal, value=write_rational(read_rational(decimal)))])


def load_words(language: str) -> dict[str, Any]:
    """Return the words of a language, by section and key."""
    from notes.words import words

    return dict(words(language))


@contextmanager
def progress_bar(total: int, done: int = 0, rate: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal, once two seconds have passed; `done` of the total before, and the rate if asked for."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn()]
    if rate:
        columns.append(TextColumn("{task.fields[rate]}"))
    bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
    task = bar.add_task("", total=total, completed=done, rate="")
    start = time.monotonic()

    def advance(done: int) -> None:
        if time.monotonic() - start > BAR_AFTER_SECONDS:
            bar.start()
        bar.advance(task, done)
        bar.update(task, rate=f"{(bar.tasks[0].speed or 0) / 1e9:.2f} G/s")

    try:
        yield advance
    finally:
        bar.stop()


class ReaderGone(RuntimeError):
    """Standard output was closed; not an OSError, which typer would swallow."""


def print_lines(lines: Iterable[object]) -> None:
    """Print lines; `ReaderGone` where standard output was closed."""
    if sys.stdout is None:
        raise ReaderGone
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        raise ReaderGone from None


def terminal_columns() -> int | None:
    """Return how many columns the terminal has that standard output goes to; None where it goes somewhere else."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return max(NARROWEST, shutil.get_terminal_size().columns)


def folded(lines: Iterable[str], columns: int | None) -> Iterator[str]:
    """Break lines between words where they are longer than a terminal; what follows is indented by two more.

    >>> list(folded(["  one two three", ""], 10))
    ['  one two', '    three', '']
    """
    for line in lines:
        if columns is None or len(line) <= columns:
            yield line
            continue
        below = " " * (len(line) - len(line.lstrip()) + 2)
        yield from textwrap.wrap(line, columns, subsequent_indent=below, break_long_words=False, break_on_hyphens=False)


def print_json(value: object) -> None:
    """Print JSON."""
    print_lines([json.dumps(value, ensure_ascii=False, indent=2)])
