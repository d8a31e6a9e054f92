"""The child process in which a reader's function runs: it loads a file, calls the function, and sends back values.

Run by `sandbox` and by nobody else: `python -I child.py FD FD`, a pipe to read requests from and one to
write answers to, a line of JSON each.  It makes no verdict.  The first request holds the source and the limits; the
answer says what was found under the name.  The second holds the calls; the answers come one by one, so that a call that
ends the process is known.

The fence, put up before the reader's code starts: limits of memory, time, files and processes, and a hook that refuses
to start processes, to write, remove or rename files and to open connections.  It stops accidents, not a determined
program; see notes/trust.md.
"""

import io
import json
import os
import signal
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import Any, Final

__all__ = ["main"]

MAX_ITEMS: Final = 20_000
MAX_TEXT: Final = 300
REFUSED: Final = (
    *("os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system", "os.startfile", "pty.spawn"),
    *("subprocess.Popen", "os.kill", "os.killpg", "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.link", "os.symlink"),
    *("os.utime", "os.setxattr", "os.putenv", "shutil.rmtree", "signal.pthread_kill"),
    *("ctypes.dlopen", "ctypes.dlsym", "sqlite3.connect", "mmap.__new__", "ftplib.connect", "fcntl.ioctl"),
)
WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


# ---- the fence ------------------------------------------------------------------------------------------------------


def _limit(seconds: int, memory: int) -> None:
    import resource

    used = 0
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - as quick as can be
        used = int(file.read().split()[0]) * resource.getpagesize()
    for name, value in (
        ("RLIMIT_AS", used + memory),
        ("RLIMIT_CPU", seconds + 1),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_CORE", 0),
    ):
        with suppress(AttributeError, ValueError, OSError):  # not every system has each
            resource.setrlimit(getattr(resource, name), (value, value))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds + 2)  # ends it even where the parent is gone


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in REFUSED:
        raise PermissionError(f"{event} is refused to a function under test")
    if event == "open" and not isinstance(arguments[0], int):
        _, mode, flags = arguments
        if (isinstance(flags, int) and flags & WRITES) or (isinstance(mode, str) and set(mode) & set("wax+")):
            raise PermissionError("writing to files is refused to a function under test")


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


# ---- loading --------------------------------------------------------------------------------------------------------


def _load(request: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return what is said about the file, and the function."""
    from exact.functions.stand_ins import builtin_names, stands, supplied_names

    modules = stands()
    supplied = supplied_names(modules)
    space: dict[str, Any] = {"__name__": "submission", "__builtins__": builtin_names(modules), **supplied}
    file = request["filename"]
    try:
        code = compile(request["source"], file, "exec", dont_inherit=True)
    except SyntaxError as error:
        said = {"line": error.lineno, "text": (error.text or "").strip()[:MAX_TEXT], "message": str(error.msg)}
        return {"trouble": "syntax", **said}, None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return {"trouble": "syntax", "message": str(error)[:MAX_TEXT], "line": None, "text": ""}, None
    sys.modules["submission"] = type(sys)("submission")
    sys.modules["submission"].__dict__.update(space)
    space = sys.modules["submission"].__dict__
    try:
        exec(code, space)
    except BaseException as error:
        return {"trouble": "loading", **_describe(error, file)}, None
    names = [name for name in request["names"] if name in space and space[name] is not supplied.get(name)]
    if not names:
        defined = [n for n, x in space.items() if callable(x) and n not in supplied and not n.startswith("__")]
        return {"trouble": "missing", "defined": [str(n)[:80] for n in defined[:12]]}, None
    function = space[names[0]]
    if not callable(function) or isinstance(function, type):
        return {"trouble": "not a function", "type": type(function).__name__[:80]}, None
    return {"name": names[0], **_signature(function), **_used(function, code, space, supplied)}, function


def _signature(function: Any) -> dict[str, Any]:
    import inspect

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return {"parameters": None}
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return {
        "parameters": [[p.name[:80], p.default is not p.empty] for p in plain],
        "variadic": any(p.kind == p.VAR_POSITIONAL for p in parameters),
        "keyword_only": [p.name[:80] for p in parameters if p.kind == p.KEYWORD_ONLY and p.default is p.empty],
    }


def _used(function: Any, code: CodeType, space: dict[str, Any], supplied: dict[str, Any]) -> dict[str, Any]:
    """Return the names that the function and what it calls in the file speak of, and those lent to the file."""
    names, _, _ = _names([getattr(function, "__code__", code)])
    for _ in range(8):
        calls = [x.__code__ for n, x in list(space.items()) if n in names and hasattr(x, "__code__")]
        more, _, _ = _names(calls)
        names |= more
    _, loaded, stored = _names([code])
    lent = [name for name in supplied if name in loaded - stored and space.get(name) is supplied[name]]
    return {"names": sorted(str(name)[:80] for name in names)[:400], "lent": lent}


def _names(waiting: list[Any]) -> tuple[set[str], set[str], set[str]]:
    """Return all names in some code and in the code inside it, those loaded from the file, and those stored there."""
    import dis

    names, loaded, stored = set[str](), set[str](), set[str]()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, CodeType):
            continue
        names |= set(one.co_names)
        for i in dis.get_instructions(one):
            if i.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
                loaded.add(str(i.argval))
            elif i.opname in ("STORE_NAME", "STORE_GLOBAL"):
                stored.add(str(i.argval))
        waiting += one.co_consts
    return names, loaded, stored


def _describe(error: BaseException, file: str) -> dict[str, Any]:
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        message = str(error)[:MAX_TEXT]
    except BaseException:
        message = ""
    return {"error": type(error).__name__[:80], "message": message, "line": line}


# ---- calling --------------------------------------------------------------------------------------------------------


def _call(function: Any, call: dict[str, Any], file: str) -> dict[str, Any]:
    import numpy as np

    from exact.functions.stand_ins import State

    mode = call["mode"]
    if mode == "skip":
        return {"error": "skipped", "message": "", "line": None}
    arguments = [_decode(value, mode) for value in call["arguments"]]
    arrays = [x for x in arguments if isinstance(x, np.ndarray)]
    found: dict[str, Any] = {}
    State.exact = mode == "exact"
    try:
        with _measured(call.get("measure"), found):
            value = function(*arguments, **call.get("named", {}))
    except BaseException as error:
        State.exact = False
        return found | _describe(error, file)
    State.exact = False
    if call.get("measure"):
        return found
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
    load = json.loads(requests.readline())
    sys.path[:] = load["path"]
    sys.dont_write_bytecode = True
    import ctypes  # noqa: F401 - it opens a library, which is refused later

    import numpy as np

    np.seterr(all="ignore")
    sys.set_int_max_str_digits(0)
    _limit(load["seconds"], load["memory"])
    sys.addaudithook(_refuse)
    said, function = _load(load)
    _send(out, said)
    if function is not None:
        asked = json.loads(requests.readline())
        for place, call in enumerate(asked["calls"]):
            _send(out, {"call": place, **_call(function, call, load["filename"])})
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
