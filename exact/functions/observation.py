"""What a function returned beside what it should have, how the two are compared, and what is said of them.

Imports NumPy and the standard library only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from exact.functions.cases import Array, Case
from exact.functions.exact_numbers import Inexact, Number

__all__ = ["Finding", "Observation", "equal", "to_float"]


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
    """Return a Number or a float as a float: ±∞ past the largest, NaN for symbols, which have no single value."""
    if not isinstance(value, Number):
        return float(value)
    try:
        return float(value.decimal()) if (rational := value.rational) is None else float(rational)
    except Inexact:
        return float("nan")
    except OverflowError:
        return float("inf") if value.sign() > 0 else float("-inf")


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
