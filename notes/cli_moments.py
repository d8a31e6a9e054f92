"""The subcommands about every width: moments, law, hypotheses, draws.  Thin, like notes.cli, which registers them."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from exact.rationals import BadInput, read_rational, read_whole
from notes.console import (
    Json,
    Language,
    folded,
    load_words,
    print_json,
    print_lines,
    read_query,
    say_decimals,
    terminal_columns,
)

__all__ = ["register"]

LawName = Annotated[str, typer.Option(metavar="LAW", help="sign, gaussian:mean,variance, uniform:half-width, …")]
Order = Annotated[str, typer.Option("--order", "-m", metavar="M", help="The power m of E[e^m].")]
Whole = Annotated[str | None, typer.Option("--width", "-d", metavar="D", help="The width d, up to 10^9.")]
MAX_QUERY = 10_000


def register(app: typer.Typer) -> None:
    """Add the subcommands to the program."""
    for command in (moments, law, hypotheses, draws):
        app.command()(command)


def _pair(queries: str, keys: str, rho: str | None, same: bool) -> Any:
    """Return the law of (q_r, k_r) that the options mean."""
    from exact.coordinates import gaussian, read_coordinate, sign
    from exact.terms import Independent, Same, correlated_gaussians, correlated_signs

    q, k = read_coordinate(queries), read_coordinate(keys)
    if same and rho is not None:
        raise BadInput("--same is a correlation of 1 already; leave --rho out")
    if same:
        return Same(q)
    if rho is None:
        return Independent(q, k)
    if q == k == sign():
        return correlated_signs(rho)
    if q == k == gaussian():
        return correlated_gaussians(rho)
    raise BadInput("--rho is for two signs or for two standard Gaussians (give both --queries and --keys)")


def moments(
    order: Order = "2",
    width: Whole = None,
    every_width: Annotated[bool, typer.Option("--every-width", help="As a polynomial in d, and proved.")] = False,
    query: Annotated[
        str | None, typer.Option("--query", "-q", metavar="Q", help="A fixed query, such as 3,-1,1/2.")
    ] = None,
    queries: LawName = "sign",
    keys: LawName = "sign",
    rho: Annotated[str | None, typer.Option("--rho", metavar="ρ", help="Correlation of q_r and k_r.")] = None,
    symbols: Annotated[bool, typer.Option("--symbols", help="In d, σ_q², σ_k², μ_q and μ_k.")] = False,
    same: Annotated[bool, typer.Option("--same", help="k = q.")] = False,
    alpha: Annotated[str | None, typer.Option("--alpha", metavar="α", help="Divide by d^α: E[(e/d^α)²].")] = None,
    init: Annotated[
        str | None,
        typer.Option("--init", metavar="NAME:N", help="Weights: xavier-uniform:512,512, lecun-normal:512, …"),
    ] = None,
    heads: Annotated[str, typer.Option("--heads", metavar="H", help="With --init: heads of the model.")] = "1",
    distribution: Annotated[bool, typer.Option("--distribution", help="The exact distribution.")] = False,
    at_least: Annotated[
        str | None, typer.Option("--at-least", metavar="X", help="P(|e| ≥ X), beside Hoeffding's bound.")
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print the distribution as CSV.")] = False,
    plot: Annotated[str | None, typer.Option("--plot", metavar="FILE", help="Draw it (the plots extra).")] = None,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """E[e^m] exactly, at a width or for every width, and the exact distribution of a score."""
    from notes import moments_text as text

    words, read_as = load_words(lang)["moments"], ""
    if not as_json and not csv:
        say_decimals(words["read_as"], query, queries, keys, rho, alpha, at_least)
    m = read_whole("--order", order, 1, 200)
    listed = distribution or bool(at_least or csv or plot)
    if every_width and (query is not None or listed):
        raise BadInput(
            "--every-width is about E[e^m] of coordinates with a law; a fixed query or a distribution has one d"
        )
    if distribution and at_least and (as_json or csv or plot):
        raise BadInput("--distribution and --at-least together are for reading; for --json, --csv or --plot choose one")
    if alpha is not None:
        found = text.scaled(alpha, None if width is None else read_whole("--width", width, 1, 10**9))
    elif init is not None:
        found = text.initialised(init, heads)
    elif query is not None:
        from notes.report import show_vector

        q = read_query(None, query, MAX_QUERY)
        read_as = words["of_query"].format(query=show_vector(q), keys=keys)
        if listed:
            squares = sum(x * x for x in q)
            say = Printing(distribution, at_least, csv, plot, as_json, read_as, words)
            return _show_distribution(text.query_law(q, keys), squares, say)
        found = text.at_query(q, keys, m)
    else:
        pair = _pair(queries, keys, rho, same)
        if symbols:
            return _show(text.in_symbols(pair, m), words, as_json)
        d = read_whole("--width", width or "12", 1, 10**9)
        if every_width:
            return _show(text.for_every_width(pair, m), words, as_json)
        key = "of_same" if same else "of_correlated" if rho is not None else "of_laws"
        read_as = words[key].format(width=d, queries=queries, keys=keys, rho=rho)
        if listed:
            say = Printing(distribution, at_least, csv, plot, as_json, read_as, words)
            return _show_distribution(text.score_law(pair, d), d, say)
        found = text.at_width(pair, d, m)
    return _show(found, words, as_json, read_as)


def _show(found: Any, words: dict[str, str], as_json: bool, read_as: str = "") -> None:
    if as_json:
        print_json(found.data)
    else:
        if read_as:
            print_lines([read_as])
        print_lines(folded(found.lines(words), terminal_columns()))


@dataclass(frozen=True, slots=True)
class Printing:
    """What is to be printed of a distribution, and how; `read_as` says whose it is."""

    whole: bool
    at_least: str | None
    csv: bool
    plot: str | None
    as_json: bool
    read_as: str
    words: dict[str, str]


def _show_distribution(e: Any, squares: Any, say: Printing) -> None:
    from exact.tables import to_csv, to_json
    from notes import moments_text as text

    if say.plot is not None:
        from notes.plots import plot_distribution

        plot_distribution(e, say.plot)
        return
    tail = None if say.at_least is None else text.beside_hoeffding(e, say.at_least, squares)
    if tail is not None and not say.whole:
        _show(tail, say.words, say.as_json, say.read_as)
    elif say.csv:
        print_lines([to_csv(e).rstrip("\n")])
    elif say.as_json:
        print_lines([to_json(e, indent=2)])
    else:
        print_lines([say.read_as, *text.describe(e).lines(say.words)])
        if tail is not None:
            print_lines(["", *tail.lines(say.words)])


def law(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A law of t_1 … t_d as JSON, or - for standard input.")],
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Say which of the two properties a law of the terms has, where it first fails, and what E[e²] is.

    The file lists what may happen, each outcome with its terms and its weight; the weights add to 1:
    {"outcomes": [{"terms": [1, 1], "weight": "1/2"}, {"terms": [-1, -1], "weight": 0.5}]}
    """
    from notes import moments_text as text

    found = text.two_properties(file)
    _show(found, load_words(lang)["moments"], as_json)


