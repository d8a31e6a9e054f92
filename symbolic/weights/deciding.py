"""Decide one equation or inequality of expressions: equal for every T, or the smallest exact point where it fails.

Equality goes through normal_form; points is the second route, which shares no code with it: where the normal form says
equal, both sides are computed at exact points and must agree, and where an expression lies outside the class of the
normal form, the search through points can still refute it, though never prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from exact.verdicts import Disagreement, Refutation
from symbolic.calculus import Setting
from symbolic.counterexamples import Counterexample, counterexample, points_of
from symbolic.expressions import Entry, Expression, Index, Number, OutsideClass, Sum, Symbol
from symbolic.normal_form import equal
from symbolic.points import evaluate
from symbolic.quantities import Logs, NotExact, Slope, Undefined, log, shown

__all__ = ["Decision", "decide", "holds", "refuted_where_even", "search"]

CHECKED = 12
PROBED = (3, 7)
UNDEFINED = "undefined (a division by 0)"
NO_LOGARITHM = "undefined (a logarithm of no positive number)"
SEARCHED = 60
EVEN = (2, 4)
Unlike = tuple[tuple[Index, Index], ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """Hold what was decided: True, False or None (neither), the point where it fails, and why nothing was decided."""

    truth: bool | None
    refutation: Refutation | None = None
    reason: str = ""
    points: int = 0

    @property
    def within(self) -> bool:
        """Whether the equation lies inside the class of the normal form."""
        return not self.reason


def decide(
    left: Expression, relation: str, right: Expression, setting: Setting, unlike: Unlike, T: int | None
) -> Decision:
    """Decide left relation right, for every T or at the T given."""
    if relation in {"=", "≈"}:
        return _equation(left, right, setting, unlike, T)
    return _inequality(left, relation, right, setting, unlike, T)


def holds(left: Expression, right: Expression, setting: Setting, unlike: Unlike = (), T: int | None = None) -> bool:
    """Say whether an equation is decided to hold; False also where it lies outside what can be decided.

    A few exact points come first, since most of what is asked here is false.
    """
    for values in islice(_values(left, right, setting, unlike, T or 3, PROBED[1]), PROBED[0], None):
        if values.left != values.right:
            return False
    try:
        return equal(left, right, setting, unlike=unlike, T=T)
    except OutsideClass:
        return False


def _equation(left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None) -> Decision:
    try:
        found = None if left == right else counterexample(left, right, setting, unlike=unlike, T=T)
    except OutsideClass as error:
        return search(left, "=", right, setting, unlike, T, str(error))
    if found is not None:
        return Decision(False, _refutation(found, setting))
    tried = 0
    for size in (T,) if T else (2, 3):
        for values in _values(left, right, setting, unlike, size, CHECKED):
            tried += 1
            if values.left != values.right:
                raise Disagreement(f"the normal form says equal, but at {values} the sides differ")
    if not tried and all(_is_nowhere(left, right, setting, unlike, size) for size in ((T,) if T else (1, 2))):
        return Decision(None, reason="at no point tried does it have a value")
    return Decision(True, points=tried)


def _is_nowhere(left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int) -> bool:
    """Say whether the first points all fall on a division by 0, or on the logarithm of no positive number."""
    for point, placing, _ in islice(points_of(left - right, setting, unlike, T), CHECKED):
        try:
            for side in (left, right):
                evaluate(side, point, placing, setting)
        except Undefined:
            continue
        except (NotExact, OutsideClass):
            pass
        return False
    return True


def search(
    left: Expression, relation: str, right: Expression, setting: Setting, unlike: Unlike, T: int | None, reason: str
) -> Decision:
    """Look for a point that refutes; where there is none among the first, nothing is decided, for the reason given."""
    tried = 0
    for size in (T,) if T else (1, 2, 3):
        for values in _values(left, right, setting, unlike, size, SEARCHED):
            tried += 1
            if not _related(values, relation):
                return Decision(False, _refutation(values, setting), reason)
    undefined = None if tried else _undefined(left, right, setting, unlike, T)
    return undefined or Decision(None, reason=reason, points=tried)


def refuted_where_even(
    left: Expression, relation: str, right: Expression, setting: Setting, unlike: Unlike
) -> Decision:
    """Look at T = d alone, where the shapes of the two sides fit; where no point refutes, nothing is decided."""
    for size in EVEN:
        for point, placing, where in islice(points_of(left - right, setting, unlike, size, spread=True), SEARCHED):
            try:
                sides = [evaluate(side, point, placing, setting) for side in (left, right)]
            except (NotExact, OutsideClass):
                continue
            values = Counterexample(where, sides[0], sides[1], point)
            if not _related(values, relation):
                return Decision(False, _refutation(values, setting), "the shapes fit only where T = d")
    return Decision(None, reason="the shapes fit only where T = d")


def _undefined(left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None) -> Decision | None:
    """Look for a point at which one side has a value and the other, by a division by 0 or a logarithm, none.

    It refutes only where the two sides have values together at no point: elsewhere a claim is about those points.
    """
    for size in (T,) if T else (1, 2):
        for point, placing, where in islice(points_of(left - right, setting, unlike, size), CHECKED):
            sides: list[str] = []
            missing = UNDEFINED
            for side in (left, right):
                try:
                    sides.append(shown(evaluate(side, point, placing, setting)))
                except Undefined as error:
                    missing = NO_LOGARITHM if "logarithm" in str(error) else UNDEFINED
                    sides.append("")
                except (NotExact, OutsideClass):
                    break
            if len(sides) == 2 and sides.count("") == 1:
                found = Refutation(where, sides[1] or missing, sides[0] or missing)
                return Decision(False, found, missing)
    return None


def _values(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int, most: int
) -> Iterator[Counterexample]:
    for point, placing, where in islice(points_of(left - right, setting, unlike, T), most):
        try:
            sides = [evaluate(side, point, placing, setting) for side in (left, right)]
        except (NotExact, OutsideClass):
            continue
        yield Counterexample(where, sides[0], sides[1], point)


def _related(values: Counterexample, relation: str) -> bool:
    left, right = values.left, values.right
    if left == right:
        return relation in {"=", "≤", "≥"}
    if relation in {"=", "≠"} or isinstance(left, Logs | Slope) or isinstance(right, Logs | Slope):
        return relation != "="
    return bool(left < right) if relation in {"<", "≤"} else bool(left > right)


def _refutation(found: Counterexample, setting: Setting) -> Refutation:
    return Refutation(_where(found, setting), shown(found.right), shown(found.left))


def _where(found: Counterexample, setting: Setting) -> tuple[tuple[str, str], ...]:
    """Show the scores beside the weights, and gradients as they are written: dS."""
    where: list[tuple[str, str]] = []
    for name, value in found.where:
        if name == setting.weights and setting.scale == Number(Fraction(1)):
            rows = [
                shown(log(x)) for (row, at), x in sorted(found.point.entries.items()) if row == "x" and len(at) == 1
            ]
            if rows:
                where.append((setting.scores, f"({', '.join(rows)})"))
        where.append((name[2:] and "d" + name[2:] if name.startswith("d ") else name.replace(" ", ""), value))
    return tuple(dict(where).items())


def _inequality(
    left: Expression, relation: str, right: Expression, setting: Setting, unlike: Unlike, T: int | None
) -> Decision:
    reason = "an inequality is refuted by a point, but no search proves it"
    decision = search(left, relation, right, setting, unlike, T, reason)
    if decision.truth is None and relation in {"≤", "≥"}:
        low, high = (left, right) if relation == "≤" else (right, left)
        if any(holds(high - low, square, setting, unlike, T) for square in _squares(setting)):
            return Decision(True, points=decision.points)
    return decision


def _squares(setting: Setting) -> list[Expression]:
    """Return expressions in one row of weights that are never negative: 0 and 1, squares, sums of products."""
    j, l = Index("j'"), Index("l'")
    a_j, a_l, T = Entry(setting.weights, (j,)), Entry(setting.weights, (l,)), Symbol("T")
    half, one = Number(Fraction(1, 2)), Number(Fraction(1))
    found: list[Expression] = [
        Number(Fraction(0)),
        Sum(j, a_j * (1 - a_j)),
        Sum(j, (a_j - one / T) ** 2),
        Sum(j, a_j**2),
        Sum(j, Sum(l, a_j**2 * a_l**2, (j,))),
    ]
    for letter in "ijl":
        for i in (Index(letter), Index("1")):
            a = Entry(setting.weights, (i,))
            rest = Sum(l, a_l, (i,))
            found += [a, rest, (a - half) ** 2, a * rest, 1 - a, a**2]
    return found
