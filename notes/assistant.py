"""Finds a proof assistant on the PATH, Coq from 8.16 or Rocq 9, and runs it on the files of a folder.

It may refuse a file, or not be able to answer: these are not the same, and neither is a pass. Standard library only.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["Assistant", "NotRun", "Reason", "Refused", "find", "on_path", "shorten"]

OLDEST: Final = (8, 16)
SECONDS_TO_START: Final = 20
COMMANDS: Final = ((("coqc",), ("coqchk",)), (("rocq", "compile"), ("rocq", "check")))
VERSION: Final = re.compile(r"(Coq|Rocq).*version (\d+)\.(\d+)(\S*)", re.DOTALL)
COMPLAINT: Final = re.compile(r'File "[^"]*?(\w+)\.v", line (\d+), characters [^\n]*\n(?=(Error:.*))', re.DOTALL)
NO_LIBRARY: Final = "Cannot find a physical path"  # what an installation without its standard library says
SHOWN: Final = 240


@dataclass(frozen=True, slots=True)
class Reason:
    """Why something was refused or not run: a key of the words, and what they mention."""

    key: str
    values: Mapping[str, str]

    def say(self, words: Mapping[str, str]) -> str:
        """Return it as a sentence."""
        return words[self.key].format(**self.values)


class NotRun(RuntimeError):
    """The proof assistant was not asked, or gave no answer."""

    def __init__(self, key: str, **values: str) -> None:
        """Take the reason, as a key of the words and what it mentions."""
        super().__init__(key, values)
        self.reason = Reason(key, values)


class Refused(ValueError):
    """The proof assistant refused a file, at a line of it where it says so."""

    def __init__(self, module: str, line: int, message: str) -> None:
        """Take the place and what was said."""
        super().__init__(module, line, message)
        self.module, self.line, self.message = module, line, message


@dataclass(frozen=True, slots=True)
class Assistant:
    """A proof assistant that answers: its name and version, how it compiles, and how it checks what was compiled."""

    name: str
    compiler: tuple[str, ...]
    checker: tuple[str, ...]

    def compile(self, folder: Path, module: str, seconds: float) -> None:
        """Compile a file; Refused where it is wrong, NotRun where there is no answer."""
        done = _run((*self.compiler, "-q", "-Q", ".", "Sqrtdk", f"{module}.v"), folder, seconds)
        if done.returncode:
            raise self._refusal(module, done)
        if not (folder / f"{module}.vo").is_file():
            raise NotRun("broken", command=" ".join(self.compiler), detail=f"{module}.vo")

    def _refusal(self, module: str, done: "subprocess.CompletedProcess[str]") -> Exception:
        found = COMPLAINT.search(done.stderr)
        if done.returncode == 1 and found and NO_LIBRARY not in found[3]:
            return Refused(found[1], int(found[2]), shorten(found[3].removeprefix("Error:")))
        return NotRun("broken", command=" ".join(self.compiler), detail=f"{module}.v: {_last_words(done)}")

    def context(self, folder: Path, modules: tuple[str, ...], seconds: float) -> str:
        """Check compiled files again, with all that they need, and return the summary of what they assume."""
        command = (*self.checker, "-silent", "-o", "-Q", ".", "Sqrtdk", *(f"Sqrtdk.{m}" for m in modules))
        done = _run(command, folder, seconds)
        if done.returncode:
            raise Refused("", 0, f"{self.checker[-1]}: {_last_words(done)}")
        return done.stdout + done.stderr


def shorten(text: str, most: int = SHOWN) -> str:
    r"""Return text in one line, its end left out where it is long.

    >>> shorten("one two\n three", 9)
    'one two …'
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rsplit(" ", 1)[0] + " …"


def _last_words(done: "subprocess.CompletedProcess[str]") -> str:
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return shorten(said[-1] if said else f"exit code {done.returncode}")


def _run(command: tuple[str, ...], folder: Path | None, seconds: float) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end, or kill it with what it started: at the time limit, and when interrupted."""
    pipe = subprocess.PIPE
    options: dict[str, Any] = {"text": True, "encoding": "utf-8", "errors": "replace", "start_new_session": True}
    try:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, **options)
    except OSError as error:
        raise NotRun("broken", command=command[0], detail=error.strerror or str(error)) from None
    with process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise NotRun("slow", command=" ".join(command[:1] + command[-1:]), seconds=f"{seconds:g}") from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def on_path() -> str | None:
    """Return the name of a proof assistant's command on the PATH, without asking it anything."""
    return next((compiler[0] for compiler, _ in COMMANDS if shutil.which(compiler[0])), None)


def find() -> Assistant:
    """Return the first proof assistant on the PATH that answers and is new enough; NotRun where there is none."""
    problem = NotRun("none")
    for compiler, checker in COMMANDS:
        if not shutil.which(compiler[0]):
            continue
        try:
            done = _run((compiler[0], "--version"), None, SECONDS_TO_START)
        except NotRun as error:
            problem = error
            continue
        version = VERSION.search(done.stdout)
        if done.returncode or not version:
            problem = NotRun("broken", command=compiler[0], detail=_last_words(done))
        elif (int(version[2]), int(version[3])) < OLDEST:
            problem = NotRun("old", version=f"{version[1]} {version[2]}.{version[3]}{version[4]}")
        else:
            return Assistant(f"{version[1]} {version[2]}.{version[3]}{version[4]}", compiler, checker)
    raise problem
