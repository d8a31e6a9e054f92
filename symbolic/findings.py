"""What a route hands back: a record of what was shown and how far it reaches; or NotShown, with the counterexample."""

from __future__ import annotations

from dataclasses import dataclass

from symbolic.calculus import Setting
from symbolic.counterexamples import Counterexample, counterexample
from symbolic.expressions import Expression, Index
from symbolic.statements import Chain, chain

__all__ = ["Finding", "NotShown", "identity"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Say that a claim was shown: by which route, for which sizes, by which rule; and the statements that were decided.

    `detail` gives the argument that carries the statements to the claim.
    """

    claim: str
    route: str
    scope: str
    rule: str
    statements: tuple[Chain, ...] = ()
    detail: str = ""


class NotShown(Exception):
    """A statement does not hold; the message carries the smallest counterexample."""

    def __init__(self, claim: str, found: Counterexample | str) -> None:
        """Name the claim and what contradicts it."""
        super().__init__(f"{claim}: {found}")
        self.claim, self.counterexample = claim, found


def identity(
    claim: str,
    left: Expression,
    right: Expression,
    setting: Setting | None = None,
    *,
    unlike: tuple[tuple[Index, Index], ...] = (),
) -> Chain:
    """Return an equation as a chain once it is decided to hold for every size; or raise NotShown, and say where not."""
    found = counterexample(left, right, setting, unlike=unlike)
    if found is not None:
        raise NotShown(claim, found)
    return chain(left, "=", right, unlike=unlike)
