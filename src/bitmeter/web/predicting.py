"""What a model expects next: at the cursor, and at every letter of a passage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.models.protocols import Predictor
from bitmeter.reports.tables import visible
from bitmeter.text.units.base import BLANK
from bitmeter.web.served import ServedModel

__all__ = ["predicted"]

#: How many bytes before the cursor are looked at: more would make a model that learns slow, and changes little.
_REACH = 20_000


#: What an n-gram model calls the ends of a sentence and an unknown word: no text.
_MARKS = (b"<s>", b"</s>", b"<unk>")


def predicted(one: ServedModel, before: bytes, most: int) -> dict[str, Any]:
    """The likeliest next units after a text, with their probabilities, and the entropy of the prediction.

    Within a word, a model of words is asked for the word: what is shown are words that begin so, with their
    probabilities among those.

    Parameters
    ----------
    one
        The model.
    before
        The text before the cursor.
    most
        How many units to give.
    """
    model = one.predictor()
    cut = before[-_REACH:]
    with one.use():
        if model.units.name.partition(":")[0] in ("words", "unicode-words"):
            return _words(model, cut, most)
        row = _row(model, cut)
    return {"within": "", "entropy": _entropy(row), "units": _top(model, row, most), "reach": len(cut)}


def _row(model: Predictor, before: bytes) -> Floats:
    ids = model.units.split(before, np.array([len(before)], dtype=np.int64)).ids
    return np.asarray(model.predict(ids[ids != BLANK]), dtype=np.float64)


def _words(model: Predictor, before: bytes, most: int) -> dict[str, Any]:
    begun = before[len(before) - len(before.split()[-1]) :] if before.split() and not before[-1:].isspace() else b""
    # A line is a sentence: what stands before it is another.
    history = before[: len(before) - len(begun)].rpartition(b"\n")[2]
    row = _row(model, history)
    if begun:
        fits = np.array([name.startswith(begun) and name != b"" for name in model.outcomes.names])
        fits &= (model.outcomes.ids >= 0) & np.array([name not in _MARKS for name in model.outcomes.names])
        row = np.where(fits, row, -np.inf)
        total = np.exp(row).sum()
        if total <= 0.0:
            return {"within": visible(begun), "entropy": None, "units": [], "reach": len(before)}
        row = row - math.log(total)
    units = _top(model, row, most, begun)
    return {"within": visible(begun), "entropy": _entropy(row), "units": units, "reach": len(before)}


def _entropy(row: Floats) -> float:
    """In bits."""
    known = row[np.isfinite(row)]
    return float(-(np.exp(known) * known).sum() / math.log(2.0)) + 0.0


def _top(model: Predictor, row: Floats, most: int, begun: bytes = b"") -> list[dict[str, Any]]:
    order: Ints = np.argsort(-row, kind="stable")[: most + 8]
    found: list[dict[str, Any]] = []
    for entry in order.tolist():
        if len(found) == most or not math.isfinite(row[entry]):
            break
        name = model.outcomes.names[entry]
        if begun and name == begun:
            continue  # the word as it stands: there is nothing to add
        special = int(model.outcomes.ids[entry]) < 0 or not name or name in _MARKS
        found.append(
            {
                "shown": visible(name) if name else "(end)",
                "insert": None if special else _inserted(name, begun),
                "p": min(1.0, math.exp(row[entry])),
            }
        )
    return found


def _inserted(name: bytes, begun: bytes) -> str | None:
    """What a click adds to the text: the rest of a word; None for what is no text by itself."""
    try:
        return name[len(begun) :].decode()
    except UnicodeDecodeError:
        return None
