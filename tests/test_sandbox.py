"""Hostile and broken files: each ends in a verdict, the caller's state stays as it is, and nothing is left running."""

import os
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact.functions.examine import FunctionVerdict, examine
from exact.functions.judge import Nonsense, read_value
from exact.functions.sandbox import Limits, open_session
from exact.rationals import BadInput

QUICK = Limits(seconds=3, memory=1 << 28)
RIGHT = "A * (G - (A * G).sum(-1, keepdims=True))"


def verdict(body: str, before: str = "") -> FunctionVerdict:
    return examine(f"{before}\ndef f(A, G):\n    {body}\n    return {RIGHT}", "f", "gradient", limits=QUICK)


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("def f(:", "syntax"),
        ("x = '\0'", "syntax"),
        ("(" * 300 + ")" * 300, "syntax"),
        ("f = " + "-" * 100_000 + "1", "syntax"),
        ("1 / 0", "loading"),
        ("import no_such_module_at_all", "loading-module"),
        ("import sys; sys.exit(0)", "loading"),
        ("input()", "loading-refused"),
        ("import os; os.makedirs('left behind')", "loading-refused"),
        ("import os; os._exit(0)", "ended"),
        ("import ctypes; ctypes.string_at(0)", "ended"),
        ("f = 3", "not-a-function"),
        ("class f: pass", "a-class"),
        ("def g(A, G): pass", "missing"),
        ("", "missing"),
        ("def f(): pass", "too-few"),
        ("def f(A, G, config): pass", "unknown-argument"),
        ("def f(A, G, *, config): pass", "unknown-argument"),
        ("def f(dout, cache): pass", "unknown-argument"),
        ("def f(self, A, G): pass", "takes-self"),
        ("def f(A, axis=-1): pass", "too-few"),
        ("import os, sys\nos.write(int(sys.argv[2]), b'[1]\\n')", "nonsense"),
        ("import os, sys\nos.write(int(sys.argv[2]), b'{\"name\": 1}\\n')", "nonsense"),
        ("import os, sys\nos.write(int(sys.argv[2]), b'[' * 100000 + b'\\n')", "nonsense"),
    ],
)
def test_files_that_hold_no_function(source: str, code: str) -> None:
    found = examine(source, "f", "gradient", limits=QUICK)
    assert found.verdict == "invalid input"
    assert found.trouble is not None
    assert found.trouble.code == code


@pytest.mark.parametrize(
    ("body", "found", "said"),
    [
        ("import os; os._exit(0)", "false", "exit code 0"),
        ("import sys; sys.exit(3)", "false", "SystemExit"),
        ("import ctypes; ctypes.string_at(0)", "false", "signal 11"),
        ("import os; os.abort()", "false", "signal 6"),
        ("raise KeyboardInterrupt", "false", "KeyboardInterrupt"),
        ("def deep(n): return deep(n + 1)\n    deep(0)", "false", "RecursionError"),
    ],
)
def test_calls_that_fail(body: str, found: str, said: str) -> None:
    result = verdict(body)
    assert result.verdict == found
    assert said in str(result.counterexample["said"])


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ("input()", "builtins.input"),
        ("import os; os.fork()", "os.fork"),
        ("import ctypes; ctypes.CDLL(None).fork()", "ctypes.dlopen"),
        ("import sqlite3; sqlite3.connect('left behind')", "sqlite3.connect"),
        ("np.save('left behind', A)", "writing to files"),
        ("import subprocess; subprocess.run(['ls'])", "subprocess.Popen"),
        ("import multiprocessing; multiprocessing.Pool(2)", "multiprocessing.SemLock"),
        ("import multiprocessing as m; m.get_context('spawn').Process().start()", "posixsubprocess.fork_exec"),
        ("import _posixsubprocess; _posixsubprocess.fork_exec()", "posixsubprocess.fork_exec"),
        ("import _posixshmem, os; _posixshmem.shm_open('/left', os.O_CREAT | os.O_RDWR)", "posixshmem.shm_open"),
        ("import os; os.system('ls')", "os.system"),
        ("open('left behind', 'w')", "writing to files"),
        ("import os; os.mkfifo('left behind')", "os.mkfifo"),
        ("import posix; posix.mknod('left behind')", "os.mknod"),
        ("import os; os.kill(os.getppid(), 9)", "os.kill"),
        ("import os; os.setpriority(os.PRIO_PROCESS, os.getppid(), 9)", "os.setpriority"),
        ("import os; os.sched_setaffinity(os.getppid(), [0])", "os.sched_setaffinity"),
        ("import os, signal; signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)", "os.pidfd_open"),
        ("import signal; signal.pidfd_send_signal(0, 9)", "signal.pidfd_send_signal"),
        ("import os, resource as r; r.prlimit(os.getppid(), r.RLIMIT_CPU, (1, 1))", "resource.prlimit"),
        ("import resource as r; r.setrlimit(r.RLIMIT_AS, (-1, -1))", "resource.setrlimit"),
        ("import socket; socket.getaddrinfo('localhost', 80)", "socket.getaddrinfo"),
        ("import socket; socket.socket()", "socket.__new__"),
        ("import sys; sys.modules.pop('_signal', 0); import _signal", "a second copy of _signal"),
        ("import __main__; __main__.REFUSED = (); __main__._refuse = print; import os; os.fork()", "os.fork"),
    ],
)
def test_what_is_refused_decides_nothing(body: str, refused: str) -> None:
    result = verdict(body)
    assert (result.verdict, result.counterexample, result.diagnosis) == ("undecided", None, ())
    found = next(f for f in result.findings if f.code == "refused")
    assert (found.data["what"], found.data["error"]) == (refused, "PermissionError")


