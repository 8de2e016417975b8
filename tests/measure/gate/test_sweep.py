"""sweep(): many models against one, resumable."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError
from bitmeter.measure.gate import sweep as module
from bitmeter.measure.gate.sweep import _front, size_on_disk
from tests.measure.gate.made_texts import TEXT, models


def test_the_figures_are_those_of_compare_and_diverge(tmp_path: Path) -> None:
    names = models(tmp_path)
    found = bm.sweep(*names, on=TEXT, docs="line")
    compared = bm.compare(*names, on=TEXT, docs="line")
    for row, other in zip(found.rows, compared.rows, strict=True):
        assert (row.row.difference, row.row.low, row.row.high) == (other.difference, other.low, other.high)
        assert row.size == Path(row.name).stat().st_size
    for row in found.rows[1:]:
        apart = bm.divergence(names[0], row.name, TEXT, docs="line")
        assert (row.kl, row.same_top) == (apart.mean, apart.same_top_rate)
    assert (found.rows[0].kl, found.rows[0].same_top) == (0.0, 1.0)
    assert any(row.best for row in found.rows)
    assert all(row.speed is None or row.speed > 0 for row in found.rows)
    read = json.loads(found.to_json())
    assert read["schema"] == "bitmeter.sweep/1"
    assert [row["kl"] for row in read["rows"]] == [row.kl for row in found.rows]


def test_what_is_there_is_not_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = models(tmp_path)
    folder = tmp_path / "runs"
    first = bm.sweep(*names[:2], on=TEXT, docs="line", runs=folder)
    scored: list[str] = []
    plain = bm.score

    def counted(model: Any, *words: Any, **options: Any) -> bm.Score:
        scored.append(model.name)
        return plain(model, *words, **options)

    monkeypatch.setattr(module, "score", counted)
    again = bm.sweep(*names, on=TEXT, docs="line", runs=folder)
    assert len(scored) == 1  # the third
    assert again.rows[1].score == first.rows[1].score  # its p-value is corrected for one more
    assert again.rows[1].kl == first.rows[1].kl
    bm.sweep(*names, on=TEXT, docs="line", runs=folder)
    assert len(scored) == 1
    bm.sweep(*names, on=TEXT + b"more\n", docs="line", runs=folder, kl=False)
    bm.sweep(*names, on=TEXT, docs="file", runs=folder, kl=False)
    assert len(scored) == 7
    for path in folder.glob("run-*"):
        path.write_text("{}")
    with pytest.raises(BitmeterError, match="not a run"):
        bm.sweep(*names, on=TEXT, docs="line", runs=folder)


def test_precisions_of_one_network_are_distinguished() -> None:
    from tests.models.networks import TINY

    names = [f"hf:{TINY}", f"hf:{TINY},dtype=bfloat16"]
    found = bm.sweep(*names, on=b"The harbour was quiet.\nA ship came in.\n" * 6, docs="line")
    assert [row.score.model for row in found.rows] == names
    kl, same = found.rows[1].kl, found.rows[1].same_top
    assert kl is not None
    assert same is not None
    assert 0.0 < kl < 0.1
    assert found.rows[0].size == found.rows[1].size == size_on_disk(str(TINY))


def test_models_without_divergence_say_why(tmp_path: Path) -> None:
    found = bm.sweep("kt", "zlib", on=TEXT)
    assert found.rows[1].kl is None
    assert "zlib" in found.notes[0]
    assert found.rows[1].size is None
    assert not found.rows[1].best
    with pytest.raises(BitmeterError, match="at least two"):
        bm.sweep("kt", on=TEXT)


def test_the_front_by_hand() -> None:
    points = [(10, 3.0), (20, 2.0), (30, 2.5), (20, 2.0), (5, math.inf), (None, 1.0), (10, 3.5)]
    assert _front(points) == [True, True, False, True, False, False, False]


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a,b:c.bin").write_bytes(b"12345")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x").write_bytes(b"123")
    assert size_on_disk(str(tmp_path / "a,b:c.bin")) == 5
    assert size_on_disk(f"hf:{tmp_path},dtype=float16") == 8
    assert size_on_disk("kt") is None
    assert size_on_disk("hf:\0") is None
