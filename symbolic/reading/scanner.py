r"""From text to tokens: LaTeX, Python and plain mathematics come out as the same few terminals.

What depends on the place is settled here, so that the grammar has one meaning for each terminal: whether a bar opens or
closes, whether a bracket after a name is a Python index, whether d begins a derivative, whether ^T is a transpose,
which letters are one word.  In a text with a backslash, letters stand alone and a subscript takes one of them, as LaTeX
has it; without, a_ij is a_{ij} and head_size is a word.  Bounded: text, tokens, digits and nesting have limits.
"""

from __future__ import annotations

import re
from typing import Final

from symbolic.reading.alphabet import (
    FUNCTIONS,
    GREEK,
    INDEX_LETTERS,
    LETTERLIKE,
    PREFIXES,
    PROSE,
    SEPARATORS,
    SIGNS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    WORDS,
)
from symbolic.reading.marks import (
    CALLED,
    CLOSING,
    LETTERS,
    NUMBER,
    OPENING,
    OPERAND_END,
    OPERAND_START,
    RELATIONS,
    SPACE,
    Marks,
    Token,
    Unreadable,
)

__all__ = ["Scanner"]

COUNTED_IN: Final = frozenset({"n", "N", "d", "D", "W", "fan", "σ", "h"})
UNKNOWN_FUNCTIONS: Final = frozenset({"f", "F", "φ", "ψ"})
PLAIN_SPACE = re.compile(r"(?:\s|~|&)+")
DICE = re.compile(r"(\d+)d(\d+)(?![A-Za-z_])")
WORDED = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*")
OPERAND = r"(?:\\?[A-Za-z]+\([^()]{1,60}\)|\\?[A-Za-zα-ωΑ-Ω]+)(?:_\{[^{}]{0,30}\}|_[A-Za-z0-9]+|\[[^\[\]]{0,30}\])?"
VARIABLE = rf"(?:[A-Za-zα-ωΑ-Ω]|\\[A-Za-z]+|{'|'.join(GREEK)})(?![A-Za-z])"
SLOPE = re.compile(
    rf"d\s?{OPERAND}\s*/\s*(d)\s?(?=[A-Za-zα-ω\\])|d\s*(?:\([^()]{{1,60}}\)\s*)?/\s*(d)\s?(?={VARIABLE})"
)
CALLED_BELOW = re.compile(r"\s*_\s*(?:\{[^{}]*\}|\w)\s*(?:\\left|\\[bB]igg?l?)?\s*\\?[\[({]")
PRIMED = re.compile(r"\s*('|\^\s*\{?\s*(?:\\prime|')\s*\}?)?\s*(?:\\left|\\[bB]igg?l?)?\s*\(")
ROW_CALLED = re.compile(r"\s*(?:\\left)?\(\s*(?:\\math\w+\s*\{\s*)?[A-Za-z]\s*\}?\s*(?:\\right)?\)\s*_")
AVERAGES = re.compile(
    r"\\mathbb\s*\{?[EP]|𝔼|\b(?:E|Var|Cov|Corr|Std|P|Pr)\s*(?:\\left|\\[bB]igg?l?)?\s*[(\[|{\\]|\\(?:Var|Cov|Pr)\b"
)


