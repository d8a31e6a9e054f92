"""How a reader's function is understood: which array is which, in how many digits, as a method, and what is refused."""

import os
from pathlib import Path

import pytest

from exact.functions.cases import Kind
from exact.functions.examine import FunctionVerdict, examine, examine_file
from exact.functions.roles import assign_roles
from exact.rationals import BadInput

HEAD = "import numpy as np\n"
SWAP = ".swapaxes(-1, -2)"
DE = "dE = A * (dA - (dA * A).sum(-1, keepdims=True)) / np.sqrt(Q.shape[-1])"


def look(body: str, arguments: str = "A, G", kind: Kind = "gradient") -> FunctionVerdict:
    return examine(f"{HEAD}def f({arguments}):\n {body}", "f", kind)


def back(A: str, G: str) -> str:
    return f"return {A} * ({G} - ({A} * {G}).sum(-1, keepdims=True))"


def codes(found: FunctionVerdict) -> list[str]:
    return [f.code for f in found.findings]


# ---- which array is which -------------------------------------------------------------------------------------------

UPSTREAM = (
    "dL_dout grads accum_grad upstream_gradient ct grad_y gradients dLdout incoming_grad output_error dvals dz dS gout "
    "cotangent ybar v loss_grad upstream_grad dA d_out dProbs g_out"
)


@pytest.mark.parametrize("name", UPSTREAM.split())
def test_names_of_the_upstream_gradient(name: str) -> None:
    for rows in ("out", "probs", "softmax_output", "y", "z", "foo"):
        for order in ([name, rows], [rows, name]):
            found = assign_roles("gradient", [(p, False) for p in order])
            assert dict(zip(order, found.filled, strict=True)) == {name: "upstream", rows: "rows"}
            assert not found.open


def test_weights_in_the_second_place_come_second() -> None:
    assert assign_roles("gradient", [("foo", False), ("probs", False)]).filled == ("upstream", "rows")
    assert assign_roles("gradient", [("probs", False), ("foo", False)]).filled == ("rows", "upstream")


def test_names_that_leave_it_open_are_tried_both_ways() -> None:
    found = look(back("bar", "foo"), "foo, bar")
    assert (found.verdict, found.understood["arguments"]) == ("agrees", {"foo": "upstream", "bar": "weights"})
    assert found.findings[0].to_json() == {"code": "order", "rows": "bar", "upstream": "foo"}
    assert codes(look(back("foo", "bar"), "foo, bar")) == []
    assert look("return foo * bar", "foo, bar").verdict == "false"
    assert look(back("G", "A")).verdict == "false"  # these names leave nothing open
    listed = look("A, G = args; " + back("G", "A"), "*args")
    assert (listed.verdict, listed.understood["arguments"]) == ("agrees", {"args[0]": "upstream", "args[1]": "weights"})
    wanted = examine(f"{HEAD}def scores_gradient(foo, bar):\n {back('bar', 'foo')}", None, "gradient", challenge=True)
    assert wanted.verdict == "agrees"


def test_an_argument_may_be_given_by_name_alone() -> None:
    assert look(back("A", "G"), "A, *, G").verdict == "agrees"
    assert look(back("A", "G"), "A, axis=-1, *, G").understood["arguments"] == {"A": "weights", "G": "upstream"}


@pytest.mark.parametrize("arguments", ["dout, cache", "G, ctx", "saved, dout", "A, G, config"])
def test_a_wrong_call_is_no_wrong_gradient(arguments: str) -> None:
    found = look("return 1", arguments)
    assert (found.verdict, found.trouble and found.trouble.code) == ("invalid input", "unknown-argument")


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        ("dO, Q, K, V, attn_weights", f"A = attn_weights; dA = dO @ V{SWAP}; {DE}; return dE @ K, dE{SWAP} @ Q"),
        ("grad_y, Q, K, V, A", f"dA = grad_y @ V{SWAP}; {DE}; return dE @ K, dE{SWAP} @ Q, A{SWAP} @ grad_y"),
        (
            "dO, Q, K, V, A, O",
            f"D = (dO * O).sum(-1, keepdims=True); dE = A * (dO @ V{SWAP} - D) / np.sqrt(Q.shape[-1]); "
            f"return dE @ K, dE{SWAP} @ Q, A{SWAP} @ dO",
        ),
        ("Q, K, A, dA", f"{DE}; return {{'dK': dE{SWAP} @ Q, 'dQ': dE @ K}}"),
        (
            "Q, K, V, A, dO",
            f"dA = dO @ V{SWAP}; {DE}; return {{'grad_value': A{SWAP} @ dO, 'grad_query': dE @ K, "
            f"'grad_key': dE{SWAP} @ Q, 'dA': dA}}",
        ),
    ],
)
def test_attention(arguments: str, body: str) -> None:
    assert look(body, arguments, "attention-backward").verdict == "agrees"
    wrong = body.replace("return", "K = 2 * K; return")
    assert look(wrong, arguments, "attention-backward").verdict == "false"


# ---- few digits -----------------------------------------------------------------------------------------------------

