"""What else a claim about averages may mean: a letter held fixed, a norm, the number of agreements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from exact.verdicts import Note, note
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.case import Case, is_match_count, may_count_matches
from symbolic.averages.roles import held_fixed, in_bars
from symbolic.reading.surface import Reading

__all__ = ["other_readings"]


def other_readings(
    case: Case, reading: Reading, assumptions: Assumptions
) -> Iterator[tuple[Assumptions, bool | None, tuple[Note, ...], bool]]:
    """Yield what else a claim that is not proved may mean, and whether it is more likely meant so than false."""
    if held := held_fixed(reading, case.roles, assumptions):
        fixed = replace(assumptions, fixed=(*assumptions.fixed, *held))
        yield fixed, None, (note("held-fixed", names=", ".join(held)),), True
    if normed := in_bars(reading, case.roles, assumptions):
        yield replace(assumptions, vectors=(*assumptions.vectors, *normed)), None, (), True
    if may_count_matches(reading.claim):
        yield assumptions, not is_match_count(reading.claim), (), False