class Scanner(Marks):
    """Reads plain mathematics; what LaTeX adds is a subclass."""

    def tokens(self) -> list[Token]:
        """Return the tokens of the whole text."""
        while self.at < len(self.text):
            self._step()
        return self._tidied()

    def _step(self) -> None:
        text, at = self.text, self.at
        char = text[at]
        if text.startswith("\\\\", at) or (char == "\n" and not self.latex):
            self._add("NEWLINE", "\n", 2 if char == "\\" else 1)
            if char == "\\" and (gap := re.compile(r"\*?\s*\[[\d.]+\s*\w\w\]").match(text, self.at)):
                self.at = gap.end()
        elif gap := (SPACE if self.latex else PLAIN_SPACE).match(text, at):
            self.at = gap.end()
        elif self.latex and text.startswith("{}", at) and self._last() not in {"SUB", "SUP", "FRAC", "SQRT"}:
            self.at += 2
        elif char == "$" or text.startswith(("\\[", "\\]", "\\(", "\\)"), at):
            self.at += 1 if char == "$" else 2
        elif char == "\\":
            self._command()
        elif char in SUPERSCRIPTS or char in SUBSCRIPTS:
            self._script()
        elif (char.isdecimal() and char.isascii()) or (char == "." and NUMBER.match(text, at)):
            self._number()
        elif char.isascii() and char.isalpha():
            self._word()
        elif char in GREEK_LETTERS and char not in SIGNS:
            self._name(char, 1)
        elif text.startswith("...", at):
            self._add("DOTS", "…", 3)
        elif char == "." and text[at + 1 :].strip(" $\n\t\\]}") == "":
            self.at += 1
        elif char == ".":
            self._method()
        elif char in "𝔼" or char == "𝟙":
            self._add("FUNC", "E", 1) if char == "𝔼" else self._ones(1)
        else:
            self._sign()

    def _number(self) -> None:
        text, at = self.text, self.at
        single = self.due and self._last() not in OPENING and self.latex
        if single or (self.latex and self._last() == "SUP"):
            if self._last() == "SUP" and re.compile(r"\d\d").match(text, at):
                raise Unreadable(text, at, "^ takes one digit", "the exponent in braces, such as ^{12}")
            self._add("NUMBER", text[at], 1)
            return
        if not self.latex and (dice := DICE.match(text, at)):
            for kind, value in (
                ("FUNC", "dice"),
                ("LPAR", "("),
                ("NUMBER", dice[1]),
                ("COMMA", ","),
                ("NUMBER", dice[2]),
            ):
                self._check_digits(value)
                self._add(kind, value, 0)
            self._add("RPAR", ")", dice.end() - at)
            return
        found = NUMBER.match(text, at)
        if found is None:  # pragma: no cover - the caller has seen a digit
            raise Unreadable(text, at, "a number is expected")
        value = found.group() if not self.latex else found.group(1)
        rest = text[at + len(value) :]
        if value.endswith(".") and re.compile(r"\s+\d").match(rest):
            raise Unreadable(text, at, "a number is cut in two here", "a decimal such as 0.5")
        if value.endswith(".") and (not rest.strip(" $") or self._begins_sentence(rest)):
            value = value[:-1]
        self._check_digits(value)
        self._add("NUMBER", value, len(value))

    def _word(self) -> None:
        text, at = self.text, self.at
        if at in self.slopes:
            self._add("PARTIAL", "∂", 1)
            return
        if text[at] == "d" and self._last() != "SUB" and (slope := SLOPE.match(text, at)):
            self.slopes |= {slope.start(slope.lastindex or 0)}
            self._add("PARTIAL", "∂", 1)
            return
        run = LETTERS.match(text, at)
        word = run.group() if run else text[at]
        if self.latex and self.due and self._last() not in OPENING:
            self._name(word[0], 1)
        elif (long := WORDED.match(text, at)) and "_" in long.group() and long.group() in FUNCTIONS:
            self._function(long.group(), len(long.group()))
        elif text.startswith("sum_", at) or text.startswith("prod_", at):
            self._add("SUM", "sum" if word == "sum" else "product", len(word))
        elif word in PREFIXES and re.compile(r"\.[A-Za-z]").match(text, at + len(word)) and len(word) > 1:
            self.at += len(word) + 1
        elif word == "delta" and not text.startswith("(", at + 5):
            self._name("δ", 5)
        elif len(word) > 1 and word in FUNCTIONS and (not self.latex or len(word) > 2 or self._is_called(word)):
            self._function(word, len(word))
        elif self.latex and self.open and word in WORDS and len(word) > 1 and self._labels(word):
            self._name(word, len(word))
        elif self.latex and len(word) > 1 and not self.open and self._apart(word) and word.lower() in SEPARATORS:
            self._add("SEP", word, len(word))
        elif (word.lower() in PROSE or (self.latex and len(word) > 3)) and not self.open and self._apart(word):
            raise Unreadable(
                text, at, f"the word {word} is not read", "a formula alone, or words such as where, with, for"
            )
        elif self.latex or len(word) == 1:
            self._letter(word)
        elif self.open and len(word) <= 4 and set(word) <= INDEX_LETTERS and self._in_subscript():
            for letter in word:
                self._add("NAME", letter, 1)
        else:
            self._plain_word(word)

    def _apart(self, word: str) -> bool:
        """Say whether a word stands by itself: between spaces, signs $ and commas."""
        around = self.text[: self.at][-1:], self.text[self.at + len(word) :][:1]
        return all(not char or char.isspace() or char in "$,.;}" for char in around)

    def _labels(self, word: str) -> bool:
        """Say whether a word in a subscript is one: δ_{in} and a_{in} hold two indices, n_{in} and W_{in} a word."""
        return self._in_subscript() and (word != "in" or self._subscripted() in COUNTED_IN)

    def _subscripted(self) -> str:
        """Return the letter before the subscript that has just been opened."""
        return self.found[-3].value.partition("|")[0] if len(self.found) > 2 else ""

    def _in_subscript(self) -> bool:
        """Say whether the innermost brace opens a subscript."""
        depth = 0
        for n in range(len(self.found) - 1, 0, -1):
            kind = self.found[n].kind
            depth += (kind in CLOSING) - (kind in OPENING)
            if depth < 0:
                return kind == "LBRACE" and self.found[n - 1].kind == "SUB"
        return False

    def _letter(self, word: str) -> None:
        """Read one letter: a function such as E where a bracket follows, a gradient such as dP, or a name."""
        first = word[0]
        if first in LETTERLIKE and self._is_called(first):
            self._function(first, 1)
        elif first == "I" and self._relation_in_brackets():
            self._add("INDICATOR", "1", 1)
        elif first == "d" and len(word) > 1 and word[1].isupper() and self._last() != "SUB":
            self._name(word[1], 2, "d")
        else:
            self._name(first, 1)

    def _plain_word(self, word: str) -> None:
        """Read a word of plain text: a Greek letter, a separator, letters that stand together, or a name."""
        text, end = self.text, self.at + len(word)
        joined = re.fullmatch(r"(E|Var|Std|Cov)([A-Z]{1,3})", word)
        if word in GREEK:
            self._name(GREEK[word], len(word))
        elif word.lower() in SEPARATORS and not self.open:
            self._add("SEP", word, len(word))
        elif re.fullmatch(r"d[A-Z]", word):
            self._name(word[1], 2, "d")
        elif joined and not text.startswith("_", end):
            self._add("FUNC", joined[1], len(joined[1]))
            self._add("LPAR", "(", 0)
            for letter in joined[2]:
                self._add("NAME", letter, 1)
            self._add("RPAR", ")", 0)
        elif re.fullmatch(r"[A-Z][ijn]", word):
            self._name(word[0], 1)
            self._add("SUB", "_", 0)
            self._add("NAME", word[1], 1)
        elif (
            re.fullmatch(r"[A-Z]{2,3}|[abc][XYZ]|[AUVWM][xyzh]", word) or word in {"qk", "kq"} or self._is_product(word)
        ):
            for letter in word:
                self._add("NAME", letter, 1)
        else:
            self._name(word, len(word))

    def _is_product(self, word: str) -> bool:
        """Say whether two letters that stand together also stand alone, as in 2ab beside a^2 and b^2."""
        alone = (re.search(rf"(?<![A-Za-z_]){letter}([XYZ]\b|(?![A-Za-z(]))", self.text) for letter in word)
        return len(word) == 2 and all(alone)

    def _name(self, letter: str, width: int, accent: str = "") -> None:
        before = self._last()
        called = None if accent or before == "SUB" else PRIMED.match(self.text, self.at + width)
        if called and letter == "σ" and not AVERAGES.search(self.text):
            self._add(
                "FUNC",
                "sigmoid'" if called[1] else "sigmoid",
                width + called.end(1) - called.start() if called[1] else width,
            )
            return
        if called and before != "SUP" and ROW_CALLED.match(self.text, self.at + width):
            raise Unreadable(self.text, self.at, f"the function {letter} is not read", "softmax(x)_i for that function")
        if called and before != "SUP" and (len(letter) > 1 or letter in UNKNOWN_FUNCTIONS):
            raise Unreadable(self.text, self.at, f"the function {letter} is not read", "a product sign for a product")
        self._add("NAME", f"{letter}|{accent}" if accent else letter, width)
        digits = re.compile(r"\d+").match(self.text, self.at)
        if digits and not self.latex and before not in {"SUB", "SUP"}:
            self._check_digits(digits.group())
            self._add("SUB", "_", 0)
            self._add("NUMBER", digits.group(), digits.end() - self.at)

    def _is_called(self, word: str) -> bool:
        end = self.at + len(word)
        if word == "C":
            return re.compile(r"\s*\([^()]*(\([^()]*\))?[^()]*,").match(self.text, end) is not None
        if word == "P":
            inner = re.compile(r"\s*(?:\\left)?\s*[\[(](.{0,120})", re.DOTALL).match(self.text, end)
            return bool(inner and RELATIONS.search(inner[1]))
        called = CALLED.match(self.text, end) or CALLED_BELOW.match(self.text, end)
        return called is not None

    def _relation_in_brackets(self) -> bool:
        inner = re.compile(r"\s*(?:\\left)?\s*\\?[\[({]([^\[\](){}]{0,60})").match(self.text, self.at + 1)
        return bool(inner and RELATIONS.search(inner[1]))

    def _function(self, word: str, width: int) -> None:
        self._add("FUNC", FUNCTIONS.get(word, word), width)

    def _ends_sentence(self) -> bool:
        """Say whether a point ends a sentence: it follows at once and a word or a formula comes next, or a new part."""
        rest = self.text[self.at + 1 :]
        if rest[:1].strip() or not rest:
            return False
        follows = not self.text[self.at - 1].isspace() and rest.lstrip()[:1] not in "0123456789"
        return self._begins_sentence(rest) or (follows and bool(RELATIONS.search(rest)))

    def _begins_sentence(self, rest: str) -> bool:
        """Say whether a word such as Then or Let comes next, outside brackets."""
        word = re.compile(r"[\s$]+([A-Za-z]+)\b").match(rest)
        return bool(word and word[1].lower() in SEPARATORS and not self.open)

    def _method(self) -> None:
        """Read a Python method after a value: .T, .sum(…)."""
        found = re.compile(r"\.([A-Za-z_]+)").match(self.text, self.at)
        if found and found[1] in {"T", "mT"} and self._last() in OPERAND_END:
            self._add("TRANSPOSE", "T", found.end() - self.at)
        elif found and self._last() in OPERAND_END and re.match(r"[A-Za-z](_|\b)", found[1]):
            self._add("TIMES", "·", 1)
        elif found and self._last() in OPERAND_END:
            self._add("METHOD", found[1], found.end() - self.at)
        elif self._last() in OPERAND_END and not self.open and self._ends_sentence():
            self._add("SEP", ".", 1)
        elif self._last() in OPERAND_END and re.compile(r"(?<=\s)\.\s").match(self.text, self.at):
            self._add("TIMES", "·", 1)
        else:
            raise Unreadable(self.text, self.at, "a point stands alone here", "a decimal such as 0.5, or a method")

    def _indicates(self, end: int) -> bool:
        return re.compile(r"\s*(?:\\left)?\s*(?:\\?[\[({_])").match(self.text, end) is not None

    def _ones(self, width: int) -> None:
        self._add("INDICATOR" if self._indicates(self.at + width) else "ONES", "1", width)

    def _command(self) -> None:
        raise Unreadable(self.text, self.at, "a backslash begins a command of LaTeX")

    def _tidied(self) -> list[Token]:
        """Settle what needs the whole: functions without an operand are names, new lines go on or separate."""
        out: list[Token] = []
        depth = 0
        tokens = self.found
        for n, token in enumerate(tokens):
            later = next((each.kind for each in tokens[n + 1 :] if each.kind != "NEWLINE"), "")
            depth += (token.kind in OPENING) - (token.kind in CLOSING)
            before = out[-1].kind if out else ""
            if token.kind == "NEWLINE":
                goes_on = {"REL", "PLUS", "MINUS", "TIMES", "SLASH", "", "SEP"}
                if depth or later in goes_on or before in goes_on or not before:
                    continue
                token = Token("SEP", "\n", token.at)
            elif token.kind == "FUNC" and later not in OPERAND_START | {"SUB", "SUP"}:
                token = Token("NAME", token.value, token.at)
            elif token.kind == "FUNC" and token.value == "grad" and later == "SUB":
                applied = _after_subscript(tokens, n + 1) in OPERAND_START
                token = Token("NABLA", "∇", token.at) if applied else Token("NAME", "grad", token.at)
            if token.kind == "SEP" and (before in {"SEP", ""} or not later):
                continue
            if token.kind == "SEP" and later == "SEP" and token.value != "\n":
                continue
            out.append(token)
        while out and out[-1].kind == "SEP":
            out.pop()
        return out if self.latex else _powers_with_subscripts(out)


