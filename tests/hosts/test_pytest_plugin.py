"""The plug-in for pytest, in a project of its own, by pytest's own discovery."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import bitmeter as bm

TEXT = b"".join(b"line %d of a small text that goes on and on\n" % (i * 7919 % 1000) for i in range(60))
TESTS = """
import bitmeter as bm

def test_equal(bitmeter_check):
    found = bitmeter_check("base.json", "kt", on="text.txt", allow="0.5%")
    assert found.verdict == "equal"

def test_better(bitmeter_check):
    assert bitmeter_check("uniform.json", "base.json").verdict == "better"

def test_worse(bitmeter_check):
    bitmeter_check("base.json", "uniform.json", allow="0.5%")

def test_undecided(bitmeter_check):
    assert bitmeter_check("kt", "zlib", on="text.txt").verdict == "undecided"

def test_undecided_and_strict(bitmeter_check):
    bitmeter_check("kt", "zlib", on="text.txt", strict=True)

def test_mistake(bitmeter_check):
    bitmeter_check("kt", "uniform")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_bytes(TEXT)
    bm.score("kt", TEXT, docs="line").save(tmp_path / "base.json")
    bm.score("uniform", TEXT, docs="line").save(tmp_path / "uniform.json")
    # Of an editable installation, as this one may be, pytest also finds the loader, and warns that it is imported.
    ignored = "ignore:Module already imported so cannot be rewritten"
    (tmp_path / "pyproject.toml").write_text(f'[tool.pytest.ini_options]\nfilterwarnings = ["error", "{ignored}"]\n')
    (tmp_path / "test_model.py").write_text(TESTS)
    return tmp_path


def run(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.run(line, cwd=project, capture_output=True, text=True, check=False)


def test_a_project_is_checked_by_its_tests(project: Path) -> None:
    found = run(project, "-q", "--junitxml", "result.xml")
    assert found.returncode == 1, found.stdout + found.stderr
    assert "3 failed, 3 passed" in found.stdout
    assert "failed: worse than allowed" in found.stdout
    assert "on=TEXT" in found.stdout
    assert "bitmeter: undecided checks" in found.stdout
    assert found.stdout.count("test_model.py::test_undecided\n") == 1
    cases = {case.attrib["name"]: case for case in ET.parse(project / "result.xml").iter("testcase")}
    verdicts = {
        name: found.attrib["value"]
        for name, case in cases.items()
        for found in case.iter("property")
        if found.attrib["name"] == "bitmeter_verdict"
    }
    assert verdicts == {
        "test_equal": "equal", "test_better": "better", "test_worse": "worse", "test_undecided": "undecided",
        "test_undecided_and_strict": "undecided",
    }  # fmt: skip


def test_a_project_that_does_not_use_it_pays_nothing(project: Path) -> None:
    (project / "test_model.py").write_text(
        "import sys\ndef test_nothing():\n"
        "    assert 'bitmeter.hosts.pytest_plugin' in sys.modules\n"
        "    assert 'bitmeter.measure.gate.check' not in sys.modules\n    assert 'numpy' not in sys.modules\n"
    )
    # Plug-ins of this environment other than ours import numpy themselves.
    found = run(project, "-q", "-p", "no:hypothesispytest", "-p", "no:typeguard", "-p", "no:jaxtyping")
    assert found.returncode == 0, found.stdout
    assert "undecided" not in found.stdout
