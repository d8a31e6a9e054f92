"""Tokens, and the marks of a formula: brackets and bars, signs, subscripts and superscripts.

What depends on the place is settled here: whether a bar opens or closes, whether a bracket after a name is a Python
index, whether ^T is a transpose, how far a subscript goes.  Bounded: text, tokens, digits and nesting have limits.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from exact.rationals import BadInput
from symbolic.reading.alphabet import (
    GREEK,
    INDEX_LETTERS,
    SIGNS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    WORDS,
)
from symbolic.reading.sets import ACCEPTED, set_tokens

__all__ = [
    "ARGUMENTS",
    "ASIDE",
    "BARS",
    "CALLED",
    "CLOSING",
    "INDEX",
    "LABEL_ABOVE",
    "LETTERS",
    "LIMITS",
    "NUMBER",
    "OPENING",
    "OPERAND_END",
    "OPERAND_START",
    "RELATIONS",
    "SPACE",
    "TRANSPOSED",
    "Marks",
    "Token",
    "Unreadable",
]


LIMITS: Final = {"characters": 12_000, "symbols": 12_000, "digits in a number": 100, "brackets inside brackets": 50}

OPENING: Final = frozenset(
    ["LPAR", "LBRACK", "LBRACE", "SETOPEN", "INDEXOPEN", "ABSOPEN", "NORMOPEN", "LANGLE", "FLOOROPEN"]
)
CLOSING: Final = frozenset(["RPAR", "RBRACK", "RBRACE", "SETCLOSE", "ABSCLOSE", "NORMCLOSE", "RANGLE", "FLOORCLOSE"])
OPERAND_END: Final = CLOSING | frozenset(["NUMBER", "NAME", "ONES", "DOTS", "TRANSPOSE", "TOP", "BANG", "PRIME"])
OPERAND_START: Final = (OPENING - {"INDEXOPEN"}) | frozenset(
    ["NUMBER", "NAME", "ONES", "DOTS", "FUNC", "FRAC", "BINOM", "SQRT", "SUM", "PARTIAL", "NABLA", "INDICATOR"]
)
BARS: Final = {"|": ("ABSOPEN", "ABSCLOSE"), "‖": ("NORMOPEN", "NORMCLOSE")}
ARGUMENTS: Final = {"FRAC": 2, "BINOM": 2, "SQRT": 1}

SPACE = re.compile(r"(?:\s|~|\\[,;:!> ]|%[^\n]*|&)+")
LABEL_ABOVE = re.compile(r"\{\s*\(\s*[\w+-]+\s*\)\s*\}")
INDEX = re.compile(r"\[\s*\w+(\s*[-+]\s*\w+)?(\s*,\s*\w+(\s*[-+]\s*\w+)?)*\s*\]")
NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
LETTERS = re.compile(r"[A-Za-z]+")
TRANSPOSED = re.compile(r"\s*(?:\{\s*)?(?:T(?![A-Z])|\\(?:mathsf|mathrm|mathtt)\s*(?:T|\{T\}))(?:\s*\})?")
CALLED = re.compile(r"\s*(?:\\left|\\[bB]igg?l?)?\s*(?:\\?[\[({|]|\\\|)")
ASIDE = re.compile(r"\(([^()\[\]]{1,60})\)[\s$.]*(?:$|[,;\n]|\\[,;\\\]]|\\implies|\\quad|\\end|⇒)")
RELATIONS = re.compile(r"=|<|>|≤|≥|≠|\\(?:le|ge|ne|leq|geq|neq|lt|gt|approx)\b")


class Token(NamedTuple):
    """A terminal of the grammar, what stood there, and where."""

    kind: str
    value: str
    at: int


class Unreadable(BadInput):
    """A formula cannot be read: what, where, and what would be accepted there."""

    def __init__(self, text: str, at: int, problem: str, accepted: str = "") -> None:
        """Show the line with a caret under the place."""
        self.at, self.problem, self.accepted = at, problem, accepted
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        line = text[start : len(text) if end < 0 else end].replace("\t", " ")
        from_ = max(0, at - start - 50)
        before, after = ("…" if from_ else ""), ("…" if len(line) > from_ + 100 else "")
        shown = before + line[from_ : from_ + 100] + after
        caret = " " * (len(before) + at - start - from_) + "^"
        super().__init__(f"{problem}\n  {shown}\n  {caret}" + (f"\naccepted here: {accepted}" if accepted else ""))


class Marks:
    """Reads signs and scripts into tokens; numbers and words are read by a subclass."""

    def __init__(self, text: str) -> None:
        """Begin at the beginning."""
        self.text, self.at = text, 0
        self.latex = "\\" in text
        self.found: list[Token] = []
        self.open: list[tuple[str, int]] = []  # the kind of each open bracket, and the arguments still due around it
        self.due = 0  # how many single-token arguments of \frac and the like are still to come
        self.slopes: set[int] = set()  # where a d begins a derivative
        self.asides: set[int] = set()  # where the bracket around a condition closes

    def _add(self, kind: str, value: str, width: int) -> None:
        at = self.at
        self.at += width
        if kind in BARS:
            kind = self._bar(kind)
        if kind in OPENING:
            if len(self.open) >= LIMITS["brackets inside brackets"]:
                raise Unreadable(
                    self.text, at, f"brackets may stand inside {LIMITS['brackets inside brackets']} others at most"
                )
            self.open.append((kind, max(0, self.due - 1)))
            self.due = 0
        elif kind in CLOSING:
            self.due = self.open.pop()[1] if self.open else 0
        elif kind in ARGUMENTS:
            self.due = ARGUMENTS[kind]
        elif self.due:
            self.due -= 1
        self.found.append(Token(kind, value, at))
        if len(self.found) > LIMITS["symbols"]:
            raise Unreadable(self.text, at, f"a formula may have at most {LIMITS['symbols']} symbols")

    def _last(self) -> str:
        return self.found[-1].kind if self.found else ""

    def _bar(self, sign: str) -> str:
        opening, closing = BARS[sign]
        innermost = self.open[-1][0] if self.open else ""
        if self._last() not in OPERAND_END:
            return opening
        if innermost == opening:
            return closing
        rest = self.text[self.at :]
        again = re.search(r"[|‖\])}]", rest)
        if sign == "|" and innermost and (again is None or again.group() != "|"):
            return "BAR"
        return opening

    def _membership(self, relation: str, width: int) -> None:
        """Read ∈ or ⊆ with the set that follows, of which a sum runs through the members."""
        found = set_tokens(self.text, self.at + width, relation)
        if found is None:
            raise Unreadable(self.text, self.at, f"what follows {relation} is not read", ACCEPTED)
        pieces, end = found
        self._add("REL", "∈", width)
        for kind, value in pieces:
            self._add(kind, value, 0)
        self.at = end

    def _sign(self) -> None:
        text, at = self.text, self.at
        if text[at] in "∈⊆":
            self._membership(text[at], 1)
            return
        for width in (2, 1):
            kind, value = SIGNS.get(text[at : at + width], ("", ""))
            if not kind:
                continue
            if kind == "LBRACK" and self._last() in {"NAME", "RPAR", "RBRACK"} and self._adjacent():
                if INDEX.match(text, at):
                    kind = "INDEXOPEN"
            elif kind == "LBRACE" and not self.latex and self._last() != "SUB" and self._last() != "SUP":
                kind = "SETOPEN"
            elif kind == "RBRACE" and self.open and self.open[-1][0] == "SETOPEN":
                kind = "SETCLOSE"
            elif kind == "SQRT" and value == "sqrt":
                self._add(kind, value, width)
                return
            elif kind == "COMMA" and not self.open:
                kind = "SEP"
            elif kind == "LPAR" and not self.open and (aside := self._aside()):
                self.asides.add(aside)
                kind = "SEP"
            elif at in self.asides:
                kind = "SEP"
            if kind == "SUM" and value == "sum" and text[at] == "Σ" and self._follows(r"\s*(?:_\{?[YX]|\^)"):
                kind, value = "NAME", "Σ"
            if kind in {"LBRACK", "SETOPEN"} and self._last() == "NUMBER" and self._one_before():
                self.found[-1] = Token("INDICATOR", "1", self.found[-1].at)
            self._add(kind, value, width)
            if kind == "SUP" and self._raised_already():
                raise Unreadable(text, at, "two exponents stand one after the other", "one, as in x^{n^3}")
            if kind == "SUP" and self._transpose():
                return
            base = self.found[-2] if len(self.found) > 1 else self.found[-1]
            if kind == "SUP" and base.kind in {"NAME", "RBRACE"} and base.value != "e":
                self._check_label()
            if kind == "SUB":
                self._subscript()
            return
        self._unknown(at)

    def _check_label(self) -> None:
        """Refuse a^{(2)}: who writes it means a label."""
        if LABEL_ABOVE.match(self.text, self.at):
            problem = "a superscript in brackets is a label, not a power"
            raise Unreadable(self.text, self.at, problem, "a power, as ^2")

    def _aside(self) -> int:
        """Return where the bracket around a condition beside a claim closes, as in a = b (i ≠ j); 0 where none does."""
        found = ASIDE.match(self.text, self.at)
        apart = self.at > 0 and (self.text[self.at - 1].isspace() or self.text[self.at - 1] in ";,~")
        if self._last() not in OPERAND_END | {"SEP"} or not apart or found is None or not RELATIONS.search(found[1]):
            return 0
        return found.end(1)

    def _raised_already(self) -> bool:
        """Say whether what stands before the ^ just read is itself an exponent, as LaTeX forbids."""
        kinds = [token.kind for token in self.found[-3:-1]]
        if kinds[-1:] == ["RBRACE"]:
            return self._before_braces()[-1:] == ["SUP"]
        return self.latex and kinds[:1] == ["SUP"] and kinds[-1:] != ["SUP"]

    def _adjacent(self) -> bool:
        last = self.found[-1]
        return not self.text[last.at : self.at].endswith(" ")

    def _one_before(self) -> bool:
        """Say whether 1[i = j] or 1{i = j} stands here: an indicator."""
        end = re.compile(r"[\[{][^\[\]{}]*[\]}]").match(self.text, self.at)
        return bool(end and self.found[-1].value == "1" and self._adjacent() and RELATIONS.search(end.group()))

    def _follows(self, pattern: str) -> bool:
        return re.compile(pattern).match(self.text, self.at + 1) is not None

    def _unknown(self, at: int) -> None:
        char = self.text[at]
        plain = unicodedata.normalize("NFKD", char)
        name = unicodedata.name(char, "a character without a name")
        latin = _look_alike(name, plain)
        shown = char if char.isprintable() else "a character that cannot be shown"
        problem = f"{shown} (U+{ord(char):04X}, {name.lower()}) is not read"
        raise Unreadable(self.text, at, problem, f"it looks like {latin}: write that" if latin else "")

    def _script(self) -> None:
        """Read raised or lowered Unicode digits and letters: a₁², e⁻¹."""
        table, kind = (SUPERSCRIPTS, "SUP") if self.text[self.at] in SUPERSCRIPTS else (SUBSCRIPTS, "SUB")
        end = self.at
        while end < len(self.text) and self.text[end] in table:
            end += 1
        inner = "".join(table[char] for char in self.text[self.at : end])
        self._add(kind, kind, 0)
        self._add("LBRACE", "{", 0)
        for part in re.findall(r"\d+|.", inner):
            self._check_digits(part)
            self._add({"-": "MINUS", "+": "PLUS"}.get(part, "NUMBER" if part.isdigit() else "NAME"), part, 0)
        self._add("RBRACE", "}", 0)
        self.at = end

    def _transpose(self) -> bool:
        """After ^: read T as a transpose, unless a number or a bracketed sum stands before it."""
        found = TRANSPOSED.match(self.text, self.at)
        if not found or (len(self.found) > 1 and self.found[-2].kind == "NUMBER") or self._limits_a_sum():
            return False
        if found.group().count("{") != found.group().count("}"):
            return False
        self._add("TOP", "T", found.end() - self.at)
        return True

    def _limits_a_sum(self) -> bool:
        r"""Say whether the ^ just read is the upper limit of a sum: \sum^T, \sum_j^T, \sum_{j=1}^T."""
        kinds = [token.kind for token in self.found[:-1]]
        if kinds[-1:] == ["RBRACE"]:
            return self._before_braces()[-2:] == ["SUM", "SUB"]
        return kinds[-1:] == ["SUM"] or kinds[-3:-1] == ["SUM", "SUB"]

    def _before_braces(self) -> list[str]:
        """Return the kinds of the tokens before the braces that close just before the last token."""
        depth = 0
        for n in range(len(self.found) - 2, -1, -1):
            depth += (self.found[n].kind == "RBRACE") - (self.found[n].kind == "LBRACE")
            if depth == 0:
                return [token.kind for token in self.found[max(0, n - 2) : n]]
        return []

    def _subscript(self) -> None:
        """After _: in plain text, take the whole run; in LaTeX, one token, which the next step reads."""
        run = re.compile(r"[A-Za-z0-9]+").match(self.text, self.at)
        if not run:
            return
        if self.latex:
            if run.group()[0].isdigit():
                self._add("NUMBER", run.group()[0], 1)
            else:
                self._add("NAME", run.group()[0], 1)
            return
        word = run.group()
        if word.isdigit() or len(word) == 1 or self._names_a_kind(word) or word in GREEK:
            self._check_digits(word)
            self._add("NUMBER" if word.isdigit() else "NAME", GREEK.get(word, word), len(word))
        elif re.fullmatch(r"[A-Za-z]+", word) and not (len(word) <= 4 and set(word) <= INDEX_LETTERS):
            self._add("NAME", word, len(word))
        else:
            self._add("LBRACE", "{", 0)
            for part in re.findall(r"\d+|[A-Za-z]", word):
                self._check_digits(part)
                self._add("NUMBER" if part.isdigit() else "NAME", part, len(part))
            self._add("RBRACE", "}", 0)

    def _check_digits(self, value: str) -> None:
        if len(value) > LIMITS["digits in a number"]:
            raise Unreadable(
                self.text,
                self.at,
                f"a number may have at most {LIMITS['digits in a number']} digits (got {len(value)})",
            )

    def _names_a_kind(self, word: str) -> bool:
        """Say whether a subscript is a word, as in d_model or n_in; δ_{in} has the indices i and n."""
        base = next((t.value for t in reversed(self.found) if t.kind not in {"SUB", "LBRACE"}), "")
        return word.lower() in WORDS and (word != "in" or base in {"n", "d", "fan", "D", "N"})


def _look_alike(name: str, plain: str) -> str:
    """Return the Latin letter that a character of another alphabet looks like, by its Unicode name."""
    letters = {"A": "aA", "IE": "eE", "O": "oO", "ER": "pP", "ES": "cC", "HA": "xX", "BYELORUSSIAN-UKRAINIAN I": "iI"}
    letters |= {"KA": "kK", "EM": "mM", "TE": "tT", "EN": "nH", "VE": "vB", "U": "yY", "JE": "jJ", "DZE": "sS"}
    letters |= {"OMICRON": "oO"}
    if len(plain) == 1 and plain.isascii() and plain.isalnum():
        return plain
    for case, position in (("SMALL LETTER ", 0), ("CAPITAL LETTER ", 1)):
        if case in name and name.split(case)[-1] in letters and not name.startswith("LATIN"):
            return letters[name.split(case)[-1]][position]
    return ""
