"""Runs the code cells of a notebook in order, in one namespace, and gives the outputs that Jupyter would record.

Plain Python does what the notebook needs: a cell prints, or ends in an expression whose repr is shown.  That leaves
Jupyter and its forty packages out of the tests, and the outputs are compared, which running alone would not do.
``python -m tests.notebook FILE`` writes the outputs into the file.
"""

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

__all__ = ["outputs", "written"]


def outputs(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the outputs of each code cell."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [_run("".join(cell["source"]), number, namespace) for number, cell in enumerate(cells, 1)]


def _run(source: str, number: int, namespace: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    shown = ast.Expression(last.value) if isinstance(last, ast.Expr) else None
    if shown:
        tree.body.pop()
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, f"<cell {number}>", "exec"), namespace)
        value = eval(compile(shown, f"<cell {number}>", "eval"), namespace) if shown else None
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def written(notebook: dict[str, Any]) -> str:
    """Return the text of the notebook with the outputs that its cells have now."""
    fresh = iter(enumerate(outputs(notebook), 1))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["execution_count"], cell["outputs"] = next(fresh)
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(written(json.loads(file.read_text("utf-8"))), "utf-8")
