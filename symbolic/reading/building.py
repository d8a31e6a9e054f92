"""How pieces of a formula are put together: subscripts, powers, calls, sums with their limits, and … between terms.

What the tokens say and has no meaning as a formula is a Misread, with its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from lark import Token as LarkToken

from symbolic.reading.surface import (
    Absolute,
    Added,
    Big,
    Called,
    Differentiated,
    Divided,
    Indexed,
    Inner,
    Iverson,
    Listed,
    Multiplied,
    Name,
    Negated,
    Node,
    Normed,
    Number,
    Raised,
    Related,
    Root,
    Transposed,
    inside,
    replaced,
)

__all__ = [
    "Bracket",
    "Misread",
    "added",
    "alone",
    "alone_of",
    "applied",
    "big_sum",
    "called_with",
    "differentiated_below",
    "indices_of",
    "place",
    "raised_to",
    "with_indices",
]


class Misread(ValueError):
    """What the tokens say has no meaning as a formula: the place, the problem, what would be accepted."""

    def __init__(self, at: int, problem: str, accepted: str = "") -> None:
        """Keep the place."""
        super().__init__(problem, accepted)
        self.at = at


def place(token: LarkToken) -> int:
    """Return where a token stood."""
    return int(token.start_pos or 0)


class Bracket:
    """What stands in brackets, before it is known what the brackets are for."""

    __slots__ = ("at", "given", "items", "kind")

    def __init__(self, kind: str, items: tuple[Node, ...], given: tuple[Node, ...], at: int) -> None:
        """Keep the kind of bracket, what stands in it, what follows its bar, and where it opens."""
        self.kind, self.items, self.given, self.at = kind, items, given, at


def alone(related: Related) -> Node:
    """Return the one part of what has no relation in it, and a relation as it is."""
    return related if related.relations else related.parts[0]


def alone_of(bracket: Bracket) -> Node:
    """Return the one thing in brackets."""
    if len(bracket.items) != 1:
        raise Misread(bracket.at, "one variable is expected here")
    return bracket.items[0]


def indices_of(part: Any) -> tuple[Node, ...]:
    """Return subscripts: {ij} and {i,j} are two, {2n} is one."""
    if not isinstance(part, Bracket):
        return (part,)
    found: list[Node] = []
    for item in part.items:
        if isinstance(item, Multiplied) and set(item.signs) == {""} and all(isinstance(f, Name) for f in item.factors):
            found += item.factors
        else:
            found.append(item)
    return tuple(found)


def with_indices(of: Node, indices: tuple[Node, ...]) -> Node:
    """Put subscripts on a node; of a power they stand on its base, of a norm they are its kind."""
    if isinstance(of, Name):
        if of.subscripts:
            raise Misread(indices[0].at, "two subscripts stand one after the other", "one, such as a_{ij}")
        if of.letter == "grad" and len(indices) == 1:
            return Differentiated(Name("L", at=of.at), indices[0], of.at)
        if of.letter == "δ" and len(indices) == 1 and isinstance(indices[0], Multiplied):
            indices = indices[0].factors  # δ_{1i} has two indices, as δ_{ij} has
        return Name(of.letter, indices, of.accent, of.at)
    if isinstance(of, Raised) and isinstance(of.base, Name) and not of.base.subscripts:
        return Raised(with_indices(of.base, indices), of.exponent, of.at)
    if isinstance(of, Transposed) and isinstance(of.of, Name) and not of.of.subscripts:
        return Indexed(of, indices, of.at)
    if isinstance(of, Normed) and not of.kind and len(indices) == 1:
        index = indices[0]
        if isinstance(index, Name):
            return Normed(of.of, index.letter, of.at)
        if isinstance(index, Number):
            return Normed(of.of, "" if index.value == 2 else str(index.value), of.at)
    if of == Number(Fraction(1)) and len(indices) == 1 and isinstance(indices[0], Related):
        return Iverson(indices[0], of.at)
    if isinstance(of, Number):
        raise Misread(indices[0].at, "a number has no subscript")
    return Indexed(of, indices, of.at)


def raised_to(base: Node, exponent: Any) -> Node:
    """Raise to a power; T makes a transpose, and a star a name of its own."""
    if exponent == "T":
        return Transposed(base, base.at)
    if exponent == "*":
        if isinstance(base, Name):
            return Name(base.letter, base.subscripts, base.accent + "*", base.at)
        raise Misread(base.at, "a star is read after a letter")
    if isinstance(base, Name) and base.letter == "δ" and len(base.subscripts) == 1 and isinstance(exponent, Name):
        return Name("δ", (*base.subscripts, exponent), base.accent, base.at)
    return Raised(base, exponent, base.at)


def applied(name: LarkToken, limits: Any, arguments: tuple[Node, ...], given: tuple[Node, ...]) -> Node:
    """Apply a function; a power on its name raises its value, and what stands below it is kept."""
    below: tuple[Node, ...] = ()
    power = None
    for kind, value in limits:
        if kind == "above":
            power = value
        else:
            below = value if isinstance(value, tuple) else (value,)
    function = str(name)
    if function == "softmax" and below:
        result: Node = Indexed(called_with(function, arguments, given, (), place(name)), below, place(name))
    else:
        result = called_with(function, arguments, given, below, place(name))
    return result if power is None else raised_to(result, power)


def called_with(
    function: str, arguments: tuple[Node, ...], given: tuple[Node, ...], below: tuple[Node, ...], at: int
) -> Node:
    """Call a known function, with its options set apart and its arguments counted."""
    options = tuple(part for part in arguments if isinstance(part, Related) and function != "P")
    values = tuple(part for part in arguments if part not in options)
    for option in options:
        first = option.parts[0]
        if not isinstance(first, Name) or first.letter not in {"axis", "dim", "keepdims", "keepdim"}:
            raise Misread(option.at, "an equation has no value as an argument", "options such as axis=-1")
    below = (*below, *options)
    if function in {"sum", "mean", "softmax", "logsoftmax"} and len(values) == 2 and _is_whole(values[1]):
        below = (*below, Related((Name("axis", at=at), values[1]), ("=",), at))
        values = values[:1]
    if function == "sum" and len(values) > 1 and all(isinstance(part, Listed) for part in values[1:]):
        function = "Sum"  # sum(f, (k, 0, n)), as in Sum(f, (k, 0, n))
    if function in {"sqrt", "abs", "norm", "transpose", "delta", "rational", "diff", "Sum", "Product", "dot"}:
        return _standard(function, values, at)
    if not values and function != "ones":
        raise Misread(at, f"{function} has nothing to apply to")
    if function == "sigmoid'":
        if len(values) != 1 or not isinstance(values[0], Name):
            raise Misread(at, "the derivative σ' is read at a letter", "σ'(x)")
        return Differentiated(Called("sigmoid", values, at=at), values[0], at)
    if function in COUNTS and len(values) != COUNTS[function]:
        raise Misread(at, f"{function} takes {COUNTS[function]} arguments (got {len(values)})")
    return Called(function, values, given, below, at)


def _is_whole(node: Node) -> bool:
    """Say whether a second argument is a whole number, as the axis of sum(x, -1) is."""
    number = node.of if isinstance(node, Negated) else node
    return isinstance(number, Number) and number.value.denominator == 1


COUNTS: Final = {"binomial": 2, "Cov": 2, "Corr": 2, "dice": 2, "factorial": 1, "exp": 1, "sigmoid": 1}


def _standard(function: str, values: tuple[Node, ...], at: int) -> Node:
    """Turn Python's sqrt(x), diff(f, x), Sum(f, (j, 1, n)), … into what LaTeX writes with signs."""
    match function, values:
        case "sqrt", (x,):
            return Root(x, at=at)
        case "abs", (x,):
            return Absolute(x, at)
        case "norm", (x,):
            return Normed(x, "", at)
        case "transpose", (x,):
            return Transposed(x, at)
        case "delta", (i, j):
            return Name("δ", (i, j), at=at)
        case "dot", (x, y):
            return Inner(x, y, at)
        case "rational", (Number() | Negated() as p, Number() as q):
            return Divided(p, q, at)
        case "rational", (x,):
            return x
        case "diff", (of, *bys) if bys and len(bys) <= 4:
            for by in bys:
                of = Differentiated(of, by, at)
            return of
        case "Sum" | "Product", (body, *limits):
            kind = "sum" if function == "Sum" else "product"
            if not limits:
                return Big(kind, (), body, at=at) if kind == "sum" else _misused(function, at)
            for limit in limits:
                match limit:
                    case Listed((Name() as index, low, high)):
                        body = Big(kind, (index,), body, low, high, at=at)
                    case Name() | Listed((Name(),)):
                        body = Big(kind, (limit if isinstance(limit, Name) else limit.items[0],), body, at=at)  # type: ignore[arg-type]
                    case _:
                        return _misused(function, at)
            return body
        case _:
            return _misused(function, at)


