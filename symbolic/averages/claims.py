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

from exact.rationals import BadInput
from exact.verdicts import Answer, Note, Verdict, combined, note, worst
from symbolic.averages import counting_claims, probability_claims
from symbolic.averages.agreement import agrees
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.case import (
    Case,
    bound_pairs,
    case_of,
    is_match_count,
    is_standard,
    is_taken,
    understood_of,
)
from symbolic.averages.coincidences import apart_in_words, coincidences, free_indices, has_delta
from symbolic.averages.comparisons import compared
from symbolic.averages.cubes import over_sets, spelled_out
from symbolic.averages.definitions import claim_first, inlined, introduces, is_definition
from symbolic.averages.diagnosis import diagnose
from symbolic.averages.laws import is_stated
from symbolic.averages.meaning import Meaning, make
from symbolic.averages.needs import LEVEL_WORDS, holds_dependent, levels_of, missing_at, needs_of
from symbolic.averages.other_readings import other_readings
from symbolic.averages.points import letters_of
from symbolic.averages.quotients import Quotient
from symbolic.averages.roles import OPERATORS, has_operator
from symbolic.averages.scope import proof_of, value_proof
from symbolic.averages.search import (
    HIGHER,
    Sides,
    counterexample_of,
    sides_of,
    skewed,
)
from symbolic.averages.writing import latex, text, value_note
from symbolic.expressions import OutsideClass
from symbolic.reading.alphabet import SEPARATORS
from symbolic.reading.sentences import conclusion_first
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
    letters_in,
    walk,
)

__all__ = ["about_moments", "confirm_moments", "in_order"]

_TRAILING = re.compile(rf"[\s,;.]+({'|'.join(sorted(SEPARATORS))})?[\s,;]*$", re.IGNORECASE)
_COUNTING = frozenset({"binomial", "factorial", "C", "binom"})


def in_order(reading: Reading, assumptions: Assumptions) -> Reading:
    """Return a reading with the claim first, and what is defined before it behind."""

    def holds(claim: Related) -> bool:
        try:
            return confirm_moments(Reading(claim, (), reading.text), assumptions).answer is Answer.PROVED
        except (OutsideClass, BadInput):
            return False

    def taken(premise: Related) -> bool:
        return is_standard(premise) if has_operator(premise) else is_taken(premise)

    return claim_first(conclusion_first(reading, taken), holds)


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
    letters = letters_in(reading.claim, *reading.aside)
    if any(isinstance(part, Name) and part.letter in ("S", "X", "ε") and part.subscripts for part in nodes):
        return True
    if letters <= {"q", "k", "e", "t", "d", "r", "s", "n", "N", "head", "size"} and (
        {"q", "k"} <= letters or "t" in letters
    ):
        return True
    if is_match_count(reading.claim):
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
    claims = [each for each in reading.aside if each.relations and has_operator(each) and not is_definition(each)]
    if claims:
        return _several(reading, claims, assumptions)
    if name := introduces(reading.claim):
        return Verdict(Answer.READ, reading.text, notes=(note("definition", name=name),))
    reading = inlined(reading, assumptions)
    if probability_claims.is_about(reading):
        return probability_claims.confirm(reading, assumptions)
    reading = replace(reading, claim=bound_pairs(reading.claim, reading))
    case = case_of(reading, assumptions)
    verdict = _answered(case)
    if verdict.answer is Answer.PROVED:
        return verdict
    for other in other_readings(case, reading, assumptions):
        with suppress(OutsideClass):
            found = _answered(case_of(reading, other.assumptions, agreements=other.agreements))
            if found.answer is Answer.PROVED or (
                other.likely and (found.answer is Answer.NEEDS_ASSUMPTION or verdict.answer is Answer.FALSE)
            ):
                return replace(found, understood=(*other.understood, *found.understood))
    return verdict


def _answered(case: Case) -> Verdict:
    """Answer a claim, a chain of claims, or what is asked for."""
    reading, understood = case.reading, understood_of(case)
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
    starts = [*sorted({each.at for each in (reading.claim, *reading.aside)}), len(reading.text)]

    def own_text(claim: Related) -> str:
        end = next(start for start in starts if start > claim.at or start == len(reading.text))
        return _TRAILING.sub("", reading.text[claim.at : end])

    every = (reading.claim, *claims)
    steps = tuple(confirm_moments(Reading(each, rest, own_text(each)), assumptions) for each in every)
    defined = letters_in(*(each.parts[0] for each in rest if is_definition(each)))
    for each, step in zip(every[:-1], steps, strict=False):  # before another
        others = letters_in(*(x for x in (*every, *rest) if x is not each))
        if step.answer is not Answer.PROVED and _assumed(each) in others - defined:
            raise OutsideClass(f"{step.claim} is a condition beside another claim: say it with --law or --mean")
    return combined(reading.text, steps, notes=(note("several-claims", count=len(steps)),))


def _assumed(claim: Related) -> str:
    """Return the letter of whose mean or variance a claim does nothing but say what it is, as X in Var(X) = 4."""
    left = claim.parts[0]
    if not isinstance(left, Called) or left.function not in ("E", "Var") or len(left.arguments) != 1 or left.given:
        return ""
    inside = left.arguments[0]
    return inside.letter if isinstance(inside, Name) and inside.letter not in "etSm" else ""


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


