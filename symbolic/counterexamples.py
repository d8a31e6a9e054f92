"""The search for the smallest exact point at which two expressions differ.

normal_form says that such a point exists, and at which sizes; points computes both sides there, by other means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, product

from symbolic.calculus import Setting
from symbolic.expressions import (
    Add,
    Dot,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Log,
    Mul,
    Number,
    OutsideClass,
    Partial,
    Power,
    Quotient,
    Root,
    Softmax,
    Symbol,
    free_indices,
    negative,
    walk,
)
from symbolic.normal_form import Size, differences
from symbolic.points import Places, Point, evaluate
from symbolic.quantities import Exact, NotExact, log, shown

__all__ = ["Counterexample", "counterexample", "points_of"]

MOST_POINTS = 20_000
PATIENCE = 50
Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Hold a point at which two expressions differ, and both values."""

    where: tuple[tuple[str, str], ...]
    left: Exact
    right: Exact
    point: Point = field(compare=False, repr=False)

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value}" for name, value in self.where)
        return f"{where}: {shown(self.left)} against {shown(self.right)}"


def counterexample(
    left: Expression,
    right: Expression,
    setting: Setting | None = None,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
    T: int | None = None,
) -> Counterexample | None:
    """Return the smallest exact point at which two expressions differ, or None where they are equal for every T.

    With T given, only that number of positions is looked at.

    Smallest: T first, then d, then the sum of the steps by which values leave their start (x from 1, entries from 0,
    scalars from 1).  The search ends, because a polynomial that is not 0 does not vanish at all whole points.
    """
    setting = setting or Setting()
    found = False
    for size in differences(left, right, setting, unlike=unlike, T=T):
        found = True
        positions, width = size.T or 1, size.d or 1
        places = list(_placings(sorted(free_indices(left - right)), unlike, positions, width))
        values = None
        points = _points(left - right, setting, positions, width) if places else ()
        for tried, point in enumerate(islice(points, MOST_POINTS)):
            for placing in places:
                try:
                    values = [evaluate(side, point, placing, setting) for side in (left, right)]
                except NotExact:
                    continue
                if values[0] != values[1]:
                    return Counterexample(_where(point, placing, size, setting), values[0], values[1], point)
            if values is None and tried >= PATIENCE:
                break
    if not found:
        return None
    raise OutsideClass("the two sides differ, but at no small point are both of them fractions or logarithms")


def points_of(
    expression: Expression, setting: Setting, unlike: tuple[tuple[Index, Index], ...], T: int, *, spread: bool = False
) -> Iterator[tuple[Point, dict[Index, int], tuple[tuple[str, str], ...]]]:
    """Yield exact points at a number of positions (and d = T), each with every placing of the free indices.

    Spread, there are a few points at which hardly two entries are alike.
    """
    places = list(_placings(sorted(free_indices(expression)), unlike, T, T))
    size = Size(T, T if any(index.over == "d" for index in free_indices(expression)) else None)
    if not places:
        return
    for point in _points(expression, setting, T, T, spread=spread):
        for placing in places:
            yield point, placing, _where(point, placing, size, setting)


def _placings(free: list[Index], unlike: tuple[tuple[Index, Index], ...], T: int, d: int) -> Iterator[dict[Index, int]]:
    sizes = [T if i.over == "T" else d for i in free]
    ranges = [
        range(int(i.name), min(int(i.name), size) + 1) if i.fixed else range(1, size + 1)
        for i, size in zip(free, sizes, strict=True)
    ]
    for values in product(*ranges):
        placing = dict(zip(free, values, strict=True))
        if all(placing[i] != placing[j] for i, j in unlike if i in placing and j in placing):
            yield placing


def _shapes(expression: Expression, setting: Setting) -> dict[str, tuple[str, ...]]:
    """Return the rows and matrices that must be given, with what each index runs over; weights are given as x."""
    shapes: dict[str, tuple[str, ...]] = {}

    def need(name: str, overs: tuple[str, ...]) -> None:
        shapes["x" if name in (setting.weights, setting.scores) and overs[-1] == "T" else name] = overs

    for part in (*walk(expression), *walk(setting.scale)):
        match part:
            case Entry("t", (at,)) if at.over == "d":
                need("q", ("d",))
                need("k", ("d",))
            case Entry(name, indices):
                need(name, tuple(i.over for i in indices))
            case Softmax(_, indices):
                need(setting.weights, tuple(i.over for i in indices))
            case Dot(one, other):
                need(one, ("d",))
                need(other, ("d",))
            case Symbol(name) if name == setting.scores:
                need("q", ("d",))
                need("k", ("d",))
            case Partial(Symbol("L"), Entry(_, indices)) | Gradient("L", _, indices) if indices:
                overs = tuple(i.over for i in indices)
                need(setting.weights, overs)
                need(setting.upstream, overs)
    return {name: overs for name, overs in shapes.items() if name not in setting.random}


def _names_in(expression: Expression, leaf: type[Entry | Symbol]) -> set[str]:
    return {part.name for part in walk(expression) if isinstance(part, leaf)}


def _names_below(expression: Expression, outer: type[Expression], leaf: type[Entry | Symbol]) -> set[str]:
    """Return the names of what stands inside nodes of a kind."""
    return {name for part in walk(expression) if isinstance(part, outer) for name in _names_in(part, leaf)}


