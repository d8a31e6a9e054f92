"""Certificates that lie, each in one way, with the words of the check that catches it; and honest ones.

The mutation test switches each check of the kernel off in turn: some forgery here must then go unnoticed.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from exact import pairing
from exact.kernel import (
    Expansion,
    Interpolation,
    MomentAt,
    MomentEverywhere,
    MomentFromTerms,
    PairingFlip,
    TermRule,
)

lie: Final[Any] = replace  # with fields of any type
Pair: Final[Any] = PairingFlip

TERM: Final = TermRule(1, 1, -1)
TABLE: Final = pairing.table(2, (0, 1))
FLIP: Final = pairing.flip((0, 1), 3)
LOCAL: Final = pairing.flip((0, 1))
SPLIT: Final = pairing.expansion()
HERE: Final = pairing.moment_at((3, -1, Fraction(1, 2)), 2)
SECOND: Final = pairing.moment_everywhere(2)
FOURTH: Final = pairing.moment_everywhere(4)
LAW: Final = MomentFromTerms(2, (((2,), Fraction(1)), ((1, 1), Fraction(0))))
COUNTS: Final = pairing.interpolation(2)

HONEST: Final[dict[str, tuple[object, str]]] = {
    "term": (TERM, "⊢ Σ_r t_r = m − (d − m) = 2m − d over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "square": (TermRule(2, 1, 1), "⊢ t_r² = 1 over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "table": (TABLE, "⊢ Σ t_0 t_1 = 0 over {−1,1}^2, for every q"),
    "flip": (FLIP, "⊢ Σ t_0 t_1 = 0 over {−1,1}^3, for every q"),
    "flip two of three": (PairingFlip(4, (0, 1, 3), (2, 3)), "⊢ Σ t_0 t_1 t_3 = 0 over {−1,1}^4, for every q"),
    "local": (LOCAL, "⊢ Σ t_r t_s = 0 over {−1,1}^d, for every width d ≥ 2, distinct coordinates and every q"),
    "local, one term": (pairing.flip((0,)), "⊢ Σ t_r = 0 over {−1,1}^d, for every width d ≥ 1 and every q"),
    "split": (SPLIT, "⊢ e² = d + 2·Σ_{r<s} t_r t_s over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "here": (HERE, "⊢ Σ e² = 2^3·41/4, E[e²] = 41/4 over {−1,1}^3, for q = (3, −1, 1/2)"),
    "mean here": (pairing.moment_at((3, -1), 1), "⊢ Σ e = 0, E[e] = 0 over {−1,1}^2, for q = (3, −1)"),
    "mean": (pairing.moment_everywhere(1), "⊢ E[e] = 0 over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "second": (SECOND, "⊢ E[e²] = d over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "fourth": (FOURTH, "⊢ E[e⁴] = 3d² − 2d over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "scaled": (
        pairing.moment_everywhere(2, Fraction(1, 2)),
        "⊢ E[(e/d^(1/2))²] = 1 over {−1,1}^d, for every width d ≥ 1 and every sign query q",
    ),
    "law": (LAW, "⊢ E[e²] = d for every width d ≥ 1 and every law with E[t_r²] = 1, E[t_r t_s] = 0"),
    "law of order 4": (
        MomentFromTerms(
            4,
            (
                ((4,), Fraction(9)),
                ((3, 1), Fraction(0)),
                ((2, 2), Fraction(1)),
                ((2, 1, 1), Fraction(0)),
                ((1, 1, 1, 1), Fraction(0)),
            ),
        ),
        "⊢ E[e⁴] = 3d² + 6d for every width d ≥ 1 and every law with E[t_r⁴] = 9, E[t_r³ t_s] = 0, "
        "E[t_r² t_s²] = 1, E[t_r² t_s t_u] = 0, E[t_r t_s t_u t_v] = 0",
    ),
    "counts": (COUNTS, "⊢ E[e²] = d over {−1,1}^d, for every width d ≥ 1 and every sign query q"),
    "counts, order 6": (
        pairing.interpolation(6),
        "⊢ E[e⁶] = 15d³ − 30d² + 16d over {−1,1}^d, for every width d ≥ 1 and every sign query q",
    ),
}

FORGERIES: Final[dict[str, tuple[object, str]]] = {
    "no certificate": ("E[e²] = d", "there is no rule for a str"),
    "a subclass": (type("Liar", (TermRule,), {})(1, 1, -1), "there is no rule for a Liar"),
    # term
    "term: power 0": (lie(TERM, power=0), "power must be an integer from 1"),
    "term: power True": (lie(TERM, power=True), "power must be an integer .*got a bool"),
    "term: same sign where they differ": (lie(TERM, differ=1), "at q_r = 1 and k_r = -1 the term"),
    "term: −1 where they agree": (lie(TERM, agree=-1), "at q_r = 1 and k_r = 1 the term"),
    "square: −1": (TermRule(2, 1, -1), "to the power 2 is 1"),
    # pairing by table
    "table: too few partners": (lie(TABLE, partner=(1, 0)), "must have 4 entries"),
    "table: a list": (lie(TABLE, partner=[1, 0, 3, 2]), "must be a tuple"),
    "table: leaves the cube": (
        replace(TABLE, partner=(4, 0, 3, 2)),
        "the partner of vector 0 must be an integer from 0 to 3",
    ),
    "table: partner −3": (lie(TABLE, partner=(-3, 0, 3, 2)), "the partner of vector 0 must be"),
    "table: partner 1.0": (lie(TABLE, partner=(1.0, 0, 3, 2)), "the partner of vector 0 must be .*got a float"),
    "table: three-cycle": (lie(TABLE, partner=(1, 2, 0, 3)), "the pairing does not undo itself"),
    "table: fixed point": (lie(TABLE, partner=(0, 1, 2, 3)), "vector 0 is paired with itself"),
    "table: both signs flipped": (lie(TABLE, partner=(3, 2, 1, 0)), "vectors 0 and 3 do not cancel"),
    "flip: five thousand factors": (PairingFlip(4096, (0,) * 5000, (0,)), "a term has at most 4096 factors"),
    "table: a square": (lie(TABLE, term=(1, 1)), "do not cancel"),
    "table: width 21": (lie(TABLE, width=21), "the width of a table must be an integer from 1 to 20"),
    "table: no such coordinate": (lie(TABLE, term=(0, 2)), "a term has a coordinate outside 0 … 1"),
    # pairing by flip
    "flip: nothing": (lie(FLIP, flip=()), "flipping nothing pairs every vector with itself"),
    "flip: both of the term": (lie(FLIP, flip=(0, 1)), "does not change the sign"),
    "flip: a spectator": (lie(FLIP, flip=(2,)), "does not change the sign"),
    "flip: twice the same": (lie(FLIP, flip=(0, 0, 0)), "a flip changes a coordinate twice"),
    "flip: leaves the cube": (lie(FLIP, flip=(3,)), "a flip has a coordinate outside 0 … 2"),
    "flip: coordinate −1": (lie(FLIP, flip=(-1,)), "a flip has a coordinate outside"),
    "flip: coordinate True": (lie(FLIP, flip=(True,)), "a flip has a coordinate outside"),
    "flip: a square": (lie(FLIP, term=(1, 1)), "does not change the sign of character {}"),
    "flip: width 0": (lie(FLIP, width=0), "width must be an integer from 1"),
    "flip: width 10^9": (lie(FLIP, width=10**9), "width must be an integer from 1"),
    # at every width
    "local: both": (lie(LOCAL, flip=(0, 1)), "does not change the sign"),
    "local: a spectator": (lie(LOCAL, flip=(2,)), "a flip has a coordinate outside 0 … 1"),
    "local: nothing": (lie(LOCAL, flip=()), "flipping nothing"),
    "local: a name left out": (Pair(None, (0, 2), (0,)), "a term has a coordinate outside 0 … 1"),
    "local: forty-one names": (
        PairingFlip(None, tuple(range(41)), (0,)),
        "a coordinate of the term must be an integer",
    ),
    "local: no term": (Pair(None, (), ()), "flipping nothing"),
    "local: names are text": (Pair(None, ("r", "s"), (0,)), "a coordinate of the term must be an integer"),
    "local: unhashable": (Pair(None, ([0],), (0,)), "a coordinate of the term must be an integer"),
    # expansion
    "split: d − 1 on the diagonal": (
        replace(SPLIT, coefficients=((-1, 1), (0,), (2,))),
        "0 coordinates has coefficient d",
    ),
    "split: cross terms once": (lie(SPLIT, coefficients=((0, 1), (0,), (1,))), "2 coordinates has coefficient 2"),
    "split: cross terms left out": (lie(SPLIT, coefficients=((0, 1), (0,))), "must have 3 entries"),
    "split: floats": (lie(SPLIT, coefficients=((0, 1.0), (0,), (2,))), "0 coordinates has coefficient d"),
    "left without fields": (object.__new__(TermRule), "was left without its fields"),
    "split: order 0": (Expansion(0, ((1,),)), "order must be an integer from 1"),
    # a moment at one width
    "here: a pairing left out": (lie(HERE, flips=HERE.flips[1:]), r"character {0, 1} of e\^2 has no pairing"),
    "here: flips both": (lie(HERE, flips=(((0, 1), (0, 1)), *HERE.flips[1:])), "does not change the sign"),
    "here: flips neither": (lie(HERE, flips=(((0, 1), (2,)), *HERE.flips[1:])), "does not change the sign"),
    "here: flips nothing": (lie(HERE, flips=(((0, 1), ()), *HERE.flips[1:])), "flipping nothing"),
    "here: the same twice": (lie(HERE, flips=(*HERE.flips, HERE.flips[0])), "is paired twice"),
    "here: one too many": (lie(HERE, flips=(*HERE.flips, ((0,), (0,)))), "1 of the pairings are for characters"),
    "here: a coordinate too far": (lie(HERE, flips=(((0, 3), (0,)),)), "a term has a coordinate outside"),
    "here: not pairs": (lie(HERE, flips=((0, 1, 2),)), "a pairing must have 2 entries"),
    "here: no query": (lie(HERE, query=()), "width must be an integer from 1"),
    "here: a float": (lie(HERE, query=(0.5, Fraction(1), Fraction(1))), "must be a Fraction"),
    "here: order 0": (MomentAt((Fraction(1),), 0, ()), "order must be an integer from 1"),
    "here: fractions without end": (
        MomentAt(tuple(Fraction(1, 10**400 + n) for n in range(9)), 1, ()),
        "the common denominator of the query",
    ),
    "here: a fraction of 5000 bits": (MomentAt((Fraction(1 << 5000),), 1, ()), "at most 4096 bits"),
    "here: too many steps in all": (MomentAt((Fraction(1),) * 13, 40, ()), "takes more than"),
    "here: too many steps": (MomentAt((Fraction(1),) * 800, 2, ()), "takes more than"),
    # a moment at every width
    "second: no pairing": (lie(SECOND, flips=()), r"characters of 2 coordinates of e\^2 have no pairing"),
    "second: flips both": (lie(SECOND, flips=((2, (0, 1)),)), "does not change the sign"),
    "second: flips a spectator": (lie(SECOND, flips=((2, (2,)),)), "a flip has a coordinate outside 0 … 1"),
    "second: characters that are not there": (
        replace(SECOND, flips=((1, (0,)),)),
        "has no characters of 1 coordinates",
    ),
    "second: size 0": (lie(SECOND, flips=((0, (0,)),)), "the size of a character must be an integer from 1"),
    "fourth: twice": (lie(FOURTH, flips=(*FOURTH.flips, FOURTH.flips[0])), "or they are paired twice"),
    "fourth: pairs only": (lie(FOURTH, flips=((2, (0,)),)), r"characters of 4 coordinates of e\^4"),
    "second: alpha is a float": (lie(SECOND, alpha=0.5), "alpha must be a Fraction"),
    "every order": (MomentEverywhere(10**6, ()), "order must be an integer from 1"),
    # a moment from assumptions
    "law: cross terms not given": (lie(LAW, moments=LAW.moments[:1]), r"E\[t_r t_s\] is not given"),
    "law: twice": (lie(LAW, moments=(*LAW.moments, LAW.moments[0])), "or stand there twice"),
    "law: exponents of another order": (lie(LAW, moments=(*LAW.moments, ((3,), Fraction(0)))), "do not add to 2"),
    "law: exponents (True, True)": (
        replace(LAW, moments=(LAW.moments[0], ((True, True), Fraction(0)))),
        "exponents do not add",
    ),
    "law: a float": (lie(LAW, moments=(((2,), 1.0), LAW.moments[1])), "value of a moment must be a Fraction"),
    "law: order 13": (MomentFromTerms(13, ()), "order must be an integer from 1 to 12"),
    # interpolation
    "counts: wrong total": (
        replace(COUNTS, totals=((1, 2), (2, 8), (3, 25))),
        "at width 3 the scores to the power 2 add to 24",
    ),
    "counts: a total of another type": (lie(COUNTS, totals=((1, 2.0), (2, 8), (3, 24))), "at width 1 the scores"),
    "counts: too few widths": (lie(COUNTS, totals=COUNTS.totals[:2]), "needs 3 widths"),
    "counts: a width twice": (
        replace(COUNTS, totals=(*COUNTS.totals[:2], COUNTS.totals[1])),
        "width 2 is counted twice",
    ),
    "counts: a degree too low": (lie(COUNTS, degree=1, totals=COUNTS.totals[:2]), "may have degree 2"),
    "counts: width 0": (
        replace(COUNTS, totals=((0, 0), *COUNTS.totals[1:])),
        "a counted width must be an integer from 1",
    ),
    "counts: width 40": (lie(COUNTS, totals=((40, 0), *COUNTS.totals[1:])), "a counted width must be an integer"),
    "counts: not pairs": (lie(COUNTS, totals=(1, 2, 3)), "a total must be a tuple"),
    "counts: order 0": (Interpolation(0, 0, ((1, 1),)), "order must be an integer from 1"),
    "counts: degree 99": (lie(COUNTS, degree=99), "degree must be an integer from 0 to 16"),
}
