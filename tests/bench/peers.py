"""The project beside its peers, one interleaved run: `python -m tests.bench.peers`; prints tables in Markdown.

Every peer's answer is compared with ours before anything is timed.  The slow ones get a smaller cube, and rates are
compared.  Medians of the rounds; processor time decides, and the clock's is printed beside it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from math import comb
from typing import Any

import numpy as np
from more_itertools import gray_product

from exact.attention import scores_gradient
from exact.coordinates import gaussian
from exact.distribution import sign_distribution
from exact.engines import lanes, outer
from exact.matching import count_pairing
from exact.sampling import Plan, total
from symbolic.softmax import against_sympy, jacobian
from tests.bench.attention import gradient_rows
from tests.bench.compiled import Compiled, compile_c
from tests.bench.timing import Row, machine, medians
from tests.bench.visiting import by_bit_count, by_product, by_sign_matrix, pairing_by_product

WIDE, MIDDLE, NARROW = 30, 17, 14
DISTRIBUTION_WIDTH = 1000
JACOBIAN_T, SYMPY_T = 64, 6


def one(d: int) -> tuple[int, ...]:
    """Return a query of ones."""
    return (1,) * d


def by_gray_product(d: int) -> tuple[int, int]:
    """Walk more_itertools.gray_product and add up."""
    scores = [sum(k) for k in gray_product(*[(1, -1)] * d)]
    return sum(scores), sum(e * e for e in scores)


def by_sympy_stats(d: int) -> tuple[int, int]:
    """Ask sympy.stats for E[e] and E[e²], which lists the cube."""
    stats: Any = import_module("sympy.stats")
    half = Fraction(1, 2)
    e = sum(stats.FiniteRV(f"t{r}", {-1: half, 1: half}) for r in range(d))
    return int(stats.E(e) * 2**d), int(stats.E(e**2) * 2**d)


def histogram_by_bit_count(d: int) -> dict[int, int]:
    """Count bits with a Counter."""
    return dict(sorted(Counter(d - 2 * k.bit_count() for k in range(1 << d)).items()))


def sympy_jacobian(T: int) -> int:
    """Differentiate and simplify entry by entry, and return how many entries are as they should be."""
    sympy: Any = import_module("sympy")
    e = sympy.symbols(f"e0:{T}", real=True)
    whole = sum(map(sympy.exp, e))
    a = [sympy.exp(x) / whole for x in e]
    return sum(
        sympy.simplify(sympy.diff(a[j], e[l]) - a[j] * (int(j == l) - a[l])) == 0 for j in range(T) for l in range(T)
    )


def same(name: str, found: object, expected: object) -> None:
    """Stop where a peer answers otherwise: a race between different answers means nothing."""
    if found != expected:
        raise SystemExit(f"{name} gives another answer")


def moments_rows(c: Compiled | None) -> list[Row]:
    """Return who adds up e and e² by visiting."""
    asked: list[tuple[str, Callable[[int], tuple[int, int]], int]] = []
    if lanes.installed():
        lanes.prepare(one(WIDE))
        asked.append(("sqrtdk, numba", lambda d: lanes.power_sums(one(d)), WIDE))
    asked.append(("sqrtdk, numpy", lambda d: outer.power_sums(one(d)), WIDE))
    if c:
        if c.has_products():
            asked.append(("C, products of bytes", c.products_power_sums, WIDE))
        asked += [("C, 16-bit lanes", c.power_sums, WIDE), ("C, bit-sliced", c.sliced_power_sums, WIDE)]
    asked += [
        ("NumPy matrix of signs", by_sign_matrix, MIDDLE),
        ("int.bit_count and Counter", by_bit_count, MIDDLE),
        ("itertools.product", by_product, NARROW),
        ("more_itertools.gray_product", by_gray_product, NARROW),
        ("sympy.stats", by_sympy_stats, 6),
    ]
    for name, call, d in asked:
        same(name, call(d), (0, d * 2**d))
    return [Row(f"{name}, d = {d}", lambda call=call, d=d: call(d), 2**d / 1e9) for name, call, d in asked]  # type: ignore[misc]


def histogram_rows(c: Compiled | None) -> list[Row]:
    """Return who counts the scores."""
    asked: list[tuple[str, Callable[[int], dict[int, int]], int]] = []
    if lanes.installed():
        asked.append(("sqrtdk, numba", lambda d: lanes.histogram(one(d)), 28))
    asked.append(("sqrtdk, numpy", lambda d: outer.histogram(one(d)), 28))
    if c:
        asked.append(("C, bytes compared", c.histogram, 28))
    asked.append(("int.bit_count and Counter", histogram_by_bit_count, MIDDLE))
    for name, call, d in asked:
        same(name, call(d), {2 * m - d: comb(d, m) for m in range(d + 1)})
    return [Row(f"{name}, d = {d}", lambda call=call, d=d: call(d), 2**d / 1e9) for name, call, d in asked]  # type: ignore[misc]


def distribution_rows() -> list[Row]:
    """Return who knows the distribution of a score of two sign vectors."""
    d = DISTRIBUTION_WIDTH
    expected = {2 * m - d: comb(d, m) for m in range(d + 1)}
    rows = [Row("sqrtdk", lambda: sign_distribution(d), 1)]
    if find_spec("dyce"):
        dyce: Any = import_module("dyce")
        same("dyce", {int(x): int(n) for x, n in dict(d @ dyce.H((-1, 1))).items()}, expected)
        rows.append(Row("dyce", lambda: d @ dyce.H((-1, 1)), 1))
    if find_spec("icepool"):
        icepool: Any = import_module("icepool")
        found = d @ icepool.Die([-1, 1])
        same("icepool", dict(zip(found.outcomes(), found.quantities(), strict=True)), expected)
        rows.append(Row("icepool", lambda: d @ icepool.Die([-1, 1]), 1))
    if find_spec("lea"):
        lea: Any = import_module("lea")
        die = lea.vals(-1, 1, prob_type="r")
        same("lea", {x: p * 2**d for x, p in die.times(d).pmf_dict().items()}, expected)
        rows.append(Row("lea", lambda: die.times(d).support(), 1))
    return rows


def pairing_rows(c: Compiled | None) -> list[Row]:
    """Return who looks up every partner."""
    rows = [Row("sqrtdk, d = 26", lambda: count_pairing(26, cross_sums=False), comb(26, 2) * 2**26 / 1e9)]
    if c:
        same("C", c.pairing(12), True)
        rows.append(Row("C, d = 26", lambda: c.pairing(26), comb(26, 2) * 2**26 / 1e9))
    same("itertools.product", pairing_by_product(6), True)
    rows.append(Row("itertools.product, d = 9", lambda: pairing_by_product(9), 36 * 2**9 / 1e9))
    return rows


def jacobian_rows() -> list[Row]:
    """Return who derives every entry of the softmax's Jacobian."""
    same("SymPy", sympy_jacobian(3), against_sympy(3))
    return [
        Row(f"sqrtdk, T = {JACOBIAN_T}", lambda: jacobian(JACOBIAN_T), JACOBIAN_T**2),
        Row(f"SymPy diff and simplify, T = {SYMPY_T}", lambda: sympy_jacobian(SYMPY_T), SYMPY_T**2),
    ]


