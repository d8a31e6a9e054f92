"""The subcommand `sqrtdk gradient`: reads A and G from files, and gives dL/dE, in floats or exactly."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from exact.rationals import BadInput, read_rational, write_rational
from notes.console import Json, print_lines
from notes.files import check_writable, write_whole

if TYPE_CHECKING:
    from exact.attention import Array

__all__ = ["register"]

DTYPES = ("float32", "float64", "longdouble")
SIZE_LIMIT = 1 << 30  # bytes of a file
TEXT_LIMIT = 10**6  # entries of a text


def gradient(
    weights: Annotated[str, typer.Argument(metavar="A", help="The map of weights: .npy, or text with commas.")],
    upstream: Annotated[str, typer.Argument(metavar="G", help="dL/dA, of the same shape.")],
    exact: Annotated[bool, typer.Option("--exact", help="In fractions; rows of A must add to 1.")] = False,
    dtype: Annotated[str | None, typer.Option("--dtype", metavar="NAME", help=", ".join(DTYPES))] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
    as_json: Json = False,
) -> None:
    """Give dL/dE = a(g − Σ a g), row by row: what crosses a softmax on its way back."""
    import numpy as np

    from exact.attention import scores_gradient

    if exact and dtype is not None:
        raise BadInput("--exact is in fractions and has no dtype; leave --dtype out")
    if dtype is not None and dtype not in DTYPES:
        raise BadInput(f"--dtype must be one of {', '.join(DTYPES)} (got {dtype!r})")
    if output is not None:
        check_writable(output)
    A, G = (_read(path, exact, dtype) for path in (weights, upstream))
    with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        E = scores_gradient(A, G)
    if not exact and not np.isfinite(E).all():
        raise BadInput(f"the answer overflows {E.dtype}; accepted: smaller numbers, or a longer --dtype")
    for warning in said:
        print(f"sqrtdk: warning: {warning.message}", file=sys.stderr)
    text = _write(E, as_json)
    if output is None:
        print_lines([text])
        return
    try:
        write_whole(output, text + "\n")
    except OSError:
        print_lines([text])
        raise


def _read(path: str, exact: bool, dtype: str | None) -> Array:
    import numpy as np

    file = Path(path)
    if file.stat().st_size > SIZE_LIMIT:
        raise BadInput(f"{path} must have at most {SIZE_LIMIT} bytes")
    if file.suffix == ".npy":
        if exact:
            raise BadInput(f"{path} holds floats; --exact takes text, with fractions such as 1/3")
        try:
            array = np.load(file, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise BadInput(f"{path} is not a file of one NumPy array ({error})") from None
        return np.asarray(array) if dtype is None or array.dtype.kind not in "iuf" else _cast(path, array, dtype)
    rows = _rows(path, file)
    values = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        values[i] = [_entry(path, i, j, x, exact) for j, x in enumerate(row)]
    return values if exact else _cast(path, values.astype(np.float64), dtype or "float64")


def _cast(path: str, array: Array, dtype: str) -> Array:
    import numpy as np

    with np.errstate(over="ignore"):
        cast = array.astype(dtype)
    if not (np.isfinite(cast) | ~np.isfinite(array)).all():
        raise BadInput(f"{path} holds a number that is too large for {dtype}")
    return cast


def _rows(path: str, file: Path) -> list[list[str]]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not text; accepted: numbers with commas, a row a line, or .npy") from None
    rows = [line.split(",") for line in lines if line.strip() and not line.startswith("#")]
    if not rows:
        raise BadInput(f"{path} holds no numbers")
    if sum(map(len, rows)) > TEXT_LIMIT:
        raise BadInput(f"{path} must have at most {TEXT_LIMIT} numbers as text; .npy takes more")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise BadInput(f"{path}: all rows must be as long as row 0, {len(rows[0])} (row {i} has {len(row)})")
    return rows


def _entry(path: str, i: int, j: int, text: str, exact: bool) -> Any:
    try:
        value = read_rational(text)
        return value if exact else float(value)
    except BadInput as error:
        raise BadInput(f"{path}, row {i}, column {j}: {error}") from None
    except OverflowError:
        raise BadInput(f"{path}, row {i}, column {j}: {text.strip()} is too large for a float") from None


def _write(E: Array, as_json: bool) -> str:
    exact = E.dtype == object
    if as_json:
        values = [[write_rational(x) for x in row] for row in E] if exact else E.astype(float).tolist()
        return json.dumps({"dtype": "fraction" if exact else str(E.dtype), "dL_dE": values}, indent=2)
    rows = E.reshape(-1, E.shape[-1]) if E.size else E[:0]
    return "\n".join(",".join(write_rational(x) if exact else str(x) for x in row) for row in rows)


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(gradient)
