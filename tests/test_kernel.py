import ast
import copy
import pickle
import re
import sys
import types
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import pytest

from exact import kernel, pairing
from exact.kernel import MomentFromTerms, Rejected, Theorem, check
from tests import forgeries
from tests.forgeries import FORGERIES, HONEST

SOURCE = Path(kernel.__file__).read_text("utf-8")


@pytest.mark.parametrize(("certificate", "line"), HONEST.values(), ids=HONEST)
def test_an_honest_certificate_gives_its_theorem(certificate: object, line: str) -> None:
    assert str(check(certificate)) == line


@pytest.mark.parametrize(("certificate", "why"), FORGERIES.values(), ids=FORGERIES)
def test_a_forgery_is_rejected_by_its_own_check(certificate: object, why: str) -> None:
    with pytest.raises(Rejected, match=why):
        check(certificate)


# ---- what the kernel concludes, against counting by hand -----------------------------------------------------------


@pytest.mark.parametrize(
    "q", [(1,), (1, -1), (3, -1, Fraction(1, 2)), (0, 2, 0, -5), (Fraction(1, 3), Fraction(-2, 7), 1, 1, -1), (0, 0)]
)
@pytest.mark.parametrize("order", range(1, 7))
def test_moments_at_a_query_are_what_counting_gives(q: tuple[Fraction, ...], order: int) -> None:
    scores = [sum((x * s for x, s in zip(q, k, strict=True)), Fraction(0)) for k in product((1, -1), repeat=len(q))]
    (found, _), *rest = check(pairing.moment_at(q, order)).statement.value
    assert not rest
    assert found == sum((e**order for e in scores), Fraction(0)) / len(scores)


@pytest.mark.parametrize("order", range(1, 9))
def test_moments_at_every_width_are_what_counting_gives(order: int) -> None:
    statement = check(pairing.moment_everywhere(order)).statement
    for d in range(1, 10):
        scores = [sum(k) for k in product((1, -1), repeat=d)]
        assert sum(c * d ** int(x) for c, x in statement.value) == Fraction(sum(e**order for e in scores), 2**d)


@pytest.mark.parametrize("order", range(1, 9))
def test_characters_and_interpolation_agree(order: int) -> None:
    by_pairing, by_counts = check(pairing.moment_everywhere(order)), check(pairing.interpolation(order))
    assert by_pairing.statement.value == by_counts.statement.value
    assert by_pairing.statement.how != by_counts.statement.how


@pytest.mark.parametrize("d", range(1, 6))
def test_every_pairing_table_of_one_flip_is_judged_as_the_product_says(d: int) -> None:
    for term in product(range(d), repeat=2):
        for flipped in range(d):
            table = kernel.PairingTable(d, term, tuple(k ^ 1 << flipped for k in range(2**d)))
            cancels = all(
                prod(k[r] for r in term) == -prod(-k[r] if r == flipped else k[r] for r in term)
                for k in product((1, -1), repeat=d)
            )
            if cancels:
                assert check(table).statement.of == term
            else:
                with pytest.raises(Rejected, match="do not cancel"):
                    check(table)


