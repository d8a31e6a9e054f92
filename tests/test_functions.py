"""Readers' functions get the verdict they deserve: recorded submissions, invented ones, and the challenge.

In the recorded cases "proved" is said of code as well; a function is a black box, so here it *agrees*, and
"proved_with_side_effect" is an agreement with a finding that an argument was written to.
"""

import json
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exact import attention
from exact.functions.cases import Kind, cases
from exact.functions.examine import FunctionVerdict, examine, examine_file
from exact.functions.roles import assign_roles
from exact.rationals import BadInput

LINES = (Path(__file__).parent / "data" / "cases.jsonl").read_text("utf-8").splitlines()
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, LINES)}
KINDS: dict[str, Kind] = {
    "python_vjp": "gradient",
    "python_vjp_logits": "gradient",
    "python_jacobian": "jacobian",
    "python_attention_backward": "attention-backward",
}
VERDICTS = {
    "false": "false",
    "needs_assumption": "needs assumption",
    "proved": "agrees",
    "proved_with_side_effect": "agrees, side effects",
}


@lru_cache
def recorded(name: str) -> FunctionVerdict:
    given = CASES[name]["input"]
    shapes = [tuple(given["shape"]), (4, 4, 4, 4)] if "shape" in given else []
    function = "jacobian" if given["kind"] == "python_jacobian" else "backward"
    return examine(given["code"], function, KINDS[given["kind"]], shapes=shapes)


def codes(found: FunctionVerdict) -> list[str]:
    return [finding.code for finding in found.diagnosis]


RECORDED = [name for name, case in CASES.items() if case["input"].get("kind") in KINDS]


def test_all_recorded_kinds_are_there() -> None:
    assert RECORDED == ["A01", "A03", "A04", "A06", "A07", "A11", "A12", "A22", "A24", "A29"]


@pytest.mark.parametrize("name", RECORDED)
def test_recorded_verdicts(name: str) -> None:
    found = recorded(name)
    assert found.verdict == VERDICTS[CASES[name]["verdict"]]
    answer = CASES[name]["answer"]
    wanted = answer.get("smallest_counterexample")
    if wanted and "shape" in wanted:
        shown = found.counterexample
        assert shown["exact"]
        assert {k: shown[k] for k in wanted} == wanted
    for shape, behaviour in answer.get("behaviour_by_shape", {}).items():
        assert found.read[0].behaviour_by_shape[shape] == behaviour


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A01", "diagonal"),
        ("A03", "unnormalised"),
        ("A04", "identity"),
        ("A06", "raw-rows"),
        ("A07", "mixed"),
        ("A11", "row-sum"),
        ("A12", "factor"),
        ("A24", "keepdims"),
    ],
)
def test_recorded_mistakes_are_named(name: str, code: str) -> None:
    assert codes(recorded(name)) == [code]


def test_recorded_details() -> None:
    a03 = recorded("A03").counterexample
    assert (a03["z"], a03["G"], a03["claimed"], a03["correct"]) == (
        [["0", "0"]],
        [["0", "1"]],
        [["0", "1"]],
        [["-1/4", "1/4"]],
    )
    assert recorded("A12").diagnosis[0].data == {"factor": "2"}
    a06, a07 = recorded("A06"), recorded("A07")
    assert [(r.reading, r.verdict) for r in a06.read] == [("logits", "false"), ("weights", "agrees")]
    assert a06.counterexample["z"] == ["0", "0"]
    assert a06.counterexample["claimed"] == [["0", "0"], ["0", "0"]]
    assert a06.counterexample["correct"] == [["1/4", "-1/4"], ["-1/4", "1/4"]]
    wanted = CASES["A07"]["answer"]["smallest_counterexample"]
    assert a07.counterexample["claimed"] == wanted["claimed"]
    assert a07.counterexample["correct"] == wanted["correct"]
    writes = next(f for f in recorded("A22").findings if f.code == "writes")
    changed = {"argument": "G", "before": "[0, 1]", "after": "[-1/4, 1/4]", "shape": "1x2"}
    assert writes.data == {**changed, "others": "A = [1/2, 1/2]"}
    a24 = recorded("A24").read[0].behaviour_by_shape
    assert (a24["2x2x4x4"], a24["4x4x4x4"], a24["2x2"], a24["2x3"]) == ("raises", "differs", "differs", "raises")
    a29 = recorded("A29")
    assert [f.data for f in a29.diagnosis] == [{"factor": "√d", "of": "dQ"}, {"factor": "√d", "of": "dK"}]
    example = CASES["A29"]["answer"]["example"]
    assert a29.counterexample["claimed"][0] == example["claimed"]
    assert a29.counterexample["correct"][0] == example["correct"]
    assert a29.read[0].behaviour_by_shape["2x2x1"] == "agrees"  # d = 1 hides it


