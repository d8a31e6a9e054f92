"""The answer to a question put by a reader: one of five, with what was understood, what it stands on, and why.

Sentences are not kept here but notes: a key and its values, which the words of a language turn into a sentence.
Standard library and exact.evidence only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from exact.evidence import Evidence
from exact.evidence import as_json as evidence_as_json

__all__ = ["Answer", "Disagreement", "Note", "Refutation", "Verdict", "as_json", "combined", "note", "worst"]


class Disagreement(RuntimeError):
    """Two routes that share no code disagree: a fault of the program, and neither is believed."""


class Answer(Enum):
    """The five answers to a claim, and none between them; READ where no claim was made."""

    PROVED = "proved"
    FALSE = "false"
    NEEDS_ASSUMPTION = "needs assumption"
    UNDECIDED = "undecided"
    INVALID = "invalid input"
    READ = "read"


EXIT_CODES = {
    Answer.PROVED: 0,
    Answer.FALSE: 1,
    Answer.INVALID: 2,
    Answer.NEEDS_ASSUMPTION: 3,
    Answer.UNDECIDED: 3,
    Answer.READ: 0,
}


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to say: a key into the words, and the values that fill the sentence."""

    key: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refutation:
    """The smallest exact counterexample: where, what the claim gives there, and what is right there.

    `where`: names and their exact values as text, in order.
    """

    where: tuple[tuple[str, str], ...]
    claimed: str
    correct: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """An answer with its reasons.

    `claim`, `latex`: the question as it was understood, in plain text and in LaTeX.  `understood`: how ambiguous
    readings were resolved.  `notes`: diagnosis, nearest true statement, where it holds, the assumption that is missing.
    `steps`: the verdict of each step of a chain, or of each reading where several make sense.
    """

    answer: Answer
    claim: str
    latex: str = ""
    understood: tuple[Note, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    counterexample: Refutation | None = None
    notes: tuple[Note, ...] = ()
    steps: tuple[Verdict, ...] = ()

    @property
    def exit_code(self) -> int:
        """What the command answers: 0 proved, 1 false, 2 invalid input, 3 undecided or in need of an assumption."""
        return EXIT_CODES[self.answer]


def note(key: str, **values: object) -> Note:
    """Return a note from a key and its values.

    >>> note("factor", factor=2)
    Note(key='factor', values=(('factor', '2'),))
    """
    return Note(key, tuple((name, str(value)) for name, value in values.items()))


def worst(answers: Iterable[Answer]) -> Answer:
    """Return the answer of several together: false before invalid, invalid before undecided, and so on.

    >>> worst([Answer.PROVED, Answer.UNDECIDED]).value
    'undecided'
    """
    order = (Answer.FALSE, Answer.INVALID, Answer.UNDECIDED, Answer.NEEDS_ASSUMPTION, Answer.PROVED, Answer.READ)
    found = set(answers)
    return next((answer for answer in order if answer in found), Answer.PROVED)


def combined(
    claim: str,
    steps: Sequence[Verdict],
    *,
    answer: Answer | None = None,
    understood: tuple[Note, ...] = (),
    notes: tuple[Note, ...] = (),
) -> Verdict:
    """Return the verdict of several steps together: the worst answer unless one is given, the first counterexample."""
    return Verdict(
        answer or worst(step.answer for step in steps),
        claim,
        understood=understood,
        evidence=tuple(each for step in steps for each in step.evidence),
        counterexample=next((step.counterexample for step in steps if step.counterexample), None),
        notes=notes,
        steps=tuple(steps),
    )


def as_json(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as JSON data; every key is always there, and numbers are strings "p/q"."""
    found = verdict.counterexample
    return {
        "verdict": verdict.answer.value,
        "claim": verdict.claim,
        "latex": verdict.latex,
        "understood": [_note(each) for each in verdict.understood],
        "evidence": [evidence_as_json(each) for each in verdict.evidence],
        "counterexample": None
        if found is None
        else {"where": dict(found.where), "claimed": found.claimed, "correct": found.correct},
        "diagnosis": [_note(each) for each in verdict.notes],
        "steps": [as_json(step) for step in verdict.steps],
    }


def _note(each: Note) -> dict[str, object]:
    return {"key": each.key, **dict(each.values)}
