"""Names what a wrong function computes: the known mistakes are compared with what came back.

Imports NumPy and the standard library only.  A mistake is named only when its formula gives what the function gave on
every input that was compared, exactly or within the rounding of floats.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite, isqrt, prod
from typing import Any, Final

import numpy as np

from exact.functions.cases import Array, Kind, Reading
from exact.functions.exact_numbers import Inexact, Number
from exact.functions.known_mistakes import ATTENTION, KNOWN, Formula, Given, argument
from exact.functions.observation import Finding, Observation, equal, to_float

__all__ = ["diagnose"]


def diagnose(kind: Kind, reading: Reading, seen: Sequence[Observation]) -> list[Finding]:
    """Return what is wrong, by name: a factor, a known mistake, or at least what the answer lacks."""
    if all(_right(o) for o in seen):
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


def _right(o: Observation) -> bool:
    return len(o.claimed) == len(o.truth) and all(map(equal, o.claimed, o.truth, [o.slack] * len(o.truth)))


def _matches(seen: Sequence[Observation], formula: Formula, sign: int, reading: Reading) -> bool:
    informative = False
    for o in seen:
        A, rows = argument(o, "weights" if "weights" in o.case.arguments else "rows"), argument(o, "rows")
        try:
            if reading == "logits":
                u = np.frompyfunc(lambda x: x.exp(), 1, 1)(rows)
                A = u / u.sum(axis=-1, keepdims=True)
            else:
                u = None
            G = argument(o, "upstream") if "upstream" in o.case.arguments else A
            with np.errstate(all="ignore"):
                candidate = np.asarray(sign * formula(Given(rows, A, G, u)), object)
        except (Inexact, ValueError, ZeroDivisionError, np.exceptions.AxisError):
            return False
        if not equal(o.claimed[0], candidate, o.slack):
            return False
        informative |= not equal(candidate, o.truth[0], o.slack)
    return informative


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
            if c is None or not (isinstance(c, Number) or isfinite(c)):
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
            G = argument(o, "upstream")
            quiet = [i for i in range(G.shape[0]) if not any(x.terms for x in G[i].flat)]
            if any(not _zero(x, o.slack) and isfinite(to_float(x)) for i in quiet for x in claimed[i].flat):
                found.append(Finding("rows-coupled", {"G": str(G.tolist())}))
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
