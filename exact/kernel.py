"""The trusted core: certificates in, theorems out.  This file is all that one must believe.

The setting: q and k have d coordinates, k runs over the sign cube {−1,1}^d, t_r = q_r k_r and e = Σ_r t_r.  Because
k_r² = 1 (diagonal), a product of terms is, up to a constant, a *character*: the set of coordinates that stand in it an
odd number of times.  A factor t_r more adds r to that set or takes it out; expanding a power is no more than that.  The
sum of a non-empty character over the cube is 0 by a pairing: a partner for every vector that stays inside the cube,
undoes itself, is never the vector itself, and changes the sign.  What is left of an average is its constant.

Rules: cases, pairing, diagonal, linearity, expansion, locality, counting, interpolation.  A certificate is an untrusted
frozen record.  `check` recomputes all that it says and returns a `Theorem`, whose statement comes from what was
checked, or raises `Rejected`.  Standard library only; integers and fractions; no cache and no state.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial, lcm, prod
from typing import Any, Final, Literal, final

__all__ = [
    "Expansion",
    "Interpolation",
    "MomentAt",
    "MomentEverywhere",
    "MomentFromTerms",
    "PairingFlip",
    "PairingTable",
    "Rejected",
    "Scope",
    "Statement",
    "TermRule",
    "Theorem",
    "check",
]

MAX_WIDTH: Final = 4096
MAX_TABLE_WIDTH: Final = 20
MAX_COUNTED_WIDTH: Final = 16
MAX_ORDER: Final = 40
MAX_STEPS: Final = 1 << 19
MAX_BITS: Final = 4096
SHOWN: Final = 64

Coordinates = tuple[int, ...]
Polynomial = tuple[int, ...]  # the coefficients of d⁰, d¹, …


class Rejected(ValueError):
    """A certificate broke a rule; the message says which one, and where."""


# ---- certificates: untrusted ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TermRule:
    """Claims that (q_r k_r)^power is `agree` where the signs q_r and k_r agree, `differ` where they do not."""

    power: int
    agree: int
    differ: int


@dataclass(frozen=True, slots=True)
class PairingTable:
    """Claims that vectors k and partner[k] cancel in Σ_k Π_{r in term} t_r, at one width of at most 20."""

    width: int
    term: Coordinates
    partner: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PairingFlip:
    """Claims it of k and the vector that differs from it in the coordinates of `flip`.

    With width None at every width: coordinates 0, 1, 2, … of the term then stand for any distinct r, s, u, ….
    """

    width: int | None
    term: Coordinates
    flip: Coordinates


@dataclass(frozen=True, slots=True)
class Expansion:
    """Claims that in e^order each character of j coordinates has coefficient coefficients[j], at every width."""

    order: int
    coefficients: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class MomentAt:
    """Claims to name, for each character (a term) in the expansion of e^order, a flip that cancels it."""

    query: tuple[Fraction, ...]
    order: int
    flips: tuple[tuple[Coordinates, Coordinates], ...]


@dataclass(frozen=True, slots=True)
class MomentEverywhere:
    """Claims it at every width, for sign queries, by the size of the character; of e divided by d^alpha."""

    order: int
    flips: tuple[tuple[int, Coordinates], ...]
    alpha: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class MomentFromTerms:
    """Assumes E[t_r^a t_s^b …] for distinct r, s, …: a value for each (a ≥ b ≥ …) that adds to `order`."""

    order: int
    moments: tuple[tuple[tuple[int, ...], Fraction], ...]


@dataclass(frozen=True, slots=True)
class Interpolation:
    """Claims pairs (width, Σ_k e^order for a sign query) and a degree that E[e^order] cannot pass."""

    order: int
    degree: int
    totals: tuple[tuple[int, int], ...]


# ---- theorems -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement holds: at one width or (None) at every width from `least`; for which q; assuming what."""

    width: int | None
    least: int
    query: tuple[Fraction, ...] | Literal["any", "signs"]
    given: tuple[tuple[tuple[int, ...], Fraction], ...] = ()

    @property
    def law(self) -> str:
        """What is assumed of the terms, as text."""
        return ", ".join(f"E[{_product(_spelled(a))}] = {_short(x)}" for a, x in self.given)

    def __str__(self) -> str:
        if self.given:
            return f"for every width d ≥ {self.least} and every law with {self.law}"
        cube = f"over {{−1,1}}^{self.width or 'd'}, "
        if isinstance(self.query, tuple):
            more = f", … {len(self.query)} entries" if len(self.query) > SHOWN else ""
            return f"{cube}for q = ({', '.join(map(_short, self.query[:SHOWN]))}{more})"
        q = "every sign query q" if self.query == "signs" else "every q"
        if self.width:
            return f"{cube}for {q}"
        return f"{cube}for every width d ≥ {self.least}{', distinct coordinates' * (self.least > 1)} and {q}"


