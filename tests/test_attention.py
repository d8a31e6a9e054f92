"""Attention: exactly against the derived Jacobian, and in floats against differences taken in 60 digits."""

from fractions import Fraction
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from exact.attention import (
    RowSumWarning,
    attend,
    attend_back,
    jacobian,
    scores_gradient,
    softmax,
    summarise_rows,
    weights,
)
from exact.rationals import BadInput

F = Fraction
mpmath: Any = import_module("mpmath")  # neither carries types
sympy: Any = import_module("sympy")
Array = np.ndarray[Any, Any]


def exact(values: Any) -> Array:
    array = np.empty(np.shape(values), object)
    array.reshape(-1)[:] = [F(x) for x in np.ravel(np.array(values, object))]
    return array


def exponentials(T: int) -> list[tuple[Fraction, ...]]:
    return list(product([F(1), F(2), F(1, 3)], repeat=T))


# ---- exact ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("T", [1, 2, 3])
def test_jacobian_is_the_symbolic_derivative_at_every_row(T: int) -> None:
    e = sympy.symbols(f"e0:{T}")
    total = sum(sympy.exp(x) for x in e)
    formulas = [[sympy.diff(sympy.exp(e[j]) / total, e[l]) for l in range(T)] for j in range(T)]
    for xs in exponentials(T):
        at = {v: sympy.log(sympy.Rational(x.numerator, x.denominator)) for v, x in zip(e, xs, strict=True)}
        found = jacobian(weights(exact(xs)))
        for j, l in product(range(T), repeat=2):
            value = sympy.nsimplify(formulas[j][l].subs(at))
            assert F(int(value.p), int(value.q)) == found[j, l]


@pytest.mark.parametrize("T", [1, 2, 3, 4])
def test_gradient_is_the_jacobian_times_g_for_every_unit_g(T: int) -> None:
    for xs in exponentials(T):
        a = weights(exact(xs))
        assert np.array_equal(scores_gradient(np.stack([a] * T), exact(np.eye(T, dtype=int))), jacobian(a))


def test_jacobian_has_the_known_figures() -> None:
    J = jacobian(weights(exact([1, 2, 3])))
    assert np.trace(J) == F(11, 18)
    assert (J * J).sum() == F(67, 324)
    worked = [[0.0819, -0.0220, -0.0599], [-0.0220, 0.1848, -0.1628], [-0.0599, -0.1628, 0.2227]]  # published
    assert np.abs(jacobian(softmax(np.array([1.0, 2.0, 3.0]))) - worked).max() <= 0.00005


@given(st.lists(st.fractions(min_value=F(1, 50), max_value=50, max_denominator=50), min_size=1, max_size=6))
def test_every_row_has_a_trace_in_its_range_and_a_jacobian_that_adds_to_0(xs: list[Fraction]) -> None:
    a = weights(exact(xs))
    J = jacobian(a)
    assert a.sum() == 1
    assert not J.sum(axis=0).any()
    assert not J.sum(axis=1).any()
    assert np.array_equal(J, J.T)
    rows = summarise_rows(a)
    assert 0 <= rows.trace <= 1 - F(1, len(xs))
    assert rows.trace == np.trace(J)


@pytest.mark.parametrize("d", [1, 4, 9])
def test_attention_back_is_the_chain_rule_written_cell_by_cell(d: int) -> None:
    generator = np.random.default_rng(d)
    n, m, v = 2, 3, 2
    Q, K, V, dO, X = (exact(generator.integers(1, 5, shape)) for shape in ((n, d), (m, d), (m, v), (n, v), (n, m)))
    there = attend(Q, K, V, exponentials=X)
    root = round(d**0.5)
    assert there.scale == F(1, root)
    back = attend_back(Q, K, V, there, dO)
    A = [[X[i, j] / sum(X[i]) for j in range(m)] for i in range(n)]
    G = [[sum(dO[i, c] * V[j, c] for c in range(v)) for j in range(m)] for i in range(n)]
    dE = [[sum(G[i][l] * A[i][l] * ((l == j) - A[i][j]) for l in range(m)) for j in range(m)] for i in range(n)]
    O = [[sum(A[i][j] * V[j, c] for j in range(m)) for c in range(v)] for i in range(n)]
    dQ = [[sum(dE[i][j] * K[j, r] for j in range(m)) / root for r in range(d)] for i in range(n)]
    dK = [[sum(dE[i][j] * Q[i, r] for i in range(n)) / root for r in range(d)] for j in range(m)]
    dV = [[sum(A[i][j] * dO[i, c] for i in range(n)) for c in range(v)] for j in range(m)]
    for found, expected in ((there.output, O), (back.E, dE), (back.Q, dQ), (back.K, dK), (back.V, dV)):
        assert found.tolist() == expected


