"""Files: what kind one is, reading text, and writing it whole or not at all."""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from exact.rationals import BadInput

__all__ = ["begins_as_ledger", "check_writable", "read_text", "write_whole"]

LEDGER_START: Final = b'{"format":"sqrtdk ledger",'


def check_writable(path: str, *inputs: str) -> None:
    """Refuse, before any work is done, what cannot be written as a file or must not be replaced: an input, say."""
    try:
        target = Path(path).resolve()
    except (OSError, RuntimeError):
        raise BadInput(f"{path} cannot be written: it is a link to itself") from None
    if Path(path).absolute().parts[1:2] in (("dev",), ("proc",)) or (target.exists() and not target.is_file()):
        raise BadInput(f"{path} cannot be written: it is not a regular file; name a new file, or one to be replaced")
    if any(target == Path(name).resolve() for name in inputs):
        raise BadInput(f"{path} is read here, and would be replaced; name another file")
    if not os.access(target.parent, os.W_OK | os.X_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise BadInput(f"{path} cannot be written: choose a file in a folder that exists and may be written")


def begins_as_ledger(path: str) -> bool:
    """Return whether a regular file begins as a ledger does; of a pipe nothing is read, and False returned."""
    with suppress(OSError):
        if Path(path).is_file():
            with Path(path).open("rb") as file:
                return file.read(len(LEDGER_START)) == LEDGER_START
    return False


def read_text(path: str, most: int) -> str:
    """Return at most `most` characters of a file, or of standard input for "-"; BadInput where it cannot be read."""
    try:
        if path == "-":
            return sys.stdin.read(most)
        with Path(path).open(encoding="utf-8") as file:
            return file.read(most)
    except ValueError:
        raise BadInput(f"{path} cannot be read: it is not text in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}") from None


def write_whole(path: str, content: str | bytes) -> None:
    """Write text or bytes to a file so that it holds all or is left as it was; OSError where it cannot be written."""
    target = Path(path).resolve()
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".sqrtdk-")
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask if mode is None else mode)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
