"""The parts of the page that a reader works with: the measured tables, the figure, the questions and the challenge."""

import inspect
import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Final

from exact import lesson_tables
from notes.page.bilingual import book, both, each, filled, paragraphs, text
from notes.page.cards import formula_block
from notes.page.mathml import mathml, typeset
from notes.questions import QUESTIONS, Number, Question
from notes.sampled import lesson_sheet
from notes.sheets import as_data
from notes.teaching import CHALLENGE, DIVISORS, FIGURE
from notes.words import LANGUAGES

__all__ = ["challenge", "data", "figure_parts", "measured", "questions"]

LINE: Final = "\n"
TABLES: Final[Mapping[str, Callable[..., Any]]] = {
    "score-size": lesson_tables.score_size,
    "softmax-row": lesson_tables.softmax_row,
}


# ---- the measured tables --------------------------------------------------------------------------------------------


def measured() -> str:
    """Draw the two tables, and return each with its source, its code and its command."""
    return "\n".join(map(_table, TABLES))


def _table(name: str) -> str:
    sheet = lesson_sheet(name, None)
    found = as_data(sheet)
    head = "".join(f'<th scope="col">{_header(key)}</th>' for key in found["rows"][0])
    body = "\n".join(f"<tr>{''.join(map(_cell, row.values()))}</tr>" for row in found["rows"])
    code = inspect.getsource(TABLES[name])

    def source(language: str) -> str:
        return escape(str(book(language)["sample"]["drawn"][name]).format(**sheet.drawn))

    return f"""<div class="panel measured" data-table="{name}">
<div class="wide" tabindex="0" role="region" aria-labelledby="{name}-caption">
<table><caption id="{name}-caption">{both("page." + name.replace("-", "_"))}</caption>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody></table></div>
<p>{both("page.table_source")} {each(source, "code")}, NumPy {escape(found["numpy"])}</p>
<details class="unprinted"><summary>{both("page.table_code", file="<code>exact/lesson_tables.py</code>")}</summary>
<pre><code>{escape(code)}</code></pre>
<p>{both("page.table_command")} <code>sqrtdk sample --table {name} --csv</code></p></details>
</div>"""


def _header(key: str) -> str:
    shown = each(lambda language: typeset(book(language)["sample"][key + "_latex"]))
    return _spoken("sample." + key, shown) if re.match(r"<span[^>]*><math>.*?</math></span>", shown) else shown


def _spoken(path: str, formula: str) -> str:
    """Return a formula that names something, for those who hear the page as the words that both languages share."""
    names = {text(language, path) for language in LANGUAGES}
    if len(names) > 1:
        return formula  # it is made of words
    return f'<span aria-hidden="true">{formula}</span><span class="away">{escape(names.pop())}</span>'


def _cell(value: str) -> str:
    if value == "sqrt":
        root = mathml(r"\sqrt{d_k}")
        return f"<td>{root}</td>"
    shown = value.replace("-", "−")
    if "." not in shown:
        return f"<td>{shown}</td>"
    return f"<td>{each(lambda language: shown.replace('.', book(language)['page']['script']['decimal_mark']))}</td>"


# ---- the figure -----------------------------------------------------------------------------------------------------


def figure_parts() -> dict[str, str]:
    """Return the pieces of the figure and of the row with its Jacobian, by their names in the template."""
    positions = range(len(FIGURE.scores))
    scores = "\n".join(
        f"""<label for="z-{j}">{mathml(f"z_{j + 1}")}<input type="range" id="z-slide-{j}" min="-3" max="3" step="0.1"
 data-label="score_label" data-j="{j + 1}" aria-label="z {j + 1}">
<input type="text" id="z-{j}" inputmode="decimal" autocomplete="off" aria-describedby="figure-error"
 data-label="score_field" data-j="{j + 1}" aria-label="z {j + 1}"></label>"""
        for j in positions
    )
    widths = "\n".join(
        f"""<label class="width" for="width-{i}">{mathml(f"d_{i + 1}")}<input type="text" id="width-{i}"
 inputmode="numeric" autocomplete="off" aria-describedby="figure-error" data-label="width_field" data-j="{i + 1}"
 aria-label="d {i + 1}"></label>"""
        for i in range(len(FIGURE.widths))
    )
    columns = range(len(FIGURE.widths))
    rows = "\n".join(
        f'<tr><th scope="row">{_divisor(name)}</th>'
        + "".join(f'<td data-group="{name} {i}"></td>' for i in columns)
        + "</tr>"
        for name in DIVISORS
    )
    answers = [paragraphs(f"figure.answers.{name}", f'data-answer="{name}" hidden') for name in DIVISORS]
    return {
        "positions": "".join(f'<th scope="col">{j + 1}</th>' for j in positions),
        "score-inputs": scores,
        "width-inputs": widths,
        "width-heads": "".join(
            f'<th scope="col">{mathml("d_k")} = <span data-width="{i}">{d}</span></th>'
            for i, d in enumerate(FIGURE.widths)
        ),
        "groups": rows,
        "divisor-choices": "\n".join(
            f'<label><input type="radio" name="constant" value="{name}">{_divisor(name)}</label>' for name in DIVISORS
        ),
        "figure-answers": "\n".join([*answers, paragraphs("page.figure_same", 'data-answer="same" hidden')]),
    }


