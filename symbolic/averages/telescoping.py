"""Σ_k F(n, k) = R(n) for every n, by the method of Wilf and Zeilberger: a certificate is found, then checked.

With F' = F/R one wants G = c·F', c rational, with F'(n + 1, k) − F'(n, k) = G(n, k + 1) − G(n, k).  Gosper's algorithm
proposes c; what is believed is only the check of this identity of rational functions, of the poles of c and of the
ends of the sum.  So the sum of F' does not depend on n, and it is 1 at small n, where it is written out.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from symbolic.averages.hypergeometric import Reader, Sum, difference
from symbolic.averages.quotients import Quotient, as_number, quotient
from symbolic.expressions import OutsideClass
from symbolic.polynomial import Polynomial, constant, plus, scalar
from symbolic.reading.surface import Big, Divided, Node

if TYPE_CHECKING:
    import sympy  # type: ignore[import-untyped]

__all__ = ["by_telescoping"]

DEGREE_LIMIT = 6
SHIFT_LIMIT = 6
FIRST = 8  # smaller n are written out before a proof is looked for


def by_telescoping(side: Big, other: Node, letters: list[str]) -> bool:
    """Say whether the step from n to n + 1 is proved for n ≥ 0; the claim at small n is the caller's to check."""
    if side.kind != "sum" or len(side.indices) != 1 or side.conditions or side.lower is None or side.upper is None:
        return False
    if len(letters) != 1:
        return False
    n, k = letters[0], side.indices[0].letter
    plain = Reader()
    low, high = as_number(plain._value(side.lower)), plain._value(side.upper)
    beyond = plain.numbers.subtract(high, quotient(scalar(n)))
    last = as_number(beyond)
    if (
        low is None
        or last is None
        or low.denominator != 1
        or last.denominator != 1
        or not 0 <= low <= FIRST
        or abs(last) > 2
    ):
        return False
    ratio = Divided(side.body, other)
    here = _single(plain.of(ratio))
    shifted_n = Reader(plain.numbers, {n: _next(n)}, plain.bases)
    shifted_k = Reader(plain.numbers, {k: _next(k)}, plain.bases)
    a = _rational(plain, _single(shifted_n.of(ratio)), here)
    b = _rational(plain, _single(shifted_k.of(ratio)), here)
    right = plain.of(other)
    if any(not _has_no_zero(value, n, k, Fraction(FIRST), None) for value in (v.over for v in right.values())):
        return False
    found = _certificate(a, b, n, k)
    if found is None:
        return False
    c, c_next, a_s, b_s = found
    import sympy

    if sympy.cancel(c_next * b_s - c - (a_s - 1)) != 0:
        return False
    denominators = [sympy.fraction(sympy.cancel(each))[1] for each in (c, a_s)]
    if any(not _positive(each, n, k, low, last, 0) for each in denominators):
        return False
    if not _positive(sympy.fraction(sympy.cancel(b_s))[1], n, k, low, last, 1):
        return False
    return _ends_vanish(c, a, ratio, plain, n, k, low, last)


def _next(name: str) -> Quotient:
    return Quotient(plus(scalar(name), constant(Fraction(1))))


def _single(value: Sum) -> Sum:
    if len(value) != 1:
        raise OutsideClass("one term is expected")
    return value


def _rational(reader: Reader, over: Sum, under: Sum) -> Quotient:
    found = reader.times(over, reader._inverse(under, 0))
    if set(found) != {((), ())}:
        raise OutsideClass("a ratio is not rational")
    return found[((), ())]


def _certificate(
    a: Quotient, b: Quotient, n: str, k: str
) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr, sympy.Expr] | None:
    """Return c, c at k + 1, a and b as expressions, or None where Gosper's algorithm finds no c."""
    import sympy

    letter = sympy.Symbol(k)
    a_s, b_s = _expression(a), _expression(b)
    step = sympy.cancel(a_s - 1)
    if step == 0:
        return sympy.Integer(0), sympy.Integer(0), a_s, b_s
    r = sympy.cancel(step.subs(letter, letter + 1) / step * b_s)
    over, under = sympy.fraction(r)
    big_a, big_b, big_c = _normal_form(over, under, letter, sympy.Symbol(n))
    big_b = big_b.shift(-1)
    n_a, n_b, n_c = sympy.S(big_a.degree()), sympy.S(big_b.degree()), sympy.S(big_c.degree())
    if n_a != n_b or big_a.LC() != big_b.LC():
        candidates = {n_c - max(n_a, n_b)}
    elif not n_a:
        candidates = {n_c - n_a + 1, sympy.S(0)}
    else:
        candidates = {n_c - n_a + 1, (big_b.nth(n_a - 1) - big_a.nth(n_a - 1)) / big_a.LC()}
    degrees = [int(d) for d in candidates if getattr(d, "is_Integer", False) and d >= 0]
    if not degrees or max(degrees) > DEGREE_LIMIT:
        return None
    unknowns = sympy.symbols(f"c:{max(degrees) + 1}", cls=sympy.Dummy)
    domain = big_a.get_domain().inject(*unknowns)
    x = sympy.Poly(unknowns, letter, domain=domain)
    solved = sympy.solve((big_a * x.shift(1) - big_b * x - big_c).coeffs(), unknowns)
    if not solved:
        return None
    answer = x.as_expr().subs(solved).subs(dict.fromkeys(unknowns, 0))
    if answer == 0:
        return None
    c = sympy.cancel(big_b.as_expr() * answer / big_c.as_expr() * step)
    return c, sympy.cancel(c.subs(letter, letter + 1)), a_s, b_s


