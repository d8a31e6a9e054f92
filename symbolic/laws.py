"""What follows from the Jacobian, claim by claim, proved for every number of positions.

Every function decides one or more identities by normal form and returns a Finding, or raises NotShown with the smallest
counterexample.  An inequality is reduced to an identity whose one side shows its sign; `detail` says how.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symbolic.calculus import Setting
from symbolic.expressions import (
    Delta,
    Entry,
    Exp,
    Expression,
    Gradient,
    Index,
    Log,
    Number,
    Partial,
    Root,
    Softmax,
    Sum,
    Symbol,
)
from symbolic.findings import Finding, NotShown, identity
from symbolic.normal_form import equal
from symbolic.softmax import derive
from symbolic.statements import Chain, chain

__all__ = ["BEYOND", "PROVED", "prove"]

i, j, l, c, r = Index("i"), Index("j"), Index("l"), Index("c"), Index("r", "d")
zero, one, half = Number(Fraction(0)), Number(Fraction(1)), Number(Fraction(1, 2))
T, d = Symbol("T"), Symbol("d")
EVERY_T = "every T"
NORMAL_FORM = "normal form"


def _a(*at: Index) -> Entry:
    return Entry("a", at)


def _e(*at: Index) -> Entry:
    return Entry("e", at)


def _row(name: str, at: Index) -> Entry:
    return Entry(name, (at,))


def _found(claim: str, *statements: Chain, detail: str = "", scope: str = EVERY_T, rule: str = NORMAL_FORM) -> Finding:
    return Finding(claim, "proved", scope, rule, statements, detail)


J = Partial(_a(j), _e(l))
spread = 1 - Sum(j, _a(j) ** 2)


def softmax() -> Finding:
    """Prove that softmax is what the weights are, adds to 1, and sees differences only."""
    shifted = Exp(_e(j) + Symbol("c")) / Sum(l, Exp(_e(l) + Symbol("c")))
    return _found(
        "softmax",
        identity("softmax", _a(i, j), Exp(_e(i, j)) / Sum(l, Exp(_e(i, l)))),
        identity("softmax", Sum(j, Softmax("e", (j,))), one),
        identity("shift invariance", shifted, _a(j)),
    )


def ratio() -> Finding:
    """Prove that two weights stand in the ratio of the exponential of the difference of their scores."""
    return _found("ratio", identity("ratio", _a(i, j) / _a(i, l), Exp(_e(i, j) - _e(i, l))))


def jacobian() -> Finding:
    """Prove both cases of the Jacobian, step by step, and the two together with a delta."""
    steps = derive()
    same = chain(Partial(_a(j), _e(j)), "=", steps.same[-1].expression)
    crossed = chain(J, "=", steps.crossed[-1].expression, unlike=((j, l),))
    detail = "derived by quotient rule on x_j/(x_j + x_l + R), R constant in both; every step decided"
    return _found("jacobian", same, crossed, steps.folded, detail=detail, rule="locality")


def closed_row() -> Finding:
    """Prove that the Jacobian tends to the zero matrix as one weight tends to 1, and is zero there."""
    off = Sum(j, Sum(l, _a(j) * _a(l), unlike=(j,)))
    size = Sum(j, _a(j) * (1 - _a(j))) + off
    closed = Delta(j, c) * (Delta(j, l) - Delta(l, c))
    return _found(
        "closed-row",
        identity("closed-row", size, 2 * spread),
        identity("closed-row", (1 - _a(c) ** 2) - spread, Sum(j, _a(j) ** 2, unlike=(c,))),
        identity("closed-row", closed, zero),
        detail="the sizes of all entries add up to 2(1 − Σa²) ≤ 2(1 − a_c²) ≤ 4(1 − a_c), which tends to 0 as a_c → 1",
    )


def what_dies() -> Finding:
    """Prove how the gradient of the scores reaches Q and K, with its factor 1/√d_k."""
    s, n = Index("s", "d"), Index("n")
    upstream = Entry("H", (j, l))
    score = Sum(s, Entry("Q", (j, s)) * Entry("K", (l, s))) / Root(d)
    loss = Sum(j, Sum(l, upstream * score))
    by_query = Sum(l, Entry("H", (n, l)) * Entry("K", (l, r))) / Root(d)
    by_key = Sum(j, Entry("H", (j, n)) * Entry("Q", (j, r))) / Root(d)
    return _found(
        "what-dies",
        identity("what-dies", Partial(loss, Entry("Q", (n, r))), by_query),
        identity("what-dies", Partial(loss, Entry("K", (n, r))), by_key),
        scope="every T and every width",
        detail="the loss enters by its gradient H = dL/dE alone (chain rule), so that H = 0 in a row leaves nothing",
    )


def cross_entropy() -> Finding:
    """Prove a − y for a right class, and s·a − y for soft labels that add to s."""
    y = _row("y", l)
    soft = Partial(-Sum(l, y * Log(_a(l))), _e(j))
    labels = Setting(totals=(("y", "s"),))
    return _found(
        "cross-entropy",
        identity("cross-entropy", Partial(-Log(_a(c)), _e(j)), _a(j) - Delta(j, c, bracket=True)),
        identity("cross-entropy", soft, Symbol("s") * _a(j) - _row("y", j), labels),
    )


def sigmoid() -> Finding:
    """Prove that at T = 2 softmax is the sigmoid of the difference, its derivative a(1 − a), at most 1/4."""
    first, second = Index("1"), Index("2")
    curve = 1 / (1 + Exp(-(_e(first) - _e(second))))
    a = _a(first)
    if not equal(a, curve, T=2) or not equal(Partial(a, _e(first)), a * (1 - a)):
        raise NotShown("sigmoid", "at T = 2 the first weight is not the sigmoid of the difference")
    return _found(
        "sigmoid",
        chain(a, "=", curve),
        chain(Partial(a, _e(first)), "=", a * (1 - a)),
        identity("sigmoid", Number(Fraction(1, 4)) - _a(j) * (1 - _a(j)), (_a(j) - half) ** 2),
        scope="T = 2",
        detail="1/4 − a(1 − a) is a square, and 0 only at a = 1/2",
    )


def trace() -> Finding:
    """Prove that the diagonal of the Jacobian adds up to 1 − Σa²."""
    return _found(
        "trace",
        identity("trace", Sum(j, Partial(_a(j), _e(j))), Sum(j, _a(j) * (1 - _a(j)))),
        identity("trace", Sum(j, _a(j) * (1 - _a(j))), spread),
    )


def trace_range() -> Finding:
    """Prove 0 ≤ 1 − Σa² ≤ 1 − 1/T, with both ends attained."""
    uniform = one / T
    hot = Delta(j, c)
    return _found(
        "trace-range",
        identity("trace-range", spread, Sum(j, Sum(l, _a(j) * _a(l), unlike=(j,)))),
        identity("trace-range", (1 - one / T) - spread, Sum(j, (_a(j) - uniform) ** 2)),
        identity("trace-range", 1 - Sum(j, uniform**2), 1 - one / T),
        identity("trace-range", 1 - Sum(j, hot**2), zero),
        detail="a sum of products of weights is at least 0, and a sum of squares is at least 0; "
        "the uniform row and a row on one position attain the ends",
    )


def row_sums() -> Finding:
    """Prove that rows and columns add to 0, that the Jacobian is symmetric, and positive semidefinite."""
    v_j, v_l = _row("v", j), _row("v", l)
    quadratic = Sum(j, Sum(l, v_j * J * v_l))
    squares = half * Sum(j, Sum(l, _a(j) * _a(l) * (v_j - v_l) ** 2))
    return _found(
        "row-sums",
        identity("row-sums", Sum(l, J), zero),
        identity("row-sums", Sum(j, J), zero),
        identity("row-sums", J, Partial(_a(l), _e(j))),
        identity("row-sums", quadratic, squares),
        detail="vᵀJv is half a sum of squares with positive weights, hence at least 0",
    )


def gradient() -> Finding:
    """Prove the way back through softmax, row by row."""
    g = Entry("G", (i, j))
    back = _a(i, j) * (g - Sum(l, _a(i, l) * Entry("G", (i, l))))
    through = Sum(l, Entry("G", (i, l)) * Partial(_a(i, l), _e(i, j)))
    return _found(
        "gradient",
        identity("gradient", Gradient("L", "E", (i, j)), back),
        identity("gradient", through, back),
    )


def argmax() -> Finding:
    """Prove that weights are ordered as their scores, also after division by √d_k."""
    divided = Setting(scale=1 / Root(d))
    return _found(
        "argmax",
        identity("argmax", _a(i, j), _a(i, l) * Exp(_e(i, j) - _e(i, l))),
        identity("argmax", _a(i, j), _a(i, l) * Exp((_e(i, j) - _e(i, l)) / Root(d)), divided),
        detail="weights are positive, exp(u) ≤ 1 exactly when u ≤ 0, and dividing u by √d_k > 0 keeps its sign",
    )


def log_softmax() -> Finding:
    """Prove the derivative of log-softmax, its way back G − a ΣG, and that log-softmax twice is once."""
    back = Sum(l, _row("G", l) * Partial(Log(_a(l)), _e(j)))
    twice = Log(_a(j)) - Log(Sum(l, Exp(Log(_a(l)))))
    return _found(
        "log-softmax",
        identity("log-softmax", Partial(Log(_a(j)), _e(l)), Delta(j, l) - _a(l)),
        identity("log-softmax", back, _row("G", j) - _a(j) * Sum(l, _row("G", l))),
        identity("log-softmax", Log(_a(j)), _e(j) - Log(Sum(l, Exp(_e(l))))),
        identity("log-softmax", twice, Log(_a(j))),
    )


def temperature() -> Finding:
    """Prove the factor that a temperature, or √d_k, puts before the Jacobian; and the derivative by the temperature."""
    tau, beta = Symbol("τ"), Symbol("β")
    away = _e(j) - Sum(l, _a(l) * _e(l))
    return _found(
        "temperature",
        identity("temperature", J, (1 / tau) * _a(j) * (Delta(j, l) - _a(l)), Setting(scale=1 / tau)),
        identity("temperature", J, (1 / Root(d)) * _a(j) * (Delta(j, l) - _a(l)), Setting(scale=1 / Root(d))),
        identity("temperature", Partial(_a(j), beta), _a(j) * away, Setting(scale=beta)),
        identity("temperature", Partial(_a(j), tau), -(1 / tau**2) * _a(j) * away, Setting(scale=1 / tau)),
    )


def masked() -> Finding:
    """Prove that the Jacobian keeps its form under a mask, so that a masked position has weight and derivatives 0."""

    def weight(at: Index) -> Expression:
        return _row("M", at) * Exp(_e(at)) / Sum(l, _row("M", l) * Exp(_e(l)))

    n = Index("n")
    return _found(
        "masked",
        identity("masked", Partial(weight(j), _e(n)), weight(j) * (Delta(j, n) - weight(n))),
        identity("masked", Sum(j, weight(j)), one),
        detail="M is 1 where a position may be seen and 0 where not; some position must be seen. "
        "Where M_j is 0 the weight is exactly 0, so its row and its column of the Jacobian are 0",
    )


def frobenius() -> Finding:
    """Prove the squared Frobenius norm of the Jacobian, as a polynomial in power sums of the weights."""

    def p(power: int) -> Expression:
        return Sum(j, _a(j) ** power)

    whole = Sum(j, Sum(l, J**2))
    split = Sum(j, _a(j) ** 2 * (1 - _a(j)) ** 2) + Sum(j, Sum(l, _a(j) ** 2 * _a(l) ** 2, unlike=(j,)))
    return _found(
        "frobenius",
        identity("frobenius", whole, split),
        identity("frobenius", whole, p(2) - 2 * p(3) + p(2) ** 2),
    )


def entropy() -> Finding:
    """Prove dH/dβ = −β Var_a(e) for the entropy of softmax(βe)."""
    beta = Symbol("β")
    variance = Sum(l, _a(l) * _e(l) ** 2) - Sum(l, _a(l) * _e(l)) ** 2
    falls = Partial(-Sum(l, _a(l) * Log(_a(l))), beta)
    return _found("entropy", identity("entropy", falls, -beta * variance, Setting(scale=beta)))


PROVED: tuple[tuple[str, Callable[[], Finding]], ...] = (
    ("softmax", softmax),
    ("ratio", ratio),
    ("jacobian", jacobian),
    ("closed-row", closed_row),
    ("what-dies", what_dies),
    ("cross-entropy", cross_entropy),
    ("sigmoid", sigmoid),
    ("trace", trace),
    ("trace-range", trace_range),
    ("row-sums", row_sums),
    ("gradient", gradient),
    ("argmax", argmax),
)
BEYOND: tuple[tuple[str, Callable[[], Finding]], ...] = (
    ("log-softmax", log_softmax),
    ("temperature", temperature),
    ("masked", masked),
    ("frobenius", frobenius),
    ("entropy", entropy),
)


def prove(claim: str) -> Finding:
    """Prove one claim by its id; raise NotShown where it does not hold, KeyError where there is none."""
    return dict((*PROVED, *BEYOND))[claim]()
