"""Formulas with symbols, the exponent of the divisor, and polynomials as plain data, against numbers."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from exact.coordinates import Coordinate, Family, affine, gaussian, laplace, sign
from exact.formulas import correlated_formula, score_formula
from exact.moments import central_moments, moment_polynomial, score_moments
from exact.polynomials import Polynomial, evaluate, variable, write_polynomial
from exact.rationals import BadInput
from exact.scaling import scaled_second_moment, scaling
from exact.terms import Independent, correlated_gaussians, correlated_signs

SHAPES: list[tuple[Family, Callable[[Fraction, Fraction], Coordinate]]] = [
    ("sign", lambda mu, size: affine(sign(), size, mu)),
    ("gaussian", lambda mu, size: gaussian(mu, size * size)),
    ("laplace", lambda mu, size: affine(laplace(1), size, mu)),
]


@pytest.mark.parametrize(("shape_q", "make_q"), SHAPES)
@pytest.mark.parametrize(("shape_k", "make_k"), SHAPES)
def test_formulas_at_numbers(
    shape_q: Family,
    make_q: Callable[[Fraction, Fraction], Coordinate],
    shape_k: Family,
    make_k: Callable[[Fraction, Fraction], Coordinate],
) -> None:
    mu_q, mu_k, size_q, size_k, d = Fraction(2, 3), Fraction(-1), Fraction(1, 2), Fraction(3), 5
    laplace_q, laplace_k = 1 + (shape_q == "laplace"), 1 + (shape_k == "laplace")  # Laplace of scale 1: variance 2
    point: dict[str, int | Fraction]
    point = {"d": d, "σ_q²": laplace_q * size_q**2, "σ_k²": laplace_k * size_k**2, "μ_q": mu_q, "μ_k": mu_k}
    pair = Independent(make_q(mu_q, size_q), make_k(mu_k, size_k))
    for m in range(7):
        assert evaluate(score_formula(m, shape_q, shape_k), point) == score_moments(pair, d, m)[m]
        central = score_formula(m, shape_q, shape_k, central=True)
        assert evaluate(central, point) == central_moments(pair, d, m)[m]
    centred = score_formula(4, shape_q, shape_k, centred=True)
    assert evaluate(centred, {**point, "μ_q": 0, "μ_k": 0}) == evaluate(centred, {**point, "μ_q": 9, "μ_k": 9})


def test_correlated_formulas() -> None:
    for m in range(7):
        for rho in (Fraction(-1), Fraction(1, 3), Fraction(1)):
            point: dict[str, int | Fraction] = {"d": 7, "ρ": rho}
            assert evaluate(correlated_formula(m, "sign"), point) == score_moments(correlated_signs(rho), 7, m)[m]
            gaussians = score_moments(correlated_gaussians(rho), 7, m)[m]
            assert evaluate(correlated_formula(m, "gaussian"), point) == gaussians
    # d(1 − ρ²) + d²ρ² for signs, d(1 + ρ²) + d²ρ² for Gaussians
    assert correlated_formula(2, "sign").terms == {(2, 2): 1, (1, 2): -1, (1, 0): 1}
    assert correlated_formula(2, "gaussian").terms == {(2, 2): 1, (1, 2): 1, (1, 0): 1}


def test_only_the_root() -> None:
    # transformer post: variance after dividing by d^(1/3), d^(1/2), d^(2/3) at d = 8 and 64
    cases = [(8, "1/3", "2"), (8, "1/2", "1"), (8, "2/3", "1/2"), (64, "1/3", "4"), (64, "2/3", "1/4")]
    for d, alpha, value in cases:
        assert scaled_second_moment(d, alpha).value == Fraction(value)
    verdicts = [scaling(a).verdict for a in ("0", "0.49", "1/2", "0.51", "1")]
    assert verdicts == ["grows", "grows", "constant", "vanishes", "vanishes"]
    assert scaled_second_moment(2, "1/3").value is None
    assert scaled_second_moment(10**9, "1/3").value == 1000
    assert scaled_second_moment(1, "1/7").value == 1
    for d in range(1, 200):
        for a in (Fraction(1, 4), Fraction(1, 3), Fraction(3, 4), Fraction(2)):
            power = scaled_second_moment(d, a)
            if power.value is not None:
                assert power.value**power.exponent.denominator == Fraction(d) ** power.exponent.numerator
            elif power.exponent.denominator == 2:
                assert int(d**0.5 + 0.5) ** 2 != d


def test_polynomials_by_their_values() -> None:
    x, y = (variable(("x", "y"), name) for name in "xy")
    p, q = 3 * x * x - y + Fraction(1, 2), 2 - x * y
    for a, b in product(range(-2, 3), repeat=2):
        point = {"x": a, "y": b}
        assert evaluate(p * q - p, point) == evaluate(p, point) * evaluate(q, point) - evaluate(p, point)
    assert write_polynomial(p - p) == "0"
    assert not (p - p)
    assert write_polynomial(p) == "3x² − y + 1/2"
    with pytest.raises(ValueError, match="share their variables"):
        p + variable(("x",), "x")


def large(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (large(score_formula, 13, "sign", "sign"), "order must be at most 12"),
        (large(score_formula, 2, "cauchy", "sign"), "shape of a coordinate"),
        (large(correlated_formula, 2, "laplace"), "signs or Gaussians"),
        (large(scaling, "x"), "is not a number"),
        (large(scaling, 10**6), "within ±1000"),
        (large(scaled_second_moment, 10**12, 1), "width must be at most"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()


def test_data_is_plain() -> None:
    p = moment_polynomial(Independent(sign(), sign()), 4)
    assert isinstance(p, Polynomial)
    assert dict(p.terms) == {(2,): Fraction(3), (1,): Fraction(-2)}
    assert p.variables == ("d",)
