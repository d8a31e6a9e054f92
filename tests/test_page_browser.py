"""The lesson page in a browser, as a person would use it: both languages, light and dark, 360 and 1280 pixels wide."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, expect

from exact.attention import jacobian, softmax, summarise_rows
from exact.kernel import Theorem
from notes.attempts import prepared
from notes.questions import QUESTIONS, Number, grade
from notes.teaching import FIGURE, STEPS, attempt, facts, groups, rows
from notes.words import LANGUAGES, lesson_words
from tests.browser import Visit

SPOILED: tuple[dict[str, Any], ...] = (  # what no progress of the page is
    {"version": 2},
    {"step": 10},
    {"step": -1},
    {"seen": ["x"]},
    {"answers": {"other": []}},
    {"answers": {"winner": 1}},
    {"cube": {"q": [1, 2], "r": 0, "s": 1}},
    {"cube": {"q": [1, 1], "r": 0, "s": 0}},
    {"language": "fr"},
    {"figure": {"z": [1], "widths": [1, 2, 3]}},
    {"figure": {"z": [0] * 6, "widths": [1, 2, 0.5]}},
)


def test_the_proof_is_walked_by_buttons_and_keys(visit: Visit) -> None:
    page, say = visit.page, visit.say
    last = len(STEPS)

    def at(n: int) -> None:
        expect(page.locator("#step-number")).to_have_text(say["page"]["script"]["step_of"].format(step=n, steps=last))
        assert page.locator(".step:visible").count() == 1
        assert page.locator(".step:visible").get_attribute("data-step") == STEPS[n - 1].id

    at(1)
    page.click("#next")
    at(2)
    page.focus("#next")
    for key, n in (
        ("ArrowRight", 3),
        ("ArrowRight", 4),
        ("ArrowLeft", 3),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 1),
    ):
        page.keyboard.press(key)
        at(n)
    page.keyboard.press("ArrowLeft")
    at(1)
    page.keyboard.press("End")
    page.click("#back")
    at(last - 1)
    page.click("#dots button >> nth=4")
    at(5)
    page.focus("#cube-d")
    page.keyboard.press("ArrowRight")  # in a field the arrows are the field's
    at(5)
    page.click(".step:visible summary >> nth=1")
    assert page.locator(".step:visible details p:visible").count() == 1


def test_the_cube_shows_partners_and_follows_its_choices(visit: Visit) -> None:
    page = visit.page
    script = visit.say["page"]["script"]
    page.locator("#cube-pairs button[data-k='3']").click()
    said = page.locator("#cube-said").inner_text().replace("\xa0", " ")
    row = rows((1, -1, 1), (0, 1))[3]
    assert said == script["cube_chosen"].format(k="(− − +)", partner="(+ − +)", i=1, here="−1", there="+1", sum=0)
    assert (row.partner, row.here, row.there) == (2, -1, 1)
    assert page.locator("#cube-pairs button[data-k='3']").get_attribute("aria-pressed") == "true"
    assert "partner" in (page.locator("#cube-pairs button[data-k='2']").get_attribute("class") or "")
    assert page.evaluate("document.activeElement.dataset.k") == "3"
    page.locator("#cube-drawing .vertex[data-k='7']").click()
    assert "(− − −)" in page.locator("#cube-said").inner_text().replace("\xa0", " ")
    assert page.locator("#cube-drawing .vertex.lit").count() == 2
    page.select_option("#cube-d", "5")
    assert page.locator("#cube-pairs tr").count() == 16
    assert page.locator("#cube-drawing .edge.matched").count() == 16
    page.select_option("#cube-r", "2")  # what s was: the two change places
    assert page.input_value("#cube-s") == "1"
    page.click("#cube-q button >> nth=1")
    now = facts((1, 1, 1, -1, 1), 1, 0)
    for name, value in now.items():
        shown = page.evaluate(
            "name => [...document.querySelectorAll(`[data-fact=${name}]`)].map(e => e.textContent)", name
        )
        assert set(shown) <= {value}
    assert page.evaluate(
        "[...document.querySelectorAll('#cube-pairs td:last-child')].every(td => td.textContent === '0')"
    )
    assert page.locator(".crossed li").count() == 10
    page.select_option("#cube-d", "2")
    assert page.locator("#cube-pairs tr").count() == 2


def test_a_wrong_pairing_is_told_which_condition_it_breaks(visit: Visit) -> None:
    page, conditions = visit.page, visit.say["proof"]["conditions"]
    page.click("#dots button >> nth=-1")
    for tried in prepared((1, -1, 1), (0, 1)):
        page.check(f"[name=attempt][value={tried.id}]")
        said = page.locator("#attempt-said").inner_text()
        judged = attempt(len(tried.query), tried.term, tried.partner)
        if isinstance(judged, Theorem):
            assert said == conditions["holds"]
        else:
            assert conditions[judged.condition] in said
        assert "{" not in said


def test_the_figure_moves_and_the_row_is_found(visit: Visit) -> None:
    page, number = visit.page, visit.number

    def winners() -> list[str]:
        return page.locator(".groups .weight").all_inner_texts()

    scores = list(FIGURE.scores)
    assert winners() == [number(f"{max(g.weights):.3f}") for g in groups(scores, FIGURE.widths)]
    page.fill("#z-0", number("2.5"))
    page.press("#z-0", "Tab")
    scores[0] = Fraction(5, 2)
    assert winners() == [number(f"{max(g.weights):.3f}") for g in groups(scores, FIGURE.widths)]
    page.focus("#z-slide-1")
    page.keyboard.press("End")
    scores[1] = Fraction(3)
    page.fill("#width-2", "100")
    page.press("#width-2", "Enter")
    assert winners() == [number(f"{max(g.weights):.3f}") for g in groups(scores, (8, 64, 100))]
    assert page.locator("[data-width='2']").inner_text() == "100"
    for name in ("one", "width", "root"):
        page.check(f"[name=constant][value={name}]")
        shown = page.locator("[data-answer]:visible").all_inner_texts()
        assert len(shown) == 1
        assert shown[0][:2] == visit.say["figure"]["answers"][name][:2]
    for field, value in (("#z-3", "two"), ("#z-3", "3.1"), ("#width-0", "0"), ("#width-0", "2.5")):
        page.fill(field, value)
        page.press(field, "Tab")
        assert page.locator(field).get_attribute("aria-invalid") == "true"
        assert page.locator("#figure-error").inner_text()
    page.click("#figure-again")
    assert winners() == [number(f"{max(g.weights):.3f}") for g in groups(FIGURE.scores, FIGURE.widths)]
    assert page.locator("[aria-invalid]").count() == 0


def test_scores_that_were_moved_are_called_so_and_can_be_standardised_again(visit: Visit) -> None:
    page = visit.page
    note = page.locator("#figure-note")
    assert not note.is_visible()
    page.fill("#z-2", "3")
    page.press("#z-2", "Tab")
    assert visit.number("0.23") in note.inner_text()  # 1.4/6
    assert visit.number("1.44") in note.inner_text()  # √((6 − 1.6² + 9)/6)
    page.click("#standardise")
    assert not note.is_visible()
    z = [float(page.input_value(f"#z-{j}").replace("−", "-").replace(",", ".")) for j in range(6)]
    assert abs(sum(z)) < 0.03
    assert abs(sum(x * x for x in z) - 6) < 0.06
    assert max(map(abs, z)) <= 3


def test_a_row_of_equal_scores_is_no_answer(visit: Visit) -> None:
    page = visit.page
    for j in range(6):
        page.fill(f"#z-{j}", "0")
        page.press(f"#z-{j}", "Tab")
    page.check("[name=constant][value=root]")
    assert page.locator("[data-answer=same]:visible").count() == 1


def test_a_row_closes_and_its_jacobian_goes_out(visit: Visit) -> None:
    page = visit.page
    scores = np.array([[float(x) for x in FIGURE.scores]])
    page.focus("#row-width")
    for key, d in (("Home", 1), ("ArrowRight", 2), ("End", 1024)):
        page.keyboard.press(key)
        a = softmax(scores * d**0.5)
        assert page.locator("#row-d").inner_text() == str(d)
        shown = page.locator("#row-jacobian td").all_inner_texts()
        for text, value in zip(shown, jacobian(a)[0].ravel(), strict=True):
            assert abs(float(text.replace(",", ".").replace("−", "-")) - value) < 0.0051
        assert page.locator("#row-trace").inner_text() == visit.number(f"{float(summarise_rows(a).trace[0]):.3f}")
    page.check("#row-divided")
    trace = float(summarise_rows(softmax(scores)).trace[0])
    assert page.locator("#row-trace").inner_text() == visit.number(f"{trace:.3f}")


def test_the_questions_explain_every_answer(visit: Visit) -> None:
    page, say = visit.page, visit.say["questions"]
    answers: dict[str, list[str]] = {"typical-size": ["256", "15,4", "15.5", "16,2", "sixteen", ""]}
    for asked in QUESTIONS[1:]:
        assert not isinstance(asked, Number)
        keys = [key for key, _ in asked.options]
        every = [" ".join(asked.right), " ".join(keys), keys[1]]
        answers[asked.id] = every if asked.kind == "all" else keys
    for asked in QUESTIONS:
        form = page.locator(f"[data-question={asked.id}]")
        for answer in answers[asked.id]:
            if isinstance(asked, Number):
                form.locator("input").fill(answer)
            else:
                for key, _ in asked.options:
                    if asked.kind == "all" or key == answer:
                        form.locator(f"[value={key}]").set_checked(key in answer.split())
            form.locator("button").click()
            verdict = form.locator(".verdict:visible").all_inner_texts()
            if answer in ("sixteen", ""):
                assert len(verdict) == 1
                assert verdict[0] not in (say["right"], say["wrong"])
                continue
            judged = grade(asked, answer)
            assert verdict == [say["right" if judged.right else "wrong"]]
            shown = form.locator("[data-said]:visible").evaluate_all("all => all.map(e => e.dataset.said)")
            if isinstance(asked, Number):
                expected = {judged.mistake} - {None}
            elif asked.kind == "all":
                expected = {*judged.chosen, *asked.right}
            else:
                expected = {*judged.chosen}
            assert set(shown) - {"right", "wrong", "why"} == expected
            assert "why" in shown
            assert form.locator("[data-said=why] a:visible").all_inner_texts()[0] in asked.claims
    assert visit.say["page"]["script"]["progress"].split("{")[0] in page.locator("#progress").inner_text()


def test_every_formula_can_be_copied(visit: Visit) -> None:
    page = visit.page
    buttons = page.locator("button[data-latex]:visible")
    for n in (0, 5, buttons.count() - 1):
        buttons.nth(n).click()
        expect(buttons.nth(n)).to_have_attribute("data-copied", "true")
        assert page.evaluate("navigator.clipboard.readText()") == buttons.nth(n).get_attribute("data-latex")
        assert str(buttons.nth(n).get_attribute("data-id")) in page.locator("#copy-status").inner_text()


def test_progress_is_kept_exported_imported_and_reset(visit: Visit, tmp_path: Path) -> None:
    page, script = visit.page, visit.say["page"]["script"]
    page.click("#dots button >> nth=3")
    page.select_option("#cube-d", "4")
    page.check("[data-question=winner] [value=false]")
    page.click("[data-question=winner] button")
    page.fill("#z-0", "1")
    page.press("#z-0", "Tab")
    page.select_option("#theme", "dark")

    def same() -> None:
        assert page.evaluate("document.documentElement.lang") == visit.language
        assert page.locator(".step:visible").get_attribute("data-step") == STEPS[3].id
        assert page.input_value("#cube-d") == "4"
        assert page.is_checked("[data-question=winner] [value=false]")
        assert page.locator("[data-question=winner] [data-said=right]").is_visible()
        assert page.input_value("#z-0") == visit.number("1.0")
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"

    page.reload()
    same()
    with page.expect_download() as found:
        page.click("#export")
    kept = tmp_path / "progress.json"
    found.value.save_as(kept)
    assert json.loads(kept.read_text("utf-8"))["step"] == 3
    page.click("#reset")
    assert page.locator("#progress-status").inner_text() == script["reset_sure"]
    page.click("#reset")
    assert page.locator("#progress-status").inner_text() == script["reset_done"]
    assert page.locator(".step:visible").get_attribute("data-step") == STEPS[0].id
    assert not page.is_checked("[data-question=winner] [value=false]")
    page.set_input_files("#import", kept)
    expect(page.locator("#progress-status")).to_have_text(script["imported"])
    same()
    good = json.loads(kept.read_text("utf-8"))
    for number, bad in enumerate(("", "[]", "null", "{}", *(json.dumps(good | change) for change in SPOILED))):
        file = tmp_path / f"bad-{number}.json"
        file.write_text(bad, "utf-8")
        page.set_input_files("#import", file)
        expect(page.locator("#progress-status")).to_have_text(script["not_progress"].format(name=file.name))
        same()


def test_progress_that_was_spoiled_and_a_browser_that_keeps_nothing_do_no_harm(browser: Browser, address: str) -> None:
    page = browser.new_page()
    failures: list[str] = []
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.goto(address)
    page.evaluate("localStorage.setItem('sqrtdk-lesson', '{\"version\": 1, \"step\": 99}')")
    page.reload()
    assert page.locator(".step:visible").get_attribute("data-step") == STEPS[0].id
    page.close()
    page = browser.new_page()
    page.on("pageerror", lambda error: failures.append(str(error)))
    page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('denied'); } })")
    page.goto(address)
    page.click("#next")
    assert page.locator("#progress-note").is_visible()
    assert page.locator(".step:visible").get_attribute("data-step") == STEPS[1].id
    assert failures == []
    page.close()


def test_both_languages_change_at_once(visit: Visit) -> None:
    page = visit.page
    for language in (*LANGUAGES, visit.language):
        page.click(f"[data-language={language}]")
        other = next(x for x in LANGUAGES if x != language)
        assert page.locator(f"body [lang={other}]:not(button):visible").count() == 0
        assert page.title() == lesson_words(language)["lesson"]["title"]
        assert page.locator("#cube-said").inner_text() == lesson_words(language)["page"]["script"]["cube_choose"]
