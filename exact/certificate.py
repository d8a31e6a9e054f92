"""Certificates as JSON: read within limits, written exactly, judged by the kernel and by nothing else.

A file holds {"format": "sqrtdk certificate", "version": 1, "certificates": [...]}, and each certificate the name of its
rule and that rule's fields, no more and no fewer.  Fractions are strings "p/q".  There is no room for a title: what a
certificate proves is what `exact.kernel.check` concludes from it.  Standard library only, so that

    python -m exact.certificate FILE

judges a certificate written by anyone, with nothing installed but Python.
"""

import io
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from exact import kernel
from exact.kernel import Rejected, Theorem, check

__all__ = ["Malformed", "dumps", "judge", "load", "loads"]

FORMAT: Final = "sqrtdk certificate"
VERSION: Final = 1
MAX_BYTES: Final = 8 << 20
MAX_DIGITS: Final = 1000
MAX_CERTIFICATES: Final = 100


class Malformed(Rejected):
    """A file is no certificate at all, so there is nothing to be true or false; the message says where."""


# ---- fields ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Field:
    """How one kind of field is read from JSON and written to it."""

    read: Callable[[object, str], Any]
    write: Callable[[Any], object]


def _expected(what: str, value: object, place: str) -> Malformed:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "an integer"}
    shown = json.dumps(value) if isinstance(value, str | int) else ""
    name = names.get(type(value), "null")
    return Malformed(f"{place}: expected {what}, found {name}" + (f" {shown}" if 0 < len(shown) <= 40 else ""))


def _read_integer(value: object, place: str) -> int:
    if type(value) is not int:
        raise _expected("an integer", value, place)
    return value


def _read_fraction(value: object, place: str) -> Fraction:
    if not isinstance(value, str) or not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", value):
        raise _expected('a fraction as a string, such as "3" or "-1/2"', value, place)
    if max(map(len, value.lstrip("-").split("/"))) > MAX_DIGITS:
        raise Malformed(f"{place}: a number has more than {MAX_DIGITS} digits")
    numerator, _, denominator = value.partition("/")
    if denominator and int(denominator) == 0:
        raise Malformed(f"{place}: the denominator of {value[:40]} is 0")
    return Fraction(int(numerator), int(denominator or 1))


def _list(entry: _Field) -> _Field:
    def read(value: object, place: str) -> tuple[Any, ...]:
        if type(value) is not list:
            raise _expected("an array", value, place)
        try:
            return tuple(entry.read(x, "") for x in value)
        except Malformed:  # read again, this time with the place of each entry
            return tuple(entry.read(x, f"{place}[{i}]") for i, x in enumerate(value))

    return _Field(read, lambda value: [entry.write(x) for x in value])


def _pair(first: _Field, second: _Field) -> _Field:
    def read(value: object, place: str) -> tuple[Any, Any]:
        if type(value) is not list or len(value) != 2:
            raise _expected("an array of two", value, place)
        return first.read(value[0], f"{place}[0]"), second.read(value[1], f"{place}[1]")

    return _Field(read, lambda value: [first.write(value[0]), second.write(value[1])])


def _or_null(field: _Field) -> _Field:
    return _Field(
        lambda value, place: None if value is None else field.read(value, place),
        lambda value: None if value is None else field.write(value),
    )


_INTEGER: Final = _Field(_read_integer, lambda value: value)
_FRACTION: Final = _Field(_read_fraction, str)
_INTEGERS: Final = _list(_INTEGER)

_RULES: Final[dict[str, tuple[type, dict[str, _Field]]]] = {
    "term": (kernel.TermRule, {"power": _INTEGER, "agree": _INTEGER, "differ": _INTEGER}),
    "pairing by table": (kernel.PairingTable, {"width": _INTEGER, "term": _INTEGERS, "partner": _INTEGERS}),
    "pairing by flip": (kernel.PairingFlip, {"width": _or_null(_INTEGER), "term": _INTEGERS, "flip": _INTEGERS}),
    "expansion": (kernel.Expansion, {"order": _INTEGER, "coefficients": _list(_INTEGERS)}),
    "moment": (
        kernel.MomentAt,
        {"query": _list(_FRACTION), "order": _INTEGER, "flips": _list(_pair(_INTEGERS, _INTEGERS))},
    ),
    "moment at every width": (
        kernel.MomentEverywhere,
        {"order": _INTEGER, "flips": _list(_pair(_INTEGER, _INTEGERS)), "alpha": _FRACTION},
    ),
    "moment from terms": (
        kernel.MomentFromTerms,
        {"order": _INTEGER, "moments": _list(_pair(_INTEGERS, _FRACTION))},
    ),
    "interpolation": (
        kernel.Interpolation,
        {"order": _INTEGER, "degree": _INTEGER, "totals": _list(_pair(_INTEGER, _INTEGER))},
    ),
}


# ---- reading --------------------------------------------------------------------------------------------------------


