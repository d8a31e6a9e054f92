"""The letters of the lesson and what each stands for; and formulas in other letters, where the usual ones mislead.

>>> from symbolic.plain import plain_formula
>>> plain_formula(formula_for("second-moment", (3, -1)))
'E[e²] = |q|²'
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symbolic.expressions import (
    Dot,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Matrix,
    Mean,
    Root,
    Sum,
    Symbol,
    Transpose,
    rebuilt,
)
from symbolic.formulas import formula
from symbolic.latex import snippet, statement_snippet
from symbolic.statements import Chain, Formula, Statement, chain
from symbolic.writing import Notation

__all__ = ["OF_ANY_QUERY", "SYMBOLS", "formula_for", "symbol", "with_divided_row"]

i, j, r, s = Index("i"), Index("j"), Index("r"), Index("s")
e, d, L = Symbol("e"), Symbol("d"), Symbol("L")
Q, K = Matrix("Q"), Matrix("K")


def _t(at: Index) -> Entry:
    return Entry("t", (at,))


# ---- what each letter stands for ------------------------------------------------------------------------------------

SYMBOLS: Final[tuple[tuple[str, tuple[Expression | Chain, ...]], ...]] = (  # the keys are those of "notation" in words
    ("width", (d,)),
    ("positions", (Symbol("T"),)),
    ("places", (Symbol("i"), Symbol("j"), Symbol("l"))),
    ("matrices", (Q, K, Matrix("V"))),
    ("rows", (Symbol("q"), Symbol("k"))),
    ("score", (chain(e, "=", Dot("q", "k")), Entry("e", (i, j)))),
    ("term", (chain(_t(r), "=", Entry("q", (r,)) * Entry("k", (r,))),)),
    ("mean", (Mean(Symbol(r"\cdot")),)),
    ("scores", (chain(Matrix("E"), "=", Q * Transpose(K) / Root(d)),)),
    ("exponential", (chain(Entry("x", (j,)), "=", Exp(Entry("e", (j,)))),)),
    ("weights", (Entry("a", (i, j)), Matrix("A"))),
    ("jacobian", (Matrix("J"),)),
    ("loss", (L, chain(Matrix("G"), "=", Gradient("L", "A")), chain(Matrix("H"), "=", Gradient("L", "E")))),
    ("class", (Symbol("c"),)),
)


def symbol(shown: Sequence[Expression | Chain], letters: Notation | None = None) -> str:
    """Return the letters of a line of `SYMBOLS` as LaTeX for math mode."""
    return r",\; ".join(statement_snippet(x, letters) if isinstance(x, Chain) else snippet(x, letters) for x in shown)


# ---- formulas in other letters --------------------------------------------------------------------------------------


def formula_for(name: str, query: Sequence[int | Fraction]) -> Formula:
    """Return the formula of an id as it reads for a query: with q_r² and |q|² for 1 and d where q is not of signs."""
    found = formula(name)
    if all(abs(x) == 1 for x in query) or name not in OF_ANY_QUERY:
        return found
    return replace(found, statements=(OF_ANY_QUERY[name],))


SIZE: Final = Symbol("|q|")
CROSSED: Final = Sum(r, Sum(s, _t(r) * _t(s), unlike=(r,)))
OF_ANY_QUERY: Final = {
    "term-sign": chain(_t(r) ** 2, "=", Entry("q", (r,)) ** 2),
    "square-split": chain(e**2, "=", Sum(r, _t(r) ** 2) + CROSSED, "=", SIZE**2 + CROSSED),
    "second-moment": chain(Mean(e**2), "=", SIZE**2),
    "typical-size": chain(Root(Mean(e**2)), "=", SIZE),
}


def with_divided_row(claim: str, statements: Iterable[Statement], letters: Notation) -> tuple[Statement, ...]:
    """Return the statements that prove a claim; where two rows of weights stand in them, the divided one is primed."""
    found = tuple(statements)
    if claim != "argmax":
        return found

    def primed(expression: Expression) -> Expression:
        if isinstance(expression, Entry) and expression.name == "a":
            return replace(expression, name=f"{letters.weight} '")  # a blank and a sign: an accented letter
        return rebuilt(expression, primed)

    first, *rest = found
    return first, *(replace(x, parts=tuple(map(primed, x.parts))) for x in rest if isinstance(x, Chain))
