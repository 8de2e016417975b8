"""How long the words of a code are, and which they are, from the labels' weights."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any


def exact_sum(terms: Sequence[float]) -> float:
    """A sum that is infinite where a term is."""
    return math.inf if math.inf in terms else math.fsum(terms)


def _shares(weights: Sequence[float]) -> list[Fraction]:
    """The weights as exact shares of their exact sum: rounding must not make two words meet."""
    exact = [Fraction(weight) for weight in weights]
    total = sum(exact)
    return [weight / total for weight in exact]


def _ceiling_of_minus_log2(share: Fraction) -> int:
    """The least size with 2^−size ≤ share, exactly."""
    size = max(0, share.denominator.bit_length() - share.numerator.bit_length() - 1)
    while share.numerator << size < share.denominator:
        size += 1
    return size


def _first_bits(number: Fraction, size: int) -> str:
    return f"{(number.numerator << size) // number.denominator:0{size}b}"


def shannon_words(weights: Sequence[float]) -> list[str]:
    """The sum of all likelier labels' shares, to as many bits as −log2 of the own share, rounded up."""
    shares = _shares(weights)
    words = [""] * len(shares)
    before = Fraction(0)
    for place in sorted(range(len(shares)), key=lambda i: (-shares[i], i)):
        words[place] = _first_bits(before, max(1, _ceiling_of_minus_log2(shares[place])))
        before += shares[place]
    return words


def elias_words(weights: Sequence[float]) -> list[str]:
    """The middle of each label's interval, to one bit more than Shannon's."""
    words = []
    before = Fraction(0)
    for share in _shares(weights):
        words.append(_first_bits(before + share / 2, _ceiling_of_minus_log2(share) + 1))
        before += share
    return words


def huffman_words(weights: Sequence[float]) -> list[str]:
    """Join the two lightest until one is left; the shallower of the two takes the 0."""
    if len(weights) == 1:
        return ["0"]  # an empty word could not be counted
    # Among equals the shallower one goes first, which keeps the longest word short.
    heap: list[tuple[float, int, int, Any]] = [(weight, 0, place, place) for place, weight in enumerate(weights)]
    heapq.heapify(heap)
    number = len(weights)
    while len(heap) > 1:
        light, heavy = heapq.heappop(heap), heapq.heappop(heap)
        first, second = sorted((light, heavy), key=lambda part: (part[1], -part[0], part[2]))
        pair = (first[3], second[3])
        heapq.heappush(heap, (light[0] + heavy[0], max(light[1], heavy[1]) + 1, number, pair))
        number += 1
    words = [""] * len(weights)
    open_ends = [(heap[0][3], "")]
    while open_ends:
        tree, word = open_ends.pop()
        if isinstance(tree, tuple):
            open_ends += [(tree[0], word + "0"), (tree[1], word + "1")]
        else:
            words[tree] = word
    return words


def limited_lengths(weights: Sequence[float], longest: int) -> list[int]:
    """The lengths of the best code with no word above `longest` bits (package-merge of Larmore and Hirschberg).

    Each label offers a coin of its weight in every denomination 2^−1 … 2^−longest. Coins of one denomination are put
    together in pairs, the lightest first, and the pairs compete with the coins of the next. Of the largest denomination
    the 2n − 2 lightest are bought; a label's length is how often a coin of it is among them.
    """
    number = len(weights)
    if number == 1:
        return [1]
    coins: list[tuple[float, Any]] = sorted(((weight, place) for place, weight in enumerate(weights)))
    packages = coins
    for _ in range(longest - 1):
        pairs = [(a[0] + b[0], (a[1], b[1])) for a, b in list(pairwise(packages))[::2]]
        packages = sorted(coins + pairs, key=lambda package: package[0])
    lengths = [0] * number
    open_ends = [content for _, content in packages[: 2 * number - 2]]
    while open_ends:
        content = open_ends.pop()
        if isinstance(content, tuple):
            open_ends += content
        else:
            lengths[content] += 1
    return lengths


def canonical_words(lengths: Sequence[int]) -> list[str]:
    """Words that count upwards, shorter ones first and equals in their order."""
    words = [""] * len(lengths)
    number, size = -1, 0
    for place in sorted(range(len(lengths)), key=lambda i: (lengths[i], i)):
        number = (number + 1) << (lengths[place] - size) if size else 0
        size = lengths[place]
        words[place] = f"{number:0{size}b}"
    return words
