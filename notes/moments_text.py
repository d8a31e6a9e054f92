"""What `sqrtdk moments`, `law`, `hypotheses` and `draws` find, ready to print: rows, and JSON data."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from exact import distribution as dist
from exact import initialisation
from exact.coordinates import Coordinate, Family, Finite, read_coordinate, sign
from exact.coordinates import variance as coordinate_variance
from exact.distribution import Distribution
from exact.formulas import score_formula
from exact.hypotheses import SearchSpace, describe_space, drop_hypothesis, lower_moments, touched_moments
from exact.laws import JointLaw, examine, read_law
from exact.moments import absolute_mean, central_moments, kurtosis, query_moments, query_polynomial, score_moments
from exact.polynomials import write_polynomial
from exact.rationals import BadInput, abbreviate, read_whole, write_rational
from exact.samples import count_draws, sample_variance, sample_variance_distribution
from exact.scaling import scaled_second_moment, scaling
from exact.tables import draw_histogram
from exact.terms import Independent, Pair, term_law
from exact.wrong_proofs import WRONG_PROOFS, refute
from notes.everywhere import prove_everywhere

__all__ = [
    "Found",
    "at_query",
    "at_width",
    "beside_hoeffding",
    "describe",
    "draws_needed",
    "for_every_width",
    "in_symbols",
    "initialised",
    "query_law",
    "refuted_proofs",
    "sample_of_matrix",
    "scaled",
    "score_law",
    "two_properties",
    "used_hypotheses",
]

MAX_LAW_BYTES = 1_000_000
ABSOLUTE_WIDTH = 10_000
LISTED = 8


class Word(str):
    """The key of words that stand inside other words."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found: rows of (formula, value, key of the words beside it, what fills them), and JSON data."""

    rows: tuple[tuple[str, str, str, Mapping[str, object]], ...]
    data: dict[str, Any]

    def lines(self, words: Mapping[str, str]) -> Iterator[str]:
        """Write the rows, columns aligned."""
        width = max((len(left) for left, *_ in self.rows), default=0)
        for left, value, key, fill in self.rows:
            filled = {name: words[x] if isinstance(x, Word) else x for name, x in fill.items()}
            said = words[key].format(**filled) if key else ""
            equals = f"{left:<{width}} = {value}" if left else value
            yield "   ".join(part for part in (equals, said) if part)


def _row(left: str, value: Fraction | int | str, key: str = "", **fill: object) -> Any:
    if isinstance(value, str):
        return left, value, key, fill
    shown = abbreviate(value).replace("-", "−")
    if Fraction(value).denominator != 1:
        shown += f" ≈ {_decimal(Fraction(value))}"
    return left, shown, key, fill


def _decimal(x: Fraction) -> str:
    try:
        return f"{float(x):.6g}".replace("-", "−")
    except OverflowError:
        return "…"


def _power(base: str, exponent: int) -> str:
    up = "" if exponent == 1 else str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"E[{base}{up}]"


# ---- moments --------------------------------------------------------------------------------------------------------


def at_width(pair: Pair, width: int, order: int) -> Found:
    """Find E[e] … E[e^order], the variance, the kurtosis and, for signs, E|e|, at one width."""
    raw = score_moments(pair, width, order)
    central = central_moments(pair, width, max(2, order))
    rows = [_row(_power("e", m), raw[m]) for m in range(1, order + 1)]
    rows.append(_row("Var e", central[2]))
    data: dict[str, Any] = {
        "width": width,
        "moments": [write_rational(x) for x in raw[1:]],
        "variance": write_rational(central[2]),
    }
    if raw[1] and order > 2:
        rows.extend(_row(_power("(e − E e)", m), central[m]) for m in range(3, order + 1))
        data["central_moments"] = [write_rational(x) for x in central[1:]]
    if central[2]:
        excess = kurtosis(pair).excess
        rows.append(_row("kurtosis", 3 + excess / width, "kurtosis", excess=abbreviate(excess).replace("-", "−")))
        data["kurtosis"] = write_rational(3 + excess / width)
    if pair == Independent(sign(), sign()) and width <= ABSOLUTE_WIDTH:
        mean_size = absolute_mean(width)
        rows.append(_row("E|e|", mean_size, "absolute", ratio=f"{float(mean_size) / width**0.5:.4f}"))
        data["absolute_mean"] = write_rational(mean_size)
    return Found(tuple(rows), data)


