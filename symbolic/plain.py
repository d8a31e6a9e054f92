"""Plain Unicode text of expressions, for the terminal.

>>> from symbolic.expressions import Index, Symbol, Entry, Sum
>>> l = Index("l")
>>> plain(1 - Sum(l, Entry("a", (l,)) ** 2))
'1 − Σ_l a_l²'
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symbolic.expressions import Expression, Number
from symbolic.statements import Formula, Statement
from symbolic.writing import ATOM, MULTIPLIED, RAISED, Notation, Writer

__all__ = ["plain", "plain_formula", "plain_statement"]

ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303", "dot": "\u0307", "check": "\u030c"}
RAISED_DIGITS = str.maketrans("0123456789−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def plain(expression: Expression, notation: Notation | None = None) -> str:
    """Write an expression as plain text."""
    return _Plain(notation or Notation()).write(expression)


def plain_statement(statement: Statement, notation: Notation | None = None) -> str:
    """Write a statement as plain text, on one line."""
    return _Plain(notation or Notation()).statement(statement)


def plain_formula(formula: Formula, notation: Notation | None = None) -> str:
    """Write all that a formula states, on one line."""
    return ";  ".join(plain_statement(statement, notation) for statement in formula.statements)


class _Plain(Writer):
    def _letter(self, name: str) -> str:
        letter, _, accent = name.partition(" ")
        if letter == "d" and accent:
            return letter + accent
        return letter + ACCENTS.get(accent, accent)

    def _number(self, value: Fraction) -> tuple[str, int]:
        text = str(value).replace("-", "−")
        return text, ATOM if value.denominator == 1 and value >= 0 else MULTIPLIED

    def _below(self, text: str, indices: Sequence[str]) -> str:
        if not indices:
            return text
        long = any(len(index.rstrip("'")) > 1 for index in indices) and len(indices) > 1
        return f"{text}_{{{','.join(indices)}}}" if long else f"{text}_{''.join(indices)}"

    def _parenthesis(self, text: str) -> str:
        return f"({text})"

    def _bracket(self, operator: str, text: str) -> str:
        return f"{operator}[{text}]"

    def _call(self, name: str, text: str) -> str:
        return f"{name}({text})"

    def _log(self, text: str) -> str:
        return f"log {text}"

    def _dotted(self, left: str, right: str) -> str:
        return f"{left}·{right}"

    def _quotient(self, over: Expression, under: Expression) -> tuple[str, int]:
        return f"{self.write(over, MULTIPLIED)}/{self.write(under, RAISED)}", MULTIPLIED

    def _power(self, base: str, exponent: Expression) -> str:
        text = self.write(exponent)
        if isinstance(exponent, Number) and exponent.value.denominator == 1:
            return base + text.translate(RAISED_DIGITS)
        return f"{base}^{text}" if len(text) == 1 else f"{base}^({text.replace(' ', '')})"

    def _root(self, inside: Expression) -> str:
        return f"√{self.write(inside, ATOM)}"

    def _big_sum(self, under: str, over: str, body: str) -> str:
        under = under.replace(" ", "")
        if over:
            return f"Σ_{{{under}}}^{{{over.replace(' ', '')}}} {body}"
        return f"Σ_{under} {body}" if len(under) == 1 else f"Σ_{{{under}}} {body}"

    def _partial(self, of: Expression, by: Expression) -> tuple[str, int]:
        return f"∂{self.write(of, ATOM)}/∂{self.write(by, ATOM)}", MULTIPLIED

    def _gradient(self, of: str, by: str) -> tuple[str, int]:
        return f"d{of}/d{by}", MULTIPLIED

    def _transposed(self, text: str) -> str:
        return f"{text}ᵀ"

    def _limit(self, variable: str, value: str, body: str) -> str:
        return f"lim_{{{variable}→{value}}} {body}"

    def _between(self, left: str, right: str) -> str:
        if right[0] == "(" or (left.replace("/", "").isdigit() and right[0].isalpha() and not right.startswith("exp")):
            return ""
        return "·" if right[0].isdigit() else " "

    def _minus(self) -> str:
        return "−"

    def _relation(self, name: str) -> str:
        return name

    def _comma(self) -> str:
        return ", "

    def _aside(self, text: str, tight: bool) -> str:
        return f" ({text})" if tight else f"  ({text})"
