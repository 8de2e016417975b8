"""The document filter for NeMo Curator, in its ScoreFilter."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import pytest
from nemo_curator.stages.text.filters.score_filter import ScoreFilter
from nemo_curator.tasks import DocumentBatch

from bitmeter.hosts.nemo_curator import DocumentScore
from tests.filter.made import TEXTS, model, values


def test_score_filter(tmp_path: Path) -> None:
    name = model(tmp_path)
    figures = values(name, TEXTS)
    limit = sorted(figures)[4] * (1 + 1e-9)
    stage = ScoreFilter(DocumentScore(name, max=limit), text_field="text", score_field="bits")
    batch = DocumentBatch(dataset_name="d", data=pd.DataFrame({"text": TEXTS}))
    found = stage.process(batch).to_pandas()
    assert found["text"].tolist() == [text for text, value in zip(TEXTS, figures, strict=True) if value <= limit]
    assert found["bits"].tolist() == pytest.approx([value for value in figures if value <= limit], rel=1e-12)
    assert math.isnan(DocumentScore(name).score_document(""))
    assert not DocumentScore(name).keep_document(math.nan)
