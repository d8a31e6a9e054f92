r"""LaTeX of a formula as it was read: what a reader's own text was taken for, before anyone decides it.

Brackets are put by the tree, not by the text, so that a misreading shows.

>>> from symbolic.reading.reader import read
>>> echo(read("Var(q.k/sqrt(d_k)) = 1").claim)
'\\operatorname{Var}\\left(\\frac{q \\cdot k}{\\sqrt{d_k}}\\right) = 1'
>>> echo(read("1/2 x^2").claim), echo(read("1/(2 x^2)").claim)
('\\frac{1}{2} x^2', '\\frac{1}{2 x^2}')
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from symbolic.latex import LETTERS, RELATIONS
from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Differentiated,
    Divided,
    Indexed,
    Inner,
    Iverson,
    Listed,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Number,
    Raised,
    Related,
    Root,
    Transposed,
)

__all__ = ["echo"]

SIGNS: Final = {"": " ", "*": " ", "·": r" \cdot ", "×": r" \times ", "⊙": r" \odot ", "@": " "}
MORE_LETTERS: Final = {
    **{"θ": r"\theta", "π": r"\pi", "Σ": r"\Sigma", "ξ": r"\xi", "κ": r"\kappa", "∞": r"\infty", "…": r"\dots"},
    **{"η": r"\eta", "φ": r"\varphi", "ω": r"\omega", "χ": r"\chi", "ν": r"\nu", "ψ": r"\psi", "ζ": r"\zeta"},
}
PLAIN_FUNCTIONS: Final = {"exp": r"\exp", "log": r"\log", "max": r"\max", "min": r"\min", "cos": r"\cos"}


def echo(node: Node) -> str:
    """Write a node as LaTeX."""
    match node:
        case Number(value):
            return _number(value)
        case Name():
            return _name(node)
        case Negated(of):
            return f"-{_factor(of)}"
        case Added(terms):
            return _added(terms)
        case Multiplied():
            return _product(node)
        case Divided(over, under):
            return rf"\frac{{{echo(over)}}}{{{echo(under)}}}"
        case Raised(base, exponent):
            return f"{_base(base)}^{_braced(echo(exponent))}"
        case Transposed(of):
            return rf"{_base(of)}^\top"
        case Root(of, degree):
            order = "" if degree is None else f"[{echo(degree)}]"
            return rf"\sqrt{order}{{{echo(of)}}}"
        case Indexed(of, indices):
            return f"{_base(of)}_{{{_list(indices, joined='')}}}"
        case Big():
            return _big(node)
        case Differentiated(of, by):
            short = isinstance(of, Name | Indexed)
            above = rf"\partial {echo(of)}" if short else r"\partial"
            return rf"\frac{{{above}}}{{\partial {echo(by)}}}" + ("" if short else f" {_bracketed(echo(of))}")
        case Iverson(condition):
            return f"[{echo(condition)}]"
        case Absolute(of):
            return rf"\left|{echo(of)}\right|"
        case Normed(of, kind):
            return rf"\left\|{echo(of)}\right\|" + (f"_{_braced(kind)}" if kind else "")
        case Inner(left, right):
            return rf"\langle {echo(left)}, {echo(right)} \rangle"
        case Listed(items):
            return f"[{_list(items)}]"
        case Related():
            return _chain(node)
        case Called():
            return _called(node)


def _chain(node: Related) -> str:
    text = echo(node.parts[0])
    for relation, part in zip(node.relations, node.parts[1:], strict=True):
        if isinstance(part, Called) and part.function == "subsets":
            text += rf" \subseteq [{echo(part.arguments[0])}]"
        else:
            text += f" {RELATIONS.get(relation, relation)} {echo(part)}"
    return text


def _product(node: Multiplied) -> str:
    text = _factor(node.factors[0])
    for factor, sign in zip(node.factors[1:], node.signs, strict=True):
        text += SIGNS[sign] + _factor(factor)
    return text


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def _letter(letter: str) -> str:
    found = LETTERS.get(letter) or MORE_LETTERS.get(letter)
    if found:
        return found
    return letter if len(letter) == 1 else rf"\mathrm{{{letter}}}"


def _name(node: Name) -> str:
    text = "r" if node.letter == "·" else _letter(node.letter)
    if node.accent == "d":
        text = f"d{text}"
    elif node.accent in {"'", "*", "''"}:
        text += f"^{{{node.accent}}}" if node.accent == "*" else node.accent
    elif node.accent:
        text = rf"\{node.accent}{{{text}}}"
    return f"{text}_{_braced(_list(node.subscripts, joined=''))}" if node.subscripts else text


def _list(items: tuple[Node, ...], joined: str = ", ") -> str:
    short = all(isinstance(item, Name | Number) and len(echo(item)) == 1 for item in items)
    return (joined if short else ", ").join(map(echo, items))


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"


def _bracketed(text: str) -> str:
    tall = any(command in text for command in (r"\frac", r"\sum", r"\prod", r"\binom"))
    return rf"\left({text}\right)" if tall else f"({text})"


def _added(terms: tuple[Node, ...]) -> str:
    text = echo(terms[0])
    for term in terms[1:]:
        text += f" - {_factor(term.of)}" if isinstance(term, Negated) else f" + {echo(term)}"
    return text


def _factor(node: Node) -> str:
    """Write a factor: sums, differences and what is negative in brackets."""
    return _bracketed(echo(node)) if isinstance(node, Added | Negated | Related) else echo(node)


def _base(node: Node) -> str:
    simple = isinstance(node, Name | Absolute | Normed | Listed | Called) or (
        isinstance(node, Number) and node.value >= 0
    )
    return echo(node) if simple else _bracketed(echo(node))


def _big(node: Big) -> str:
    sign = r"\sum" if node.kind == "sum" else r"\prod"
    below = ", ".join(map(echo, node.conditions)) or _list(node.indices, joined=", ")
    if node.lower is not None:
        below = f"{_list(node.indices)}={echo(node.lower)}"
    low = f"_{_braced(below)}" if below else ""
    high = "" if node.upper is None else f"^{_braced(echo(node.upper))}"
    return f"{sign}{low}{high} {_factor(node.body)}"


def _called(node: Called) -> str:
    inside = _list(node.arguments)
    if node.given:
        inside += rf" \mid {_list(node.given)}"
    match node.function:
        case "binomial":
            return rf"\binom{{{echo(node.arguments[0])}}}{{{echo(node.arguments[1])}}}"
        case "cube":
            *values, size = map(echo, node.arguments)
            return rf"\{{{', '.join(values)}\}}^{{{size}}}"
        case "factorial":
            return f"{_base(node.arguments[0])}!"
        case "floor":
            return rf"\lfloor {inside} \rfloor"
        case "ones":
            return r"\mathbf{1}"
        case "dice":
            return rf"{echo(node.arguments[0])}\mathrm{{d}}{echo(node.arguments[1])}"
        case "E" | "P":
            name = r"\mathbb{E}" if node.function == "E" else r"\mathbb{P}"
            below = f"_{_braced(_list(node.below, joined=''))}" if node.below else ""
            return name + below + _bracketed(inside).replace("(", "[", 1)[:-1] + "]"
    name = PLAIN_FUNCTIONS.get(node.function, rf"\operatorname{{{node.function}}}")
    below = f"_{_braced(_list(node.below, joined=''))}" if node.below else ""
    return name + below + _bracketed(inside)
