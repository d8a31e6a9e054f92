"""The proof as steps of the page: the sentences of notes/words with places in them that the script fills again.

A place is a letter that no sentence uses while the mathematics is set, and an element with the name of the fact after.
"""

import re
from functools import cache, partial
from html import escape
from typing import Final

from notes.attempts import prepared
from notes.page.bilingual import both, each, text
from notes.page.cards import formula_block
from notes.page.mathml import mathml, phrase
from notes.teaching import crossed, facts, rows, show_number, show_signs, steps
from notes.words import LANGUAGES

__all__ = ["START", "pairs_table", "proof_steps"]

START: Final = ((1, -1, 1), 0, 1)  # the query and the coordinates r, s that the cube starts with
FIRST_PLACE: Final = 0x13A0  # the first of the Cherokee letters


@cache
def _places() -> dict[str, str]:
    return {name: chr(FIRST_PLACE + n) for n, name in enumerate(facts(*START))}


def live(sentence: str) -> str:
    """Return a sentence as HTML, what it says of the cube in elements that the script fills again.

    >>> live("t_{r} is {here}.")[:66]
    '<math><msub><mi>t</mi><mn data-fact="r">1</mn></msub></math> is <s'
    """
    places = _places()
    html = phrase(sentence.format(**places))
    now = facts(*START)
    for name, place in places.items():
        value = escape(now[name])
        tag = "mn" if re.fullmatch(r"−?\d+", now[name]) else "mtext"
        html = re.sub(f"<m[in]>{place}</m[in]>", f'<{tag} data-fact="{name}">{value}</{tag}>', html)
        html = html.replace(place, f'<span data-fact="{name}">{value}</span>')
    # a value after a relation is mathematics too
    return re.sub(r"(<mo>=</mo>)</math> <span( data-fact=[^>]*>[^<]*)</span>", r"\1<mtext\2</mtext></math>", html)


def _live(path: str, language: str) -> str:
    return live(text(language, path))


def proof_steps() -> str:
    """Return the steps of the proof as items of a list."""
    return "\n".join(_step(step.id, step.formulas) for step in steps(len(START[0])))


def _step(id_: str, formulas: tuple[str, ...]) -> str:
    first: dict[str, list[str]] = {language: text(language, f"proof.{id_}.text") for language in LANGUAGES}
    parts = [f'<li class="step" data-step="{id_}"><h4>{both(f"proof.{id_}.title")}</h4>']
    parts += [
        f'<p lang="{language}">{live(sentence)}</p>' for language, sentences in first.items() for sentence in sentences
    ]
    if id_ == "break":
        return "\n".join([*parts, _attempts(), "</li>"])
    parts += map(formula_block, formulas)
    parts.append(each(partial(_live, f"proof.{id_}.ask"), "p", 'class="ask"'))
    for key, label in (("hint", "page.hint"), ("why", "page.answer")):
        said = each(partial(_live, f"proof.{id_}.{key}"), "p")
        said += _crossed() if (id_, key) == ("cross", "why") else ""
        unprinted = ' class="unprinted"' if key == "hint" else ""
        parts.append(f"<details{unprinted}><summary>{both(label)}</summary>{said}</details>")
    return "\n".join([*parts, "</li>"])


def _crossed() -> str:
    sums = (mathml(rf"\sum t_{r + 1} t_{s + 1} = {show_number(total)}") for r, s, total in crossed(START[0]))
    return f'<ul class="crossed">{"".join(f"<li>{shown}</li>" for shown in sums)}</ul>'


def _attempts() -> str:
    conditions = "".join(
        f'<li lang="{language}">{phrase(sentence)}</li>'
        for language in LANGUAGES
        for sentence in text(language, "proof.conditions.which")
    )
    query, r, s = START
    radios = "\n".join(
        f'<label class="attempt"><input type="radio" name="attempt" value="{tried.id}">'
        + each(partial(_live, f"proof.attempts.{tried.id}"))
        + "</label>"
        for tried in prepared(query, (r, s))
    )
    return f"""<ul>{conditions}</ul>
<fieldset class="attempts"><legend>{both("page.try_one")}</legend>
{radios}
</fieldset>
<p id="attempt-said" role="status"></p>"""


def pairs_table() -> str:
    """Return the pairs of the cube that the page starts with, as rows of a table: what paper shows without a script."""
    query, r, s = START
    d = len(query)
    cells = (
        (show_signs(row.key, d), show_signs(row.partner, d), *map(show_number, (row.here, row.there, row.total)))
        for row in rows(query, (r, s))
        if row.key < row.partner
    )
    return "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in line)}</tr>" for line in cells)
