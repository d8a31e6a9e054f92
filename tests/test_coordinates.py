"""Laws of a coordinate and of a pair, against sums written out, integrals, SymPy and published values."""

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.coordinates import (
    Coordinate,
    Finite,
    affine,
    bernoulli,
    finite,
    gaussian,
    is_centred,
    is_symmetric,
    is_unit,
    laplace,
    mean,
    moment,
    read_coordinate,
    sign,
    two_point,
    uniform_interval,
    uniform_on,
    variance,
)
from exact.initialisation import (
    half_width_squared,
    head_width,
    kaiming_normal,
    kaiming_uniform,
    lecun_normal,
    lecun_uniform,
    projected_variance,
    scaled_variance,
    xavier_normal,
    xavier_uniform,
)
from exact.rationals import BadInput
from exact.terms import (
    GaussianPair,
    Independent,
    Joint,
    Same,
    correlated_gaussians,
    correlated_signs,
    term_law,
    term_moments,
)

sympy: Any = import_module("sympy")  # it carries no types
x = sympy.Symbol("x", real=True)
half = sympy.Rational(1, 2)
DENSITIES = [
    (gaussian(), sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi), (-sympy.oo, sympy.oo)),
    (gaussian("1/2", 3), sympy.exp(-((x - half) ** 2) / 6) / sympy.sqrt(6 * sympy.pi), (-sympy.oo, sympy.oo)),
    (uniform_interval("3/2"), sympy.Rational(1, 3), (-3 * half, 3 * half)),
]


@pytest.mark.parametrize(("law", "density", "limits"), DENSITIES)
def test_moments_are_integrals_of_the_density(law: Coordinate, density: Any, limits: tuple[object, object]) -> None:
    for m in range(7):
        integral = sympy.integrate(x**m * density, (x, *limits))
        assert integral == sympy.Rational(*moment(law, m).as_integer_ratio())


def test_laplace_moments_are_factorials() -> None:
    # the integral of x^m exp(−x/b)/b over x > 0 is m!·b^m
    for m in range(0, 12, 2):
        assert moment(laplace("1/3"), m) == Fraction(int(sympy.factorial(m)), 3**m)


def test_standard_normal_moments() -> None:
    # OEIS A123023
    assert [int(moment(gaussian(), m)) for m in range(9)] == [1, 0, 1, 0, 3, 0, 15, 0, 105]


def test_finite_moments_are_sums() -> None:
    # a public question: X on {0: 1/3, 1: 1/6, 5: 1/2} has mean 8/3 and variance 50/9
    law = finite([(0, "1/3"), (1, "1/6"), (5, "1/2")])
    assert (mean(law), variance(law)) == (Fraction(8, 3), Fraction(50, 9))
    assert moment(law, 0) == 1


def test_hypotheses() -> None:
    skewed = two_point(-2, 1, "2/3")
    assert is_centred(skewed)
    assert not is_unit(skewed)
    assert not is_symmetric(skewed)
    for law in (sign(), gaussian()):
        assert is_centred(law)
        assert is_unit(law)
        assert is_symmetric(law)
    assert not is_centred(bernoulli("1/2"))
    assert not is_unit(uniform_interval(1))
    assert not is_symmetric(gaussian(1, 1))
    assert is_symmetric(uniform_on([-1, 0, 1]))
    assert is_unit(gaussian("3/5", "16/25"))


def test_affine() -> None:
    for law in (sign(), gaussian(1, 2), laplace(2), uniform_on([1, 2, 2])):
        moved = affine(law, "-2", "1/3")
        assert mean(moved) == -2 * mean(law) + Fraction(1, 3)
        assert variance(moved) == 4 * variance(law)
        third = sum(
            c * Fraction(-2) ** i * Fraction(1, 3) ** (3 - i) * moment(law, i) for i, c in enumerate((1, 3, 3, 1))
        )
        assert moment(moved, 3) == third
    assert affine(uniform_on([1, 2]), 0) == finite([(0, 1)], "uniform on a list")


