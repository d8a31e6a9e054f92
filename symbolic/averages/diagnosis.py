"""What a false claim about moments mixes up: the nearest true statement, and the usual slips.

A constant factor; the standard deviation for the variance, or the other way about; E[x²] for Var(x); the value of
another law; 3 Var² for a fourth moment that is not a Gaussian's; the missing term.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from exact.verdicts import Note, note
from symbolic.averages.meaning import Meaning
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.roles import has_operator
from symbolic.averages.writing import text
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Called, Node, Number, Raised

__all__ = ["diagnose"]


def diagnose(
    left: Node,
    right: Node,
    meaning: Meaning,
    left_value: Quotient,
    right_value: Quotient,
    under: Callable[[str], Quotient],
    *,
    moved: bool = False,
) -> tuple[Note, ...]:
    """Return what to say of a false equality; `under(level)` is the value of the left side under another law.

    `moved`: correlations or means are stated, so that the usual values under laws say nothing.
    """
    asked, claimed, right_one = left, right_value, left_value
    if not has_operator(left) and has_operator(right):
        asked, claimed, right_one = right, left_value, right_value
    numbers = meaning.numbers
    notes = [note("correct", value=text(right_one))]
    if not right_one.over:
        return tuple(notes)
    ratio = _ratio(numbers.difference, right_one, claimed, numbers.multiply) if claimed.over else None
    if ratio is not None:
        notes.append(note("factor", factor=ratio))
    square, root = None, None
    plain = not (has_operator(left) and has_operator(right))  # two numbers may be squares of each other by chance
    try:
        square = numbers.multiply(claimed, claimed)
        root = numbers.multiply(right_one, right_one)
    except OutsideClass:
        pass
    kind = asked.function if isinstance(asked, Called) else ""
    if square is not None and numbers.equal(square, right_one) and as_number(claimed) != 1 and plain:
        notes.append(note("standard-deviation-not-variance" if kind == "Var" else "root-of-correct"))
    elif root is not None and numbers.equal(root, claimed) and as_number(right_one) != 1 and plain:
        notes.append(note("variance-not-standard-deviation" if kind in ("Std", "SD") else "square-of-correct"))
    if kind == "Var" and isinstance(asked, Called):
        _try(notes, "second-moment-not-variance", lambda: _second_moment(meaning, asked), claimed, numbers.equal)
    if kind == "E" and isinstance(asked, Called):
        inner = asked.arguments[0]
        if isinstance(inner, Raised) and isinstance(inner.exponent, Number):
            base, order = inner.base, inner.exponent.value
            if order == 2:
                _try(
                    notes,
                    "variance-not-second-moment",
                    lambda: meaning.number(Called("Var", (base,))),
                    claimed,
                    numbers.equal,
                )
            if order == 4:
                _try(notes, "normal-formula", lambda: _normal_fourth(meaning, base), claimed, numbers.equal)
    if asked is left and not moved:
        for level in ("gaussian", "signs"):
            _try(notes, f"value-under-{level}", lambda level=level: under(level), claimed, numbers.equal)  # type: ignore[misc]
    if ratio is None and claimed.over and len(notes) == 1:
        missing = numbers.subtract(right_one, claimed)
        if len(missing.over) <= 3:
            notes.append(note("missing", value=text(missing)))
    return tuple(notes)


def _second_moment(meaning: Meaning, asked: Called) -> Quotient:
    return meaning.number(Called("E", (Raised(asked.arguments[0], Number(Fraction(2))),)))


def _normal_fourth(meaning: Meaning, base: Node) -> Quotient:
    second = meaning.number(Called("E", (Raised(base, Number(Fraction(2))),)))
    numbers = meaning.numbers
    return numbers.multiply(quotient(3), numbers.multiply(second, second))


def _try(
    notes: list[Note],
    key: str,
    value: Callable[[], Quotient],
    claimed: Quotient,
    equal: Callable[[Quotient, Quotient], bool],
) -> None:
    try:
        if equal(value(), claimed):
            notes.append(note(key))
    except OutsideClass:
        return


def _ratio(
    difference: Callable[[Quotient, Quotient], object],
    right_one: Quotient,
    claimed: Quotient,
    multiply: Callable[[Quotient, Quotient], Quotient],
) -> Fraction | None:
    """Return the number c with claimed = c · correct, None where there is none or it is 1."""
    cross = multiply(Quotient(claimed.over), Quotient(right_one.under)).over
    other = multiply(Quotient(right_one.over), Quotient(claimed.under)).over
    common = set(cross) & set(other)
    if not common or set(cross) != set(other):
        return None
    first = next(iter(common))
    c = cross[first] / other[first]
    return c if c != 1 and not difference(claimed, multiply(quotient(c), right_one)) else None
