"""The public names are exactly the documented ones."""

from __future__ import annotations

import functools
import importlib
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter

ROOT = Path(__file__).parents[1]
NAMES = sorted(set(bitmeter.__all__) - {"__version__", "errors"})


def test_all_is_sorted_and_complete() -> None:
    assert list(bitmeter.__all__) == sorted(bitmeter.__all__, key=lambda name: (not name.isupper(), name))
    assert list(bitmeter._HOMES) == sorted(NAMES)
    assert dir(bitmeter) == sorted(bitmeter.__all__)


def test_star_gives_exactly_the_public_names() -> None:
    found: dict[str, object] = {}
    exec("from bitmeter import *", found)
    assert set(found) - {"__builtins__"} == set(bitmeter.__all__)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'entropie'"):
        _ = bitmeter.entropie


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_documented_with_an_example(name: str) -> None:
    value = getattr(bitmeter, name)
    if not (inspect.isclass(value) or inspect.isfunction(value)):
        return  # constants are documented by a comment in their module
    assert value.__doc__, f"{name} has no docstring"
    plain_class = inspect.isclass(value) and (issubclass(value, Exception) or value.__doc__.startswith(f"{name}("))
    if plain_class or hasattr(value, "__dataclass_fields__"):
        return  # errors, and results that a documented function returns
    own = (
        [value.__doc__] + [member.__doc__ or "" for key, member in vars(value).items() if not key.startswith("_")]
        if inspect.isclass(value)
        else [value.__doc__]
    )
    assert any(">>>" in text for text in own), f"{name} has no example that runs"


@functools.cache
def reference() -> dict[str, str]:
    pages: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "hooks.py"))["reference_pages"]()
    return pages


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_in_the_reference(name: str) -> None:
    home = bitmeter._HOMES[name]
    page = reference()[f"reference/{home.replace('.', '-')}.md"]
    assert f"::: bitmeter.{home}" in page
    assert f"- {name}\n" in page


def test_homes_are_where_the_names_are_defined() -> None:
    for name, home in bitmeter._HOMES.items():
        module = importlib.import_module(f"bitmeter.{home}")
        value = getattr(module, name)
        assert getattr(value, "__module__", module.__name__) == module.__name__, f"{name} comes from elsewhere"


def test_the_stub_is_what_the_core_is_now(tmp_path: Path) -> None:
    made = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "bitmeter._core", "-o", str(made)], check=True
    )
    assert made.read_text() == (ROOT / "src/bitmeter/_core.pyi").read_text(), "type: make stub"
