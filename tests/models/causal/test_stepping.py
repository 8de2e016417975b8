"""Token by token with what was computed kept: a network that keeps everything shows what it was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bitmeter.errors import ModelError, RangeError
from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.windows import Windowing, plan_windows

SIZE = 12


class Recorder:
    """The prediction says how long the context is; the cache is the context itself."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def step(self, ids: Any, cache: Any) -> tuple[Any, Any]:
        self.calls.append(len(ids))
        context = [*(cache or []), *ids.tolist()]
        row = np.full(SIZE, -float(len(context)))
        row[context[-1]] = -0.5
        row[context[0]] = -0.25
        return row, context


def made(windowing: Windowing, recorders: list[Recorder] | None = None) -> NetworkStepper:
    def network() -> Recorder:
        found = Recorder()
        if recorders is not None:
            recorders.append(found)
        return found

    return NetworkStepper(network, windowing, SIZE, "recorder")


@pytest.mark.parametrize(
    "windowing",
    [Windowing("full", 0, 0, 0), Windowing("sliding", 4, 2, 0), Windowing("sliding", 5, 1, None),
     Windowing("disjoint", 4, 3, 0), Windowing("disjoint", 4, 4, None)],
    ids=str,
)  # fmt: skip
def test_its_windows_are_those_of_scoring(windowing: Windowing) -> None:
    """The plan of a document with one more token is the twin: its last window is what the network sees."""
    tokens = np.arange(1, 11)
    stepper = made(windowing)
    for i in range(len(tokens)):
        found = stepper.predict()
        plan = plan_windows(windowing, np.array([0, i + 1]))
        lead = [] if windowing.prefix is None else [windowing.prefix]
        seen = [*lead, *tokens[int(plan.start[-1]) : i].tolist()]
        if seen:
            np.testing.assert_array_equal(found, Recorder().step(np.array(seen), None)[0])
        else:  # nothing stands before
            np.testing.assert_allclose(found, -np.log(SIZE))
        stepper.take(int(tokens[i]))


def test_each_token_is_shown_once_within_a_window() -> None:
    recorders: list[Recorder] = []
    stepper = made(Windowing("full", 0, 0, 0), recorders)
    for token in (3, 4, 5):
        stepper.predict()
        assert stepper.predict() is stepper.predict(), "asked again, nothing is computed again"
        stepper.take(token)
    stepper.predict()
    assert recorders[0].calls == [1, 1, 1, 1]
    other = stepper.copy()
    np.testing.assert_array_equal(other.predict(), stepper.predict())
    assert recorders[1].calls == [4], "a copy is shown the window again by a network of its own"


def test_what_cannot_go_token_by_token_is_refused() -> None:
    for kind in ("half", "rolling"):
        with pytest.raises(ModelError, match=f"cannot go token by token with ctx={kind}"):
            made(Windowing(kind, 4, 2, 0))
    stepper = made(Windowing("full", 3, 0, 0))
    for token in (1, 2):
        stepper.predict()
        stepper.take(token)
    with pytest.raises(ModelError, match="sees 3 tokens at once, and the document is longer"):
        stepper.predict()
    for token in (-1, SIZE):
        with pytest.raises(RangeError, match=f"has ids from 0 to {SIZE - 1}"):
            made(Windowing("full", 0, 0, 0)).take(token)
