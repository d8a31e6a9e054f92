"""Recursions m_{n+1} = R(m_n, n) with a first value and a closed form: proved by induction, for every n.

Without a closed form, one is found where m_{n+1} − m_n is a polynomial in n, and then proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from exact.evidence import Domain, Evidence, Rung
from exact.verdicts import Answer, Note, Refutation, Verdict, note
from symbolic.averages.points import Point, letters_of, placed
from symbolic.averages.quotients import Field, Quotient, as_number, quotient
from symbolic.averages.writing import latex, text
from symbolic.expressions import OutsideClass
from symbolic.polynomial import constant, plus, scalar
from symbolic.reading.surface import Added, Divided, Multiplied, Name, Negated, Node, Number, Raised, Reading, Related

__all__ = ["confirm_recursion", "is_recursion"]

DEGREE_LIMIT = 20


@dataclass(frozen=True, slots=True)
class _Recursion:
    """m_{n+1} = `next` in the letters n and `name`, m_first = `start`, and the closed form claimed, if any."""

    name: str
    index: str
    next: Quotient
    first: Fraction
    start: Quotient
    closed: Quotient | None


def is_recursion(reading: Reading) -> bool:
    """Say whether a reading states how m_{n+1} follows from m_n."""
    return any(_step_of(each) is not None for each in (reading.claim, *reading.aside))


def _step_of(equation: Related) -> Name | None:
    if equation.relations != ("=",):
        return None
    for part in equation.parts:
        if isinstance(part, Name) and len(part.subscripts) == 1 and _is_next(part.subscripts[0]):
            return part
    return None


def _is_next(node: Node) -> bool:
    return (
        isinstance(node, Added)
        and len(node.terms) == 2
        and isinstance(node.terms[0], Name)
        and node.terms[1] == Number(Fraction(1))
    )


def confirm_recursion(reading: Reading) -> Verdict:
    """Return the verdict on a recursion's closed form, or the closed form asked for."""
    found = _gathered(reading)
    numbers = Field()
    shown = note("recursion-read", name=found.name, index=found.index, first=found.first, start=text(found.start))
    closed = found.closed
    if closed is None:
        closed = _find(found, numbers)
    above = Quotient(plus(scalar(found.index), constant(Fraction(1))))
    value = placed(closed, Point({found.index: above}), numbers)
    follows = placed(found.next, Point({found.name: closed}), numbers)
    start = placed(closed, Point({found.index: quotient(found.first)}), numbers)
    if numbers.equal(start, found.start) and numbers.equal(value, follows):
        formula = f"{found.name}_{found.index} = {text(closed)}"
        domain = Domain(f"every {found.index} ≥ {found.first}")
        evidence = Evidence(Rung.PROVED, formula, domain, ("induction", "normal form"))
        notes: tuple[Note, ...] = (
            () if found.closed is not None else (note("value", value=text(closed), latex=latex(closed)),)
        )
        return Verdict(Answer.PROVED, reading.text, latex(closed), (shown,), (evidence,), None, notes)
    here = found.start
    for n in range(int(found.first), int(found.first) + 60):
        claimed = placed(closed, Point({found.index: quotient(n)}), numbers)
        if not numbers.equal(claimed, here):
            where = ((found.index, str(n)),)
            refutation = Refutation(where, claimed=text(claimed), correct=text(here))
            return Verdict(Answer.FALSE, reading.text, "", (shown,), (), refutation, _repair(found, numbers))
        here = placed(found.next, Point({found.name: here, found.index: quotient(n)}), numbers)
    return Verdict(Answer.UNDECIDED, reading.text, "", (shown,), (), None, (note("no-counterexample-found"),))


def _repair(found: _Recursion, numbers: Field) -> tuple[Note, ...]:
    try:
        return (note("correct", value=text(_find(found, numbers))),)
    except OutsideClass:
        return ()


