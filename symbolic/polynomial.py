"""Polynomials in entries, scalars and sums over positions, kept in one canonical form.

A term is a rational coefficient times scalars (T, d, Z, …), times entries with free indices (a_j, G_ij), times sums.
A sum is a product of entries whose bound indices hang together, such as Σ_l a_l G_l; two sums that share no bound
index are two factors.  Bound indices are named #0, #1, … in the order that makes the product smallest, so that two sums
that differ by a renaming are the same object.  A polynomial is a dictionary from terms to coefficients without zeros.

Standard library only; normal_form says what this decides and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod
from typing import NamedTuple, TypeAlias

from symbolic.expressions import Index, OutsideClass

__all__ = [
    "ONE",
    "Polynomial",
    "Rules",
    "Term",
    "assembled",
    "constant",
    "entry",
    "mentions",
    "minus",
    "plus",
    "power",
    "renamed_free",
    "scalar",
    "sum_over",
    "times",
]

Factor: TypeAlias = tuple[str, tuple[Index, ...], Fraction]
Factors: TypeAlias = dict[tuple[str, tuple[Index, ...]], Fraction]
Scalars: TypeAlias = tuple[tuple[str, Fraction], ...]

MOST_TERMS = 5_000
MOST_RELABELLINGS = 5_040


class Term(NamedTuple):
    """A product of scalars, of entries with free indices, and of sums; all sorted."""

    scalars: Scalars = ()
    entries: tuple[Factor, ...] = ()
    sums: tuple[tuple[Factor, ...], ...] = ()


Polynomial: TypeAlias = dict[Term, Fraction]
ONE: Polynomial = {Term(): Fraction(1)}


class Rules(NamedTuple):
    """Facts about rows that are used while summing: what a row adds to ("" for 1), and which rows hold signs."""

    totals: Mapping[str, str]
    signs: frozenset[str] = frozenset()


def constant(value: Fraction) -> Polynomial:
    """Return a constant polynomial."""
    return {Term(): value} if value else {}


def scalar(name: str, exponent: Fraction = Fraction(1)) -> Polynomial:
    """Return a power of a scalar."""
    return {Term(((name, exponent),)): Fraction(1)}


def entry(name: str, indices: tuple[Index, ...], exponent: Fraction = Fraction(1)) -> Polynomial:
    """Return a power of one entry; an entry without indices is a scalar."""
    if not indices:
        return scalar(name, exponent)
    return {Term((), ((name, indices, exponent),)): Fraction(1)}


def _checked(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MOST_TERMS:
        raise OutsideClass(f"the expression expands to more than {MOST_TERMS} terms")
    return polynomial


def plus(*polynomials: Polynomial) -> Polynomial:
    """Add polynomials."""
    total: Polynomial = {}
    for polynomial in polynomials:
        for term, coefficient in polynomial.items():
            total[term] = total.get(term, Fraction(0)) + coefficient
    return _checked({term: coefficient for term, coefficient in total.items() if coefficient})


def minus(left: Polynomial, right: Polynomial) -> Polynomial:
    """Subtract one polynomial from another."""
    return plus(left, {term: -coefficient for term, coefficient in right.items()})


def _merged_scalars(*lists: Scalars) -> Scalars:
    merged: dict[str, Fraction] = {}
    for pairs in lists:
        for name, exponent in pairs:
            merged[name] = merged.get(name, Fraction(0)) + exponent
    return tuple(sorted((name, exponent) for name, exponent in merged.items() if exponent))


def _gathered(factors: Iterable[Factor], rules: Rules) -> Factors:
    gathered: Factors = {}
    for name, indices, exponent in factors:
        gathered[name, indices] = gathered.get((name, indices), Fraction(0)) + exponent
    for (name, indices), exponent in gathered.items():
        if name in rules.signs:
            gathered[name, indices] = exponent % 2
    return {key: exponent for key, exponent in gathered.items() if exponent}


def _listed(factors: Factors) -> tuple[Factor, ...]:
    return tuple(sorted((name, indices, exponent) for (name, indices), exponent in factors.items()))


def times(left: Polynomial, right: Polynomial, rules: Rules) -> Polynomial:
    """Multiply two polynomials; sums stay apart, since their bound indices are their own."""
    result: Polynomial = {}
    for (scalars, entries, sums), a in left.items():
        for (more_scalars, more_entries, more_sums), b in right.items():
            term = Term(
                _merged_scalars(scalars, more_scalars) if more_scalars else scalars,
                _listed(_gathered((*entries, *more_entries), rules)) if more_entries else entries,
                tuple(sorted((*sums, *more_sums))) if more_sums else sums,
            )
            result[term] = result.get(term, Fraction(0)) + a * b
        _checked(result)
    if any(name[0] == "√" for term in result for name, _ in term.scalars):
        result = _without_whole_surds(result)
    return {term: coefficient for term, coefficient in result.items() if coefficient}


def _without_whole_surds(polynomial: Polynomial) -> Polynomial:
    """Bring the power of each root of a prime (written √p, standing for p) into [0, 1)."""
    result: Polynomial = {}
    for term, coefficient in polynomial.items():
        scalars: list[tuple[str, Fraction]] = []
        for name, exponent in term.scalars:
            whole = 0
            if name[0] == "√":
                whole, exponent = divmod(exponent, 1)
                coefficient *= Fraction(int(name[1:])) ** whole
            scalars.append((name, exponent))
        changed = term._replace(scalars=_merged_scalars(tuple(scalars)))
        result[changed] = result.get(changed, Fraction(0)) + coefficient
    return result


def power(base: Polynomial, exponent: int, rules: Rules) -> Polynomial:
    """Raise a polynomial to a whole power of at least 0."""
    result = ONE
    for _ in range(exponent):
        result = times(result, base, rules)
    return result


def mentions(polynomial: Polynomial, index: Index) -> bool:
    """Say whether a free index occurs in a polynomial."""
    return any(
        index in indices for term in polynomial for factors in (term.entries, *term.sums) for _, indices, _ in factors
    )


def sum_over(index: Index, polynomial: Polynomial, rules: Rules) -> Polynomial:
    """Sum a polynomial over all values of a free index, which becomes bound."""
    return _rewritten(polynomial, rules, index, None)


def renamed_free(polynomial: Polynomial, old: Index, new: Index, rules: Rules) -> Polynomial:
    """Put one free index in the place of another."""
    return _rewritten(polynomial, rules, old, new)


def _rewritten(polynomial: Polynomial, rules: Rules, index: Index, new: Index | None) -> Polynomial:
    """Bind an index (new is None) or rename it, term by term; only what mentions it is touched."""
    result: Polynomial = {}
    for term, coefficient in polynomial.items():
        touched = [part for part in term.sums if _touches(part, index)]
        loose = [part for part in term.entries if index in part[1]]
        target = new or Index("#new", index.over)
        bound = {target} if new is None else set()
        factors: list[Factor] = [_moved(part, {index: target}) for part in loose]
        for number, part in enumerate(touched):
            apart = {at: Index(f"#{number}.{at.name}", at.over) for at in _bound_in(part)}
            bound.update(apart.values())
            factors += [_moved(factor, {**apart, index: target}) for factor in part]
        kept = [part for part in term.entries if index not in part[1]]
        if new is not None:
            factors += kept
            kept = []
        changed = _canonical(_gathered(factors, rules), bound, rules)
        fresh_term = Term(
            _merged_scalars(term.scalars, changed.scalars),
            tuple(sorted((*kept, *changed.entries))),
            tuple(sorted((*(part for part in term.sums if part not in touched), *changed.sums))),
        )
        result[fresh_term] = result.get(fresh_term, Fraction(0)) + coefficient
    return {term: coefficient for term, coefficient in result.items() if coefficient}


def _touches(part: tuple[Factor, ...], index: Index) -> bool:
    return any(index in indices for _, indices, _ in part)


def _bound_in(part: tuple[Factor, ...]) -> set[Index]:
    return {at for _, indices, _ in part for at in indices if at.name.startswith("#")}


def _moved(factor: Factor, change: Mapping[Index, Index]) -> Factor:
    name, indices, exponent = factor
    return name, tuple(change.get(at, at) for at in indices), exponent


def assembled(factors: Iterable[Factor], bound: set[Index], rules: Rules) -> Term:
    """Return the one form of a product of entries summed over the indices in `bound`."""
    return _canonical(_gathered(factors, rules), set(bound), rules)


def _canonical(factors: Factors, bound: set[Index], rules: Rules) -> Term:
    """Return the one form of a product of entries summed over its bound indices."""
    scalars = [*_collapse_rows(factors, bound, rules)]
    used = {at for _, indices in factors for at in indices}
    scalars += [(at.over, Fraction(1)) for at in bound if at not in used]
    groups: list[tuple[set[Index], Factors]] = []
    free: Factors = {}
    for (name, indices), exponent in factors.items():
        here = bound.intersection(indices)
        if not here:
            free[name, indices] = exponent
            continue
        joined: Factors = {(name, indices): exponent}
        for group in [group for group in groups if group[0] & here]:
            groups.remove(group)
            here |= group[0]
            joined.update(group[1])
        groups.append((here, joined))
    sums = tuple(sorted(_labelled(group, vertices) for vertices, group in groups))
    return Term(_merged_scalars(tuple(scalars)), _listed(free), sums)


def _collapse_rows(factors: Factors, bound: set[Index], rules: Rules) -> Scalars:
    """Use Σ_l a_l = 1 wherever a bound index stands in one weight and nowhere else; return the totals it leaves."""
    scalars: list[tuple[str, Fraction]] = []
    again = bool(rules.totals)
    while again:
        again = False
        for at in list(bound):
            holders = [key for key in factors if at in key[1]]
            if len(holders) != 1:
                continue
            name, indices = holders[0]
            if name in rules.totals and factors[holders[0]] == 1 and indices.index(at) == len(indices) - 1:
                del factors[holders[0]]
                bound.remove(at)
                if rules.totals[name]:
                    scalars.append((rules.totals[name], Fraction(1)))
                again = True
    return tuple(scalars)


def _labelled(factors: Factors, vertices: set[Index]) -> tuple[Factor, ...]:
    """Name the bound indices #0, #1, … in the order that makes the list of factors smallest."""

    def look(at: Index) -> list[tuple[str, tuple[str, ...], Fraction]]:
        marks = [
            (name, tuple("*" if i == at else f"?{i.over}" if i in vertices else f"{i.name}:{i.over}" for i in ids), e)
            for (name, ids), e in factors.items()
            if at in ids
        ]
        return sorted(marks)

    looks = {at: (at.over, look(at)) for at in vertices}
    classes: list[list[Index]] = []
    for at in sorted(vertices, key=lambda v: looks[v]):
        if classes and looks[classes[-1][0]] == looks[at]:
            classes[-1].append(at)
        else:
            classes.append([at])
    if prod(factorial(len(group)) for group in classes) > MOST_RELABELLINGS:
        raise OutsideClass("too many sums are tangled together for their indices to be put in order")
    best: tuple[Factor, ...] | None = None
    for orders in product(*(permutations(group) for group in classes)):
        flat = [at for order in orders for at in order]
        names = {at: Index(f"#{number}", at.over) for number, at in enumerate(flat)}
        listed = tuple(sorted(_moved((name, ids, e), names) for (name, ids), e in factors.items()))
        if best is None or listed < best:
            best = listed
    return best or ()


