"""What it costs to tell a decoder which symbols occur, and how long the sample is.

A code length is an upper bound only if the decoder needs nothing else. Every cost here is the length of a prefix code,
so that it can stand before the coded symbols: whole numbers by Elias's delta code, sets of numbers by their gaps, and
labels spelled in bytes that a context tree codes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core

__all__ = ["known_bits", "number_bits", "set_bits", "spelled_bits"]

_LN2 = math.log(2.0)
_SPELLING_DEPTH = 5  # bytes of context for the spelling of labels
_ESCAPE, _END = b"\xff\x01", b"\xff\x00"


def number_bits(n: int) -> int:
    """The length of Elias's delta code of n ≥ 1.

    Examples
    --------
    >>> [number_bits(n) for n in (1, 2, 17, 1000)]
    [1, 4, 9, 16]
    """
    digits = n.bit_length()
    return digits + 2 * digits.bit_length() - 2


def set_bits(kinds: NDArray[Any]) -> float:
    """The cost of a set of integers in ascending order: how many, the first, and the gaps if there are any.

    Examples
    --------
    >>> set_bits(np.array([0, 1])), set_bits(np.array([-3, 5, 6]))
    (6.0, 19.0)
    """
    first = int(kinds[0])
    cost = number_bits(kinds.size) + number_bits(2 * first + 1 if first >= 0 else -2 * first) + 1
    if int(kinds[-1]) - first == kinds.size - 1:
        return float(cost)
    # As unsigned numbers, differences do not overflow; a float's exponent is the number of digits, or at most one more.
    _, digits = np.frexp(np.diff(kinds.astype(np.int64).view(np.uint64)).astype(np.float64))
    _, of_digits = np.frexp(digits.astype(np.float64))
    return float(cost + int((digits + 2 * of_digits - 2).sum()))


def spelled_bits(labels: Sequence[Any]) -> float | None:
    """The cost of labels in their order, spelled in UTF-8, or in bytes; None if they are neither text nor bytes.

    Examples
    --------
    >>> 0 < spelled_bits(["to", "be"]) < 8 * 8
    True
    >>> spelled_bits([("a", 1), None]) is None
    True
    """
    if all(isinstance(label, str) for label in labels):
        spelled = [label.encode("utf-8", "surrogatepass") for label in labels]
    elif all(isinstance(label, bytes) for label in labels):
        spelled = list(labels)
    else:
        return None
    text = b"".join(label.replace(b"\xff", _ESCAPE) + _END for label in spelled)
    nats = -_core.ctw_log_probability(np.frombuffer(text, dtype=np.uint8), 8, _SPELLING_DEPTH)
    return number_bits(len(spelled)) + nats / _LN2


def known_bits(size: int, kinds: int) -> float:
    """The cost of saying which `kinds` symbols of a known alphabet of `size` occur: log size + log (size over kinds).

    Examples
    --------
    >>> known_bits(2, 2), round(known_bits(256, 3), 3)
    (1.0, 29.398)
    """
    fewer = min(kinds, size - kinds)
    i = np.arange(fewer, dtype=np.float64)
    return math.log2(size) + float((np.log2(size - i) - np.log2(i + 1)).sum())
