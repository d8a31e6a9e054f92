r"""A reader's NumPy function → a verdict, on exact numbers.

Imports NumPy and the standard library only.

`examine` has a function called in a child process (`sandbox`) with exact inputs (`cases`),
compares what it returns with what it should (`judge`) and names the mistake
(`diagnosis`).

A function is a black box, so it is never said to be proved: it *agrees* on every input that was tried, and where it ran
on symbols that is every input of that shape.

=======================  ===============================================================================
agrees                   right on every input tried; `findings` may still warn, and name side effects
agrees, side effects     the same, and it writes to what it receives
false                    wrong on an input; the smallest is shown
needs assumption         right under one reading or for one kind of shape, wrong under another
undecided                nothing wrong was found before its time or memory was used up, the fence refused it something,
                         a module was missing, or its digits were too few
invalid input            there is no such function, or it cannot be loaded or called
=======================  ===============================================================================

>>> found = examine("def backward(A, G):\n    return A * G", "backward", "gradient")
>>> found.verdict, [finding.code for finding in found.diagnosis]
('false', ['row-sum'])
>>> found.counterexample["claimed"], found.counterexample["correct"]
([['0', '1/2']], [['-1/4', '1/4']])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, get_args

from exact.functions.cases import Case, Kind, Reading, cases
from exact.functions.findings import Requirement, find, probes, requirements
from exact.functions.judge import Nonsense, encode_argument, judge
from exact.functions.observation import Finding
from exact.functions.roles import assign_roles, readings
from exact.functions.sandbox import Answers, Limits, Loaded, open_session
from exact.functions.weigh import ReadingVerdict, Verdict, weigh
from exact.rationals import BadInput

__all__ = ["CHALLENGE_NAMES", "FunctionVerdict", "ReadingVerdict", "Verdict", "examine", "examine_file"]

Plain = Mapping[str, Any]

CHALLENGE_NAMES: Final = ("gradiente_puntuaciones", "scores_gradient")
EXIT_CODES: Final[dict[Verdict, int]] = {
    "agrees": 0,
    "agrees, side effects": 0,
    "false": 1,
    "invalid input": 2,
    "needs assumption": 3,
    "undecided": 3,
}
_FEW: Final = ((2,), (3,), (1, 2), (2, 2), (2, 3))  # shapes at which the less likely reading is tried
_PACKAGES: Final = ("scipy", "torch", "jax", "tensorflow", "pandas", "sympy")


@dataclass(frozen=True, slots=True)
class FunctionVerdict:
    """The verdict on a function; `read` holds a verdict for each reading, the likelier first.

    `understood`: what each parameter was taken for.  `trouble`: why the input is invalid.  `requirements`: of the
    challenge, where that was asked for.  `open`: the names do not tell which array is which.
    """

    verdict: Verdict
    name: str
    kind: Kind
    understood: Plain
    read: tuple[ReadingVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    trouble: Finding | None = None
    open: bool = False

    @property
    def main(self) -> ReadingVerdict | None:
        """The likelier reading; None for invalid input."""
        return self.read[0] if self.read else None

    @property
    def counterexample(self) -> Any:
        """The smallest failing input under the likelier reading, None where there is none."""
        return self.main.counterexample if self.main else None

    @property
    def diagnosis(self) -> tuple[Finding, ...]:
        """What is wrong, under the likelier reading."""
        return self.main.diagnosis if self.main else ()

    @property
    def exit_code(self) -> int:
        """0 agrees, 1 false, 2 invalid input, 3 undecided or needs an assumption."""
        return EXIT_CODES[self.verdict]

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data; numbers are strings "p/q", or decimals where a float was returned.

        Keys: verdict, function, kind, understood (arguments: what each was taken for; lent: names that were supplied);
        of the likelier reading assumption, behaviour_by_shape, evidence, counterexample (shape, the arguments, claimed,
        correct, exact, said) and diagnosis; the same for each of readings; findings, requirements (of the challenge)
        and trouble (invalid input).  Codes are keys of the words in notes/words.
        """
        return {
            "verdict": self.verdict,
            "function": self.name,
            "kind": self.kind,
            "understood": dict(self.understood),
            **({k: v for k, v in self.main.to_json().items() if k != "verdict"} if self.main else {}),
            "readings": {r.reading: r.to_json() for r in self.read},
            "findings": [x.to_json() for x in self.findings],
            "requirements": [x.to_json() for x in self.requirements],
            "trouble": self.trouble.to_json() if self.trouble else None,
        }


