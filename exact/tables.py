"""A distribution as people take it away: floats, a histogram in text, JSON, CSV.

Imports the standard library and the exact modules above it only.

>>> from exact.distribution import sign_distribution
>>> print(draw_histogram(sign_distribution(4), bar=24))
-4  1/16  ████
-2   1/4  ████████████████
 0   3/8  ████████████████████████
 2   1/4  ████████████████
 4  1/16  ████
"""

import csv
import io
import json
from fractions import Fraction

from exact.distribution import Distribution, mean, moment, probabilities, variance
from exact.rationals import BadInput, read_whole, write_rational

__all__ = ["draw_histogram", "to_csv", "to_floats", "to_json"]

TEXT_LIMIT = 20_000_000  # characters
_EXACT_TEXT = 24  # a longer fraction is shown as a decimal in the histogram


def to_floats(e: Distribution) -> tuple[tuple[float, float], ...]:
    """Return (x, P(e = x)) rounded once to the nearest floats, for plotting; a value past 10^308 is refused.

    >>> from exact.distribution import sign_distribution
    >>> to_floats(sign_distribution(1))
    ((-1.0, 0.5), (1.0, 0.5))
    """
    top, bottom = e.unit.numerator, e.unit.denominator
    try:
        return tuple((x * top / bottom, c / e.total) for x, c in zip(e.values, e.counts, strict=True))
    except OverflowError:
        raise BadInput("a value of this distribution is too large for a float; ask for exact fractions") from None


def to_json(e: Distribution, *, indent: int | None = None) -> str:
    """Return JSON with every number as a string "p/q": mean, variance, second moment, and the law; up to 20 MB.

    >>> from exact.distribution import sign_distribution
    >>> print(to_json(sign_distribution(1)))
    {"mean": "0", "variance": "1", "second_moment": "1", "law": [["-1", "1/2"], ["1", "1/2"]]}
    """
    _limit_text(e)
    return json.dumps(
        {
            "mean": write_rational(mean(e)),
            "variance": write_rational(variance(e)),
            "second_moment": write_rational(moment(e, 2)),
            "law": [[write_rational(x), write_rational(p)] for x, p in probabilities(e)],
        },
        indent=indent,
    )


def to_csv(e: Distribution) -> str:
    """Return CSV with the columns value, probability (exact) and decimal (rounded); up to 20 MB.

    >>> from exact.distribution import sign_distribution
    >>> print(to_csv(sign_distribution(1)), end="")
    value,probability,decimal
    -1,1/2,0.5
    1,1/2,0.5
    """
    _limit_text(e)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["value", "probability", "decimal"])
    for x, p in probabilities(e):
        writer.writerow([write_rational(x), write_rational(p), repr(p.numerator / p.denominator)])
    return out.getvalue()


def draw_histogram(e: Distribution, *, rows: int = 25, bar: int = 40) -> str:
    """Return a histogram in text, at most `rows` lines; neighbouring values share a line where there are more.

    The longest bar has `bar` characters; lengths are rounded from exact counts.  Rows 1 to 1000, bar 1 to 1000.
    """
    rows, bar = read_whole("rows", rows, 1, 1000), read_whole("bar", bar, 1, 1000)
    group = -(-len(e.values) // rows)
    labels, counts = [], []
    for i in range(0, len(e.values), group):
        first, last = e.unit * e.values[i], e.unit * e.values[min(i + group, len(e.values)) - 1]
        labels.append(write_rational(first) if first == last else f"{write_rational(first)}…{write_rational(last)}")
        counts.append(sum(e.counts[i : i + group]))
    shares = [_show_share(Fraction(c, e.total)) for c in counts]
    left, middle = max(map(len, labels)), max(map(len, shares))
    highest = max(counts)
    lines = []
    for label, share, count in zip(labels, shares, counts, strict=True):
        length = (2 * bar * count + highest) // (2 * highest)
        lines.append(f"{label:>{left}}  {share:>{middle}}  {'█' * length}".rstrip())
    return "\n".join(lines)


def _limit_text(e: Distribution) -> None:
    digits = (2 * e.total.bit_length() + e.values[-1].bit_length() + e.unit.denominator.bit_length()) * 3 // 10
    if len(e.values) * digits > TEXT_LIMIT:
        size = len(e.values) * digits // 10**6
        raise BadInput(f"exact fractions would take about {size} MB of text, more than 20 MB; floats would fit")


def _show_share(p: Fraction) -> str:
    text = write_rational(p) if p.denominator.bit_length() < 64 else ""
    return text if text and len(text) <= _EXACT_TEXT else f"{p.numerator / p.denominator:.3g}"
