r"""A claim with cases is as many claims: what stands before the brace equals each line, under the line's condition.

>>> claims_by_case(r"J = \begin{cases} p & i = j \\ 0 & \text{otherwise} \end{cases}")
['J =  p, \\quad i = j', 'J =  0, \\quad i \\ne j']
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["claims_by_case"]

CASES: Final = re.compile(r"(?:\\left\s*\\\{\s*)?\\begin\{cases\}(.*?)\\end\{cases\}(?:\s*\\right\s*\.)?", re.DOTALL)
SAME: Final = re.compile(r"\s*(?:\\(?:text|mbox|mathrm|textrm)\s*\{\s*(?:if|for|when)?\s*\}|if|for|when)?\s*")
OTHERWISE: Final = re.compile(r"\s*(?:\\(?:text|mbox|mathrm|textrm)\s*\{)?\s*(?:otherwise|else)\.?\s*\}?\s*[.,]?\s*")
INDICES: Final = re.compile(r"\s*([A-Za-z])\s*=\s*([A-Za-z])\s*[.,]?\s*")


def claims_by_case(text: str) -> list[str]:
    """Return one text for each line of the cases in a text; the text alone where lines have no condition.

    “otherwise” stands for i ≠ j where the line before it says i = j; elsewhere nothing is said for it.
    """
    found = CASES.search(text)
    if found is None or CASES.search(text, found.end()):
        return [text]
    before, after = text[: found.start()], text[found.end() :]
    lines = [line for line in re.split(r"\\\\(?:\[[^\]]*\])?", found[1]) if line.strip()]
    claims: list[str] = []
    condition = ""
    for line in lines:
        value, mark, own = line.partition("&")
        if not mark:
            return [text]
        if OTHERWISE.fullmatch(own):
            same = INDICES.fullmatch(condition)
            if same is None:
                return [text]
            own = rf"{same[1]} \ne {same[2]}"
        condition = own[gap.end() :] if (gap := SAME.match(own)) else own
        claims.append(rf"{before}{value.rstrip(' ,')}, \quad {condition.strip(' ,.')}{after}")
    return claims
