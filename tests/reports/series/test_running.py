"""The running figure ends where the headline stands, with the same interval: same clusters, same method."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.reports.series.running import running

LINES = b"".join(b"line %d of a text, and %d more words\n" % (i, i * i) for i in range(200))


@pytest.mark.parametrize("docs", ["line", "blank", "file"])
@pytest.mark.parametrize("model", ["kt", "uniform"])
def test_the_last_point_is_the_headline(docs: str, model: str) -> None:
    score = bm.score(model, LINES, docs=docs)
    curve = running(score)
    assert curve is not None
    assert score.interval is not None
    assert (curve.figure[-1], curve.low[-1], curve.high[-1]) == (
        score.interval.estimate, score.interval.low, score.interval.high,
    )  # fmt: skip
    assert curve.read[-1] == score.bytes
    assert curve.line_figure[-1] == pytest.approx(score.bits_per_byte, rel=1e-12)


def test_a_point_is_the_figure_of_what_was_read() -> None:
    """The same as scoring a shorter text, for a model that looks back only."""
    score = bm.score("kt", LINES, docs="line")
    curve = running(score)
    assert curve is not None
    middle = len(curve.read) // 2
    shorter = bm.score("kt", LINES[: int(curve.read[middle])], docs="line")
    assert curve.figure[middle] == pytest.approx(shorter.bits_per_byte, rel=1e-12)
    assert shorter.interval is not None
    assert curve.high[middle] == pytest.approx(shorter.interval.high, rel=1e-9)


def test_points_ascend_and_totals_have_none() -> None:
    curve = running(bm.score("kt", LINES, docs="line"), points=10)
    assert curve is not None
    assert list(curve.read) == sorted(set(curve.read))
    assert len(curve.read) <= 11
    assert running(bm.score("zlib", LINES)) is None
