"""Formulas as MathML, and words with formulas in them as HTML, from the LaTeX that symbolic/latex writes.

MathML is made when the page is built, so that the page needs no library.

>>> mathml("t_r^2 = -1")
'<math><msubsup><mi>t</mi><mi>r</mi><mn>2</mn></msubsup><mo>=</mo><mo form="prefix">−</mo><mn>1</mn></math>'
>>> phrase("It is 0,98 or −1.")
'It is <math><mn>0,98</mn></math> or −1.'
>>> phrase("Only k_r < 1 changes.")
'Only <math><msub><mi>k</mi><mi>r</mi></msub><mo>&lt;</mo><mn>1</mn></math> changes.'
>>> phrase("It is 0,98.")
'It is <span class="whole"><math><mn>0,98</mn></math>.</span>'
"""

import re
from functools import cache
from html import escape
from itertools import pairwise
from typing import Final
from xml.etree import ElementTree

from symbolic.latex import align, escaped, statement_snippet, worded
from symbolic.statements import Formula, Implies, Statement

__all__ = ["display", "mathml", "phrase", "typeset"]

OPENS: Final = set("=≤≥<>≠≈(,[{⟹")  # after one of these a minus is a sign, not a difference
ARROWS: Final = set("⟹⟺")  # the converter takes them for names
# What `escaped` does to a character, undone; symbols that it sets as formulas are left to the converter.
PLAIN: Final = {escaped(sign): sign for sign in "\\{}&#%_^~"} | {"~": "\N{NO-BREAK SPACE}"}
ESCAPED: Final = re.compile("|".join(map(re.escape, sorted(PLAIN, key=len, reverse=True))))
# A formula with the signs that touch it: without more, a browser may begin a line with the comma after a formula.
TOUCHING: Final = re.compile("(?P<opening>[(¿«“]*)<math>.*?</math>(?P<closing>[.,;:?)»”]*)")


def display(formula: Formula) -> str:
    """Return all that a formula states as one block of MathML: a line for each step, premise and conclusion."""
    lines = [_lines(statement) for statement in formula.statements]
    return mathml("\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}", block=True)


def _lines(statement: Statement) -> str:
    if isinstance(statement, Implies) and not statement.both_ways:  # too long for one line of a telephone
        *premises, last = map(statement_snippet, statement.premises)
        lines = [*(f"{premise}," for premise in premises), last, rf"\implies {statement_snippet(statement.conclusion)}"]
        return " \\\\\n".join(f"& {line}" for line in lines)
    return align((statement,)).removeprefix("\\begin{align*}\n").removesuffix("\n\\end{align*}")


@cache
def mathml(latex: str, *, block: bool = False) -> str:
    """Return LaTeX of math mode as MathML; a block stands on a line of its own."""
    from latex2mathml.converter import convert

    math = ElementTree.fromstring(re.sub(r' xmlns="[^"]*"', "", convert(latex, display="block" if block else "inline")))
    math.attrib = {"display": "block"} if block else {}
    math[:] = list(math[0])
    for parent in list(math.iter()):
        _tidy(parent)
    return ElementTree.tostring(math, encoding="unicode").replace(" />", "/>")


def _tidy(parent: ElementTree.Element) -> None:
    """Repair what the converter leaves: names that are operators, limits beside their operator, empty rows."""
    for place, child in enumerate(list(parent)):
        while child.tag == "mrow" and len(child) == 1:
            parent[place] = child = child[0]
    for child in list(parent):
        if child.tag == "mi" and not child.text:
            parent.remove(child)
        elif child.tag == "mi" and child.text in ARROWS:
            child.tag = "mo"
        elif child.tag == "msub" and child[0].text == "lim":
            child.tag = "munder"
        elif child.tag == "munder":  # only in a block: its limits stay below
            child[0].set("movablelimits", "false")
        elif child.tag == "mi" and child.text == "log":  # a function that stands before its argument
            child.tag = "mo"
            child.attrib |= {"lspace": "0", "rspace": "0.17em"}
        elif child.tag == "mo" and child.text in ("/", "∂"):
            child.attrib |= {"lspace": "0", "rspace": "0"}
    if [child.tag for child in parent[:3]] == ["mn", "mo", "mn"] and parent[1].text == ",":  # a decimal comma
        parent[0].text = "".join(child.text or "" for child in parent[:3])
        parent[1:3] = []
    for before, sign in pairwise(parent):
        if sign.tag == "mo" and sign.text == "−" and before.tag == "mo" and before.text in OPENS:
            sign.set("form", "prefix")


def phrase(text: str) -> str:
    """Return words as HTML, the mathematics in them as MathML."""
    return typeset(worded(text))


def typeset(latex: str) -> str:
    """Return words that are LaTeX already as HTML, what stands between $ signs as MathML."""
    parts = re.split(r"(?<!\\)\$", latex)
    html = "".join(mathml(part) if number % 2 and part != "-" else _plain(part) for number, part in enumerate(parts))
    return TOUCHING.sub(_unparted, html)


def _unparted(found: re.Match[str]) -> str:
    opening, closing = found["opening"], found["closing"]
    return f'<span class="whole">{found[0]}</span>' if opening or closing else found[0]


def _plain(part: str) -> str:
    if part == "-":  # the minus sign of a number that stands among words
        return "−"
    return escape(ESCAPED.sub(lambda found: PLAIN[found[0]], part).replace(r"\$", "$"), quote=False)
