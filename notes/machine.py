"""Has an independent proof assistant accept the statements of the claims, at every width, with no axiom off a list.

A claim is machine-checked when all of this holds: each file of proofs compiles; each of the claim's statements, written
out a second time and pinned to its theorem, compiles too; what its pins assume, as the assistant itself lists it, is on
the allowed list (nothing for the counting half, the three axioms of Coq's real numbers for the other); and the
definitions that its words rest on are those that were kept. All of it runs on copies, in a temporary folder. Imports
only the standard library, and the data in notes/coq.
"""

import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from notes.assistant import Assistant, NotRun, Reason, Refused, find, shorten
from notes.coq.definitions import Definition, committed, definitions, refused, resting_on, sources
from notes.coq.pins import PINS, answer_name, by_claim, pin_text
from notes.coq.statements import MODULES, REAL_AXIOMS, STATEMENTS, Statement

__all__ = ["STEPS", "Checked", "Outcome", "check", "compile_all", "judge", "off_the_list", "sums", "workspace"]

SECONDS: Final = 300  # for one file; the slowest takes three, the pins about twenty
SECONDS_THOROUGH: Final = 1800
ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {"none": (), "reals": REAL_AXIOMS}
# The checker of compiled files reports on whole libraries: Coq's real numbers come with the excluded middle, unused.
ALLOWED_THOROUGH: Final = (*REAL_AXIOMS, "Classical_Prop.classic")
INSTANCE: Final = "Instance"
STEPS: Final = len(MODULES) + 20  # of progress: a file is one, the pins are the rest


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a claim: the axioms its pins use; or why it is not machine-checked."""

    id: str
    statements: tuple[Statement, ...]
    rests_on: tuple[Definition, ...]
    axioms: tuple[str, ...] = ()
    failure: Reason | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the proof assistant said; where it was not run, why, and then no claim is checked."""

    assistant: str = ""
    claims: tuple[Checked, ...] = ()
    definitions: tuple[Definition, ...] = ()
    seconds: float = 0.0
    thorough: bool = False
    sums: tuple[int, int] | None = None  # Σ e and Σ e² of the query, as the assistant computed them
    failure: Reason | None = None  # of the whole, beside those of its claims
    not_run: Reason | None = None

    @property
    def failed(self) -> bool:
        """Whether something was refused, which is more than not having been run."""
        return bool(self.failure or any(claim.failure for claim in self.claims))

    @property
    def holds(self) -> bool:
        """Whether every claim was checked, and nothing failed."""
        return bool(self.claims) and not (self.not_run or self.failed)


# ---- the folder -----------------------------------------------------------------------------------------------------


@contextmanager
def workspace(texts: Mapping[str, str]) -> Iterator[Path]:
    """Give a temporary folder that holds the files, by module, and remove it whatever happens."""
    with tempfile.TemporaryDirectory(prefix="sqrtdk-", ignore_cleanup_errors=True) as name:
        for module, text in texts.items():
            Path(name, f"{module}.v").write_text(text, "utf-8")
        yield Path(name)


def compile_all(
    assistant: Assistant, folder: Path, modules: Iterable[str] = MODULES, done: Callable[[int], None] = lambda _: None
) -> None:
    """Compile files of a folder, in their order; Refused at the first that is wrong."""
    for module in modules:
        assistant.compile(folder, module, SECONDS)
        done(1)


# ---- the verdict on each claim --------------------------------------------------------------------------------------


def off_the_list(answer: str, allowed: Iterable[str]) -> tuple[str, ...]:
    r"""Return what an answer to Print Assumptions holds beside allowed axioms; every line that is not understood too.

    >>> off_the_list("Closed under the global context", ())
    ()
    >>> off_the_list("Axioms:\ncheat : False\nclassic\n  : forall P : Prop,\n    P", ["classic"])
    ('cheat',)
    """
    lines = [line for line in answer.splitlines() if line.strip()]
    if lines == ["Closed under the global context"]:
        return ()
    if lines[:1] != ["Axioms:"]:
        return (" ".join(answer.split()) or "?",)
    names = [line.split()[0].removesuffix(":") for line in lines[1:] if not line[0].isspace()]
    return tuple(name for name in names if name not in allowed) if names else ("?",)


def _assumed(folder: Path, id_: str, statements: Iterable[Statement]) -> tuple[tuple[str, ...], Reason | None]:
    """Read what the pins of a claim assume: the axioms; and the reason, if any is off the list."""
    axioms: set[str] = set()
    for kind in dict.fromkeys(s.axioms for s in statements):
        try:
            answer = (folder / f"{answer_name(id_, kind)}.out").read_text("utf-8")
        except FileNotFoundError:
            return (), Reason("no_answer", {"claim": id_})
        foreign = off_the_list(answer, ALLOWED[kind])
        if foreign:
            return (), Reason("axiom", {"axioms": ", ".join(foreign)})
        axioms |= {axiom for axiom in ALLOWED[kind] if axiom in answer}
    return tuple(sorted(axioms)), None


