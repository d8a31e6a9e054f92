"""Matrices in files: read as floats or as fractions, and the gradient of the scores from two of them.

Imports NumPy and the exact modules above it only.
"""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from exact.attention import Array, scores_gradient
from exact.rationals import BadInput, read_rational, write_rational

__all__ = ["DTYPES", "gradient_with_warnings", "matrix_data", "matrix_lines", "read_matrix"]

DTYPES = ("float32", "float64", "longdouble")
SIZE_LIMIT = 1 << 30  # bytes of a file
TEXT_LIMIT = 10**6  # entries of a text


def read_matrix(path: str, exact: bool = False, dtype: str | None = None) -> Array:
    """Read a .npy file, or text with commas and a row a line, as floats or (`exact`) as Fractions.

    `dtype`, one of `DTYPES`, is what floats become; without it .npy stays as it is and text is float64.  `BadInput`
    says where a file is wrong; OSError where it cannot be read.
    """
    if exact and dtype is not None:
        raise BadInput("fractions have no dtype; leave one of the two out")
    if dtype is not None and dtype not in DTYPES:
        raise BadInput(f"a dtype must be one of {', '.join(DTYPES)} (got {dtype!r})")
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


def gradient_with_warnings(A: Array, G: Array) -> tuple[Array, tuple[str, ...]]:
    """Return dL/dE, and what to say of an A that is no map of weights; `BadInput` where the answer is not finite."""
    with warnings.catch_warnings(record=True) as said, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        E = scores_gradient(A, G)
    notes = [str(warning.message) for warning in said]
    if (A < 0).any():
        notes.append("A has an entry below 0, and weights of a softmax are never below 0; are A and G in their order?")
    if E.dtype != object and not np.isfinite(E).all():
        raise BadInput(f"the answer overflows {E.dtype}; accepted: smaller numbers, or a longer dtype")
    return E, tuple(notes)


def matrix_data(E: Array) -> dict[str, object]:
    """Return a matrix as JSON data; fractions are strings "p/q"."""
    if E.dtype == object:
        return {"dtype": "fraction", "dL_dE": [[write_rational(x) for x in row] for row in E]}
    return {"dtype": str(E.dtype), "dL_dE": E.astype(float).tolist()}


def matrix_lines(E: Array) -> Iterator[str]:
    """Write a matrix as text with commas, a row a line; any axes before the last are walked in order."""
    write = write_rational if E.dtype == object else str
    for row in E.reshape(-1, E.shape[-1]) if E.size else ():
        yield ",".join(map(write, row))
