"""What the article says below each claim: how it was established, and what Coq is asked to accept."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from exact.evidence import Rung
from exact.kernel import Scope
from notes.coq.definitions import definitions, resting_on, sources
from notes.coq.pins import by_claim
from notes.coq.statements import STATEMENTS
from notes.derivation import CLAIMS
from notes.machine import Checked, Outcome
from notes.report import Result, derive, show_vector, where_and_how
from notes.routes import Run
from symbolic.latex import escaped, worded
from symbolic.writing import Notation

__all__ = ["Findings", "as_code", "coq_definitions", "coq_statement", "evidence", "find", "how_established"]

WIDTH: Final = 12  # at which the derivation is counted for the article
COLUMNS: Final = 106  # of Coq's text, which is set small
BY_CLAIM: Final = by_claim(STATEMENTS)


@dataclass(frozen=True, slots=True)
class Findings:
    """What a run of the derivation found, by claim; and what a proof assistant said, where it was asked."""

    run: Run
    results: Mapping[str, Result]
    outcome: Outcome | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing that was asked came back false."""
        return all(r.holds for r in self.results.values()) and not (self.outcome and self.outcome.failed)

    def checked(self, claim: str) -> Checked | None:
        """Return what became of a claim in the proof assistant; None where it was not asked."""
        asked = self.outcome.claims if self.outcome else ()
        return next((found for found in asked if found.id == claim), None)


def find(claim: str | None, outcome: Outcome | None = None) -> Findings:
    """Check one claim, or (None) all, at d = 12 with the query 1, −1, 1, …, by every route but the assistant's."""
    run = Run(tuple(Fraction((-1) ** r) for r in range(WIDTH)))
    claims = [found for found in CLAIMS if claim in (None, found.id)]
    return Findings(run, {result.claim.id: result for result in derive(run, claims)}, outcome)


def as_code(text: str) -> str:
    """Return what is typed, as LaTeX."""
    return rf"\texttt{{{escaped(text).replace('--', '-{}-')}}}"  # or the two dashes become one


def how_established(found: Findings, words: Mapping[str, Any], letters: Notation) -> str:
    """Return the paragraphs that say how the lines below the claims are to be read."""
    say = words["document"]
    facts = {"width": found.run.width, "keys": 1 << found.run.width, "q": show_vector(found.run.query, most=3)}
    asked = worded(say["no_machine"], letters).replace("@", as_code("sqrtdk latex --as pdf --machine"))
    if found.outcome is not None:
        key = "machine_failed" if found.outcome.failed else "machine"
        asked = escaped(say[key].format(assistant=found.outcome.assistant))
    return f"{worded(say['established'].format(**facts), letters)}\n\n{asked}\n"


def evidence(claim: str, found: Findings, words: Mapping[str, Any], letters: Notation) -> Iterator[str]:
    """Write one line: each rung with where it reaches and by which rule, in words."""
    result = found.results.get(claim)
    if result is None:
        return  # a definition: there is nothing to establish
    parts = []
    for rung in Rung:
        said = list(dict.fromkeys(_reaches(result, rung, found.run.query, words)))
        if said:
            parts.append(rf"\textbf{{{_named(rung, words)}}}: {worded('; '.join(said), letters)}.")
    checked = found.checked(claim)
    if checked is not None:
        parts.append(_machine(checked, found, words))
    yield rf"\established{{{' '.join(parts)}}}"


def _named(rung: Rung, words: Mapping[str, Any]) -> str:
    name: str = words["rungs"][rung.value]
    return name[0].upper() + name[1:]


def _reaches(result: Result, rung: Rung, query: Sequence[Fraction], words: Mapping[str, Any]) -> Iterator[str]:
    for finding in result.findings:
        if finding.rung is not rung:
            continue
        if finding.failure:
            yield f"{words['report']['failed']}: {finding.failure}"
        elif finding.evidence:
            where, rule = where_and_how(finding.evidence, query, words)
            scope = finding.evidence.scope
            law = f"{finding.evidence.formula}, " if isinstance(scope, Scope) and scope.given else ""
            yield f"{law}{where} ({rule})"


def _machine(checked: Checked, found: Findings, words: Mapping[str, Any]) -> str:
    say, rung = words["machine"], _named(Rung.MACHINE_CHECKED, words)
    if checked.failure:
        return rf"\textbf{{{rung}}}: {escaped(say['failed'])}: {escaped(checked.failure.say(say))}."
    number = len(checked.statements)
    theorems = say["theorem"] if number == 1 else say["theorems"].format(number=number)
    axioms = say["real_axioms"].format(number=len(checked.axioms)) if checked.axioms else say["no_axioms"]
    assistant = found.outcome.assistant if found.outcome else ""
    return (
        rf"\textbf{{{rung}}} {escaped(say['checked'].format(assistant=assistant, theorems=theorems, axioms=axioms))}."
    )


def coq_statement(claim: str, found: Findings, words: Mapping[str, Any]) -> Iterator[str]:
    """Write the main statement of a claim as Coq is asked to accept it."""
    if claim not in BY_CLAIM:
        return
    statements = BY_CLAIM[claim]
    key = "coq" if found.checked(claim) else "coq_unasked"
    say = words["document"][key].format(number=len(statements), module=statements[0].module)
    yield rf"\established{{{worded(say).replace('@', as_code(statements[0].theorem))}}}\nopagebreak"
    yield r"{\interlinepenalty=500"  # a short text is better left in one piece
    yield from _verbatim(statements[0].statement.splitlines())
    yield "}"


def coq_definitions(claims: Sequence[str]) -> Iterator[str]:
    """Write the definitions that the main statements of claims rest on, in the order of Coq's files."""
    main = [BY_CLAIM[claim][0].statement for claim in claims if claim in BY_CLAIM]
    named = [found for found in resting_on(main, definitions(sources())) if found.name]
    if named:
        yield from _verbatim([found.text + "." for found in named])


def _verbatim(lines: Sequence[str]) -> Iterator[str]:
    yield r"\begin{coq}"
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 4)
        yield from textwrap.wrap(
            line, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    yield r"\end{coq}"
