from __future__ import annotations

import math

import pytest

from bitmeter.errors import BitmeterError, ChoiceError, MissingPackageError
from bitmeter.hosts.tracking import TRACKERS, Tracked, Tracker, log_runs, tracker_of


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("mlflow", Tracker("mlflow", "", "bitmeter")),
        ("mlflow:", Tracker("mlflow", "", "bitmeter")),
        ("mlflow:#e", Tracker("mlflow", "", "e")),
        ("mlflow:http://host:5000#e", Tracker("mlflow", "http://host:5000", "e")),
        ("wandb", Tracker("wandb", "", "bitmeter")),
        ("wandb:team/p", Tracker("wandb", "", "team/p")),
    ],
)
def test_the_names_of_trackers(target: str, expected: Tracker) -> None:
    assert tracker_of(target) == expected


@pytest.mark.parametrize("target", ["", "ml", "mlflow2:x", "tensorboard:x", ":x", "MLFLOW:x"])
def test_what_names_no_tracker(target: str) -> None:
    with pytest.raises(ChoiceError, match="wandb:PROJECT"):
        tracker_of(target)


def test_figures_that_trackers_refuse_are_named() -> None:
    made = Tracked.of("m", {"a": 1, "b": None}, {"x": math.inf, "y": 2, "z": None, "t": True, "w": "text"}, "{}")
    assert made.metrics == {"y": 2.0}
    assert made.params == {"a": "1", "infinite": "x"}


@pytest.mark.parametrize("kind", TRACKERS)
def test_a_missing_tracker_says_what_to_install(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, kind, None)
    with pytest.raises(MissingPackageError, match=f"pip install {kind}"):
        log_runs(tracker_of(kind), [])
    assert issubclass(MissingPackageError, BitmeterError)
