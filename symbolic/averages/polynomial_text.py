"""Polynomials in widths, parameters, entries and sums as text and as LaTeX, the way a person writes them."""

from __future__ import annotations

from fractions import Fraction

from exact.rationals import write_rational
from symbolic.polynomial import Factor, Polynomial, Term

__all__ = ["latex_number", "plain", "tex"]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "θ": "theta", "κ": "kappa",
          "λ": "lambda", "μ": "mu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau",
          "Σ": "Sigma"}  # fmt: skip
_BOUND = ("i", "j", "l", "m", "p", "r", "s", "t", "u")


def plain(value: Polynomial) -> str:
    """Return a polynomial in plain text, the highest degree first."""
    return _written(value, False)


def tex(value: Polynomial) -> str:
    """Return a polynomial in LaTeX, the highest degree first."""
    return _written(value, True)


def latex_number(value: Fraction) -> str:
    r"""Return a fraction in LaTeX.

    >>> latex_number(Fraction(8, 3))
    '\\frac{8}{3}'
    """
    if value.denominator == 1:
        return write_rational(value)
    over, under = write_rational(abs(value.numerator)), write_rational(value.denominator)
    return rf"{'-' if value < 0 else ''}\frac{{{over}}}{{{under}}}"


def _written(value: Polynomial, tex: bool) -> str:
    def size(item: tuple[Term, Fraction]) -> tuple[object, ...]:
        term = item[0]
        return (-sum(float(e) for _, e in term.scalars), -len(term.sums), -len(term.entries), repr(term))

    pieces = []
    for number, (term, c) in enumerate(sorted(value.items(), key=size)):
        factors = _factors(term, tex)
        shown = latex_number(abs(c)) if tex else write_rational(abs(c))
        if factors and "/" in shown:
            shown = f"({shown})"
        if factors and abs(c) == 1:
            shown = ""
        minus = "-" if tex else "−"
        sign = (minus if c < 0 else "") if not number else (f" {minus} " if c < 0 else " + ")
        pieces.append(sign + shown + ("" if tex else "·").join(factors))
    return "".join(pieces) or "0"


def _factors(term: Term, tex: bool) -> list[str]:
    found = []
    for name, exponent in term.scalars:
        if name[0] == "√":
            name = name[1:]
        found.append(_power(_name(name, tex), exponent, tex))
    for part in term.sums:
        labels = {
            at.name: _BOUND[int(at.name[1:]) % len(_BOUND)] for _, ids, _ in part for at in ids if at.name[0] == "#"
        }
        body = [_entry(factor, labels, tex) for factor in part]
        if tex:
            found.append(rf"\Bigl(\sum_{{{','.join(labels.values())}}} {' '.join(body)}\Bigr)")
        else:
            found.append(f"(Σ_{','.join(labels.values())} {'·'.join(body)})")
    found += [_entry(factor, {}, tex) for factor in term.entries]
    return found


def _entry(factor: Factor, labels: dict[str, str], tex: bool) -> str:
    name, ids, exponent = factor
    if all(i.name.startswith("axis") for i in ids):  # a whole vector or matrix
        return _power(_name("I" if name == "δ" else name, tex), exponent, tex)
    at = "".join(labels.get(i.name, i.name) for i in ids)
    if tex:
        return _power(f"{_name(name, True)}_{{{at}}}", exponent, True)
    return _power(f"{name}_{at}", exponent, False)


def _power(base: str, exponent: Fraction, tex: bool) -> str:
    if exponent == 1:
        return base
    if tex:
        if exponent == Fraction(1, 2):
            return rf"\sqrt{{{base}}}"
        raised = str(exponent)
        return f"{base}^{raised}" if len(raised) == 1 else f"{base}^{{{raised}}}"
    if exponent == Fraction(1, 2):
        return f"√{base}"
    if exponent.denominator == 1 and exponent > 0:
        return (f"({base})" if base[-1] in "²³⁴⁵⁶⁷⁸⁹)]" and base[0] != "(" else base) + str(exponent).translate(
            _SUPERSCRIPTS
        )
    return f"{base}^({exponent})"


def _name(name: str, tex: bool) -> str:
    if name[0] == "⟨":
        return f"({name[1:-1]})" if not tex else rf"\left({name[1:-1]}\right)"
    if not tex:
        return name
    head, _, tail = name.partition("_")
    head = "\\" + _GREEK[head] + " " if head in _GREEK else head
    tail = "\\" + _GREEK[tail] if tail in _GREEK else tail
    below = tail if len(tail) == 1 else f"{{{tail}}}"
    return f"{head.strip()}_{below}" if tail else head.strip()