HALF: Any = 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: finite([(0, "1/2"), (1, "1/3")]), "weights must add to 1 \\(these add to 5/6\\)"),
        (lambda: finite([(0, "3/2"), (1, "-1/2")]), "must not be negative \\(the weight of 1 is -1/2\\)"),
        (lambda: finite([(0, HALF), (1, HALF)]), "the float 0.5"),
        (lambda: finite([]), "these add to 0"),
        (lambda: finite([(i, 1) for i in range(2000)]), "at most 1000 values"),
        (lambda: uniform_on([]), "must not be empty"),
        (lambda: gaussian(0, -1), "variance must be at least 0"),
        (lambda: uniform_interval(-1), "half-width must be at least 0"),
        (lambda: laplace("-1/2"), "scale must be at least 0"),
        (lambda: bernoulli("3/2"), "from 0 to 1"),
        (lambda: two_point(0, 1, -1), "from 0 to 1"),
        (lambda: correlated_signs("1.01"), "correlation must be from −1 to 1"),
        (lambda: correlated_gaussians(-2), "correlation must be from −1 to 1"),
        (lambda: moment(sign(), 10**6), "order must be at most 400"),
        (lambda: moment(sign(), -1), "order must be at least 0"),
        (lambda: xavier_uniform(0, 5), "fan_in must be at least 1"),
        (lambda: kaiming_normal(5, -1), "slope"),
        (lambda: half_width_squared(gaussian()), "only a uniform law"),
        (lambda: head_width(10, 3), "3 does not divide 10"),
        (lambda: projected_variance(gaussian(1, 1), 5), "weights must have mean 0"),
        (lambda: projected_variance(gaussian(), 5, -1), "second moment"),
        (lambda: scaled_variance(5, 1, -1, divisor_squared=1), "variance must be at least 0"),
        (lambda: scaled_variance(5, 1, 1, divisor_squared=0), "above 0"),
        (lambda: scaled_variance(10**12, 1, 1, divisor_squared=1), "width must be at most"),
    ],
)
def test_bad_input(make: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make()


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("sign", sign()),
        (" Sign ", sign()),
        ("gaussian", gaussian()),
        ("gaussian:1,2.5", gaussian(1, "5/2")),
        ("uniform:3", uniform_interval(3)),
        ("laplace:1/2", laplace("1/2")),
        ("bernoulli:0.25", bernoulli("1/4")),
        ("values:1,2,2", uniform_on([1, 2, 2])),
        ("weights:0=1/3,1=1/6,5=1/2", finite([(0, "1/3"), (1, "1/6"), (5, "1/2")])),
    ],
)
def test_laws_by_name(text: str, law: Coordinate) -> None:
    assert read_coordinate(text) == law


@pytest.mark.parametrize(
    "text", ["", "sign:1", "gaussian:1,2,3", "uniform", "values:", "weights:0", "weights:0=1/2", "§"]
)
def test_laws_that_are_not(text: str) -> None:
    with pytest.raises(BadInput):
        read_coordinate(text)


@given(
    st.text() | st.from_regex(r"(sign|gaussian|uniform|laplace|bernoulli|values|weights):[-0-9,=/.]*", fullmatch=True)
)
@settings(deadline=None)  # other work shares the machine
def test_arbitrary_text_names_a_law_or_is_refused(text: str) -> None:
    try:
        law = read_coordinate(text)
    except BadInput:
        return
    assert moment(law, 0) == 1


def enumerate_term_moment(atoms: list[tuple[Fraction, Fraction, Fraction]], m: int) -> Fraction:
    return sum((w * (q * k) ** m for q, k, w in atoms), Fraction(0))


def test_term_moments_of_finite_pairs() -> None:
    q, k = finite([(-1, "1/3"), (2, "2/3")]), uniform_on([0, 1, "5/2"])
    both = [(a, b, v * w) for (a, v), (b, w) in product(q.atoms, k.atoms)]
    same = [(a, a, v) for a, v in q.atoms]
    for m in range(6):
        assert term_moments(Independent(q, k), 5)[m] == enumerate_term_moment(both, m)
        assert term_moments(Same(q), 5)[m] == enumerate_term_moment(same, m)
        assert term_moments(Joint("", tuple(both)), 5)[m] == enumerate_term_moment(both, m)


