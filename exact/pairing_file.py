"""Reads a pairing from JSON, or makes one of a Python function; `exact.involution` judges it.

Imports exact.involution, exact.functions.sandbox, exact.rationals, and the standard library.

A file holds a JSON object; `read_pairing` reads it:

=============  =====================================================================================================
"domain"       "signs" or "subsets"
"size"         n, from 1 to 16; for a flip or the complement it may be left out: every size up to 64 is then tried
"pairing"      {"flip": [r, …]}, of coordinates counted from 0, or of elements counted from 1; "complement";
               {"partner": [p, …]}, an integer for each of 0 … 2^n − 1; or {"pairs": [[x, y], …]} with x and y written
               out: [1, -1, 1] is a sign vector, [1, 3] a subset.  A pair holds in both directions
"weight"       {"term": [r, …]}, the product of these coordinates; "parity", which is (−1)^|S|; or
               {"values": ["1/2", …]}, one for each of 0 … 2^n − 1.  Left out: the term [0, 1], or the parity
=============  =====================================================================================================
"""

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from exact.functions.judge import Nonsense, read_number
from exact.functions.sandbox import Limits, open_session
from exact.involution import (
    EVERYWHERE,
    MAX_SIZE,
    Domain,
    Everywhere,
    Pairing,
    complement,
    examine_everywhere,
    flip,
    parity,
    term_weight,
    thing_as_list,
    write_thing,
)
from exact.rationals import BadInput, read_rational

__all__ = ["call_pairing", "read_pairing"]

MAX_BYTES: Final = 4 << 20
MAX_CALLED_SIZE: Final = 10


# ---- from JSON ------------------------------------------------------------------------------------------------------


