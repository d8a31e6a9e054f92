"""Judges single answers of a reader's function: is an array what it should be.

Imports NumPy and the standard library only.  What a child process sent is read with suspicion, compared with the truth
that this process computes, and given a status; an answer on exact numbers counts before one in floats, and the two have
to tell the same story.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final, Literal

import numpy as np

from exact.functions.cases import Array, Case, Kind, attention_truth
from exact.functions.exact_numbers import Inexact, Number, from_terms
from exact.functions.observation import Observation, equal, to_float

__all__ = ["Judged", "Nonsense", "Status", "encode_argument", "judge", "read_number", "read_value", "truth_of"]

Status = Literal["agrees", "rounds", "differs", "nan", "shape", "raises", "no answer"]

MAX_ITEMS: Final = 20_000
MAX_ATOMS: Final = 64
_FRACTION: Final = re.compile(r"-?[0-9]{1,7000}(/[0-9]{1,7000})?", re.ASCII)
_FLOAT: Final = re.compile(r"-?(0x[0-9a-f.]{1,40}p[+-]?[0-9]{1,5}|inf|nan)", re.ASCII)
_ATOM: Final = re.compile(r"log [1-9][0-9]{0,11}|[ag][0-9]{1,3}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Value:
    """What a call returned: one array or several, each None where it is no array of numbers; `type`: of the whole."""

    type: str
    arrays: tuple[Array | None, ...]
    dtypes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The status of one case; `observation` where there are numbers to compare, `said`: the error or the type instead.

    `artefact`: exact numbers gave something else than floats, which count then.
    """

    case: Case
    status: Status
    observation: Observation | None = None
    said: Mapping[str, str] | None = None
    artefact: bool = False


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
    if "length" in sent:
        if several:
            parts = [_read_value(part, several=False) for part in _list(sent["parts"])]
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
        return Value(kind, (None,), (str(sent.get("dtype"))[:40],))
    return Value(kind, (array.reshape(shape),), (str(sent.get("dtype"))[:40],))


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


def slack_of(case: Case, roles: Sequence[str], dtypes: Sequence[str]) -> float:
    """Return how far a right answer in floats may be off.

    A sum of n products of the arguments passes through fewer than 64(n + 4) roundings, and none moves it by more than
    half a unit of the largest value on the way, which the product of (1 + largest entry) bounds.
    """
    largest, longest = 1.0, 1
    for role in roles:
        value = case.arguments.get(role)
        if isinstance(value, np.ndarray) and value.size:
            longest = max(longest, *value.shape)
            if not case.symbolic:
                largest *= 1 + max(abs(to_float(x)) for x in value.flat)
    unit = max((2.0**-24 if d == "float32" else 2.0**-11 if d == "float16" else 2.0**-53) for d in (*dtypes, ""))
    return 64 * (longest + 4) * largest * unit


def judge(
    kind: Kind, case: Case, roles: Sequence[str], exact: Mapping[str, Any] | None, rounded: Mapping[str, Any] | None
) -> Judged:
    """Return the status of a case from the child's answers on exact numbers and in float64; None: no answer came.

    Raises `Nonsense` where an answer is malformed.
    """
    first = _judge_one(kind, case, roles, exact)
    if case.symbolic:
        return first
    second = _judge_one(kind, case, roles, rounded)
    if first.status == "raises" and not (first.said and first.said["error"] == "ended"):
        return second
    if second.status == "no answer" or first.status == second.status:
        return first
    if first.status == "agrees":
        return first if second.status == "rounds" else second
    if second.status == "rounds":  # floats agree: only a difference too small for them counts
        return (
            first
            if first.observation and _is_small(first.observation)
            else Judged(case, "rounds", second.observation, None, True)
        )
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


def _judge_one(kind: Kind, case: Case, roles: Sequence[str], answer: Mapping[str, Any] | None) -> Judged:
    if answer is None:
        return Judged(case, "no answer")
    if "error" in answer:
        said = {k: str(answer.get(k))[:300] for k in ("error", "message", "line")}
        return Judged(case, "raises", None, said)
    value = read_value(answer.get("value"), several=kind == "attention-backward")
    arrays = [x for x in value.arrays if x is not None]
    truth = truth_of(case, kind, len(value.arrays), values="V" in roles)
    if not arrays or len(arrays) != len(value.arrays) or truth is None:
        what = f"{value.type} of {len(value.arrays)}" if len(value.arrays) != 1 and truth is None else value.type
        return Judged(case, "shape", None, {"type": what})
    items = [x for array in arrays for x in array.flat]
    slack = 0.0 if all(isinstance(x, Number) for x in items) else slack_of(case, roles, value.dtypes)
    observation = Observation(case, tuple(arrays), truth, slack)
    if any(x.shape != y.shape for x, y in zip(arrays, truth, strict=True)):
        shapes = " ".join(str(x.shape).replace(" ", "") for x in arrays)
        return Judged(case, "shape", observation, {"type": value.type, "shape": shapes})
    if any(isinstance(x, float) and x != x for x in items):
        return Judged(case, "nan", observation)
    try:
        same = all(equal(x, y, slack) for x, y in zip(arrays, truth, strict=True))
    except Inexact:  # floats beside symbols: not an answer to this case
        return Judged(case, "raises", None, {"error": "Inexact", "message": "", "line": ""})
    if not same:
        return Judged(case, "differs", observation)
    return Judged(case, "agrees" if all(isinstance(x, Number) for x in items) else "rounds", observation)
