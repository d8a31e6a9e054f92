"""How an expression is laid out, in the order it was written; latex and plain say how each piece looks.

A factor that is a sum, a difference or a quotient on one line is put in parentheses; a Σ or a log reaches to the end of
its product, so it is put in parentheses where something follows it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from symbolic.expressions import (
    Add,
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
    Mul,
    Number,
    Partial,
    Power,
    Prime,
    Quotient,
    Root,
    Softmax,
    Sum,
    Symbol,
    Transpose,
    Variance,
    negative,
)
from symbolic.statements import Chain, Implies, Statement

__all__ = ["Notation", "Writer"]

ADDED, MULTIPLIED, RAISED, ATOM = range(4)


@dataclass(frozen=True, slots=True)
class Notation:
    """Choose the letters: width d_k or d, weight a, α or p, score e, z or s; places counted from 1 or 0.

    With `limits`, sums over a whole range carry their limits; without, only their index.
    """

    width: str = "d_k"
    weight: str = "a"
    score: str = "e"
    base: int = 1
    limits: bool = False

    def __post_init__(self) -> None:
        """Refuse letters that are not on offer, or that would mean two things."""
        for name, value, offered in (
            ("width", self.width, ("d_k", "d")),
            ("weight", self.weight, ("a", "α", "p")),
            ("score", self.score, ("e", "z", "s")),
            ("base", self.base, (0, 1)),
        ):
            if value not in offered:
                raise ValueError(f"{name} must be one of {', '.join(map(str, offered))} (got {value!r})")

    def letter(self, name: str) -> str:
        """Return the letter that stands for a row, a matrix or a scalar; one that is taken makes way for another."""
        letters = {"a": self.weight, "e": self.score, "E": self.score.upper(), "d": self.width}
        if self.weight == "α":
            letters["α"] = "γ"
        if self.score == "s":
            letters["s"] = "Y"
        return letters.get(name, name)

    def place(self, index: Index) -> str:
        """Return what is written for an index; a coordinate named like the scores makes way for u."""
        if index.fixed:
            return str(int(index.name) - 1 + self.base)
        return "u" + index.name[1:] if index.name[0] in (self.score, self.weight) else index.name


class Writer(ABC):
    """Lays out expressions and statements; the pieces are left to LaTeX and to plain text."""

    def __init__(self, notation: Notation) -> None:
        """Fix the letters."""
        self.notation = notation

    def write(self, expression: Expression, level: int = ADDED) -> str:
        """Write an expression, in parentheses where it binds less tightly than its place asks."""
        text, own = self._laid_out(expression)
        return self._parenthesis(text) if own < level else text

    def statement(self, statement: Statement) -> str:
        """Write a statement on one line."""
        if isinstance(statement, Implies):
            return f"{self.premises(statement)} {self.statement(statement.conclusion)}"
        return self.related(statement) + self.condition(statement)

    def premises(self, statement: Implies) -> str:
        """Write the premises of an implication, and its arrow."""
        premises = [self.related(premise) + self.condition(premise, tight=True) for premise in statement.premises]
        return f"{self._comma().join(premises)} {self._relation('⇔' if statement.both_ways else '⇒')}"

    def related(self, statement: Chain) -> str:
        """Write a chain without its condition."""
        text = self.write(statement.parts[0])
        for relation, part in zip(statement.relations, statement.parts[1:], strict=True):
            text += f" {self._relation(relation)} {self.write(part)}"
        return text

    def condition(self, statement: Chain, *, tight: bool = False) -> str:
        """Write which indices must differ, after a statement."""
        place = self.notation.place
        pairs = [f"{place(i)} {self._relation('≠')} {place(j)}" for i, j in statement.unlike]
        return self._aside(self._comma().join(pairs), tight) if pairs else ""

    def _laid_out(self, expression: Expression) -> tuple[str, int]:
        write, letter, place = self.write, self.notation.letter, self.notation.place
        match expression:
            case Number(value):
                return self._number(value)
            case Symbol(name):
                return self._letter(letter(name)), ATOM
            case Matrix(name):
                return self._letter(letter(name)), ATOM
            case Entry(name, indices):
                return self._below(self._letter(letter(name)), [place(i) for i in indices]), ATOM
            case Softmax(scores, indices):
                row = self._below(self._letter(letter(scores)), [place(i) for i in indices[:-1]])
                return self._below(self._call("softmax", row), [place(indices[-1])]), ATOM
            case Delta(left, right, bracket):
                if bracket:
                    return f"[{place(left)} = {place(right)}]", ATOM
                return self._below(self._letter("δ"), [place(left), place(right)]), ATOM
            case Dot(left, right):
                return self._dotted(self._letter(letter(left)), self._letter(letter(right))), MULTIPLIED
            case Add(terms):
                return self._added(terms), ADDED
            case Mul(factors):
                return self._multiplied(factors)
            case Quotient(over, under):
                return self._quotient(over, under)
            case Power(base, exponent):
                return self._power(write(base, ATOM), exponent), RAISED
            case Root(inside):
                return self._root(inside), ATOM
            case Exp(inside):
                return self._call("exp", write(inside)), RAISED
            case Log(inside):
                return self._log(write(inside, RAISED)), MULTIPLIED
            case Sum():
                return self._summed(expression), MULTIPLIED
            case Mean(inside):
                return self._bracket("E", write(inside)), ATOM
            case Variance(inside):
                return self._bracket("Var", write(inside)), ATOM
            case Partial(of, by):
                return self._partial(of, by)
            case Prime(of):
                return write(of, ATOM) + "'", ATOM
            case Gradient(of, by, indices):
                text, level = self._gradient(letter(of), letter(by))
                return (
                    (self._below(self._parenthesis(text), [place(i) for i in indices]), ATOM)
                    if indices
                    else (text, level)
                )
            case Transpose(of):
                return self._transposed(write(of, ATOM)), RAISED
            case Limit(of, variable, value):
                return self._limit(write(variable), write(value), write(of, MULTIPLIED)), MULTIPLIED
            case _:
                raise TypeError(f"{type(expression).__name__} cannot be written")

    def _added(self, terms: Sequence[Expression]) -> str:
        text = self.write(terms[0], ADDED)
        for term in terms[1:]:
            if negative(term):
                text += f" {self._minus()} {self.write(-term, MULTIPLIED)}"
            else:
                text += f" + {self.write(term, MULTIPLIED)}"
        return text

    def _multiplied(self, factors: Sequence[Expression]) -> tuple[str, int]:
        first = factors[0]
        if isinstance(first, Number) and first.value < 0:
            rest = -Mul(tuple(factors))
            return self._minus() + self.write(rest, MULTIPLIED), ADDED
        pieces = [self.write(factor, RAISED) for factor in factors[:-1]]
        last = factors[-1]
        reaching = isinstance(last, Sum | Log) and not negative(last)
        pieces.append(self.write(last, MULTIPLIED if reaching else RAISED))
        text = pieces[0]
        for before, piece in pairwise(pieces):
            text += self._between(before, piece) + piece
        return text, MULTIPLIED

    def _summed(self, expression: Sum) -> str:
        place, inner = self.notation.place, expression.body
        index = place(expression.index)
        if isinstance(inner, Sum) and not expression.unlike and inner.unlike == (expression.index,):
            under = f"{index} {self._relation('≠')} {place(inner.index)}"
            return self._big_sum(under, "", self.write(inner.body, MULTIPLIED))
        if expression.unlike:
            under = f"{index} {self._relation('≠')} {', '.join(place(i) for i in expression.unlike)}"
            return self._big_sum(under, "", self.write(inner, MULTIPLIED))
        if not self.notation.limits:
            return self._big_sum(index, "", self.write(inner, MULTIPLIED))
        size = self._letter(self.notation.letter(expression.index.over))
        over = size if self.notation.base else f"{size} {self._minus()} 1"
        return self._big_sum(f"{index}={self.notation.base}", over, self.write(inner, MULTIPLIED))

    # The pieces.

    @abstractmethod
    def _letter(self, name: str) -> str: ...
    @abstractmethod
    def _number(self, value: Fraction) -> tuple[str, int]: ...
    @abstractmethod
    def _below(self, text: str, indices: Sequence[str]) -> str: ...
    @abstractmethod
    def _parenthesis(self, text: str) -> str: ...
    @abstractmethod
    def _bracket(self, operator: str, text: str) -> str: ...
    @abstractmethod
    def _call(self, name: str, text: str) -> str: ...
    @abstractmethod
    def _log(self, text: str) -> str: ...
    @abstractmethod
    def _dotted(self, left: str, right: str) -> str: ...
    @abstractmethod
    def _quotient(self, over: Expression, under: Expression) -> tuple[str, int]: ...
    @abstractmethod
    def _power(self, base: str, exponent: Expression) -> str: ...
    @abstractmethod
    def _root(self, inside: Expression) -> str: ...
    @abstractmethod
    def _big_sum(self, under: str, over: str, body: str) -> str: ...
    @abstractmethod
    def _partial(self, of: Expression, by: Expression) -> tuple[str, int]: ...
    @abstractmethod
    def _gradient(self, of: str, by: str) -> tuple[str, int]: ...
    @abstractmethod
    def _transposed(self, text: str) -> str: ...
    @abstractmethod
    def _limit(self, variable: str, value: str, body: str) -> str: ...
    @abstractmethod
    def _between(self, left: str, right: str) -> str: ...
    @abstractmethod
    def _minus(self) -> str: ...
    @abstractmethod
    def _relation(self, name: str) -> str: ...
    @abstractmethod
    def _comma(self) -> str: ...
    @abstractmethod
    def _aside(self, text: str, tight: bool) -> str: ...
