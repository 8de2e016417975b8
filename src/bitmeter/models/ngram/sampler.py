"""Sentences drawn from an n-gram model by its structure, in the core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from bitmeter import _core
from bitmeter._util.check import Seed
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import format_errors
from bitmeter.models.ngram.session import NGramView
from bitmeter.models.ngram.units import END
from bitmeter.models.sampled import SampledText
from bitmeter.text.units.words import Words
from bitmeter.theory.processes.base import seed_words

__all__ = ["draw"]

#: How long a sentence may grow unless the caller says otherwise.
LONGEST = 100_000


class Drawable(NGramView, Protocol):
    """What drawing needs of an n-gram model."""

    @property
    def fast_form(self) -> _core.NgramModel:
        """The compiled model in the fast form."""

    @property
    def is_distribution(self) -> bool:
        """Whether it gives probabilities."""


def draw(model: Drawable, texts: int, seed: Seed, temperature: float, longest: int | None) -> Iterator[SampledText]:
    """Draw sentences one after the other."""
    if not model.is_distribution:
        message = f"{model.name} gives scores that do not sum to one, so nothing can be drawn by them"
        raise ModelError(message, value=model.name)
    return _drawn(model, texts, seed, temperature, LONGEST if longest is None else longest)


def _drawn(model: Drawable, texts: int, seed: Seed, temperature: float, longest: int) -> Iterator[SampledText]:
    names, ids = model.outcomes.names, model.outcomes.ids
    separator = b" " if isinstance(model.units, Words) else b""
    sampler = _core.NgramSampler(model.fast_form, seed_words(seed), temperature)
    for _ in range(texts):
        with format_errors(model.name):
            numbers, logs = sampler.sentence(longest)
        ended = bool(len(numbers)) and int(numbers[-1]) == END
        shown = numbers[:-1] if ended and not model.end.is_unit else numbers
        data = separator.join([names[i] for i in shown.tolist()])
        yield SampledText(data, ids[shown], logs, ended)
