"""Parquet: columns of every type that programs write, and a bound on what is unpacked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.tables import parquet
from bitmeter.measure.audit.tables.reading import read_table
from tests.measure.audit import pieces


def test_float32_and_large_strings(tmp_path: Path) -> None:
    table = pa.table({
        "doc": pa.array(pieces.DOC, pa.int32()), "piece": pa.array(pieces.PIECES, pa.large_string()),
        "logprob": pa.array(pieces.LOGPROB.astype(np.float32)),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "x.parquet")
    found = bm.audit(tmp_path / "x.parquet", pieces.CORPUS)
    assert found.score is not None
    assert found.score.bits_per_byte == pytest.approx(pieces.TRUE, rel=1e-6)
    assert found.score.signature.precision == "float32, from a table"


def test_our_own_trace_gives_the_score_it_is_of(tmp_path: Path) -> None:
    """To the last bit: the same sums over the same log-probabilities."""
    score = bm.score("kt", pieces.CORPUS, trace=tmp_path / "kt.parquet")
    found = bm.audit(tmp_path / "kt.parquet", pieces.CORPUS)
    assert found.score is not None
    assert (found.score.nats, found.score.exact) == (score.nats, score.exact)
    assert found.score.interval is not None
    assert score.interval is not None
    # A table does not say that its model learned, so only the model's own score leaves the learning curve out.
    assert found.score.interval.estimate == score.interval.estimate
    assert "learning" in score.interval.method
    assert "learning" not in found.score.interval.method
    assert bm.compare(found.score, score).rows[1].difference == 0.0


def test_what_would_fill_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"logprob": np.zeros(1000)}), tmp_path / "x.parquet")
    monkeypatch.setattr(parquet, "_MOST", 10)
    with pytest.raises(FileFormatError, match="its columns take"):
        read_table(tmp_path / "x.parquet")
