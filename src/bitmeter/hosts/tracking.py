"""Scores in the trackers where teams look: MLflow and Weights & Biases.

Nothing is sent unless a tracker was named. MLflow writes where its address says, which may be a file of this machine;
Weights & Biases follows its own settings (`WANDB_MODE=offline` keeps all of it here).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bitmeter._util.optional import require
from bitmeter.errors import BitmeterError, ChoiceError

__all__ = ["TRACKERS", "Tracked", "Tracker", "log_runs", "tracker_of"]

TRACKERS = ("mlflow", "wandb")
#: The experiment or project of runs for which none is named.
_DEFAULT = "bitmeter"
_PURPOSE = "Logging to"


@dataclass(frozen=True, slots=True)
class Tracker:
    """Where runs are logged.

    Attributes
    ----------
    kind
        One of `TRACKERS`.
    place
        MLflow's tracking address, as MLflow reads it: a database, a folder or a server; "" for MLflow's own settings.
    group
        The experiment of MLflow, or the project of Weights & Biases.
    """

    kind: str
    place: str
    group: str


@dataclass(frozen=True, slots=True)
class Tracked:
    """One run, as trackers know it.

    Attributes
    ----------
    name
        What the run is called.
    params
        What does not vary within it: the model, the text, the conventions.
    metrics
        Its figures; those that are infinite are left out, because trackers refuse them, and named in `params`.
    document
        The whole run as JSON, kept as a file beside it.
    """

    name: str
    params: Mapping[str, str]
    metrics: Mapping[str, float]
    document: str

    @classmethod
    def of(cls, name: str, params: Mapping[str, Any], figures: Mapping[str, Any], document: str) -> Tracked:
        """Figures that are numbers become metrics.

        Examples
        --------
        >>> found = Tracked.of("kt", {"text": "a.txt"}, {"bits": 8, "oov": None, "perplexity": float("inf")}, "{}")
        >>> found.metrics, found.params
        ({'bits': 8.0}, {'text': 'a.txt', 'infinite': 'perplexity'})
        """
        numbers = {
            key: float(value)
            for key, value in figures.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        endless = " ".join(key for key, value in numbers.items() if not math.isfinite(value))
        shown = {key: str(value) for key, value in params.items() if value is not None}
        return cls(
            name,
            shown | ({"infinite": endless} if endless else {}),
            {key: value for key, value in numbers.items() if math.isfinite(value)},
            document,
        )


def tracker_of(target: str) -> Tracker:
    """Read the name of a tracker.

    Parameters
    ----------
    target
        "mlflow:PLACE#EXPERIMENT" or "wandb:PROJECT"; place, experiment and project may be left out.

    Examples
    --------
    >>> tracker_of("mlflow:sqlite:///runs.db#quantised")
    Tracker(kind='mlflow', place='sqlite:///runs.db', group='quantised')
    >>> tracker_of("wandb:my-project").group
    'my-project'
    """
    kind, colon, rest = target.partition(":")
    if kind not in TRACKERS or (colon == "" and rest):
        ways = "mlflow:sqlite:///FILE.db, mlflow:http://HOST:PORT#EXPERIMENT or wandb:PROJECT"
        message = f"{target!r} names no tracker; type {ways}"
        raise ChoiceError(message, value=target)
    if kind == "wandb":
        return Tracker(kind, "", rest or _DEFAULT)
    place, _, group = rest.partition("#")
    return Tracker(kind, place, group or _DEFAULT)


def log_runs(tracker: Tracker, runs: list[Tracked]) -> str:
    """Log runs; returns where they are.

    Raises
    ------
    BitmeterError
        If the tracker refuses them, with its own words.
    """
    module = require(tracker.kind, f"{_PURPOSE} {tracker.kind}")
    try:
        return (_to_mlflow if tracker.kind == "mlflow" else _to_wandb)(module, tracker, runs)
    except BitmeterError:
        raise
    except Exception as error:  # of whatever kind the tracker, its store or its server raises
        words = " ".join(str(error).split())[:300]
        message = f"{tracker.kind} did not take the run ({type(error).__name__}: {words}); the figures are as printed"
        raise BitmeterError(message) from error


def _to_mlflow(module: Any, tracker: Tracker, runs: list[Tracked]) -> str:
    client = module.MlflowClient(tracking_uri=tracker.place or None)
    experiment = client.get_experiment_by_name(tracker.group)
    number = experiment.experiment_id if experiment is not None else client.create_experiment(tracker.group)
    for run in runs:
        made = client.create_run(number, run_name=run.name, tags={"mlflow.source.name": "bitmeter"})
        for key, value in run.params.items():
            client.log_param(made.info.run_id, key, value)
        for key, number_of in run.metrics.items():
            client.log_metric(made.info.run_id, key, number_of)
        client.log_text(made.info.run_id, run.document, "run.json")
        client.set_terminated(made.info.run_id)
    return f"mlflow, experiment {tracker.group}"


def _to_wandb(module: Any, tracker: Tracker, runs: list[Tracked]) -> str:
    for run in runs:
        made = module.init(
            project=tracker.group, name=run.name, config=dict(run.params), settings=module.Settings(silent=True)
        )
        made.summary.update(dict(run.metrics))
        with open(os.path.join(made.dir, "run.json"), "w", encoding="utf-8") as file:
            file.write(run.document)
        made.save(os.path.join(made.dir, "run.json"), base_path=made.dir, policy="now")
        made.finish()
    return f"wandb, project {tracker.group}"
