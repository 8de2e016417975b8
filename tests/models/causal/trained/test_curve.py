"""Learning curves and their files."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import (
    FileFormatError,
)
from tests.models.causal.trained.made import trained


def test_curve_files(tmp_path: Path) -> None:
    curve = trained("lstm", "bytes").curve
    assert curve is not None
    curve.save(tmp_path / "curve.json")
    assert bm.LearningCurve.load(tmp_path / "curve.json") == curve
    assert "best" in str(curve)
    for text in ("", "[]", "{}", '{"schema": "bitmeter.curve/1"}', '{"schema": "other"}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(FileFormatError):
            bm.LearningCurve.load(tmp_path / "bad.json")
