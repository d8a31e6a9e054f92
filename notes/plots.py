"""Pictures, with the plots extra (matplotlib): readable in print, and told apart by marker and line as by colour."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from exact.distribution import Distribution, variance
from exact.rationals import BadInput, write_rational
from exact.rows import RowEstimate
from exact.tables import to_floats

__all__ = ["check_picture", "plot_distribution", "plot_rows"]

SUFFIXES: Final = (".png", ".svg", ".pdf")
STYLES: Final = (  # colours that colour-blind readers tell apart, and that differ in grey
    ("#222222", "o", "-"),
    ("#0077bb", "s", "--"),
    ("#ee7733", "^", ":"),
    ("#009988", "D", "-."),
    ("#cc3311", "v", (0, (5, 1, 1, 1, 1, 1))),
)
PANELS: Final = {
    "row": ("largest_weight", "one_minus_sum_of_squares", "largest_a_times_one_minus_a"),
    "gradient": ("closed_rows", "gradient_to_Q", "gradient_to_K"),
}


def check_picture(path: str) -> None:
    """Refuse a name that is not a picture's, and a machine without matplotlib, before any work is done."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise BadInput(f"{path} must end in .png, .svg or .pdf")
    _pyplot()


def _pyplot() -> Any:
    try:
        pyplot: Any = import_module("matplotlib.pyplot")
    except ImportError:
        raise BadInput("pictures need matplotlib: pip install -e '.[plots]' in the project's folder") from None
    pyplot.switch_backend("agg")
    return pyplot


def plot_rows(found: Sequence[RowEstimate], name: str, path: str, words: Mapping[str, Any]) -> bytes:
    """Draw estimates against the width, a curve for each exponent; `name` is size, row or gradient.

    `size` is on two logarithmic scales and has the exact line d^(1/2 − α) of each exponent.  Returns the file.
    """
    pyplot = _pyplot()
    pyplot.rcParams.update({"svg.hashsalt": "sqrtdk", "font.size": 9})
    panels = PANELS.get(name, ("typical_size",))
    shape = {"figsize": (3.3 * len(panels) if len(panels) > 1 else 5.2, 3.4), "layout": "constrained"}
    figure, all_axes = pyplot.subplots(1, len(panels), squeeze=False, **shape)
    exponents = sorted({x.exponent for x in found})
    for axes, quantity in zip(all_axes[0], panels, strict=True):
        for i, exponent in enumerate(exponents):
            colour, marker, line = STYLES[i % len(STYLES)]
            rows = [x for x in found if x.exponent == exponent]
            d = [x.width for x in rows]
            values, errors = ([getattr(x.values[quantity], part) for x in rows] for part in ("value", "error"))
            label = _divisor(exponent, words)
            if quantity == "typical_size":
                exact = [float(x) ** (0.5 - float(exponent)) for x in d]
                axes.plot(d, exact, color=colour, linestyle=line, linewidth=1, label=f"{label}: {_exact(exponent)}")
                axes.plot(d, values, color=colour, marker=marker, linestyle="none", markersize=5, fillstyle="none")
            else:
                style = {"color": colour, "marker": marker, "linestyle": line, "markersize": 4, "linewidth": 1.2}
                axes.errorbar(d, values, yerr=errors, label=label, capsize=2, **style)
        axes.set_xscale("log")
        if quantity in ("typical_size", "gradient_to_Q", "gradient_to_K"):
            axes.set_yscale("log")
        axes.set_xlabel(words["width_axis"])
        axes.set_ylabel(words[quantity + "_axis"])
        axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    all_axes[0][0].legend(frameon=False, fontsize=8)
    figure.suptitle(words[f"{name}_title"].format(T=found[0].positions, rows=found[0].draws), fontsize=9)
    content = _saved(figure, path)
    pyplot.close(figure)
    return content


def _saved(figure: Any, path: str) -> bytes:
    file, suffix = BytesIO(), Path(path).suffix.lower().removeprefix(".")
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    figure.savefig(file, format=suffix, dpi=150, metadata=dates.get(suffix))
    return file.getvalue()


def _divisor(exponent: Any, words: Mapping[str, Any]) -> str:
    if exponent == 0:
        return str(words["undivided"])
    return f"{words['divided_by']} {_power(exponent)}"


def _exact(exponent: Any) -> str:
    left = type(exponent)(1, 2) - exponent
    return "1" if left == 0 else _power(left) if left > 0 else f"1/{_power(-left)}"


def _power(exponent: Any) -> str:
    if exponent == 1:
        return "d"
    return "√d" if exponent * 2 == 1 else f"$d^{{{write_rational(exponent)}}}$"


def plot_distribution(e: Distribution, path: str) -> None:
    """Draw the probabilities of a score as bars, with ±√Var e marked, in a format that the file's name ends in."""
    check_picture(path)
    pyplot = _pyplot()
    points = to_floats(e)
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
