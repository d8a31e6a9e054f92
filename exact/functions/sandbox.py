"""Runs a reader's function in a child process, within limits, and returns the values it gave.

Imports the standard library only.  The child (`exact.functions.child`) says what the function returned; what that is
worth is decided in the caller's process, by whoever called.  One child serves all calls of a submission.

`open_session` starts a child and loads a file; `Session.call` has the function called.  All that comes back is bounded
and read with suspicion: a child that writes nonsense is a child that failed.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from exact.rationals import BadInput

__all__ = ["Answers", "Limits", "Loaded", "Session", "open_session"]

MAX_SOURCE: Final = 1 << 20
MAX_ANSWERS: Final = 32 << 20
MAX_PRINTED: Final = 4000
CHILD: Final = Path(__file__).with_name("child.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a submission may use: wall seconds for everything, bytes of memory beyond those of NumPy itself."""

    seconds: int = 10
    memory: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Loaded:
    """What the child says about the file: either `trouble`, or the function's name and its parameters.

    `trouble`: "", or "syntax", "loading", "missing", "a-class", "not a function", "constructor", "no-forward",
    "forward-arguments", "ended", "time" or "nonsense"; `detail`: more of it.  `parameters`: (name, has a default) each,
    None where unknown.  `through`: the method that is called on the first of them before the function is, "" for none.
    `lent`: names the file uses but does not define.  `narrow`: "float16" or "float32" where the code names it.
    """

    trouble: str
    detail: dict[str, Any]
    name: str = ""
    parameters: tuple[tuple[str, bool], ...] | None = None
    variadic: bool = False
    names: frozenset[str] = frozenset()
    lent: tuple[str, ...] = ()
    through: str = ""
    narrow: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to the first calls, one each, and why there are no more.

    `ended`: "" where every call was answered, else "time", "ended" (the process did; `exit` is its code, negative for a
    signal) or "nonsense".  `printed`: the first of what was printed.
    """

    answers: tuple[dict[str, Any], ...]
    ended: str
    exit: int | None
    printed: str


@dataclass(slots=True)
class Session:
    """A child that has loaded a file."""

    loaded: Loaded
    _channel: "_Channel" = field(repr=False)

    def call(self, calls: Sequence[dict[str, Any]]) -> Answers:
        """Have the function called; once only."""
        self._channel.send({"calls": list(calls)})
        answers: list[dict[str, Any]] = []
        why = ""
        while len(answers) < len(calls) and not why:
            answer, why = self._channel.receive()
            if not why and (type(answer.get("call")) is not int or answer["call"] != len(answers)):
                why = "nonsense"
            if not why:
                answers.append(answer)
        if not why and self._channel.more():
            why = "nonsense"
        code = self._channel.stop()
        return Answers(tuple(answers), why, code if why == "ended" else None, self._channel.printed())


@contextmanager
def open_session(
    source: str, names: Sequence[str], limits: Limits = Limits(), file: str = "<code>", arguments: int = 1
) -> Iterator[Session]:
    """Start a child and load a source that defines one of these names; whatever happens, the child is gone after.

    `arguments`: how many it should take at least; a method that takes fewer is called after `forward`.
    """
    if os.name != "posix":
        raise BadInput("a function runs in a child process with limits, which needs Linux or macOS")
    if len(source.encode("utf-8", "surrogatepass")) > MAX_SOURCE:
        raise BadInput(f"a file with a function must have at most {MAX_SOURCE} bytes")
    with tempfile.TemporaryDirectory(prefix="sqrtdk-") as folder:
        channel = _Channel(limits, folder)
        try:
            channel.send(
                {
                    "source": source.removeprefix("\ufeff"),
                    "filename": file,
                    "names": list(names),
                    "arguments": arguments,
                    "path": [str(CHILD.parents[2]), *(p for p in sys.path if p)],
                    "seconds": limits.seconds,
                    "memory": limits.memory,
                }
            )
            yield Session(_loaded(*channel.receive()), channel)
        finally:
            channel.stop()


def _loaded(answer: dict[str, Any], why: str) -> Loaded:
    if why:
        return Loaded(why, {})
    if isinstance(trouble := answer.get("trouble"), str):
        return Loaded(trouble, answer)
    try:
        found = answer["parameters"]
        parameters = None if found is None else tuple((str(name), bool(default)) for name, default in found)
        names, lent = frozenset(map(str, answer["names"])), tuple(map(str, answer["lent"]))
        through, narrow = str(answer.get("through", ""))[:80], str(answer.get("narrow", ""))
        several = bool(answer.get("variadic"))
        return Loaded("", answer, str(answer["name"]), parameters, several, names, lent, through, narrow)
    except (KeyError, TypeError, ValueError):
        return Loaded("nonsense", {})


class _Channel:
    """The child and the pipes to it."""

    def __init__(self, limits: Limits, folder: str) -> None:
        request, self._requests = os.pipe()
        self._answers, answer = os.pipe()
        self._until = time.monotonic() + limits.seconds
        self._buffer, self._read, self._printed = b"", 0, b""
        self._ended = False
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", str(CHILD), str(request), str(answer)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(request, answer),
                cwd=folder,
                env={"PATH": os.defpath, "HOME": folder, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                start_new_session=True,
            )
        except BaseException:
            os.close(self._requests)
            os.close(self._answers)
            raise
        finally:
            os.close(request)
            os.close(answer)
        self._out = self._process.stdout.fileno() if self._process.stdout is not None else -1
        self._selector = selectors.DefaultSelector()
        for pipe in (self._answers, self._out):
            os.set_blocking(pipe, False)
            self._selector.register(pipe, selectors.EVENT_READ)
        os.set_blocking(self._requests, False)

    def send(self, request: dict[str, Any]) -> None:
        """Send a line; a child that does not read it is found out later."""
        data = memoryview(json.dumps(request).encode() + b"\n")
        while data and time.monotonic() < self._until and self._process.poll() is None:
            try:
                data = data[os.write(self._requests, data) :]
            except BlockingIOError:
                time.sleep(0.001)
            except BrokenPipeError:
                return

    def receive(self) -> tuple[dict[str, Any], str]:
        """Return the next line, or why there is none."""
        while b"\n" not in self._buffer:
            left = self._until - time.monotonic()
            if left <= 0:
                return {}, "time"
            if self._ended:
                return {}, "ended"
            self._pump(min(left, 0.5))
            if self._read > MAX_ANSWERS:
                return {}, "nonsense"
        line, self._buffer = self._buffer.split(b"\n", 1)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            return {}, "nonsense"
        return (answer, "") if isinstance(answer, dict) else ({}, "nonsense")

    def more(self) -> bool:
        """Whether the child writes anything after its last answer."""
        while not self._ended and time.monotonic() < self._until:
            self._pump(0.5)
        return bool(self._buffer)

    def _pump(self, wait: float) -> None:
        gone = self._process.poll() is not None
        events = self._selector.select(0 if gone else wait)
        if gone and not events:
            self._ended = True  # a grandchild may hold the pipe open: nobody waits for it
        for key, _ in events:
            with suppress(BlockingIOError):
                data = os.read(key.fd, 1 << 16)
                if not data:
                    self._selector.unregister(key.fd)
                    self._ended |= key.fd == self._answers
                elif key.fd == self._answers:
                    self._buffer += data
                    self._read += len(data)
                else:
                    self._printed = (self._printed + data)[:MAX_PRINTED]

    def printed(self) -> str:
        """Return the first of what the child printed."""
        return self._printed.decode("utf-8", "replace")

    def stop(self) -> int:
        """End the child and all of its session; return its exit code."""
        if self._requests >= 0:
            if not self._ended:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            code = self._wait()
            with suppress(ProcessLookupError, PermissionError):  # what it may have left behind in its session
                os.killpg(self._process.pid, signal.SIGKILL)
            self._selector.close()
            for pipe in (self._requests, self._answers):
                os.close(pipe)
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._requests = -1
            return code
        return self._process.returncode

    def _wait(self) -> int:
        try:
            return self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
