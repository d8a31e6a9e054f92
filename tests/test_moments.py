"""Moments of a score, against enumeration, published tables and routes that share no code."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import comb, factorial, pi, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from more_itertools import set_partitions

from exact.coordinates import (
    Finite,
    affine,
    bernoulli,
    gaussian,
    laplace,
    sign,
    two_point,
    uniform_interval,
    uniform_on,
)
from exact.moments import (
    absolute_mean,
    absolute_mean_bounds,
    central_moments,
    central_polynomial,
    coincidence_patterns,
    count_patterns,
    cumulants,
    kurtosis,
    moment_polynomial,
    moments_from_cumulants,
    query_moments,
    query_polynomial,
    score_cumulants,
    score_moments,
)
from exact.polynomials import coefficients, degree, evaluate, variable
from exact.rationals import BadInput
from exact.terms import (
    GaussianPair,
    Independent,
    Joint,
    Pair,
    Same,
    correlated_gaussians,
    correlated_signs,
    term_law,
    term_moments,
)

SIGNS = Independent(sign(), sign())
GAUSSIANS = Independent(gaussian(), gaussian())

# OEIS A286899, rows d = 2 … 7 (row 3 is A054879, 4 is A092812, 5 is A121822): E[e^2], E[e^4], …, E[e^12]
OEIS = {
    2: [2, 8, 32, 128, 512, 2048],
    3: [3, 21, 183, 1641, 14763, 132861],
    4: [4, 40, 544, 8320, 131584, 2099200],
    5: [5, 65, 1205, 26465, 628805, 15424865],
    6: [6, 96, 2256, 64896, 2086656, 71172096],
    7: [7, 133, 3787, 134953, 5501167, 243147373],
}

PAIRS: list[Pair] = [
    SIGNS,
    Same(sign()),
    Same(uniform_on([-1, 0, 2])),
    Independent(two_point(-2, 1, "2/3"), uniform_on([0, 1, "5/2"])),
    Independent(affine(sign(), shift=1), affine(sign(), shift=1)),
    Independent(bernoulli("1/3"), sign()),
    correlated_signs("1/2"),
    correlated_signs(-1),
    Joint("wedge", ((Fraction(0), Fraction(1), Fraction(1, 3)), (Fraction(2), Fraction(-1), Fraction(2, 3)))),
]


def list_moment(pair: Pair, width: int, order: int, *, central: bool = False) -> Fraction:
    """E[e^order] by listing every outcome of every term."""
    law = term_law(pair)
    assert law is not None
    outcomes = [
        (sum((x for x, _ in atoms), Fraction(0)), prod((w for _, w in atoms), start=Fraction(1)))
        for atoms in product(law.atoms, repeat=width)
    ]
    centre = sum((x * w for x, w in outcomes), Fraction(0)) if central else Fraction(0)
    return sum((w * (x - centre) ** order for x, w in outcomes), Fraction(0))


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_moments_by_listing(pair: Pair, width: int) -> None:
    for order in range(7):
        expected = list_moment(pair, width, order)
        assert score_moments(pair, width, 6)[order] == expected
        assert evaluate(moment_polynomial(pair, order), {"d": width}) == expected
        centred = list_moment(pair, width, order, central=True)
        assert central_moments(pair, width, 6)[order] == centred
        assert evaluate(central_polynomial(pair, order), {"d": width}) == centred


@pytest.mark.parametrize("width", sorted(OEIS))
def test_signs_against_oeis(width: int) -> None:
    assert [int(x) for x in score_moments(SIGNS, width, 12)[2::2]] == OEIS[width]
    assert [int(evaluate(moment_polynomial(SIGNS, m), {"d": width})) for m in range(2, 13, 2)] == OEIS[width]
    assert not any(score_moments(SIGNS, width, 12)[1::2])


def test_sign_polynomials() -> None:
    # Polar: d, d(3d − 2), d(15d² − 30d + 16), d(105d³ − 420d² + 588d − 272)
    expected = {2: [0, 1], 4: [0, -2, 3], 6: [0, 16, -30, 15], 8: [0, -272, 588, -420, 105]}
    for order, polynomial in expected.items():
        assert list(coefficients(moment_polynomial(SIGNS, order))) == polynomial
    assert all(not moment_polynomial(SIGNS, m) for m in range(1, 12, 2))


def test_gaussian_polynomials() -> None:
    # Polar: d, 3d(d + 2), 15d(d + 2)(d + 4), 105d(d + 2)(d + 4)(d + 6); mathgroup mg49342 at d = 1: 1, 9, 225, 11025
    d = variable(("d",), "d")
    expected = d
    for order, odd, shift in [(2, 1, 0), (4, 3, 2), (6, 5, 4), (8, 7, 6)]:
        expected = d if order == 2 else expected * odd * (d + shift)
        assert moment_polynomial(GAUSSIANS, order) == expected
    assert [int(x) for x in score_moments(GAUSSIANS, 1, 8)[2::2]] == [1, 9, 225, 11025]


def test_gaussians_against_the_generating_function() -> None:
    # E[exp(te)] = (1 − t²)^(−d/2): E[e^2n] = (2n)!·C(d/2 + n − 1, n), written with a rising product
    for width in (1, 2, 5, 64, 10**6):
        for n in range(11):
            rising = prod((Fraction(width, 2) + i for i in range(n)), start=Fraction(1))
            assert score_moments(GAUSSIANS, width, 20)[2 * n] == factorial(2 * n) * rising / factorial(n)


def test_closed_walks_on_the_hypercube() -> None:
    # Σ_e e^2m over the 2^n eigenvalues counts closed walks of length 2m, here counted by walking
    for n in range(1, 5):
        walks = Counter({0: 1})
        for length in range(1, 9):
            step: Counter[int] = Counter()
            for vertex, count in walks.items():
                for r in range(n):
                    step[vertex ^ (1 << r)] += count
            walks = step
            assert score_moments(SIGNS, n, 8)[length] == walks[0]


@pytest.mark.parametrize("pair", [*PAIRS, GAUSSIANS, correlated_gaussians("1/3"), Same(laplace(1))])
def test_set_partitions_one_by_one(pair: Pair) -> None:
    term = term_moments(pair, 6)
    for order in range(1, 7):
        for width in (1, 3, 10, 1000):
            total = Fraction(0)
            for blocks in set_partitions(range(order)):
                falling = prod(width - i for i in range(len(blocks)))
                total += falling * prod((term[len(block)] for block in blocks), start=Fraction(1))
            assert evaluate(moment_polynomial(pair, order), {"d": width}) == total
            assert score_moments(pair, width, order)[order] == total


def test_patterns_count_the_set_partitions() -> None:
    for order in range(1, 9):
        found = Counter(tuple(sorted(map(len, blocks), reverse=True)) for blocks in set_partitions(range(order)))
        assert {p.sizes: p.count for p in coincidence_patterns(order)} == found
        assert count_patterns(order) == len(found)
    # Bell numbers, OEIS A000110
    assert [sum(p.count for p in coincidence_patterns(m)) for m in range(1, 9)] == [1, 2, 5, 15, 52, 203, 877, 4140]


@pytest.mark.parametrize("pair", [*PAIRS, GAUSSIANS])
def test_degree_is_at_most_the_order(pair: Pair) -> None:
    for order in range(9):
        assert degree(moment_polynomial(pair, order), "d") <= order
        assert degree(central_polynomial(pair, order), "d") <= order // 2


@pytest.mark.parametrize("pair", PAIRS)
def test_small_widths_are_enough(pair: Pair) -> None:
    # Lagrange through m + 1 listed widths gives the polynomial back
    order = 3
    nodes = [(width, list_moment(pair, width, order)) for width in range(1, order + 2)]
    for width in (0, 7, 100):
        value = Fraction(0)
        for i, (a, y) in enumerate(nodes):
            value += y * prod(
                (Fraction(width - b, a - b) for j, (b, _) in enumerate(nodes) if j != i), start=Fraction(1)
            )
        assert value == evaluate(moment_polynomial(pair, order), {"d": width})


def test_routes_agree_at_large_widths() -> None:
    for pair in (*PAIRS, GAUSSIANS, correlated_gaussians("-2/7"), Independent(uniform_interval(2), laplace("1/2"))):
        for width in (64, 10**6):
            by_recurrence = score_moments(pair, width, 10)
            by_partitions = tuple(evaluate(moment_polynomial(pair, m), {"d": width}) for m in range(11))
            by_cumulants = moments_from_cumulants(score_cumulants(pair, width, 10), Fraction(1))
            assert by_recurrence == by_partitions == by_cumulants


@given(st.lists(st.fractions(max_denominator=9), max_size=8))
@settings(deadline=None)  # other work shares the machine
def test_cumulants_and_moments_are_inverse(numbers: list[Fraction]) -> None:
    raw = (Fraction(1), *numbers)
    assert moments_from_cumulants(cumulants(raw), Fraction(1)) == raw


@pytest.mark.parametrize(
    ("pair", "at_two", "variance"),
    [
        # thegregyang/NTK4A#3 and others: q and k correlated, ρ = 1/2, d = 4
        (correlated_signs("1/2"), 7, 3),
        (correlated_gaussians("1/2"), 9, 5),
        (correlated_signs(1), 16, 0),
        (correlated_gaussians(1), 24, 8),
        (correlated_signs(0), 4, 4),
        (correlated_gaussians(0), 4, 4),
        # the score of a vector with itself
        (Same(sign()), 16, 0),
        (Same(gaussian()), 24, 8),
        # mean 1 and variance 1: Var = 3d
        (Independent(affine(sign(), shift=1), affine(sign(), shift=1)), 28, 12),
        (Independent(gaussian(1, 1), gaussian(1, 1)), 28, 12),
    ],
)
def test_scope(pair: Pair, at_two: int, variance: int) -> None:
    assert score_moments(pair, 4, 2)[2] == at_two
    assert central_moments(pair, 4, 2)[2] == variance


def test_uniform_vector_with_itself() -> None:
    # E = d/3 and Var = 4d/45
    pair = Same(uniform_interval(1))
    assert list(coefficients(moment_polynomial(pair, 1))) == [0, Fraction(1, 3)]
    assert list(coefficients(central_polynomial(pair, 2))) == [0, Fraction(4, 45)]


def test_coins() -> None:
    # two fair 0/1 coins: Var(XY) = 3/16
    coin = bernoulli("1/2")
    assert central_moments(Independent(coin, coin), 1, 2)[2] == Fraction(3, 16)
    # E[(⟨x, w⟩ − ⟨y, w⟩)²] = n/4 for 0/1 vectors: x − y has the law −1, 0, 0, 1
    difference = Independent(uniform_on([-1, 0, 0, 1]), coin)
    assert list(coefficients(moment_polynomial(difference, 2))) == [0, Fraction(1, 4)]


def test_fourth_moment_of_a_skewed_sum() -> None:
    # E[X⁴] = nμ4 + 3n(n − 1)μ2² for centred terms, skewed or not; n = 3 gives 90
    term = Independent(two_point(-2, 1, "2/3"), uniform_on([1]))
    raw = term_moments(term, 4)
    for n in range(1, 6):
        assert score_moments(term, n, 4)[4] == n * raw[4] + 3 * n * (n - 1) * raw[2] ** 2
        square_variance = score_moments(term, n, 4)[4] - score_moments(term, n, 4)[2] ** 2
        assert square_variance == n * raw[4] + n * (2 * n - 3) * raw[2] ** 2
    assert score_moments(term, 3, 4)[4] == 90


def test_recursion_of_the_fourth_moment() -> None:
    # m_{n+1} = m_n + 6n + 1, m_1 = 1
    values = [score_moments(SIGNS, n, 4)[4] for n in range(1, 12)]
    assert values[:5] == [1, 8, 21, 40, 65]
    assert all(b == a + 6 * n + 1 for n, (a, b) in enumerate(pairwise(values), start=1))


def test_poisson_sum_by_cumulants() -> None:
    # sympy#20669: two Poisson(5.2), Var = 52/5
    kappa = [Fraction(0)] + [2 * Fraction(26, 5)] * 4
    raw = moments_from_cumulants(kappa, Fraction(1))
    assert raw[2] - raw[1] ** 2 == Fraction(52, 5)


QUERIES: list[list[Fraction]] = [
    [Fraction(1)],
    [Fraction(3), Fraction(-1), Fraction(2)],
    [Fraction(1, 2), Fraction(-2, 3), Fraction(0), Fraction(5)],
    [Fraction(3, 5), Fraction(4, 5)],
]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("law", [sign(), two_point(-2, 1, "2/3"), uniform_on([0, 1, 5])])
def test_fixed_query_by_listing(query: list[Fraction], law: Finite) -> None:
    found = query_moments(query, law, 6)
    for order in range(1, 7):
        expected = Fraction(0)
        for atoms in product(law.atoms, repeat=len(query)):
            e = sum((q * x for q, (x, _) in zip(query, atoms, strict=True)), Fraction(0))
            expected += prod((w for _, w in atoms), start=Fraction(1)) * e**order
        assert found[order] == expected
        sums: dict[str, int | Fraction] = {f"p{n}": sum(q**n for q in query) for n in range(1, order + 1)}
        assert evaluate(query_polynomial(law, order), sums) == expected


@pytest.mark.parametrize("query", QUERIES)
def test_fixed_query_fourth_moment(query: list[Fraction]) -> None:
    squares, fourths = sum(q**2 for q in query), sum(q**4 for q in query)
    assert query_moments(query, sign(), 4)[2] == squares
    assert query_moments(query, sign(), 4)[4] == 3 * squares**2 - 2 * fourths
    assert query_moments(query, gaussian(), 4)[4] == 3 * squares**2
    if squares == 1:  # c = (3/5, 4/5): 1201/625, below the sharp constant 3 and the bound 16
        assert query_moments(query, sign(), 4)[4] in (1, Fraction(1201, 625))


def test_kurtosis_at_every_width() -> None:
    for pair in (*PAIRS[2:7], SIGNS, GAUSSIANS):
        for width in (1, 2, 50):
            central = central_moments(pair, width, 4)
            answer = kurtosis(pair)
            assert answer.limit + answer.excess / width == central[4] / central[2] ** 2
    with pytest.raises(BadInput, match="variance above 0"):
        kurtosis(Same(sign()))


def test_mean_of_the_absolute_score() -> None:
    # classical: 1, 1, 3/2, 3/2, 15/8, 15/8, 35/16, 35/16, 315/128, 315/128
    known = ["1", "1", "3/2", "3/2", "15/8", "15/8", "35/16", "35/16", "315/128", "315/128"]
    assert [str(absolute_mean(n)) for n in range(1, 11)] == known
    for n in range(1, 11):
        listed = sum(abs(sum(v)) for v in product((-1, 1), repeat=n))
        assert absolute_mean(n) == Fraction(listed, 2**n)
    # E|S_2n| = E|S_2n−1|, and not one further: n = 1 has 3/2 against 1
    assert all(absolute_mean(2 * n) == absolute_mean(2 * n - 1) for n in range(1, 200))
    assert absolute_mean(3) == Fraction(3, 2) > absolute_mean(2) == 1


def test_bounds_close_in_on_two_over_pi() -> None:
    for width in (2, 4, 100, 10_000):
        low, high = absolute_mean_bounds(width)
        assert low < Fraction(2 / pi) < high
        assert high - low < Fraction(1, width)
    with pytest.raises(BadInput, match="even"):
        absolute_mean_bounds(3)


def large(function: Callable[..., object], *arguments: object) -> Callable[[], object]:
    return lambda: function(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (large(score_moments, SIGNS, 10**12, 2), "width must be at most 1000000000 \\(got 1000000000000\\)"),
        (large(score_moments, SIGNS, 0, 2), "width must be at least 1"),
        (large(score_moments, SIGNS, 5, 10**6), "order must be at most 200 \\(got 1000000\\)"),
        (large(score_moments, SIGNS, 5, -1), "order must be at least 0"),
        (
            large(score_moments, Same(gaussian("1e300")), 5, 200),
            "at most some 20000 digits \\(order 200 has 119",
        ),
        (large(moment_polynomial, SIGNS, 10**6), "order must be at most 60"),
        (large(central_polynomial, SIGNS, 61), "order must be at most 60"),
        (large(coincidence_patterns, 0), "order must be at least 1"),
        (large(query_moments, [], sign(), 2), "from 1 to 1000000 entries"),
        (large(query_moments, ["1e800"], sign(), 200), "at most some 20000 digits"),
        (large(query_moments, [0.1], sign(), 2), "the float 0.1"),
        (large(query_moments, ["1", "x"], sign(), 2), "'x' is not a number"),
        (large(query_polynomial, sign(), 13), "order must be at most 12"),
        (large(absolute_mean, 10**12), "width must be at most 100000"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        call()


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.integers(1, 5)), min_size=1, max_size=3, unique_by=lambda atom: atom[0]),
    st.integers(1, 4),
)
@settings(deadline=None)
def test_any_finite_law_by_listing(atoms: list[tuple[int, int]], width: int) -> None:
    total = sum(w for _, w in atoms)
    law = Finite("any", tuple((Fraction(x), Fraction(w, total)) for x, w in sorted(atoms)))
    pair = Independent(law, uniform_on([1]))
    assert score_moments(pair, width, 5)[5] == list_moment(pair, width, 5)


def test_gaussian_pair_with_means() -> None:
    # d = 1, q and k with means 1 and 2, variances 1 and 1, covariance 1/2: E[qk] = 1·2 + 1/2
    pair = GaussianPair(Fraction(1), Fraction(2), Fraction(1), Fraction(1), Fraction(1, 2))
    assert score_moments(pair, 6, 1)[1] == 6 * Fraction(5, 2)


def test_binomial_sum_for_signs() -> None:
    def by_binomials(d: int, m: int) -> Fraction:
        return Fraction(sum(comb(d, a) * (2 * a - d) ** m for a in range(d + 1)), 2**d)

    for d in (1, 2, 9, 64, 301):
        assert score_moments(SIGNS, d, 20) == tuple(by_binomials(d, m) for m in range(21))
