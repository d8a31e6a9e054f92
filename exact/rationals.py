"""Rational numbers in and out: what a person types becomes a Fraction, or an error that says why not.

Imports the standard library only.

====================  ============================================
`read_rational`       text, int or Fraction to Fraction
`read_whole`          text or int to an int inside a stated range
`describe_reading`    the sentence that says how a decimal was read
`write_rational`      Fraction to text, however long
`abbreviate`          the same, cut short for a message
`add_exactly`         the sum of many Fractions
`common_denominator`  of many, limited in length
====================  ============================================

>>> read_rational("0.1"), read_rational("-3/4"), read_rational(2)
(Fraction(1, 10), Fraction(-3, 4), Fraction(2, 1))
>>> describe_reading("0.1")
'0.1 is read as 1/10'
"""

import re
from collections.abc import Iterable
from fractions import Fraction
from math import lcm

__all__ = [
    "DIGIT_LIMIT",
    "BadInput",
    "abbreviate",
    "add_exactly",
    "common_denominator",
    "describe_reading",
    "read_rational",
    "read_whole",
    "write_rational",
]

DIGIT_LIMIT = 1000

_ACCEPTED = 'a whole number, a fraction such as "3/4" or a decimal such as "0.75"'
_FRACTION = re.compile(r"([+-]?[0-9]+)\s*/\s*([+-]?[0-9]+)", re.ASCII)
_DECIMAL = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_STEP = 4000  # digits that int() and str() convert in one go under Python's default limit


class BadInput(ValueError):
    """Input that breaks a rule: the message gives the rule, what broke it and what is accepted."""


def read_rational(text: str | int | Fraction) -> Fraction:
    """Return the number that `text` stands for, exactly.

    Text is a whole number, a fraction or a decimal, at most 1000 digits a part; a decimal is read as what is
    written, so "0.1" is 1/10. A minus sign may be − as well as -. Raises `BadInput` for anything else, and for a
    binary float, which is not the decimal it prints as.

    >>> read_rational("−2.50"), read_rational("1e-3"), read_rational(" 6 / 4 ")
    (Fraction(-5, 2), Fraction(1, 1000), Fraction(3, 2))
    >>> read_rational("1/0")
    Traceback (most recent call last):
    exact.rationals.BadInput: a fraction must not have denominator 0 (got '1/0')
    >>> read_rational(0.1)
    Traceback (most recent call last):
    exact.rationals.BadInput: numbers here are exact, and the float 0.1 is 3602879701896397/36028797018963968; ...
    """
    if isinstance(text, bool):
        raise BadInput(f"a number is expected, not the truth value {text}; accepted: {_ACCEPTED}")
    if isinstance(text, float):
        raise BadInput(_why_not_float(text))
    if isinstance(text, int | Fraction):
        number = Fraction(text)
        _limit_size(number)
        return number
    if not isinstance(text, str):
        raise BadInput(f"a number is expected, not {type(text).__name__}; accepted: {_ACCEPTED}")
    if len(text) > 2 * DIGIT_LIMIT + 20:
        raise BadInput(f"a number must have at most {DIGIT_LIMIT} digits (this text has {len(text)} characters)")
    stripped = text.strip().replace("−", "-")
    if match := _FRACTION.fullmatch(stripped):
        return _read_fraction(text, match[1], match[2])
    match = _DECIMAL.fullmatch(stripped)
    if match is None or not (match[2] or match[3]):
        hint = "; write a decimal with a point" if re.fullmatch(r"[+-]?[0-9]+,[0-9]+", stripped) else ""
        raise BadInput(f"{_quote(text)} is not a number; accepted: {_ACCEPTED}{hint}")
    return _read_decimal(match[1], match[2], match[3] or "", match[4] or "0")


def read_whole(name: str, text: str | int | Fraction, low: int, high: int) -> int:
    """Return the whole number that `text` stands for, between `low` and `high`; `name` is for the message.

    >>> read_whole("width", "12", 1, 100)
    12
    >>> read_whole("width", 0, 1, 100)
    Traceback (most recent call last):
    exact.rationals.BadInput: width must be at least 1 (got 0)
    """
    number = text if type(text) is int else read_rational(text)
    if number.denominator != 1:
        raise BadInput(f"{name} must be a whole number (got {abbreviate(number)})")
    if number < low:
        raise BadInput(f"{name} must be at least {low} (got {abbreviate(number)})")
    if number > high:
        raise BadInput(f"{name} must be at most {high} (got {abbreviate(number)})")
    return int(number)


