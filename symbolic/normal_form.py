"""Decide whether two expressions are equal for every number of positions T.

The class.  Expressions built from rational numbers; positive scalars (T, d, β, …) with rational exponents; entries of
rows and matrices (weights a_j, other rows g, y, v, matrices G_ij); deltas; sums over positions or coordinates, whole or
with some indices left out; sums, products, whole powers, and quotients whose denominator has no index bound further
out; exponentials of whole combinations of scores, and logarithms of monomials; derivatives of all these.

The procedure.
 1. Scores go out.  With x_j = exp(scale·e_j), Z = Σ x and a_j = x_j/Z, the map from x to (a, Z) is one to one from
    the positive orthant to the open simplex times the positive numbers: exp(scale·e_j) = a_j Z, and
    e_j = (log a_j + log Z)/scale.
 2. Free indices take one of finitely many patterns of coincidence.  In each, free indices differ or are the same, so
    every delta between them is 1 or 0.  A sum Σ_l f(l) becomes Σ_l g(l) + Σ_b (f(b) − g(b)), where g is f read with
    l away from every index b in scope: deltas are gone.
 3. What is left is a polynomial in free entries, scalars and sums of monomials (polynomial).  Bound indices get
    canonical names; Σ_l a_l is replaced by 1; equal terms are collected.  A quotient is kept as two polynomials, and
    two quotients are compared by cross-multiplying.

Why it is complete, for entries with exponents that are whole, and for weights in one row or in rows with free names.
Write M_F for a product F of sums of monomials, with n bound indices in all.  M_F = I_F + (sums with fewer indices),
where I_F runs over the assignments in which the bound indices differ from each other and from the free ones.  For T at
least n plus the number of free indices, I_F is not zero, and for different F (up to renaming, which is what canonical
names remove) the I_F have no monomial in common.  By induction on n the M_F are linearly independent, over rational
functions of the scalars too; an index that occurs nowhere gives the factor T, and a polynomial in T that vanishes for
all large T is 0.  The relation Σ a = 1 adds nothing else: multiply each term by the power of p = Σ_l a_l that brings
all to one degree in a; the result is homogeneous and vanishes on the simplex, hence on the orthant, hence is 0, and
terms that differed still differ, since no normal form contains p.  Logarithms stay apart from all this: log a_j and
log Z are logarithms of multiplicatively independent functions, hence algebraically independent over the rational
functions (Ax, 1971).  With signs, exponents are taken modulo 2 and the argument is that of multilinear monomials.  So
two expressions are equal for every T exactly when their difference has the empty normal form in every pattern.
(Outside this class, where the row of a weight is itself summed over, an empty form still proves equality.)

The converse is made concrete: if it is not empty, the same procedure at T = 1, 2, …, with sums written out and a_T
replaced by 1 − a_1 − …, finds the first T at which the two differ, and counterexamples finds numbers there.

>>> from symbolic.expressions import Entry, Index, Sum
>>> j, l = Index("j"), Index("l")
>>> a_j, a_l = Entry("a", (j,)), Entry("a", (l,))
>>> equal(Sum(l, a_l * a_j, unlike=(j,)), a_j * (1 - a_j))
True
>>> equal(a_j * (1 - a_j), a_j), equal(a_j * (1 - a_j), a_j, T=2)
(False, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from symbolic.calculus import Setting
from symbolic.expressions import (
    Delta,
    Dot,
    Entry,
    Expression,
    Gradient,
    Index,
    OutsideClass,
    Softmax,
    Sum,
    Symbol,
    free_indices,
    walk,
)
from symbolic.reduction import Ratio, Reduction, Size, Vanishing, watches

__all__ = ["NormalForm", "Setting", "Size", "differences", "equal", "first_difference", "indices_in", "normal_form"]

PLAIN = Setting()
SPARE = 4
MOST_WATCHED = 7


Pattern = tuple[tuple[Index, Index], ...]


@dataclass(frozen=True, slots=True)
class NormalForm:
    """Hold the normal form in each pattern of coincidence of the free indices."""

    cases: tuple[tuple[Pattern, Ratio], ...]

    @property
    def zero(self) -> bool:
        """Say whether the expression is 0 in every pattern."""
        return not any(ratio.over for _, ratio in self.cases)

    @property
    def most_indices(self) -> int:
        """Return a size by which a difference must have shown.

        All indices must find places of their own; then a coefficient that is a sum of n powers of T or d, and not 0,
        has fewer than n positive roots (Descartes).
        """
        most = 1
        for pattern, ratio in self.cases:
            for term in (*ratio.over, *ratio.under):
                bound = sum(len({at for _, ids, _ in part for at in ids if at.name[0] == "#"}) for part in term.sums)
                most = max(most, bound + len({new for _, new in pattern}) + 1 + len(ratio.over))
        fixed = [int(old.name) for pattern, _ in self.cases for old, _ in pattern if old.fixed]
        return max([most, *fixed])


def normal_form(
    expression: Expression,
    setting: Setting = PLAIN,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
    T: int | None = None,
    d: int | None = None,
) -> NormalForm:
    """Return the normal form for every T (and d), or at the sizes given; `unlike` lists indices that must differ.

    Raises OutsideClass where the expression is not of the class above.
    """
    size = Size(T, d)
    reduction = Reduction(setting, size)
    cases = []
    free = sorted(free_indices(expression))
    coincide = watches(expression)
    if coincide and len(free) > MOST_WATCHED:
        raise OutsideClass(f"deltas among more than {MOST_WATCHED} free indices have too many patterns of coincidence")
    for pattern in _patterns(free, unlike, size, coincide=coincide):
        scope = tuple(dict.fromkeys(new for _, new in pattern))
        ratio = reduction.read(expression, dict(pattern), scope)
        cases.append((pattern, Ratio(reduction.settled(ratio.over), ratio.under)))
    return NormalForm(tuple(cases))


def equal(
    left: Expression,
    right: Expression,
    setting: Setting = PLAIN,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
    T: int | None = None,
    d: int | None = None,
) -> bool:
    """Decide whether two expressions are equal, for every T and d or at the sizes given."""
    return normal_form(left - right, setting, unlike=unlike, T=T, d=d).zero


def first_difference(
    left: Expression,
    right: Expression,
    setting: Setting = PLAIN,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
) -> Size | None:
    """Return the smallest sizes at which two expressions differ, or None where they are equal for every T and d."""
    return next(differences(left, right, setting, unlike=unlike), None)


def differences(
    left: Expression,
    right: Expression,
    setting: Setting = PLAIN,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
    T: int | None = None,
) -> Iterator[Size]:
    """Yield the sizes at which two expressions differ, smallest first; none, where they are equal for every T and d.

    With T given, only that number of positions is looked at.  The search goes a little past the size by which a
    difference must have shown, for who needs one that is a square.
    """
    form = normal_form(left - right, setting, unlike=unlike, T=T)
    if form.zero:
        return
    ranges = {index.over for part in walk(left - right) for index in indices_in(part)}
    used = {part.name for part in walk(left - right) if isinstance(part, Symbol)} | ranges
    used |= {"d"} if setting.scores in used else set()
    most = form.most_indices + SPARE
    found = False
    for positions in [T] if T else range(1, most + 1) if "T" in used else [None]:
        for d in range(1, most + 1) if "d" in used else [None]:
            try:
                same = equal(left, right, setting, unlike=unlike, T=positions, d=d)
            except Vanishing:
                continue
            if not same:
                found = True
                yield Size(positions, d)
    if not found:
        raise OutsideClass("the two sides differ for large T, but at every small one a denominator vanishes")


def indices_in(expression: Expression) -> Iterator[Index]:
    """Yield the indices that stand in an expression itself, not in what is inside it."""
    match expression:
        case Sum(index, _, unlike):
            yield from (index, *unlike)
        case Entry(_, indices) | Softmax(_, indices) | Gradient(_, _, indices):
            yield from indices
        case Dot():
            yield Index("r", "d")
        case Delta(i, j):
            yield from (i, j)


def _patterns(
    free: list[Index], unlike: tuple[tuple[Index, Index], ...], size: Size, *, coincide: bool
) -> Iterator[Pattern]:
    """Yield every way in which free indices may coincide; at a fixed size, every assignment of places.

    Where nothing in an expression watches for coincidence, the pattern in which all differ covers the others.
    """

    def allowed(pattern: Mapping[Index, Index]) -> bool:
        return all(pattern.get(i, i) != pattern.get(j, j) for i, j in unlike)

    def grow(position: int, pattern: dict[Index, Index]) -> Iterator[Pattern]:
        if position == len(free):
            if allowed(pattern):
                yield tuple(pattern.items())
            return
        index = free[position]
        count = size.of(index)
        if count is not None:
            choices = [Index(str(n), index.over) for n in range(1, count + 1)]
            if index.fixed:
                choices = [at for at in choices if at == index]
        else:
            earlier = [at for at in dict.fromkeys(pattern.values()) if at.over == index.over and not index.fixed]
            choices = [*earlier, index] if coincide else [index]
        for block in choices:
            yield from grow(position + 1, {**pattern, index: block})

    yield from grow(0, {})
