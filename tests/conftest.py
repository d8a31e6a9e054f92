"""What the tests of the page share: a browser, the page on disk, and visits to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser import MORE_VISITS, VISITS, Visit, built, chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file: Path = tmp_path_factory.mktemp("page") / "lesson.html"
    file.write_text(built(), "utf-8")
    return file.as_uri()


@pytest.fixture(params=VISITS, ids=lambda v: "-".join(map(str, v)))
def visit(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    found = Visit(browser, address, *request.param)
    yield found
    assert found.wrong == []
    found.context.close()


@pytest.fixture(params=MORE_VISITS, ids=lambda v: "-".join(map(str, v)))
def any_visit(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    found = Visit(browser, address, *request.param)
    yield found
    assert found.wrong == []
    found.context.close()


@pytest.fixture(scope="module")
def model(browser: Browser, address: str) -> Iterator[Page]:
    page = browser.new_page()
    page.goto(address)
    yield page
    page.close()
