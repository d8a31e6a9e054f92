r"""From text to tokens: LaTeX, Python and plain mathematics come out as the same few terminals.

What depends on the place is settled here, so that the grammar has one meaning for each terminal: whether a bar opens or
closes, whether a bracket after a name is a Python index, whether d begins a derivative, whether ^T is a transpose,
which letters are one word.  In a text with a backslash, letters stand alone and a subscript takes one of them, as LaTeX
has it; without, a_ij is a_{ij} and head_size is a word.  Bounded: text, tokens, digits and nesting have limits.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from exact.rationals import BadInput
from symbolic.reading.alphabet import (
    FUNCTIONS,
    GREEK,
    INDEX_LETTERS,
    LETTERLIKE,
    PREFIXES,
    SEPARATORS,
    SIGNS,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    WORDS,
)

__all__ = ["LIMITS", "OPERAND_START", "Scanner", "Token", "Unreadable"]

LIMITS: Final = {"characters": 12_000, "symbols": 4_000, "digits in a number": 100, "brackets inside brackets": 50}

OPENING: Final = frozenset(
    ["LPAR", "LBRACK", "LBRACE", "SETOPEN", "INDEXOPEN", "ABSOPEN", "NORMOPEN", "LANGLE", "FLOOROPEN"]
)
CLOSING: Final = frozenset(["RPAR", "RBRACK", "RBRACE", "SETCLOSE", "ABSCLOSE", "NORMCLOSE", "RANGLE", "FLOORCLOSE"])
OPERAND_END: Final = CLOSING | frozenset(["NUMBER", "NAME", "ONES", "DOTS", "TRANSPOSE", "TOP", "BANG", "PRIME"])
OPERAND_START: Final = (OPENING - {"INDEXOPEN"}) | frozenset(
    ["NUMBER", "NAME", "ONES", "DOTS", "FUNC", "FRAC", "BINOM", "SQRT", "SUM", "PARTIAL", "NABLA", "INDICATOR"]
)
COUNTED_IN: Final = frozenset({"n", "N", "d", "D", "W", "fan", "σ", "h"})
UNKNOWN_FUNCTIONS: Final = frozenset({"f", "F", "φ", "ψ"})
BARS: Final = {"|": ("ABSOPEN", "ABSCLOSE"), "‖": ("NORMOPEN", "NORMCLOSE")}
ARGUMENTS: Final = {"FRAC": 2, "BINOM": 2, "SQRT": 1}

SPACE = re.compile(r"(?:\s|~|\\[,;:!> ]|%[^\n]*|&)+")
LABEL_ABOVE = re.compile(r"\{\s*\(\s*[\w+-]+\s*\)\s*\}")
PLAIN_SPACE = re.compile(r"(?:\s|~|&)+")
INDEX = re.compile(r"\[\s*\w+(\s*[-+]\s*\w+)?(\s*,\s*\w+(\s*[-+]\s*\w+)?)*\s*\]")
NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
DICE = re.compile(r"(\d+)d(\d+)(?![A-Za-z_])")
LETTERS = re.compile(r"[A-Za-z]+")
WORDED = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)*")
TRANSPOSED = re.compile(r"\s*(?:\{\s*)?(?:T(?![A-Za-z])|\\(?:mathsf|mathrm|mathtt)\s*(?:T|\{T\}))(?:\s*\})?")
OPERAND = r"(?:\\?[A-Za-z]+\([^()]{1,60}\)|\\?[A-Za-zα-ωΑ-Ω]+)(?:_\{[^{}]{0,30}\}|_[A-Za-z0-9]+|\[[^\[\]]{0,30}\])?"
SLOPE = re.compile(rf"d\s?{OPERAND}\s*/\s*(d)\s?(?=[A-Za-zα-ω\\])")
CALLED = re.compile(r"\s*(?:\\left|\\[bB]igg?l?)?\s*(?:\\?[\[({|]|\\\|)")
CALLED_BELOW = re.compile(r"\s*_\s*(?:\{[^{}]*\}|\w)\s*(?:\\left|\\[bB]igg?l?)?\s*\\?[\[({]")
ASIDE = re.compile(r"\(([^()\[\]]{1,60})\)[\s$.]*(?:$|[,;\n]|\\[,;\\\]]|\\implies|\\quad|\\end|⇒)")
RELATIONS = re.compile(r"=|<|>|≤|≥|≠|\\(?:le|ge|ne|leq|geq|neq|lt|gt|approx)\b")


PRIMED = re.compile(r"\s*('|\^\s*\{?\s*(?:\\prime|')\s*\}?)?\s*(?:\\left|\\[bB]igg?l?)?\s*\(")
AVERAGES = re.compile(
    r"\\mathbb\s*\{?[EP]|𝔼|\b(?:E|Var|Cov|Corr|Std|P|Pr)\s*(?:\\left|\\[bB]igg?l?)?\s*[(\[|{\\]|\\(?:Var|Cov|Pr)\b"
)


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


class Scanner:
    """Reads plain mathematics; what LaTeX adds is a subclass."""

    def __init__(self, text: str) -> None:
        """Begin at the beginning."""
        self.text, self.at = text, 0
        self.latex = "\\" in text
        self.found: list[Token] = []
        self.open: list[tuple[str, int]] = []  # the kind of each open bracket, and the arguments still due around it
        self.due = 0  # how many single-token arguments of \frac and the like are still to come
        self.slopes: set[int] = set()  # where a d begins a derivative
        self.asides: set[int] = set()  # where the bracket around a condition closes

    def tokens(self) -> list[Token]:
        """Return the tokens of the whole text."""
        while self.at < len(self.text):
            self._step()
        return self._tidied()

    # One step: the longest thing that starts here.

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

    # Bars, brackets and signs.

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

    def _sign(self) -> None:
        text, at = self.text, self.at
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

    # Subscripts and superscripts.

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

    # Numbers and words.

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
        if value.endswith(".") and not text[at + len(value) :].strip(" $"):
            value = value[:-1]
        self._check_digits(value)
        self._add("NUMBER", value, len(value))

    def _check_digits(self, value: str) -> None:
        if len(value) > LIMITS["digits in a number"]:
            raise Unreadable(
                self.text,
                self.at,
                f"a number may have at most {LIMITS['digits in a number']} digits (got {len(value)})",
            )

    def _word(self) -> None:
        text, at = self.text, self.at
        if at in self.slopes:
            self._add("PARTIAL", "∂", 1)
            return
        if text[at] == "d" and self._last() != "SUB" and (slope := SLOPE.match(text, at)):
            self.slopes |= {slope.start(1)}
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
        elif self.latex and len(word) > 3 and not self.open and self._apart(word):
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

    def _names_a_kind(self, word: str) -> bool:
        """Say whether a subscript is a word, as in d_model or n_in; δ_{in} has the indices i and n."""
        base = next((t.value for t in reversed(self.found) if t.kind not in {"SUB", "LBRACE"}), "")
        return word.lower() in WORDS and (word != "in" or base in {"n", "d", "fan", "D", "N"})

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
        elif re.fullmatch(r"[A-Z]{2,3}|[abc][XYZ]", word) or word in {"qk", "kq"} or self._is_product(word):
            for letter in word:
                self._add("NAME", letter, 1)
        else:
            self._name(word, len(word))

    def _is_product(self, word: str) -> bool:
        """Say whether two letters that stand together also stand alone, as in 2ab beside a^2 and b^2."""
        alone = (re.search(rf"(?<![A-Za-z_]){letter}(?![A-Za-z(])", self.text) for letter in word)
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

    def _method(self) -> None:
        """Read a Python method after a value: .T, .sum(…)."""
        found = re.compile(r"\.([A-Za-z_]+)").match(self.text, self.at)
        if found and found[1] in {"T", "mT"} and self._last() in OPERAND_END:
            self._add("TRANSPOSE", "T", found.end() - self.at)
        elif found and self._last() in OPERAND_END and re.match(r"[A-Za-z](_|\b)", found[1]):
            self._add("TIMES", "·", 1)
        elif found and self._last() in OPERAND_END:
            self._add("METHOD", found[1], found.end() - self.at)
        else:
            raise Unreadable(self.text, self.at, "a point stands alone here", "a decimal such as 0.5, or a method")

    def _indicates(self, end: int) -> bool:
        return re.compile(r"\s*(?:\\left)?\s*(?:\\?[\[({_])").match(self.text, end) is not None

    def _ones(self, width: int) -> None:
        self._add("INDICATOR" if self._indicates(self.at + width) else "ONES", "1", width)

    def _command(self) -> None:
        raise Unreadable(self.text, self.at, "a backslash begins a command of LaTeX")

    # The whole.

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
