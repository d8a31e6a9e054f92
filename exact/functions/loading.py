"""Loads a reader's file and finds a function in it: by its name, or as the method of a class, Softmax.backward.

Imports the standard library only, and what stands for NumPy; used in the child process, inside the fence.
"""

import dis
import inspect
import sys
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, ModuleType
from typing import Any, Final

from exact.functions.fence import Asked
from exact.functions.stand_ins import builtin_names, stands, supplied_names

__all__ = ["describe", "load"]

MAX_TEXT: Final = 300
FORWARD: Final = ("forward", "__call__", "call")
KEPT: Final = {True: ("output", "outputs", "out"), False: ("dinputs", "dinput", "dx", "grad_input")}
TRAINING: Final = ("training", "train", "is_training")
NARROW: Final = {
    "float16": frozenset({"float16", "half", "f2", "<f2"}),
    "float32": frozenset({"float32", "single", "f4", "<f4", "f"}),
}


class _Trouble(Exception):
    """Why there is no function: what is said of it."""

    def __init__(self, trouble: str, **said: Any) -> None:
        super().__init__(trouble)
        self.said = {"trouble": trouble, **said}


def load(request: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Return what is said about the file, and the function; None where there is none."""
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
    sys.modules["submission"] = ModuleType("submission")
    sys.modules["submission"].__dict__.update(space)
    space = sys.modules["submission"].__dict__
    try:
        exec(code, space)
    except BaseException as error:
        return {"trouble": "loading", **describe(error, file)}, None
    own = {n: x for n, x in space.items() if x is not supplied.get(n) and not n.startswith("__")}
    name = next((name for name in request["names"] if name.partition(".")[0] in own), None)
    try:
        if name is None:
            raise _Trouble("missing", defined=_defined(own, supplied))
        function, said, codes = _find(name, own, supplied, request.get("arguments", 1))
    except _Trouble as trouble:
        return trouble.said, None
    except BaseException as error:  # a property of the reader's, say
        return {"trouble": "loading", **describe(error, file)}, None
    return {"name": name, **said, **_used(codes or [code], code, space, supplied)}, function


def _defined(own: dict[str, Any], supplied: dict[str, Any]) -> list[str]:
    found = [n for n, x in own.items() if callable(x) and n not in supplied and not isinstance(x, type)]
    found += [f"{n}.{m}" for n, x in own.items() if isinstance(x, type) for m in _methods(x)]
    return [str(n)[:80] for n in found[:12]]


def _methods(owner: type) -> list[str]:
    return [str(n) for n, x in vars(owner).items() if callable(getattr(owner, n, None)) and not n.startswith("__")]


# ---- the function ---------------------------------------------------------------------------------------------------


def _find(
    name: str, own: dict[str, Any], supplied: dict[str, Any], needed: int
) -> tuple[Callable[..., Any], dict[str, Any], list[CodeType]]:
    """Return what is called, its parameters, and the code that it runs."""
    first, *path = name.split(".")
    owner, target = None, own[first]
    for part in path:
        owner, target = target, getattr(target, part, None)
        if target is None:
            raise _Trouble("missing", defined=_defined(own, supplied))
    if isinstance(target, type):
        raise _Trouble("a-class", methods=", ".join(f"{name}.{m}" for m in _methods(target)[:8]), type="class")
    if not callable(target):
        raise _Trouble("not a function", type=type(target).__name__[:80])
    if owner is None or isinstance(owner, ModuleType):
        return _plainly(target)
    of = owner if isinstance(owner, type) else type(owner)
    written = inspect.getattr_static(owner, path[-1], None)
    if isinstance(owner, type) and isinstance(written, staticmethod | classmethod):
        return _plainly(target)
    codes = [x.__code__ for c in of.__mro__ for x in vars(c).values() if hasattr(x, "__code__")]
    function, said = _method(owner, path[-1], needed)
    return function, said, codes


def _plainly(function: Any) -> tuple[Callable[..., Any], dict[str, Any], list[CodeType]]:
    said = _signature(function)
    named = said.pop("named")
    codes = [code] if isinstance(code := getattr(function, "__code__", None), CodeType) else []
    return (_with_names(function, named) if named else function), said, codes


def _with_names(function: Any, named: Sequence[str]) -> Callable[..., Any]:
    """Return a function that passes its last arguments by name."""

    def call(*given: Any) -> Any:
        split = len(given) - len(named)
        return function(*given[:split], **dict(zip(named, given[split:], strict=True)))

    return call


def _signature(function: Any) -> dict[str, Any]:
    """Return the parameters, those that have to be named after the others."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):
        return {"parameters": None, "named": []}
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p for p in parameters if p.kind == p.KEYWORD_ONLY and p.default is p.empty]
    return {
        "parameters": [[p.name[:80], p.default is not p.empty] for p in (*plain, *named)],
        "variadic": any(p.kind == p.VAR_POSITIONAL for p in parameters),
        "named": [p.name for p in named],
    }


