"""The mean gradient of a row of two keys, for sign vectors, at any width and with certified digits.

Imports the standard library and exact.rationals only: every bound here is a bound between integers.

The two scores of a query differ by e_1 − e_2 = Σ q_r(k_1r − k_2r).  Each half term q_r(k_1r − k_2r)/2 is −1, 0 or 1,
with weights 1/4, 1/2, 1/4, like two coins less one; so e_1 − e_2 = 2m where m + d is the number of heads among 2d
coins, and the trace of the row's Jacobian, 1 − Σ a², is 1/(1 + cosh(e_1 − e_2)).  With x = exp(−2/c), c the divisor,

    E[tr J] = Σ_m C(2d, d + m)/4^d · 2x^|m|/(1 + x^|m|)².

Numbers are kept as two integers, a floor and a ceiling of the number times 2^bits; every factor is positive and
y ↦ 2y/(1 + y)² grows on [0, 1], so floors come from floors and ceilings from ceilings.

>>> [mean_trace(d, "none").digits for d in (1, 64)]
['0.354993585403', '0.069659776428']
>>> mean_trace(64, "root").digits
'0.363007568784'
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Literal

from exact.rationals import BadInput, read_whole

__all__ = ["DIVISORS", "WIDTH_LIMIT", "Divisor", "Enclosure", "mean_trace"]

Divisor = Literal["none", "root", "width"]
DIVISORS: tuple[Divisor, ...] = ("none", "root", "width")
WIDTH_LIMIT = 10**7
PLACES_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A real number between two fractions, and its decimal places on which both agree (cut, not rounded)."""

    low: Fraction
    high: Fraction
    digits: str


def mean_trace(width: int, divisor: Divisor = "none", places: int = 12) -> Enclosure:
    """Return E[tr J] for two keys and sign vectors; the scores are divided by 1, √d or d before the softmax.

    Width 1 to 10^7, at a microsecond or so a unit; `places` is 1 to 200, every one of them certain.
    """
    d = read_whole("width", width, 1, WIDTH_LIMIT)
    places = read_whole("places", places, 1, PLACES_LIMIT)
    if divisor not in DIVISORS:
        raise BadInput(f"a divisor must be one of {', '.join(DIVISORS)} (got {divisor!r})")
    bits = 4 * places + 2 * d.bit_length() + 64
    while True:
        low, high = _enclose(d, divisor, bits)
        scale = 10**places
        floor = low * scale >> bits
        if floor == high * scale >> bits:
            digits = f"{floor // scale}.{floor % scale:0{places}d}"
            return Enclosure(Fraction(low, 1 << bits), Fraction(high, 1 << bits), digits)
        bits *= 2  # the number lies close to a last digit's edge; an irrational one never lies on it


def _enclose(d: int, divisor: Divisor, bits: int) -> tuple[int, int]:
    one = 1 << bits
    x_low, x_high = _exponential(d, divisor, bits)
    w_low, w_high = _central_weight(d, one, bits)
    p_low = p_high = one  # x^m
    low, high, m = w_low >> 1, (w_high >> 1) + 1, 0  # m = 0, where the trace is 1/2
    while m < d:
        w_low, w_high = w_low * (d - m) // (d + m + 1), -(-w_high * (d - m) // (d + m + 1))
        p_low, p_high = p_low * x_low >> bits, -(-p_high * x_high >> bits)
        m += 1
        low += 2 * (w_low * _trace(p_low, one, bits) >> bits)
        term = -(-w_high * (_trace(p_high, one, bits) + 1) >> bits)
        high += 2 * term
        if term * (d - m) << (7 * bits // 8) < one:
            return low, high + 2 * term * (d - m)  # the terms that are left only fall
    return low, high


def _trace(p: int, one: int, bits: int) -> int:
    """Return the floor of 2y/(1 + y)² times 2^bits, y = p/2^bits."""
    return (2 * p << 2 * bits) // (one + p) ** 2


def _central_weight(d: int, one: int, bits: int) -> tuple[int, int]:
    """Return bounds on C(2d, d)/4^d = Π (2j − 1)/(2j)."""
    low = high = one
    for j in range(2, 2 * d + 1, 2):
        low, high = low * (j - 1) // j, high * (j - 1) // j + 1
    return low, high


def _exponential(d: int, divisor: Divisor, bits: int) -> tuple[int, int]:
    """Return bounds on exp(−y) times 2^bits, y = 2, 2/√d or 2/d."""
    one = 1 << bits
    if divisor == "root":
        y_low = isqrt((4 << 2 * bits) // d)
        y_high = y_low + 1
    else:
        y_low, rest = divmod(2 << bits, 1 if divisor == "none" else d)
        y_high = y_low + bool(rest)
    return _series(y_high, one, bits)[0], _series(y_low, one, bits)[1]


def _series(y: int, one: int, bits: int) -> tuple[int, int]:
    """Return bounds on exp(−y): from the third term on the series alternates and falls, as y ≤ 2."""
    low = high = one
    t_low = t_high = one
    k = 0
    while t_high > 1 or k < 4 or k % 2:
        k += 1
        t_low, t_high = t_low * y // (k << bits), -(-t_high * y // (k << bits))
        if k % 2:
            low, high = low - t_high, high - t_low
        else:
            low, high = low + t_low, high + t_high
    return low - t_high, high  # the partial sum ends on an added term: it is at least exp(−y), by one term at most
