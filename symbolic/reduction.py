"""How an expression becomes a quotient of two polynomials, by one rule for each kind of expression.

normal_form says what this decides and proves that nothing is missed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from symbolic.calculus import Setting, differentiate
from symbolic.expressions import (
    Add,
    Delta,
    Dot,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Log,
    Mean,
    Mul,
    Number,
    OutsideClass,
    Partial,
    Power,
    Quotient,
    Root,
    Softmax,
    Sum,
    Symbol,
    Variance,
    walk,
)
from symbolic.means import averaged
from symbolic.polynomial import (
    ONE,
    Polynomial,
    Rules,
    Term,
    constant,
    entry,
    mentions,
    minus,
    number_power,
    plus,
    power,
    prime_powers,
    renamed_free,
    scalar,
    sum_over,
    times,
)

__all__ = ["Ratio", "Reduction", "Size", "Vanishing", "watches"]

LARGEST_POWER = 64
MOST_STEPS = 40_000


class Ratio(NamedTuple):
    """A quotient of two polynomials."""

    over: Polynomial
    under: Polynomial = ONE


@dataclass(frozen=True, slots=True)
class Size:
    """Fix the number of positions, or of coordinates, or neither."""

    T: int | None = None
    d: int | None = None

    def of(self, index: Index) -> int | None:
        """Return the number of values the index takes, if it is fixed."""
        return self.T if index.over == "T" else self.d


class Vanishing(OutsideClass):
    """A denominator is 0."""


class Reduction:
    """Reads expressions into quotients of polynomials, under one setting and one size."""

    def __init__(self, setting: Setting, size: Size) -> None:
        """Fix what the names mean, and how many positions and coordinates there are."""
        totals = {setting.weights: "", **dict(setting.totals)}
        self.setting, self.size = setting, size
        self.rules = Rules(totals if size.T is None else {}, setting.signs)
        self.totals = totals
        self.fresh = self.steps = 0

    # The rules below, one for each kind of expression.

    def read(self, expression: Expression, env: Mapping[Index, Index], scope: tuple[Index, ...]) -> Ratio:
        """Return the value of an expression where each free index stands for its representative in `env`."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise OutsideClass(f"the expression takes more than {MOST_STEPS} steps to decide")

        def read(part: Expression) -> Ratio:
            return self.read(part, env, scope)

        match expression:
            case Number(value):
                return Ratio(constant(value))
            case Symbol(name):
                return self._symbol(name)
            case Entry("t", (at,)) if at.over == "d":
                return read(Entry("q", (at,)) * Entry("k", (at,)))
            case Entry(name, indices):
                return self._entry(name, tuple(env.get(at, at) for at in indices))
            case Softmax(scores, indices) if scores == self.setting.scores:
                return self._entry(self.setting.weights, tuple(env.get(at, at) for at in indices))
            case Delta(left, right):
                return Ratio(ONE if env.get(left, left) == env.get(right, right) else {})
            case Dot(left, right):
                r = Index("r", "d")
                return read(Sum(r, Entry(left, (r,)) * Entry(right, (r,))))
            case Add(terms):
                return self._add([read(term) for term in terms])
            case Mul(factors):
                total = Ratio(ONE)
                for factor in factors:
                    total = self._multiply(total, read(factor))
                return total
            case Quotient(over, under):
                return self._multiply(read(over), self._inverse(read(under)))
            case Power(base, exponent):
                return self._raised(read(base), exponent, env, scope)
            case Root(inside):
                return self._fractional(read(inside), Fraction(1, 2))
            case Exp(inside):
                return self._exponential(read(inside))
            case Log(inside):
                return self._logarithm(read(inside))
            case Sum():
                return self._sum(expression, env, scope)
            case Partial(of, by):
                return read(differentiate(of, by, self.setting))
            case Gradient("L", by, indices) if indices:
                return self._gradient(by, indices, env, scope)
            case Mean(inside):
                ratio = read(inside)
                return Ratio(averaged(ratio.over, ratio.under, self.setting, self.rules), ratio.under)
            case Variance(inside):
                return read(Mean(inside**2) - Mean(inside) ** 2)
            case _:
                raise OutsideClass(f"{type(expression).__name__} cannot be brought to normal form")

    def _symbol(self, name: str) -> Ratio:
        count = {"T": self.size.T, "d": self.size.d}.get(name)
        if name == self.setting.scores:
            return self.read(Dot("q", "k"), {}, ())
        return Ratio(scalar(name) if count is None else constant(Fraction(count)))

    def _entry(self, name: str, indices: tuple[Index, ...]) -> Ratio:
        setting, row = self.setting, indices[:-1]
        if name == setting.scores and indices and indices[-1].over == "T":
            log_of_x = self._add([self._log_weight(indices), Ratio(entry("log Σx", row))])
            return self._multiply(log_of_x, self._inverse(self.read(setting.scale, {}, ())))
        return Ratio(entry(name, indices))

    def _log_weight(self, indices: tuple[Index, ...]) -> Ratio:
        return Ratio({} if self.size.T == 1 else entry("log a", indices))

    def settled(self, polynomial: Polynomial) -> Polynomial:
        """Use, at a fixed T, that a row adds to its total: its last entry is the total less the others.

        What is negative in the power of a last entry is multiplied out first, which changes no zero.
        """
        T = self.size.T
        if T is None:
            return polynomial
        last = Index(str(T))
        keys = {
            (name, indices)
            for term in polynomial
            for name, indices, _ in term.entries
            if name in self.totals and indices[-1] == last
        }
        for name, indices in sorted(keys):
            powers = [
                sum((e for n, i, e in term.entries if (n, i) == (name, indices)), Fraction(0)) for term in polynomial
            ]
            lowest = min([*powers, Fraction(0)])
            others = [entry(name, (*indices[:-1], Index(str(n)))) for n in range(1, T)]
            whole = scalar(self.totals[name]) if self.totals[name] else ONE
            value, parts = minus(whole, plus(*others)), []
            for (term, coefficient), exponent in zip(polynomial.items(), powers, strict=True):
                if exponent.denominator != 1:
                    raise OutsideClass("a root of a weight cannot be settled at a fixed T")
                kept = tuple(factor for factor in term.entries if factor[:2] != (name, indices))
                raised = power(value, int(exponent - lowest), self.rules)
                parts.append(times({Term(term.scalars, kept, term.sums): coefficient}, raised, self.rules))
            polynomial = plus(*parts)
        return polynomial

    def _collapsed(self, polynomial: Polynomial) -> Polynomial:
        """Return c where a polynomial is c·(a_1 + … + a_T), term by term, and the polynomial itself where it is not."""
        T, weights = self.size.T, self.setting.weights
        if T is None or len(polynomial) != T:
            return polynomial
        first = next(iter(polynomial))
        for name, indices, _ in first.entries:
            if name == weights:
                common = times({first: polynomial[first]}, entry(name, indices, Fraction(-1)), self.rules)
                row = [entry(name, (*indices[:-1], Index(str(n)))) for n in range(1, T + 1)]
                if times(common, plus(*row), self.rules) == polynomial:
                    return common
        return polynomial

    def _gradient(
        self, by: str, indices: tuple[Index, ...], env: Mapping[Index, Index], scope: tuple[Index, ...]
    ) -> Ratio:
        names = {"A": self.setting.weights, "E": self.setting.scores}
        if by not in names:
            return self._entry(f"dL/d{by}", tuple(env.get(at, at) for at in indices))
        return self.read(Partial(Symbol("L"), Entry(names[by], indices)), env, scope)

    def _sum(self, expression: Sum, env: Mapping[Index, Index], scope: tuple[Index, ...]) -> Ratio:
        index, body = expression.index, expression.body
        left_out = tuple(dict.fromkeys(env.get(at, at) for at in expression.unlike))
        count = self.size.of(index)
        if count is not None:
            places = [Index(str(n), index.over) for n in range(1, count + 1)]
            whole = self._add([self.read(body, {**env, index: at}, scope) for at in places if at not in left_out])
            return Ratio(self._collapsed(whole.over), whole.under)
        self.fresh += 1
        away = Index(f"~{self.fresh}", index.over)
        general = self.read(body, {**env, index: away}, (*scope, away))
        if mentions(general.under, away):
            raise OutsideClass("a denominator depends on the index of the sum around it")
        parts = [Ratio(sum_over(away, general.over, self.rules), general.under)]
        watched = watches(body)
        for block in (at for at in scope if at.over == index.over):
            if block in left_out:
                parts.append(self._negative(self._at(general, away, block)))
            elif watched:
                parts.append(self.read(body, {**env, index: block}, scope))
                parts.append(self._negative(self._at(general, away, block)))
        return self._add(parts)

    def _at(self, ratio: Ratio, old: Index, new: Index) -> Ratio:
        return Ratio(renamed_free(ratio.over, old, new, self.rules), ratio.under)

    # Arithmetic of quotients.

    def _add(self, parts: list[Ratio]) -> Ratio:
        total = Ratio({})
        for part in parts:
            if part.under == total.under:
                total = Ratio(plus(total.over, part.over), total.under)
            elif part.over:
                left = times(total.over, part.under, self.rules)
                right = times(part.over, total.under, self.rules)
                total = Ratio(plus(left, right), times(total.under, part.under, self.rules))
        return total

    def _negative(self, ratio: Ratio) -> Ratio:
        return Ratio({term: -coefficient for term, coefficient in ratio.over.items()}, ratio.under)

    def _multiply(self, left: Ratio, right: Ratio) -> Ratio:
        if left.over == right.under and left.over:
            return Ratio(right.over, left.under)
        return Ratio(times(left.over, right.over, self.rules), times(left.under, right.under, self.rules))

    def _inverse(self, ratio: Ratio) -> Ratio:
        if not self.settled(ratio.over):
            raise Vanishing("a denominator is 0")
        if len(ratio.over) == 1:
            [(term, coefficient)] = ratio.over.items()
            if not term.sums:
                return Ratio(times(ratio.under, _monomial_power(term, 1 / coefficient, Fraction(-1)), self.rules))
        return Ratio(ratio.under, ratio.over)

    def _raised(self, base: Ratio, exponent: Expression, env: Mapping[Index, Index], scope: tuple[Index, ...]) -> Ratio:
        value = self.read(exponent, env, scope)
        constant_part = value.over.get(Term(), Fraction(0))
        if value.under != ONE:
            raise OutsideClass("an exponent must be a number, or a combination of symbols")
        result = self._fractional(base, constant_part)
        for term, coefficient in value.over.items():
            if term == Term():
                continue
            if term.entries or term.sums or len(term.scalars) != 1 or term.scalars[0][1] != 1:
                raise OutsideClass("an exponent must be a number, or a combination of symbols")
            name = term.scalars[0][0]
            result = self._multiply(result, self._symbolic(base, name, coefficient))
        return result

    def _symbolic(self, base: Ratio, name: str, coefficient: Fraction) -> Ratio:
        """Return base^(coefficient·name) for a base that is one power of a scalar: d^α is a scalar of its own."""
        if base.under == ONE and len(base.over) == 1:
            [(term, c)] = base.over.items()
            if c > 0 and not term.entries and not term.sums:
                primes = [(f"{p}^{name}", n * coefficient) for p, n in prime_powers(c).items()]
                result = Ratio({Term(tuple(sorted(primes))): Fraction(1)})
                for scalar_name, e in term.scalars:
                    result = self._multiply(result, Ratio(scalar(f"{scalar_name}^{name}", e * coefficient)))
                return result
        raise OutsideClass("a symbol may be an exponent only of a positive number or symbol")

    def _fractional(self, base: Ratio, exponent: Fraction) -> Ratio:
        if abs(exponent) > LARGEST_POWER:
            raise OutsideClass(f"a power must lie between −{LARGEST_POWER} and {LARGEST_POWER}")
        if exponent.denominator == 1:
            if exponent < 0:
                base, exponent = self._inverse(base), -exponent
            return Ratio(*(power(part, int(exponent), self.rules) for part in base))
        return Ratio(*(self._rooted(part, exponent) for part in base))

    def _rooted(self, base: Polynomial, exponent: Fraction) -> Polynomial:
        if not base:
            return {}
        if len(base) > 1 or any(term.sums for term in base):
            raise OutsideClass("a root can be taken of a product of positive symbols only, not of a sum")
        [(term, coefficient)] = base.items()
        if any(name != self.setting.weights for name, _, _ in term.entries):
            raise OutsideClass("a root can be taken of positive symbols only")
        return times(_monomial_power(term, Fraction(1), exponent), number_power(coefficient, exponent), self.rules)

    def _exponential(self, inside: Ratio) -> Ratio:
        if inside.under != ONE:
            raise OutsideClass("an exponential is read only of sums of scores, constants and logarithms")
        result = Ratio(ONE)
        for term, c in inside.over.items():
            if not term.sums and not term.scalars and len(term.entries) == 1 and term.entries[0][2] == 1:
                name, indices, _ = term.entries[0]
                if name == "log a":
                    part = Ratio(entry(self.setting.weights, indices, c))
                elif name.startswith("log "):
                    part = Ratio(entry(name.removeprefix("log "), indices, c))
                else:
                    part = Ratio(entry(f"exp {name}", indices, c))
            elif not term.sums and not term.entries and len(term.scalars) == 1 and term.scalars[0][1] == 1:
                name = term.scalars[0][0]
                kernel = name.removeprefix("log ")
                if kernel.isdigit():
                    part = Ratio(number_power(Fraction(kernel), c))
                else:
                    part = Ratio(scalar(f"exp {name}" if kernel == name else kernel, c))
            else:
                raise OutsideClass("an exponential is read only of sums of scores, constants and logarithms")
            result = self._multiply(result, part)
        return result

    def _logarithm(self, inside: Ratio) -> Ratio:
        if len(inside.over) != 1 or len(inside.under) != 1:
            raise OutsideClass("a logarithm is read only of a product of positive symbols, not of a sum")
        parts: list[Ratio] = []
        for polynomial, sign in ((inside.over, 1), (inside.under, -1)):
            [(term, coefficient)] = polynomial.items()
            if term.sums or coefficient <= 0:
                raise OutsideClass("a logarithm is read only of a product of positive symbols, not of a sum")
            for name, indices, exponent in term.entries:
                if name == self.setting.weights:
                    log = self._log_weight(indices)
                else:
                    log = Ratio(entry(name[4:] if name.startswith("exp ") else f"log {name}", indices))
                parts.append(self._multiply(Ratio(constant(sign * exponent)), log))
            for name, exponent in term.scalars:
                log = Ratio(scalar(name[4:] if name.startswith("exp ") else f"log {name.removeprefix('√')}"))
                parts.append(self._multiply(Ratio(constant(sign * exponent)), log))
            for prime, count in prime_powers(coefficient).items():
                parts.append(Ratio({Term(((f"log {prime}", Fraction(1)),)): Fraction(sign * count)}))
        return self._add(parts)


def watches(body: Expression) -> bool:
    """Say whether an expression can tell that two indices agree: by a delta, a condition, a derivative, an average."""
    return any(
        isinstance(part, Delta | Partial | Gradient | Mean | Variance) or (isinstance(part, Sum) and part.unlike)
        for part in walk(body)
    )


def _monomial_power(term: Term, coefficient: Fraction, exponent: Fraction) -> Polynomial:
    scalars = tuple((name, e * exponent) for name, e in term.scalars)
    entries = tuple((name, indices, e * exponent) for name, indices, e in term.entries)
    return {Term(scalars, entries): coefficient}
