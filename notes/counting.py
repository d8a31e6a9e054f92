"""How `sqrtdk count` goes about it: who counts, how long it will take, what is kept, and how to go on."""

import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from exact.enumeration import Tally, choose_engine, prepare_engine
from exact.ledger import LOCKS, Header, Ledger
from exact.rationals import BadInput, abbreviate, read_whole
from exact.shards import Sum, fingerprint
from exact.workers import Pool, WorkersLost, count_shards, interrupts_held, on_this_machine, plan
from notes.console import BAR_AFTER_SECONDS, LONG_SECONDS, ask_before, progress_bar
from notes.files import check_writable

__all__ = ["Options", "Work", "count", "due_squares", "read_options"]

MAX_WORKERS: Final = 1024


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line asks for; `workers` None: as many as it is worth."""

    histogram: bool
    engine: str
    workers: int | None
    scheduler: str | None
    ledger: str | None
    yes: bool


@dataclass(frozen=True, slots=True)
class Work:
    """What was done: by whom, in how many shards, `resumed` of them from the ledger; `visited` vectors in `seconds`.

    `asked` is the engine that was asked for, `prepared` the seconds it took to have one ready.
    """

    engine: str
    workers: int
    scheduler: str | None
    ledger: str | None
    shards: int
    resumed: int
    visited: int
    seconds: float
    asked: str = ""
    prepared: float = 0.0


def read_options(
    histogram: bool, engine: str, workers: str | None, scheduler: str | None, resume: str | None, yes: bool
) -> Options:
    """Read the options of the command; BadInput for what is none, or does not go together."""
    if workers is not None and scheduler is not None:
        raise BadInput("--workers are of this machine and --scheduler has its own; leave one of the two out")
    try:
        number = None if workers is None else read_whole("workers", workers, 1, MAX_WORKERS)
    except BadInput as error:
        raise BadInput(f"--workers: {error}") from None
    if resume is not None:
        check_writable(resume)
        if not LOCKS:
            print(f"this system has no file locks: see that nothing else writes {resume}", file=sys.stderr)
    return Options(histogram, engine, number, scheduler, resume, yes)


def count(query: tuple[Fraction, ...], options: Options, more: float, words: Mapping[str, Any]) -> tuple[Tally, Work]:
    """Count what the options ask for, as far as a ledger does not have it; `more` seconds of other work follow.

    BadInput in one line for whatever stops it: what is kept, and how to go on.
    """
    vectors, asked = 1 << len(query), options.engine
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(options.ledger)) if options.ledger is not None else None
        kept = ledger.sum if ledger else None
        if ledger and ledger.header and kept:
            if options.engine == "auto":
                options = replace(options, engine=kept.job.engine)
            _must_fit(ledger.path, ledger.header, kept, query, options)
            if kept.finished:
                ask_before(more, f"visiting {vectors} vectors", "a smaller d", options.yes)
                job = kept.job
                work = Work(job.engine, 0, None, ledger.path, job.shards, job.shards, 0, 0.0)
                return _must_be_right(kept.tally(), ledger.path), work
        engine = choose_engine(options.engine, query, histogram=options.histogram)
        options = replace(options, engine=engine)
        if engine == "numba" and sys.stderr.isatty():
            print(words["engines"]["preparing"], file=sys.stderr)
        prepared = prepare_engine(engine, query, histogram=options.histogram)
        job, rate, workers = plan(query, histogram=options.histogram, engine=options.engine, workers=options.workers)
        if options.scheduler is not None:
            from exact.cluster import cluster

            pool = stack.enter_context(cluster(options.scheduler))
        else:
            pool = on_this_machine(workers, engine)
        left = vectors - (len(kept.done) << kept.job.bits) if kept else vectors
        number = max(1, pool.workers())
        seconds = left / rate / number
        ask_before(seconds + more, f"visiting {vectors} vectors", "a smaller d", options.yes)
        total = kept or (ledger.begin(job) if ledger else Sum(job))
        _announce(total, pool, number, rate, seconds, words["count"])
        tally, work = _run(total, ledger, pool, options)
        return _must_be_right(tally, ledger.path if ledger else None), replace(work, asked=asked, prepared=prepared)


def due_squares(tally: Tally) -> Fraction:
    """Return what Σ e² is over the whole cube: 2^d·|q|²."""
    return tally.count * sum((x * x for x in tally.query), Fraction(0))


def _must_be_right(tally: Tally, path: str | None) -> Tally:
    """Refuse sums that cannot be: Σ e is 0, and Σ e² is 2^d·|q|²."""
    due = due_squares(tally)
    if tally.total == 0 and tally.total_of_squares == due:
        return tally
    sums = [abbreviate(x) for x in (tally.total, tally.total_of_squares, due)]
    found = f"Σ e = {sums[0]} and Σ e² = {sums[1]}, not 0 and {sums[2]}"
    if path is None:
        raise BadInput(f"{found}: a fault of the program, or of the machine; --engine plain is another route")
    raise BadInput(f"{path}: {found}: a shard in it is wrong; sqrtdk verify {path} says which")


def _must_fit(path: str, header: Header, kept: Sum, query: tuple[Fraction, ...], options: Options) -> None:
    """Refuse the ledger of another count; what a finished one was counted with makes no difference any more."""
    job = header.job
    if job.query != query:
        at = next((r for r, (x, y) in enumerate(zip(job.query, query, strict=False)) if x != y), None)
        differs = f"width {len(job.query)}" if at is None else f"q_{at} = {abbreviate(job.query[at])}"
        raise BadInput(f"{path} is the ledger of another query ({differs}); name another file, or count that query")
    if job.histogram != options.histogram:
        raise BadInput(f"{path} is a ledger {'with' if job.histogram else 'without'} histograms; ask for the same")
    if kept.finished:
        return
    if job.engine != options.engine:
        raise BadInput(f"{path} is counted by the engine {job.engine}; go on with --engine {job.engine}")
    if header.code != fingerprint():
        raise BadInput(
            f"{path} was begun by another version of the program ({header.release}, {header.code}; this is "
            f"{fingerprint()}); go on with that one, or begin another ledger"
        )


def _announce(total: Sum, pool: Pool, workers: int, rate: float, seconds: float, say: Mapping[str, str]) -> None:
    """Say on standard error what is about to be done: on a terminal where there is a bar, and before hours anyway."""
    if seconds <= (BAR_AFTER_SECONDS if sys.stderr.isatty() else LONG_SECONDS):
        return
    minutes, left = divmod(round(seconds), 60)
    size = _memory()
    text = say["estimate"].format(
        vectors=f"2^{len(total.job.query)}",
        shards=total.job.shards - len(total.done),
        workers=say["one_worker"] if workers == 1 else say["workers"].format(workers=workers),
        rate=f"{rate / 1e9:.3g}",
        time=f"{minutes // 60}:{minutes % 60:02}:{left:02}",
    )
    memory = say["memory_in_all" if pool.inside else "memory"]
    print(text + (memory.format(size=size) if size else ""), file=sys.stderr)


def _memory() -> int:
    """Return the megabytes that this process has needed so far, its probe included; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most >> (20 if sys.platform == "darwin" else 10)


