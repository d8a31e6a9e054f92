"""The subcommand `sqrtdk confirm`: reads its arguments and hands the target to what can confirm it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from exact.rationals import BadInput, read_whole
from notes.console import Json, Language, load_words, print_json, print_lines
from notes.files import read_text

if TYPE_CHECKING:
    from symbolic.averages.assumptions import Assumptions

__all__ = ["register"]

KINDS: Final = ("gradient", "jacobian", "softmax", "attention-backward", "pairing")
MOST_BYTES: Final = 4 << 20
MOST_CLAIMS: Final = 1_000
FILES: Final = (".txt", ".tex", ".md", ".claims")
LAWS: Final = "signs, gaussian, uniform:-1/2,1/2, bernoulli:1/2, values:1,2,3, weights:0=1/3,5=2/3, …"


def confirm(
    target: Annotated[
        str,
        typer.Argument(
            metavar="CLAIM",
            help="A formula or a chain of equations; FILE.py:NAME; pairing.json; a file of claims; - reads claims.",
        ),
    ],
    keys: Annotated[str, typer.Option("--keys", metavar="LAW", help=f"The law of each coordinate: {LAWS}.")] = "",
    query: Annotated[str, typer.Option("--query", metavar="LAW", help="The law of q alone; same for k = q.")] = "",
    law: Annotated[list[str] | None, typer.Option("--law", metavar="X=LAW", help="The law of one variable.")] = None,
    rho: Annotated[str, typer.Option("--rho", help="E[q_r k_r], for correlated coordinates.")] = "",
    mean: Annotated[str, typer.Option("--mean", help="The mean of each coordinate.")] = "",
    width: Annotated[str, typer.Option("--width", metavar="D", help="A number for d.")] = "",
    where: Annotated[
        list[str] | None, typer.Option("--where", metavar="N=NUMBER", help="A number for a letter: n=3, h=8.")
    ] = None,
    symmetric: Annotated[
        bool | None, typer.Option("--symmetric/--any-matrix", help="Whether matrices are symmetric.")
    ] = None,
    independent: Annotated[
        bool | None, typer.Option("--independent/--dependent", help="Whether variables of different names are.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--as", metavar="KIND", help=f"What a function is: {', '.join(KINDS)}.")
    ] = None,
    challenge: Annotated[bool, typer.Option("--challenge", help="Judge a function by the lesson's challenge.")] = False,
    argument: Annotated[
        str | None, typer.Option("--argument", metavar="weights|logits", help="What a function's first array holds.")
    ] = None,
    one_row: Annotated[bool, typer.Option("--row", help="Judge a function on one row only, of shape (T,).")] = False,
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
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Confirm what you bring: a formula, a chain of equations, a NumPy function, a pairing."""
    if kind is not None and kind not in KINDS:
        raise BadInput(f"--as must be one of {', '.join(KINDS)} (got {kind!r})")
    function = re.fullmatch(r"(.+\.py)(?::([^:/\\]*))?", target)
    brought: dict[str, Any] = {"--as": kind, "--challenge": challenge, "--argument": argument, "--row": one_row}
    paired: dict[str, Any] = {"--size": size, "--weight": weight, "--certificate": certificate}
    assumed: dict[str, Any] = {"--keys": keys, "--query": query, "--law": law, "--rho": rho, "--mean": mean}
    assumed |= {"--width": width, "--where": where, "--symmetric": symmetric, "--independent": independent}
    if function is not None and kind != "pairing":
        _refuse(paired, "goes with a pairing")
        _refuse(assumed, "goes with a formula")
        code = _function(function[1], function[2] or None, kind, challenge, lang, as_json, argument, one_row)
    elif function is not None or kind == "pairing" or target.endswith(".json"):
        _refuse(brought | {"--as": None if kind == "pairing" else kind}, "goes with a function, FILE.py:NAME")
        _refuse(assumed, "goes with a formula")
        path = function[1] if function else target
        name = function[2] or None if function else None
        code = _pairing(path, name, domain, size, weight, lang, as_json, certificate, python=function is not None)
    else:
        _refuse(brought, "goes with a function, FILE.py:NAME")
        _refuse(paired, "goes with a pairing")
        code = _claims(target, _assumptions(assumed), lang, as_json)
    if code:
        raise typer.Exit(code)


