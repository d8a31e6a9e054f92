r"""Claims about expectations, variances and sums over signs: proved, false, or in need of an assumption, named.

Both sides become quotients of polynomials in the width and in the parameters, exactly and for every width (see
meaning); they are equal when their normal forms are.  A claim is tried under ever stronger assumptions
(laws), so that what it needs is found and named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from exact.evidence import Domain, Evidence, Rung
from exact.verdicts import Answer, Note, Refutation, Verdict, combined, note, worst
from symbolic.averages import counting_claims, inequalities, probability_claims
from symbolic.averages.agreement import agrees
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.case import Case, bound_pairs, case_of, constraints, understood_of
from symbolic.averages.coincidences import apart_in_words, coincidences, free_indices, has_delta
from symbolic.averages.cubes import over_sets, spelled_out
from symbolic.averages.diagnosis import diagnose
from symbolic.averages.laws import is_stated
from symbolic.averages.meaning import Meaning, make
from symbolic.averages.points import Point, letters_of, placed
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.roles import OPERATORS, has_operator
from symbolic.averages.search import (
    HIGHER,
    Exceeding,
    Sides,
    counterexample_of,
    exceeding,
    exceeding_dependent,
    exceeding_for_some_law,
    sides_of,
    skewed,
)
from symbolic.averages.writing import latex, text, value_note
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Added,
    Called,
    Differentiated,
    Divided,
    Iverson,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    Root,
    walk,
)

__all__ = ["about_moments", "confirm_moments"]

_TRAILING = re.compile(r"[\s,;]+(and|with|where)?[\s,;]*$")
_COUNTING = frozenset({"binomial", "factorial", "C", "binom"})
_LEVEL_WORDS = {
    "joint": "every-law",
    "any": "every-law-independent",
    "centred": "centred-law",
    "spread": "spread-law",
    "unit": "unit-law",
}


def about_moments(reading: Reading) -> bool:
    """Say whether a reading talks of expectations, variances, probabilities, binomials or sums over signs.

    So do scores of q and k alone, as q·k/√d, and pure arithmetic with roots, as √(2/(1 + a²)) = 1/√3.
    """
    if over_sets(reading.claim):
        return True
    nodes = [part for root in (reading.claim, *reading.aside) for part in walk(root)]
    called = {part.function for part in nodes if isinstance(part, Called)}
    if called & (OPERATORS | _COUNTING | {"cos"}):
        return True
    if called - {"floor", "tr", "sum", "abs"} or any(isinstance(part, Differentiated | Iverson) for part in nodes):
        return False
    if counting_claims.is_recursion(reading) or counting_claims.is_counting(reading):
        return True
    letters = {part.letter for part in nodes if isinstance(part, Name)}
    if any(isinstance(part, Name) and part.letter in ("S", "X", "ε") and part.subscripts for part in nodes):
        return True
    if letters <= {"q", "k", "e", "t", "d", "r", "s", "n", "N", "head", "size"} and (
        {"q", "k"} <= letters or "t" in letters
    ):
        return True
    arithmetic = Number | Name | Added | Negated | Multiplied | Divided | Raised | Root | Related
    return all(isinstance(part, arithmetic) for part in nodes) and any(isinstance(part, Root) for part in nodes)


def confirm_moments(reading: Reading, assumptions: Assumptions) -> Verdict:
    """Return the verdict on a claim, a chain of claims or a value asked for, about moments.

    Raises OutsideClass or BadInput, with the place, for what cannot be read as such a claim.
    """
    reading, assumptions = spelled_out(reading, assumptions)
    if counting_claims.is_recursion(reading):
        return counting_claims.confirm_recursion(reading)
    if counting_claims.is_counting(reading):
        return counting_claims.confirm_counting(reading)
    if probability_claims.is_about(reading):
        return probability_claims.confirm(reading, assumptions)
    claims = [each for each in reading.aside if each.relations and has_operator(each)]
    if claims:
        return _several(reading, claims, assumptions)
    reading = replace(reading, claim=bound_pairs(reading.claim, reading))
    case = case_of(reading, assumptions)
    understood = understood_of(case)
    if not reading.claim.relations:
        return _asked(case, reading.claim.parts[0], understood)
    steps = [
        _step(case, left, relation, right)
        for left, relation, right in zip(
            reading.claim.parts, reading.claim.relations, reading.claim.parts[1:], strict=False
        )
    ]
    if len(steps) == 1:
        return replace(steps[0], claim=reading.text or steps[0].claim, understood=(*understood, *steps[0].understood))
    return _chain(case, steps, understood)


def _several(reading: Reading, claims: list[Related], assumptions: Assumptions) -> Verdict:
    """Answer several claims written one after the other, each by itself."""
    rest = tuple(each for each in reading.aside if each not in claims)
    starts = [*sorted({each.at for each in reading.aside}), len(reading.text)]

    def own_text(claim: Related) -> str:
        end = next(start for start in starts if start > claim.at or start == len(reading.text))
        return _TRAILING.sub("", reading.text[claim.at : end])

    steps = tuple(
        confirm_moments(Reading(each, rest, own_text(each)), assumptions) for each in (reading.claim, *claims)
    )
    return combined(reading.text, steps, notes=(note("several-claims", count=len(steps)),))


def _chain(case: Case, steps: list[Verdict], understood: tuple[Note, ...]) -> Verdict:
    """Answer a chain: a step that needs more than its two ends together do is a wrong step."""
    parts = case.reading.claim.parts
    notes: list[Note] = []
    ends = _step(case, parts[0], "=", parts[-1]) if set(case.reading.claim.relations) == {"="} else None
    if ends is not None and ends.answer is Answer.PROVED:
        steps = [replace(s, answer=Answer.FALSE) if s.answer is Answer.NEEDS_ASSUMPTION else s for s in steps]
    answer = worst(step.answer for step in steps)
    if ends is not None and answer is Answer.FALSE:
        wrong = next(i for i, step in enumerate(steps, start=1) if step.answer is Answer.FALSE)
        right = ends.answer is Answer.PROVED
        notes.append(note("right-result-wrong-step" if right else "first-wrong-step", step=wrong))
    return combined(case.reading.text, steps, understood=understood, notes=tuple(notes))


def _levels(case: Case) -> tuple[str, ...]:
    """Return the levels at which a claim is tried, the weakest assumptions first."""
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    free = len(case.roles.variables) > 1 and case.assumptions.independent is not True and not case.assumptions.rho
    start = ("joint",) if free else ()
    if case.assumptions.independent is False:
        if case.roles.random & case.roles.vectors:
            raise OutsideClass("--dependent is read of variables X, Y; coordinates of a vector are independent here")
        return start
    if not unstated:
        if case.assumptions.rho:
            return ("any",)
        return ("any",) if case.assumptions.independent is None else (*start, "any")
    if case.assumptions.rho:
        return ("centred", "unit")
    return (*start, "any", "centred", "spread", "unit")


def _step(case: Case, left: Node, relation: str, right: Node) -> Verdict:
    if relation in ("≤", "≥", "<", ">"):
        return _compared(case, left, relation, right)
    if relation != "=":
        raise OutsideClass(f"claims are read with =, ≤ and ≥, not {relation}")
    letters, numbers = free_indices(left, right, case.roles)
    ways = coincidences(letters, numbers, case.reading)
    if len(letters) + len(numbers) < 2 or not letters or not ways:
        return _equality(case, left, right)
    if has_delta(left, right, letters) and len(ways) == 2:
        return _by_cases(case, left, right, letters, ways)
    apart = _equality(case, left, right, ways[0])
    if len(ways) == 1 or apart.answer not in (Answer.PROVED, Answer.NEEDS_ASSUMPTION):
        return _at_indices(apart, ways[0])
    whole = _equality(case, left, right)
    if whole.answer in (Answer.PROVED, apart.answer):
        return whole
    found = next(
        (each for way in ways[1:] if (each := _at_indices(_equality(case, left, right, way), way)).counterexample),
        whole,
    )
    if has_delta(left, right, letters):
        return found
    notes = (note("needs-condition", where=apart_in_words(letters, numbers)), *apart.notes)
    return replace(apart, answer=Answer.NEEDS_ASSUMPTION, counterexample=found.counterexample, notes=notes)


def _at_indices(verdict: Verdict, way: Mapping[str, str]) -> Verdict:
    """Say in a counterexample what the free indices are."""
    found = verdict.counterexample
    if found is None:
        return verdict
    places = tuple((letter.removeprefix("="), place) for letter, place in way.items())
    return replace(verdict, counterexample=replace(found, where=(*places, *found.where)))


def _by_cases(case: Case, left: Node, right: Node, letters: list[str], ways: list[Mapping[str, str]]) -> Verdict:
    """Answer a claim with a delta of two indices in two steps: where they differ, and where they are the same."""
    apart, same = (_at_indices(_equality(case, left, right, way), way) for way in ways)
    first, second = (letters * 2)[:2]
    steps = (
        replace(apart, notes=(note("case-different", i=first, j=second), *apart.notes)),
        replace(same, notes=(note("case-same", i=first, j=second), *same.notes)),
    )
    return combined(_claim(case), steps)


def _equality(case: Case, left: Node, right: Node, aliases: Mapping[str, str] | None = None) -> Verdict:
    tried = []
    failed: OutsideClass | None = None
    for level in _levels(case):
        try:
            sides = sides_of(case, left, right, level, aliases)
        except OutsideClass as error:
            failed = error
            continue
        tried.append((level, sides))
        if sides.equal:
            return _holds(case, left, right, level, sides, aliases)
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    if case.roles.matrices and case.assumptions.symmetric is None:
        found = _equality(replace(case, assumptions=replace(case.assumptions, symmetric=True)), left, right, aliases)
        if found.answer in (Answer.PROVED, Answer.NEEDS_ASSUMPTION):
            return _needs_symmetry(case, left, right, found, aliases)
    if case.assumptions.independent is False and tried and tried[-1][0] == "joint":
        return _refuted(case, left, right, "joint", aliases)
    if unstated:
        settled = bool(tried) and tried[-1][0] == "unit" and not _depends_on_law(tried[-1][1])
        if settled and not sides_of(case, left, right, "signs", aliases).equal:
            return _refuted(case, left, right, "signs", aliases)
        return _by_law(case, left, right, aliases)
    if not tried:
        raise failed or OutsideClass("this claim is not read")
    return _refuted(case, left, right, tried[-1][0], aliases)


def _depends_on_law(sides: Sides) -> bool:
    return any(name.startswith("E[") for name in letters_of(sides.left, sides.right))


def _by_law(case: Case, left: Node, right: Node, aliases: Mapping[str, str] | None) -> Verdict:
    """Answer for signs and for Gaussians, where the law decides and none is stated."""
    steps = []
    for level in ("signs", "gaussian"):
        sides = sides_of(case, left, right, level, aliases)
        if sides.equal:
            found = Verdict(Answer.PROVED, _claim(case), "", (), (_evidence(case, sides, level),))
        else:
            found = _refuted(case, left, right, level, aliases)
        steps.append(replace(found, understood=(note("law-read", law=level),)))
    answers = [step.answer for step in steps]
    understood = (note("law-decides"),)
    if answers[0] is answers[1]:
        if answers[0] is Answer.PROVED and (found_skewed := skewed(case, left, right, aliases)):
            whole = combined(_claim(case), steps, answer=Answer.NEEDS_ASSUMPTION, understood=understood)
            return replace(whole, counterexample=found_skewed, notes=(note("both-laws-not-every"),), steps=())
        notes = steps[0].notes if answers[0] is Answer.FALSE else (note("both-laws"),)
        return combined(_claim(case), steps, understood=understood, notes=notes)
    notes = (note("only-for-law", law="signs" if answers[0] is Answer.PROVED else "gaussian"),)
    return combined(_claim(case), steps, answer=Answer.NEEDS_ASSUMPTION, understood=understood, notes=notes)


def _holds(case: Case, left: Node, right: Node, level: str, sides: Sides, aliases: Mapping[str, str] | None) -> Verdict:
    law = "signs" if level in ("spread", "unit") else ""
    counted = agrees(case.reading, left, right, case.roles, case.assumptions, case.sizes, law, case.query)
    evidence = (_evidence(case, sides, level), *counted)
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    missing = _missing(case, level)
    if len(missing) > 1 and _holds_dependent(case, left, right, missing, aliases):
        missing.remove("independent")
    understood = (note(_LEVEL_WORDS[level], names=", ".join(sorted(unstated))),) if unstated else ()
    if not missing:
        return Verdict(Answer.PROVED, _claim(case), "", understood, evidence)
    found = counterexample_of(
        case, left, right, "joint" if missing[0] == "independent" and level != "centred" else "any", aliases
    )
    return Verdict(Answer.NEEDS_ASSUMPTION, _claim(case), "", understood, evidence, found, _needs(case, missing))


def _missing(case: Case, level: str) -> list[str]:
    """Return what a level assumes of variables beyond what is said: independent, centred, unit."""
    variables = [n for n in case.roles.variables if not is_stated(n, case.assumptions) and not case.assumptions.rho]
    missing = []
    if "joint" in _levels(case) and level != "joint" and case.assumptions.independent is None:
        missing.append("independent")
    if variables and not case.assumptions.mean and level in ("centred", "unit"):
        missing.append("centred")
    if variables and level in ("spread", "unit"):
        missing.append("unit")
    return missing


def _holds_dependent(
    case: Case, left: Node, right: Node, missing: list[str], aliases: Mapping[str, str] | None
) -> bool:
    """Say whether a claim about variables that may depend on each other holds with the other needs met."""
    if "independent" not in missing:
        return False
    letters = {f"E[{n}]": quotient(0) for n in case.roles.variables if "centred" in missing}
    letters |= {f"Var({n})": quotient(1) for n in case.roles.variables if "unit" in missing}
    try:
        sides = sides_of(case, left, right, "joint", aliases)
        values = [placed(value, Point(letters), sides.meaning.numbers) for value in (sides.left, sides.right)]
    except (OutsideClass, ZeroDivisionError):
        return False
    return sides.meaning.numbers.equal(*values)


def _needs(case: Case, missing: list[str]) -> tuple[Note, ...]:
    return tuple(note(f"needs-{each}", names=", ".join(sorted(case.roles.variables))) for each in missing)


def _needs_symmetry(case: Case, left: Node, right: Node, found: Verdict, aliases: Mapping[str, str] | None) -> Verdict:
    free = any(not is_stated(n, case.assumptions) for n in case.roles.random) and "μ_2" not in case.roles.mentioned
    level = "signs" if free else "any"
    refutation = counterexample_of(case, left, right, level, aliases)
    notes = (note("needs-symmetric", names=", ".join(sorted(case.roles.matrices))), *found.notes)
    return replace(found, answer=Answer.NEEDS_ASSUMPTION, counterexample=refutation, notes=notes)


def _refuted(case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None) -> Verdict:
    found = counterexample_of(case, left, right, level, aliases)
    sides = _weakest(case, left, right, level, aliases)
    free = replace(case, assumptions=replace(case.assumptions, keys="", laws=(), rho=""))

    def under(other: str) -> Quotient:
        return sides_of(free, left, right, other, aliases).left

    moved = bool(case.assumptions.rho or case.assumptions.mean or case.assumptions.query.strip() == "same")
    notes = diagnose(left, right, sides.meaning, sides.left, sides.right, under, moved=moved)
    if found is None:
        return Verdict(Answer.UNDECIDED, _claim(case), "", (), (), None, (note("no-counterexample-found"), *notes))
    return Verdict(Answer.FALSE, _claim(case), "", (), (), found, notes)


def _weakest(case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None) -> Sides:
    """Return the sides of a claim about variables with means and variances as letters, of any other at a level."""
    letters = "centred" if HIGHER & case.roles.mentioned else "" if case.roles.random & case.roles.vectors else "any"
    if letters and level in ("signs", "unit", "centred"):
        with suppress(OutsideClass):
            return sides_of(case, left, right, letters, aliases)
    return sides_of(case, left, right, level, aliases)


def _compared(case: Case, left: Node, relation: str, right: Node) -> Verdict:
    """Decide ≤ where the difference shows its sign: no coefficient below 0, in d − 1 and in squares."""
    low, high = (right, left) if relation in ("≥", ">") else (left, right)
    strict = relation in ("<", ">")
    unstated = any(not is_stated(n, case.assumptions) for n in case.roles.random)
    steps = []
    named = ("signs", "gaussian") if unstated and case.assumptions.independent is not False else ()
    for level in (*_levels(case), *named):
        try:
            sides = sides_of(case, low, high, level)
            difference = sides.meaning.numbers.subtract(sides.right, sides.left)
        except OutsideClass:
            continue
        if inequalities.sign_shown(difference, case.roles.width, strict=strict):
            evidence = (_evidence(case, sides, level),)
            remarks = (note("difference" if low is left else "difference-left", value=text(difference)),)
            proved = Verdict(Answer.PROVED, _claim(case), "", (), evidence, None, remarks)
            if level in _LEVEL_WORDS:
                return _needing(case, left, relation, right, level, proved)
            steps.append(replace(proved, understood=(note("law-read", law=level),)))
        elif level in ("signs", "gaussian") or not unstated:
            understood = (note("law-read", law=level),) if unstated else ()
            found = None if constraints(case) else exceeding(case, low, high, level, strict=strict)
            answer = Answer.UNDECIDED if found is None else Answer.FALSE
            refutation = _as_refutation(found, left is low, relation)
            steps.append(Verdict(answer, _claim(case), "", understood, (), refutation))
    if not steps:
        found = exceeding_dependent(case, low, high, strict=strict) if case.assumptions.independent is False else None
        if found is not None:
            return Verdict(Answer.FALSE, _claim(case), counterexample=_as_refutation(found, left is low, relation))
        return Verdict(Answer.UNDECIDED, _claim(case), "", (), (), None, (note("inequality-not-decided"),))
    answers = {step.answer for step in steps}
    if answers == {Answer.PROVED, Answer.FALSE}:
        holds = "signs" if steps[0].answer is Answer.PROVED else "gaussian"
        notes = (note("only-for-law", law=holds),)
        return combined(_claim(case), steps, answer=Answer.NEEDS_ASSUMPTION, notes=notes)
    chosen = next(step for step in steps if step.answer is worst(answers))
    if chosen.answer is Answer.UNDECIDED:
        chosen = replace(chosen, notes=(note("inequality-not-decided"),))
    return replace(chosen, steps=tuple(steps) if len(steps) > 1 else ())


def _needing(case: Case, left: Node, relation: str, right: Node, level: str, proved: Verdict) -> Verdict:
    """Name what an inequality that holds at a level needs beyond what is said."""
    missing = _missing(case, level)
    if not missing:
        return proved
    low, high = (right, left) if relation in ("≥", ">") else (left, right)
    strict = relation in ("<", ">")
    search = exceeding_dependent if missing[0] == "independent" else exceeding_for_some_law
    refutation = _as_refutation(search(case, low, high, strict=strict), left is low, relation)
    return replace(
        proved,
        answer=Answer.NEEDS_ASSUMPTION,
        counterexample=refutation,
        notes=(*_needs(case, missing), *proved.notes),
    )


def _as_refutation(found: Exceeding | None, in_order: bool, relation: str) -> Refutation | None:
    """Say where an inequality fails, the claim's left side being what is right."""
    if found is None:
        return None
    left, right = (found.low, found.high) if in_order else (found.high, found.low)
    return Refutation(found.where, claimed=f"{relation} {right}", correct=left)


