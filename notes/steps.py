"""The terminal stepper: walks scenes with a reader who answers, or recites them where nobody can.

What is written is plain text of at most 80 columns, fewer where the terminal has fewer; colour only repeats what the
words say, and is left out when NO_COLOR is set.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from notes.derivation import NOTATION
from notes.scenes import Scene, Table
from symbolic.latex import formula_snippet
from symbolic.plain import plain_formula

__all__ = ["Terminal", "here", "recite", "walk"]

WIDEST: Final = 80
NARROWEST: Final = 20
ROWS_AT_LEAST: Final = 4  # of a table, on however low a terminal
STYLES: Final = {"title": "1", "formula": "36", "right": "32", "wrong": "31", "aside": "2"}

GLUE: Final = "\N{NO-BREAK SPACE}"
TIGHT: Final = re.compile(  # the spaces of t_r t_s, of r ≠ s and d − m, and inside the signs of a key
    r"(?<=[=≠−+]) (?=\S)|(?<=\S) (?=[=≠−+])|(?<=_\w) (?=t_)"
)
NUMBERED: Final = re.compile(r"[0-9a-f]\) ")
OPTIONS: Final = set("abcdef")

COMMANDS: Final = {
    "next": {"", "n", "next", "s", "siguiente"},
    "back": {"b", "back", "a", "atrás", "atras"},
    "jump": {"j", "jump", "i", "ir"},
    "hint": {"h", "hint", "p", "pista"},
    "latex": {"l", "latex"},
    "help": {"?", "help", "ayuda"},
    "quit": {"q", "quit", "exit", "salir"},
}


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where a lesson is shown: how a line is written and an answer read (EOFError: no more), the size, the colours."""

    write: Callable[[str], None]
    read: Callable[[str], str]
    size: Callable[[], Sequence[int]]
    colour: bool = False

    def styled(self, text: str, style: str) -> str:
        """Return a line of text in a style, where there is colour."""
        return f"\033[{STYLES[style]}m{text}\033[0m" if self.colour and text else text

    @property
    def columns(self) -> int:
        """The columns that are written to."""
        return max(NARROWEST, min(WIDEST, self.size()[0]))

    def say(self, text: str, style: str = "", indent: str = "") -> None:
        """Write a paragraph, wrapped; short mathematics stays on one line, and a numbered line hangs."""
        kept = TIGHT.sub(GLUE, text) if style != "formula" else text
        below = indent + "   " * bool(NUMBERED.match(text))
        for line in wrap(kept, self.columns, initial_indent=indent, subsequent_indent=below, break_on_hyphens=False):
            shown = line.replace(GLUE, " ")
            self.write(self.styled(shown, style) if style else shown)


