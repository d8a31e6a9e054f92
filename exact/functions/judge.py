"""Judges single answers of a reader's function: is an array what it should be.

Imports NumPy and the standard library only.  What a child process sent is read with suspicion, compared with the truth
that this process computes, and given a status; an answer on exact numbers counts before one in floats, and the two have
to tell the same story.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, Final, Literal

import numpy as np

from exact.functions.cases import Array, Case, Kind, attention_truth
from exact.functions.exact_numbers import Inexact, Number, from_terms
from exact.functions.observation import Observation, equal, to_float

__all__ = ["NEAR", "Judged", "Nonsense", "Status", "encode_argument", "judge", "read_number", "read_value", "truth_of"]

Status = Literal["agrees", "rounds", "imprecise", "differs", "nan", "shape", "type", "raises", "no answer"]

MAX_ITEMS: Final = 20_000
MAX_ATOMS: Final = 64
UNITS: Final = {"float32": Fraction(1, 1 << 24), "float16": Fraction(1, 1 << 11)}  # half a unit in the last place
NEAR: Final = {"float32": Fraction(1, 1 << 14), "float16": Fraction(1, 64)}  # of the largest entry: what is right
FAR: Final = {"float32": Fraction(1, 1 << 12), "float16": Fraction(1, 16)}  # of the largest entry: what is wrong
_FRACTION: Final = re.compile(r"-?[0-9]{1,7000}(/[0-9]{1,7000})?", re.ASCII)
_FLOAT: Final = re.compile(r"-?(0x[0-9a-f.]{1,40}p[+-]?[0-9]{1,5}|inf|nan)", re.ASCII)
_KEYS: Final = frozenset({"q", "query", "queries", "k", "key", "keys", "v", "value", "values"})
_ATOM: Final = re.compile(r"log [1-9][0-9]{0,11}|[ag][0-9]{1,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Value:
    """What a call returned: one array or several, each None where it is no array of numbers; `type`: of the whole.

    `shape`: of the one array, where it has one but does not hold real numbers.
    """

    type: str
    arrays: tuple[Array | None, ...]
    dtypes: tuple[str, ...]
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The status of one case; `observation` where there are numbers to compare, `said`: the error or the type instead.

    `artefact`: exact numbers gave something else than floats, which count then.  `precision`: "float32" or "float16"
    where floats were judged by so few digits; `inside`: though the answer came in more.
    """

    case: Case
    status: Status
    observation: Observation | None = None
    said: Mapping[str, str] | None = None
    artefact: bool = False
    precision: str = ""
    inside: bool = False

    @property
    def hindered(self) -> bool:
        """Whether it says nothing of the function: no answer, too few digits, or something that it may not have."""
        stopped = self.said is not None and (self.said.get("error") == "MemoryError" or bool(self.hindrance))
        return self.status in ("no answer", "imprecise") or (self.status == "raises" and stopped)

    @property
    def hindrance(self) -> str:
        """What the fence refused it, or the module that is not there; "" for neither."""
        return "" if self.said is None else self.said.get("refused") or self.said.get("module") or ""


# ---- reading what the child sent ------------------------------------------------------------------------------------


def encode_argument(value: Array | int | Fraction | None, dtype: str | None = None) -> object:
    """Return an argument for the child: numbers as text."""
    if isinstance(value, np.ndarray):
        items = [_encode(x) for x in value.flat]
        return {"shape": list(value.shape), "items": items, **({"dtype": dtype} if dtype else {})}
    return float(value) if isinstance(value, Fraction) else value


def _encode(x: Any) -> object:
    if not isinstance(x, Number):
        return str(x)
    if (value := x.rational) is not None:
        return str(value)
    return [[[list(atom) for atom in monomial], str(c)] for monomial, c in x.terms.items()]


class Nonsense(ValueError):
    """The child sent something that no honest child sends."""


def read_value(sent: object, several: bool) -> Value:
    """Return what a call returned, from what the child sent; `Nonsense` where that is malformed.

    `several`: a tuple or list is read as several answers, else as one array.
    """
    try:
        return _read_value(sent, several)
    except (ValueError, TypeError, KeyError, OverflowError, ArithmeticError) as error:
        raise Nonsense(str(error)) from None


