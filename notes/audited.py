"""What `sqrtdk verify` says of a ledger: what it holds, which theorems agree, which shards were counted again."""

import secrets
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from exact.audit import Audit, audit, recount
from exact.enumeration import ENGINES, choose_engine
from exact.kernel import Rejected
from exact.rationals import BadInput, abbreviate, read_whole, write_rational
from exact.workers import measure_rate
from notes.console import ask_before, print_json, print_lines, progress_bar
from notes.report import show_vector

__all__ = ["Options", "read_options", "show"]

DEFAULT_SHARDS: Final = 3
DEFAULT_ENGINE: Final = "numpy"
MOST: Final = 1 << 62
FALSE, UNFINISHED = 1, 3


@dataclass(frozen=True, slots=True)
class Options:
    """How many shards are counted again, by which seed they are chosen, by which engine they are counted."""

    shards: int
    seed: int
    engine: str
    yes: bool


def read_options(shards: str | None, seed: str | None, engine: str | None, yes: bool) -> Options:
    """Read the options of the command; a seed that is not given is drawn."""
    name = engine or DEFAULT_ENGINE
    if name not in ("auto", *ENGINES):
        raise BadInput(f"engine must be one of auto, {', '.join(ENGINES)} (got {name[:40]!r})")
    try:
        number = MOST if shards == "all" else read_whole("shards", shards or DEFAULT_SHARDS, 0, MOST)
    except BadInput as error:
        raise BadInput(f"--shards: {error}, or all") from None
    try:
        chosen = secrets.randbelow(10**6) if seed is None else read_whole("seed", seed, 0, MOST)
    except BadInput as error:
        raise BadInput(f"--seed: {error}") from None
    return Options(number, chosen, name, yes)


def show(path: str, options: Options, as_json: bool, words: Mapping[str, Any]) -> int:
    """Judge a ledger and print what was found; return the exit code: 0, 1 for a false one, 3 for an unfinished one."""
    try:
        found = audit(path, options.shards, options.seed)
        counted = found.header.job
        engine = choose_engine(options.engine, counted.query, histogram=counted.histogram)
        options, job = replace(options, engine=engine), replace(counted, engine=engine)
        vectors = len(found.chosen) << job.bits
        ask_before(vectors / measure_rate(job), f"visiting {vectors} vectors", "a smaller d", options.yes)
        with progress_bar(vectors, rate=True) as progress:
            for shard in found.chosen:
                recount(found, shard, options.engine)
                progress(shard.count)
    except Rejected as error:
        print(f"sqrtdk: {path} is rejected: {error}", file=sys.stderr)
        return FALSE
    if as_json:
        print_json(_data(found, options))
    else:
        print_lines(_lines(found, options, words["ledger"]))
    return 0 if found.tally else UNFINISHED


def _lines(found: Audit, options: Options, say: Mapping[str, str]) -> Iterator[str]:
    header, tally = found.header, found.tally
    job, d = header.job, len(header.job.query)
    yield say["title"].format(width=d, query=show_vector(job.query), engine=job.engine, release=header.release)
    shards = {"present": found.present, "shards": job.shards, "bits": job.bits}
    yield "  " + say["finished" if tally else "unfinished"].format(**shards)
    if tally:
        yield "  " + say["totals"].format(sum=abbreviate(tally.total), squares=abbreviate(tally.total_of_squares))
    yield from (f"  {theorem}" for theorem in found.theorems)
    if found.present:
        yield "  " + say["each"]
    if job.histogram and found.present:
        yield "  " + say["histogram"]
    again = ", ".join(str(shard.index) for shard in found.chosen[:20]) + ", …" * (len(found.chosen) > 20)
    if found.chosen:
        yield "  " + say["again"].format(
            number=len(found.chosen), indices=again, engine=options.engine, seed=options.seed
        )
    if found.present:
        yield "  " + say["trust" if len(found.chosen) < job.shards else "trust_nothing"]


def _data(found: Audit, options: Options) -> dict[str, object]:
    header, tally = found.header, found.tally
    return {
        "ledger": True,
        "finished": tally is not None,
        "width": len(header.job.query),
        "query": [write_rational(x) for x in header.job.query],
        "histogram": header.job.histogram,
        "engine": header.job.engine,
        "release": header.release,
        "shards": header.job.shards,
        "present_shards": found.present,
        "vectors": tally and tally.count,
        "sum": tally and write_rational(tally.total),
        "sum_of_squares": tally and write_rational(tally.total_of_squares),
        "theorems": [str(theorem) for theorem in found.theorems],
        "recounted_shards": [shard.index for shard in found.chosen],
        "recounted_by": options.engine,
        "seed": options.seed,
    }
