from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.trace.trace import Trace
from bitmeter.reports.series.texts import offsets_of, traced_text


def test_the_text_comes_back_from_memory_and_from_disk(tmp_path: Path) -> None:
    text = "née\n\nzwei\n".encode() + b"\xff\n"
    score = bm.score("kt", text, docs="line", trace=tmp_path / "t.parquet")
    for trace in (score.trace, Trace.load(tmp_path / "t.parquet")):
        found = traced_text(trace, score.documents)
        assert found.data == text
        assert len(found.ends) == score.documents
        assert found.ends[-1] == len(text)
        assert np.array_equal(offsets_of(np.diff(found.cuts)), found.cuts[:-1])


def test_another_text_than_that_of_the_signature_is_refused() -> None:
    trace, other = bm.score("kt", b"one text").trace, bm.score("kt", b"two text").trace
    trace.signature = other.signature
    with pytest.raises(bm.BitmeterError, match="not the text of its signature"):
        traced_text(trace)