def hypotheses(
    order: Order = "2",
    wrong: Annotated[bool, typer.Option("--wrong-proofs", help="Proofs that people write, each refuted.")] = False,
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Say which hypotheses the claim about E[e^m] uses, and the smallest law that breaks it without each."""
    from notes import moments_text as text

    words = load_words(lang)
    found = (
        text.refuted_proofs(words["wrong_proofs"])
        if wrong
        else text.used_hypotheses(read_whole("--order", order, 1, 4))
    )
    _show(found, words["moments"], as_json)


def draws(
    matrix: Annotated[
        str | None, typer.Option("--matrix", "-n", metavar="N", help="An n × n matrix of scores.")
    ] = None,
    width: Annotated[str, typer.Option("--width", "-d", metavar="D", help="The width d.")] = "64",
    ddof: Annotated[str, typer.Option("--ddof", metavar="0|1", help="Divide by n² − ddof.")] = "0",
    error: Annotated[str | None, typer.Option("--error", metavar="ε", help="How near to d; default d/10.")] = None,
    risk: Annotated[str, typer.Option("--risk", metavar="p", help="How often it may fail.")] = "1/20",
    keys: LawName = "sign",
    lang: Language = "en",
    as_json: Json = False,
) -> None:
    """Say what one small sample can show: the exact spread of its variance, or how many draws see d."""
    from notes import moments_text as text

    d = read_whole("--width", width, 1, 10**6)
    if matrix is not None:
        found = text.sample_of_matrix(read_whole("--matrix", matrix, 1, 10**6), d, read_whole("--ddof", ddof, 0, 1))
    else:
        found = text.draws_needed(
            _pair(keys, keys, None, False), d, read_rational(error or f"{d}/10"), read_rational(risk)
        )
    _show(found, load_words(lang)["moments"], as_json)
