"""What each parameter of a reader's function stands for: by its name where that is usual, else by its place.

Imports the standard library only.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from exact.functions.cases import Kind, Reading

__all__ = ["Roles", "assign_roles", "readings"]

_WORDS: Final = {
    "upstream": "g gy gz gout v ct vec seed upstream delta error dvalues dvals dval topdiff douts doutputs adjoint",
    "weights": "a p w y o probs prob probabilities weights attn attention softmax out output outputs softmaxoutput "
    "softmaxout sm alpha yhat ypred activations pesos attentionweights attnweights attnprobs attentionprobs attnmap",
    "logits": "z x e s h logits scores inputs input puntuaciones score",
    "Q": "q query queries qs",
    "K": "k key keys ks",
    "V": "v value values vs",
    "dO": "do dout doutput gradoutput gradout dy grado upstream g grad",
    "dA": "da dp dattn grada dweights dw gradattn dprobs g grad",
    "O": "o out output outputs attnout attnoutput attentionoutput contextlayer",
    "axis": "axis dim",
    "width": "d dk dim dhead headdim dmodel headsize",
    "scale": "scale scaling factor",
    "nothing": "mask eps epsilon training train istraining",
    "bundle": "cache ctx self",
    "bundles": "cached context saved memory state params config layer model",
}
NAMES: Final = {role: frozenset(words.split()) for role, words in _WORDS.items()}
_ROWS: Final = NAMES["weights"] | NAMES["logits"]
_GRADIENT: Final = re.compile(
    r"dl\w*|\w*grads?|grads?\w+|\w*gradients?\w*|upstream\w*|accum\w*|incoming\w*|\w*cotangent\w*"
    r"|\w+bar|\w+(error|delta)|(error|delta)\w+"
)
_TWO: Final = ("rows", "upstream")


@dataclass(frozen=True, slots=True)
class Roles:
    """What each parameter that is filled stands for; where the parameters do not fit, a code and its data say why.

    `names`: of these parameters.  `open`: the names do not tell which of two arrays is the upstream gradient.
    """

    filled: tuple[str, ...]
    names: tuple[str, ...] = ()
    trouble: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    open: bool = False


def readings(kind: Kind, name: str | None) -> tuple[Reading, ...]:
    """Return the readings of the first array of a function, the likelier first, by the name of the parameter.

    >>> readings("gradient", "A"), readings("gradient", "z"), readings("jacobian", "x")
    (('weights', 'logits'), ('logits', 'weights'), ('logits', 'weights'))
    """
    if kind in ("softmax", "attention-backward"):
        return ("logits",)
    plain = _plain(name or "")
    weights_first = plain in NAMES["weights"] or (kind == "gradient" and plain not in NAMES["logits"])
    return ("weights", "logits") if weights_first else ("logits", "weights")


def assign_roles(
    kind: Kind, parameters: Sequence[tuple[str, bool]] | None, variadic: bool = False, swapped: bool = False
) -> Roles:
    """Say what each parameter, given with whether it has a default, stands for; `swapped`: the less likely order.

    >>> assign_roles("gradient", [("dout", False), ("out", False)]).filled
    ('upstream', 'rows')
    """
    expected: dict[Kind, tuple[str, ...]] = {
        "gradient": _TWO,
        "jacobian": ("rows",),
        "softmax": ("rows",),
        "attention-backward": ("Q", "K", "weights", "dA"),
    }
    wanted = expected[kind]
    if parameters is None or (variadic and len(parameters) < len(wanted)):
        names = tuple(f"args[{i}]" for i in range(len(wanted)))
        return Roles(wanted[::-1] if swapped else wanted, names, open=kind == "gradient")
    needed = [name for name, default in parameters if not default]
    bundles = NAMES["bundle"] | (NAMES["bundles"] if len(wanted) > 1 else frozenset())
    bundle = next((name for name in needed if _plain(name) in bundles), None)
    if bundle is not None:
        return Roles((), (), "takes-self" if bundle == "self" else "unknown-argument", {"argument": bundle})
    if len(needed) < len(wanted):  # a default does no harm: f(A, G=None)
        needed = [name for name, _ in parameters][: len(wanted)]
        arrays = [name for name in needed if _plain(name) not in NAMES["axis"] | NAMES["nothing"]]
        if len(arrays) < len(wanted):
            return Roles((), (), "too-few", {"given": str(len(arrays)), "needed": str(len(wanted))})
    if kind == "attention-backward":
        return _attention_roles(needed)
    found, unclear = wanted, False
    if kind == "gradient":
        if len(needed) == 3 and (three := _three(needed)):
            return Roles(three, tuple(needed))
        found, unclear = _two(needed)
        found = found[::-1] if unclear and swapped else found
    for name in needed[len(wanted) :]:
        role = next((r for r in ("axis", "nothing") if _plain(name) in NAMES[r]), None)
        if role is None:
            return Roles((), (), "unknown-argument", {"argument": name})
        found = (*found, role)
    return Roles(found, tuple(needed), open=unclear)


def _two(needed: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Return the order of the rows and the upstream gradient, and whether the names leave it open."""
    for one, two in (
        (_is_upstream(needed[1]), _is_upstream(needed[0])),
        (_plain(needed[0]) in _ROWS, _plain(needed[1]) in _ROWS),
    ):
        if one != two:
            return (_TWO if one else _TWO[::-1]), False
    return _TWO, True