def prime_powers(value: Fraction) -> dict[int, int]:
    """Return the exponents of the primes in a positive fraction."""
    powers: dict[int, int] = {}
    for number, sign in ((value.numerator, 1), (value.denominator, -1)):
        if number.bit_length() > 64:
            raise OutsideClass("a number under a root or a logarithm is too large to factorise")
        prime = 2
        while prime * prime <= number:
            while number % prime == 0:
                powers[prime] = powers.get(prime, 0) + sign
                number //= prime
            prime += 1
            if prime > 1_000_000:
                raise OutsideClass("a number under a root or a logarithm is too large to factorise")
        if number > 1:
            powers[number] = powers.get(number, 0) + sign
    return powers


def number_power(value: Fraction, exponent: Fraction) -> Polynomial:
    """Return a positive number to a rational power: a fraction times roots of primes, with exponents in [0, 1)."""
    if value < 0:
        raise OutsideClass("a root is taken of a negative number")
    whole = Fraction(1)
    scalars: list[tuple[str, Fraction]] = []
    for prime, count in sorted(prime_powers(value).items()):
        full, rest = divmod(count * exponent, 1)
        whole *= Fraction(prime) ** int(full)
        if rest:
            scalars.append((f"√{prime}", rest))
    return {Term(tuple(scalars)): whole}