def test_what_is_wrong_besides_is_false() -> None:
    body = "if len(A) > 2: input()\n    return A * G"
    assert verdict(body).verdict == "false"


def test_a_refusal_that_is_caught_does_no_harm() -> None:
    caught = "try: np.save('left behind', A)\n    except OSError: pass"
    assert verdict(caught).verdict == "agrees"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("while True: pass", "time"),
        ("import time; time.sleep(1000)", "time"),
        ("np.zeros((10**6, 10**6)) + 1", "memory"),
        ("x = [0] * 10**11", "memory"),
    ],
)
def test_limits(body: str, code: str) -> None:
    start = time.monotonic()
    result = verdict(body)
    assert result.verdict == "undecided"
    assert code in [f.code for f in result.findings]
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    "forged",
    [
        b'{"call": 0, "value": {"type": "ndarray", "shape": [1, 2], "dtype": "object", "items": ["0", "0"]}}\n',
        b'{"call": 5}\n',
        b"not json\n",
        b'{"call": 0, "value": {"shape": [1], "items": ["1/0"]}, "after": []}\n',
        b'{"call": 0, "value": {"shape": [99999999], "items": []}}\n',
        b'{"call": 0, "value": {"shape": [1], "items": [[[[["log -5", 1]], "1"]]]}}\n',
        b'{"call": 0, "value": {"shape": [1], "items": [[[[["log 2", 1000000000]], "1"]]]}}\n',
    ],
)
def test_a_forged_answer_is_no_answer(forged: bytes) -> None:
    result = verdict(f"import os, sys; os.write(int(sys.argv[2]), {forged!r})")
    assert (result.verdict, result.trouble and result.trouble.code) == ("invalid input", "nonsense")


sent = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["0", "1/2", "1/0", "log 2", "g0", "0x1.0p+0"]),
    lambda x: (
        st.lists(x, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "shape", "items", "whole", "parts", "length", "float", "other"]), x)
    ),
    max_leaves=12,
)


@given(sent, st.booleans())
def test_anything_sent_is_a_value_or_nonsense(answer: Any, several: bool) -> None:
    for value in (answer, {"shape": [1], "items": [answer]}, {"shape": answer, "items": ["0"]}):
        try:
            found = read_value(value, several)
        except Nonsense:
            continue
        assert len(found.arrays) == len(found.dtypes)


def test_prints_do_no_harm() -> None:
    result = verdict("print('x' * 100_000)")
    assert result.verdict == "agrees"
    assert "prints" in [f.code for f in result.findings]


def test_what_the_child_changes_stays_there(tmp_path: Path) -> None:
    before = dict(os.environ)
    kept = tmp_path / "kept"
    kept.write_text("kept", "utf-8")
    spoil = (
        "import os, numpy, fractions\nos.environ['X'] = '1'\nos.chdir('/')\n"
        "numpy.exp = None\nfractions.Fraction.__eq__ = lambda a, b: True\nnumpy.add = None\n"
    )
    assert verdict("return A * G", before=spoil).verdict in ("false", "invalid input")
    assert Fraction(1, 2) != Fraction(1, 3)
    result = verdict(f"os.remove({str(kept)!r})", before="import os")
    assert "os.remove" in [f.data.get("what") for f in result.findings]
    assert kept.read_text("utf-8") == "kept"
    assert dict(os.environ) == before


def test_a_lie_about_equality_changes_nothing() -> None:
    lie = "from exact.functions import exact_numbers\nexact_numbers.Number.__eq__ = lambda a, b: True\n"
    assert verdict("return A * G", before=lie + "exact_numbers.Number.same = lambda a, b: True").verdict == "false"


@pytest.mark.parametrize(
    "body", ["A * 10**4000 + G", "A * 1e300 * 1e300", "A * 1j", "np.full((3000, 3000), 1)", "object()"]
)
def test_strange_answers_are_false(body: str) -> None:
    assert verdict(f"return {body}").verdict == "false"


def test_a_mark_at_the_start_of_a_file_is_no_mistake() -> None:
    assert examine(f"\ufeffdef f(A, G): return {RIGHT}", "f", "gradient", limits=QUICK).verdict == "agrees"


def test_nothing_is_left_running() -> None:
    mark = f"mark{os.getpid()}"
    with open_session(f"{mark} = 1\ndef f(A): return A", ("f",), QUICK) as session:
        child = session._channel._process
        assert child.poll() is None
    assert child.poll() is not None


def test_a_source_has_a_limit() -> None:
    with pytest.raises(BadInput, match="at most"), open_session("#" * (1 << 21), ("f",)):
        pass
