"""The claims of the lesson in its order: a score grows with the root of the width; a closed row gives no gradient."""

__all__ = ["CLOSED_ROWS", "SCORES_GROW"]

SCORES_GROW = [
    "match-count",
    "term-sign",
    "square-split",
    "pairing",
    "mean",
    "second-moment",
    "typical-size",
    "unit-scale",
    "two-properties",
    "scope",
    "only-the-root",
]
CLOSED_ROWS = [
    "softmax",
    "ratio",
    "jacobian",
    "closed-row",
    "what-dies",
    "cross-entropy",
    "sigmoid",
    "trace",
    "trace-range",
    "row-sums",
    "gradient",
    "argmax",
]
