"""The stages of an estimation in slices, as the command sees them; the bytes are tested in test_training.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter._util.jobs import Here, TaskReport
from bitmeter.scale import slices


class Recording(Here):
    """What was run, stage by stage."""

    def __init__(self) -> None:
        self.stages: list[list[str]] = []

    def run(self, tasks: Any, report: TaskReport) -> Any:
        own: list[str] = []
        self.stages.append(own)

        def listed() -> Any:
            for task in tasks:
                own.append(task.call.__name__)
                yield task

        return super().run(listed(), report)


def stages_of(tmp_path: Path, smoothing: str, order: int, titles: list[str]) -> list[str]:
    """The tasks of the stages of a training; all tasks of a stage are of one kind."""
    (tmp_path / "a.txt").write_text("one two three one two\ntwo three\n" * 9)
    executor = Recording()

    def progress(step: Any) -> None:
        if titles[-1:] != [step.stage]:
            titles.append(step.stage)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bitmeter.models.ngram.model.ask", lambda *_: executor)
        bm.NGram(order, smoothing).fit(tmp_path / "a.txt", workers=2, progress=progress)
    assert all(len(set(stage)) == 1 for stage in executor.stages)
    return [stage[0] for stage in executor.stages]


def test_all_stages_are_shared(tmp_path: Path) -> None:
    titles: list[str] = []
    counted = ["split_part", "sort_part", "merge_partition"]
    expected = [*counted, "grow_slice", "link_slice", *["weigh_slice"] * 3, "finish_slice"]
    assert stages_of(tmp_path, "modified-kneser-ney", 4, titles) == expected
    orders = [f"estimating order {order}" for order in (2, 3, 4)]
    assert [title for title in titles if title.startswith("estimating")] == orders
    assert titles[-1] == "finishing"


def test_what_the_command_does_itself(tmp_path: Path) -> None:
    """Katz, after the counting; all of a model of single words but the reading."""
    assert stages_of(tmp_path, "katz", 3, []) == ["split_part", "sort_part", "merge_partition"]
    assert stages_of(tmp_path, "modified-kneser-ney", 1, []) == ["split_part"]


def test_sums_of_slices() -> None:
    assert slices._sums([[[1, 2], [3, 4]], [[10, 20], [30, 40]]]) == [[11, 22], [33, 44]]
    assert slices._last([{"last": [0, 3]}, {"last": [2, 0]}]) == [2, 3]
    assert slices._last([{"last": []}, {"last": []}]) == []
