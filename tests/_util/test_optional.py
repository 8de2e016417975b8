"""The absence of an optional package is said with the line to type."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from bitmeter._util.optional import EXTRAS, require
from bitmeter.errors import BitmeterError, MissingPackageError

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("package", sorted(EXTRAS))
def test_absence_prints_the_pip_line(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    with pytest.raises(MissingPackageError) as caught:
        require(package, "This job")
    assert str(caught.value).endswith(f"Type: pip install '.[{EXTRAS[package]}]' in a checkout of bitmeter")
    assert str(caught.value).startswith(f"This job needs the package {package}")
    assert isinstance(caught.value, BitmeterError)
    assert isinstance(caught.value, ImportError)


def test_the_extras_exist_and_bring_the_package() -> None:
    extras = PROJECT["optional-dependencies"]
    for package, extra in EXTRAS.items():
        names = [line.split(">")[0].split("[")[0].replace("-", "_") for line in extras[extra]]
        spellings = (package, f"{package}_python", f"py{package}")
        assert any(name.lower() in spellings for name in names), (package, names)


def test_what_is_installed_is_imported() -> None:
    assert require("json", "Windowing") is sys.modules["json"]


def test_a_broken_package_keeps_its_own_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half_installed.py").write_text("import surely_absent_dependency\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="surely_absent_dependency"):
        require("half_installed", "This job")
