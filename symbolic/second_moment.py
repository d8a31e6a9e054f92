"""E[e²] = d, derived in the steps a student writes, for every width.

q is any row of signs, k runs over all rows of signs, t_r = q_r k_r and e = Σ_r t_r.  Each step is an expression and the
rule that led to it, and is checked against the step before by normal form, with e and t_r spelled out in q and k.

>>> from symbolic.plain import plain
>>> for step in derive():
...     print(plain(step.expression), "by", step.rule)
E[Σ_r t_r² + Σ_{r≠s} t_r t_s] by square-split
Σ_r E[t_r²] + Σ_{r≠s} E[t_r t_s] by linearity
Σ_r 1 + Σ_{r≠s} 0 by term-sign and pairing
d_k by count the coordinates
"""

from __future__ import annotations

from fractions import Fraction

from symbolic.calculus import Setting
from symbolic.expressions import Dot, Entry, Expression, Index, Mean, Number, Sum, Symbol, rebuilt
from symbolic.findings import identity
from symbolic.softmax import Step

__all__ = ["START", "derive"]

r, s = Index("r", "d"), Index("s", "d")
score = Symbol("e")
zero, one = Number(Fraction(0)), Number(Fraction(1))
OVER_ALL_KEYS = Setting(signs=frozenset({"q", "k"}), random=frozenset({"k"}))
START = Mean(score**2)


def _t(at: Index) -> Entry:
    return Entry("t", (at,))


def _crossed(body: Expression) -> Sum:
    return Sum(r, Sum(s, body, unlike=(r,)))


def _spelled(expression: Expression) -> Expression:
    """Put q·k for e and q_r k_r for t_r."""
    if expression == score:
        return Dot("q", "k")
    if isinstance(expression, Entry) and expression.name == "t":
        return Entry("q", expression.indices) * Entry("k", expression.indices)
    return rebuilt(expression, _spelled)


def derive() -> tuple[Step, ...]:
    """Derive E[e²] = d from START, for every width; raise NotShown where a step does not follow."""
    lines: tuple[tuple[Expression, str], ...] = (
        (Mean(Sum(r, _t(r) ** 2) + _crossed(_t(r) * _t(s))), "square-split"),
        (Sum(r, Mean(_t(r) ** 2)) + _crossed(Mean(_t(r) * _t(s))), "linearity"),
        (Sum(r, one) + _crossed(zero), "term-sign and pairing"),
        (Symbol("d"), "count the coordinates"),
    )
    steps = []
    before: Expression = START
    for expression, rule in lines:
        steps.append(Step(expression, rule, identity(rule, _spelled(before), _spelled(expression), OVER_ALL_KEYS)))
        before = expression
    return tuple(steps)
