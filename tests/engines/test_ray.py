"""`bm.columns` in Ray Data."""

from __future__ import annotations

from pathlib import Path

import pytest
import ray

import bitmeter as bm
from tests.filter.made import TEXTS, model, values


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Ray, about its own settings
def test_map_batches(tmp_path: Path) -> None:
    name = model(tmp_path)
    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        rows = ray.data.from_items([{"id": number, "text": text} for number, text in enumerate(TEXTS)])
        found = rows.map_batches(bm.columns(name), batch_format="pyarrow").take_all()
    finally:
        ray.shutdown()
    figures = {row["id"]: row["bits_per_byte"] for row in found}
    assert [figures[number] for number in range(len(TEXTS))] == pytest.approx(values(name, TEXTS), rel=1e-12)
