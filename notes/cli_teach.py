"""The subcommand `sqrtdk teach`: reads its arguments and walks the proof, or the five questions, in the terminal."""

import io
import sys
from typing import Annotated

import typer

from exact.rationals import BadInput, read_whole
from notes.console import Language, print_lines, read_query

__all__ = ["register"]

DEFAULT_WIDTH = "3"


def teach(
    width: Annotated[
        str | None, typer.Option("--width", "-d", metavar="D", help="The width d of q and k, 1 to 6.")
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="Q", help="The query, such as 3,-1,1/2; its width is d.")
    ] = None,
    pair: Annotated[
        str | None, typer.Option("--pair", metavar="R,S", help="The two coordinates, from 1; 1,2 without it.")
    ] = None,
    questions: Annotated[bool, typer.Option("--questions", help="Ask the lesson's five questions instead.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Show each formula as LaTeX too.")] = False,
    no_pause: Annotated[bool, typer.Option("--no-pause", help="Write everything at once, answers too.")] = False,
    lang: Language = "en",
) -> None:
    """Walk the pairing proof step by step in the terminal."""
    from notes import scenes, steps, teaching
    from notes.words import lesson_words

    words = lesson_words(lang)
    if questions and (width, query, pair) != (None, None, None):
        raise BadInput("--questions has nothing to do with --width, --query and --pair; leave them out")
    if questions:
        chosen = scenes.question_scenes(words)
    else:
        default = DEFAULT_WIDTH if query is None else None
        values = teaching.read_query(read_query(width or default, query, teaching.MAX_WIDTH))
        chosen = scenes.proof_scenes(values, *_read_pair(pair, len(values)), words)
    terminal = steps.here(lambda line: print_lines([line]))
    if no_pause or not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        steps.recite(chosen, terminal, words, latex)
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    steps.walk(chosen, terminal, words, latex)


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(teach)


def _read_pair(pair: str | None, width: int) -> tuple[int, int]:
    """Return r and s, counted from 0; at width 1, where there is no pair, 0 and 0."""
    if pair is None:
        return 0, min(1, width - 1)
    if width == 1:
        raise BadInput("--pair: a query of one entry has no pair of coordinates; leave the option out")
    entries = pair.split(",")
    if len(entries) != 2:
        raise BadInput(f"--pair takes two coordinates with a comma, such as 1,3 (got {pair[:20]!r})")
    try:
        r, s = (read_whole("a coordinate", entry, 1, width) for entry in entries)
    except BadInput as error:
        raise BadInput(f"--pair: {error}") from None
    if r == s:
        raise BadInput(f"--pair: the two coordinates must differ (got {r} twice)")
    return r - 1, s - 1
