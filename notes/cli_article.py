"""Writes the article for `sqrtdk latex --as document` and `--as pdf`: reads what was asked, checks, writes the file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from exact.rationals import BadInput
from notes.console import load_words, print_lines, progress_bar
from notes.files import check_writable, write_whole
from notes.formulas_text import chosen

if TYPE_CHECKING:
    from notes.machine import Outcome
    from symbolic.writing import Notation

__all__ = ["write"]


def write(claim: str | None, form: str, letters: Notation, lang: str, machine: bool, output: str | None) -> int:
    """Write the article, on one formula where an id is given, and return the exit code of the command.

    Without pdflatex the LaTeX is written beside where the PDF would be, and the code is 3: what was asked was not done.
    """
    from notes import pdf

    load_words(lang)  # so that a language that is none is refused first
    chosen(claim)
    typesets = form == "pdf" and pdf.found()
    target = _target(form, output, typesets)
    text, holds = _article(claim, letters, lang, machine)
    if target is None:
        print_lines([text.rstrip("\n")])
    else:
        write_whole(target, pdf.make_pdf(text) if typesets else text)
    if not holds:
        return 1
    if form == "pdf" and not typesets:
        print(f"sqrtdk: pdflatex was not found, so {target} was written; to have it: {pdf.INSTALL}", file=sys.stderr)
        return 3
    return 0


def _target(form: str, output: str | None, typesets: bool) -> str | None:
    """Return the file to write, refused before any work; None for standard output."""
    is_pdf = output is not None and output.lower().endswith(".pdf")
    if form == "document" and is_pdf:
        raise BadInput(f"--as document writes LaTeX, and {output} is named like a PDF; take --as pdf, or name a .tex")
    if form == "pdf" and not is_pdf:
        raise BadInput("--as pdf needs the name of a file that ends in .pdf, such as --output derivation.pdf")
    if output is None:
        return None
    check_writable(output)
    if form == "document" or typesets:
        return output
    target = Path(output).with_suffix(".tex")
    if target.exists():
        raise BadInput(f"pdflatex was not found, and {target} exists already; --as document writes the LaTeX elsewhere")
    return str(target)


def _article(claim: str | None, letters: Notation, lang: str, machine: bool) -> tuple[str, bool]:
    from notes.document import article
    from notes.document_evidence import find
    from notes.words import lesson_words

    outcome = _machine() if machine else None
    found = find(claim, outcome)
    return article(claim, letters, lesson_words(lang), found), found.holds


def _machine() -> Outcome:
    from notes import machine
    from notes.machine_report import FORMULAS

    with progress_bar(machine.STEPS) as done:
        outcome = machine.check(formulas=FORMULAS, done=done)
    if outcome.not_run:
        raise BadInput("--machine: no proof assistant answers; sqrtdk check --machine says why")
    return outcome
