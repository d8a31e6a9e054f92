"""From the tree of a claim to a quotient of polynomials: what E, Var, dot products, norms and sums over indices mean.

Raises OutsideClass, naming the part, for what has no meaning here; the value is exact at every width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from symbolic.averages.arrays import Value
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.deltas import settled
from symbolic.averages.laws import chance_of
from symbolic.averages.letters import WRITTEN_OUT, Letters
from symbolic.averages.quotients import Field, Quotient, as_number, is_constant, quotient
from symbolic.averages.random_polynomials import Chance, average
from symbolic.averages.roles import Roles, base_name
from symbolic.averages.writing import plain
from symbolic.expressions import Index, OutsideClass
from symbolic.polynomial import (
    ONE,
    Polynomial,
    Rules,
    Term,
    constant,
    entry,
    mentions,
    minus,
    prime_powers,
    renamed_free,
    scalar,
    sum_over,
)
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Divided,
    Indexed,
    Inner,
    Iverson,
    Listed,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Number,
    Raised,
    Related,
    Root,
    Transposed,
    walk,
)

__all__ = ["Meaning", "make"]

EXPLICIT_LIMIT = 64


@dataclass(slots=True, kw_only=True)
class Meaning(Letters):
    """A claim's letters under one level of assumption; `of` gives a tree its value."""

    chance: Chance

    def number(self, node: Node) -> Quotient:
        """Return the value of a tree that is a number."""
        found = self.of(node)
        if found.axes:
            raise OutsideClass(f"a vector or a matrix stands where a number is expected (at {node.at})")
        return found.value

    def of(self, node: Node) -> Value:
        """Return the value of a tree."""
        match node:
            case Number():
                return Value(quotient(node.value))
            case Name():
                return self._name(node)
            case Negated():
                return self._scaled(self.of(node.of), quotient(-1))
            case Added():
                return self._added(node)
            case Multiplied():
                return self._multiplied(node)
            case Divided():
                over, under = self.of(node.over), self.number(node.under)
                return self._scaled(over, self.numbers.divide(quotient(1), under))
            case Raised() | Root() | Normed():
                return self._powered(node, Fraction(1))
            case Transposed():
                return self._transposed(self.of(node.of))
            case Called():
                return self._called(node)
            case Inner():
                return self._dot(self.of(node.left), self.of(node.right))
            case Indexed():
                return self._indexed(node)
            case Big():
                return Value(self._big(node))
            case Iverson():
                return Value(self._iverson(node.condition))
            case Absolute():
                inside = self.of(node.of)
                if inside.axes:
                    return Value(self.numbers.power(self._dot(inside, inside).value, Fraction(1, 2)))
                number = as_number(inside.value)
                if number is not None:
                    return Value(quotient(abs(number)))
                if any(name in self.chance.names for term in inside.value.over for name in names_in(term)):
                    raise OutsideClass(
                        f"an absolute value is read where it is a norm or has an even power (at {node.at})"
                    )
                return Value(self.numbers.power(self.numbers.multiply(inside.value, inside.value), Fraction(1, 2)))
            case Listed():
                raise OutsideClass(f"a list of numbers is not read inside a formula (at {node.at})")
        raise OutsideClass(f"this part has no meaning in a claim about moments (at {node.at})")

    # arithmetic of vectors and matrices

    def _added(self, node: Added) -> Value:
        dots = [i for i, term in enumerate(node.terms) if isinstance(term, Name) and term.letter in ("…", "⋯", "...")]
        if dots:
            return Value(self._ellipsis(node, dots[0]))
        total = self.of(node.terms[0])
        for term in node.terms[1:]:
            value = self.of(term)
            if len(value.axes) != len(total.axes):
                raise OutsideClass(f"a number and a vector, or a vector and a matrix, are added (at {term.at})")
            total = replace(total, value=self.numbers.add(total.value, self.moved(value, total.axes).value))
        return total

    def _ellipsis(self, node: Added, place: int) -> Quotient:
        first, last = node.terms[0], node.terms[-1]
        if place != len(node.terms) - 2 or not isinstance(last, Name) or not isinstance(first, Name):
            raise OutsideClass(f"… is read in sums such as X_1 + … + X_n (at {node.at})")
        over = self._range(last.subscripts[0])
        index = Index("i~", over)
        name = base_name(last)
        if name not in self.roles.vectors:
            raise OutsideClass(f"… is read in sums such as X_1 + … + X_n (at {node.at})")
        return quotient(sum_over(index, self._coordinate(name, index).over, self.numbers.rules))

    def _multiplied(self, node: Multiplied) -> Value:
        total = self.of(node.factors[0])
        for sign, factor in zip(node.signs, node.factors[1:], strict=True):
            total = self._product(total, self.of(factor), sign, factor.at)
        return total

    def _indexed(self, node: Indexed) -> Value:
        inner = node.of
        if len(node.indices) == 2 and isinstance(inner, Multiplied) and len(inner.factors) == 2:
            left, right = inner.factors
            if isinstance(right, Transposed):
                values = self.of(left), self.of(right.of)
                if all(len(v.axes) == 1 for v in values):  # rows i and j of the queries and keys: a score
                    return self._dot(*values)
        value = self.of(inner)
        if len(value.axes) != len(node.indices):
            raise OutsideClass(f"the number of indices is not that of the axes (at {node.at})")
        moved = self.moved(value, tuple(self._index(at) for at in node.indices))
        return Value(moved.value)

    # powers

    def _powered(self, node: Node, exponent: Fraction) -> Value:
        """Return node^exponent; a root of a power, and a power of a root, are one power."""
        if isinstance(node, Raised):
            inner = self.number(node.exponent)
            number = as_number(inner)
            if number is None:
                if exponent != 1:
                    raise OutsideClass(f"a power of a power with a letter is not read (at {node.at})")
                return Value(self._letter_power(self.number(node.base), inner, node.at))
            if isinstance(node.base, Absolute) and (number * exponent) % 2 == 0:
                inside = self.of(node.base.of)
                if inside.axes:  # a norm
                    return Value(self.numbers.power(self._dot(inside, inside).value, number * exponent / 2))
                return self._powered_value(inside, number * exponent, node.at)
            if number % 2 == 0 and exponent.denominator % 2 == 0:
                return self._powered_value(Value(self.numbers.power(self.number(node.base), number)), exponent, node.at)
            return self._powered(node.base, number * exponent)
        if isinstance(node, Root):
            degree = as_number(self.number(node.degree)) if node.degree else Fraction(2)
            if not degree:
                raise OutsideClass(f"the degree of a root is a number other than 0 (at {node.at})")
            return self._powered(node.of, exponent / degree)
        if isinstance(node, Normed):
            inside = self.of(node.of)
            if node.kind not in ("", "2", "F", "Frobenius"):
                raise OutsideClass(
                    f"the norm of index {node.kind} is not read: only ‖·‖, ‖·‖₂ and ‖·‖_F (at {node.at})"
                )
            return Value(self.numbers.power(self._square_norm(inside), exponent / 2))
        if isinstance(node, Called) and node.function in ("Std", "SD", "std"):
            variance = self._variance(node, node.arguments[0], node.arguments[0])
            return Value(self.numbers.power(variance, exponent / 2))
        return self._powered_value(self.of(node), exponent, node.at)

    def _letter_power(self, base: Quotient, exponent: Quotient, at: int) -> Quotient:
        """Return base^(c + c_1 p + …): the power c, and a scalar base^p for each letter p."""
        if not is_constant(exponent.under) or len(base.over) != 1 or len(base.under) != 1:
            raise OutsideClass(f"a power with a letter is read of a number or a letter (at {at})")
        result = quotient(1)
        ((over, c),), ((under, b),) = base.over.items(), base.under.items()
        if c / b < 0 or over.entries or over.sums or under.entries or under.sums:
            raise OutsideClass(f"a power with a letter is read of a positive number or a letter (at {at})")
        parts = [(name, e) for name, e in over.scalars] + [(name, -e) for name, e in under.scalars]
        parts += [(str(prime), Fraction(e)) for prime, e in prime_powers(c / b).items()]
        for term, factor in exponent.over.items():
            factor /= next(iter(exponent.under.values()))
            if term.entries or term.sums:
                raise OutsideClass(f"this exponent is not read (at {at})")
            for name, e in parts:
                if not term.scalars:
                    piece = quotient(Fraction(int(name))) if name.isdigit() else quotient(scalar(name))
                    result = self.numbers.multiply(result, self.numbers.power(piece, e * factor))
                else:
                    letter = f"{name}^{plain({term: Fraction(1)})}"
                    result = self.numbers.multiply(result, quotient(scalar(letter, e * factor)))
        return result

    # functions and sums

    def _called(self, node: Called) -> Value:
        name, arguments = node.function, node.arguments
        if name == "E" and len(arguments) == 1:
            inside = self.of(arguments[0])
            return replace(inside, value=self._mean(node, inside.value))
        if name in ("Var", "var") and len(arguments) == 1:
            return Value(self._variance(node, arguments[0], arguments[0]))
        if name in ("Cov", "cov") and len(arguments) == 2:
            return Value(self._variance(node, *arguments))
        if name in ("Std", "SD", "std") and len(arguments) == 1:
            return self._powered(node, Fraction(1))
        if name == "Corr" and len(arguments) == 2:
            spread = [self._variance(node, each, each) for each in arguments]
            under = self.numbers.power(self.numbers.multiply(*spread), Fraction(1, 2))
            return Value(self.numbers.divide(self._variance(node, *arguments), under))
        if name in ("tr", "trace", "Tr") and len(arguments) == 1:
            value = self.of(arguments[0])
            if not value.axes:
                return value
            if len(value.axes) != 2:
                raise OutsideClass(f"a trace is of a matrix (at {node.at})")
            over = self._diagonal(value).over
            return Value(Quotient(self._summed(value.axes[0], over), value.value.under))
        if name == "diag" and len(arguments) == 1:
            value = self.of(arguments[0])
            if len(value.axes) == 2:
                return Value(self._diagonal(value), value.axes[:1])
        if name == "cos" and len(arguments) == 2:
            left, right = (self.of(each) for each in arguments)
            norms = self.numbers.multiply(self._norm(left), self._norm(right))
            return Value(self.numbers.divide(self._dot(left, right).value, norms))
        if name == "sum" and len(arguments) == 1:
            value = self.of(arguments[0])
            over = value.value.over
            for axis in value.axes:
                over = self._summed(axis, over)
            return Value(Quotient(over, value.value.under))
        if name in ("Abs", "abs") and len(arguments) == 1:
            return self.of(Absolute(arguments[0], node.at))
        raise OutsideClass(f"{name} has no meaning in a claim about moments (at {node.at})")

    def _mean(self, node: Called, value: Quotient) -> Quotient:
        only = None
        if node.given:
            if self.assumptions.rho:
                raise OutsideClass("E[X | Y] is read of independent variables, without --rho")
            held = {
                self.same.get(base_name(n), base_name(n)) for g in node.given for n in walk(g) if isinstance(n, Name)
            }
            if not held <= self.roles.vectors and self.assumptions.independent is not True:
                raise OutsideClass("E[X | Y] is read of independent variables; say so with --independent")
            only = self.chance.names - held
        return average(value, self.chance, self.numbers, only)

    def _variance(self, node: Called, left: Node, right: Node) -> Quotient:
        a, b = self.number(left), self.number(right)
        product = self._mean(node, self.numbers.multiply(a, b))
        means = self.numbers.multiply(self._mean(node, a), self._mean(node, b))
        return self.numbers.subtract(product, means)

    def _big(self, node: Big) -> Quotient:
        if node.kind != "sum":
            return self._explicit(node)
        upper = None if node.upper is None else as_number(self.number(node.upper))
        low = Fraction(1) if node.lower is None else as_number(self.number(node.lower))
        if upper is not None and (upper <= WRITTEN_OUT or low != 1 or node.conditions):
            return self._explicit(node)
        if node.lower is not None and as_number(self.number(node.lower)) != 1:
            raise OutsideClass(f"a sum over indices runs from 1 (at {node.at})")
        over = self.roles.width if node.upper is None else self._range(node.upper)
        outer = dict(self.bound)
        if node.conditions and any(letter.letter in outer for letter in node.indices):
            raise OutsideClass(f"two sums under i < j are read as one, \\sum_{{i < j}} (at {node.at})")
        indices = [Index(letter.letter, over) for letter in node.indices]
        self.bound.update((at.name, over) for at in indices)
        body = self.number(node.body)
        if any(mentions(body.under, at) for at in indices):
            raise OutsideClass(f"a sum over an index of a quotient with that index below is not read (at {node.at})")
        value = self._conditioned(body.over, node.conditions, indices)
        for at in indices:
            value = self._summed(at, value)
        self.bound = outer
        return Quotient(value, body.under)

    def _conditioned(self, body: Polynomial, conditions: tuple[Related, ...], indices: list[Index]) -> Polynomial:
        """Return a body whose sum is the sum under the conditions; what is left out stands with a delta."""
        for condition in conditions:
            if len(condition.parts) != 2 or condition.relations[0] not in ("≠", "<", ">"):
                raise OutsideClass(f"a sum is read under conditions i ≠ j and i < j (at {condition.at})")
            left, right = (self._index(part) for part in condition.parts)
            if condition.relations[0] != "≠" and len(conditions) > 1:
                raise OutsideClass(f"a sum over i < j is read under no other condition (at {condition.at})")
            rules = self.numbers.rules
            delta = entry("δ", (left, right))
            body = minus(body, self.numbers.product(body, delta))
            if condition.relations[0] != "≠":
                aside = Index("swap~", left.over)
                swapped = renamed_free(
                    renamed_free(renamed_free(body, left, aside, rules), right, left, rules), aside, right, rules
                )
                if settled(swapped, rules) != settled(body, rules) or not {left, right} <= set(indices):
                    raise OutsideClass(
                        f"a sum over i < j is read of what is the same for (i, j) and (j, i) (at {condition.at})"
                    )
                body = self.numbers.product(body, constant(Fraction(1, 2)))
        return body

    def _explicit(self, node: Big) -> Quotient:
        """Write out a sum or a product with limits that are numbers."""
        if node.lower is None or node.upper is None or len(node.indices) != 1 or node.conditions:
            raise OutsideClass(f"a product is read with limits that are numbers (at {node.at})")
        low, high = (as_number(self.number(each)) for each in (node.lower, node.upper))
        if low is None or high is None or low.denominator != 1 or high.denominator != 1 or high - low >= EXPLICIT_LIMIT:
            raise OutsideClass(f"limits must be whole numbers, at most {EXPLICIT_LIMIT} apart (at {node.at})")
        letter = node.indices[0].letter
        total = quotient(0 if node.kind == "sum" else 1)
        outer = dict(self.same)
        for value in range(int(low), int(high) + 1):
            self.same = {**outer, "=" + letter: str(value)}
            body = self.number(node.body)
            total = (self.numbers.add if node.kind == "sum" else self.numbers.multiply)(total, body)
        self.same = outer
        return total


def names_in(term: Term) -> list[str]:
    """Return the letters of a term."""
    entries = (factor for part in (term.entries, *term.sums) for factor in part)
    return [*(name for name, _ in term.scalars), *(name for name, _, _ in entries)]


def make(
    roles: Roles,
    assumptions: Assumptions,
    level: str,
    definitions: Mapping[str, Node] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> Meaning:
    """Return the meaning of a claim's letters at a level; `aliases` puts one index in the place of another."""
    same = dict(aliases or {})
    if assumptions.query.strip() == "same":
        kept, gone = roles.pair
        same[gone] = kept
        roles = replace(roles, random=roles.random - {gone})
    chance = chance_of(level, assumptions, roles)
    signs = frozenset(
        n for n in (roles.vectors & roles.random) - set(chance.covariances)
        if (assumptions.law_text(n) or level).strip().lower() in ("signs", "sign", "rademacher")
        and chance.joint(((n, 1),)) == {} and chance.joint(((n, 2),)) == ONE
    )  # fmt: skip
    numbers = Field(Rules({}, signs))
    return Meaning(
        numbers=numbers,
        width=roles.width,
        roles=roles,
        assumptions=assumptions,
        chance=chance,
        definitions=definitions or {},
        same=same,
    )