def _read_value(sent: object, several: bool) -> Value:
    if not isinstance(sent, dict):
        raise ValueError("no object")
    kind = str(sent.get("type"))[:80]
    if listed := "length" in sent:
        if several:
            parts = [_read_value(part, several=False) for part in _by_name(sent)]
            return Value(kind, tuple(p.arrays[0] for p in parts), tuple(p.dtypes[0] for p in parts))
        whole = sent["whole"]
        sent = whole if isinstance(whole, dict) else {}
    if "items" not in sent:
        return Value(kind, (None,), ("",))
    items, shape = _list(sent["items"]), [_size(n) for n in _list(sent["shape"])]
    if len(items) > MAX_ITEMS or prod(shape) != len(items):
        raise ValueError("a shape that does not fit")
    array = np.empty(len(items), object)
    array[:] = read = [_item(x) for x in items]
    if any(x is None for x in read):
        return Value(kind, (None,), (str(sent.get("dtype"))[:40],), None if listed else tuple(shape))
    return Value(kind, (array.reshape(shape),), (str(sent.get("dtype"))[:40],))


def _by_name(sent: dict[str, Any]) -> list[Any]:
    """Return the parts of what was sent: those of a dict in the order dQ, dK, dV, by its keys."""
    parts = _list(sent["parts"])
    if "keys" not in sent:
        return parts
    keys = [re.sub("^(gradient|grad|d)", "", str(k).lower().replace("_", "")) for k in _list(sent["keys"])]
    named = {k[:1]: part for k, part in zip(keys, parts, strict=True) if k in _KEYS}
    return [named[k] for k in "qkv" if k in named]


def read_number(sent: object) -> Fraction | None:
    """Return a single rational that the child sent, a float as the fraction it is; None for what is no number."""
    try:
        x = _item(sent)
        return x.rational if isinstance(x, Number) else None if x is None else Fraction(x)
    except (ValueError, TypeError, KeyError, OverflowError, ArithmeticError) as error:
        raise Nonsense(str(error)) from None


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("no list")
    return value


def _size(value: object) -> int:
    if type(value) is not int or not 0 <= value <= MAX_ITEMS:
        raise ValueError("no size")
    return value


def _item(value: object) -> Any:
    if isinstance(value, str) and _FRACTION.fullmatch(value):
        return Number(_fraction(value))
    if isinstance(value, list):
        terms = []
        for monomial, c in value:
            atoms = tuple((atom, k) for atom, k in monomial)
            fits = all(_ATOM.fullmatch(a) and type(k) is int and 0 < k < 64 for a, k in atoms)
            if len(atoms) > MAX_ATOMS or not fits:
                raise ValueError("no product of logarithms and symbols")
            terms.append((atoms, _fraction(c)))
        return from_terms(terms)
    if isinstance(value, dict) and isinstance(text := value.get("float"), str) and _FLOAT.fullmatch(text):
        return float.fromhex(text)
    if isinstance(value, dict) and (value.keys() == {"other"} or value.keys() == {"bool"}):
        return None
    raise ValueError("no number")


def _fraction(text: object) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError("no fraction")
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ValueError("a denominator of 0")
    return Fraction(_integer(top), _integer(bottom or "1"))


def _integer(digits: str) -> int:
    """Return an integer of up to 7000 digits, past Python's own limit of 4300."""
    negative, digits = digits.startswith("-"), digits.lstrip("-")
    head, tail = digits[:-3500], digits[-3500:]
    value: int = int(head or "0") * 10 ** len(tail) + int(tail)
    return -value if negative else value


# ---- judging --------------------------------------------------------------------------------------------------------


def truth_of(case: Case, kind: Kind, count: int, values: bool) -> tuple[Array, ...] | None:
    """Return what `count` answers should be; None where a kind has not so many."""
    if kind != "attention-backward":
        return case.truth if count == 1 else None
    truth = attention_truth(case, values)
    return truth[:count] if count in (2, 3) and count <= len(truth) else None


def slack_of(case: Case, roles: Sequence[str], truth: Sequence[Array], precision: str) -> tuple[float, float]:
    """Return how far a right answer in floats may be off, and from where on an answer is wrong.

    A sum of n products of the arguments passes through fewer than 64(n + 4) roundings, and none moves it by more than
    half a unit of the largest value on the way, which the product of (1 + largest entry) bounds.  In float64 that bound
    is far below every entry.  In fewer digits it is not: there the answer has to come within a small part of its
    largest entry, it is wrong from a larger part on, and between the two the digits do not tell.
    """
    largest, longest = 1.0, 1
    for role in roles:
        value = case.arguments.get(role)
        if isinstance(value, np.ndarray) and value.size:
            longest = max(longest, *value.shape)
            if not case.symbolic:
                largest *= 1 + max(abs(to_float(x)) for x in value.flat)
    derived = 64 * (longest + 4) * largest * float(UNITS.get(precision, Fraction(1, 1 << 53)))
    if not precision or case.symbolic:
        return derived, derived
    scale = max((abs(to_float(x)) for array in truth for x in array.flat), default=0.0)
    if not scale:  # the answer is 0: some roundings of the largest product are all that is left
        return (few := 8 * largest * float(UNITS[precision])), few
    return min(derived, scale * float(NEAR[precision])), min(derived, scale * float(FAR[precision]))


