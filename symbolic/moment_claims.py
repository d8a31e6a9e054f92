r"""Claims about expectations, variances and sums over signs: proved, false with the smallest counterexample, or what is missing.

Both sides become quotients of polynomials in the width and in the parameters, exactly and for every width (see
moment_meaning); they are equal when their normal forms are.  A claim is tried under ever stronger assumptions
(moment_laws), so that what it needs is found and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import product

from exact.evidence import Domain, Evidence, Rung
from exact.rationals import BadInput, read_rational
from exact.verdicts import Answer, Note, Refutation, Verdict, note, worst
from symbolic import counting_claims, inequalities, probability_claims
from symbolic.assumptions import Assumptions
from symbolic.diagnosis_moments import diagnose
from symbolic.expressions import OutsideClass
from symbolic.moment_laws import is_stated
from symbolic.moment_meaning import Meaning, make
from symbolic.moment_points import Point, describe, letters_of, placed, smallest
from symbolic.moment_roles import OPERATORS, Roles, base_name, survey
from symbolic.moment_writing import decimal, latex, latex_number, text
from symbolic.outcomes import agrees
from symbolic.quotients import Quotient, as_number, quotient
from symbolic.surface import (
    Added,
    Big,
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
    inside,
    walk,
)

__all__ = ["about_moments", "confirm_moments"]

_COUNTING = frozenset({"binomial", "factorial", "C", "binom"})
_SMALL_LAWS = ("values:1", "signs", "bernoulli:1/2", "values:2", "weights:-2=1/3,1=2/3")
_LEVEL_WORDS = {"joint": "every-law", "any": "every-law-independent", "centred": "centred-law", "unit": "unit-law"}


@dataclass(frozen=True, slots=True)
class _Sides:
    """Two sides under one meaning."""

    meaning: Meaning
    left: Quotient
    right: Quotient

    @property
    def equal(self) -> bool:
        return self.meaning.numbers.equal(self.left, self.right)


@dataclass(frozen=True, slots=True)
class _Case:
    """What stays the same while a claim is tried: roles, assumptions, definitions, sizes."""

    roles: Roles
    assumptions: Assumptions
    definitions: Mapping[str, Node]
    sizes: Mapping[str, Quotient]
    reading: Reading

    def value(self, node: Node, meaning: Meaning) -> Quotient:
        """Return the value of a side, with sizes in their places."""
        found = meaning.of(node)
        value = found.value
        if found.axes:
            value = meaning._moved(found, tuple(replace(at, name=f"axis{i}") for i, at in enumerate(found.axes))).value
        ranges = {name: placed(v, Point(self.sizes), meaning.numbers) for name, v in meaning.ranges.items()}
        defined = {n: meaning.of(node) for n, node in self.definitions.items() if n in letters_of(value)}
        known = {n: placed(v.value, Point(self.sizes), meaning.numbers) for n, v in defined.items() if not v.axes}
        letters = {**self.sizes, **ranges, **known}
        value = placed(value, Point(letters), meaning.numbers) if letters else value
        return _with_constraints(self, value, meaning)

    def keeps(self, meaning: Meaning, point: Point) -> bool:
        """Say whether a point obeys the conditions on sums that stand beside the claim."""
        sides = ([meaning.number(part) for part in each.parts] for each in _constraints(self))
        numbers = meaning.numbers
        return all(numbers.equal(placed(a, point, numbers), placed(b, point, numbers)) for a, b in sides)


def about_moments(reading: Reading) -> bool:
    """Say whether a reading talks of expectations, variances, probabilities, binomials or sums over signs.

    So do scores of q and k alone, as q·k/√d, and pure arithmetic with roots, as √(2/(1 + a²)) = 1/√3.
    """
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
    if counting_claims.is_recursion(reading):
        return counting_claims.confirm_recursion(reading)
    if counting_claims.is_counting(reading):
        return counting_claims.confirm_counting(reading)
    if probability_claims.is_about(reading):
        return probability_claims.confirm(reading, assumptions)
    reading = replace(reading, claim=_bound_pairs(reading.claim, reading))
    case = _case(reading, assumptions)
    understood = _understood(case)
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


def _bound_pairs(claim: Related, reading: Reading) -> Related:
    """Bind both letters of Σ_{r ≠ s} where the second stands nowhere outside such sums."""

    def letters(node: Node, bound: frozenset[str]) -> set[str]:
        if isinstance(node, Name) and not node.subscripts:
            return {node.letter} - bound
        if isinstance(node, Big):
            own = {i.letter for i in node.indices}
            own |= {n.letter for c in node.conditions for n in c.parts if isinstance(n, Name) and c.relations == ("≠",)}
            bound |= own
        return {letter for part in inside(node) for letter in letters(part, bound)}

    free = letters(claim, frozenset()) | {x for aside in reading.aside for x in letters(aside, frozenset())}

    def rebuilt(node: Node, bound: frozenset[str]) -> Node:
        if isinstance(node, Big):
            bound |= {i.letter for i in node.indices}
            others = [p for c in node.conditions if c.relations == ("≠",) for p in c.parts if isinstance(p, Name)]
            more = tuple(p for p in others if p.letter not in free | bound and not p.subscripts)
            if more:
                node = replace(node, indices=(*node.indices, *dict.fromkeys(more)))
                bound |= {p.letter for p in more}
        changes = {}
        for part in fields(node):
            value = getattr(node, part.name)
            if isinstance(value, tuple):
                changes[part.name] = tuple(v if isinstance(v, str) else rebuilt(v, bound) for v in value)
            elif is_dataclass(value):
                changes[part.name] = rebuilt(value, bound)  # type: ignore[arg-type] # every dataclass inside is a node
        return replace(node, **changes) if changes else node

    found = rebuilt(claim, frozenset())
    return found if isinstance(found, Related) else claim


def _chain(case: _Case, steps: list[Verdict], understood: tuple[Note, ...]) -> Verdict:
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
    first = next((step.counterexample for step in steps if step.counterexample), None)
    evidence = tuple(each for step in steps for each in step.evidence)
    return Verdict(answer, case.reading.text, "", understood, evidence, first, tuple(notes), tuple(steps))


def _case(reading: Reading, assumptions: Assumptions) -> _Case:
    definitions: dict[str, Node] = {}
    sizes = {name: quotient(read_rational(value)) for name, value in assumptions.sizes}
    laws = list(assumptions.laws)
    for aside in reading.aside:
        name = aside.parts[0]
        if aside.relations == ("=",) and isinstance(name, Name):
            spelled = _spelled(name)
            if isinstance(aside.parts[1], Number):
                sizes[spelled] = quotient(aside.parts[1].value)
            else:
                definitions[spelled] = aside.parts[1]
    roles = survey(reading, replace(assumptions, laws=tuple(laws)))
    roles = replace(roles, random=roles.random - set(definitions), vectors=roles.vectors - set(definitions))
    if assumptions.width:
        sizes[roles.width] = quotient(read_rational(assumptions.width))
    d_model, heads = sizes.get("d_model"), sizes.get("h", sizes.get("heads"))
    names = {_spelled(n) for part in walk(reading.claim) if isinstance(n := part, Name)}
    if roles.width != "d_model" and ("d_model" in names or "d_model" in sizes):
        from symbolic.polynomial import scalar
        from symbolic.quotients import Field

        numbers, width = Field(), sizes.get(roles.width, quotient(scalar(roles.width)))
        if d_model is not None and heads is not None:
            sizes[roles.width] = numbers.divide(d_model, heads)
        elif d_model is None:
            sizes["d_model"] = numbers.multiply(width, heads or quotient(scalar("h")))
    for name, value in sizes.items():
        number = as_number(value)
        if (
            name in ("d", "n", "N", "d_k", "h", "d_model")
            and number is not None
            and (number.denominator != 1 or number < 1)
        ):
            raise BadInput(f"{name} must be a whole number of at least 1 (got {number})")
    return _Case(roles, assumptions, definitions, sizes, reading)


def _spelled(name: Name) -> str:
    below = ",".join(_spelled(s) if isinstance(s, Name) else str(getattr(s, "value", "")) for s in name.subscripts)
    return f"{base_name(name)}_{below}" if below else base_name(name)


def _levels(case: _Case) -> tuple[str, ...]:
    """Return the levels at which a claim is tried, the weakest assumptions first."""
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    free = len(case.roles.variables) > 1 and case.assumptions.independent is not True
    start = ("joint",) if free else ()
    if not unstated:
        if case.assumptions.rho:
            return ("any",)
        return ("any",) if case.assumptions.independent is None else (*start, "any")
    return (*start, "any", "centred", "unit")


def _sides(case: _Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None = None) -> _Sides:
    meaning = make(case.roles, case.assumptions, level, case.definitions, aliases)
    values = [case.value(left, meaning), case.value(right, meaning)]
    return _Sides(meaning, *values)


def _step(case: _Case, left: Node, relation: str, right: Node) -> Verdict:
    if relation in ("≤", "≥", "<", ">"):
        return _compared(case, left, relation, right)
    if relation != "=":
        raise OutsideClass(f"claims are read with =, ≤ and ≥, not {relation}")
    indices = _delta_indices(case, left, right)
    if indices:
        return _by_cases(case, left, right, indices)
    return _equality(case, left, right)


def _delta_indices(case: _Case, left: Node, right: Node) -> tuple[str, str] | None:
    """Return the two free indices of a delta in the claim, whose cases are told apart."""
    for side in (left, right):
        bound = {i.letter for part in walk(side) if isinstance(part, Big) for i in part.indices}
        for part in walk(side):
            at: tuple[Node, ...] = ()
            if isinstance(part, Name) and part.letter == "δ" and len(part.subscripts) == 2:
                at = part.subscripts
            elif isinstance(part, Iverson):
                at = part.condition.parts
            if len(at) == 2 and all(isinstance(i, Name) and i.letter not in bound for i in at):
                first, second = (i.letter for i in at if isinstance(i, Name))
                return first, second
    return None


def _by_cases(case: _Case, left: Node, right: Node, indices: tuple[str, str]) -> Verdict:
    first, second = indices
    apart = _equality(case, left, right, {"=" + first: "1", "=" + second: "2"})
    same = _equality(case, left, right, {"=" + first: "1", "=" + second: "1"})
    steps = (
        replace(apart, notes=(note("case-different", i=first, j=second), *apart.notes)),
        replace(same, notes=(note("case-same", i=first, j=second), *same.notes)),
    )
    answer = worst(step.answer for step in steps)
    found = next((step.counterexample for step in steps if step.counterexample), None)
    evidence = tuple(each for step in steps for each in step.evidence)
    return Verdict(answer, _claim(case), "", (), evidence, found, (), steps)


def _equality(case: _Case, left: Node, right: Node, aliases: Mapping[str, str] | None = None) -> Verdict:
    tried = []
    failed: OutsideClass | None = None
    for level in _levels(case):
        try:
            sides = _sides(case, left, right, level, aliases)
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
    if unstated:
        if tried and not _depends_on_law(tried[-1][1]) and tried[-1][0] == "unit":
            return _refuted(case, left, right, "signs", aliases)
        return _by_law(case, left, right, aliases)
    if not tried:
        raise failed or OutsideClass("this claim is not read")
    return _refuted(case, left, right, tried[-1][0], aliases)


def _depends_on_law(sides: _Sides) -> bool:
    return any(name.startswith("E[") for name in letters_of(sides.left, sides.right))


def _by_law(case: _Case, left: Node, right: Node, aliases: Mapping[str, str] | None) -> Verdict:
    """Answer for signs and for Gaussians, where the law decides and none is stated."""
    steps = []
    for level in ("signs", "gaussian"):
        sides = _sides(case, left, right, level, aliases)
        if sides.equal:
            found = Verdict(Answer.PROVED, _claim(case), "", (), (_evidence(case, sides, level),))
        else:
            found = _refuted(case, left, right, level, aliases)
        steps.append(replace(found, understood=(note("law-read", law=level),)))
    answers = [step.answer for step in steps]
    evidence = tuple(each for step in steps for each in step.evidence)
    first = next((step.counterexample for step in steps if step.counterexample), None)
    if answers[0] is answers[1]:
        notes = steps[0].notes if answers[0] is Answer.FALSE else (note("both-laws"),)
        return Verdict(answers[0], _claim(case), "", (note("law-decides"),), evidence, first, notes, tuple(steps))
    holds = "signs" if answers[0] is Answer.PROVED else "gaussian"
    fails = steps[1] if holds == "signs" else steps[0]
    notes = (note("only-for-law", law=holds), *fails.notes)
    understood = (note("law-decides"),)
    return Verdict(Answer.NEEDS_ASSUMPTION, _claim(case), "", understood, evidence, first, notes, tuple(steps))


def _holds(
    case: _Case, left: Node, right: Node, level: str, sides: _Sides, aliases: Mapping[str, str] | None
) -> Verdict:
    evidence = (
        _evidence(case, sides, level),
        *agrees(case.reading, left, right, case.roles, case.assumptions, case.sizes),
    )
    unstated = [n for n in case.roles.random if not is_stated(n, case.assumptions)]
    variables = [n for n in unstated if n in case.roles.variables]
    missing = []
    if "joint" in _levels(case) and level != "joint" and case.assumptions.independent is None:
        missing.append("independent")
    if variables and not case.assumptions.mean and level in ("centred", "unit"):
        missing.append("centred")
    if variables and level == "unit":
        missing.append("unit")
    understood = (note(_LEVEL_WORDS[level], names=", ".join(sorted(unstated))),) if unstated else ()
    if not missing:
        return Verdict(Answer.PROVED, _claim(case), "", understood, evidence)
    found = _counterexample(
        case, left, right, "joint" if missing[0] == "independent" and level != "centred" else "any", aliases
    )
    notes = tuple(note(f"needs-{each}", names=", ".join(sorted(case.roles.variables))) for each in missing)
    return Verdict(Answer.NEEDS_ASSUMPTION, _claim(case), "", understood, evidence, found, notes)


def _needs_symmetry(case: _Case, left: Node, right: Node, found: Verdict, aliases: Mapping[str, str] | None) -> Verdict:
    free = any(not is_stated(n, case.assumptions) for n in case.roles.random) and "μ_2" not in case.roles.mentioned
    level = "signs" if free else "any"
    refutation = _counterexample(case, left, right, level, aliases)
    notes = (note("needs-symmetric", names=", ".join(sorted(case.roles.matrices))), *found.notes)
    return replace(found, answer=Answer.NEEDS_ASSUMPTION, counterexample=refutation, notes=notes)


def _refuted(case: _Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None) -> Verdict:
    sides = _sides(case, left, right, level, aliases)
    found = _counterexample(case, left, right, level, aliases)
    free = replace(case, assumptions=replace(case.assumptions, keys="", laws=(), rho=""))

    def under(other: str) -> Quotient:
        return _sides(free, left, right, other, aliases).left

    notes = diagnose(left, right, sides.meaning, sides.left, sides.right, under)
    if found is None:
        return Verdict(Answer.UNDECIDED, _claim(case), "", (), (), None, (note("no-counterexample-found"), *notes))
    return Verdict(Answer.FALSE, _claim(case), "", (), (), found, notes)


def _counterexample(
    case: _Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Return the smallest point at which the sides differ: small laws for variables, then small numbers for letters."""
    variables = sorted(n for n in case.roles.variables if not is_stated(n, case.assumptions))
    symmetric = bool(case.assumptions.symmetric)
    if level == "joint":
        return _dependent(case, left, right, variables, aliases)
    claimed_left = not _has_operator(left) and _has_operator(right)
    for laws in (
        product(_SMALL_LAWS, repeat=min(len(variables), 3))
        if len(variables) < 4
        else [_SMALL_LAWS[:1] * len(variables)]
    ):
        assumed = replace(case.assumptions, laws=(*case.assumptions.laws, *zip(variables, laws, strict=False)))
        vectors_level = level if level in ("signs", "gaussian") or "μ_2" in case.roles.mentioned else "signs"
        sides = _sides(replace(case, assumptions=assumed), left, right, vectors_level, aliases)
        numbers = sides.meaning.numbers
        keep = partial(case.keeps, sides.meaning) if _constraints(case) else None
        point = smallest(sides.left, sides.right, case.roles.width, numbers, symmetric, keep)
        if point is None:
            continue
        values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
        if claimed_left:
            values.reverse()
        where = describe(point, sides.left, sides.right, case.roles.width, numbers)
        where += tuple((name, law) for name, law in zip(variables, laws, strict=False))
        where += tuple(
            (name, vectors_level if vectors_level in ("signs", "gaussian") else "centred")
            for name in sorted(case.roles.random & case.roles.vectors)
            if not is_stated(name, case.assumptions)
        )
        where += tuple(
            (n, case.assumptions.law_text(n)) for n in sorted(case.roles.random) if is_stated(n, case.assumptions)
        )
        return Refutation(where, claimed=values[1], correct=values[0])
    return None


