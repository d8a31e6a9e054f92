r"""A reader's formula, chain of equations or moment claim → a verdict: `confirm`.

The text is read (reading), given a meaning (weights, or averages where it speaks of averages), and decided; a chain
gets a verdict for each step.  Proved means decided for every T and every width, or at the sizes that the claim names;
no search is ever called a proof.

>>> confirm(r"\frac{\partial a_i}{\partial e_j} = a_i(\delta_{ij} - a_j)").answer.value
'proved'
>>> verdict = confirm(r"\frac{\partial a_i}{\partial e_j} = a_i(1 - a_i)")
>>> verdict.answer.value, verdict.counterexample.where, verdict.counterexample.claimed, verdict.counterexample.correct
('false', (('T', '2'), ('i', '1'), ('j', '2'), ('e', '(0, 0)'), ('a', '(1/2, 1/2)')), '1/4', '−1/4')
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final, Literal

from exact.evidence import Evidence, Positions, Rung
from exact.rationals import BadInput
from exact.verdicts import Answer, Disagreement, Note, Refutation, Verdict, note, worst
from symbolic.averages.assumptions import Assumptions
from symbolic.averages.claims import about_moments, confirm_moments, in_order
from symbolic.calculus import Setting
from symbolic.expressions import (
    Entry,
    Exp,
    Expression,
    Gradient,
    OutsideClass,
    Partial,
    Symbol,
    walk,
)
from symbolic.latex import snippet, statement_snippet
from symbolic.normal_form import indices_in
from symbolic.patience import TooLong, within
from symbolic.plain import plain, plain_statement
from symbolic.reading.cases import claims_by_case
from symbolic.reading.echo import echo
from symbolic.reading.reader import read
from symbolic.reading.sentences import conclusion_first
from symbolic.reading.surface import Called, Differentiated, Divided, Multiplied, Name, Reading, Transposed
from symbolic.reading.surface import walk as walk_surface
from symbolic.statements import Chain
from symbolic.weights.deciding import Decision, decide, holds, refuted_where_even, search
from symbolic.weights.diagnosis import diagnose, known_form
from symbolic.weights.letters import SCORES, Choice, key
from symbolic.weights.lines import Lined
from symbolic.weights.meaning import Meant, mean
from symbolic.weights.roles import choices
from symbolic.weights.rows import RowOfNumbers, row_of_numbers
from symbolic.weights.settling import claims_of, gradient_first, has_row_sigmoid, settled, with_operator
from symbolic.writing import Notation

__all__ = ["confirm"]

_LAYOUT: Final = re.compile(r"\\(?:begin|end)\{[^{}]*\}|\\\\|&|\$")
MOST_SECONDS: Final = 9


def confirm(text: str, assumptions: Assumptions | None = None) -> Verdict:
    """Return the verdict on a formula or a chain, in LaTeX, Python or plain notation.

    `assumptions` says what is assumed in claims about averages: the laws of vectors and variables, sizes, correlation.
    """
    texts = claims_by_case(text)
    if len(texts) > 1:
        return _several(text, tuple(confirm(each, assumptions) for each in texts))
    try:
        reading = with_operator(read(text))
        with within(MOST_SECONDS):
            if about_moments(reading) and not _about_weights(reading):
                return _about_averages(reading, assumptions or Assumptions())
            return _among_weights(reading)
    except BadInput as error:
        return Verdict(Answer.INVALID, text.strip(), notes=(note("invalid", message=error),))
    except TooLong:
        return _outside(text, f"deciding it takes longer than {MOST_SECONDS} seconds")
    except Disagreement as error:
        return _outside(text, f"two routes disagree, which is a fault of the program: {error}")
    except (ValueError, RecursionError, ArithmeticError, LookupError, TypeError, AttributeError) as error:
        if isinstance(error, RecursionError) or "integer string conversion" in str(error):
            return _outside(text, "its numbers, or its nesting, are too large")
        return _outside(text, f"reading it meets a fault of the program ({type(error).__name__})")


def _outside(text: str, reason: object) -> Verdict:
    return Verdict(Answer.UNDECIDED, text.strip(), notes=(note("outside", message=reason),))


def _about_weights(reading: Reading) -> bool:
    """Say whether a claim is about derivatives, gradients such as dQ, or the softmax."""
    nodes = [node for tree in (reading.claim, *reading.aside) for node in walk_surface(tree)]
    return any(
        isinstance(node, Differentiated)
        or (isinstance(node, Name) and node.accent == "d")
        or (isinstance(node, Called) and node.function in {"softmax", "logsoftmax"})
        for node in nodes
    )


def _about_averages(reading: Reading, assumptions: Assumptions) -> Verdict:
    try:
        reading = in_order(reading, assumptions)
        verdict = _with_texts(confirm_moments(reading, assumptions), reading)
        return replace(verdict, latex=verdict.latex or echo(reading.claim))
    except OutsideClass as error:
        return _outside(reading.text, error)


def _with_texts(verdict: Verdict, reading: Reading) -> Verdict:
    """Give each step of a chain its own piece of the text."""
    claim, text = reading.claim, reading.text
    readings = any(item.key == "law-read" for step in verdict.steps for item in step.understood)
    if readings or len(verdict.steps) != len(claim.relations) or len(verdict.steps) < 2:
        return verdict
    starts = [_start(text, part.at) for part in claim.parts] + [len(text)]
    pieces = [_LAYOUT.sub(" ", text[starts[n] : starts[n + 2]]).strip(" =,.\n\t") for n in range(len(verdict.steps))]
    steps = (replace(step, claim=" ".join(piece.split())) for step, piece in zip(verdict.steps, pieces, strict=True))
    return replace(verdict, steps=tuple(steps))


def _start(text: str, at: int) -> int:
    """Return where a part begins, brackets and a sign before its first letter included."""
    while at > 0 and text[at - 1] in "(-− {[":
        at -= 1
    return at


def _among_weights(reading: Reading) -> Verdict:
    """Decide a claim about rows of weights; where a letter may be weights or scores, decide both."""
    try:
        reading = gradient_first(conclusion_first(reading, lambda each: "≠" in each.relations))
    except OutsideClass as error:
        return _outside(reading.text, error)
    if (row := row_of_numbers(reading)) is not None:
        return _about_numbers(reading, row)
    claims = claims_of(reading)
    if len(claims) > 1:
        return _several(reading.text, tuple(map(_in_every_reading, claims)))
    return _in_every_reading(reading)


def _several(text: str, verdicts: tuple[Verdict, ...]) -> Verdict:
    """Give the verdict on several claims: the worst of them, and each."""
    count = note("several-claims", count=len(verdicts))
    answer = worst(verdict.answer for verdict in verdicts)
    first = next((verdict for verdict in verdicts if verdict.answer is answer), verdicts[0])
    return Verdict(answer, text.strip(), counterexample=first.counterexample, notes=(count,), steps=verdicts)


def _in_every_reading(reading: Reading) -> Verdict:
    """Decide a claim as it is read first; where that is false and another reading holds, give both."""
    first = _one_meaning(reading, Choice())
    if first.answer not in {Answer.FALSE, Answer.UNDECIDED}:
        return first
    for choice, one, other, said in _choices(reading):
        if first.answer is Answer.UNDECIDED and not choice.square:
            continue
        with suppress(TooLong), within(MOST_SECONDS / 4):
            second = _one_meaning(reading, choice)
            if second.answer is Answer.PROVED:
                steps = (
                    replace(first, understood=(one, *first.understood)),
                    replace(second, understood=(other, *second.understood)),
                )
                found = first.counterexample
                return Verdict(
                    Answer.NEEDS_ASSUMPTION, first.claim, first.latex, counterexample=found, notes=(said,), steps=steps
                )
    return first


def _choices(reading: Reading) -> Iterator[tuple[Choice, Note, Note, Note]]:
    """Yield other readings of a claim: each with what it and the first are called, and what to say of the two."""
    if letter := _other_weights(reading):
        names = (note("as-scores", letter=letter), note("as-weights", letter=letter))
        yield Choice(weights=letter), *names, note("two-readings", letter=letter)
    if has_row_sigmoid(reading):
        yield Choice(entrywise=True), note("as-softmax"), note("as-sigmoid"), note("two-functions")
    with suppress(OutsideClass):
        for choice in choices(settled(reading)[0]):
            if choice.square:
                yield choice, note("as-rows"), note("as-square"), note("two-sizes")
            else:
                spoken = {"weights": choice.weights, "scores": choice.scores}
                yield choice, note("as-first"), note("as-other", **spoken), note("two-rows", **spoken)


def _about_numbers(reading: Reading, row: RowOfNumbers) -> Verdict:
    """Give the verdict on the softmax of a row of numbers."""
    claim = reading.text.strip()
    if row.right is None:
        return Verdict(Answer.INVALID, claim, notes=(note("masked-row"),))
    right = f"({', '.join(map(str, row.right))})"
    if row.claimed is None:
        return Verdict(Answer.READ, claim, notes=(note("value", formula=right, latex=right),))
    if row.claimed == row.right:
        scope = Positions((len(row.right),))
        return Verdict(Answer.PROVED, claim, evidence=(Evidence(Rung.COUNTED, claim, scope, ("counting",), 1),))
    found = Refutation((("T", str(len(row.right))),), f"({', '.join(map(str, row.claimed))})", right)
    return Verdict(Answer.FALSE, claim, counterexample=found)


def _other_weights(reading: Reading) -> str:
    """Return the scores' letter where it stands beside a Jacobian without weights, as in diag(x) − x xᵀ."""
    names = {node.letter for node in walk_surface(reading.claim) if isinstance(node, Name) and not node.accent}
    jacobian = "J" in names or any(isinstance(node, Differentiated) for node in walk_surface(reading.claim))
    found = [letter for letter in SCORES if letter in names]
    return found[0] if jacobian and len(found) == 1 and not names & {"a", "p", "s", "o", "α", "π", "L"} else ""