@dataclass(frozen=True, slots=True)
class Statement:
    """What a theorem says, as data and, in `formula`, as text.

    `what` and `of`: "term" (power), "zero-sum" (the term), "expansion" or "moment" (order; e divided by d^alpha).
    `value`: a term's values where the signs agree and differ; an expansion's coefficients, by size of the character; a
    moment as pairs (c, x) that stand for Σ c·d^x, with x = 0 at one width.  `how`: the rules that were used.
    """

    what: Literal["term", "zero-sum", "expansion", "moment"]
    of: tuple[int, ...]
    value: tuple[Any, ...]
    scope: Scope
    how: tuple[str, ...]
    formula: str
    alpha: Fraction = Fraction(0)


@final
class Theorem:
    """A checked statement.  Only `check` makes one; it does not change, and is neither copied nor pickled.

    To keep a theorem keep its certificate, and check that again.
    """

    __slots__ = ("_statement",)

    def __init__(self) -> None:
        """Refuse: there is no other way than `check`."""
        raise TypeError("a Theorem comes only from check")

    def __init_subclass__(cls) -> None:
        raise TypeError("there is one kind of Theorem")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Theorem does not change")

    def __reduce_ex__(self, protocol: object) -> str:
        raise TypeError("a Theorem is neither copied nor pickled: keep its certificate, and check that again")

    @property
    def statement(self) -> Statement:
        """What was proved, as data of one's own: to change it changes no theorem."""
        found = _read(self)
        return replace(found, scope=replace(found.scope))

    def __repr__(self) -> str:
        return f"⊢ {self.statement.formula} {self.statement.scope}"


def _lock() -> tuple[Callable[[Statement], Theorem], Callable[[Theorem], Statement]]:
    """Take the slot's name off the class, and mark what is put into it: nobody else then has the slot or the mark."""
    slot: Any = Theorem.__dict__["_statement"]
    mark = object()
    delattr(Theorem, "_statement")

    def prove(statement: Statement) -> Theorem:
        theorem = object.__new__(Theorem)
        slot.__set__(theorem, (mark, statement))
        return theorem

    def read(theorem: Theorem) -> Statement:
        found: tuple[object, Statement] = slot.__get__(theorem)
        if type(found) is not tuple or found[0] is not mark:
            raise AttributeError("this was not made by check: it is no Theorem")
        return found[1]

    return prove, read


_prove, _read = _lock()


# ---- malformed data is rejected, never an accident ------------------------------------------------------------------


def _integer(value: object, low: int, high: int, name: str) -> int:
    if type(value) is not int or not low <= value <= high:
        shown = value if type(value) is int and value.bit_length() < 100 else f"a {type(value).__name__}"
        raise Rejected(f"{name} must be an integer from {low} to {high} (got {shown})")
    return value


def _rational(value: object, name: str) -> Fraction:
    if type(value) is not Fraction:
        raise Rejected(f"{name} must be a Fraction (got a {type(value).__name__})")
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS or value.denominator < 1:
        raise Rejected(f"{name} must be a fraction of at most {MAX_BITS} bits")
    return Fraction(value.numerator, value.denominator)  # one of our own: a Fraction can be changed from outside


