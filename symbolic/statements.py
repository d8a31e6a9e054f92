"""What is said about expressions: chains of (in)equalities, conditions, implications, and a formula with its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from symbolic.expressions import Expression, Index

__all__ = ["Chain", "Formula", "Implies", "Statement", "chain"]

RELATIONS = ("=", "≤", "≥", "<", ">", "≈", "≠")


@dataclass(frozen=True, slots=True)
class Chain:
    """Relate expressions one to the next: parts[0] relations[0] parts[1] …; `unlike` lists indices that must differ."""

    parts: tuple[Expression, ...]
    relations: tuple[str, ...]
    unlike: tuple[tuple[Index, Index], ...] = ()


@dataclass(frozen=True, slots=True)
class Implies:
    """State that the premises imply the conclusion; with both_ways, that they hold together."""

    premises: tuple[Chain, ...]
    conclusion: Chain
    both_ways: bool = False


Statement: TypeAlias = Chain | Implies


@dataclass(frozen=True, slots=True)
class Formula:
    """Give a claim's formula: its id, the section of the lesson, and one or more statements."""

    id: str
    section: int
    statements: tuple[Statement, ...]


def chain(*parts: Expression | str, unlike: tuple[tuple[Index, Index], ...] = ()) -> Chain:
    """Return a chain from expressions with the relations written between them.

    >>> from symbolic.expressions import Symbol
    >>> chain(Symbol("x"), "≤", Symbol("y")).relations
    ('≤',)
    """
    expressions = tuple(part for part in parts[::2] if isinstance(part, Expression))
    relations = tuple(part for part in parts[1::2] if isinstance(part, str) and part in RELATIONS)
    if len(expressions) + len(relations) != len(parts) or len(expressions) != len(relations) + 1:
        raise ValueError("a chain alternates expressions and relations, and begins and ends with an expression")
    return Chain(expressions, relations, unlike)
