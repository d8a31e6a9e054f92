"""Claims about probabilities and about E|S_n|: exact laws by convolution, closed forms for every n.

For fair signs, P(S_n = k) = C(n, (n + k)/2)/2^n where n + k is even, and
E|S_n| = n·C(n − 1, ⌊(n − 1)/2⌋)/2^(n − 1): with them a claim becomes an identity of factorials, which a normal form
decides for every n (hypergeometric).  Flipping the last sign is the reason: |a + 1| + |a − 1| = 2|a| for whole a ≠ 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from exact.coordinates import sign
from exact.evidence import Domain, Evidence, Rung
from exact.rationals import write_rational
from exact.verdicts import Answer, Disagreement, Note, Refutation, Verdict, combined, note
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.case import SIGNS
from symbolic.averages.hypergeometric import Reader, Sum, difference, sign_sum_length
from symbolic.averages.outcomes import NotCounted, Table, computed
from symbolic.averages.quotients import Quotient, quotient
from symbolic.averages.roles import Roles, survey
from symbolic.averages.sign_sums import PROBABILITIES, confirm_points, events_in
from symbolic.averages.sum_laws import BARE, law_of, number_of, sizes_of
from symbolic.averages.writing import latex_number, text, value_note
from symbolic.expressions import OutsideClass
from symbolic.polynomial import constant, plus, scalar
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Reading,
    Related,
    letters_in,
    replaced,
    walk,
)

__all__ = ["confirm", "is_about"]

TRIED = 8
M = Name("m")
SCORE = Multiplied((Name("q"), Name("k")), ("·",))
WIDTHS = frozenset("ndN")


def is_about(reading: Reading) -> bool:
    """Say whether a claim has a probability, or the expectation of an absolute value, in it."""
    return bool(events_in(reading.claim)) or any(
        isinstance(part, Called) and part.function == "E" and isinstance(part.arguments[0], Absolute)
        for part in walk(reading.claim)
    )


def confirm(reading: Reading, assumptions: Assumptions) -> Verdict:
    """Return the verdict on a claim about probabilities or mean sizes."""
    if assumptions.rho or assumptions.mean or assumptions.query or assumptions.independent is False:
        raise OutsideClass("probabilities are of independent letters: without --rho, --mean, --query and --dependent")
    if _compares_vectors(reading):
        raise OutsideClass("q and k are vectors: a probability is read of their product q·k, or of a coordinate")
    reading_of_signs = () if assumptions.laws or assumptions.keys or _has_dice(reading) else (note("signs-read"),)
    if not {Name("e")} & {aside.parts[0] for aside in reading.aside} and "e" not in dict(assumptions.laws):
        reading = _with_product(reading)
    if (counted := _with_scores(reading, assumptions)) is not None:
        verdict = confirm(counted, assumptions)
        return replace(verdict, understood=(note("agreements"), *verdict.understood))
    parts, relations = reading.claim.parts, reading.claim.relations
    sizes = sizes_of(reading, assumptions)
    if not relations:
        return _asked(reading, parts[0], sizes, assumptions)
    steps = [
        _step(reading, left, relation, right, sizes, assumptions)
        for left, relation, right in zip(parts, relations, parts[1:], strict=False)
    ]
    if len(steps) == 1:
        known = tuple(each for each in reading_of_signs if each not in steps[0].understood)
        return replace(steps[0], understood=(*known, *steps[0].understood))
    return combined(reading.text, steps, understood=reading_of_signs)


def _in_events(reading: Reading, change: Callable[[Node], Node | None]) -> Reading:
    """Return a claim with its events changed, what is given in them too."""

    def changed(node: Node) -> Node | None:
        if not isinstance(node, Called) or node.function not in PROBABILITIES:
            return None
        arguments, given = (tuple(replaced(part, change) for part in parts) for parts in (node.arguments, node.given))
        return replace(node, arguments=arguments, given=given)

    claim = replaced(reading.claim, changed)
    return replace(reading, claim=claim) if isinstance(claim, Related) else reading


def _with_product(reading: Reading) -> Reading:
    """Return a claim with q·k for the score e, where it stands in an event."""
    return _in_events(reading, lambda part: SCORE if part == Name("e") else None)


def _with_scores(reading: Reading, assumptions: Assumptions) -> Reading | None:
    """Return a claim about P(m = j), m the number of agreements in d places, as one about q·k = 2j − d.

    None where m is not in an event, or something else: a letter with a law, or one that is defined.
    """
    if not _speaks_of_agreements(events_in(reading.claim)):
        return None
    if M in {aside.parts[0] for aside in reading.aside} or "m" in dict(assumptions.laws):
        return None
    if assumptions.keys not in ("", *SIGNS):
        raise OutsideClass("m, the number of agreements, is read for signs: --keys signs")
    written = {part for root in (reading.claim, *reading.aside) for part in walk(root) if isinstance(part, Name)}
    if Name("d") not in written and not assumptions.width:
        raise OutsideClass("m, the number of agreements, is read beside the width: P(m = 2) = 3/8, d = 4")

    def changed(node: Node) -> Node | None:
        if not isinstance(node, Related) or node.parts[0] != M or len(node.parts) != 2:
            return None
        value = Added((Multiplied((Number(Fraction(2)), node.parts[1]), ("",)), Negated(Name("d"))))
        return replace(node, parts=(SCORE, value))

    found = _in_events(reading, changed)
    given = (part for call in events_in(reading.claim) for part in call.given)
    if _speaks_of_agreements((*events_in(found.claim), *given)):
        raise OutsideClass("m, the number of agreements, stands alone in an event: P(m = j) or P(m ≥ j)")
    return found


def _speaks_of_agreements(nodes: Iterable[Node]) -> bool:
    return any(part == M for node in nodes for part in walk(node))


def _compares_vectors(reading: Reading) -> bool:
    """Say whether an event is q = k or the like, of two vectors and not of numbers."""
    calls = events_in(reading.claim)
    events = [event for p in calls for event in (*p.arguments, *p.given) if isinstance(event, Related)]
    return any(
        all(isinstance(side, Name) and side.letter in "qk" and not side.subscripts for side in event.parts)
        for event in events
    )


def _has_dice(reading: Reading) -> bool:
    return any(isinstance(part, Called) and part.function == "dice" for part in walk(reading.claim))


def _step(
    reading: Reading, left: Node, relation: str, right: Node, sizes: dict[str, Fraction], assumptions: Assumptions
) -> Verdict:
    values = [number_of(side, sizes, assumptions, reading) for side in (left, right)]
    if values[0] is not None and values[1] is not None:
        return _compared(reading, relation, values[0], values[1], assumptions)
    if relation == "=":
        try:
            return _for_every_n(reading, left, right, assumptions)
        except OutsideClass:
            found = _at_small_sizes(reading, left, right, assumptions)
            if found is None:
                raise
            return found
    return _searched(reading, left, relation, right, assumptions)


def _at_small_sizes(reading: Reading, left: Node, right: Node, assumptions: Assumptions) -> Verdict | None:
    """Compute both sides at small sizes: that refutes, and never proves; None where they are not computed."""
    letters = sorted(letters_in(left, right) & WIDTHS)
    if len(letters) != 1:
        return None
    (n,) = letters
    tried = 0
    for size in range(1, TRIED + 1):
        try:
            values = [number_of(side, {n: Fraction(size)}, assumptions, reading) for side in (left, right)]
        except (OutsideClass, ZeroDivisionError):
            return None
        if values[0] is None or values[1] is None:
            continue
        tried += 1
        if values[0] != values[1]:
            shown = [write_rational(x) for x in values if x is not None]
            found = Refutation(((n, str(size)),), claimed=shown[1], correct=shown[0])
            return Verdict(Answer.FALSE, reading.text, "", counterexample=found)
    if not tried:
        return None
    remarks = (note("no-counterexample-up-to", range=f"{n} ≤ {TRIED}"),)
    return Verdict(Answer.UNDECIDED, reading.text, notes=remarks)


def _compared(reading: Reading, relation: str, left: Fraction, right: Fraction, assumptions: Assumptions) -> Verdict:
    holds = {"=": left == right, "≠": left != right, "<": left < right, ">": left > right,
             "≤": left <= right, "≥": left >= right}.get(relation)  # fmt: skip
    if holds is None:
        raise OutsideClass(f"claims are read with =, ≤ and ≥, not {relation}")
    laws = "; ".join(f"{n}: {law}" for n, law in assumptions.laws) or assumptions.keys
    evidence = Evidence(Rung.PROVED, f"{reading.text}", Domain("these numbers", laws), ("convolution",))
    values = (value_note(quotient(left)),)
    if holds:
        return Verdict(Answer.PROVED, reading.text, "", (), (evidence,), None, values)
    return Verdict(
        Answer.FALSE,
        reading.text,
        "",
        (),
        (),
        Refutation((), write_rational(right), write_rational(left)),
        _fraction_notes(left, right),
    )


def _fraction_notes(left: Fraction, right: Fraction) -> tuple[Note, ...]:
    notes = [note("correct", value=write_rational(left))]
    if right == 1 - left:
        notes.append(note("complement"))
    elif left and right:
        notes.append(note("ratio", factor=right / left))
    return tuple(notes)


def _asked(reading: Reading, node: Node, sizes: dict[str, Fraction], assumptions: Assumptions) -> Verdict:
    value = number_of(node, sizes, assumptions, reading)
    laws = "; ".join(f"{n}: {law}" for n, law in assumptions.laws) or assumptions.keys or "signs"
    if value is not None:
        evidence = Evidence(
            Rung.PROVED, f"{reading.text} = {write_rational(value)}", Domain("these numbers", laws), ("convolution",)
        )
        notes = (value_note(quotient(value)),)
        return Verdict(
            Answer.PROVED,
            f"{reading.text} = {write_rational(value)}",
            latex_number(value),
            (),
            (evidence,),
            None,
            notes,
        )
    raise OutsideClass("a probability or a mean size is given for a width that is a number: say which")


def _for_every_n(reading: Reading, left: Node, right: Node, assumptions: Assumptions) -> Verdict:
    """Decide an identity for every n by the closed forms for fair signs."""
    said = {law.strip() for _, law in assumptions.laws} | ({assumptions.keys} if assumptions.keys else set())
    if said - {"signs", "sign", "rademacher", ""}:
        raise OutsideClass("for every n, probabilities and mean sizes have closed forms for fair signs only")
    letters = _letters(left, right)
    if events_in(left, right):
        return confirm_points(reading, left, right)
    if len(letters) != 1:
        raise OutsideClass("a claim about E|S_n| is read with one letter")
    (n,) = letters
    cases: list[tuple[dict[str, Quotient], str]] = [({}, "every")]
    decided = _same(left, right, {})
    if decided is None:
        m = Quotient(plus(scalar(n), scalar(n)))
        cases = [({n: m}, "even"), ({n: Quotient(plus(m.over, constant(Fraction(-1))))}, "odd")]
        found = [_same(left, right, places) for places, _ in cases]
        if any(x is None for x in found):
            raise OutsideClass("this claim is not read for every n")
        decided = all(bool(x) for x in found)
    refutation = None
    for value in range(1, 13):
        sides = [_at(side, {n: quotient(value)}) for side in (left, right)]
        if sides[0] is None or sides[1] is None:
            continue
        reader = Reader()
        if difference(sides[0], sides[1], reader.numbers):
            shown = [text(side.get(BARE, quotient(0))) for side in sides if side is not None]
            refutation = Refutation(((n, str(value)),), claimed=shown[1], correct=shown[0])
            break
    if decided != (refutation is None):
        raise Disagreement(f"the closed forms and the values at small {n} disagree: {reading.text}")
    counted = _counted_absolute(reading, left, right, n, decided)
    if decided:
        proved = Evidence(
            Rung.PROVED, reading.text, Domain(f"every {n} ≥ 1", "fair signs"), ("flip the last sign", "normal form")
        )
        return Verdict(
            Answer.PROVED, reading.text, "", (note("signs-read"),), (proved, *counted), None, (note("flip-last-sign"),)
        )
    return Verdict(Answer.FALSE, reading.text, "", (note("signs-read"),), (), refutation, ())


def _counted_absolute(reading: Reading, left: Node, right: Node, n: str, decided: bool) -> tuple[Evidence, ...]:
    """Visit every outcome at n = 1 … 4: the route that knows no closed form."""
    seen: list[int] = []
    for value in range(1, 5):
        table = Table(2 * value + 1, {n: Fraction(value)}, {}, {"X": sign()}, frozenset({"X"}), {}, ("q", "k"), "X")
        try:
            values = [computed(side, table) for side in (left, right)]
        except (NotCounted, ValueError):
            return ()
        if decided and values[0] != values[1]:
            raise Disagreement(f"counting gives {values[0]} and {values[1]} at {n} = {value}: {reading.text}")
        seen.append(len(table.visited))
    return (Evidence(Rung.COUNTED, reading.text, Domain(f"{n} = 1 … 4", "fair signs"), ("every outcome",), sum(seen)),)


def _same(left: Node, right: Node, places: dict[str, Quotient]) -> bool | None:
    sides = _at(left, places), _at(right, places)
    if sides[0] is None or sides[1] is None:
        return None
    return not difference(sides[0], sides[1], Reader().numbers)


def _at(node: Node, places: dict[str, Quotient]) -> Sum | None:
    try:
        return Reader(places=places).of(node)
    except OutsideClass:
        return None


def _letters(*nodes: Node) -> list[str]:
    names: set[str] = set()
    for node in nodes:
        skipped: set[int] = set()
        for part in walk(node):
            if isinstance(part, Called) and part.function == "E":
                count = sign_sum_length(part.arguments[0])
                skipped |= {id(p) for p in walk(part.arguments[0])}
                if count is not None:
                    names |= letters_in(count)
            elif isinstance(part, Name) and id(part) not in skipped:
                names.add(part.letter)
    return sorted(names)


def _searched(reading: Reading, left: Node, relation: str, right: Node, assumptions: Assumptions) -> Verdict:
    """Look for a counterexample of an inequality among small numbers: a search refutes, and never proves."""
    if relation in ("≥", ">"):
        left, right, relation = right, left, {"≥": "≤", ">": "<"}[relation]
    stripped = left.arguments[-1] if isinstance(left, Called) and left.function in ("max", "sup") else left
    roles = survey(reading, assumptions)
    events = [p.arguments[0] for p in events_in(stripped)]
    values_of = {p.parts[1].letter for p in events if isinstance(p, Related) and isinstance(p.parts[1], Name)}
    roles = replace(roles, random=roles.random - values_of, vectors=roles.vectors - values_of)
    arrays = sorted(roles.vectors - roles.random)
    laws = {name: law_of(name, assumptions) for name in roles.random}
    tried, found, with_zero_only = 0, None, True
    letters = _free_letters(stripped, right, roles)
    for width in (1, 2, 3):
        for filling in product((0, 1, 2) if arrays else (0,), repeat=width * max(1, len(arrays))):
            given = {a: [Fraction(x) for x in filling[i * width : (i + 1) * width]] for i, a in enumerate(arrays)}
            for numbers in product(range(7 if letters else 1), repeat=min(len(letters), 2)):
                point = {name: Fraction(x) for name, x in zip(letters, numbers, strict=False)}
                table = Table(width, {roles.width: Fraction(width), **point}, {**given}, laws, roles.vectors)
                try:
                    values = computed(stripped, table), computed(right, table)
                except (NotCounted, ZeroDivisionError):
                    continue
                tried += 1
                if values[0] > values[1] or (relation == "<" and values[0] == values[1]):
                    zero = any(x == 0 for each in given.values() for x in each)
                    with_zero_only &= zero
                    where = [(roles.width, str(width))]
                    where += [(a, "[" + ", ".join(map(str, xs)) + "]") for a, xs in given.items()]
                    where += [(name, str(x)) for name, x in point.items()]
                    if found is None:
                        found = Refutation(tuple(where), claimed=f"{relation} {values[1]}", correct=str(values[0]))
    if not tried:
        raise OutsideClass("this inequality is not read")
    counted = Evidence(
        Rung.COUNTED, reading.text, Domain(f"{roles.width} ≤ 3, small numbers"), ("every outcome",), tried
    )
    if found is None:
        return Verdict(
            Answer.UNDECIDED, reading.text, "", (), (counted,), None, (note("no-counterexample-among", count=tried),)
        )
    nonzero = any(
        aside.relations == ("≠",) and aside.parts[1] == Number(Fraction(0)) and isinstance(aside.parts[0], Name)
        for aside in reading.aside
    )
    if with_zero_only and arrays:
        notes = (note("needs-nonzero", names=", ".join(arrays)), note("no-counterexample-among", count=tried))
        if nonzero:
            return Verdict(Answer.UNDECIDED, reading.text, "", (), (counted,), None, notes[1:])
        return Verdict(Answer.NEEDS_ASSUMPTION, reading.text, "", (), (counted,), found, notes)
    return Verdict(Answer.FALSE, reading.text, "", (), (), found)


def _free_letters(left: Node, right: Node, roles: Roles) -> list[str]:
    known = roles.random | roles.vectors | {roles.width}
    bound = {i.letter for side in (left, right) for p in walk(side) if isinstance(p, Big) for i in p.indices}
    names = letters_in(left, right)
    return sorted(names - known - bound)
