"""Sentences such as “Let s = q·k. Then Var(s) = d.”: what is supposed before “then” is no claim."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Name, Reading, Related

__all__ = ["conclusion_first"]

_SUPPOSED = re.compile(r"[\s$\\(]*(let|suppose|assume|define|if|given|assuming|when|for|with)\b", re.IGNORECASE)
_CONCLUDED = re.compile(r"\b(then|hence|thus|therefore|so)\b", re.IGNORECASE)


def conclusion_first(reading: Reading, is_taken: Callable[[Related], bool]) -> Reading:
    """Return a reading with what stands after “then” first, and what is supposed before it behind.

    `is_taken`: whether a condition that is no definition is taken into account; OutsideClass where one is not.
    """
    concluded = _CONCLUDED.search(reading.text)
    if concluded is None or not _SUPPOSED.match(reading.text):
        return reading
    statements = (reading.claim, *reading.aside)
    before = tuple(each for each in statements if each.at < concluded.start())
    after = tuple(each for each in statements if each.at > concluded.start())
    if not after or not before:
        return reading
    for each in before:
        defines = each.relations == ("=",) and isinstance(each.parts[0], Name)
        if each.relations and not defines and not is_taken(each):
            raise OutsideClass("what is supposed before “then” is read where it defines a letter or says a size")
    return replace(reading, claim=after[0], aside=(*after[1:], *before))