def _gathered(reading: Reading) -> _Recursion:
    equations = [reading.claim, *reading.aside]
    rule = next(each for each in equations if _step_of(each) is not None)
    head = _step_of(rule)
    if head is None or not isinstance(head.subscripts[0], Added) or not isinstance(head.subscripts[0].terms[0], Name):
        raise OutsideClass("a recursion is read as m_{n+1} = …")
    name, index = head.letter, head.subscripts[0].terms[0].letter
    other = rule.parts[1] if rule.parts[0] is head else rule.parts[0]
    start: tuple[Fraction, Quotient] | None = None
    closed: Quotient | None = None
    for each in equations:
        if each is rule or each.relations != ("=",):
            continue
        left, right = each.parts
        if not isinstance(left, Name):
            left, right = right, left
        if not isinstance(left, Name) or left.letter != name or len(left.subscripts) != 1:
            raise OutsideClass(f"with a recursion for {name} stand its first value and its closed form (at {each.at})")
        at = left.subscripts[0]
        if isinstance(at, Number):
            start = at.value, _value(right, name, index)
        elif isinstance(at, Name) and at.letter == index:
            closed = _value(right, name, index)
    if start is None:
        raise OutsideClass(f"a recursion needs a first value, such as {name}_1 = 1")
    return _Recursion(name, index, _value(other, name, index), start[0], start[1], closed)


def _value(node: Node, name: str, index: str) -> Quotient:
    """Return a polynomial in m_n, n and other letters."""
    numbers = Field()
    match node:
        case Number():
            return quotient(node.value)
        case Name():
            if node.letter == name and node.subscripts:
                if node.subscripts != (Name(index),):
                    raise OutsideClass(
                        f"a recursion of order one is read: only {name}_{index} may stand here (at {node.at})"
                    )
                return quotient(scalar(name))
            return quotient(scalar(node.letter))
        case Negated():
            return numbers.subtract(quotient(0), _value(node.of, name, index))
        case Added():
            total = quotient(0)
            for term in node.terms:
                total = numbers.add(total, _value(term, name, index))
            return total
        case Multiplied():
            result = quotient(1)
            for factor in node.factors:
                result = numbers.multiply(result, _value(factor, name, index))
            return result
        case Divided():
            return numbers.divide(_value(node.over, name, index), _value(node.under, name, index))
        case Raised():
            exponent = as_number(_value(node.exponent, name, index))
            if exponent is not None and exponent.denominator == 1 and abs(exponent) <= 24:
                return numbers.power(_value(node.base, name, index), exponent)
    raise OutsideClass(f"a recursion is read with polynomials in {name}_{index} and {index} (at {node.at})")


def _find(found: _Recursion, numbers: Field) -> Quotient:
    """Return the closed form where m_{n+1} − m_n is a polynomial in n, from enough of its values."""
    step = numbers.subtract(found.next, quotient(scalar(found.name)))
    if found.name in letters_of(step) or as_number(Quotient(step.under)) is None:
        raise OutsideClass(
            "a closed form is found where m_{n+1} − m_n is a polynomial in n: write the one to be confirmed"
        )
    degree = 1 + max((int(dict(term.scalars).get(found.index, 0)) for term in step.over), default=0)
    if degree > DEGREE_LIMIT:
        raise OutsideClass(f"a closed form is found up to degree {DEGREE_LIMIT}")
    values = [found.start]
    for i in range(degree):
        values.append(
            placed(found.next, Point({found.name: values[-1], found.index: quotient(found.first + i)}), numbers)
        )
    total, choose = quotient(0), quotient(1)  # Newton: Σ_i Δ^i m_first · C(n − first, i)
    for i in range(degree + 1):
        total = numbers.add(total, numbers.multiply(values[0], choose))
        values = [numbers.subtract(b, a) for a, b in pairwise(values)]
        factor = plus(scalar(found.index), constant(-found.first - i))
        choose = numbers.multiply(choose, numbers.divide(Quotient(factor), quotient(i + 1)))
    return total
