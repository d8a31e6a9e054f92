"""Differentiation of expressions, for every number of positions: a sum is differentiated under its sign.

∂e_m/∂e_l = δ_ml, and the rest is the sum, product, quotient and chain rule.  The weights are not known to it: they are
first written out as exp(e_j)/Σ_m exp(e_m), so that the softmax's derivative comes out and is not put in.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symbolic.expressions import (
    Add,
    Delta,
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
    Sum,
    Symbol,
    free_indices,
    fresh,
    rebuilt,
    renamed,
    walk,
)

__all__ = ["Setting", "defined", "differentiate"]

ZERO, UNIT = Number(Fraction(0)), Number(Fraction(1))


@dataclass(frozen=True, slots=True)
class Setting:
    """Say what the names mean.

    The rows called `weights` are the softmax of `scale` times the rows called `scores`; `upstream` is the gradient by
    the weights.  `totals` lists other rows whose entries add up to a scalar, named, or to 1, written "".  `signs`
    lists rows whose entries are −1 or 1.  `random` lists rows whose entries are independent and alike, with the moments
    1, m₁, m₂, … in `moments`; fair signs, when none are given.
    """

    weights: str = "a"
    scores: str = "e"
    scale: Expression = UNIT
    upstream: str = "G"
    totals: tuple[tuple[str, str], ...] = ()
    signs: frozenset[str] = frozenset()
    random: frozenset[str] = frozenset()
    moments: tuple[Fraction, ...] = ()


def _row(indices: tuple[Index, ...], taken: frozenset[Index]) -> Index:
    return fresh(Index("m"), taken | frozenset(indices))


def defined(expression: Expression, setting: Setting) -> Expression:
    """Write every weight out as the exponential of its score over the sum of the exponentials of its row."""
    match expression:
        case Entry(name, indices) if name == setting.weights:
            pass
        case Softmax(scores, indices) if scores == setting.scores:
            pass
        case _:
            return rebuilt(expression, lambda part: defined(part, setting))
    m = _row(indices, free_indices(setting.scale))

    def grown(at: Index) -> Expression:
        score = Entry(setting.scores, (*indices[:-1], at))
        return Exp(score if setting.scale == UNIT else setting.scale * score)

    return Quotient(grown(indices[-1]), Sum(m, grown(m)))


def _same(left: tuple[Index, ...], right: tuple[Index, ...]) -> Expression:
    deltas = [Delta(i, j) for i, j in zip(left, right, strict=True) if i != j]
    if not deltas:
        return UNIT
    return deltas[0] if len(deltas) == 1 else Mul(tuple(deltas))


def differentiate(of: Expression, by: Entry | Symbol, setting: Setting) -> Expression:
    """Return the derivative, as an expression in which sums stay sums.

    By a score the weights vary and a loss L varies through them, with G = ∂L/∂a; by a weight, only that weight varies.

    >>> j, l = Index("j"), Index("l")
    >>> differentiate(Entry("g", (j,)) * 2, Entry("g", (l,)), Setting())
    Mul(factors=(Delta(left=Index(name='j', over='T'), right=Index(name='l', over='T'), bracket=False), ...
    """
    through_scores = isinstance(by, Symbol) or by.name != setting.weights
    if through_scores and not _depends_directly(by, setting):
        of = defined(of, setting)
    return _derivative(of, by, setting)


def _depends_directly(by: Entry | Symbol, setting: Setting) -> bool:
    """Say that the weights cannot vary with `by`, so that they need not be written out."""
    if isinstance(by, Symbol):
        return by not in set(walk(setting.scale))
    return by.name != setting.scores


def _derivative(of: Expression, by: Entry | Symbol, setting: Setting) -> Expression:
    def d(part: Expression) -> Expression:
        return _derivative(part, by, setting)

    match of:
        case Number() | Delta():
            return ZERO
        case Symbol("L") | Gradient("L", _, ()) if isinstance(by, Entry):
            return _loss(by, setting)
        case Symbol():
            return UNIT if of == by else ZERO
        case Entry(name, indices) | Softmax(name, indices):
            if isinstance(by, Entry) and name == by.name and len(indices) == len(by.indices):
                return _same(indices, by.indices)
            return ZERO
        case Add(terms):
            return _sum([d(term) for term in terms])
        case Mul(factors):
            parts = [(n, d(factor)) for n, factor in enumerate(factors)]
            return _sum([Mul((*factors[:n], part, *factors[n + 1 :])) for n, part in parts if part != ZERO])
        case Quotient(over, under):
            top, bottom = d(over), d(under)
            if bottom == ZERO:
                return ZERO if top == ZERO else top / under
            return (top * under - over * bottom) / under**2
        case Power(base, Number(value) as exponent):
            inner = d(base)
            return ZERO if inner == ZERO else exponent * Power(base, Number(value - 1)) * inner
        case Root(inside):
            inner = d(inside)
            return ZERO if inner == ZERO else inner / (2 * of)
        case Exp(inside):
            inner = d(inside)
            return ZERO if inner == ZERO else of * inner
        case Log(inside):
            inner = d(inside)
            return ZERO if inner == ZERO else inner / inside
        case Sum(index, body, unlike):
            away = fresh(index, frozenset(by.indices if isinstance(by, Entry) else ()))
            inner = d(renamed(body, {index: away}))
            return ZERO if inner == ZERO else Sum(away, inner, unlike)
        case Partial(inner_of, inner_by):
            return d(differentiate(inner_of, inner_by, setting))
        case Dot(left, right):
            r = Index("r", "d")
            return d(Sum(r, Entry(left, (r,)) * Entry(right, (r,))))
        case _:
            raise OutsideClass(f"a derivative cannot be taken through {type(of).__name__}")


def _sum(parts: list[Expression]) -> Expression:
    parts = [part for part in parts if part != ZERO]
    if not parts:
        return ZERO
    return parts[0] if len(parts) == 1 else Add(tuple(parts))


def _loss(by: Entry, setting: Setting) -> Expression:
    """Differentiate a loss by a weight, which is G, or by a score, through every weight of its row."""
    if by.name == setting.weights:
        return Entry(setting.upstream, by.indices)
    if by.name != setting.scores:
        raise OutsideClass(f"the loss reaches {by.name} by a way that is not written here")
    m = _row(by.indices, frozenset())
    at = (*by.indices[:-1], m)
    return Sum(m, Entry(setting.upstream, at) * differentiate(Entry(setting.weights, at), by, setting))