def _one_meaning(reading: Reading, choice: Choice) -> Verdict:
    try:
        meant = mean(reading, choice)
    except OutsideClass as error:
        return _outside(reading.text, error)
    notation = Notation(width="d_k" if "d_k" in reading.text else "d")
    if meant.roles.lines:
        notation = Lined(lines=meant.roles.lines)
    statement = Chain(meant.parts, tuple(meant.relations), meant.unlike)
    understood = (*meant.notes, *_divisions(reading))
    claim, latex = plain_statement(statement, notation), statement_snippet(statement, notation)
    if not meant.relations:
        return Verdict(Answer.READ, claim, latex, understood, notes=_value(meant, notation))
    if (name := _defined(reading, meant)) is not None:
        return Verdict(Answer.READ, claim, latex, understood, notes=(note("definition", name=name),))
    steps = tuple(_step(meant, n, notation) for n in range(len(meant.relations)))
    if len(steps) == 1:
        return replace(steps[0], claim=claim, latex=latex, understood=understood)
    return _chained(meant, steps, claim, latex, understood)


def _defined(reading: Reading, meant: Meant) -> str | None:
    """Return the name that an equation only introduces, as S = QKᵀ does: nothing else is said of it."""
    claim, roles = settled(reading)[0].claim, meant.roles
    left = claim.parts[0]
    if claim.relations != ("=",) or not isinstance(left, Name) or left.accent == "d" or left.letter in "dδJIT":
        return None
    known = {roles.weights, roles.scores, roles.upstream, *roles.labels, *roles.definitions, *roles.fixed}
    trees = (claim.parts[1], *reading.aside)
    elsewhere = {key(node) for tree in trees for node in walk_surface(tree) if isinstance(node, Name)}
    return None if key(left) in known | elsewhere else left.letter


