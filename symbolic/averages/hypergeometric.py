"""Products of factorials, powers with letters above, and rational functions, in a normal form that decides equality.

A term is a rational function times factorials (n)!, (2n)!, (n − k)! … of linear forms without a constant, times powers
such as 2^n.  A shift is absorbed: (n + 1)! = (n + 1)·n!, 2^(n+1) = 2·2^n.  Terms of different factorials and powers are
linearly independent over rational functions, so that two sums of terms are equal exactly when their forms are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from symbolic.averages.quotients import Field, Quotient, as_number, is_constant, quotient
from symbolic.averages.roles import spelled
from symbolic.averages.writing import plain
from symbolic.expressions import OutsideClass
from symbolic.polynomial import Polynomial, Term, constant, plus, prime_powers, scalar
from symbolic.reading.surface import (
    Absolute,
    Added,
    Called,
    Divided,
    Iverson,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Raised,
    Root,
)

__all__ = ["Form", "Reader", "Sum", "difference", "linear", "powers_of", "sign_sum_length", "times_forms"]

SHIFT_LIMIT = 60
Form: TypeAlias = tuple[tuple[str, Fraction], ...]  # a linear form without its constant: ((letter, coefficient), …)
Key: TypeAlias = tuple[tuple[tuple[Form, int], ...], tuple[tuple[str, Form], ...]]
Sum: TypeAlias = dict[Key, Quotient]
BARE: Key = ((), ())


def linear(value: Quotient) -> tuple[Form, Fraction]:
    """Return a value as a linear form and its constant; OutsideClass where it is none."""
    if not is_constant(value.under):
        raise OutsideClass("a linear expression such as 2n + 1 is expected in a factorial, a binomial or an exponent")
    c = value.under[Term()]
    form: dict[str, Fraction] = {}
    rest = Fraction(0)
    for term, coefficient in value.over.items():
        if term == Term():
            rest = coefficient / c
        elif len(term.scalars) == 1 and term.scalars[0][1] == 1 and not term.sums and not term.entries:
            form[term.scalars[0][0]] = coefficient / c
        else:
            raise OutsideClass(
                "a linear expression such as 2n + 1 is expected in a factorial, a binomial or an exponent"
            )
    return tuple(sorted(form.items())), rest


def _polynomial(form: Form, shift: Fraction) -> Polynomial:
    return plus(constant(shift), *({Term(((n, Fraction(1)),)): c} for n, c in form))


def difference(left: Sum, right: Sum, numbers: Field) -> Sum:
    """Return left − right without terms that are 0."""
    found = dict(left)
    for key, value in right.items():
        found[key] = numbers.subtract(found.get(key, quotient(0)), value)
    return {key: value for key, value in found.items() if value.over}


def times_forms(left: Sum, right: Sum, numbers: Field) -> Sum:
    """Multiply two sums of terms."""
    found: Sum = {}
    for (factorials, powers), a in left.items():
        for (more, others), b in right.items():
            merged: dict[Form, int] = dict(factorials)
            for form, e in more:
                merged[form] = merged.get(form, 0) + e
            bases: dict[str, dict[str, Fraction]] = {base: dict(form) for base, form in powers}
            for base, form in others:
                for letter, c in form:
                    here = bases.setdefault(base, {})
                    here[letter] = here.get(letter, Fraction(0)) + c
            key = (
                tuple(sorted((form, e) for form, e in merged.items() if e)),
                tuple(sorted((base, clean) for base, form in bases.items() if (clean := _clean(base, form)))),
            )
            found[key] = numbers.add(found.get(key, quotient(0)), numbers.multiply(a, b))
    return {key: value for key, value in found.items() if value.over}


def _clean(base: str, form: Mapping[str, Fraction]) -> Form:
    if base == "-1":
        form = {letter: c % 2 for letter, c in form.items()}
    return tuple(sorted((letter, c) for letter, c in form.items() if c))


def powers_of(key: Key) -> dict[str, Form]:
    """Return the powers of a term: base → exponent."""
    return dict(key[1])


@dataclass(slots=True)
class Reader:
    """Reads a tree as a sum of terms; `places` puts values for letters, `absolute` reads E|S_m|."""

    numbers: Field = field(default_factory=Field)
    places: Mapping[str, Quotient] = field(default_factory=dict)
    bases: dict[str, Quotient] = field(default_factory=dict)

    def of(self, node: Node) -> Sum:
        """Return a tree as a sum of terms; OutsideClass where it is none."""
        match node:
            case Number():
                return self._plain(quotient(node.value))
            case Name():
                name = spelled(node)
                return self._plain(self.places.get(name, quotient(scalar(name))))
            case Negated():
                return self.times(self.of(node.of), self._plain(quotient(-1)))
            case Added():
                total: Sum = {}
                for term in node.terms:
                    total = difference(total, self.times(self.of(term), self._plain(quotient(-1))), self.numbers)
                return total
            case Multiplied():
                result = self._plain(quotient(1))
                for factor in node.factors:
                    result = self.times(result, self.of(factor))
                return result
            case Divided():
                return self.times(self.of(node.over), self._inverse(self.of(node.under), node.at))
            case Raised():
                return self._raised(node)
            case Called():
                return self._called(node)
            case Iverson():
                return self._plain(quotient(1))  # a condition such as "n + k even" is the domain of the claim
            case Root():
                value = self._value(node.of)
                return self._plain(self.numbers.power(value, Fraction(1, 2)))
            case Absolute():
                raise OutsideClass(f"an absolute value is not read here (at {node.at})")
        raise OutsideClass(f"this part is not read in a claim about binomials (at {node.at})")

    def times(self, left: Sum, right: Sum) -> Sum:
        """Multiply two sums of terms."""
        return times_forms(left, right, self.numbers)

    def _plain(self, value: Quotient) -> Sum:
        return {BARE: value} if value.over else {}

    def _value(self, node: Node) -> Quotient:
        found = self.of(node)
        if set(found) - {BARE}:
            raise OutsideClass(f"a rational function is expected (at {node.at})")
        return found.get(BARE, quotient(0))

    def _inverse(self, value: Sum, at: int) -> Sum:
        if not value:
            raise ZeroDivisionError
        if len(value) != 1:
            raise OutsideClass(f"a division by a sum of different factorials or powers is not read (at {at})")
        (((factorials, powers), c),) = value.items()
        turned = (
            tuple((form, -e) for form, e in factorials),
            tuple((base, _clean(base, {letter: -x for letter, x in form})) for base, form in powers),
        )
        return {turned: self.numbers.divide(quotient(1), c)}

    def _raised(self, node: Raised) -> Sum:
        exponent = self._value(node.exponent)
        number = as_number(exponent)
        if number is not None and number.denominator == 1 and abs(number) <= 24:
            base = self.of(node.base)
            result = self._plain(quotient(1))
            for _ in range(abs(int(number))):
                result = self.times(result, base)
            return self._inverse(result, node.at) if number < 0 else result
        if number is not None:
            return self._plain(self.numbers.power(self._value(node.base), number))
        form, shift = linear(exponent)
        base = self.of(node.base)
        if len(base) == 1 and set(base) != {BARE} and all(c.denominator == 1 for _, c in form):
            raise OutsideClass(f"a power of a factorial or of a power, with a letter above, is not read (at {node.at})")
        return self.letter_power(self._value(node.base), form, shift)

    def letter_power(self, base: Quotient, form: Form, shift: Fraction) -> Sum:
        """Return base^(form + shift)."""
        if not base.over:
            raise OutsideClass("a power of 0 with a letter above is 0 or 1 and is not read")
        number = as_number(base)
        result = self._plain(self.numbers.power(base, shift))
        if number is not None:
            parts = [(str(p), Fraction(e)) for p, e in prime_powers(abs(number)).items()] if abs(number) != 1 else []
            parts += [("-1", Fraction(1))] if number < 0 else []
        else:
            name = f"⟨{plain(base.over)}/{plain(base.under)}⟩"
            self.bases[name] = base
            parts = [(name, Fraction(1))]
        for name, e in parts:
            exponent = _clean(name, {letter: c * e for letter, c in form})
            key: Key = ((), ((name, exponent),) if exponent else ())
            result = self.times(result, {key: quotient(1)})
        return result

    def factorial(self, value: Quotient) -> Sum:
        """Return (form + shift)! as (form)! times what lies between."""
        form, shift = linear(value)
        if not form:
            if shift.denominator != 1 or not 0 <= shift <= 500:
                raise OutsideClass("a factorial is of a whole number from 0 to 500")
            product = 1
            for i in range(2, int(shift) + 1):
                product *= i
            return self._plain(quotient(product))
        whole = shift.numerator // shift.denominator
        rest = shift - whole
        if abs(whole) > SHIFT_LIMIT:
            raise OutsideClass(f"a shift in a factorial is at most {SHIFT_LIMIT}")
        between = quotient(1)
        for i in range(1, whole + 1):
            between = self.numbers.multiply(between, Quotient(_polynomial(form, rest + i)))
        for i in range(whole + 1, 1):
            between = self.numbers.divide(between, Quotient(_polynomial(form, rest + i)))
        if rest:
            form = tuple(sorted((*form, ("1", rest))))
        return {(((form, 1),), ()): between}

    def binomial(self, top: Quotient, bottom: Quotient) -> Sum:
        """Return C(top, bottom) = top!/(bottom! (top − bottom)!)."""
        number = as_number(bottom)
        if number is not None and number.denominator == 1 and 0 <= number <= 30:
            result = quotient(1)  # a polynomial in top
            for i in range(int(number)):
                step = self.numbers.subtract(top, quotient(i))
                result = self.numbers.divide(self.numbers.multiply(result, step), quotient(i + 1))
            return self._plain(result)
        under = self.times(self.factorial(bottom), self.factorial(self.numbers.subtract(top, bottom)))
        return self.times(self.factorial(top), self._inverse(under, 0))

    def _called(self, node: Called) -> Sum:
        if node.function in ("binomial", "binom", "C") and len(node.arguments) == 2:
            return self.binomial(*(self._value(each) for each in node.arguments))
        if node.function == "factorial" and len(node.arguments) == 1:
            return self.factorial(self._value(node.arguments[0]))
        if node.function == "floor" and len(node.arguments) == 1:
            return self._plain(self.floor(self._value(node.arguments[0])))
        if node.function == "E" and len(node.arguments) == 1:
            count = sign_sum_length(node.arguments[0])
            if count is not None:
                return self.absolute_mean(self._value(count))
        raise OutsideClass(f"{node.function} is not read in a claim about binomials (at {node.at})")

    def floor(self, value: Quotient) -> Quotient:
        """Return the whole part; its letters must have whole coefficients."""
        form, shift = linear(value)
        if any(c.denominator != 1 for _, c in form):
            raise OutsideClass("whole part: the parity decides")
        return Quotient(_polynomial(form, Fraction(shift.numerator // shift.denominator)))

    def absolute_mean(self, length: Quotient) -> Sum:
        """Return E|S_m| for m fair signs: m·C(m − 1, ⌊(m − 1)/2⌋)/2^(m − 1)."""
        less = self.numbers.subtract(length, quotient(1))
        half = self.floor(self.numbers.divide(less, quotient(2)))
        form, shift = linear(less)
        halves = self._inverse(self.letter_power(quotient(2), form, shift), 0)
        number = as_number(less)
        if number is not None:
            from exact.moments import absolute_mean

            return self._plain(quotient(absolute_mean(int(number) + 1)))
        return self.times(self.times(self._plain(length), self.binomial(less, half)), halves)


def sign_sum_length(node: Node) -> Node | None:
    """Return m where a tree is |S_m|, or |q·k| with the width d; None for anything else."""
    if isinstance(node, Absolute):
        inner = node.of
        if isinstance(inner, Name) and inner.letter == "S" and len(inner.subscripts) == 1:
            return inner.subscripts[0]
        if isinstance(inner, Name) and inner.letter == "e" and not inner.subscripts:
            return Name("d")
        if isinstance(inner, Multiplied) and len(inner.factors) == 2 and inner.signs[0] in ("·", "@"):
            return None if inner.factors[0] == inner.factors[1] else Name("d")
    return None