def _keys(value: object, expected: Sequence[str], place: str) -> dict[str, object]:
    if type(value) is not dict:
        raise _expected("an object", value, place)
    if missing := [key for key in expected if key not in value]:
        raise Malformed(f'{place}: key "{missing[0]}" is missing')
    if extra := [key for key in value if key not in expected]:
        raise Malformed(f"{place}: key {json.dumps(extra[0][:40])} is not one of " + ", ".join(expected))
    return value


def _read_certificate(value: object, place: str) -> object:
    if type(value) is not dict:
        raise _expected("an object", value, place)
    rule = value.get("rule")
    if not isinstance(rule, str) or rule not in _RULES:
        raise _expected("one of the rules " + ", ".join(_RULES), rule, f"{place}.rule")
    kind, schema = _RULES[rule]
    value = _keys(value, ["rule", *schema], place)
    return kind(**{key: field.read(value[key], f"{place}.{key}") for key, field in schema.items()})


def _read_int_literal(text: str) -> int:
    if len(text) > MAX_DIGITS + 1:
        raise Malformed(f"an integer of {len(text.lstrip('-'))} digits; the limit is {MAX_DIGITS}")
    return int(text)


def _refuse_float(text: str) -> float:
    raise Malformed(f'{text[:40]} is not exact: write a fraction as a string, such as "1/2"')


def _no_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise Malformed(f"key {json.dumps(key[:40])} stands twice in one object")
        found[key] = value
    return found


def loads(text: str | bytes) -> tuple[object, ...]:
    """Read the certificates in a JSON text, or raise `Malformed` with the place.

    At most 8 MiB, 1000 digits a number, 100 certificates, and no deeper than the rules need.  What is read is
    well-formed, not yet true: give each to `exact.kernel.check`.
    """
    data = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise Malformed(f"a certificate file has at most {MAX_BYTES} bytes")
    try:
        value = json.loads(
            data.decode("utf-8"),
            parse_int=_read_int_literal,
            parse_float=_refuse_float,
            parse_constant=_refuse_float,
            object_pairs_hook=_no_twice,
        )
    except UnicodeDecodeError as error:
        raise Malformed(f"the file is not UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise Malformed("the file nests deeper than any certificate does") from None
    except json.JSONDecodeError as error:
        raise Malformed(f"the file is not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    value = _keys(value, ["format", "version", "certificates"], "the file")
    if value["format"] != FORMAT:
        raise _expected(f'"{FORMAT}"', value["format"], "format")
    if type(value["version"]) is not int or value["version"] != VERSION:
        raise _expected(f"version {VERSION}", value["version"], "version")
    certificates = value["certificates"]
    if type(certificates) is not list or not 1 <= len(certificates) <= MAX_CERTIFICATES:
        raise Malformed(f"certificates: expected an array of 1 to {MAX_CERTIFICATES} certificates")
    return tuple(_read_certificate(c, f"certificates[{i}]") for i, c in enumerate(certificates))


def load(path: str) -> tuple[object, ...]:
    """Read the certificates in a file, or in standard input for "-"; OSError where it cannot be read."""
    if path == "-":
        if sys.stdin is None:
            raise Malformed("standard input is closed")
        return loads(sys.stdin.buffer.read(MAX_BYTES + 1))
    with Path(path).open("rb") as file:
        return loads(file.read(MAX_BYTES + 1))


# ---- writing --------------------------------------------------------------------------------------------------------


def dumps(certificates: Sequence[Any]) -> str:
    """Write certificates as JSON that `loads` reads back as equal ones; TypeError for anything else.

    >>> loads(dumps([kernel.TermRule(2, 1, 1)]))
    (TermRule(power=2, agree=1, differ=1),)
    """
    rules = {kind: (rule, schema) for rule, (kind, schema) in _RULES.items()}
    written = []
    for certificate in certificates:
        if type(certificate) not in rules:
            raise TypeError(f"not a certificate: {type(certificate).__name__}")
        rule, schema = rules[type(certificate)]
        written.append(
            {"rule": rule} | {f.name: schema[f.name].write(getattr(certificate, f.name)) for f in fields(certificate)}
        )
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in written)
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "certificates": [\n{lines}\n]}}\n'


# ---- judging --------------------------------------------------------------------------------------------------------


def judge(path: str) -> list[Theorem]:
    """Return the theorems that a file proves, or raise `Rejected` naming the first certificate that proves nothing."""
    theorems = []
    for i, certificate in enumerate(load(path)):
        try:
            theorems.append(check(certificate))
        except Rejected as error:
            raise Rejected(f"certificates[{i}]: {error}") from None
    return theorems


def main(arguments: Sequence[str]) -> int:
    """Judge one file; print a theorem a line and return 0, or say why not and return 1 (it lies) or 2 (unreadable)."""
    if len(arguments) != 1:
        print("usage: python -m exact.certificate FILE   (- for standard input)", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    elif sys.stdout is None:
        print("standard output is closed", file=sys.stderr)
        return 2
    try:
        print(*judge(arguments[0]), sep="\n", flush=True)
    except Malformed as error:
        print(f"not a certificate: {error}", file=sys.stderr)
        return 2
    except Rejected as error:
        print(f"rejected: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more as it ends
        print("the reader of standard output went away", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{arguments[0]}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: nothing was judged", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