def for_every_width(pair: Pair, order: int) -> Found:
    """Find E[e^order] as a polynomial in d by set partitions, and prove it."""
    found = prove_everywhere(pair, order)
    polynomial = write_polynomial(found.polynomial)
    rows = [_row(_power("e", order), polynomial, "partitions", patterns=found.patterns)]
    keys = {"interpolation": "interpolated", "pairing": "paired", "linearity": "expanded"}
    for theorem in found.theorems:
        key = next(key for rule, key in keys.items() if rule in theorem.statement.how)
        rows.append(_row("", str(theorem), key, widths=order + 1))
    if not found.theorems:
        rows.append(_row("", "", "computed"))
    theorems = [{"theorem": str(t), "how": list(t.statement.how)} for t in found.theorems]
    return Found(tuple(rows), {"order": order, "polynomial": polynomial, "theorems": theorems})


def in_symbols(pair: Pair, order: int) -> Found:
    """Find E[e^order] and, beside it, the central moment, in d and the means and variances of the coordinates."""
    if not isinstance(pair, Independent):
        raise BadInput("--symbols is for independent q_r and k_r; leave --rho and --same out")
    q, k = (_family(x) for x in (pair.q, pair.k))
    raw = write_polynomial(score_formula(order, q, k))
    central = write_polynomial(score_formula(order, q, k, central=True))
    rows = [_row(_power("e", order), raw, "symbols"), _row(_power("(e − E e)", order), central)]
    return Found(tuple(rows), {"order": order, "moment": raw, "central_moment": central})


def _family(law: Coordinate) -> Family:
    if law == sign():
        return "sign"
    if isinstance(law, Finite):
        raise BadInput("--symbols is for sign, gaussian, uniform and laplace coordinates, whose shape has a name")
    return law.family


def at_query(query: Sequence[Fraction], keys: str, order: int) -> Found:
    """Find the moments of Σ q_r k_r for a fixed query, and the last of them as a formula in power sums of q."""
    law = read_coordinate(keys)
    raw = query_moments(query, law, order)
    rows = [_row(_power("e", m), raw[m]) for m in range(1, order + 1)]
    data: dict[str, Any] = {"moments": [write_rational(x) for x in raw[1:]]}
    if order <= 12:
        formula = write_polynomial(query_polynomial(law, order))
        rows.append(_row(_power("e", order), formula, "power_sums"))
        data["formula"] = formula
    return Found(tuple(rows), data)


def scaled(alpha: str, width: int | None) -> Found:
    """Find what dividing by d^α leaves, as a power of d, with its verdict."""
    s = scaling(alpha)
    exponent = write_rational(s.exponent).replace("-", "−")
    rows = [_row(f"E[(e/d^({write_rational(s.alpha)}))²]", f"d^({exponent})", s.verdict)]
    data: dict[str, Any] = {"alpha": str(s.alpha), "exponent": str(s.exponent), "verdict": s.verdict}
    if width is not None:
        power = scaled_second_moment(width, s.alpha)
        value = f"{width}^({exponent})" if power.value is None else power.value
        rows.append(_row(f"d = {width}", value))
        data |= {"width": width, "value": None if power.value is None else write_rational(power.value)}
    return Found(tuple(rows), data)


INITIALISATIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "xavier-uniform": (initialisation.xavier_uniform, 2, 3),
    "xavier-normal": (initialisation.xavier_normal, 2, 3),
    "kaiming-uniform": (initialisation.kaiming_uniform, 1, 2),
    "kaiming-normal": (initialisation.kaiming_normal, 1, 2),
    "lecun-uniform": (initialisation.lecun_uniform, 1, 1),
    "lecun-normal": (initialisation.lecun_normal, 1, 1),
}


def initialised(text: str, heads: str) -> Found:
    """Find what a common initialisation of W_Q and W_K makes of a score, from inputs of mean square 1."""
    name, _, rest = text.partition(":")
    numbers = [x.strip() for x in rest.split(",")] if rest else []
    if name not in INITIALISATIONS:
        raise BadInput(f"--init: {name[:40]!r} is not known; accepted: {', '.join(INITIALISATIONS)}")
    make, least, most = INITIALISATIONS[name]
    if not least <= len(numbers) <= most:
        raise BadInput(f"--init: {name} takes {least} to {most} numbers after a colon (got {len(numbers)})")
    weights = make(*numbers)
    fan_in = read_whole("fan_in", numbers[0], 1, 10**9)
    width = initialisation.head_width(fan_in, read_whole("--heads", heads, 1, 10**9))
    each = initialisation.projected_variance(weights, fan_in)
    scores = {
        "1": initialisation.scaled_variance(width, each, each, divisor_squared=1),
        "√d_k": initialisation.scaled_variance(width, each, each, divisor_squared=width),
        "√d_model": initialisation.scaled_variance(width, each, each, divisor_squared=fan_in),
    }
    rows = [_row("Var W", coordinate_variance(weights), "weights")]
    if weights.family == "uniform":
        rows.append(_row("a²", initialisation.half_width_squared(weights), "half_width"))
    rows.append(_row("Var q_r", each, "projected", fan_in=fan_in))
    rows.extend(_row(f"Var(e / {c})", x, "divided", width=width) for c, x in scores.items())
    data: dict[str, Fraction | int] = {"width": width, "coordinate_variance": each}
    data["weight_variance"] = coordinate_variance(weights)
    data |= {f"score_variance_divided_by_{c}": x for c, x in scores.items()}
    return Found(tuple(rows), {key: write_rational(x) for key, x in data.items()})


