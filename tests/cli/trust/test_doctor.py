"""`bitmeter doctor`."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import _core
from bitmeter._util import optional
from tests.cli.running import run

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "data"))
    return tmp_path


def test_what_is_here(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "doctor", "--json")
    assert (code, said) == (0, "")
    found = json.loads(printed)
    assert found["bitmeter"] == bm.__version__
    assert found["packages"]["numpy"] == np.__version__
    assert found["processor"]["level"] == _core.cpu()["level"]
    assert found["folders"]["data"] == str(here / "data")
    assert found["folders"]["history"] == {"file": str(here / "data" / "history.sqlite"), "on": True, "runs": 0}
    assert {"kt", "ngram", "hf"} <= set(found["models"]["own"])
    assert not (here / "data").exists()  # looking changes nothing
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = {name.partition(">")[0] for name in project["dependencies"]}
    assert set(found["packages"]) == needed
    assert set(found["extras"]) == set(project["optional-dependencies"]) - {"all", "dev"}


def test_the_text_fits_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "doctor")
    assert code == 0
    assert printed.startswith(f"bitmeter {bm.__version__}\n")
    assert printed.endswith("No problems were found.\n")
    longest = max(len(line) for line in printed.splitlines() if "/" not in line)  # a path is not broken
    assert longest <= 80


def test_a_missing_extra_has_its_line_and_is_no_fault(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(optional.EXTRAS, "surely_absent", "surely")
    code, printed, _ = run(capsys, "doctor")
    assert code == 0
    assert "missing surely_absent. Type: pip install '.[surely]'" in " ".join(printed.split())


def test_a_damaged_history_is_a_problem(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "data").mkdir()
    (here / "data" / "history.sqlite").write_bytes(b"damaged" * 1000)
    code, printed, _ = run(capsys, "doctor")
    assert code == 1
    assert "Problems\n" in printed
    assert "Move it away" in " ".join(printed.split())
