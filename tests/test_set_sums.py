"""Sums over the vectors of a cube and over subsets: read whole, decided for every size, and refused where unknown."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exact.verdicts import Answer
from symbolic import confirm
from symbolic.reading.reader import read
from symbolic.reading.sets import set_tokens

P, F, U, I = Answer.PROVED, Answer.FALSE, Answer.UNDECIDED, Answer.INVALID

CLAIMS: tuple[tuple[str, Answer], ...] = (
    (r"\sum_{\epsilon\in\{-1,1\}^n} (\sum_i a_i \epsilon_i)^2 = 2^n \sum_i a_i^2", P),
    (r"\sum_{\epsilon\in\{\pm 1\}^n} (\sum_i a_i \epsilon_i)^2 = \sum_i a_i^2", F),
    (r"\sum_{\epsilon\in\{-1,1\}^n} \epsilon_1 \epsilon_2 = 0", P),
    (r"\sum_{x\in\{0,1\}^n} |x| = n 2^{n-1}", P),
    (r"\sum_{x\in\{0,1\}^n} \sum_i x_i = n 2^n", F),
    (r"\sum_{S\subseteq[n]} |S| = n 2^{n-1}", P),
    (r"\sum_{S\subseteq[n]} |S|^2 = n(n+1) 2^{n-2}", P),
    (r"\sum_{S\subseteq[n]} |S|^2 = n^2 2^{n-1}", F),
    (r"\sum_{S\subseteq[n]} (-1)^{|S|} = 0", F),
    (r"\sum_{S\subseteq\{1,\dots,n\}} (-1)^{|S|} = 0, n \ge 1", P),
    (r"\sum_{k\in\{-1,1\}^{d_k}} (q\cdot k)^2 = 2^{d_k} \|q\|^2", P),
    (r"\sum_{k\in\{-1,1\}^d} (q\cdot k)^2 = 2^d d", F),
    (r"\sum_{k\in\{-1,1\}^d} q\cdot k = 0", P),
    (r"\sum_{q\in\{-1,1\}^d}\sum_{k\in\{-1,1\}^d} (q\cdot k)^2 = 4^d d", P),
    ("Σ_{k∈{−1,1}^3} (k_1 + k_2 + k_3)^2 = 24", P),
    ("Σ_{k∈{−1,1}^3} (k_1 + k_2 + k_3)^2 = 8", F),
    (r"\sum_{S\subseteq[n]} \sum_{i \in S} a_i = 0", I),
    (r"\sum_{x \in A} x = 1", I),
    (r"\sum_{S\subseteq[n]} S = 1", U),
    (r"\sum_{k\in\{+1,1\}^d} (q\cdot k)^2 = 2^d d", U),
    (r"\sum_{x\in\{0,1\}^n} x_1 = \sum_{x\in\{-1,1\}^n} x_1", U),
    (r"\sum_{S\subseteq[n], |S|=k} 1 = 2^n", U),
)


@pytest.mark.parametrize(("claim", "answer"), CLAIMS)
def test_sums_over_sets(claim: str, answer: Answer) -> None:
    assert confirm(claim).answer is answer


def test_what_was_read_is_echoed_as_it_is_written() -> None:
    assert confirm(r"\sum_{k\in\{\pm1\}^d} q\cdot k = 0").latex == r"\sum_{k \in \{-1, 1\}^{d}} q \cdot k = 0"
    assert confirm(r"\sum_{S\subset[n]} |S| = n2^{n-1}").latex.startswith(r"\sum_{S \subseteq [n]} \left|S\right|")


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=3), st.integers(1, 4))
def test_the_cube_agrees_with_its_vectors(q: list[int], power: int) -> None:
    total = sum(sum(a * b for a, b in zip(q, k, strict=True)) ** power for k in product((-1, 1), repeat=len(q)))
    dot = " + ".join(f"({a}) k_{r}" for r, a in enumerate(q, 1))
    for value in (total, total + 1):
        answer = confirm(rf"\sum_{{k\in\{{-1,1\}}^{len(q)}}} ({dot})^{power} = {value}").answer
        assert answer is (P if value == total else F)


@given(st.integers(0, 6), st.integers(0, 3))
def test_subsets_agree_with_themselves(n: int, power: int) -> None:
    total = sum(len(s) ** power for size in range(n + 1) for s in combinations(range(n), size))
    assert confirm(rf"\sum_{{S\subseteq[{n}]}} |S|^{power} = {total}").answer is P


@given(st.text(alphabet="{}[]\\-+1,0n^ _.ldots±pm", max_size=20))
def test_whatever_follows_it_is_read_as_a_set_or_refused(text: str) -> None:
    for relation in "∈⊆":
        found = set_tokens(text, 0, relation)
        assert found is None or 0 < found[1] <= len(text)


def test_a_set_outside_a_sum_is_refused() -> None:
    assert confirm(r"x \in \{-1,1\}^n").answer in (I, U)
    assert read(r"\sum_{k\in\{0,1\}^2} k_1 = 2").claim.parts
