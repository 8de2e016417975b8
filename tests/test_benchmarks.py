"""The benchmarks run to the end at their small size; no file among them hides a package that they need."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks"
#: What others import, and the program that runs them all.
PARTS = ("articles", "competitors", "designs", "front", "goals", "kinds", "stopwatch", "suite")
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in PARTS)


def test_no_benchmark_is_named_like_a_package() -> None:
    # A script's folder comes first on its path, so that coverage.py there was imported instead of the package.
    taken = {*sys.stdlib_module_names, *metadata.packages_distributions(), "compression"}  # the last: from Python 3.14
    assert sorted(taken & {path.stem for path in FOLDER.glob("*.py")}) == []


@pytest.mark.timeout(900)  # seconds on a quiet machine, minutes on a busy one
@pytest.mark.parametrize("name", SCRIPTS)
def test_each_benchmark_runs_and_prints_cpu_time_and_processor(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "suite.py"), "--size", "small", "--only", name],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    inside = done.stdout.split(f"== {name}\n", 1)[1]  # what the benchmark itself prints
    assert re.search(r"^processor: \S.*, \d+ cores, load", inside, re.MULTILINE)
    assert re.search(r"^numpy [\d.]+: \w+", inside, re.MULTILINE)
    assert "CPU" in inside.rsplit("\nbenchmark ", 1)[0]


def test_the_suite_knows_every_benchmark() -> None:
    listed = re.findall(r'^    Job\("(\w+)"', (FOLDER / "suite.py").read_text(), re.MULTILINE)
    assert sorted(listed) == SCRIPTS


def test_the_page_of_the_intervals_has_the_words_of_its_script() -> None:
    words, page = (FOLDER / "coverage-page.md").read_text(), (ROOT / "docs" / "coverage.md").read_text()
    for part in re.split(r"\{\w+\}", words):
        assert part in page
