"""Confirms a reader's function or pairing, and prints the verdict for people or as JSON.

Plain functions that `sqrtdk confirm` calls; each returns the exit code: 0 right, 1 false, 2 bad input, 3 it depends, or
undecided.
"""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from exact.rationals import BadInput
from notes.confirmed import WIDTH, column
from notes.console import load_words, print_json, print_lines
from notes.files import check_writable, read_text, write_whole

if TYPE_CHECKING:
    from exact.functions.examine import FunctionVerdict, ReadingVerdict
    from exact.functions.observation import Finding
    from exact.involution import Everywhere, PairingVerdict

__all__ = ["confirm_function", "confirm_pairing"]

Words = Mapping[str, Any]

MAX_TABLE: Final = 16
MAX_BYTES: Final = 4 << 20
RIGHT: Final = ("agrees", "agrees, side effects")


def confirm_function(
    path: str,
    name: str | None,
    kind: str,
    challenge: bool = False,
    lang: str = "en",
    as_json: bool = False,
    argument: str | None = None,
    one_row: bool = False,
) -> int:
    """Examine a function in a file and print the verdict; `name` may be None for the challenge."""
    from exact.functions.cases import Reading
    from exact.functions.examine import examine_file

    words = load_words(lang)["confirm_function"]
    if argument is not None and argument not in get_args(Reading):
        raise BadInput(f"--argument must be one of {', '.join(get_args(Reading))} (got {argument!r})")
    options: dict[str, Any] = {"challenge": challenge, "argument": argument, "one_row": one_row}
    found = examine_file(path, name, cast(Any, kind), **options)
    if as_json:
        print_json(found.to_json())
    elif found.trouble is not None:
        print(f"sqrtdk: {path}:{found.name}: {_spell(words['trouble'], found.trouble)}", file=sys.stderr)
    else:
        print_lines(_function_lines(found, words))
    return found.exit_code


# ---- a function, for people -----------------------------------------------------------------------------------------


def _spell(words: Words, finding: "Finding") -> str:
    blanks = _Blanks(finding.data)
    sentence = (
        str(words[finding.code]).format_map(blanks).replace(" ()", "").replace("; )", ")").replace("  ", " ").strip()
    )
    return f"{finding.data['of']}: {sentence}" if "of" in finding.data else sentence


class _Blanks(dict[str, str]):
    """What stands in the blanks of a sentence; nothing where nothing was said."""

    def __missing__(self, key: str) -> str:
        return ""


def _row(label: str, text: str) -> Iterator[str]:
    return column(label, [text])


def _function_lines(found: "FunctionVerdict", words: Words) -> Iterator[str]:
    main = found.read[0]
    yield from wrap(
        f"{words[found.verdict]}  {words[found.kind].format(name=found.name)}", WIDTH, subsequent_indent="  "
    )
    meant = ", ".join(f"{p} = {words.get(r, r)}" for p, r in found.understood["arguments"].items() if r != "nothing")
    yield from _row(words["meaning"], meant)
    for assumption in _assumptions(found, words):
        yield from _row("", assumption)
    yield from _reading_lines(main, words)
    for other in found.read[1:]:
        if other.verdict in RIGHT and main.verdict not in RIGHT:
            yield from _row(
                "", words["other"].format(reading=words[other.reading]) + ": " + words[other.verdict].lower()
            )
            yield from _evidence(other, words)
    for i, finding in enumerate(found.findings):
        yield from _row(words["also"] if i == 0 else "", _spell(words["finding"], finding))
    if found.requirements:
        yield f"  {words['challenge']}"
    for need in found.requirements:
        state = words["unmeasured"] if need.met is None else words["met"] if need.met else words["broken"]
        yield from _row("", f"{words['requirement'][need.code]}: {state}")
        if need.met is False and (said := _requirement(need.data, words["requirement_data"])):
            yield from _row("", said)