def _misused(function: str, at: int) -> Node:
    forms = {"diff": "diff(f, x)", "Sum": "Sum(f, (j, 1, n))", "Product": "Product(f, (j, 1, n))", "dot": "dot(q, k)"}
    forms |= {"delta": "delta(i, j)", "rational": "Rational(1, 4)"}
    raise Misread(at, f"{function} is not used like this", forms.get(function, f"{function}(x)"))


def big_sum(kind: str, below: tuple[Any, ...], above: Any, body: Node, token: LarkToken) -> Big:
    """Read what stands under a sum: j, j=1, i,j, j≠i, i<j, jl."""
    indices: list[Name] = []
    conditions: list[Related] = []
    lower: Node | None = None

    def bind(part: Node) -> None:
        match part:
            case Name(_, ()):
                if part not in indices:
                    indices.append(part)
            case Multiplied(factors, signs) if set(signs) == {""}:
                for factor in factors:
                    bind(factor)
            case _:
                raise Misread(part.at, "the index of a sum is a letter", "j, j=1, j \\ne i")

    for part in below:
        if isinstance(part, Related):
            if part.relations == ("=",) and isinstance(part.parts[0], Name):
                bind(part.parts[0])
                lower = part.parts[1]
            elif part.relations[0] in {"≤", "<"} and len(part.parts) == 3 and isinstance(part.parts[1], Name):
                bind(part.parts[1])
                conditions.append(part)
            else:
                for side in part.parts if part.relations[0] != "≠" else part.parts[:1]:
                    if isinstance(side, Name | Multiplied):
                        bind(side)
                conditions.append(part)
        elif conditions and conditions[-1].relations == ("≠",) and isinstance(part, Name):
            conditions.append(Related((conditions[-1].parts[0], part), ("≠",), part.at))
        else:
            bind(part)
    if above is not None and isinstance(above, str):
        raise Misread(place(token), "the upper limit of a sum is a number or a letter")
    return Big(kind, tuple(indices), body, lower, above, tuple(conditions), place(token))


