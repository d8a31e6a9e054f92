"""A table of figures, and its four forms: for the terminal, as CSV, as LaTeX with booktabs, as JSON data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from typing import Any

from exact.rows import Measured
from exact.sampling import NUMPY

__all__ = ["Cell", "Sheet", "as_csv", "as_data", "as_latex", "as_lines", "columns", "concise", "heads"]

Cell = str | Measured


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table: how its figures came about, its columns by their keys in the words, its rows, and what is said below.

    `source` is for programs; `drawn` fills the sentence of this name in the words, which says the same to a reader.
    """

    name: str
    source: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    below: tuple[str, ...] = ()
    drawn: Mapping[str, object] = field(default_factory=dict)


def concise(found: Measured) -> str:
    """Write an estimate with two figures of its standard error in brackets, in units of its last place.

    >>> concise(Measured(0.35412, 0.0012)), concise(Measured(1000.7, 21.3)), concise(Measured(1.2e-5, 3e-7))
    ('0.3541(12)', '1001(21)', '1.200(30)e-05')
    """
    x, error = found.value, found.error
    if not (isfinite(x) and isfinite(error)) or error <= 0:
        return f"{x:.4g}"
    exponent = floor(log10(max(abs(x), error)))
    scale = 10.0**exponent if exponent < -3 else 1.0
    digits = max(0, 1 - floor(log10(error / scale)))
    units = round(error / scale * 10**digits)
    return f"{x / scale:.{digits}f}({units})" + (f"e{exponent:03d}" if exponent < -3 else "")


def as_lines(sheet: Sheet, words: Mapping[str, Any]) -> Iterator[str]:
    """Write the table for the terminal."""
    yield words["drawn"][sheet.name].format(**sheet.drawn)
    rows = [tuple(_titled(_text(x), words) for x in row) for row in sheet.rows]
    yield from columns([heads(sheet.head, words), *rows])
    yield from sheet.below


def heads(keys: Iterable[str], words: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the headings of columns, in words; a word that names a row elsewhere has one of its own as a heading."""
    return tuple(words.get(f"{key}_head", words[key]) for key in keys)


def as_csv(sheet: Sheet) -> Iterator[str]:
    """Write the table as lines of CSV; a figure that was measured has its standard error in the next column."""
    yield "# " + sheet.source
    yield ",".join(_fields(sheet))
    for row in _figures(sheet):
        yield ",".join(map(str, row))


def as_latex(sheet: Sheet, words: Mapping[str, Any]) -> Iterator[str]:
    """Write the table as LaTeX; it needs the package booktabs."""
    yield "% " + sheet.source
    yield rf"\begin{{tabular}}{{{'r' * len(sheet.head)}}}"
    yield r"\toprule"
    yield " & ".join(words[key + "_latex"] for key in sheet.head) + r" \\"
    yield r"\midrule"
    for row in sheet.rows:
        yield " & ".join(_latex(_text(x), words) for x in row) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def as_data(sheet: Sheet) -> dict[str, Any]:
    """Return the table as JSON data: text as it is printed, what was measured as numbers."""
    rows = [dict(zip(_fields(sheet), row, strict=True)) for row in _figures(sheet)]
    return {"table": sheet.name, "source": sheet.source, "numpy": NUMPY, "rows": rows}


def columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Write rows of text in columns, the first to the left and the others to the right."""
    sizes = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for first, *rest in rows:
        yield "  ".join([first.ljust(sizes[0]), *(x.rjust(n) for x, n in zip(rest, sizes[1:], strict=True))]).rstrip()


def _measured(sheet: Sheet) -> list[bool]:
    return [any(isinstance(row[i], Measured) for row in sheet.rows) for i in range(len(sheet.head))]


def _fields(sheet: Sheet) -> list[str]:
    pairs = zip(sheet.head, _measured(sheet), strict=True)
    return [name for key, pair in pairs for name in ((key, key + "_error") if pair else (key,))]


def _figures(sheet: Sheet) -> Iterator[list[str | float]]:
    measured = _measured(sheet)
    for row in sheet.rows:
        cells: list[str | float] = []
        for cell, pair in zip(row, measured, strict=True):
            if isinstance(cell, Measured):
                cells += cell.value, cell.error
            else:
                cells += (cell, "") if pair else (cell,)
        yield cells


def _text(cell: Cell) -> str:
    return concise(cell) if isinstance(cell, Measured) else cell


def _titled(text: str, words: Mapping[str, Any]) -> str:
    return str(words.get(text, text)) if text.isidentifier() else text.replace("-", "−")


def _latex(text: str, words: Mapping[str, Any]) -> str:
    if text.isidentifier():
        return str(words.get(text + "_latex", words.get(text, text)))
    mantissa, _, power = text.replace("≥", r"\ge").partition("e")
    return f"${mantissa}" + (rf" \cdot 10^{{{int(power)}}}$" if power else "$")
