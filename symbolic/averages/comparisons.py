"""Inequalities between averages: proved where the signs of coefficients show it, refuted by a point, or undecided."""

from __future__ import annotations

from dataclasses import replace

from exact.verdicts import Answer, Refutation, Verdict, combined, note, worst
from symbolic.averages.case import Case, constraints
from symbolic.averages.inequalities import sign_shown
from symbolic.averages.laws import is_stated
from symbolic.averages.needs import LEVEL_WORDS, levels_of, missing_at, needs_of
from symbolic.averages.scope import proof_of
from symbolic.averages.search import (
    Exceeding,
    exceeding,
    exceeding_dependent,
    exceeding_for_some_law,
    exceeding_for_unusual_law,
    sides_of,
)
from symbolic.averages.writing import text
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Node

__all__ = ["compared"]


def compared(case: Case, left: Node, relation: str, right: Node) -> Verdict:
    """Decide ≤ where the difference shows its sign: no coefficient below 0, in d − 1 and in squares."""
    low, high = (right, left) if relation in ("≥", ">") else (left, right)
    strict = relation in ("<", ">")
    unstated = any(not is_stated(n, case.assumptions) for n in case.roles.random)
    steps = []
    named = ("signs", "gaussian") if unstated and case.assumptions.independent is not False else ()
    for level in (*levels_of(case), *named):
        try:
            sides = sides_of(case, low, high, level)
            difference = sides.meaning.numbers.subtract(sides.right, sides.left)
        except OutsideClass:
            continue
        if sign_shown(difference, case.roles.width, strict=strict):
            evidence = (proof_of(case, sides, level),)
            remarks = (note("difference" if low is left else "difference-left", value=text(difference)),)
            proved = Verdict(Answer.PROVED, case.reading.text, "", (), evidence, None, remarks)
            if level in LEVEL_WORDS:
                return _needing(case, left, relation, right, level, proved)
            steps.append(replace(proved, understood=(note("law-read", law=level),)))
        elif level in ("signs", "gaussian") or not unstated:
            understood = (note("law-read", law=level),) if unstated else ()
            found = None if constraints(case) else exceeding(case, low, high, level, strict=strict)
            answer = Answer.UNDECIDED if found is None else Answer.FALSE
            refutation = _as_refutation(found, left is low, relation)
            steps.append(Verdict(answer, case.reading.text, "", understood, (), refutation))
    if not steps:
        found = exceeding_dependent(case, low, high, strict=strict) if case.assumptions.independent is False else None
        if found is not None:
            return Verdict(Answer.FALSE, case.reading.text, counterexample=_as_refutation(found, left is low, relation))
        return Verdict(Answer.UNDECIDED, case.reading.text, "", (), (), None, (note("inequality-not-decided"),))
    answers = {step.answer for step in steps}
    if answers == {Answer.PROVED, Answer.FALSE}:
        holds = "signs" if steps[0].answer is Answer.PROVED else "gaussian"
        notes = (note("only-for-law", law=holds),)
        return combined(case.reading.text, steps, answer=Answer.NEEDS_ASSUMPTION, notes=notes)
    if answers == {Answer.PROVED} and unstated:
        other = _as_refutation(exceeding_for_unusual_law(case, low, high, strict=strict), left is low, relation)
        notes = (note("both-laws" if other is None else "both-laws-not-every"),)
        whole = combined(case.reading.text, steps, answer=Answer.NEEDS_ASSUMPTION, notes=notes)
        return whole if other is None else replace(whole, counterexample=other, steps=())
    chosen = next(step for step in steps if step.answer is worst(answers))
    if chosen.answer is Answer.UNDECIDED:
        chosen = replace(chosen, notes=(note("inequality-not-decided"),))
    return replace(chosen, steps=tuple(steps) if len(steps) > 1 else ())


def _needing(case: Case, left: Node, relation: str, right: Node, level: str, proved: Verdict) -> Verdict:
    """Name what an inequality that holds at a level needs beyond what is said."""
    missing = missing_at(case, level)
    if not missing:
        return proved
    low, high = (right, left) if relation in ("≥", ">") else (left, right)
    strict = relation in ("<", ">")
    search = exceeding_dependent if missing[0] == "independent" else exceeding_for_some_law
    refutation = _as_refutation(search(case, low, high, strict=strict), left is low, relation)
    if refutation is None:  # whether it needs that is not known
        return replace(proved, answer=Answer.UNDECIDED, evidence=(), notes=(note("inequality-not-decided"),))
    return replace(
        proved,
        answer=Answer.NEEDS_ASSUMPTION,
        counterexample=refutation,
        notes=(*needs_of(case, missing), *proved.notes),
    )


def _as_refutation(found: Exceeding | None, in_order: bool, relation: str) -> Refutation | None:
    """Say where an inequality fails, the claim's left side being what is right."""
    if found is None:
        return None
    left, right = (found.low, found.high) if in_order else (found.high, found.low)
    return Refutation(found.where, claimed=f"{relation} {right}", correct=left)
