"""The child process in which a reader's function runs: it loads a file, calls the function, and sends back values.

Run by `sandbox` and by nobody else: `python -I child.py FD FD`, a pipe to read requests from and one to
write answers to, a line of JSON each.  It makes no verdict.  The first request holds the source and the limits; the
answer says what was found under the name.  The second holds the calls; the answers come one by one, so that a call that
ends the process is known.

The fence (`exact.functions.fence`) is put up before the reader's code starts: limits of memory, time, files and
processes, and a refusal to start processes, to write, remove or rename files and to open connections.
"""

import io
import json
import os
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Final

__all__ = ["main"]

MAX_ITEMS: Final = 20_000
MAX_TEXT: Final = 300


# ---- values in and out ----------------------------------------------------------------------------------------------


def _decode(value: Any, mode: str) -> Any:
    """Return an argument: {"shape", "items"} an array of the kind that `mode` names; a tuple or set; or itself."""
    import numpy as np

    if not isinstance(value, dict):
        return value
    if "shape" not in value:
        return frozenset(value["set"]) if "set" in value else tuple(value["tuple"])
    if mode != "exact":
        mode = value.get("dtype", mode)
        floats = [_float(x) for x in value["items"]]
        return np.array(floats, np.dtype(mode)).reshape(value["shape"])
    items = np.ndarray(len(value["items"]), object)
    items[:] = [_number(x) for x in value["items"]]
    return items.reshape(value["shape"])


def _float(value: Any) -> float:
    """Return the nearest float of an exact number; "-inf", "inf" and "nan" are themselves."""
    if isinstance(value, str) and value.lstrip("-") in ("inf", "nan"):
        return float(value)
    return float(_number(value).decimal())


def _number(value: Any) -> Any:
    from fractions import Fraction

    from exact.functions.exact_numbers import Number, from_terms

    if isinstance(value, str):
        return Number(Fraction(value))
    return from_terms((tuple((str(a), int(k)) for a, k in atoms), Fraction(x)) for atoms, x in value)


def _encode_item(value: Any) -> Any:
    import numbers
    from fractions import Fraction

    from exact.functions.exact_numbers import Number

    if isinstance(value, Number):
        if (rational := value.rational) is not None:
            return str(rational)
        return [[list(map(list, monomial)), str(x)] for monomial, x in value.terms.items()]
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return {"bool": bool(value)}
    if isinstance(value, int | Fraction):
        return str(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return {"float": float(value).hex()}
    return {"other": type(value).__name__[:MAX_TEXT]}


def _encode(value: Any, depth: int = 0) -> dict[str, Any]:
    import numpy as np

    kind = type(value).__name__[:MAX_TEXT]
    if isinstance(value, set | frozenset):
        return {"type": kind, "set": [_encode_item(x) for x in value] if len(value) <= MAX_ITEMS else []}
    if isinstance(value, dict) and depth < 2:
        some = list(value.items())[:8]
        parts = [_encode(part, 2) for _, part in some]
        keys = [str(key)[:40] for key, _ in some]
        return {"type": kind, "length": len(value), "keys": keys, "parts": parts, "whole": None}
    if isinstance(value, list | tuple) and depth < 2:
        parts = [_encode(part, 2) for part in value] if len(value) <= 8 else []
        try:
            whole = _encode(np.array(value, object), 2)
        except ValueError:  # rows of different lengths
            whole = None
        return {"type": kind, "length": len(value), "parts": parts, "whole": whole}
    if (
        not isinstance(value, np.ndarray | np.generic)
        and isinstance(_encode_item(value), dict)
        and not isinstance(value, bool | float)
    ):
        return {"type": kind}
    array = np.asarray(value)
    if array.size > MAX_ITEMS:
        return {"type": kind, "shape": list(array.shape), "dtype": str(array.dtype)}
    items = [_encode_item(x) for x in array.reshape(-1)]
    return {"type": kind, "shape": list(array.shape), "dtype": str(array.dtype), "items": items}


# ---- calling --------------------------------------------------------------------------------------------------------


def _call(function: Any, call: dict[str, Any], file: str) -> dict[str, Any]:
    import numpy as np

    from exact.functions.fence import Asked
    from exact.functions.loading import describe
    from exact.functions.stand_ins import State

    mode = call["mode"]
    if mode == "skip":
        return {"error": "skipped", "message": "", "line": None}
    arguments = [_decode(value, mode) for value in call["arguments"]]
    arrays = [x for x in arguments if isinstance(x, np.ndarray)]
    found: dict[str, Any] = {}
    Asked.take()
    State.exact = mode == "exact"
    try:
        with _measured(call.get("measure"), found):
            value = function(*arguments)
    except BaseException as error:
        State.exact = False
        return found | describe(error, file)
    State.exact = False
    if call.get("measure"):
        return {} if value is None else found
    parts = [x for x in (value if isinstance(value, list | tuple) else [value]) if isinstance(x, np.ndarray)]
    found["value"] = _encode(value)
    found["after"] = [_encode(x) if isinstance(x, np.ndarray) else None for x in arguments]
    found["shares"] = [any(np.shares_memory(part, x) for part in parts) for x in arrays]
    return found


@contextmanager
def _measured(what: str | None, found: dict[str, Any]) -> Iterator[None]:
    """Count Python's own steps (bytecodes and calls of C functions) or the peak of memory while a call runs."""
    if what == "memory":
        tracemalloc.start()
        try:
            yield
            found["peak"] = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    elif what == "steps":
        count = 0

        def step(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal count
            frame.f_trace_opcodes = True
            count += event == "opcode"
            return step

        def enter(_: FrameType, event: str, __: Any) -> None:
            nonlocal count
            count += event == "c_call"

        sys.setprofile(enter)
        sys.settrace(step)
        try:
            yield
            kept = sys.gettrace() is step
        finally:
            sys.settrace(None)
            sys.setprofile(None)
        found["steps"] = count if kept else None
    else:
        yield


# ---- the conversation -----------------------------------------------------------------------------------------------


def _send(out: int, answer: dict[str, Any]) -> None:
    data = memoryview(json.dumps(answer).encode() + b"\n")
    while data:
        data = data[os.write(out, data) :]


def main() -> None:
    """Load, answer, call, answer; ends the process without further ado."""
    requests, out = io.open(int(sys.argv[1]), "rb"), int(sys.argv[2])  # noqa: UP020, SIM115 - a pipe
    request = json.loads(requests.readline())
    sys.path[:] = request["path"]
    sys.dont_write_bytecode = True
    import ctypes  # noqa: F401 - it opens a library, which is refused later

    import numpy as np

    from exact.functions.fence import put_up
    from exact.functions.loading import load

    np.seterr(all="ignore")
    sys.set_int_max_str_digits(0)
    put_up(request["seconds"], request["memory"])
    said, function = load(request)
    _send(out, said)
    if function is not None:
        asked = json.loads(requests.readline())
        for place, call in enumerate(asked["calls"]):
            _send(out, {"call": place, **_call(function, call, request["filename"])})
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
