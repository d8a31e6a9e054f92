"""The derivation as an article: every claim with its formula, its proof, how it was established and its Coq statement.

The words are those of the lesson and of the report, the formulas those of symbolic/formulas, what was established is
what a run of the derivation finds, and the tables are drawn again: nothing is written here a second time.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from exact.cube import signs
from exact.rationals import write_rational
from notes import drawings, sampled, sheets, teaching
from notes.document_evidence import Findings, as_code, coq_definitions, coq_statement, evidence, how_established
from notes.formulas_text import aligned, chosen, derivations, sentence
from notes.letters import SYMBOLS, symbol, with_divided_row
from notes.questions import LETTERS, QUESTIONS, Number, Question
from symbolic.formulas import DEFINITIONS, formula
from symbolic.latex import align, document, escaped, worded
from symbolic.laws import PROVED, prove
from symbolic.writing import Notation

__all__ = ["article"]

WALKED: Final = ((1, -1, 1), 0, 1)  # the query of the proof step by step, and r and s, from 0
STEPS: Final = ("start", "partner", "terms", "table", "total", "cross", "diagonal", "average")
BY_ALGEBRA: Final = frozenset(claim for claim, _ in PROVED) - {"jacobian"}  # which is derived in steps
MEASURED: Final = ("score-size", "softmax-row")
PACKAGES: Final = r"""\usepackage{booktabs,float,verbatim,xcolor}
\usepackage[hidelinks]{hyperref}
\definecolor{winner}{RGB}{0,90,160}
\definecolor{other}{RGB}{165,190,212}
\definecolor{pair}{RGB}{0,90,160}
\definecolor{edge}{RGB}{150,150,150}
\definecolor{plus}{RGB}{214,232,246}
\definecolor{minus}{RGB}{252,226,200}
\definecolor{aside}{RGB}{80,80,80}
\setlength{\emergencystretch}{5em}
\setlength{\fboxsep}{1.5pt}
\newcommand{\claim}[1]{\par\pagebreak[1]\medskip\textbf{\textsf{#1}}\quad}
\newcommand{\established}[1]{{\small\color{aside}#1\par}}
\makeatletter % no page ends between a statement and the line above it
\newenvironment{coq}{\scriptsize\color{aside}\topsep=2pt\partopsep=0pt\@beginparpenalty=10000\verbatim}{\endverbatim}
\makeatother
\ifdefined\pdftrailerid \pdfinfoomitdate=1 \pdftrailerid{}\fi % the same text is the same file, byte for byte
"""
Words = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Paper:
    """What an article is written from: its letters, its words (of the lesson too), and what was found."""

    letters: Notation
    words: Words
    found: Findings

    @property
    def point(self) -> str:
        """What separates decimals, as LaTeX."""
        mark: str = self.words["document"]["point"]
        return "{,}" if mark == "," else mark  # a comma alone is followed by a space

    def say(self, text: str) -> str:
        """Write words as LaTeX, in the letters of the article."""
        return worded(text, self.letters)

    def paragraphs(self, texts: Sequence[str]) -> str:
        """Write paragraphs; the last is left open, since an empty line before a formula would part the two."""
        return "\n\n".join(map(self.say, texts))


def article(claim: str | None, letters: Notation, words: Words, found: Findings) -> str:
    """Write the whole derivation as a LaTeX document, or (with an id) the part on one formula; BadInput for no id."""
    paper = Paper(letters, words, found)
    body = _whole(paper) if claim is None else [*_claim(chosen(claim)[0].id, paper), *_definitions((claim,), paper)]
    return document("\n".join(body), packages=PACKAGES + _language(words["document"]))


def _language(say: Mapping[str, Any]) -> str:
    lines = [
        rf"\hypersetup{{pdftitle={{{escaped(say['pdf_title'])}}},pdflang={{{say['language']}}}}}",
        rf"\renewcommand{{\figurename}}{{{say['figure']}}}",
        rf"\renewcommand{{\tablename}}{{{say['table']}}}",
    ]
    if say["language"] != "en":  # LaTeX's own patterns are English, and would break other words wrongly
        lines.append(r"\hyphenpenalty=10000 \exhyphenpenalty=10000")
    return "\n".join(lines) + "\n"


# ---- the parts ------------------------------------------------------------------------------------------------------


def _whole(paper: Paper) -> Iterator[str]:
    lesson = paper.words["lesson"]
    yield rf"\begin{{center}}{{\LARGE\bfseries {paper.say(lesson['title'])}\par}}\end{{center}}"
    yield rf"\begin{{quote}}{paper.say(lesson['lead'])}\end{{quote}}"
    yield ""
    for section in teaching.SECTIONS:
        say = lesson[section.id]
        yield rf"\section{{{paper.say(say['title'])}}}"
        yield paper.paragraphs(say["opening"])
        yield from PARTS[section.id](section, paper)
        yield ""
        yield paper.paragraphs(say["closing"])
    yield from _answers(paper)
    claims = [claim for section in teaching.SECTIONS[:2] for claim in section.claims]
    yield from _definitions(claims, paper)


def _size(section: teaching.Section, paper: Paper) -> Iterator[str]:
    yield align([statement for found in DEFINITIONS for statement in found.statements], paper.letters)
    yield from _letters(paper)
    yield rf"\subsection*{{{paper.say(paper.words['document']['how'])}}}"
    yield how_established(paper.found, paper.words, paper.letters)
    for claim in section.claims:
        yield from _claim(claim, paper)
        if claim == "pairing":
            yield from _pairing(paper)
    yield ""


def _letters(paper: Paper) -> Iterator[str]:
    say = paper.words["notation"]
    yield rf"\subsection*{{{paper.say(say['title'])}}}"
    yield r"\begin{tabular}{@{}lp{0.72\textwidth}@{}}\toprule"
    for key, shown in SYMBOLS:
        yield rf"${symbol(shown, paper.letters)}$ & {paper.say(say[key])} \\"
    yield r"\bottomrule\end{tabular}"
    yield ""


def _gradient(section: teaching.Section, paper: Paper) -> Iterator[str]:
    yield ""
    for why in paper.words["why"].values():
        yield rf"\established{{{paper.say(' '.join(why.split()))}}}"
    for claim in section.claims:
        yield from _claim(claim, paper)
    yield ""


def _claim(claim: str, paper: Paper) -> Iterator[str]:
    """Write a claim: its sentence, formula, explanation and proof, how it was established, and Coq's statement."""
    words, letters = paper.words, paper.letters
    yield rf"\claim{{{escaped(claim)}}}\emph{{{paper.say(sentence(claim, words))}}}\nopagebreak"
    yield align(formula(claim).statements, letters)
    texts = [words[table][claim] for table in ("explained", "arguments") if claim in words[table]]
    yield paper.paragraphs(texts)
    for steps in derivations(claim):
        yield rf"\par {paper.say(words['latex'][steps.key])}\nopagebreak"
        yield aligned(steps, letters, words)
    shown = formula(claim).statements
    proved = [found for found in prove(claim).statements if found not in shown] if claim in BY_ALGEBRA else []
    if proved:
        yield align(with_divided_row(claim, proved, letters), letters)
    yield ""
    yield from evidence(claim, paper.found, words, letters)
    yield from coq_statement(claim, paper.found, words)
    yield ""


# ---- the pairing ----------------------------------------------------------------------------------------------------


def _pairing(paper: Paper) -> Iterator[str]:
    """Write the proof step by step for three coordinates, with the table of all keys, and the keys as a cube."""
    query, r, s = WALKED
    say, facts = paper.words["proof"], teaching.facts(query, r, s)
    yield rf"\subsection*{{{paper.say(say['title'])}}}"
    yield paper.say(say["given"].format(**facts)) + ".\n"
    for step in STEPS:
        text, why = " ".join(say[step]["text"]).format(**facts), say[step]["why"].format(**facts)
        yield rf"\textbf{{{paper.say(say[step]['title'])}.}} {paper.say(text)}"
        if step == "table":
            yield from _pairs(query, r, s, paper)
        yield paper.say(why)
        if step == "cross":  # whose words end in a colon
            sums = [rf"\sum t_{a + 1} t_{b + 1} = {value}" for a, b, value in teaching.crossed(query)]
            yield r"\[" + r",\qquad ".join(sums) + r"\]"
        yield ""


def _pairs(query: Sequence[int], r: int, s: int, paper: Paper) -> Iterator[str]:
    d, columns = len(query), paper.words["proof"]["columns"]
    head = [columns[name] for name in ("key", "partner", "here", "there", "sum")]
    term = rf"$t_{r + 1} t_{s + 1}$"
    head[2:4] = [f"{term} {paper.say(text)}" for text in head[2:4]]
    yield r"\begin{table}[H]\centering"
    yield r"\begin{tabular}{ccrrr}\toprule"
    yield " & ".join(head) + r" \\ \midrule"
    for row in teaching.rows(query, (r, s)):
        keys = [_signs(key, d) for key in (row.key, row.partner)]
        numbers = [f"${write_rational(x)}$" for x in (row.here, row.there, row.total)]
        yield " & ".join(keys + numbers) + r" \\"
    yield r"\bottomrule\end{tabular}"
    yield rf"\caption{{{paper.say(paper.words['document']['pairs_caption'])}}}\end{{table}}"
    yield r"\begin{figure}[H]\centering"
    yield drawings.cube(query, r, s)
    yield rf"\caption{{{paper.say(paper.words['document']['cube_caption'])}}}\end{{figure}}"


def _signs(key: int, d: int) -> str:
    shown = r"\,".join("{-}" if sign < 0 else "{+}" for sign in signs(key, d))
    return f"$({shown})$"


# ---- the tables and the figure --------------------------------------------------------------------------------------


def _measured(_: teaching.Section, paper: Paper) -> Iterator[str]:
    words = paper.words["document"]
    for name in MEASURED:
        sheet = sampled.lesson_sheet(name, None)
        rows: list[dict[str, str]] = sheets.as_data(sheet)["rows"]
        heads = sheets.heads(rows[0], paper.words["sample"])
        yield r"\begin{table}[!htb]\centering"
        yield rf"\begin{{tabular}}{{{'r' * len(heads)}}}\toprule"
        yield " & ".join(map(paper.say, heads)) + r" \\ \midrule"
        for row in rows:
            cells = [paper.say("√d_k") if x == "sqrt" else f"${x.replace('.', paper.point)}$" for x in row.values()]
            yield " & ".join(cells) + r" \\"
        yield r"\bottomrule\end{tabular}"
        command = as_code(f"sqrtdk sample --table {name}")
        yield rf"\caption{{{escaped(words[name].format(**sheet.drawn))} {command}.}}\end{{table}}"


def _figure(_: teaching.Section, paper: Paper) -> Iterator[str]:
    say, figure = paper.words["figure"], teaching.FIGURE
    names = {"": say["divisor"]} | {divisor: say["divisors"][divisor] for divisor in teaching.DIVISORS}
    names = {divisor: paper.say(name) for divisor, name in names.items()}
    z = ",\\; ".join(f"{float(x):g}".replace(".", paper.point) for x in figure.scores)
    width = paper.say("d_k").strip("$")
    yield r"\begin{figure}[H]\centering"
    yield drawings.bars(teaching.groups(figure.scores, figure.widths), names, width, paper.point)
    yield rf"\caption{{{paper.say(say['title'])}: $z = ({z})$. {paper.say(say['ask'])}}}\end{{figure}}"
    yield ""


# ---- the questions and the challenge --------------------------------------------------------------------------------


def _questions(_: teaching.Section, paper: Paper) -> Iterator[str]:
    yield r"\begin{enumerate}"
    for asked in QUESTIONS:
        say = paper.words["questions"][asked.id]
        yield rf"\item {paper.say(say['ask'])} ({paper.say(paper.words['questions'][asked.kind])})"
        if not isinstance(asked, Number):
            yield from _listed(asked, say["options"], paper)
    yield r"\end{enumerate}"


def _listed(asked: Question, texts: Mapping[str, str], paper: Paper) -> Iterator[str]:
    if not isinstance(asked, Number):
        letters = zip(LETTERS, asked.options, strict=False)
        yield from _described([(f"{letter})", texts[key]) for letter, (key, _) in letters], paper)


def _described(items: Sequence[tuple[str, str]], paper: Paper) -> Iterator[str]:
    yield r"\begin{description}"
    yield from (rf"\item[{label}] {paper.say(text)}" for label, text in items)
    yield r"\end{description}"


def _answers(paper: Paper) -> Iterator[str]:
    yield rf"\section*{{{paper.say(paper.words['document']['answers'])}}}"
    yield r"\begin{enumerate}"
    for asked in QUESTIONS:
        say = paper.words["questions"][asked.id]
        claims = ", ".join(rf"\textsf{{{escaped(claim)}}}" for claim in asked.claims)
        rests = paper.say(paper.words["questions"]["rests"].replace("{claims}", "@")).replace("@", claims)
        yield rf"\item \textbf{{{_right(asked)}}} {paper.say(say['why'])} {rests}"
        if isinstance(asked, Number):
            mistakes = [(f"${write_rational(wrong)}$:", say["mistakes"][key]) for key, wrong in asked.mistakes]
            yield from _described(mistakes, paper)
        else:
            yield from _listed(asked, say["reasons"], paper)
    yield r"\end{enumerate}"


def _right(asked: Question) -> str:
    if isinstance(asked, Number):
        return rf"${write_rational(asked.answer)} \pm {write_rational(asked.tolerance)}$."
    letters = [letter for letter, (key, _) in zip(LETTERS, asked.options, strict=False) if key in asked.right]
    return ", ".join(letters) + "."


def _challenge(_: teaching.Section, paper: Paper) -> Iterator[str]:
    say, task = paper.words["challenge"], teaching.CHALLENGE
    spanish, english = task.names
    name, other = (spanish, english) if paper.words["document"]["language"] == "es" else (english, spanish)

    def code(text: str, shown: str) -> str:
        """Write words in which @ stands for what is set as code."""
        return paper.say(text).replace("@", as_code(shown))

    arguments = f"({', '.join(task.arguments)})"
    yield ""
    yield code(say["statement"].replace("{name}" + arguments, "@"), name + arguments)
    yield code(say["other_name"].replace("{name}", "@"), other)
    yield align(formula(task.formula).statements, paper.letters)
    yield rf"\textbf{{{paper.say(say['rules_title'])}}}\nopagebreak\begin{{itemize}}"
    yield from (rf"\item {paper.say(say['rules'][rule])}" for rule in task.rules)
    yield r"\end{itemize}"
    yield rf"{paper.say(say['command_title'])}:\par\quad {code('@', task.command.format(name=name))}"


def _definitions(claims: Sequence[str], paper: Paper) -> Iterator[str]:
    say, texts = paper.words["document"], list(coq_definitions(claims))
    if texts:
        yield rf"\section*{{{paper.say(say['definitions'])}}}"
        yield r"\enlargethispage{\baselineskip}"  # a last line alone would take a page; two would meet the page number
        command = as_code("sqrtdk check --machine --thorough")
        yield paper.say(say["definitions_why"]).replace("@", command) + "\n"
        yield from texts


PARTS: Final = {
    "size": _size,
    "gradient": _gradient,
    "measured": _measured,
    "figure": _figure,
    "questions": _questions,
    "challenge": _challenge,
}
