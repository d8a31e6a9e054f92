"""Quotients of polynomials as text, as LaTeX and as decimals."""

from __future__ import annotations

from fractions import Fraction

from exact.rationals import write_rational
from exact.verdicts import Note, note
from symbolic.averages.polynomial_text import latex_number, plain, tex
from symbolic.averages.quotients import Quotient, as_number

__all__ = ["latex", "latex_number", "plain", "text", "value_note"]


def text(value: Quotient) -> str:
    """Return a quotient in plain text.

    >>> from symbolic.averages.quotients import quotient
    >>> text(quotient(Fraction(-8, 3)))
    '-8/3'
    """
    if (number := as_number(value)) is not None:
        return write_rational(number)
    over, under = plain(value.over), plain(value.under)
    if under == "1":
        return over
    return f"{_bracketed(over)}/{_bracketed(under)}"


def latex(value: Quotient) -> str:
    """Return a quotient in LaTeX."""
    if (number := as_number(value)) is not None:
        return latex_number(number)
    over, under = tex(value.over), tex(value.under)
    return over if under == "1" else rf"\frac{{{over}}}{{{under}}}"


def value_note(value: Quotient) -> Note:
    """Return the note that says what an expression equals: a number, with its decimals, or a formula."""
    number = as_number(value)
    if number is None:
        return note("value", value=text(value), latex=latex(value))
    return note("number", value=text(value), latex=latex(value), decimal=_decimal(number))


def _decimal(value: Fraction) -> str:
    """Return a fraction as a decimal of six significant digits, exact where no more are needed.

    >>> _decimal(Fraction(8, 3)), _decimal(Fraction(26, 5))
    ('2.66667', '5.2')
    """
    return f"{float(value):.6g}" if abs(value) < 10**300 else "10^" + str(len(str(int(value))) - 1)


def _bracketed(piece: str) -> str:
    return f"({piece})" if any(mark in piece for mark in " ·/") else piece
