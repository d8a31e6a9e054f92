r"""Read a formula: LaTeX, Python or plain mathematics to the tree of surface, whole, or with the place where it fails.

Nothing is evaluated and nothing is guessed: the scanner makes tokens, Lark's LALR parser applies grammar.lark to them,
and tree builds one node for each rule.  Time and memory grow in proportion to the length; size, digits, nesting and
exponents are bounded, and what exceeds a limit is refused with the limit.

>>> read(r"a_i(1-a_i)").claim.parts[0]
Multiplied(factors=(Name(letter='a', subscripts=(Name(letter='i', ...
>>> read(r"\sum_{j} a_j^2 +")
Traceback (most recent call last):
...
symbolic.reading.marks.Unreadable: the formula ends too early
  \sum_{j} a_j^2 +
                  ^
accepted here: a letter, a number, an opening bracket, a function, a sum
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any, Final

from lark import Lark, UnexpectedInput
from lark import Token as LarkToken
from lark.exceptions import VisitError
from lark.lexer import Lexer

from symbolic.reading.building import Misread
from symbolic.reading.latex_scanner import scan
from symbolic.reading.marks import OPERAND_START, Unreadable
from symbolic.reading.surface import (
    Big,
    Node,
    Number,
    Raised,
    Reading,
    Related,
    inside,
    walk,
)
from symbolic.reading.tree import builder

__all__ = ["MOST_DEEP", "MOST_RAISED", "Unreadable", "read"]

MOST_DEEP: Final = 60
MOST_RAISED: Final = 1_000
MOST_SUMS: Final = 40

# What stands for each terminal in a message.
KINDS: Final = {
    "NAME": "a letter",
    "NUMBER": "a number",
    "LPAR": "an opening bracket",
    "LBRACE": "a brace {",
    "FUNC": "a function",
    "SUM": "a sum",
    "PARTIAL": "∂",
    "PLUS": "+ or −",
    "TIMES": "a product sign",
    "SLASH": "/",
    "SUP": "a power",
    "SUB": "a subscript",
    "REL": "a relation such as =",
    "COMMA": "a comma",
    "RPAR": ")",
    "RBRACK": "]",
    "RBRACE": "}",
    "SETCLOSE": "\\}",
    "ABSCLOSE": "a closing |",
    "NORMCLOSE": "a closing ‖",
    "RANGLE": "⟩",
    "SEP": "a comma, or a word such as “for”",
    "$END": "the end",
}
BRACKETS: Final = {
    "RPAR": "LPAR",
    "RBRACK": "LBRACK",
    "RBRACE": "LBRACE",
    "SETCLOSE": "SETOPEN",
    "ABSCLOSE": "ABSOPEN",
    "NORMCLOSE": "NORMOPEN",
    "RANGLE": "LANGLE",
}


def read(text: str) -> Reading:
    """Read a formula, a claim or a chain, and what stands after it; the whole text is used.

    Raises Unreadable (a BadInput), with the place and what would be accepted there.
    """
    tokens = scan(text)
    try:
        statements: tuple[Related, ...] = _parser().parse(tokens)  # type: ignore[assignment]
    except UnexpectedInput as error:
        raise _unexpected(text, error) from None
    except VisitError as error:  # pragma: no cover - rules raise Misread, which Lark wraps when it can
        if isinstance(error.orig_exc, Misread):
            raise Unreadable(text, error.orig_exc.at, *error.orig_exc.args) from None
        raise
    except Misread as error:
        raise Unreadable(text, error.at, *error.args) from None
    for statement in statements:
        _check_size(text, statement)
    return Reading(statements[0], statements[1:], text)


class _Tokens(Lexer):
    """Hand the scanner's tokens to Lark."""

    def __init__(self, _: Any) -> None: ...

    def lex(self, tokens: Any, _: Any = None) -> Iterator[LarkToken]:
        for token in getattr(tokens, "text", tokens):
            yield LarkToken(token.kind, token.value, start_pos=token.at)


@cache
def _parser() -> Lark:
    grammar = files("symbolic.reading").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_Tokens, transformer=builder(), maybe_placeholders=False)


def _unexpected(text: str, error: UnexpectedInput) -> Unreadable:
    token: LarkToken | None = getattr(error, "token", None)
    expected = set(getattr(error, "accepts", None) or getattr(error, "expected", ()) or ())
    ended = token is None or token.type == "$END"
    at = len(text.rstrip()) if ended or token is None else int(token.start_pos or 0)
    if expected & OPERAND_START >= {"NAME", "NUMBER"}:
        accepted = "a letter, a number, an opening bracket, a function, a sum"
    else:
        accepted = ", ".join(dict.fromkeys(KINDS[kind] for kind in KINDS if kind in expected))
    if ended or token is None:
        return Unreadable(text, at, "the formula ends too early", accepted)
    if token.type in BRACKETS:
        problem = f"{token} closes a bracket that is not open here"
    else:
        problem = f"{token} cannot stand here" if token.strip() else "a new line cannot stand here"
    return Unreadable(text, at, problem, accepted)


def _check_size(text: str, statement: Node) -> None:
    """Refuse a tree too deep to walk by recursion, and numbers that would not fit."""
    level: list[Node] = [statement]
    depth = sums = 0
    while level:
        depth += 1
        if depth > MOST_DEEP:
            raise Unreadable(text, level[0].at, f"a formula may be nested {MOST_DEEP} deep at most")
        level = [part for node in level for part in inside(node)]
    for node in walk(statement):
        sums += isinstance(node, Big)
        if sums > MOST_SUMS:
            raise Unreadable(text, node.at, f"a formula may have {MOST_SUMS} sums at most")
        if isinstance(node, Raised):
            if isinstance(node.exponent, Number) and abs(node.exponent.value) > MOST_RAISED:
                raise Unreadable(text, node.exponent.at, f"an exponent may be {MOST_RAISED} at most")
            if isinstance(node.exponent, Raised) and isinstance(node.exponent.base, Number):
                raise Unreadable(text, node.exponent.at, "a power of numbers may not be an exponent")