def _chained(meant: Meant, steps: tuple[Verdict, ...], claim: str, latex: str, understood: tuple[Note, ...]) -> Verdict:
    """Give the verdict on a chain: its worst step, and whether its ends are equal all the same."""
    answer = worst(step.answer for step in steps)
    notes: tuple[Note, ...] = ()
    wrong = [n for n, step in enumerate(steps, 1) if step.answer is Answer.FALSE]
    if wrong and set(meant.relations) <= {"=", "≈"}:
        ends = holds(meant.parts[0], meant.parts[-1], meant.setting, meant.unlike, meant.size)
        key = "right-result-wrong-step" if ends else "wrong-step"
        notes = (note(key, step=wrong[0]),)
    first = next((step for step in steps if step.answer is answer), steps[0])
    return Verdict(answer, claim, latex, understood, (), first.counterexample, notes, steps)


def _step(meant: Meant, n: int, notation: Notation) -> Verdict:
    left, right, relation = meant.parts[n], meant.parts[n + 1], meant.relations[n]
    statement = Chain((left, right), (relation,), meant.unlike)
    claim, latex = plain_statement(statement, notation), statement_snippet(statement, notation)
    decision = _decide(meant, left, relation, right)
    if decision.truth is None:
        key = "undecided-search" if decision.points else "undecided"
        return Verdict(
            Answer.UNDECIDED, claim, latex, notes=(note(key, reason=decision.reason, points=decision.points),)
        )
    if decision.truth:
        width = None if meant.roles.lines else _width(left, right)
        scope = Positions(None if meant.size is None else (meant.size,), width)
        rule = "normal form" if relation in {"=", "≈"} else "squares"
        evidence = Evidence(Rung.PROVED, claim, scope, (rule,))
        remarks: tuple[Note, ...] = ()
        with suppress(TooLong), within(MOST_SECONDS / 4):
            remarks = _uses(meant, left, right)
        return Verdict(Answer.PROVED, claim, latex, evidence=(evidence,), notes=remarks)
    found = decision.refutation
    if found is not None and (lines := meant.roles.lines):
        found = replace(found, where=tuple((lines if name == "d" else name, value) for name, value in found.where))
    if found is not None and _asked(right) and not _asked(left):
        left, right = right, left
        found = Refutation(found.where, found.correct, found.claimed)
    remarks = ()
    if found is not None and _without_weights(meant, left, right):
        found = replace(found, where=tuple(pair for pair in found.where if pair[0] != meant.setting.weights))
    if relation == "=" and decision.within and not meant.even:
        with suppress(TooLong), within(MOST_SECONDS / 4):
            remarks = diagnose(left, right, meant.setting, meant.unlike, meant.size, notation)
    return Verdict(Answer.FALSE, claim, latex, counterexample=found, notes=remarks)


