"""Words in both languages: each stands in the page twice, and the style sheet hides the one that is not chosen."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from html import escape
from typing import Any

from notes.page.mathml import phrase
from notes.words import LANGUAGES, lesson_words

__all__ = ["book", "both", "each", "filled", "paragraphs", "quoted", "text"]


@cache
def book(language: str) -> Mapping[str, Any]:
    """Return the words of a language."""
    return lesson_words(language)


def text(language: str, path: str) -> Any:
    """Return what stands at a path such as "lesson.size.title", a sentence or a list of them; KeyError if nothing."""
    found: Any = book(language)
    for key in path.split("."):
        found = found[key]
    return found


def each(write: Callable[[str], str], tag: str = "span", attributes: str = "") -> str:
    """Return HTML for each language, as `write` makes it from the language, in elements that name their language."""
    space = " " if attributes else ""
    return "".join(f'<{tag} lang="{language}"{space}{attributes}>{write(language)}</{tag}>' for language in LANGUAGES)


def both(path: str, tag: str = "span", attributes: str = "", **values: str) -> str:
    """Return a sentence in both languages, with pieces of HTML in its places."""
    return each(lambda language: filled(text(language, path), **values), tag, attributes)


def filled(sentence: str, **values: str) -> str:
    """Return a sentence as HTML, with pieces of HTML in its places; KeyError for a place that has none."""
    if not values:
        return phrase(sentence)
    parts = re.split(r"\{(\w+)\}", sentence)
    return "".join(values[part] if number % 2 else phrase(part) for number, part in enumerate(parts))


def paragraphs(path: str, attributes: str = "") -> str:
    """Return a sentence, or a list of them, as paragraphs in both languages."""

    def write(language: str) -> list[str]:
        found = text(language, path)
        return [found] if isinstance(found, str) else list(found)

    by_language = {language: write(language) for language in LANGUAGES}
    return "\n".join(
        f'<p lang="{language}"{attributes and " "}{attributes}>{phrase(sentence)}</p>'
        for language, sentences in by_language.items()
        for sentence in sentences
    )


def quoted(value: str) -> str:
    """Return text for an attribute."""
    return escape(value, quote=True)