def test_what_a_test_with_ones_would_pass() -> None:
    """Case A37: of these candidates the sign-flipped one and zero survive G = ones, and none is right but the first."""
    s = "(A * G).sum(-1, keepdims=True)"
    bodies = [f"A*(G-{s})", f"A*({s}-G)", f"A*(G+{s})", f"A*(G*{s})", f"A*(G/{s})", "0*A", "A*(1-A)*G"]
    found = [examine(f"def backward(A, G):\n    return {body}", "backward", "gradient") for body in bodies]
    assert [x.verdict for x in found] == ["agrees"] + ["false"] * 6
    survive = [i for i, x in enumerate(found) if any(f.code == "passes-ones" for f in x.findings)]
    assert survive == [1, 5]
    assert [codes(x) for x in found[1:4]] == [["sign"], ["plus"], ["times"]]


def test_masked_rows() -> None:
    """Case A23: a row with every score −∞ lies outside the domain; what a function makes of it is told, not judged."""
    usual = "def softmax_of(x):\n    e = np.exp(x - x.max(-1, keepdims=True))\n    return e / e.sum(-1, keepdims=True)"
    found = examine(usual, "softmax_of", "softmax")
    assert found.verdict == "agrees"
    assert [f.code for f in found.findings] == ["nan-all-masked"]
    zero = (
        "def softmax_of(x):\n    m = x.max(-1, keepdims=True)\n    e = np.exp(x - np.where(np.isinf(m), 0, m))\n"
        "    s = e.sum(-1, keepdims=True)\n    return e / np.where(s == 0, 1, s)"
    )
    found = examine(zero, "softmax_of", "softmax")
    assert found.verdict == "agrees"
    assert [(f.code, f.data["value"]) for f in found.findings] == [("all-masked-value", "[0, 0]")]


