r"""The words, letters and commands that a formula may hold, as tables: what the scanner looks up.

Standard library only.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ACCENTS",
    "COMMANDS",
    "ENVIRONMENTS",
    "FUNCTIONS",
    "GREEK",
    "IGNORED",
    "INDEX_LETTERS",
    "LETTERLIKE",
    "PREFIXES",
    "SEPARATORS",
    "SIGNS",
    "STYLES",
    "SUBSCRIPTS",
    "SUPERSCRIPTS",
    "WORDS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GREEK: Final = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "varepsilon": "ε",
    "eps": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "vartheta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "varrho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "varphi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "ell": "l",
}

# What people call a function, and its standard name.
FUNCTIONS: Final = {
    "exp": "exp",
    "log": "log",
    "ln": "log",
    "softmax": "softmax",
    "Softmax": "softmax",
    "SoftMax": "softmax",
    "logsoftmax": "logsoftmax",
    "log_softmax": "logsoftmax",
    "LogSoftmax": "logsoftmax",
    "logsumexp": "logsumexp",
    "LSE": "logsumexp",
    "lse": "logsumexp",
    "sigmoid": "sigmoid",
    "expit": "sigmoid",
    "tanh": "tanh",
    "E": "E",
    "Ex": "E",
    "Exp": "exp",
    "mathbbE": "E",
    "Var": "Var",
    "var": "Var",
    "Variance": "Var",
    "variance": "Var",
    "Std": "Std",
    "std": "Std",
    "SD": "Std",
    "sd": "Std",
    "stdev": "Std",
    "Cov": "Cov",
    "cov": "Cov",
    "Corr": "Corr",
    "corr": "Corr",
    "P": "P",
    "Pr": "P",
    "Prob": "P",
    "diag": "diag",
    "Diag": "diag",
    "diagflat": "diag",
    "tr": "tr",
    "Tr": "tr",
    "trace": "tr",
    "Trace": "tr",
    "sum": "sum",
    "rowsum": "rowsum",
    "mean": "mean",
    "max": "max",
    "min": "min",
    "sup": "max",
    "abs": "abs",
    "norm": "norm",
    "dot": "dot",
    "inner": "dot",
    "cos": "cos",
    "sgn": "sign",
    "sign": "sign",
    "sqrt": "sqrt",
    "binom": "binomial",
    "binomial": "binomial",
    "comb": "binomial",
    "C": "binomial",
    "factorial": "factorial",
    "transpose": "transpose",
    "Rational": "rational",
    "Fraction": "rational",
    "diff": "diff",
    "Derivative": "diff",
    "grad": "grad",
    "Sum": "Sum",
    "Product": "Product",
    "KroneckerDelta": "delta",
    "delta": "delta",
    "ones": "ones",
    "onehot": "onehot",
    "H": "entropy",
    "entropy": "entropy",
    "KL": "kl",
    "floor": "floor",
}

# Words of one letter that are a function only where an opening bracket (or a bar) follows.
LETTERLIKE: Final = frozenset("EPCH")

STYLES: Final = _words(
    """
    mathbf mathbb mathcal mathrm mathsf mathit mathtt mathscr mathfrak boldsymbol bm bold text textbf textrm
    textit operatorname vec mathds mathbbm rm bf mathop underline pmb textnormal textsf symbf
    """
)
ACCENTS: Final = {
    "hat": "hat",
    "widehat": "hat",
    "bar": "bar",
    "overline": "bar",
    "tilde": "tilde",
    "widetilde": "tilde",
    "dot": "dot",
    "check": "check",
}
IGNORED: Final = _words(
    """
    left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm displaystyle textstyle
    limits nolimits nonumber notag quad qquad thinspace enspace medspace thickspace negthinspace mathstrut strut
    hfill scriptstyle allowbreak nobreak
    """
)
ENVIRONMENTS: Final = _words(
    """
    align equation aligned gather gathered split multline eqnarray displaymath math
    """
)

# A LaTeX command, and the terminal and the value it stands for.
COMMANDS: Final = {
    "frac": ("FRAC", "frac"),
    "dfrac": ("FRAC", "frac"),
    "tfrac": ("FRAC", "frac"),
    "cfrac": ("FRAC", "frac"),
    "sqrt": ("SQRT", "sqrt"),
    "binom": ("BINOM", "binom"),
    "dbinom": ("BINOM", "binom"),
    "tbinom": ("BINOM", "binom"),
    "sum": ("SUM", "sum"),
    "prod": ("SUM", "product"),
    "partial": ("PARTIAL", "∂"),
    "nabla": ("NABLA", "∇"),
    "cdot": ("TIMES", "·"),
    "bullet": ("TIMES", "·"),
    "times": ("TIMES", "×"),
    "ast": ("TIMES", "*"),
    "odot": ("TIMES", "⊙"),
    "circ": ("TIMES", "⊙"),
    "div": ("SLASH", "/"),
    "top": ("TOP", "T"),
    "intercal": ("TOP", "T"),
    "prime": ("PRIME", "'"),
    "ne": ("REL", "≠"),
    "neq": ("REL", "≠"),
    "le": ("REL", "≤"),
    "leq": ("REL", "≤"),
    "leqslant": ("REL", "≤"),
    "ge": ("REL", "≥"),
    "geq": ("REL", "≥"),
    "geqslant": ("REL", "≥"),
    "lt": ("REL", "<"),
    "gt": ("REL", ">"),
    "approx": ("REL", "≈"),
    "simeq": ("REL", "≈"),
    "equiv": ("REL", "="),
    "coloneqq": ("REL", "="),
    "triangleq": ("REL", "="),
    "langle": ("LANGLE", "⟨"),
    "rangle": ("RANGLE", "⟩"),
    "lvert": ("ABSOPEN", "|"),
    "rvert": ("ABSCLOSE", "|"),
    "lVert": ("NORMOPEN", "‖"),
    "rVert": ("NORMCLOSE", "‖"),
    "mid": ("BAR", "|"),
    "vert": ("|", "|"),
    "Vert": ("‖", "‖"),
    "lbrace": ("SETOPEN", "{"),
    "rbrace": ("SETCLOSE", "}"),
    "lbrack": ("LBRACK", "["),
    "rbrack": ("RBRACK", "]"),
    "lparen": ("LPAR", "("),
    "rparen": ("RPAR", ")"),
    "dots": ("DOTS", "…"),
    "ldots": ("DOTS", "…"),
    "cdots": ("DOTS", "…"),
    "dotsb": ("DOTS", "…"),
    "lfloor": ("FLOOROPEN", "⌊"),
    "rfloor": ("FLOORCLOSE", "⌋"),
    "forall": ("SEP", "for all"),
    "implies": ("SEP", "implies"),
    "Rightarrow": ("SEP", "implies"),
    "pm": ("±", "±"),
    "infty": ("NAME", "∞"),
}

# A character or two that stand for themselves.
SIGNS: Final = {
    "**": ("SUP", "^"),
    "==": ("REL", "="),
    "!=": ("REL", "≠"),
    "<=": ("REL", "≤"),
    ">=": ("REL", "≥"),
    ":=": ("REL", "="),
    "||": ("‖", "‖"),
    "+": ("PLUS", "+"),
    "-": ("MINUS", "-"),
    "−": ("MINUS", "-"),
    "–": ("MINUS", "-"),
    "*": ("TIMES", "*"),
    "·": ("TIMES", "·"),
    "⋅": ("TIMES", "·"),
    "∙": ("TIMES", "·"),
    "×": ("TIMES", "×"),
    "⊙": ("TIMES", "⊙"),
    "∘": ("TIMES", "⊙"),
    "@": ("TIMES", "@"),
    "/": ("SLASH", "/"),
    "÷": ("SLASH", "/"),
    "^": ("SUP", "^"),
    "_": ("SUB", "_"),
    "(": ("LPAR", "("),
    ")": ("RPAR", ")"),
    "[": ("LBRACK", "["),
    "]": ("RBRACK", "]"),
    "{": ("LBRACE", "{"),
    "}": ("RBRACE", "}"),
    "⟨": ("LANGLE", "⟨"),
    "⟩": ("RANGLE", "⟩"),
    "=": ("REL", "="),
    "≠": ("REL", "≠"),
    "<": ("REL", "<"),
    ">": ("REL", ">"),
    "≤": ("REL", "≤"),
    "≥": ("REL", "≥"),
    "≈": ("REL", "≈"),
    ",": ("COMMA", ","),
    ";": ("SEP", ";"),
    "!": ("BANG", "!"),
    "'": ("PRIME", "'"),
    "′": ("PRIME", "'"),
    "’": ("PRIME", "'"),
    "|": ("|", "|"),
    "‖": ("‖", "‖"),
    "√": ("SQRT", "sqrt"),
    "∂": ("PARTIAL", "∂"),
    "∇": ("NABLA", "∇"),
    "∑": ("SUM", "sum"),
    "Σ": ("SUM", "sum"),
    "∏": ("SUM", "product"),
    "…": ("DOTS", "…"),
    "∞": ("NAME", "∞"),
    "⊤": ("TOP", "T"),
    "ᵀ": ("TRANSPOSE", "T"),
    "⌊": ("FLOOROPEN", "⌊"),
    "⌋": ("FLOORCLOSE", "⌋"),
}

SUPERSCRIPTS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n", strict=True))
SUBSCRIPTS: Final = dict(zip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖₗₘₙᵣₛₜ", "0123456789ijklmnrst", strict=True))

SEPARATORS: Final = _words(
    """
    for where with if then when whenever and let suppose assume define assuming given so hence thus therefore
    """
)
# Words that make a sentence of what should be a formula; letters that stand together are a product or a name.
PROSE: Final = _words(
    """
    the of is has have that this which
    """
)
PREFIXES: Final = _words(
    """
    np numpy math torch jnp jax sympy sp F scipy special stats functional nn
    """
)

# Subscripts that are one word, in braces or without.
WORDS: Final = _words(
    """
    in out model head heads key size max min true pos neg row col total loss train test eff std var qk kv fan
    mean new old target pred ref
    """
)
INDEX_LETTERS: Final = frozenset("ijklmnrstcuvpqxyabd")
