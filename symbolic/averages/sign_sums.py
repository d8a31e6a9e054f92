"""Claims about P(S_n = k) for fair signs, for every n: with k = 2m − n it is C(n, m)/2^n.

Each probability in a claim gives way to its closed form, and both sides become sums of factorials (hypergeometric); at
small n they are computed again from the exact distribution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from exact.distribution import probabilities, sign_distribution
from exact.evidence import Domain, Evidence, Rung
from exact.rationals import write_rational
from exact.verdicts import Answer, Disagreement, Note, Refutation, Verdict, note
from symbolic.averages.hypergeometric import BARE, Reader, difference, linear
from symbolic.averages.outcomes import NotCounted, Table, computed
from symbolic.averages.quotients import Quotient, quotient
from symbolic.averages.sum_laws import pair_of
from symbolic.averages.writing import text
from symbolic.expressions import OutsideClass
from symbolic.polynomial import plus, scalar
from symbolic.reading.surface import (
    Added,
    Called,
    Divided,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    letters_in,
    replaced,
    walk,
)

__all__ = ["PROBABILITIES", "confirm_points", "events_in"]

TRIED = 8
PROBABILITIES = frozenset({"P", "Pr"})
READ = "for every n, a probability is read as P(x·y = k) or P(S_n = k)"
TWO = Number(Fraction(2))


@dataclass(frozen=True, slots=True)
class _Point:
    """The event that a sum of `count` fair signs has a value."""

    count: Node
    value: Node

    @property
    def closed(self) -> Node:
        """C(n, (n + k)/2)/2^n."""
        agreements = Divided(Added((self.count, self.value)), TWO)
        return Multiplied((Called("binomial", (self.count, agreements)), Raised(TWO, Negated(self.count))), ("",))


def events_in(*sides: Node) -> list[Called]:
    """Return the probabilities that stand in a claim."""
    return [p for side in sides for p in walk(side) if isinstance(p, Called) and p.function in PROBABILITIES]


def _point(event: Called, n: str) -> _Point:
    """Read an event; the extreme values n and −n may stand with ≥ and ≤ too."""
    inside = event.arguments[0]
    if len(event.arguments) != 1 or event.given or not isinstance(inside, Related) or len(inside.parts) != 2:
        raise OutsideClass(READ)
    total, value = inside.parts
    if isinstance(total, Name) and total.letter == "S":
        count = total.subscripts[0] if total.subscripts else Name(n)
    elif (pair := pair_of(total)) and pair[0] != pair[1]:
        count = Name(n)
    else:
        raise OutsideClass(READ)
    if inside.relations != ("=",):
        extreme = {"≥": count, "≤": Negated(count)}.get(inside.relations[0])
        if extreme is None or difference(Reader().of(extreme), Reader().of(value), Reader().numbers):
            raise OutsideClass(READ)
    return _Point(count, value)


def confirm_points(reading: Reading, left: Node, right: Node) -> Verdict:
    """Return the verdict on an equation with such probabilities in it; OutsideClass where it is not read."""
    names = letters_in(left, right)
    of_scores = any(pair_of(part) for event in events_in(left, right) for part in walk(event))
    n = next((w for w in (("d", "n", "N") if of_scores else ("n", "d", "N")) if w in names), "n")
    points = {event: _point(event, n) for event in events_in(left, right)}
    counts = letters_in(*(point.count for point in points.values()))
    values = letters_in(*(point.value for point in points.values())) - counts
    if len(counts) > 1 or len(values) > 1:
        raise OutsideClass("for every n, a claim about P(S_n = k) is read with one letter n and one letter k")
    n, k = next(iter(counts), n), next(iter(values), "")
    places, notes = _places(list(points.values()), n, k)
    reader = Reader(places=places)
    closed = [reader.of(replaced(side, lambda node: _closed(node, points))) for side in (left, right)]
    equal = not difference(closed[0], closed[1], reader.numbers)
    even = any(each.key == "even-read" for each in notes)
    found, visited = _first_wrong(left, right, points, n, k)
    if equal and found is not None and not even:
        raise Disagreement(f"the closed form and the values at small {n} disagree: {reading.text}")
    understood = (note("signs-read"), *notes)
    if equal and found is None:
        where = f"every even {n}" if even else f"every {n} ≥ 1"
        whole = f" and every {k} with {n} + {k} even" if places else f" and every whole {k}"
        domain = Domain(where + (whole if k else ""), "fair signs")
        how = ("the terms x_i y_i are independent fair signs", "normal form")
        seen = Evidence(Rung.COUNTED, reading.text, Domain(f"{n} ≤ {TRIED}", "fair signs"), ("convolution",), visited)
        return Verdict(
            Answer.PROVED, reading.text, "", understood, (Evidence(Rung.PROVED, reading.text, domain, how), seen)
        )
    if found is None:
        remarks = (note("no-counterexample-up-to", range=f"{n} ≤ {TRIED}"),)
        return Verdict(Answer.UNDECIDED, reading.text, "", understood, notes=remarks)
    verdict = Verdict(Answer.FALSE, reading.text, "", understood, counterexample=found)
    if not isinstance(left, Called) or left not in points:
        return verdict
    return replace(verdict, notes=(note("correct", value=_written(points[left])),))


def _written(point: _Point) -> str:
    reader = Reader()
    both = _both(point, reader)
    length = text(reader.of(point.count).get(BARE, quotient(0)))
    if _is_even(point, reader):
        agreements = text(reader.numbers.divide(both, quotient(2)))
    else:
        agreements = f"{text(both)}/2" if text(both) == length else f"({text(both)})/2"
    return f"C({length}, {agreements})/2^{length if length.isalnum() else f'({length})'}"


def _places(points: list[_Point], n: str, k: str) -> tuple[Mapping[str, Quotient], tuple[Note, ...]]:
    """Put 2m − n for the letter k, or 2n for n where the number of agreements is whole for even n only."""
    reader = Reader()
    counts = [reader.of(point.count).get(BARE, quotient(0)) for point in points]
    if k:
        if any(count != counts[0] for count in counts):
            raise OutsideClass("sums of one length are expected beside a letter k")
        if all(_is_even(point, reader) for point in points):
            return {}, ()
        m = scalar("m" if "m" not in (n, k) else "j")
        places = {k: Quotient(plus(m, m, {term: -c for term, c in counts[0].over.items()}), counts[0].under)}
        if not all(_is_even(point, Reader(places=places)) for point in points):
            raise OutsideClass(f"a sum of {n} signs has the parity of {n}, and this value has not, for every {k}")
        return places, (note("parity-read", n=n, k=k),)
    for point in points:
        form, shift = linear(_both(point, reader))
        odd = [name for name, c in form if c % 2]
        if odd and shift % 2 == 0:
            return {n: Quotient(plus(scalar(n), scalar(n)))}, (note("even-read", n=n),)
        if odd or shift % 2:
            raise OutsideClass("a sum of n signs has the parity of n, and this value has not, for every n")
    return {}, ()


def _both(point: _Point, reader: Reader) -> Quotient:
    """Return n + k, twice the number of agreements."""
    count, value = (reader.of(node).get(BARE, quotient(0)) for node in (point.count, point.value))
    return reader.numbers.add(count, value)


def _is_even(point: _Point, reader: Reader) -> bool:
    """Say whether n and the value have one parity, whatever whole numbers the letters are."""
    form, shift = linear(_both(point, reader))
    return shift % 2 == 0 and all(c % 2 == 0 for _, c in form)


def _first_wrong(
    left: Node, right: Node, points: Mapping[Called, _Point], n: str, k: str
) -> tuple[Refutation | None, int]:
    """Compute both sides at small n from the distribution of a sum of signs, at the values it has and at others."""
    seen = 0
    for size in range(1, TRIED + 1):
        for letters in _letters(points, n, k, size):
            table = Table(size, letters)
            try:
                known = {event: _chance(point, table) for event, point in points.items()}
                sides = [
                    computed(replaced(side, lambda node, known=known: _figure(node, known)), table)  # type: ignore[misc]
                    for side in (left, right)
                ]
            except (NotCounted, ZeroDivisionError):
                continue
            seen += 1
            if sides[0] != sides[1]:
                where = tuple((name, write_rational(x)) for name, x in letters.items())
                shown = [write_rational(x) for x in sides]
                if right in points and left not in points:
                    shown.reverse()
                return Refutation(where, claimed=shown[1], correct=shown[0]), seen
    return None, seen


def _letters(points: Mapping[Called, _Point], n: str, k: str, size: int) -> Iterator[dict[str, Fraction]]:
    here = {n: Fraction(size)}
    if not k:
        yield here
        return
    point = next(iter(points.values()))
    count = int(computed(point.count, Table(size, here)))
    for letter in range(-2 * count, 2 * count + 1):
        letters = {**here, k: Fraction(letter)}
        value = computed(point.value, Table(size, letters))
        if abs(value) <= count and (count + value) % 2 == 0:
            yield letters


def _chance(point: _Point, table: Table) -> Fraction:
    count, value = computed(point.count, table), computed(point.value, table)
    if count.denominator != 1 or not 1 <= count <= 100:
        raise NotCounted("a sum of so many signs")
    return dict(probabilities(sign_distribution(int(count)))).get(value, Fraction(0))


def _closed(node: Node, points: Mapping[Called, _Point]) -> Node | None:
    return points[node].closed if isinstance(node, Called) and node in points else None


def _figure(node: Node, known: Mapping[Called, Fraction]) -> Node | None:
    return Number(known[node]) if isinstance(node, Called) and node in known else None
