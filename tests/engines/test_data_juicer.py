"""The operator for Data-Juicer, run by Data-Juicer."""

from __future__ import annotations

from pathlib import Path

import pytest
from data_juicer.core.data import NestedDataset
from data_juicer.ops import OPERATORS
from data_juicer.utils.constant import Fields

from bitmeter.hosts.data_juicer import OP_NAME, ScoreFilter
from tests.filter.made import TEXTS, model, values


def test_the_operator(tmp_path: Path) -> None:
    name = model(tmp_path)
    figures = values(name, TEXTS)
    limit = sorted(figures)[4] * (1 + 1e-9)
    assert OPERATORS.modules[OP_NAME] is ScoreFilter
    operator = OPERATORS.modules[OP_NAME](model=name, max=limit)
    dataset = NestedDataset.from_list([{"text": text, Fields.stats: {}} for text in TEXTS])
    scored = dataset.map(operator.compute_stats)
    stats = [row[Fields.stats]["bitmeter_bits_per_byte"] for row in scored]
    assert stats == pytest.approx(figures, rel=1e-12)
    kept = scored.filter(operator.process)
    assert [row["text"] for row in kept] == [text for text, value in zip(TEXTS, figures, strict=True) if value <= limit]
