"""What a network is trained with where nothing else is asked for: by its kind and the size of its text."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Defaults", "defaults_for"]


@dataclass(frozen=True, slots=True)
class Defaults:
    """The settings of a training.

    Attributes
    ----------
    vocabulary
        Byte pairs or words at most.
    width, layers, context, dropout
        Of the network.
    epochs, batch, learning_rate, weight_decay
        Of its training.
    """

    vocabulary: int
    width: int
    layers: int
    context: int
    dropout: float
    epochs: float
    batch: int
    learning_rate: float
    weight_decay: float


def defaults_for(kind: str, size: int) -> Defaults:
    """The settings for a text of so many bytes.

    Examples
    --------
    >>> defaults_for("lstm", 100_000).epochs, defaults_for("lstm", 1_000_000).epochs
    (14.0, 4.0)
    """
    if kind == "lstm":
        return _SMALL_LSTM if size < _SMALL else _LSTM
    return _SMALL_TRANSFORMER if size < _SMALL else _TRANSFORMER


#: Below so many bytes four passes are too few updates, and a network overfits sooner.
_SMALL = 300_000
_SMALL_LSTM = Defaults(512, 256, 1, 64, 0.3, 14.0, 8, 4e-3, 0.01)
_LSTM = Defaults(1024, 256, 1, 64, 0.2, 4.0, 16, 4e-3, 0.01)
_SMALL_TRANSFORMER = Defaults(320, 128, 2, 128, 0.2, 20.0, 2, 2e-3, 0.1)
_TRANSFORMER = Defaults(1024, 128, 2, 64, 0.2, 8.0, 8, 3e-3, 0.1)