def _dependent(
    case: _Case, left: Node, right: Node, variables: list[str], aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Put one variable in the place of another: the plainest way to depend."""
    if len(variables) < 2:
        return None
    first, second, *_ = variables
    same = {**(aliases or {}), second: first}
    roles = replace(case.roles, random=case.roles.random - {second})
    for law in ("signs", "bernoulli:1/2", "values:1", "values:2"):
        assumed = replace(case.assumptions, laws=(*case.assumptions.laws, (first, law)), independent=True)
        sides = _sides(replace(case, roles=roles, assumptions=assumed), left, right, "any", same)
        numbers = sides.meaning.numbers
        point = smallest(sides.left, sides.right, case.roles.width, numbers, False)
        if point is not None:
            values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
            where = describe(point, sides.left, sides.right, case.roles.width, numbers)
            return Refutation(((second, first), (first, law), *where), claimed=values[1], correct=values[0])
    return None


def _compared(case: _Case, left: Node, relation: str, right: Node) -> Verdict:
    """Decide ≤ where the difference shows its sign: no coefficient below 0, in d − 1 and in squares."""
    if relation in ("≥", ">"):
        left, right, relation = right, left, {"≥": "≤", ">": "<"}[relation]
    levels = _levels(case)
    unstated = any(not is_stated(n, case.assumptions) for n in case.roles.random)
    steps = []
    for level in (*levels, *(("signs", "gaussian") if unstated else ())):
        try:
            sides = _sides(case, left, right, level)
            difference = sides.meaning.numbers.subtract(sides.right, sides.left)
        except OutsideClass:
            continue
        shown = inequalities.sign_shown(difference, case.roles.width, strict=relation == "<")
        if shown:
            evidence = (_evidence(case, sides, level),)
            notes = (note("difference", value=text(difference)),)
            if level in _LEVEL_WORDS:
                return Verdict(Answer.PROVED, _claim(case), "", (), evidence, None, notes)
            steps.append(
                Verdict(Answer.PROVED, _claim(case), "", (note("law-read", law=level),), evidence, None, notes)
            )
            continue
        if level in ("signs", "gaussian") or not unstated:
            point = inequalities.below(difference, case.roles.width, sides.meaning.numbers, strict=relation == "<")
            if point is not None and not _constraints(case):
                numbers = sides.meaning.numbers
                values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
                where = describe(point, sides.left, sides.right, case.roles.width, numbers)
                found = Refutation(where, claimed=f"{relation} {values[1]}", correct=values[0])
                steps.append(Verdict(Answer.FALSE, _claim(case), "", (note("law-read", law=level),), (), found))
            else:
                steps.append(Verdict(Answer.UNDECIDED, _claim(case), "", (note("law-read", law=level),)))
    if not steps:
        return Verdict(Answer.UNDECIDED, _claim(case), "", (), (), None, (note("inequality-not-decided"),))
    answers = {step.answer for step in steps}
    if answers == {Answer.PROVED, Answer.FALSE}:
        holds = "signs" if steps[0].answer is Answer.PROVED else "gaussian"
        first = next(step.counterexample for step in steps if step.counterexample)
        notes = (note("only-for-law", law=holds),)
        return Verdict(Answer.NEEDS_ASSUMPTION, _claim(case), "", (), (), first, notes, tuple(steps))
    chosen = next(step for step in steps if step.answer is worst(answers))
    return replace(chosen, steps=tuple(steps) if len(steps) > 1 else ())


def _constraints(case: _Case) -> list[Related]:
    return [a for a in case.reading.aside if a.relations == ("=",) and isinstance(a.parts[0], Big)]


def _with_constraints(case: _Case, value: Quotient, meaning: Meaning) -> Quotient:
    """Put numbers for sums that an aside fixes, as Σ_i c_i² = 1."""
    from symbolic.polynomial import Polynomial, plus

    for aside in _constraints(case):
        number = as_number(meaning.number(aside.parts[1]))
        fixed = meaning.number(aside.parts[0]).over
        if number is None or len(fixed) != 1:
            raise OutsideClass("a condition on a sum is read as Σ c_i² = a number")
        ((term, c),) = fixed.items()
        over: Polynomial = {}
        for each, coefficient in value.over.items():
            count = each.sums.count(term.sums[0]) if term.sums else 0
            left = tuple(part for part in each.sums if not term.sums or part != term.sums[0])
            over = plus(over, {each._replace(sums=left): coefficient * (number / c) ** count})
        value = Quotient(over, value.under)
    return value


def _asked(case: _Case, node: Node, understood: tuple[Note, ...]) -> Verdict:
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
                (_value_evidence(case, value, level),), None, _value_notes(value))
        for level, value, _ in named
    )  # fmt: skip
    if len(steps) > 1:
        evidence = tuple(each for step in steps for each in step.evidence)
        return Verdict(Answer.PROVED, case.reading.text, "", (*understood, note("law-decides")), evidence, steps=steps)
    return replace(steps[0], understood=understood)


def _value_notes(value: Quotient) -> tuple[Note, ...]:
    number = as_number(value)
    if number is None:
        return (note("value", value=text(value), latex=latex(value)),)
    return (note("number", value=text(value), latex=latex_number(number), decimal=decimal(number)),)


def _value_evidence(case: _Case, value: Quotient, level: str) -> Evidence:
    return Evidence(
        Rung.PROVED, f"{case.reading.text} = {text(value)}", _domain(case, level), ("expansion", "cumulants")
    )


def _evidence(case: _Case, sides: _Sides, level: str) -> Evidence:
    formula = _claim(case) or f"{text(sides.left)} = {text(sides.right)}"
    return Evidence(Rung.PROVED, formula, _domain(case, level), ("expansion", "cumulants", "normal form"))


def _domain(case: _Case, level: str) -> Domain:
    width = case.roles.width
    size = case.sizes.get(width)
    sizes = f"{width} = {text(size)}" if size is not None and as_number(size) is not None else f"every {width} ≥ 1"
    laws = []
    for name in sorted(case.roles.random):
        laws.append(f"{name}: {case.assumptions.law_text(name) or level}")
    return Domain(sizes, "; ".join(laws))


def _claim(case: _Case) -> str:
    return case.reading.text


def _understood(case: _Case) -> tuple[Note, ...]:
    roles, found = case.roles, []
    names = {base_name(n) for part in walk(case.reading.claim) if isinstance(n := part, Name)}
    if "e" in names and "e" not in roles.random:
        found.append(note("score", q=roles.score[0], k=roles.score[1]))
    if "S" in names and "S" not in roles.random:
        found.append(note("partial-sum", name=roles.summand))
    if vectors := sorted(roles.random & roles.vectors):
        found.append(note("random-vectors", names=", ".join(vectors), width=roles.width))
    if roles.variables:
        found.append(note("random-variables", names=", ".join(sorted(roles.variables))))
    if roles.matrices:
        found.append(note("fixed-matrices", names=", ".join(sorted(roles.matrices))))
    for name, law in case.assumptions.laws:
        found.extend(_decimals(name, law))
    if case.assumptions.keys:
        found.extend(_decimals("k", case.assumptions.keys))
    for part in (n for root in (case.reading.claim, *case.reading.aside) for n in walk(root)):
        if (
            isinstance(part, Number)
            and part.value.denominator % 10 in (0, 5)
            and f"{float(part.value):g}" in case.reading.text
        ):
            found.append(note("decimal-read", text=f"{float(part.value):g}", value=part.value))
    if any(s in ("d_model",) for s in case.sizes) and as_number(case.sizes["d_model"]) is None:
        found.append(note("d-model", d=roles.width))
    return tuple(dict.fromkeys(found))


def _decimals(name: str, law: str) -> list[Note]:
    found = []
    for part in law.replace(":", ",").replace("=", ",").split(","):
        try:
            value = read_rational(part)
        except BadInput:
            continue
        if "." in part:
            found.append(note("decimal-read", text=part.strip(), value=value))
    del name
    return found


def _has_operator(node: Node) -> bool:
    return any(isinstance(part, Called) and part.function in OPERATORS for part in walk(node))
