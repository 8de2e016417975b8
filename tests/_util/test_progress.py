"""The one progress callback: shares, stages, and what cannot be called."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bitmeter._util.progress import Step, as_progress
from bitmeter.errors import InputTypeError


@pytest.mark.parametrize(
    ("done", "total", "share"),
    [
        (0, 8, 0.0), (2, 8, 0.25), (8, 8, 1.0), (9, 8, 1.0), (-1, 8, 0.0), (0.5, 1.0, 0.5),
        (3, None, None),
        (0, 0, 1.0),  # an empty file is done as soon as it is opened
    ],
)  # fmt: skip
def test_a_share_is_between_0_and_1_or_unknown(done: float, total: float | None, share: float | None) -> None:
    assert Step(done, total).share == share


def test_a_share_of_a_stage_counts_nothing() -> None:
    step = Step.of_share("sorting", 0.75)
    assert (step.share, step.stage, step.unit, step.estimate) == (0.75, "sorting", "", None)


def test_work_with_more_to_show_passes_a_subclass() -> None:
    @dataclasses.dataclass(frozen=True)
    class Training(Step):
        losses: tuple[float, ...] = ()

    seen: list[Step] = []
    report = as_progress(seen.append)
    report(Training(3, 10, "steps", estimate=2.5, losses=(3.0, 2.5)))
    (step,) = seen
    assert isinstance(step, Training)
    assert (step.share, step.estimate, step.losses) == (0.3, 2.5, (3.0, 2.5))


def test_a_step_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Step(1).done = 2  # type: ignore[misc]


def test_none_is_a_callback_that_does_nothing() -> None:
    as_progress(None)(Step(1, 2))


def test_an_exception_of_the_callback_reaches_the_work() -> None:
    def stop(step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        as_progress(stop)(Step(1, 2))


@pytest.mark.parametrize("value", [3, "bar", [], object()])
def test_what_cannot_be_called_is_refused(value: Any) -> None:
    with pytest.raises(InputTypeError, match=r"progress is .*; it must be a function that takes a Step, or None"):
        as_progress(value)
