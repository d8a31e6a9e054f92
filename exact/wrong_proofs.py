"""Wrong proofs that people write about the size of a score, kept as data, each with the small law that refutes it.

Imports the standard library and the exact modules above it only.

>>> for proof in WRONG_PROOFS[:3]:
...     print(proof.key, "says", proof.quantity, proof.relation, proof.claimed, "and it is", refute(proof))
independence-needed says E[e²] ≠ 3 and it is 3
uncorrelated-is-enough says E[e⁴] = 40 and it is 64
centred-is-enough says E[e²] = 2 and it is 4
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Literal

from exact.coordinates import finite, sign
from exact.laws import JointLaw, independent_law, law_moment, law_variance, uniform_law
from exact.rationals import BadInput, add_exactly

__all__ = ["WRONG_PROOFS", "Quantity", "WrongProof", "measure", "refute"]

Quantity = Literal["E[e²]", "E[e³]", "E[e⁴]", "Var(e)", "E|e|²"]


@dataclass(frozen=True, slots=True)
class WrongProof:
    """A wrong argument and a law on which its conclusion is false; what it says in words is kept under its key.

    On `law` the argument concludes that `quantity` stands in `relation` to `claimed`.
    """

    key: str
    law: JointLaw
    quantity: Quantity
    relation: Literal["=", "≠"]
    claimed: Fraction


def measure(quantity: Quantity, law: JointLaw) -> Fraction:
    """Return the quantity for e = t_1 + … + t_d under `law`; E|e|² is the square of E|e|."""
    if quantity == "Var(e)":
        return law_variance(law)
    if quantity == "E|e|²":
        return add_exactly(w * abs(sum(point, Fraction(0))) for point, w in law.outcomes) ** 2
    return law_moment(law, {"E[e²]": 2, "E[e³]": 3, "E[e⁴]": 4}[quantity])


def refute(proof: WrongProof) -> Fraction:
    """Return the exact value that contradicts the proof; `BadInput` when its law does not contradict it."""
    value = measure(proof.quantity, proof.law)
    if (value == proof.claimed) == (proof.relation == "="):
        raise BadInput(f"the law does not refute {proof.key!r}: {proof.quantity} {proof.relation} {proof.claimed}")
    return value


_SIGNS = (1, -1)
_EQUAL_PAIR = uniform_law([(a, a) for a in _SIGNS])
_PAIRWISE = uniform_law([(a, b, a * b) for a, b in product(_SIGNS, repeat=2)])
_THREEWISE = uniform_law([(a, b, c, a * b * c) for a, b, c in product(_SIGNS, repeat=3)])
_COIN_PRODUCT = independent_law([finite([(0, "3/4"), (1, "1/4")])])
_MEAN_ONE_PRODUCT = independent_law([finite([(0, "3/4"), (4, "1/4")])])

WRONG_PROOFS = (
    WrongProof(
        "independence-needed",
        _PAIRWISE, "E[e²]", "≠", Fraction(3),
    ),
    WrongProof(
        "uncorrelated-is-enough",
        _THREEWISE, "E[e⁴]", "=", Fraction(40),
    ),
    WrongProof(
        "centred-is-enough",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "square-of-a-sum",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "cross-terms-twice",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(6),
    ),
    WrongProof(
        "mean-zero-forgotten",
        _COIN_PRODUCT, "Var(e)", "=", Fraction(1, 16),
    ),
    WrongProof(
        "mean-one",
        _MEAN_ONE_PRODUCT, "Var(e)", "=", Fraction(1),
    ),
    WrongProof(
        "product-with-itself",
        independent_law([sign()]), "Var(e)", "=", Fraction(0),
    ),
    WrongProof(
        "same-vector",
        uniform_law([(1, 1)]), "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "square-of-the-second-moment",
        independent_law([sign()] * 2), "E[e⁴]", "=", Fraction(4),
    ),
    WrongProof(
        "gaussian-fourth-moment",
        independent_law([sign()] * 4), "E[e⁴]", "=", Fraction(48),
    ),
    WrongProof(
        "pairs-settle-the-third",
        _PAIRWISE, "E[e³]", "=", Fraction(0),
    ),
    WrongProof(
        "variance-for-size",
        independent_law([sign()] * 4), "Var(e)", "=", Fraction(2),
    ),
    WrongProof(
        "mean-of-the-size",
        independent_law([sign()] * 2), "E|e|²", "=", Fraction(2),
    ),
    WrongProof(
        "half-width-for-deviation",
        uniform_law([(-1,), (0,), (1,)]), "Var(e)", "=", Fraction(1),
    ),
)  # fmt: skip
