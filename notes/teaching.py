"""The lesson as data: what its page, its paper and the terminal all show, worked out here and said in notes/words.

A formula is named by the id of its claim and written by symbolic/latex or symbolic/plain; a sentence is named by its
key in notes/words/lesson.*.toml.  Coordinates count from 0 here and from 1 for the reader.

====================  =========================================================================
`SECTIONS`            the six parts of the lesson, each with its claims in order
`steps`               the steps of the pairing proof, each with the formulas it shows
`rows`                all keys, each with its partner, the two values of a term, and their sum
`crossed`, `squares`  the sums of all crossed terms, and the diagonal
`facts`               what stands in the sentences of the proof, by name
`expected`            the answer to the prediction that each step asks for; `mistakes`, the wrong ones it explains
`attempt`             a pairing of the reader's own, judged by the kernel
`FIGURE`, `groups`    one row of scores at three widths with three divisors
`CHALLENGE`           the function that the reader writes
====================  =========================================================================

>>> [(row.key, row.partner, int(row.here), int(row.there)) for row in rows((1, -1), (0, 1))]
[(0, 1, -1, 1), (1, 0, 1, -1), (2, 3, 1, -1), (3, 2, -1, 1)]
>>> attempt(2, (0, 1), (3, 2, 1, 0)).said
'vectors 0 and 3 do not cancel: the term has one sign at both'
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import exp, isqrt, prod
from typing import Final, Literal

from exact import cube, pairing
from exact.kernel import PairingTable, Rejected, Theorem, check
from exact.rationals import BadInput, read_rational, write_rational
from symbolic.formulas import FORMULAS

__all__ = [
    "CHALLENGE",
    "CONDITIONS",
    "DIVISORS",
    "FIGURE",
    "MAX_WIDTH",
    "SECTIONS",
    "Broken",
    "Challenge",
    "Figure",
    "Group",
    "Row",
    "Section",
    "Step",
    "attempt",
    "crossed",
    "expected",
    "facts",
    "groups",
    "mistakes",
    "read_query",
    "rows",
    "sample_key",
    "show_number",
    "show_signs",
    "squares",
    "steps",
    "value",
]

MAX_WIDTH: Final = 6
ENTRY_LIMIT: Final = 100  # of numerator and denominator, so that a table fits a line

Query = Sequence[int | Fraction]
Vector = tuple[int, ...]


# ---- the parts of the lesson ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the lesson: its key in the words ("lesson"), and the claims it explains ("explained"), in order."""

    id: str
    claims: tuple[str, ...] = ()


SECTIONS: Final = (
    Section("size", tuple(found.id for found in FORMULAS if found.section == 1)),
    Section("gradient", tuple(found.id for found in FORMULAS if found.section == 2)),
    Section("measured"),
    Section("figure", ("only-the-root",)),
    Section("questions"),
    Section("challenge", ("gradient",)),
)


# ---- the proof ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the proof: its key in the words ("proof"), the formulas it shows, and the term its table is about."""

    id: str
    formulas: tuple[str, ...] = ()
    table: Literal["pair", "single"] | None = None


STEPS: Final = (
    Step("start", ("score", "term")),
    Step("partner"),
    Step("terms"),
    Step("table", (), "pair"),
    Step("total", ("pairing",)),
    Step("cross", ("square-split",)),
    Step("diagonal", ("term-sign",)),
    Step("average", ("second-moment", "typical-size")),
    Step("mean", ("mean",), "single"),
    Step("break"),
)
WITHOUT_A_PAIR: Final = ("diagonal", "average", "mean", "break")  # what is left of the proof at d = 1


@dataclass(frozen=True, slots=True)
class Row:
    """A key and its partner, as integers (see exact.cube), and the value of the term at each."""

    key: int
    partner: int
    here: Fraction
    there: Fraction

    @property
    def total(self) -> Fraction:
        """The two values added, which the pairing makes 0."""
        return self.here + self.there


def steps(width: int) -> tuple[Step, ...]:
    """Return the steps of the proof at a width of 1 to 6; at width 1 there is no pair of coordinates."""
    if not 1 <= width <= MAX_WIDTH:
        raise BadInput(f"the proof is walked at widths from 1 to {MAX_WIDTH} (got {width})")
    return tuple(step for step in STEPS if width > 1 or step.id in WITHOUT_A_PAIR)


