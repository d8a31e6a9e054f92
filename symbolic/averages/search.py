"""The smallest counterexample of a claim about moments: small laws, then small widths, entries and letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, isqrt
from typing import TypeAlias

from exact.verdicts import Refutation
from symbolic.averages.assumptions import read_law
from symbolic.averages.case import Case, constraints
from symbolic.averages.inequalities import below
from symbolic.averages.laws import SHAPES, is_stated
from symbolic.averages.meaning import Meaning, make
from symbolic.averages.points import Point, describe, placed, smallest
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.averages.roles import has_operator
from symbolic.averages.writing import text
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import Node, Transposed, walk

__all__ = [
    "HIGHER",
    "Exceeding",
    "Sides",
    "counterexample_of",
    "exceeding",
    "exceeding_dependent",
    "exceeding_for_some_law",
    "exceeding_for_unusual_law",
    "sides_of",
    "skewed",
]

_DEPENDENT_LAWS = ("signs", "bernoulli:1/2", "values:1", "values:2")
_SKEWED = "weights:-1/2=4/5,2=1/5"  # mean 0 and variance 1, like signs and Gaussians, but a third moment of 3/2
_MIRRORED = "weights:-2=1/5,1/2=4/5"
_HEAVY = "weights:-2=1/8,0=3/4,2=1/8"  # mean 0, variance 1, and a fourth moment of 4
_MOMENT_LAWS = ("signs", _HEAVY, _SKEWED, "weights:-2=1/2,2=1/2")  # of mean 0, with σ a fraction
Laws: TypeAlias = tuple[tuple[str, str], ...]  # a letter and the law of it, each time
HIGHER = frozenset({"μ_3", "μ_4", "μ_6"})
_SMALL_LAWS = ("values:1", "signs", "bernoulli:1/2", "values:2", "weights:-2=1/3,1=2/3")


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides under one meaning."""

    meaning: Meaning
    left: Quotient
    right: Quotient

    @property
    def equal(self) -> bool:
        """Say whether the two sides are the same."""
        return self.meaning.numbers.equal(self.left, self.right)


def sides_of(case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None = None) -> Sides:
    """Return both sides of a claim at a level of assumption."""
    meaning = make(case.roles, case.assumptions, level, case.definitions, {**case.aliases, **(aliases or {})})
    try:
        found = [case.evaluated(side, meaning) for side in (left, right)]
    except ZeroDivisionError:
        raise OutsideClass("a division by 0") from None
    transposed = any(isinstance(part, Transposed) for side in (left, right) for part in walk(side))
    if transposed and len({axes for value, axes in found if value.over}) > 1:
        raise OutsideClass("a number, a vector and a matrix are never equal, but for 0")
    sides = Sides(meaning, found[0][0], found[1][0])
    known = _with_parameters(case, sides, [(n, case.assumptions.law_text(n)) for n in _with_law(case)])
    if known is None:
        raise OutsideClass("σ is no fraction under the law that is stated: write the variance in its place")
    return known[0]


def _under(case: Case, named: Laws) -> Case:
    """Return a case with laws for letters, beside those that are stated."""
    return replace(case, assumptions=replace(case.assumptions, laws=(*case.assumptions.laws, *named)))


def _with_law(case: Case) -> list[str]:
    """Return the letters whose stated law fixes their parameters: σ and μ move and scale a shape, as signs."""
    stated = sorted(n for n in case.roles.random if is_stated(n, case.assumptions))
    scaled = {n for n in stated if {"σ", "μ", f"σ_{n}", f"μ_{n}"} & case.roles.mentioned}
    return [n for n in stated if n not in scaled or case.assumptions.law_text(n).strip().lower() not in SHAPES]


