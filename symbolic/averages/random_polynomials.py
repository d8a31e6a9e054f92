"""Expectations of polynomials in random entries, at every width, with moments that may be formulas.

A sum over indices of products of entries is averaged by cumulants: coordinates at different indices are independent, so
the joint cumulant of what stands at several indices is 0 unless these coincide.  The average is the sum, over the ways
in which the indices coincide, of the products of the cumulants; no way of coinciding depends on the width.  Vectors
known by a covariance matrix are averaged by Isserlis: over the ways to pair their entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

from symbolic.averages.quotients import Field, Quotient
from symbolic.expressions import Index, OutsideClass
from symbolic.polynomial import ONE, Factor, Polynomial, Rules, Term, assembled, constant, plus, scalar, times

__all__ = ["Chance", "average"]

ORDER_LIMIT = 24
MOST_INDICES = 6
WORK_LIMIT = 15_000
Orders = tuple[tuple[str, int], ...]


@dataclass(slots=True)
class Chance:
    """What is random: `names`; `joint(orders)` is the expectation of a product of powers at one coordinate.

    `normalised`: names of unit vectors in all directions alike, averaged as the Gaussian vectors that they are the
    directions of.  `covariances`: centred vectors known by a covariance matrix, name → name of the matrix;
    `gaussian`: those among them that are Gaussian, whose averages of every order are known.
    """

    names: frozenset[str]
    joint: Callable[[Orders], Polynomial]
    normalised: frozenset[str] = frozenset()
    covariances: Mapping[str, str] = field(default_factory=dict)
    gaussian: frozenset[str] = frozenset()
    kept: dict[tuple[Orders, ...], Polynomial] = field(default_factory=dict)
    work: int = 0

    def times(self, left: Polynomial, right: Polynomial, rules: Rules) -> Polynomial:
        """Multiply, and refuse what takes too many steps."""
        self.work += len(left) * len(right)
        if self.work > WORK_LIMIT:
            raise OutsideClass("this expectation takes too many steps: lower the powers or state the laws")
        return times(left, right, rules)


def average(value: Quotient, chance: Chance, numbers: Field, only: frozenset[str] | None = None) -> Quotient:
    """Return the expectation of a quotient over the random names, or over those in `only`; the rest is held fixed."""
    names = chance.names if only is None else chance.names & only
    if _mentions(value.under, names):
        raise OutsideClass("an expectation is not taken of a quotient with a random denominator")
    for roots in numbers.roots.items():
        if _mentions(roots[1], names) and any(roots[0] == name for term in value.over for name, _ in term.scalars):
            raise OutsideClass("an expectation is not taken of the root of something random")
    total = Quotient({}, value.under)
    by_degree: dict[tuple[tuple[str, int], ...], list[Polynomial]] = {}
    for term, c in value.over.items():
        degrees = tuple(sorted((n, _degree(term, n)) for n in chance.normalised & names if _degree(term, n)))
        chance.work += 5
        by_degree.setdefault(degrees, []).append(_of_term(term, c, chance, names, numbers.rules))
    for degrees, parts in by_degree.items():
        part = plus(*parts)
        if not part:
            continue
        under = value.under
        for name, degree in degrees:
            width = _width_of(value.over, name)
            for step in range(0, degree, 2):  # E|g|^m = d(d + 2) … (d + m − 2)
                under = numbers.product(under, plus(scalar(width), constant(Fraction(step))))
        total = numbers.add(total, numbers.divide(Quotient(part), Quotient(under)))
    return total


def _mentions(value: Polynomial, names: frozenset[str]) -> bool:
    return any(
        name in names
        for term in value
        for name in (*(n for n, _ in term.scalars), *(f[0] for part in (term.entries, *term.sums) for f in part))
    )


def _degree(term: Term, name: str) -> int:
    found = (e for part in (term.entries, *term.sums) for n, _, e in part if n == name)
    return int(sum(found, Fraction(0)))


def _width_of(value: Polynomial, name: str) -> str:
    return next(ids[0].over for term in value for part in (term.entries, *term.sums) for n, ids, _ in part if n == name)


def _of_term(term: Term, c: Fraction, chance: Chance, names: frozenset[str], rules: Rules) -> Polynomial:
    orders = _whole((name, e) for name, e in term.scalars if name in names)
    outside: Polynomial = {Term(tuple((n, e) for n, e in term.scalars if n not in names)): c}
    if orders:
        outside = chance.times(outside, chance.joint(orders), rules)
        if not outside:
            return {}
    free = [factor for factor in term.entries if factor[0] in names]
    random_sums = [part for part in term.sums if any(name in names for name, _, _ in part)]
    kept = Term(
        (), tuple(f for f in term.entries if f not in free), tuple(p for p in term.sums if p not in random_sums)
    )
    outside = chance.times(outside, {kept: Fraction(1)}, rules)
    if not free and not random_sums:
        return outside
    if not free and all(_is_plain(part, chance) for part in random_sums):
        return chance.times(outside, _of_plain_sums(random_sums, chance, names, rules), rules)
    factors, bound = _apart(free, random_sums)
    tensors = [f for f in factors if f[0] in chance.covariances]
    pieces = []
    for weight, replaced in _paired(tensors, chance):
        rest = [f for f in factors if f not in tensors] + replaced
        pieces.append(chance.times(constant(weight), _of_indices(rest, bound, chance, names, rules), rules))
    return chance.times(outside, plus(*pieces), rules)


def _is_plain(part: tuple[Factor, ...], chance: Chance) -> bool:
    """Say whether a sum is over one index that stands in every factor, as Σ_r q_r k_r or Σ_i c_i X_i."""
    one = len({ids for _, ids, _ in part}) == 1 and len(part[0][1]) == 1
    return one and not any(name in chance.covariances for name, _, _ in part)


def _of_plain_sums(
    sums: Sequence[tuple[Factor, ...]], chance: Chance, names: frozenset[str], rules: Rules
) -> Polynomial:
    """Average a product of sums over one index each: the joint cumulants of sums are sums of joint cumulants."""
    ranges = {factor[1][0].over for part in sums for factor in part}
    if len(ranges) > 1:
        raise OutsideClass("sums of different lengths of the same coordinates are not averaged together")
    at = Index("#0", ranges.pop())
    kinds = sorted(set(sums))
    counts = [sum(part == kind for part in sums) for kind in kinds]
    if sum(counts) > ORDER_LIMIT:
        raise OutsideClass(f"a moment must be of order at most {ORDER_LIMIT}")
    random = {kind: _merged(_whole((n, e) for n, _, e in kind if n in names)) for kind in kinds}
    fixed = {kind: [(n, (at,), e) for n, _, e in kind if n not in names] for kind in kinds}
    found: dict[tuple[int, ...], Polynomial] = {}
    for place in product(*(range(n + 1) for n in counts)):
        first = next((i for i, n in enumerate(place) if n), None)
        if first is None:
            found[place] = ONE
            continue
        rest = tuple(n - (i == first) for i, n in enumerate(place))
        pieces = []
        for taken in product(*(range(n + 1) for n in rest)):
            left = found[tuple(a - b for a, b in zip(rest, taken, strict=True))]
            if not left:
                continue
            block = [kind for i, kind in enumerate(kinds) for _ in range(taken[i] + (i == first))]
            cumulant = _cumulant(tuple(sorted(random[kind] for kind in block)), chance, rules)
            if not cumulant:
                continue
            ways = prod(comb(a, b) for a, b in zip(rest, taken, strict=True))
            summed = {assembled([f for kind in block for f in fixed[kind]], {at}, rules): Fraction(ways)}
            pieces.append(chance.times(chance.times(summed, cumulant, rules), left, rules))
        found[place] = plus(*pieces)
    return found[tuple(counts)]


def _of_indices(
    factors: Sequence[Factor], bound: set[Index], chance: Chance, names: frozenset[str], rules: Rules
) -> Polynomial:
    """Average a product of entries summed over the indices in `bound`."""
    from more_itertools import set_partitions

    at_index: dict[Index, list[tuple[str, int]]] = {}
    plain_factors = []
    for name, ids, e in factors:
        if name not in names or name in chance.covariances:
            plain_factors.append((name, ids, e))
        elif len(ids) != 1:
            raise OutsideClass("an expectation is taken of vectors with one index, not of random matrices")
        else:
            at_index.setdefault(ids[0], []).extend(_whole([(name, e)]))
    orders = {at: _merged(found) for at, found in at_index.items()}
    ranges: dict[str, set[str]] = {}
    for at, found in at_index.items():
        for name, _ in found:
            ranges.setdefault(name, set()).add(at.over)
    if any(len(found) > 1 for found in ranges.values()):
        raise OutsideClass("sums of different lengths of the same coordinates are not averaged together")
    if len(orders) > MOST_INDICES:
        raise OutsideClass(f"an expectation over more than {MOST_INDICES} indices at once is too long")
    parts: list[Polynomial] = []
    for blocks in set_partitions(sorted(orders)) if orders else [[]]:
        if any(len({at.over for at in block}) > 1 or sum(at.fixed for at in block) > 1 for block in blocks):
            continue
        weight = ONE
        for block in blocks:
            weight = chance.times(weight, _cumulant(tuple(sorted(orders[at] for at in block)), chance, rules), rules)
            if not weight:
                break
        if not weight:
            continue
        meeting = {at: min(block, key=lambda i: (i in bound, i)) for block in blocks for at in block}
        moved = [(name, tuple(meeting.get(at, at) for at in ids), e) for name, ids, e in plain_factors]
        moved += [("δ", (met, at), Fraction(1)) for at, met in meeting.items() if at not in bound and at != met]
        left = {meeting.get(at, at) for at in bound} & bound
        chance.work += 20 * len(moved)  # putting the indices in order is the longer part
        parts.append(chance.times(weight, {assembled(moved, left, rules): Fraction(1)}, rules))
    return plus(*parts)


def _cumulant(block: tuple[Orders, ...], chance: Chance, rules: Rules) -> Polynomial:
    """Return the joint cumulant of products of random entries that all sit at one coordinate."""
    if block in chance.kept:
        return chance.kept[block]
    # κ(v) = m(v) − Σ C(v − 1, j)·κ(j + 1)·m(v − 1 − j), over how many of each kind meet the first
    first, rest = block[0], block[1:]
    kinds = sorted(set(rest))
    counts = [rest.count(kind) for kind in kinds]
    total = chance.joint(_merged([pair for orders in block for pair in orders]))
    for taken in product(*(range(n + 1) for n in counts)):
        if list(taken) == counts:
            continue
        inner = tuple(sorted((first, *(kind for kind, n in zip(kinds, taken, strict=True) for _ in range(n)))))
        outer = [pair for kind, n, m in zip(kinds, taken, counts, strict=True) for _ in range(m - n) for pair in kind]
        moment = chance.joint(_merged(outer))
        if moment:
            ways = prod(comb(m, n) for n, m in zip(taken, counts, strict=True))
            piece = chance.times(_cumulant(inner, chance, rules), moment, rules)
            total = plus(total, chance.times(constant(Fraction(-ways)), piece, rules))
    chance.kept[block] = total
    return total


def _paired(tensors: Sequence[Factor], chance: Chance) -> Iterator[tuple[Fraction, list[Factor]]]:
    """Yield what stands for entries of vectors with a covariance matrix, for each way to pair them.

    A covariance is symmetric: it stands as half of Σ_rs and half of Σ_sr, so that equal averages look equal.
    """
    places = [(name, ids[0]) for name, ids, e in tensors for _ in range(_whole([(name, e)])[0][1])]
    if len(places) > 2 and any(name not in chance.gaussian for name, _ in places):
        raise OutsideClass("of a vector known by its covariance alone, no moment above the second is known")
    if factorial(len(places)) > 5040:
        raise OutsideClass("an expectation of more than 7 entries of vectors with a covariance matrix is too long")
    yield from _pairings(places, chance)


def _pairings(places: Sequence[tuple[str, Index]], chance: Chance) -> Iterator[tuple[Fraction, list[Factor]]]:
    if not places:
        yield Fraction(1), []
        return
    (name, at), *rest = places
    for i, (other, there) in enumerate(rest):
        if other == name:
            for weight, more in _pairings([*rest[:i], *rest[i + 1 :]], chance):
                for pair in ((at, there), (there, at)):
                    yield weight / 2, [(chance.covariances[name], pair, Fraction(1)), *more]


def _apart(free: Sequence[Factor], sums: Sequence[tuple[Factor, ...]]) -> tuple[list[Factor], set[Index]]:
    """Give the bound indices of each sum names of their own, and return all the factors together."""
    factors, bound = list(free), set[Index]()
    for number, part in enumerate(sums):
        own = {at: Index(f"#{number}.{at.name}", at.over) for _, ids, _ in part for at in ids if at.name[0] == "#"}
        bound.update(own.values())
        factors += [(name, tuple(own.get(at, at) for at in ids), e) for name, ids, e in part]
    return factors, bound


def _merged(pairs: Sequence[tuple[str, int]]) -> Orders:
    found: dict[str, int] = {}
    for name, e in pairs:
        found[name] = found.get(name, 0) + e
    return tuple(sorted(found.items()))


def _whole(pairs: object) -> Orders:
    found = []
    for name, e in pairs:  # type: ignore[attr-defined] # an iterable of (name, exponent)
        if e.denominator != 1 or e < 0:
            raise OutsideClass("an expectation is taken of whole powers of random variables only")
        found.append((name, int(e)))
    return _merged(found)