GREEK_LETTERS: Final = frozenset(GREEK.values()) - {"l"}


def _after_subscript(tokens: list[Token], n: int) -> str:
    """Return the kind of the token after a subscript that begins at n; "" at the end."""
    depth = 0
    for token in tokens[n + 1 :]:
        if depth == 0 and token.kind not in {"LBRACE", "NAME", "NUMBER"}:
            return token.kind
        depth += (token.kind == "LBRACE") - (token.kind == "RBRACE")
        if depth == 0:
            rest = tokens[tokens.index(token) + 1 :]
            return rest[0].kind if rest else ""
    return ""


def _powers_with_subscripts(tokens: list[Token]) -> list[Token]:
    """In plain text, e^z_i is e^{z_i}: put the exponent in braces."""
    out: list[Token] = []
    n = 0
    while n < len(tokens):
        kinds = [token.kind for token in tokens[n : n + 4]]
        if kinds == ["SUP", "NAME", "SUB", "NAME"] or kinds == ["SUP", "NAME", "SUB", "NUMBER"]:
            at = tokens[n + 1].at
            out += [tokens[n], Token("LBRACE", "{", at), *tokens[n + 1 : n + 4], Token("RBRACE", "}", at)]
            n += 4
        else:
            out.append(tokens[n])
            n += 1
    return out
