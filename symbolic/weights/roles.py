"""What the letters of a formula stand for: weights, scores, labels, upstream gradient, sizes, a loss, definitions.

The same letter means different things to different people: a is a weight in a lesson and a logit in a paper, e is a
score or 2.718…, T a number of positions or a temperature.  What stands around a letter decides; each decision is noted,
so that it can be said before the verdict.
"""

from __future__ import annotations

from collections.abc import Iterable

from exact.verdicts import note
from symbolic.expressions import OutsideClass
from symbolic.reading.surface import (
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
    Node,
    Normed,
    Number,
    Reading,
    Related,
    Transposed,
    inside,
    walk,
)
from symbolic.weights.asides import read_asides
from symbolic.weights.letters import (
    COORDINATE_ROWS,
    COORDINATED,
    DISTRIBUTIONS,
    LABELS,
    LOGITS,
    MATRICES,
    PARAMETERS,
    SCORES,
    SIZES,
    SOFTMAXED,
    UPSTREAM,
    WEIGHTS,
    Choice,
    Roles,
    exponent_of,
    heads,
    is_label,
    is_log,
    is_loss,
    key,
    row_letter,
    softmaxed,
)
from symbolic.weights.lines import find_lines

__all__ = ["choices", "roles"]


def roles(reading: Reading, choice: Choice | None = None) -> Roles:
    """Return the part that each letter of a reading plays; what a choice settles is not looked for."""
    choice = choice or Choice()
    found = Roles(weights=choice.weights, scores=choice.scores)
    trees = (reading.claim, *reading.aside)
    nodes = [node for tree in trees for node in walk(tree)]
    for node in nodes:
        if isinstance(node, Name) and node.subscripts and not is_label(node):
            found.ranks[key(node)] = max(found.ranks.get(key(node), 0), len(node.subscripts))
            found.from_zero |= any(isinstance(i, Number) and i.value == 0 for i in node.subscripts)
    names = tuple(dict.fromkeys(key(name) for name in heads(*trees)))
    found.matrices = any(
        isinstance(node, Transposed) or (isinstance(node, Called) and node.function in {"diag", "tr"}) for node in nodes
    )
    if not any(name in (*SCORES, *WEIGHTS, *LABELS) and name.islower() for name in names):
        found.matrices |= any(isinstance(node, Called) and any(map(_is_axis, node.below)) for node in nodes)
    found.matrices |= any(isinstance(node, Name) and node.accent == "d" and node.letter in "QKVOSAPE" for node in nodes)
    found.matrices |= any(isinstance(node, Multiplied) and "@" in node.signs for node in nodes)
    left = reading.claim.parts[0]
    found.asked = key(left) if isinstance(left, Name) and left.accent == "d" else ""
    read_asides(reading.aside, found)
    if _are_numbers(nodes, found):
        found.numbers = True
        found.notes.append(note("numbers"))
        return found
    _find_layer(reading, nodes, found)
    _find_rows(trees, nodes, names, found)
    if not choice.square:
        find_lines(nodes, names, found)
    _find_sizes(nodes, found)
    if found.from_zero:
        found.notes.append(note("from-zero"))
    return found


def choices(reading: Reading) -> list[Choice]:
    """Return the other readings of a claim that is false as it was read first: other weights, other scores."""
    first = roles(reading)
    trees = (reading.claim, *reading.aside)
    names = tuple(dict.fromkeys(key(name) for name in heads(*trees)))
    differentiated = [node for node in walk(reading.claim) if isinstance(node, Differentiated)]
    found: list[Choice] = []
    for node in differentiated:
        if not isinstance(node.by, Name) or first.weights in first.definitions:
            continue
        by = key(node.by)
        others = [w for w in WEIGHTS if w in names and w != by and w not in LABELS and _is_row(w, first)]
        others = [w for w in others if w not in first.definitions]
        found += [Choice(weights=w, scores=first.scores) for w in others if w != first.weights]
        if by not in {*first.definitions, *PARAMETERS, first.scores} and first.ranks.get(by) == 1:
            found += [Choice(weights=w, scores=by) for w in others if by in SCORES]
    if first.lines:
        found.append(Choice(square=True))
    return list(dict.fromkeys(found))


def _is_axis(option: Node) -> bool:
    return isinstance(option, Related) and option.parts[0] in {Name("axis"), Name("dim")}