def _assumptions(found: "FunctionVerdict", words: Words) -> Iterator[str]:
    main = found.read[0]
    right = next((r for r in found.read[1:] if r.verdict in RIGHT), None)
    if found.verdict == "needs assumption" and right is not None and main.verdict not in RIGHT:
        meant = found.understood["arguments"]
        rows = next((p for p, role in meant.items() if role == main.reading), "")
        key = "assumption_reading" if rows in ("", next(iter(meant))) else "assumption_named"
        yield words[key].format(right=words[right.reading], wrong=words[main.reading], name=rows)
    elif main.assumption:
        yield words[f"assumption_{main.assumption}"]


def _requirement(data: Mapping[str, str], words: Words) -> str:
    if "argument" in data:
        return str(words["argument_and" if "others" in data else "argument"]).format_map(_Blanks(data))
    if "names" in data:
        return str(words["names"]).format_map(_Blanks(data))
    key = "growth_steps" if "steps" in data else "growth_peak" if "peak" in data else ""
    return str(words[key]).format_map(_Blanks(data)) if key else ""


def _reading_lines(read: "ReadingVerdict", words: Words) -> Iterator[str]:
    if read.counterexample is not None:
        yield from _counterexample(read.counterexample, words)
    diagnosis = [_spell(words["diagnosis"], x) for x in read.diagnosis]
    if read.verdict == "false" and not diagnosis:
        diagnosis = [words["diagnosis"]["unknown"]]
    for i, text in enumerate(diagnosis):
        yield from _row(words["why"] if i == 0 else "", text)
    statuses: dict[str, list[str]] = {}
    for shape, status in read.behaviour_by_shape.items():
        statuses.setdefault(status, []).append(shape)
    for i, (status, shapes) in enumerate(statuses.items()):
        yield from _row(words["shapes"] if i == 0 else "", f"{words['status'][status]}: {' '.join(shapes)}")
    if read.verdict in RIGHT:
        yield from _evidence(read, words)


def _evidence(read: "ReadingVerdict", words: Words) -> Iterator[str]:
    from exact.functions.judge import NEAR

    said = []
    if read.exact:
        said.append(words["exact_inputs"].format(count=read.exact))
    if read.rounded and read.precision:
        said.append(words["narrow_inputs"].format(count=read.rounded, dtype=read.precision, part=NEAR[read.precision]))
    elif read.rounded:
        said.append(words["rounded_inputs"].format(count=read.rounded))
    if read.symbolic_shapes:
        said.append(words["every"].format(shapes=" ".join(read.symbolic_shapes)))
    if read.gradient_shapes:
        said.append(words["every_gradient"].format(shapes=" ".join(read.gradient_shapes)))
    yield from _row(words["evidence"], "; ".join(said) + ". " + words["black_box"])


def _counterexample(shown: Mapping[str, Any], words: Words) -> Iterator[str]:
    shape = "x".join(map(str, shown["shape"]))
    title = words["counterexample"].format(shape=shape)
    yield f"  {title}" + ("" if shown.get("exact", True) else f" ({words['in_floats']})")
    for key, value in shown.items():
        if key in ("shape", "status", "exact", "said"):
            continue
        label = words.get(key, key) if key in ("claimed", "correct") else key
        several = isinstance(value, list) and key in ("claimed", "correct") and "Q" in shown
        for i, part in enumerate(value if several else [value]):
            yield from _row(label if i == 0 else "", ("dQ = ", "dK = ", "dV = ")[i] * several + _plain(part))
    if "said" in shown and shown["said"].get("error", "ended") != "ended":
        yield from _row(words["raised"], f"{shown['said']['error']}: {shown['said']['message']}")


def _plain(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_plain, value)) + "]"
    return str(value)


# ---- pairings -------------------------------------------------------------------------------------------------------