def differentiated_below(of: Node, by: Node, at: int) -> Node:
    """Differentiate what follows ∂_j or ∇_z: a product whole, but ∂_j f ∂_k g and ∇_z L ⊙ g are products of two."""
    if isinstance(of, Multiplied):
        first, *rest = of.factors
        if (isinstance(first, Name) and first.letter in LOSSES and not first.subscripts) or any(
            isinstance(factor, Differentiated) for factor in rest
        ):
            return Multiplied((Differentiated(first, by, at), *rest), of.signs, at)
    return Differentiated(of, by, at)


LOSSES: Final = frozenset({"L", "J", "E", "C", "l"})


def added(terms: tuple[Node, ...]) -> Node:
    """Add terms; X_1 + … + X_n is a sum over an index from 1 to n."""
    for n, term in enumerate(terms):
        if isinstance(term, Name) and term.letter == "…":
            if n == 0 or n == len(terms) - 1:
                raise Misread(term.at, "… stands between the first terms of a sum and the last", "X_1 + … + X_n")
            for before in range(n):
                if (big := _summed(terms[before:n], terms[n + 1], term.at)) is not None:
                    whole = (*terms[:before], big, *terms[n + 2 :])
                    return Added(whole, whole[0].at) if len(whole) > 1 else big
            raise Misread(term.at, "the terms around … do not follow one pattern", "X_1 + … + X_n")
    return Added(terms, terms[0].at)


def _summed(first: tuple[Node, ...], last: Node, at: int) -> Big | None:
    """Return the sum that the terms before … and the one after it are of, where all follow one pattern."""
    change = _difference(first[0], last)
    if change is None:
        return None
    start, end = change
    index = Name("·", at=at)
    body = _substituted(first[0], start, index)
    if _substituted(body, index, end) != last:
        return None
    for n, term in enumerate(first):
        place = Number(start.value + n, term.at) if isinstance(start, Number) else start
        if _substituted(body, index, place) != term:
            return None
    return Big("sum", (index,), body, start, end, at=first[0].at)


def _difference(first: Node, last: Node) -> tuple[Node, Node] | None:
    """Return the one subscript in which two terms differ, as it is in each."""
    if isinstance(first, Number) and first != last and isinstance(last, Name | Number | Multiplied | Added):
        return first, last
    if type(first) is not type(last):
        return None
    left, right = list(inside(first)), list(inside(last))
    if len(left) != len(right) or (isinstance(first, Name) and isinstance(last, Name) and first.letter != last.letter):
        return None
    found = {_difference(a, b) for a, b in zip(left, right, strict=True) if a != b}
    return found.pop() if len(found) == 1 else None


def _substituted(node: Node, old: Node, new: Node) -> Node:
    """Put one index in the place of another, in all subscripts."""

    def change(part: Node) -> Node | None:
        match part:
            case Name(letter, subscripts, accent, at) if subscripts:
                return Name(letter, tuple(new if index == old else index for index in subscripts), accent, at)
            case Indexed(of, indices, at):
                return Indexed(_substituted(of, old, new), tuple(new if i == old else i for i in indices), at)
        return None

    return replaced(node, change)
