"""What a route returns: evidence, which says how far it reaches.  A lower rung never implies a higher one."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from exact.kernel import Scope

__all__ = ["Domain", "Evidence", "Positions", "Rung", "Sample", "as_json"]


class Rung(Enum):
    """How a claim was established."""

    COUNTED = "counted"  # all 2^d sign vectors, all outcomes of a finite law, or all points of a full grid were visited
    PROVED = "proved"  # the kernel accepted a certificate, or both sides of every equation have one normal form
    SAMPLED = "sampled"  # random draws agree inside a bound derived from exact moments, or give the recorded figures
    MACHINE_CHECKED = "machine-checked"  # a proof assistant accepted the statement, with no axiom off the list


@dataclass(frozen=True, slots=True)
class Positions:
    """Where a statement about a row of weights holds: at these numbers T of positions or (None) at every T ≥ 1.

    `width`: the width of queries and keys where they occur: one width, or "every" for every width from 1.
    """

    sizes: tuple[int, ...] | None
    width: int | Literal["every"] | None = None

    @property
    def range(self) -> str:
        """The numbers T as text; a run of three or more by its ends.

        >>> Positions((2, 3, 4, 5, 6)).range, Positions((2,)).range
        ('2 … 6', '2')
        """
        sizes = self.sizes or ()
        if len(sizes) > 2 and sizes == tuple(range(sizes[0], sizes[-1] + 1)):
            return f"{sizes[0]} … {sizes[-1]}"
        return ", ".join(map(str, sizes))

    def __str__(self) -> str:
        T = f"for T = {self.range}" if self.sizes else "for every T ≥ 1"
        if self.width is None:
            return T
        return f"{T} and every width d ≥ 1" if self.width == "every" else f"{T} and d = {self.width}"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was drawn: this many draws of a law at each of these widths, from a seed; nothing is said of other draws."""

    law: str
    widths: tuple[int, ...]
    draws: int
    seed: int

    def __str__(self) -> str:
        widths = ", ".join(map(str, self.widths))
        return f"for {self.draws} draws at d = {widths}, {self.law}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Domain:
    """Where a statement about random letters holds: for which sizes, if it has any, and under which laws, as text.

    >>> str(Domain("every d ≥ 1", "k: signs; q: signs"))
    'for every d ≥ 1; k: signs; q: signs'
    """

    sizes: str
    laws: str = ""

    def __str__(self) -> str:
        return "for " + "; ".join(part for part in (self.sizes, self.laws) if part)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one route established, where and how: a formula with its numbers, a scope, the rules that were used.

    `visited`: the vectors, outcomes or points that were visited one by one; 0 for a proof and for a sample.
    """

    rung: Rung
    formula: str
    scope: Scope | Positions | Domain | Sample
    how: tuple[str, ...] = ("counting",)
    visited: int = 0

    def __str__(self) -> str:
        return f"{self.rung.value}: {self.formula} {self.scope}"


def as_json(evidence: Evidence) -> dict[str, object]:
    """Return evidence as JSON data; fractions are strings "p/q".

    A width of null is every width from least_width, positions of null every T from 1; what a scope does not speak of
    is left out.

    >>> as_json(Evidence(Rung.COUNTED, "E[e] = 0", Scope(3, 3, "signs"), visited=8))["width"]
    3
    >>> as_json(Evidence(Rung.COUNTED, "Σ_j a_j = 1", Positions((2, 3)), visited=12))["positions"]
    [2, 3]
    """
    return {
        "rung": evidence.rung.value,
        "formula": evidence.formula,
        **_scope(evidence.scope),
        "how": list(evidence.how),
        "visited": evidence.visited,
    }


def _scope(scope: Scope | Positions | Domain | Sample) -> dict[str, object]:
    if isinstance(scope, Sample):
        return {"law": scope.law, "widths": list(scope.widths), "draws": scope.draws, "seed": scope.seed}
    if isinstance(scope, Domain):
        return {"sizes": scope.sizes, "laws": scope.laws}
    return _positions(scope) if isinstance(scope, Positions) else _cube(scope)


def _cube(scope: Scope) -> dict[str, object]:
    return {
        "width": scope.width,
        "least_width": scope.least,
        "query": [str(x) for x in scope.query] if isinstance(scope.query, tuple) else scope.query,
        "given": [{"exponents": list(a), "moment": str(x)} for a, x in scope.given],
    }


def _positions(scope: Positions) -> dict[str, object]:
    found: dict[str, object] = {"positions": None if scope.sizes is None else list(scope.sizes)}
    if scope.width == "every":
        return found | {"width": None, "least_width": 1}
    return found if scope.width is None else found | {"width": scope.width, "least_width": scope.width}