def counterexample_of(
    case: Case, left: Node, right: Node, level: str, aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Return the smallest point at which the sides differ: small laws for variables, then small numbers for letters."""
    variables = sorted(n for n in case.roles.variables if not is_stated(n, case.assumptions))
    symmetric = bool(case.assumptions.symmetric)
    if level == "joint":
        return _dependent(case, left, right, variables, aliases)
    claimed_left = not has_operator(left) and has_operator(right)
    shaped = bool(HIGHER & case.roles.mentioned)
    if shaped:
        variables = sorted(n for n in case.roles.random if not is_stated(n, case.assumptions))
    for laws in [(law,) * len(variables) for law in _MOMENT_LAWS] if shaped else _law_choices(case, variables):
        named = tuple(zip(variables, laws, strict=False))
        assumed = _under(case, named)
        vectors_level = level if level in ("signs", "gaussian") or "μ_2" in case.roles.mentioned else "signs"
        try:
            sides = sides_of(assumed, left, right, vectors_level, aliases)
        except OutsideClass:  # as the correlation of a constant
            continue
        known = _with_parameters(case, sides, named)
        if known is None:
            continue
        (sides, letters), numbers = known, sides.meaning.numbers
        keep = partial(case.keeps, sides.meaning) if constraints(case) else None
        point = smallest(sides.left, sides.right, case.roles.width, numbers, symmetric, keep)
        if point is None:
            continue
        values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
        if claimed_left:
            values.reverse()
        where = describe(point, sides.left, sides.right, case.roles.width, numbers)
        where += (*named, *letters)
        where += tuple(
            (name, vectors_level if vectors_level in ("signs", "gaussian") else "centred")
            for name in sorted(case.roles.random & case.roles.vectors)
            if not is_stated(name, assumed.assumptions)
        )
        where += tuple(
            (n, case.assumptions.law_text(n)) for n in sorted(case.roles.random) if is_stated(n, case.assumptions)
        )
        return Refutation(where, claimed=values[1], correct=values[0])
    return None


def _parameters(case: Case, named: Iterable[tuple[str, str]]) -> dict[str, Fraction] | None:
    """Return what σ, μ and the central moments in a claim are under laws; None where a σ is no fraction."""
    letters: dict[str, Fraction] = {}
    for name, said in named:
        raw = [as_number(Quotient(read_law(said).moment(m))) for m in range(7)]
        if any(x is None for x in raw):  # a law with letters of its own
            continue
        moments = [x or Fraction(0) for x in raw]
        mean = moments[1]
        central = {m: _central(m, moments) for m in (2, 3, 4, 6)}
        values: dict[str, Fraction | None] = {"μ": mean, f"μ_{name}": mean}
        values |= dict.fromkeys(("σ", f"σ_{name}"), _root(central[2]))
        values |= {f"μ_{m}": x for m, x in central.items()}
        for letter, value in values.items():
            if letter in case.roles.mentioned and letter not in case.roles.means:
                if value is None:
                    return None
                letters[letter] = value
    return letters


def _with_parameters(
    case: Case, sides: Sides, named: Iterable[tuple[str, str]]
) -> tuple[Sides, tuple[tuple[str, str], ...]] | None:
    """Put numbers for the parameters of laws; None where one is no fraction, or divides by 0."""
    letters = _parameters(case, named)
    if letters is None:
        return None
    numbers, known = sides.meaning.numbers, Point({name: quotient(x) for name, x in letters.items()})
    try:
        found = replace(sides, left=placed(sides.left, known, numbers), right=placed(sides.right, known, numbers))
    except ZeroDivisionError:  # a constant divided by its σ, 0
        return None
    return found, tuple((name, str(x)) for name, x in letters.items())


def _central(m: int, moments: Sequence[Fraction]) -> Fraction:
    return sum((comb(m, i) * (-moments[1]) ** (m - i) * moments[i] for i in range(m + 1)), Fraction(0))


def _root(value: Fraction) -> Fraction | None:
    over, under = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(over, under) if (over**2, under**2) == (value.numerator, value.denominator) else None


def _law_choices(case: Case, variables: list[str]) -> Iterable[tuple[str, ...]]:
    """Return small laws for the variables; those of correlated ones are of one kind."""
    if case.assumptions.rho:
        return [(law,) * len(variables) for law in ("signs", "gaussian")]
    if len(variables) < 4:
        return product(_SMALL_LAWS, repeat=len(variables))
    return [_SMALL_LAWS[:1] * len(variables)]


def _dependent(
    case: Case, left: Node, right: Node, variables: list[str], aliases: Mapping[str, str] | None
) -> Refutation | None:
    """Put one variable in the place of another: the plainest way to depend."""
    for first, second, law, sides in _equal_variables(case, left, right, variables, aliases):
        numbers = sides.meaning.numbers
        point = smallest(sides.left, sides.right, case.roles.width, numbers, False)
        if point is not None:
            values = [text(placed(v, point, numbers)) for v in (sides.left, sides.right)]
            where = describe(point, sides.left, sides.right, case.roles.width, numbers)
            return Refutation(((second, first), (first, law), *where), claimed=values[1], correct=values[0])
    return None


def _equal_variables(
    case: Case, left: Node, right: Node, variables: list[str], aliases: Mapping[str, str] | None
) -> Iterator[tuple[str, str, str, Sides]]:
    """Yield the sides with the second variable equal to the first, for small laws of it."""
    if len(variables) < 2:
        return
    first, second, *_ = variables
    same = {**(aliases or {}), second: first}
    roles = replace(case.roles, random=case.roles.random - {second})
    for law in _DEPENDENT_LAWS:
        assumed = replace(case.assumptions, laws=(*case.assumptions.laws, (first, law)), independent=True)
        try:
            sides = sides_of(replace(case, roles=roles, assumptions=assumed), left, right, "any", same)
        except OutsideClass:
            continue
        known = _with_parameters(case, sides, ((first, law), (second, law)))
        if known is not None:
            yield first, second, law, known[0]


def skewed(case: Case, left: Node, right: Node, aliases: Mapping[str, str] | None) -> Refutation | None:
    """Return a counterexample whose coordinates have mean 0 and variance 1 and a third moment; None without one."""
    for named in _unusual_laws(case):
        found = counterexample_of(_under(case, named), left, right, "any", aliases)
        if found is not None:
            return found
    return None


def _unusual_laws(case: Case) -> list[Laws]:
    """Return laws of mean 0 and variance 1 that are neither signs nor Gaussian: for all letters, and for the first."""
    names = sorted(n for n in case.roles.random if not is_stated(n, case.assumptions))
    if case.assumptions.rho:
        return []
    laws = [(law,) * len(names) for law in (_SKEWED, _MIRRORED, _HEAVY)]
    laws += [(law, *("signs",) * (len(names) - 1)) for law in (_SKEWED, _MIRRORED, _HEAVY)]
    return [tuple(zip(names, each, strict=True)) for each in laws]


# ---- inequalities ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Exceeding:
    """Where what should be at most `high` is `low`, which is more."""

    where: tuple[tuple[str, str], ...]
    low: str
    high: str


def exceeding(case: Case, low: Node, high: Node, level: str, *, strict: bool) -> Exceeding | None:
    """Return a small point at which low > high (or low = high, when `strict`) at a level of assumption."""
    return _exceeding(case, sides_of(case, low, high, level), (), strict=strict)


def exceeding_for_some_law(case: Case, low: Node, high: Node, *, strict: bool) -> Exceeding | None:
    """Return the same for small laws of the variables, which are independent."""
    variables = sorted(n for n in case.roles.variables if not is_stated(n, case.assumptions))
    laws = (tuple(zip(variables, laws, strict=False)) for laws in _law_choices(case, variables))
    return _exceeding_under(case, low, high, laws, "signs", strict=strict)


def exceeding_for_unusual_law(case: Case, low: Node, high: Node, *, strict: bool) -> Exceeding | None:
    """Return the same for laws of mean 0 and variance 1 that are neither signs nor Gaussian."""
    return _exceeding_under(case, low, high, _unusual_laws(case), "any", strict=strict)


def _exceeding_under(
    case: Case, low: Node, high: Node, choices: Iterable[Laws], level: str, *, strict: bool
) -> Exceeding | None:
    for named in choices:
        known = _with_parameters(case, sides_of(_under(case, named), low, high, level), named)
        found = known and _exceeding(case, known[0], (*named, *known[1]), strict=strict)
        if found is not None:
            return found
    return None


def exceeding_dependent(case: Case, low: Node, high: Node, *, strict: bool) -> Exceeding | None:
    """Return the same where the second variable is the first."""
    variables = sorted(n for n in case.roles.variables if not is_stated(n, case.assumptions))
    for first, second, law, sides in _equal_variables(case, low, high, variables, None):
        found = _exceeding(case, sides, ((second, first), (first, law)), strict=strict)
        if found is not None:
            return found
    return None


def _exceeding(case: Case, sides: Sides, said: tuple[tuple[str, str], ...], *, strict: bool) -> Exceeding | None:
    numbers, width = sides.meaning.numbers, case.roles.width
    point = below(numbers.subtract(sides.right, sides.left), width, numbers, strict=strict)
    if point is None:
        return None
    low, high = (text(placed(v, point, numbers)) for v in (sides.left, sides.right))
    return Exceeding((*said, *describe(point, sides.left, sides.right, width, numbers)), low, high)
