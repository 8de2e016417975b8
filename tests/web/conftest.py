"""The history of these tests is a file of their own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("BITMETER_HISTORY", raising=False)
