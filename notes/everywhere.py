"""E[e^m] at every width, by routes that share no code: set partitions, and certificates that the kernel accepts."""

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from exact import pairing
from exact.coordinates import sign
from exact.kernel import MAX_ORDER, MomentFromTerms, Theorem, check
from exact.moments import coincidence_patterns, count_patterns, moment_polynomial
from exact.polynomials import Polynomial, coefficients
from exact.terms import Independent, Pair, term_moments
from notes.routes import Disagrees

__all__ = ["Everywhere", "prove_everywhere"]

COUNTED_ORDERS = 15
LAW_ORDERS = 12


@dataclass(frozen=True, slots=True)
class Everywhere:
    """A polynomial in d by set partitions, and the theorems that say the same of it."""

    order: int
    polynomial: Polynomial
    patterns: int
    theorems: tuple[Theorem, ...]


def prove_everywhere(pair: Pair, order: int) -> Everywhere:
    """Work the polynomial out by set partitions, and have the kernel conclude it again.

    Signs: by counting the cube at order + 1 widths, up to order 15, and by the pairing of each character, up to 40.
    Any other law: from its exact mixed moments, up to order 12.  `Disagrees` if two routes differ.
    """
    polynomial = moment_polynomial(pair, order)
    certificates: list[object] = []
    if pair == Independent(sign(), sign()):
        certificates = [pairing.interpolation(order)] if order <= COUNTED_ORDERS else []
        certificates += [pairing.moment_everywhere(order)] if order <= MAX_ORDER else []
    elif order <= LAW_ORDERS:
        term = term_moments(pair, order)
        patterns = [p.sizes for p in coincidence_patterns(order)]
        certificates = [MomentFromTerms(order, tuple((a, Fraction(prod(term[n] for n in a))) for a in patterns))]
    theorems = tuple(check(certificate) for certificate in certificates)
    expected = tuple((c, Fraction(n)) for n, c in enumerate(coefficients(polynomial)) if c)
    for theorem in theorems:
        if theorem.statement.value != expected:
            raise Disagrees(f"set partitions and the kernel differ: {theorem}")
    return Everywhere(order, polynomial, count_patterns(order), theorems)