def judge(
    assistant: Assistant,
    folder: Path,
    statements: Iterable[Statement] = STATEMENTS,
    formulas: Mapping[str, str] | None = None,
) -> dict[str, tuple[tuple[str, ...], Reason | None]]:
    """Pin statements to the theorems of a compiled folder; per claim, return the axioms it uses, or why it is refused.

    A pin that is refused is left out with its claim, and the others are asked again.
    """
    left = by_claim(statements)
    found: dict[str, tuple[tuple[str, ...], Reason | None]] = {}
    while left:
        for answer in folder.glob("*.out"):
            answer.unlink()
        text, owners = pin_text(left, formulas or {})
        (folder / f"{PINS}.v").write_text(text, "utf-8")
        try:
            assistant.compile(folder, PINS, SECONDS)
        except Refused as error:
            id_, theorem = owners.get(error.line, ("", "")) if error.module == PINS else ("", "")
            if id_ not in left:
                raise
            found[id_] = (), Reason("pin", {"theorem": theorem, "message": error.message})
            del left[id_]
            continue
        found |= {id_: _assumed(folder, id_, group) for id_, group in left.items()}
        break
    return found


# ---- one instance ---------------------------------------------------------------------------------------------------


def sums(assistant: Assistant, folder: Path, query: tuple[int, ...]) -> tuple[int, int]:
    """Return Σ e and Σ e² over the theorems' own cube, computed inside the proof assistant."""
    entries = "; ".join(f"({x})" for x in query)
    (folder / f"{INSTANCE}.v").write_text(
        "From Coq Require Import List ZArith.\n"
        "From Sqrtdk Require Import Sums Counting Signs.\n"
        "Import ListNotations.\nOpen Scope Z_scope.\n"
        f"Definition q : list Z := [{entries}].\n"
        f'Redirect "{INSTANCE}" Eval vm_compute in (ZSum (Zscore {len(query)} q) (Zcube {len(query)}),\n'
        f"  ZSum (fun k => Zscore {len(query)} q k ^ 2) (Zcube {len(query)})).\n",
        "utf-8",
    )
    assistant.compile(folder, INSTANCE, SECONDS)
    answer = (folder / f"{INSTANCE}.out").read_text("utf-8")
    values = re.fullmatch(r"=\((-?\d+),(-?\d+)\):Z\*Z", "".join(answer.split()))
    if not values:
        raise NotRun("broken", command="Eval vm_compute", detail=shorten(answer))
    return int(values[1]), int(values[2])


# ---- all of it ------------------------------------------------------------------------------------------------------


def _recheck(assistant: Assistant, folder: Path) -> Reason | None:
    """Have the compiled files checked again, from the beginning, by the assistant's own small checker."""
    try:
        summary = assistant.context(folder, (PINS,), SECONDS_THOROUGH)
    except Refused as error:
        return Reason("recheck", {"message": error.message})
    parts = {part.split(":")[0].strip(): part.partition(":")[2].split() for part in summary.split("\n* ")[1:]}
    allowed = {*ALLOWED_THOROUGH}
    foreign = [name for name in parts.pop("Axioms", ["?"]) if ".".join(name.split(".")[-2:]) not in allowed]
    foreign += [f"{part}: {' '.join(what)}" for part, what in parts.items() if part != "Theory" and what != ["<none>"]]
    return Reason("axiom", {"axioms": ", ".join(foreign)}) if foreign else None


def _verdicts(
    statements: Iterable[Statement],
    all_definitions: tuple[Definition, ...],
    bad: Mapping[str, str],
    found: Mapping[str, tuple[tuple[str, ...], Reason | None]],
) -> Iterator[Checked]:
    for id_, group in by_claim(statements).items():
        rests_on = resting_on((s.statement for s in group), all_definitions)
        keys = {d.key for d in rests_on}
        axioms, failure = found[id_]
        first = next((key for key in bad if key in keys or bad[key] == "missing"), None)
        if first:
            failure = Reason(f"definition_{bad[first]}", {"definition": first})
        yield Checked(id_, group, rests_on, () if failure else axioms, failure)


def check(
    texts: Mapping[str, str] | None = None,
    statements: Iterable[Statement] = STATEMENTS,
    formulas: Mapping[str, str] | None = None,
    query: tuple[int, ...] | None = None,
    thorough: bool = False,
    done: Callable[[int], None] | None = None,
) -> Outcome:
    """Check every claim, the sums at a query where one is given, and, thoroughly, all that was compiled once more."""
    start = time.perf_counter()
    done = done or (lambda _: None)
    statements, texts = tuple(statements), texts or sources()
    all_definitions = definitions(texts)
    rests_on = resting_on((s.statement for s in STATEMENTS), all_definitions)
    bad = refused(rests_on, committed())
    found: Mapping[str, tuple[tuple[str, ...], Reason | None]]
    failure, values = None, None
    try:
        assistant = find()
        with workspace(texts) as folder:
            try:
                compile_all(assistant, folder, done=done)
                found = judge(assistant, folder, statements, formulas)
                values = sums(assistant, folder, query) if query else None
                failure = (
                    _recheck(assistant, folder) if thorough and all(not why for _, why in found.values()) else None
                )
            except Refused as error:
                failure = Reason(
                    "refused", {"file": f"{error.module}.v", "line": str(error.line), "message": error.message}
                )
                found = {s.id: ((), failure) for s in statements}
            done(STEPS - len(MODULES))
    except NotRun as error:
        return Outcome(not_run=error.reason, definitions=rests_on, seconds=time.perf_counter() - start)
    checked = tuple(_verdicts(statements, all_definitions, bad, found))
    seconds = time.perf_counter() - start
    return Outcome(assistant.name, checked, rests_on, seconds, thorough, values, failure)
