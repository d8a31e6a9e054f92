"""Every formula of the derivation, written once, as expressions; LaTeX and plain text are made from them.

>>> from symbolic.plain import plain_formula
>>> plain_formula(formula("trace"))
'Σ_j a_ij(1 − a_ij) = 1 − Σ_j a_ij²'
"""

from __future__ import annotations

from fractions import Fraction

from symbolic.expressions import (
    Delta,
    Dot,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Limit,
    Log,
    Matrix,
    Mean,
    Number,
    Partial,
    Prime,
    Root,
    Sum,
    Symbol,
    Transpose,
)
from symbolic.statements import Chain, Formula, Implies, chain

__all__ = ["DEFINITIONS", "FORMULAS", "formula"]

i, j, l, c = Index("i"), Index("j"), Index("l"), Index("c")
r, s = Index("r", "d"), Index("s", "d")
T, d, alpha, m = Symbol("T"), Symbol("d"), Symbol("α"), Symbol("m")
score, sigma = Symbol("e"), Symbol("σ")
root_d = Root(d)
half = Number(Fraction(1, 2))
zero, one = Number(Fraction(0)), Number(Fraction(1))


def _a(*at: Index) -> Entry:
    return Entry("a", at)


def _e(*at: Index) -> Entry:
    return Entry("e", at)


def _g(*at: Index) -> Entry:
    return Entry("G", at)


def _t(at: Index) -> Entry:
    return Entry("t", (at,))


def _off_diagonal(body: Expression) -> Sum:
    return Sum(r, Sum(s, body, unlike=(r,)))


pairs_vanish: Chain = chain(Mean(_t(r) * _t(s)), "=", zero, unlike=((r, s),))
spread = 1 - Sum(j, _a(i, j) ** 2)

DEFINITIONS = (
    Formula("score", 0, (chain(score, "=", Dot("q", "k"), "=", Sum(r, Entry("q", (r,)) * Entry("k", (r,)))),)),
    Formula("term", 0, (chain(_t(r), "=", Entry("q", (r,)) * Entry("k", (r,))),)),
)

FORMULAS = (
    Formula("match-count", 1, (chain(score, "=", m - (d - m), "=", 2 * m - d),)),
    Formula("term-sign", 1, (chain(_t(r) ** 2, "=", one),)),
    Formula(
        "square-split",
        1,
        (
            chain(
                score**2, "=", Sum(r, _t(r) ** 2) + _off_diagonal(_t(r) * _t(s)), "=", d + _off_diagonal(_t(r) * _t(s))
            ),
        ),
    ),
    Formula("pairing", 1, (pairs_vanish,)),
    Formula("mean", 1, (chain(Mean(score), "=", zero),)),
    Formula("second-moment", 1, (chain(Mean(score**2), "=", d),)),
    Formula("typical-size", 1, (chain(Root(Mean(score**2)), "=", root_d),)),
    Formula("unit-scale", 1, (chain(Mean((score / root_d) ** 2), "=", one),)),
    Formula(
        "two-properties",
        1,
        (Implies((pairs_vanish, chain(Mean(_t(r) ** 2), "=", one)), chain(Mean(score**2), "=", d)),),
    ),
    Formula("scope", 1, (chain(Mean(Dot("q", "q") ** 2), "=", d**2),)),
    Formula("only-the-root", 1, (chain(Root(Mean((score / d**alpha) ** 2)), "=", d ** (half - alpha)),)),
    Formula("softmax", 2, (chain(_a(i, j), "=", Exp(_e(i, j)) / Sum(l, Exp(_e(i, l)))),)),
    Formula("ratio", 2, (chain(_a(i, j) / _a(i, l), "=", Exp(_e(i, j) - _e(i, l))),)),
    Formula(
        "jacobian",
        2,
        (
            chain(Partial(_a(i, j), _e(i, j)), "=", _a(i, j) * (1 - _a(i, j))),
            chain(Partial(_a(i, j), _e(i, l)), "=", -(_a(i, j) * _a(i, l)), unlike=((l, j),)),
            chain(Partial(_a(i, j), _e(i, l)), "=", _a(i, j) * (Delta(j, l) - _a(i, l))),
        ),
    ),
    Formula("closed-row", 2, (chain(Limit(Matrix("J"), _a(i, j), one), "=", zero),)),
    Formula(
        "what-dies",
        2,
        (
            chain(Gradient("L", "Q"), "=", Gradient("L", "E") * Matrix("K") / root_d),
            chain(Gradient("L", "K"), "=", Transpose(Gradient("L", "E")) * Matrix("Q") / root_d),
        ),
    ),
    Formula("cross-entropy", 2, (chain(Partial(-Log(_a(c)), _e(j)), "=", _a(j) - Delta(j, c, bracket=True)),)),
    Formula("sigmoid", 2, (chain(Prime(sigma), "=", sigma * (1 - sigma), "≤", Number(Fraction(1, 4))),)),
    Formula("trace", 2, (chain(Sum(j, _a(i, j) * (1 - _a(i, j))), "=", spread),)),
    Formula("trace-range", 2, (chain(zero, "≤", spread, "≤", 1 - one / T),)),
    Formula("row-sums", 2, (chain(Sum(l, Partial(_a(i, j), _e(i, l))), "=", zero),)),
    Formula(
        "gradient",
        2,
        (chain(Gradient("L", "E", (i, j)), "=", _a(i, j) * (_g(i, j) - Sum(l, _a(i, l) * _g(i, l)))),),
    ),
    Formula(
        "argmax",
        2,
        (Implies((chain(_e(i, j), "≤", _e(i, l)),), chain(_a(i, j), "≤", _a(i, l)), both_ways=True),),
    ),
)


def formula(name: str) -> Formula:
    """Return the formula of a claim by its id."""
    for found in (*FORMULAS, *DEFINITIONS):
        if found.id == name:
            return found
    known = ", ".join(found.id for found in FORMULAS)
    raise KeyError(f"no claim is called {name!r}; the claims are {known}")