def test_term_law_agrees_with_term_moments() -> None:
    q = uniform_on([-1, 0, 2])
    for pair in (Independent(q, q), Same(q), correlated_signs("1/3"), correlated_signs(1), correlated_signs(-1)):
        law = term_law(pair)
        assert isinstance(law, Finite)
        assert tuple(moment(law, m) for m in range(7)) == term_moments(pair, 6)
    assert term_law(Same(gaussian())) is None
    assert term_law(correlated_gaussians(0)) is None
    wide = uniform_on(range(40))
    with pytest.raises(BadInput, match="at most 1000 values"):
        term_law(Independent(wide, wide))


def test_correlated_signs_have_the_correlation() -> None:
    for rho in (Fraction(-1), Fraction(-1, 3), Fraction(0), Fraction(1, 2), Fraction(1)):
        pair = correlated_signs(rho)
        assert sum(w for *_, w in pair.atoms) == 1
        assert sum(q * w for q, _, w in pair.atoms) == sum(k * w for _, k, w in pair.atoms) == 0
        assert sum(q * k * w for q, k, w in pair.atoms) == rho


def test_correlated_gaussians_between_independent_and_equal() -> None:
    independent, equal = Independent(gaussian(), gaussian()), Same(gaussian())
    assert term_moments(correlated_gaussians(0), 10) == term_moments(independent, 10)
    assert term_moments(correlated_gaussians(1), 10) == term_moments(equal, 10)
    # Isserlis: E[q²k²] = 1 + 2ρ²
    assert term_moments(correlated_gaussians("1/2"), 2)[2] == Fraction(3, 2)


def test_general_gaussian_pair_is_an_affine_image_of_independent_ones() -> None:
    # q = 1 + 2a and k = −1 + a + 3b with a, b standard: mixed moments by expanding in a and b
    pair = GaussianPair(Fraction(1), Fraction(-1), Fraction(4), Fraction(10), Fraction(2))
    a, b = sympy.symbols("a b")
    for m in range(5):
        expanded = sympy.Poly(((1 + 2 * a) * (-1 + a + 3 * b)) ** m, a, b)
        expected = sum(c * moment(gaussian(), i) * moment(gaussian(), j) for (i, j), c in expanded.terms())
        assert term_moments(pair, m)[m] == Fraction(int(expected))


def test_half_width_is_not_deviation() -> None:
    # keras#372: a deviation s passed as a half-width gives variance s²/3
    assert variance(uniform_interval("2")) == Fraction(4, 3)
    for m in range(1, 40):
        assert variance(uniform_on([Fraction(i, m) for i in range(-m, m + 1)])) == Fraction(m + 1, 3 * m)


def test_initialisations() -> None:
    assert variance(xavier_uniform(300, 200)) == variance(xavier_normal(300, 200)) == Fraction(2, 500)
    assert half_width_squared(xavier_uniform(300, 200)) == Fraction(6, 500)
    assert variance(kaiming_uniform(50)) == variance(kaiming_normal(50)) == Fraction(2, 50)
    assert half_width_squared(lecun_uniform(50)) == Fraction(3, 50)
    assert variance(lecun_normal(50)) == Fraction(1, 50)
    # PyTorch's Linear: slope √5, half-width 1/√fan_in, so q has variance 1/3 and q·k/√d has 1/9 (pytorch#15314)
    torch = kaiming_uniform(64, 5)
    assert half_width_squared(torch) == Fraction(1, 64)
    third = projected_variance(torch, 64)
    assert third == Fraction(1, 3)
    assert scaled_variance(64, third, third, divisor_squared=64) == Fraction(1, 9)


def test_one_head_divided_by_the_model_width() -> None:
    # ViT-CIFAR#11: √d_model where √d_k was meant leaves 1/h
    assert scaled_variance(head_width(512, 8), 1, 1, divisor_squared=512) == Fraction(1, 8)
    assert scaled_variance(head_width(2, 2), 1, 1, divisor_squared=2) == Fraction(1, 2)
    assert scaled_variance(head_width(512, 8), 1, 1, divisor_squared=64) == 1


def test_projected_variance_by_listing() -> None:
    weight, entry = uniform_on([-2, 2]), uniform_on([0, 1, 3])
    total = Fraction(0)
    outcomes = list(product([-2, 2], [-2, 2], [0, 1, 3], [0, 1, 3]))
    for w1, w2, x1, x2 in outcomes:
        total += Fraction((w1 * x1 + w2 * x2) ** 2, len(outcomes))
    assert projected_variance(weight, 2, moment(entry, 2)) == total
