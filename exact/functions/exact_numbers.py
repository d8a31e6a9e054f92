"""Numbers on which a reader's NumPy code runs unmodified and stays exact.

Imports the standard library only.

A `Number` is a polynomial with rational coefficients in the logarithms of primes and in named symbols.  NumPy's object
arrays call its methods: `np.exp` calls `exp`, `np.log` calls `log`, a maximum compares.  Logarithms of positive
rationals add and subtract exactly, so a softmax that subtracts its largest score, exponentiates and divides gives
rational weights:

>>> z = [log(1), log(3)]
>>> u = [(x - max(z)).exp() for x in z]
>>> [str(x / sum(u)) for x in u]
['1/4', '3/4']

Symbols make one run speak for every value they stand for, as long as the code only adds and multiplies:

>>> a, g = symbol("a"), symbol("g")
>>> str(a * (g - a * g))
'a·g − a^2·g'

What cannot be exact raises `Inexact`, and so does what would need the value of a symbol; nothing is rounded.
"""

import math
from collections.abc import Iterable, Mapping
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral, Real
from typing import Final

from exact.rationals import abbreviate

__all__ = ["Inexact", "Monomial", "Number", "from_terms", "log", "number", "symbol"]

Monomial = tuple[tuple[str, int], ...]  # atoms and their exponents, in order: "log 2", "log 3", … or a symbol

MAX_TERMS: Final = 20_000
MAX_BITS: Final = 20_000
MAX_FACTOR: Final = 1 << 16  # trial division goes this far
MAX_EXPONENT: Final = 512
LONGEST_LITERAL: Final = 7  # significant digits up to which a float is taken for a decimal that somebody wrote
DIGITS: Final = 80
LOG: Final = "log "


class Inexact(ArithmeticError):
    """An operation has no exact answer here; the message says which."""


