"""How the lesson page looks and is reached: widths, axe-core on every step, keyboard, paper, no script, motion."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from notes.questions import QUESTIONS, Number
from notes.teaching import STEPS
from tests import browser as browsers
from tests.browser import Visit, built

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
AXE_RUN = """async rules => (await axe.run({resultTypes: ['violations'], rules: rules || {}, runOnly:
    ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}))
    .violations.map(v => [v.id, v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3)])"""
REMOVE = "what => document.querySelectorAll(what).forEach(e => e.remove())"
SHOW_ALL = "*, *::before, *::after { content-visibility: visible !important; transition: none !important; }"


def axe(page: Page, rules: dict[str, dict[str, bool]] | None = None) -> Any:
    """Return what axe-core finds, by all rules but those that are switched off here."""
    return page.evaluate(AXE_RUN, rules)


def test_nothing_is_wider_than_the_window(any_visit: Visit) -> None:
    visit, page = any_visit, any_visit.page
    page.add_style_tag(content=SHOW_ALL)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.select_option("#cube-d", "5")
    for n in range(len(STEPS)):
        page.click(f"#dots button >> nth={n}")
        assert page.evaluate("document.documentElement.scrollWidth") <= visit.width
        wide = "[...document.querySelectorAll('.wide, pre')].filter(e => e.scrollWidth > e.clientWidth + 1)"
        assert page.evaluate(f"{wide}.map(e => e.outerHTML.slice(0, 150))") == []


def test_axe_finds_nothing_on_any_step(visit: Visit) -> None:
    page = visit.page
    page.add_style_tag(content=SHOW_ALL)
    page.evaluate(AXE)
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    for asked in QUESTIONS:
        form = page.locator(f"[data-question={asked.id}]")
        if isinstance(asked, Number):
            form.locator("input").fill("256")
        else:
            form.locator("input").nth(0).check()
        form.locator("button").click()
    page.check("[name=constant][value=root]")
    page.fill("#z-0", "no")
    page.press("#z-0", "Tab")
    page.locator("#cube-pairs button").nth(0).click()
    assert axe(page, {"color-contrast": {"enabled": False}}) == []
    page.evaluate(REMOVE, ".claim ~ .claim")  # colours take long, and the claims are dressed alike
    assert axe(page) == []
    page.evaluate(REMOVE, ".claim, main > section:not(#part-size, #yours)")
    for n in range(len(STEPS)):
        page.click(f"#dots button >> nth={n}")
        if STEPS[n].id == "break":
            page.check("[name=attempt] >> nth=1")
        assert axe(page) == []


def test_axe_finds_what_is_broken(browser: Browser, address: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.html"
    text = built().replace("--ink: light-dark(#1c2128", "--ink: light-dark(#c8c8c8").replace('<html lang="en"', "<html")
    broken.write_text(text.replace('<label for="z-0">', "<label>").replace('aria-label="z 1"', ""), "utf-8")
    page = browser.new_page()
    page.goto(broken.as_uri())
    page.evaluate("document.getElementById('z-slide-0').removeAttribute('aria-label')")
    page.evaluate("document.documentElement.removeAttribute('lang')")
    page.evaluate(REMOVE, ".claim ~ .claim")
    page.evaluate(AXE)
    found = {violation[0] for violation in axe(page)}
    assert {"color-contrast", "html-has-lang", "label"} <= found
    page.close()


def test_everything_is_reached_by_the_keyboard(visit: Visit) -> None:
    page = visit.page
    seen = set()
    page.evaluate("document.body.focus()")
    for _ in range(300):
        page.keyboard.press("Tab")
        name = page.evaluate("(e => e.id || e.name || e.dataset.k || e.tagName)(document.activeElement)")
        if name == "BODY":
            break
        seen.add(name)
    assert {
        "theme",
        "back",
        "next",
        "cube-d",
        "cube-r",
        "cube-s",
        "row-width",
        "row-divided",
        "z-slide-0",
        "z-5",
    } <= seen
    assert {
        "width-2",
        "constant",
        "typical-size",
        "why-root",
        "export",
        "import",
        "reset",
        "figure-again",
        "0",
        "1",
    } <= seen
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.focus("#next")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_paper_shows_every_step_and_every_explanation(visit: Visit) -> None:
    page = visit.page
    page.emulate_media(media="print")
    assert page.locator(".step:visible").count() == len(STEPS)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".step:visible details p:visible").count() == len(STEPS) - 1  # the answers, without the hints
    assert page.locator(".coq:visible, .latex:visible, #next:visible, .unprinted:visible").count() == 0
    answers = page.locator("#answers:visible li").all_inner_texts()
    assert len(answers) == len(QUESTIONS)
    for asked, said in zip(QUESTIONS, answers, strict=True):
        if isinstance(asked, Number):
            assert said.startswith("16")
        else:
            right = page.locator(f"[data-question={asked.id}] label:visible").all_inner_texts()
            kept = [text for text, (key, _) in zip(right, asked.options, strict=True) if key in asked.right]
            assert "".join(said.split()).startswith("".join("".join(kept).split()))
    assert page.locator("button[data-latex]:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details[open]").count() == 0
    assert page.locator("#answers:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_a_script_all_steps_are_there(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".step:visible").count() == len(STEPS)
    assert page.locator("#cube-pairs tr").count() == 4
    context.close()


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_motion_is_only_for_those_who_want_it(browser: Browser, address: str, motion: Any) -> None:
    context = browser.new_context(reduced_motion=motion)
    page = context.new_page()
    page.goto(address)
    moves = page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")
    assert moves == ("auto" if motion == "reduce" else "smooth")
    context.close()


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_missing_browser_is_skipped_by_a_reader_and_fails_the_gate(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setattr(browsers, "NAMES", ("no-such-browser",))
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no-such-browser is on the PATH"), browsers.chromium():
        pass