# ---- distributions --------------------------------------------------------------------------------------------------


def score_law(pair: Pair, width: int) -> Distribution:
    """Return the exact distribution of a score with finite coordinates."""
    if pair == Independent(sign(), sign()):
        return dist.sign_distribution(width)
    term = term_law(pair)
    if term is None:
        raise BadInput("only finite coordinates have a distribution that can be listed; choose sign, values or weights")
    return dist.iid_distribution(term, width)


def query_law(query: Sequence[Fraction], keys: str) -> Distribution:
    """Return the exact distribution of Σ q_r k_r for a fixed query and finite keys."""
    law = read_coordinate(keys)
    if not isinstance(law, Finite):
        raise BadInput("only finite coordinates have a distribution that can be listed; choose sign, values or weights")
    return dist.query_distribution(query, law)


def describe(e: Distribution) -> Found:
    """Find the mean, the variance, the modes, the quartiles and the histogram."""
    values = dist.support(e)
    modes = dist.modes(e)
    shown = ", ".join(abbreviate(x) for x in modes[:LISTED]) + (", …" if len(modes) > LISTED else "")
    quartiles = ", ".join(abbreviate(dist.quantile(e, p)) for p in ("1/4", "1/2", "3/4"))
    support = f"{abbreviate(values[0])} … {abbreviate(values[-1])}".replace("-", "−")
    rows = [
        _row("E[e]", dist.mean(e)),
        _row("Var e", dist.variance(e)),
        _row("E|e|", dist.absolute_mean(e)),
        _row("e", support, "support", values=len(values)),
        _row("", shown.replace("-", "−"), "modes"),
        _row("", quartiles.replace("-", "−"), "quartiles"),
        *(_row("", line) for line in ["", *draw_histogram(e).splitlines()]),
    ]
    return Found(tuple(rows), {})


def beside_hoeffding(e: Distribution, x: str, squares: Fraction | int) -> Found:
    """Find the exact tail and, where the coordinates stay within ±1, Hoeffding's bound."""
    c = dist.compare_with_hoeffding(e, x, squares)
    rows = [
        _row(f"P(|e| ≥ {abbreviate(c.x)})", c.exact),
        _row(f"2·exp({abbreviate(c.exponent)})".replace("-", "−"), f"{c.bound:.6g}", "hoeffding"),
    ]
    data = {"x": write_rational(c.x), "exact": write_rational(c.exact), "hoeffding": c.bound}
    return Found(tuple(rows), data)


# ---- hypotheses -----------------------------------------------------------------------------------------------------


def _moment_name(exponents: Sequence[int]) -> str:
    names = "rsuvwxyz"
    up = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return (
        "E["
        + " ".join(f"t_{n}" + ("" if a == 1 else str(a).translate(up)) for n, a in zip(names, exponents, strict=False))
        + "]"
    )


def _write_law(law: JointLaw) -> str:
    shown = [f"({', '.join(str(x).replace('-', '−') for x in terms)}): {w}" for terms, w in law.outcomes[:LISTED]]
    return "; ".join(shown) + ("; …" if len(law.outcomes) > LISTED else "")


def two_properties(path: str) -> Found:
    """Find which of the two properties a law in a file has."""
    if path == "-":
        if sys.stdin is None:
            raise BadInput("standard input is closed")
        text = sys.stdin.buffer.read(MAX_LAW_BYTES + 1)
    else:
        with Path(path).open("rb") as file:
            text = file.read(MAX_LAW_BYTES + 1)
    found = examine(read_law(text.decode("utf-8", "replace")))
    rows = []
    data: dict[str, Any] = {"width": found.width, "mean": str(found.mean), "second_moment": str(found.second_moment)}
    for name, failure in (("E[t_r t_s]", found.cross_failure), ("E[t_r²]", found.square_failure)):
        key = "cross" if name == "E[t_r t_s]" else "square"
        if failure is None:
            rows.append(_row(name, "0" if key == "cross" else "1", f"{key}_holds"))
        else:
            places = "E[" + " ".join(f"t_{r}" for r in failure.positions) + "]"
            rows.append(_row(places, failure.value, "fails", wanted=failure.wanted))
        data[f"{key}_holds"] = failure is None
    rows.append(_row("E[e]", found.mean))
    same = "as_width" if found.second_moment == found.width else "not_width"
    rows.append(_row("E[e²]", found.second_moment, same, width=found.width))
    return Found(tuple(rows), data)