def read_query(entries: Query) -> tuple[Fraction, ...]:
    """Return a query whose proof can be shown: 1 to 6 entries, none of them 0 and none long, or BadInput."""
    values = tuple(map(Fraction, entries))
    if not 1 <= len(values) <= MAX_WIDTH:
        raise BadInput(f"the proof is walked for a query of 1 to {MAX_WIDTH} entries (got {len(values)})")
    for r, x in enumerate(values, 1):
        if not x:
            raise BadInput(f"entry {r} of the query must not be 0: its terms are 0 at every key, and prove nothing")
        if max(abs(x.numerator), x.denominator) >= ENTRY_LIMIT:
            raise BadInput(f"entry {r} of the query must be short enough for a table, such as 3 or -99/98")
    return values


def rows(query: Query, term: Sequence[int]) -> tuple[Row, ...]:
    """Return all 2^d keys with the partners that change the first coordinate of the term, which is (r, s) or (r,).

    The kernel has accepted the partners: that each sum is 0 is proved as well as shown.
    """
    proposed = pairing.table(len(query), tuple(term))
    check(proposed)
    return tuple(Row(k, p, value(query, term, k), value(query, term, p)) for k, p in enumerate(proposed.partner))


def value(query: Query, term: Sequence[int], key: int) -> Fraction:
    """Return Π_{r in term} t_r at a key."""
    signs = cube.signs(key, len(query))
    return prod((Fraction(query[r]) * signs[r] for r in term), start=Fraction(1))


def crossed(query: Query) -> tuple[tuple[int, int, Fraction], ...]:
    """Return r, s and Σ t_r t_s over all keys, for each r < s."""
    keys = range(1 << len(query))
    return tuple(
        (r, s, sum((value(query, (r, s), k) for k in keys), Fraction(0))) for r, s in combinations(range(len(query)), 2)
    )


def squares(query: Query) -> tuple[Fraction, ...]:
    """Return t_r² for each coordinate: it is q_r² at every key."""
    return tuple(Fraction(x) ** 2 for x in query)


def sample_key(width: int) -> int:
    """Return the key that the steps look at before the table of all keys.

    >>> show_signs(sample_key(4), 4)
    '(+ − + −)'
    """
    return 0b101010 & (1 << width) - 1


def show_signs(key: int, width: int) -> str:
    """Write a key as signs."""
    return f"({' '.join('−' if sign < 0 else '+' for sign in cube.signs(key, width))})"


def show_number(value: int | Fraction) -> str:
    """Write a number with the minus sign of print."""
    return write_rational(value).replace("-", "−")


def facts(query: Query, r: int, s: int) -> dict[str, str]:
    """Return what stands in the sentences of the proof, by name; r, s from 0, and at width 1 both 0."""
    d = len(query)
    key = sample_key(d)
    row = rows(query, (r, s) if r != s else (r,))[key]
    norm = sum(squares(query), Fraction(0))
    numbers: dict[str, int | Fraction] = {
        "d": d,
        "r": r + 1,
        "s": s + 1,
        "beyond": d + 1,
        "fewer": d - 1,
        "keys": 1 << d,
        "pairs": 1 << d >> 1,
        "crossed": d * (d - 1),
        "here": row.here,
        "there": row.there,
        "norm": norm,
        "total": sum((cube.score(query, k) ** 2 for k in range(1 << d)), Fraction(0)),
    }
    shown = {name: show_number(value) for name, value in numbers.items()}
    return shown | {
        "norm_root": (shown["norm"] if norm.denominator == 1 else f"({shown['norm']})") + _whole_root(norm),
        "q": f"({', '.join(map(show_number, query))})",
        "key": show_signs(key, d),
        "partner": show_signs(row.partner, d),
        "squares": " + ".join(map(show_number, squares(query))),
    }


def _whole_root(norm: Fraction) -> str:
    """Return " = n" where the root of a number is the fraction n, and nothing elsewhere."""
    root = Fraction(isqrt(norm.numerator), isqrt(norm.denominator))
    return f" = {show_number(root)}" if root**2 == norm else ""


def expected(step: str, query: Query, r: int, s: int) -> Fraction | Vector:
    """Return the answer to the prediction of a step: a number, or a key as signs; KeyError where none is asked."""
    d = len(query)
    row = rows(query, (r, s) if r != s else (r,))[sample_key(d)]
    norm = sum(squares(query), Fraction(0))
    answers: dict[str, Fraction | Vector] = {
        "start": Fraction(1 << d),
        "partner": cube.signs(row.partner, d),
        "terms": row.there,
        "table": Fraction(1 << d, 2),
        "total": Fraction(0),
        "cross": Fraction(d * (d - 1)),
        "diagonal": norm,
        "average": norm,
        "mean": Fraction(0),
    }
    return answers[step]