def _without_weights(meant: Meant, left: Expression, right: Expression) -> bool:
    """Say whether the weights stand nowhere in a step, so that their values say nothing."""
    return not any(
        isinstance(part, Entry) and part.name == meant.setting.weights for part in (*walk(left), *walk(right))
    )


def _decide(meant: Meant, left: Expression, relation: str, right: Expression) -> Decision:
    """Decide a step; where that takes too long, points may still refute it."""
    if meant.even:
        return refuted_where_even(left, relation, right, meant.setting, meant.unlike)
    try:
        with within(MOST_SECONDS / 2):
            return decide(left, relation, right, meant.setting, meant.unlike, meant.size)
    except TooLong:
        reason = f"deciding it takes longer than {MOST_SECONDS / 2:g} seconds"
        with suppress(TooLong), within(MOST_SECONDS / 4):
            return search(left, relation, right, meant.setting, meant.unlike, meant.size, reason)
        return Decision(None, reason=reason)


def _asked(side: Expression) -> bool:
    """Say whether a side is the question, a derivative, rather than the answer given."""
    return any(isinstance(part, Partial | Gradient) for part in walk(side))


def _width(left: Expression, right: Expression) -> Literal["every"] | None:
    parts = [*walk(left), *walk(right)]
    wide = any(part == Symbol("d") for part in parts)
    return "every" if wide or any(i.over == "d" for part in parts for i in indices_in(part)) else None


def _uses(meant: Meant, left: Expression, right: Expression) -> tuple[Note, ...]:
    """Say whether a true equation needs the labels, or the weights, to add to 1."""
    setting = meant.setting
    remarks: list[Note] = []
    for label, _ in setting.totals:
        rest = tuple(total for total in setting.totals if total[0] != label)
        if not holds(left, right, replace(setting, totals=rest), meant.unlike, meant.size):
            remarks.append(note("uses-total", row=label))
    spoken = {item.key for item in meant.notes}
    if "weights" in spoken and not _derived(left, right, setting):
        other = Setting("weights'", "scores'", setting.scale, setting.upstream, setting.totals)
        free = holds(left, right, other, meant.unlike, meant.size)
        remarks.append(note("free-rows" if free else "uses-total", row=setting.weights))
    return tuple(remarks)


def _derived(left: Expression, right: Expression, setting: Setting) -> bool:
    """Say whether the weights enter as the softmax of the scores, not only as numbers that add to 1."""
    parts = [*walk(left), *walk(right)]
    return any(
        isinstance(part, Partial | Gradient | Exp) or (isinstance(part, Entry) and part.name == setting.scores)
        for part in parts
    )


def _value(meant: Meant, notation: Notation) -> tuple[Note, ...]:
    """Say what an expression without a relation equals, where it is one of the forms people know."""
    [part] = meant.parts
    form = known_form(part, meant.setting, meant.unlike, meant.size)
    if form is None or plain(form, notation) == plain(part, notation):
        return ()
    return (note("value", formula=plain(form, notation), latex=snippet(form, notation)),)


def _divisions(reading: Reading) -> tuple[Note, ...]:
    """Say how a/b c was read."""
    for node in walk_surface(reading.claim):
        if isinstance(node, Multiplied) and isinstance(node.factors[0], Divided) and node.signs[0] == "":
            text = reading.text[node.at :]
            if "\\frac" not in text[:6]:
                return (note("slash"),)
    return (note("transpose"),) if any(isinstance(n, Transposed) for n in walk_surface(reading.claim)) else ()
