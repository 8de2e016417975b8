"""verify(): whether a model is what a score takes it for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import generator, integer
from bitmeter.errors import EmptyError, ModelError
from bitmeter.models.protocols import Checked, Compressor, Model, OpenVocabulary, Predictor
from bitmeter.models.registry import resolve
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_text

__all__ = ["Verification", "verify"]

#: How far predictions may sum from one, and how far two ways to the same ln p may lie apart.
SUM_TOLERANCE, LOG_TOLERANCE = 1e-4, 1e-4
#: How much of a text is looked at.
_LONGEST = 1 << 16


@dataclass(frozen=True, slots=True)
class Verification:
    """What was found.

    Attributes
    ----------
    model, text
        What was asked of what.
    histories
        How many places of the text were tried.
    predicts
        Whether the model gives whole distributions; if not, `sums` and `agrees` are NaN.
    sums
        The largest distance of a prediction's sum from one.
    agrees
        The largest difference, in nats, between what a unit costs and what its prediction says.
    peeks
        The largest difference, in nats, that what follows a unit makes to it.
    file
        Whether the model's file was read and found sound; None where it has none of its own.
    short
        By how much a prediction sums to less than one because figures are rounded, as in the compact form of n-gram
        models: what is lost there makes a score worse, never better. 0 for other models, whose `sums` count it.
    """

    model: str
    text: str
    histories: int
    predicts: bool
    sums: float
    agrees: float
    peeks: float
    file: bool | None
    short: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether the model is a distribution and its score one of that."""
        return self.peeks <= LOG_TOLERANCE and (
            not self.predicts or (self.sums <= SUM_TOLERANCE and self.agrees <= LOG_TOLERANCE)
        )

    def __str__(self) -> str:
        def line(good: bool, what: str) -> str:  # noqa: FBT001
            return f"{'ok   ' if good else 'WRONG'} {what}"

        lines = [f"{self.model} on {self.histories} histories of {self.text}"]
        if self.file is not None:
            lines.append(line(True, "its file: every checksum and link"))
        if self.predicts:
            less = f" above and {self.short:.1e} below, since figures are rounded" if self.short else ""
            lines.append(line(self.sums <= SUM_TOLERANCE, f"predictions sum to one, to within {self.sums:.1e}{less}"))
            lines.append(
                line(self.agrees <= LOG_TOLERANCE, f"a unit costs what was predicted, to within {self.agrees:.1e} nats")
            )
        else:
            lines.append(
                "note  it does not expose its predictions, so sums cannot be checked and nothing can be decoded by it"
            )
        lines.append(
            line(self.peeks <= LOG_TOLERANCE, f"what follows changes nothing, to within {self.peeks:.1e} nats")
        )
        lines.append("sound" if self.sound else "NOT sound: its scores are no code lengths")
        return "\n".join(lines)


def verify(model: Any, text: Any = None, *, histories: int = 64, seed: int = 0) -> Verification:
    """Try a model at places of a text: do its predictions sum to one, and does it cost what it predicts.

    Parameters
    ----------
    model
        As for `score`.
    text
        As for `score`; a sample that comes with bitmeter if None. Its first document is looked at, to 65,536 bytes.
    histories
        How many places are tried.
    seed
        Which places.

    Returns
    -------
    Verification
        How closely each holds, and the verdict.

    Examples
    --------
    >>> verify("kt", b"to be or not to be").sound
    True
    """
    chosen = resolve(model)
    number = integer(histories, "histories", low=1, high=100_000)
    if isinstance(chosen, Compressor):
        message = f"{chosen.name} gives only totals, so there is nothing to verify but its decompressor"
        raise ModelError(message)
    checked, rounded = None, chosen.traits.rounded
    if isinstance(chosen, Checked):
        chosen.verify()
        checked = True
    if isinstance(chosen, OpenVocabulary) and "class" in chosen.traits.oov:
        chosen = chosen.with_oov("class")  # by ids alone, an unknown word is its class
    name, ids = _document(chosen, text)
    places = np.unique(generator(seed).integers(0, len(ids), size=number))
    costs = _costs(chosen, ids)
    sums = agrees = math.nan
    short = 0.0
    if isinstance(chosen, Predictor):
        above, below, agrees = _predictions(chosen, ids, places, costs)
        sums, short = (above, below) if rounded else (max(above, below), 0.0)
    peeks = max(_distance(_costs(chosen, ids[: place + 1])[-1], costs[place]) for place in places.tolist())
    return Verification(
        chosen.name, name, len(places), isinstance(chosen, Predictor), sums, agrees, peeks, checked, short
    )


def _document(model: Model, text: Any) -> tuple[str, NDArray[Any]]:
    if text is None:
        name, data = SAMPLE_NAME, sample_text().encode()
    else:
        corpus = Corpus.of(text)
        name, data = corpus.name, next((block.data for block in corpus.blocks(_LONGEST)), b"")
    ids = model.units.split(data[:_LONGEST]).ids
    if len(ids) == 0:
        message = f"{name} is empty; there is nothing to try the model on"
        raise EmptyError(message)
    return name, ids


def _costs(model: Model, ids: NDArray[Any]) -> NDArray[np.float64]:
    found = model.logprobs(ids, np.array([0, len(ids)], dtype=np.int64))
    if not isinstance(found, np.ndarray) or found.shape != (len(ids),):
        message = f"{model.name} gave {getattr(found, 'shape', type(found).__name__)} log-probabilities for {len(ids)}"
        raise ModelError(message)
    return np.asarray(found, dtype=np.float64)


def _predictions(
    model: Predictor, ids: NDArray[Any], places: NDArray[np.int64], costs: NDArray[np.float64]
) -> tuple[float, float, float]:
    above = below = agrees = 0.0
    for place in places.tolist():
        row = np.asarray(model.predict(ids[:place]), dtype=np.float64)
        with np.errstate(over="ignore"):
            total = math.fsum(np.exp(row).tolist())
        above = max(above, total - 1.0 if math.isfinite(total) else math.inf)
        below = max(below, 1.0 - total)
        outcome = int(model.outcomes.index(ids[place : place + 1])[0])
        said = row[outcome] if 0 <= outcome < len(row) else -math.inf
        agrees = max(agrees, _distance(float(said), float(costs[place])))
    return above, below, agrees


def _distance(first: float, second: float) -> float:
    """Between two logarithms; two that are both infinite are the same, and one that is no number is no distance."""
    if first == second:
        return 0.0
    found = abs(first - second)
    return math.inf if math.isnan(found) else found
