"""The mistakes that people make on the way back through a softmax, each as the formula that it computes.

Imports NumPy and the standard library only.  The codes are keys of the words in notes/words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, Final

import numpy as np

from exact.functions.cases import Array
from exact.functions.exact_numbers import Inexact
from exact.functions.observation import Observation

__all__ = ["ATTENTION", "KNOWN", "Formula", "Given", "argument"]


@dataclass(frozen=True, slots=True)
class Given:
    """What a mistake may be made of: the rows passed, the weights, the upstream gradient, and e to the rows."""

    x: Array
    A: Array
    G: Array
    u: Array | None


Formula = Callable[[Given], Array]


def _sum(X: Array, axis: int = -1) -> Array:
    found: Array = X.sum(axis=axis, keepdims=True)
    return found


def _u(given: Given) -> Array:
    if given.u is None:
        raise Inexact("the rows have no rational exponentials")
    return given.u


def _back(A: Array, G: Array) -> Array:
    found: Array = A * (G - _sum(A * G))
    return found


def _swap(X: Array) -> Array:
    return np.swapaxes(X, -1, -2)


def _eye(X: Array) -> Array:
    return np.eye(X.shape[-1], dtype=int).astype(object)


GRADIENT: Final[tuple[tuple[str, Formula], ...]] = (
    ("diagonal", lambda o: o.G * o.A * (1 - o.A)),
    ("identity", lambda o: o.G),
    ("row-sum", lambda o: o.A * o.G),
    ("log-softmax", lambda o: o.G - o.A * _sum(o.G)),
    ("outer-weight", lambda o: o.G - _sum(o.A * o.G)),
    ("unweighted-sum", lambda o: o.A * (o.G - _sum(o.G))),
    ("mean", lambda o: o.A * (o.G - _sum(o.G) / o.G.shape[-1])),
    ("mean", lambda o: o.A * (o.G - _sum(o.A * o.G) / o.G.shape[-1])),
    ("wrong-axis", lambda o: o.A * (o.G - _sum(o.A * o.G, -2))),
    ("wrong-axis", lambda o: o.A * (o.G - _sum(o.A * o.G, 0))),
    ("keepdims", lambda o: o.A * (o.G - (o.A * o.G).sum(axis=-1))),
    ("coupled", lambda o: o.A * (o.G - (o.A * o.G).sum())),
    ("plus", lambda o: o.A * (o.G + _sum(o.A * o.G))),
    ("times", lambda o: o.A * (o.G * _sum(o.A * o.G))),
    ("off-diagonal", lambda o: o.A * (o.A * o.G - _sum(o.A * o.G))),
    ("weight-twice", lambda o: o.A * _back(o.A, o.G)),
    ("one-minus", lambda o: o.A * (1 - o.A) * (o.G - _sum(o.A * o.G))),
    ("transposed", lambda o: _swap(_back(o.A, o.G))),
    ("transposed-upstream", lambda o: _back(o.A, _swap(o.G))),
    ("weights-minus", lambda o: o.A - o.G),
    ("subtracted-only", lambda o: -o.A * _sum(o.A * o.G)),
    ("weights", lambda o: o.A),
    ("raw-rows", lambda o: _back(o.x, o.G)),
    ("raw-rows", lambda o: o.A * (o.G - _sum(o.x * o.G))),
    ("unnormalised", lambda o: o.G * _u(o)),
    ("unnormalised", lambda o: _back(_u(o), o.G)),
    ("unnormalised", lambda o: _u(o) * (o.G - _sum(o.A * o.G))),
    ("twice", lambda o: _back(_u(o) / _sum(_u(o)), _back(o.A, o.G))),
)
JACOBIAN: Final[tuple[tuple[str, Formula], ...]] = (
    ("diagonal", lambda o: _eye(o.A) * (o.A * (1 - o.A))[..., None]),
    ("diagonal-vector", lambda o: o.A * (1 - o.A)),
    ("diagonal-vector", lambda o: o.x * (1 - o.x)),
    ("off-diagonal-sign", lambda o: o.A[..., :, None] * (_eye(o.A) * (1 - 2 * o.A)[..., None] + o.A[..., None, :])),
    ("plus", lambda o: o.A[..., :, None] * (_eye(o.A) + o.A[..., None, :])),
    ("raw-rows", lambda o: o.x[..., :, None] * (_eye(o.A) - o.x[..., None, :])),
    ("mixed", lambda o: o.A[..., :, None] * (_eye(o.A) - o.x[..., None, :])),
    ("mixed", lambda o: o.x[..., :, None] * (_eye(o.A) - o.A[..., None, :])),
    ("log-softmax", lambda o: _eye(o.A) - o.A[..., None, :]),
    ("log-softmax", lambda o: _eye(o.A) - o.A[..., :, None]),
    ("outer-only", lambda o: -o.A[..., :, None] * o.A[..., None, :]),
    ("outer-only", lambda o: o.A[..., :, None] * o.A[..., None, :]),
    ("diagonal-weights", lambda o: _eye(o.A) * o.A[..., None]),
    ("identity-matrix", lambda o: _eye(o.A)),
    ("one-minus-outer", lambda o: o.A[..., :, None] * (1 - o.A[..., None, :])),
    ("unnormalised", lambda o: _u(o)[..., :, None] * (_eye(o.A) - _u(o)[..., None, :])),
    ("unnormalised", lambda o: _eye(o.A) * _u(o)[..., None]),
)


def _shifted(maximum: int, axis: int) -> Formula:
    """Return the softmax that takes the maximum along one axis and the sum along another."""

    def formula(o: Given) -> Array:
        e = _u(o) / _u(o).max(axis=maximum, keepdims=True)
        return np.asarray(e / _sum(e, axis), object)

    return formula


SOFTMAX: Final[tuple[tuple[str, Formula], ...]] = (
    ("unnormalised", _u),
    ("unnormalised", lambda o: _u(o) / _u(o).max(axis=-1, keepdims=True)),
    ("wrong-axis", lambda o: _u(o) / _sum(_u(o), -2)),
    ("wrong-axis", lambda o: _u(o) / _sum(_u(o), 0)),
    *(("wrong-axis", _shifted(-1, axis)) for axis in (-2, 0)),
    *(("wrong-maximum", _shifted(axis, -1)) for axis in (-2, 0)),
    ("coupled", lambda o: _u(o) / _u(o).sum()),
    ("keepdims", lambda o: _u(o) / _u(o).sum(axis=-1)),
    ("plus-one", lambda o: _u(o) / (1 + _sum(_u(o)))),
    ("sigmoid", lambda o: _u(o) / (1 + _u(o))),
    ("unchanged", lambda o: o.x),
    ("log-softmax", lambda o: o.x - np.frompyfunc(lambda s: s.log(), 1, 1)(_sum(_u(o)))),
    ("shifted", lambda o: o.x - o.x.max(axis=-1, keepdims=True)),
)
KNOWN: Final[dict[str, tuple[tuple[str, Formula], ...]]] = {
    "gradient": GRADIENT,
    "jacobian": JACOBIAN,
    "softmax": SOFTMAX,
}


def argument(o: Observation, role: str) -> Array:
    """Return an argument of the case."""
    return np.asarray(o.case.arguments[role], object)


# ---- attention ------------------------------------------------------------------------------------------------------


def _parts(o: Observation) -> tuple[Array, Array, Array, Array, Array]:
    """Return Q, K, A, dA and dO; dA from dO and V where dV is among the answers."""
    Q, K, V, A, dA, dO = (argument(o, name) for name in ("Q", "K", "V", "weights", "dA", "dO"))
    return Q, K, A, (dO @ _swap(V) if len(o.truth) == 3 else dA), dO


def _query(dE: Callable[[Array, Array], Array]) -> Callable[[Observation], Array]:
    def formula(o: Observation) -> Array:
        Q, K, A, dA, _ = _parts(o)
        found: Array = dE(A, dA) @ K / isqrt(Q.shape[-1])
        return found

    return formula


def _key(dE: Callable[[Array, Array], Array]) -> Callable[[Observation], Array]:
    def formula(o: Observation) -> Array:
        Q, _, A, dA, _ = _parts(o)
        found: Array = _swap(dE(A, dA)) @ Q / isqrt(Q.shape[-1])
        return found

    return formula


def _key_untransposed(o: Observation) -> Array:
    Q, _, A, dA, _ = _parts(o)
    found: Array = _back(A, dA) @ Q / isqrt(Q.shape[-1])
    return found


def _query_transposed(o: Observation) -> Array:
    Q, K, A, dA, _ = _parts(o)
    found: Array = _swap(_back(A, dA)) @ K / isqrt(Q.shape[-1])
    return found


_SCORES: Final[tuple[tuple[str, Callable[[Array, Array], Array]], ...]] = (
    ("softmax", lambda A, dA: dA),
    ("row-sum", lambda A, dA: A * dA),
    ("diagonal", lambda A, dA: A * (1 - A) * dA),
    ("sign", lambda A, dA: -_back(A, dA)),
    ("wrong-axis", lambda A, dA: A * (dA - _sum(A * dA, -2))),
    ("keepdims", lambda A, dA: A * (dA - (A * dA).sum(axis=-1))),
)
_Attention = Callable[[Observation], Array]


def _scaled(formula: _Attention, power: int) -> _Attention:
    return lambda o: formula(o) * Fraction(isqrt(argument(o, "Q").shape[-1])) ** power


def _all(one: Callable[[Callable[[Array, Array], Array]], _Attention], *more: tuple[str, _Attention]) -> Any:
    known = [(code, one(dE)) for code, dE in _SCORES] + list(more)
    return (*known, *((code, _scaled(formula, power)) for power in (1, -1) for code, formula in known))


ATTENTION: Final[tuple[tuple[tuple[str, _Attention], ...], ...]] = (
    _all(_query, ("transpose", _query_transposed), ("swapped", _key(_back))),
    _all(_key, ("transpose", _key_untransposed), ("swapped", _query(_back))),
    (
        ("transpose", lambda o: _parts(o)[2] @ _parts(o)[4]),
        ("identity", lambda o: _parts(o)[4]),
    ),
)