def _normal_form(
    over: sympy.Expr, under: sympy.Expr, letter: sympy.Symbol, other: sympy.Symbol
) -> tuple[sympy.Poly, sympy.Poly, sympy.Poly]:
    """Write over/under as a/b · c(k + 1)/c(k) with a and b that share no factor at any small shift.

    Larger shifts are not looked for: then no certificate is found, never a wrong one.
    """
    import sympy

    field = sympy.QQ.frac_field(other)
    p, q = (sympy.Poly(each, letter, domain=field) for each in (over, under))
    leading = p.LC() / q.LC()
    a, b, c = p.monic(), q.monic(), sympy.Poly(1, letter, domain=field)
    for shift in range(SHIFT_LIMIT + 1):
        d = a.gcd(b.shift(shift))
        if d.degree() > 0:
            a, b = a.quo(d), b.quo(d.shift(-shift))
            for j in range(1, shift + 1):
                c *= d.shift(-j)
    return a.mul_ground(leading), b, c


def _expression(value: Quotient) -> sympy.Expr:
    import sympy

    def one(p: Polynomial) -> sympy.Expr:
        total = sympy.Integer(0)
        for term, c in p.items():
            if term.entries or term.sums or any(e.denominator != 1 for _, e in term.scalars):
                raise OutsideClass("a rational function is expected")
            piece = sympy.Rational(c.numerator, c.denominator)
            for name, e in term.scalars:
                piece *= sympy.Symbol(name) ** int(e)
            total += piece
        return total

    return sympy.cancel(one(value.over) / one(value.under))


def _positive(value: sympy.Expr, n: str, k: str, low: Fraction, last: Fraction, gap: int) -> bool:
    """Say whether a polynomial has no zero at k = low + j, n = k − last + gap + i, for all i, j ≥ 0."""
    import sympy

    i, j = sympy.Symbol("i_", nonnegative=True), sympy.Symbol("j_", nonnegative=True)
    place = sympy.expand(
        value.subs({sympy.Symbol(n): sympy.Symbol(k) - int(last) + gap + i}).subs({sympy.Symbol(k): int(low) + j})
    )
    poly = sympy.Poly(place, i, j)
    coefficients = poly.coeffs()
    constant_term = poly.coeff_monomial(1)
    if constant_term == 0 or not all(c.is_number for c in coefficients):
        return False
    return all(c > 0 for c in coefficients) or all(c < 0 for c in coefficients)


def _has_no_zero(value: Polynomial, n: str, k: str, low: Fraction, last: Fraction | None) -> bool:
    """Say whether a polynomial in n has no zero from n = low on."""
    import sympy

    del k, last
    letter = sympy.Symbol(n)
    place = sympy.Poly(_expression(Quotient(value)).subs(letter, letter + int(low)), letter)
    coefficients = place.all_coeffs()
    return (
        all(c.is_number for c in coefficients)
        and (all(c >= 0 for c in coefficients) or all(c <= 0 for c in coefficients))
        and place.nth(0) != 0
    )


def _ends_vanish(
    c: sympy.Expr, a: Quotient, ratio: Node, plain: Reader, n: str, k: str, low: Fraction, last: Fraction
) -> bool:
    """Check what is left at the ends: (c + a − 1)·F'(n, U) + F'(n + 1, U + 1) − c·F'(n, L) = 0, U = n + last."""
    import sympy

    letter, symbol = sympy.Symbol(k), sympy.Symbol(n)
    end = symbol + int(last)
    top = sympy.cancel((c + _expression(a) - 1).subs(letter, end))
    bottom = sympy.cancel(c.subs(letter, int(low)))
    upper = Quotient(plus(scalar(n), constant(last)))
    numbers, bases = plain.numbers, plain.bases
    at_end = Reader(numbers, {k: upper}, bases).of(ratio)
    after = Reader(numbers, {n: _next(n), k: Quotient(plus(scalar(n), constant(last + 1)))}, bases).of(ratio)
    at_start = Reader(numbers, {k: quotient(low)}, bases).of(ratio) if bottom != 0 else {}
    total = plain.times(at_end, _plain(top))
    total = difference(total, plain.times(after, _plain(sympy.Integer(-1))), numbers)
    if at_start:
        total = difference(total, plain.times(at_start, _plain(bottom)), numbers)
    return not total


def _plain(value: sympy.Expr) -> Sum:
    import sympy

    def one(expression: sympy.Expr) -> Polynomial:
        symbols = sorted(expression.free_symbols, key=str)
        if not symbols:
            return constant(Fraction(int(sympy.Rational(expression).p), int(sympy.Rational(expression).q)))
        total: Polynomial = {}
        for powers, c in sympy.Poly(expression, *symbols).terms():
            piece = {next(iter(constant(Fraction(1)))): Fraction(int(c.p), int(c.q))}
            scalars = tuple((str(s), Fraction(e)) for s, e in zip(symbols, powers, strict=True) if e)
            piece = {term._replace(scalars=scalars): value for term, value in piece.items()}
            total = plus(total, piece)
        return total

    over, under = sympy.fraction(sympy.cancel(value))
    top = one(over)
    return {((), ()): Quotient(top, one(under))} if top else {}