def here(write: Callable[[str], None]) -> Terminal:
    """Return the terminal of this process."""
    colour = (
        bool(sys.stdout) and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return Terminal(write, input, shutil.get_terminal_size, colour)


# ---- writing --------------------------------------------------------------------------------------------------------


def table_lines(table: Table, columns: int) -> tuple[str, list[str]]:
    """Return the header of a table and its rows; closer together, in short letters, where there is little room."""
    close = [tuple(re.sub("[() ]", "", cell) for cell in row) for row in table.rows]
    for header, rows, gap in ((table.header, table.rows, "  "), (table.short, close, " ")):
        every = (header, *rows)
        sizes = [max(map(len, column)) for column in zip(*every, strict=True)]
        lines = [gap.join(cell.rjust(size) for cell, size in zip(row, sizes, strict=True)) for row in every]
        if len(lines[0]) + 2 <= columns:
            break
    return lines[0], lines[1:]


def _show_table(table: Table, terminal: Terminal, words: Mapping[str, Any], pause: bool) -> None:
    """Write a table, page by page where somebody turns the pages and it is higher than the terminal."""
    head, rows = table_lines(table, terminal.columns)
    room = max(ROWS_AT_LEAST, terminal.size()[1] - 3) if pause else len(rows)  # beside the header and the prompt
    shown = 0
    while shown < len(rows):
        page = rows[shown:] if len(rows) - shown <= room + 1 else rows[shown : shown + room]
        shown += len(page)
        terminal.write(f"  {terminal.styled(head, 'title')}")
        for row in page:
            terminal.write(f"  {row}")
        if shown < len(rows):
            terminal.say(words["more"].format(shown=shown, all=len(rows)), "aside")
            if _read(terminal):
                terminal.say(words["skipped"])
                return


def _show_formulas(scene: Scene, terminal: Terminal, latex: bool = False) -> None:
    for found in scene.formulas:
        written = formula_snippet(found, NOTATION) if latex else plain_formula(found, NOTATION)
        terminal.say(f"{found.id}:", "aside", "  ")
        terminal.say(written, "formula", "    ")


def _show_question(scene: Scene, terminal: Terminal) -> None:
    terminal.say(scene.title, "title")
    for line in scene.before:
        terminal.say(line)
    if scene.before:
        terminal.write("")
    first, *options = scene.ask
    terminal.say(first, "title")
    for line in options:
        terminal.say(line, indent="  " if NUMBERED.match(line) else "")


def _show_after(scene: Scene, terminal: Terminal, words: Mapping[str, Any], pause: bool) -> None:
    for block in scene.after:
        if isinstance(block, Table):
            _show_table(block, terminal, words, pause)
        else:
            terminal.say(block)
    _show_formulas(scene, terminal)


# ---- reciting -------------------------------------------------------------------------------------------------------


def recite(scenes: Sequence[Scene], terminal: Terminal, words: Mapping[str, Any], latex: bool = False) -> None:
    """Write every scene with its answer, and wait for nobody."""
    say = words["teach"]
    for number, scene in enumerate(scenes):
        if number:
            terminal.write("")
        _show_question(scene, terminal)
        if scene.answer:
            terminal.say(say["answer"].format(answer=scene.answer))
        _show_after(scene, terminal, say, pause=False)
        if latex:
            _show_formulas(scene, terminal, latex=True)


# ---- walking --------------------------------------------------------------------------------------------------------


def walk(scenes: Sequence[Scene], terminal: Terminal, words: Mapping[str, Any], latex: bool = False) -> None:
    """Walk the scenes with a reader, until the end, until the reader quits, or until there is no more to read."""
    say = words["teach"]
    terminal.say(say["keys"], "aside")
    if any(scene.lettered for scene in scenes):
        terminal.say(say["letters"], "aside")
    at: int | None = 0
    try:
        while at is not None:
            terminal.write("")
            at = _stay(at, scenes, terminal, say, latex)
    except EOFError:
        terminal.write("")
    terminal.say(say["bye"])


def _stay(at: int, scenes: Sequence[Scene], terminal: Terminal, say: Mapping[str, Any], latex: bool) -> int | None:
    """Stay with a scene until the reader goes on; return the place of the next scene, or None to leave."""
    scene = scenes[at]
    _show_question(scene, terminal)
    revealed = not scene.answer  # nothing is hidden where nothing is predicted
    while True:
        typed = _read(terminal)
        command, place = _command(typed)
        if typed and scene.lettered and set(typed.lower()) <= OPTIONS:
            command = None
        if command == "quit":
            return None
        if command == "back":
            if at:
                return at - 1
            terminal.say(say["first"])
        elif command == "jump":
            if 1 <= place <= len(scenes):
                return place - 1
            terminal.say(say["range"].format(count=len(scenes)))
        elif command == "hint":
            terminal.say(scene.hint or say["no_hint"])
        elif command == "latex":
            _show_formulas(scene, terminal, latex=True)
            if not scene.formulas:
                terminal.say(say["no_formula"])
        elif command == "help":
            terminal.say(say["keys"])
            if scene.lettered:
                terminal.say(say["letters"])
        elif command == "next" and revealed:
            if at + 1 < len(scenes):
                return at + 1
            terminal.say(say["end"])
            return None
        else:
            reveals = command == "next" or _answered(scene, typed, terminal)
            if reveals and not revealed:
                revealed = True
                if command == "next":
                    terminal.say(say["answer"].format(answer=scene.answer))
                _show_after(scene, terminal, say, pause=True)
                if latex:
                    _show_formulas(scene, terminal, latex=True)


def _read(terminal: Terminal) -> str:
    try:
        return terminal.read("> ").strip()
    except UnicodeDecodeError:
        return "�"  # bytes that are no text are an answer that cannot be read


def _command(typed: str) -> tuple[str | None, int]:
    """Return the command that was typed, or None, and the place that a jump names, or 0."""
    first, *rest = typed.lower().split() or [""]
    for name, spellings in COMMANDS.items():
        if first in spellings and not (rest and name != "jump"):
            number = rest[0] if len(rest) == 1 and rest[0].isascii() and rest[0].isdecimal() else "0"
            return name, int(number[:4])
    return None, 0


def _answered(scene: Scene, typed: str, terminal: Terminal) -> bool:
    """Judge an answer and say why; return whether what comes after it is to be shown."""
    verdict = scene.judge(typed)
    style = {True: "right", False: "wrong", None: ""}[verdict.right]
    for line in verdict.says:
        terminal.say(line, style)
    return verdict.reveals
