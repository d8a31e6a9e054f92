"""Averages of polynomials over rows of independent coordinates, at every width.

A term is a sum, over its indices, of a product of entries.  Where indices coincide, the random entries at that
coordinate multiply; where they differ, they are independent; so the average is a sum over the ways in which the indices
coincide, each weighted by the joint cumulants of what meets at one coordinate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, prod
from typing import TYPE_CHECKING

from symbolic.expressions import Index, OutsideClass
from symbolic.polynomial import Polynomial, Rules, Term, assembled, plus, times

if TYPE_CHECKING:
    from symbolic.calculus import Setting

__all__ = ["averaged"]

MOST_INDICES = 9


def averaged(polynomial: Polynomial, under: Polynomial, setting: Setting, rules: Rules) -> Polynomial:
    """Return the average of a polynomial over the random rows of a setting."""
    if any(name in setting.random for term in under for part in (term.entries, *term.sums) for name, _, _ in part):
        raise OutsideClass("an average is not taken of a quotient with a random denominator")
    return plus(*(_averaged_term(term, c, setting, rules) for term, c in polynomial.items()))


def _moment(order: int, setting: Setting) -> Fraction:
    if not setting.moments:
        return Fraction(1 - order % 2)
    if order >= len(setting.moments):
        raise OutsideClass(f"the moment of order {order} of a coordinate is needed and not given")
    return setting.moments[order]


def _averaged_term(term: Term, coefficient: Fraction, setting: Setting, rules: Rules) -> Polynomial:
    from more_itertools import set_partitions

    factors, bound, kept_sums = list(term.entries), set[Index](), []
    for number, part in enumerate(term.sums):
        if not any(name in setting.random for name, _, _ in part):
            kept_sums.append(part)
            continue
        apart = {
            at: Index(f"#{number}.{at.name}", at.over) for _, ids, _ in part for at in ids if at.name.startswith("#")
        }
        bound.update(apart.values())
        factors += [(name, tuple(apart.get(at, at) for at in ids), e) for name, ids, e in part]
    orders: dict[Index, dict[str, int]] = {}
    plain = []
    for name, ids, exponent in factors:
        if name not in setting.random:
            plain.append((name, ids, exponent))
        elif len(ids) != 1 or exponent.denominator != 1 or exponent < 0:
            raise OutsideClass("an average is taken of whole powers of the coordinates of a row only")
        else:
            orders.setdefault(ids[0], {})[name] = int(exponent)
    if len(orders) > MOST_INDICES:
        raise OutsideClass(f"an average over more than {MOST_INDICES} indices at once is too long")
    outside = {Term(term.scalars, (), tuple(kept_sums)): coefficient}
    parts: list[Polynomial] = []
    for blocks in set_partitions(sorted(orders)) if orders else [[]]:
        if any(sum(at not in bound for at in block) > 1 for block in blocks):
            continue
        weight = prod((_cumulant([orders[at] for at in block], setting) for block in blocks), start=Fraction(1))
        if not weight:
            continue
        meeting = {}
        for block in blocks:
            chosen = min(block, key=lambda at: at in bound)
            meeting.update(dict.fromkeys(block, chosen))
        moved = [(name, tuple(meeting.get(at, at) for at in ids), e) for name, ids, e in plain]
        left = {meeting.get(at, at) for at in bound} & bound
        parts.append(times(outside, {assembled(moved, left, rules): weight}, rules))
    return plus(*parts)


def _cumulant(orders: Sequence[dict[str, int]], setting: Setting) -> Fraction:
    """Return the joint cumulant of products of random entries that all sit at one coordinate."""
    from more_itertools import set_partitions

    total = Fraction(0)
    for blocks in set_partitions(range(len(orders))):
        weight = Fraction((-1) ** (len(blocks) - 1) * factorial(len(blocks) - 1))
        for block in blocks:
            names = {name for n in block for name in orders[n]}
            for name in names:
                weight *= _moment(sum(orders[n].get(name, 0) for n in block), setting)
        total += weight
    return total
