from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter._util.progress import Step
from bitmeter.measure.survey import RELIABLE_COVERAGE, survey


def empirical(data: bytes, order: int) -> float:
    """−Σ c(xy)/N log(c(xy)/c(x·)) over all windows, counted one by one."""
    blocks = Counter(data[i : i + order + 1] for i in range(len(data) - order))
    contexts: Counter[bytes] = Counter()
    for block, number in blocks.items():
        contexts[block[:-1]] += number
    total = len(data) - order
    return math.fsum(-n / total * math.log(n / contexts[block[:-1]]) for block, n in blocks.items())


@given(st.lists(st.sampled_from(b"abc"), min_size=8, max_size=120).map(bytes))
@settings(deadline=None, max_examples=25)
def test_entropies_by_order_are_what_counting_gives(data: bytes) -> None:
    for row in survey(data, orders=3).rows:
        if row.group == "order":
            assert row.nats == pytest.approx(empirical(data, int(row.name)), rel=1e-9, abs=1e-12)


def test_a_survey_tells_its_steps() -> None:
    seen: list[Step] = []
    result = survey(b"banana" * 50, progress=seen.append)
    assert [step.done for step in seen] == list(range(len(seen)))
    assert {step.total for step in seen} == {len(seen)}
    assert result.headline.name == "ctw"
    assert result.best_bound.upper_bound
    assert all(result.best_bound.nats <= row.nats for row in result.rows if row.upper_bound)


def test_compressors_count_the_bytes_whatever_the_units() -> None:
    data = "né".encode() * 400
    by_bytes = {row.name: row.nats for row in survey(data).rows}
    by_chars = {row.name: row.nats for row in survey(data, units="chars").rows}
    assert by_chars["xz"] * 800 == pytest.approx(by_bytes["xz"] * 1200)


def test_reliable_means_covered() -> None:
    for row in survey(b"to be or not to be, that is the question").rows:
        if row.coverage is not None:
            assert row.reliable == (row.coverage >= RELIABLE_COVERAGE)


def test_a_heavy_tail_makes_estimates_unreliable_however_high_the_coverage() -> None:
    # Words by Zipf's law with exponent 1.7, of 300,000 draws: coverage 0.99, and unseen words matter all the same.
    rng = np.random.default_rng(1)
    p = 1 / np.arange(1, 10**6 + 1) ** 1.7
    drawn = np.searchsorted(np.cumsum(p) / p.sum(), rng.random(300_000))
    rows = survey(" ".join(map(str, drawn)).encode(), units="words", orders=0).rows
    row = next(row for row in rows if row.name == "chao-wang-jost")
    assert row.coverage is not None
    assert row.coverage >= RELIABLE_COVERAGE
    assert not row.reliable
    assert "not well sampled" in row.note
