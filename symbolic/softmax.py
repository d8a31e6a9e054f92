"""The Jacobian of softmax, derived in the steps a student writes, for every number of positions.

Write x = e^z, entry by entry.  Only two terms of the denominator depend on e_j and e_l, so it is x_j + x_l + R, with R
the rest, constant in both: that makes a derivation in three letters hold for every T.  Each step is an expression and
the rule that led to it, and is checked against the step before by normal form; nothing is typed in at the end.

>>> for step in derive().crossed:
...     print(step.rule)
locality
quotient rule
case l ≠ j
split
fold into weights
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from symbolic.expressions import (
    Add,
    Delta,
    Entry,
    Exp,
    Expression,
    Index,
    Mul,
    Number,
    Partial,
    Sum,
    Symbol,
    rebuilt,
)
from symbolic.findings import NotShown, identity
from symbolic.statements import Chain

__all__ = ["LARGEST_T", "Derivation", "Jacobian", "Step", "against_sympy", "derive", "jacobian"]

LARGEST_T = 64
j, l, m = Index("j"), Index("l"), Index("m")
Z = Number(Fraction(0))


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the derivation: the expression reached, the rule that led there, the equation that was decided."""

    expression: Expression
    rule: str
    check: Chain


@dataclass(frozen=True, slots=True)
class Derivation:
    """Hold the two cases, each as its steps; the last expression of each is the entry of the Jacobian."""

    same: tuple[Step, ...]
    crossed: tuple[Step, ...]
    folded: Chain


@dataclass(frozen=True, slots=True)
class Jacobian:
    """The Jacobian for a fixed T: rows of entries in the weights a_1 … a_T."""

    T: int
    rows: tuple[tuple[Expression, ...], ...]


def _x(at: Index) -> Entry:
    return Entry("x", (at,))


def _a(at: Index) -> Entry:
    return Entry("a", (at,))


def _e(at: Index) -> Entry:
    return Entry("e", (at,))


def _grown(expression: Expression, rest: Expression | None) -> Expression:
    """Put exp(e_j) for x_j and, when it is given, the rest of the denominator for R."""
    if isinstance(expression, Entry) and expression.name == "x":
        return Exp(Entry("e", expression.indices))
    if expression == Symbol("R") and rest is not None:
        return rest
    return rebuilt(expression, lambda part: _grown(part, rest))


def _case(
    by: Index, lines: tuple[tuple[Expression, str], ...], unlike: tuple[tuple[Index, Index], ...]
) -> tuple[Step, ...]:
    """Check each line against the one before, and return the steps.

    Between the first line and the last, R is any positive number that does not move with e_j and e_l; in the first and
    the last it is the sum of the other exponentials, which is what locality asserts and what folding uses.
    """
    others = Sum(m, Exp(_e(m)), unlike=(j,) if by == j else (j, l))
    for at in {j, by}:
        identity("locality", Partial(others, _e(at)), Z, unlike=unlike)
    steps: list[Step] = []
    before: Expression = Partial(_a(j), _e(by))
    for number, (expression, rule) in enumerate(lines):
        rest = others if number in (0, len(lines) - 1) else None
        left, right = (_grown(side, rest) for side in (before, expression))
        steps.append(Step(expression, rule, identity(rule, left, right, unlike=unlike)))
        before = expression
    return tuple(steps)


def derive() -> Derivation:
    """Derive ∂a_j/∂e_l in both cases, for every T; raise NotShown where a step does not follow."""
    R = Symbol("R")
    whole = _x(j) + R
    same = _case(
        j,
        (
            (Partial(_x(j) / whole, _e(j)), "locality"),
            ((Partial(_x(j), _e(j)) * whole - _x(j) * Partial(whole, _e(j))) / whole**2, "quotient rule"),
            ((_x(j) * whole - _x(j) * _x(j)) / whole**2, "case l = j"),
            ((_x(j) / whole) * ((whole - _x(j)) / whole), "split"),
            (_a(j) * (1 - _a(j)), "fold into weights"),
        ),
        (),
    )
    both = _x(j) + _x(l) + R
    crossed = _case(
        l,
        (
            (Partial(_x(j) / both, _e(l)), "locality"),
            ((Partial(_x(j), _e(l)) * both - _x(j) * Partial(both, _e(l))) / both**2, "quotient rule"),
            ((Z * both - _x(j) * _x(l)) / both**2, "case l ≠ j"),
            (-((_x(j) / both) * (_x(l) / both)), "split"),
            (-(_a(j) * _a(l)), "fold into weights"),
        ),
        ((j, l),),
    )
    folded = identity("jacobian", Partial(_a(j), _e(l)), _a(j) * (Delta(j, l) - _a(l)))
    return Derivation(same, crossed, folded)


def jacobian(T: int) -> Jacobian:
    """Return the Jacobian at a fixed T from 1 to 64, each entry an instance of one of the two derived cases.

    The derivation holds for any two positions and any rest, so that an entry is its case with the indices put in; above
    the diagonal the entries are those below it, since a_j a_l is symmetric.
    """
    if not 1 <= T <= LARGEST_T:
        raise ValueError(f"the number of positions must be from 1 to {LARGEST_T} (got {T})")
    weights = [_a(Index(str(n))) for n in range(1, T + 1)]
    rows: list[list[Expression]] = []
    for n, here in enumerate(weights):
        row: list[Expression] = [rows[k][n] for k in range(n)]
        row.append(Mul((here, Add((Number(Fraction(1)), Mul((Number(Fraction(-1)), here)))))))
        row += [Mul((Number(Fraction(-1)), here, there)) for there in weights[n + 1 :]]
        rows.append(row)
    return Jacobian(T, tuple(map(tuple, rows)))


def against_sympy(T: int) -> int:
    """Compare every entry of jacobian(T) with SymPy's own derivative; return their number, T²; raise NotShown.

    SymPy differentiates exp(z_j)/Σ exp(z); then exp(z) → x turns both sides into quotients, and cancel decides.
    """
    if not 1 <= T <= 6:
        raise ValueError(f"SymPy's derivative is compared for T from 1 to 6 (got {T})")
    import sympy  # type: ignore[import-untyped]

    z = sympy.symbols(f"z1:{T + 1}", real=True)
    x = sympy.symbols(f"x1:{T + 1}", positive=True)
    total = sum(map(sympy.exp, z))
    to_x = {sympy.exp(a): b for a, b in zip(z, x, strict=True)}
    weights = [b / sum(x) for b in x]

    def converted(expression: Expression) -> sympy.Expr:
        match expression:
            case Number(value):
                return sympy.Rational(value.numerator, value.denominator)
            case Entry("a", (at,)):
                return weights[int(at.name) - 1]
            case Add(terms):
                return sympy.Add(*map(converted, terms))
            case Mul(factors):
                return sympy.Mul(*map(converted, factors))
            case _:
                raise TypeError(f"{type(expression).__name__} does not occur in a Jacobian")

    for n, row in enumerate(jacobian(T).rows):
        for k, entry in enumerate(row):
            derivative = sympy.diff(sympy.exp(z[n]) / total, z[k]).subs(to_x)
            if sympy.cancel(derivative - converted(entry)) != 0:
                raise NotShown("jacobian", f"SymPy's derivative of a_{n + 1} by e_{k + 1} is {derivative} at T = {T}")
    return T * T
