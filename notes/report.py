"""Checks the derivation by every route, and writes the report: as text, as JSON data, and as certificates."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exact.enumeration import estimate_seconds
from exact.evidence import Evidence, Rung, as_json
from exact.kernel import Rejected, Scope
from exact.matching import NotAMatching
from exact.rationals import abbreviate, write_rational
from exact.termwise import FailsAt
from notes import routes
from notes.derivation import CLAIMS, Claim
from notes.routes import Disagrees, Proved, Run

__all__ = ["Finding", "Result", "certificates", "data", "derive", "estimate", "holds", "lines", "show_vector"]

PROBED_ABOVE: Final = 18
PROBE_WIDTH: Final = 16
TELLING: Final = ("interpolation", "pairing", "counting", "cases", "expansion", "linearity")  # the first is shown


@dataclass(frozen=True, slots=True)
class Finding:
    """What one route came back with: evidence; or, where the claim is false, why; or neither, if it has no case."""

    rung: Rung
    seconds: float
    evidence: Evidence | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A claim and what its routes found."""

    claim: Claim
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether no route failed."""
        return all(finding.failure is None for finding in self.findings)


def derive(run: Run) -> Iterator[Result]:
    """Check every claim by every route, in order."""
    for claim in CLAIMS:
        findings = []
        for route in claim.routes:
            rung = Rung.PROVED if isinstance(route, Proved) else Rung.COUNTED
            start = time.perf_counter()
            try:
                evidence, failure = route.establish(run), None
            except (Rejected, Disagrees, FailsAt, NotAMatching) as error:
                evidence, failure = None, str(error)
            findings.append(Finding(rung, time.perf_counter() - start, evidence, failure))
        yield Result(claim, tuple(findings))


@dataclass(frozen=True, slots=True)
class Work:
    """How much there is to visit, in vectors, and about how long it will take."""

    visits: int
    seconds: float


def estimate(run: Run) -> Work:
    """Estimate the work of the counting routes; above width 18, from a probe at width 16."""
    d, tallies = run.width, 1 + (run.signs != run.query)
    visits = (5 + tallies) << d
    if d <= PROBED_ABOVE:
        return Work(visits, 0.0)
    probe = Run(tuple(map(Fraction, run.signs[:PROBE_WIDTH])))
    start = time.perf_counter()
    for count in (routes.count_match, routes.count_term_sign, routes.count_split, routes.count_pairs):
        count(probe)
    termwise = (time.perf_counter() - start) * (d / PROBE_WIDTH) ** 2 * 2.0 ** (d - PROBE_WIDTH)
    return Work(visits, termwise + tallies * estimate_seconds(run.query))


def holds(results: Sequence[Result]) -> bool:
    """Whether every claim holds."""
    return all(result.holds for result in results)


def certificates(run: Run) -> list[object]:
    """Return the certificates of the derivation, each once, in order."""
    return list(
        dict.fromkeys(route.certificate(run) for claim in CLAIMS for route in claim.routes if isinstance(route, Proved))
    )


# ---- as text --------------------------------------------------------------------------------------------------------


def show_vector(vector: Sequence[int | Fraction], most: int = 8) -> str:
    """Write a vector, its first entries only where it is long.

    >>> show_vector((3, -1, Fraction(1, 2)))
    '(3, −1, 1/2)'
    """
    entries = [abbreviate(x).replace("-", "−") for x in vector[:most]]
    return "(" + ", ".join(entries) + (", …)" if len(vector) > most else ")")


def _scope(scope: Scope, say: Mapping[str, str]) -> str:
    if scope.given:
        key = "given_here" if scope.width else "given"
    elif isinstance(scope.query, tuple):
        key = "here"
    else:
        key = f"{'any_query' if scope.query == 'any' else 'signs'}_here" if scope.width else scope.query
    return say[key].format(width=scope.width, least=scope.least, law=scope.law)


def lines(run: Run, results: Sequence[Result], words: Mapping[str, Any]) -> Iterator[str]:
    """Write the report, a line at a time."""
    say = words["report"]
    yield say["title"].format(width=run.width, query=show_vector(run.query), vectors=1 << run.width)
    if run.signs != run.query:
        yield say["not_signs"].format(norm=abbreviate(run.norm), signs=show_vector(run.signs))
    for result in results:
        yield ""
        yield f"{result.claim.id:<15} {result.claim.formula}"
        yield f"  {words['claims'][result.claim.id]}"
        for finding in result.findings:
            yield _finding_line(finding, words)
    yield ""
    yield _summary(results, say)


def _finding_line(finding: Finding, words: Mapping[str, Any]) -> str:
    rung = words["rungs"][finding.rung.value]
    if finding.failure:
        return f"  {rung:<9} {words['report']['failed']}: {finding.failure}"
    if not finding.evidence:
        return f"  {rung:<9} {words['report']['no_pair']}"
    evidence = finding.evidence
    rule = words["rules"][next(rule for rule in TELLING if rule in evidence.how)]
    scope = _scope(evidence.scope, words["scope"])
    return f"  {rung:<8} {evidence.formula:<37} {scope:<37} {rule:<15}{1000 * finding.seconds:6.1f} ms"


def _summary(results: Sequence[Result], say: Mapping[str, str]) -> str:
    if not holds(results):
        return say["false"].format(claims=", ".join(r.claim.id for r in results if not r.holds))
    findings = [f for r in results for f in r.findings if f.evidence]
    return say["all_hold"].format(
        claims=len(results),
        routes=len(findings),
        counted=sum(f.rung is Rung.COUNTED for f in findings),
        visited=sum(f.evidence.visited for f in findings if f.evidence),
        proved=sum(f.rung is Rung.PROVED for f in findings),
        seconds=f"{sum(f.seconds for f in findings):.2f}",
    )


# ---- as data --------------------------------------------------------------------------------------------------------


def data(run: Run, results: Sequence[Result], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report as JSON data."""
    return {
        "width": run.width,
        "query": [write_rational(x) for x in run.query],
        "holds": holds(results),
        "claims": [
            {
                "id": result.claim.id,
                "formula": result.claim.formula,
                "sentence": words["claims"][result.claim.id],
                "holds": result.holds,
                "routes": [
                    (as_json(f.evidence) if f.evidence else {"rung": f.rung.value, "failure": f.failure})
                    | {"seconds": round(f.seconds, 6)}
                    for f in result.findings
                ],
            }
            for result in results
        ],
    }
