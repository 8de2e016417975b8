"""For each unit of a text: what it cost, the entropy of its prediction, and the chance that a word ends before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Predictor, WindowedPredictor
from bitmeter.text.blocks import SplitBlock
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import BLANK

__all__ = ["ENDS", "Predicted", "predicted", "starts_of", "word_ends"]

_WHITE = tuple(bytes([letter]) for letter in SEPARATORS["ascii"])
#: Which tokens end the word before them. "all": those that begin with white space, and the tokens around a text.
#: "space": those that begin with a space, as minicons counts.
ENDS = ("all", "space")


class Predicted(NamedTuple):
    """Of the units of some documents, and one place more behind each document.

    Attributes
    ----------
    logs
        ln p of each unit; 0 behind a document, and where nothing was predicted.
    ends
        ln of the probability that the next unit ends a word, before each unit.
    entropy
        Of the prediction before each unit, in nats.
    """

    logs: Floats
    ends: Floats
    entropy: Floats


def starts_of(ends: str) -> tuple[bytes, ...]:
    """The first bytes of the units that end the word before them."""
    return _WHITE if choice(ends, "ends", ENDS) == "all" else (b" ",)


def word_ends(model: Predictor, ends: str) -> Bools:
    """The outcomes before which a word has ended; none for a model whose units are whole words."""
    first = starts_of(ends)
    found = np.array([name[:1] in first for name in model.outcomes.names], dtype=np.bool_)
    if not found.any():
        if isinstance(model, WindowedPredictor):
            message = f"no token of {model.name} begins with white space, so that words have no ends to account for"
            raise ModelError(message)
        return found
    if ends == "all":
        around = list(model.boundary_ids) if isinstance(model, WindowedPredictor) else []
        if not around and model.traits.end is not None:
            around = model.outcomes.index(np.array([model.traits.end.id], dtype=np.int64)).tolist()
        found[[place for place in around if 0 <= place < len(found)]] = True
    return found


def predicted(model: Predictor, block: SplitBlock, begins: Bools) -> Predicted:
    """What the model predicts for the documents of a block, which are whole."""
    if isinstance(model, WindowedPredictor):
        return _by_windows(model, block, begins)
    return _by_steps(model, block, begins)


def _summed(rows: Floats, begins: Bools) -> tuple[Floats, Floats]:
    """ln of the chance of the outcomes that end a word, and the entropy, of each row."""
    with np.errstate(invalid="ignore", divide="ignore"):
        entropy = -np.where(np.isneginf(rows), 0.0, np.exp(rows) * rows).sum(axis=1)
        if not begins.any():
            return np.zeros(len(rows)), np.maximum(entropy, 0.0)
        chosen = rows[:, begins]
        top = np.maximum(chosen.max(axis=1, keepdims=True), -1e300)
        return top[:, 0] + np.log(np.exp(chosen - top).sum(axis=1)), np.maximum(entropy, 0.0)


def _by_windows(model: WindowedPredictor, block: SplitBlock, begins: Bools) -> Predicted:
    split = block.split
    ids = np.asarray(split.ids, dtype=np.int64)
    known = (ids >= 0) & (ids < len(model.outcomes))
    filler = 0 if model.traits.end is None else model.traits.end.id
    # One more token behind each document, whatever it is, has the prediction after the last word computed.
    tokens = np.insert(np.where(known, ids, filler), split.bounds[1:], filler)
    bounds = split.bounds + np.arange(len(split.bounds))
    counts = np.insert(known, split.bounds[1:], False)
    found = Predicted(*(np.zeros(len(tokens)) for _ in range(3)))
    plan = model.plan(bounds)
    for sequence, lead, first in zip(*model.sequences(tokens, plan), plan.first.tolist(), strict=True):
        at = first
        if lead == len(sequence):
            continue
        for rows in model.predictions(sequence, lead):
            part = slice(at, at + len(rows))
            found.logs[part] = np.take_along_axis(rows, tokens[part, None], axis=1)[:, 0]
            found.ends[part], found.entropy[part] = _summed(rows, begins)
            at += len(rows)
    return found._replace(logs=np.where(counts, found.logs, 0.0))


def _by_steps(model: Predictor, block: SplitBlock, begins: Bools) -> Predicted:
    split = block.split
    entries: Ints = model.outcomes.index(split.ids)
    found = Predicted(*(np.zeros(len(split.ids) + len(split.bounds) - 1) for _ in range(3)))
    stepper = model.stepper()
    at = 0
    for begin, end in zip(split.bounds[:-1].tolist(), split.bounds[1:].tolist(), strict=True):
        stepper.begin()
        for place in range(begin, end + 1):
            row = stepper.predict()[None]
            (found.ends[at],), (found.entropy[at],) = _summed(row, begins)
            if place < end:
                unit, entry = int(split.ids[place]), int(entries[place])
                if unit != BLANK:
                    if not 0 <= entry < len(model.outcomes):
                        message = f"the unit id {unit} is none of the outcomes of {model.name}, so it has no surprisal"
                        raise ModelError(message, value=unit)
                    found.logs[at] = row[0, entry]
                    stepper.take(unit)
            at += 1
    return found
