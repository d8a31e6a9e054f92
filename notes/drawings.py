r"""The two figures of the paper, as LaTeX that draws: bars are rules, edges are lines, no drawing package is used.

Lengths are in millimetres.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from exact.cube import signs
from notes.teaching import Group

__all__ = ["bars", "cube"]

GROUP: Final = 42.0  # from one group to the next
TALL: Final = 20.0  # a bar of weight 1
BAR, GAP = 4.6, 1.2  # a bar, and what is between two
HEAD, LEFT = 9.0, 24.0  # kept above a group for its number, and left of a row for its name
SIDE, DEPTH = 26, 12  # an edge of the cube, and how far its third direction goes right and up


def _picture(width: float, height: float, parts: Iterable[str]) -> str:
    return "\n".join(
        [
            r"{\setlength{\unitlength}{1mm}",
            rf"\begin{{picture}}({width:g},{height:g})",
            *parts,
            r"\end{picture}}",
        ]
    )


def _put(x: float, y: float, what: str) -> str:
    return rf"\put({x:g},{y:g}){{{what}}}"


def bars(groups: Sequence[Group], names: Mapping[str, str], width: str, point: str) -> str:
    """Draw groups of bars, divisor by divisor (a row) and width by width (a column), the winner's weight above each.

    `names` are the divisors' names, with what they are called together under "", and `width` the width's letter, all
    of them LaTeX; `point` separates decimals.
    """
    widths, rows = list(dict.fromkeys(g.width for g in groups)), list(dict.fromkeys(g.divisor for g in groups))
    top = (TALL + HEAD) * len(rows)
    wide = len(groups[0].weights) * (BAR + GAP) - GAP
    parts = [_put(0, top + 3, rf"\makebox(0,0)[bl]{{\small {names['']}}}")]
    parts += [
        _put(LEFT + column * GROUP + wide / 2, top + 3, rf"\makebox(0,0)[b]{{${width} = {d}$}}")
        for column, d in enumerate(widths)
    ]
    for group in groups:
        ground = top - (rows.index(group.divisor) + 1) * (TALL + HEAD) + HEAD / 2
        parts += _group(LEFT + widths.index(group.width) * GROUP, ground, group, wide, point)
        if group.width == widths[0]:
            parts.append(_put(0, ground + TALL / 2, rf"\makebox(0,0)[l]{{\small {names[group.divisor]}}}"))
    return _picture(LEFT + GROUP * len(widths), top + HEAD, parts)


def _group(left: float, ground: float, group: Group, wide: float, point: str) -> Iterator[str]:
    for at, a in enumerate(group.weights):
        colour = "winner" if at == group.winner else "other"
        x = left + at * (BAR + GAP)
        yield _put(x, ground, rf"{{\color{{{colour}}}\rule{{{BAR:g}mm}}{{{TALL * a:.3f}mm}}}}")
    yield _put(left - 1, ground - 0.2, rf"\rule{{{wide + 2:g}mm}}{{0.2mm}}")
    largest = group.weights[group.winner]
    number = f"{largest:.3f}".replace(".", point)
    x = left + group.winner * (BAR + GAP) + BAR / 2
    yield _put(x, ground + TALL * largest + 1.2, rf"\makebox(0,0)[b]{{\footnotesize ${number}$}}")


def cube(q: Sequence[int], r: int, s: int) -> str:
    """Draw {−1,1}^3: partners joined by thick lines, and at each vector its t_r t_s; coordinates from 0."""
    return _picture(SIDE + DEPTH + 40, SIDE + DEPTH + 12, _cube(q, r, s))


def _at(k: tuple[int, ...]) -> tuple[float, float]:
    """Place a vector: its first coordinate goes right, its second up, its third into the page."""
    x, y, z = (sign > 0 for sign in k)
    return 20 + SIDE * x + DEPTH * z, 6 + SIDE * y + DEPTH * z


def _cube(q: Sequence[int], r: int, s: int) -> Iterator[str]:
    for k, axis in product(range(8), range(3)):
        low, (dx, dy) = signs(k, 3), ((1, 0), (0, 1), (1, 1))[axis]
        if low[axis] > 0:
            continue  # its edge is drawn from its other end
        if axis == 2:  # a slanted line is thin or thick, and nothing else
            style = r"\thicklines\color{pair}" if axis == r else r"\thinlines\color{edge}"
        else:
            style = r"\linethickness{1mm}\color{pair}" if axis == r else r"\linethickness{0.2mm}\color{edge}"
        line = rf"\line({dx},{dy}){{{DEPTH if axis == 2 else SIDE}}}"
        yield _put(*_at(low), style + line)
    for k in range(8):
        vector = signs(k, 3)
        value = q[r] * vector[r] * q[s] * vector[s]
        colour, text = ("plus", "$+1$") if value > 0 else ("minus", "$-1$")
        yield _put(*_at(vector), rf"\makebox(0,0){{\colorbox{{{colour}}}{{\footnotesize {text}}}}}")
