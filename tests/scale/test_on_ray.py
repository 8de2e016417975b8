"""Ray itself is tested in tests/engines, by make test-engines; here, what is said where it is not installed."""

from __future__ import annotations

import sys

import pytest

import bitmeter as bm
from bitmeter.errors import MissingPackageError
from bitmeter.scale.engines import executor_of


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPackageError, match=r"\.\[ray\]"):
        executor_of(2, "ray")
    with pytest.raises(bm.BitmeterError, match="--engine ray"):
        bm.score("uniform", b"abc", engine="ray")
