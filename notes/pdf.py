"""Has pdflatex make a PDF of a LaTeX text, in a temporary folder, with no way out to the shell."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from exact.rationals import BadInput

__all__ = ["INSTALL", "found", "make_pdf", "typeset"]

INSTALL: Final = "apt-get install --no-install-recommends texlive-latex-base texlive-latex-recommended lmodern"
COMMAND: Final = ("pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "-file-line-error")
SECONDS: Final = 120  # a run takes about two
RUNS: Final = 2  # the second knows the pages that the first wrote into its bookmarks


def found() -> bool:
    """Whether there is a pdflatex on the PATH."""
    return shutil.which(COMMAND[0]) is not None


def typeset(text: str) -> tuple[bytes, str]:
    """Return the PDF of a LaTeX text, and the log of its last run; BadInput where pdflatex does not make one."""
    with tempfile.TemporaryDirectory(prefix="sqrtdk-", ignore_cleanup_errors=True) as name:
        source = Path(name, "article.tex")
        source.write_text(text, "utf-8")
        environment = os.environ | {"max_print_line": "1000"}  # or the log's messages are broken in two
        for _ in range(RUNS):
            try:
                done = subprocess.run(
                    [*COMMAND, source.name],
                    cwd=name,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    timeout=SECONDS,
                    check=False,
                )
            except FileNotFoundError:
                raise BadInput(f"pdflatex is not on the PATH; to have it: {INSTALL}") from None
            except subprocess.TimeoutExpired:
                raise BadInput(f"pdflatex gave no answer in {SECONDS} s; --as document writes the LaTeX") from None
            if done.returncode:
                raise BadInput(_complaint(done.stdout.decode("latin-1")))
        return source.with_suffix(".pdf").read_bytes(), source.with_suffix(".log").read_text("latin-1")


def make_pdf(text: str) -> bytes:
    """Return the PDF of a LaTeX text; BadInput where pdflatex is missing or does not make one."""
    return typeset(text)[0]


def _complaint(said: str) -> str:
    """Say in one line what pdflatex stopped at, and what to do."""
    missing = re.search(r"File `([^']+)' not found", said)
    if missing:
        return f"pdflatex does not find {missing[1]}; to have it: {INSTALL}"
    wrong = re.search(r"^\S+\.tex:\d+: (.*)$|^! (.*)$", said, re.MULTILINE)
    what = (wrong[1] or wrong[2]) if wrong else "no reason was given"
    return f"pdflatex made no PDF ({what.rstrip('.')}); --as document writes its LaTeX"
