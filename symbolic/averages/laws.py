"""The laws behind a claim at a given strength of assumption, from nothing at all to signs or Gaussians.

| level    | what is taken of a random letter of which nothing is said                        |
|----------|----------------------------------------------------------------------------------|
| joint    | nothing: variables of different names may depend on each other                   |
| any      | variables are independent; means and variances are letters                       |
| centred  | the same, with means 0                                                           |
| spread   | variances are 1, means are letters                                               |
| unit     | means 0 and variances 1; higher moments are letters                              |
| signs    | fair signs                                                                       |
| gaussian | standard Gaussians                                                               |

Letters σ, μ that the claim itself mentions are the standard deviation and the mean at every level.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial

from exact.coordinates import standard_moment
from exact.rationals import BadInput, read_rational
from symbolic.averages.assumptions import PLAIN, Assumptions, Law, read_law, shaped, unknown_law
from symbolic.averages.random_polynomials import Chance, Orders
from symbolic.averages.roles import Roles
from symbolic.expressions import OutsideClass
from symbolic.polynomial import ONE, Polynomial, Term, constant, plus, power, scalar, times

__all__ = ["LEVELS", "SHAPES", "chance_of", "coordinate_law", "is_stated"]

SHAPES = frozenset({"gaussian", "normal", "signs", "sign", "rademacher", "laplace"})  # moved and scaled by μ and σ
LEVELS = ("joint", "any", "centred", "spread", "unit", "signs", "gaussian")


def is_stated(name: str, assumptions: Assumptions) -> bool:
    """Say whether the law of a name is given."""
    return bool(assumptions.law_text(name))


def coordinate_law(name: str, level: str, assumptions: Assumptions, roles: Roles) -> Law:
    """Return the law of each coordinate of a vector, or of a variable, at a level."""
    said = assumptions.law_text(name)
    mean, variance = _mean(name, level, assumptions, roles), _variance(name, level, roles)
    if said:
        law = read_law(said)
        if said.strip().lower() in SHAPES:
            family = {"normal": "gaussian", "signs": "sign", "rademacher": "sign"}.get(law.text, law.text)
            moved = bool(assumptions.mean) or _is_mentioned(name, "σ", roles) or _is_mentioned(name, "μ", roles)
            if moved:
                spread = variance if _is_mentioned(name, "σ", roles) else constant(Fraction(1))
                centre = mean if assumptions.mean or _is_mentioned(name, "μ", roles) else {}
                return shaped(family, centre, spread, law.text)
        elif assumptions.mean and not law.normalised:
            raise BadInput(f"--mean moves signs, gaussian and laplace; {said.strip()[:40]} has a mean of its own")
        return law
    if level in ("signs", "gaussian"):
        family = "sign" if level == "signs" else "gaussian"
        if mean or variance != ONE:
            return shaped(family, mean, variance, level)
        return read_law(level)
    law = unknown_law(name, variance, level, _named_central if _has_central(roles) else None)
    if not mean:
        return law

    def raw(order: int) -> Polynomial:
        pieces = []
        for i in range(order + 1):
            ways = times(constant(Fraction(comb(order, i))), power(mean, order - i, PLAIN), PLAIN)
            pieces.append(times(ways, law.moment(i), PLAIN))
        return plus(*pieces)

    return Law(level, raw, known=law.known)


def chance_of(level: str, assumptions: Assumptions, roles: Roles) -> Chance:
    """Return what is random in a claim, and every joint moment at one coordinate."""
    covariances = _covariances(roles, assumptions)
    laws = {name: coordinate_law(name, level, assumptions, roles) for name in roles.random if name not in covariances}
    pair = frozenset(roles.pair) if assumptions.rho else frozenset()
    rho = _correlation(assumptions.rho) if assumptions.rho else {}
    if assumptions.rho and assumptions.mean:
        raise BadInput("--rho correlates coordinates of mean 0 and variance 1; leave --mean out")
    variables = roles.variables

    @cache
    def moment_of(name: str, order: int) -> Polynomial:
        return laws[name].moment(order)

    def joint(orders: Orders) -> Polynomial:
        together = [(name, m) for name, m in orders if m]
        if level == "joint" and len([n for n, _ in together if n in variables]) > 1:
            several = [(n, m) for n, m in together if n in variables]
            return times(_rest(together, variables), scalar("E[" + _product(several) + "]"), PLAIN)
        found = ONE
        paired = {n: m for n, m in together if n in pair}
        if len(paired) == 2:
            first, second = paired.values()
            found = _correlated(first, second, rho, _family(level, assumptions, roles))
            together = [(n, m) for n, m in together if n not in pair]
        for name, m in together:
            found = times(found, moment_of(name, m), PLAIN)
        return found

    def _rest(together: list[tuple[str, int]], skipped: frozenset[str]) -> Polynomial:
        found = ONE
        for name, m in together:
            if name not in skipped:
                found = times(found, moment_of(name, m), PLAIN)
        return found

    normalised = frozenset(name for name, law in laws.items() if law.normalised)
    gaussian = frozenset(n for n in covariances if level == "gaussian" or assumptions.law_text(n).startswith("gauss"))
    return Chance(roles.random, joint, normalised, covariances, gaussian)


def _mean(name: str, level: str, assumptions: Assumptions, roles: Roles) -> Polynomial:
    own = _labelled("μ", name, roles)
    if own and own not in roles.means:
        return scalar(own)
    if assumptions.mean:
        return _letter(assumptions.mean)
    for letter in ("μ", "θ"):
        if letter in roles.mentioned and letter not in roles.means:
            return scalar(letter)
    if level in ("joint", "any", "spread") and not _has_means(name, roles):
        return scalar(f"E[{name}]")
    return {}


def _variance(name: str, level: str, roles: Roles) -> Polynomial:
    if own := _labelled("σ", name, roles):
        return scalar(own, Fraction(2))
    if "σ" in roles.mentioned:
        return scalar("σ", Fraction(2))
    if "μ_2" in roles.mentioned:
        return scalar("μ_2")
    return scalar(f"Var({name})") if level in ("joint", "any", "centred") else ONE


def _is_mentioned(name: str, letter: str, roles: Roles) -> bool:
    return bool(letter in roles.mentioned or _labelled(letter, name, roles)) and letter not in roles.means


def _labelled(letter: str, name: str, roles: Roles) -> str:
    """Return the parameter of a name, as σ_w of w; σ_w is also that of W where no w stands beside it."""
    other = name.swapcase()
    for each in (name, other) if other not in roles.random | roles.vectors | roles.matrices else (name,):
        if f"{letter}_{each}" in roles.mentioned:
            return f"{letter}_{each}"
    return ""


def _has_means(name: str, roles: Roles) -> bool:
    return bool(roles.means & {"μ", "θ", f"μ_{name}", f"θ_{name}"})


def _has_central(roles: Roles) -> bool:
    return bool({"μ_2", "μ_3", "μ_4", "μ_6"} & roles.mentioned)


def _named_central(order: int) -> Polynomial:
    return scalar(f"μ_{order}")


def _covariances(roles: Roles, assumptions: Assumptions) -> dict[str, str]:
    found = {}
    for name in roles.random & roles.vectors:
        if f"Σ_{name}" in roles.mentioned:
            found[name] = f"Σ_{name}"
        elif "Σ" in roles.mentioned and not any(f"Σ_{other}" in roles.mentioned for other in roles.random):
            found[name] = "Σ"
    return found


def _family(level: str, assumptions: Assumptions, roles: Roles) -> str:
    said = {assumptions.law_text(name).strip().lower() for name in roles.pair} - {""}
    said = {{"sign": "signs", "rademacher": "signs", "normal": "gaussian"}.get(each, each) for each in said}
    if len(said) > 1 or said - {"signs", "gaussian"}:
        raise BadInput(f"correlated pairs are signs or Gaussians (got {', '.join(sorted(said))})")
    return said.pop() if said else level


def _correlated(a: int, b: int, rho: Polynomial, family: str) -> Polynomial:
    """Return E[q^a k^b] of two standard coordinates with E[qk] = ρ."""
    if family == "signs":
        return ({} if (a + b) % 2 else rho if a % 2 else ONE) if a and b else constant(Fraction(1 - (a + b) % 2))
    if family == "gaussian":
        pieces = []
        for j in range(min(a, b) + 1):
            ways = comb(a, j) * comb(b, j) * factorial(j)
            rest = standard_moment("gaussian", a - j) * standard_moment("gaussian", b - j)
            pieces.append(times(constant(ways * rest), power(rho, j, PLAIN), PLAIN))
        return plus(*pieces)
    if (a, b) == (1, 1):
        return rho
    raise OutsideClass("the moments of a correlated pair depend on the law: signs or gaussian")


def _correlation(text: str) -> Polynomial:
    rho = _letter(text)
    if any(abs(value) > 1 for term, value in rho.items() if term == Term()):
        raise BadInput(f"--rho, a correlation, must be from -1 to 1 (got {text.strip()[:40]})")
    return rho


def _letter(text: str) -> Polynomial:
    text = text.strip().lstrip("\\")
    if text and text[0].isalpha() and text.isidentifier():
        return scalar({"rho": "ρ", "mu": "μ"}.get(text, text))
    return constant(read_rational(text))


def _product(orders: list[tuple[str, int]]) -> str:
    return "·".join(name if m == 1 else f"{name}^{m}" for name, m in orders)
