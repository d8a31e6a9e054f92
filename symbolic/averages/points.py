"""Quotients with numbers in the place of letters: sizes that are given, and the smallest counterexample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice, product

from symbolic.averages.quotients import Field, Quotient, quotient
from symbolic.averages.writing import text
from symbolic.expressions import OutsideClass
from symbolic.polynomial import Factor, Polynomial

__all__ = ["Point", "entries_of", "letters_of", "placed", "smallest"]

_WIDTHS = frozenset({"d", "n", "N", "m", "D", "h", "d_k", "d_model", "n_in", "n_out", "fan_in", "fan_out"})
_NUMBERS = (1, 2, Fraction(1, 2), -1, 3, 0)
_SPECIAL = {"μ_3": (0, 1), "μ_4": (1, 3), "ρ": (Fraction(1, 2), 0, 1)}  # what a law of variance 1 can have
POINT_LIMIT = 1500
SEARCH_LIMIT = 60_000


@dataclass(frozen=True, slots=True)
class Point:
    """Numbers for letters, and for the entries of vectors and matrices: name → position → number."""

    letters: Mapping[str, Quotient]
    entries: Mapping[str, Mapping[tuple[int, ...], Fraction]] = field(default_factory=dict)
    width: int = 0


def letters_of(*values: Quotient) -> list[str]:
    """Return the letters of quotients, in order, without roots."""
    found = {name for v in values for p in (v.over, v.under) for term in p for name, _ in term.scalars}
    return sorted(name for name in found if name[0] not in "√⟨")


def entries_of(numbers: Field, *values: Quotient) -> dict[str, int]:
    """Return the names that stand with indices, and with how many."""
    polynomials = [p for v in values for p in (v.over, v.under)] + list(numbers.roots.values())
    return {
        name: len(ids)
        for p in polynomials
        for term in p
        for part in (term.entries, *term.sums)
        for name, ids, _ in part
        if name != "δ"
    }


def placed(value: Quotient, point: Point, numbers: Field) -> Quotient:
    """Return a quotient with numbers, or other quotients, in the place of letters and entries."""
    return numbers.divide(_placed(value.over, point, numbers), _placed(value.under, point, numbers))


def _placed(value: Polynomial, point: Point, numbers: Field) -> Quotient:
    total = quotient(0)
    for term, c in value.items():
        piece = quotient(c)
        for name, exponent in term.scalars:
            base, hat, letter = name.partition("^")
            if name in numbers.roots:
                piece = numbers.multiply(piece, numbers.power(_placed(numbers.roots[name], point, numbers), exponent))
            elif name in point.letters:
                piece = numbers.multiply(piece, numbers.power(point.letters[name], exponent))
            elif hat and not name.startswith("E[") and (base in point.letters or letter in point.letters):
                piece = numbers.multiply(piece, _placed_power(base, letter, exponent, point, numbers))
            else:
                piece = numbers.multiply(piece, Quotient({_scalar(name, exponent): Fraction(1)}))
        if point.width:
            for part in term.sums:
                piece = numbers.multiply(piece, _sum(part, point, numbers))
            if term.entries:
                piece = numbers.multiply(piece, _product(term.entries, {}, point, numbers))
        elif term.entries or term.sums:
            piece = numbers.multiply(piece, Quotient({term._replace(scalars=()): Fraction(1)}))
        total = numbers.add(total, piece)
    return total


def _placed_power(base: str, letter: str, exponent: Fraction, point: Point, numbers: Field) -> Quotient:
    below = quotient(Fraction(base)) if base.isdigit() else point.letters.get(base)
    above = point.letters.get(letter)
    if above is None or below is None:
        raise OutsideClass("a power of two letters is given numbers for both or for none")
    from symbolic.averages.quotients import as_number

    number = as_number(above)
    if number is None:
        raise OutsideClass("an exponent must become a number")
    return numbers.power(below, exponent * number)


def _scalar(name: str, exponent: Fraction):  # type: ignore[no-untyped-def] # a Term
    from symbolic.polynomial import Term

    return Term(((name, exponent),))


def _sum(part: tuple[Factor, ...], point: Point, numbers: Field) -> Quotient:
    bound = sorted({at for _, ids, _ in part for at in ids if at.name.startswith("#")})
    total = quotient(0)
    for places in product(range(1, point.width + 1), repeat=len(bound)):
        total = numbers.add(
            total, _product(part, {at.name: n for at, n in zip(bound, places, strict=True)}, point, numbers)
        )
    return total


def _product(factors: tuple[Factor, ...], at: Mapping[str, int], point: Point, numbers: Field) -> Quotient:
    result = quotient(1)
    for name, ids, exponent in factors:
        place = tuple(at[i.name] if i.name in at else int(i.name) if i.fixed else 1 for i in ids)
        if name == "δ":
            result = numbers.multiply(result, quotient(int(place[0] == place[1])))
            continue
        if name not in point.entries:
            raise OutsideClass(f"{name} has no numbers")
        number = point.entries[name].get(place, Fraction(0))
        result = numbers.multiply(result, numbers.power(quotient(number), exponent))
    return result


def smallest(
    left: Quotient,
    right: Quotient,
    width: str,
    numbers: Field,
    symmetric: bool,
    keep: Callable[[Point], bool] | None = None,
) -> Point | None:
    """Return the smallest point at which two quotients differ, None where none was found among a few thousand."""
    difference = Quotient(numbers.difference(left, right))
    letters = letters_of(left, right, *(Quotient(p) for p in numbers.roots.values()))
    letters = [name for name in letters if "^" not in name or name.startswith("E[")] + _powers(letters)
    arrays = entries_of(numbers, left, right)
    numbers.work = 0
    tried = 0
    for start, choices in _points(list(dict.fromkeys(letters)), arrays, width, symmetric, numbers.rules.signs):
        try:
            if "^" not in " ".join(letters_of(difference)) and not placed(difference, start, numbers).over:
                continue  # the same whatever the letters are
        except (ZeroDivisionError, OutsideClass):
            continue
        for choice in choices:
            tried += 1
            if tried > POINT_LIMIT or numbers.work > SEARCH_LIMIT:
                return None
            point = replace(start, letters={**start.letters, **choice})
            try:
                if keep is not None and not keep(point):
                    continue
                if not numbers.equal(placed(left, point, numbers), placed(right, point, numbers)):
                    return point
            except (ZeroDivisionError, OutsideClass):
                continue
    return None


def _powers(letters: list[str]) -> list[str]:
    """Return the letters in base^p, which need numbers of their own."""
    found = []
    for name in letters:
        base, hat, letter = name.partition("^")
        if hat and not name.startswith("E["):
            found += [part for part in (base, letter) if not part.isdigit()]
    return found


def _points(
    letters: list[str], arrays: dict[str, int], width: str, symmetric: bool, signs: frozenset[str]
) -> Iterator[tuple[Point, list[dict[str, Quotient]]]]:
    """Yield numbers for the width and the entries, each with the numbers to try for the other letters."""
    free = [name for name in letters if name != width]
    lists = [range(1, 5) if name in _WIDTHS else _SPECIAL.get(name, _NUMBERS) for name in free]
    ways = islice(product(*(range(len(each)) for each in lists)), 20_000)
    order = sorted(ways, key=lambda c: (sum(c), c))[:400]
    choices = [{n: quotient(Fraction(each[i])) for n, each, i in zip(free, lists, way, strict=True)} for way in order]
    sized = width in letters or bool(arrays)
    for d in range(1, 5) if sized else (1,):
        for filling in islice(_fillings(arrays, d, symmetric, signs), 400 if arrays else 1):
            yield Point({width: quotient(d)}, filling, d), choices


def _fillings(
    arrays: dict[str, int], d: int, symmetric: bool, signs: frozenset[str]
) -> Iterator[dict[str, dict[tuple[int, ...], Fraction]]]:
    places = [(name, place) for name, axes in sorted(arrays.items()) for place in product(range(1, d + 1), repeat=axes)]
    places = places[:8] if len(places) > 8 else places
    free = (1, -1, 2, 0) if len(places) < 5 else (1, 0)
    choices = [(1, -1) if name in signs else free for name, _ in places]
    for weight in range(len(places) * 2 + 1):
        for numbers in product(*choices):
            if sum(map(abs, numbers)) != weight:
                continue
            filling: dict[str, dict[tuple[int, ...], Fraction]] = {name: {} for name in arrays}
            for (name, place), number in zip(places, numbers, strict=True):
                filling[name][place] = Fraction(number)
            if symmetric or any(name[0] == "Σ" for name in filling):
                for name, found in filling.items():
                    if arrays[name] == 2 and (symmetric or name[0] == "Σ"):
                        found.update({(b, a): x for (a, b), x in list(found.items()) if a < b})
            yield filling
    if d == 2 and list(arrays.values()) == [1]:
        yield {name: {(1,): Fraction(3, 5), (2,): Fraction(4, 5)} for name in arrays}


def describe(point: Point, left: Quotient, right: Quotient, width: str, numbers: Field) -> tuple[tuple[str, str], ...]:
    """Return the names and the numbers of a point as text, the width first."""
    used = letters_of(left, right, *(Quotient(p) for p in numbers.roots.values()))
    spelled = " ".join(used)
    shown = [(width, text(point.letters[width]))] if width in used or point.entries else []
    shown += [(n, text(v)) for n, v in point.letters.items() if n != width and (n in used or "^" in spelled)]
    for name, values in point.entries.items():
        shown.append((name, _array(values, point.width)))
    return tuple(shown)


def _array(values: Mapping[tuple[int, ...], Fraction], width: int) -> str:
    axes = len(next(iter(values), (1,)))
    span = range(1, width + 1)
    if axes == 1:
        return "[" + ", ".join(str(values.get((r,), Fraction(0))) for r in span) + "]"
    rows = ("[" + ", ".join(str(values.get((r, s), Fraction(0))) for s in span) + "]" for r in span)
    return "[" + ", ".join(rows) + "]"
