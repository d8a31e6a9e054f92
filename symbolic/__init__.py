r"""Formulas: reading them, deciding them, deriving the softmax, writing LaTeX.

>>> from symbolic import confirm
>>> confirm(r"\sum_j a_j(1 - a_j) = 1 - \sum_j a_j^2").answer.value
'proved'
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symbolic.confirming import confirm as confirm

__all__ = ["confirm"]


def __getattr__(name: str) -> object:
    """Import the reader's way in only where it is asked for: the parser takes a while."""
    if name == "confirm":
        from symbolic.confirming import confirm

        return confirm
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
