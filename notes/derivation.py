"""The derivation: its claims in order, each with the routes that establish it.

A claim's formula is the one of its id in symbolic/formulas; what is said of it in words stands in notes/words.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final

from exact.kernel import Statement
from notes import routes, sampled_routes, softmax_routes
from notes.routes import Counted, Proved, Route, Run
from symbolic.formulas import formula
from symbolic.plain import plain_formula
from symbolic.writing import Notation

__all__ = ["CLAIMS", "TABLES", "Claim", "Table", "claims_proved_by"]

NOTATION: Final = Notation(width="d")


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the derivation."""

    id: str
    routes: tuple[Route, ...]

    @property
    def formula(self) -> str:
        """The formula as text.

        >>> Claim("second-moment", ()).formula
        'E[e²] = d'
        """
        return plain_formula(formula(self.id), NOTATION)

    @property
    def section(self) -> int:
        """The part of the derivation: 1, on the size of a score; 2, on the gradient of a row."""
        return formula(self.id).section


@dataclass(frozen=True, slots=True)
class Table:
    """One of the two measured tables: nothing in it is proved, and its figures are those that were recorded."""

    id: str
    formula: str
    routes: tuple[Route, ...]
    section: ClassVar[int] = 3


CLAIMS: Final[tuple[Claim, ...]] = (
    Claim("match-count", (Counted(routes.count_match), routes.PROVE_MATCH)),
    Claim("term-sign", (Counted(routes.count_term_sign), routes.PROVE_TERM_SIGN)),
    Claim("square-split", (Counted(routes.count_split), routes.PROVE_SPLIT)),
    Claim("pairing", (Counted(routes.count_pairs), routes.PROVE_PAIRING)),
    Claim(
        "mean",
        (
            Counted(routes.count_mean),
            routes.PROVE_MEAN_HERE,
            routes.PROVE_MEAN,
            routes.INTERPOLATE_MEAN,
            *sampled_routes.of("mean"),
        ),
    ),
    Claim(
        "second-moment",
        (
            Counted(routes.count_second_moment),
            routes.PROVE_SECOND_MOMENT_HERE,
            routes.PROVE_SECOND_MOMENT,
            routes.INTERPOLATE_SECOND_MOMENT,
            *sampled_routes.of("second-moment"),
        ),
    ),
    Claim("typical-size", (Counted(routes.count_typical_size), routes.PROVE_SECOND_MOMENT)),
    Claim(
        "unit-scale",
        (Counted(routes.count_unit_scale), routes.prove_scaled(Fraction(1, 2)), *sampled_routes.of("unit-scale")),
    ),
    Claim("two-properties", (Counted(routes.count_two_properties), routes.prove_from_terms(1, 0, (1, 1)))),
    Claim(
        "scope",
        (
            Counted(routes.count_same_vector),
            routes.prove_from_terms(1, 1, (1, 2)),
            Counted(routes.count_biased),
            routes.prove_from_terms(1, Fraction(1, 4), (Fraction(3, 4), 1), (Fraction(1, 4), 2)),
            Counted(routes.count_correlated),
        ),
    ),
    Claim("only-the-root", (Counted(routes.count_root), *(routes.prove_scaled(Fraction(n, 4)) for n in range(5)))),
    Claim("softmax", softmax_routes.of("softmax")),
    Claim("ratio", (*softmax_routes.of("ratio"), softmax_routes.EIGHT_APART)),
    Claim("jacobian", (*softmax_routes.of("jacobian"), softmax_routes.WHOLE_JACOBIAN)),
    Claim("closed-row", softmax_routes.of("closed-row")),
    Claim("what-dies", softmax_routes.of("what-dies")),
    Claim("cross-entropy", softmax_routes.of("cross-entropy")),
    Claim("sigmoid", softmax_routes.of("sigmoid")),
    Claim("trace", softmax_routes.of("trace")),
    Claim("trace-range", softmax_routes.of("trace-range")),
    Claim("row-sums", softmax_routes.of("row-sums")),
    Claim("gradient", softmax_routes.of("gradient")),
    Claim("argmax", softmax_routes.of("argmax")),
)

TABLES: Final[tuple[Table, ...]] = (
    Table("score-size", "√E[e²] ≈ √d", (sampled_routes.SCORE_SIZE,)),
    Table("softmax-row", "e, e/√d → 1 − Σ_j a_j²", (sampled_routes.SOFTMAX_ROW,)),
)


def claims_proved_by(statement: Statement) -> tuple[str, ...]:
    """Return the ids of the claims whose goal a statement reaches: what a theorem is good for."""
    query = statement.scope.query
    if isinstance(query, tuple) and any(abs(x) != 1 for x in query):
        return ()  # the claims are about sign queries; for another one |q|² stands in the place of d
    run = Run(query if isinstance(query, tuple) else (Fraction(1),))
    return tuple(
        claim.id
        for claim in CLAIMS
        if any(isinstance(route, Proved) and route.goal(run).is_reached_by(statement) for route in claim.routes)
    )
