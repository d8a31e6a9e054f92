"""The subcommand `sqrtdk confirm`: reads its arguments and hands the target to what can confirm it."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from exact.rationals import BadInput, read_whole

__all__ = ["register"]

KINDS = ("gradient", "jacobian", "softmax", "attention-backward", "pairing")


def confirm(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="FILE.py:NAME, or pairing.json (- reads it).")],
    kind: Annotated[
        str | None,
        typer.Option("--as", metavar="KIND", help="gradient, jacobian, softmax, attention-backward, pairing."),
    ] = None,
    challenge: Annotated[bool, typer.Option("--challenge", help="Judge it by the lesson's challenge.")] = False,
    argument: Annotated[
        str | None, typer.Option("--argument", metavar="weights|logits", help="What the first array holds.")
    ] = None,
    row: Annotated[bool, typer.Option("--row", help="Judge by single rows, of shape (T,), alone.")] = False,
    domain: Annotated[
        str, typer.Option("--domain", metavar="signs|subsets", help="What a pairing in Python pairs.")
    ] = "subsets",
    size: Annotated[str | None, typer.Option("--size", metavar="N", help="The size for a pairing in Python.")] = None,
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="NAME", help="The function that gives weights to a pairing.")
    ] = None,
    certificate: Annotated[
        str | None, typer.Option("--certificate", metavar="FILE", help="Write the kernel's certificate of a pairing.")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", metavar="en|es", help="The language of the report.")] = "en",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Confirm what you bring: a NumPy function or a pairing."""
    from notes.cli_confirm_function import confirm_function, confirm_pairing

    if kind is not None and kind not in KINDS:
        raise BadInput(f"--as must be one of {', '.join(KINDS)} (got {kind!r})")
    found = re.fullmatch(r"(.+\.py)(?::([^:/\\]*))?", target)
    name = found[2] or None if found else None
    if found is None or kind == "pairing":
        if challenge or row or argument is not None or kind not in (None, "pairing"):
            raise BadInput("a function is named FILE.py:NAME; a file of JSON holds a pairing")
        if found is not None and name is None:
            raise BadInput(f"{target} needs the name of a function: FILE.py:NAME")
        wide = None if size is None else read_whole("size", size, 1, 10)
        path = found[1] if found else target
        code = confirm_pairing(path, name, domain, wide, weight, lang, as_json, certificate)
    else:
        if size is not None or weight is not None or certificate is not None:
            raise BadInput("--size, --weight and --certificate go with a pairing")
        if name is None and not challenge:
            raise BadInput(f"{target} needs the name of a function: FILE.py:NAME")
        if kind is None and not challenge:
            raise BadInput(f"--as is needed for a function: {', '.join(KINDS)}")
        code = confirm_function(found[1], name, kind or "gradient", challenge, lang, as_json, argument, row)
    if code:
        raise typer.Exit(code)


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(confirm)