def mistakes(step: str, query: Query) -> dict[str, Fraction]:
    """Return the wrong numbers that a step explains, by the key of the explanation in the words.

    >>> {key: int(value) for key, value in mistakes("cross", (1, 1, 1)).items()}
    {'unordered': 3, 'with-diagonal': 9}
    """
    d = Fraction(len(query))
    norm = sum(squares(query), Fraction(0))
    known = {
        "start": {"added": 2 * d, "squared": d**2},
        "table": {"keys": Fraction(1 << len(query))},
        "cross": {"unordered": d * (d - 1) / 2, "with-diagonal": d**2},
        "diagonal": {"nothing": Fraction(0), "one": squares(query)[0]},
        "average": {"mean": Fraction(0), "squared": d**2},
        "mean": {"square": norm},
    }
    return known.get(step, {})


# ---- a pairing of the reader's own ----------------------------------------------------------------------------------

CONDITIONS: Final = {  # the four conditions, each with the words by which the kernel rejects what breaks it
    "inside": "must be an integer from",
    "undoes": "does not undo itself",
    "fixed": "is paired with itself",
    "cancels": "do not cancel",
}


@dataclass(frozen=True, slots=True)
class Broken:
    """The condition that a pairing breaks first, the key where it does, the partner, the partner's; the kernel's words.

    `partner` may be no key; `back` is then None.
    """

    condition: str
    key: int
    partner: int
    back: int | None
    said: str


def attempt(width: int, term: Sequence[int], partner: Sequence[int]) -> Theorem | Broken:
    """Have the kernel check a pairing, a partner for each of the 2^width keys, for Σ Π_{r in term} t_r = 0."""
    try:
        return check(PairingTable(width, tuple(term), tuple(partner)))
    except Rejected as error:
        said = str(error)
    condition = next((name for name, words in CONDITIONS.items() if words in said), None)
    if condition is None:
        raise BadInput(f"this is no pairing: {said}")
    key = int("".join(c if c.isdecimal() else " " for c in said).split()[0])
    there = partner[key]
    return Broken(condition, key, there, partner[there] if 0 <= there < len(partner) else None, said)


# ---- the figure -----------------------------------------------------------------------------------------------------

DIVISORS: Final = ("one", "root", "width")


@dataclass(frozen=True, slots=True)
class Figure:
    """What the figure starts with: six scores of mean 0 and mean square 1, and three widths."""

    scores: tuple[Fraction, ...]
    widths: tuple[int, ...]


FIGURE: Final = Figure(tuple(map(read_rational, ("0.3", "-0.9", "1.6", "-0.3", "0.7", "-1.4"))), (8, 64, 512))


@dataclass(frozen=True, slots=True)
class Group:
    """The weights of a row at one width with one divisor: softmax of √d_k·z/divisor."""

    divisor: str
    width: int
    weights: tuple[float, ...]

    @property
    def winner(self) -> int:
        """The position of the largest weight."""
        return self.weights.index(max(self.weights))


def groups(scores: Sequence[float | Fraction], widths: Sequence[int]) -> tuple[Group, ...]:
    """Return the groups of the figure, divisor by divisor and width by width; finite scores and widths from 1.

    >>> [round(max(group.weights), 3) for group in groups(FIGURE.scores, FIGURE.widths)]
    [0.901, 0.999, 1.0, 0.51, 0.51, 0.51, 0.276, 0.202, 0.179]
    """
    powers = zip(DIVISORS, (0.5, 0.0, -0.5), strict=True)  # √d over 1, over √d and over d
    return tuple(
        Group(divisor, d, _softmax([d**power * float(x) for x in scores])) for divisor, power in powers for d in widths
    )


def _softmax(scores: Sequence[float]) -> tuple[float, ...]:
    largest = max(scores)
    exponentials = [exp(x - largest) for x in scores]
    return tuple(x / sum(exponentials) for x in exponentials)


# ---- the challenge --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Challenge:
    """What is to be written: its names, the formula it follows, the keys of its rules, the command that grades it."""

    names: tuple[str, str]
    arguments: tuple[str, str]
    formula: str
    rules: tuple[str, ...]
    command: str


CHALLENGE: Final = Challenge(
    ("gradiente_puntuaciones", "scores_gradient"),
    ("A", "G"),
    "gradient",
    ("shape", "values", "no-loop", "no-jacobian", "no-writing"),
    "sqrtdk confirm solution.py:{name} --challenge",
)
