"""How networks are initialised: the law of a weight, and what it makes of the variance of a score.

Imports the standard library, exact.rationals and exact.coordinates only.  A gain or a slope enters squared, so that
√2, √5 and 1/√3 stay exact; the half-width of a uniform law is given squared for the same reason.

| name             | variance of a weight                 | usual parameters                 |
|------------------|--------------------------------------|----------------------------------|
| Xavier (Glorot)  | gain²·2/(fan_in + fan_out)           | gain 1                           |
| Kaiming (He)     | 2/((1 + slope²)·fan_in)              | slope 0; PyTorch's Linear has √5 |
| LeCun            | 1/fan_in                             |                                  |

A query coordinate is q_r = Σ_j w_rj x_j.  With weights of mean 0 and E[x_j²] = m its variance is fan_in·Var(w)·m.

>>> weight = kaiming_uniform(fan_in=512, slope_squared=5)          # the default of a PyTorch Linear layer
>>> half_width_squared(weight), projected_variance(weight, 512)    # half-width 1/√512
(Fraction(1, 512), Fraction(1, 3))
>>> scaled_variance(64, Fraction(1, 3), Fraction(1, 3), divisor_squared=64)
Fraction(1, 9)
"""

from fractions import Fraction

from exact.coordinates import Continuous, Coordinate, gaussian, moment, variance
from exact.rationals import BadInput, abbreviate, read_rational, read_whole

__all__ = [
    "FAN_LIMIT",
    "half_width_squared",
    "head_width",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "projected_variance",
    "scaled_variance",
    "xavier_normal",
    "xavier_uniform",
]

FAN_LIMIT = 10**9
_Number = int | str | Fraction


def xavier_uniform(fan_in: int, fan_out: int, gain_squared: _Number = 1) -> Continuous:
    """Return the uniform law on ±gain·√(6/(fan_in + fan_out)) (Glorot and Bengio, 2010).

    >>> half_width_squared(xavier_uniform(512, 64)) == Fraction(6, 512 + 64)
    True
    """
    return _uniform(_xavier(fan_in, fan_out, gain_squared))


def xavier_normal(fan_in: int, fan_out: int, gain_squared: _Number = 1) -> Continuous:
    """Return the Gaussian of variance gain²·2/(fan_in + fan_out): 2, where the uniform law's half-width has 6.

    >>> variance(xavier_normal(512, 64)) == variance(xavier_uniform(512, 64)) == Fraction(2, 512 + 64)
    True
    """
    return gaussian(0, _xavier(fan_in, fan_out, gain_squared))


def kaiming_uniform(fan_in: int, slope_squared: _Number = 0) -> Continuous:
    """Return the uniform law on ±√(6/((1 + slope²)·fan_in)) (He and others, 2015); slope of the leaky ReLU."""
    return _uniform(_kaiming(fan_in, slope_squared))


def kaiming_normal(fan_in: int, slope_squared: _Number = 0) -> Continuous:
    """Return the Gaussian of variance 2/((1 + slope²)·fan_in)."""
    return gaussian(0, _kaiming(fan_in, slope_squared))


def lecun_uniform(fan_in: int) -> Continuous:
    """Return the uniform law on ±√(3/fan_in) (LeCun and others, 1998): the 3 is what makes the variance 1/fan_in."""
    return _uniform(Fraction(1, _read_fan("fan_in", fan_in)))


def lecun_normal(fan_in: int) -> Continuous:
    """Return the Gaussian of variance 1/fan_in."""
    return gaussian(0, Fraction(1, _read_fan("fan_in", fan_in)))


def half_width_squared(law: Continuous) -> Fraction:
    """Return a² for a uniform law on [−a, a]: three times its variance; `BadInput` for another shape."""
    if law.family != "uniform":
        raise BadInput(f"only a uniform law has a half-width (this one is {law.family})")
    return 3 * law.variance


def projected_variance(weight: Coordinate, fan_in: int, input_second_moment: _Number = 1) -> Fraction:
    """Return Var(Σ_j w_j x_j) = fan_in·Var(w)·E[x_j²], the weights centred, independent of each other and of x.

    Only E[x_j²] of the input is used: its coordinates may be correlated.  `BadInput` when a weight is not centred.

    >>> projected_variance(lecun_uniform(512), 512), projected_variance(xavier_normal(512, 64), 512)
    (Fraction(1, 1), Fraction(16, 9))
    """
    if moment(weight, 1) != 0:
        raise BadInput(f"weights must have mean 0 (these have {abbreviate(moment(weight, 1))})")
    second = read_rational(input_second_moment)
    if second < 0:
        raise BadInput(f"a second moment must be at least 0 (got {abbreviate(second)})")
    return _read_fan("fan_in", fan_in) * variance(weight) * second


def head_width(d_model: int, heads: int) -> int:
    """Return d_k = d_model/heads; `BadInput` when the heads do not divide the model.

    >>> scaled_variance(head_width(512, 8), 1, 1, divisor_squared=512)    # divided by √d_model: 1/heads, not 1
    Fraction(1, 8)
    >>> scaled_variance(head_width(512, 8), 1, 1, divisor_squared=head_width(512, 8))
    Fraction(1, 1)
    """
    d_model, heads = _read_fan("d_model", d_model), _read_fan("heads", heads)
    if d_model % heads:
        raise BadInput(f"heads must divide d_model ({heads} does not divide {d_model})")
    return d_model // heads


def scaled_variance(width: int, variance_q: _Number, variance_k: _Number, *, divisor_squared: _Number) -> Fraction:
    """Return Var(q·k/c) = width·σ_q²·σ_k²/c², coordinates centred and independent; c² is `divisor_squared`, above 0."""
    q, k, c = (read_rational(x) for x in (variance_q, variance_k, divisor_squared))
    if q < 0 or k < 0:
        raise BadInput(f"a variance must be at least 0 (got {abbreviate(min(q, k))})")
    if c <= 0:
        raise BadInput(f"the square of a divisor must be above 0 (got {abbreviate(c)})")
    return _read_fan("width", width) * q * k / c


def _uniform(weight_variance: Fraction) -> Continuous:
    return Continuous("uniform", "uniform", Fraction(0), weight_variance)


def _xavier(fan_in: int, fan_out: int, gain_squared: _Number) -> Fraction:
    gain = _read_not_negative("the square of a gain", gain_squared)
    return gain * 2 / (_read_fan("fan_in", fan_in) + _read_fan("fan_out", fan_out))


def _kaiming(fan_in: int, slope_squared: _Number) -> Fraction:
    slope = _read_not_negative("the square of a slope", slope_squared)
    return Fraction(2) / ((1 + slope) * _read_fan("fan_in", fan_in))


def _read_fan(name: str, value: int) -> int:
    return read_whole(name, value, 1, FAN_LIMIT)


def _read_not_negative(name: str, value: _Number) -> Fraction:
    number = read_rational(value)
    if number < 0:
        raise BadInput(f"{name} must be at least 0 (got {abbreviate(number)})")
    return number