def _find_rows(trees: tuple[Node, ...], nodes: list[Node], names: tuple[str, ...], found: Roles) -> None:
    for name, definition in found.definitions.items():
        argument = softmaxed(definition.value)
        if argument is not None and not isinstance(argument, Listed | Called):
            found.scores = found.scores or _row_of_scores(argument, (), names)
            if not is_log(definition.value):
                found.weights = found.weights or name
        elif isinstance(argument, Listed):
            found.weights = found.weights or name
            found.fixed.setdefault("T", len(argument.items))
            found.ranks.setdefault(name, 1)
    outputs = _outputs(nodes, names, found)
    for node in nodes:
        if isinstance(node, Differentiated):
            _by_derivative(node, names, nodes, outputs, found)
    for node in nodes:
        argument = softmaxed(node) or exponent_of(node) or _indexed_sigmoid(node)
        if argument is None or found.scores or softmaxed(argument) is not None:
            continue
        if not _logarithm_of_weights(argument):
            letter = _row_of_scores(argument, (found.weights, *found.definitions), names)
            found.scores = letter if letter != found.weights else ""
    if "J" in names and found.ranks.get("J", 0) in {0, 2} and "J" not in found.definitions and not found.scores:
        others: list[str] = [letter for letter in SCORES if letter in names and letter != found.weights]
        found.scores = (others or [letter for letter in "ezx" if letter not in names])[0]
    if not found.weights:
        taken = {found.scores, *found.definitions, *found.labels}
        if not any(_is_variable(node, WEIGHTS[0]) for node in nodes) or found.scores:
            found.weights = next((w for w in WEIGHTS if w in names and w not in taken and _is_row(w, found)), "")
    by_letters = {key(node.by) for node in nodes if isinstance(node, Differentiated) and isinstance(node.by, Name)}
    rows = {found.weights, found.scores}
    found.rows = tuple(q for q in sorted(COORDINATE_ROWS - rows) if _over_positions(q, trees, names, found))
    labels = [y for y in (*LABELS, *found.rows) if y in names and y not in {*rows, *outputs, *by_letters}]
    labels = [y for y in labels if _is_row(y, found) or y in found.rows]
    if found.weights:
        others = [p for p in DISTRIBUTIONS if p in names and found.ranks.get(p) == 1]
        labels += [p for p in others if p not in {*rows, *outputs, *by_letters, *found.definitions, *COORDINATE_ROWS}]
    found.labels = tuple(dict.fromkeys((*labels, *(row for row in found.totals if row not in rows))))
    dual = f"d {found.weights}"
    upstream = [letter for letter in (dual, *UPSTREAM) if letter in names and letter not in {*rows, found.asked}]
    found.upstream = upstream[0] if upstream else ""


def _are_numbers(nodes: list[Node], found: Roles) -> bool:
    """Say whether a claim is calculus in numbers: d/dx of what is written out in x, no index and no row anywhere."""
    derivatives = [node for node in nodes if isinstance(node, Differentiated)]
    if not derivatives or found.ranks or found.asked or found.fixed or found.unlike or found.totals or found.ranges:
        return False
    rowless = {"exp", "log", "sigmoid", "tanh"}
    if any(isinstance(node, Called) and node.function not in rowless for node in nodes):
        return False
    if any(isinstance(node, Big | Transposed | Inner | Normed | Listed | Iverson | Indexed) for node in nodes):
        return False
    for node in derivatives:
        inner = {key(name) for tree in _written_out(node.of, found) for name in heads(tree)}
        if not isinstance(node.by, Name) or key(node.by) not in inner:
            return False
    return not any(isinstance(node, Multiplied) and set(node.signs) & {"⊙", "@"} for node in nodes)


def _indexed_sigmoid(node: Node) -> Node | None:
    """Return the argument of σ(z_1 − z_2), whose letters are scores where nothing else is."""
    if isinstance(node, Called) and node.function == "sigmoid" and any(name.subscripts for name in heads(node)):
        return node.arguments[0]
    return None


def _row_of_scores(argument: Node, exclude: tuple[str, ...], names: tuple[str, ...]) -> str:
    """Return the letter of the scores in an argument; q·k_i has none, being made of a query and a key."""
    letter = row_letter(argument, exclude)
    return "" if letter in COORDINATE_ROWS and {*names} >= COORDINATE_ROWS else letter


