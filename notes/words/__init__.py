"""All that is said in a language: two TOML files each, one of them for the lesson, with the same keys in both."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from exact.rationals import BadInput

__all__ = ["LANGUAGES", "lesson_words", "words"]

LANGUAGES: Final = ("en", "es")


def words(language: str) -> Mapping[str, Any]:
    """Return the words of a language, by section and key; BadInput for a language there is no file for."""
    if language not in LANGUAGES:
        raise BadInput(f"language must be one of {', '.join(LANGUAGES)} (got {language!r})")
    return _read(f"{language}.toml")


def lesson_words(language: str) -> Mapping[str, Any]:
    """Return the same together with the words of the lesson, whose sections have names of their own."""
    return {**words(language), **_read(f"lesson.{language}.toml")}


def _read(file: str) -> dict[str, Any]:
    return tomllib.loads(files("notes.words").joinpath(file).read_text("utf-8"))
