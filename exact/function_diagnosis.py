"""Names what a wrong function computes: the known mistakes, each as a formula that is compared with what came back.

Imports NumPy and the standard library only.  A mistake is named only when its formula gives what the function gave on
every input that was compared, exactly or within the rounding of floats.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt, prod
from typing import Any, Final

import numpy as np

from exact.exact_numbers import Inexact, Number
from exact.function_cases import Array, Case, Kind, Reading

__all__ = ["Finding", "Observation", "diagnose", "equal", "to_float"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to say: a code, which the words of a language spell out, and what stands in its blanks."""

    code: str
    data: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, str]:
        """Return it as JSON data."""
        return {"code": self.code, **self.data}


@dataclass(frozen=True, slots=True)
class Observation:
    """What a function returned for a case, in arrays of Numbers or of floats; `slack`: how far floats may be off."""

    case: Case
    claimed: tuple[Array, ...]
    truth: tuple[Array, ...]
    slack: float


def to_float(value: Any) -> float:
    """Return a Number or a float as a float."""
    if not isinstance(value, Number):
        return float(value)
    return float(value.decimal()) if (rational := value.rational) is None else float(rational)


def equal(one: Array, two: Array, slack: float) -> bool:
    """Whether two arrays hold the same: exactly where both are exact, else within `slack`; never where one is NaN."""
    if one.shape != two.shape:
        return False
    for x, y in zip(one.flat, two.flat, strict=True):
        if isinstance(x, Number) and isinstance(y, Number):
            if not x.same(y):
                return False
        elif not abs(to_float(x) - to_float(y)) <= slack:
            return False
    return True


# ---- the known mistakes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Given:
    """What a mistake may be made of: the rows passed, the weights, the upstream gradient, and e to the rows."""

    x: Array
    A: Array
    G: Array
    u: Array | None


_Formula = Callable[[_Given], Array]


def _sum(X: Array, axis: int = -1) -> Array:
    found: Array = X.sum(axis=axis, keepdims=True)
    return found


def _u(given: _Given) -> Array:
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


