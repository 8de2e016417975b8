"""Sampled texts as rows."""

from __future__ import annotations

import math

import pytest

from bitmeter.models.sampling import samples
from bitmeter.reports.records.samples import sample_records


def test_a_uniform_model_needs_eight_bits_per_byte() -> None:
    (row,) = sample_records(samples("uniform", 1, 3, length=7), "uniform", seed=3, temperature=1.0).rows
    assert row[2:] == [7, 7, False, 56.0, pytest.approx(56 * math.log(2)), pytest.approx(256.0)]


def test_rows_come_as_they_are_drawn() -> None:
    table = sample_records(samples("kt", 1000, 3, length=2), "kt", seed=3, temperature=0.5)
    first = next(iter(table.rows))
    assert first[0] == 1
    assert table.about == {"model": "kt", "seed": 3, "temperature": 0.5}
