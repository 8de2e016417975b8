"""What each word of a text costs, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter.errors import ModelError
from bitmeter.text.units.base import UNKNOWN

__all__ = ["ScoredText"]


@dataclass(frozen=True, slots=True)
class ScoredText:
    """What each word of a text costs.

    Attributes
    ----------
    logprobs
        The natural logarithm of the probability of each unit: the words, and the ends of sentences where asked for.
        0 for blank units.
    ids
        The number of each word; 2 for an end, -1 for a word that the model does not know, -2 for a blank unit.
    cuts
        Byte offsets, one more than units: unit i is `text[cuts[i]:cuts[i + 1]]`, white space behind it included.
    bounds
        Offsets into the units, one more than sentences: sentence j is `logprobs[bounds[j]:bounds[j + 1]]`.
    blank
        Which units are sentences of white space alone, and so no words.
    is_distribution
        Whether these are logarithms of probabilities. Stupid back-off gives scores that do not sum to one: they rank,
        but have no perplexity.
    """

    logprobs: Floats
    ids: Ints
    cuts: Ints
    bounds: Ints
    blank: Bools
    is_distribution: bool = True

    @property
    def tokens(self) -> int:
        """How many words and ends there are."""
        return len(self.ids) - int(np.count_nonzero(self.blank))

    @property
    def unknown(self) -> Bools:
        """Which units are words that the model does not know."""
        return np.asarray(self.ids == UNKNOWN)

    @property
    def sentences(self) -> Floats:
        """The natural logarithm of the probability (or score) of each sentence."""
        return _core.segment_sums(self.logprobs, self.bounds)

    @property
    def logprob(self) -> float:
        """The natural logarithm of the probability (or score) of all of it."""
        return float(_core.segment_sums(self.logprobs, np.array([0, len(self.logprobs)], dtype=np.int64))[0])

    @property
    def perplexity(self) -> float:
        """A unit's, unknown words included: what KenLM prints as "including OOVs".

        Refused where these are no probabilities.
        """
        if not self.is_distribution:
            message = (
                "these are scores that do not sum to one (stupid back-off), so there is no perplexity of them; take "
                "the scores alone (logprobs, sentences, logprob), or train with another smoothing"
            )
            raise ModelError(message)
        return float(np.exp(-self.logprob / self.tokens)) if self.tokens else 1.0

    def __str__(self) -> str:
        unknown = int(np.count_nonzero(self.unknown))
        number = len(self.bounds) - 1
        found = (
            f"perplexity {self.perplexity:.6g} per word and end"
            if self.is_distribution
            else f"scores that do not sum to one, ln of all {self.logprob:.6g}; no perplexity"
        )
        return (
            f"{number:,} sentence{'s' * (number != 1)}, {self.tokens:,} words and ends, {unknown:,} of them unknown: "
            f"{found}"
        )
