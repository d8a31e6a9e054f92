"""Runs the command in this process, and says what every refusal has in common."""

import pytest

from notes import cli

__all__ = ["assert_refused", "run"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return the exit code, standard output and standard error."""
    code = cli.run(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def assert_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    """Bad input prints nothing, says why in one line on standard error, and exits with 2."""
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("sqrtdk: ")
    assert said in err
    assert err.count("\n") == 1
