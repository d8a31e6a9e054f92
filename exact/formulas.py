"""Moments of a score as formulas: d, σ_q², σ_k², μ_q, μ_k and ρ kept as symbols, as data for a printer.

Imports the exact modules above it only.

>>> write_polynomial(score_formula(2, "sign", "sign"))
'd²·μ_q²·μ_k² + d·σ_q²·μ_k² + d·σ_k²·μ_q² + d·σ_q²·σ_k²'
>>> write_polynomial(score_formula(2, "gaussian", "laplace", central=True))    # the variance: the shape plays no part
'd·σ_q²·μ_k² + d·σ_k²·μ_q² + d·σ_q²·σ_k²'
>>> write_polynomial(score_formula(4, "gaussian", "gaussian", centred=True))
'3d²·(σ_q²)²·(σ_k²)² + 6d·(σ_q²)²·(σ_k²)²'
>>> write_polynomial(correlated_formula(2, "sign")), write_polynomial(correlated_formula(2, "gaussian"))
('d²·ρ² − d·ρ² + d', 'd²·ρ² + d·ρ² + d')
"""

from math import comb, factorial
from typing import Literal

from exact.coordinates import Family, standard_moment
from exact.moments import centre, partition_polynomial
from exact.polynomials import Polynomial, constant, variable, write_polynomial
from exact.rationals import BadInput, read_whole

__all__ = ["FORMULA_ORDER_LIMIT", "SYMBOLS", "correlated_formula", "score_formula", "write_polynomial"]

SYMBOLS = ("d", "σ_q²", "σ_k²", "μ_q", "μ_k")
FORMULA_ORDER_LIMIT = 12
_FAMILIES = ("sign", "gaussian", "uniform", "laplace")


def score_formula(order: int, q: Family, k: Family, *, central: bool = False, centred: bool = False) -> Polynomial:
    """Return E[e^order], or E[(e − E e)^order] when `central`, as a polynomial in the five `SYMBOLS`.

    q_r = μ_q + σ_q·x with x of mean 0, variance 1 and the shape `q`; the same for k_r; all independent.  With `centred`
    both means are 0 from the start.  Order 0 to 12.
    """
    order = read_whole("order", order, 0, FORMULA_ORDER_LIMIT)
    both = zip(_coordinate(order, q, "q", centred), _coordinate(order, k, "k", centred), strict=True)
    term = [a * b for a, b in both]
    return partition_polynomial(centre(term) if central else term)


def correlated_formula(order: int, family: Literal["sign", "gaussian"]) -> Polynomial:
    """Return E[e^order] as a polynomial in d and ρ, for standard q_r and k_r with E[q_r k_r] = ρ; order 0 to 12.

    Signs: t is a sign of mean ρ.  Gaussians, by Isserlis: pair j of the m copies of q with j of the m copies of k, in
    C(m, j)²·j! ways and a factor ρ^j, and pair the rest of each among themselves, in (m − j − 1)!! ways.
    """
    order = read_whole("order", order, 0, FORMULA_ORDER_LIMIT)
    if family not in ("sign", "gaussian"):
        raise BadInput(f"correlated pairs are signs or Gaussians (got {family!r})")
    names = ("d", "ρ")
    rho, one = variable(names, "ρ"), constant(names, 1)
    if family == "sign":
        return partition_polynomial([rho if m % 2 else one for m in range(order + 1)])
    term = []
    for m in range(order + 1):
        total, power = constant(names, 0), one
        for j in range(m + 1):
            ways = comb(m, j) ** 2 * factorial(j) * standard_moment("gaussian", m - j) ** 2
            total, power = total + power * ways, power * rho
        term.append(total)
    return partition_polynomial(term)


def _coordinate(order: int, family: Family, letter: str, centred: bool) -> list[Polynomial]:
    """Return E[(μ + σx)^m] = Σ_i C(m, 2i)·μ^(m−2i)·σ^(2i)·E[x^(2i)] for m = 0 … order."""
    if family not in _FAMILIES:
        raise BadInput(f"the shape of a coordinate is one of {', '.join(_FAMILIES)} (got {family!r})")
    one = constant(SYMBOLS, 1)
    mu_powers, size_powers = [one], [one]
    mu = constant(SYMBOLS, 0) if centred else variable(SYMBOLS, f"μ_{letter}")
    for _ in range(order):
        mu_powers.append(mu_powers[-1] * mu)
        size_powers.append(size_powers[-1] * variable(SYMBOLS, f"σ_{letter}²"))
    result = []
    for m in range(order + 1):
        total = constant(SYMBOLS, 0)
        for i in range(0, m + 1, 2):
            total = total + mu_powers[m - i] * size_powers[i // 2] * (comb(m, i) * standard_moment(family, i))
        result.append(total)
    return result
