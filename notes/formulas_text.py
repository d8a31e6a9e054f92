"""What `sqrtdk latex` prints: formulas as LaTeX, one or all; alone, aligned, in steps, as a document or as JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from exact.rationals import BadInput
from symbolic import second_moment, softmax
from symbolic.expressions import Entry, Expression, Index, Partial
from symbolic.formulas import DEFINITIONS, FORMULAS
from symbolic.latex import align, data, derivation, formula_snippet, snippet, worded
from symbolic.plain import plain
from symbolic.softmax import Step
from symbolic.statements import Formula
from symbolic.writing import Notation

__all__ = [
    "ARTICLES",
    "FORMS",
    "Steps",
    "aligned",
    "chosen",
    "derivations",
    "notation",
    "read_form",
    "sentence",
    "write",
]

FORMS: Final = ("snippet", "align", "steps", "document", "pdf", "json")
ARTICLES: Final = ("document", "pdf")  # the forms that notes.document writes
LETTERS: Final = {"alpha": "α"}
DERIVED: Final = ("second-moment", "jacobian")  # the claims with a derivation in steps


@dataclass(frozen=True, slots=True)
class Steps:
    """A derivation: which one, the expression it starts from, and its steps."""

    key: str
    start: Expression
    steps: tuple[Step, ...]


def notation(width: str, weight: str, score: str, base: str, limits: bool = False) -> Notation:
    """Return the notation that the options mean; BadInput, by the option's name, for what is not on offer."""
    if base not in ("0", "1"):
        raise BadInput(f"--base must be one of 0, 1 (got {base!r})")
    try:
        return Notation(width, LETTERS.get(weight, weight), score, int(base), limits)
    except ValueError as error:
        said = str(error).replace("α", "alpha").replace("width", "width-symbol", 1)
        raise BadInput(f"--{said}") from None


def read_form(form: str) -> str:
    """Return the form that --as means, or BadInput."""
    if form not in FORMS:
        raise BadInput(f"--as must be one of {', '.join(FORMS)} (got {form!r})")
    return form


def write(claim: str | None, form: str, letters: Notation, words: Mapping[str, Any]) -> str:
    """Write the formula of a claim, or (None) all formulas, in one of FORMS that is no article."""
    formulas = chosen(claim)
    if form == "steps":
        return _all_steps(claim, letters, words)
    if form == "json":
        return json.dumps([_data(found, letters, words) for found in formulas], ensure_ascii=False, indent=2)
    if form == "align":
        return "\n\n".join(f"% {found.id}\n{align(found.statements, letters)}" for found in formulas)
    if claim is not None:
        return formula_snippet(formulas[0], letters)
    return "\n".join(f"{found.id:<15} {formula_snippet(found, letters)}" for found in formulas)


def chosen(claim: str | None) -> Sequence[Formula]:
    """Return the formula of an id, or (None) all; BadInput for an id that is none."""
    every = {found.id: found for found in (*DEFINITIONS, *FORMULAS)}
    if claim is None:
        return tuple(every.values())
    if claim not in every:
        near = get_close_matches(claim, every, 1)
        hint = f"did you mean {near[0]}?" if near else "sqrtdk latex lists all"
        raise BadInput(f"no formula is called {claim!r}; {hint}")
    return (every[claim],)


def derivations(claim: str) -> Iterator[Steps]:
    """Return the derivations in steps that a claim has."""
    if claim == "second-moment":
        yield Steps("second-moment", second_moment.START, second_moment.derive())
    if claim == "jacobian":
        weight, found = Entry("a", (Index("j"),)), softmax.derive()
        yield Steps("jacobian-same", Partial(weight, Entry("e", (Index("j"),))), found.same)
        yield Steps("jacobian-crossed", Partial(weight, Entry("e", (Index("l"),))), found.crossed)


def aligned(found: Steps, letters: Notation, words: Mapping[str, Any]) -> str:
    """Write a derivation as LaTeX, the rule in words beside each step."""
    lines = [(found.start, ""), *((step.expression, words["steps"][step.rule]) for step in found.steps)]
    return derivation(lines, letters)


def _all_steps(claim: str | None, letters: Notation, words: Mapping[str, Any]) -> str:
    if claim is not None and claim not in DERIVED:
        raise BadInput(f"--as steps: only {' and '.join(DERIVED)} are derived in steps (got {claim!r})")
    return "\n\n".join(
        f"% {worded(words['latex'][found.key], letters)}\n{aligned(found, letters, words)}"
        for name in ([claim] if claim else DERIVED)
        for found in derivations(name)
    )


def sentence(claim: str, words: Mapping[str, Any]) -> str:
    """Return what is said of a formula in words."""
    return str(words["claims"].get(claim) or words["latex"][claim])


def _data(formula: Formula, letters: Notation, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return a formula as JSON data, its words as LaTeX text."""
    found_steps = [
        {
            "about": worded(words["latex"][found.key], letters),
            "start": snippet(found.start, letters),
            "steps": [
                {
                    "latex": snippet(step.expression, letters),
                    "text": plain(step.expression, letters),
                    "rule": step.rule,
                    "reason": worded(words["steps"][step.rule], letters),
                }
                for step in found.steps
            ],
        }
        for found in derivations(formula.id)
    ]
    said = worded(sentence(formula.id, words), letters)
    return data(formula, letters) | {"sentence": said, "derivations": found_steps}
