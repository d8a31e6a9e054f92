r"""What LaTeX adds to plain mathematics: commands, environments, faces of letters, \left and \right.

>>> [token.kind for token in scan(r"a_i(1-a_i)")]
['NAME', 'SUB', 'NAME', 'LPAR', 'NUMBER', 'MINUS', 'NAME', 'SUB', 'NAME', 'RPAR']
"""

from __future__ import annotations

import re
from typing import Final

from exact.rationals import BadInput
from symbolic.reading.alphabet import (
    ACCENTS,
    COMMANDS,
    ENVIRONMENTS,
    FUNCTIONS,
    GREEK,
    IGNORED,
    SEPARATORS,
    STYLES,
    WORDS,
)
from symbolic.reading.marks import BARS, CALLED, LETTERS, LIMITS, SPACE, Token, Unreadable
from symbolic.reading.scanner import Scanner

__all__ = ["scan"]

MEMBERSHIPS: Final = {"in": "∈", "subseteq": "⊆", "subset": "⊆"}
AVERAGED: Final = re.compile(r"\s*(?:[A-Za-z(]|\\[A-Za-z])")
KNOWN: Final = r"\frac, \sum, \partial, \delta, \sqrt, \log, \mathbb{E}, \operatorname{softmax}, Greek letters, …"
STYLED: Final = re.compile(r"\*?\s*\{\s*([^{}\\$]*?)\s*\}|\*?\s*([A-Za-z0-9])")
LETTER: Final = re.compile(r"\s*\{\s*(\\?[A-Za-z]+|[α-ωΑ-Ω])\s*\}|\s*(\\[A-Za-z]+|[A-Za-zα-ωΑ-Ω])")


def scan(text: str) -> list[Token]:
    """Return the tokens of a formula; Unreadable, with the place, where a character or a command is not known."""
    if len(text) > LIMITS["characters"]:
        raise BadInput(f"a formula may have at most {LIMITS['characters']} characters (got {len(text)})")
    if not text.strip():
        raise BadInput("the formula is empty; accepted: an equation such as E[e^2] = d, in LaTeX or in plain text")
    return _LatexScanner(text).tokens()


