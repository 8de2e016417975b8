"""The rooms of the house: imports point one way and never in a circle, folders show families, models are declared.

What a model, a unit or a session can do is declared by the class it inherits from. Only `registry.adapt` asks an object
for its attributes.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bitmeter"

#: A module may import from rooms with a lower rank, and from its own room.
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
    "data": 6,
    "filter": 6,
    "history": 6,
    "hosts": 7,
    "scale": 7,
    "kenlm": 7,
    "reports": 8,
    "tour": 9,
    "web": 10,
    "cli": 11,
}

#: Where each heavy package may be imported: in files or folders of these names only.
DOORS = {
    "torch": ("models/causal/trained/", "models/causal/hf/", "models/causal/logits.py", "models/masked/"),
    "transformers": ("models/causal/hf/", "models/masked/"),
    "llama_cpp": ("models/causal/gguf/",),
    "ray": ("scale/on_ray.py",),
    "httpx": ("models/causal/endpoint/",),
    "fastapi": ("web/",),
    "uvicorn": ("web/start.py",),
    "altair": ("reports/plots/drawing.py",),
    "vl_convert": ("reports/plots/drawing.py",),
    "pyarrow": (
        "text/corpus/readers.py",
        "text/corpus/parquet.py",
        "measure/trace/",
        "measure/audit/tables/",
        "filter/formats/parquet.py",
        "filter/outputs.py",
        "hosts/columns.py",
        "measure/overlap/documents.py",
        "hosts/logs/lighteval.py",
        "_util/frames.py",
        "reports/formats/parquet.py",
    ),
}

FILES = sorted(SOURCE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def inside(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def imported(tree: ast.AST) -> Iterator[str]:
    """Each module that a file imports, at its top or inside a function, by statement or by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno} imports relatively"
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


# ---- imports ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_imports_point_one_way(path: Path) -> None:
    home = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if home == "__init__":
        assert {room(module) for module in imported(TREES[path])} <= {None, *RANKS}
        return
    assert home in RANKS, f"{home} is a room that the design does not know; give it a rank here and in docs/design.md"
    for module in imported(TREES[path]):
        target = room(module)
        if module == "bitmeter" or target is None or target == home:
            continue
        assert target in RANKS, f"{inside(path)} imports {module}: not a room; import from where the name lives"
        assert RANKS[target] < RANKS[home], f"{inside(path)} imports {module}, against the arrows of the design"


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_heavy_packages_stay_behind_their_doors(path: Path) -> None:
    for module in imported(TREES[path]):
        doors = DOORS.get(module.split(".")[0])
        if doors is not None:
            assert inside(path).startswith(doors), f"{inside(path)} imports {module}; only {', '.join(doors)} may"


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components with more than one member (Tarjan)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component: list[str] = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def test_no_imports_go_in_a_circle() -> None:
    """Imports inside functions and for type checking count."""
    names = {path: ".".join(("bitmeter", *path.relative_to(SOURCE).with_suffix("").parts)) for path in FILES}
    modules = set(names.values()) - {"bitmeter.__init__"}
    graph = {name: {m for m in imported(TREES[path]) if m in modules} - {name} for path, name in names.items()}
    del graph["bitmeter.__init__"]  # the façade: it names every room, and no room imports it
    assert circles(graph) == []


def test_circles_are_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


# ---- models are known by declaration ---------------------------------------------------------------------------------

#: What a probe of a model, its units, a session or a stepper would name; foreign objects may be probed.
PROBED = {
    "name", "units", "fingerprint", "traits", "open", "logprobs", "predict", "outcomes", "outcome_names", "outcome_ids",
    "stepper", "stream", "rated", "coder", "join", "joins", "token_bytes", "vocabulary_size", "size", "places",
    "unknown", "with_oov", "oov_ways", "spelling", "with_context", "with_prime", "plan", "windowing", "end_id",
    "predicts_end", "meter", "precision", "caveats", "is_distribution", "details", "needs_bytes", "block_size",
}  # fmt: skip
#: The one module that asks.
ADAPTER = "models/adapted.py"


