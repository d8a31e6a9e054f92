import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from notes import assistant, cli, machine, machine_report
from notes.assistant import Assistant, NotRun, Reason, Refused
from notes.coq.definitions import sources
from notes.coq.pins import by_claim
from notes.coq.statements import REAL_AXIOMS, STATEMENTS
from notes.machine import Checked, Outcome
from notes.routes import Run
from notes.words import LANGUAGES, words

ROOT = Path(__file__).parents[1]
SAY = words("en")["machine"]
SIGNS = (1, -1) * 6


# ---- the proofs, compiled once --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coq() -> Assistant:
    if assistant.on_path() is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("neither coqc nor rocq is on the PATH")
    return assistant.find()


@pytest.fixture(scope="module")
def compiled(coq: Assistant) -> Iterator[Path]:
    with machine.workspace(sources()) as folder:
        machine.compile_all(coq, folder)
        yield folder


@pytest.fixture(scope="module")
def outcome(coq: Assistant, compiled: Path) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "compile_all", compiled_before(compiled))
        return machine.check(query=SIGNS)


def compiled_before(compiled: Path) -> object:
    def copy(_: Assistant, folder: Path, done: object = None) -> None:
        shutil.copytree(compiled, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.v"))

    return copy


def test_every_claim_is_machine_checked(outcome: Outcome) -> None:
    assert outcome.holds, [(claim.id, claim.failure) for claim in outcome.claims]
    assert tuple(claim.id for claim in outcome.claims) == tuple(by_claim(STATEMENTS))
    assert sum(len(claim.statements) for claim in outcome.claims) == len(STATEMENTS)
    for claim in outcome.claims:
        kinds = {s.axioms for s in claim.statements}
        assert set(claim.axioms) <= set(REAL_AXIOMS)
        assert bool(claim.axioms) == ("reals" in kinds)


def test_the_theorems_own_cube_is_computed(outcome: Outcome) -> None:
    assert outcome.sums == (0, 12 * 2**12)


@pytest.mark.parametrize("query", [(3, -1, 2), (0,), (10**30, -7)])
def test_the_sums_agree_with_the_count(query: tuple[int, ...], coq: Assistant, compiled: Path) -> None:
    counted = Run(tuple(map(Fraction, query))).tally
    assert machine.sums(coq, compiled, query) == (counted.total, counted.total_of_squares)


# ---- what must be rejected ------------------------------------------------------------------------------------------


def verdict(coq: Assistant, compiled: Path, tmp_path: Path, module: str, old: str, new: str, claim: str) -> Reason:
    """Change the text of one late file, and return what is then said of a claim; Refused where it does not compile."""
    folder = Path(shutil.copytree(compiled, tmp_path / "changed"))
    text = sources()[module]
    assert text.count(old) == 1
    (folder / f"{module}.v").write_text(text.replace(old, new), "utf-8")
    machine.compile_all(coq, folder, [module])
    _, reason = machine.judge(coq, folder, [s for s in STATEMENTS if s.id == claim and s.module == module])[claim]
    assert reason is not None, "the mutant was accepted"
    return reason


WRONG = [
    ("exponent", "Powers", "alpha) = power (INR d) (1 / 2 - alpha).", "alpha) = power (INR d) (1 - alpha)."),
    ("sign", "Output", "sigmoid (e 0%nat - e 1%nat).", "sigmoid (e 1%nat - e 0%nat)."),
    ("1/5 for 1/4", "Output", "J T e j j <= 1 / 4.", "J T e j j <= 1 / 5."),
    ("d² for d", "Laws", "(fun k => score d q k * score d q k)) = of_nat d.", "(fun k => score d q k)) = of_nat d."),
]


@pytest.mark.parametrize(("module", "old", "new"), [pytest.param(*rest, id=name) for name, *rest in WRONG])
def test_a_wrong_theorem_does_not_compile(
    module: str, old: str, new: str, coq: Assistant, compiled: Path, tmp_path: Path
) -> None:
    with pytest.raises(Refused) as refusal:
        verdict(coq, compiled, tmp_path, module, old, new, "")
    assert (refusal.value.module, refusal.value.line > 0) == (module, True)
    assert refusal.value.message


QUARTER = "J T e j j <= 1 / 4.\nProof. unfold J, delta. rewrite Nat.eqb_refl. apply quarter. Qed."
HALF = (
    "J T e j j <= 1 / 2.\nProof. unfold J, delta. rewrite Nat.eqb_refl. pose proof (quarter (softmax T e j)); lra. Qed."
)
LIES = [
    ("a weakened theorem", HALF, "pin", "theorem jacobian_diagonal_quarter does not prove"),
    ("admitted", "J T e j j <= 1 / 4.\nProof. Admitted.", "axiom", "off the list: jacobian_diagonal_quarter"),
    ("an axiom", "J T e j j <= 1 / 4.\nProof. exact (cheat _). Qed.", "axiom", "off the list: cheat"),
]


@pytest.mark.parametrize(("new", "key", "said"), [pytest.param(*rest, id=name) for name, *rest in LIES])
def test_a_theorem_that_compiles_and_is_not_the_claim_is_rejected(
    new: str, key: str, said: str, coq: Assistant, compiled: Path, tmp_path: Path
) -> None:
    start = "Theorem jacobian_diagonal_quarter T e j : "
    axiom = "Axiom cheat : forall P : Prop, P.\n" if "cheat" in new else ""
    reason = verdict(coq, compiled, tmp_path, "Output", start + QUARTER, axiom + start + new, "sigmoid")
    assert reason.key == key
    assert said in reason.say(SAY)


def test_a_theorem_that_is_gone_is_rejected(coq: Assistant, compiled: Path, tmp_path: Path) -> None:
    old, new = "Theorem softmax_of_two", "Theorem softmax_of_2"
    reason = verdict(coq, compiled, tmp_path, "Output", old, new, "sigmoid")
    assert reason.values["theorem"] == "softmax_of_two"
    assert "softmax_of_two was not found" in reason.say(SAY)


def test_a_claim_that_says_too_much_falls_alone(coq: Assistant, compiled: Path) -> None:
    (quarter,) = [s for s in STATEMENTS if s.theorem == "jacobian_diagonal_quarter"]
    (mean,) = [s for s in STATEMENTS if s.theorem == "Z_mean"]
    (ratio,) = [s for s in STATEMENTS if s.theorem == "ratio"]
    wrong = replace(quarter, statement=quarter.statement.replace("1 / 4", "1 / 5"))
    no_reals = replace(ratio, axioms="none")
    found = machine.judge(coq, compiled, [mean, wrong, no_reals])
    assert found["mean"] == ((), None)
    assert found["sigmoid"][1] is not None
    assert found["sigmoid"][1].key == "pin"
    assert found["ratio"][1] is not None
    assert found["ratio"][1].key == "axiom"


def test_a_changed_definition_is_named_although_all_compiles(
    coq: Assistant, compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "compile_all", compiled_before(compiled))
    texts = sources()
    texts["Output"] = texts["Output"].replace(":= 1 / (1 + exp (- x))", ":= 1 / (1 + exp x)")
    statements = [s for s in STATEMENTS if s.theorem in ("softmax_of_two", "jacobian_trace")]
    outcome = machine.check(texts, statements)
    sigmoid, trace = outcome.claims
    assert (outcome.failed, trace.failure) == (True, None)
    assert sigmoid.failure == Reason("definition_changed", {"definition": "Output.sigmoid"})


# ---- a proof assistant that is not there, or does not answer --------------------------------------------------------


REFUSAL = "printf 'File \"./Sums.v\", line 7, characters 2-5:\\nError:\\n{}\\n' >&2; exit 1"


def fake(folder: Path, monkeypatch: pytest.MonkeyPatch, then: str, version: str = "8.16.1", name: str = "coqc") -> None:
    script = f'#!/bin/sh\n[ "$1" = --version ] && echo "The Coq Proof Assistant, version {version}" && exit 0\n{then}\n'
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin" if then else str(folder))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_proof_assistant_is_not_run(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    say = words(language)["machine"]
    assert cli.run(["check", "--width", "3", "--machine", "--lang", language]) == 3
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == say["not_run"].format(why=say["none"], install=say["install"])
    assert "apt-get install --no-install-recommends coq" in last
    assert cli.run(["check", "--width", "3", "--lang", language]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == say["absent"].format(install=say["install"])
    assert cli.run(["check", "--width", "3", "--json", "--machine"]) == 3
    found = json.loads(capsys.readouterr().out)["machine"]
    assert (found["status"], found["found"]) == ("not run", None)


@pytest.mark.parametrize(
    ("then", "version", "said"),
    [
        ("exit 0", "8.16.1", "coqc does not work (Sums.vo)"),
        ("echo Killed >&2; exit 137", "8.16.1", "coqc does not work (Sums.v: Killed)"),
        (REFUSAL.format("Cannot find a physical path bound to List"), "8.16.1", "coqc does not work (Sums.v: "),
        ("exit 0", "8.15.2", "Coq 8.15.2 is too old"),
        ("exit 0", "none", "coqc does not work (The Coq Proof Assistant, version none)"),
        ("sleep 20", "9.0.0", "coqc Sums.v gave no answer in 0.2 s"),
    ],
)
def test_a_broken_proof_assistant_is_one_line(
    then: str,
    version: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fake(tmp_path, monkeypatch, then, version)
    monkeypatch.setattr(machine, "SECONDS", 0.2 if "sleep" in then else 20)
    start = time.monotonic()
    assert cli.run(["check", "--width", "3", "--machine"]) == 3
    out, err = capsys.readouterr()
    assert said in out.splitlines()[-1]
    assert (err, time.monotonic() - start < 10) == ("", True)


def test_a_file_that_is_refused_is_exit_code_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = "printf 'File \"./Sums.v\", line 7, characters 2-5:\\nError:\\nNo more\\nsubgoals.\\n' >&2; exit 1"
    fake(tmp_path, monkeypatch, refusal)
    assert cli.run(["check", "--width", "3", "--machine"]) == 1
    out = capsys.readouterr().out
    assert "  machine-checked NOT CHECKED: Sums.v, line 7, is refused: No more subgoals.\n" in out
    assert out.splitlines()[-1].startswith("NOT machine-checked by Coq 8.16.1: match-count, term-sign")


def test_rocq_is_found_where_there_is_no_coqc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "#!/bin/sh\necho The Rocq Prover, version 9.0.0\n"
    (tmp_path / "rocq").write_text(script)
    (tmp_path / "rocq").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert assistant.find() == Assistant("Rocq 9.0.0", ("rocq", "compile"), ("rocq", "check"))
    (tmp_path / "rocq").write_text("not a program")
    with pytest.raises(NotRun) as error:
        assistant.find()
    assert "rocq does not work" in error.value.reason.say(SAY)


def test_an_interrupt_kills_what_runs_and_removes_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bin_, temporary = tmp_path / "bin", tmp_path / "tmp"
    bin_.mkdir()
    temporary.mkdir()
    fake(bin_, monkeypatch, f"echo $$ > {tmp_path}/draft; mv {tmp_path}/draft {tmp_path}/pid; sleep 60")
    command = [sys.executable, "-c", "from notes.cli import main; main()", "check", "--width", "3", "--machine"]
    environment = os.environ | {"TMPDIR": str(temporary)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, cwd=ROOT, env=environment) as process:
        while not (tmp_path / "pid").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (2, b"", b"sqrtdk: interrupted; nothing was written\n")
    assert list(temporary.iterdir()) == []
    assert ends(int((tmp_path / "pid").read_text()))


def ends(pid: int) -> bool:
    """Say whether a killed process is gone within a minute: it may wait for its parent, or for init, to notice."""
    for _ in range(1200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


# ---- the report -----------------------------------------------------------------------------------------------------


def shown(monkeypatch: pytest.MonkeyPatch, outcome: Outcome, *arguments: str) -> int:
    monkeypatch.setattr(machine, "check", lambda **_: outcome)
    return cli.run(["check", "--machine", *arguments])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_statement_stands_beside_the_formula(
    language: str, outcome: Outcome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(monkeypatch, outcome, "--lang", language) == 0
    out = capsys.readouterr().out
    say = words(language)
    assert f"  {say['rungs']['machine-checked']} " in out
    assert f"    {say['machine']['formula']:<9}" in out
    assert "  forall (d : nat) (q : list Z), ZSum (Zscore d q) (Zcube d) = 0\n" in out
    assert "Z_second_moment_any_query, second_moment, E_score2" in out
    assert "Σ e² = 49152" in out
    assert shown(monkeypatch, replace(outcome, thorough=True, sums=None), "--lang", language) == 0
    out = capsys.readouterr().out
    assert "Output: Definition sigmoid (x : R) : R := 1 / (1 + exp (- x))" in out
    assert say["machine"]["again"] in out
    assert say["machine"]["no_instance"].format(assistant=outcome.assistant, width=16) in out


def test_the_data_has_whole_statements(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(monkeypatch, outcome, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["holds"], found["machine"]["status"], found["machine"]["sums"]) == (True, "passed", ["0", "49152"])
    routes = {claim["id"]: claim["routes"][-1] for claim in found["claims"] if claim["id"] in by_claim(STATEMENTS)}
    beyond = {claim["id"] for claim in found["machine"]["claims"]}
    assert routes.keys() | beyond == by_claim(STATEMENTS).keys()
    assert routes["mean"]["rung"] == "machine-checked"
    (first, *_) = by_claim(STATEMENTS)["pairing"]
    assert routes["pairing"]["statements"][0]["statement"] == first.statement
    assert "Signs.Zcube" in routes["pairing"]["rests_on"]
    assert all(len(d["sha256"]) == 64 and d["text"] for d in found["machine"]["definitions"])


def test_a_failure_is_exit_code_1_and_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failed = Checked("mean", STATEMENTS[:1], (), failure=Reason("axiom", {"axioms": "cheat"}))
    assert shown(monkeypatch, Outcome("Coq 8.16.1", (failed,))) == 1
    out = capsys.readouterr().out
    assert "  machine-checked NOT CHECKED: what is proved rests on axioms off the list: cheat\n" in out
    assert out.endswith("NOT machine-checked by Coq 8.16.1: mean.\n")
    assert shown(monkeypatch, Outcome("Coq 8.16.1", (failed,)), "--json") == 1
    assert json.loads(capsys.readouterr().out)["holds"] is False


def test_sums_that_differ_from_the_count_are_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fine = Checked("mean", STATEMENTS[:1], ())
    assert shown(monkeypatch, Outcome("Coq 8.16.1", (fine,), sums=(0, 25)), "--width", "3") == 1
    out = capsys.readouterr().out
    assert "NOT CHECKED: over the theorems' own cube Σ e, Σ e² = 0, 25, but 0, 24 were counted\n" in out


@pytest.mark.parametrize(
    ("query", "asked"),
    [("3,-1", (3, -1)), ("1/2,1", None), (",".join(["1"] * 17), None)],
    ids=["whole", "half", "long"],
)
def test_sums_are_asked_of_short_whole_queries(
    query: str, asked: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def check(query: tuple[int, ...] | None, **_: object) -> Outcome:
        seen.append(query)
        return Outcome()

    monkeypatch.setattr(machine, "check", check)
    machine_report.ask(Run(tuple(map(Fraction, query.split(",")))))
    assert seen == [asked]


def test_thorough_needs_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", "--thorough"]) == 2
    assert capsys.readouterr().err == "sqrtdk: --thorough goes with --machine\n"
