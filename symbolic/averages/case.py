"""What stays the same while a claim about moments is tried: roles, sizes, definitions, conditions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from exact.rationals import BadInput, read_rational
from exact.verdicts import Note, note
from symbolic.averages.arrays import Value
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.deltas import settled
from symbolic.averages.meaning import Meaning
from symbolic.averages.points import Point, letters_of, placed
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.roles import MATRICES, OPERATORS, Roles, base_name, survey
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Added,
    Big,
    Called,
    Divided,
    Name,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    inside,
    letters_in,
    replaced,
    walk,
)

__all__ = [
    "Case",
    "bound_pairs",
    "case_of",
    "constraints",
    "is_match_count",
    "is_standard",
    "is_taken",
    "may_count_matches",
    "understood_of",
]

SIGNS = ("signs", "sign", "rademacher")
_R = Name("r")
_TERM = Divided(Added((Number(Fraction(1)), Name("t", (_R,)))), Number(Fraction(2)))
AGREEMENTS = Big("sum", (_R,), _TERM)  # for signs, t_r is 1 where q_r = k_r and −1 elsewhere
_INDEPENDENT = {"are", "be", "mutually", "independent"}
_DECIMAL = re.compile(r"\d{1,99}\.\d{1,99}")


@dataclass(frozen=True, slots=True)
class Case:
    """What stays the same while a claim is tried: roles, assumptions, definitions, sizes."""

    roles: Roles
    assumptions: Assumptions
    definitions: Mapping[str, Node]
    sizes: Mapping[str, Quotient]
    reading: Reading
    query: tuple[Fraction, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    def value(self, node: Node, meaning: Meaning) -> Quotient:
        """Return the value of a side, with sizes in their places."""
        return self.evaluated(node, meaning)[0]

    def evaluated(self, node: Node, meaning: Meaning) -> tuple[Quotient, int]:
        """Return the same, and how many axes it has: a number, a vector, a matrix."""
        found = meaning.of(node)
        return self._with_sizes(found, meaning), len(found.axes)

    def _with_sizes(self, found: Value, meaning: Meaning) -> Quotient:
        value = found.value
        if found.axes:
            value = meaning.moved(found, tuple(replace(at, name=f"axis{i}") for i, at in enumerate(found.axes))).value
        value = Quotient(settled(value.over, meaning.numbers.rules), value.under)
        ranges = {name: placed(v, Point(self.sizes), meaning.numbers) for name, v in meaning.ranges.items()}
        defined = {n: meaning.of(node) for n, node in self.definitions.items() if n in letters_of(value)}
        known = {n: placed(v.value, Point(self.sizes), meaning.numbers) for n, v in defined.items() if not v.axes}
        letters = {**self.sizes, **ranges, **known}
        if self.query:
            numbers: dict[tuple[int, ...], Fraction] = {(r,): x for r, x in enumerate(self.query, start=1)}
            return placed(value, Point(letters, {"q": numbers}, len(self.query)), meaning.numbers)
        value = placed(value, Point(letters), meaning.numbers) if letters else value
        return _with_constraints(self, value, meaning)

    def inlined(self, node: Node) -> Node:
        """Return a side with definitions in the place of the letters that they define."""
        return _inlined(node, self.definitions)

    @property
    def has_width(self) -> bool:
        """Whether the claim speaks of vectors or of their width at all."""
        names = {base_name(n) for part in walk(self.reading.claim) if isinstance(n := part, Name)}
        return bool(self.roles.vectors | self.roles.matrices) or self.roles.width.split("_")[0] in names

    def keeps(self, meaning: Meaning, point: Point) -> bool:
        """Say whether a point obeys the conditions on sums that stand beside the claim."""
        sides = ([meaning.number(part) for part in each.parts] for each in constraints(self))
        numbers = meaning.numbers
        return all(numbers.equal(placed(a, point, numbers), placed(b, point, numbers)) for a, b in sides)


def _inlined(node: Node, definitions: Mapping[str, Node]) -> Node:
    for _ in definitions:  # one may use another
        node = replaced(node, lambda part: definitions.get(_spelled(part)) if isinstance(part, Name) else None)
    return node


def bound_pairs(claim: Related, reading: Reading) -> Related:
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

    def rebuilt(node: Any, bound: frozenset[str]) -> Any:
        if isinstance(node, Big):
            bound |= {i.letter for i in node.indices}
            others = [p for c in node.conditions if c.relations == ("≠",) for p in c.parts if isinstance(p, Name)]
            more = tuple(p for p in others if p.letter not in free | bound and not p.subscripts)
            if more:
                node = replace(node, indices=(*node.indices, *dict.fromkeys(more)))
                bound |= {p.letter for p in more}
        changes: dict[str, Any] = {}
        for part in fields(node):
            value = getattr(node, part.name)
            if isinstance(value, tuple):
                changes[part.name] = tuple(v if isinstance(v, str) else rebuilt(v, bound) for v in value)
            elif is_dataclass(value):
                changes[part.name] = rebuilt(value, bound)
        return replace(node, **changes) if changes else node

    found = rebuilt(claim, frozenset())
    return found if isinstance(found, Related) else claim


def case_of(reading: Reading, assumptions: Assumptions, *, agreements: bool | None = None) -> Case:
    """Return what a reading and its assumptions fix: roles, definitions after the claim, sizes; d_model = h·d.

    `agreements`: whether m is the number of agreements; where it is not said, it is where a width d stands beside it.
    """
    definitions: dict[str, Node] = {}
    sizes = {name: quotient(read_rational(value)) for name, value in assumptions.sizes}
    for aside in reading.aside:
        name = aside.parts[0]
        if _says_independent(aside):
            assumptions = replace(assumptions, independent=True)
        elif not is_taken(aside):
            raise OutsideClass("beside a claim stand definitions and sizes; --mean, --keys, --law say the rest")
        if aside.relations == ("=",) and isinstance(name, Name):
            spelled = _spelled(name)
            if isinstance(aside.parts[1], Number):
                sizes[spelled] = quotient(aside.parts[1].value)
            else:
                definitions[spelled] = aside.parts[1]
    if agreements if agreements is not None else is_match_count(reading.claim):
        if {assumptions.law_text("q"), assumptions.law_text("k")} - {"", *SIGNS} or assumptions.mean:
            raise OutsideClass("m, the number of agreements, is read for signs: --keys signs")
        if "m" not in {*definitions, *sizes, *dict(assumptions.laws)}:
            assumptions = replace(assumptions, keys="signs")
            definitions["m"] = AGREEMENTS
    query = _numbers(assumptions.query)
    if query:
        assumptions = replace(assumptions, query="", fixed=(*assumptions.fixed, "q"), width=str(len(query)))
    claim = _inlined(reading.claim, definitions)
    _one_row(claim)
    roles = survey(replace(reading, claim=claim) if isinstance(claim, Related) else reading, assumptions)
    for spelled, other in list(definitions.items()):
        if isinstance(other, Name) and {spelled, base_name(other)} <= roles.random:
            if assumptions.query or {spelled, base_name(other)} != set(roles.pair):
                raise OutsideClass(f"{spelled} = {base_name(other)} is not read; write {base_name(other)} in its place")
            del definitions[spelled]
            assumptions = replace(assumptions, query="same")
    if unknown := [name for name in roles.random - set(definitions) if name.endswith("\u0304")]:
        raise OutsideClass(f"{unknown[0]} is a mean of a sample: write it out, as (1/n) Σ_i X_i")
    roles = replace(roles, random=roles.random - set(definitions), vectors=roles.vectors - set(definitions))
    if assumptions.width:
        sizes[roles.width] = quotient(read_rational(assumptions.width))
    d_model, heads = sizes.get("d_model"), sizes.get("h", sizes.get("heads"))
    names = {_spelled(n) for part in walk(reading.claim) if isinstance(n := part, Name)}
    if roles.width != "d_model" and ("d_model" in names or "d_model" in sizes):
        from symbolic.averages.quotients import Field
        from symbolic.polynomial import scalar

        numbers, width = Field(), sizes.get(roles.width, quotient(scalar(roles.width)))
        if d_model is not None and heads is not None:
            sizes[roles.width] = numbers.divide(d_model, heads)
        elif d_model is None:
            sizes["d_model"] = numbers.multiply(width, heads or quotient(scalar("h")))
    for letter, value in sizes.items():
        number = as_number(value)
        if (
            letter in ("d", "n", "N", "d_k", "h", "d_model")
            and number is not None
            and (number.denominator != 1 or number < 1)
        ):
            raise BadInput(f"{letter} must be a whole number of at least 1 (got {number})")
    return Case(roles, assumptions, definitions, sizes, reading, query)


def _one_row(claim: Node) -> None:
    """Refuse two rows of one random matrix: entries W_ij are read along one row, as those of a vector."""
    rows: dict[str, set[Node]] = {}
    for call in walk(claim):
        if isinstance(call, Called) and call.function in OPERATORS:
            for part in walk(call):
                if isinstance(part, Name) and len(part.subscripts) == 2 and part.letter not in MATRICES | {"δ"}:
                    rows.setdefault(base_name(part), set()).add(part.subscripts[0])
    bound = {index for part in walk(claim) if isinstance(part, Big) for index in part.indices}
    for name, first in rows.items():
        if len(first) > 1 or first & bound:
            raise OutsideClass(f"{name} is read along one row; several rows of a random matrix are not read")


def is_match_count(claim: Node) -> bool:
    """Say whether a claim is about the width d, the number m of agreements and perhaps the score, and nothing else."""
    return "d" in letters_in(claim) and may_count_matches(claim)


def may_count_matches(claim: Node) -> bool:
    """Say whether m may be the number of agreements: no index and no limit of a sum, beside q, k, their score and d."""
    bound: list[Node] = []
    for part in walk(claim):
        if isinstance(part, Name):
            bound += part.subscripts
        elif isinstance(part, Big):
            bound += [*part.indices, *(each for each in (part.lower, part.upper) if each)]
    return "m" in letters_in(claim) <= set("emdqktrs") and "m" not in letters_in(*bound)


def _numbers(text: str) -> tuple[Fraction, ...]:
    """Read a query given as numbers, 3,-1,2; nothing for the name of a law."""
    if not text or not set(text) <= set("0123456789.,/+-− "):
        return ()
    return tuple(read_rational(part) for part in text.split(","))


def _spelled(name: Name) -> str:
    below = ",".join(_spelled(s) if isinstance(s, Name) else str(getattr(s, "value", "")) for s in name.subscripts)
    return f"{base_name(name)}_{below}" if below else base_name(name)


def _says_independent(aside: Related) -> bool:
    """Say whether words say that variables are independent, as “X and Y independent”, “X, Y are i.i.d.”."""
    words = [part.letter for part in walk(aside) if isinstance(part, Name)]
    return not aside.relations and "independent" in words and {w for w in words if len(w) > 1} <= _INDEPENDENT


def is_taken(aside: Related) -> bool:
    """Say whether a condition beside a claim is taken into account, or says what is assumed anyway."""
    left, right = aside.parts[0], aside.parts[-1]
    if not aside.relations:
        return isinstance(left, Name) and len(left.letter) == 1
    if aside.relations == ("=",):
        return isinstance(left, Name | Big) or is_standard(aside)
    if len(aside.parts) > 2:
        return set(aside.relations) <= {"<", ">", "≠"} and all(isinstance(part, Name | Number) for part in aside.parts)
    if not isinstance(left, Name):
        return False
    if aside.relations == ("≠",) and isinstance(right, Number):
        return left.letter in "ijklrstuv"
    if isinstance(right, Number):
        return aside.relations[0] in {">", "≥"} and right.value <= (0 if aside.relations == (">",) else 1)
    return isinstance(right, Name)


def is_standard(aside: Related) -> bool:
    """Say whether an equation says that a coordinate has mean 0 or variance 1, which is assumed of vectors anyway."""
    left, right = aside.parts[0], aside.parts[-1]
    if aside.relations != ("=",) or not isinstance(left, Called) or not isinstance(right, Number):
        return False
    if len(left.arguments) != 1 or left.given:
        return False
    inside, function = left.arguments[0], left.function
    if function == "E" and isinstance(inside, Raised) and inside.exponent == Number(Fraction(2)):
        inside, function = inside.base, "Var"
    coordinate = isinstance(inside, Name) and len(inside.subscripts) == 1 and isinstance(inside.subscripts[0], Name)
    return coordinate and (function, right.value) in {("E", Fraction(0)), ("Var", Fraction(1))}


def constraints(case: Case) -> list[Related]:
    """Return the conditions on sums that stand after the claim, as Σ_i c_i² = 1."""
    return [a for a in case.reading.aside if a.relations == ("=",) and isinstance(a.parts[0], Big)]


def _with_constraints(case: Case, value: Quotient, meaning: Meaning) -> Quotient:
    """Put numbers for sums that an aside fixes, as Σ_i c_i² = 1."""
    from symbolic.polynomial import Polynomial, plus

    for aside in constraints(case):
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


def understood_of(case: Case) -> tuple[Note, ...]:
    """Return how the letters were read, and every decimal as the fraction it is."""
    roles, found = case.roles, []
    names = {base_name(n) for part in walk(case.reading.claim) if isinstance(n := part, Name)}
    if "e" in names and "e" not in roles.random:
        found.append(note("score", q=roles.score[0], k=roles.score[1]))
    if case.definitions.get("m") == AGREEMENTS:
        found.append(note("agreements"))
    if "S" in names and "S" not in roles.random:
        found.append(note("partial-sum", name=roles.summand))
    if vectors := sorted(roles.random & roles.vectors):
        found.append(note("random-vectors", names=", ".join(vectors), width=roles.width))
    if roles.variables:
        found.append(note("random-variables", names=", ".join(sorted(roles.variables))))
    if case.assumptions.rho:
        first, second = roles.pair
        product = f"{first}_r {second}_r" if first in roles.vectors else f"{first} {second}"
        rho = case.assumptions.rho.strip().lstrip("\\")
        found.append(note("correlated", first=first, second=second, product=product, rho=rho))
    if case.assumptions.query.strip() == "same":
        found.append(note("one-vector", kept=roles.pair[0], gone=roles.pair[1]))
    if case.assumptions.mean:
        found.append(note("moved", mean=case.assumptions.mean))
    if roles.matrices:
        found.append(note("fixed-matrices", names=", ".join(sorted(roles.matrices))))
    said = (case.reading.text, case.assumptions.keys, *(law for _, law in case.assumptions.laws))
    found += [
        note("decimal-read", text=each, value=read_rational(each)) for text in said for each in _DECIMAL.findall(text)
    ]
    if "d_model" in case.sizes and as_number(case.sizes["d_model"]) is None:
        found.append(note("d-model", d=roles.width))
    return tuple(dict.fromkeys(found))
