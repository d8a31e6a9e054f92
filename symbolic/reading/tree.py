"""From the rules of grammar.lark to the nodes of surface: one method for each rule, and nothing else.

What the tokens say and has no meaning as a formula is a Misread, with its place.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lark import Token as LarkToken
from lark import Transformer, v_args

from exact.rationals import BadInput, read_rational
from symbolic.reading.building import (
    Bracket,
    Misread,
    added,
    alone,
    alone_of,
    applied,
    big_sum,
    called_with,
    differentiated_below,
    indices_of,
    place,
    raised_to,
    with_indices,
)
from symbolic.reading.surface import (
    Absolute,
    Big,
    Called,
    Differentiated,
    Divided,
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
)

__all__ = ["builder"]


def builder() -> Transformer[LarkToken, Any]:
    """Return what Lark calls for each rule it has matched."""
    return _Tree()


@v_args(inline=True)
class _Tree(Transformer[LarkToken, Any]):
    """One method for each rule of the grammar."""

    def start(self, *parts: Any) -> tuple[Related, ...]:
        return tuple(part for part in parts if isinstance(part, Related))

    def related(self, *parts: Any) -> Related:
        nodes = tuple(part for part in parts if not isinstance(part, LarkToken))
        return Related(nodes, tuple(str(part) for part in parts if isinstance(part, LarkToken)), nodes[0].at)

    def total(self, *terms: Node) -> Node:
        return terms[0] if len(terms) == 1 else added(terms)

    def same(self, _: LarkToken, term: Node) -> Node:
        return term

    def negated(self, sign: LarkToken, term: Node) -> Node:
        return Negated(term, place(sign))

    def product(self, *parts: Any) -> Node:
        nodes = [part for part in parts if not isinstance(part, LarkToken)]
        signs = [part for part in parts if isinstance(part, LarkToken)]
        if len(nodes) == 1:
            return nodes[0]  # type: ignore[no-any-return]
        left, right = nodes
        if len(signs) == 2:
            right = Negated(right, place(signs[1]))
        if signs and signs[0].type == "SLASH":
            return Divided(left, right, left.at)
        sign = str(signs[0]) if signs else ""
        if isinstance(left, Multiplied):
            return Multiplied((*left.factors, right), (*left.signs, sign), left.at)
        return Multiplied((left, right), (sign,), left.at)

    def number(self, token: LarkToken) -> Number:
        try:
            return Number(read_rational(str(token)), place(token))
        except BadInput as error:
            raise Misread(place(token), str(error)) from None

    def name(self, token: LarkToken) -> Name:
        letter, _, accent = str(token).partition("|")
        return Name(letter, (), accent, place(token))

    def ones(self, token: LarkToken) -> Called:
        return Called("ones", (), at=place(token))

    def dots(self, token: LarkToken) -> Name:
        return Name("…", at=place(token))

    def items(self, *parts: Any) -> tuple[Node, ...]:
        return tuple(alone(part) for part in parts if not isinstance(part, LarkToken))

    def brackets(self, opening: LarkToken, *parts: Any) -> Bracket:
        return Bracket(opening.type, parts[0] if isinstance(parts[0], tuple) else (), (), place(opening))

    def conditional(self, opening: LarkToken, items: tuple[Node, ...], *rest: Any) -> Bracket:
        return Bracket(opening.type, items, rest[1], place(opening))

    def braced(self, opening: LarkToken, items: tuple[Node, ...], _: LarkToken) -> Bracket:
        return Bracket("LBRACE", items, (), place(opening))

    def grouped(self, bracket: Bracket) -> Node:
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
        return with_indices(of, index if isinstance(index, tuple) else indices_of(index))

    def index(self, part: Any) -> Any:
        if isinstance(part, LarkToken):
            if part.type == "NUMBER":
                return self.number(part)
            if part.type == "NAME":
                return self.name(part)
            return Name(str(part), at=place(part))
        return part

    def power(self, *parts: Any) -> Any:
        first = parts[0]
        if isinstance(first, LarkToken):
            if first.type == "MINUS":
                return Negated(parts[1], place(first)) if not isinstance(parts[1], str) else parts[1]
            return "T" if first.type in {"TOP", "LBRACE"} else "*"
        base = self.grouped(first) if isinstance(first, Bracket) else first
        return base if len(parts) == 1 else raised_to(base, parts[2])

    def raised(self, base: Node, _: LarkToken, exponent: Any) -> Node:
        return raised_to(base, exponent)

    def transposed(self, of: Node, _: LarkToken) -> Node:
        return Transposed(of, of.at)

    def factorial(self, of: Node, _: LarkToken) -> Node:
        return Called("factorial", (of,), at=of.at)

    def primed(self, of: Node, mark: LarkToken) -> Node:
        if isinstance(of, Name):
            return Name(of.letter, of.subscripts, of.accent + "'", of.at)
        raise Misread(place(mark), "a prime is read after a letter")

    def method(self, of: Node, name: LarkToken, bracket: Bracket) -> Node:
        known = {"sum": "sum", "mean": "mean", "max": "max", "dot": "dot", "exp": "exp", "log": "log"}
        known |= {"transpose": "transpose", "var": "Var", "std": "Std", "diff": "diff", "doit": "", "copy": ""}
        if str(name) not in known:
            raise Misread(place(name), f"the method .{name} is not read", ", ".join(f".{key}" for key in known))
        function = known[str(name)]
        return of if not function else called_with(function, (of, *bracket.items), (), (), of.at)

    def called(self, name: LarkToken, *parts: Any) -> Node:
        bracket, limits = parts[-1], parts[:-1]
        return applied(name, limits, bracket.items, bracket.given)

    def function(self, name: LarkToken, *parts: Any) -> Node:
        return applied(name, parts[:-1], (parts[-1],), ())

    def below(self, _: LarkToken, index: Any) -> tuple[str, Any]:
        return "below", index if isinstance(index, Node) else index.items

    def above(self, _: LarkToken, power: Any) -> tuple[str, Any]:
        return "above", power

    def big(self, kind: LarkToken, *parts: Any) -> Big:
        limits = dict(parts[:-1])
        if len(limits) < len(parts) - 1:
            raise Misread(place(kind), "a sum has one lower and one upper limit")
        below = limits.get("below", ())
        return big_sum(str(kind), below if isinstance(below, tuple) else (below,), limits.get("above"), parts[-1], kind)

    def divided(self, frac: LarkToken, over: Any, under: Any) -> Divided:
        return Divided(self._one(over), self._one(under), place(frac))

    def choose(self, binom: LarkToken, n: Any, k: Any) -> Called:
        return Called("binomial", (self._one(n), self._one(k)), at=place(binom))

    def root(self, sign: LarkToken, of: Any) -> Root:
        return Root(self._one(of), at=place(sign))

    def root_of_degree(self, sign: LarkToken, _: LarkToken, degree: Node, __: LarkToken, of: Any) -> Root:
        return Root(self._one(of), degree, place(sign))

    def _one(self, part: Any) -> Node:
        return self.grouped(part) if isinstance(part, Bracket) else part

    def absolute(self, bar: LarkToken, of: Node, _: LarkToken) -> Absolute:
        return Absolute(of, place(bar))

    def normed(self, bar: LarkToken, of: Node, _: LarkToken) -> Normed:
        return Normed(of, "", place(bar))

    def floored(self, bar: LarkToken, of: Node, _: LarkToken) -> Called:
        return Called("floor", (of,), at=place(bar))

    def inner(self, bar: LarkToken, left: Node, _: LarkToken, right: Node, __: LarkToken) -> Inner:
        return Inner(left, right, place(bar))

    def indicator(self, one: LarkToken, *parts: Any) -> Iverson:
        items = parts[-1].items
        if len(items) == 1 and isinstance(items[0], Iverson):
            return items[0]
        if len(items) != 1 or not isinstance(items[0], Related):
            raise Misread(place(one), "an indicator holds one condition", "1{i = j}")
        return Iverson(items[0], place(one))

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
            raise Misread(place(frac), "the order of the derivative does not fit what stands below")
        for by in reversed(bys):
            of = Differentiated(of, by, place(frac))
        return of

    def slope(self, sign: LarkToken, of: Node, *parts: Any) -> Differentiated:
        return Differentiated(of, parts[-1], place(sign))

    def slope_of(self, sign: LarkToken, *parts: Any) -> Differentiated:
        by, of = parts[-2:]
        return Differentiated(of, by, place(sign))

    def slope_below(self, sign: LarkToken, *parts: Any) -> Node:
        by = parts[1]
        by = by if isinstance(by, Node) else alone_of(by)
        return differentiated_below(parts[2], by, place(sign))
