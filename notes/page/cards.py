"""The claims as they stand in the page: words, formula, how each was established, and its statement in Coq."""

from functools import partial
from html import escape

from exact.rationals import BadInput
from notes.document_evidence import BY_CLAIM, Findings, find
from notes.letters import SYMBOLS, symbol
from notes.page.bilingual import book, both, each, quoted, text
from notes.page.mathml import display, mathml, phrase
from notes.report import Finding, show_vector, where_and_how
from notes.routes import Run
from notes.softmax_routes import JOIN
from notes.teaching import SECTIONS
from symbolic.formulas import formula
from symbolic.latex import formula_snippet

__all__ = ["claims", "claims_note", "established", "formula_block", "letters", "why_counting_proves"]


def established() -> Findings:
    """Check the derivation by every route, and return what was found; nothing false is put on a page."""
    found = find(None)
    if not found.holds:
        raise BadInput("a claim does not hold, so no page is written; sqrtdk check shows which")
    return found


def claims(section: str, found: Findings) -> str:
    """Return the claims of a section, in order."""
    return "\n".join(_claim(id_, found) for s in SECTIONS if s.id == section for id_ in s.claims)


def claims_note(found: Findings) -> str:
    """Return what is to be known of all claims: where their findings and their statements in Coq come from."""
    check, machine = (f'<code class="whole">sqrtdk check{option}</code>' for option in ("", " --machine"))
    query = show_vector(found.run.query, 4)
    return both("page.ways_note", "p", command=check, q=query) + both(
        "page.coq_note", "p", 'class="unprinted"', command=machine
    )


def why_counting_proves() -> str:
    """Return why counting at some points settles a claim on the softmax, and the letters that it is written in."""
    return "".join(each(partial(_joined, f"why.{key}"), "p") for key in book("en")["why"])


def _joined(path: str, language: str) -> str:
    return phrase(" ".join(text(language, path).split()))


def letters() -> str:
    """Return the table of all letters, each with what it stands for."""
    rows = "\n".join(f"<dt>{mathml(symbol(shown))}</dt><dd>{both(f'notation.{key}')}</dd>" for key, shown in SYMBOLS)
    return f"""<details class="panel letters"><summary>{both("notation.title")}</summary>
<dl>
{rows}
</dl></details>"""


def formula_block(id_: str) -> str:
    """Return a formula with the button that copies its LaTeX."""
    found = formula(id_)
    latex = quoted(formula_snippet(found))
    button = f'<button type="button" data-latex="{latex}" data-id="{id_}">{both("page.copy")}'
    hidden = f'<span class="away"> {id_}</span></button>'
    return f'<div class="formula" data-formula="{id_}"><div class="wide">{display(found)}</div>{button}{hidden}</div>'


def _claim(id_: str, found: Findings) -> str:
    return f"""<article class="claim" id="{id_}" aria-labelledby="{id_}-title">
<h4 id="{id_}-title"><a class="id" href="#{id_}">{id_}</a></h4>
{both(f"explained.{id_}", "p")}
{formula_block(id_)}
<details><summary>{both("page.ways")}<span class="away"> {id_}</span></summary>
{both(f"arguments.{id_}", "p") if id_ in book("en")["arguments"] else ""}
<ul class="ways">{"".join(_way(finding, found.run) for finding in found.results[id_].findings)}</ul></details>
<details class="unprinted"><summary>{both("page.paper")}<span class="away"> {id_}</span></summary>
<pre class="latex"><code>{escape(formula_snippet(formula(id_)))}</code></pre>
{_coq(id_)}</details>
</article>"""


def _way(finding: Finding, run: Run) -> str:
    evidence = finding.evidence
    if evidence is None:
        return ""

    def where(language: str) -> str:
        return escape(" · ".join(where_and_how(evidence, run.query, book(language))))

    lines = "".join(f"<code>{escape(line)}</code>" for line in evidence.formula.split(JOIN))
    rung = each(lambda language: escape(str(book(language)["rungs"][finding.rung.value])), "b")
    return f"<li>{rung}{lines}{each(where)}</li>"


def _coq(id_: str) -> str:
    parts = []
    for s in BY_CLAIM[id_]:
        parts.append(f'<p class="coq-name"><code>{s.theorem}</code>, {s.module}.v, {both(f"page.coq_{s.axioms}")}</p>')
        parts.append(f'<pre class="coq"><code>{escape(s.statement)}</code></pre>')
    return "\n".join(parts)
