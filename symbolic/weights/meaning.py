"""From what was read to what is meant: a tree of surface becomes expressions that can be decided.

The letters get their parts from roles.  Rows without indices become tensors, softmax(…) becomes weights where its
argument is the row of scores, and is written out where it is not; a loss that is not defined is the one its right side
speaks of.  What has no meaning here is refused with its place (OutsideClass), never passed over.
"""

from __future__ import annotations

from dataclasses import dataclass

from exact.verdicts import Note, note
from symbolic.calculus import Setting
from symbolic.expressions import (
    Entry,
    Expression,
    Index,
    OutsideClass,
    Sum,
    Symbol,
    renamed,
    walk,
)
from symbolic.plain import plain
from symbolic.reading.surface import (
    Big,
    Called,
    Divided,
    Listed,
    Name,
    Reading,
)
from symbolic.weights.letters import LABELS, Choice, Definition, Roles, free_letters, softmaxed
from symbolic.weights.names import UNIT
from symbolic.weights.operations import Operations, coefficient
from symbolic.weights.settling import settled
from symbolic.writing import Notation

__all__ = ["Meant", "mean"]


@dataclass(frozen=True, slots=True)
class Meant:
    """A claim as expressions: its parts, its relations, the setting, indices that must differ, what was resolved.

    `even`: its shapes fit only where T = d.
    """

    parts: tuple[Expression, ...]
    relations: tuple[str, ...]
    setting: Setting
    unlike: tuple[tuple[Index, Index], ...]
    size: int | None
    notes: tuple[Note, ...]
    roles: Roles
    even: bool = False


def mean(reading: Reading, choice: Choice | None = None) -> Meant:
    """Give a reading its meaning; OutsideClass says what has none.  A choice settles what has two readings."""
    return _Meaning(reading, choice or Choice()).meant()


class _Meaning(Operations):
    def __init__(self, reading: Reading, choice: Choice) -> None:
        reading, notes = settled(reading, entrywise=choice.entrywise)
        super().__init__(reading, choice)
        self.notes += notes
        self._undo_what_is_no_softmax()

    def meant(self) -> Meant:
        claim = self.reading.claim
        lettered = [free_letters(part) for part in claim.parts]
        self.free = set().union(*lettered)
        env = {letter: self._index(letter, claim) for letter in sorted(self.free)}
        tensors = [self.tensor(part, env) for part in claim.parts]
        axes = max((tensor.axes for tensor in tensors), key=len)
        for tensor in tensors:
            if tensor.axes and tensor.axes != axes and len(tensor.axes) == len(axes):
                both = list(zip(tensor.axes, axes, strict=True))
                axes = tuple(a or b for a, b in both)
                self.even |= any(a != b and "" not in {a, b} for a, b in both)
        taken = {index.name for index in env.values()}
        at = self._new_indices(axes, taken)
        for tensor in tensors:
            if len(tensor.axes) not in {0, len(axes)}:
                raise OutsideClass(f"{tensor} is set equal to {tensors[0]}")
        parts = tuple(tensor.at(at) if tensor.axes else tensor.at(()) for tensor in tensors)
        unlike = tuple((env.get(i, Index(i)), env.get(j, Index(j))) for i, j in self.roles.unlike)
        setting = self._setting(parts)
        size = self.roles.fixed.get("T", next((v for k, v in self.roles.fixed.items() if k != "d"), None))
        self._say_rows(parts, setting)
        if self.even:
            self.notes.append(note("even", width=self.roles.lines or "d"))
        notes = tuple(dict.fromkeys(self.notes))
        return Meant(parts, claim.relations, setting, unlike, size, notes, self.roles, self.even)

    def _say_rows(self, parts: tuple[Expression, ...], setting: Setting) -> None:
        found = self.roles
        used = {node.name for part in parts for node in walk(part) if isinstance(node, Entry)}
        if found.weights in used:
            scores = Symbol(found.scores or "e")
            shown = plain(scores if setting.scale == UNIT else setting.scale * scores, Notation(width="d"))
            self.notes.append(note("weights", weights=found.weights, scores=shown))
        if found.upstream in used:
            self.notes.append(note("upstream", upstream=found.upstream))
        for label in found.labels:
            kind = "labels" if label in LABELS or setting.weights in used else "row-total"
            self.notes += [note(kind, labels=label)] if label in used else []

    def _undo_what_is_no_softmax(self) -> None:
        """Take the weights for a softmax only where their definition says so; else keep it, to be written out."""
        name = self.roles.weights
        definition = self.roles.definitions.get(name)
        if definition is None:
            return
        scale = self._scale_of(definition)
        if scale is None:
            self.roles.weights = ""
            return
        del self.roles.definitions[name]
        self.scale, self.defined = scale, True
        value = definition.value
        if isinstance(value, Divided) and isinstance(value.under, Name):
            self.notes.append(note("normaliser", letter=value.under.letter))
            old = next(iter(definition.subscripts), Name("j"))
            self.roles.definitions.setdefault(value.under.letter, Definition((), Big("sum", (old,), value.over)))

    def _scale_of(self, definition: Definition) -> Expression | None:
        """Return the factor of the scores where a definition is their softmax, and None where it is anything else."""
        value, scores = definition.value, self.roles.scores
        inside = softmaxed(value)
        if isinstance(value, Called) and value.function == "logsoftmax":
            return None
        if isinstance(inside, Listed):
            return UNIT
        if inside is None or (isinstance(value, Divided) and not self._normalised(definition, value)):
            return None
        row = self.tensor(inside, {})
        if row.axes:
            return coefficient(row.at(tuple(Index(letter) for letter in "mn"[: len(row.axes)])), scores)
        return coefficient(row.at(()), scores)

    def _normalised(self, definition: Definition, value: Divided) -> bool:
        """Say whether what stands below is the sum of what stands above, over its last index; an unknown Z is."""
        under = value.under
        if isinstance(under, Name) and under.letter == "Z" and not under.subscripts:
            if "Z" not in self.roles.definitions:
                return True
            under = self.roles.definitions["Z"].value
        if not isinstance(under, Big | Called) or not definition.subscripts:
            return False
        own = {letter.letter: Index(letter.letter) for letter in definition.subscripts}
        m, last = Index("m'"), own[definition.subscripts[-1].letter]
        over, below = self.tensor(value.over, own).at(()), self.tensor(under, own)
        if below.axes or not isinstance(total := below.at(()), Sum) or total.unlike:
            return False
        return renamed(total.body, {total.index: m}) == renamed(over, {last: m})