def _points(expression: Expression, setting: Setting, T: int, d: int, *, spread: bool = False) -> Iterator[Point]:
    """Yield points in the order of the number of steps taken from the start; spread, two with steps of all lengths."""
    totals, shapes = dict(setting.totals), _shapes(expression, setting)
    keys: list[Key] = []
    for name, overs in sorted(shapes.items()):
        sizes = [range(1, (T if over == "T" else d) + 1) for over in overs]
        keys += [(name, at) for at in product(*sizes) if totals.get(name, "free") or at[-1] != T]
    given = _names_in(expression, Symbol) | _names_in(setting.scale, Symbol)
    sized = any(over == "d" for overs in shapes.values() for over in overs) or setting.random
    known = {"T", "L", setting.scores, *totals.values(), *({"d"} if sized else ())}
    in_scale = _names_in(setting.scale, Symbol)
    below_log = _names_below(expression, Log, Entry)
    divisors = {
        name
        for outer in walk(expression)
        if isinstance(outer, Exp)
        for part in walk(outer)
        if isinstance(part, Quotient)
        for name in _names_in(part.under, Symbol)
    }
    rooted = _names_below(expression, Root, Symbol) | {
        name
        for part in walk(expression)
        if isinstance(part, Power) and not isinstance(part.exponent, Number)
        for name in _names_in(part, Symbol)
    }
    logged = _names_below(expression, Exp, Symbol) - in_scale - divisors
    subtracted = {
        name
        for outer in walk(expression)
        if isinstance(outer, Log)
        for part in walk(outer)
        if isinstance(part, Add)
        for term in part.terms
        if isinstance(term, Mul) and negative(term)
        for name in _names_in(term, Symbol)
    }
    fractions = subtracted - logged - rooted
    names = sorted(given - known)
    count = len(keys) + len(names)
    for budget in range(1, 3) if spread else range(MOST_POINTS):
        for steps in [_spread(count, budget)] if spread else _compositions(budget, count):
            entries: dict[Key, Exact] = {}
            for (name, at), step in zip(keys, steps, strict=False):
                entries[name, at] = _start(name, step + (name in below_log), setting)
            for name, total in totals.items():
                if not total and any(key[0] == name for key in keys) | (T == 1):
                    _fill_rows(entries, name, T, positive=name in below_log)
            scalars: dict[str, Exact] = {}
            for name, step in zip(names, steps[len(keys) :], strict=True):
                number = Fraction(1, step + 2) if name in fractions else Fraction(step + 1)
                scalars[name] = log(number) if name in logged else number**2 if name in rooted else number
            for name, total in totals.items():
                if total:
                    scalars[total] = _added([v for (row, _), v in entries.items() if row == name])
            yield Point(T, d, scalars, entries)
        if not keys and not names:
            return


def _spread(count: int, turn: int) -> tuple[int, ...]:
    """Return steps of 0 to 4 that do not repeat early."""
    return tuple((n * n * turn + n) % 5 for n in range(count))


def _start(name: str, step: int, setting: Setting) -> Fraction:
    if name == "x":
        return Fraction(step + 1)
    if name in setting.signs:
        return Fraction(1 - 2 * (step % 2))
    return Fraction(step)


def _fill_rows(entries: dict[Key, Exact], name: str, T: int, *, positive: bool) -> None:
    """Give the last entry of each row of total 1 the value that completes it; positive ones are scaled."""
    rows = {at[:-1]: None for row, at in entries if row == name} or {(): None}
    for row in rows:
        others = [entries[name, (*row, n)] for n in range(1, T)]
        entries[name, (*row, T)] = Fraction(1) - _added(others)
        if positive:
            total = _added(others) + 1
            for n, value in enumerate((*others, Fraction(1)), 1):
                entries[name, (*row, n)] = value / total


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a total as an ordered sum of so many numbers of at least 0, last places first."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    if parts == 1:
        yield (total,)
        return
    for here in range(total + 1):
        for rest in _compositions(total - here, parts - 1):
            yield (here, *rest)


def _where(point: Point, placing: Places, size: Size, setting: Setting) -> tuple[tuple[str, str], ...]:
    where = [(name, str(count)) for name, count in (("T", size.T), ("d", size.d)) if count is not None]
    where += [(index.name, str(n)) for index, n in placing.items() if not index.fixed]
    where += [(name, shown(value)) for name, value in sorted(point.scalars.items())]
    rows: dict[str, list[tuple[tuple[int, ...], Exact]]] = {}
    for (name, at), value in sorted(point.entries.items()):
        rows.setdefault(name, []).append((at, value))
    if "x" in rows:
        weights = [at for at, _ in rows.pop("x")]
        rows[setting.weights] = [(at, _weight(at, point, setting)) for at in weights]
    for name, values in sorted(rows.items()):
        where.append((name, _table(values)))
    return tuple(where)


def _table(values: list[tuple[tuple[int, ...], Exact]]) -> str:
    if len(values[0][0]) < 2:
        return "(" + ", ".join(shown(value) for _, value in values) + ")"
    heads = dict.fromkeys(at[0] for at, _ in values)
    return "(" + ", ".join(_table([(at[1:], v) for at, v in values if at[0] == head]) for head in heads) + ")"


def _weight(at: tuple[int, ...], point: Point, setting: Setting) -> Exact:
    indices = tuple(Index(str(n)) for n in at)
    return evaluate(Entry(setting.weights, indices), point, {}, setting)


def _added(values: list[Exact]) -> Exact:
    total: Exact = Fraction(0)
    for value in values:
        total = total + value
    return total
