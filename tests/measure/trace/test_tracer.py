"""Recording a trace in batches gives the trace of the whole text."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.sums import Counted
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.text.units.base import Split

DOCUMENTS = [b"abc", b"", b"defgh", b"i"]


def batches(cuts: list[int]) -> list[Counted]:
    """The documents, one byte per unit, in batches that end at the cuts."""
    data = b"".join(DOCUMENTS)
    ends = np.cumsum([len(document) for document in DOCUMENTS])
    found = []
    edges = [0, *cuts, len(data)]
    for start, stop in itertools.pairwise(edges):
        inside = [int(end) - start for end in ends if start < end <= stop]
        unfinished = bool(stop < len(data) and stop not in ends)
        size = stop - start
        bounds = np.array([0, *inside, *([size] if unfinished else [])])
        logs = -np.arange(start, stop, dtype=float)
        found.append(
            Counted(
                bm.Batch(
                    data[start:stop],
                    np.array(inside),
                    bm.Uniform().units,
                    start,
                    continues=bool(start and start not in ends),
                    unfinished=unfinished,
                ),
                bm.Scored(Split(np.arange(start, stop), np.arange(size + 1), bounds), np.zeros(size, bool), logs),
                np.zeros(size, bool),
            )
        )
    return found


@pytest.mark.parametrize("cuts", [[], [1], [3], [4], [1, 2], [2, 5, 7], list(range(1, 9))])
def test_offsets_continue_over_the_edges_of_batches(cuts: list[int]) -> None:
    score = bm.score("uniform", b"x")
    with Tracer(None, force=False) as tracer:
        for batch in batches(cuts):
            tracer.add(batch)
        trace = tracer.finish(score).trace
    assert b"".join(trace.units) == b"abcdefghi"
    assert trace.doc.tolist() == [0, 0, 0, 2, 2, 2, 2, 2, 3]
    assert trace.start.tolist() == [0, 1, 2, 0, 1, 2, 3, 4, 0]
    assert trace.end.tolist() == [1, 2, 3, 1, 2, 3, 4, 5, 1]
    assert trace.logprob.tolist() == [-float(i) for i in range(9)]


def test_a_trace_of_nothing_is_empty() -> None:
    with Tracer(None, force=False) as tracer:
        trace = tracer.finish(bm.score("uniform", b"")).trace
    assert len(trace) == 0
    assert trace.logprob.tolist() == []


def test_a_long_trace_is_written_but_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bitmeter.measure.trace.tracer.KEPT_UNITS", 4)
    with Tracer(tmp_path / "t.parquet", force=False) as tracer:
        for batch in batches([3]):
            tracer.add(batch)
        score = tracer.finish(bm.score("uniform", b"x", trace=tmp_path / "u.parquet"))
    assert len(bm.Trace.load(tmp_path / "t.parquet")) == 9
    assert len(score.trace) == 1  # the score that was given keeps its own trace


def _interrupted(path: Path) -> None:
    with Tracer(path, force=False) as tracer:
        tracer.add(batches([])[0])
        raise KeyboardInterrupt


def test_an_error_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        _interrupted(tmp_path / "t.parquet")
    assert list(tmp_path.iterdir()) == []
