"""What the fuzz targets once found, and a few new mutations of each: nothing but typed errors escapes from a reader.

`python fuzz/python/NAME.py` runs a target for long; `tests/data/fuzz/python/NAME/` holds the inputs that it found.
"""

from __future__ import annotations

import importlib
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.text.units.named import units_of

ROOT = Path(__file__).parents[1]
FOUND = ROOT / "tests" / "data" / "fuzz" / "python"
TARGETS = sorted(
    file.stem for file in (ROOT / "fuzz" / "python").glob("*.py") if file.stem not in ("engine", "columns")
)


@pytest.fixture(scope="module", autouse=True)
def _targets_can_be_imported() -> Iterator[None]:
    """The targets are scripts in a folder of their own; their names must not stay in the way of others."""
    before = set(sys.modules)
    sys.path.insert(0, str(ROOT / "fuzz" / "python"))
    yield
    sys.path.remove(str(ROOT / "fuzz" / "python"))
    for name in {*TARGETS, "engine", "columns"} - before:
        sys.modules.pop(name, None)


def refused(target: ModuleType, data: bytes) -> bool:
    """Whether the reader refuses an input by a typed error; anything else that escapes fails the test."""
    try:
        target.run(data)
    except (bm.BitmeterError, OSError):
        return True
    return False


@pytest.mark.parametrize("file", sorted(FOUND.rglob("*-*")), ids=lambda file: f"{file.parent.name}/{file.name}")
def test_what_was_found_once_is_refused(file: Path) -> None:
    target = importlib.import_module(file.parent.name)
    target.seeds()  # some make the files that lie beside an input
    assert refused(target, file.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_runs(name: str) -> None:
    target, engine = importlib.import_module(name), importlib.import_module("engine")
    seeds = target.seeds()
    assert not any(refused(target, seed) for seed in seeds)
    draw = random.Random(0)
    mutate = getattr(target, "mutate", None)
    assert any(refused(target, engine.mutated(draw, draw.choice(seeds), seeds, mutate)) for _ in range(15))


ENDS_THE_PROCESS = """
import os, sys
sys.path.insert(0, HERE)
from engine import Folder, main
FOLDER = Folder()
def run(data):
    if len(data) > 3:
        os.abort()
if __name__ == "__main__":
    main("ends", run, lambda: [b"abc"])
"""


def test_an_input_that_ends_the_process_is_kept(tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text(ENDS_THE_PROCESS.replace("HERE", repr(str(ROOT / "fuzz" / "python"))))
    command = [sys.executable, str(tmp_path / "ends.py"), "--plain", "--runs", "400"]
    command += ["--findings", str(tmp_path / "found")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    kept = list((tmp_path / "found").glob("SIGABRT-*"))
    assert kept
    assert all(len(file.read_bytes()) > 3 for file in kept)
    assert "line 8 in run" in done.stderr  # where, by the fault handler
    assert "ends executions=" in done.stdout


def test_a_space_in_bytes_begins_with_its_document() -> None:
    """A forged model without a piece for the space: its bytes stood one byte before the document."""
    units = units_of(f"sentencepiece:{FOUND.parent / 'prefix-in-bytes.model'}")
    cuts = units.split(b"the mat  end", np.array([6, 6, 12])).cuts
    assert cuts[0] == 0
    assert (np.diff(cuts) >= 0).all()
    assert cuts[-1] == 12
