"""Text drawn from a model by its own probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import Seed, generator, integer, real
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import sound
from bitmeter.models.ngram.model import NGram
from bitmeter.models.ngram.units import END
from bitmeter.models.registry import Predictor, load
from bitmeter.text.units.words import Words
from bitmeter.theory.processes.base import seed_words

__all__ = ["SampledText", "sample", "samples"]

#: The most texts of one call, and the most units of one text.
MAX_TEXTS = 10**9
MAX_UNITS = 10**8
#: How long a text may grow where nothing is said: by a model that ends its texts, and by one that does not.
LONGEST, ENDLESS = 100_000, 256


@dataclass(frozen=True, slots=True, eq=False)
class SampledText:
    """One text that a model made up.

    Attributes
    ----------
    data
        Its bytes; words are parted by spaces, and a unit that the model cannot name comes out as `<unk>`.
    ids
        Its units, by their ids; -1 for `<unk>`.
    logprobs
        ln p of each unit and, where the model ended the text, of its end; as without temperature.
    ended
        Whether the model ended the text; if not, it was cut at the length asked for.
    """

    data: bytes
    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    ended: bool

    @property
    def bits(self) -> float:
        """What the model itself would need for it, its end included."""
        return -math.fsum(self.logprobs.tolist()) / math.log(2.0)

    def __str__(self) -> str:
        return self.data.decode("utf-8", "backslashreplace")


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
    found = load(model)
    if isinstance(found, NGram):
        if not found.is_distribution:
            message = f"{found.name} gives scores that do not sum to one, so that nothing can be drawn by them"
            raise ModelError(message, value=model)
        return _from_ngram(found, texts, seed, heat, LONGEST if most is None else most)
    if not isinstance(found, Predictor):
        message = (
            f"{getattr(found, 'name', found)} does not know the whole distribution of the next unit, so nothing can be "
            "drawn from it; `bitmeter models` lists the models"
        )
        raise ModelError(message, value=model)
    return _from_predictor(found, texts, seed, heat, most)


def _from_ngram(model: NGram, texts: int, seed: Seed, temperature: float, most: int) -> Iterator[SampledText]:
    """By the structure of the model, in the core."""
    names, ids = model.outcome_names, model.outcome_ids
    parted = b" " if isinstance(model.units, Words) else b""
    sampler = _core.NgramSampler(model._fitted, seed_words(seed), temperature)
    for _ in range(texts):
        with sound(model.name):
            numbers, logs = sampler.sentence(most)
        ended = bool(len(numbers)) and int(numbers[-1]) == END
        shown = numbers[:-1] if ended and not model.end_is_unit else numbers
        data = parted.join([names[i] for i in shown.tolist()])
        yield SampledText(data, ids[shown], logs, ended)


def _from_predictor(model: Any, texts: int, seed: Seed, temperature: float, most: int | None) -> Iterator[SampledText]:
    """By its whole predictions, one a unit."""
    rng = generator(seed)
    ends = bool(getattr(model, "predicts_end", False))
    longest = most if most is not None else LONGEST if ends else ENDLESS
    names, ids = _outcomes(model)
    end = int(model.places(np.array([model.end_id]))[0]) if ends else -1
    parted = b" " if isinstance(model.units, Words) else b""
    for _ in range(texts):
        places: list[int] = []
        logs: list[float] = []
        ended = False
        predictions = _predictions(model, places, ids)
        while len(places) < longest and not ended:
            place, log = _draw(next(predictions), temperature, rng.random(), model.name)
            logs.append(log)
            ended = place == end
            if not ended:
                places.append(place)
        data = parted.join(names[place] for place in places)
        yield SampledText(data, ids[np.array(places, dtype=np.int64)], np.array(logs), ended)


def _predictions(model: Any, places: list[int], ids: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
    """What comes after the places that were drawn, of which there is one more each time."""
    stepper = model.stepper() if hasattr(model, "stepper") else None
    while True:
        if stepper is None:
            yield np.asarray(model.predict(ids[np.array(places, dtype=np.int64)]))
        else:
            yield np.asarray(stepper.predict())
            stepper.take(int(ids[places[-1]]))


def _draw(logs: NDArray[np.float64], temperature: float, at: float, name: str) -> tuple[int, float]:
    """A place by its probability, and ln p of it."""
    best = float(logs.max())
    if not math.isfinite(best):
        message = f"{name} gives no unit a chance here, so that no text can be drawn"
        raise ModelError(message)
    sums = np.cumsum(np.exp((logs - best) / temperature))
    place = int(np.searchsorted(sums, at * sums[-1], side="right"))
    if place == len(logs):  # a rounding at the very end: the last that has any mass
        place = int(np.flatnonzero(logs > -math.inf)[-1])
    return place, float(logs[place])


def _outcomes(model: Any) -> tuple[tuple[bytes, ...], NDArray[np.int64]]:
    """The bytes and the id of each place of a prediction."""
    size = len(model.predict(np.zeros(0, dtype=np.int64)))
    names = getattr(model, "outcome_names", None)
    if names is None and model.units.name == "bytes" and size == 256:
        names = tuple(bytes([i]) for i in range(256))
    if names is None or len(names) != size:
        message = f"{model.name} does not say what its {size:,} outcomes are, so that no text can be made of them"
        raise ModelError(message)
    ids = getattr(model, "outcome_ids", None)
    return tuple(name or b"<unk>" for name in names), np.arange(size, dtype=np.int64) if ids is None else ids
