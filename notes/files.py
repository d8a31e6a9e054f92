"""Writing files: whole or not at all."""

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str, text: str) -> None:
    """Write text to a file so that it holds all of it or is left as it was; OSError where it cannot be written."""
    target = Path(path).resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        draft.chmod(0o666 & ~mask)
        draft.replace(target)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