def read_pairing(text: str) -> Pairing | Everywhere:
    """Read a pairing from JSON, examined at once where no size is given; `BadInput` says what is wrong, and where."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise BadInput(f"a pairing must have at most {MAX_BYTES} bytes")
    try:
        data = json.loads(text, object_pairs_hook=_once)
    except RecursionError:
        raise BadInput("a pairing is not nested so deeply") from None
    except ValueError as error:
        raise BadInput(f"a pairing is a JSON object: {error}") from None
    _keys("the pairing", data, ("domain", "pairing"), ("size", "weight"))
    domain = data["domain"]
    if domain not in ("signs", "subsets"):
        raise BadInput(f'domain: expected "signs" or "subsets", found {_quote(domain)}')
    size = data.get("size")
    if size is None:
        return _read_everywhere(domain, data)
    if type(size) is not int or not 1 <= size <= MAX_SIZE:
        raise BadInput(f"size: expected a whole number from 1 to {MAX_SIZE}, found {_quote(size)}")
    weight, term = _read_weight(domain, size, data.get("weight"))
    return Pairing(domain, size, _read_partners(domain, size, data["pairing"]), weight, term)


def _read_everywhere(domain: Domain, data: dict[str, Any]) -> Everywhere:
    pairing, weight = data["pairing"], data.get("weight")
    if pairing == "complement":
        bits = None
    elif isinstance(pairing, dict) and pairing.keys() == {"flip"}:
        bits = _bits(domain, EVERYWHERE, pairing["flip"])
    else:
        raise BadInput('size: a size is needed, except where pairing is {"flip": […]} or "complement"')
    if weight is None:
        return examine_everywhere(domain, bits, (0, 1) if domain == "signs" else None)
    if weight == "parity":
        return examine_everywhere(domain, bits, None)
    _keys("weight", weight, ("term",), ())
    return examine_everywhere(domain, bits, _indices("weight.term", weight["term"], 0, EVERYWHERE - 1))


def _read_partners(domain: Domain, size: int, value: object) -> tuple[int | None, ...]:
    if value == "complement":
        return complement(size)
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ("flip", "partner", "pairs"):
        raise BadInput('pairing: expected {"flip": […]}, {"partner": […]}, {"pairs": […]} or "complement"')
    (key, inside) = next(iter(value.items()))
    if key == "flip":
        return flip(size, *(1 << r for r in _bits(domain, size, inside)))
    if not isinstance(inside, list):
        raise BadInput(f"pairing.{key}: expected an array, found {_quote(inside)}")
    if key == "partner":
        if len(inside) != 1 << size:
            raise BadInput(f"pairing.partner: expected {1 << size} entries, found {len(inside)}")
        for i, p in enumerate(inside):
            if type(p) is not int:
                raise BadInput(f"pairing.partner[{i}]: expected a whole number, found {_quote(p)}")
        return tuple(p if 0 <= p < 1 << size else None for p in inside)
    partner: dict[int, int] = {}
    for i, pair in enumerate(inside):
        if not isinstance(pair, list) or len(pair) != 2:
            raise BadInput(f"pairing.pairs[{i}]: expected an array of two, found {_quote(pair)}")
        x, y = (_thing(f"pairing.pairs[{i}][{j}]", domain, size, part) for j, part in enumerate(pair))
        for one, two in ((x, y), (y, x)):
            if partner.get(one, two) != two:
                raise BadInput(f"pairing.pairs[{i}]: {write_thing(domain, size, one)} has a partner already")
            partner[one] = two
    return tuple(partner.get(x) for x in range(1 << size))


def _thing(place: str, domain: Domain, size: int, value: object) -> int:
    """Return a thing that is written out; `BadInput` where it is none."""
    if not isinstance(value, list):
        raise BadInput(f"{place}: expected an array, found {_quote(value)}")
    if domain == "signs":
        if len(value) != size or any(type(x) is not int or x not in (1, -1) for x in value):
            raise BadInput(f"{place}: expected {size} signs, 1 or -1, found {_quote(value)}")
        return sum(1 << r for r, x in enumerate(value) if x < 0)
    if any(type(x) is not int or not 1 <= x <= size for x in value) or len(set(value)) != len(value):
        raise BadInput(f"{place}: expected different elements from 1 to {size}, found {_quote(value)}")
    return sum(1 << x - 1 for x in value)


def _read_weight(domain: Domain, size: int, value: object) -> tuple[tuple[Fraction, ...], tuple[int, ...] | None]:
    if value is None and domain == "signs":
        if size < 2:
            raise BadInput('weight: the usual term [0, 1] needs a size of 2; give {"term": [0]}')
        value = {"term": [0, 1]}
    if value is None or value == "parity":
        return parity(size), tuple(range(size))
    if not isinstance(value, dict) or len(value) != 1 or next(iter(value)) not in ("term", "values"):
        raise BadInput('weight: expected {"term": […]}, {"values": […]} or "parity"')
    if "term" in value:
        term = _indices("weight.term", value["term"], 0, size - 1)
        return term_weight(size, term), term
    values = value["values"]
    if not isinstance(values, list) or len(values) != 1 << size:
        raise BadInput(f"weight.values: expected an array of {1 << size} numbers")
    return tuple(_value(f"weight.values[{i}]", x) for i, x in enumerate(values)), None


def _value(place: str, value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadInput(f'{place}: expected a whole number or a fraction as text, such as "1/2", found {_quote(value)}')
    try:
        return read_rational(value)
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from None


def _bits(domain: Domain, size: int, value: object) -> tuple[int, ...]:
    """Return the bits of a flip: coordinates count from 0, elements of subsets from 1."""
    first = int(domain == "subsets")
    found = _indices("pairing.flip", value, first, size - 1 + first)
    if len(set(found)) != len(found):
        raise BadInput("pairing.flip: a flip names each coordinate once")
    return tuple(r - first for r in found)


def _indices(place: str, value: object, low: int, high: int) -> tuple[int, ...]:
    if not isinstance(value, list) or len(value) > 4 * EVERYWHERE:
        raise BadInput(f"{place}: expected an array of whole numbers from {low} to {high}")
    for i, r in enumerate(value):
        if type(r) is not int or not low <= r <= high:
            raise BadInput(f"{place}[{i}]: expected a whole number from {low} to {high}, found {_quote(r)}")
    return tuple(value)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in an object")
    return found


def _keys(place: str, value: object, needed: Sequence[str], allowed: Sequence[str]) -> None:
    if not isinstance(value, dict):
        raise BadInput(f"{place}: expected an object, found {_quote(value)}")
    for key in needed:
        if key not in value:
            raise BadInput(f'{place}: the key "{key}" is missing')
    for key in value:
        if key not in (*needed, *allowed):
            raise BadInput(f"{place}: the key {_quote(key)} is not one of {', '.join((*needed, *allowed))}")


def _quote(value: object) -> str:
    text = (
        json.dumps(value, ensure_ascii=False) if not isinstance(value, int) or abs(value) < 10**20 else "a long number"
    )
    return text if len(text) <= 40 else text[:37] + "…"


# ---- from Python ----------------------------------------------------------------------------------------------------


def call_pairing(
    source: str,
    name: str,
    domain: Domain,
    size: int,
    weight: str | None = None,
    limits: Limits | None = None,
    file: str = "<code>",
) -> Pairing:
    """Return the pairing that a function is: it takes a tuple of signs, or a frozenset, and returns another.

    `weight` names a second function, from such a thing to a whole number or a Fraction; without it the weight is the
    term k_0 k_1, or (−1)^|S|.  Both run in a child process, once for each of 2^size things; size is at most 10.
    Raises `BadInput` where a function cannot be run, or returns no thing and no weight.
    """
    if not 1 <= size <= MAX_CALLED_SIZE:
        raise BadInput(f"a pairing that is a function is tried at sizes 1 to {MAX_CALLED_SIZE} (got {size})")
    partners = _call(source, name, domain, size, limits, file)
    partner = tuple(_returned(domain, size, name, x, value) for x, value in enumerate(partners))
    if weight is None:
        found, term = _read_weight(domain, size, None)
        return Pairing(domain, size, partner, found, term)
    weights = _call(source, weight, domain, size, limits, file)
    return Pairing(domain, size, partner, tuple(_weight(domain, size, weight, x, v) for x, v in enumerate(weights)))


def _call(source: str, name: str, domain: Domain, size: int, limits: Limits | None, file: str) -> list[Any]:
    kind = "tuple" if domain == "signs" else "set"
    calls = [{"mode": "float64", "arguments": [{kind: thing_as_list(domain, size, x)}]} for x in range(1 << size)]
    with open_session(source, (name,), limits or Limits(), file) as session:
        loaded = session.loaded
        if loaded.trouble:
            said = loaded.detail.get("message") or loaded.detail.get("error") or loaded.trouble
            raise BadInput(f"{file} has no function {name} that can be run ({loaded.trouble}: {said})")
        sent = session.call(calls)
    for x, answer in enumerate(sent.answers):
        if "error" in answer:
            what = f"{answer['error']}: {answer.get('message', '')}"[:200]
            raise BadInput(f"{name} raises {what} at {write_thing(domain, size, x)}")
    if sent.ended:
        why = {"time": "does not end in time", "ended": "ends the process"}.get(sent.ended, "answers nonsense")
        raise BadInput(f"{name} {why} at {write_thing(domain, size, len(sent.answers))}")
    return [answer.get("value") for answer in sent.answers]


def _returned(domain: Domain, size: int, name: str, x: int, value: object) -> int | None:
    """Return the thing that a function returned for x; None for one outside."""
    if isinstance(value, dict) and isinstance(value.get("whole"), dict):
        value = value["whole"]
    items = value.get("set", value.get("items")) if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise BadInput(
            f"{name} must return {'signs' if domain == 'signs' else 'a set'} (at {write_thing(domain, size, x)})"
        )
    try:
        numbers = [read_number(item) for item in items]
    except Nonsense:
        raise BadInput(f"{name} answers nonsense at {write_thing(domain, size, x)}") from None
    whole = [int(n) for n in numbers if n is not None and n.denominator == 1]
    try:
        return _thing("", domain, size, whole if len(whole) == len(items) else [0])
    except BadInput:
        return None


def _weight(domain: Domain, size: int, name: str, x: int, value: object) -> Fraction:
    items = value.get("items") if isinstance(value, dict) else None
    try:
        found = read_number(items[0]) if isinstance(items, list) and len(items) == 1 else None
    except Nonsense:
        found = None
    if found is None:
        raise BadInput(f"{name} must return a whole number or a Fraction (at {write_thing(domain, size, x)})")
    return found