HEAD = "import numpy as np\n"
BACK = "A * (G - (A * G).sum(-1, keepdims=True))"
LOGITS = "e = np.exp(z - z.max(axis=-1, keepdims=True)); a = e / e.sum(-1, keepdims=True)"
SUBMISSIONS: list[tuple[Kind, str, str, list[str]]] = [
    ("gradient", "return A*(G-np.einsum('...j,...j->...',A,G)[...,None])", "agrees", []),
    ("gradient", "J=np.einsum('ij,jk->ijk',A,np.eye(A.shape[-1]))-np.einsum('ij,ik->ijk',A,A); "
                 "return np.einsum('ijk,ik->ij',J,G)", "agrees", []),
    ("gradient", "return A*(G-np.vecdot(A,G)[...,None])", "agrees", []),
    ("gradient", "return A*(G-np.diag(A@G.T)[:,None])", "agrees", []),
    ("gradient", "return np.array([(np.diagflat(a)-np.outer(a,a))@g for a,g in zip(A,G)])", "agrees", []),
    ("gradient", f"A=A.astype(float); return {BACK}", "agrees", []),
    ("gradient", f"A=np.asarray(A,dtype=np.float64); G=np.array(G,dtype=float); return {BACK}", "agrees", []),
    ("gradient", f"A=A.astype(np.float32); G=G.astype(np.float32); return {BACK}", "agrees", []),
    ("gradient", "s=(A*G).sum(-1,keepdims=True); return np.vectorize(lambda a,g,t:a*(g-t))(A,G,s)", "agrees", []),
    ("gradient", f"assert np.allclose(A.sum(-1),1); return {BACK}", "agrees", []),
    ("gradient", "return [[a*(g-sum(x*y for x,y in zip(r,h))) for a,g in zip(r,h)] for r,h in zip(A,G)]", "agrees", []),
    ("gradient", "np.multiply(A,G,out=G); return G-A*G.sum(-1,keepdims=True)", "agrees, side effects", []),
    ("gradient", "s=(A*G).sum(-1,keepdims=True); A*=G-s; return A", "agrees, side effects", []),
    ("gradient", "return A*(G-(A*G).sum(axis=0,keepdims=True))", "false", ["wrong-axis"]),
    ("gradient", "return A*(G-(A*G).sum(axis=0))", "false", ["wrong-axis"]),
    ("gradient", "return A*(G-np.sum(A*G,axis=1))", "false", ["keepdims"]),
    ("gradient", "return A*(G-(A*G).sum())", "false", ["coupled"]),
    ("gradient", "return A*((A*G).sum(-1,keepdims=True)-G)", "false", ["sign"]),
    ("gradient", f"return {BACK}/A.shape[0]", "false", ["factor-shape"]),
    ("gradient", f"return {BACK}/A.shape[-1]", "false", ["factor-shape"]),
    ("gradient", f"return -3*{BACK}", "false", ["factor"]),
    ("gradient", "return A*(G-(A*G).mean(-1,keepdims=True))", "false", ["mean"]),
    ("gradient", "return A*(G-(A*G).sum(-1,keepdims=True)/(A.sum(-1,keepdims=True)+1e-9))", "false", ["tiny"]),
    ("gradient", f"return {BACK}/(A.sum(-1,keepdims=True)+1e-20)", "false", ["tiny"]),
    ("gradient", "return G-A*G.sum(-1,keepdims=True)", "false", ["log-softmax"]),
    ("gradient", "return G-(A*G).sum(-1,keepdims=True)", "false", ["outer-weight"]),
    ("gradient", f"return (1-A)*{BACK}", "false", ["one-minus"]),
    ("gradient", f"return ({BACK}).T", "false", ["transposed"]),
    ("gradient", "return A-G", "false", ["weights-minus"]),
    ("gradient", "return np.zeros_like(A)", "false", ["zero"]),
    ("gradient", f"r = {BACK}", "false", ["none"]),
    ("gradient", "return (np.diag(A)-np.outer(A,A))@G", "needs assumption", ["raises"]),
    ("gradient", "raise ValueError('no')", "false", ["raises"]),
    ("gradient", f"{LOGITS.replace('z', 'A')}; return a*(G-(a*G).sum(-1,keepdims=True))", "needs assumption", []),
    ("jacobian", "a=softmax(z); return np.diag(a)-np.outer(a,a)", "agrees", []),
    ("jacobian", "e=[math.exp(x) for x in z]; t=sum(e); a=[x/t for x in e]; n=len(a); J=np.zeros((n,n))\n"
                 " for i in range(n):\n  for j in range(n): J[i,j]=a[i]*((i==j)-a[j])\n return J", "agrees", []),
    ("jacobian", "a=softmax(z); return np.diag(a)+np.outer(a,a)", "false", ["plus"]),
    ("jacobian", "return z*(1-z)", "false", ["diagonal-vector"]),
    ("gradient", "return A*(G-np.sum(A*G,axis=-1)[None,:])", "false", ["keepdims"]),
    ("gradient", "return A*(1-A)", "false", ["rows-coupled", "row-sums-not-zero"]),
    ("gradient", "import torch; return A", "undecided", []),
    ("jacobian", "a=softmax(z); return a*(1-a)", "false", ["diagonal-vector"]),
    ("jacobian", "a=softmax(z); return np.diag(a*(1-a))", "false", ["diagonal"]),
    ("jacobian", "a=softmax(z); return np.eye(len(a))-a[None,:]", "false", ["log-softmax"]),
    ("jacobian", "a=softmax(z); return np.outer(a,a)-np.diag(a)", "false", ["sign"]),
    ("softmax", "return np.exp(z-np.log(np.sum(np.exp(z),axis=-1,keepdims=True)))", "agrees", []),
    ("softmax", "z-=z.max(-1,keepdims=True); np.exp(z,out=z); z/=z.sum(-1,keepdims=True); return z",
     "agrees, side effects", []),
    ("softmax", "e=np.exp(z-np.max(z)); return e/e.sum()", "needs assumption", ["coupled"]),
    ("softmax", "return np.exp(z)/np.sum(np.exp(z),axis=0)", "needs assumption", ["wrong-axis"]),
    ("softmax", "e=np.exp(z-z.max(-1,keepdims=True)); return e/e.sum(0)", "needs assumption", ["wrong-axis"]),
    ("softmax", "e=np.exp(z-z.max(0)); return e/e.sum(-1,keepdims=True)", "needs assumption", ["wrong-maximum"]),
    ("softmax", "e=np.exp(z); return e/(1+e.sum(-1,keepdims=True))", "false", ["plus-one"]),
    ("softmax", "e=np.exp(z); return e/(e.sum(-1,keepdims=True)+1e-8)", "false", ["tiny"]),
    ("softmax", "return z-np.log(np.sum(np.exp(z),axis=-1,keepdims=True))", "false", ["log-softmax"]),
    ("softmax", "return np.exp(z)/z.sum(-1,keepdims=True)", "false", ["infinite"]),
    ("softmax", "e=np.exp(abs(z)); return e/e.sum(-1,keepdims=True)", "false", []),
]  # fmt: skip
ARGUMENTS = {"gradient": "A, G", "jacobian": "z", "softmax": "z"}


