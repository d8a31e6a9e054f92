"""Lines of a ledger, forged: with changes, and with the checksum that fits them."""

import json
from hashlib import sha256
from typing import Any

__all__ = ["sealed"]


def sealed(first: bytes, line: bytes, **changes: Any) -> bytes:
    """Return a line with changes and with the checksum that fits them."""
    values = json.loads(line) | changes
    del values["checksum"]
    body = json.dumps(values, separators=(",", ":"))
    seal = "" if first == line else sha256(first + b"\n").hexdigest()
    checksum = sha256((seal + body).encode()).hexdigest()[:16]
    return json.dumps(values | {"checksum": checksum}, separators=(",", ":")).encode()
