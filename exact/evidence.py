"""What a route returns: evidence, which says how far it reaches.  A lower rung never implies a higher one."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from exact.kernel import Theorem

__all__ = ["Evidence", "Rung", "as_json"]


class Rung(Enum):
    """How a claim was established."""

    COUNTED = "counted"  # all 2^d sign vectors, or all outcomes of a finite law, were visited
    PROVED = "proved"  # the kernel accepted a certificate
    MACHINE_CHECKED = "machine-checked"  # an independent proof assistant accepted the statement
    SAMPLED = "sampled"  # Monte Carlo agrees inside a derived bound; never a proof


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one route established, and where.

    `statement`: the formula with its numbers; `width`: the width it holds at, None for every width from `least`;
    `query`: the query it holds for, None for every sign query or every query; `visited`: vectors, pairs or outcomes
    that were visited one by one; `theorem`: what the kernel concluded, where it did.
    """

    rung: Rung
    statement: str
    width: int | None
    least: int = 1
    query: tuple[Fraction, ...] | None = None
    visited: int = 0
    theorem: Theorem | None = None


def as_json(evidence: Evidence) -> dict[str, object]:
    """Return evidence as JSON data; fractions are strings "p/q"."""
    return {
        "rung": evidence.rung.value,
        "statement": evidence.statement,
        "width": evidence.width,
        "least_width": evidence.least,
        "query": None if evidence.query is None else [str(x) for x in evidence.query],
        "visited": evidence.visited,
        "theorem": None if evidence.theorem is None else evidence.theorem.statement.text,
    }
