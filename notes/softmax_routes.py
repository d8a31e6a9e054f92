"""How the claims on softmax are established: counted at exact points for T = 2 … 6, and decided for every T.

The two share no code below this module: symbolic.counted knows no expressions, and symbolic.laws visits nothing.
"""

from fractions import Fraction
from math import factorial
from typing import Final

from exact.evidence import Evidence, Positions, Rung
from notes.letters import with_divided_row
from notes.routes import Counted, Decided, Disagrees, Run
from symbolic.counted import WIDTH, Miscount, count
from symbolic.expressions import Index, renamed
from symbolic.findings import NotShown
from symbolic.laws import prove
from symbolic.plain import plain_statement
from symbolic.softmax import LARGEST_T, derive, jacobian
from symbolic.writing import Notation

__all__ = ["EIGHT_APART", "JOIN", "WHOLE_JACOBIAN", "of"]

JOIN: Final = ";  "  # stands between the statements of one piece of evidence
NOTATION: Final = Notation(width="d")
SCOPES: Final = {
    "every T": Positions(None),
    "every T and every width": Positions(None, "every"),
    "T = 2": Positions((2,)),
}
COMPARED: Final = {  # what is compared at every point; x = e^score, J is the Jacobian by slopes, H is dL/dE
    "softmax": "Σ_j a_j = 1;  a(c·x) = a(x)",
    "ratio": "a_j x_l = a_l x_j",
    "jacobian": "J_jj = a_j(1 − a_j);  J_jl = −a_j a_l  (l ≠ j)",
    "closed-row": "Σ_j Σ_l |J_jl| = 2(1 − Σ_j a_j²);  x = (0, …, 1, …, 0) ⇒ J = 0",
    "what-dies": "∂L/∂Q_ms = (HK)_ms/√d;  ∂L/∂K_ms = (HᵀQ)_ms/√d",
    "cross-entropy": "−J_cj = a_c(a_j − [j = c])",
    "sigmoid": "a_1 = 1/(1 + x_2/x_1);  J_11 = a_1(1 − a_1);  1/4 − J_11 = (a_1 − 1/2)²",
    "trace": "Σ_j J_jj = 1 − Σ_j a_j²",
    "trace-range": "Σ_j J_jj = Σ_{j≠l} a_j a_l;  1 − 1/T − Σ_j J_jj = Σ_j (a_j − 1/T)²",
    "row-sums": "Σ_l J_jl = 0;  J = Jᵀ",
    "gradient": "Σ_l G_l J_lj = a_j(G_j − Σ_l a_l G_l)",
    "argmax": "(a_j − a_l) Σ_m x_m = x_j − x_l;  x_j² < x_l² ⇔ x_j < x_l",
}
LINEAR: Final = {"what-dies"}  # compared on unit matrices, not on the grid


def _count(claim: str) -> Evidence:
    try:
        found = count(claim)
    except Miscount as error:
        raise Disagrees(str(error)) from None
    linear = claim in LINEAR
    scope = Positions(found.sizes, WIDTH if linear else None)
    return Evidence(Rung.COUNTED, COMPARED[claim], scope, ("units" if linear else "grid",), found.points)


def _decide(claim: str) -> Evidence:
    try:
        found = prove(claim)
    except NotShown as error:
        raise Disagrees(str(error)) from None
    shown = with_divided_row(claim, found.statements, NOTATION)
    text = JOIN.join(plain_statement(statement, NOTATION) for statement in shown)
    return Evidence(Rung.PROVED, text, SCOPES[found.scope], (found.rule,))


def of(claim: str) -> tuple[Counted, Decided]:
    """Return both routes of a claim on softmax."""
    return Counted(lambda _: _count(claim)), Decided(lambda _: _decide(claim))


def bounds_of_exp(x: int, terms: int) -> tuple[Fraction, Fraction]:
    """Return bounds of e^x: the first terms of its series, and those with a geometric series above the rest.

    From the first term left out, x^n/n!, each is at most x/(n+1) times the one before; n + 1 must exceed x ≥ 0.

    >>> low, high = bounds_of_exp(1, 6)
    >>> round(float(low), 4), round(float(high), 4)
    (2.7167, 2.7183)
    """
    low = sum((Fraction(x**n, factorial(n)) for n in range(terms)), Fraction(0))
    return low, low + Fraction(x**terms, factorial(terms)) / (1 - Fraction(x, terms + 1))


def _eight_apart(_: Run) -> Evidence:
    low, high = bounds_of_exp(8, 40)
    if not Fraction(298095, 100) < low < high < Fraction(298096, 100):
        raise Disagrees(f"e^8 lies between {float(low)} and {float(high)}")
    return Evidence(Rung.PROVED, "2980.95 < exp(8) < 2980.96, exp(8) ≈ 2981", Positions(None), ("series",))


def _whole_jacobian(_: Run) -> Evidence:
    """Compare each entry of the largest Jacobian that is written out with its derived case, its indices put in."""
    j, l = Index("j"), Index("l")
    steps = derive()
    same, crossed = steps.same[-1].expression, steps.crossed[-1].expression
    rows = jacobian(LARGEST_T).rows
    places = [Index(str(n)) for n in range(1, LARGEST_T + 1)]
    for n, here in enumerate(places):
        for k, there in enumerate(places[: n + 1]):
            wanted = renamed(same, {j: here}) if k == n else renamed(crossed, {j: there, l: here})
            if rows[k][n] != wanted or rows[n][k] != wanted:  # a_j a_l is symmetric
                raise Disagrees(f"entry ({n + 1}, {k + 1}) of the Jacobian at T = {LARGEST_T} is another one")
    formula = f"J_jl = a_j(δ_jl − a_l), {LARGEST_T}·{LARGEST_T}"
    return Evidence(Rung.PROVED, formula, Positions((LARGEST_T,)), ("locality",))


EIGHT_APART: Final = Decided(_eight_apart)
WHOLE_JACOBIAN: Final = Decided(_whole_jacobian)