@pytest.mark.parametrize("order", range(1, 6))
def test_moments_from_terms_are_right_for_any_independent_terms(order: int) -> None:
    values, weights = (Fraction(-1), Fraction(2), Fraction(1, 3)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    moment = [sum(w * v**a for v, w in zip(values, weights, strict=True)) for a in range(order + 1)]
    given = tuple((a, Fraction(prod(moment[x] for x in a))) for a in kernel._partitions(order, order))
    statement = check(MomentFromTerms(order, given)).statement
    for d in range(1, 5):
        expected = sum(
            prod(weights[i] for i in outcome) * sum(values[i] for i in outcome) ** order
            for outcome in product(range(3), repeat=d)
        )
        assert sum(c * d ** int(x) for c, x in statement.value) == expected


def test_width_512_is_concluded_from_its_certificate() -> None:
    q = tuple(Fraction(r % 7 - 3, 1 + r % 3) for r in range(512))
    theorem = check(pairing.moment_at(q, 2))
    assert theorem.statement.value == ((sum(x * x for x in q), Fraction(0)),)


# ---- theorems come from check, and from nothing else ---------------------------------------------------------------


def test_a_theorem_cannot_be_made_changed_or_copied() -> None:
    theorem, other = check(forgeries.SECOND), check(forgeries.TERM)
    with pytest.raises(TypeError, match="comes only from check"):
        Theorem()
    with pytest.raises(TypeError):
        Theorem(other.statement)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        theorem.statement = other.statement  # type: ignore[misc]
    for name in ("_statement", "statement"):
        with pytest.raises(AttributeError):
            object.__setattr__(theorem, name, other.statement)
    with pytest.raises(AttributeError):
        _ = object.__new__(Theorem).statement
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            make(theorem)
    with pytest.raises(TypeError, match="one kind of Theorem"):
        type("Mine", (Theorem,), {})
    assert str(theorem) == HONEST["second"][1]


def test_a_theorem_cannot_be_changed_through_what_it_gave_out() -> None:
    q = Fraction(3)
    theorem = check(kernel.MomentAt((q,), 2, ()))
    line = str(theorem)
    object.__setattr__(theorem.statement, "formula", "1 = 0")
    object.__setattr__(theorem.statement.scope, "width", 7)
    q._numerator = 5  # type: ignore[attr-defined]
    assert str(theorem) == line


def test_another_class_cannot_pass_itself_off_as_a_theorem() -> None:
    class Fake:
        __slots__ = ("_statement",)

    fake: Any = Fake()
    fake._statement = check(forgeries.SECOND).statement
    fake.__class__ = Theorem
    with pytest.raises(AttributeError, match="it is no Theorem"):
        _ = fake.statement


def test_a_claimed_value_that_equals_everything_is_not_taken_over() -> None:
    class Liar(tuple):  # type: ignore[type-arg]
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = tuple.__hash__

    with pytest.raises(Rejected, match="a polynomial must be a tuple"):
        check(kernel.Expansion(2, (Liar((5,)), Liar((5,)), Liar((5,)))))


def test_nothing_about_nothing_is_not_the_second_moment() -> None:
    theorem = check(pairing.moment_at((0, 0), 2))
    assert str(theorem) == "⊢ Σ e² = 0, E[e²] = 0 over {−1,1}^2, for q = (0, 0)"


# ---- the checks themselves: each one matters -----------------------------------------------------------------------


def _mutant(tree: ast.Module) -> types.ModuleType:
    module = types.ModuleType("exact.kernel")
    sys.modules["exact.kernel_mutant"] = module
    module.__dict__["__name__"] = "exact.kernel_mutant"
    exec(compile(tree, "mutant", "exec"), module.__dict__)
    return module


def _rebuilt(certificate: object, module: types.ModuleType) -> object:
    """Return the certificate as the mutant's own class."""
    kind = type(certificate)
    if kind.__module__ != "exact.kernel":
        return certificate
    own = getattr(module, kind.__name__)
    if not all(hasattr(certificate, name) for name in kind.__slots__):  # type: ignore[attr-defined]
        return object.__new__(own)
    return own(*(getattr(certificate, name) for name in kind.__slots__))  # type: ignore[attr-defined]


def _is_caught(module: types.ModuleType) -> bool:
    """Whether some forgery test or some honest certificate fails with this kernel."""
    for certificate, why in FORGERIES.values():
        try:
            module.check(_rebuilt(certificate, module))
        except module.Rejected as error:
            if not re.search(why, str(error)):
                return True
        except Exception:
            return True
        else:
            return True
    return any(str(module.check(_rebuilt(c, module))) != line for c, line in HONEST.values())


def _checks() -> list[tuple[int, str]]:
    """Return the line of each statement that rejects, with its text."""
    return [
        (node.lineno, ast.unparse(node)[:70])
        for node in ast.walk(ast.parse(SOURCE))
        if isinstance(node, ast.Raise) and "Rejected" in ast.unparse(node)
    ]


def test_the_kernel_as_it_is_passes() -> None:
    assert not _is_caught(_mutant(ast.parse(SOURCE)))


@pytest.mark.parametrize("line", [line for line, _ in _checks()], ids=[text for _, text in _checks()])
def test_a_kernel_without_this_check_is_caught(line: int) -> None:
    class Off(ast.NodeTransformer):
        def visit_Raise(self, node: ast.Raise) -> Any:
            return ast.copy_location(ast.Pass(), node) if node.lineno == line else node

    assert _is_caught(_mutant(ast.fix_missing_locations(Off().visit(ast.parse(SOURCE)))))
