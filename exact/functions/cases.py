"""What a reader's function is called with, and what it should return: exact inputs with exact answers.

Imports NumPy and the standard library only.  Weights are rational rows that add to 1; logits are the logarithms of
positive rationals, so their softmax is rational too.  Upstream gradients are unit vectors, one general array, and
symbols; never only ones, which any multiple of the right answer passes.  Inputs stand in order of size: the first that
fails is the counterexample.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import isqrt, prod
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from exact.functions.exact_numbers import Number, log, symbol

__all__ = ["Array", "Case", "Group", "Kind", "Reading", "attention_truth", "cases", "fill", "softmax_of"]

Array = npt.NDArray[Any]
Kind = Literal["gradient", "jacobian", "softmax", "attention-backward"]
Reading = Literal["weights", "logits"]
Group = Literal["matrix", "row", "batch", "single"]

SHAPES: Final = ((1, 2), (2, 2), (1, 3), (2, 3), (3, 2), (3, 3))
LARGER: Final = ((4, 6), (6, 6))
BATCHES: Final = ((2, 2, 3), (2, 2, 2), (2, 2, 3, 3), (2, 2, 2, 2))
EXPONENTIALS: Final = {  # of a row's scores; each adds to a power of two, so that its weights are floats too
    1: ((1,), (3,)),
    2: ((1, 3), (1, 1), (7, 1), (3, 5)),
    3: ((1, 2, 5), (2, 1, 1), (2, 5, 1), (4, 1, 3)),
    4: ((1, 3, 4, 8), (1, 1, 2, 4), (2, 1, 4, 1), (5, 1, 1, 1)),
}
PRIMES: Final = (2, -3, 5, -7, 11, -13, 17, -19, 23, -29, 31, -37, 41, -43, 47, -53)


@dataclass(frozen=True, slots=True)
class Case:
    """One input: its shape for the table, its arguments by role, and what the function should return.

    `symbolic`: some entries are symbols, and the answer speaks of all their values.
    """

    group: Group
    reading: Reading
    shape: tuple[int, ...]
    arguments: Mapping[str, Array | int | Fraction | None]
    truth: tuple[Array, ...]
    symbolic: bool = False

    @property
    def label(self) -> str:
        """The shape as text: 2x3."""
        return "x".join(map(str, self.shape))

    @property
    def any_rows(self) -> bool:
        """Whether the answer speaks of all rows: of symbols, or of the single weight that a row of one has."""
        rows = self.arguments.get("rows")
        symbols = isinstance(rows, np.ndarray) and any(x.symbolic for x in rows.flat)
        return self.symbolic and self.reading == "weights" and (symbols or self.shape[-1] == 1)


# ---- numbers --------------------------------------------------------------------------------------------------------


def fill(shape: Sequence[int], items: Sequence[Number | int | Fraction]) -> Array:
    """Return an object array of Numbers."""
    array = np.empty(prod(shape), object)
    array[:] = [Number(x) for x in items]
    return array.reshape(shape)


def softmax_of(z: Array) -> Array:
    """Return the exact softmax of each row of logarithms."""
    u = np.frompyfunc(lambda x: x.exp(), 1, 1)(z)
    found: Array = u / u.sum(axis=-1, keepdims=True)
    return found


def _exponentials(shape: tuple[int, ...], uniform: bool = False, turn: int = 0) -> Array:
    T = shape[-1]
    known = EXPONENTIALS.get(T) or tuple(tuple(1 + (3 * j + i) % 7 for j in range(T)) for i in range(7))
    rows = [(1,) * T if uniform else known[(i + turn) % len(known)] for i in range(prod(shape[:-1]))]
    return fill(shape, [x for row in rows for x in row])


def _logs(u: Array) -> Array:
    return np.frompyfunc(lambda x: log(x.rational), 1, 1)(u) if u.size else u


def _general(shape: tuple[int, ...]) -> Array:
    return fill(shape, [PRIMES[i % len(PRIMES)] for i in range(prod(shape))])


def _unit(shape: tuple[int, ...], place: int) -> Array:
    return fill(shape, [int(i == place) for i in range(prod(shape))])


def _symbols(name: str, shape: tuple[int, ...]) -> Array:
    return fill(shape, [symbol(f"{name}{i}") for i in range(prod(shape))])


def _symbolic_weights(shape: tuple[int, ...]) -> Array:
    """Return rows of symbols whose last entry makes them add to 1."""
    A = _symbols("a", shape)
    A[..., -1] = Number(1) - A[..., :-1].sum(axis=-1)
    return A


# ---- the cases ------------------------------------------------------------------------------------------------------


@lru_cache(32)
def cases(kind: Kind, reading: Reading, extra: tuple[tuple[int, ...], ...] = ()) -> tuple[Case, ...]:
    """Return the inputs of a kind, the smallest first; `extra` are further shapes of its batches."""
    found = tuple(_cases(kind, reading, extra))
    for case in found:
        for array in (*case.arguments.values(), *case.truth):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
    return found


def _cases(kind: Kind, reading: Reading, extra: Sequence[tuple[int, ...]]) -> Iterator[Case]:
    if kind == "attention-backward":
        yield from _attention_cases()
        return
    make = {"gradient": _gradient, "jacobian": _jacobian, "softmax": _softmax}[kind]
    if kind == "jacobian":
        plan: list[tuple[Group, tuple[int, ...]]] = [("matrix", (n,)) for n in (2, 3, 4)]
        plan += [("single", (1,)), ("batch", (2, 3)), ("batch", (2, 2))]
    else:
        plan = [("matrix", shape) for shape in (*SHAPES, *LARGER)]
        plan += [("single", (1, 1)), ("single", (2, 1)), ("row", (2,)), ("row", (3,))]
        plan += [("batch", shape) for shape in (*BATCHES, *extra)]
    for group, shape in plan:
        yield from make(group, reading, shape)


def _rows(reading: Reading, shape: tuple[int, ...]) -> Iterator[tuple[Array, Array]]:
    """Yield what is passed for the rows, and the weights it means."""
    # The last scores are below 0, where |z| and max(z, 0) are not z.
    lower = _exponentials(shape, turn=1) / (8 if reading == "logits" else 1)
    for u in (_exponentials(shape, uniform=True), _exponentials(shape), lower):
        A = u / u.sum(axis=-1, keepdims=True)
        yield (A if reading == "weights" else _logs(u)), A


def _gradient(group: Group, reading: Reading, shape: tuple[int, ...]) -> Iterator[Case]:
    def case(rows: Array, A: Array, G: Array, symbolic: bool = False) -> Case:
        truth = A * (G - (A * G).sum(axis=-1, keepdims=True))
        both = {"rows": rows, "upstream": G, "weights": A, "logits": rows}
        return Case(group, reading, shape, both, (truth,), symbolic)

    size = prod(shape)
    units = [_unit(shape, i) for i in (*range(1, size), 0)]
    if size > 9:
        units = units[:2] if len(shape) > 2 else []
    for which, (rows, A) in enumerate(_rows(reading, shape)):
        for G in (*(units if which == (size > 4) or size <= 2 else ()), _general(shape)):
            yield case(rows, A, G)
    if size <= 9:
        yield case(rows, A, _symbols("g", shape), symbolic=True)
        if reading == "weights":
            S = _symbolic_weights(shape)
            yield case(S, S, _symbols("g", shape), symbolic=True)


def _jacobian(group: Group, reading: Reading, shape: tuple[int, ...]) -> Iterator[Case]:
    def case(rows: Array, A: Array, symbolic: bool = False) -> Case:
        truth = A[..., :, None] * (np.eye(shape[-1], dtype=int).astype(object) - A[..., None, :])
        return Case(group, reading, shape, {"rows": rows}, (truth,), symbolic)

    for rows, A in _rows(reading, shape):
        yield case(rows, A)
    if reading == "weights":
        S = _symbolic_weights(shape)
        yield case(S, S, symbolic=True)


def _softmax(group: Group, reading: Reading, shape: tuple[int, ...]) -> Iterator[Case]:
    for rows, A in _rows("logits", shape):
        yield Case(group, reading, shape, {"rows": rows}, (A,))


def _attention_cases() -> Iterator[Case]:
    sizes = ((2, 2, 4), (1, 2, 4), (2, 3, 4), (3, 2, 4), (2, 2, 1), (2, 3, 1))
    plan: list[tuple[Group, tuple[int, ...], tuple[int, int, int]]] = [("matrix", (), size) for size in sizes]
    plan += [("single", (), (1, 1, 4)), ("single", (), (2, 1, 1))]
    plan += [("batch", (2,), (2, 3, 4)), ("batch", (2,), (2, 2, 4)), ("batch", (2, 2), (2, 3, 4))]
    for group, lead, (n, m, d) in plan:
        q, k, o = (*lead, n, d), (*lead, m, d), (*lead, n, m)
        V = _general((*lead, m, 2))
        zero = (fill(q, [0] * prod(q)), fill(k, [0] * prod(k)))
        for i, j in product(range(2), repeat=2) if group == "matrix" else ():
            if j < m and i < n:
                dA = _unit(o, i * m + j)
                yield _attend(group, lead, zero[0], _unit(k, 0) * 2, V, dA, _general((*lead, n, 2)))
                yield _attend(group, lead, _unit(q, 0) * 2, zero[1], V, dA, _general((*lead, n, 2)))
        Q = fill(q, [(1, 0, -1, 1, 0, 1, 1, -1)[(5 * i) % 8] for i in range(prod(q))])
        logs = [log((1, 2, 3, 1, 5)[(3 * i) % 5]) * isqrt(d) for i in range(prod(k))]
        yield _attend(group, lead, Q, fill(k, logs), V, _general(o), _general((*lead, n, 2)))


def _attend(group: Group, lead: tuple[int, ...], Q: Array, K: Array, V: Array, dA: Array, dO: Array) -> Case:
    """Return a case for E = QKᵀ/√d; its scores are logarithms of rationals, so its weights are rational."""
    d = Q.shape[-1]
    root = isqrt(d)
    E = (Q @ np.swapaxes(K, -1, -2)) / root
    A = softmax_of(E)
    given = {"Q": Q, "K": K, "V": V, "weights": A, "dA": dA, "dO": dO, "logits": E, "rows": A, "O": A @ V}
    more = {"width": d, "scale": Fraction(1, root), "nothing": None}
    return Case(group, "logits", (*lead, Q.shape[-2], K.shape[-2], d), {**given, **more}, ())


def attention_truth(case: Case, values: bool) -> tuple[Array, ...]:
    """Return dQ, dK and, with `values`, dV: from dO where V is given, else from dA."""
    Q, K, V, A, dO = (_array(case.arguments[name]) for name in ("Q", "K", "V", "weights", "dO"))
    dA = dO @ np.swapaxes(V, -1, -2) if values else _array(case.arguments["dA"])
    dE = A * (dA - (A * dA).sum(axis=-1, keepdims=True))
    root = isqrt(Q.shape[-1])
    found = (dE @ K / root, np.swapaxes(dE, -1, -2) @ Q / root)
    return (*found, np.swapaxes(A, -1, -2) @ dO) if values else found


def _array(value: object) -> Array:
    return np.asarray(value, object)