def _run(total: Sum, ledger: Ledger | None, pool: Pool, options: Options) -> tuple[Tally, Work]:
    job, before = total.job, len(total.done)
    keep = ledger.add if ledger else total.add
    todo = (i for i in range(job.shards) if i not in total.done)
    start = time.perf_counter()
    try:
        with progress_bar(job.shards << job.bits, before << job.bits, rate=True) as progress:
            for shard in count_shards(job, todo, pool):
                with interrupts_held():  # so that what is written is what is said to be kept
                    keep(shard)
                progress(shard.count)
    except KeyboardInterrupt:
        raise BadInput(f"interrupted; {_kept(total, ledger)}") from None
    except WorkersLost as error:
        raise BadInput(f"{error}; {_kept(total, ledger)}") from None
    except OSError as error:
        raise BadInput(f"{error.filename or 'file'}: {error.strerror or error}; {_kept(total, ledger)}") from None
    seconds, done = time.perf_counter() - start, len(total.done) - before
    path = options.ledger
    work = Work(job.engine, pool.workers(), options.scheduler, path, job.shards, before, done << job.bits, seconds)
    return total.tally(), work


def _kept(total: Sum, ledger: Ledger | None) -> str:
    if ledger is None:
        return "nothing was kept; with --resume FILE, finished shards are"
    return f"{len(total.done)} of {total.job.shards} shards are kept in {ledger.path}; the same command goes on"