def _tuple(value: object, name: str, size: int | None = None) -> tuple[Any, ...]:
    if type(value) is not tuple:
        raise Rejected(f"{name} must be a tuple (got a {type(value).__name__})")
    if size is not None and len(value) != size:
        raise Rejected(f"{name} must have {size} entries (got {len(value)})")
    return value


def _coordinates(value: object, width: int, name: str) -> Coordinates:
    coordinates = _tuple(value, name)
    for r in coordinates:
        if type(r) is not int or not 0 <= r < width:
            raise Rejected(f"{name} has a coordinate outside 0 … {width - 1}")
    return coordinates


def _character(term: object, width: int) -> frozenset[int]:
    """Return the coordinates that stand in a term an odd number of times (diagonal)."""
    coordinates = _coordinates(term, width, "a term")
    if len(coordinates) > MAX_WIDTH:
        raise Rejected(f"a term has at most {MAX_WIDTH} factors (got {len(coordinates)})")
    odd = frozenset(coordinates)
    if len(odd) == len(coordinates):
        return odd
    return frozenset(r for r in odd if coordinates.count(r) % 2)


def _flip(flip: object, width: int) -> frozenset[int]:
    """Return the coordinates whose signs a pairing changes; it then stays inside the cube and undoes itself."""
    coordinates = _coordinates(flip, width, "a flip")
    if len(set(coordinates)) != len(coordinates):
        raise Rejected(f"a flip changes a coordinate twice: {coordinates[:8]}")
    return frozenset(coordinates)


# ---- the rules ------------------------------------------------------------------------------------------------------


def _term_rule(c: TermRule) -> Statement:
    power = _integer(c.power, 1, MAX_ORDER, "power")
    for q, k in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        if (q * k) ** power != _integer(c.agree if q == k else c.differ, -1, 1, "the value of a term"):
            raise Rejected(f"at q_r = {q} and k_r = {k} the term to the power {power} is {(q * k) ** power}")
    t = f"t_r{_up(power)}"
    text = f"Σ_r {t} = m − (d − m) = 2m − d" if power % 2 else f"{t} = 1"
    return Statement("term", (power,), (1, (-1) ** power), _EVERYWHERE, ("cases", "linearity"), text)


def _cancels(character: frozenset[int], flip: frozenset[int]) -> None:
    """Accept the pairing of k with k flipped: no vector is its own partner, and each pair is opposite."""
    if not flip:
        raise Rejected(f"flipping nothing pairs every vector with itself (character {_set(character)})")
    if len(character & flip) % 2 == 0:
        raise Rejected(f"flipping {_set(flip)} does not change the sign of character {_set(character)}")


def _zero_sum(term: Coordinates, width: int | None, least: int) -> Statement:
    how = ("pairing", "diagonal", "linearity")
    if width:
        text = f"Σ {' '.join(f't_{r}' for r in term)} = 0"
        return Statement("zero-sum", term, (), Scope(width, least, "any"), how, text)
    text = f"Σ {_product(term)} = 0"
    return Statement("zero-sum", term, (), Scope(None, least, "any"), (*how, "locality"), text)


def _table(c: PairingTable) -> Statement:
    d = _integer(c.width, 1, MAX_TABLE_WIDTH, "the width of a table")
    character = sum(1 << r for r in _character(c.term, d))
    partner = _tuple(c.partner, "the partner table", 1 << d)
    for k, p in enumerate(partner):
        _integer(p, 0, (1 << d) - 1, f"the partner of vector {k}")
        if partner[p] != k:
            raise Rejected(f"{k} → {p} → {partner[p]}: the pairing does not undo itself")
        if p == k:
            raise Rejected(f"vector {k} is paired with itself")
        if ((character & k).bit_count() + (character & p).bit_count()) % 2 == 0:
            raise Rejected(f"vectors {k} and {p} do not cancel: the term has one sign at both")
    return _zero_sum(c.term, d, d)


