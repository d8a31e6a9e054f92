"""What the pinned statements rest on: the definitions their words mean, read out of the proofs as text.

A pin holds a theorem to its statement, but a statement says nothing if its words change their meaning. So every
sentence that gives one a meaning is hashed, and compared with definitions.json. A word's meaning is each sentence of
that name in any of the files (a second ``exp`` in some later file would hide the first), the words it uses in turn, and
whatever has no name of its own but changes how all is read: imports, notations, scopes, settings. A sentence of a kind
not known here counts as one of those, and is refused as new. ``python -m notes.coq.definitions`` prints a new
definitions.json; the old one is replaced by hand, by somebody who has read what changed. Standard library only.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

__all__ = ["Definition", "committed", "definitions", "refused", "resting_on", "sources"]

# Sentences that give no word a meaning. What Variable or Axiom assumes is found in the theorem's type or its axioms.
SILENT: Final = re.compile(r"(Section|End|Proof|Qed|Admitted|Add Ring|Variables?|Hypothes[ie]s)\b")
NAMED: Final = re.compile(
    r"(?:#\[[^]]*\] )?(?:(?:Local|Global) )?"
    r"(?:Definition|Fixpoint|Record|Inductive|Lemma|Theorem|Corollary|Axiom|Parameter) ([\w']+)"
)
TOKEN: Final = re.compile(r'"[^"]*"|\(\*|\*\)')
WORD: Final = re.compile(r"[A-Za-z_][\w']*")


@dataclass(frozen=True, slots=True)
class Definition:
    """A sentence of a file that gives a word its meaning; without a name where it changes how all is read."""

    module: str
    name: str
    text: str

    @property
    def key(self) -> str:
        """Return what it is listed under."""
        return f"{self.module}.{self.name}" if self.name else f"{self.module}: {self.text}"

    @property
    def sha256(self) -> str:
        """Return the hash of its text, blanks made single."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def _without_comments(source: str) -> str:
    kept, depth, start = [], 0, 0
    for token in TOKEN.finditer(source):
        if token[0] == "(*":
            if not depth:
                kept.append(source[start : token.start()])
            depth += 1
        elif token[0] == "*)" and depth:
            depth -= 1
            start = token.end()
    return " ".join([*kept, "" if depth else source[start:]])


def _sentences(source: str) -> Iterator[str]:
    """Give the commands of a file, blanks made single; tactics start with a small letter, and are left out."""
    for sentence in re.split(r"\.(?=\s|$)", _without_comments(source)):
        text = re.sub(r"^(?:[-+*{}]|\d+:|\s)+", "", " ".join(sentence.split()))
        if text[:1].isupper() or text.startswith("#["):
            yield text


def definitions(texts: Mapping[str, str]) -> tuple[Definition, ...]:
    """Return what gives a meaning in the files, given as the text of each module."""
    found = []
    for module, source in texts.items():
        for text in _sentences(source):
            if not SILENT.match(text):
                named = NAMED.match(text)
                found.append(Definition(module, named[1] if named else "", text))
    return tuple(found)


def resting_on(statements: Iterable[str], all_definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """Return what the words of statements mean, down to the words of Coq itself."""
    by_name: dict[str, list[Definition]] = {}
    for definition in all_definitions:
        by_name.setdefault(definition.name, []).append(definition)
    wanted = dict.fromkeys(by_name.get("", []))
    words = [word for text in (*statements, *(d.text for d in wanted)) for word in WORD.findall(text)]
    while words:
        for definition in by_name.get(words.pop(), []):
            if definition not in wanted:
                wanted[definition] = None
                words += WORD.findall(definition.text)
    return tuple(definition for definition in all_definitions if definition in wanted)


def committed() -> dict[str, str]:
    """Return the hashes that somebody has read and kept, by key."""
    found: dict[str, str] = json.loads(files("notes.coq").joinpath("definitions.json").read_text("utf-8"))
    return found


def refused(found: Iterable[Definition], kept: dict[str, str]) -> dict[str, str]:
    """Return the keys that are not as they were kept, with what happened: new, changed or missing."""
    hashes = {d.key: d.sha256 for d in found}
    return {
        key: "new" if key not in kept else "missing" if key not in hashes else "changed"
        for key in hashes | kept
        if hashes.get(key) != kept.get(key)
    }


def sources() -> dict[str, str]:
    """Return the text of each file of proofs, by module, in the order in which they compile."""
    from notes.coq.statements import MODULES

    folder = files("notes.coq")
    return {module: folder.joinpath(f"{module}.v").read_text("utf-8") for module in MODULES}


if __name__ == "__main__":
    from notes.coq.statements import STATEMENTS

    rest = resting_on((s.statement for s in STATEMENTS), definitions(sources()))
    print(json.dumps({d.key: d.sha256 for d in rest}, ensure_ascii=False, indent=1))