class Number:
    """A polynomial over ℚ in logarithms of primes and in symbols; immutable."""

    __slots__ = ("_terms",)
    _terms: dict[Monomial, Fraction]

    def __init__(self, value: "int | Fraction | Number" = 0) -> None:
        """Take a rational number."""
        if isinstance(value, Number):
            self._terms = value._terms
        else:
            self._terms = {(): Fraction(value)} if value else {}

    # ---- what it is --------------------------------------------------------------------------------------------------

    @property
    def terms(self) -> Mapping[Monomial, Fraction]:
        """The coefficients that are not 0, by monomial."""
        return self._terms

    @property
    def rational(self) -> Fraction | None:
        """The number as a fraction; None where a logarithm or a symbol stands in it."""
        if not self._terms:
            return Fraction(0)
        return self._terms.get(()) if len(self._terms) == 1 else None

    @property
    def symbolic(self) -> bool:
        """Whether a symbol stands in it."""
        return any(not atom.startswith(LOG) for monomial in self._terms for atom, _ in monomial)

    @property
    def real(self) -> "Number":
        """Itself."""
        return self

    @property
    def imag(self) -> "Number":
        """0."""
        return Number()

    def conjugate(self) -> "Number":
        """Return itself; np.vecdot asks."""
        return self

    def item(self) -> "Number":
        """Return itself, as a NumPy scalar does."""
        return self

    def copy(self) -> "Number":
        """Return itself, as a NumPy scalar does."""
        return self

    def same(self, other: "Number") -> bool:
        """Whether two are one polynomial: then they are equal, whatever the symbols stand for."""
        return self._terms == other._terms

    def decimal(self) -> Decimal:
        """Return the value to about 70 digits; `Inexact` for symbols."""
        context = Context(prec=DIGITS)
        total = Decimal(0)
        for monomial, x in self._terms.items():
            value = context.divide(Decimal(x.numerator), Decimal(x.denominator))
            for atom, exponent in monomial:
                if not atom.startswith(LOG):
                    raise Inexact(f"the symbol {atom} has no single value")
                value = context.multiply(value, context.power(_ln(int(atom[len(LOG) :])), exponent))
            total = context.add(total, value)
        return total

    def sign(self) -> int:
        """Return −1, 0 or 1; `Inexact` for symbols, and where 60 digits do not tell a polynomial in logs from 0."""
        if (value := self.rational) is not None:
            return (value > 0) - (value < 0)
        near = self.decimal()
        size = max(abs(x) for x in self._terms.values())
        if abs(near) < Decimal(10) ** (20 - DIGITS) * (1 + Decimal(size.numerator) / Decimal(size.denominator)):
            raise Inexact("two numbers lie too near each other to be told apart")
        return 1 if near > 0 else -1

    # ---- arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: object) -> "Number":
        if (right := _operand(other)) is None:
            return NotImplemented
        if (x := self.rational) is not None and (y := right.rational) is not None:
            return _make({(): x + y})
        terms = dict(self._terms)
        for monomial, x in right._terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + x
        return _make(terms)

    __radd__ = __add__

    def __neg__(self) -> "Number":
        return _make({monomial: -x for monomial, x in self._terms.items()})

    def __pos__(self) -> "Number":
        return self

    def __sub__(self, other: object) -> "Number":
        return NotImplemented if (right := _operand(other)) is None else self + -right

    def __rsub__(self, other: object) -> "Number":
        return NotImplemented if (left := _operand(other)) is None else left + -self

    def __mul__(self, other: object) -> "Number":
        if (right := _operand(other)) is None:
            return NotImplemented
        if (x := self.rational) is not None and (y := right.rational) is not None:
            return _make({(): x * y})
        if len(self._terms) * len(right._terms) > MAX_TERMS:
            raise Inexact("a product of symbols has too many terms")
        terms: dict[Monomial, Fraction] = {}
        for one, x in self._terms.items():
            for two, y in right._terms.items():
                key = _times(one, two)
                terms[key] = terms.get(key, Fraction(0)) + x * y
        return _make(terms)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> "Number":
        if (right := _operand(other)) is None:
            return NotImplemented
        if not right._terms:
            raise ZeroDivisionError("division by 0")
        if (divisor := right.rational) is not None:
            return _make({monomial: x / divisor for monomial, x in self._terms.items()})
        if right.symbolic or self._terms.keys() != right._terms.keys():
            raise Inexact("a quotient by a logarithm or a symbol is no polynomial")
        factors = {x / right._terms[monomial] for monomial, x in self._terms.items()}
        if len(factors) != 1:
            raise Inexact("a quotient of logarithms is not rational")
        return Number(factors.pop())

    def __rtruediv__(self, other: object) -> "Number":
        return NotImplemented if (left := _operand(other)) is None else left / self

    def __pow__(self, exponent: object) -> "Number":
        power = _operand(exponent)
        if power is None:
            return NotImplemented
        if (wanted := power.rational) is None or wanted.denominator not in (1, 2) or abs(wanted) > MAX_EXPONENT:
            raise Inexact(f"no exact power with exponent {power}")
        base = self if wanted.denominator == 1 else self.sqrt()
        count = abs(wanted.numerator)
        result = Number(1)
        while count:
            if count % 2:
                result = result * base
            if count := count // 2:
                base = base * base
        return result if wanted >= 0 else 1 / result

    def __rpow__(self, base: object) -> "Number":
        if isinstance(base, float) and float(base) == math.e:
            return self.exp()
        return NotImplemented if (left := _operand(base)) is None else left**self

    def __abs__(self) -> "Number":
        return -self if self.sign() < 0 else self

    # ---- what NumPy's functions call ---------------------------------------------------------------------------------

    def exp(self) -> "Number":
        """Return e^x where it is rational: x a whole combination of logarithms of primes."""
        value = Fraction(1)
        for monomial, x in self._terms.items():
            if len(monomial) != 1 or monomial[0][1] != 1 or not monomial[0][0].startswith(LOG) or x.denominator != 1:
                raise Inexact(f"exp({self}) is not rational")
            if abs(x) > MAX_EXPONENT:
                raise Inexact(f"exp({self}) is too large a fraction")
            value *= Fraction(int(monomial[0][0][len(LOG) :])) ** int(x)
        return Number(value)

    def log(self) -> "Number":
        """Return the logarithm of a positive rational."""
        value = self.rational
        if value is None or value <= 0:
            raise Inexact(f"no exact logarithm of {self}")
        return log(value)

    def sqrt(self) -> "Number":
        """Return the root of the square of a rational."""
        value = self.rational
        if value is None or value < 0:
            raise Inexact(f"no exact root of {self}")
        top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
        if top * top != value.numerator or bottom * bottom != value.denominator:
            raise Inexact(f"√({self}) is not rational")
        return Number(Fraction(top, bottom))

    def square(self) -> "Number":
        """Return x²."""
        return self * self

    # ---- comparison --------------------------------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order == 0

    def __ne__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order != 0

    def __lt__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order < 0

    def __le__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order <= 0

    def __gt__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order > 0

    def __ge__(self, other: object) -> bool:
        return NotImplemented if (order := self._order(other)) is None else order >= 0

    def _order(self, other: object) -> float | None:
        """Return the sign of self − other, NaN beside NaN; None where the two cannot be compared."""
        if isinstance(other, Real) and not isinstance(other, int | Fraction) and not math.isfinite(other):
            return -float(other)
        return None if (right := _operand(other)) is None else (self - right).sign()

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __hash__(self) -> int:
        return hash(value) if (value := self.rational) is not None else hash(frozenset(self._terms.items()))

    # ---- what would round --------------------------------------------------------------------------------------------

    def __float__(self) -> float:
        raise Inexact(f"{self} would be rounded to a float")

    def __int__(self) -> int:
        raise Inexact(f"{self} would be cut to an integer")

    def __str__(self) -> str:
        if (value := self.rational) is not None:
            return abbreviate(value)
        parts = []
        for monomial, x in sorted(self._terms.items(), key=lambda term: (sum(k for _, k in term[0]), term[0])):
            atoms = "·".join(atom + (f"^{k}" if k > 1 else "") for atom, k in monomial)
            factor = "" if abs(x) == 1 and atoms else abbreviate(abs(x))
            parts.append(("− " if x < 0 else "+ ") + factor + ("·" if factor and atoms else "") + atoms)
        text = " ".join(parts)
        return text[2:] if text.startswith("+") else "-" + text[2:]

    def __repr__(self) -> str:
        return str(self)

    def __format__(self, form: str) -> str:
        return format(float(self.decimal()), form) if form else str(self)  # what code prints on its way


