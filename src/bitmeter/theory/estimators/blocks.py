"""Entropy of blocks: how much each symbol adds to the k − 1 before it, as far as the sample can tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum

__all__ = ["BlockRow", "block_rows"]

_LONGEST = 64
_HOPELESS = 0.5  # coverage below which longer blocks say nothing


@dataclass(frozen=True, slots=True)
class BlockRow:
    """What blocks of one length say.

    Attributes
    ----------
    length
        k, the symbols in a block.
    kinds
        How many different blocks occur.
    coverage
        1 − (blocks seen once) / (blocks): how much of their distribution has been seen.
    entropy
        H_k, of whole blocks, by Chao, Wang and Jost's estimator.
    rate
        H_k − H_{k−1}: the entropy of a symbol given the k − 1 before it.
    plug_in_rate
        The same from observed frequencies: too low where coverage is not near one.
    """

    length: int
    kinds: int
    coverage: float
    entropy: float
    rate: float
    plug_in_rate: float


def block_rows(suffixes: NDArray[Any], common: NDArray[Any], per_unit: float) -> Iterator[BlockRow]:
    """Rows for blocks of 1, 2, … symbols, up to the first for which the sample is far too short."""
    corrected, plug_in = FORMULAS["chao-wang-jost"], FORMULAS["maximum-likelihood"]
    contexts: Spectrum | None = None
    for length in range(1, min(_LONGEST, common.size) + 1):
        counts, kinds, last = _core.count_blocks(suffixes, common, length)
        blocks = Spectrum.of_pairs(counts, kinds)
        coverage = 1 - blocks.seen(1) / blocks.observations
        entropy = corrected(blocks, None)
        yield BlockRow(
            length,
            blocks.symbols,
            coverage,
            entropy / per_unit,
            (entropy - (corrected(contexts, None) if contexts else 0.0)) / per_unit,
            (plug_in(blocks, None) - (plug_in(contexts, None) if contexts else 0.0)) / per_unit,
        )
        if coverage < _HOPELESS:
            return
        contexts = _without_last(counts, kinds, last)


def _without_last(counts: NDArray[Any], kinds: NDArray[Any], last: int) -> Spectrum:
    """The blocks that another symbol follows: all but the last one of the text.

    With these the difference is a conditional entropy, 0 where each block has only one successor.
    """
    values = np.append(counts, last - 1)
    repeats = np.append(kinds - (counts == last), 1)
    return Spectrum.of_pairs(values, repeats)
