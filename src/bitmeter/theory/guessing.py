"""Shannon's guessing game (1951): how many guesses a reader needs for each letter bounds the entropy of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bitmeter.errors import EmptyError, RangeError

__all__ = ["GuessBounds", "guess_bounds"]


@dataclass(frozen=True, slots=True)
class GuessBounds:
    """Bounds in bits per letter, from the frequencies of the numbers of guesses.

    Attributes
    ----------
    low
        Σ i · (f(i) − f(i+1)) · log₂ i, for a reader who always guesses the likeliest letter first.
    high
        The entropy of the numbers of guesses: they are as good as the letters for somebody who guesses alike.
    guesses
        How many letters were guessed. With few, both bounds are too low, since rare numbers of guesses are missing.
    """

    low: float
    high: float
    guesses: int


def guess_bounds(guesses: Sequence[int]) -> GuessBounds:
    """Bounds of the entropy from the number of guesses that each letter took.

    The lower bound needs frequencies that do not rise: where they do, the reader did not guess in order, and they are
    sorted, as for a reader who would have.

    Parameters
    ----------
    guesses
        For each letter at which guess it was right, from 1.

    Examples
    --------
    >>> found = guess_bounds([1] * 80 + [2] * 10 + [3] * 5 + [4] * 3 + [5] * 2)
    >>> round(found.low, 2), round(found.high, 2), found.guesses
    (0.51, 1.07, 100)
    """
    if not guesses:
        message = "there are no guesses; give for each letter at which guess it was right"
        raise EmptyError(message)
    counts = [0] * (max(guesses) + 2)
    for index, number in enumerate(guesses):
        if number < 1:
            message = f"guess number {number} at index {index}; guesses are counted from 1"
            raise RangeError(message, index=index, value=number)
        counts[number] += 1
    n = len(guesses)
    falling = sorted((count / n for count in counts[1:]), reverse=True)
    low = math.fsum(i * (now - after) * math.log2(i) for i, (now, after) in enumerate(pairwise(falling), 1))
    high = -math.fsum(share * math.log2(share) for share in falling if share > 0.0)
    return GuessBounds(low + 0.0, high + 0.0, n)