def used_hypotheses(order: int) -> Found:
    """Find the mixed moments that the claim about E[e^order] touches, and what happens without each."""
    rows, data, lower = [], [], lower_moments(order)
    if lower:
        kept = ", ".join(f"{_moment_name(t.exponents)} = {t.wanted}" for t in lower)
        rows.append(_row("", "", "kept", order=order, moments=kept))
    for touched in touched_moments(order):
        name = _moment_name(touched.exponents)
        rows.append(_row(name, touched.wanted, "touched", times=touched.times))
        r = drop_hypothesis(order, touched.exponents)
        entry: dict[str, Any] = {"exponents": list(r.dropped), "wanted": str(touched.wanted), "implied": r.implied}
        if r.law is not None:
            law = _write_law(r.law)
            rows.append(_row("", f"    {law}", "breaks", got=r.value, claimed=r.claimed, power=_power("e", order)))
            entry |= {"value": str(r.value), "claimed": str(r.claimed), "law": law}
        else:
            rows.append(_row("", "    ", "implied" if r.implied else "none_found"))
        rows.extend(_row("", "    ", "searched", **_space(space)) for space in r.searched)
        data.append(entry | {"searched": [describe_space(space) for space in r.searched]})
    always = [{"exponents": list(t.exponents), "wanted": str(t.wanted)} for t in lower]
    return Found(tuple(rows), {"order": order, "kept": always, "hypotheses": data})


def _space(space: SearchSpace) -> dict[str, object]:
    values = ", ".join(str(x).replace("-", "−") for x in sorted(space.values))
    weights = Word("equal_weights" if space.equal_weights else "all_weights")
    return {"width": space.width, "values": values, "outcomes": space.outcomes, "weights": weights}


def refuted_proofs(words: Mapping[str, Mapping[str, str]]) -> Found:
    """Find the exact value that contradicts each of the wrong proofs people write."""
    rows, data = [], []
    for proof in WRONG_PROOFS:
        value, said = refute(proof), words[proof.key]
        rows.append(_row("", f"✗ {said['says']}"))
        rows.append(_row("", f"  {said['flaw']}"))
        rows.append(_row("", f"  {proof.quantity} = {value}", "under", law=_write_law(proof.law)))
        data.append({"key": proof.key, "says": said["says"], "quantity": proof.quantity, "value": str(value)})
    return Found(tuple(rows), {"wrong_proofs": data})


# ---- samples --------------------------------------------------------------------------------------------------------


def sample_of_matrix(n: int, width: int, ddof: int) -> Found:
    """Find the exact mean and spread of the sample variance of the n² scores of two n × d sign matrices."""
    s = sample_variance(n, width, ddof=ddof)
    rows = [
        _row("E[s²]", s.mean, "sample_mean", n=n, width=width, ddof=ddof),
        _row("Var s²", s.variance, "sample_spread", deviation=_decimal_root(s.variance)),
    ]
    data: dict[str, Any] = {"mean": write_rational(s.mean), "variance": write_rational(s.variance)}
    if n * width <= LISTED:
        e = dist.probabilities(sample_variance_distribution(n, width, ddof=ddof))
        rows.extend(_row(f"P(s² = {x})", p) for x, p in e)
        data["distribution"] = {str(x): str(p) for x, p in e}
    return Found(tuple(rows), data)


def _decimal_root(x: Fraction) -> str:
    return f"{float(x) ** 0.5:.6g}"


def draws_needed(pair: Pair, width: int, error: Fraction, risk: Fraction) -> Found:
    """Find how many draws bring the mean of e² within an error of E[e²]."""
    d = count_draws(pair, width, error, risk)
    rows = [
        _row("E[e²]", d.second_moment),
        _row("Var e²", d.variance),
        _row("n", d.rigorous, "rigorous", error=abbreviate(d.error), risk=abbreviate(d.risk)),
        _row("n", d.approximate, "approximate"),
    ]
    data = {"second_moment": write_rational(d.second_moment), "variance": write_rational(d.variance)}
    return Found(tuple(rows), data | {"rigorous": d.rigorous, "approximate": d.approximate})
