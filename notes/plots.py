"""Pictures, with the plots extra (matplotlib)."""

from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from exact.distribution import Distribution, variance
from exact.rationals import BadInput
from exact.tables import to_floats

__all__ = ["plot_distribution"]


def plot_distribution(e: Distribution, path: str) -> None:
    """Draw the probabilities of a score as bars, with ±√Var e marked, in a format that the file's name ends in."""
    if Path(path).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise BadInput(f"{path} must end in .png, .svg or .pdf")
    try:
        pyplot: Any = import_module("matplotlib.pyplot")
    except ImportError:
        raise BadInput("pictures need matplotlib: pip install 'sqrtdk[plots]'") from None
    points = to_floats(e)
    pyplot.switch_backend("agg")
    figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
    gaps = [right[0] - left[0] for left, right in pairwise(points)]
    axes.bar([x for x, _ in points], [p for _, p in points], width=0.8 * min(gaps, default=1.0), color="#4477aa")
    deviation = float(variance(e)) ** 0.5
    centre = sum(x * p for x, p in points)
    for side in (-deviation, deviation):
        axes.axvline(centre + side, color="#222222", linestyle="--", linewidth=1)
    axes.annotate(
        "±√Var e", (centre + deviation, max(p for _, p in points)), xytext=(4, -8), textcoords="offset points"
    )
    axes.set_xlabel("e = q·k")
    axes.set_ylabel("P(e)")
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
