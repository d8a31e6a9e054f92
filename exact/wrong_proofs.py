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
    """A wrong argument: what it says in general, the step that fails, and a law on which its conclusion is false.

    On `law` the argument concludes that `quantity` stands in `relation` to `claimed`.
    """

    key: str
    says: str
    flaw: str
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
        "Without independent terms E[e²] is not d.",
        "The proof uses E[t_r t_s] = 0 and E[t_r²] = 1 and nothing else: three signs with t_3 = t_1 t_2 are dependent.",
        _PAIRWISE, "E[e²]", "≠", Fraction(3),
    ),
    WrongProof(
        "uncorrelated-is-enough",
        "The terms are uncorrelated signs, even three at a time, so E[e⁴] = 3d² − 2d.",
        "The fourth moment touches E[t_1 t_2 t_3 t_4]: four signs whose product is 1.",
        _THREEWISE, "E[e⁴]", "=", Fraction(40),
    ),
    WrongProof(
        "centred-is-enough",
        "Each term has mean 0, so E[t_r t_s] = E[t_r]E[t_s] = 0.",
        "The mean of a product is the product of the means for uncorrelated terms only: t_1 = t_2.",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "square-of-a-sum",
        "e² = Σ t_r².",
        "The square of a sum has cross terms; they vanish on average, under a hypothesis, and not before.",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "cross-terms-twice",
        "e² = Σ t_r² + 2Σ_{r≠s} t_r t_s.",
        "The sum over r ≠ s has each pair in both orders already; the 2 belongs to the sum over r < s.  As the cross "
        "terms vanish for independent signs, only a correlated law shows it.",
        _EQUAL_PAIR, "E[e²]", "=", Fraction(6),
    ),
    WrongProof(
        "mean-zero-forgotten",
        "q and k are independent, so Var(qk) = Var(q)Var(k).",
        "That needs mean 0; in general Var(q)E[k]² + Var(k)E[q]² comes on top.  Two fair 0/1 coins.",
        _COIN_PRODUCT, "Var(e)", "=", Fraction(1, 16),
    ),
    WrongProof(
        "mean-one",
        "The coordinates have variance 1, so Var(q·k) = d.",
        "That needs mean 0; coordinates of mean 1 and variance 1, here 0 or 2, give 3d.",
        _MEAN_ONE_PRODUCT, "Var(e)", "=", Fraction(1),
    ),
    WrongProof(
        "product-with-itself",
        "Var(qk) = E[qk]E[qk] − E[qk]², because E[(qk)²] = E[qk]E[qk].",
        "qk is not independent of qk; that expression is 0 for every law.",
        independent_law([sign()]), "Var(e)", "=", Fraction(0),
    ),
    WrongProof(
        "same-vector",
        "k = q is just another pair of vectors, so E[e²] = d.",
        "Then every t_r is 1: e = d always and E[e²] = d².",
        uniform_law([(1, 1)]), "E[e²]", "=", Fraction(2),
    ),
    WrongProof(
        "square-of-the-second-moment",
        "E[e⁴] = E[e²]².",
        "That holds for a constant e² only.  Two independent signs.",
        independent_law([sign()] * 2), "E[e⁴]", "=", Fraction(4),
    ),
    WrongProof(
        "gaussian-fourth-moment",
        "E[e⁴] = 3d², as for a Gaussian.",
        "Signs give 3d² − 2d: four of them 40, not 48.",
        independent_law([sign()] * 4), "E[e⁴]", "=", Fraction(48),
    ),
    WrongProof(
        "pairs-settle-the-third",
        "The terms are centred and pairwise independent, so e is symmetric and E[e³] = 0.",
        "The third moment touches E[t_1 t_2 t_3]: t_3 = t_1 t_2.",
        _PAIRWISE, "E[e³]", "=", Fraction(0),
    ),
    WrongProof(
        "variance-for-size",
        "A score of four signs has variance 2.",
        "2 is its typical size, √d; the variance is d.",
        independent_law([sign()] * 4), "Var(e)", "=", Fraction(2),
    ),
    WrongProof(
        "mean-of-the-size",
        "E|e| = √E[e²] = √d, so E|e|² = d.",
        "The mean of |e| is below the root of the mean of e², here 1 against √2; it tends to √(2d/π).",
        independent_law([sign()] * 2), "E|e|²", "=", Fraction(2),
    ),
    WrongProof(
        "half-width-for-deviation",
        "Values spread evenly over [−1, 1] have variance 1.",
        "The half-width is not the deviation: −1, 0, 1 give 2/3, and finer grids tend to 1/3.",
        uniform_law([(-1,), (0,), (1,)]), "Var(e)", "=", Fraction(1),
    ),
)  # fmt: skip
