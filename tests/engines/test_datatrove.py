"""The steps for datatrove, in a pipeline of datatrove."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from bitmeter.hosts.datatrove import ScoreFilter, ScoreStats
from tests.filter.made import TEXTS, model, read_jsonl, rows, values, write_jsonl


def test_a_pipeline(tmp_path: Path) -> None:
    name = model(tmp_path)
    (tmp_path / "in").mkdir()
    write_jsonl(tmp_path / "in" / "a.jsonl", [{**row, "id": str(row["id"])} for row in rows()])
    figures = values(name, TEXTS)
    limit = sorted(figures)[4]
    step = ScoreFilter(
        name,
        max=limit * (1 + 1e-9),
        batch_size=4,
        exclusion_writer=JsonlWriter(str(tmp_path / "out"), compression=None),
    )
    LocalPipelineExecutor(
        [
            JsonlReader(str(tmp_path / "in")),
            ScoreStats(str(tmp_path / "stats"), name, groups_to_compute=["summary"]),
            step,
            JsonlWriter(str(tmp_path / "kept"), compression=None),
        ],
        tasks=1, logging_dir=str(tmp_path / "logs"),
    ).run()  # fmt: skip
    [kept], [dropped] = ((tmp_path / folder).glob("*.jsonl") for folder in ("kept", "out"))
    found = read_jsonl(kept)
    assert [int(row["id"]) for row in found] == [number for number, value in enumerate(figures) if value <= limit]
    assert [row["metadata"]["bits_per_byte"] for row in found] == pytest.approx(
        [value for value in figures if value <= limit], rel=1e-12
    )
    assert {row["metadata"]["filter_reason"] for row in read_jsonl(dropped)} == {"bits_per_byte"}
    [stats] = (tmp_path / "stats" / "summary" / "bits_per_byte").glob("*.json")
    summary = json.loads(stats.read_text())["summary"]
    assert summary["n"] == len(TEXTS)
    assert summary["total"] == pytest.approx(sum(figures), rel=1e-9)


def test_it_travels(tmp_path: Path) -> None:
    step = pickle.loads(pickle.dumps(ScoreFilter(model(tmp_path), "perplexity", max=1e9)))
    assert step.filter(Document("to be", "0")) is True
    assert step.filter(Document("", "0")) == (False, "no_text")
