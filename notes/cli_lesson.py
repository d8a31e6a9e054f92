"""The subcommand `sqrtdk lesson`: writes the lesson as one HTML file, and opens it."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from notes.console import Language, load_words, print_lines
from notes.files import check_writable, write_whole

__all__ = ["register"]


def lesson(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where the page is written.")
    ] = "lesson.html",
    lang: Language = "en",
    open_it: Annotated[bool, typer.Option("--open", help="Show the page in your browser.")] = False,
) -> None:
    """Build the lesson: one page that opens from disk, with the proof to walk, figures to move and questions."""
    say = load_words(lang)["lesson_page"]
    check_writable(output)
    from notes.page import build

    write_whole(output, build(lang))
    address = Path(output).resolve()
    print_lines([say["written"].format(file=output, size=round(address.stat().st_size / 1000))])
    if open_it:
        import webbrowser

        if not webbrowser.open(address.as_uri()):
            print(f"sqrtdk: {say['no_browser'].format(file=address)}", file=sys.stderr)
            raise typer.Exit(3)


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(lesson)
