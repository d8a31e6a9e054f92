"""Scaled dot-product attention and its way back: array operations, the same code for floats and for fractions.

Imports NumPy, the standard library and exact.rationals only.

=======================  ======================================================================
`softmax`                scores E to weights A, row by row (floats)
`weights`                x = e^z, positive, to weights: x over the sum of its row (floats, Fractions)
`jacobian`               a_j(δ_jl − a_l) of each row
`scores_gradient`        dL/dE from A and G = dL/dA: a(g − Σ a g), row by row
`attend`                 Q, K, V to A·V, with 1/√d_k before the softmax
`attend_back`            dL/dQ, dL/dK, dL/dV
`summarise_rows`         the largest weight, 1 − Σ a², the largest a(1 − a) of each row
=======================  ======================================================================

Rows are the last axis, and any axes may stand before it.  float32, float64 and longer floats are kept as they come;
an object array of Fractions is exact, from end to end.  Nothing that is received is written to, `out` apart.

* A position is left out by a mask (True is kept, False left out) or by a score of −inf; its weight is 0.
* A row with every position left out has all its weights 0: it takes nothing and gives no gradient back.
* Finite scores of any size are taken.  NaN and +inf are refused, and so is a product q·k that overflows.
* Arrays with no entries give arrays with no entries.

>>> from fractions import Fraction
>>> a = weights(np.array([Fraction(1), Fraction(2), Fraction(3)]))
>>> [str(x) for x in scores_gradient(a, np.array([Fraction(1), Fraction(0), Fraction(0)]))]
['5/36', '-1/18', '-1/12']
>>> softmax(np.array([[1e308, -1e308], [0.0, 0.0]]))
array([[1. , 0. ],
       [0.5, 0.5]])
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, prod, sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from exact.rationals import BadInput

__all__ = [
    "Attended",
    "Gradients",
    "RowSumWarning",
    "Rows",
    "attend",
    "attend_back",
    "jacobian",
    "scores_gradient",
    "softmax",
    "summarise_rows",
    "weights",
]

Array = npt.NDArray[Any]
Trust = Literal["warn", "refuse", "trust"]
Scale = float | Fraction

CHUNK_BYTES = 1 << 19  # of one operand: three of them stay in a second-level cache
_ACCEPTED = "accepted: arrays of float32, float64 or longer floats, or of Fractions (dtype object)"


class RowSumWarning(UserWarning):
    """Rows that should add to 1 do not."""


@dataclass(frozen=True, slots=True)
class Attended:
    """What `attend` returns: `output` (…, n, v), the weights `A` (…, n, m), and the factor put before the softmax."""

    output: Array
    A: Array
    scale: Scale


@dataclass(frozen=True, slots=True)
class Gradients:
    """The gradients of the loss: dL/dQ, dL/dK, dL/dV, and dL/dE of the scaled scores E, where the first two begin."""

    Q: Array
    K: Array
    V: Array
    E: Array


@dataclass(frozen=True, slots=True)
class Rows:
    """How open each row is: its largest weight, its trace 1 − Σ a², its largest a(1 − a)."""

    largest: Array
    trace: Array
    steepest: Array


def softmax(E: Array, mask: Array | None = None, out: Array | None = None) -> Array:
    """Return the softmax of each row of scores: exp(e − max) over its sum; `E` is (…, T), floats.

    Raises `BadInput` at NaN or +inf, and for Fractions, whose exponentials are not fractions: see `weights`.
    """
    E = _read("E", E)
    if E.dtype == object:
        raise BadInput("softmax takes floats; for exact weights give the exponentials x = e^z to weights(x)")
    kept = _read_mask(mask, E.shape)
    out = _output(out, E.shape, E.dtype, E)
    if not E.size:
        return out
    for e, a, keep in _chunks(E, out, kept):
        if keep is None:
            top = e.max(axis=-1, keepdims=True)
        else:
            np.copyto(a, np.where(keep, e, -np.inf))
            e, top = a, a.max(axis=-1, keepdims=True)
        if not (top < np.inf).all():  # false for NaN as well
            raise BadInput("scores must be finite or −inf (E holds NaN or +inf)")
        top[top == -np.inf] = 0
        with np.errstate(over="ignore", under="ignore"):  # a difference past the largest float weighs exp(−inf) = 0
            np.subtract(e, top, out=a)
            np.exp(a, out=a)
        _divide_by_sums(a)
    return out


def weights(X: Array, mask: Array | None = None) -> Array:
    """Return x over the sum of its row; `X` is (…, T), finite and not negative: the exponentials of the scores.

    >>> from fractions import Fraction
    >>> [str(a) for a in weights(np.array([Fraction(1), Fraction(1, 2), Fraction(1, 2)]))]
    ['1/2', '1/4', '1/4']
    """
    X = _read("X", X)
    kept = _read_mask(mask, X.shape)
    A: Array = X.copy()
    if kept is not None:
        A[~kept] = Fraction(0) if X.dtype == object else 0
    if A.size and not ((A >= 0) & (np.inf != A)).all():
        raise BadInput("exponentials must be finite and at least 0 (X holds NaN, an infinity or a negative number)")
    if A.dtype != object and A.size:
        A /= np.where((top := A.max(axis=-1, keepdims=True)) > 0, top, 1)  # so that the sum cannot overflow
    return _divide_by_sums(A)


def jacobian(A: Array) -> Array:
    """Return ∂a_j/∂e_l = a_j(δ_jl − a_l) for each row: (…, T) to (…, T, T)."""
    A = _read("A", A)
    J: Array = A[..., :, None] * -A[..., None, :]
    position = np.arange(A.shape[-1])
    J[..., position, position] += A
    return J


def scores_gradient(A: Array, G: Array, out: Array | None = None, rows: Trust = "warn") -> Array:
    """Return dL/dE = a(g − Σ a g), row by row, from the weights `A` and `G` = dL/dA, both (…, T).

    `out` takes the answer; it must stand apart from `A` and `G`.  A row of A that does not add to 1, nor is all 0, is
    warned about with its sum; `rows="refuse"` raises `BadInput` instead, as Fractions always do, and `rows="trust"`
    does not look.  Raises `BadInput` for shapes that differ and for NaN or infinities.
    """
    A, G = _read("A", A), _read("G", G)
    if A.shape != G.shape:
        raise BadInput(f"A and G must have the same shape (A has {A.shape}, G has {G.shape})")
    out = _output(out, A.shape, _common_dtype(A, G), A, G)
    if not A.size:
        return out
    exact, seen = out.dtype == object, 0
    for a, g, d in _chunks(A, G, out):
        _check_sums(a, seen, "refuse" if exact and rows != "trust" else rows)
        sums = (a * g).sum(axis=-1) if exact else np.vecdot(a, g)
        if not exact and not np.isfinite(sums).all():
            row = seen + int(np.argmin(np.isfinite(sums)))
            raise BadInput(f"row {row} of A or G holds NaN or an infinity, or Σ a g overflows {out.dtype}")
        np.subtract(g, sums[:, None], out=d)
        np.multiply(d, a, out=d)
        seen += len(a)
    return out


def attend(
    Q: Array,
    K: Array,
    V: Array,
    mask: Array | None = None,
    scale: Scale | None = None,
    exponentials: Array | None = None,
) -> Attended:
    """Return softmax(scale·Q Kᵀ)·V and the weights; `scale` is 1/√d_k unless given.

    `Q` is (…, n, d), `K` (…, m, d), `V` (…, m, v), `mask` broadcasts to (…, n, m), with the same axes before.  For
    Fractions the exponentials of the scores, (…, n, m), have to be given, and √d_k has to be rational or `scale` given.
    """
    Q, K, V, d = _read_heads(Q, K, V)
    factor = _default_scale(d, Q.dtype == object) if scale is None else scale
    if exponentials is not None:
        A = weights(exponentials, mask)
        if A.shape != (expected := (*Q.shape[:-1], K.shape[-2])):
            raise BadInput(f"exponentials must have shape {expected} (got {A.shape})")
    elif Q.dtype == object:
        raise BadInput("scores that are fractions have no rational exponentials; give exponentials=x with x = e^z")
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            E = (Q * factor) @ np.swapaxes(K, -1, -2)
        if not np.isfinite(E).all():
            raise BadInput("scores must be finite (Q or K holds NaN or an infinity, or q·k overflows)")
        A = softmax(E, mask, out=None)
    return Attended(A @ V, A, factor)


def attend_back(Q: Array, K: Array, V: Array, attended: Attended, dO: Array) -> Gradients:
    """Return dL/dQ, dL/dK and dL/dV from `dO` = dL/d(output), (…, n, v).

    E = scale·Q Kᵀ puts the factor once into each of dQ = scale·dE·K and dK = scale·dEᵀ·Q.
    """
    Q, K, V, _ = _read_heads(Q, K, V)
    dO = _read("dO", dO)
    A, scale = attended.A, attended.scale
    if dO.shape != attended.output.shape:
        raise BadInput(f"dO must have the shape of the output, {attended.output.shape} (got {dO.shape})")
    _common_dtype(A, dO)
    dE = scores_gradient(A, dO @ np.swapaxes(V, -1, -2))
    return Gradients((dE @ K) * scale, (np.swapaxes(dE, -1, -2) @ Q) * scale, np.swapaxes(A, -1, -2) @ dO, dE)


def summarise_rows(A: Array) -> Rows:
    """Return the largest weight, 1 − Σ a² and the largest a(1 − a) of each row; `A` is (…, T), T ≥ 1."""
    A = _read("A", A)
    if not A.shape[-1]:
        raise BadInput("a row must have at least one position")
    largest = A.max(axis=-1)
    return Rows(largest, 1 - (A * A).sum(axis=-1), (A * (1 - A)).max(axis=-1))


def _read(name: str, value: Array) -> Array:
    array = np.asarray(value)
    if array.ndim < 1:
        raise BadInput(f"{name} must have at least one axis, the positions of a row (got a single number)")
    if array.dtype == object:
        if not all(isinstance(x, Fraction) for x in array.flat):
            other = next(type(x).__name__ for x in array.flat if not isinstance(x, Fraction))
            raise BadInput(f"{name} must hold Fractions only when its dtype is object (it holds a {other})")
    elif array.dtype.kind != "f" or array.dtype.itemsize < 4:
        raise BadInput(f"{name} has dtype {array.dtype}, which cannot hold weights; {_ACCEPTED}")
    return array


def _read_mask(mask: Array | None, shape: tuple[int, ...]) -> Array | None:
    if mask is None:
        return None
    kept = np.asarray(mask)
    if kept.dtype != bool:
        raise BadInput(f"a mask must have dtype bool, True for the positions that are kept (got {kept.dtype})")
    try:
        return np.broadcast_to(kept, shape)
    except ValueError:
        raise BadInput(f"a mask must broadcast to the shape {shape} (got {kept.shape})") from None


def _read_heads(Q: Array, K: Array, V: Array) -> tuple[Array, Array, Array, int]:
    Q, K, V = _read("Q", Q), _read("K", K), _read("V", V)
    _common_dtype(Q, K, V)
    shapes = f"(Q has {Q.shape}, K has {K.shape}, V has {V.shape})"
    if min(Q.ndim, K.ndim, V.ndim) < 2 or not Q.shape[:-2] == K.shape[:-2] == V.shape[:-2]:
        raise BadInput(f"Q, K and V must have two axes or more, and the same ones before the last two {shapes}")
    if Q.shape[-1] != K.shape[-1] or K.shape[-2] != V.shape[-2]:
        raise BadInput(f"Q and K must have one width, and K and V one number of positions {shapes}")
    if not Q.shape[-1]:
        raise BadInput(f"width must be at least 1 {shapes}")
    return Q, K, V, Q.shape[-1]


def _default_scale(d: int, exact: bool) -> Scale:
    if not exact:
        return 1 / sqrt(d)
    root = isqrt(d)
    if root * root != d:
        raise BadInput(f"√{d} is not a fraction, so exact attention at this width needs a scale")
    return Fraction(1, root)


def _common_dtype(*arrays: Array) -> np.dtype[Any]:
    kinds = {array.dtype == object for array in arrays}
    if len(kinds) > 1:
        raise BadInput("floats and Fractions must not be mixed: one would make the other inexact")
    return np.result_type(*arrays)


def _output(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any], *received: Array) -> Array:
    if out is None:
        return np.empty(shape, dtype)
    if out.shape != shape or out.dtype != dtype:
        raise BadInput(f"out must have shape {shape} and dtype {dtype} (got {out.shape} and {out.dtype})")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise BadInput("out must be contiguous and writeable")
    if any(np.may_share_memory(out, array) for array in received):
        raise BadInput("out must stand apart in memory from the arrays received")
    return out


def _chunks(first: Array, second: Array, third: Array | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the same rows of two or three arrays of one shape, as many at a time as stay in cache."""
    T = first.shape[-1]
    count = prod(first.shape[:-1])
    flat = [None if array is None else array.reshape(count, T) for array in (first, second, third)]
    step = max(1, CHUNK_BYTES // (T * first.dtype.itemsize))
    for start in range(0, count, step):
        one, two, three = (None if rows is None else rows[start : start + step] for rows in flat)
        yield one, two, three


def _divide_by_sums(A: Array) -> Array:
    sums = A.sum(axis=-1, keepdims=True)
    sums[sums == 0] = 1
    np.divide(A, sums, out=A)
    return A


def _check_sums(A: Array, seen: int, rows: Trust) -> None:
    """Look for a row whose sum is not 1: softmax is out by T + 2 roundings at most, and adding it up by T more."""
    if rows == "trust":
        return
    sums = A.sum(axis=-1) if A.dtype == object else A @ np.ones(A.shape[-1], A.dtype)  # a product is twice as fast
    slack = 0 if A.dtype == object else (A.shape[-1] + 1) * float(np.finfo(A.dtype).eps)
    off = (sums != 1) if A.dtype == object else np.abs(sums - 1) > slack
    if not off.any():
        return
    for row in np.flatnonzero(off):
        if not A[row].any():
            continue
        message = f"row {seen + int(row)} of A must add to 1 (it adds to {sums[row]})"
        if rows == "refuse":
            raise BadInput(message)
        warnings.warn(message, RowSumWarning, stacklevel=3)
        return