@pytest.mark.parametrize(("kind", "body", "verdict", "named"), SUBMISSIONS)
def test_invented_submissions(kind: Kind, body: str, verdict: str, named: list[str]) -> None:
    found = examine(f"{HEAD}def f({ARGUMENTS[kind]}):\n {body}", "f", kind)
    assert (found.verdict, codes(found)) == (verdict, named)
    assert (found.counterexample is None) == (found.verdict.startswith("agrees") or found.verdict == "undecided")
    json.dumps(found.to_json())


@pytest.mark.parametrize(("axis", "said"), [(0, []), (-1, ["nan-all-masked"])])
def test_what_a_mistake_does_to_large_scores_is_not_said_besides(axis: int, said: list[str]) -> None:
    source = f"{HEAD}def f(z):\n e = np.exp(z - z.max(-1, keepdims=True))\n return e / e.sum({axis}, keepdims=True)"
    found = [f.code for f in examine(source, "f", "softmax").findings]
    assert [code for code in found if code in ("nan-masked", "nan-all-masked", "overflows")] == said


def test_code_for_one_row() -> None:
    source = "import numpy as np\ndef f(a, g):\n return a * (g - np.dot(a, g))"
    found = examine(source, "f", "gradient")
    assert found.verdict == "false"
    assert "row-right" in [f.code for f in found.findings]
    alone = examine(source, "f", "gradient", one_row=True)
    assert (alone.verdict, alone.read[0].symbolic_shapes) == ("agrees", ("2", "3"))
    wrong = examine(source.replace("g - ", "g + "), "f", "gradient", one_row=True)
    assert (wrong.verdict, codes(wrong), wrong.counterexample["shape"]) == ("false", ["plus"], [2])


ROOT = "d = Q.shape[-1]; r = np.sqrt(d)"
DE = "dE = A * (dA - (dA * A).sum(-1, keepdims=True))"
SWAP = ".swapaxes(-1, -2)"


@pytest.mark.parametrize(
    ("arguments", "body", "verdict", "named"),
    [
        ("Q, K, A, dA", f"{DE} / r; return dE @ K, dE{SWAP} @ Q", "agrees", []),
        ("dA, Q, K, attn", f"A = attn; {DE} / r; return dE @ K, dE{SWAP} @ Q", "agrees", []),
        ("Q, K, A, dA", f"{DE} / d; return dE @ K, dE{SWAP} @ Q", "false", ["factor-width"] * 2),
        ("Q, K, A, dA", f"{DE} / r; return dE{SWAP} @ Q, dE @ K", "false", ["attention-swapped"] * 2),
        ("Q, K, A, dA", f"{DE} / r; return dE @ K, dE @ Q", "false", ["attention-transpose"]),
        ("Q, K, A, dA", f"return dA @ K / r, dA{SWAP} @ Q / r", "false", ["attention-softmax"] * 2),
        ("Q, K, A, dA", f"{DE} / r; return dE @ K, -dE{SWAP} @ Q", "false", ["sign"]),
        (
            "q, k, v, do",
            f"p = softmax(q @ k{SWAP} / r); dp = do @ v{SWAP}; o = p @ v; "
            f"ds = p * (dp - (do * o).sum(-1, keepdims=True)) / r; return ds @ k, ds{SWAP} @ q, p{SWAP} @ do",
            "agrees",
            [],
        ),
        ("dO, Q, K, V, A, scale", f"dA = dO @ V{SWAP}; {DE} * scale; return dE @ K, dE{SWAP} @ Q, A{SWAP} @ dO",
         "agrees", []),
    ],
)  # fmt: skip
def test_attention(arguments: str, body: str, verdict: str, named: list[str]) -> None:
    root = ROOT.replace("Q", "q") if arguments.startswith("q") else ROOT
    found = examine(f"{HEAD}def f({arguments}):\n {root}\n {body}", "f", "attention-backward")
    assert (found.verdict, codes(found)) == (verdict, named)


