"""Kronecker deltas between free indices in polynomials: brought to one form, so that equal polynomials look equal."""

from __future__ import annotations

from symbolic.expressions import Index
from symbolic.polynomial import ONE, Polynomial, Rules, entry, plus, renamed_free, times

__all__ = ["settled"]


def settled(value: Polynomial, rules: Rules) -> Polynomial:
    """Return a polynomial in which indices held equal by deltas have one name, and a delta for each other name.

    A term vanishes where its deltas hold two different numbers equal.
    """
    if not any(factor[0] == "δ" for term in value for factor in term.entries):
        return value
    pieces: list[Polynomial] = []
    for term, c in value.items():
        groups = _groups([ids for name, ids, _ in term.entries if name == "δ"])
        if any(sum(at.fixed for at in group) > 1 for group in groups):
            continue
        rest: Polynomial = {term._replace(entries=tuple(f for f in term.entries if f[0] != "δ")): c}
        deltas = ONE
        for group in groups:
            first, *others = sorted(group, key=lambda at: (not at.fixed, at.name, at.over))
            for other in others:
                rest = renamed_free(rest, other, first, rules)
                deltas = times(deltas, entry("δ", (first, other)), rules)
        pieces.append(times(rest, deltas, rules))
    return plus(*pieces)


def _groups(pairs: list[tuple[Index, ...]]) -> list[set[Index]]:
    """Return the sets of indices that chains of equalities hold together."""
    groups: list[set[Index]] = []
    for pair in pairs:
        joined = set(pair)
        for group in [group for group in groups if group & joined]:
            groups.remove(group)
            joined |= group
        groups.append(joined)
    return groups
