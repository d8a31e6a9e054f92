"""What the proof assistant is asked to accept: every statement written out again, beside its claim.

A theorem's own file could be weakened without a word; a statement repeated here, and checked against the theorem
(``Definition pin_NAME : STATEMENT := @NAME.``), cannot. The first statement of a claim is its main one; the others
are its cases, its limits, and its general forms. Plain data: imports only the standard library.
"""

from notes.coq.statement import Statement
from notes.coq.statements_counting import COUNTING
from notes.coq.statements_softmax import SOFTMAX

__all__ = ["MODULES", "PREAMBLE", "REAL_AXIOMS", "STATEMENTS", "Statement"]

# The files, in the order in which they compile.
MODULES = (
    "Sums",
    "Counting",
    "Signs",
    "Polynomials",
    "Moments",
    "SmallWidths",
    "Laws",
    "RealSums",
    "Logarithm",
    "Powers",
    "Softmax",
    "EightApart",
    "Rows",
    "Output",
    "Gradient",
    "WhatDies",
)

# The logical name of the folder is Sqrtdk: coqc -Q . Sqrtdk FILE.v
PREAMBLE = (
    "From Coq Require Import List ZArith Reals Permutation.\n"
    f"From Sqrtdk Require Import {' '.join(MODULES)}.\n"
    "Import ListNotations.\n"
)

# The axioms of Coq's real numbers, as Print Assumptions names them; "none" allows no axiom at all. Coq's own ln
# also brings in the excluded middle: so Logarithm.v builds log by exp alone, and says at its end that it is ln.
REAL_AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
)

STATEMENTS: tuple[Statement, ...] = COUNTING + SOFTMAX