@pytest.mark.parametrize(
    ("body", "met", "growth"),
    [
        (f"return {BACK}", "11111", ""),
        ("return A*(G-np.einsum('ij,ij->i',A,G,optimize=True)[:,None])", "11111", ""),
        ("return np.array([[a*(g-r@h) for a,g in zip(r,h)] for r,h in zip(A,G)])", "11101", "T²"),
        ("o=np.zeros_like(A)\n for i in range(len(A)): o[i]=A[i]*(G[i]-A[i]@G[i])\n return o", "11101", "T"),
        ("return np.array([(np.diag(a)-np.outer(a,a))@g for a,g in zip(A,G)])", "11100", "T"),
        ("s=(A*G).sum(-1,keepdims=True); return np.vectorize(lambda a,g,t:a*(g-t))(A,G,s)", "11101", "T²"),
        ("J=A[:,:,None]*(np.eye(len(A))-A[:,None,:]); return np.einsum('ijk,ik->ij',J,G)", "11110", "T³"),
        ("G-=(A*G).sum(-1,keepdims=True); G*=A; return G", "11011", ""),
        ("return A*(G-(A*G).sum(-1))", "01111", ""),
        (f"return ({BACK}).tolist()", "10111", ""),
    ],
)
def test_the_challenge(body: str, met: str, growth: str) -> None:
    found = examine(f"{HEAD}def gradiente_puntuaciones(A, G):\n {body}", None, "gradient", challenge=True)
    assert "".join(str(int(bool(r.met))) for r in found.requirements) == met
    assert found.verdict == ("agrees" if met == "11111" else "false")
    assert growth in {r.data.get("growth", "") for r in found.requirements} | {""}
    if met[0] == "0":
        assert found.counterexample["shape"] == [2, 2]


def test_the_truth_is_that_of_attention() -> None:
    """The cases' own formula beside exact.attention, on every case without symbols."""

    def fractions(array: Any) -> Any:
        found = np.empty(array.shape, object)
        found.reshape(-1)[:] = [Fraction(x.rational) for x in array.flat]
        return found

    for reading in ("weights", "logits"):
        for case in cases("gradient", reading):
            if not case.symbolic:
                A, G = (fractions(case.arguments[name]) for name in ("weights", "upstream"))
                assert (attention.scores_gradient(A, G) == fractions(case.truth[0])).all()
    for case in cases("jacobian", "weights"):
        if not case.symbolic:
            assert (attention.jacobian(fractions(case.arguments["rows"])) == fractions(case.truth[0])).all()


@pytest.mark.parametrize(
    ("kind", "parameters", "roles"),
    [
        ("gradient", ["A", "G"], ("rows", "upstream")),
        ("gradient", ["grad_output", "output"], ("upstream", "rows")),
        ("gradient", ["foo", "bar"], ("rows", "upstream")),
        ("gradient", ["z", "A", "G"], ("logits", "weights", "upstream")),
        ("gradient", ["G", "A", "z"], ("upstream", "weights", "logits")),
        ("gradient", ["A", "G", "axis"], ("rows", "upstream", "axis")),
        ("attention-backward", ["Q", "K", "V", "dO"], ("Q", "K", "V", "dO")),
        ("attention-backward", ["query", "key", "attn", "d_attn"], ("Q", "K", "weights", "dA")),
        ("attention-backward", ["dO", "Q", "K", "V", "A", "d_k"], ("dO", "Q", "K", "V", "weights", "width")),
    ],
)
def test_roles(kind: Kind, parameters: list[str], roles: tuple[str, ...]) -> None:
    assert assign_roles(kind, [(p, False) for p in parameters]).filled == roles


def test_bad_options() -> None:
    with pytest.raises(BadInput, match="one of gradient"):
        examine("", "f", "nothing")  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="the challenge asks"):
        examine("", "f", "softmax", challenge=True)
    with pytest.raises(BadInput, match="further shape"):
        examine("", "f", "gradient", shapes=[(9, 9)])
    with pytest.raises(BadInput, match="cannot be read"):
        examine_file("no such file.py", "f", "gradient")
