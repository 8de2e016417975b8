"""The rooms of the house: imports point one way, heavy packages stay behind their doors, starting is quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "bitmeter"

#: A module may import from rooms with a lower number, and from its own room.
RANKS = {
    "_version": 0,
    "errors": 0,
    "_core": 0,
    "_util": 1,
    "theory": 2,
    "text": 3,
    "models": 4,
    "measure": 5,
    "coding": 6,
    "reports": 8,
    "tour": 9,
    "cli": 10,
}

#: Where each heavy package may be imported: in files or folders of these names only.
DOORS = {
    "torch": ("models/causal/trained/", "models/causal/hf/"),
    "transformers": ("models/causal/hf/",),
    "llama_cpp": ("models/causal/gguf/",),
    "httpx": ("models/causal/endpoint/",),
    "pyarrow": ("text/corpus/readers.py", "measure/trace/"),
}

FILES = sorted(SOURCE.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """Each module that a file imports, at its top or inside a function, by statement or by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: line {node.lineno} imports relatively"
            module = node.module or ""
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("require", "import_module") and isinstance(node.args[0].value, str):
                yield node.args[0].value


def room(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "bitmeter" and len(parts) > 1 else None


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    inside = path.relative_to(SOURCE)
    home = inside.parts[0].removesuffix(".py")
    if home == "__init__":
        assert {room(module) for module in imported(path)} <= {None, *RANKS}
        return
    assert home in RANKS, f"{home} is a room that the design does not know; give it a rank here and in docs/design.md"
    for module in imported(path):
        target = room(module)
        if module == "bitmeter" or target is None or target == home:
            continue
        assert target in RANKS, f"{inside} imports {module}: not a room; import from where the name lives"
        assert RANKS[target] < RANKS[home], f"{inside} imports {module}, against the arrows of the design"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_heavy_packages_stay_behind_their_doors(path: Path) -> None:
    inside = path.relative_to(SOURCE).as_posix()
    for module in imported(path):
        doors = DOORS.get(module.split(".")[0])
        if doors is not None:
            assert inside.startswith(doors), f"{inside} imports {module}; only {', '.join(doors)} may"


def test_the_checks_see_what_they_should(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import a.b\ndef f():\n    from c import d\n    require('torch', 'x')\n")
    assert set(imported(file)) == {"a.b", "c", "c.d", "torch"}


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import bitmeter", {"numpy", "scipy", "typer", "rich", "pyarrow"}),
        ("import bitmeter.cli", {"numpy", "scipy", "typer", "rich", "pyarrow"}),
        ("import bitmeter; bitmeter.entropy([0.5, 0.5])", {"scipy.stats", "scipy.integrate", "typer", "pyarrow"}),
    ],
)
def test_heavy_imports_wait_until_they_are_needed(code: str, absent: set[str]) -> None:
    check = f"import sys\n{code}\nprint(*sorted({absent!r} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