def _method(owner: Any, name: str, needed: int) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return what calls a method, on a new object where the owner is a class.

    Where it takes too few arguments the object has to remember some: then what is called takes those of `forward` too.
    """

    def make() -> Any:
        return owner() if isinstance(owner, type) else owner

    try:
        thing = make()
    except BaseException as error:
        raise _Trouble("constructor", error=type(error).__name__[:80], message=str(error)[:MAX_TEXT]) from None
    said = _signature(getattr(thing, name))
    named = said.pop("named")
    before = next((f for f in FORWARD if f != name and callable(getattr(thing, f, None))), None)
    required = [p for p, default in said["parameters"] or () if not default]
    if said["parameters"] is None or len(required) >= needed or name in FORWARD:
        return lambda *given: _kept(thing := make(), name, _with_names(getattr(thing, name), named)(*given)), said
    if before is None:
        raise _Trouble("no-forward", given=str(len(required)))
    passed = [p for p, default in _signature(getattr(thing, before))["parameters"] or () if not default]
    if not passed or any(p not in TRAINING for p in passed[1:]):
        raise _Trouble("forward-arguments", forward=before)

    def call(rows: Any, *given: Any) -> Any:
        thing = make()
        getattr(thing, before)(rows, *[False] * (len(passed) - 1))
        return _kept(thing, name, _with_names(getattr(thing, name), named)(*given))

    parameters = [[f"{before}({passed[0][:80]})", False], *([p, False] for p in required)]
    return call, {"parameters": parameters, "variadic": False, "through": before}


def _kept(thing: Any, name: str, value: Any) -> Any:
    """Return what a method returned, or, where that is nothing, what it left in the object."""
    if value is not None:
        return value
    return next((x for n in KEPT[name in FORWARD] if (x := getattr(thing, n, None)) is not None), None)


# ---- what the code speaks of ----------------------------------------------------------------------------------------


def _used(codes: Sequence[CodeType], code: CodeType, space: dict[str, Any], supplied: dict[str, Any]) -> dict[str, Any]:
    """Return the names that the function and what it calls in the file speak of, and those lent to the file."""
    import numpy as np

    names, _, _ = _names(codes)
    for _ in range(8):
        calls = [x.__code__ for n, x in list(space.items()) if n in names and hasattr(x, "__code__")]
        more, _, _ = _names(calls)
        names |= more
    meant = names | {getattr(x, "__name__", "") for n, x in space.items() if n in names and isinstance(x, type)}
    _, loaded, stored = _names([code])
    starred = set(dir(np)) if stored & {"*"} else set[str]()
    lent = [n for n in supplied if n in loaded - stored - starred and space.get(n) is supplied[n]]
    return {
        "names": sorted(str(name)[:80] for name in names)[:400],
        "lent": lent,
        "narrow": next((dtype for dtype, spoken in NARROW.items() if meant & spoken), ""),
    }


def _names(codes: Iterable[CodeType]) -> tuple[set[str], set[str], set[str]]:
    """Return all names in some code and in the code inside it, those loaded from the file, and those stored there.

    Short texts count as names, since a dtype may be written as one; "*" is stored where everything is imported.
    """
    names, loaded, stored = set[str](), set[str](), set[str]()
    waiting: list[Any] = list(codes)
    while waiting:
        one = waiting.pop()
        if not isinstance(one, CodeType):
            continue
        names |= set(one.co_names) | {x for x in one.co_consts if isinstance(x, str) and len(x) < 8}
        for i in dis.get_instructions(one):
            if i.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
                loaded.add(str(i.argval))
            elif i.opname in ("STORE_NAME", "STORE_GLOBAL"):
                stored.add(str(i.argval))
            elif i.opname == "IMPORT_STAR" or (i.opname == "CALL_INTRINSIC_1" and i.arg == 2):
                stored.add("*")
        waiting += one.co_consts
    return names, loaded, stored


def describe(error: BaseException, file: str) -> dict[str, Any]:
    """Return what is said of an error: its name and message, the line, and what the fence refused before it."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        message = str(error)[:MAX_TEXT]
    except BaseException:
        message = ""
    said = {"error": type(error).__name__[:80], "message": message, "line": line}
    refused = Asked.take() or ("threads" if message == "can't start new thread" else "")
    module = str(error.name)[:80] if isinstance(error, ModuleNotFoundError) else ""
    return said | ({"refused": refused} if refused else {}) | ({"module": module} if module else {})