def judge(
    kind: Kind,
    case: Case,
    roles: Sequence[str],
    exact: Mapping[str, Any] | None,
    rounded: Mapping[str, Any] | None,
    narrow: str = "",
) -> Judged:
    """Return the status of a case from the child's answers on exact numbers and in float64; None: no answer came.

    `narrow`: the precision that the code names; an answer that float64 says is wrong is judged by that too.
    Raises `Nonsense` where an answer is malformed.
    """
    first = _judge_one(kind, case, roles, exact)
    if case.symbolic:
        return first
    second = _judge_one(kind, case, roles, rounded)
    if second.status == "differs" and narrow in UNITS and narrow != second.precision:
        fewer = _judge_one(kind, case, roles, rounded, narrow)
        second = second if fewer.status == "differs" else replace(fewer, inside=True)
    if first.status == "raises" and not (first.said and first.said["error"] == "ended"):
        return second
    if second.status == "no answer" or first.status == second.status:
        return first
    if first.status == "agrees":
        return first if second.status in ("rounds", "imprecise") else second
    if second.status == "rounds":  # floats agree: only a difference too small for them counts
        weak = bool(second.precision) or (first.observation is not None and _is_small(first.observation))
        return first if first.observation and weak else Judged(case, "rounds", second.observation, None, True)
    return first


def _is_small(o: Observation) -> bool:
    return len(o.claimed) == len(o.truth) and all(
        x.shape == y.shape and equal(_as_floats(x), _as_floats(y), 1e-6)
        for x, y in zip(o.claimed, o.truth, strict=True)
    )


def _as_floats(array: Array) -> Array:
    found = np.empty(array.size, object)
    found[:] = [to_float(x) for x in array.flat]
    return found.reshape(array.shape)


def _judge_one(
    kind: Kind, case: Case, roles: Sequence[str], answer: Mapping[str, Any] | None, narrow: str = ""
) -> Judged:
    if answer is None:
        return Judged(case, "no answer")
    if "error" in answer:
        keys = ("error", "message", "line", *(k for k in ("refused", "module") if k in answer))
        return Judged(case, "raises", None, {k: str(answer.get(k))[:300] for k in keys})
    value = read_value(answer.get("value"), several=kind == "attention-backward")
    arrays = [x for x in value.arrays if x is not None]
    truth = truth_of(case, kind, len(value.arrays), values="V" in roles)
    if not arrays or len(arrays) != len(value.arrays) or truth is None:
        if value.shape is not None and len(value.arrays) == 1:
            return Judged(case, "type", None, {"type": value.type, "dtype": value.dtypes[0]})
        what = f"{value.type} of {len(value.arrays)}" if len(value.arrays) != 1 and truth is None else value.type
        return Judged(case, "shape", None, {"type": what})
    items = [x for array in arrays for x in array.flat]
    exact = all(isinstance(x, Number) for x in items)
    precision = "" if exact else narrow or next((d for d in ("float16", "float32") if d in value.dtypes), "")
    near, far = (0.0, 0.0) if exact else slack_of(case, roles, truth, precision)
    observation = Observation(case, tuple(arrays), truth, near)
    if any(x.shape != y.shape for x, y in zip(arrays, truth, strict=True)):
        shapes = " ".join(str(x.shape).replace(" ", "") for x in arrays)
        return Judged(case, "shape", observation, {"type": value.type, "shape": shapes})
    if any(isinstance(x, float) and x != x for x in items):
        return Judged(case, "nan", observation)

    def same(slack: float) -> bool:
        return all(equal(x, y, slack) for x, y in zip(arrays, truth, strict=True))

    try:
        if same(near):
            return Judged(case, "agrees" if exact else "rounds", observation, precision=precision)
        status: Status = "imprecise" if near < far and same(far) else "differs"
    except Inexact:  # floats beside symbols: not an answer to this case
        return Judged(case, "raises", None, {"error": "Inexact", "message": "", "line": ""})
    return Judged(case, status, observation, precision=precision)
