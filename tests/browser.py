"""A headless Chromium for the tests of the page: found on this machine, or the test says why it did not run."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

__all__ = ["chromium"]

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