GRADIENT: Final[tuple[tuple[str, _Formula], ...]] = (
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
JACOBIAN: Final[tuple[tuple[str, _Formula], ...]] = (
    ("diagonal", lambda o: _eye(o.A) * (o.A * (1 - o.A))[..., None]),
    ("diagonal-vector", lambda o: o.A * (1 - o.A)),
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
SOFTMAX: Final[tuple[tuple[str, _Formula], ...]] = (
    ("unnormalised", _u),
    ("unnormalised", lambda o: _u(o) / _u(o).max(axis=-1, keepdims=True)),
    ("wrong-axis", lambda o: _u(o) / _sum(_u(o), -2)),
    ("wrong-axis", lambda o: _u(o) / _sum(_u(o), 0)),
    ("coupled", lambda o: _u(o) / _u(o).sum()),
    ("keepdims", lambda o: _u(o) / _u(o).sum(axis=-1)),
    ("plus-one", lambda o: _u(o) / (1 + _sum(_u(o)))),
    ("sigmoid", lambda o: _u(o) / (1 + _u(o))),
    ("unchanged", lambda o: o.x),
    ("log-softmax", lambda o: o.x - np.frompyfunc(lambda s: s.log(), 1, 1)(_sum(_u(o)))),
    ("shifted", lambda o: o.x - o.x.max(axis=-1, keepdims=True)),
)
KNOWN: Final[dict[str, tuple[tuple[str, _Formula], ...]]] = {
    "gradient": GRADIENT,
    "jacobian": JACOBIAN,
    "softmax": SOFTMAX,
}


# ---- the search -----------------------------------------------------------------------------------------------------


def diagnose(kind: Kind, reading: Reading, seen: Sequence[Observation]) -> list[Finding]:
    """Return what is wrong, by name: a factor, a known mistake, or at least what the answer lacks."""
    if not seen:
        return []
    if kind == "attention-backward":
        return _diagnose_attention(seen)
    pairs = [(o, o.claimed[0], o.truth[0]) for o in seen if o.claimed[0].shape == o.truth[0].shape]
    if len(pairs) == len(seen) and (found := _factor(pairs)):
        return [found]
    for sign in (1, -1):
        for code, formula in KNOWN[kind]:
            if _matches(seen, formula, sign, reading):
                return [Finding(code)] + [Finding("sign")] * (sign < 0)
    if len(pairs) == len(seen) and _within(pairs, 1e-3):
        return [_tiny(pairs)]
    return _lacks(kind, pairs)


def _matches(seen: Sequence[Observation], formula: _Formula, sign: int, reading: Reading) -> bool:
    informative = False
    for o in seen:
        A, rows = _array(o.case, "weights" if "weights" in o.case.arguments else "rows"), _array(o.case, "rows")
        try:
            if reading == "logits":
                u = np.frompyfunc(lambda x: x.exp(), 1, 1)(rows)
                A = u / _sum(u)
            else:
                u = None
            G = _array(o.case, "upstream") if "upstream" in o.case.arguments else A
            with np.errstate(all="ignore"):
                candidate = np.asarray(sign * formula(_Given(rows, A, G, u)), object)
        except (Inexact, ValueError, ZeroDivisionError, np.exceptions.AxisError):
            return False
        if not equal(o.claimed[0], candidate, o.slack):
            return False
        informative |= not equal(candidate, o.truth[0], o.slack)
    return informative


def _array(case: Case, role: str) -> Array:
    return np.asarray(case.arguments[role], object)


_Shape = tuple[int, ...]
_BY_SHAPE: Final[tuple[tuple[str, Callable[[_Shape], Fraction]], ...]] = (
    ("N", lambda s: Fraction(prod(s[:-1]))),
    ("1/N", lambda s: Fraction(1, prod(s[:-1]))),
    ("T", lambda s: Fraction(s[-1])),
    ("1/T", lambda s: Fraction(1, s[-1])),
    ("1/(N·T)", lambda s: Fraction(1, prod(s))),
    ("N·T", lambda s: Fraction(prod(s))),
)
_BY_WIDTH: Final[tuple[tuple[str, Callable[[_Shape], Fraction]], ...]] = (
    ("√d", lambda s: Fraction(isqrt(s[-1]))),
    ("1/√d", lambda s: Fraction(1, isqrt(s[-1]))),
    ("d", lambda s: Fraction(s[-1])),
    ("1/d", lambda s: Fraction(1, s[-1])),
)


def _factor(pairs: Sequence[tuple[Observation, Array, Array]], root: bool = False) -> Finding | None:
    """Return the factor by which every answer is off: one number, or one that depends on the shape alone."""
    by_shape: dict[tuple[int, ...], Any] = {}
    for o, claimed, truth in pairs:
        c = by_shape.get(o.case.shape)
        if c is None:
            place = next((i for i, y in enumerate(truth.flat) if isinstance(y, Number) and y.terms), None)
            if place is None:
                if any(not _zero(x, o.slack) for x in claimed.flat):
                    return None
                continue
            c = _quotient(claimed.flat[place], truth.flat[place])
            if c is None:
                return None
            by_shape[o.case.shape] = c
        if not equal(
            claimed, truth * c if isinstance(c, Number) else _floats(truth) * c, o.slack * (1 + abs(to_float(c)))
        ):
            return None
    if not by_shape:
        return None
    factors = {shape: _tidy(c) for shape, c in by_shape.items()}
    values = set(factors.values())
    if all(abs(to_float(c) - 1) < 1e-6 for c in values):
        return None
    if values <= {0, -1} and len(values) == 1:
        return Finding("zero" if 0 in values else "sign")
    code = "factor-width" if root else "factor-shape"
    for name, of in _BY_WIDTH if root else _BY_SHAPE:
        if (len(values) > 1 or root) and all(c == of(shape) for shape, c in factors.items()):
            return Finding(code, {"factor": name})
    if len(values) == 1:
        return Finding("factor", {"factor": str(values.pop())})
    return Finding("factor-varies", {"factors": ", ".join(f"{'x'.join(map(str, s))}: {c}" for s, c in factors.items())})


def _zero(x: Any, slack: float) -> bool:
    return not x.terms if isinstance(x, Number) else abs(to_float(x)) <= slack


def _quotient(x: Any, y: Any) -> Any:
    try:
        return x / y if isinstance(x, Number) else to_float(x) / to_float(y)
    except Inexact:
        return None


def _floats(truth: Array) -> Array:
    return np.array([to_float(x) for x in truth.flat], object).reshape(truth.shape)


def _tidy(c: Any) -> Any:
    """Return an exact factor as a Fraction, a rounded one as the simple fraction beside it where there is one."""
    if isinstance(c, Number):
        return c if (value := c.rational) is None else value
    if not abs(c) < 1e6:
        return float(c)
    near = Fraction(c).limit_denominator(1000)
    return near if abs(float(near) - c) < 1e-9 * (1 + abs(c)) else float(f"{c:.6g}")


def _within(pairs: Sequence[tuple[Observation, Array, Array]], part: float) -> bool:
    return all(
        abs(to_float(x) - to_float(y)) <= part * (1 + abs(to_float(y)))
        for o, claimed, truth in pairs
        if not o.case.symbolic
        for x, y in zip(claimed.flat, truth.flat, strict=True)
    )


def _tiny(pairs: Sequence[tuple[Observation, Array, Array]]) -> Finding:
    for o, claimed, truth in pairs:
        for x, y in zip(claimed.flat, truth.flat, strict=True):
            if isinstance(x, Number):
                if not x.same(y):
                    return Finding("tiny", {"difference": str(x - y), "near": f"{to_float(x - y):.3g}"})
            elif abs(to_float(x) - to_float(y)) > o.slack:
                return Finding("tiny", {"difference": f"{to_float(x) - to_float(y):.3g}", "near": ""})
    return Finding("tiny", {"difference": "?", "near": ""})


def _lacks(kind: Kind, pairs: Sequence[tuple[Observation, Array, Array]]) -> list[Finding]:
    """Return what can be said of an answer that no known mistake explains."""
    found = []
    for o, claimed, _ in pairs:
        if kind == "gradient" and claimed.ndim > 1 and not o.case.symbolic:
            G = _array(o.case, "upstream")
            quiet = [i for i in range(G.shape[0]) if not any(x.terms for x in G[i].flat)]
            if any(not _zero(x, o.slack) for i in quiet for x in claimed[i].flat):
                found.append(Finding("rows-coupled"))
                break
    if kind in ("gradient", "jacobian"):
        for o, claimed, _ in pairs:
            sums = claimed.sum(axis=-1) if claimed.ndim else claimed
            if not o.case.symbolic and any(not _zero(x, o.slack * 8) for x in np.asarray(sums, object).flat):
                found.append(Finding("row-sums-not-zero"))
                break
    if kind == "softmax" and any(
        not _zero(x - 1, o.slack * 8) for o, claimed, _ in pairs if claimed.ndim for x in claimed.sum(axis=-1).flat
    ):
        found.append(Finding("rows-not-one"))
    return found


# ---- attention ------------------------------------------------------------------------------------------------------


def _diagnose_attention(seen: Sequence[Observation]) -> list[Finding]:
    found: list[Finding] = []
    names = ("dQ", "dK", "dV")
    count = min(len(o.truth) for o in seen)
    for i in range(count):
        pairs = [(o, o.claimed[i], o.truth[i]) for o in seen]
        if all(equal(x, y, o.slack) for o, x, y in pairs):
            continue
        factor = None
        if all(x.shape == y.shape for _, x, y in pairs):
            factor = _factor(pairs, root=True)
        if factor is not None:
            found.append(Finding(factor.code, {**factor.data, "of": names[i]}))
            continue
        code = next((code for code, formula in ATTENTION[i] if _same(seen, i, formula)), "")
        found.append(Finding(f"attention-{code}" if code else "attention-wrong", {"of": names[i]}))
    return found


def _same(seen: Sequence[Observation], i: int, formula: Callable[..., Array]) -> bool:
    try:
        return all(equal(o.claimed[i], np.asarray(formula(o), object), o.slack) for o in seen)
    except (ValueError, Inexact):
        return False


def _parts(o: Observation) -> tuple[Array, Array, Array, Array, Array]:
    """Return Q, K, A, dA and dO; dA from dO and V where dV is among the answers."""
    Q, K, V, A, dA, dO = (_array(o.case, name) for name in ("Q", "K", "V", "weights", "dA", "dO"))
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
    return lambda o: formula(o) * Fraction(isqrt(_array(o.case, "Q").shape[-1])) ** power


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
