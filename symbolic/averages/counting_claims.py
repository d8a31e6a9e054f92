"""Binomial sums, sums of powers and recursions: decided for every n.

A sum over k of a polynomial times C(M, k) x^k is closed by the binomial theorem in falling factorials.  A sum whose
terms do not depend on its upper limit is decided by induction, and so is a recursion.  Before any proof the claim is
tried at small numbers, which is where it fails first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from exact.evidence import Domain, Evidence, Rung
from exact.rationals import write_rational
from exact.verdicts import Answer, Note, Refutation, Verdict, combined, note
from symbolic.averages.binomial_sums import Closed, close
from symbolic.averages.hypergeometric import Form, Reader, difference
from symbolic.averages.outcomes import NotCounted, Table, computed
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.recursions import confirm_recursion, is_recursion
from symbolic.averages.roles import has_operator
from symbolic.averages.writing import latex, text, value_note
from symbolic.expressions import OutsideClass
from symbolic.polynomial import Term, constant, plus, scalar
from symbolic.reading.surface import (
    Big,
    Called,
    Divided,
    Multiplied,
    Name,
    Node,
    Number,
    Reading,
    Related,
    letters_in,
    walk,
)

__all__ = ["confirm_counting", "confirm_recursion", "is_counting", "is_recursion"]

TRIED = 7


def is_counting(reading: Reading) -> bool:
    """Say whether a reading is about binomials, factorials and sums over numbers, without anything random."""
    if has_operator(reading.claim):
        return False
    nodes = list(walk(reading.claim))
    if any(isinstance(part, Called) and part.function in ("binomial", "binom", "C", "factorial") for part in nodes):
        return True
    for part in nodes:
        if isinstance(part, Big) and part.kind == "sum" and part.upper is not None and len(part.indices) == 1:
            letter = part.indices[0].letter
            if any(
                isinstance(n, Name) and n.letter == letter and not _is_subscript(n, part.body) for n in walk(part.body)
            ):
                return True
    return False


def _is_subscript(name: Name, body: Node) -> bool:
    return any(isinstance(n, Name) and any(sub is name for sub in n.subscripts) for n in walk(body))


def confirm_counting(reading: Reading) -> Verdict:
    """Return the verdict on an identity of binomials, or the value of one that is a number or a closed form."""
    parts = reading.claim.parts
    _check_whole(reading)
    if not reading.claim.relations:
        return _asked(reading, parts[0])
    steps = []
    for left, relation, right in zip(parts, reading.claim.relations, parts[1:], strict=False):
        if relation != "=":
            steps.append(_tried_only(reading, left, relation, right))
        else:
            steps.append(_identity(reading, left, right))
    if len(steps) == 1:
        return steps[0]
    notes: tuple[Note, ...] = ()
    if any(step.answer is Answer.FALSE for step in steps):
        ends = _identity(reading, parts[0], parts[-1])
        wrong = next(i for i, step in enumerate(steps, start=1) if step.answer is Answer.FALSE)
        right_result = ends.answer is Answer.PROVED
        notes = (note("right-result-wrong-step" if right_result else "first-wrong-step", step=wrong),)
    return combined(reading.text, steps, notes=notes)


def _check_whole(reading: Reading) -> None:
    """Refuse a sum without limits, and conditions that would be passed over."""
    for part in walk(reading.claim):
        if isinstance(part, Big) and (part.lower is None or part.upper is None or len(part.indices) != 1):
            raise OutsideClass("a sum over numbers is read with both limits, as \\sum_{k=0}^n")
    for aside in reading.aside:
        first, last = aside.parts[0], aside.parts[-1]
        if "=" in aside.relations:
            taken = isinstance(first, Name) and isinstance(last, Number)
        else:
            names = [part.letter for part in walk(aside) if isinstance(part, Name)]
            natural = {"natural", "integer", "all", "every", "any"} & set(names)
            taken = bool(aside.relations) or isinstance(first, Name) or bool(natural)
        if not taken:
            raise OutsideClass("beside an identity of sums stand conditions such as n ≥ 1 or n = 3")


def _conditions(reading: Reading) -> tuple[Related, ...]:
    return tuple(aside for aside in reading.aside if aside.relations)


def _asked(reading: Reading, node: Node) -> Verdict:
    closed = close(node, Reader())
    value = closed.value
    if set(value) - {((), ())}:
        raise OutsideClass("the value of this sum is no rational function: write what it should equal")
    found = value.get(((), ()), quotient(0))
    domain = Domain(_but(closed) or "every n")
    evidence = Evidence(Rung.PROVED, f"{reading.text} = {text(found)}", domain, ("binomial theorem",))
    claim = f"{reading.text} = {text(found)}"
    return Verdict(Answer.PROVED, claim, latex(found), (), (evidence,), None, (value_note(found),))


def _but(closed: Closed) -> str:
    return "; ".join(f"{_form_text(form, shift)} ≥ {above + 1}" for form, shift, above in closed.left_out)


def _form_text(form: Form, shift: Fraction) -> str:
    value = plus(constant(shift), *({Term(((n, Fraction(1)),)): c} for n, c in form))
    return text(Quotient(value))


def _letters(*nodes: Node) -> list[str]:
    bound = {i.letter for node in nodes for part in walk(node) if isinstance(part, Big) for i in part.indices}
    names = letters_in(*nodes)
    return sorted(names - bound)


def _points(letters: list[str], conditions: tuple[Related, ...]) -> Iterator[dict[str, Fraction]]:
    places = sorted(product(range(TRIED + 1), repeat=len(letters)), key=lambda p: (sum(p), p))
    for place in places if len(letters) < 4 else places[:400]:
        point = {name: Fraction(n) for name, n in zip(letters, place, strict=True)}
        try:
            if all(_holds(condition, point) for condition in conditions):
                yield point
        except NotCounted:
            yield point


def _holds(condition: Related, point: dict[str, Fraction]) -> bool:
    from symbolic.reading.surface import Iverson

    return bool(computed(Iverson(condition), Table(0, point)))


def _values(left: Node, right: Node, point: dict[str, Fraction]) -> tuple[Fraction, Fraction] | None:
    try:
        return computed(left, Table(0, point)), computed(right, Table(0, point))
    except (NotCounted, ZeroDivisionError, OverflowError):
        return None


def _identity(reading: Reading, left: Node, right: Node) -> Verdict:
    letters = _letters(left, right)
    conditions = _conditions(reading)
    tried = [(p, v) for p in _points(letters, conditions) if (v := _values(left, right, p)) is not None]
    failing = [(p, v) for p, v in tried if v[0] != v[1]]
    proof = None if 2 * len(failing) > len(tried) else _proof(left, right, letters)
    seen = f"{', '.join(letters)} ≤ {TRIED}" if letters else "these numbers"
    counted = Evidence(Rung.COUNTED, reading.text, Domain(seen), ("every sum written out",), len(tried))
    if not failing:
        if tried and not letters:  # numbers only: every one was written out
            return Verdict(Answer.PROVED, reading.text, "", (), (counted,))
        if proof is None or not tried:
            return Verdict(
                Answer.UNDECIDED, reading.text, "", (), (counted,), None, (note("no-counterexample-up-to", range=seen),)
            )
        how, left_out = proof
        open_lines = [line for line in left_out if not _covered(line, conditions, letters, left, right)]
        if open_lines:
            return Verdict(
                Answer.UNDECIDED, reading.text, "", (), (counted,), None, (note("no-counterexample-up-to", range=seen),)
            )
        domain = ", ".join(f"every {n} ≥ 0" for n in letters) or "these numbers"
        extra = "; " + ", ".join(_condition_text(c) for c in conditions) if conditions else ""
        evidence = (Evidence(Rung.PROVED, reading.text, Domain(domain + extra), how), counted)
        return Verdict(Answer.PROVED, reading.text, "", (), evidence)
    point, values = failing[0]
    where = tuple((name, str(n)) for name, n in point.items())
    found = Refutation(where, claimed=write_rational(values[1]), correct=write_rational(values[0]))
    return _repaired(reading, letters, tried, failing, proof, found, counted, conditions)


def _repaired(
    reading: Reading,
    letters: list[str],
    tried: list[tuple[dict[str, Fraction], tuple[Fraction, Fraction]]],
    failing: list[tuple[dict[str, Fraction], tuple[Fraction, Fraction]]],
    proof: tuple[tuple[str, ...], list[tuple[Form, Fraction, int]]] | None,
    found: Refutation,
    counted: Evidence,
    conditions: tuple[Related, ...],
) -> Verdict:
    """Say where a claim that fails somewhere does hold, if a proof says so."""
    bad = [p for p, _ in failing]
    for words, test in _candidates(letters):
        if any(test(p) for p in bad) or not any(test(p) for p, _ in tried):
            continue
        if proof is None or len([p for p, _ in tried if test(p)]) < 3:
            continue
        lines = [line for line in proof[1] if not _excluded(line, test, letters)]
        if any(len(form) > 1 or above > TRIED for form, _, above in lines):
            continue
        evidence = (Evidence(Rung.PROVED, reading.text, Domain(words), proof[0]), counted)
        if len(letters) == 1 and not conditions:
            return Verdict(
                Answer.FALSE,
                reading.text,
                "",
                (note("domain-natural", name=letters[0]),),
                evidence,
                found,
                (note("holds-for", where=words),),
            )
        return Verdict(
            Answer.NEEDS_ASSUMPTION, reading.text, "", (), evidence, found, (note("needs-condition", where=words),)
        )
    values = {a / b for _, (b, a) in failing if b}
    notes = []
    if len(values) == 1 and len(failing) > 2 and all(b for _, (b, _) in failing):
        notes.append(note("ratio", factor=values.pop()))
    return Verdict(Answer.FALSE, reading.text, "", (), (), found, tuple(notes))


def _candidates(letters: list[str]) -> Iterator[tuple[str, Callable[[dict[str, Fraction]], bool]]]:
    for name in letters:
        for low in (1, 2, 3):
            yield f"{name} ≥ {low}", lambda p, name=name, low=low: p[name] >= low  # type: ignore[misc]
    for a in letters:
        for b in letters:
            if a != b:
                for gap in (0, 1, 2):
                    words = f"{a} ≥ {b}" if not gap else f"{a} > {b}" + (f" + {gap - 1}" if gap > 1 else "")
                    yield words, lambda p, a=a, b=b, gap=gap: p[a] - p[b] >= gap  # type: ignore[misc]


def _condition_text(condition: Related) -> str:
    def one(node: Node) -> str:
        return node.letter if isinstance(node, Name) else str(node.value) if isinstance(node, Number) else "…"

    return " ".join(
        piece for pair in zip(map(one, condition.parts), (*condition.relations, ""), strict=True) for piece in pair
    ).strip()


def _excluded(
    line: tuple[Form, Fraction, int], test: Callable[[dict[str, Fraction]], bool], letters: list[str]
) -> bool:
    """Say whether a condition leaves out the whole of a line form + shift ≤ above, seen on the points of a box."""
    form, shift, above = line
    return not any(
        test(p) and 0 <= sum((c * p[n] for n, c in form), shift) <= above
        for place in product(range(TRIED + 5), repeat=len(letters))
        if (p := {name: Fraction(x) for name, x in zip(letters, place, strict=True)})
    )


def _covered(
    line: tuple[Form, Fraction, int], conditions: tuple[Related, ...], letters: list[str], left: Node, right: Node
) -> bool:
    """Say whether the points that a proof leaves out were all tried, or proved on their own, or are not in question."""
    form, shift, above = line
    if len(form) == 1 and above - shift <= TRIED and len(letters) == 1:
        return True
    if conditions and _excluded(line, lambda p: all(_holds(c, p) for c in conditions), letters):
        return True
    for value in range(above + 1):  # on the line form + shift = value
        name, c = form[0]
        rest = plus(constant(value - shift), *({Term(((n, Fraction(1)),)): -x} for n, x in form[1:]))
        place = {name: Quotient({term: x / c for term, x in rest.items()})}
        try:
            reader = Reader(places=place)
            sides = close(left, reader), close(right, reader)
        except (OutsideClass, ZeroDivisionError):
            return False
        if sides[0].left_out or sides[1].left_out or difference(sides[0].value, sides[1].value, reader.numbers):
            return False
    return True


def _proof(
    left: Node, right: Node, letters: list[str]
) -> tuple[tuple[str, ...], list[tuple[Form, Fraction, int]]] | None:
    """Return how an identity is proved, and the lines on which it is not; None where it is not proved."""
    reader = Reader()
    try:
        a, b = close(left, reader), close(right, reader)
        if not difference(a.value, b.value, reader.numbers):
            return ("binomial theorem", "normal form"), [*a.left_out, *b.left_out]
    except (OutsideClass, ZeroDivisionError):
        pass
    isolated = [pair for sides in ((left, right), (right, left)) if (pair := _isolated(*sides))]
    for side, other in isolated:
        try:
            if _by_induction(side, other):
                return ("induction",), []
        except (OutsideClass, ZeroDivisionError):
            continue
    from symbolic.averages.telescoping import by_telescoping

    for side, other in isolated:
        try:
            if by_telescoping(side, other, letters):
                return ("creative telescoping",), []
        except (OutsideClass, ZeroDivisionError):
            continue
    return None


def _isolated(side: Node, other: Node) -> tuple[Big, Node] | None:
    """Return a sum, alone on its side, and what it equals: factors before it are divided away."""
    if isinstance(side, Big):
        return side, other
    if isinstance(side, Multiplied) and isinstance(side.factors[-1], Big):
        factors = side.factors[:-1]
        if all(isinstance(part, Number) and part.value for part in factors):
            for factor in factors:
                other = Divided(other, factor)
            return side.factors[-1], other
    return None


def _by_induction(side: Big, other: Node) -> bool:
    """Prove Σ_{k=a}^{n} f(k) = R(n) by R(a) = f(a) and R(n + 1) − R(n) = f(n + 1), f free of n.

    Where a is a letter, R must be seen to vanish for n < a, where the sum is empty.
    """
    if side.kind != "sum" or side.lower is None or side.upper is None or len(side.indices) != 1 or side.conditions:
        return False
    upper, index = side.upper, side.indices[0].letter
    low = Reader()._value(side.lower)
    if not isinstance(upper, Name) or upper.subscripts:
        return False
    n = upper.letter
    if as_number(low) is None and not _vanishes_below(other, side.lower, n):
        return False
    if any(isinstance(part, Name) and part.letter == n for part in walk(side.body)):
        return False
    plain = Reader()
    above = Reader(plain.numbers, {n: Quotient(plus(scalar(n), constant(Fraction(1))))}, plain.bases)
    step = difference(above.of(other), plain.of(other), plain.numbers)
    term = Reader(plain.numbers, {index: Quotient(plus(scalar(n), constant(Fraction(1))))}, plain.bases).of(side.body)
    if difference(step, term, plain.numbers):
        return False
    start = Reader(plain.numbers, {n: low, index: low})
    return not difference(start.of(other), start.of(side.body), plain.numbers)


def _vanishes_below(value: Node, low: Node, n: str) -> bool:
    """Say whether a product has a factor C(top, bottom) with top − bottom = n − low, low a letter: 0 for n < low."""
    if not isinstance(low, Name) or low.subscripts or low.letter == n:
        return False
    reader = Reader()
    gap = reader.numbers.subtract(Quotient(scalar(n)), Quotient(scalar(low.letter)))
    for factor in value.factors if isinstance(value, Multiplied) else (value,):
        if isinstance(factor, Called) and factor.function in ("binomial", "binom", "C") and len(factor.arguments) == 2:
            top, bottom = (reader._value(each) for each in factor.arguments)
            if reader.numbers.equal(reader.numbers.subtract(top, bottom), gap):
                return True
    return False


def _tried_only(reading: Reading, left: Node, relation: str, right: Node) -> Verdict:
    """Try an inequality at small numbers: it is refuted, or stays undecided."""
    letters = _letters(left, right)
    conditions = _conditions(reading)
    count = 0
    for point in _points(letters, conditions):
        values = _values(left, right, point)
        if values is None:
            continue
        count += 1
        if not _holds(Related((Number(values[0]), Number(values[1])), (relation,)), {}):
            where = tuple((name, str(n)) for name, n in point.items())
            found = Refutation(
                where, claimed=f"{relation} {write_rational(values[1])}", correct=write_rational(values[0])
            )
            return Verdict(Answer.FALSE, reading.text, "", (), (), found)
    seen = f"{', '.join(letters)} ≤ {TRIED}" if letters else "these numbers"
    counted = Evidence(Rung.COUNTED, reading.text, Domain(seen), ("every sum written out",), count)
    if not letters:
        return Verdict(Answer.PROVED, reading.text, "", (), (counted,))
    return Verdict(
        Answer.UNDECIDED, reading.text, "", (), (counted,), None, (note("no-counterexample-up-to", range=seen),)
    )