def number(value: int | Fraction) -> Number:
    """Return a rational as a `Number`."""
    return Number(value)


def symbol(name: str) -> Number:
    """Return a symbol, which stands for any number."""
    return _make({((name, 1),): Fraction(1)})


def log(value: int | Fraction) -> Number:
    """Return the logarithm of a positive rational whose prime factors are small.

    >>> str(log(Fraction(9, 2)))
    '-log 2 + 2·log 3'
    """
    value = Fraction(value)
    if value <= 0:
        raise Inexact(f"no logarithm of {abbreviate(value)}")
    terms: dict[Monomial, Fraction] = {}
    for part, sign in ((value.numerator, 1), (value.denominator, -1)):
        for prime, count in _factors(part):
            terms[((f"{LOG}{prime}", 1),)] = Fraction(sign * count)
    return _make(terms)


def from_terms(terms: Iterable[tuple[Monomial, Fraction]]) -> Number:
    """Return the polynomial with these terms, each monomial named once, its atoms in order."""
    return _make(dict(terms))


def _make(terms: dict[Monomial, Fraction]) -> Number:
    found = object.__new__(Number)
    found._terms = {monomial: x for monomial, x in terms.items() if x}
    if len(found._terms) > MAX_TERMS:
        raise Inexact("a polynomial in symbols has too many terms")
    for x in found._terms.values():
        if x.numerator.bit_length() + x.denominator.bit_length() > MAX_BITS:
            raise Inexact("a fraction has grown too long")
    return found


def _times(one: Monomial, two: Monomial) -> Monomial:
    if not one or not two:
        return one or two
    powers = dict(one)
    for atom, k in two:
        powers[atom] = powers.get(atom, 0) + k
    return tuple(sorted(powers.items()))


@lru_cache(256)
def _ln(prime: int) -> Decimal:
    return Context(prec=DIGITS).ln(Decimal(prime))


def _operand(value: object) -> Number | None:
    """Return what stands beside a Number as a Number; None for arrays and other things that are no single number."""
    if isinstance(value, Number):
        return value
    if isinstance(value, int | Fraction):
        return Number(Fraction(value))
    if isinstance(value, Integral):
        return Number(int(value))
    if isinstance(value, Real):
        return Number(_literal(float(value)))
    return None


def _literal(value: float) -> Fraction:
    """Return a float as the decimal that was written; `Inexact` for one that looks like the end of a computation."""
    if not math.isfinite(value):
        raise Inexact(f"{value} is no number to compute with exactly")
    written = Decimal(repr(value))
    exact = Fraction(value)
    if len(written.as_tuple().digits) <= LONGEST_LITERAL:
        return Fraction(written)
    if exact.denominator <= 1 << 20 and abs(exact) < 1 << 32:
        return exact
    raise Inexact(f"the float {value!r} is rounded already")


def _factors(n: int) -> list[tuple[int, int]]:
    found, p = [], 2
    while p * p <= n and p < MAX_FACTOR:
        count = 0
        while n % p == 0:
            n, count = n // p, count + 1
        if count:
            found.append((p, count))
        p += 1 + p % 2
    if n > 1:
        if n > MAX_FACTOR**2:
            raise Inexact("a logarithm of a number with a large factor")
        found.append((n, 1))
    return found
