"""Other processes import the tasks of the tests by name."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def work() -> Iterator[ModuleType]:
    """The module `pool_tasks`, found by its name alone, also by the processes of a pool."""
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)
    try:
        yield importlib.import_module("pool_tasks")
    finally:
        sys.path.remove(folder)