def confirm_pairing(
    path: str,
    name: str | None = None,
    domain: str = "subsets",
    size: int | None = None,
    weight: str | None = None,
    lang: str = "en",
    as_json: bool = False,
    certificate: str | None = None,
) -> int:
    """Examine a pairing and print the verdict: a file of JSON ("-" is standard input), or a function in a file."""
    from exact.involution import Everywhere, examine_pairing
    from exact.pairing_file import call_pairing, read_pairing

    words = load_words(lang)["confirm_pairing"]
    if name is not None and Path(path).exists() and not Path(path).is_file():
        raise BadInput(f"{path} cannot be read: it is not a regular file; name a file of Python source")
    text = read_text(path, MAX_BYTES + 1)
    if name is None:
        pairing = read_pairing(text)
    else:
        if domain not in ("signs", "subsets"):
            raise BadInput(f"--domain must be signs or subsets (got {domain!r})")
        if size is None:
            raise BadInput("a pairing that is a function is tried at one size; give it with --size")
        pairing = call_pairing(text, name, cast(Any, domain), size, weight, file=Path(path).name)
    found = pairing if isinstance(pairing, Everywhere) else examine_pairing(pairing)
    if certificate is not None:
        if found.certificate is None:
            raise BadInput(words["no_certificate"])
        check_writable(certificate)
    if as_json:
        print_json(found.to_json())
    else:
        print_lines(_everywhere_lines(found, words) if isinstance(found, Everywhere) else _pairing_lines(found, words))
    if certificate is not None and found.certificate is not None:
        from exact.certificate import dumps

        write_whole(certificate, dumps([found.certificate]))
        if not as_json:
            print_lines([words["written"].format(file=certificate)])
    return found.exit_code


def _everywhere_lines(found: "Everywhere", words: Words) -> Iterator[str]:
    title = words["everywhere"].format(least=found.least, largest=found.largest)
    yield f"{words['false' if found.fails else 'proved']}  {title}"
    if found.theorem is not None:
        yield from _row(words["theorem"], str(found.theorem))
    if not found.fails:
        yield from _row("", words["holds"])
        return
    shown = ", ".join(map(str, found.fails[:6])) + (", …" if len(found.fails) > 6 else "")
    yield from _row("", words["fails" if found.first else "fails_large"].format(sizes=shown))
    if found.first is not None:
        yield from _pairing_lines(found.first, words)


def _pairing_lines(found: "PairingVerdict", words: Words) -> Iterator[str]:
    from exact.involution import write_thing

    p = found.pairing
    count = 1 << p.size

    def say(thing: int | None) -> str:
        return "–" if thing is None or not 0 <= thing < count else write_thing(p.domain, p.size, thing)

    yield f"{words[found.verdict]}  {words[p.domain].format(count=count, size=p.size)}"
    if found.bad:
        bad = found.bad[0]
        weights = [str(p.weight[x]) if x is not None and 0 <= x < count else "–" for x in (bad.thing, bad.partner)]
        blanks = {"thing": say(bad.thing), "partner": say(bad.partner), "back": say(bad.back)}
        yield from _row("", words[bad.code].format(**blanks, weight=weights[0], other=weights[1]))
        yield from _row("", words["more"].format(count=found.bad_pairs))
    elif found.fixed:
        things = ", ".join(map(say, found.fixed[:6])) + (", …" if len(found.fixed) > 6 else "")
        yield from _row("", words["fixed"].format(count=len(found.fixed), things=things, total=found.total))
    else:
        yield from _row("", words["no_fixed"])
    if found.theorem is not None:
        yield from _row(words["theorem"], str(found.theorem))
    elif not found.bad:
        yield from _row("", words["visited"].format(count=count))
    if count <= MAX_TABLE:
        yield from _table(p.partner, p.weight, say, {b.thing for b in found.bad}, words)
        if found.bad and p.term:
            yield f"  {words['right']}"
            mask = 1 << p.term[0]
            yield from _table(tuple(x ^ mask for x in range(count)), p.weight, say, set(), words)


def _table(
    partner: tuple[int | None, ...], weight: tuple[Any, ...], say: Any, bad: set[int], words: Words
) -> Iterator[str]:
    """Yield the pairs, one a line, those that fail marked with ✗."""
    head = [x.strip() for x in words["head"].split(",")]
    rows = [
        (say(x), say(y), str(weight[x]), str(weight[y]) if y is not None else "–", "✗" if x in bad else "")
        for x, y in enumerate(partner)
        if y is None or partner[y] != x or x <= y
    ]
    wide = [max(len(line[i]) for line in (head, *rows)) for i in range(4)]
    for line in ((*head, ""), *rows):
        cells = "  ".join(cell.ljust(n) for cell, n in zip(line[:4], wide, strict=True))
        yield f"    {cells}  {line[4]}".rstrip()