def _refuse(options: dict[str, Any], rule: str) -> None:
    for option, value in options.items():
        if value not in (None, False, "", []):
            raise BadInput(f"{option} {rule}")


def _function(
    path: str,
    name: str | None,
    kind: str | None,
    challenge: bool,
    lang: str,
    as_json: bool,
    argument: str | None,
    one_row: bool,
) -> int:
    from notes.cli_confirm_function import confirm_function

    if name is None and not challenge:
        raise BadInput(f"{path} needs the name of a function: FILE.py:NAME")
    if kind is None and not challenge:
        raise BadInput(f"--as is needed for a function: {', '.join(KINDS)}")
    return confirm_function(path, name, kind or "gradient", challenge, lang, as_json, argument, one_row)


def _pairing(
    path: str,
    name: str | None,
    domain: str,
    size: str | None,
    weight: str | None,
    lang: str,
    as_json: bool,
    certificate: str | None,
    *,
    python: bool,
) -> int:
    from notes.cli_confirm_function import confirm_pairing

    if python and name is None:
        raise BadInput(f"{path} needs the name of a function: FILE.py:NAME")
    wide = None if size is None else read_whole("size", size, 1, 10)
    return confirm_pairing(path, name, domain, wide, weight, lang, as_json, certificate)


def _assumptions(options: dict[str, Any]) -> Assumptions:
    from symbolic.averages.assumptions import Assumptions

    return Assumptions(
        keys=options["--keys"],
        query=options["--query"],
        laws=_pairs("--law", options["--law"], "X=signs"),
        rho=options["--rho"],
        mean=options["--mean"],
        width=options["--width"],
        sizes=_pairs("--where", options["--where"], "n=3"),
        independent=options["--independent"],
        symmetric=options["--symmetric"],
    )


def _pairs(option: str, texts: list[str] | None, example: str) -> tuple[tuple[str, str], ...]:
    found = []
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise BadInput(f"{option} takes a name and what it is, such as {example} (got {text!r})")
        found.append((name.strip(), value.strip()))
    return tuple(found)


def _claims(target: str, assumptions: Assumptions, lang: str, as_json: bool) -> int:
    """Confirm one claim, or each claim of a file or of standard input."""
    from exact.verdicts import as_json as verdict_as_json
    from exact.verdicts import worst
    from notes.confirmed import claims_in, table_lines, verdict_lines
    from symbolic.confirming import confirm as confirm_claim

    words = load_words(lang)
    text = _read(target)
    if text is None:
        verdict = confirm_claim(target, assumptions)
        if as_json:
            print_json(verdict_as_json(verdict))
        else:
            print_lines(verdict_lines(verdict, words))
        return verdict.exit_code
    claims = claims_in(text)
    if not claims:
        raise BadInput(f"{'standard input' if target == '-' else target} holds no claim; accepted: one claim a line")
    if len(claims) > MOST_CLAIMS:
        raise BadInput(f"a file may hold {MOST_CLAIMS} claims at most (got {len(claims)})")
    verdicts = [(line, confirm_claim(claim, assumptions)) for line, claim in claims]
    if as_json:
        print_json([{"line": line, **verdict_as_json(verdict)} for line, verdict in verdicts])
    elif len(verdicts) == 1:
        print_lines(verdict_lines(verdicts[0][1], words))
    else:
        print_lines(table_lines(verdicts, words))
    overall = worst(verdict.answer for _, verdict in verdicts)
    return next(verdict.exit_code for _, verdict in verdicts if verdict.answer is overall)


def _read(target: str) -> str | None:
    """Return the text of a file of claims or of standard input; None where the target is itself a claim."""
    if target != "-" and not target.endswith(FILES):
        return None
    text = read_text(target, MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise BadInput(f"{target} is larger than {MOST_BYTES >> 20} MiB")
    return text


def register(app: typer.Typer) -> None:
    """Add the subcommand to the command."""
    app.command()(confirm)
