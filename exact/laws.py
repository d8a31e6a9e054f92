"""Joint laws of the terms t_1 … t_d, given as finite lists, and the two properties that make E[e²] = d.

Imports the standard library and the exact modules above it only.  Positions are counted from 1, as in t_1 … t_d.

As JSON a law is a list of outcomes, each with its terms and its weight; numbers are integers or decimals, which are
read as written, or text such as "1/4":

    {"outcomes": [{"terms": [1, 1], "weight": "1/2"}, {"terms": [-1, -1], "weight": 0.5}]}

>>> report = examine(read_law('{"outcomes": [{"terms": [1, 1], "weight": "1/2"}, {"terms": [-1, -1], "weight": 0.5}]}'))
>>> report.cross_failure, report.square_failure, report.second_moment, report.width
(Failure(positions=(1, 2), value=Fraction(1, 1), wanted=Fraction(0, 1)), None, Fraction(4, 1), 2)
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod

from exact.coordinates import Finite
from exact.rationals import (
    DIGIT_LIMIT,
    BadInput,
    abbreviate,
    add_exactly,
    common_denominator,
    read_rational,
    write_rational,
)

__all__ = [
    "REFUTING_LAWS",
    "Failure",
    "JointLaw",
    "RefutingLaw",
    "TwoProperties",
    "examine",
    "independent_law",
    "joint_law",
    "law_moment",
    "law_variance",
    "mixed_moment",
    "read_law",
    "uniform_law",
    "write_law",
]

WIDTH_LIMIT = 12
OUTCOME_LIMIT = 5000
BYTE_LIMIT = 1_000_000
_Number = int | str | Fraction


@dataclass(frozen=True, slots=True)
class JointLaw:
    """A finite joint law: each outcome is (t_1, …, t_d) with its weight; the weights are positive and add to 1."""

    width: int
    outcomes: tuple[tuple[tuple[Fraction, ...], Fraction], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """The first place where a property fails: the positions, the moment found there, and the moment wanted."""

    positions: tuple[int, ...]
    value: Fraction
    wanted: Fraction


@dataclass(frozen=True, slots=True)
class TwoProperties:
    """Which of the two properties a law has.

    `cross_failure` is None when E[t_r t_s] = 0 for all r ≠ s, `square_failure` is None when E[t_r²] = 1 for all r.
    When both are None, `second_moment` equals `width`; it may do so by luck when they are not.
    """

    width: int
    cross_failure: Failure | None
    square_failure: Failure | None
    mean: Fraction
    second_moment: Fraction


@dataclass(frozen=True, slots=True)
class RefutingLaw:
    """A small law under which E[e^order] is not `claimed`; `key` names what the law lacks."""

    key: str
    law: JointLaw
    order: int
    claimed: Fraction


def joint_law(outcomes: Iterable[tuple[Sequence[_Number], _Number]]) -> JointLaw:
    """Return the law that gives each outcome (t_1, …, t_d) its weight; equal outcomes are merged, weights 0 dropped.

    At most 12 terms and 5000 outcomes.  Raises `BadInput` when a weight is negative, when the weights do not add to 1,
    or when the outcomes differ in length.
    """
    merged: dict[tuple[Fraction, ...], Fraction] = {}
    width = 0
    for i, (terms, weight) in enumerate(outcomes, start=1):
        if i > OUTCOME_LIMIT:
            raise BadInput(f"a law must have at most {OUTCOME_LIMIT} outcomes")
        width = width or len(terms)
        if not 1 <= len(terms) <= WIDTH_LIMIT:
            raise BadInput(f"an outcome must have from 1 to {WIDTH_LIMIT} terms (outcome {i} has {len(terms)})")
        if len(terms) != width:
            raise BadInput(f"all outcomes must have as many terms as the first, {width} (outcome {i} has {len(terms)})")
        try:
            w, point = read_rational(weight), tuple(read_rational(x) for x in terms)
        except BadInput as error:
            raise BadInput(f"outcome {i}: {error}") from None
        if w < 0:
            raise BadInput(f"weights must not be negative (outcome {i} has {abbreviate(w)})")
        merged[point] = merged.get(point, Fraction(0)) + w
    common_denominator(x for point in merged for x in point)
    common_denominator(merged.values())
    total = add_exactly(merged.values())
    if total != 1:
        raise BadInput(f"weights must add to 1 (these add to {abbreviate(total)})")
    return JointLaw(width, tuple((point, w) for point, w in merged.items() if w))


def uniform_law(outcomes: Sequence[Sequence[_Number]]) -> JointLaw:
    """Return the law in which every outcome listed has the same weight; at least one."""
    return joint_law([(terms, Fraction(1, len(outcomes))) for terms in outcomes])


def independent_law(terms: Sequence[Finite]) -> JointLaw:
    """Return the joint law of independent terms, each with its own finite law.

    >>> from exact.coordinates import sign
    >>> len(independent_law([sign()] * 3).outcomes)
    8
    """
    if prod(len(term.atoms) for term in terms) > OUTCOME_LIMIT:
        raise BadInput(f"a law must have at most {OUTCOME_LIMIT} outcomes (independence would list more)")
    points = product(*(term.atoms for term in terms))
    return joint_law([([x for x, _ in atoms], prod((w for _, w in atoms), start=Fraction(1))) for atoms in points])


def read_law(text: str) -> JointLaw:
    """Return the law written in JSON, up to 1 MB; `BadInput` says what is wrong and where.

    >>> read_law('{"outcomes": [{"terms": [1], "weight": "2/3"}, {"terms": [0], "weight": "1/6"}]}')
    Traceback (most recent call last):
    exact.rationals.BadInput: weights must add to 1 (these add to 5/6)
    """
    if len(text) > BYTE_LIMIT:
        raise BadInput(f"a law must have at most {BYTE_LIMIT} characters (this one has {len(text)})")
    try:
        found = json.loads(
            text,
            parse_int=_keep_digits,
            parse_float=_keep_digits,
            parse_constant=_refuse_constant,
            object_pairs_hook=_refuse_repeats,
        )
    except RecursionError:
        raise BadInput("a law must not nest lists inside lists inside lists") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"a law must be JSON ({error.msg} in line {error.lineno}, column {error.colno})") from None
    if not isinstance(found, dict) or set(found) != {"outcomes"} or not isinstance(found["outcomes"], list):
        raise BadInput('a law must be an object with the one key "outcomes", a list')
    return joint_law([_read_outcome(i, outcome) for i, outcome in enumerate(found["outcomes"], start=1)])


def write_law(law: JointLaw) -> str:
    """Return the law as JSON that `read_law` reads back to an equal law.

    >>> law = uniform_law([[1, 1], [-1, -1]])
    >>> read_law(write_law(law)) == law
    True
    """
    outcomes = [{"terms": [write_rational(x) for x in point], "weight": write_rational(w)} for point, w in law.outcomes]
    return json.dumps({"outcomes": outcomes})


def mixed_moment(law: JointLaw, positions: Sequence[int]) -> Fraction:
    """Return E[t_{r_1} t_{r_2} …] for the positions listed, from 1, repeated as often as they are multiplied.

    >>> mixed_moment(uniform_law([[1, 2], [3, 4]]), [1, 2, 2])
    Fraction(26, 1)
    """
    if not all(1 <= r <= law.width for r in positions):
        raise BadInput(f"a position must be from 1 to {law.width} (got {', '.join(map(str, positions))})")
    return add_exactly(w * prod((point[r - 1] for r in positions), start=Fraction(1)) for point, w in law.outcomes)


def law_moment(law: JointLaw, order: int) -> Fraction:
    """Return E[e^order], e = t_1 + … + t_d; order ≥ 0."""
    return add_exactly(w * sum(point, Fraction(0)) ** order for point, w in law.outcomes)


def law_variance(law: JointLaw) -> Fraction:
    """Return E[e²] − E[e]²."""
    return law_moment(law, 2) - law_moment(law, 1) ** 2


def examine(law: JointLaw) -> TwoProperties:
    """Return which of the two properties `law` has, where each first fails, and E[e] and E[e²]."""
    zero, one = Fraction(0), Fraction(1)
    pairs = combinations(range(1, law.width + 1), 2)
    crosses = (Failure((r, s), mixed_moment(law, (r, s)), zero) for r, s in pairs)
    squares = (Failure((r,), mixed_moment(law, (r, r)), one) for r in range(1, law.width + 1))
    return TwoProperties(
        law.width,
        next((found for found in crosses if found.value != found.wanted), None),
        next((found for found in squares if found.value != found.wanted), None),
        law_moment(law, 1),
        law_moment(law, 2),
    )


def _read_outcome(i: int, outcome: object) -> tuple[list[str], str]:
    if not isinstance(outcome, dict) or set(outcome) != {"terms", "weight"}:
        raise BadInput(f'an outcome must have the keys "terms" and "weight", and no other (outcome {i} does not)')
    terms, weight = outcome["terms"], outcome["weight"]
    if not isinstance(terms, list) or not all(isinstance(x, str) for x in terms):
        raise BadInput(f'"terms" must be a list of numbers (in outcome {i} it is not)')
    if not isinstance(weight, str):
        raise BadInput(f'"weight" must be a number (in outcome {i} it is not)')
    return terms, weight


def _keep_digits(text: str) -> str:
    if len(text) > DIGIT_LIMIT:
        raise BadInput(f"a number must have at most {DIGIT_LIMIT} digits (this one has {len(text)})")
    return text


def _refuse_constant(text: str) -> str:
    raise BadInput(f"{text} is not a number that can be exact")


def _refuse_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadInput("a key must not appear twice in one object")
    return found


_SIGNS = (1, -1)

REFUTING_LAWS = (
    RefutingLaw("uncorrelated", uniform_law([(a, a) for a in _SIGNS]), 2, Fraction(2)),
    RefutingLaw("three at a time", uniform_law([(a, b, a * b) for a, b in product(_SIGNS, repeat=2)]), 3, Fraction(0)),
    RefutingLaw(
        "four at a time",
        uniform_law([(a, b, c, a * b * c) for a, b, c in product(_SIGNS, repeat=3)]),
        4,
        Fraction(40),
    ),
    RefutingLaw("size 1", uniform_law([(2,), (-2,)]), 2, Fraction(1)),
    RefutingLaw("centred", uniform_law([(1,)]), 1, Fraction(0)),
)
