"""Why a false equation is false: what would make it true, where it does hold, and what it would be the answer to.

Every remark is decided before it is made: a factor is named only where the claim times the factor holds for every T.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from exact.verdicts import Note, note
from symbolic.calculus import Setting
from symbolic.expressions import (
    Delta,
    Entry,
    Exp,
    Expression,
    Index,
    Log,
    Number,
    OutsideClass,
    Partial,
    Quotient,
    Root,
    Sum,
    Symbol,
    free_indices,
    rebuilt,
    renamed,
    walk,
)
from symbolic.latex import snippet
from symbolic.normal_form import equal
from symbolic.plain import plain
from symbolic.weights.deciding import Unlike, holds
from symbolic.writing import Notation

__all__ = ["diagnose", "known_form"]

ONE = Number(Fraction(1))
MOST_SIZES = 4


def diagnose(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None, notation: Notation
) -> tuple[Note, ...]:
    """Return what can be said of an equation that is false: left is what is right, right what was claimed."""
    found = [*_by_factor(left, right, setting, unlike, T, notation)]
    found += _by_place(left, right, setting, unlike, T)
    found += _by_label(left, right, setting, unlike, T)
    if not found:
        found += _by_missing_term(left, right, setting, unlike, T, notation)
    found += _by_variable(left, right, setting, unlike, T)
    if T is None:
        found += _by_size(left, right, setting, unlike)
    if _wide(left, right) and _at_width_one(left, right, setting, unlike):
        found.append(note("holds-width-one"))
    found += _nearest(left, right, setting, unlike, T, notation)
    return tuple(dict.fromkeys(found))


def _wide(left: Expression, right: Expression) -> bool:
    return any(node == Symbol("d") for side in (left, right) for node in walk(side))


def _at_width_one(left: Expression, right: Expression, setting: Setting, unlike: Unlike) -> bool:
    """Say whether an equation holds at d = 1, where a missing √d cannot be seen."""
    try:
        return equal(left, right, setting, unlike=unlike, d=1)
    except OutsideClass:
        return False


def _by_factor(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None, notation: Notation
) -> Iterator[Note]:
    if holds(left, -right, setting, unlike, T):
        yield note("sign")
        return
    d, size = Symbol("d"), Symbol("T")
    numbers = [Number(Fraction(n, m)) for n, m in ((2, 1), (1, 2), (3, 1), (1, 3), (4, 1), (1, 4), (-2, 1), (-1, 2))]
    named = [Root(d), ONE / Root(d), d, ONE / d, size, ONE / size]
    scale = [] if setting.scale == ONE else [setting.scale, _inverse(setting.scale)]
    symbols = sorted({node.name for node in (*walk(left), *walk(right)) if isinstance(node, Symbol)} - {"d", "T", "L"})
    named += [form for name in symbols for form in (Symbol(name), ONE / Symbol(name))]
    for factor in (*numbers, *named, *scale):
        if holds(left * factor, right, setting, unlike, T):
            yield note("factor", factor=plain(factor, notation), latex=snippet(factor, notation))
            return


def _inverse(factor: Expression) -> Expression:
    if isinstance(factor, Quotient):
        return factor.under if factor.over == ONE else factor.under / factor.over
    return ONE / factor


def _by_place(left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None) -> Iterator[Note]:
    """Say whether two indices were exchanged, and whether the claim holds on the diagonal or off it."""
    free = sorted(index for index in free_indices(left - right) if not index.fixed and index.over == "T")
    for n, i in enumerate(free):
        for j in free[n + 1 :]:
            if (i, j) in unlike or (j, i) in unlike:
                continue
            if holds(left, renamed(right, {i: j, j: i}), setting, unlike, T):
                yield note("transposed", i=i.name, j=j.name)
            if holds(renamed(left, {j: i}), renamed(right, {j: i}), setting, (), T):
                yield note("holds-same", i=i.name, j=j.name)
            elif holds(left, right, setting, (*unlike, (i, j)), T):
                yield note("holds-different", i=i.name, j=j.name)


def _by_label(left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None) -> Iterator[Note]:
    """Say whether the claim holds at the true class, or at the others, when one class is right."""
    c = Index("c'")
    for label, _ in setting.totals:

        def hot(expression: Expression, label: str = label) -> Expression:
            if isinstance(expression, Entry) and expression.name == label and len(expression.indices) == 1:
                return Delta(expression.indices[0], c)
            return rebuilt(expression, hot)

        free = [i for i in sorted(free_indices(left)) if i.over == "T" and not i.fixed]
        if len(free) != 1:
            continue
        one, other = hot(left), hot(right)
        if holds(renamed(one, {c: free[0]}), renamed(other, {c: free[0]}), setting, unlike, T):
            yield note("holds-true-class", labels=label, i=free[0].name)
        elif holds(one, other, setting, (*unlike, (free[0], c)), T):
            yield note("holds-other-classes", labels=label, i=free[0].name)


def _by_missing_term(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None, notation: Notation
) -> Iterator[Note]:
    for term in _terms(left, setting):
        for signed in (term, -term):
            if holds(left, right + signed, setting, unlike, T):
                yield note("missing", term=plain(signed, notation), latex=snippet(signed, notation))
                return


def _by_variable(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None
) -> Iterator[Note]:
    """Say whether the claim is right by the scores where it was made by the weights, or the other way round."""

    def by(old: str, new: str, expression: Expression) -> Expression:
        if isinstance(expression, Partial) and isinstance(expression.by, Entry) and expression.by.name == old:
            return Partial(expression.of, Entry(new, expression.by.indices))
        return rebuilt(expression, lambda part: by(old, new, part))

    for old, new in ((setting.weights, setting.scores), (setting.scores, setting.weights)):
        other = by(old, new, left)
        if other != left and holds(other, right, setting, unlike, T):
            yield note("true-by", old=old, new=new)


def _by_size(left: Expression, right: Expression, setting: Setting, unlike: Unlike) -> Iterator[Note]:
    sizes = [T for T in range(1, MOST_SIZES + 1) if holds(left, right, setting, unlike, T)]
    if sizes and len(sizes) < MOST_SIZES:
        yield note("holds-sizes", sizes=", ".join(map(str, sizes)), most=MOST_SIZES)


def known_form(
    expression: Expression, setting: Setting, unlike: Unlike, T: int | None, *, besides: Expression | None = None
) -> Expression | None:
    """Return the first of the forms people know that an expression equals, other than itself and one besides."""
    for form in _forms(expression, setting):
        if form not in (expression, besides) and holds(expression, form, setting, unlike, T):
            return form
    return None


def _nearest(
    left: Expression, right: Expression, setting: Setting, unlike: Unlike, T: int | None, notation: Notation
) -> Iterator[Note]:
    """Say what the left side does equal, among the forms people know; and what the right side would be."""
    form = known_form(left, setting, unlike, T, besides=right)
    if form is not None:
        yield note("correct", formula=plain(form, notation), latex=snippet(form, notation))
    for question in _questions(left, setting):
        if question != left and holds(question, right, setting, unlike, T):
            yield note("answers", formula=plain(question, notation), latex=snippet(question, notation))
            break


def _rows(left: Expression, setting: Setting) -> tuple[list[Index], list[Index]]:
    """Return the free positions of an expression, and the leading ones of a matrix of weights."""
    free = sorted(i for i in free_indices(left) if i.over == "T")
    derived = [node for node in walk(left) if isinstance(node, Partial) and isinstance(node.by, Entry)]
    lead = [
        i for node in derived if isinstance(node.by, Entry) and len(node.by.indices) == 2 for i in node.by.indices[:1]
    ]
    return [i for i in free if i not in lead], lead[:1]


def _forms(left: Expression, setting: Setting) -> Iterator[Expression]:
    positions, lead = _rows(left, setting)
    l = Index("l") if Index("l") not in positions else Index("m")
    scale = setting.scale

    def a(at: Index) -> Expression:
        return Entry(setting.weights, (*lead, at))

    def g(at: Index) -> Expression:
        return Entry(setting.upstream, (*lead, at))

    plainly: list[Expression] = [Number(Fraction(0)), ONE]
    plainly += [1 - Sum(l, a(l) ** 2), 1 - ONE / Symbol("T"), Symbol("T"), Sum(l, a(l) ** 2)]
    for i in positions:
        if left == a(i):
            row = Entry(setting.scores, (*lead, l))
            yield Exp(Entry(setting.scores, (*lead, i))) / Sum(l, Exp(row))
        whole = Sum(l, a(l) * g(l))
        plainly += [a(i) * (g(i) - whole), g(i) - a(i) * Sum(l, g(l)), g(i) * a(i), a(i), a(i) - 1]
        plainly += [a(i) * (1 - a(i)), 1 - a(i)]
        for label, _ in setting.totals:
            y = Entry(label, (i,))
            plainly += [a(i) - y, -(y / a(i)), a(i) * Sum(l, Entry(label, (l,))) - y]
        plainly += [a(i) - Delta(i, j) for j in (*positions, Index("c")) if j != i]
        for j in positions:
            if i != j:
                plainly += [a(i) * (Delta(i, j) - a(j)), -(a(i) * a(j)), Delta(i, j) - a(j)]
    for form in plainly:
        yield form
        if scale != ONE:
            yield scale * form


def _questions(left: Expression, setting: Setting) -> Iterator[Expression]:
    positions, lead = _rows(left, setting)
    for i in positions:
        for j in positions:
            a, e = Entry(setting.weights, (*lead, i)), Entry(setting.scores, (*lead, j))
            yield from (Partial(a, e), Partial(Log(a), e))
        i_only = Entry(setting.weights, (*lead, i))
        l = Index("l") if Index("l") != i else Index("m")
        e, up = Entry(setting.scores, (*lead, i)), Entry(setting.upstream, (*lead, l))
        yield Partial(-Log(i_only), e)
        yield Sum(l, up * Partial(Entry(setting.weights, (*lead, l)), e))
        yield Sum(l, up * Partial(Log(Entry(setting.weights, (*lead, l))), e))


def _terms(left: Expression, setting: Setting) -> Iterator[Expression]:
    positions, lead = _rows(left, setting)
    l = Index("l") if Index("l") not in positions else Index("m")

    def a(at: Index) -> Expression:
        return Entry(setting.weights, (*lead, at))

    yield ONE
    yield Sum(l, a(l) ** 2)
    for i in positions:
        yield from (a(i), a(i) ** 2, a(i) * Sum(l, a(l) * Entry(setting.upstream, (*lead, l))))
        yield a(i) * Sum(l, Entry(setting.upstream, (*lead, l)))
        for label, _ in setting.totals:
            yield Entry(label, (i,))
        for j in positions:
            if i != j:
                yield from (a(i) * a(j), a(i) * Delta(i, j), Delta(i, j))
