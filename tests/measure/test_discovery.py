"""What the modules of a package define is found, in the order of the files."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bitmeter.measure.discovery import defined


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "made_up_package"
    folder.mkdir()
    for name, text in {
        "__init__": "",
        "b": "THING = 2",
        "a": "THING = 1",
        "c": "THING = 'three'",
        "d": "x = 4",
    }.items():
        (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))

    found = importlib.import_module("made_up_package")
    yield found
    for name in [name for name in sys.modules if name.startswith("made_up_package")]:
        del sys.modules[name]


def test_objects_of_the_kind_under_the_name(package: ModuleType) -> None:
    assert defined(package, "THING", int) == [1, 2]
    assert defined(package, "THING", object) == [1, 2, "three"]
    assert defined(package, "OTHER", int) == []
