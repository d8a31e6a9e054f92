"""What is told from the text of the proofs and of an answer, without a proof assistant: definitions, pins, axioms."""

from pathlib import Path

import pytest

from notes import machine
from notes.assistant import Assistant
from notes.coq.definitions import committed, definitions, refused, resting_on, sources
from notes.coq.pins import by_claim, pin_text
from notes.coq.statements import MODULES, STATEMENTS, Statement
from notes.words import words

ROOT = Path(__file__).parents[1]
SAY = words("en")["machine"]


# ---- definitions, as text -------------------------------------------------------------------------------------------


def what_changes(module: str, old: str, new: str) -> dict[str, str]:
    texts = sources()
    assert old in texts[module]
    texts[module] = texts[module].replace(old, new, 1)
    return refused(resting_on((s.statement for s in STATEMENTS), definitions(texts)), committed())


def test_the_definitions_are_those_that_were_kept() -> None:
    assert what_changes("Sums", "", "") == {}
    rest = resting_on((s.statement for s in STATEMENTS), definitions(sources()))
    names = {d.name for d in rest}
    assert names >= {
        "is_gradient",
        "scores",
        "weights",
        "put",
        "is_row",
        "E_",
        "sigmoid",
        "log",
        "power",
        "J",
        "softmax",
    }
    assert names >= {"cube", "score", "integers", "Z_laws", "log_sig", "typical_size", "centred_of_size_one"}


@pytest.mark.parametrize(
    ("module", "old", "new", "changed"),
    [
        ("Output", "(1 + exp (- x))", "(1 + exp x)", {"Output.sigmoid": "changed"}),
        ("Gradient", "Definition weights (T", "Definition weight (T", {"Gradient.weights": "missing"}),
        ("Powers", "/ 2 ^ d", "/ 2 ^ S d", {"Powers.E_": "changed"}),
        ("Rows", "(** * Definitions *)", "Definition exp (x : R) : R := 0.", {"Rows.exp": "new"}),
        ("Rows", "(** * Definitions *)", "Lemma In : True. Proof. exact I. Qed.", {"Rows.In": "new"}),
        ("Sums", 'Infix "+" := add', 'Infix "+" := mul', {'Sums: Infix "+" := add : numbers_scope': "missing"}),
        ("Laws", "Proof.", "Proof. { Unset Guard Checking. }", {"Laws: Unset Guard Checking": "new"}),
        ("Rows", "Open Scope R_scope", "(* Open Scope R_scope *) Set Printing All", {"Rows: Set Printing All": "new"}),
        ("Laws", "Ring Lia", "Ring Lia Bool", {"Laws: From Coq Require Import List Ring Lia Bool": "new"}),
        ("Output", "(1 + exp (- x))", "(1 +\n  (* a\n comment *) exp (- x))", {}),
        ("Output", "unfold softmax, sigmoid", "unfold sigmoid, softmax", {}),
    ],
)
def test_what_changes_a_meaning_is_noticed(module: str, old: str, new: str, changed: dict[str, str]) -> None:
    found = what_changes(module, old, new)
    assert {key: found.get(key) for key in changed} == changed
    assert bool(found) == bool(changed)


def test_the_files_are_those_that_compile() -> None:
    folder = ROOT / "notes" / "coq"
    assert {path.stem for path in folder.glob("*.v")} == set(MODULES)
    assert (folder / "_CoqProject").read_text().split()[3:] == [f"{module}.v" for module in MODULES]


# ---- pins and answers, as text --------------------------------------------------------------------------------------


def test_every_statement_is_pinned_and_asked_about() -> None:
    text, owners = pin_text(by_claim(STATEMENTS), {"mean": 'E[e] = 0 "(* *)'})
    assert len({s.theorem for s in STATEMENTS}) == len(STATEMENTS)
    for s in STATEMENTS:
        assert f"Definition pin_{s.theorem} :\n{s.statement}\n:= @{s.theorem}.\n" in text
        assert text.count(f"pin_{s.theorem},") + text.count(f"pin_{s.theorem})") == 1
    assert text.count("Print Assumptions") == len({(s.id, s.axioms) for s in STATEMENTS})
    assert "(* mean: E[e] = 0 ''( * * ) *)" in text
    assert set(owners.values()) >= {(s.id, s.theorem) for s in STATEMENTS}


@pytest.mark.parametrize(
    ("answer", "foreign"),
    [
        ("Closed under the global context\n", ()),
        ("Axioms:\na\n  : forall P,\n    P\nb : nat\n", ("b",)),
        ("Axioms:\na : nat\nTheory: Set is impredicative\n", ("Theory",)),
        ("Axioms:\na : nat\nsomething is assumed to be positive.\n", ("something",)),
        ("Axioms:\n", ("?",)),
        ("", ("?",)),
        ("Section Variables:\na : nat\n", ("Section Variables: a : nat",)),
        ("Axioms:\nRows.a : nat\n", ("Rows.a",)),
    ],
)
def test_an_answer_is_read_strictly(answer: str, foreign: tuple[str, ...]) -> None:
    assert machine.off_the_list(answer, ["a"]) == foreign


SUMMARY = """
CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    Coq.Reals.ClassicalDedekindReals.sig_not_dec
    Coq.Logic.Classical_Prop.classic

* Constants/Inductives relying on type-in-type: <none>

* Inductives whose positivity is assumed: <none>
"""


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        (SUMMARY, None),
        (SUMMARY.replace("Coq.Logic.Classical_Prop.classic", "Sqrtdk.Rows.cheat"), "Sqrtdk.Rows.cheat"),
        (SUMMARY.replace("type-in-type: <none>", "type-in-type: Sqrtdk.Rows.x"), "type-in-type: Sqrtdk.Rows.x"),
        ("", "off the list: ?"),
    ],
)
def test_the_second_check_is_read_strictly(summary: str, said: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Assistant, "context", lambda *_: summary)
    reason = machine._recheck(Assistant("Coq", ("coqc",), ("coqchk",)), ROOT)
    assert reason is None if said is None else reason is not None and said in reason.say(SAY)


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.theorem)
def test_every_theorem_is_in_its_file(statement: Statement) -> None:
    names = {d.name for d in definitions({statement.module: sources()[statement.module]})}
    assert statement.theorem in names
