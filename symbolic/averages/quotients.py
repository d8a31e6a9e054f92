"""Quotients of polynomials with exact roots: the numbers in which claims about moments are decided.

A root of something that is no monomial is a scalar of its own, named by what stands under it, ⟨…⟩, with a power in
[0, 1); whole powers of it are multiplied back.  What stands under a root is first split into irreducible factors, so
that two quotients are the same number exactly when their normal forms are.  Letters under a root stand for positive
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from symbolic.averages.polynomial_text import plain
from symbolic.expressions import OutsideClass
from symbolic.polynomial import (
    ONE,
    Polynomial,
    Rules,
    Scalars,
    Term,
    constant,
    minus,
    number_power,
    plus,
    scalar,
    times,
)

__all__ = ["Field", "Quotient", "as_number", "is_constant", "is_positive", "quotient"]

POWER_LIMIT = 24
WORK_LIMIT = 6_000
_POSITIVE = frozenset({"d", "n", "N", "m", "h", "s", "p", "D", "T", "L", "λ", "τ", "ch", "dim", "μ_2", "μ_4"})
DIGITS = 4000


@dataclass(frozen=True, slots=True)
class Quotient:
    """One polynomial over another, which is not 0."""

    over: Polynomial
    under: Polynomial = field(default_factory=lambda: ONE)


def quotient(value: Fraction | int | Polynomial) -> Quotient:
    """Return a number or a polynomial as a quotient."""
    return Quotient(value if isinstance(value, dict) else constant(Fraction(value)))


def is_positive(name: str) -> bool:
    """Say whether a letter stands for a positive number: widths, spreads, rates, probabilities, roots."""
    return name in _POSITIVE or name.startswith(("σ", "√", "Var(", "n_", "d_", "fan_", "head"))


def is_constant(value: Polynomial) -> bool:
    """Say whether a polynomial is a rational number."""
    return not value or set(value) == {Term()}


def as_number(value: Quotient) -> Fraction | None:
    """Return a quotient as a rational number, or None where it is none."""
    if is_constant(value.over) and is_constant(value.under):
        return value.over.get(Term(), Fraction(0)) / value.under[Term()]
    return None


@dataclass(slots=True)
class Field:
    """Arithmetic of quotients; remembers what stands under each root."""

    rules: Rules = field(default_factory=lambda: Rules({}))
    roots: dict[str, Polynomial] = field(default_factory=dict)
    work: int = 0

    def product(self, left: Polynomial, right: Polynomial) -> Polynomial:
        """Multiply two polynomials; OutsideClass where all that was multiplied took too many steps."""
        self.work += len(left) * len(right)
        if self.work > WORK_LIMIT:
            raise OutsideClass("this formula takes too many steps to expand")
        return self._whole(times(left, right, self.rules)) if left and right else {}

    def _whole(self, value: Polynomial) -> Polynomial:
        """Multiply back whole powers of roots."""
        if not self.roots or not any(name in self.roots and abs(e) >= 1 for t in value for name, e in t.scalars):
            return value
        parts = []
        for term, c in value.items():
            kept: list[tuple[str, Fraction]] = []
            factor: Polynomial = ONE
            for name, exponent in term.scalars:
                if name in self.roots and exponent >= 1:
                    whole, exponent = divmod(exponent, 1)
                    for _ in range(int(whole)):
                        factor = self.product(factor, self.roots[name])
                if exponent:
                    kept.append((name, exponent))
            parts.append(self.product({term._replace(scalars=tuple(kept)): c}, factor))
        return plus(*parts)

    def add(self, left: Quotient, right: Quotient) -> Quotient:
        """Add."""
        self.work += len(left.over) // 8
        if left.under == right.under:
            return Quotient(plus(left.over, right.over), left.under)
        over = plus(self.product(left.over, right.under), self.product(right.over, left.under))
        return self._lowered(over, self.product(left.under, right.under))

    def subtract(self, left: Quotient, right: Quotient) -> Quotient:
        """Subtract."""
        return self.add(left, Quotient(minus({}, right.over), right.under))

    def multiply(self, left: Quotient, right: Quotient) -> Quotient:
        """Multiply."""
        return self._lowered(self.product(left.over, right.over), self.product(left.under, right.under))

    def divide(self, left: Quotient, right: Quotient) -> Quotient:
        """Divide; ZeroDivisionError where the divisor is 0."""
        if not right.over:
            raise ZeroDivisionError
        return self._lowered(self.product(left.over, right.under), self.product(left.under, right.over))

    def equal(self, left: Quotient, right: Quotient) -> bool:
        """Say whether two quotients are the same."""
        return not self.difference(left, right)

    def difference(self, left: Quotient, right: Quotient) -> Polynomial:
        """Return a polynomial that is 0 exactly when the two are the same."""
        if left.under == right.under:
            return minus(left.over, right.over)
        return minus(self.product(left.over, right.under), self.product(right.over, left.under))

    def power(self, base: Quotient, exponent: Fraction) -> Quotient:
        """Raise to a rational power; OutsideClass where the power is too large or the base negative under a root."""
        if abs(exponent) > 10**6:
            raise OutsideClass("an exponent must be from −1000000 to 1000000")
        if exponent < 0:
            return self.power(self.divide(quotient(1), base), -exponent)
        number = as_number(base)
        if exponent.denominator == 1:
            return self._whole_power(base, number, int(exponent))
        if number is not None and not number:
            return base
        return self._lowered(self._root(base.over, exponent), self._root(base.under, exponent))

    def _whole_power(self, base: Quotient, number: Fraction | None, exponent: int) -> Quotient:
        if number is not None:
            if max(abs(number.numerator), number.denominator).bit_length() * exponent > DIGITS * 3:
                raise OutsideClass(f"a power must have at most {DIGITS} digits")
            return quotient(number**exponent)
        if len(base.over) == len(base.under) == 1 and not self.roots:
            ((over, a),), ((under, b),) = base.over.items(), base.under.items()
            if not (over.entries or over.sums or under.entries or under.sums) and exponent <= 1000:
                top = Term(tuple((name, e * exponent) for name, e in over.scalars))
                bottom = Term(tuple((name, e * exponent) for name, e in under.scalars))
                if not any(name[0] == "√" for name, _ in (*top.scalars, *bottom.scalars)):
                    return Quotient({top: a**exponent}, {bottom: b**exponent})
        if exponent > POWER_LIMIT:
            raise OutsideClass(f"a power of a sum must be at most {POWER_LIMIT} (got {exponent})")
        result = quotient(1)
        for _ in range(exponent):
            result = self.multiply(result, base)
        return result

    def _root(self, value: Polynomial, exponent: Fraction) -> Polynomial:
        """Return a power of a polynomial that is no whole one."""
        if len(value) == 1:
            ((term, c),) = value.items()
            if not term.entries and not term.sums:
                return self.product(
                    number_power(c, exponent), {Term(self._rooted(term.scalars, exponent)): Fraction(1)}
                )
        content, factors = _factors(value)
        result = number_power(content, exponent)
        for factor, times_over in factors:
            whole, rest = divmod(times_over * exponent, 1)
            ((first, c), *others) = factor.items()
            if not others and not first.entries and not first.sums:
                powers = tuple((name, e * times_over) for name, e in first.scalars)
                piece: Polynomial = {Term(self._rooted(powers, exponent)): Fraction(1)}
                result = self.product(result, piece)
                continue
            if rest:
                name = f"⟨{plain(factor)}⟩"
                self.roots[name] = factor
                result = self.product(result, scalar(name, rest))
            elif (times_over * exponent).denominator == 1 and times_over % 2 == 0 and whole % 2:
                raise OutsideClass("the root of the square of something that may be negative is not taken")
            for _ in range(int(whole)):
                result = self.product(result, factor)
        return result

    def _rooted(self, scalars: Scalars, exponent: Fraction) -> Scalars:
        """Return a monomial to a power that is no whole one; the root of a² is |a|, kept as the root of a square."""
        found = []
        for name, e in scalars:
            if name in self.roots or is_positive(name):
                found.append((name, e * exponent))
            elif e % 2:
                raise OutsideClass(f"a root is taken of {name}, which may be negative")
            else:
                square = f"⟨{name}²⟩"
                self.roots[square] = scalar(name, Fraction(2))
                found.append((square, e * exponent / 2))
        return tuple(found)

    def _lowered(self, over: Polynomial, under: Polynomial) -> Quotient:
        """Divide both by the same monomial, so that what stands below is 1 where it can be."""
        if len(under) != 1:
            return Quotient(over, under)
        ((term, c),) = under.items()
        if term.entries or term.sums:
            return Quotient(over, under)
        inverse = {Term(tuple((name, -e) for name, e in term.scalars)): 1 / c}
        if any(name in self.roots or name[0] == "√" for name, _ in term.scalars):
            # 1/⟨f⟩^e is ⟨f⟩^(1 − e)/f, and the same for the root of a prime
            over = self.product(
                over, {Term(tuple((n, 1 - e) for n, e in term.scalars if n in self.roots)): Fraction(1)}
            )
            bottom: Polynomial = ONE
            for name, _ in term.scalars:
                if name in self.roots:
                    bottom = self.product(bottom, self.roots[name])
            kept = Term(tuple((n, -e) for n, e in term.scalars if n not in self.roots))
            over = self.product(over, {kept: 1 / c})
            return Quotient(over, bottom) if bottom is ONE else self._lowered(over, bottom)
        return Quotient(self.product(over, inverse))


def _factors(value: Polynomial) -> tuple[Fraction, list[tuple[Polynomial, int]]]:
    """Split a polynomial into a positive rational and irreducible factors with their powers."""
    import sympy  # type: ignore[import-untyped]

    letters: dict[object, sympy.Symbol] = {}
    atoms: dict[str, Polynomial] = {}

    def letter(atom: object, as_polynomial: Polynomial) -> sympy.Symbol:
        if atom not in letters:
            letters[atom] = sympy.Symbol(f"x{len(letters)}")
            atoms[f"x{len(atoms)}"] = as_polynomial
        return letters[atom]

    total = sympy.Integer(0)
    denominators = {e.denominator for term in value for _, e in term.scalars}
    if denominators - {1} or len(value) > 200:
        raise OutsideClass("a root under a root, or of a long expression, lies outside what is decided here")
    for term, c in value.items():
        piece = sympy.Rational(c.numerator, c.denominator)
        for name, e in term.scalars:
            piece *= letter(name, scalar(name)) ** int(e)
        for name, at, e in term.entries:
            piece *= letter((name, at), {Term((), ((name, at, Fraction(1)),)): Fraction(1)}) ** int(e)
        for part in term.sums:
            piece *= letter(part, {Term((), (), (part,)): Fraction(1)})
        total += piece
    over, under = sympy.fraction(sympy.together(total))
    content, found = sympy.factor_list(over)
    content_under, found_under = sympy.factor_list(under)
    number = Fraction(int(content.p), int(content.q)) / Fraction(int(content_under.p), int(content_under.q))
    factors: list[tuple[Polynomial, int]] = []
    for expression, count in [*found, *((f, -n) for f, n in found_under)]:
        poly = sympy.Poly(expression, *letters.values())
        built: Polynomial = {}
        for powers, coefficient in poly.terms():
            piece = constant(Fraction(int(coefficient.p), int(coefficient.q)))
            for name, e in zip(atoms, powers, strict=True):
                for _ in range(e):
                    piece = times(piece, atoms[name], Rules({}))
            built = plus(built, piece)
        if all(c < 0 for c in built.values()):
            built, number = minus({}, built), number * (-1) ** count
        factors.append((built, count))
    if number < 0:
        flip = next((i for i, (_, n) in enumerate(factors) if n % 2), None)
        if flip is None:
            raise OutsideClass("a root is taken of a negative number")
        factors[flip] = (minus({}, factors[flip][0]), factors[flip][1])
        number = -number
    return number, factors