def _three(needed: Sequence[str]) -> tuple[str, ...]:
    """Return the roles where weights, logits and the upstream gradient are all taken; nothing where they are not."""
    plain = [_plain(name) for name in needed]
    known = ["weights" if n in NAMES["weights"] else "logits" if n in NAMES["logits"] else "" for n in plain]
    if set(known[:2]) == {"weights", "logits"}:
        return (*known[:2], "upstream")
    return ("upstream", *known[1:]) if set(known[1:]) == {"weights", "logits"} else ()


def _is_upstream(name: str) -> bool:
    """Whether a name is one that people give to a gradient: dA, dL_dout, grad_y, upstream_grad, y_bar."""
    plain = _plain(name)
    if plain in _ROWS:
        return False
    if plain in NAMES["upstream"] | NAMES["dO"] | NAMES["dA"] or (plain[:1] == "d" and plain[1:] in _ROWS | NAMES["V"]):
        return True
    return bool(re.match(r"_?d[A-Z]", name) or _GRADIENT.fullmatch(plain))


def _attention_roles(needed: Sequence[str]) -> Roles:
    found: list[str] = []
    plain = [_plain(name) for name in needed]
    has_values = any(n in NAMES["V"] for n in plain)
    order: tuple[str, ...] = ("Q", "K", "V", "dO", "weights", "O", "width", "scale", "nothing")
    if not has_values:
        order = ("Q", "K", "dA", "weights", "width", "scale", "nothing")
    for place, name in enumerate(plain):
        role = next((r for r in order if name in NAMES[r] and r not in found), None)
        if name in NAMES["O"] and has_values and "O" not in found:
            role = "O"
        if role is None and name in ("s", "e", "scores"):
            role = "logits"
        if role is None and _is_upstream(needed[place]) and not {"dA", "dO"} & set(found):
            role = "dO" if has_values else "dA"
        if role is None and place < 4 and len(needed) == 4:
            role = ("Q", "K", "weights", "dA")[place]
        if role is None:
            return Roles((), (), "unknown-argument", {"argument": needed[place]})
        found.append(role)
    if len(set(found)) != len(found) or not {"Q", "K"} <= set(found) or not {"dA", "dO"} & set(found):
        return Roles((), (), "attention-arguments")
    return Roles(tuple(found), tuple(needed))


def _plain(name: str) -> str:
    return name.lower().replace("_", "")
