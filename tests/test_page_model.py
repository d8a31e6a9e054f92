"""What the page computes in a browser, beside the exact values of the floors below."""

from itertools import permutations, product

import numpy as np
import pytest
from playwright.sync_api import Page

from exact.attention import jacobian, softmax, summarise_rows
from exact.kernel import Theorem
from notes.attempts import prepared
from notes.teaching import FIGURE, attempt, crossed, facts, groups, rows


def test_weights_are_those_of_the_lesson(model: Page) -> None:
    generator = np.random.default_rng(5)
    for scores in (
        [float(x) for x in FIGURE.scores],
        *generator.normal(size=(5, 6)).tolist(),
        [700.0, -700.0, 0, 0, 0, 0],
    ):
        for group in groups(scores, (1, 8, 64, 512)):
            found = model.evaluate("([z, d, by]) => sqrtdk.weights(z, d, by)", [scores, group.width, group.divisor])
            assert found == pytest.approx(group.weights, abs=1e-12)


def test_jacobian_and_trace_are_those_of_the_exact_floor(model: Page) -> None:
    for scores in np.random.default_rng(6).normal(scale=4, size=(6, 6)):
        a = softmax(scores[None, :])
        assert model.evaluate("e => sqrtdk.softmax(e)", scores.tolist()) == pytest.approx(a[0].tolist(), abs=1e-14)
        found = model.evaluate("a => [sqrtdk.jacobian(a), sqrtdk.trace(a)]", a[0].tolist())
        np.testing.assert_allclose(found[0], jacobian(a)[0], atol=1e-14)
        assert found[1] == pytest.approx(float(summarise_rows(a).trace[0]), abs=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 5])
def test_pairs_facts_and_verdicts_are_those_of_the_proof(model: Page, d: int) -> None:
    queries = list(product((1, -1), repeat=d))[:: 2 ** max(0, d - 3)]
    cubes = list(product(queries, permutations(range(d), 2)))
    names = [tried.id for tried in prepared((1, -1), (0, 1))]
    found = model.evaluate(
        """([cubes, names]) => cubes.map(([q, [r, s]]) =>
             [sqrtdk.pairs(q, r, s), sqrtdk.facts(q, r, s), sqrtdk.crossed(q),
              names.map(name => sqrtdk.judge(name, q, r, s))])""",
        [cubes, names],
    )
    for (q, (r, s)), (pairs, said, sums, verdicts) in zip(cubes, found, strict=True):
        assert [(p["k"], p["partner"], p["here"], p["there"], p["sum"]) for p in pairs] == [
            (row.key, row.partner, row.here, row.there, row.total) for row in rows(q, (r, s)) if row.key < row.partner
        ]
        assert said == facts(q, r, s)
        assert [tuple(found) for found in sums] == list(crossed(q))
        for tried, verdict in zip(prepared(q, (r, s)), verdicts, strict=True):
            judged = attempt(len(tried.query), tried.term, tried.partner)
            if isinstance(judged, Theorem):
                assert verdict is None
            else:
                assert verdict["condition"] == judged.condition
                assert (verdict["key"], verdict["partner"]) == (judged.key, judged.partner)


@pytest.mark.parametrize(
    ("text", "value"), [("16,2", 16.2), (" 16.2 ", 16.2), ("−3", -3), ("-,5", -0.5), ("1e3", None)]
)
def test_numbers_are_read_with_a_comma_or_a_point(model: Page, text: str, value: float | None) -> None:
    found = model.evaluate("text => { const x = sqrtdk.readNumber(text); return isNaN(x) ? null : x; }", text)
    assert found == value