def examine_file(path: str, name: str | None, kind: Kind, **options: Any) -> FunctionVerdict:
    """Examine a function in a file; `options` as for `examine`."""
    if Path(path).exists() and not Path(path).is_file():
        raise BadInput(f"{path} cannot be read: it is not a regular file; name a file of Python source")
    try:
        source = Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise BadInput(f"{path} cannot be read: {why}") from None
    return examine(source, name, kind, file=Path(path).name, **options)


def examine(
    source: str,
    name: str | None,
    kind: Kind,
    *,
    challenge: bool = False,
    argument: Reading | None = None,
    one_row: bool = False,
    shapes: Sequence[tuple[int, ...]] = (),
    limits: Limits | None = None,
    file: str = "<code>",
) -> FunctionVerdict:
    """Return the verdict on the function `name` of a Python source, or on a method of a class there, Softmax.backward.

    `kind`: "gradient" is f(A, G), dL/d(logits) from the weights (or the logits) and G = dL/dA; "jacobian" f(x);
    "softmax" f(z); "attention-backward" f(Q, K, A, dA) or f(Q, K, V, dO).  `argument`: read the first array as this
    only.  `one_row`: judge by single rows, of shape (T,), alone.  `shapes`: further shapes of batches.  `challenge`:
    also judge the requirements of the lesson's challenge, for square maps; its names are looked for when `name` is
    None.  Raises `BadInput` for options that make no sense.
    """
    if kind not in get_args(Kind):
        raise BadInput(f"a function is examined as one of {', '.join(get_args(Kind))} (got {kind!r})")
    if challenge and one_row:
        raise BadInput("the challenge is about square maps, not about one row")
    if challenge and kind != "gradient":
        raise BadInput("the challenge asks for a gradient")
    for shape in shapes:
        if len(shape) < 2 or not all(1 <= n <= 4 for n in shape) or len(shape) > 6:
            raise BadInput(f"a further shape has 2 to 6 axes of 1 to 4 entries (got {shape})")
    names = (name,) if name else CHALLENGE_NAMES
    asked = _Asked(source, names, kind, challenge, argument, one_row, tuple(map(tuple, shapes)), file)
    found = _examine(asked, limits or Limits())
    if found.open and found.verdict == "false" and found.main is not None and found.main.verdict == "false":
        other = _examine(replace(asked, swapped=True), limits or Limits())
        if any(read.verdict == "agrees" or read.assumption for read in other.read):
            return replace(other, findings=(_order(other), *other.findings))
    return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be examined, and how; `swapped`: with the two arrays in the less likely order."""

    source: str
    names: tuple[str, ...]
    kind: Kind
    challenge: bool
    argument: Reading | None
    one_row: bool
    shapes: tuple[tuple[int, ...], ...]
    file: str
    swapped: bool = False


def _examine(asked: _Asked, limits: Limits) -> FunctionVerdict:
    kind, challenge = asked.kind, asked.challenge
    with open_session(asked.source, asked.names, limits, asked.file, 2 if kind == "gradient" else 1) as session:
        loaded = session.loaded
        if loaded.trouble:
            return _invalid(asked.names, kind, _say(loaded))
        roles = assign_roles(kind, loaded.parameters, loaded.variadic, asked.swapped)
        if loaded.through and kind == "gradient" and not roles.trouble:
            roles = replace(roles, filled=("rows", "upstream", *roles.filled[2:]), open=False)
        if roles.trouble:
            return _invalid((loaded.name,), kind, Finding(roles.trouble, roles.data))
        loaded = replace(loaded, parameters=tuple((name, False) for name in roles.names))
        wanted: tuple[Reading, ...] = (asked.argument,) if asked.argument else _readings(kind, loaded, roles.filled)
        wanted = ("weights",) if challenge else wanted
        wanted = ("logits",) if loaded.through else wanted
        plan = [case for reading in wanted for case in cases(kind, reading, asked.shapes)]
        if asked.one_row and kind in ("gradient", "softmax"):
            plan = [replace(c, group="matrix") for c in plan if c.group == "row"]
        plan = [c for c in plan if c.reading == wanted[0] or (c.group == "matrix" and c.shape in _FEW)]
        if challenge:
            plan = [case for case in plan if len(case.shape) == 2 and case.shape[0] == case.shape[1]]
        extra = probes(plan[0], kind, wanted[0], roles.filled, challenge)
        calls = [_call(case, roles.filled, mode) for case in plan for mode in ("exact", "float64")]
        calls += [probe.call for probe in extra]
        sent = session.call(calls)
    try:
        return replace(_conclude(loaded, kind, roles.filled, wanted, plan, extra, sent), open=roles.open)
    except Nonsense:
        return _invalid((loaded.name,), kind, Finding("nonsense"))


def _order(found: FunctionVerdict) -> Finding:
    """Return that the names left the order open, and in which it is right."""
    of = {role: name for name, role in found.understood["arguments"].items()}
    return Finding("order", {"rows": of.get("weights", of.get("logits", "?")), "upstream": of.get("upstream", "?")})


def _readings(kind: Kind, loaded: Loaded, roles: Sequence[str]) -> tuple[Reading, ...]:
    if kind == "gradient" and "rows" not in roles:
        return ("logits",)  # both are passed, and they fit
    first = next((p for (p, _), role in zip(loaded.parameters or (), roles, strict=False) if role == "rows"), None)
    return readings(kind, first)


def _call(case: Case, roles: Sequence[str], mode: str) -> dict[str, Any]:
    if case.symbolic and mode != "exact":
        return {"mode": "skip"}
    given = [-1 if role == "axis" else case.arguments.get(role) for role in roles]
    return {"mode": mode, "arguments": [encode_argument(x) for x in given]}


def _invalid(names: Sequence[str], kind: Kind, trouble: Finding) -> FunctionVerdict:
    return FunctionVerdict("invalid input", " / ".join(names), kind, {}, trouble=trouble)


def _say(loaded: Loaded) -> Finding:
    data = {k: str(v)[:300] for k, v in loaded.detail.items() if k != "trouble" and v not in (None, [], "")}
    if "defined" in loaded.detail and isinstance(loaded.detail["defined"], list):
        data["defined"] = ", ".join(map(str, loaded.detail["defined"])) or "–"
    if loaded.trouble == "loading" and "refused" in data:
        return Finding("loading-refused", data)
    if loaded.trouble == "loading" and "module" in data:
        there = ", ".join(["numpy", *(name for name in _PACKAGES if find_spec(name) is not None)])
        return Finding("loading-module", {**data, "there": there})
    return Finding(loaded.trouble.replace(" ", "-"), data)


# ---- the verdict ----------------------------------------------------------------------------------------------------


def _conclude(
    loaded: Loaded,
    kind: Kind,
    roles: Sequence[str],
    wanted: Sequence[Reading],
    plan: Sequence[Case],
    extra: Sequence[Any],
    sent: Answers,
) -> FunctionVerdict:
    if sent.ended == "nonsense":
        return _invalid((loaded.name,), kind, Finding("nonsense"))
    answers: list[Plain | None] = [*sent.answers, *[None] * (2 * len(plan) + len(extra) - len(sent.answers))]
    if sent.ended == "ended":  # the call that ended the process is a call that failed
        answers[len(sent.answers)] = {"error": "ended", "message": _exit(sent.exit), "line": ""}
    judged = [judge(kind, c, roles, answers[2 * i], answers[2 * i + 1], loaded.narrow) for i, c in enumerate(plan)]
    read = tuple(weigh(kind, reading, [j for j in judged if j.case.reading == reading], roles) for reading in wanted)
    right = read[0].verdict == "agrees" or read[0].assumption != ""
    findings = find(kind, read[0].reading, roles, loaded, plan, answers, extra, sent, judged, right)
    needs = (
        requirements(loaded, roles, plan, answers, extra, judged, findings) if any(p.challenge for p in extra) else ()
    )
    verdict = _overall(read)
    if verdict == "agrees" and any(f.code == "writes" for f in findings):
        verdict = "agrees, side effects"
    if sent.ended and verdict in ("agrees", "agrees, side effects"):
        verdict = "undecided"
    if needs:
        met = {r.met for r in needs}
        verdict = "false" if False in met else "undecided" if None in met else "agrees"
    names = [p for p, _ in loaded.parameters or ()] or list(roles)
    meant = {p: read[0].reading if r == "rows" else r for p, r in zip(names, roles, strict=False)}
    understood = {"arguments": meant, "lent": list(loaded.lent)}
    return FunctionVerdict(verdict, loaded.name, kind, understood, read, tuple(findings), needs)


def _exit(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


def _overall(read: Sequence[ReadingVerdict]) -> Verdict:
    first = read[0].verdict
    if first != "agrees" and any(r.verdict == "agrees" for r in read[1:]):
        return "needs assumption"
    return first
