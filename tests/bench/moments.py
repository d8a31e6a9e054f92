"""Exact distributions and moments beside dyce, icepool and sympy.stats, interleaved in one run; prints ratios.

    python -m tests.bench.moments

Each contender runs once a round, in turn, so that a noisy machine slows all of them alike; a ratio is taken from the
median CPU times.  Every answer is compared before any time is printed.
"""

import argparse
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any

from exact.coordinates import sign, uniform_on
from exact.distribution import iid_distribution, probabilities, query_distribution, sign_distribution, sign_probability
from exact.moments import moment_polynomial, query_moments, score_moments
from exact.terms import Independent
from tests.bench.timing import Row, compare, machine

Contender = tuple[str, Callable[[], object]]
SIGNS = Independent(sign(), sign())


def race(title: str, rounds: int, ours: Callable[[], object], others: list[Contender]) -> dict[str, float]:
    """Run the contenders in turn, and return how many times slower each other one is."""
    rows = [Row("sqrtdk", ours, 1), *(Row(name, call, 1) for name, call in others)]
    return compare(title, "runs/s", rows, rounds)


def main() -> int:
    """Run the races; return 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, default=2000, help="width of the distribution race")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    d, rounds = options.width, options.rounds
    dyce: Any = import_module("dyce")
    icepool: Any = import_module("icepool")
    stats: Any = import_module("sympy.stats")
    sys.setrecursionlimit(20 * d + 20_000)  # icepool adds its terms by recursion
    print(f"{machine()}, width {d}, {rounds} rounds")

    for width in (5, 60):
        expected = {int(x): int(p * 2**width) for x, p in probabilities(sign_distribution(width))}
        theirs = width @ icepool.Die([-1, 1])
        check(dict(zip(theirs.outcomes(), theirs.quantities(), strict=True)) == expected, "icepool")
        check({int(x): int(c) for x, c in dict(width @ dyce.H((-1, 1))).items()} == expected, "dyce")

    ratios = race(
        f"distribution of a score of two sign vectors, d = {d}",
        rounds,
        lambda: sign_distribution(d),
        [("dyce", lambda: d @ dyce.H((-1, 1))), ("icepool", lambda: d @ icepool.Die([-1, 1]))],
    )
    three = uniform_on([1, 2, 3])
    race(
        "distribution of a sum of 500 terms, each 1, 2 or 3",
        rounds,
        lambda: iid_distribution(three, 500),
        [("dyce", lambda: 500 @ dyce.H((1, 2, 3))), ("icepool", lambda: 500 @ icepool.Die([1, 2, 3]))],
    )
    check(sympy_moment(stats, 6, 4) == score_moments(SIGNS, 6, 4)[4], "sympy.stats")
    race(
        "E[e⁴] of six signs",
        1,
        lambda: score_moments(SIGNS, 6, 4),
        [("sympy.stats", lambda: sympy_moment(stats, 6, 4))],
    )

    query = [(7 * i) % 19 - 9 for i in range(1000)]
    race("moments up to 20, d = 10⁶", 20, lambda: score_moments(SIGNS, 10**6, 20), [])
    race("E[e²⁰] as a polynomial in d", 5, lambda: moment_polynomial(SIGNS, 20), [])
    race("moments up to 20, a query of 1000 entries", 3, lambda: query_moments(query, sign(), 20), [])
    race("distribution, signs, d = 10⁴", 3, lambda: sign_distribution(10_000), [])
    race("distribution, a query of 300 entries in −9 … 9", 3, lambda: query_distribution(query[:300]), [])
    race("distribution, a query of 1000 entries in −9 … 9", 3, lambda: query_distribution(query), [])
    race("P(e = 0), signs, d = 10⁶", 1, lambda: sign_probability(10**6, 0), [])

    missed = [name for name, bar in (("dyce", 500), ("icepool", 3000)) if ratios[name] < bar]
    print(f"\nbars at d = {d}: dyce 500×, icepool 3000×: " + (f"missed by {', '.join(missed)}" if missed else "met"))
    return int(bool(missed))


def sympy_moment(stats: Any, width: int, order: int) -> Fraction:
    """Return E[e^order] of `width` signs by sympy.stats."""
    total = sum(stats.FiniteRV(f"t{r}", {-1: Fraction(1, 2), 1: Fraction(1, 2)}) for r in range(width))
    return Fraction(str(stats.E(total**order)))


def check(equal: bool, name: str) -> None:
    """Stop when `name` does not give the same answer: a race between different answers means nothing."""
    if not equal:
        raise SystemExit(f"{name} gives another answer")


if __name__ == "__main__":
    sys.exit(main())
