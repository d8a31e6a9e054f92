"""Probabilities and mean sizes of linear combinations of independent variables, by convolution.

Dice, S_n, q·k, weighted sums of signs and variables with finite laws; anything else is visited outcome by outcome.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from exact.coordinates import Finite, affine, sign, uniform_on
from exact.distribution import Distribution, probabilities, sum_distribution
from exact.rationals import BadInput, read_rational
from symbolic.averages.assumptions import Assumptions, read_law
from symbolic.averages.hypergeometric import Reader
from symbolic.averages.outcomes import NotCounted, Table, computed
from symbolic.averages.quotients import as_number, quotient
from symbolic.averages.roles import Roles, base_name, survey
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Divided,
    Inner,
    Listed,
    Multiplied,
    Name,
    Negated,
    Node,
    Number,
    Reading,
    Related,
    Transposed,
)

__all__ = ["BARE", "law_of", "number_of", "pair_of", "sizes_of"]

TERMS = 2000
BARE = ((), ())


def sizes_of(reading: Reading, assumptions: Assumptions) -> dict[str, Fraction]:
    """Return the numbers given for letters, beside the claim or after it."""
    sizes = {name: read_rational(value) for name, value in assumptions.sizes}
    if assumptions.width:
        sizes["d"] = sizes["n"] = read_rational(assumptions.width)
    for aside in reading.aside:
        if aside.relations == ("=",) and isinstance(aside.parts[0], Name) and isinstance(aside.parts[1], Number):
            sizes[aside.parts[0].letter] = aside.parts[1].value
    return sizes


def number_of(node: Node, sizes: dict[str, Fraction], assumptions: Assumptions, reading: Reading) -> Fraction | None:
    """Return a side as a number, None where letters stand in it."""
    reader = Reader(places={name: quotient(x) for name, x in sizes.items()})

    def of(part: Node) -> Fraction | None:
        if isinstance(part, Called) and part.function in ("P", "Pr"):
            return _probability(part, sizes, assumptions, reading)
        if isinstance(part, Called) and part.function == "E" and isinstance(part.arguments[0], Absolute):
            found = _sum_law(part.arguments[0].of, sizes, assumptions, reading)
            if found is not None:
                return sum((abs(x) * p for x, p in probabilities(found)), Fraction(0))
            return _visited(part, sizes, assumptions, reading)
        if isinstance(part, Added | Multiplied):
            pieces = [of(each) for each in (part.terms if isinstance(part, Added) else part.factors)]
            if any(x is None for x in pieces):
                return None
            total = Fraction(0 if isinstance(part, Added) else 1)
            for x in pieces:
                total = total + (x or 0) if isinstance(part, Added) else total * (x or Fraction(0))
            return total
        if isinstance(part, Negated):
            inner = of(part.of)
            return None if inner is None else -inner
        if isinstance(part, Divided):
            over, under = of(part.over), of(part.under)
            return None if over is None or not under else over / under
        try:
            return as_number(reader.of(part).get(BARE, quotient(0))) if set(reader.of(part)) <= {BARE} else None
        except OutsideClass:
            return None

    return of(node)


def _probability(
    node: Called, sizes: dict[str, Fraction], assumptions: Assumptions, reading: Reading
) -> Fraction | None:
    event = node.arguments[0]
    if len(node.arguments) > 1 or node.given or not isinstance(event, Related) or len(event.parts) != 2:
        return _visited(node, sizes, assumptions, reading)
    left, right = event.parts
    law = _sum_law(Added((left, Negated(right))), sizes, assumptions, reading)
    if law is None:
        return _visited(node, sizes, assumptions, reading)
    tests = {"=": lambda x: x == 0, "≠": lambda x: x != 0, "<": lambda x: x < 0, ">": lambda x: x > 0,
             "≤": lambda x: x <= 0, "≥": lambda x: x >= 0}  # fmt: skip
    if event.relations[0] not in tests:
        raise OutsideClass(f"an event is read with =, ≠, <, >, ≤ and ≥ (at {node.at})")
    return sum((p for x, p in probabilities(law) if tests[event.relations[0]](x)), Fraction(0))


def _sum_law(node: Node, sizes: dict[str, Fraction], assumptions: Assumptions, reading: Reading) -> Distribution | None:
    """Return the law of a linear combination of independent variables, None where a tree is none."""
    terms: list[Finite] = []
    names: list[str] = []
    shift = _gather(node, Fraction(1), terms, names, sizes, assumptions, reading)
    if shift is None or len(set(names)) != len(names) or len(terms) > TERMS:
        return None
    if not terms:
        terms = [uniform_on([0])]
    terms[0] = _as_finite(affine(terms[0], 1, shift))
    return sum_distribution(terms)


def _as_finite(law: object) -> Finite:
    if not isinstance(law, Finite):
        raise OutsideClass("a law with a finite list of values is expected in a probability")
    return law


def _gather(
    node: Node,
    factor: Fraction,
    terms: list[Finite],
    names: list[str],
    sizes: dict[str, Fraction],
    assumptions: Assumptions,
    reading: Reading,
) -> Fraction | None:
    """Add the terms of a linear combination to a list, and return its constant; None where it is none."""

    def more(part: Node, by: Fraction) -> Fraction | None:
        return _gather(part, by, terms, names, sizes, assumptions, reading)

    def add(law: Finite, name: str, count: int = 1) -> Fraction:
        terms.extend([_as_finite(affine(law, factor))] * count)
        names.append(name)
        return Fraction(0)

    dice = _dice(node)
    if dice:
        count, faces = dice
        terms.extend([_as_finite(affine(uniform_on(range(1, faces + 1)), factor))] * count)
        return Fraction(0)
    if isinstance(node, Number):
        return node.value * factor
    if isinstance(node, Negated):
        return more(node.of, -factor)
    if isinstance(node, Added) and not any(isinstance(t, Name) and t.letter in ("…", "⋯", "...") for t in node.terms):
        total = Fraction(0)
        for term in node.terms:
            value = more(term, factor)
            if value is None:
                return None
            total += value
        return total
    terms_of = _length(node, sizes)
    if isinstance(node, Name) and node.letter in sizes and not node.subscripts:
        return sizes[node.letter] * factor
    if isinstance(node, Name) and node.letter == "S":
        return None if terms_of is None else add(law_of("X", assumptions), "S", terms_of)
    pair = pair_of(node)
    if pair and terms_of is not None:
        if pair[0] == pair[1]:
            return None
        q, k = (law_of(name, assumptions) for name in pair)
        return add(_product_law(q, k), "·".join(pair), terms_of)
    if isinstance(node, Name):
        spelled = node.letter + "".join(f"_{getattr(s, 'value', '')}" for s in node.subscripts)
        said = dict(assumptions.laws).get(spelled) or assumptions.law_text(node.letter)
        if not said and not (node.subscripts and node.letter in ("X", "x", "ε", "Y")):
            return None
        return add(_finite_law(said or "signs"), spelled)
    if isinstance(node, Multiplied) and len(node.factors) == 2:
        for number, rest in (node.factors, node.factors[::-1]):
            if isinstance(number, Number):
                return more(rest, factor * number.value)
    if isinstance(node, Divided) and isinstance(node.under, Number) and node.under.value:
        return more(node.over, factor / node.under.value)
    weights = _weighted(node, reading)
    if weights is not None:
        terms += [_as_finite(affine(law_of(weights[0], assumptions), factor * x)) for x in weights[1]]
        names.append(weights[0])
        return Fraction(0)
    return None


def _weighted(node: Node, reading: Reading) -> tuple[str, list[Fraction]] | None:
    """Read Σ_i a_i ε_i where an aside gives a = [1, 2, 3]."""
    if not isinstance(node, Big) or node.kind != "sum" or not isinstance(node.body, Multiplied):
        return None
    lists = {
        aside.parts[0].letter: [x.value for x in aside.parts[1].items if isinstance(x, Number)]
        for aside in reading.aside
        if aside.relations == ("=",) and isinstance(aside.parts[0], Name) and isinstance(aside.parts[1], Listed)
    }
    names = [f.letter for f in node.body.factors if isinstance(f, Name)]
    if len(names) == len(node.body.factors) == 2:
        for a, x in (names, names[::-1]):
            if a in lists and x not in lists:
                return x, lists[a]
    return None


def _dice(node: Node) -> tuple[int, int] | None:
    """Read 2d6 as so many dice with so many faces."""
    if isinstance(node, Called) and node.function == "dice":
        count, faces = (part.value if isinstance(part, Number) else Fraction(1, 2) for part in node.arguments)
        if count.denominator != 1 or faces.denominator != 1 or not 1 <= count <= TERMS or not 1 <= faces <= TERMS:
            raise OutsideClass(f"dice are from 1 to {TERMS}, with as many faces (at {node.at})")
        return int(count), int(faces)
    return None


def pair_of(node: Node) -> tuple[str, str] | None:
    """Return the two vectors of an inner product."""
    if isinstance(node, Name) and node.letter == "e" and not node.subscripts:
        return "q", "k"
    sides: tuple[Node, ...] = ()
    if isinstance(node, Inner):
        sides = (node.left, node.right)
    elif isinstance(node, Multiplied) and len(node.factors) == 2:
        first = node.factors[0].of if isinstance(node.factors[0], Transposed) else node.factors[0]
        if node.signs[0] in ("·", "@") or isinstance(node.factors[0], Transposed):
            sides = (first, node.factors[1])
    if len(sides) == 2 and all(isinstance(s, Name) and not s.subscripts for s in sides):
        left, right = (base_name(s) for s in sides if isinstance(s, Name))
        return left, right
    return None


def _length(node: Node, sizes: dict[str, Fraction]) -> int | None:
    """Return how many terms a sum such as S_n, q·k or X_1 + … + X_n has, where that is a number."""
    count: Node | None = None
    if isinstance(node, Name) and node.letter == "S":
        count = node.subscripts[0] if node.subscripts else Name("n")
    elif pair_of(node):
        return next((int(sizes[w]) for w in ("d", "n", "N") if w in sizes), None)
    if isinstance(count, Number):
        return int(count.value)
    if isinstance(count, Name) and count.letter in sizes:
        return int(sizes[count.letter])
    return None


def law_of(name: str, assumptions: Assumptions) -> Finite:
    """Return the finite law of a name, fair signs where none is stated."""
    return _finite_law(assumptions.law_text(name) or "signs")


def _finite_law(said: str) -> Finite:
    found = read_law(said).finite
    if found is None:
        raise OutsideClass(f"a law with a finite list of values is expected in a probability, not {said}")
    return found


def _product_law(q: Finite, k: Finite) -> Finite:
    from exact.terms import Independent, term_law

    found = term_law(Independent(q, k))
    return found if found is not None else sign()


def _visited(node: Node, sizes: dict[str, Fraction], assumptions: Assumptions, reading: Reading) -> Fraction | None:
    """Return a probability or a mean by visiting every outcome, None where letters or infinite laws stand in it."""
    roles = survey(replace(reading, claim=Related((node,))), assumptions)
    if roles.vectors & roles.random and roles.width not in sizes:
        return None
    table = _plain_table(roles, sizes, assumptions)
    try:
        return computed(node, table)
    except (NotCounted, BadInput):
        return None


def _plain_table(roles: Roles, sizes: dict[str, Fraction], assumptions: Assumptions) -> Table:
    laws = {name: law_of(name, assumptions) for name in roles.random}
    width = int(sizes.get(roles.width, Fraction(1)))
    return Table(width, sizes, {}, laws, roles.vectors, {}, roles.score, roles.summand)
