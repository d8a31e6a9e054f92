"""From the rules of grammar.lark to the nodes of surface: one method for each rule, and nothing else.

What the tokens say and has no meaning as a formula is a Misread, with its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from lark import Token as LarkToken
from lark import Transformer, v_args

from exact.rationals import BadInput, read_rational
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
)

__all__ = ["Misread", "builder"]


class Misread(ValueError):
    """What the tokens say has no meaning as a formula: the place, the problem, what would be accepted."""

    def __init__(self, at: int, problem: str, accepted: str = "") -> None:
        """Keep the place."""
        super().__init__(problem, accepted)
        self.at = at


def builder() -> Transformer[LarkToken, Any]:
    """Return what Lark calls for each rule it has matched."""
    return _Tree()


def _place(token: LarkToken) -> int:
    return int(token.start_pos or 0)


@v_args(inline=True)
class _Tree(Transformer[LarkToken, Any]):
    """One method for each rule of the grammar."""

    def start(self, *parts: Any) -> tuple[Related, ...]:
        return tuple(part for part in parts if isinstance(part, Related))

    def related(self, *parts: Any) -> Related:
        nodes = tuple(part for part in parts if not isinstance(part, LarkToken))
        return Related(nodes, tuple(str(part) for part in parts if isinstance(part, LarkToken)), nodes[0].at)

    def total(self, *terms: Node) -> Node:
        return terms[0] if len(terms) == 1 else _added(terms)

    def same(self, _: LarkToken, term: Node) -> Node:
        return term

    def negated(self, sign: LarkToken, term: Node) -> Node:
        return Negated(term, _place(sign))

    def product(self, *parts: Any) -> Node:
        nodes = [part for part in parts if not isinstance(part, LarkToken)]
        signs = [part for part in parts if isinstance(part, LarkToken)]
        if len(nodes) == 1:
            return nodes[0]  # type: ignore[no-any-return]
        left, right = nodes
        if len(signs) == 2:
            right = Negated(right, _place(signs[1]))
        if signs and signs[0].type == "SLASH":
            return Divided(left, right, left.at)
        sign = str(signs[0]) if signs else ""
        if isinstance(left, Multiplied):
            return Multiplied((*left.factors, right), (*left.signs, sign), left.at)
        return Multiplied((left, right), (sign,), left.at)

    def number(self, token: LarkToken) -> Number:
        try:
            return Number(read_rational(str(token)), _place(token))
        except BadInput as error:
            raise Misread(_place(token), str(error)) from None

    def name(self, token: LarkToken) -> Name:
        letter, _, accent = str(token).partition("|")
        return Name(letter, (), accent, _place(token))

    def ones(self, token: LarkToken) -> Called:
        return Called("ones", (), at=_place(token))

    def dots(self, token: LarkToken) -> Name:
        return Name("…", at=_place(token))

    def items(self, *parts: Any) -> tuple[Node, ...]:
        return tuple(_alone(part) for part in parts if not isinstance(part, LarkToken))

    def brackets(self, opening: LarkToken, *parts: Any) -> _Bracket:
        return _Bracket(opening.type, parts[0] if isinstance(parts[0], tuple) else (), (), _place(opening))

    def conditional(self, opening: LarkToken, items: tuple[Node, ...], *rest: Any) -> _Bracket:
        return _Bracket(opening.type, items, rest[1], _place(opening))

    def braced(self, opening: LarkToken, items: tuple[Node, ...], _: LarkToken) -> _Bracket:
        return _Bracket("LBRACE", items, (), _place(opening))

    def grouped(self, bracket: _Bracket) -> Node:
        if bracket.given:
            raise Misread(bracket.at, "a bar is read after E, Var and P only", "two bars around a value")
        if len(bracket.items) != 1:
            if bracket.kind == "LBRACK" or (bracket.kind == "LPAR" and bracket.items):
                return Listed(bracket.items, bracket.at)
            raise Misread(bracket.at, "one expression is expected in these brackets")
        only = bracket.items[0]
        if isinstance(only, Related):
            if bracket.kind in {"LBRACK", "SETOPEN"}:
                return Iverson(only, bracket.at)
            raise Misread(only.at, "an equation in brackets has no value here", "[i = j] for 1 where it holds, else 0")
        if bracket.kind == "LBRACK" and isinstance(only, Listed | Number):
            return Listed((only,), bracket.at)
        return only

    def subscripted(self, of: Node, _: LarkToken, index: Any, *rest: LarkToken) -> Node:
        return _with_indices(of, index if isinstance(index, tuple) else _indices(index))

    def index(self, part: Any) -> Any:
        if isinstance(part, LarkToken):
            if part.type == "NUMBER":
                return self.number(part)
            if part.type == "NAME":
                return self.name(part)
            return Name(str(part), at=_place(part))
        return part

    def power(self, *parts: Any) -> Any:
        first = parts[0]
        if isinstance(first, LarkToken):
            if first.type == "MINUS":
                return Negated(parts[1], _place(first)) if not isinstance(parts[1], str) else parts[1]
            return "T" if first.type in {"TOP", "LBRACE"} else "*"
        base = self.grouped(first) if isinstance(first, _Bracket) else first
        return base if len(parts) == 1 else _power(base, parts[2])

    def raised(self, base: Node, _: LarkToken, exponent: Any) -> Node:
        return _power(base, exponent)

    def transposed(self, of: Node, _: LarkToken) -> Node:
        return Transposed(of, of.at)

    def factorial(self, of: Node, _: LarkToken) -> Node:
        return Called("factorial", (of,), at=of.at)

    def primed(self, of: Node, mark: LarkToken) -> Node:
        if isinstance(of, Name):
            return Name(of.letter, of.subscripts, of.accent + "'", of.at)
        raise Misread(_place(mark), "a prime is read after a letter")

    def method(self, of: Node, name: LarkToken, bracket: _Bracket) -> Node:
        known = {"sum": "sum", "mean": "mean", "max": "max", "dot": "dot", "exp": "exp", "log": "log"}
        known |= {"transpose": "transpose", "var": "Var", "std": "Std", "diff": "diff", "doit": "", "copy": ""}
        if str(name) not in known:
            raise Misread(_place(name), f"the method .{name} is not read", ", ".join(f".{key}" for key in known))
        function = known[str(name)]
        return of if not function else _called(function, (of, *bracket.items), (), (), of.at)

    def called(self, name: LarkToken, *parts: Any) -> Node:
        bracket, limits = parts[-1], parts[:-1]
        return _applied(name, limits, bracket.items, bracket.given)

    def function(self, name: LarkToken, *parts: Any) -> Node:
        return _applied(name, parts[:-1], (parts[-1],), ())

    def below(self, _: LarkToken, index: Any) -> tuple[str, Any]:
        return "below", index if isinstance(index, Node) else index.items

    def above(self, _: LarkToken, power: Any) -> tuple[str, Any]:
        return "above", power

    def big(self, kind: LarkToken, *parts: Any) -> Big:
        limits = dict(parts[:-1])
        if len(limits) < len(parts) - 1:
            raise Misread(_place(kind), "a sum has one lower and one upper limit")
        below = limits.get("below", ())
        return _big(str(kind), below if isinstance(below, tuple) else (below,), limits.get("above"), parts[-1], kind)

    def divided(self, frac: LarkToken, over: Any, under: Any) -> Divided:
        return Divided(self._one(over), self._one(under), _place(frac))

    def choose(self, binom: LarkToken, n: Any, k: Any) -> Called:
        return Called("binomial", (self._one(n), self._one(k)), at=_place(binom))

    def root(self, sign: LarkToken, of: Any) -> Root:
        return Root(self._one(of), at=_place(sign))

    def root_of_degree(self, sign: LarkToken, _: LarkToken, degree: Node, __: LarkToken, of: Any) -> Root:
        return Root(self._one(of), degree, _place(sign))

    def _one(self, part: Any) -> Node:
        return self.grouped(part) if isinstance(part, _Bracket) else part

    def absolute(self, bar: LarkToken, of: Node, _: LarkToken) -> Absolute:
        return Absolute(of, _place(bar))

    def normed(self, bar: LarkToken, of: Node, _: LarkToken) -> Normed:
        return Normed(of, "", _place(bar))

    def floored(self, bar: LarkToken, of: Node, _: LarkToken) -> Called:
        return Called("floor", (of,), at=_place(bar))

    def inner(self, bar: LarkToken, left: Node, _: LarkToken, right: Node, __: LarkToken) -> Inner:
        return Inner(left, right, _place(bar))

    def indicator(self, one: LarkToken, *parts: Any) -> Iverson:
        items = parts[-1].items
        if len(items) == 1 and isinstance(items[0], Iverson):
            return items[0]
        if len(items) != 1 or not isinstance(items[0], Related):
            raise Misread(_place(one), "an indicator holds one condition", "1{i = j}")
        return Iverson(items[0], _place(one))

    def order(self, _: LarkToken, power: Any) -> Any:
        return ("order", power)

    def bys(self, *parts: Any) -> tuple[Node, ...]:
        return tuple(part for part in parts if not isinstance(part, LarkToken))

    def derivative(self, frac: LarkToken, *parts: Any) -> Node:
        nodes = [part for part in parts if not isinstance(part, LarkToken)]
        order = [part[1] for part in nodes if isinstance(part, tuple) and part and part[0] == "order"]
        bys: list[Node] = []
        for part in nodes:
            if isinstance(part, tuple) and part and part[0] != "order":
                for by in part:
                    if (
                        isinstance(by, Raised)
                        and isinstance(by.exponent, Number)
                        and by.exponent.value.denominator == 1
                    ):
                        bys += [by.base] * min(int(by.exponent.value), 9)
                    else:
                        bys.append(by)
        of: Node = next(part for part in nodes if not isinstance(part, tuple))
        wanted = order[0].value if order and isinstance(order[0], Number) else Fraction((len(order) and -1) or 1)
        if len(bys) != wanted or len(bys) > 4:
            raise Misread(_place(frac), "the order of the derivative does not fit what stands below")
        for by in reversed(bys):
            of = Differentiated(of, by, _place(frac))
        return of

    def slope(self, sign: LarkToken, of: Node, *parts: Any) -> Differentiated:
        return Differentiated(of, parts[-1], _place(sign))

    def slope_below(self, sign: LarkToken, *parts: Any) -> Differentiated:
        by = parts[1]
        by = by if isinstance(by, Node) else _alone_of(by)
        return Differentiated(parts[2], by, _place(sign))


class _Bracket:
    """What stands in brackets, before it is known what the brackets are for."""

    __slots__ = ("at", "given", "items", "kind")

    def __init__(self, kind: str, items: tuple[Node, ...], given: tuple[Node, ...], at: int) -> None:
        self.kind, self.items, self.given, self.at = kind, items, given, at


def _alone(related: Related) -> Node:
    return related if related.relations else related.parts[0]


def _alone_of(bracket: _Bracket) -> Node:
    if len(bracket.items) != 1:
        raise Misread(bracket.at, "one variable is expected here")
    return bracket.items[0]


def _indices(part: Any) -> tuple[Node, ...]:
    """Return subscripts: {ij} and {i,j} are two, {2n} is one."""
    if not isinstance(part, _Bracket):
        return (part,)
    found: list[Node] = []
    for item in part.items:
        if isinstance(item, Multiplied) and set(item.signs) == {""} and all(isinstance(f, Name) for f in item.factors):
            found += item.factors
        else:
            found.append(item)
    return tuple(found)


def _with_indices(of: Node, indices: tuple[Node, ...]) -> Node:
    if isinstance(of, Name):
        if of.subscripts:
            raise Misread(indices[0].at, "two subscripts stand one after the other", "one, such as a_{ij}")
        if of.letter == "grad" and len(indices) == 1:
            return Differentiated(Name("L", at=of.at), indices[0], of.at)
        return Name(of.letter, indices, of.accent, of.at)
    if isinstance(of, Raised) and isinstance(of.base, Name) and not of.base.subscripts:
        return Raised(_with_indices(of.base, indices), of.exponent, of.at)
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


def _power(base: Node, exponent: Any) -> Node:
    if exponent == "T":
        return Transposed(base, base.at)
    if exponent == "*":
        if isinstance(base, Name):
            return Name(base.letter, base.subscripts, base.accent + "*", base.at)
        raise Misread(base.at, "a star is read after a letter")
    return Raised(base, exponent, base.at)


def _applied(name: LarkToken, limits: Any, arguments: tuple[Node, ...], given: tuple[Node, ...]) -> Node:
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
        result: Node = Indexed(_called(function, arguments, given, (), _place(name)), below, _place(name))
    else:
        result = _called(function, arguments, given, below, _place(name))
    return result if power is None else _power(result, power)


def _called(
    function: str, arguments: tuple[Node, ...], given: tuple[Node, ...], below: tuple[Node, ...], at: int
) -> Node:
    options = tuple(part for part in arguments if isinstance(part, Related) and function != "P")
    values = tuple(part for part in arguments if part not in options)
    for option in options:
        first = option.parts[0]
        if not isinstance(first, Name) or first.letter not in {"axis", "dim", "keepdims", "keepdim"}:
            raise Misread(option.at, "an equation has no value as an argument", "options such as axis=-1")
    below = (*below, *(option for option in options if option.parts[0].letter in {"axis", "dim", "keepdims"}))  # type: ignore[union-attr]
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


def _big(kind: str, below: tuple[Any, ...], above: Any, body: Node, token: LarkToken) -> Big:
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
        raise Misread(_place(token), "the upper limit of a sum is a number or a letter")
    return Big(kind, tuple(indices), body, lower, above, tuple(conditions), _place(token))


def _added(terms: tuple[Node, ...]) -> Node:
    """Add terms; X_1 + … + X_n is a sum over an index from 1 to n."""
    for n, term in enumerate(terms):
        if isinstance(term, Name) and term.letter == "…":
            if n == 0 or n == len(terms) - 1:
                raise Misread(term.at, "… stands between the first terms of a sum and the last", "X_1 + … + X_n")
            first = terms[0]
            last = terms[n + 1]
            change = _difference(first, last)
            if change is None:
                raise Misread(term.at, "the terms around … do not follow one pattern", "X_1 + … + X_n")
            start, end = change
            index = Name("·", at=term.at)
            big = Big("sum", (index,), _substituted(first, start, index), start, end, at=first.at)
            rest = terms[n + 2 :]
            return Added((big, *rest), first.at) if rest else big
    return Added(terms, terms[0].at)


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


def _substituted(node: Node, old: Node, new: Name) -> Node:
    """Put an index in the place of a number, in subscripts."""
    match node:
        case Name(letter, subscripts, accent, at):
            return Name(letter, tuple(new if part == old else part for part in subscripts), accent, at)
        case Multiplied(factors, signs, at):
            return Multiplied(tuple(_substituted(factor, old, new) for factor in factors), signs, at)
        case Raised(base, exponent, at):
            return Raised(_substituted(base, old, new), exponent, at)
        case _:
            raise Misread(node.at, "… is read between letters with subscripts and their products", "X_1 + … + X_n")
