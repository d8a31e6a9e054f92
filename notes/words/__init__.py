"""All that is said in a language: one TOML file each, with the same keys."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from exact.rationals import BadInput

__all__ = ["LANGUAGES", "words"]

LANGUAGES: Final = ("en", "es")


def words(language: str) -> Mapping[str, Any]:
    """Return the words of a language, by section and key; BadInput for a language there is no file for."""
    if language not in LANGUAGES:
        raise BadInput(f"language must be one of {', '.join(LANGUAGES)} (got {language!r})")
    return tomllib.loads(files("notes.words").joinpath(f"{language}.toml").read_text("utf-8"))