def _asked(case: Case, node: Node, understood: tuple[Note, ...]) -> Verdict:
    """Answer an expression without a relation: its value, under the weakest assumptions that fix it."""
    unstated = any(not is_stated(n, case.assumptions) for n in case.roles.random)
    found: list[tuple[str, Quotient, Meaning]] = []
    for level in ("unit", "signs", "gaussian") if unstated else ("any",):
        meaning = make(case.roles, case.assumptions, level, case.definitions)
        try:
            value = case.value(node, meaning)
        except OutsideClass:
            if level != "unit":
                raise
            continue
        found.append((level, value, meaning))
        if level == "unit" and not any(name.startswith("E[") and "^" in name for name in letters_of(value)):
            break
    named = [each for each in found if each[0] != "unit"] if len(found) > 1 else found
    steps = tuple(
        Verdict(Answer.PROVED, f"{case.reading.text} = {text(value)}", latex(value), (note("law-read", law=level),),
                (_value_evidence(case, value, level),), None, (value_note(value),))
        for level, value, _ in named
    )  # fmt: skip
    if len(steps) > 1:
        return combined(case.reading.text, steps, understood=(*understood, note("law-decides")))
    return replace(steps[0], understood=understood)


def _value_evidence(case: Case, value: Quotient, level: str) -> Evidence:
    return Evidence(
        Rung.PROVED, f"{case.reading.text} = {text(value)}", _domain(case, level), ("expansion", "cumulants")
    )


def _evidence(case: Case, sides: Sides, level: str) -> Evidence:
    formula = _claim(case) or f"{text(sides.left)} = {text(sides.right)}"
    return Evidence(Rung.PROVED, formula, _domain(case, level), ("expansion", "cumulants", "normal form"))


def _domain(case: Case, level: str) -> Domain:
    width = case.roles.width
    size = case.sizes.get(width)
    numbers = free_indices(case.reading.claim, case.reading.claim, case.roles)[1]
    least = max((int(n) for n in numbers if n.isdigit()), default=1)
    known = size is not None and as_number(size) is not None
    sizes = f"{width} = {text(size)}" if size is not None and known else f"every {width} ≥ {max(1, least)}"
    if size is None and not case.has_width:
        sizes = ""
    laws = [f"{name}: {case.assumptions.law_text(name) or level}" for name in sorted(case.roles.random)]
    return Domain(sizes, "; ".join(laws))


def _claim(case: Case) -> str:
    return case.reading.text
