"""The stepper in a terminal of its own: it waits for answers, and ends in a line whatever happens."""

import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ESCAPE = "\033["


class Session:
    """The command in a pseudo-terminal."""

    def __init__(self, process: "subprocess.Popen[bytes]", master: int) -> None:
        self.process, self.master, self.shown = process, master, ""

    def until(self, wanted: str) -> None:
        """Read until a text has been shown."""
        end = time.monotonic() + 60
        while wanted not in self.shown:
            assert time.monotonic() < end, f"{wanted!r} was not shown: {self.shown!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    data = os.read(self.master, 65536)
                except OSError:  # Linux says so when the other side is closed
                    data = b""
                assert data, f"it ended before {wanted!r}: {self.shown!r}"
                self.shown += data.decode("utf-8", "replace").replace("\r\n", "\n")

    def send(self, line: bytes) -> None:
        os.write(self.master, line)

    def code(self) -> int:
        return self.process.wait(60)


@contextmanager
def session(*arguments: str, **environment: str) -> Iterator[Session]:
    master, slave = pty.openpty()
    command = [sys.executable, "-c", "from notes.cli import main; main()", "teach", *arguments]
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=ROOT,
        env=kept | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24", "PYTHONUTF8": "1"} | environment,
        start_new_session=True,
    )
    os.close(slave)
    try:
        yield Session(process, master)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(master)


def test_in_a_terminal_it_waits_for_answers() -> None:
    with session("--width", "2", "--lang", "es") as it:
        it.until("> ")
        assert "Paso 1 de 10" in it.shown
        assert "Dos opciones" not in it.shown
        it.send(b"3\n")
        it.until("No es eso: 3.")
        it.send(b"4\n")
        it.until("Dos opciones")
        assert ESCAPE in it.shown
        it.send(b"\xff\xfe\n")  # no text
        it.until("Aquí se espera un número")
        it.send(b"q\n")
        it.until("Hasta luego.")
        assert it.code() == 0
        assert "Traceback" not in it.shown


def test_ctrl_c_is_one_line_and_ctrl_d_a_goodbye() -> None:
    with session(NO_COLOR="1") as it:
        it.until("> ")
        assert ESCAPE not in it.shown
        it.process.send_signal(signal.SIGINT)
        it.until("sqrtdk: interrupted")
        assert it.code() == 2
        assert "Traceback" not in it.shown
    with session("--questions", TERM="dumb") as it:
        it.until("> ")
        assert ESCAPE not in it.shown
        it.send(b"\x04")
        it.until("Goodbye.")
        assert it.code() == 0


@pytest.mark.parametrize(("closed", "code"), [("<&-", 0), (">&-", 2)])
def test_closed_streams_are_no_accident(closed: str, code: int) -> None:
    command = f"exec {shlex.quote(sys.executable)} -c 'from notes.cli import main; main()' teach -d 2 {closed}"
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert ("Step 10 of 10" in done.stdout) == (code == 0)


def test_no_pause_asks_nothing_in_a_terminal() -> None:
    with session("--no-pause", "--width", "2") as it:
        it.until("t_1 t_1\nThe condition that fails")
        assert it.code() == 0
        assert "> " not in it.shown