def sampling_rows() -> list[Row]:
    """Return who draws scores at d = 1024: in distribution, vector by vector, and as one would write it."""
    short, long = Plan(gaussian(), 1024, 1 << 18, 1, "scores"), Plan(gaussian(), 1024, 1 << 11, 1)

    def naive() -> Any:
        generator = np.random.default_rng(1)
        q, k = generator.standard_normal((2, 1 << 11, 1024))
        return ((q * k).sum(axis=1) ** 2).mean()

    return [
        Row("sqrtdk, --method scores", lambda: total(short), 1 << 18),
        Row("sqrtdk, vectors", lambda: total(long), 1 << 11),
        Row("NumPy, q and k drawn", naive, 1 << 11),
    ]


def table(title: str, unit: str, rows: list[Row], rounds: int) -> None:
    """Run a race and print it; ratios are against the first row, above 1 where that is faster."""
    times = medians(rows, rounds)
    rates = [row.amount / max(cpu, 1e-9) for row, (cpu, _) in zip(rows, times, strict=True)]
    print(f"\n{title}\n\n| | CPU s | wall s | {unit} | first / it |\n|---|---|---|---|---|")
    for row, (cpu, wall), rate in zip(rows, times, rates, strict=True):
        print(f"| {row.name} | {cpu:.3g} | {wall:.3g} | {rate:.3g} | {rates[0] / rate:.3g} |")


