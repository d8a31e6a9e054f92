"""A headless Chromium for the tests of the page, and visits to it.

The browser is one that this machine has; without one a test says why it did not run, and fails where CI=true.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from notes.page import build
from notes.words import lesson_words

__all__ = ["MORE_VISITS", "VISITS", "Visit", "built", "chromium"]

VISITS = [("en", "light", 1280), ("es", "dark", 360)]  # each language, scheme and width
MORE_VISITS = [*VISITS, ("en", "dark", 360), ("es", "light", 1280), ("en", "light", 360), ("es", "dark", 1280)]

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a browser; without one, skip, or fail where CI=true."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        said = f"no browser: none of {', '.join(NAMES)} is on the PATH (apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(said)
        pytest.skip(said)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, headless=True, args=OPTIONS)
        yield browser
        browser.close()


@cache
def built(language: str = "en") -> str:
    """Return the page, built once."""
    return build(language)


class Visit:
    """A page that is open, and what went wrong on it."""

    def __init__(self, browser: Browser, address: str, language: str, scheme: Any, width: int) -> None:
        self.language, self.scheme, self.width = language, scheme, width
        self.context = browser.new_context(
            color_scheme=scheme,
            viewport={"width": width, "height": 800},
            reduced_motion="reduce",
            accept_downloads=True,
        )
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page: Page = self.context.new_page()
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("request", lambda request: self.wrong.append(request.url) if self.outside(request.url) else None)
        self.say = lesson_words(language)
        self.address = address
        self.page.goto(address)
        self.page.click(f"[data-language={language}]")

    def outside(self, url: str) -> bool:
        return not url.startswith(("data:", "blob:")) and url.split("#")[0] != self.address

    def number(self, text: str) -> str:
        return text.replace(".", self.say["page"]["script"]["decimal_mark"])
