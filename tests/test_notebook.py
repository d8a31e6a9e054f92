"""The notebook: every cell runs, and what it shows is what stands in it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import notes
from tests.notebook import outputs, written

FILE = Path(notes.__file__).with_name("derivation.ipynb")


@pytest.fixture(scope="module")
def notebook() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


def test_every_cell_shows_what_it_shows_when_it_is_run(notebook: dict[str, Any]) -> None:
    recorded = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert recorded == outputs(notebook)
    assert all(recorded)


def test_the_file_is_as_it_is_written_by_running_it(notebook: dict[str, Any]) -> None:
    assert FILE.read_text("utf-8") == written(notebook)


def test_it_is_a_notebook_of_version_4_with_a_name_for_each_cell(notebook: dict[str, Any]) -> None:
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9-]{1,64}", name) for name in ids)
    keys = {"markdown": {"cell_type", "id", "metadata", "source"}}
    keys["code"] = keys["markdown"] | {"execution_count", "outputs"}
    assert all(set(cell) == keys[cell["cell_type"]] for cell in notebook["cells"])
    numbers = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_wrong_output_would_be_seen(notebook: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(notebook))
    code = next(cell for cell in changed["cells"] if cell["cell_type"] == "code")
    code["source"] = ["print('something else')"]
    changed["cells"] = [code]
    assert outputs(changed) != [code["outputs"]]
