"""What else a claim about averages may mean: a letter held fixed, a norm, the number of agreements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from exact.verdicts import Note, note
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.case import Case, is_match_count, may_count_matches
from symbolic.averages.roles import held_fixed, in_bars
from symbolic.reading.surface import Reading

__all__ = ["OtherReading", "other_readings"]


@dataclass(frozen=True, slots=True)
class OtherReading:
    """What is assumed, whether m counts agreements, what is said of it; `likely`: rather meant so than false."""

    assumptions: Assumptions
    likely: bool
    agreements: bool | None = None
    understood: tuple[Note, ...] = ()


def other_readings(case: Case, reading: Reading, assumptions: Assumptions) -> Iterator[OtherReading]:
    """Yield what else a claim that is not proved may mean."""
    if held := held_fixed(reading, case.roles, assumptions):
        fixed = replace(assumptions, fixed=(*assumptions.fixed, *held))
        yield OtherReading(fixed, likely=True, understood=(note("held-fixed", names=", ".join(held)),))
    if normed := in_bars(reading, case.roles, assumptions):
        yield OtherReading(replace(assumptions, vectors=(*assumptions.vectors, *normed)), likely=True)
    if may_count_matches(reading.claim):
        yield OtherReading(assumptions, likely=False, agreements=not is_match_count(reading.claim))
