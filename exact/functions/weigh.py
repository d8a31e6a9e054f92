"""Weighs the cases of one reading: a verdict, the smallest that fails, the mistake's name, what was tried.

Imports NumPy and the standard library only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Any, Final, Literal

import numpy as np

from exact.functions.cases import Array, Case, Kind, Reading
from exact.functions.diagnosis import diagnose
from exact.functions.exact_numbers import Number
from exact.functions.judge import Judged
from exact.functions.observation import Finding, to_float
from exact.rationals import write_rational

__all__ = ["ReadingVerdict", "Verdict", "weigh"]

Verdict = Literal["agrees", "agrees, side effects", "false", "needs assumption", "undecided", "invalid input"]

_WORST: Final = ("raises", "shape", "type", "nan", "differs", "imprecise", "no answer", "rounds", "agrees")
_RIGHT: Final = ("agrees", "rounds")
_SINGLE: Final = ("Number", "float", "int", "float64", "float32", "float16", "int64")


@dataclass(frozen=True, slots=True)
class ReadingVerdict:
    """What was found when the first array was read as weights, or as logits.

    `precision`: "float32" or "float16" where floats were judged by so few digits, else "".  `symbolic_shapes`: where it
    is right for all rows and all upstream gradients; `gradient_shapes`: for all upstream gradients, at the rows tried.
    """

    reading: Reading
    verdict: Verdict
    assumption: str
    behaviour_by_shape: Mapping[str, str]
    exact: int
    rounded: int
    precision: str
    symbolic_shapes: tuple[str, ...]
    gradient_shapes: tuple[str, ...]
    counterexample: Mapping[str, Any] | None
    diagnosis: tuple[Finding, ...]
    artefact: bool

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data."""
        return {
            "verdict": self.verdict,
            "assumption": self.assumption or None,
            "behaviour_by_shape": dict(self.behaviour_by_shape),
            "evidence": {
                "inputs_exact": self.exact,
                "inputs_within_rounding": self.rounded,
                "precision": self.precision or "float64",
                "every_value_at_shapes": list(self.symbolic_shapes),
                "every_gradient_at_shapes": list(self.gradient_shapes),
            },
            "counterexample": self.counterexample,
            "diagnosis": [x.to_json() for x in self.diagnosis],
        }


def weigh(kind: Kind, reading: Reading, judged: Sequence[Judged], roles: Sequence[str]) -> ReadingVerdict:
    """Return the verdict on a reading, from the cases judged under it."""
    counted = [j for j in judged if not (j.case.symbolic and j.status in ("raises", "no answer"))]
    by_shape: dict[str, str] = {}
    for j in counted:
        by_shape[j.case.label] = min(by_shape.get(j.case.label, "agrees"), j.status, key=_WORST.index)
    # T = 1 comes last: it hides most mistakes, and one that shows there alone is still one
    order = [j for g in ("matrix", "single", "row", "batch") for j in counted if j.case.group == g]
    verdict, assumption = _weigh(kind, order)
    failing = [j for j in order if j.status not in _RIGHT and not j.hindered]
    if verdict in ("agrees", "undecided"):
        failing = []
    shown = next((j for j in failing if not j.case.symbolic), failing[0] if failing else None)
    symbolic = {j.case.label: j.case.any_rows for j in counted if j.case.symbolic and j.status == "agrees"}
    return ReadingVerdict(
        reading,
        verdict,
        assumption,
        {k: {"rounds": "agrees within rounding"}.get(v, v) for k, v in by_shape.items()},
        sum(j.status == "agrees" for j in counted),
        sum(j.status == "rounds" for j in counted),
        min((j.precision for j in counted if j.precision), default=""),
        tuple(label for label, rows in symbolic.items() if rows),
        tuple(label for label, rows in symbolic.items() if not rows),
        _show(shown, roles) if shown else None,
        tuple(_diagnose(kind, reading, shown, failing, counted, verdict)) if shown else (),
        any(j.artefact for j in counted),
    )


