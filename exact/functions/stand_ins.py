"""What a reader's code finds under the names numpy and math: the modules, with room for exact numbers.

Imports NumPy and the standard library only; used in the child process.
"""

import builtins
import math
from collections.abc import Callable
from contextlib import suppress
from types import ModuleType
from typing import Any

__all__ = ["State", "builtin_names", "stands", "supplied_names"]


class State:
    """Whether the call that runs is on exact numbers."""

    exact = False


class _Stand(ModuleType):
    """A module with some functions of its own, and everything else from the module it stands for."""

    def __init__(self, real: ModuleType, own: dict[str, Any]) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(own)
        self.__dict__["__getattr__"] = lambda name: getattr(real, name)


def stands() -> dict[str, ModuleType]:
    """Return what the reader's code gets for numpy and math: arrays made for floats there hold exact numbers too.

    NumPy itself is left as it is: its compiled parts rely on the arrays that it makes.
    """
    import numpy as np

    own: dict[str, Any] = {}
    from exact.functions.exact_numbers import Number

    def roomy(make: Callable[..., Any], position: int, always: bool) -> Callable[..., Any]:
        def made(*arguments: Any, **named: Any) -> Any:
            if State.exact:
                given = named.get("dtype", arguments[position] if len(arguments) > position else None)
                if _is_float(given) or (given is None and always):
                    arguments = (
                        arguments[:position] + (object,) * (len(arguments) > position) + arguments[position + 1 :]
                    )
                    named = named if len(arguments) > position else named | {"dtype": object}
            return make(*arguments, **named)

        return made

    def looking(look: Any, answer: bool) -> Callable[..., Any]:
        def looked(x: Any, *more: Any, **named: Any) -> Any:
            if State.exact and np.asarray(x).dtype == object:
                return np.full(np.shape(x), answer)[()]
            return look(x, *more, **named)

        return looked

    def either(function: Callable[..., Any], method: str) -> Callable[..., Any]:
        def chosen(x: Any, *more: Any) -> Any:
            return getattr(x, method)() if isinstance(x, Number) and not more else function(x, *more)

        return chosen

    for name, position, always in (
        *(("zeros", 1, True), ("ones", 1, True), ("empty", 1, True), ("eye", 3, True), ("identity", 1, True)),
        *(("full", 2, False), ("array", 1, False), ("asarray", 1, False), ("asanyarray", 1, False)),
        *(("ascontiguousarray", 1, False), ("zeros_like", 1, False), ("ones_like", 1, False)),
        *(("empty_like", 1, False), ("full_like", 2, False)),
    ):
        own[name] = roomy(getattr(np, name), position, always)
    for name, answer in (("isnan", False), ("isinf", False), ("isfinite", True)):
        own[name] = looking(getattr(np, name), answer)
    sums = {name: either(getattr(math, name), name) for name in ("exp", "log", "sqrt")}
    return {"numpy": _Stand(np, own), "math": _Stand(math, sums)}


def _is_float(dtype: Any) -> bool:
    import numpy as np

    with suppress(TypeError):
        return dtype is not None and np.dtype(dtype).kind == "f"
    return False


def builtin_names(stands: dict[str, ModuleType]) -> dict[str, Any]:
    """Return Python's own names, with an import that gives the reader's code, and no other, what stands for numpy."""

    def find(name: str, *more: Any, **named: Any) -> Any:
        found = builtins.__import__(name, *more, **named)
        wanted = more[2] if len(more) > 2 else named.get("fromlist")
        top = name if wanted else name.partition(".")[0]
        return stands.get(top, found)

    return {**vars(builtins), "__import__": find}


def supplied_names(stands: dict[str, ModuleType]) -> dict[str, Any]:
    """Return the names that snippets use without importing them."""
    import numpy as np

    def softmax(x: Any, axis: int = -1) -> Any:
        u = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return u / np.sum(u, axis=axis, keepdims=True)

    modules = {"np": stands["numpy"], "numpy": stands["numpy"], "math": stands["math"]}
    return {**modules, "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "softmax": softmax}
