"""The subcommand `sqrtdk gradient`: reads A and G from files, and gives dL/dE, in floats or exactly."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from exact.rationals import BadInput
from notes.console import Json, print_lines
from notes.files import check_writable, write_whole

__all__ = ["register"]


def gradient(
    weights: Annotated[str, typer.Argument(metavar="A", help="The map of weights: .npy, or text with commas.")],
    upstream: Annotated[str, typer.Argument(metavar="G", help="dL/dA, of the same shape.")],
    exact: Annotated[bool, typer.Option("--exact", help="In fractions; rows of A must add to 1.")] = False,
    dtype: Annotated[
        str | None, typer.Option("--dtype", metavar="NAME", help="float32, float64 or longdouble.")
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to a file.")] = None,
    as_json: Json = False,
) -> None:
    """Give dL/dE = a(g − Σ a g), row by row: what crosses a softmax on its way back."""
    from exact.matrix_files import gradient_with_warnings, matrix_data, matrix_lines, read_matrix

    if exact and dtype is not None:
        raise BadInput("--exact is in fractions and has no dtype; leave --dtype out")
    if output is not None:
        check_writable(output, weights, upstream)
    A, G = (read_matrix(path, exact, dtype) for path in (weights, upstream))
    E, said = gradient_with_warnings(A, G)
    for warning in said:
        print(f"sqrtdk: warning: {warning}", file=sys.stderr)
    text = json.dumps(matrix_data(E), indent=2) if as_json else "\n".join(matrix_lines(E))
    if output is None:
        print_lines([text])
        return
    try:
        write_whole(output, text + "\n")
    except OSError:
        print_lines([text])  # so that no work is lost
        raise


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(gradient)
