"""What else is to be said of a function: what it does to its arguments, to dtypes, to masked rows; and the challenge.

Imports NumPy and the standard library only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np

from exact.functions.cases import Array, Case, Kind, Reading, cases, fill
from exact.functions.exact_numbers import Number, log
from exact.functions.judge import Judged, encode_argument, read_value
from exact.functions.observation import Finding, to_float
from exact.functions.sandbox import Answers, Loaded

__all__ = ["Probe", "Requirement", "find", "probes", "requirements"]

Plain = Mapping[str, Any]
STEP_SIZES: Final = (4, 8, 16)
MEMORY_SIZES: Final = (48, 96)  # T³ floats take more than 256 KiB at both: NumPy reuses temporaries from that size on
BUILDS_JACOBIAN: Final = frozenset({"diag", "diagflat", "outer", "eye", "identity"})


@dataclass(frozen=True, slots=True)
class Probe:
    """One more call, and what is asked of its answer."""

    name: str
    call: dict[str, Any]
    challenge: bool = False


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement of the challenge: met, not met, or (None) not measured; `data` says what was seen."""

    code: str
    met: bool | None
    data: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data."""
        return {"requirement": self.code, "met": self.met, **self.data}


# ---- further calls --------------------------------------------------------------------------------------------------


def probes(first: Case, kind: Kind, reading: Reading, roles: Sequence[str], challenge: bool) -> list[Probe]:
    """Return the calls that ask about dtypes, masked rows, large scores, repetition and, for the challenge, cost.

    `first`: the case that is asked twice.
    """
    every = cases(kind, reading)
    general = next(c for c in reversed(every) if c.group == "matrix" and not c.symbolic)

    def call(case: Case, mode: str = "float64", **more: Any) -> dict[str, Any]:
        given = [-1 if role == "axis" else more.get(role, case.arguments.get(role)) for role in roles]
        encoded = [x if isinstance(x, dict) else encode_argument(x) for x in given]
        return {"mode": mode, "arguments": encoded} | ({"measure": more["measure"]} if "measure" in more else {})

    found = [Probe("again", call(first, "exact")), Probe("again in floats", call(first))]
    found.append(Probe("float32", call(general, "float32")))
    if kind == "attention-backward" or "rows" not in roles:
        return found
    wide = general.shape
    if kind == "gradient":
        ones = fill(wide, [1] * int(np.prod(wide)))
        found.append(Probe("ones", call(general, upstream=ones)))
        whole = encode_argument(general.arguments["upstream"], "int64")
        found.append(Probe("integers", call(general, upstream=whole)))
    shape = _small(kind)
    small = next(c for c in every if c.shape == shape and not c.symbolic)
    masked = ["1", "0"] if reading == "weights" else ["0", "-inf"]
    found.append(Probe("masked", call(small, rows={"shape": list(shape), "items": masked})))
    lost = ["0", "0"] if reading == "weights" else ["-inf", "-inf"]
    found.append(Probe("all masked", call(small, rows={"shape": list(shape), "items": lost})))
    if reading == "logits":
        found.append(Probe("large", call(small, rows={"shape": list(shape), "items": ["1000", "0"]})))
    if challenge:
        for what, sizes in (("steps", STEP_SIZES), ("memory", MEMORY_SIZES)):
            for T in sizes:
                A = fill((T, T), [Fraction(1, T)] * (T * T))
                if reading == "logits":
                    A = fill((T, T), [log(1 + i % 3) for i in range(T * T)])
                G = fill((T, T), [i % 7 for i in range(T * T)])
                found.append(Probe(f"{what} {T}", call(small, rows=A, upstream=G, measure=what), challenge=True))
    return found


def _small(kind: Kind) -> tuple[int, ...]:
    """Return the shape that is asked about masked rows and large scores."""
    return (2,) if kind == "jacobian" else (1, 2)


# ---- findings -------------------------------------------------------------------------------------------------------


def find(
    kind: Kind,
    reading: Reading,
    roles: Sequence[str],
    loaded: Loaded,
    plan: Sequence[Case],
    answers: Sequence[Plain | None],
    extra: Sequence[Probe],
    sent: Answers,
    judged: Sequence[Judged],
    right: bool,
) -> list[Finding]:
    """Return what is to be said besides the verdict; the codes are keys of the words in notes/words.

    `right`: the values are, at least for some shapes, so that more can be asked of the function.
    """
    probed = {p.name: a for p, a in zip(extra, answers[2 * len(plan) :], strict=True)}
    names = [p for p, _ in loaded.parameters or ()] or list(roles)
    found = [*_writes(plan, answers, roles, names), *_shares(plan, answers, names, roles)]
    if sent.ended == "time":
        found.append(Finding("time"))
    if any(j.said and j.said.get("error") == "MemoryError" for j in judged):
        found.append(Finding("memory"))
    found += [*_hindrances(judged), *_digits([j for j in judged if j.case.reading == reading])]
    if any(j.artefact for j in judged):
        found.append(Finding("artefact"))
    if loaded.through:
        found.append(Finding("through", {"forward": loaded.through, "name": loaded.name}))
    found += _repeats(answers[:2], (probed.get("again"), probed.get("again in floats")))
    found += _types(answers, kind)
    mine = [j for j in judged if j.case.reading == reading and not j.case.symbolic]
    fine = {j.case.label for j in mine} - {j.case.label for j in mine if j.status not in ("agrees", "rounds")}
    if right:
        found += _dtypes(probed, answers[1], kind)
        if any(j.case.shape == _small(kind) and j.case.label in fine for j in mine):
            found += _masks(probed, kind)
    matrix = [j for j in mine if j.case.group == "matrix"]
    if "ones" in probed and _all_zero(probed["ones"]) and any(j.status == "differs" for j in matrix):
        found.append(Finding("passes-ones"))
    row = [j for j in mine if j.case.group == "row"]
    failing = any(j.status not in ("agrees", "rounds") for j in matrix)
    if row and not right and failing and all(j.status in ("agrees", "rounds") for j in row):
        found.append(Finding("row-right"))
    for group, code in (("batch", "batch"), ("row", "row")):
        if not any(j.case.label in fine for j in matrix):
            break  # wrong everywhere
        bad = [j for j in mine if j.case.group == group]
        silent = next((j for j in bad if j.status in ("differs", "nan")), None)
        raised = next((j for j in bad if j.status in ("raises", "shape")), None)
        if silent:
            found.append(Finding(f"{code}-differs", {"shape": silent.case.label}))
        if raised:
            found.append(Finding(f"{code}-raises", {"shape": raised.case.label}))
    if lent := [name for name in loaded.lent if name not in ("np", "numpy", "math")]:
        found.append(Finding("lent", {"names": ", ".join(lent)}))
    if sent.printed.strip():
        found.append(Finding("prints", {"text": sent.printed.strip().splitlines()[0][:60]}))
    return found


def _hindrances(judged: Sequence[Judged]) -> list[Finding]:
    """Return what kept the function from an answer: something that the fence refuses, or a module that is not there."""
    for j in judged:
        if j.said and j.status == "raises" and j.hindrance:
            code = "refused" if j.said.get("refused") else "module"
            return [Finding(code, {"what": j.hindrance, **j.said})]
    return []


def _digits(judged: Sequence[Judged]) -> list[Finding]:
    found: list[Finding] = []
    if any(j.status == "differs" for j in judged):
        return found
    if j := next((j for j in judged if j.status == "imprecise"), None):
        found.append(Finding("imprecise", {"dtype": j.precision, "shape": j.case.label}))
    if j := next((j for j in judged if j.inside), None):
        found.append(Finding("narrow-inside", {"dtype": j.precision}))
    return found


def _writes(
    plan: Sequence[Case], answers: Sequence[Plain | None], roles: Sequence[str], names: Sequence[str]
) -> list[Finding]:
    """Return the first change to each argument, with what it was before and after."""
    found: dict[str, Finding] = {}
    for i, case in enumerate(plan):
        exact = answers[2 * i]
        answer = answers[2 * i + 1] if exact is None or "after" not in exact else exact
        if answer is None or not isinstance(answer.get("after"), list):
            continue
        for role, name, after in zip(roles, names, answer["after"], strict=False):
            given = case.arguments.get(role)
            if name in found or not isinstance(given, np.ndarray) or after is None:
                continue
            if answer is exact and isinstance(after, dict) and encode_argument(given) == _sent(after):
                continue
            now = read_value(after, several=False).arrays[0]
            if now is None or now.shape != given.shape or not _unchanged(given, now):
                said = {"argument": name, "before": _flat(given), "after": "?" if now is None else _flat(now)}
                others = {n: case.arguments.get(r) for r, n in zip(roles, names, strict=False) if n != name}
                rest = ", ".join(f"{n} = {_flat(x)}" for n, x in others.items() if isinstance(x, np.ndarray))
                found[name] = Finding("writes", {**said, "shape": case.label, **({"others": rest} if rest else {})})
    return list(found.values())


def _sent(after: Mapping[str, Any]) -> dict[str, Any]:
    return {k: after.get(k) for k in ("shape", "items")}


def _unchanged(given: Array, now: Array) -> bool:
    """Whether an argument holds what was passed: exactly, or as the float that stood for it."""
    for x, y in zip(given.flat, now.flat, strict=True):
        if isinstance(y, Number):
            if not y.same(x):
                return False
        elif y != to_float(x):
            return False
    return True


def _flat(array: Array) -> str:
    items = [str(x) if isinstance(x, Number) else repr(float(x)) for x in array.flat]
    return "[" + ", ".join(items[:8]) + (", …" if len(items) > 8 else "") + "]"


def _shares(
    plan: Sequence[Case], answers: Sequence[Plain | None], names: Sequence[str], roles: Sequence[str]
) -> list[Finding]:
    arrays = [n for n, r in zip(names, roles, strict=False) if r not in ("axis", "width", "scale", "nothing")]
    for answer in answers[: 2 * len(plan)]:
        if answer is not None and isinstance(answer.get("shares"), list):
            for name, shared in zip(arrays, answer["shares"], strict=False):
                if shared is True:
                    return [Finding("shares", {"argument": name})]
    return []


def _repeats(first: Sequence[Plain | None], again: Sequence[Plain | None]) -> list[Finding]:
    for one, two in zip(first, again, strict=True):
        if one is not None and two is not None and "value" in one and one["value"] != two.get("value"):
            return [Finding("not-repeatable")]
    return []


def _float64_gives(answer: Plain | None) -> str:
    if answer is None or not isinstance(answer.get("value"), dict):
        return ""
    return str(answer["value"].get("dtype"))[:40]


def _dtypes(probed: Mapping[str, Plain | None], first: Plain | None, kind: Kind) -> list[Finding]:
    found = []
    answer = probed.get("float32")
    if answer is not None and "value" in answer:
        for dtype in read_value(answer["value"], several=kind == "attention-backward").dtypes:
            if dtype.startswith("float") and dtype != "float32":
                found.append(Finding("dtype", {"given": "float32", "returned": dtype}))
                break
    if (dtype := _float64_gives(first)) in ("float32", "float16"):
        found.append(Finding("precision", {"returned": dtype}))
    answer = probed.get("integers")
    if answer is not None and "error" in answer:
        found.append(Finding("integers-raise", {"error": str(answer["error"])[:80]}))
    elif answer is not None and "value" in answer:
        dtype = read_value(answer["value"], several=False).dtypes[0]
        if dtype.startswith(("int", "uint")):
            found.append(Finding("integers-cut", {"returned": dtype}))
    return found


def _types(answers: Sequence[Plain | None], kind: Kind) -> list[Finding]:
    value = next((a["value"] for a in answers if a is not None and isinstance(a.get("value"), dict)), None)
    if value is None or kind == "attention-backward":
        return []
    name = str(value.get("type"))[:40]
    if name == "ndarray":
        return []
    return [Finding("returns-number") if value.get("shape") == [] else Finding("returns", {"type": name})]


def _all_zero(answer: Plain | None) -> bool:
    if answer is None or "value" not in answer:
        return False
    array = read_value(answer["value"], several=False).arrays[0]
    return array is not None and array.size > 0 and all(abs(to_float(x)) < 1e-9 for x in array.flat)


def _masks(probed: Mapping[str, Plain | None], kind: Kind) -> list[Finding]:
    found = []
    for name, code in (("masked", "nan-masked"), ("all masked", "nan-all-masked"), ("large", "overflows")):
        answer = probed.get(name)
        if answer is None or "value" not in answer:
            continue
        array = read_value(answer["value"], several=False).arrays[0]
        if array is None:
            continue
        values = [to_float(x) for x in array.flat]
        if any(x != x or abs(x) == float("inf") for x in values):
            found.append(Finding(code))
        elif name == "all masked" and kind == "softmax":
            found.append(Finding("all-masked-value", {"value": "[" + ", ".join(f"{x:g}" for x in values) + "]"}))
    return found


# ---- the challenge --------------------------------------------------------------------------------------------------


def requirements(
    loaded: Loaded,
    roles: Sequence[str],
    plan: Sequence[Case],
    answers: Sequence[Plain | None],
    extra: Sequence[Probe],
    judged: Sequence[Judged],
    findings: Sequence[Finding],
) -> tuple[Requirement, ...]:
    """Return what the challenge asks for, one by one: values, shape, no writing, no loop, no Jacobian."""
    probed = {p.name: a for p, a in zip(extra, answers[2 * len(plan) :], strict=True)}
    plain = [j for j in judged if not j.case.symbolic]
    unknown = any(j.hindered for j in plain)
    raised = unknown or any(j.status == "raises" for j in plain)
    wrong = any(j.status in ("differs", "nan", "type", "raises") and not j.hindered for j in plain)
    shapeless = any(j.status == "shape" for j in plain)
    bad = shapeless or any(j.status == "type" for j in plain) or any(f.code.startswith("returns") for f in findings)
    writes = next((f for f in findings if f.code == "writes"), None)
    steps, peaks = _measures(probed, "steps", STEP_SIZES), _measures(probed, "memory", MEMORY_SIZES)
    return (
        Requirement("values", None if (unknown or shapeless) and not wrong else not wrong),
        Requirement("shape", None if raised and not bad else not bad),
        Requirement("no-writing", False if writes else None if raised else True, writes.data if writes else {}),
        _no_loop(steps),
        _too_much(probed) or _no_jacobian(peaks, loaded, steps),
    )


def _measures(probed: Mapping[str, Plain | None], what: str, sizes: Sequence[int]) -> list[int] | None:
    found = []
    for T in sizes:
        answer = probed.get(f"{what} {T}")
        value = None if answer is None else answer.get("peak" if what == "memory" else "steps")
        if type(value) is not int:
            return None
        found.append(value)
    return found


def _no_loop(steps: Sequence[int] | None) -> Requirement:
    """Judge how Python's own steps grow: not at all, or with the rows (T), the cells (T²), the Jacobian's (T³)."""
    if steps is None:
        return Requirement("no-loop", None)
    few, some, many = steps
    data = {"steps": ", ".join(f"T = {T}: {n}" for T, n in zip(STEP_SIZES, steps, strict=True))}
    if many - some < STEP_SIZES[2] - STEP_SIZES[1]:
        return Requirement("no-loop", True, data)
    growth = (many - some) / max(1, some - few)
    power = "T" if growth < 2.8 else "T²" if growth < 5.6 else "T³" if growth < 11 else "T⁴"
    return Requirement("no-loop", False, {**data, "growth": power})


def _too_much(probed: Mapping[str, Plain | None]) -> Requirement | None:
    """Judge memory that one size has room for and the next, twice as large, has not: more than T³."""
    first, second = (probed.get(f"memory {T}") for T in MEMORY_SIZES)
    if first is None or second is None or second.get("error") != "MemoryError" or type(first.get("peak")) is not int:
        return None
    peak = f"T = {MEMORY_SIZES[0]}: {first['peak'] // 1024} KiB, T = {MEMORY_SIZES[1]}: MemoryError"
    return Requirement("no-jacobian", False, {"peak": peak, "growth": "T⁴"})


def _no_jacobian(peaks: Sequence[int] | None, loaded: Loaded, steps: Sequence[int] | None) -> Requirement:
    """Judge the peak of memory: some arrays of T², or one of T³ at least; or a Jacobian a row, inside a loop."""
    if peaks is None:
        return Requirement("no-jacobian", None)
    small, large = peaks
    T = MEMORY_SIZES[1]
    data = {"peak": ", ".join(f"T = {T}: {n // 1024} KiB" for T, n in zip(MEMORY_SIZES, peaks, strict=True))}
    if large > 8 * T**3 // 2 and large > 5.6 * small:
        return Requirement("no-jacobian", False, {**data, "growth": "T³" if large < 11 * small else "T⁴"})
    looping = steps is not None and _no_loop(steps).met is False
    if looping and (named := sorted(loaded.names & BUILDS_JACOBIAN)):
        return Requirement("no-jacobian", False, {**data, "growth": "", "names": ", ".join(named)})
    return Requirement("no-jacobian", True, data)