def probes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1):
            continue
        asked = node.args[1]
        if node.func.id in ("hasattr", "getattr") and isinstance(asked, ast.Constant) and asked.value in PROBED:
            yield node.lineno, str(asked.value)


@pytest.mark.parametrize("path", FILES, ids=inside)
def test_no_model_is_asked_what_it_can_do(path: Path) -> None:
    if inside(path) == ADAPTER:
        return
    subjects = {"stream", "tokenizer", "module", "dataset", "info", "file", "value"}  # files, other packages' objects
    lines = (path.read_text(encoding="utf-8")).splitlines()
    for line, name in probes(TREES[path]):
        text = lines[line - 1]
        foreign = any(f"attr({subject}," in text for subject in subjects) and not inside(path).startswith("models/")
        assert foreign, f"{inside(path)}:{line} asks for {name!r}; declare it in models/protocols.py"


def test_the_adapter_asks() -> None:
    """The check above would see a probe if there were one."""
    assert {name for _, name in probes(TREES[SOURCE / ADAPTER])} >= {"traits", "predict"}


def concrete_models() -> set[str]:
    """The classes of models/ that inherit, at whatever distance, from a declared one."""
    bases: dict[str, set[str]] = {}
    for path in (SOURCE / "models").rglob("*.py"):
        for node in ast.walk(TREES[path]):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(
                    base.id if isinstance(base, ast.Name) else base.attr
                    for base in node.bases
                    if isinstance(base, ast.Name | ast.Attribute)
                )
    declared = {
        node.name for node in ast.walk(TREES[SOURCE / "models" / "protocols.py"]) if isinstance(node, ast.ClassDef)
    } | {"Causal", "CausalPredictor"}
    found: set[str] = set()
    while more := {name for name, own in bases.items() if own & (declared | found)} - found - declared:
        found |= more
    return found


def test_concrete_models_are_found() -> None:
    assert {"NGram", "Universal", "MixtureModel", "Uniform", "HuggingFace", "Endpoint", "Neural"} <= concrete_models()


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if inside(path).split("/")[0] in ("measure", "coding", "reports", "cli")],
    ids=inside,
)
def test_no_room_above_knows_a_class_of_model(path: Path) -> None:
    known = concrete_models()
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            names = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
            assert not names & known, f"{inside(path)}:{node.lineno} knows {', '.join(names & known)}"


#: Where `Any` stands in measure/ and coding/, and why.
ANY_ALLOWED = {
    "what users give: a model's name or object, a text, a path": (
        "measure/scoring.py", "measure/compare.py", "measure/divergence.py",
        "measure/surprisal/items.py", "measure/surprisal/words.py",
        "measure/options.py", "coding/prove.py", "coding/archive/compress.py", "coding/prefix/code.py",
        "coding/prefix/lengths.py", "measure/audit/auditing.py", "measure/audit/models.py",
        "measure/answers/choices.py", "measure/answers/pairs.py",
        "measure/gate/check.py", "measure/gate/sweep.py", "measure/membership/statistics.py",
        "measure/overlap/documents.py", "measure/overlap/index.py", "measure/overlap/run.py",
    ),
    "JSON": (
        "measure/score.py", "measure/aggregates.py", "measure/groups/sums.py", "measure/groups/table.py",
        "measure/groups/compare.py", "measure/overlap/result.py",
    ),
    "columns of tables that other programs wrote": (
        "measure/audit/tables/auditing.py", "measure/audit/tables/columns.py", "measure/audit/tables/parquet.py",
        "measure/audit/tables/pieces.py", "measure/audit/tables/reading.py",
    ),
    "arrays of any type": (
        "measure/sums.py", "measure/trace/columns.py", "measure/trace/files.py", "measure/trace/trace.py",
        "measure/trace/tracer.py",
    ),
}  # fmt: skip


def uses_of_any(path: Path) -> list[ast.Name]:
    return [node for node in ast.walk(TREES[path]) if isinstance(node, ast.Name) and node.id == "Any"]