def _step(case: Case, left: Node, relation: str, right: Node) -> Verdict:
    if relation not in ("=", "≤", "≥", "<", ">"):
        raise OutsideClass(f"claims are read with =, ≤ and ≥, not {relation}")
    letters, numbers = free_indices(left, right, case.roles)
    ways: list[Mapping[str, str]] = [{}]
    restricted = False
    if letters and len(letters) + len(numbers) > 1:
        ways, restricted = coincidences(letters, numbers, case.reading)
    if relation != "=":
        verdicts = [_at_indices(compared(replace(case, aliases=way), left, relation, right), way) for way in ways]
        return next((each for each in verdicts if each.answer is not Answer.PROVED), verdicts[0])
    if len(ways) == 2 and not restricted and has_delta(left, right, letters):
        return _by_cases(case, left, right, [*letters, *numbers], ways)
    apart = _equality(case, left, right, ways[0])
    if len(ways) == 1 or apart.answer not in (Answer.PROVED, Answer.NEEDS_ASSUMPTION):
        return _at_indices(apart, ways[0])
    if not restricted:
        whole = _equality(case, left, right)
        if whole.answer in (Answer.PROVED, apart.answer):
            return whole
    others = (_at_indices(_equality(case, left, right, way), way) for way in ways[1:])
    found = next((each for each in others if each.answer not in (Answer.PROVED, apart.answer)), None)
    if found is None:
        return apart
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


def _by_cases(case: Case, left: Node, right: Node, names: list[str], ways: list[Mapping[str, str]]) -> Verdict:
    """Answer a claim with a delta of two indices in two steps: where they differ, and where they are the same."""
    apart, same = (_at_indices(_equality(case, left, right, way), way) for way in ways)
    first, second = names[:2]
    steps = (
        replace(apart, notes=(note("case-different", i=first, j=second), *apart.notes)),
        replace(same, notes=(note("case-same", i=first, j=second), *same.notes)),
    )
    return combined(case.reading.text, steps)


def _equality(case: Case, left: Node, right: Node, aliases: Mapping[str, str] | None = None) -> Verdict:
    tried = []
    failed: OutsideClass | None = None
    for level in levels_of(case):
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
            found = Verdict(Answer.PROVED, case.reading.text, "", (), (proof_of(case, sides, level),))
        else:
            found = _refuted(case, left, right, level, aliases)
        steps.append(replace(found, understood=(note("law-read", law=level),)))
    answers = [step.answer for step in steps]
    understood = (note("law-decides"),)
    if answers[0] is answers[1]:
        if answers[0] is Answer.PROVED and (found_skewed := skewed(case, left, right, aliases)):
            whole = combined(case.reading.text, steps, answer=Answer.NEEDS_ASSUMPTION, understood=understood)
            return replace(whole, counterexample=found_skewed, notes=(note("both-laws-not-every"),), steps=())
        if answers[0] is Answer.PROVED:
            notes = (note("both-laws"),)
            return combined(
                case.reading.text, steps, answer=Answer.NEEDS_ASSUMPTION, understood=understood, notes=notes
            )
        return combined(case.reading.text, steps, understood=understood, notes=steps[0].notes)
    notes = (note("only-for-law", law="signs" if answers[0] is Answer.PROVED else "gaussian"),)
    return combined(case.reading.text, steps, answer=Answer.NEEDS_ASSUMPTION, understood=understood, notes=notes)


def _holds(case: Case, left: Node, right: Node, level: str, sides: Sides, aliases: Mapping[str, str] | None) -> Verdict:
    law = "signs" if level in ("spread", "unit") else ""
    counted = agrees(
        case.reading, case.inlined(left), case.inlined(right), case.roles, case.assumptions, case.sizes, law, case.query
    )
    evidence = (proof_of(case, sides, level), *counted)
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    missing = missing_at(case, level)
    if len(missing) > 1 and holds_dependent(case, left, right, missing, aliases):
        missing.remove("independent")
    understood = (note(LEVEL_WORDS[level], names=", ".join(sorted(unstated))),) if unstated else ()
    if not missing:
        return Verdict(Answer.PROVED, case.reading.text, "", understood, evidence)
    found = counterexample_of(
        case, left, right, "joint" if missing[0] == "independent" and level != "centred" else "any", aliases
    )
    return Verdict(Answer.NEEDS_ASSUMPTION, case.reading.text, "", understood, evidence, found, needs_of(case, missing))


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
        return Verdict(Answer.UNDECIDED, case.reading.text, "", (), (), None, (note("no-counterexample-found"), *notes))
    return Verdict(Answer.FALSE, case.reading.text, "", (), (), found, notes)


def _weakest(case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None) -> Sides:
    """Return the sides of a claim about variables with means and variances as letters, of any other at a level."""
    letters = "centred" if HIGHER & case.roles.mentioned else "" if case.roles.random & case.roles.vectors else "any"
    if letters and level in ("signs", "unit", "centred"):
        with suppress(OutsideClass):
            return sides_of(case, left, right, letters, aliases)
    return sides_of(case, left, right, level, aliases)


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
                (value_proof(case, value, level),), None, (value_note(value),))
        for level, value, _ in named
    )  # fmt: skip
    if len(steps) > 1:
        return combined(case.reading.text, steps, understood=(*understood, note("law-decides")))
    return replace(steps[0], understood=understood)