def _divisor(name: str) -> str:
    path = f"figure.divisors.{name}"
    return _spoken(path, both(path))


# ---- the questions --------------------------------------------------------------------------------------------------


def questions() -> str:
    """Return the five questions, with all that may be said of an answer, hidden."""
    return "\n".join(_question(number, asked) for number, asked in enumerate(QUESTIONS, 1))


def _question(number: int, asked: Question) -> str:
    path = f"questions.{asked.id}"
    said = [
        _said("unreadable", "page.unreadable" if isinstance(asked, Number) else "page.mark_first"),
        _said("right", "questions.right"),
        _said("wrong", "questions.wrong"),
    ]
    if isinstance(asked, Number):
        label = both("page.your_number")
        fields = f'<label>{label} <input type="text" inputmode="decimal" autocomplete="off" name="{asked.id}"></label>'
        said += [_said(key, f"{path}.mistakes.{key}") for key, _ in asked.mistakes]
    else:
        kind = "checkbox" if asked.kind == "all" else "radio"
        fields = "\n".join(
            f'<label class="option"><input type="{kind}" name="{asked.id}" value="{key}">'
            f"<span>{both(f'{path}.options.{key}')}</span></label>"
            for key, _ in asked.options
        )
        said += [_said(key, f"{path}.reasons.{key}") for key, _ in asked.options]
    links = ", ".join(f'<a href="#{claim}">{claim}</a>' for claim in asked.claims)
    rests = both("questions.rests", "p", claims=links)
    return f"""<form class="question" data-question="{asked.id}" novalidate>
<fieldset><legend>{number}. {both(f"{path}.ask")}</legend>
<p class="kind">{both(f"questions.{asked.kind}")}</p>
{fields}
<details class="unprinted"><summary>{both("page.hint")}</summary>{both(f"{path}.hint", "p")}</details>
<p><button>{both("page.check")}</button></p>
<div role="status">
{LINE.join(said)}
<div data-said="why" hidden>{both(f"{path}.why", "p")}{rests}</div>
</div>
</fieldset></form>"""


def _said(key: str, path: str) -> str:
    verdict = ' class="verdict"' if key in ("right", "wrong", "unreadable") else ""
    return f'<p data-said="{key}"{verdict} hidden>{both(path)}</p>'


# ---- the challenge --------------------------------------------------------------------------------------------------


def challenge() -> str:
    """Return the challenge: its statement, its rules, and the command that grades a submission."""
    local, english = CHALLENGE.names
    rules = "".join(f"<li>{both(f'challenge.rules.{rule}')}</li>" for rule in CHALLENGE.rules)

    def own(language: str) -> tuple[str, str]:
        return (local, english) if language == "es" else (english, local)

    def statement(language: str) -> str:
        say, arguments = book(language)["challenge"], f"({', '.join(CHALLENGE.arguments)})"
        name, other = own(language)
        stated = say["statement"].replace("{name}" + arguments, "{name}")
        stated = filled(stated, name=f"<code>{name}{arguments}</code>")
        return f"{stated} {filled(say['other_name'], name=f'<code>{other}</code>')}"

    def signature(language: str) -> str:
        return f"<code>def {own(language)[0]}({', '.join(CHALLENGE.arguments)}):</code>"

    def command(language: str) -> str:
        typed = escape(CHALLENGE.command.format(name=own(language)[0]))
        return "<code>" + re.sub(r"--\w+", r'<span class="whole">\g<0></span>', typed) + "</code>"

    return f"""<div class="panel">
<h3>{both("challenge.title")}</h3>
{each(statement, "p")}
<p>{both("page.statement_formula")} <a href="#{CHALLENGE.formula}">{CHALLENGE.formula}</a></p>
{formula_block(CHALLENGE.formula)}
<p>{both("page.challenge_signature")}</p>
{each(signature, "pre")}
<h4>{both("challenge.rules_title")}</h4>
<ul>{rules}</ul>
<h4>{both("challenge.command_title")}</h4>
{each(command, "pre", 'class="command"')}
</div>"""


# ---- what the script needs ------------------------------------------------------------------------------------------


def data() -> dict[str, Mapping[str, Any]]:
    """Return the figure and the answers to the questions as JSON data."""
    return {
        "figure": {"z": [float(x) for x in FIGURE.scores], "widths": list(FIGURE.widths)},
        "questions": {asked.id: _asked(asked) for asked in QUESTIONS},
    }


def _asked(asked: Question) -> dict[str, Any]:
    if isinstance(asked, Number):
        mistakes = {key: float(value) for key, value in asked.mistakes}
        return {
            "kind": asked.kind,
            "answer": float(asked.answer),
            "tolerance": float(asked.tolerance),
            "mistakes": mistakes,
        }
    return {"kind": asked.kind, "right": sorted(asked.right)}
