"""How each claim is established: by counting, which visits vectors, and by proving, which asks the kernel.

The two share no code below this module: counting knows nothing of certificates, and proving visits nothing.  The routes
of the claims on softmax stand in softmax_routes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Final, Literal

from exact import pairing
from exact.coordinates import two_point
from exact.enumeration import Tally, tally
from exact.evidence import Evidence, Rung
from exact.kernel import MomentFromTerms, Scope, Statement, TermRule, check
from exact.laws import JointLaw, independent_law, law_moment, mixed_moment, uniform_law
from exact.matching import count_pairing
from exact.rationals import abbreviate
from exact.termwise import agreements_match, self_scores_are_width, square_splits, squares_are_one

__all__ = ["Counted", "Decided", "Disagrees", "Goal", "Proved", "Route", "Run", "Sampled"]


class Disagrees(ArithmeticError):
    """A route did not find what the claim says; the message gives what it found."""


@dataclass
class Run:
    """One run of the derivation: the query, and the tallies its routes share."""

    query: tuple[Fraction, ...]
    progress: Callable[[int], None] | None = None

    @property
    def width(self) -> int:
        """Return d."""
        return len(self.query)

    @property
    def signs(self) -> tuple[int, ...]:
        """The query, if its entries are signs; else 1, −1, 1, … of the same width."""
        if all(abs(x) == 1 for x in self.query):
            return tuple(map(int, self.query))
        return tuple((-1) ** r for r in range(self.width))

    @property
    def norm(self) -> Fraction:
        """Return |q|²."""
        return sum((x * x for x in self.query), Fraction(0))

    @cached_property
    def tally(self) -> Tally:
        """Every score of the query, visited."""
        return tally(self.query, progress=self.progress)

    @cached_property
    def sign_tally(self) -> Tally:
        """Every score of the sign query, visited."""
        return self.tally if self.signs == self.query else tally(self.signs, progress=self.progress)


# ---- what a route is ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted:
    """Visit vectors, outcomes or points; return None where the claim is empty, at width 1 for a pair."""

    rung: ClassVar[Rung] = Rung.COUNTED
    establish: Callable[[Run], Evidence | None]


@dataclass(frozen=True, slots=True)
class Goal:
    """The statement that a theorem must carry, for the claim to be proved by it."""

    what: Literal["term", "zero-sum", "expansion", "moment"]
    of: tuple[int, ...]
    value: tuple[Any, ...]
    scope: Scope = field(default_factory=lambda: Scope(None, 1, "signs"))
    alpha: Fraction = Fraction(0)

    def is_reached_by(self, s: Statement) -> bool:
        """Compare with all that a statement says, except for the rules it was proved by."""
        return (s.what, s.of, s.value, s.scope, s.alpha) == (self.what, self.of, self.value, self.scope, self.alpha)


@dataclass(frozen=True, slots=True)
class Proved:
    """Ask the kernel to accept a certificate, and compare its theorem with the goal."""

    rung: ClassVar[Rung] = Rung.PROVED
    certificate: Callable[[Run], object]
    goal: Callable[[Run], Goal]

    def establish(self, run: Run) -> Evidence:
        """Return the evidence, or raise `Rejected` or `Disagrees`."""
        statement = check(self.certificate(run)).statement
        if not self.goal(run).is_reached_by(statement):
            raise Disagrees(f"the theorem is another one: {statement.formula} {statement.scope}")
        return Evidence(Rung.PROVED, statement.formula, statement.scope, statement.how)


@dataclass(frozen=True, slots=True)
class Decided:
    """Decide the equations of a claim on their formulas, for every number of positions; the run does not matter."""

    rung: ClassVar[Rung] = Rung.PROVED
    establish: Callable[[Run], Evidence]


@dataclass(frozen=True, slots=True)
class Sampled:
    """Draw at random; what is found is evidence of the lowest rung, and the run does not matter."""

    rung: ClassVar[Rung] = Rung.SAMPLED
    establish: Callable[[Run], Evidence]


Route = Counted | Decided | Proved | Sampled


def everywhere(certificate: object, goal: Goal) -> Proved:
    """Return the route by a certificate that does not depend on the run."""
    return Proved(lambda _: certificate, lambda _: goal)


# ---- counted --------------------------------------------------------------------------------------------------------


def _counted(formula: str, run: Run, visited: int, *, signs: bool = True) -> Evidence:
    query = tuple(map(Fraction, run.signs)) if signs else run.query
    return Evidence(Rung.COUNTED, formula, Scope(run.width, run.width, query), visited=visited)


def _agree(found: object, claimed: object, what: str) -> None:
    if found != claimed:
        raise Disagrees(f"{what} is {found}, not {claimed}")


def count_match(run: Run) -> Evidence:
    """Count agreements on bits and add up the score, at every key."""
    return _counted(f"e = 2m − {run.width}", run, agreements_match(run.signs, run.progress))


def count_term_sign(run: Run) -> Evidence:
    """Square every term at every key."""
    return _counted("t_r² = 1", run, squares_are_one(run.signs, run.progress))


def count_split(run: Run) -> Evidence:
    """Work both sides out at every key."""
    return _counted(f"e² = {run.width} + Σ_{{r≠s}} t_r t_s", run, square_splits(run.signs, run.progress))


def count_pairs(run: Run) -> Evidence | None:
    """Look every partner up, for every pair r ≠ s."""
    if run.width == 1:
        return None
    matching = count_pairing(run.width, progress=run.progress)
    scope = Scope(run.width, run.width, "any")
    return Evidence(Rung.COUNTED, f"Σ t_r t_s = 0, r < s: {matching.pairs}", scope, visited=matching.vectors)


def count_mean(run: Run) -> Evidence:
    """Add up the scores of all keys."""
    _agree(run.tally.total, 0, "Σ e")
    return _counted("Σ e = 0", run, run.tally.count, signs=False)


def count_second_moment(run: Run) -> Evidence:
    """Add up the squares of the scores of all keys."""
    t = run.tally
    _agree(t.total_of_squares, 2**run.width * run.norm, "Σ e²")
    formula = f"Σ e² = {abbreviate(t.total_of_squares)} = 2^{run.width}·{abbreviate(run.norm)}"
    return _counted(formula, run, t.count, signs=False)


def count_typical_size(run: Run) -> Evidence:
    """Take the root of the average of e²."""
    _agree(run.sign_tally.second_moment, run.width, "E[e²]")
    return _counted(f"√E[e²] = √{run.width}", run, run.sign_tally.count)


def count_unit_scale(run: Run) -> Evidence:
    """Divide e² by d."""
    _agree(run.sign_tally.total_of_squares / run.width, run.sign_tally.count, "Σ (e/√d)²")
    return _counted(f"Σ (e/√{run.width})² = {run.sign_tally.count}", run, run.sign_tally.count)


def count_root(run: Run) -> Evidence:
    """Divide e² by d^(2α), for α = 0, 1/2 and 1."""
    d, m2 = run.width, run.sign_tally.second_moment
    _agree([m2, m2 / d, m2 / d**2], [d, 1, Fraction(1, d)], "E[(e/d^α)²] for α = 0, 1/2, 1")
    return _counted(f"α = 0, 1/2, 1: E[(e/d^α)²] = {d}, 1, {Fraction(1, d)}", run, run.sign_tally.count)


def _count_law(formula: str, law: JointLaw, cross: int | Fraction, second_moment: int | Fraction) -> Evidence:
    """See E[t_r²] = 1, the same E[t_r t_s] for all r ≠ s, and E[e²], by going through the outcomes of a law."""
    d = law.width
    for r in range(1, d + 1):
        for s in range(1, d + 1):
            _agree(mixed_moment(law, (r, s)), 1 if r == s else cross, f"E[t_{r} t_{s}]")
    _agree(law_moment(law, 2), second_moment, "E[e²]")
    return Evidence(Rung.COUNTED, formula, Scope(d, d, "any", _given(1, cross)), visited=len(law.outcomes))


def dependent_signs(d: int) -> JointLaw:
    """Return d fair signs that are not independent and have both properties.

    They are the products of a few independent fair signs over d different non-empty sets: any two are uncorrelated, but
    the third of two and their product is settled by the others.
    """
    sets = range(1, d + 1)
    outcomes = 1 << d.bit_length()
    points = (tuple(Fraction((-1) ** (mask & i).bit_count()) for mask in sets) for i in range(outcomes))
    return JointLaw(d, tuple((point, Fraction(1, outcomes)) for point in points))


def count_two_properties(run: Run) -> Evidence:
    """See both properties, and E[e²] = d, in a law whose terms are not independent."""
    return _count_law(f"E[e²] = {run.width}", dependent_signs(run.width), 0, run.width)


def count_same_vector(run: Run) -> Evidence:
    """See that a key equal to its query scores d, whichever the query."""
    d = run.width
    visited = self_scores_are_width(d, run.progress)
    return Evidence(Rung.COUNTED, f"k = q: E[e²] = {d**2}", Scope(d, d, "signs"), visited=visited)


def count_biased(_: Run) -> Evidence:
    """See two independent signs of mean 1/2 give 5/2, not 2."""
    law = independent_law([two_point(-1, 1, "3/4")] * 2)
    return _count_law("E[t_r] = 1/2: E[e²] = 5/2 ≠ 2", law, Fraction(1, 4), Fraction(5, 2))


def count_correlated(_: Run) -> Evidence:
    """See two equal fair signs give 4, not 2."""
    return _count_law("t_1 = t_2: E[e²] = 4 ≠ 2", uniform_law([(1, 1), (-1, -1)]), 1, 4)


# ---- proved ---------------------------------------------------------------------------------------------------------


def _given(square: int | Fraction, cross: int | Fraction) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    return ((2,), Fraction(square)), ((1, 1), Fraction(cross))


def _powers(*terms: tuple[int | Fraction, int | Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
    return tuple((Fraction(c), Fraction(x)) for c, x in terms)


PROVE_MATCH: Final = everywhere(TermRule(1, 1, -1), Goal("term", (1,), (1, -1)))
PROVE_TERM_SIGN: Final = everywhere(TermRule(2, 1, 1), Goal("term", (2,), (1, 1)))
PROVE_SPLIT: Final = everywhere(pairing.expansion(), Goal("expansion", (2,), ((0, 1), (0,), (2,))))
PROVE_PAIRING: Final = everywhere(pairing.flip((0, 1)), Goal("zero-sum", (0, 1), (), Scope(None, 2, "any")))
PROVE_MEAN: Final = everywhere(pairing.moment_everywhere(1), Goal("moment", (1,), ()))
PROVE_SECOND_MOMENT: Final = everywhere(pairing.moment_everywhere(2), Goal("moment", (2,), _powers((1, 1))))
INTERPOLATE_MEAN: Final = everywhere(pairing.interpolation(1), Goal("moment", (1,), ()))
INTERPOLATE_SECOND_MOMENT: Final = everywhere(pairing.interpolation(2), Goal("moment", (2,), _powers((1, 1))))


def prove_scaled(alpha: Fraction) -> Proved:
    """Return the route to E[(e/d^α)²] = d^(1−2α) at every width."""
    goal = Goal("moment", (2,), _powers((1, 1 - 2 * alpha)), alpha=alpha)
    return everywhere(pairing.moment_everywhere(2, alpha), goal)


def prove_from_terms(square: int, cross: int | Fraction, *value: tuple[int | Fraction, int]) -> Proved:
    """Return the route to E[e²] at every width from E[t_r²] and E[t_r t_s]."""
    given = _given(square, cross)
    return everywhere(MomentFromTerms(2, given), Goal("moment", (2,), _powers(*value), Scope(None, 1, "any", given)))


def _at_query(order: int, value: Callable[[Run], Fraction]) -> Proved:
    return Proved(
        lambda run: pairing.moment_at(run.query, order),
        lambda run: Goal("moment", (order,), _powers((value(run), 0)), Scope(run.width, run.width, run.query)),
    )


PROVE_MEAN_HERE: Final = _at_query(1, lambda _: Fraction(0))
PROVE_SECOND_MOMENT_HERE: Final = _at_query(2, lambda run: run.norm)
