"""The gradient beside the naive expression (torch and jax when present), and scores beside vectors; prints ratios.

The exit code is 1 where a bar is missed.

python -m tests.bench.attention
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from exact.attention import scores_gradient, softmax
from exact.coordinates import gaussian
from exact.sampling import Plan, total
from tests.bench.timing import Row, compare, machine

GRADIENT_BAR, SAMPLING_BAR = 2, 500
T, WIDTH, SHORT, LONG = 4096, 1024, 1 << 20, 1 << 12


def gradient_rows() -> list[Row]:
    """Return the contestants on one pair of T × T matrices of float32, checked against each other first."""
    generator = np.random.default_rng(0)
    A = softmax(generator.standard_normal((T, T), dtype=np.float32))
    G = generator.standard_normal((T, T), dtype=np.float32)
    out = np.empty_like(A)

    def naive() -> Any:
        return A * (G - (G * A).sum(axis=-1, keepdims=True))

    bound = (T + 4) * np.finfo(np.float32).eps * np.abs(G).max()
    if np.abs(naive() - scores_gradient(A, G)).max() > bound:
        raise SystemExit("the contestants disagree")
    rows = [
        Row("sqrtdk, out=, rows trusted", lambda: scores_gradient(A, G, out=out, rows="trust"), T * T),
        Row("sqrtdk, out=", lambda: scores_gradient(A, G, out=out), T * T),
        Row("sqrtdk", lambda: scores_gradient(A, G), T * T),
        Row("naive expression", naive, T * T),
    ]
    if find_spec("torch"):
        torch = import_module("torch")
        a, g = torch.from_numpy(A), torch.from_numpy(G)
        back = torch.ops.aten._softmax_backward_data
        rows.append(Row("torch", lambda: back(g, a, -1, torch.float32), T * T))
    if find_spec("jax"):
        jax = import_module("jax")
        ours = jax.jit(lambda x, y: x * (y - (x * y).sum(-1, keepdims=True)))
        rows.append(Row("jax", lambda: ours(A, G).block_until_ready(), T * T))
    return rows


def main() -> None:
    """Run the races."""
    print(machine(), "NumPy", np.__version__)
    gradient = compare(f"Gradient of the scores, {T} × {T} float32", "entries/s", gradient_rows(), rounds=9)
    short, long = Plan(gaussian(), WIDTH, SHORT, 1, "scores"), Plan(gaussian(), WIDTH, LONG, 1)
    rows = [
        Row("scores", lambda: total(short), SHORT),
        Row("vectors", lambda: total(long), LONG),
    ]
    sampling = compare(f"Monte Carlo at d = {WIDTH}, standard Gaussians", "scores/s", rows)
    missed = False
    for name, ratio, bar in (
        ("gradient beside the naive expression", gradient["naive expression"], GRADIENT_BAR),
        ("scores beside vectors", sampling["vectors"], SAMPLING_BAR),
    ):
        print(f"{'MISSED' if ratio < bar else 'met'}: {name}: {ratio:.2f} ×, to be at least {bar} ×")
        missed |= ratio < bar
    if missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
