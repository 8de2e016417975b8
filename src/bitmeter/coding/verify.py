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
        How many histories were tried.
    predicts
        Whether the model gives whole distributions; if not, `sums` and `agrees` are NaN.
    sums
        The largest distance of a prediction's sum from one.
    agrees
        The largest difference, in nats, between what a unit costs and what its prediction says.
    peeks
        The largest difference, in nats, that what follows a unit makes to it.
    file
        Whether the model's file was read and found sound; None if it has no file.
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
    def sound(self) -> bool | None:
        """Whether the model is a distribution and its score one of that; None where sums could not be checked."""
        if self.peeks > LOG_TOLERANCE:
            return False
        return self.sums <= SUM_TOLERANCE and self.agrees <= LOG_TOLERANCE if self.predicts else None

    @property
    def verdict(self) -> str:
        """The same in words."""
        if self.sound is None:
            return "unproven: nothing refutes it, but whether its predictions sum to one was not checked"
        return "sound" if self.sound else "NOT sound: its scores are not code lengths"

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
        lines.append(self.verdict)
        return "\n".join(lines)


def verify(model: Any, text: Any = None, *, histories: int = 64, seed: int = 0) -> Verification:
    """Check a model on a text: predictions sum to one, and units cost what was predicted.

    Parameters
    ----------
    model
        As for `score`.
    text
        As for `score`; a sample that comes with bitmeter if None. Its first document is looked at, to 65,536 bytes.
    histories
        How many histories to try.
    seed
        Which histories.

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
    offsets = np.unique(generator(seed).integers(0, len(ids), size=number))
    costs = _costs(chosen, ids)
    sums = agrees = math.nan
    short = 0.0
    if isinstance(chosen, Predictor):
        above, below, agrees = _predictions(chosen, ids, offsets, costs)
        sums, short = (above, below) if rounded else (max(above, below), 0.0)
    peeks = max(_distance(_costs(chosen, ids[: i + 1])[-1], costs[i]) for i in offsets.tolist())
    return Verification(
        chosen.name, name, len(offsets), isinstance(chosen, Predictor), sums, agrees, peeks, checked, short
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
    model: Predictor, ids: NDArray[Any], offsets: NDArray[np.int64], costs: NDArray[np.float64]
) -> tuple[float, float, float]:
    above = below = agrees = 0.0
    for i in offsets.tolist():
        row = np.asarray(model.predict(ids[:i]), dtype=np.float64)
        with np.errstate(over="ignore"):
            total = math.fsum(np.exp(row).tolist())
        above = max(above, total - 1.0 if math.isfinite(total) else math.inf)
        below = max(below, 1.0 - total)
        outcome = int(model.outcomes.index(ids[i : i + 1])[0])
        predicted = row[outcome] if 0 <= outcome < len(row) else -math.inf
        agrees = max(agrees, _distance(float(predicted), float(costs[i])))
    return above, below, agrees


def _distance(first: float, second: float) -> float:
    """Between two logarithms; both infinite is no difference, and NaN an infinite one."""
    if first == second:
        return 0.0
    found = abs(first - second)
    return math.inf if math.isnan(found) else found