class _LatexScanner(Scanner):
    def _command(self) -> None:
        text, at = self.text, self.at
        found = re.compile(r"\\([A-Za-z]+)\*?|\\(.)", re.DOTALL).match(text, at)
        if found is None:
            raise Unreadable(text, at, "the text ends with a backslash")
        word, width = found[1] or found[2], found.end() - at
        if found[2]:
            escaped = {"{": "SETOPEN", "}": "SETCLOSE", "|": "‖", "_": "SUB", "-": ""}
            if word not in escaped:
                raise Unreadable(text, at, f"\\{word} is not read")
            self._add(escaped[word], word, 2) if escaped[word] else self._skip(2)
            return
        if word in {"begin", "end", "label", "tag", "hspace", "vspace", "phantom"}:
            self._environment(word, width)
        elif word in {"left", "right"}:
            self._sized(word, width)
        elif word in IGNORED:
            self.at += width
        elif word in STYLES:
            self._styled(word, width)
        elif word in ACCENTS and (letter := LETTER.match(text, at + width)):
            name = (letter[1] or letter[2]).removeprefix("\\")
            if len(name) > 1 and name not in GREEK:
                raise Unreadable(text, at, f"\\{word} is read over one letter")
            self._name(GREEK.get(name, name), letter.end() - at, ACCENTS[word])
        elif word in GREEK:
            self._name(GREEK[word], width)
        elif word in MEMBERSHIPS:
            self._membership(MEMBERSHIPS[word], width)
        elif word in COMMANDS:
            self._known(word, width)
        elif word in FUNCTIONS:
            self._function(word, width)
        else:
            raise Unreadable(text, at, f"the command \\{word} is not read", KNOWN)

    def _skip(self, width: int) -> None:
        self.at += width

    def _known(self, word: str, width: int) -> None:
        kind, value = COMMANDS[word]
        if kind == "FRAC":
            self._slope_in_fraction(self.at + width)
        if kind not in BARS and kind == "±":
            raise Unreadable(self.text, self.at, f"{value} is not read", "a number or a letter")
        self._add(kind, value, width)

    def _slope_in_fraction(self, at: int) -> None:
        r"""Mark the d of \frac{da}{de} and \frac{d}{de} as beginning a derivative."""
        over = re.compile(r"\s*\{\s*(?:\\mathrm\s*\{?)?(d)\}?\s*(?:\^\{?\d\}?)?\s*(\}|(?![_^}\d]))").match(
            self.text, at
        )
        if not over:
            return
        end = _group_end(self.text, self.text.index("{", at))
        under = re.compile(r"\s*\{\s*(?:\\mathrm\s*\{?)?(d)\}?\s*(?=[A-Za-z\\{α-ω])").match(self.text, end)
        if under:
            self.slopes |= {over.start(1), under.start(1)}

    def _sized(self, word: str, width: int) -> None:
        self.at += width
        gap = SPACE.match(self.text, self.at)
        self.at = gap.end() if gap else self.at
        opening = word == "left"
        for sign, bar in (("\\|", "‖"), ("\\Vert", "‖"), ("|", "|"), ("\\vert", "|")):
            if self.text.startswith(sign, self.at):
                self._add(BARS[bar][not opening], bar, len(sign))
                return
        if self.text.startswith(".", self.at):
            self.at += 1

    def _environment(self, word: str, width: int) -> None:
        found = re.compile(r"\s*\{([^{}]*)\}").match(self.text, self.at + width)
        name = found[1].rstrip("*") if found else ""
        if found is None or (word in {"begin", "end"} and name not in ENVIRONMENTS):
            raise Unreadable(self.text, self.at, f"\\{word}{{{name}}} is not read", "align, equation, gather, split")
        self.at = found.end()

    def _styled(self, word: str, width: int) -> None:
        r"""Read a letter or a word in another face: it is dropped, but \mathbb{E} and \mathbf{1} mean something."""
        text, at = self.text, self.at
        found = STYLED.match(text, at + width)
        if not found or (found[1] is not None and found[1] == ""):
            self.at += width
            return
        inner = found[1] if found[1] is not None else found[2]
        whole = found.end() - at
        face = word in {"mathbb", "mathds", "mathbbm", "mathbf", "boldsymbol", "bm"}
        if self.at in self.slopes or (inner == "d" and text.find("d", at + len(word)) in self.slopes):
            self._add("PARTIAL", "∂", whole)
        elif inner == "1" and face:
            self._ones(whole)
        elif inner == "I" and face and self._indicates(found.end()):
            self._add("INDICATOR", "1", whole)
        elif inner == "E" and word == "mathrm" and AVERAGED.match(text, found.end()):
            self._add("FUNC", "E", whole)
        elif inner in {"E", "P", "V"} and word in {"mathbb", "operatorname"}:
            self._add("FUNC", {"V": "Var"}.get(inner, inner), whole)
        elif inner == "T" and self._last() == "SUP":
            self._add("TOP", "T", whole)
        elif (len(inner) > 1 and inner in FUNCTIONS) or (inner in FUNCTIONS and CALLED.match(text, found.end())):
            self._function(inner, whole)
        elif len(inner) == 1 and inner.isalnum():
            self._add("NUMBER", inner, whole) if inner.isdigit() else self._name(inner, whole)
        elif not inner.strip() or not LETTERS.match(inner.strip()):
            self.at += whole if not inner.strip() else width
        elif inner.split()[0].lower() in SEPARATORS:
            self._add("SEP", inner, whole)
        elif re.fullmatch(r"[A-Za-z]+", inner):
            if len(inner) > 3 or inner.lower() in WORDS or word != "mathbf":
                self._name(inner, whole)
            else:
                self.at += width
        else:
            raise Unreadable(text, at, f"the words “{inner}” are not read", "for, where, with, if")


def _group_end(text: str, start: int) -> int:
    """Return the place after the brace that closes the one at `start`; the end of the text where none does."""
    depth = 0
    for n in range(start, len(text)):
        depth += (text[n] == "{") - (text[n] == "}")
        if depth == 0:
            return n + 1
    return len(text)
