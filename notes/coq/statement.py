"""What a statement is: a proposition that a named theorem has to prove."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["Statement"]


@dataclass(frozen=True, slots=True)
class Statement:
    """A closed proposition, the theorem that proves it, and the axioms that it may use."""

    id: str
    theorem: str
    module: str
    statement: str
    axioms: Literal["none", "reals"]
