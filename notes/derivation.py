"""The derivation: its claims in order, each with its formula and the routes that establish it.

What is said of a claim in words stands in notes/words, under its id.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from exact.kernel import Statement
from notes import routes
from notes.routes import Counted, Proved, Route, Run

__all__ = ["CLAIMS", "Claim", "claims_proved_by"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the derivation."""

    id: str
    formula: str
    routes: tuple[Route, ...]


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim("match-count", "e = m − (d − m) = 2m − d", (Counted(routes.count_match), routes.PROVE_MATCH)),
    Claim("term-sign", "t_r² = 1", (Counted(routes.count_term_sign), routes.PROVE_TERM_SIGN)),
    Claim("square-split", "e² = d + Σ_{r≠s} t_r t_s", (Counted(routes.count_split), routes.PROVE_SPLIT)),
    Claim("pairing", "E[t_r t_s] = 0 for r ≠ s", (Counted(routes.count_pairs), routes.PROVE_PAIRING)),
    Claim(
        "mean",
        "E[e] = 0",
        (Counted(routes.count_mean), routes.PROVE_MEAN_HERE, routes.PROVE_MEAN, routes.INTERPOLATE_MEAN),
    ),
    Claim(
        "second-moment",
        "E[e²] = d",
        (
            Counted(routes.count_second_moment),
            routes.PROVE_SECOND_MOMENT_HERE,
            routes.PROVE_SECOND_MOMENT,
            routes.INTERPOLATE_SECOND_MOMENT,
        ),
    ),
    Claim("typical-size", "√E[e²] = √d", (Counted(routes.count_typical_size), routes.PROVE_SECOND_MOMENT)),
    Claim("unit-scale", "E[(e/√d)²] = 1", (Counted(routes.count_unit_scale), routes.prove_scaled(Fraction(1, 2)))),
    Claim(
        "two-properties",
        "E[t_r t_s] = 0 for r ≠ s and E[t_r²] = 1 imply E[e²] = d",
        (Counted(routes.count_two_properties), routes.prove_from_terms(1, 0, (1, 1))),
    ),
    Claim(
        "scope",
        "E[(q·q)²] = d²",
        (
            Counted(routes.count_same_vector),
            routes.prove_from_terms(1, 1, (1, 2)),
            Counted(routes.count_biased),
            routes.prove_from_terms(1, Fraction(1, 4), (Fraction(3, 4), 1), (Fraction(1, 4), 2)),
            Counted(routes.count_correlated),
        ),
    ),
    Claim(
        "only-the-root",
        "√E[(e/d^α)²] = d^(1/2−α)",
        (Counted(routes.count_root), *(routes.prove_scaled(Fraction(n, 4)) for n in range(5))),
    ),
)


def claims_proved_by(statement: Statement) -> tuple[str, ...]:
    """Return the ids of the claims whose goal a statement reaches: what a theorem is good for."""
    query = statement.scope.query
    run = Run(query if isinstance(query, tuple) else (Fraction(1),))
    return tuple(
        claim.id
        for claim in CLAIMS
        if any(isinstance(route, Proved) and route.goal(run).is_reached_by(statement) for route in claim.routes)
    )
