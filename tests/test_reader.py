"""The reader: what people write is read, one meaning whatever the notation, and all else is refused with its place."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.rationals import BadInput
from symbolic.formulas import FORMULAS
from symbolic.latex import statement_snippet
from symbolic.plain import plain_statement
from symbolic.reading.reader import Unreadable, read
from symbolic.reading.surface import (
    Big,
    Called,
    Differentiated,
    Iverson,
    Multiplied,
    Name,
    Raised,
    Related,
    Transposed,
    walk,
)

# Each row says one thing in several ways.
SAME = (
    (r"a_i(1-a_i)", "a_i*(1 - a_i)", "a[i]*(1-a[i])", r"a_{i}\left(1 - a_{i}\right)", r"$ a_i \, (1-a_i) $"),
    (r"a_{i}(\delta_{i,j}-a_{j})", "a_i(delta_ij - a_j)", r"a_i (\delta_{ij} - a_j)", "a_i(δ_ij − a_j)"),
    (r"\sum_j a_j", r"\sum_{j} a_j", "sum_j a_j", "∑_j a_j"),
    (r"\sum_{j=1}^{T} a_j^2", "sum_{j=1}^T a_j^2", "Sum(a[j]**2, (j, 1, T))"),
    (r"\frac{\partial a_i}{\partial e_j}", "∂a_i/∂e_j", "da_i/de_j", "diff(a_i, e_j)", r"\frac{da_i}{de_j}"),
    (r"\frac{\partial}{\partial e_j} a_i", r"\partial a_i / \partial e_j", r"\frac{\mathrm{d} a_i}{\mathrm{d} e_j}"),
    (
        r"\frac{d}{d e_j} a_i",
        "d/de_j a_i",
        "∂/∂e_j a_i",
        "d / d e_j (a_i)",
        "d(a_i)/de_j",
        r"\partial/\partial e_j a_i",
    ),
    (r"\frac{d}{d\beta} a_i", "d/dbeta a_i", "d/dβ a_i", "∂/∂β a_i", r"d/d\beta a_i"),
    (
        r"\mathbb{E}[e^2] = d",
        "E[e^2] = d",
        "E[e**2] == d",
        r"\mathbb E\left[e^2\right] = d",
        r"\operatorname{E}[e^2]=d",
    ),
    (r"\operatorname{Var}(q \cdot k)", r"\mathrm{Var}(q\cdot k)", "Var(q.k)", "Var(q · k)", r"\text{Var}(q \cdot k)"),
    (r"\|q\|^2", "‖q‖²", r"\lVert q\rVert^2", "||q||^2", r"\left\|q\right\|^{2}"),
    (r"q^\top k", r"q^{\top} k", r"q^T k", r"q^{\mathsf T} k", "qᵀ k"),
    (
        r"\operatorname{softmax}(e)_i",
        "softmax(e)_i",
        "softmax(e)[i]",
        r"\text{softmax}(e)_i",
        r"\mathrm{softmax}(e)_{i}",
    ),
    (r"\mathbb{1}\{i=j\}", "[i = j]", r"\mathbf{1}[i=j]", "1{i=j}", r"\mathbb{1}_{\{i=j\}}"),
    (r"\operatorname{diag}(a) - a a^\top", r"\mathrm{diag}(a) - a a^T", "diag(a) - a aᵀ"),
    (r"\sqrt{d_k}", "sqrt(d_k)", "√(d_k)", "np.sqrt(d_k)"),
    (r"\frac{1}{2}", "1/2", r"\frac12", r"\tfrac{1}{2}"),
    (r"A \odot G", "A ⊙ G", r"A\odot{}G"),
    (r"\sum_{j \ne i} a_j", "sum_{j != i} a_j", r"\sum_{j\neq i} a_j", "∑_{j≠i} a_j"),
    ("X1 + ... + Xn", r"X_1 + \dots + X_n", r"X_1+\cdots+X_n", "X_1+X_2+…+X_n"),
    (r"\binom{n}{k}", "C(n, k)", "binom(n,k)", r"\binom nk", "math.comb(n, k)"),
    (r"\langle q, k \rangle", "⟨q, k⟩", "dot(q, k)"),
    (r"\hat{y}_i - y_i", r"\hat y_i - y_i"),
    ("a = b = c", r"\begin{align*} a &= b \\ &= c \end{align*}", "a = b\n= c", "$$a=b=c$$", r"\[ a = b = c. \]"),
)


def plain_products(claim: Related) -> str:
    """Write a tree with no regard to whether a product was starred or juxtaposed."""
    return repr(claim).replace("'*'", "''")


@pytest.mark.parametrize("ways", SAME, ids=lambda ways: ways[0])
def test_one_meaning_in_every_notation(ways: tuple[str, ...]) -> None:
    first, *others = (plain_products(read(way).claim) for way in ways)
    for way, other in zip(ways[1:], others, strict=True):
        assert other == first, way


@pytest.mark.parametrize("text", ["d/d_k", "d/d", "d(d + 2)/d", "d(d + 2)/d_k", "d/dim", "q·k/d"])
def test_a_width_over_a_width_is_a_fraction(text: str) -> None:
    assert not any(isinstance(node, Differentiated) for node in walk(read(text).claim))


def test_juxtaposition_is_a_product_and_no_tail_is_dropped() -> None:
    product = read(r"a_{i}(\delta_{i,j} - a_{j})").claim.parts[0]
    assert isinstance(product, Multiplied)
    assert len(product.factors) == 2
    assert not any(isinstance(node, Called) for node in walk(product))
    assert len(read(r"3(\sum_i a_i^2)^2 - 2\sum_i a_i^4").claim.parts[0].terms) == 2  # type: ignore[union-attr]


def test_what_looks_alike_is_told_apart() -> None:
    assert isinstance(read(r"K^\top").claim.parts[0], Transposed)
    assert isinstance(read("x^2").claim.parts[0], Raised)
    assert isinstance(read(r"\frac{\partial L}{\partial z}").claim.parts[0], Differentiated)
    assert read("dP_{ij}").claim.parts[0] == Name("P", (Name("i"), Name("j")), "d")
    assert read("d_k").claim.parts[0] == Name("d", (Name("k"),))
    assert isinstance(read("[i=j]").claim.parts[0], Iverson)
    assert isinstance(read(r"\sum_{j} a_j^2").claim.parts[0], Big)
    assert read("E = 3").claim.parts[0] == Name("E")


def test_what_follows_a_claim_stands_aside() -> None:
    reading = read(r"\frac{\partial a_i}{\partial e_j} = -a_i a_j, \quad \text{for } i \ne j")
    assert [aside.relations for aside in reading.aside] == [("≠",)]
    assert len(read("a_i = 1, a = softmax(z) where z = x/T").aside) == 2


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.id)
def test_what_the_project_writes_it_reads(formula: object) -> None:
    for statement in formula.statements:  # type: ignore[attr-defined]
        if formula.id == "closed-row":  # type: ignore[attr-defined]
            continue  # limits are not read
        read(statement_snippet(statement).replace(r"\iff", ","))
        read(plain_statement(statement).replace("⇔", ",").replace("⇒", ","))


REFUSED = (
    (r"a_i(1-a_i", "ends too early", 9),
    ("a_i)", "closes a bracket", 3),
    (r"\frac{a}{", "ends too early", 9),
    (r"x + \foo", "\\foo is not read", 4),
    ("a = = b", "cannot stand here", 4),
    ("x+*y", "cannot stand here", 2),
    ("аi = 1", "looks like a", 0),
    ("x\u200b = 1", "cannot be shown", 1),
    ("9**9**9**9", "may not be an exponent", 3),
    ("2^{99999}", "an exponent may be", 3),
    ("1" * 101, "101", 0),
    ("x_" + "{a_" * 60, "brackets may stand inside", None),
    ("(" * 60 + "x" + ")" * 60, "brackets may stand inside", 50),
    (r"\sum_i " * 100 + "x", "nested", None),
    (r"x^{n}^{3}", "two exponents", None),
    ("a_i_j", "two subscripts", None),
    (r"\alpha^12", "one digit", None),
    (r"\text{hello you}", "are not read", 0),
    ("a\\", "backslash", 1),
    ("diff(x)", "diff is not used like this", 0),
)


@pytest.mark.parametrize(("text", "said", "at"), REFUSED, ids=lambda value: repr(value)[:20])
def test_what_cannot_be_read_is_shown_with_its_place(text: str, said: str, at: int | None) -> None:
    with pytest.raises(Unreadable, match=r"^") as refused:
        read(text)
    message = str(refused.value)
    assert said in message
    lines = message.splitlines()
    assert lines[2].strip() == "^"
    if at is not None:
        assert refused.value.at == at


@pytest.mark.parametrize("text", ["", "   ", "\n", "(" * 100_000, r"\sum_i " * 10_000, "1" * 1_000_000])
def test_what_is_empty_or_too_long_is_refused_at_once(text: str) -> None:
    with pytest.raises(BadInput):
        read(text)


ALPHABET = [*"abeijkqxyzEVPTd0123+-*/^_(){}[]|=<>,.;!' \n&$~"]
ALPHABET += [r"\frac", r"\sum", r"\partial ", r"\left", r"\right", r"\text{", r"\mathbb{E}", r"\|", r"\{", r"\}", r"\\"]
ALPHABET += ["sum_", "softmax(", "E[", r"\sqrt", r"\top", r"\binom", "∂", "Σ", "²", "_{", "^{", r"\hat", "d", "0.5"]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join))
def test_no_string_of_pieces_breaks_the_reader(text: str) -> None:
    try:
        read(text)
    except BadInput:
        return


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_no_string_breaks_the_reader(text: str) -> None:
    try:
        read(text)
    except BadInput:
        return


def test_long_inputs_are_read_whole_in_linear_memory() -> None:
    """10 kB of formula are read, and cut at random places they are read or refused; memory grows with the length."""
    line = r" + a_i(\delta_{ij} - a_j)"
    peaks = []
    for size in (2_500, 10_000):
        whole = "x" + line * (size // len(line))
        tracemalloc.start()
        assert len(read(whole).claim.parts[0].terms) == 1 + size // len(line)  # type: ignore[union-attr]
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 8 * peaks[0]
    generator = random.Random(1)
    for _ in range(30):
        try:
            read(whole[: generator.randrange(len(whole))])
        except BadInput:
            continue
