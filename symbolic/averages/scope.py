"""The evidence for a claim about averages: where it holds, under which laws, and by which rules."""

from __future__ import annotations

from exact.evidence import Domain, Evidence, Rung
from symbolic.averages.case import Case
from symbolic.averages.coincidences import free_indices
from symbolic.averages.quotients import Quotient, as_number
from symbolic.averages.search import Sides
from symbolic.averages.writing import text

__all__ = ["domain_of", "proof_of", "value_proof"]


def value_proof(case: Case, value: Quotient, level: str) -> Evidence:
    """Return the evidence that an expression has a value at a level."""
    return Evidence(
        Rung.PROVED, f"{case.reading.text} = {text(value)}", domain_of(case, level), ("expansion", "cumulants")
    )


def proof_of(case: Case, sides: Sides, level: str) -> Evidence:
    """Return the evidence that two sides are equal, or compared, at a level."""
    formula = case.reading.text or f"{text(sides.left)} = {text(sides.right)}"
    return Evidence(Rung.PROVED, formula, domain_of(case, level), ("expansion", "cumulants", "normal form"))


def domain_of(case: Case, level: str) -> Domain:
    """Return for which widths and laws that is."""
    width = case.roles.width
    size = case.sizes.get(width)
    numbers = free_indices(case.reading.claim, case.reading.claim, case.roles)[1]
    least = max((int(n) for n in numbers if n.isdigit()), default=1)
    known = size is not None and as_number(size) is not None
    sizes = f"{width} = {text(size)}" if size is not None and known else f"every {width} ≥ {max(1, least)}"
    if size is None and not case.has_width:
        sizes = ""
    laws = [f"{name}: {case.assumptions.law_text(name) or level}" for name in sorted(case.roles.random)]
    return Domain(sizes, "; ".join(laws))
