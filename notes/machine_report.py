"""What `sqrtdk check` says of the machine check: each statement beside its formula, as text and as JSON data."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from exact.evidence import Rung
from notes import machine
from notes.assistant import Reason, on_path, shorten
from notes.derivation import CLAIMS
from notes.machine import Checked, Outcome
from notes.routes import Run

__all__ = ["add", "ask", "beside", "closing"]

MAX_WIDTH: Final = 16  # of the sums inside the proof assistant: a second, and twice that for each width more
LINE: Final = 116
SHOWN: Final = 640  # of a statement, which holds every claim's main one; JSON has all of all
FORMULAS: Final = {claim.id: claim.formula for claim in CLAIMS}


def ask(run: Run, thorough: bool = False, done: Callable[[int], None] | None = None) -> Outcome:
    """Have every claim machine-checked; and the sums of the query, where it is short enough, against the count."""
    whole = run.width <= MAX_WIDTH and all(x.denominator == 1 for x in run.query)
    query = tuple(map(int, run.query)) if whole else None
    outcome = machine.check(formulas=FORMULAS, query=query, thorough=thorough, done=done)
    counted = run.tally.total, run.tally.total_of_squares
    if outcome.sums is None or tuple(map(Fraction, outcome.sums)) == counted:
        return outcome
    values = {"computed": "{}, {}".format(*outcome.sums), "counted": "{}, {}".format(*counted)}
    return replace(outcome, failure=Reason("differs", values))


# ---- as text --------------------------------------------------------------------------------------------------------


def _theorems(number: int, say: Mapping[str, str]) -> str:
    return say["theorem"] if number == 1 else say["theorems"].format(number=number)


def _axioms(claim: Checked, say: Mapping[str, str]) -> str:
    return say["real_axioms"].format(number=len(claim.axioms)) if claim.axioms else say["no_axioms"]


def _statement(text: str) -> str:
    """Return a statement in one line, without the scope around it, its end left out where it is long."""
    inner, _, scope = text.rpartition(")%")
    return shorten(inner[1:] if scope.isidentifier() else text, SHOWN)


def _beside(claim: Checked, assistant: str, rung: str, say: Mapping[str, str]) -> Iterator[str]:
    if claim.failure:
        yield f"  {rung} {say['failed']}: {claim.failure.say(say)}"
        return
    first, *others = claim.statements
    theorems = _theorems(len(claim.statements), say)
    yield f"  {rung} " + say["checked"].format(assistant=assistant, theorems=theorems, axioms=_axioms(claim, say))
    size = max(len(say["formula"]), len(say["statement"]))
    yield f"    {say['formula']:<{size}}  {FORMULAS.get(claim.id, '')}"
    start = f"    {say['statement']:<{size}}  "
    yield from textwrap.wrap(
        _statement(first.statement), LINE, initial_indent=start, subsequent_indent=" " * len(start)
    )
    if others:
        names = shorten(", ".join(s.theorem for s in others), LINE)
        yield " " * len(start) + say["more"].format(number=len(others), names=names)


def beside(outcome: Outcome | None, words: Mapping[str, Any]) -> dict[str, Sequence[str]]:
    """Return what to show below each claim."""
    if outcome is None:
        return {}
    say, rung = words["machine"], words["rungs"][Rung.MACHINE_CHECKED.value]
    return {claim.id: tuple(_beside(claim, outcome.assistant, rung, say)) for claim in outcome.claims}


def closing(outcome: Outcome | None, run: Run, words: Mapping[str, Any]) -> Iterator[str]:
    """Write the last lines: what was checked, or how to have it checked."""
    say = words["machine"]
    if outcome is None:
        command = on_path()
        yield say["found"].format(command=command) if command else say["absent"].format(install=say["install"])
        return
    if outcome.not_run:
        yield say["not_run"].format(why=outcome.not_run.say(say), install=say["install"])
        return
    yield ""
    if outcome.failure:
        yield f"{say['failed']}: {outcome.failure.say(say)}"
    if outcome.sums is None:
        yield say["no_instance"].format(assistant=outcome.assistant, width=MAX_WIDTH)
    elif not outcome.failure:
        sum_, squares = outcome.sums
        yield say["instance"].format(sum=sum_, squares=squares, width=run.width)
    if not outcome.failed:
        yield from _all(outcome, say)
    elif bad := [claim.id for claim in outcome.claims if claim.failure]:
        yield say["not_all"].format(assistant=outcome.assistant, claims=", ".join(bad))
    if outcome.thorough:
        yield say["definitions"]
        for definition in outcome.definitions:
            if definition.name:
                start = f"  {definition.sha256[:16]}  "
                text = f"{definition.module}: {definition.text}"
                yield from textwrap.wrap(text, LINE, initial_indent=start, subsequent_indent=" " * len(start))


def _all(outcome: Outcome, say: Mapping[str, str]) -> Iterator[str]:
    yield say["all"].format(
        assistant=outcome.assistant,
        claims=len(outcome.claims),
        theorems=_theorems(sum(len(claim.statements) for claim in outcome.claims), say),
        definitions=sum(bool(d.name) for d in outcome.definitions),
        seconds=f"{outcome.seconds:.0f}",
    )
    beyond = [claim.id for claim in outcome.claims if claim.id not in FORMULAS]
    if beyond:
        yield say["beyond"].format(claims=", ".join(beyond))
    if outcome.thorough:
        yield say["again"]


# ---- as data --------------------------------------------------------------------------------------------------------


def _claim(claim: Checked, outcome: Outcome, say: Mapping[str, str]) -> dict[str, Any]:
    return {
        "rung": Rung.MACHINE_CHECKED.value,
        "formula": FORMULAS.get(claim.id),
        "failure": claim.failure and claim.failure.say(say),
        "assistant": outcome.assistant,
        "axioms": list(claim.axioms),
        "statements": [
            {"theorem": s.theorem, "module": s.module, "statement": s.statement, "axioms_allowed": s.axioms}
            for s in claim.statements
        ],
        "rests_on": [definition.key for definition in claim.rests_on if definition.name],
    }


def add(data: dict[str, Any], outcome: Outcome | None, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report's data with a machine-checked route for each claim, and all of the check under "machine"."""
    say = words["machine"]
    if outcome is None or outcome.not_run:
        why = outcome and outcome.not_run and outcome.not_run.say(say)
        return data | {"machine": {"status": "not run", "found": on_path(), "why": why}}
    checked = {claim.id: _claim(claim, outcome, say) for claim in outcome.claims}
    for claim in data["claims"]:
        if claim["id"] in checked:
            claim["routes"].append(checked[claim["id"]])
            claim["holds"] = claim["holds"] and not checked[claim["id"]]["failure"]
    data["holds"] = data["holds"] and not outcome.failed
    return data | {
        "machine": {
            "status": "failed" if outcome.failed else "passed",
            "assistant": outcome.assistant,
            "thorough": outcome.thorough,
            "failure": outcome.failure and outcome.failure.say(say),
            "sums": outcome.sums and [str(x) for x in outcome.sums],
            "seconds": round(outcome.seconds, 3),
            "claims": [{"id": id_} | found for id_, found in checked.items() if id_ not in FORMULAS],
            "definitions": [{"key": d.key, "text": d.text, "sha256": d.sha256} for d in outcome.definitions],
        }
    }