def _flip_pairing(c: PairingFlip) -> Statement:
    if c.width is None:
        d = len({_integer(r, 0, MAX_ORDER - 1, "a coordinate of the term") for r in _tuple(c.term, "a term")})
    else:
        d = _integer(c.width, 1, MAX_WIDTH, "width")
    _cancels(_character(c.term, d), _flip(c.flip, d))  # at every width: only the term's own, the others are spectators
    return _zero_sum(c.term, c.width, d)


def _expansion(c: Expansion) -> Statement:
    order = _integer(c.order, 1, MAX_ORDER, "order")
    true = tuple(map(tuple, _expand(order)))
    for j, claimed in enumerate(_tuple(c.coefficients, "the coefficients", order + 1)):
        whole = all(type(x) is int for x in _tuple(claimed, "a polynomial"))
        if not whole or claimed != true[j]:
            raise Rejected(f"in e^{order} a character of {j} coordinates has coefficient {_sum(_powers(true[j]))}")
    names = ["", "·Σ_r t_r", "·Σ_{r<s} t_r t_s", *(f"·Σ_{{|R|={j}}} t_R" for j in range(3, order + 1))]
    sizes = [f"({size})" if " " in size else size for size in (_sum(_powers(p)) for p in true)]
    parts = [size + name for size, name in zip(sizes, names, strict=False) if size != "0"]
    text = f"e{_up(order)} = {' + '.join(parts)}"
    return Statement("expansion", (order,), true, _EVERYWHERE, ("expansion", "diagonal"), text)


def _expand(order: int) -> list[list[int]]:
    """Return the coefficient in e^order of each character of j coordinates, j = 0 … order, as a polynomial in d.

    A factor t_r more reaches it from j − 1 coordinates when r is in it (j ways), from j + 1 when it is not (d − j).
    """
    total = [[1]]
    for m in range(1, order + 1):
        last = [[0], *total, [0], [0]]
        total = [_add([j * x for x in last[j]], [0, *last[j + 2]], [-j * x for x in last[j + 2]]) for j in range(m + 1)]
    return total


def _add(*polynomials: list[int]) -> list[int]:
    total = [0] * max(map(len, polynomials))
    for p in polynomials:
        for i, x in enumerate(p):
            total[i] += x
    while len(total) > 1 and total[-1] == 0:
        total.pop()
    return total