def _find_layer(reading: Reading, nodes: list[Node], found: Roles) -> None:
    """Find the scores that are made of what a claim differentiates by: z = Wx + b in ∂L/∂b."""
    variables = {key(n.by) for n in nodes if isinstance(n, Differentiated) and isinstance(n.by, Name)}
    used = {key(name) for name in heads(reading.claim)}
    arguments = {softmaxed(definition.value) for definition in found.definitions.values()} - {None}
    letters = {key(name) for name in arguments if isinstance(name, Name)}
    for name, definition in found.definitions.items():
        inner = {key(part) for part in heads(definition.value)}
        made = name in letters or (not arguments and name in SCORES)
        if made and name not in used and inner & variables and softmaxed(definition.value) is None:
            found.layer, found.scores = (name, definition), name
            del found.definitions[name]
            return


def _outputs(nodes: list[Node], names: tuple[str, ...], found: Roles) -> set[str]:
    """Return letters of labels that are none here: what is differentiated itself, and the y beside labels t."""
    found_ = set()
    for node in nodes:
        if isinstance(node, Differentiated) and not is_loss(node.of):
            inner = {key(name) for name in heads(node.of)}
            found_ |= inner if len(inner) == 1 else set()
    others = [w for w in WEIGHTS if w in names and w != found.scores and _is_row(w, found) and not _varied(w, nodes)]
    if "y" in names and "t" in names and not others and _is_row("t", found):
        found_.add("y")
    return found_


def _varied(letter: str, nodes: list[Node]) -> bool:
    return any(_is_variable(node, letter) for node in nodes)


def _over_positions(letter: str, trees: tuple[Node, ...], names: tuple[str, ...], found: Roles) -> bool:
    """Say whether q is a second row of T, as in log(p/q), and not a query of d coordinates."""
    if letter not in names or found.ranks.get(letter, 1) != 1 or not found.weights or letter in found.definitions:
        return False
    if letter in found.totals or any(key(name) == letter for name in _logged(trees)):
        return True
    return not set(names) & {*MATRICES, *COORDINATE_ROWS - {letter}, "d"}


def _logged(trees: Iterable[Node]) -> list[Name]:
    """Return the letters that stand below a logarithm."""
    logs = [node for tree in trees for node in walk(tree) if isinstance(node, Called) and node.function == "log"]
    return [name for node in logs for name in heads(node)]


def _logarithm_of_weights(argument: Node) -> bool:
    """Say whether softmax(log p) is read: p is a row of weights then, and its logarithms are the scores."""
    logged = {key(name) for name in _logged((argument,))} - {key(name) for name in _unlogged(argument)}
    return any(name in WEIGHTS for name in logged)


def _is_row(letter: str, found: Roles) -> bool:
    rank = found.ranks.get(letter)
    return rank in {1, 2} or (
        rank is None and letter in {"a", "p", "y", "α", "π", "y hat", "p hat", "A", "P", "t", "o"}
    )


def _is_variable(node: Node, letter: str) -> bool:
    return isinstance(node, Differentiated) and isinstance(node.by, Name) and key(node.by) == letter


def _by_derivative(
    node: Differentiated, names: tuple[str, ...], nodes: list[Node], outputs: set[str], found: Roles
) -> None:
    """Learn from ∂a_i/∂e_j that a is the softmax of e; from ∂L/∂z_j that z are the scores."""
    if not isinstance(node.by, Name):
        return
    by = key(node.by)
    if by in PARAMETERS and not node.by.subscripts:
        return
    if by in found.definitions or (by in MATRICES and found.ranks.get(by, 2) == 2 and by != "X"):
        return
    if by in COORDINATE_ROWS and {*names} & {*MATRICES, *COORDINATE_ROWS - {by}, "d"}:
        return
    trees = _written_out(node.of, found)
    inner = tuple(dict.fromkeys(key(name) for name in heads(*trees)))
    softmax = _have_softmax(part for tree in trees for part in walk(tree))
    rows = [w for w in dict.fromkeys((*WEIGHTS, *inner)) if w in inner and w != by and w not in found.labels]
    rows = [w for w in rows if (w not in LABELS or w in outputs) and not is_loss(Name(w))]
    rows = [w for w in rows if w in WEIGHTS or w in found.ranks or w in LABELS]
    logged = {key(name) for name in _logged(trees)}
    plain = {key(name) for tree in trees for name in _unlogged(tree)}
    rows.sort(key=lambda w: not (w in WEIGHTS and w in logged and w not in plain))
    if by in inner:
        if softmax:
            found.scores = found.scores or by
        elif by in LOGITS and (weights := [w for w in rows if w in SOFTMAXED and w not in found.definitions]):
            found.scores = found.scores or by
            found.weights = found.weights or weights[0]
        return
    if by in PARAMETERS:
        return
    if found.layer and by != found.scores and by in {key(name) for name in heads(found.layer[1].value)}:
        if not found.weights:
            found.weights = next((w for w in WEIGHTS if w in names and w != by and _is_row(w, found)), "")
        return
    if by in outputs and is_loss(node.of):
        found.weights = found.weights or by
        return
    if is_loss(node.of) and key(node.of) not in found.definitions:  # type: ignore[arg-type]
        others: list[str] = [w for w in WEIGHTS if w in names and w != by and w not in LABELS and _is_row(w, found)]
        others = others or [w for w in names if w in outputs and w in LABELS and w != by]
        if not others and by in WEIGHTS and by not in {"s", "o", "w"} and not _have_softmax(nodes):
            return
        found.scores = found.scores or by
        found.weights = found.weights or (others[0] if others else "")
        return
    if not found.scores:
        found.scores = by
    if not found.weights and not softmax:
        found.weights = rows[0] if rows else ""


