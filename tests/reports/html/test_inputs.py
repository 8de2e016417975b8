from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.reports.html.inputs import gather

TEXT = b"to be or not to be"


def test_the_trace_beside_a_run_is_found(tmp_path: Path) -> None:
    bm.score("kt", TEXT, trace=tmp_path / "a.parquet").save(tmp_path / "a.json")
    (found,) = gather(tmp_path / "a.json")
    assert found.trace is not None
    assert len(found.trace) == len(TEXT)


def test_a_trace_of_another_run_beside_it_is_not_taken(tmp_path: Path) -> None:
    bm.score("uniform", TEXT, trace=tmp_path / "a.parquet")
    bm.score("kt", TEXT).save(tmp_path / "a.json")
    assert gather([tmp_path / "a.json"])[0].trace is None


def test_given_traces_find_their_runs_by_the_signature(tmp_path: Path) -> None:
    for name in ("kt", "uniform"):
        bm.score(name, TEXT, trace=tmp_path / f"{name}-trace.parquet").save(tmp_path / f"{name}.json")
    runs = [tmp_path / "kt.json", tmp_path / "uniform.json"]
    found = gather(runs, [tmp_path / "uniform-trace.parquet"])
    assert [one.trace is not None for one in found] == [False, True]
    with pytest.raises(bm.BitmeterError, match="belongs to none of the runs"):
        gather(runs[:1], bm.Trace.load(tmp_path / "uniform-trace.parquet"))


def test_two_texts_are_refused() -> None:
    with pytest.raises(bm.BitmeterError, match="one text"):
        gather([bm.score("kt", b"one"), bm.score("kt", b"two")])


@pytest.mark.parametrize("runs", [[], [3], 3, None, ["missing.json"]])
def test_what_is_no_run_is_refused(runs: object) -> None:
    with pytest.raises(bm.BitmeterError):
        gather(runs)
    with pytest.raises(bm.BitmeterError):
        gather([bm.score("kt", TEXT)], [runs])


def test_equal_names_are_numbered() -> None:
    score = bm.score("kt", TEXT)
    assert [one.name for one in gather([score, score])] == ["kt (1)", "kt (2)"]


def test_too_many_runs_are_refused() -> None:
    with pytest.raises(bm.BitmeterError, match="at most"):
        gather([bm.score("kt", TEXT)] * 25)
