"""The lesson as a page: one HTML file that opens from disk and needs nothing from the network.

`build` puts together the template, the style sheet, the script and a small font with what the derivation, the words
and the measured tables say.  Formulas become MathML here, so that the page carries no library.
"""

import base64
import json
import re
from importlib.resources import files
from typing import Any

from notes.page import exercises
from notes.page.bilingual import book, both, paragraphs, quoted, text
from notes.page.cards import claims, claims_note, established, letters, why_counting_proves
from notes.page.proof import pairs_table, proof_steps
from notes.teaching import steps
from notes.words import LANGUAGES

__all__ = ["build"]

PLACE = re.compile(r"\[\[([=@]|p:)?([\w.-]+)\]\]")


def build(language: str) -> str:
    """Return the page, which opens in one of its two languages."""
    found = established()
    pieces = {
        "licence": _read("fonts/LICENSE.txt").replace("--", "\N{EN DASH}"),  # two hyphens would end a comment of HTML
        "language": language,
        "style": _font() + _read("style.css"),
        "script": _script(),
        "steps": proof_steps(),
        "pairs": pairs_table(),
        "letters": letters(),
        "claims-note": claims_note(found),
        "why": why_counting_proves(),
        "tables": exercises.measured(),
        "questions": exercises.questions(),
        "challenge": exercises.challenge(),
        "data": _json({"words": {x: _script_words(x) for x in LANGUAGES}, "steps": len(steps(3)), **exercises.data()}),
        **exercises.figure_parts(),
    }
    pieces |= {f"claims-{section}": claims(section, found) for section in ("size", "gradient")}

    def fill(place: re.Match[str]) -> str:
        kind, name = place.groups()
        match kind:
            case "=":
                return pieces[name]
            case "@":
                return quoted(_script_words(language)[name])
            case "p:":
                return paragraphs(name)
        return both(name)

    return PLACE.sub(fill, _read("template.html"))


def _script_words(language: str) -> dict[str, str]:
    conditions: dict[str, Any] = text(language, "proof.conditions")
    spoken = {key: value for key, value in conditions.items() if isinstance(value, str)}
    return {"title": text(language, "lesson.title"), **book(language)["page"]["script"], **spoken}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")


def _read(name: str) -> str:
    return files("notes.page").joinpath(name).read_text("utf-8")


def _script() -> str:
    parts = sorted(x.name for x in files("notes.page").joinpath("script").iterdir() if x.name.endswith(".js"))
    return "\n".join(_read(f"script/{name}") for name in parts)


def _font() -> str:
    font = base64.b64encode(files("notes.page").joinpath("fonts/math.woff2").read_bytes()).decode("ascii")
    return f'@font-face {{ font-family: "sqrtdk Math"; src: url(data:font/woff2;base64,{font}) format("woff2"); }}\n'