HALF = "A = A.astype(np.float16); G = G.astype(np.float16); "
LOGITS = "A = np.exp(z - z.max(-1, keepdims=True)); A = A / A.sum(-1, keepdims=True); "


@pytest.mark.parametrize(
    ("kind", "arguments", "body"),
    [
        ("softmax", "z", "return np.full(z.shape, 1 / z.shape[-1]).astype(np.float16)"),
        ("softmax", "z", "e = np.exp(z); return (e / (1.2 * e.sum(-1, keepdims=True))).astype(np.float16)"),
        ("softmax", "z", "e = np.exp(z.astype(np.float16)); return np.sqrt(e / e.sum(-1, keepdims=True))"),
        ("gradient", "A, G", HALF + "return A * (G - 1.1 * (A * G).sum(-1, keepdims=True))"),
        ("gradient", "A, G", HALF + "return A * (G - (A * G).mean(-1, keepdims=True))"),
        ("jacobian", "a", "return np.zeros((len(a), len(a)), np.float16)"),
        ("jacobian", "a", "a = a.astype(np.float16); return np.diag(a * (1 - a))"),
        ("attention-backward", "dO, Q, K, V", "return tuple(np.zeros(x.shape, np.float16) for x in (Q, K, V))"),
        ("attention-backward", "dO, Q, K, V", "return tuple((x * 0).astype(np.float32) for x in (Q, K, V))"),
    ],
)
def test_few_digits_hide_nothing(kind: Kind, arguments: str, body: str) -> None:
    assert look(body, arguments, kind).verdict == "false"


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_few_digits_that_are_right(dtype: str) -> None:
    found = look(f"A = A.astype(np.{dtype}); G = G.astype(np.{dtype}); {back('A', 'G')}")
    assert (found.verdict, found.main and found.main.precision) == ("agrees", dtype)
    found = look(f"z = z.astype('{dtype}'); {LOGITS}{back('A', 'G')}", "z, G")
    assert (found.verdict, found.main and found.main.precision) == ("agrees", dtype)
    assert "narrow-inside" in codes(found)
    wrong = look(f"z = z.astype('{dtype}'); {LOGITS}{back('A', 'G').replace('return', 'return 1.1 *')}", "z, G")
    assert wrong.verdict == "false"


def test_too_few_digits_to_tell() -> None:
    found = look(HALF + back("A", "G").replace("return", "return 1.03 *"))
    assert (found.verdict, found.counterexample, codes(found)[0]) == ("undecided", None, "imprecise")


def test_an_exact_difference_beats_a_loose_agreement() -> None:
    """In half precision the factor passes; the exact run shows it."""
    body = "x = np.array(A * (G - (A * G).sum(-1, keepdims=True)) * 1.001, dtype=np.float16); return x"
    assert look(body).verdict == "false"


def test_a_small_error_in_full_digits_is_one_still() -> None:
    tiny = LOGITS.replace("A / A.sum(-1, keepdims=True)", "A / (A.sum(-1, keepdims=True) + 1e-7)")
    assert look(f"z = z.astype(float) + 0.; {tiny}{back('A', 'G')}", "z, G").verdict == "false"


# ---- methods --------------------------------------------------------------------------------------------------------

KEEPS = """
class Softmax:
    def forward(self, x):
        e = np.exp(x - x.max(-1, keepdims=True))
        self.out = e / e.sum(-1, keepdims=True)
        return self.out
    def backward(self, dout):
        return self.out * (dout - (self.out * dout).sum(-1, keepdims=True))
    @staticmethod
    def both(A, G):
        return A * (G - (A * G).sum(-1, keepdims=True))
"""
LEAVES = """
class Softmax:
    def __init__(self, axis=-1): self.axis = axis
    def forward(self, inputs, training):
        e = np.exp(inputs - np.max(inputs, axis=self.axis, keepdims=True))
        self.output = e / np.sum(e, axis=self.axis, keepdims=True)
    def backward(self, dvalues):
        self.dinputs = self.output * (dvalues - (self.output * dvalues).sum(-1, keepdims=True))
"""


def method(source: str, name: str, kind: Kind = "gradient") -> FunctionVerdict:
    return examine(HEAD + source, name, kind)


def test_a_method_after_forward() -> None:
    found = method(KEEPS, "Softmax.backward")
    assert (found.verdict, codes(found)[0]) == ("agrees", "through")
    assert found.understood["arguments"] == {"forward(x)": "logits", "dout": "upstream"}
    wrong = method(KEEPS.replace("(dout - ", "(dout + "), "Softmax.backward")
    assert (wrong.verdict, [f.code for f in wrong.diagnosis]) == ("false", ["plus"])
    assert method(KEEPS + "layer = Softmax()", "layer.backward").verdict == "agrees"


def test_other_methods() -> None:
    assert method(KEEPS, "Softmax.both").verdict == "agrees"
    assert method(KEEPS, "Softmax.forward", "softmax").verdict == "agrees"
    assert method(LEAVES, "Softmax.forward", "softmax").verdict == "agrees"
    assert method(LEAVES, "Softmax.backward").verdict == "agrees"