def _unlogged(tree: Node) -> list[Name]:
    """Return the letters of a tree that stand below no logarithm."""
    if isinstance(tree, Called) and tree.function == "log":
        return []
    if isinstance(tree, Name):
        return [tree]
    parts = [tree.body] if isinstance(tree, Big) else inside(tree)
    return [name for part in parts for name in _unlogged(part)]


def _written_out(node: Node, found: Roles) -> list[Node]:
    """Return a node, and the definitions of the names in it."""
    trees, seen, queue = [], set[str](), [node]
    while queue:
        trees.append(queue.pop())
        for part in heads(trees[-1]):
            if key(part) in found.definitions and key(part) not in seen:
                seen.add(key(part))
                queue.append(found.definitions[key(part)].value)
    return trees


def _have_softmax(nodes: Iterable[Node]) -> bool:
    return any(isinstance(node, Called) and node.function in {"softmax", "logsoftmax"} for node in nodes)


def _find_sizes(nodes: list[Node], found: Roles) -> None:
    """Find the letters that count positions or coordinates, as upper limits do; T that divides scores is not one."""
    for letter in found.ranges.values():
        found.sizes.setdefault(letter, "d" if letter == "d" else "T")
    for node in nodes:
        if isinstance(node, Big) and isinstance(node.upper, Name) and not node.upper.subscripts:
            coordinates = any(isinstance(part, Name) and part.letter in COORDINATED for part in nodes)
            coordinates |= any(isinstance(part, Name) and part.letter == "d" and part.subscripts for part in nodes)
            found.sizes.setdefault(node.upper.letter, "d" if node.upper.letter == "d" and coordinates else "T")
        if not isinstance(node, Divided) or node.under != Name("T"):
            continue
        if any(key(part) == found.scores for part in heads(node.over)):
            found.sizes["T"] = ""
            found.notes.append(note("temperature", letter="T"))
    names = [node for node in nodes if isinstance(node, Name) and not node.subscripts and not node.accent]
    for name in names:
        letter = name.letter
        if letter in SIZES and letter not in found.sizes and letter not in found.definitions:
            taken = letter in {found.weights, found.scores, found.upstream, *found.labels} or letter in found.ranks
            matrix = letter in {"C", "m"} or (letter == "K" and found.matrices)
            if not taken and not matrix and not _is_index(letter, nodes):
                found.sizes[letter] = "T"
    counts = sorted(letter for letter, over in found.sizes.items() if over == "T" and letter not in found.fixed)
    if len(counts) > 1:
        raise OutsideClass(f"{' and '.join(counts)} would both be the number of positions: one letter is read for it")
    for letter, over in found.sizes.items():
        if over == "T" and letter != "T":
            found.notes.append(note("size", letter=letter))


def _is_index(letter: str, nodes: list[Node]) -> bool:
    """Say whether a letter stands among subscripts or under a sum."""
    for node in nodes:
        if isinstance(node, Name) and any(isinstance(i, Name) and i.letter == letter for i in node.subscripts):
            return not is_label(node)
        if isinstance(node, Big) and any(i.letter == letter for i in node.indices):
            return True
    return False