def describe_reading(text: str | int | Fraction) -> str:
    """Return the sentence that says how a decimal was read, or "" where there is nothing to say.

    >>> describe_reading("5.2"), describe_reading("1/2")
    ('5.2 is read as 26/5', '')
    """
    number = read_rational(text)
    if not isinstance(text, str) or "/" in text or text.strip().lstrip("+-−").isdecimal():
        return ""
    return f"{text.strip()} is read as {write_rational(number)}"


def write_rational(number: Fraction | int) -> str:
    """Return "p/q", or "p" when q is 1, with no limit on the length and no change to Python's own limit.

    >>> write_rational(Fraction(-6, 4)), write_rational(7), len(write_rational(10**9000))
    ('-3/2', '7', 9001)
    """
    number = Fraction(number)
    text = _digits(number.numerator)
    return text if number.denominator == 1 else f"{text}/{_digits(number.denominator)}"


def abbreviate(number: Fraction | int) -> str:
    """Return the number for a message: whole when it is short, its first digits and its length when it is not.

    >>> abbreviate(Fraction(5, 6)), abbreviate(10**100)
    ('5/6', '100000000000… (101 characters)')
    """
    text = write_rational(number)
    return text if len(text) <= 40 else f"{text[:12]}… ({len(text)} characters)"


def add_exactly(numbers: Iterable[Fraction]) -> Fraction:
    """Return the sum, over one common denominator: a long sum of fractions then pays for one gcd, not for many.

    >>> add_exactly(Fraction(1, n) for n in (2, 3, 6))
    Fraction(1, 1)
    """
    listed = list(numbers)
    bottom = lcm(*(x.denominator for x in listed))
    return Fraction(sum(x.numerator * (bottom // x.denominator) for x in listed), bottom)


def common_denominator(numbers: Iterable[Fraction]) -> int:
    """Return the least common denominator; `BadInput` when it has more than about 1000 digits.

    Every number may be short and their sum long: this is what keeps exact answers about a list of numbers short.

    >>> common_denominator([Fraction(1, 4), Fraction(5, 6)])
    12
    """
    bottom = 1
    for denominator in {x.denominator for x in numbers}:
        bottom = lcm(bottom, denominator)
        if bottom.bit_length() * 3 > 10 * DIGIT_LIMIT:
            raise BadInput(f"these numbers must share a denominator of at most {DIGIT_LIMIT} digits")
    return bottom


def _read_fraction(text: str, numerator: str, denominator: str) -> Fraction:
    for part in (numerator, denominator):
        _limit_digits(len(part.lstrip("+-")))
    if int(denominator) == 0:
        raise BadInput(f"a fraction must not have denominator 0 (got {_quote(text)})")
    return Fraction(int(numerator), int(denominator))


def _read_decimal(sign: str, whole: str, places: str, exponent: str) -> Fraction:
    _limit_digits(len(whole) + len(places))
    if len(exponent.lstrip("+-")) > 5:
        raise BadInput(f"an exponent must stay within ±{DIGIT_LIMIT} (got {exponent[:12]}…)")
    shift = int(exponent) - len(places)
    _limit_digits(len(whole) + len(places) + abs(shift))
    number = Fraction(int(whole + places)) * Fraction(10) ** shift
    return -number if sign == "-" else number


def _limit_digits(digits: int) -> None:
    if digits > DIGIT_LIMIT:
        raise BadInput(f"a number must have at most {DIGIT_LIMIT} digits (this one needs {digits})")


def _limit_size(number: Fraction) -> None:
    bits = max(abs(number.numerator).bit_length(), number.denominator.bit_length())
    if bits * 3 > 10 * DIGIT_LIMIT:  # ten bits are three digits, a little short of 1000 digits
        raise BadInput(f"a number must have at most {DIGIT_LIMIT} digits (this one has {bits} bits)")


def _why_not_float(number: float) -> str:
    if number != number or number in (float("inf"), float("-inf")):
        return f"{number} is not a number that can be exact; accepted: {_ACCEPTED}"
    exact = str(Fraction(number))
    shown = exact if len(exact) < 60 else "a binary fraction"
    return (
        f"numbers here are exact, and the float {number!r} is {shown}; "
        f'write it as text, "{number!r}", to have the decimal itself'
    )


def _quote(text: str) -> str:
    return repr(text) if len(text) <= 40 else repr(text[:37]) + "…"


def _digits(number: int) -> str:
    if abs(number) < 10**_STEP:
        return str(number)
    sign, number = ("-", -number) if number < 0 else ("", number)
    split = _STEP
    while number >= 10 ** (2 * split):
        split *= 2
    high, low = divmod(number, 10**split)
    return sign + _digits(high) + _digits(low).zfill(split)
