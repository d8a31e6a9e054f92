"""Trees of formulas written in Python's own syntax, for tests of what gives them a meaning.

E[x], Var(x), E[x | q] as E[x, q]; q @ k is q·k; x.T a transpose; X_1, mu_q are names with subscripts; dots is "…".
Sum(i, body), Sum(i, body, low, high), Sum((i, j, i != j), body); a chain is a == b == c.
"""

from __future__ import annotations

import ast
from fractions import Fraction

from symbolic import surface as s

GREEK = {"mu": "μ", "sigma": "σ", "rho": "ρ", "theta": "θ", "eps": "ε", "Sigma": "Σ", "alpha": "α", "delta": "δ",
         "lam": "λ", "dots": "…", "xi": "ξ"}  # fmt: skip
RELATIONS = {ast.Eq: "=", ast.NotEq: "≠", ast.Lt: "<", ast.Gt: ">", ast.LtE: "≤", ast.GtE: "≥"}


def reading(text: str, *aside: str) -> s.Reading:
    """Return a claim and what stands after it as a reading."""
    return s.Reading(_related(text), tuple(_related(each) for each in aside), text)


def _related(text: str) -> s.Related:
    node = tree(ast.parse(text, mode="eval").body)
    return node if isinstance(node, s.Related) else s.Related((node,))


def name(text: str) -> s.Name:
    """Return X_1, mu_q, d_model or x as a name with subscripts."""
    head, _, tail = text.partition("_")
    subs: tuple[s.Node, ...] = ()
    if tail.isdigit():
        subs = (s.Number(Fraction(tail)),)
    elif tail and len(tail) < 3 and tail.islower() and head not in ("fan", "head", "n"):
        subs = tuple(s.Name(letter) for letter in tail)
    elif tail:
        subs = (s.Name(GREEK.get(tail, tail)),)
    if head.endswith("hat") and head != "hat":
        return s.Name(head[:-3], subs, "hat")
    return s.Name(GREEK.get(head, head), subs)


def tree(node: ast.expr) -> s.Node:
    """Return the tree of an expression."""
    match node:
        case ast.Constant(value=value):
            return s.Number(Fraction(str(value)))
        case ast.Name(id=text):
            return name(text)
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return s.Negated(tree(of))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(tree(left), op, tree(right))
        case ast.Compare(left=left, ops=ops, comparators=others):
            return s.Related((tree(left), *map(tree, others)), tuple(RELATIONS[type(op)] for op in ops))
        case ast.Attribute(value=of, attr="T"):
            return s.Transposed(tree(of))
        case ast.Subscript(value=ast.Name(id="E"), slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return s.Called("E", (tree(parts[0]),), tuple(map(tree, parts[1:])))
        case ast.Subscript(value=of, slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            indices = tuple(map(tree, parts))
            whole = tree(of)
            return s.Name(whole.letter, indices) if isinstance(whole, s.Name) else s.Indexed(whole, indices)
        case ast.Call(func=ast.Name(id=function), args=arguments):
            return _call(function, arguments)
        case ast.List(elts=items):
            return s.Listed(tuple(map(tree, items)))
    raise AssertionError(ast.dump(node))


def _binary(left: s.Node, op: ast.operator, right: s.Node) -> s.Node:
    match op:
        case ast.Add() | ast.Sub():
            terms = left.terms if isinstance(left, s.Added) else (left,)
            return s.Added((*terms, right if isinstance(op, ast.Add) else s.Negated(right)))
        case ast.Div():
            return s.Divided(left, right)
        case ast.Pow():
            return s.Raised(left, right)
    sign = "@" if isinstance(op, ast.MatMult) else ""
    if isinstance(left, s.Multiplied):
        return s.Multiplied((*left.factors, right), (*left.signs, sign))
    return s.Multiplied((left, right), (sign,))


def _call(function: str, arguments: list[ast.expr]) -> s.Node:
    if function == "Sum":
        first, body, *limits = arguments
        parts = [tree(each) for each in (first.elts if isinstance(first, ast.Tuple) else [first])]
        low, high = (tree(limits[0]), tree(limits[1])) if limits else (None, None)
        indices = tuple(each for each in parts if isinstance(each, s.Name))
        return s.Big("sum", indices, tree(body), low, high, tuple(e for e in parts if isinstance(e, s.Related)))
    given = tuple(map(tree, arguments))
    if function == "sqrt":
        return s.Root(given[0], given[1] if len(given) > 1 else None)
    if function == "abs":
        return s.Absolute(given[0])
    if function == "norm":
        return s.Normed(given[0])
    if function == "frob":
        return s.Normed(given[0], "F")
    if function == "inner":
        return s.Inner(*given)
    return s.Called(function, given)