@pytest.mark.parametrize(
    "path", [path for path in FILES if inside(path).split("/")[0] in ("measure", "coding")], ids=inside
)
def test_any_needs_a_reason(path: Path) -> None:
    allowed = {name for names in ANY_ALLOWED.values() for name in names}
    uses = uses_of_any(path)
    assert not uses or inside(path) in allowed, f"{inside(path)}:{uses[0].lineno} says Any; say what it is"


def test_the_list_of_any_is_no_longer_than_it_must_be() -> None:
    assert [name for names in ANY_ALLOWED.values() for name in names if not uses_of_any(SOURCE / name)] == []


# ---- folders ---------------------------------------------------------------------------------------------------------

CODE = (".py", ".cpp", ".hpp", ".inc")
MOST_FILES = 20
#: Folders of code, in which every file counts but what every package has.
FOLDERS = sorted(
    {
        path.parent
        for base in (SOURCE, ROOT / "core", ROOT / "tests")
        for path in base.rglob("*")
        if path.suffix in CODE and path.is_file()
    }
)


def family(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_file() and path.name != "__init__.py"]


def crowds(names: Iterator[str]) -> list[str]:
    """Prefixes that four or more names share; `test_` is none."""
    stems = {name.removeprefix("test_") for name in names}
    prefixes = Counter(stem.split("_")[0] for stem in stems if "_" in stem and not stem.startswith("_"))
    return [prefix for prefix, number in prefixes.items() if number >= 4]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_a_folder_holds_one_family(folder: Path) -> None:
    files = family(folder)
    assert len(files) <= MOST_FILES, f"{folder.name} has {len(files)} files; a family is smaller"
    crowd = crowds(path.stem for path in files if path.suffix in CODE)
    assert not crowd, f"{folder.name} has four or more files of one prefix ({crowd[0]}_…): they want a folder"


def test_crowds_are_seen() -> None:
    assert crowds(iter(["test_hf_a", "test_hf_b", "hf_c", "hf_d", "test_a", "test_b", "_x_a"])) == ["hf"]


#: Modules that are tested under another name, with the reason.
TESTED_ELSEWHERE = {
    "_version.py": "tests/test_repository.py holds it against the changelog",
    "models/causal/gguf/engine.py": "needs llama-cpp-python: tests/gguf, run by make test-gguf",
    "models/causal/gguf/llama.py": "needs llama-cpp-python: tests/gguf, run by make test-gguf",
    "hosts/datatrove.py": "needs datatrove: tests/engines, run by make test-engines",
    "hosts/nemo_curator.py": "needs nemo-curator: tests/engines, run by make test-engines",
    "hosts/data_juicer.py": "needs py-data-juicer: tests/engines, run by make test-engines",
    "filter/tasks.py": "tests/scale/test_filtering.py runs them here, in a pool and on Ray",
    "cli/verbs.py": "a table: tests/cli/test_app.py goes through all verbs",
}


@pytest.mark.parametrize("path", [path for path in FILES if path.name != "__init__.py"], ids=inside)
def test_each_module_has_a_test_of_its_name(path: Path) -> None:
    relative = path.relative_to(SOURCE)
    if relative.as_posix() in TESTED_ELSEWHERE:
        return
    test = ROOT / "tests" / relative.parent / f"test_{relative.name}"
    assert test.is_file(), f"there is no {test.relative_to(ROOT)}"
    assert "def test_" in test.read_text(encoding="utf-8"), f"{test.relative_to(ROOT)} has no test"


# ---- the checks themselves, and speed --------------------------------------------------------------------------------


def test_the_checks_see_what_they_should() -> None:
    tree = ast.parse(
        "import a.b\ndef f(m):\n    from c import d\n    require('torch', 'x')\n    hasattr(m, 'stepper')\n"
    )
    assert set(imported(tree)) == {"a.b", "c", "c.d", "torch"}
    assert list(probes(tree)) == [(5, "stepper")]


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
