"""Who may import whom: the floors, and inside the floor of numbers the order of its modules."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = ("exact", "symbolic", "notes")
OUTSIDE = {
    "exact": {"numpy", "more_itertools", "distributed", "llvmlite", "numba"},
    "symbolic": {"sympy", "more_itertools", "lark"},
    "notes": {"typer", "rich", "latex2mathml"},
}
STANDARD_LIBRARY_ONLY = {"exact/kernel.py": set(), "exact/certificate.py": {"exact.kernel"}}
FILES = sorted(
    str(path.relative_to(ROOT)) for floor in FLOORS for path in (ROOT / floor).rglob("*.py") if path.is_file()
)


def imports(file: str) -> set[str]:
    """Return the modules a file names in its imports, anywhere in it, standard library left out."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file} imports by a relative name"
            module = node.module or ""
            names |= {f"{module}.{alias.name}" for alias in node.names} if module in FLOORS else {module}
    return {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}


@pytest.mark.parametrize("file", FILES)
def test_a_floor_imports_only_from_the_floors_below(file: str) -> None:
    floor = file.split("/")[0]
    allowed = OUTSIDE[floor] | set(FLOORS[: FLOORS.index(floor) + 1])
    assert {name.split(".")[0] for name in imports(file)} <= allowed


@pytest.mark.parametrize("file", STANDARD_LIBRARY_ONLY)
def test_the_kernel_and_its_reader_need_nothing_but_python(file: str) -> None:
    assert imports(file) <= STANDARD_LIBRARY_ONLY[file]


def test_counting_and_proving_share_no_code() -> None:
    counting = {"exact/enumeration.py", "exact/matching.py", "exact/termwise.py", "exact/cube.py"}
    counting |= {"exact/shards.py", "exact/workers.py", "exact/cluster.py", "exact/ledger.py"}
    counting |= {file for file in FILES if file.startswith("exact/engines/")}
    proving = {"exact.kernel", "exact.pairing", "exact.certificate"}
    for file in counting:
        assert not imports(file) & proving
    assert imports("exact/pairing.py") == {"exact.kernel"}
    assert not imports("symbolic/counted.py")
    assert not any("symbolic.counted" in imports(file) for file in FILES if file.startswith("symbolic/"))


@pytest.mark.parametrize("file", FILES)
def test_no_module_takes_a_standard_name(file: str) -> None:
    parts = Path(file).with_suffix("").parts
    assert not {part for part in parts if part != "__init__"} & sys.stdlib_module_names


def test_imports_inside_the_floor_of_numbers_have_no_cycle() -> None:
    def name(file: str) -> str:
        return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    modules = {name(file): imports(file) for file in FILES if file.startswith("exact/")}
    left = {m: {i for i in found if i in modules and i != m} for m, found in modules.items()}
    while left:
        ready = {m for m, needs in left.items() if not needs & left.keys()}
        assert ready, f"a cycle among {sorted(left)}"
        left = {m: needs for m, needs in left.items() if m not in ready}
