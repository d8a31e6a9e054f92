r"""LaTeX of expressions, statements and step-by-step derivations.

What is written is what a person writes, and is unambiguous: products are juxtaposed, δ_{jl} carries two indices, means
are \mathbb{E}[…], derivatives \frac{\partial …}{\partial …}, exponentials \exp(…), so that the letter e is a score.
\sum_{r \ne s} runs over ordered pairs of different r and s; \sum_{l \ne j} with j free, over l.

>>> from symbolic.expressions import Entry, Index
>>> j, l = Index("j"), Index("l")
>>> snippet(Entry("a", (j,)) * (1 - Entry("a", (j,))))
'a_j(1 - a_j)'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from symbolic.expressions import Expression, Index, Mul
from symbolic.plain import plain_formula
from symbolic.statements import Chain, Formula, Implies, Statement
from symbolic.writing import ATOM, MULTIPLIED, RAISED, Notation, Writer

__all__ = [
    "align",
    "as_json",
    "data",
    "derivation",
    "document",
    "escaped",
    "formula_snippet",
    "snippet",
    "statement_snippet",
    "worded",
]

LETTERS = {
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "τ": r"\tau",
}
RELATIONS = {
    "=": "=",
    "≤": r"\le",
    "≥": r"\ge",
    "<": "<",
    ">": ">",
    "≈": r"\approx",
    "≠": r"\ne",
    "∈": r"\in",
    "⇒": r"\implies",
    "⇔": r"\iff",
}
ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "%": r"\%",
        "_": r"\_",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "−": "$-$",
        "√": r"$\surd$",
        "Σ": r"$\Sigma$",
        "·": r"$\cdot$",
        "∞": r"$\infty$",
        "∂": r"$\partial$",
        "→": r"$\to$",
        **{sign: f"${command}$" for sign, command in (LETTERS | RELATIONS).items() if not sign.isascii()},
    }
)
WORD = re.compile(r"^(\(*)(.*?)([,.;:?)]*)$")
MATHEMATICS = re.compile(
    r"[_^²√∂Σ·/\[α-ω]|exp\(|^\d|^[=−<>≤≥≈]$|^(?![aeouyAEIOUY])[A-Za-z]$"
)  # a, e, o, y may be words
UNIT = re.compile(  # mathematics with blanks inside it, and letters that are words elsewhere: "e is 0", but "e igual"
    r"(\([+−](?: [+−])*\)|\b[ae]\(1 − [ae]\)|\b1 − a\b(?!_)|\ba − [1y]\b|\b\w − \(\w − \w\)"
    r"|(?<![\w√])e(?=[ ,.;:)])(?! h?i(?!s |n ))|(?<=\b(?:of|de) )e$|(?<=\w )A(?=[ ,.;)])|(?<!\w)A(?= is | es ))"
)
PIECE = re.compile(
    r"exp(?=\()|E\[|d[A-Z]|√?d_k|√E\[[^]]*\]|√\w|[_^][^\W²³⁴]+|[_^](?:\{[^}]*\}|\([^)]*\))|[^\W\d_]{4,}|."
)
SUM_OF_A_LETTER = re.compile(r"(?<=\\sum)(?=[A-Za-z])")
PIECES = {
    "exp": r"\exp",
    "E[": r"\mathbb{E}[",
    "²": "^2",
    "·": r" \cdot ",
    "∂": r"\partial ",
    "Σ": r"\sum ",
    "−": "-",
    ",": "{,}",
    "{": r"\{",
    "}": r"\}",
    "³": "^3",
    "⁴": "^4",
    "…": r"\dots ",
} | RELATIONS
PREAMBLE = r"""\documentclass[a4paper,11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{lmodern}
\usepackage{amsmath,amssymb}
\usepackage[margin=2.5cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt}
\raggedbottom
"""


def snippet(expression: Expression, notation: Notation | None = None) -> str:
    """Write an expression as LaTeX for math mode."""
    return _Latex(notation or Notation()).write(expression)


def statement_snippet(statement: Statement, notation: Notation | None = None) -> str:
    """Write a statement as LaTeX for math mode, on one line."""
    return _Latex(notation or Notation()).statement(statement)


def formula_snippet(formula: Formula, notation: Notation | None = None) -> str:
    """Write all that a formula states as LaTeX for math mode, on one line."""
    return r" ;\qquad ".join(statement_snippet(statement, notation) for statement in formula.statements)


def align(statements: Iterable[Statement], notation: Notation | None = None) -> str:
    """Write statements as one align* environment, each step of a chain of equalities on its own line."""
    writer = _Latex(notation or Notation())
    lines = [line for statement in statements for line in _aligned(writer, statement)]
    return _environment(lines)


def derivation(steps: Sequence[tuple[Expression, str]], notation: Notation | None = None) -> str:
    """Write the steps of a derivation as one align* environment: each expression, and beside it the reason in words.

    The first expression is what is being worked out; a reason may be empty.
    """
    notation = notation or Notation()
    writer = _Latex(notation)
    (start, _), *rest = steps
    lines = []
    for number, (expression, reason) in enumerate(rest):
        left = writer.write(start) if number == 0 else ""
        words = rf" && \text{{{worded(reason, notation)}}}" if reason else ""
        lines.append(f"{left} &= {writer.write(expression)}{words}")
    return _environment(lines)


def document(body: str, *, title: str = "", packages: str = "") -> str:
    """Write a whole LaTeX document of a body, a title, and what its preamble needs besides, all of them LaTeX."""
    head = [rf"\section*{{{title}}}", ""] if title else []
    return "\n".join([PREAMBLE + packages, r"\begin{document}", "", *head, body, r"\end{document}", ""])


def data(formula: Formula, notation: Notation | None = None) -> dict[str, object]:
    """Return a formula as JSON data: id, section, latex and text."""
    return {
        "id": formula.id,
        "section": formula.section,
        "latex": [statement_snippet(statement, notation) for statement in formula.statements],
        "text": plain_formula(formula, notation),
    }


def as_json(formulas: Iterable[Formula], notation: Notation | None = None) -> str:
    """Write formulas as a JSON list of their data."""
    return json.dumps([data(formula, notation) for formula in formulas], ensure_ascii=False, indent=2)


def escaped(text: str) -> str:
    """Return words with LaTeX's special characters made plain."""
    return text.translate(ESCAPES)


def worded(text: str, notation: Notation | None = None) -> str:
    r"""Return words with the mathematics in them as LaTeX, in the letters of a notation, and the rest escaped.

    >>> worded("Dividing by √d_k > 0, what is E[e²]?")
    'Dividing by $\\sqrt{d_k} > 0$, what is $\\mathbb{E}[e^2]$?'
    """
    notation = notation or Notation()
    pieces = UNIT.split(text)  # words, a unit, words, a unit, …, words
    parts = [_unit(piece, notation) if at % 2 else _words(piece, notation) for at, piece in enumerate(pieces)]
    return "".join(parts).replace("$ $", " ")


def _unit(text: str, notation: Notation) -> str:
    if text[0] == "(":  # signs of a vector: none of them is an operator
        return "$(" + r"\,".join("{+}" if sign == "+" else "{-}" for sign in text[1:-1].split()) + ")$"
    return f"${''.join(_piece(piece, notation) for piece in PIECE.findall(text))}$"


def _words(text: str, notation: Notation) -> str:
    return " ".join(_word(word, notation) for word in text.split(" "))


def _word(word: str, notation: Notation) -> str:
    before, core, after = WORD.match(word).groups()  # type: ignore[union-attr]
    if not MATHEMATICS.search(core):
        return word.translate(ESCAPES).replace("--", "-{}-")  # or the two become one dash
    while after.startswith(")") and core.count("(") > core.count(")"):
        core, after = core + ")", after[1:]
    text = "".join(_piece(piece, notation) for piece in PIECE.findall(core))
    return f"{before}${re.sub(SUM_OF_A_LETTER, ' ', text)}${after}"


def _piece(piece: str, notation: Notation) -> str:
    if piece in PIECES:
        return PIECES[piece]
    if piece[0] == "√":
        return rf"\sqrt{{{''.join(_piece(part, notation) for part in PIECE.findall(piece[1:]))}}}"
    if piece[:2] in ("_{", "^{", "_(", "^("):
        return f"{piece[0]}{{{''.join(_piece(part, notation) for part in PIECE.findall(piece[2:-1]))}}}"
    if piece[0] == "_":
        below = "".join(notation.place(Index(at)) for at in piece[1:])
        return f"_{below}" if len(below) == 1 else f"_{{{below}}}"
    if piece[0] == "^":
        return f"^{{{''.join(_piece(part, notation) for part in piece[1:])}}}"
    if len(piece) > 3:
        return rf"\text{{{piece.translate(ESCAPES)}}}"
    if len(piece) == 2:
        return "d" + notation.letter(piece[1])
    letter = notation.letter("d" if piece == "d_k" else piece)
    return LETTERS.get(letter, letter)


def _environment(lines: Sequence[str]) -> str:
    body = " \\\\\n".join(f"  {line}" for line in lines)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"


def _aligned(writer: _Latex, statement: Statement) -> list[str]:
    if isinstance(statement, Implies):
        return [f"& {writer.statement(statement)}"]
    if set(statement.relations) != {"="}:
        return [f"& {writer.statement(statement)}"]
    return _chain_lines(writer, statement)


def _chain_lines(writer: _Latex, statement: Chain) -> list[str]:
    lines = []
    for number, (relation, part) in enumerate(zip(statement.relations, statement.parts[1:], strict=True)):
        left = writer.write(statement.parts[0]) if number == 0 else ""
        lines.append(f"{left} &{writer._relation(relation)} {writer.write(part)}".lstrip())
    lines[-1] += writer.condition(statement)
    return lines


def _tall(text: str) -> bool:
    return any(command in text for command in (r"\frac", r"\sum"))


class _Latex(Writer):
    def _letter(self, name: str) -> str:
        letter, _, accent = name.partition(" ")
        if accent and letter == "d":
            return f"d{self._letter(accent)}"
        if accent:
            return self._letter(letter) + accent if accent in {"'", "*"} else rf"\{accent}{{{self._letter(letter)}}}"
        head, _, tail = name.partition("_")
        head = LETTERS.get(head, head)
        return f"{head}_{tail}" if tail else head

    def _number(self, value: Fraction) -> tuple[str, int]:
        if value.denominator == 1:
            return str(value), ATOM if value >= 0 else MULTIPLIED
        sign = "-" if value < 0 else ""
        return rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}", RAISED if value > 0 else MULTIPLIED

    def _below(self, text: str, indices: Sequence[str]) -> str:
        if not indices:
            return text
        long = any(len(index.rstrip("'")) > 1 for index in indices) and len(indices) > 1
        joined = ", ".join(indices) if long else "".join(indices)
        return f"{text}_{joined}" if len(joined) == 1 else f"{text}_{{{joined}}}"

    def _parenthesis(self, text: str) -> str:
        return rf"\left({text}\right)" if _tall(text) else f"({text})"

    def _bracket(self, operator: str, text: str) -> str:
        operator = r"\mathbb{E}" if operator == "E" else rf"\operatorname{{{operator}}}"
        return rf"{operator}\left[{text}\right]" if _tall(text) else f"{operator}[{text}]"

    def _call(self, name: str, text: str) -> str:
        command = r"\exp" if name == "exp" else rf"\operatorname{{{name}}}"
        return command + self._parenthesis(text)

    def _log(self, text: str) -> str:
        return rf"\log {text}"

    def _dotted(self, left: str, right: str) -> str:
        return rf"{left} \cdot {right}"

    def _quotient(self, over: Expression, under: Expression) -> tuple[str, int]:
        top, bottom = self.write(over), self.write(under)
        if isinstance(over, Mul) and r"\frac" in top and r"\frac" not in bottom:
            return rf"{self.write(over, MULTIPLIED)} / {self.write(under, RAISED)}", MULTIPLIED
        return rf"\frac{{{top}}}{{{bottom}}}", RAISED

    def _power(self, base: str, exponent: Expression) -> str:
        text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", self.write(exponent))
        raised = text if len(text) == 1 else f"{{{text}}}"
        return f"{base}^{raised}"

    def _root(self, inside: Expression) -> str:
        return rf"\sqrt{{{self.write(inside)}}}"

    def _big_sum(self, under: str, over: str, body: str) -> str:
        low = under if len(under) == 1 else f"{{{under}}}"
        high = (f"^{over}" if len(over) == 1 else f"^{{{over}}}") if over else ""
        return rf"\sum_{low}{high} {body}"

    def _partial(self, of: Expression, by: Expression) -> tuple[str, int]:
        inside = self.write(of)
        if _tall(inside):
            return rf"\frac{{\partial}}{{\partial {self.write(by, ATOM)}}} {self._parenthesis(inside)}", RAISED
        return rf"\frac{{\partial {self.write(of, RAISED)}}}{{\partial {self.write(by, ATOM)}}}", RAISED

    def _gradient(self, of: str, by: str) -> tuple[str, int]:
        return rf"\frac{{d{of}}}{{d{by}}}", RAISED

    def _transposed(self, text: str) -> str:
        return rf"{text}^\top"

    def _limit(self, variable: str, value: str, body: str) -> str:
        return rf"\lim_{{{variable} \to {value}}} {body}"

    def _between(self, left: str, right: str) -> str:
        if (
            right[0] == "("
            or right.startswith(r"\left(")
            or (left.isdigit() and right[0].isalpha() and not right.startswith("exp"))
        ):
            return ""
        fractions = left.startswith(r"\frac") and right.startswith(r"\frac")
        return r" \cdot " if fractions or right[0].isdigit() else " "

    def _minus(self) -> str:
        return "-"

    def _relation(self, name: str) -> str:
        return RELATIONS[name]

    def _comma(self) -> str:
        return r",\; "

    def _aside(self, text: str, tight: bool) -> str:
        return rf"\; ({text})" if tight else rf" \qquad ({text})"