def growth(picture: str | None) -> None:
    """Print how our own times grow with d, T and N, and draw it."""
    print("\nGrowth, CPU seconds\n\n| | |\n|---|---|")
    engine = lanes if lanes.installed() else outer
    curves: list[tuple[str, list[tuple[int, Callable[[], object]]]]] = [
        ("moments by visiting, d", [(d, lambda d=d: engine.power_sums(one(d))) for d in (22, 25, 28, 31, 34)]),  # type: ignore[misc]
        ("pairing, d", [(d, lambda d=d: count_pairing(d, cross_sums=False)) for d in (18, 20, 22, 24, 26)]),  # type: ignore[misc]
        ("distribution, d", [(d, lambda d=d: sign_distribution(d)) for d in (500, 1000, 2000, 4000, 8000)]),  # type: ignore[misc]
        ("Jacobian, T", [(T, lambda T=T: jacobian(T)) for T in (4, 8, 16, 32, 64)]),  # type: ignore[misc]
        ("gradient, T", [(T, gradient(T)) for T in (256, 512, 1024, 2048, 4096)]),
        ("drawing scores, N", [(n, draws(n)) for n in (10**4, 10**5, 10**6)]),
    ]
    drawn: list[tuple[str, list[int], list[float]]] = []
    for name, points in curves:
        times = [medians([Row(name, call, 1)], 3)[0][0] for _, call in points]
        drawn.append((name, [x for x, _ in points], times))
        print(f"| {name} | " + ", ".join(f"{x}: {t:.2g}" for (x, _), t in zip(points, times, strict=True)) + " |")
    if picture:
        draw(drawn, picture)


def draw(curves: list[tuple[str, list[int], list[float]]], file: str) -> None:
    """Draw the curves of growth, a panel each."""
    plt: Any = import_module("matplotlib.pyplot")
    figure, panels = plt.subplots(2, 3, figsize=(9, 4.5), layout="constrained")
    for panel, (name, x, seconds) in zip(panels.flat, curves, strict=True):
        panel.plot(x, seconds, "o-", markersize=3)
        panel.set_yscale("log")
        if x[-1] > 2 * x[0]:
            panel.set_xscale("log")
        panel.set_xticks(x, [str(v) for v in x])
        panel.minorticks_off()
        panel.set_title(name, fontsize=9)
        panel.set_ylabel("CPU s", fontsize=8)
        panel.tick_params(which="both", labelsize=7)
    figure.savefig(file, dpi=90)


def gradient(T: int) -> Callable[[], object]:
    """Return a gradient at T × T, float32."""
    A, G = np.full((T, T), 1 / T, np.float32), np.ones((T, T), np.float32)
    return lambda: scores_gradient(A, G, rows="trust")


def draws(n: int) -> Callable[[], object]:
    """Return n draws of a score at d = 1024."""
    plan = Plan(gaussian(), 1024, n, 1, "scores")
    return lambda: total(plan)


def installed(name: str) -> str:
    """Name a peer and its version, or say that it is not installed."""
    return f"{name} {version(name)}" if find_spec(name) else f"{name} not installed"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--picture", metavar="FILE", help="draw how times grow")
    options = parser.parse_args()
    rounds = options.rounds
    sys.setrecursionlimit(50_000)  # icepool adds its terms by recursion
    c = compile_c()
    print(machine(), *map(installed, ("numpy", "numba", "sympy", "icepool", "dyce", "lea")), sep=", ", end="")
    print("" if c else ", C compiler not installed")
    table("E[e] and E[e²] by visiting", "10⁹ vectors/s", moments_rows(c), rounds)
    table("Exact histogram", "10⁹ vectors/s", histogram_rows(c), rounds)
    table(f"Distribution at d = {DISTRIBUTION_WIDTH}", "runs/s", distribution_rows(), rounds)
    table("The pairing, all pairs r < s", "10⁹ (pair, k)/s", pairing_rows(c), rounds)
    table("The softmax's Jacobian, symbolic", "entries/s", jacobian_rows(), rounds)
    table("Gradient at 4096², float32", "entries/s", gradient_rows(), rounds)
    table("Monte Carlo at d = 1024", "scores/s", sampling_rows(), rounds)
    growth(options.picture)


if __name__ == "__main__":
    main()