# ---- floats ---------------------------------------------------------------------------------------------------------


def loss(Q: Any, K: Any, V: Any, dO: Array) -> Any:
    """Σ dO·output with 1/√d, in mpmath."""
    E = (Q * K.T) / mpmath.sqrt(Q.cols)
    total = mpmath.mpf(0)
    for i in range(E.rows):
        x = [mpmath.exp(E[i, j]) for j in range(E.cols)]
        for c in range(V.cols):
            total += dO[i, c] * sum(x[j] * V[j, c] for j in range(E.cols)) / sum(x)
    return total


def test_attention_back_is_the_derivative_taken_in_60_digits() -> None:
    """Central differences at 10⁻²⁰ are right to 10⁻³⁰ or so; what is left is the rounding of float64.

    Fewer than 200 roundings stand between the inputs, of size 4 at most, and any entry, of size 10 at most.
    """
    generator = np.random.default_rng(3)
    Q, K, V = (generator.standard_normal(shape) for shape in ((3, 5), (4, 5), (4, 2)))
    given = {"Q": Q, "K": K, "V": V}
    dO = generator.standard_normal((3, 2))
    back = attend_back(Q, K, V, attend(Q, K, V), dO)
    with mpmath.workdps(60):
        h = mpmath.mpf(10) ** -20
        for name, array in given.items():
            for i, j in np.ndindex(array.shape):
                values = []
                for step in (h, -h):
                    moved = {key: mpmath.matrix(x.tolist()) for key, x in given.items()}
                    moved[name][i, j] += step
                    values.append(loss(moved["Q"], moved["K"], moved["V"], dO))
                slope = (values[0] - values[1]) / (2 * h)
                assert abs(slope - getattr(back, name)[i, j]) < 200 * 2.0**-53 * 10


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4), (2, 1, 3, 1)])
def test_dtypes_and_batch_axes_are_kept_and_nothing_is_written_to(dtype: Any, shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    E, G = (generator.standard_normal(shape).astype(dtype) for _ in range(2))
    for array in (E, G):
        array.flags.writeable = False
    A = softmax(E)
    A.flags.writeable = False
    D, out = scores_gradient(A, G), np.empty_like(A)
    assert scores_gradient(A, G, out=out) is out
    assert (out == D).all()
    assert A.dtype == D.dtype == jacobian(A).dtype == weights(np.exp(E)).dtype == dtype
    assert A.shape == D.shape == shape
    for at in np.ndindex(shape[:-1]):
        assert (softmax(E[at]) == A[at]).all()
        bound = (shape[-1] + 4) * np.finfo(dtype).eps * 2 * np.abs(G[at]).max()
        assert np.abs(jacobian(A[at]) @ G[at] - D[at]).max() <= bound


def test_rows_past_one_chunk_and_rows_that_are_not_contiguous_give_the_same() -> None:
    generator = np.random.default_rng(2)
    E, G = generator.standard_normal((2, 300, 2000))
    A = softmax(E)
    D = scores_gradient(A, G)
    for i in (0, 17, 299):
        assert np.abs(D[i] - A[i] * (G[i] - (A[i] * G[i]).sum())).max() <= 2004 * 2.0**-52 * np.abs(G).max()
    assert np.abs(scores_gradient(A[::2], G[::2]) - D[::2]).max() <= 2004 * 2.0**-52 * np.abs(G).max()
    assert (softmax(np.asfortranarray(E)) == A).all()


def test_a_mask_is_a_score_of_minus_infinity_is_a_shorter_row() -> None:
    for T in range(1, 6):
        E = np.random.default_rng(T).standard_normal(T)
        for bits in product([True, False], repeat=T):
            mask = np.array(bits)
            A = softmax(E, mask)
            assert (softmax(np.where(mask, E, -np.inf)) == A).all()
            assert not A[~mask].any()
            if mask.any():
                assert np.abs(A[mask] - softmax(E[mask])).max() <= (T + 2) * 2.0**-52
                x = exact(range(1, T + 1))
                assert np.array_equal(weights(x, mask)[mask], weights(x[mask]))
            else:
                assert not scores_gradient(A, np.ones(T)).any()


def test_scores_of_any_finite_size_are_taken() -> None:
    top = np.finfo(float).max
    assert softmax(np.array([top, -top, top])).tolist() == [0.5, 0.0, 0.5]
    assert softmax(np.array([-top, -top])).tolist() == [0.5, 0.5]
    assert softmax(np.array([1000.0, 0.0])).tolist() == [1.0, 0.0]
    assert weights(np.array([top, top])).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_arrays_with_no_entries_give_arrays_with_no_entries(shape: tuple[int, ...]) -> None:
    nothing = np.zeros(shape)
    for answer in (softmax(nothing), weights(nothing), scores_gradient(nothing, nothing)):
        assert answer.shape == shape
    assert attend(np.zeros((0, 2)), np.zeros((3, 2)), np.zeros((3, 1))).output.shape == (0, 1)
    assert attend(np.zeros((2, 2)), np.zeros((0, 2)), np.zeros((0, 1))).output.tolist() == [[0.0], [0.0]]


@given(arrays.arrays(np.float64, (2, 4), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_softmax_gives_weights_or_says_why_not(E: Array) -> None:
    if np.isnan(E).any() or np.isposinf(E).any():
        with pytest.raises(BadInput, match="finite or −inf"):
            softmax(E)
        return
    sums = softmax(E).sum(axis=-1)
    assert (np.abs(sums - (-np.inf < E).any(axis=-1)) <= 6 * 2.0**-52).all()


def test_rows_that_do_not_add_to_1_are_named() -> None:
    A, G = np.array([[0.5, 0.5], [0.0, 0.0], [0.5, 0.25]]), np.ones((3, 2))
    with pytest.warns(RowSumWarning, match=r"row 2 of A must add to 1 \(it adds to 0.75\)"):
        scores_gradient(A, G)
    with pytest.raises(BadInput, match="row 2"):
        scores_gradient(A, G, rows="refuse")
    with pytest.raises(BadInput, match=r"row 2 of A must add to 1 \(it adds to 3/4\)"):
        scores_gradient(exact([["1/2", "1/2"], [0, 0], ["1/2", "1/4"]]), exact(np.ones((3, 2), int)))
    assert scores_gradient(A, G, rows="trust")[2].tolist() == [0.125, 0.0625]


SQUARE, ROW = np.full((2, 2), 0.5), np.full(2, 0.5)
BAD = [
    (lambda: scores_gradient(SQUARE, ROW), "same shape"),
    (lambda: scores_gradient(SQUARE, SQUARE * np.nan), "row 0 of A or G holds NaN"),
    (lambda: scores_gradient(SQUARE, np.array([[0, 0], [np.inf, 0]])), "row 1"),
    (lambda: scores_gradient(SQUARE, SQUARE.astype(int)), "G has dtype int64"),
    (lambda: scores_gradient(SQUARE.astype(np.float16), SQUARE), "A has dtype float16"),
    (lambda: scores_gradient(SQUARE, exact([[1, 2], [3, 4]])), "must not be mixed"),
    (lambda: scores_gradient(SQUARE, SQUARE, out=SQUARE), "apart in memory"),
    (lambda: scores_gradient(SQUARE, SQUARE + 0, out=np.empty((2, 2), np.float32)), "dtype float64"),
    (lambda: scores_gradient(SQUARE, SQUARE + 0, out=np.empty((2, 2), order="F")), "contiguous"),
    (lambda: softmax(exact([1, 2])), "give the exponentials"),
    (lambda: softmax(np.array([1, 2], object)), "Fractions only"),
    (lambda: softmax(np.array(1.0)), "at least one axis"),
    (lambda: softmax(SQUARE, np.ones(2)), "dtype bool"),
    (lambda: softmax(SQUARE, np.ones(3, bool)), "must broadcast"),
    (lambda: weights(np.array([1.0, -1.0])), "at least 0"),
    (lambda: weights(exact([1, -1])), "at least 0"),
    (lambda: attend(SQUARE, ROW, SQUARE), "two axes"),
    (lambda: attend(SQUARE, np.ones((2, 3)), SQUARE), "one width"),
    (lambda: attend(SQUARE, SQUARE, np.ones((3, 2))), "one number of positions"),
    (lambda: attend(np.ones((2, 0)), np.ones((2, 0)), SQUARE), "width must be at least 1"),
    (lambda: attend(SQUARE * 1e300, SQUARE * 1e300, SQUARE), "overflows"),
    (lambda: attend(exact([[1]]), exact([[1]]), exact([[1]])), "give exponentials"),
    (lambda: attend(exact([[1, 2]]), exact([[1, 2]]), exact([[1]]), exponentials=exact([[1]])), "√2 is not a fraction"),
    (lambda: summarise_rows(np.zeros((3, 0))), "at least one position"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()
