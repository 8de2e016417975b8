"""action.yml: its shell steps, run as a workflow would run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

import bitmeter as bm

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
TEXT = b"".join(b"line %d of a small text that goes on and on\n" % (i * 7919 % 1000) for i in range(60))
BASH = shutil.which("bash") or "bash"


def step(number: int, folder: Path, inputs: dict[str, str], **more: str) -> subprocess.CompletedProcess[str]:
    """One step, with the inputs where the workflow's expressions name them."""
    values = {name: spec.get("default", "") for name, spec in ACTION["inputs"].items()} | inputs
    context = {f"inputs.{name}": value for name, value in values.items()} | {"github.action_path": str(ROOT)}
    environment = {
        name: re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda found: context[found[1]], value)
        for name, value in STEPS[number]["env"].items()
    }
    line = [BASH, "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[number]["run"]]
    full = os.environ | {"GITHUB_STEP_SUMMARY": str(folder / "summary.md")} | environment | more
    return subprocess.run(line, cwd=folder, env=full, capture_output=True, text=True, check=False)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_bytes(TEXT)
    bm.score("kt", TEXT, docs="line").save(tmp_path / "base.json")
    bm.score("uniform", TEXT, docs="line").save(tmp_path / "uniform.json")
    (tmp_path / "summary.md").touch()
    return tmp_path


def test_no_input_is_part_of_a_script() -> None:
    for found in STEPS:
        assert "${{" not in found["run"]
        assert found["shell"] == "bash"
        assert "uses" not in found


@pytest.mark.parametrize(
    ("inputs", "code", "said"),
    [
        ({"base": "base.json", "new": "uniform.json"}, 1, "failed: worse"),
        ({"base": "uniform.json", "new": "base.json"}, 0, "passed: better"),
        ({"base": "base.json", "new": "kt", "on": "text.txt"}, 0, "passed: equal"),
        ({"base": "kt", "new": "zlib", "on": "text.txt"}, 0, "undecided"),
        ({"base": "kt", "new": "zlib", "on": "text.txt", "strict": "true"}, 3, "undecided"),
        ({"base": "kt", "new": "kt", "on": "text.txt", "docs": "line", "kl": "0", "same-top": "99%"}, 0, "mean KL"),
    ],
)
def test_the_check(inputs: dict[str, str], code: int, said: str, here: Path) -> None:
    found = step(1, here, {"python": sys.executable, "junit": "out.xml", **inputs})
    assert found.returncode == code, found.stderr
    assert said in found.stdout
    assert "bitmeter check" in (here / "summary.md").read_text()
    assert ET.parse(here / "out.xml").getroot().tag == "testsuites"


@pytest.mark.parametrize("hostile", ["$(touch pwned)", "`touch pwned`", "x; touch pwned", '"; touch pwned; "'])
def test_an_input_is_never_run(hostile: str, here: Path) -> None:
    """Each step expands all of its inputs before it runs anything that could stop it."""
    inputs = dict.fromkeys(ACTION["inputs"], hostile) | {"python": sys.executable}
    assert step(1, here, inputs).returncode == 2
    found = step(0, here, inputs)
    assert found.returncode == 2
    assert "names separated by commas" in found.stdout
    assert not (here / "pwned").exists()


def test_an_input_is_no_option(here: Path) -> None:
    found = step(1, here, {"base": "--json", "new": "base.json", "python": sys.executable})
    assert found.returncode == 2
    assert "--json is not a saved run" in found.stderr


def test_the_installation_is_that_of_the_action(here: Path) -> None:
    """pip resolves the folder of the action; without an index it cannot fetch, and a dry run installs nothing."""
    found = step(
        0, here, {"base": "a", "new": "b", "python": sys.executable},
        PIP_DRY_RUN="1", PIP_NO_DEPS="1", PIP_NO_BUILD_ISOLATION="0", PIP_NO_INDEX="1", PIP_FORCE_REINSTALL="1",
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"Would install bitmeter-{bm.__version__}" in found.stdout
