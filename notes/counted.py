"""What `sqrtdk count` prints: the exact tally of the cube, as text and as JSON data."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from exact.engines.lanes import installed
from exact.enumeration import FAST_WIDTH, Tally
from exact.matching import Matching
from exact.rationals import abbreviate, write_rational
from notes.counting import Work, due_squares
from notes.report import show_vector

__all__ = ["data", "engine_notes", "lines"]

BAR_COLUMNS: Final = 40


def engine_notes(work: Work, width: int, words: Mapping[str, Any]) -> list[str]:
    """Say how long it took to make an engine ready, and how to get the fast one where that would have been chosen."""
    say = words["engines"]
    if work.engine == "numba":
        return [say["ready"].format(engine=work.engine, seconds=f"{work.prepared:.2f}")]
    return [say["faster"]] if work.asked == "auto" and width >= FAST_WIDTH and not installed() else []


def lines(t: Tally, matching: Matching | None, work: Work, words: Mapping[str, Any]) -> Iterator[str]:
    """Write the tally, and the histogram as bars where it was counted."""
    say, d = words["count"], len(t.query)
    yield say["title"].format(width=d, query=show_vector(t.query))
    yield f"  {say['vectors']:<10} {t.count}"
    yield f"  {'Σ e':<10} {abbreviate(t.total):<24} E[e]  = {abbreviate(t.mean)}"
    check = say["as_it_should"].format(width=d, expected=abbreviate(due_squares(t)))
    yield f"  {'Σ e²':<10} {abbreviate(t.total_of_squares):<24} E[e²] = {abbreviate(t.second_moment)}   ({check})"
    if work.visited:
        who = say["one_worker"] if work.workers == 1 else say["workers"].format(workers=work.workers)
        yield f"  {work.seconds:.3f} s, {work.visited / max(work.seconds, 1e-9) / 1e6:.0f} M/s, {work.engine}, {who}"
        yield from (f"  {note}" for note in engine_notes(work, d, words))
    if work.resumed:
        yield "  " + say["resumed" if work.visited else "finished"].format(
            ledger=work.ledger, resumed=work.resumed, shards=work.shards
        )
    if t.histogram is not None:
        most = max(t.histogram.values())
        size = max(len(abbreviate(e)) for e in t.histogram)
        digits = len(str(most))
        yield ""
        yield f"  {say['score']:>{size}} {say['vectors']:>{max(digits, len(say['vectors']))}}"
        for e, n in t.histogram.items():
            bar = "█" * round(BAR_COLUMNS * n / most)
            yield f"  {abbreviate(e):>{size}} {n:>{max(digits, len(say['vectors']))}} {bar}".rstrip()
    if matching is not None:
        yield ""
        yield "  " + say["pairs"].format(pairs=matching.pairs, vectors=matching.vectors)


def data(t: Tally, matching: Matching | None, work: Work) -> dict[str, Any]:
    """Return the tally as JSON data; fractions are strings "p/q"."""
    found: dict[str, Any] = {
        "width": len(t.query),
        "query": [write_rational(x) for x in t.query],
        "vectors": t.count,
        "sum": write_rational(t.total),
        "sum_of_squares": write_rational(t.total_of_squares),
        "mean": write_rational(t.mean),
        "second_moment": write_rational(t.second_moment),
        "engine": work.engine,
        "workers": work.workers,
        "scheduler": work.scheduler,
        "shards": work.shards,
        "resumed_shards": work.resumed,
        "ledger": work.ledger,
        "seconds": round(work.seconds, 6),
    }
    if t.histogram is not None:
        found["histogram"] = {write_rational(e): n for e, n in t.histogram.items()}
    if matching is not None:
        found["pairing"] = {"pairs": matching.pairs, "vectors": matching.vectors}
    return found
