"""The learning curve of a network: its loss on training text and on held-out text."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.files import as_path, read_whole, replacing, unread
from bitmeter._util.progress import Step
from bitmeter.errors import FileFormatError

__all__ = ["SCHEMA", "CurvePoint", "LearningCurve", "curve_as_dict"]

SCHEMA = "bitmeter.curve/1"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One look at the held-out text.

    Attributes
    ----------
    step
        How many updates of the weights came before.
    epoch
        How many times the text had gone by.
    train_bits_per_byte, train_perplexity
        The loss in training since the point before (with dropout), as bits per byte and as perplexity per unit.
    bits_per_byte, perplexity
        Those of the held-out text.
    learning_rate
        Of the last update.
    seconds
        Since training began, pauses left out.
    """

    step: int
    epoch: float
    train_bits_per_byte: float
    train_perplexity: float
    bits_per_byte: float
    perplexity: float
    learning_rate: float
    seconds: float

    def __str__(self) -> str:
        return (
            f"step {self.step:>6,}  epoch {self.epoch:6.2f}  training {self.train_bits_per_byte:.4f}  "
            f"held out {self.bits_per_byte:.4f} bits/byte, perplexity {self.perplexity:,.2f} per unit  "
            f"{self.seconds:,.0f} s"
        )


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """A network's way down.

    Attributes
    ----------
    points
        One for each look at the held-out text.
    steps
        How many updates there could have been.
    stopped
        Why it ended: "all steps", "early" (the held-out text cost more and more), or "" while it goes on.
    train_bytes, heldout_bytes
        The bytes of both texts.
    """

    points: tuple[CurvePoint, ...]
    steps: int
    stopped: str
    train_bytes: int
    heldout_bytes: int

    @property
    def best(self) -> CurvePoint | None:
        """The point whose weights are kept: the lowest on the held-out text, and the first of equals."""
        return min(self.points, key=lambda point: point.bits_per_byte, default=None)

    def __str__(self) -> str:
        return "\n".join(f"{point}{'  best' * (point is self.best)}" for point in self.points) or "no point yet"

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write it as JSON."""
        with replacing(path, force=force) as beside:
            beside.write_text(json.dumps(curve_as_dict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def from_dict(cls, found: Any, where: str = "the curve") -> LearningCurve:
        """From what a file holds; anything else is an error that says so."""
        try:
            if not isinstance(found, dict):
                message = f"it is of type {type(found).__name__}"
                raise TypeError(message)
            if found["schema"] != SCHEMA:
                message = f"{where} has the schema {found['schema']!r:.60}; this bitmeter reads {SCHEMA}"
                raise FileFormatError(message, value=where)
            points = tuple(
                CurvePoint(int(point["step"]), *(_number(point[name]) for name in _NUMBERS))
                for point in found["points"]
            )
            sizes = (int(found["train_bytes"]), int(found["heldout_bytes"]))
            return cls(points, int(found["steps"]), str(found["stopped"]), *sizes)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            if isinstance(error, FileFormatError):
                raise
            message = f"{where} is not a learning curve: {type(error).__name__}: {error}"
            raise FileFormatError(message, value=where) from error

    @classmethod
    def load(cls, path: Any) -> LearningCurve:
        """From a file, or from the folder of a model."""
        given = as_path(path)
        file = given / "curve.json" if given.is_dir() else given
        return cls.from_dict(read_json(file), str(file))


def curve_as_dict(curve: LearningCurve) -> dict[str, Any]:
    """As it is saved."""
    return {"schema": SCHEMA, **asdict(curve)}


_NUMBERS = (
    "epoch", "train_bits_per_byte", "train_perplexity", "bits_per_byte", "perplexity", "learning_rate", "seconds",
)  # fmt: skip


def _number(value: Any) -> float:
    found = float(value)
    if math.isnan(found):
        message = "NaN where a number should be"
        raise ValueError(message)
    return found


def read_json(file: Path) -> Any:
    """What a JSON file holds, or an error that names it."""
    try:
        return json.loads(read_whole(file).decode("utf-8"))
    except OSError as error:
        message = f"{file} {unread(error)}"
        raise FileFormatError(message, value=str(file)) from error
    except (ValueError, RecursionError) as error:
        message = f"{file} cannot be read: it is not JSON, unlike what bitmeter train writes into a network's folder"
        raise FileFormatError(message, value=str(file)) from error


@dataclass(frozen=True)
class TrainingStep(Step):
    """How far a training is, with what it cost on the way.

    Attributes
    ----------
    curve
        So far.
    """

    curve: LearningCurve | None = None
