"""The second route for a proved equality: both sides counted at small widths, outcome by outcome.

What is counted shares no code with the polynomials (outcomes), and a disagreement is an error, never a verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from exact.coordinates import Finite, read_coordinate, uniform_on
from exact.evidence import Domain, Evidence, Rung
from exact.rationals import BadInput
from exact.verdicts import Disagreement
from symbolic.averages.assumptions import Assumptions, read_law
from symbolic.averages.outcomes import NotCounted, Table, Values, computed, drawn_from
from symbolic.averages.quotients import Quotient, as_number
from symbolic.averages.roles import Roles, base_name, has_operator
from symbolic.reading.surface import (
    Called,
    Name,
    Node,
    Reading,
    walk,
)

__all__ = ["agrees"]


def agrees(
    reading: Reading,
    left: Node,
    right: Node,
    roles: Roles,
    assumptions: Assumptions,
    sizes: Mapping[str, Quotient],
    law: str = "",
    query: tuple[Fraction, ...] = (),
) -> tuple[Evidence, ...]:
    """Check a proved equality at small widths, outcome by outcome, and return what was counted, if anything was.

    Raises Disagreement where the count contradicts it.
    """
    if roles.mentioned or assumptions.rho or assumptions.mean or assumptions.query.strip() == "same":
        return ()
    if any(aside for aside in reading.aside if not isinstance(aside.parts[0], Name)):
        return ()
    try:
        laws = {name: _finite(name, roles, assumptions, law) for name in roles.random}
    except (NotCounted, BadInput):
        return ()
    seen, widths = 0, []
    sized = bool(roles.vectors | roles.matrices) or any(
        isinstance(part, Name) and part.letter == roles.width.split("_")[0]
        for side in (left, right)
        for part in walk(side)
    )
    for width in (1, 2, 3) if sized else (1,):
        given = as_number(sizes[roles.width]) if roles.width in sizes else Fraction(width)
        if given is None or given > 6 or (roles.width in sizes and width > 1):
            break
        table = _table(int(given), left, right, roles, sizes, laws)
        if table is None:
            continue
        if query:
            table = replace(table, arrays={**table.arrays, "q": list(query)})
        try:
            values = [_everywhere(side, table) for side in (left, right)]
        except (NotCounted, ZeroDivisionError, RecursionError):
            continue
        if not _agree(*values):
            raise Disagreement(
                f"counting gives {values[0][:4]} and {values[1][:4]} at {roles.width} = {given}: {reading.text}"
            )
        seen += max(1, len(table.visited))
        widths.append(int(given))
    if not widths:
        return ()
    domain = Domain(
        f"{roles.width} = {', '.join(map(str, widths))}" if sized else "",
        "; ".join(f"{n}: {_named(x)}" for n, x in sorted(laws.items())),
    )
    return (Evidence(Rung.COUNTED, reading.text, domain, ("every outcome",), seen),)


def _everywhere(side: Node, table: Table) -> list[Fraction]:
    """Return the value of a side in every outcome of what is not averaged; one value where all is."""
    averaged = has_operator(side)
    conditional = any(isinstance(part, Called) and part.given for part in walk(side))
    names = {base_name(part) for part in walk(side) if isinstance(part, Name)}
    if (averaged and not conditional) or not names & (set(table.laws) | {"e", "t", "S"}):
        return [computed(side, table)]
    return [computed(side, replace(table, drawn=drawn)) for _, drawn in drawn_from(table, frozenset(table.laws))]


def _agree(left: list[Fraction], right: list[Fraction]) -> bool:
    long, short = (left, right) if len(left) >= len(right) else (right, left)
    return all(x == short[i if len(short) > 1 else 0] for i, x in enumerate(long))


def _finite(name: str, roles: Roles, assumptions: Assumptions, law: str) -> Finite:
    said = assumptions.law_text(name) or law
    if not said:
        said = "signs" if name in roles.vectors else "weights:-1=2/3,2=1/3"
    if said == "signs":
        return uniform_on([-1, 1])
    if said.startswith(("weights", "values")):
        found = read_coordinate(said)
    else:
        known = read_law(said).finite
        if known is None:
            raise NotCounted("a law that is no finite list")
        found = known
    if not isinstance(found, Finite):
        raise NotCounted("a law that is no finite list")
    return found


def _named(law: Finite) -> str:
    return "signs" if law == uniform_on([-1, 1]) else law.name


def _table(
    width: int, left: Node, right: Node, roles: Roles, sizes: Mapping[str, Quotient], laws: Mapping[str, Finite]
) -> Table | None:
    letters: dict[str, Fraction] = {roles.width: Fraction(width)}
    for name, value in sizes.items():
        number = as_number(value)
        if number is not None:
            letters[name] = number
    arrays: dict[str, Values] = {}
    primes = (2, 3, 5, 7, 11, 13)
    for side in (left, right):
        for part in walk(side):
            if not isinstance(part, Name):
                continue
            key = base_name(part)
            if key in laws or key in ("e", "t", "S", "δ", "…", "⋯"):
                continue
            if key in roles.matrices:
                if key == "I":
                    arrays[key] = [[Fraction(r == s) for s in range(width)] for r in range(width)]
                else:
                    arrays[key] = [[Fraction(2 + (r + s) ** 2) for s in range(width)] for r in range(width)]
            elif key in roles.vectors:
                arrays[key] = [Fraction(primes[r] + len(arrays) % 2) for r in range(width)]
            else:
                spelled = key + "".join("_" + base_name(s) for s in part.subscripts if isinstance(s, Name))
                letters.setdefault(spelled, Fraction(len(letters) + 1))
    return Table(width, letters, arrays, laws, roles.vectors, {}, roles.score, roles.summand)
