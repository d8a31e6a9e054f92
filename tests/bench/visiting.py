"""Visiting the cube beside what people write: `python -m tests.bench.visiting`.

Every contestant visits every vector it is timed for; the slow ones get a narrower cube, and rates are compared.
"""

from collections import Counter
from itertools import product

import numpy as np

from exact.engines import outer
from exact.matching import count_pairing
from tests.bench.timing import Row, compare, machine

WIDE, MIDDLE, NARROW = 28, 18, 16


def by_product(d: int) -> tuple[int, int]:
    """Walk itertools.product and add up with a generator."""
    q = (1,) * d
    scores = [sum(x * s for x, s in zip(q, k, strict=True)) for k in product((1, -1), repeat=d)]
    return sum(scores), sum(e * e for e in scores)


def by_bit_count(d: int) -> tuple[int, int]:
    """Count bits, and then how often each count occurs."""
    seen = Counter(d - 2 * k.bit_count() for k in range(1 << d))
    return sum(e * n for e, n in seen.items()), sum(e * e * n for e, n in seen.items())


def by_sign_matrix(d: int) -> tuple[int, int]:
    """Write all vectors down as a matrix of signs, and multiply."""
    keys = np.arange(1 << d, dtype=np.uint32)
    signs = 1 - 2 * (keys[:, None] >> np.arange(d, dtype=np.uint32) & 1).astype(np.int8)
    scores = (signs.astype(np.float32) @ np.ones(d, np.float32)).astype(np.int64)
    return int(scores.sum()), int((scores * scores).sum())


def pairing_by_product(d: int) -> bool:
    """Look at each vector and its partner, for every pair."""
    ok = True
    for r in range(d):
        for s in range(r):
            for k in product((1, -1), repeat=d):
                partner = (*k[:r], -k[r], *k[r + 1 :])
                ok = ok and k[r] * k[s] + partner[r] * partner[s] == 0
    return ok


def main() -> None:
    """Print the tables."""
    print(machine(), "numpy", np.__version__)
    one = (1,) * WIDE
    general = tuple((-1) ** r * (1 + r % 6) for r in range(WIDE))
    peers = [
        Row("int.bit_count and Counter", lambda: by_bit_count(MIDDLE), 2**MIDDLE / 1e9),
        Row("NumPy sign matrix", lambda: by_sign_matrix(MIDDLE), 2**MIDDLE / 1e9),
        Row("itertools.product", lambda: by_product(NARROW), 2**NARROW / 1e9),
    ]
    ours = Row(f"sqrtdk, d = {WIDE}", lambda: outer.power_sums(one), 2**WIDE / 1e9)
    compare("E[e] and E[e²] by visiting", "10⁹ vectors/s", [ours, *peers])
    norm = sum(map(abs, general))
    ours = Row(f"sqrtdk, d = {WIDE}", lambda: outer.power_sums(general), 2**WIDE / 1e9)
    compare(f"the same, integers with |q|₁ = {norm}", "10⁹ vectors/s", [ours, *peers])
    ours = Row(f"sqrtdk, d = {WIDE}", lambda: outer.histogram(one), 2**WIDE / 1e9)
    compare("histogram", "10⁹ vectors/s", [ours, *peers[:1]])
    compare(
        "the pairing, all pairs r < s",
        "10⁹ (pair, k)/s",
        [
            Row("partners, d = 28", lambda: count_pairing(28, cross_sums=False), 378 * 2**28 / 1e9),
            Row("and cross sums, d = 26", lambda: count_pairing(26), 325 * 2**26 / 1e9),
            Row("itertools.product, d = 10", lambda: pairing_by_product(10), 45 * 2**10 / 1e9),
        ],
        rounds=3,
    )


if __name__ == "__main__":
    main()