def _diagnose(
    kind: Kind, reading: Reading, shown: Judged, failing: Sequence[Judged], counted: Sequence[Judged], verdict: Verdict
) -> list[Finding]:
    if shown.status == "nan":
        return [Finding("nan")]
    if shown.observation and any(abs(to_float(x)) == inf for array in shown.observation.claimed for x in array.flat):
        return [Finding("infinite")]
    seen = [j.observation for j in failing if j.observation]
    if verdict != "needs assumption":
        seen = [j.observation for j in counted if j.observation and j.case.group in ("matrix", "single")]
    found = diagnose(kind, reading, seen) if seen else []
    if found or not shown.said:
        return found
    code: str = shown.status
    if shown.said.get("type") == "NoneType":
        code = "none"
    elif shown.status == "shape" and (shown.said.get("type") in _SINGLE or shown.said.get("shape") == "()"):
        code = "single-number"
    elif shown.said.get("error") == "ended":
        code = "ended"
    return [Finding(code, shown.said)]


def _weigh(kind: Kind, judged: Sequence[Judged]) -> tuple[Verdict, str]:
    """Return the verdict on one reading, and the assumption under which it holds."""
    groups = {g: [j for j in judged if j.case.group == g] for g in ("matrix", "single", "row", "batch")}
    ok = _RIGHT
    matrix = groups["matrix"] + groups["single"]
    bad = [j for j in matrix if j.status not in ok]
    if not bad:
        return ("agrees" if matrix else "undecided"), ""
    if all(j.hindered for j in bad):
        return "undecided", ""
    loud = all(j.status in ("raises", "shape", "type") for j in bad)
    if groups["row"] and all(j.status in ok for j in groups["row"]) and (loud or kind == "softmax"):
        return "needs assumption", "single-row"
    if kind == "jacobian" and loud and groups["batch"] and all(j.status in ok for j in groups["batch"]):
        return "needs assumption", "matrix-of-rows"
    square = [j for j in matrix if len(j.case.shape) == 2 and j.case.shape[0] == j.case.shape[1]]
    if loud and square and not any(j in square for j in bad) and kind in ("gradient", "softmax"):
        return "needs assumption", "square"
    return "false", ""


def _show(judged: Judged, roles: Sequence[str]) -> dict[str, object]:
    case, seen = judged.case, judged.observation
    shown: dict[str, object] = {"shape": list(case.shape), "status": judged.status}
    names = {"rows": "A" if case.reading == "weights" else "z", "upstream": "G", "weights": "A", "logits": "z"}
    for role in roles:
        value = case.arguments.get(role)
        if isinstance(value, np.ndarray):
            shown[names.get(role, role)] = _nested(value)
    if case.reading == "logits" and "rows" in roles:
        shown["A"] = _nested(_weights(case))
    if seen is not None:
        shown["claimed"] = _nested(seen.claimed[0]) if len(seen.claimed) == 1 else [_nested(x) for x in seen.claimed]
        shown["correct"] = _nested(seen.truth[0]) if len(seen.truth) == 1 else [_nested(x) for x in seen.truth]
        shown["exact"] = all(isinstance(x, Number) for array in seen.claimed for x in array.flat)
    elif case.truth:
        shown["correct"] = _nested(case.truth[0])
    if judged.said:
        shown["said"] = dict(judged.said)
    return shown


def _weights(case: Case) -> Array:
    u = np.frompyfunc(lambda x: x.exp(), 1, 1)(np.asarray(case.arguments["rows"], object))
    found: Array = u / u.sum(axis=-1, keepdims=True)
    return found


def _nested(array: Array) -> object:
    if array.ndim == 0:
        return _text(array.item())
    if prod(array.shape) > 400:
        return f"… {array.shape}"
    return [_nested(np.asarray(part, object)) for part in array]


def _text(x: Any) -> str:
    if not isinstance(x, Number):
        return repr(float(x))
    return str(x) if (value := x.rational) is None else write_rational(value)
