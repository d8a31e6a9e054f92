"""Reading numbers: every accepted form, every refusal, and nothing but BadInput on arbitrary text."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exact.rationals import (
    BadInput,
    abbreviate,
    add_exactly,
    common_denominator,
    describe_reading,
    read_rational,
    read_whole,
    write_rational,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("5.2", Fraction(26, 5)),
        ("-3/4", Fraction(-3, 4)),
        ("−3/4", Fraction(-3, 4)),
        ("3/-4", Fraction(-3, 4)),
        (" 7 ", Fraction(7)),
        ("+.5", Fraction(1, 2)),
        ("2.", Fraction(2)),
        ("1e3", Fraction(1000)),
        ("25E-1", Fraction(5, 2)),
        (9, Fraction(9)),
        (Fraction(1, 3), Fraction(1, 3)),
        ("1" * 1000, Fraction(int("1" * 1000))),
    ],
)
def test_accepted_forms(text: str | int | Fraction, value: Fraction) -> None:
    assert read_rational(text) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1/0", "denominator 0"),
        ("x", "is not a number; accepted"),
        ("", "is not a number"),
        (".", "is not a number"),
        ("1/2/3", "is not a number"),
        ("1_000", "is not a number"),
        ("٣", "is not a number"),
        ("nan", "is not a number"),
        ("inf", "is not a number"),
        ("0,1", "write a decimal with a point"),
        ("1" * 1001, "at most 1000 digits"),
        ("9" * 10**6, "at most 1000 digits"),
        ("1/" + "1" * 1001, "at most 1000 digits"),
        ("1e1000000", "exponent"),
        ("1e99999", "at most 1000 digits"),
        ("1e-99999", "at most 1000 digits"),
        (10**1200, "at most 1000 digits"),
        (True, "truth value"),
        (0.1, "the float 0.1 is 3602879701896397/36028797018963968"),
        (float("nan"), "nan is not a number that can be exact"),
        (None, "not NoneType"),
    ],
)
def test_refusals_say_why(text: object, message: str) -> None:
    with pytest.raises(BadInput, match=message) as caught:
        read_rational(text)  # type: ignore[arg-type] # wrong types are among the cases
    assert len(str(caught.value)) < 300


@given(st.text())
@settings(deadline=None)  # other work shares the machine
def test_arbitrary_text_is_read_or_refused(text: str) -> None:
    try:
        value = read_rational(text)
    except BadInput:
        return
    assert isinstance(value, Fraction)


@given(st.fractions())
@settings(deadline=None)  # other work shares the machine
def test_what_is_written_reads_back(value: Fraction) -> None:
    assert read_rational(write_rational(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
@settings(deadline=None)  # other work shares the machine
def test_decimals_mean_what_they_print(value: object) -> None:
    assert read_rational(str(value)) == Fraction(str(value))


@given(st.integers(min_value=0, max_value=10**30), st.integers(min_value=3990, max_value=16010))
@settings(deadline=None)  # other work shares the machine
def test_writing_long_integers(low: int, zeros: int) -> None:
    assert write_rational(10**zeros * 7) == "7" + "0" * zeros
    assert write_rational(-(10**zeros) - low) == "-1" + str(low).zfill(zeros)


def test_whole_numbers() -> None:
    assert read_whole("width", "12", 1, 100) == 12
    cases: list[tuple[int | str, str]] = [
        (0, "width must be at least 1 \\(got 0\\)"),
        ("-3", "at least 1"),
        (10**12, "at most 100 \\(got 1000000000000\\)"),
        ("1/2", "whole number"),
        ("x", "is not a number"),
    ]
    for bad, message in cases:
        with pytest.raises(BadInput, match=message):
            read_whole("width", bad, 1, 100)


def test_the_reading_of_a_decimal_is_said() -> None:
    assert describe_reading("0.1") == "0.1 is read as 1/10"
    assert describe_reading("-7") == describe_reading("1/2") == describe_reading(3) == ""


@given(st.lists(st.fractions(max_denominator=50)))
@settings(deadline=None)  # other work shares the machine
def test_adding_over_one_denominator(numbers: list[Fraction]) -> None:
    assert add_exactly(numbers) == sum(numbers, Fraction(0))
    bottom = common_denominator(numbers)
    assert all((bottom * x).denominator == 1 for x in numbers)


def test_a_long_common_denominator_is_refused() -> None:
    primes = [p for p in range(2, 8000) if all(p % i for i in range(2, int(p**0.5) + 1))]
    with pytest.raises(BadInput, match="share a denominator"):
        common_denominator(Fraction(1, p) for p in primes)


def test_abbreviating() -> None:
    assert abbreviate(Fraction(1, 3)) == "1/3"
    assert len(abbreviate(10**9999)) < 60