@pytest.mark.parametrize(
    ("source", "name", "code", "said"),
    [
        (KEEPS, "Softmax", "a-class", "Softmax.backward"),
        (KEEPS, "backward", "missing", "Softmax.backward"),
        (KEEPS, "Softmax.back", "missing", "Softmax.backward"),
        (LEAVES.replace("axis=-1):", "axis):"), "Softmax.backward", "constructor", "TypeError"),
        (KEEPS.replace("forward", "ahead"), "Softmax.backward", "no-forward", "1"),
        (KEEPS.replace("self, x)", "self, x, y)"), "Softmax.backward", "forward-arguments", "forward"),
    ],
)
def test_methods_that_cannot_be_called(source: str, name: str, code: str, said: str) -> None:
    trouble = method(source, name).trouble
    assert trouble is not None
    assert trouble.code == code
    assert said in str(trouble.data)


# ---- what is said ---------------------------------------------------------------------------------------------------


def test_every_value_is_said_of_symbols_alone() -> None:
    both = look(back("A", "G")).main
    assert both is not None
    assert "2x3" in both.symbolic_shapes
    assert both.gradient_shapes == ()
    clipped = look("A = np.where(A > 0.02, A, 0); " + back("A", "G")).main
    assert clipped is not None
    assert (clipped.symbolic_shapes, "2x3" in clipped.gradient_shapes) == (("1x1", "2x1"), True)
    logits = look("z = np.clip(z, -3, 3); " + LOGITS + back("A", "G"), "z, G").main
    assert logits is not None
    assert (logits.symbolic_shapes, "2x3" in logits.gradient_shapes) == ((), True)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("return A * float('nan')", "nan"),
        ("return A / 0", "infinite"),
        ("return (A * G).astype(complex)", "type"),
        ("return A > 0", "type"),
        ("return A, None", "shape"),
        ("return (A * G).sum()", "single-number"),
    ],
)
def test_answers_that_are_no_answers(body: str, code: str) -> None:
    assert [f.code for f in look(body).diagnosis] == [code]


def test_no_warning_from_a_division_by_zero() -> None:
    found = examine(f"{HEAD}def scores_gradient(A, G):\n return A / 0", None, "gradient", challenge=True)
    assert found.verdict == "false"


def test_the_row_that_is_coupled_is_shown() -> None:
    found = look("return A * (1 - A)")
    assert found.diagnosis[0].data == {"G": "[[0, 1], [0, 0]]"}


def test_names_that_come_with_a_star() -> None:
    source = "from numpy import *\ndef f(x):\n    e = exp(x)\n    return e / sum(e, axis=-1, keepdims=True)"
    assert "lent" not in codes(examine(source, "f", "softmax"))
    assert "lent" in codes(examine(source.replace("from numpy import *", "from numpy import sum"), "f", "softmax"))


def test_modules_that_are_not_there() -> None:
    for source in ("import sibling_file", "from sibling_file import f"):
        trouble = examine(source, "f", "gradient").trouble
        assert trouble is not None
        assert (trouble.code, trouble.data["module"], "numpy" in trouble.data["there"]) == (
            "loading-module",
            "sibling_file",
            True,
        )
    inside = look("import sibling_file")
    assert (inside.verdict, "module" in codes(inside)) == ("undecided", True)


def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.py"
    os.mkfifo(pipe)
    with pytest.raises(BadInput, match="regular file"):
        examine_file(str(pipe), "f", "gradient")


# ---- the challenge --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "J = A[:, :, None] * np.eye(len(A)) - A[:, :, None] * A[:, None, :]; return (J @ G[:, :, None]).squeeze(-1)",
        "J = np.einsum('ij,jk->ijk', A, np.eye(len(A))) - np.einsum('ij,ik->ijk', A, A); "
        "return np.einsum('ijk,ik->ij', J, G)",
        "J = -np.einsum('ti,tj->tij', A, A); i = np.arange(len(A)); J[:, i, i] += A; "
        "return np.einsum('tij,tj->ti', J, G)",
        "n = len(A); J = np.zeros((n, n, n, n)); i = np.arange(n)\n"
        " J[i, :, i, :] = A[:, :, None] * (np.eye(n) - A[:, None, :]); return np.einsum('ijkl,kl->ij', J, G)",
    ],
)
def test_a_jacobian_of_all_rows_is_seen(body: str) -> None:
    found = examine(f"{HEAD}def scores_gradient(A, G):\n {body}", None, "gradient", challenge=True)
    assert [r.met for r in found.requirements] == [True, True, True, True, False]


@pytest.mark.parametrize(("body", "met"), [("return None", "?01??"), ("raise ValueError", "0????")])
def test_what_could_not_be_measured(body: str, met: str) -> None:
    found = examine(f"{HEAD}def scores_gradient(A, G):\n {body}", None, "gradient", challenge=True)
    assert "".join("?" if r.met is None else str(int(r.met)) for r in found.requirements) == met
    assert found.verdict == "false"