def _moment_at(c: MomentAt) -> Statement:
    query = tuple(_rational(x, "an entry of the query") for x in _tuple(c.query, "the query"))
    d = _integer(len(query), 1, MAX_WIDTH, "width")
    order = _integer(c.order, 1, MAX_ORDER, "order")
    flips: dict[frozenset[int], frozenset[int]] = {}
    for entry in _tuple(c.flips, "the pairings"):
        term, flip = _tuple(entry, "a pairing", 2)
        character = _character(term, d)
        if character in flips:
            raise Rejected(f"character {_set(character)} is paired twice")
        flips[character] = _flip(flip, d)
    unit = 1
    for entry in query:
        unit = lcm(unit, entry.denominator)
        if unit.bit_length() > MAX_BITS:
            raise Rejected(f"the common denominator of the query must have at most {MAX_BITS} bits")
    terms = [(frozenset([r]), x.numerator * (unit // x.denominator)) for r, x in enumerate(query)]
    empty: frozenset[int] = frozenset()
    total, steps = {empty: 1}, 0
    for _ in range(order):
        steps += len(total) * d
        if steps > MAX_STEPS:
            raise Rejected(f"expanding e^{order} at width {d} takes more than {MAX_STEPS} steps")
        step: dict[frozenset[int], int] = defaultdict(int)
        for character, x in total.items():
            for r, n in terms:
                step[character ^ r] += x * n
        total = {character: x for character, x in step.items() if x}
    constant = Fraction(total.pop(empty, 0), unit**order)
    for character in total:
        if character not in flips:
            raise Rejected(f"character {_set(character)} of e^{order} has no pairing")
        _cancels(character, flips[character])
    if len(flips) > len(total):
        raise Rejected(f"{len(flips) - len(total)} of the pairings are for characters that e^{order} does not have")
    value, up = _short(constant), _up(order)
    text = f"Σ e{up} = 2^{d}·{value}, E[e{up}] = {value}" if constant else f"Σ e{up} = 0, E[e{up}] = 0"
    how = ("expansion", "diagonal", "pairing", "linearity")
    return Statement("moment", (order,), ((constant, Fraction(0)),), Scope(d, d, query), how, text)


def _moment_everywhere(c: MomentEverywhere) -> Statement:
    order = _integer(c.order, 1, MAX_ORDER, "order")
    alpha = _rational(c.alpha, "alpha")
    constant, *characters = _expand(order)
    left = {j for j, x in enumerate(characters, 1) if any(x)}
    for entry in _tuple(c.flips, "the pairings"):
        j, flip = _tuple(entry, "a pairing", 2)
        if _integer(j, 1, order, "the size of a character") not in left:
            raise Rejected(f"e^{order} has no characters of {j} coordinates, or they are paired twice")
        _cancels(frozenset(range(j)), _flip(flip, j))  # only the character's own coordinates: the others are spectators
        left.remove(j)
    if left:
        raise Rejected(f"characters of {min(left)} coordinates of e^{order} have no pairing")
    value = tuple((x, i - alpha * order) for x, i in _powers(constant))
    e = f"(e/d{_up(alpha)})" if alpha else "e"
    how = ("expansion", "diagonal", "pairing", "linearity", "locality")
    text = f"E[{e}{_up(order)}] = {_sum(value)}"
    return Statement("moment", (order,), value, _EVERYWHERE, how, text, alpha)


def _moment_from_terms(c: MomentFromTerms) -> Statement:
    order = _integer(c.order, 1, 12, "order")
    total = [Fraction(0)] * (order + 1)
    left = set(_partitions(order, order))
    given: list[tuple[tuple[int, ...], Fraction]] = []
    for entry in _tuple(c.moments, "the moments"):
        exponents, value = _tuple(entry, "a moment", 2)
        if any(type(a) is not int for a in _tuple(exponents, "exponents")) or exponents not in left:
            raise Rejected(f"exponents do not add to {order} in falling order, or stand there twice")
        left.remove(exponents)
        given.append((exponents, _rational(value, "the value of a moment")))
        alike = prod(factorial(exponents.count(a)) for a in set(exponents))
        patterns = factorial(order) // prod(map(factorial, exponents)) // alike
        for i, x in enumerate(_falling(len(exponents))):
            total[i] += patterns * x * given[-1][1]
    if left:
        raise Rejected(f"E[{_product(_spelled(max(left)))}] is not given")
    text = f"E[e{_up(order)}] = {_sum(_powers(total))}"
    scope = Scope(None, 1, "any", tuple(given))
    return Statement("moment", (order,), _powers(total), scope, ("expansion", "linearity"), text)


def _partitions(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    if n == 0:
        yield ()
    for a in range(min(n, largest), 0, -1):
        for rest in _partitions(n - a, a):
            yield (a, *rest)


def _falling(b: int) -> list[int]:
    """Return d(d−1)…(d−b+1), the number of ways to give b blocks distinct coordinates."""
    p = [1]
    for j in range(b):
        p = _add([0, *p], [-j * x for x in p])
    return p


def _interpolation(c: Interpolation) -> Statement:
    """Group the index tuples of e^order by which indices coincide: each group adds at most d(d−1)…(d−order+1)."""
    order = _integer(c.order, 1, MAX_ORDER, "order")
    degree = _integer(c.degree, 0, MAX_COUNTED_WIDTH, "degree")
    if degree < order:
        raise Rejected(f"E[e^{order}] may have degree {order} in d; the certificate allows for {degree}")
    averages: dict[int, Fraction] = {}
    for entry in _tuple(c.totals, "the totals"):
        d, total = _tuple(entry, "a total", 2)
        if _integer(d, 1, MAX_COUNTED_WIDTH, "a counted width") in averages:
            raise Rejected(f"width {d} is counted twice")
        counted = sum((d - 2 * k.bit_count()) ** order for k in range(1 << d))
        if type(total) is not int or total != counted:
            raise Rejected(f"at width {d} the scores to the power {order} add to {counted}")
        averages[d] = Fraction(counted, 1 << d)
    if len(averages) != degree + 1:
        raise Rejected(f"a polynomial of degree at most {degree} needs {degree + 1} widths (got {len(averages)})")
    value = [Fraction(0)] * (degree + 1)
    for d, average in averages.items():
        basis = [Fraction(1)]
        for x in averages:
            if x != d:
                up, down = [Fraction(0), *basis], [*basis, Fraction(0)]
                basis = [(u - x * v) / (d - x) for u, v in zip(up, down, strict=True)]
        value = [v + average * b for v, b in zip(value, basis, strict=True)]
    text = f"E[e{_up(order)}] = {_sum(_powers(value))}"
    return Statement("moment", (order,), _powers(value), _EVERYWHERE, ("counting", "interpolation"), text)


_RULES: Final[dict[type, Callable[[Any], Statement]]] = {
    TermRule: _term_rule,
    PairingTable: _table,
    PairingFlip: _flip_pairing,
    Expansion: _expansion,
    MomentAt: _moment_at,
    MomentEverywhere: _moment_everywhere,
    MomentFromTerms: _moment_from_terms,
    Interpolation: _interpolation,
}


def check(certificate: object) -> Theorem:
    """Return the theorem that a certificate proves, or raise `Rejected` with the rule it broke.

    >>> check(PairingFlip(width=None, term=(0, 1), flip=(0,)))
    ⊢ Σ t_r t_s = 0 over {−1,1}^d, for every width d ≥ 2, distinct coordinates and every q
    >>> check(PairingFlip(width=None, term=(0, 1), flip=(0, 1)))
    Traceback (most recent call last):
        ...
    exact.kernel.Rejected: flipping {0, 1} does not change the sign of character {0, 1}
    """
    rule = _RULES.get(type(certificate))
    if rule is None:
        raise Rejected(f"there is no rule for a {type(certificate).__name__}")
    if not all(hasattr(certificate, field) for field in type(certificate).__slots__):  # type: ignore[attr-defined]
        raise Rejected(f"a {type(certificate).__name__} was left without its fields")
    return _prove(rule(certificate))


# ---- the words of a statement ---------------------------------------------------------------------------------------

_EVERYWHERE: Final = Scope(None, 1, "signs")


def _powers(polynomial: Iterable[int | Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
    return tuple((Fraction(x), Fraction(i)) for i, x in enumerate(polynomial) if x)


def _sum(terms: Iterable[tuple[Fraction, Fraction]]) -> str:
    """Write Σ c·d^x, the highest power first."""
    line = ""
    for c, x in sorted(terms, key=lambda term: -term[1]):
        size = _short(abs(c)) if x == 0 or abs(c) != 1 else ""
        line += (" − " if c < 0 else " + ") + (f"({size})" if x and "/" in size else size) + (f"d{_up(x)}" if x else "")
    return ("−" if line.startswith(" − ") else "") + line[3:] or "0"


def _product(term: Coordinates) -> str:
    names = ["r", "s", "u", "v", "w", *(f"r{i}" for i in range(5, MAX_ORDER))]
    return " ".join(f"t_{names[r]}{_up(term.count(r))}" for r in sorted(set(term)))


def _spelled(exponents: tuple[int, ...]) -> Coordinates:
    return tuple(r for r, a in enumerate(exponents) for _ in range(a))


def _set(coordinates: frozenset[int]) -> str:
    return "{" + ", ".join(map(str, sorted(coordinates)[:8])) + (", …}" if len(coordinates) > 8 else "}")


def _up(x: int | Fraction) -> str:
    if x == 1:
        return ""
    return f"^({x})" if x < 0 or x != int(x) else str(x).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _short(x: Fraction) -> str:
    size = max(abs(x.numerator), x.denominator).bit_length()
    return str(x).replace("-", "−") if size < 200 else f"[a fraction of {size} bits]"
