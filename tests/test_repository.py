"""The repository itself: versions agree, workflows can be read, no path of a machine is in it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bitmeter

ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def tracked() -> list[Path]:
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]
    except (OSError, subprocess.CalledProcessError):  # an archive without git
        skipped = {".venv", "build", "site", "dist"}
        return [p for p in ROOT.rglob("*") if p.is_file() and p.relative_to(ROOT).parts[0] not in skipped]


def test_the_changelog_begins_with_this_version() -> None:
    match = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert match is not None
    assert match[1] == bitmeter.__version__


def test_no_path_of_a_machine_is_in_the_repository() -> None:
    machine = re.compile(rb"(?<![\w.])/(?:work|root|home|Users)/\w")
    for path in tracked():
        found = machine.search(path.read_bytes())
        assert found is None, f"{path.relative_to(ROOT)} holds {found[0]!r}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_parse_and_pin_their_actions(path: Path) -> None:
    workflow: dict[Any, Any] = yaml.safe_load(path.read_text())
    assert workflow["name"] == path.stem
    assert workflow[True]  # `on`, as YAML 1.1 reads it
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            if "uses" in step:
                assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", step["uses"])


def test_the_test_workflow_covers_what_the_package_promises() -> None:
    matrix = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text())["jobs"]["tests"]["strategy"]["matrix"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    promised = [line.rsplit(" ", 1)[-1] for line in project["classifiers"] if "Python :: 3." in line]
    assert matrix["python"] == promised
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos"}


def test_workflows_call_only_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = {name for path in WORKFLOWS for name in re.findall(r"run: make ([\w-]+)", path.read_text())}
    assert called
    assert called <= targets


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = project["dependencies"] + [line for group in project["optional-dependencies"].values() for line in group]
    reasons = (ROOT / "docs" / "design.md").read_text()
    for line in lines:
        name = re.split(r"[\[<>=]", line)[0]
        assert f"`{name}`" in reasons, f"docs/design.md does not say why {name} is needed"


def test_every_extra_brings_a_package_that_is_imported() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py")))
    # By a statement, or by name through require().
    imported = set(
        re.findall(r"""(?:^\s*(?:import|from)\s+|\b(?:require|import_module)\(\s*["'])(\w+)""", sources, re.M)
    )
    assert "numpy" in imported
    for extra in set(extras) - {"all", "dev"}:
        names = [Requirement(line).name.replace("-", "_").removesuffix("_python") for line in extras[extra]]
        assert imported & set(names), f"nothing imports {' or '.join(names)}: drop the extra {extra}"


def needed_packages(requirements: list[str]) -> set[str]:
    """All that these bring with them, by the metadata of what is installed."""
    found: set[str] = set()
    open_ends = [Requirement(line) for line in requirements]
    while open_ends:
        wanted = open_ends.pop()
        extras = wanted.extras or {""}
        if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
            continue
        name = canonicalize_name(wanted.name)
        if name in found and not wanted.extras:
            continue
        found.add(name)
        for line in metadata.requires(name) or []:
            inner = Requirement(line)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                inner.marker = None
                open_ends.append(inner)
    return found


def test_every_package_that_development_installs_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines if "==" in line}
    needed = needed_packages([*project["dependencies"], *project["optional-dependencies"]["dev"]])
    assert sorted(needed - set(pins) - {"setuptools"}) == []
    assert pins[canonicalize_name("torch")] == "2.13.0"


def test_the_hashed_constraints_are_those_of_the_constraints() -> None:
    """`make lock` makes the one from the other; llama-cpp-python is compiled by `make test-gguf` alone."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = {str(canonicalize_name(line.split("==")[0])): line.split("==")[1] for line in lines if "==" in line}
    del pins["llama-cpp-python"]
    text = (ROOT / "constraints-hashed.txt").read_text()
    blocks = re.findall(r"^([\w.-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    assert {str(canonicalize_name(name)): version for name, version, _ in blocks} == pins
    assert re.sub(r"^(#.*|[\w.-]+==\S+ \\|    --hash=sha256:[0-9a-f]{64}( \\)?)$", "", text, flags=re.M).strip() == ""


def test_the_bill_of_materials_names_the_version_and_no_folder(tmp_path: Path) -> None:
    # As cyclonedx-py writes it: the root without a version, and the editable package with its folder.
    own = {
        "name": "bitmeter",
        "version": "1",
        "externalReferences": [{"type": "distribution", "url": "file:///somewhere"}],
    }
    bill = {
        "metadata": {"component": {"name": "bitmeter"}},
        "components": [own, {"name": "numpy", "version": "2"}],
        "dependencies": [{"ref": "bitmeter==1"}, {"ref": "root-component", "dependsOn": ["bitmeter==1", "numpy==2"]}],
    }
    file = tmp_path / "b.cdx.json"
    command = [sys.executable, str(ROOT / ".github" / "sbom.py"), str(file), "1.2.3"]
    file.write_text(json.dumps(bill))
    subprocess.run(command, check=True)
    found = json.loads(file.read_text())
    assert found["metadata"]["component"]["version"] == "1.2.3"
    assert found["components"] == [{"name": "numpy", "version": "2"}]
    assert found["dependencies"] == [{"ref": "root-component", "dependsOn": ["numpy==2"]}]
    bill["components"].append({"name": "other", "url": "file:///somewhere/other"})  # type: ignore[attr-defined]
    file.write_text(json.dumps(bill))
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_the_recipe_of_conda_needs_what_the_package_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == bitmeter.__version__
    needed = {Requirement(line) for line in project["project"]["dependencies"]}
    needed.add(Requirement(f"python{project['project']['requires-python']}"))
    assert {Requirement(line) for line in recipe["requirements"]["run"]} == needed
    tools = {Requirement(line) for line in recipe["requirements"]["host"]}
    assert {Requirement(line) for line in project["build-system"]["requires"]} <= tools
    script = project["project"]["scripts"]["bitmeter"]
    assert recipe["build"]["python"]["entry_points"] == [f"bitmeter = {script}"]
