"""A reader's pairing → a verdict: does it stay inside, undo itself, and change the sign inside each pair.

Imports the kernel, exact.rationals, and the standard library.

A pairing sends each of 2^n things to a partner.  The things are sign vectors in {−1,1}^n or subsets of {1, …, n}, both
kept as integers: bit r is set where coordinate r is −1, or where the element r + 1 is in the subset.  Each thing has a
weight.  Where the pairing undoes itself and partners have opposite weights, the sum of all weights is the sum over the
things that are their own partner, the fixed points: with none, it is 0.

>>> found = examine_pairing(Pairing("subsets", 2, complement(2), parity(2)))
>>> found.verdict, found.bad[0].code, write_thing("subsets", 2, found.bad[0].thing)
('false', 'same-sign', '{}')
>>> examine_pairing(Pairing("subsets", 3, flip(3, 1), parity(3), term=(0, 1, 2))).theorem
⊢ Σ t_0 t_1 t_2 = 0 over {−1,1}^3, for every q
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from exact.kernel import PairingFlip, PairingTable, Rejected, Theorem, check
from exact.rationals import BadInput

__all__ = [
    "Bad",
    "Domain",
    "Everywhere",
    "Pairing",
    "PairingVerdict",
    "complement",
    "examine_everywhere",
    "examine_pairing",
    "flip",
    "parity",
    "term_weight",
    "thing_as_list",
    "write_thing",
]

Domain = Literal["signs", "subsets"]
Verdict = Literal["proved", "counted", "false"]

MAX_SIZE: Final = 16
EVERYWHERE: Final = 64
SHOWN_BAD: Final = 8


@dataclass(frozen=True, slots=True)
class Pairing:
    """A partner and a weight for each of 2^size things; a partner of None is no thing at all.

    `term`: the coordinates whose product the weight is, where it is one; the kernel then speaks of it.
    """

    domain: Domain
    size: int
    partner: tuple[int | None, ...]
    weight: tuple[Fraction, ...]
    term: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Bad:
    """A thing at which a condition fails: "outside", "not-undone" (then `back` is its partner's) or "same-sign"."""

    code: Literal["outside", "not-undone", "same-sign"]
    thing: int
    partner: int | None
    back: int | None = None


@dataclass(frozen=True, slots=True)
class PairingVerdict:
    """The verdict on a pairing at one size.

    "proved": the kernel accepted it as a certificate; "counted": all things were visited and every condition holds.
    `bad`: the first failures, a pair once; `bad_pairs`: how many in all.  `fixed`: things that are their own partner.
    `total`: the sum of the weights over everything, which is that over the fixed points unless the verdict is false.
    """

    verdict: Verdict
    pairing: Pairing
    bad: tuple[Bad, ...]
    bad_pairs: int
    fixed: tuple[int, ...]
    total: Fraction
    theorem: Theorem | None
    certificate: PairingTable | None

    @property
    def exit_code(self) -> int:
        """0, or 1 where a condition fails."""
        return int(self.verdict == "false")

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data: things written out as lists, numbers as strings."""
        p = self.pairing

        def shown(thing: int | None) -> object:
            return None if thing is None or not 0 <= thing < 1 << p.size else thing_as_list(p.domain, p.size, thing)

        return {
            "verdict": self.verdict,
            "domain": p.domain,
            "size": p.size,
            "bad": [
                {"condition": b.code, "thing": shown(b.thing), "partner": shown(b.partner)}
                | ({"partner_of_partner": shown(b.back)} if b.code == "not-undone" else {})
                for b in self.bad
            ],
            "bad_pairs": self.bad_pairs,
            "pairs": (1 << p.size) - len(self.fixed) >> 1,
            "fixed_points": [shown(x) for x in self.fixed[:64]],
            "sum": str(self.total),
            "theorem": None if self.theorem is None else str(self.theorem),
        }


@dataclass(frozen=True, slots=True)
class Everywhere:
    """The verdict on a flip or the complement at every size from `least` to `largest`.

    `theorem`: one for every width, where the kernel has it; `fails`: the sizes at which a condition fails.
    `first`: the smallest of these, or the least of all; None where it is too large to be written out.
    """

    domain: Domain
    least: int
    largest: int
    fails: tuple[int, ...]
    first: PairingVerdict | None
    theorem: Theorem | None
    certificate: PairingFlip | None

    @property
    def exit_code(self) -> int:
        """0, or 1 where it fails at some size."""
        return int(bool(self.fails))

    def to_json(self) -> dict[str, object]:
        """Return it as JSON data; `example` is the smallest size that fails, or the least of all."""
        return {
            "verdict": "false" if self.fails else "proved",
            "domain": self.domain,
            "sizes": [self.least, self.largest],
            "fails_at": list(self.fails),
            "every_size": self.theorem is not None,
            "theorem": None if self.theorem is None else str(self.theorem),
            "example": None if self.first is None else self.first.to_json(),
        }


# ---- pairings and weights -------------------------------------------------------------------------------------------


def flip(size: int, *bits: int) -> tuple[int, ...]:
    """Return the partners when these bits change, given as a mask each: 1, 2, 4, …."""
    mask = 0
    for bit in bits:
        mask ^= bit
    return tuple(x ^ mask for x in range(1 << size))


def complement(size: int) -> tuple[int, ...]:
    """Return the partners when every bit changes."""
    return flip(size, (1 << size) - 1)


def term_weight(size: int, term: Sequence[int]) -> tuple[Fraction, ...]:
    """Return Π k_r over the coordinates of the term, for each sign vector."""
    mask = 0
    for r in term:
        mask ^= 1 << r
    return tuple(Fraction(-1 if (x & mask).bit_count() % 2 else 1) for x in range(1 << size))


def parity(size: int) -> tuple[Fraction, ...]:
    """Return (−1)^|S| for each subset."""
    return term_weight(size, range(size))


def thing_as_list(domain: Domain, size: int, thing: int) -> list[int]:
    """Return a thing as a list: its signs, or its elements."""
    if domain == "signs":
        return [-1 if thing >> r & 1 else 1 for r in range(size)]
    return [r + 1 for r in range(size) if thing >> r & 1]


def write_thing(domain: Domain, size: int, thing: int) -> str:
    """Return a thing as text.

    >>> write_thing("signs", 3, 2), write_thing("subsets", 3, 5)
    ('+−+', '{1,3}')
    """
    listed = thing_as_list(domain, size, thing)
    if domain == "signs":
        return "".join("+" if x > 0 else "−" for x in listed)
    return "{" + ",".join(map(str, listed)) + "}"


# ---- the verdict ----------------------------------------------------------------------------------------------------


def examine_pairing(pairing: Pairing) -> PairingVerdict:
    """Return the verdict: every thing is visited, and the kernel asked where it has the rule."""
    count = 1 << pairing.size
    if len(pairing.partner) != count or len(pairing.weight) != count:
        raise BadInput(f"a pairing of size {pairing.size} has {count} partners and {count} weights")
    bad: list[Bad] = []
    pairs = 0
    for x, p in enumerate(pairing.partner):
        found = _judge(pairing, x, p, count)
        if found is not None:
            pairs += 1
            if len(bad) < SHOWN_BAD:
                bad.append(found)
    fixed = tuple(x for x, p in enumerate(pairing.partner) if x == p)
    total = sum(pairing.weight, Fraction(0))
    if bad:
        return PairingVerdict("false", pairing, tuple(bad), pairs, fixed, total, None, None)
    if total != sum((pairing.weight[x] for x in fixed), Fraction(0)):
        raise ArithmeticError("the sum is not that over the fixed points, though every condition holds")
    theorem, certificate = _ask_kernel(pairing) if not fixed else (None, None)
    return PairingVerdict("proved" if theorem else "counted", pairing, (), 0, fixed, total, theorem, certificate)


def _judge(pairing: Pairing, x: int, p: int | None, count: int) -> Bad | None:
    if p is None or not 0 <= p < count:
        return Bad("outside", x, p)
    back = pairing.partner[p]
    if back != x:
        return Bad("not-undone", x, p, back)
    if x < p and pairing.weight[x] + pairing.weight[p] != 0:
        return Bad("same-sign", x, p)
    return None


def _ask_kernel(pairing: Pairing) -> tuple[Theorem | None, PairingTable | None]:
    if pairing.term is None or any(p is None for p in pairing.partner):
        return None, None
    certificate = PairingTable(pairing.size, pairing.term, tuple(p for p in pairing.partner if p is not None))
    try:
        return check(certificate), certificate
    except Rejected:  # a term that is a square, say: then the conditions were met some other way
        return None, None


def examine_everywhere(domain: Domain, bits: Sequence[int] | None, term: Sequence[int] | None) -> Everywhere:
    """Return the verdict on a flip of these bits (None: all of them) at every size; a term of None is the parity."""
    if bits is not None and not bits:
        raise BadInput("a flip names at least one coordinate: one that names none leaves everything where it is")
    least = max([1, *((r + 1) for r in bits or ()), *((r + 1) for r in term or ())])
    if least > EVERYWHERE:
        raise BadInput(f"a flip or a term must stay within the first {EVERYWHERE} coordinates")
    fails = []
    for n in range(least, EVERYWHERE + 1):
        try:
            check(
                PairingFlip(
                    n, tuple(range(n)) if term is None else tuple(term), tuple(range(n) if bits is None else bits)
                )
            )
        except Rejected:
            fails.append(n)
    theorem, certificate = None, None
    if not fails and bits is not None and term is not None:
        theorem, certificate = _every_width(bits, term)
    n = fails[0] if fails else least
    first = None
    if n <= MAX_SIZE:
        mask = sum(1 << r for r in (range(n) if bits is None else bits))
        used = tuple(range(n)) if term is None else tuple(term)
        first = examine_pairing(Pairing(domain, n, flip(n, mask), term_weight(n, used), used))
    return Everywhere(domain, least, EVERYWHERE, tuple(fails), first, theorem, certificate)


def _every_width(bits: Sequence[int], term: Sequence[int]) -> tuple[Theorem | None, PairingFlip | None]:
    """Return the kernel's theorem for every width; coordinates are named by their order in the term."""
    names = {r: i for i, r in enumerate(dict.fromkeys(term))}
    certificate = PairingFlip(None, tuple(names[r] for r in term), tuple(names[r] for r in bits if r in names))
    try:
        return check(certificate), certificate
    except Rejected:
        return None, None
