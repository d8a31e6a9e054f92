"""Which hypotheses a moment claim uses, the smallest laws that break it without them, and wrong proofs refuted.

Imports the standard library and the exact modules above it only.

The claim about E[e^m] is that it takes the value it has for independent fair signs.  Expanding e^m, its proof touches
the mixed moments E[t_r^a t_s^b …] with a + b + … = m and no others: the variance E[t_r²] and E[t_r t_s], the fourth
moment up to four terms at a time.

Dropping one of them keeps all the other mixed moments of order up to m, those of lower order too (`lower_moments`),
though the proof does not touch them.  The search goes through `SPACES` in order and
returns the law with the fewest terms and, among those, the fewest outcomes.

>>> [(t.exponents, int(t.wanted), t.times) for t in touched_moments(2)]
[((2,), 1, 1), ((1, 1), 0, 1)]
>>> found = drop_hypothesis(2, (1, 1))
>>> found.law.outcomes == uniform_law([(1, 1), (-1, -1)]).outcomes, str(found.value), str(found.claimed)
(True, '4', '2')
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod

from exact.coordinates import sign
from exact.laws import JointLaw, joint_law, law_moment, uniform_law
from exact.moments import coincidence_patterns, score_moments
from exact.rationals import BadInput, read_whole
from exact.terms import Independent

__all__ = [
    "SPACES",
    "Refutation",
    "SearchSpace",
    "TouchedMoment",
    "describe_space",
    "drop_hypothesis",
    "lower_moments",
    "touched_moments",
]

ORDER_LIMIT = 4


@dataclass(frozen=True, slots=True)
class TouchedMoment:
    """A mixed moment that a proof uses: its exponents, its value for independent signs, how many set partitions."""

    exponents: tuple[int, ...]
    wanted: Fraction
    times: int


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """Laws of `width` terms with values in `values`, at most `outcomes` outcomes; any weights, or equal ones only."""

    width: int
    values: tuple[int, ...]
    outcomes: int
    equal_weights: bool


@dataclass(frozen=True, slots=True)
class Refutation:
    """What comes of dropping one hypothesis of the claim about E[e^order].

    `law` breaks the claim: there E[e^order] = `value`, not `claimed`; it keeps every other mixed moment of order up to
    `order`.  When `law` is None nothing was found in `searched`; `implied` says that nothing exists anywhere, because
    the hypotheses kept already force the one dropped.
    """

    order: int
    dropped: tuple[int, ...]
    law: JointLaw | None
    value: Fraction | None
    claimed: Fraction | None
    implied: bool
    searched: tuple[SearchSpace, ...]


SPACES = (
    SearchSpace(width=1, values=(1, -1, 0, 2, -2), outcomes=5, equal_weights=False),
    SearchSpace(width=2, values=(1, -1, 0, 2, -2), outcomes=4, equal_weights=False),
    SearchSpace(width=3, values=(1, -1), outcomes=8, equal_weights=True),
    SearchSpace(width=4, values=(1, -1), outcomes=8, equal_weights=True),
)


def touched_moments(order: int) -> tuple[TouchedMoment, ...]:
    """Return the mixed moments that a proof about E[e^order] touches; order 1 to 60.

    >>> [t.exponents for t in touched_moments(4)]
    [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    """
    return tuple(TouchedMoment(p.sizes, _wanted(p.sizes), p.count) for p in coincidence_patterns(order))


def lower_moments(order: int) -> tuple[TouchedMoment, ...]:
    """Return the mixed moments of orders 1 to order − 1: kept whatever is dropped, though no proof touches them.

    >>> [(t.exponents, int(t.wanted)) for t in lower_moments(3)]
    [((1,), 0), ((2,), 1), ((1, 1), 0)]
    """
    return tuple(t for m in range(1, order) for t in touched_moments(m))


def drop_hypothesis(order: int, exponents: Sequence[int]) -> Refutation:
    """Return the smallest law found that breaks the claim about E[e^order] once one touched moment is set free.

    Order 1 to 4; `exponents` as in `touched_moments`.  The moments of lower order are kept too.  So at order 4
    E[t²] = E[t⁴] = 1 force t² = 1, and a moment with an exponent of 2 or more is one of lower order: it is implied.

    >>> drop_hypothesis(4, (2, 1, 1)).implied
    True
    """
    m = read_whole("order", order, 1, ORDER_LIMIT)
    dropped = tuple(sorted(exponents, reverse=True))
    if dropped not in [t.exponents for t in touched_moments(m)]:
        raise BadInput(f"the claim about E[e^{m}] does not touch the exponents {dropped}")
    if m >= 4 and dropped != (4,) and max(dropped) >= 2:
        return Refutation(m, dropped, None, None, None, True, ())
    searched = []
    for space in SPACES:
        if space.width < len(dropped):
            continue
        searched.append(space)
        claimed = score_moments(Independent(sign(), sign()), space.width, m)[m]
        for law in _laws(space, m, dropped):
            value = law_moment(law, m)
            if value != claimed:
                return Refutation(m, dropped, law, value, claimed, False, tuple(searched))
    return Refutation(m, dropped, None, None, None, False, tuple(searched))


def describe_space(space: SearchSpace) -> str:
    """Return what a search went through, in words.

    >>> describe_space(SPACES[0])
    'laws of 1 term with values in −2, −1, 0, 1, 2, up to 5 outcomes, all weights'
    """
    terms = f"{space.width} term{'s' if space.width > 1 else ''}"
    values = ", ".join(str(x).replace("-", "−") for x in sorted(space.values))
    weights = "equal weights" if space.equal_weights else "all weights"
    return f"laws of {terms} with values in {values}, up to {space.outcomes} outcomes, {weights}"


def _wanted(exponents: Sequence[int]) -> Fraction:
    return Fraction(int(all(a % 2 == 0 for a in exponents)))


def _kept(width: int, order: int, dropped: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
    """List the mixed moments kept, as (exponent of each of the terms, value wanted)."""
    kept = []
    for degree in range(1, order + 1):
        for positions in combinations_with_replacement(range(width), degree):
            exponents = tuple(positions.count(r) for r in range(width))
            if tuple(sorted((a for a in exponents if a), reverse=True)) != dropped:
                kept.append((exponents, int(_wanted(exponents))))
    return kept


def _laws(space: SearchSpace, order: int, dropped: tuple[int, ...]) -> Iterator[JointLaw]:
    """Yield the laws of the space that keep all the moments kept, the fewest outcomes first.

    A column holds what an outcome gives to each condition; the weights must combine the columns into the target.
    Where the columns of a support are dependent, a law on it is a mixture of laws on smaller ones, so a unique solution
    is all that need be looked for.
    """
    kept = _kept(space.width, order, dropped)
    target = [1, *(wanted for _, wanted in kept)]
    points = list(product(space.values, repeat=space.width))
    columns = [
        [1, *(prod(x**a for x, a in zip(point, exponents, strict=True)) for exponents, _ in kept)] for point in points
    ]
    for size in range(1, space.outcomes + 1):
        for support in combinations(range(len(points)), size):
            chosen = [columns[i] for i in support]
            if space.equal_weights:
                if all(
                    sum(row) == size * wanted for row, wanted in zip(zip(*chosen, strict=True), target, strict=True)
                ):
                    yield uniform_law([points[i] for i in support])
            elif (weights := _unique_weights(chosen, target)) and min(weights) > 0:
                yield joint_law([(points[i], w) for i, w in zip(support, weights, strict=True)])


def _unique_weights(columns: Sequence[Sequence[int]], target: Sequence[int]) -> list[Fraction] | None:
    """Solve Σ w_i·columns[i] = target by elimination in integers; None when no solution or more than one."""
    n = len(columns)
    rows = [[*entries, wanted] for *entries, wanted in zip(*columns, target, strict=True)]
    for i in range(n):
        pivot = next((r for r in range(i, len(rows)) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        top = rows[i]
        for r, row in enumerate(rows):
            if r != i and row[i]:
                rows[r] = [top[i] * b - row[i] * a for a, b in zip(top, row, strict=True)]
    if any(row[n] for row in rows[n:]):
        return None
    return [Fraction(rows[i][n], rows[i][i]) for i in range(n)]
