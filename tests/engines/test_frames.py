"""`bm.columns` as the engines themselves call it."""

from __future__ import annotations

from pathlib import Path

import datasets
import duckdb
import polars as pl
import pyarrow as pa
import pytest

import bitmeter as bm
from tests.filter.made import TEXTS, model, values


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def expected(name: str) -> list[float]:
    return values(name, TEXTS)


def test_datasets(name: str, expected: list[float], tmp_path: Path) -> None:
    dataset = datasets.Dataset.from_dict({"text": TEXTS, "id": list(range(len(TEXTS)))})
    found = dataset.map(bm.columns(name), batched=True, batch_size=3, num_proc=2)
    assert found["bits_per_byte"][:] == pytest.approx(expected, rel=1e-12)
    assert found["id"][:] == list(range(len(TEXTS)))


def test_polars(name: str, expected: list[float]) -> None:
    frame = pl.DataFrame({"text": TEXTS})
    assert bm.columns(name)(frame)["bits_per_byte"].to_list() == pytest.approx(expected, rel=1e-12)
    alone = bm.columns(name, add="bits_per_byte")
    found = frame.lazy().with_columns(bits=pl.col("text").map_batches(alone, return_dtype=pl.Float64)).collect()
    assert found["bits"].to_list() == pytest.approx(expected, rel=1e-12)


def test_duckdb(name: str, expected: list[float]) -> None:
    table = pa.table({"text": TEXTS})
    with duckdb.connect() as connection:
        connection.create_function("bits", bm.columns(name, add="bits_per_byte"), ["VARCHAR"], "DOUBLE", type="arrow")
        found = connection.from_arrow(table).query("t", "select bits(text) from t").fetchall()
    assert [value for (value,) in found] == pytest.approx(expected, rel=1e-12)
