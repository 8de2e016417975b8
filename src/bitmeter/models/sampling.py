"""Text drawn from a model by its own probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.check import Seed, generator, integer, real
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Predictor, Samples
from bitmeter.models.registry import resolve
from bitmeter.models.sampled import SampledText
from bitmeter.text.units.words import Words

__all__ = ["sample", "samples"]

#: The most texts of one call, and the most units of one text.
MAX_TEXTS = 10**9
MAX_UNITS = 10**8
#: How long a text may grow by default: by a model that ends its texts, and by one that does not.
LONGEST, ENDLESS = 100_000, 256


def sample(
    model: Any, n: int = 1, seed: Seed = None, *, temperature: float = 1.0, length: int | None = None
) -> list[SampledText]:
    r"""Draw texts from a model by its own probabilities.

    One seed gives one sample on every machine; the first texts of a larger sample are the smaller one.

    Parameters
    ----------
    model
        Anything that `load` takes and that knows the whole distribution of the next unit: an n-gram model, a
        Distribution or Conditional, "uniform", "kt", …
    n
        How many texts: sentences, for a model of sentences.
    seed
        A whole number, or a numpy generator that goes on. None draws a new one.
    temperature
        Below 1 prefers what is likely, above 1 what is not: probabilities are taken to the power 1/temperature.
    length
        The most units of a text. A model that does not predict the end of a text stops there; 256 if not said.

    Examples
    --------
    >>> import bitmeter as bm
    >>> letters = bm.Distribution({"a": 0.5, "b": 0.25, "</s>": 0.25})
    >>> [text.data for text in sample(letters, 4, seed=2)]
    [b'aa', b'abbaaabbaabab', b'baaab', b'']
    """
    return list(samples(model, n, seed, temperature=temperature, length=length))


def samples(
    model: Any, n: int = 1, seed: Seed = None, *, temperature: float = 1.0, length: int | None = None
) -> Iterator[SampledText]:
    """As `sample`, one text after the other, so that any number of them needs no memory."""
    texts = integer(n, "n", low=0, high=MAX_TEXTS)
    heat = real(temperature, "temperature", low=1e-3, high=1e3)
    most = None if length is None else integer(length, "length", low=1, high=MAX_UNITS)
    found = resolve(model)
    if isinstance(found, Samples):
        return found.draw(texts, seed, heat, most)
    if not isinstance(found, Predictor):
        message = (
            f"{found.name} does not expose the distribution of the next unit, so nothing can be drawn from it; "
            "`bitmeter models` lists the models"
        )
        raise ModelError(message, value=model)
    return _from_predictor(found, texts, seed, heat, most)


def _from_predictor(
    model: Predictor, texts: int, seed: Seed, temperature: float, most: int | None
) -> Iterator[SampledText]:
    """By one prediction per unit."""
    rng = generator(seed)
    outcomes, end = model.outcomes, model.traits.end
    longest = most if most is not None else ENDLESS if end is None else LONGEST
    if not outcomes.named:
        message = f"{model.name} does not name its {len(outcomes):,} outcomes, so no text can be made of them"
        raise ModelError(message)
    names, ids = tuple(name or b"<unk>" for name in outcomes.names), outcomes.ids
    ending = -1 if end is None else int(outcomes.index(np.array([end.id]))[0])
    separator = b" " if isinstance(model.units, Words) else b""
    for _ in range(texts):
        stepper = model.stepper()
        entries: list[int] = []
        logs: list[float] = []
        ended = False
        while len(entries) < longest and not ended:
            entry, log = _draw(np.asarray(stepper.predict()), temperature, rng.random(), model.name)
            logs.append(log)
            ended = entry == ending
            if not ended:
                entries.append(entry)
                stepper.take(int(ids[entry]))
        data = separator.join(names[entry] for entry in entries)
        yield SampledText(data, ids[np.array(entries, dtype=np.int64)], np.array(logs), ended)


def _draw(logs: Floats, temperature: float, at: float, name: str) -> tuple[int, float]:
    """An entry by its probability, and ln p of it."""
    best = float(logs.max())
    if not math.isfinite(best):
        message = f"{name} gives no unit a probability here, so no text can be drawn"
        raise ModelError(message)
    sums = np.cumsum(np.exp((logs - best) / temperature))
    entry = int(np.searchsorted(sums, at * sums[-1], side="right"))
    if entry == len(logs):  # a rounding at the very end: the last that has any mass
        entry = int(np.flatnonzero(logs > -math.inf)[-1])
    return entry, float(logs[entry])
