"""What a route returns: evidence, which says how far it reaches.  A lower rung never implies a higher one."""

from dataclasses import dataclass
from enum import Enum

from exact.kernel import Scope

__all__ = ["Evidence", "Rung", "as_json"]


class Rung(Enum):
    """How a claim was established."""

    COUNTED = "counted"  # all 2^d sign vectors, or all outcomes of a finite law, were visited
    PROVED = "proved"  # the kernel accepted a certificate


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one route established, where and how: a formula with its numbers, a scope, the rules that were used.

    `visited`: the vectors or outcomes that were visited one by one; 0 for a proof.
    """

    rung: Rung
    formula: str
    scope: Scope
    how: tuple[str, ...] = ("counting",)
    visited: int = 0

    def __str__(self) -> str:
        return f"{self.rung.value}: {self.formula} {self.scope}"


def as_json(evidence: Evidence) -> dict[str, object]:
    """Return evidence as JSON data; fractions are strings "p/q", a width of null is every width from least_width.

    >>> as_json(Evidence(Rung.COUNTED, "E[e] = 0", Scope(3, 3, "signs"), visited=8))["width"]
    3
    """
    scope = evidence.scope
    return {
        "rung": evidence.rung.value,
        "formula": evidence.formula,
        "width": scope.width,
        "least_width": scope.least,
        "query": [str(x) for x in scope.query] if isinstance(scope.query, tuple) else scope.query,
        "given": [{"exponents": list(a), "moment": str(x)} for a, x in scope.given],
        "how": list(evidence.how),
        "visited": evidence.visited,
    }
