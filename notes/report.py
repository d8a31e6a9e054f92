"""Checks the derivation by every route, and writes the report: as text, as JSON data, and as certificates."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exact.enumeration import estimate_seconds
from exact.evidence import Domain, Evidence, Positions, Rung, Sample, as_json
from exact.kernel import Rejected, Scope
from exact.matching import NotAMatching
from exact.rationals import abbreviate, write_rational
from exact.sampling import FALSE_ALARM
from exact.termwise import FailsAt
from notes import routes
from notes.derivation import CLAIMS, TABLES, Claim, Table
from notes.routes import Disagrees, Proved, Run
from notes.softmax_routes import JOIN

__all__ = [
    "Finding",
    "Result",
    "certificates",
    "data",
    "derive",
    "estimate",
    "holds",
    "lines",
    "show_vector",
    "where_and_how",
]

PROBED_ABOVE: Final = 18
PROBE_WIDTH: Final = 16
FORMULA: Final = 37  # columns
TELLING: Final = (  # the first of these that was used is shown
    *("interpolation", "pairing", "counting", "cases", "expansion", "linearity"),
    *("grid", "units", "locality", "series", "normal form"),
    *("exact bounds", "recorded figures"),
)
WHY_A_PROOF: Final = ("grid", "units")  # the ways of counting that are a proof at the T they visit; said in words


@dataclass(frozen=True, slots=True)
class Finding:
    """What one route came back with: evidence; or, where the claim is false, why; or neither, if it has no case."""

    rung: Rung
    seconds: float
    evidence: Evidence | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A claim, or a table of the lesson, and what its routes found."""

    claim: Claim | Table
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether no route failed."""
        return all(finding.failure is None for finding in self.findings)


def derive(run: Run, claims: Sequence[Claim] | None = None, *, quick: bool = False) -> Iterator[Result]:
    """Check claims by every route, in order; or (None) all of them, and then the lesson's tables.

    `quick` leaves out what is sampled.
    """
    chosen: Sequence[Claim | Table] = claims if claims is not None else CLAIMS if quick else (*CLAIMS, *TABLES)
    for claim in chosen:
        findings = []
        for route in claim.routes:
            if quick and route.rung is Rung.SAMPLED:
                continue
            start = time.perf_counter()
            try:
                evidence, failure = route.establish(run), None
            except (Rejected, Disagrees, FailsAt, NotAMatching) as error:
                evidence, failure = None, str(error)
            findings.append(Finding(route.rung, time.perf_counter() - start, evidence, failure))
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


def _positions(scope: Positions, visited: int, say: Mapping[str, str]) -> str:
    key = "every_T" if scope.sizes is None else "points" if visited else "T"
    if scope.width is not None:
        key += "_every_width" if scope.width == "every" else "_width"
    return say[key].format(sizes=scope.range, width=scope.width, points=visited)


def _scope(
    scope: Scope | Positions | Domain | Sample, visited: int, query: Sequence[Fraction], say: Mapping[str, str]
) -> str:
    if isinstance(scope, Domain):
        return str(scope)
    if isinstance(scope, Positions):
        return _positions(scope, visited, say)
    if isinstance(scope, Sample):
        width = scope.widths[0] if len(scope.widths) == 1 else f"{scope.widths[0]} … {scope.widths[-1]}"
        return say["sample"].format(width=width, draws=scope.draws, law=say[scope.law], seed=scope.seed)
    if scope.given:
        key = "given_here" if scope.width else "given"
    elif isinstance(scope.query, tuple):
        key = "here" if scope.query == tuple(query) else "another_query"
        return say[key].format(width=scope.width, query=show_vector(scope.query, most=3))
    else:
        key = f"{'any_query' if scope.query == 'any' else 'signs'}_here" if scope.width else scope.query
    return say[key].format(width=scope.width, least=scope.least, law=scope.law)


def where_and_how(evidence: Evidence, query: Sequence[Fraction], words: Mapping[str, Any]) -> tuple[str, str]:
    """Return in words where evidence holds, for a run with this query, and the rule it rests on."""
    rule = words["rules"][next(rule for rule in TELLING if rule in evidence.how)]
    return _scope(evidence.scope, evidence.visited, query, words["scope"]), rule


@dataclass(frozen=True, slots=True)
class Layout:
    """How wide the columns of the lines on routes are; `narrow`: where a terminal has no room for them."""

    rung: int
    scope: int
    rule: int
    narrow: bool


def _layout(
    results: Sequence[Result], query: Sequence[Fraction], words: Mapping[str, Any], columns: int | None
) -> Layout:
    found = [where_and_how(f.evidence, query, words) for r in results for f in r.findings if f.evidence]
    rung = max(len(words["rungs"][rung.value]) for rung in Rung if rung is not Rung.MACHINE_CHECKED)
    scope = max([FORMULA, *(len(scope) + 1 for scope, _ in found)])
    rule = max([15, *(len(rule) for _, rule in found)])
    whole = rung + FORMULA + scope + rule + 15  # with the margin, the gaps and the time
    return Layout(rung, scope, rule, columns is not None and columns < whole)


def lines(
    run: Run,
    results: Sequence[Result],
    words: Mapping[str, Any],
    beside: Mapping[str, Sequence[str]] | None = None,
    columns: int | None = None,
) -> Iterator[str]:
    """Write the report, a line at a time; `beside` has more lines on some claims, by id.

    `columns` are those of a terminal: where it is too narrow for columns, what a route found stands on two lines.
    """
    say, layout = words["report"], _layout(results, run.query, words, columns)
    yield say["title"].format(width=run.width, query=show_vector(run.query), vectors=1 << run.width)
    if run.signs != run.query:
        yield say["not_signs"].format(norm=abbreviate(run.norm), signs=show_vector(run.signs))
    section = 0
    for result in results:
        if result.claim.section != section:
            section = result.claim.section
            yield ""
            yield f"{section}. {words['sections'][str(section)]}"
            if any(isinstance(f.evidence.scope, Positions) for f in result.findings if f.evidence):
                said = [words["why"][way] for way in WHY_A_PROOF]
                said = [text.replace("\n", " ") for text in said] if layout.narrow else said
                yield from (f"   {line}" for text in said for line in text.splitlines())
        yield ""
        yield f"{result.claim.id:<15} {result.claim.formula}"
        yield f"  {_sentence(result, words)}"
        if result.claim.id in words["arguments"]:
            yield f"  {words['arguments'][result.claim.id]}"
        for finding in result.findings:
            yield from _finding_lines(finding, run.query, words, layout)
        yield from (beside or {}).get(result.claim.id, ())
    yield ""
    yield _summary(results, say)
    yield from _sampled_summary(results, words["sampled"])


def _sentence(result: Result, words: Mapping[str, Any]) -> str:
    sentence: str = words["tables" if isinstance(result.claim, Table) else "claims"][result.claim.id]
    return sentence


def _sampled_summary(results: Sequence[Result], say: Mapping[str, str]) -> Iterator[str]:
    found = [f for r in results for f in r.findings if f.rung is Rung.SAMPLED]
    if found and holds(results):
        tables = sum(isinstance(r.claim, Table) for r in results)
        seconds = f"{sum(f.seconds for f in found):.2f}"
        yield say["summary"].format(
            estimates=len(found) - tables, tables=tables, alarm=f"{FALSE_ALARM:g}", seconds=seconds
        )


def _finding_lines(
    finding: Finding, query: Sequence[Fraction], words: Mapping[str, Any], layout: Layout
) -> Iterator[str]:
    first, below = f"  {words['rungs'][finding.rung.value]:<{layout.rung}}  ", " " * (layout.rung + 4)
    if finding.failure:
        yield f"{first}{words['report']['failed']}: {finding.failure}"
        return
    if not finding.evidence:
        yield f"{first}{words['report']['no_pair']}"
        return
    evidence = finding.evidence
    scope, rule = where_and_how(evidence, query, words)
    formula, *others = evidence.formula.split(JOIN)
    time_taken = f"{1000 * finding.seconds:.1f} ms"
    if layout.narrow:
        yield first + formula
        yield from (below + other for other in others)
        yield f"{below}{scope} · {rule} · {time_taken}"
        return
    if len(formula) > FORMULA:  # too long for its column: the rest stands in the line below
        yield first + formula
        first, formula = below, ""
    yield f"{first}{formula:<{FORMULA}} {scope:<{layout.scope}} {rule:<{layout.rule}}{time_taken:>9}"
    yield from (below + other for other in others)


def _summary(results: Sequence[Result], say: Mapping[str, str]) -> str:
    if not holds(results):
        return say["false"].format(claims=", ".join(r.claim.id for r in results if not r.holds))
    findings = [f for r in results for f in r.findings if f.evidence and f.rung is not Rung.SAMPLED]
    return say["all_hold"].format(
        claims=sum(isinstance(r.claim, Claim) for r in results),
        routes=len(findings),
        counted=sum(f.rung is Rung.COUNTED for f in findings),
        visited=sum(f.evidence.visited for f in findings if f.evidence),
        kernel=sum(f.rung is Rung.PROVED and isinstance(f.evidence.scope, Scope) for f in findings if f.evidence),
        decided=sum(f.rung is Rung.PROVED and isinstance(f.evidence.scope, Positions) for f in findings if f.evidence),
        seconds=f"{sum(f.seconds for f in findings):.2f}",
    )


# ---- as data --------------------------------------------------------------------------------------------------------


def data(run: Run, results: Sequence[Result], words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report as JSON data."""
    return {
        "width": run.width,
        "query": [write_rational(x) for x in run.query],
        "holds": holds(results),
        "claims": [_result_data(result, words) for result in results if isinstance(result.claim, Claim)],
        "tables": [_result_data(result, words) for result in results if isinstance(result.claim, Table)],
    }


def _result_data(result: Result, words: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": result.claim.id,
        "section": result.claim.section,
        "formula": result.claim.formula,
        "sentence": _sentence(result, words),
        "argument": words["arguments"].get(result.claim.id),
        "holds": result.holds,
        "routes": [_finding_data(finding, words) for finding in result.findings],
    }


def _finding_data(finding: Finding, words: Mapping[str, Any]) -> dict[str, Any]:
    seconds = {"seconds": round(finding.seconds, 6)}
    if not finding.evidence:
        return {"rung": finding.rung.value, "failure": finding.failure} | seconds
    why = [" ".join(words["why"][way].split()) for way in WHY_A_PROOF if way in finding.evidence.how]
    return as_json(finding.evidence) | ({"why": why[0]} if why else {}) | seconds
