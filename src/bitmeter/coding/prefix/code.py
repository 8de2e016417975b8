"""Codes that give each label a word of bits: by hand, of fixed length, Shannon's, Elias's and Huffman's."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from bitmeter._util import check
from bitmeter.coding.prefix import lengths as _lengths
from bitmeter.coding.prefix.drawing import draw_tree
from bitmeter.errors import EmptyError, InputError, InputTypeError, ModelError, RangeError, UnknownLabelError
from bitmeter.theory.distributions import Distribution

__all__ = ["CodeFigures", "PrefixCode"]


@dataclass(frozen=True, slots=True)
class CodeFigures:
    """A code used for a distribution.

    Attributes
    ----------
    expected_length
        Σ p(x) · length(x), in bits; infinite where something that can happen has no word.
    entropy
        Of the distribution, in bits: no code that can be decoded has a smaller expected length.
    longest
        The bits of the longest word.
    kraft
        Σ 2^−length, exactly. A code that can be decoded has at most 1; less means that words could be shorter.
    """

    expected_length: float
    entropy: float
    longest: int
    kraft: Fraction

    @property
    def redundancy(self) -> float:
        """What the code costs above the entropy, in bits per symbol."""
        return self.expected_length - self.entropy

    @property
    def efficiency(self) -> float:
        """Entropy divided by expected length; 1 where both are zero."""
        return self.entropy / self.expected_length if self.expected_length else 1.0

    def __str__(self) -> str:
        bits = f"{self.longest} bit{'s' * (self.longest != 1)}"
        return (
            f"expected length {self.expected_length:.4f} bits, entropy {self.entropy:.4f}, redundancy "
            f"{self.redundancy:.4f}; longest word {bits}; Kraft sum {_shown_fraction(self.kraft)}"
        )


def _shown_fraction(value: Fraction) -> str:
    exact = str(value)
    return exact if len(exact) <= 12 else f"{float(value):.6g}"


class PrefixCode:
    """A word of bits for each label.

    A code written by hand need not be prefix-free: `clash` names two words of which one begins like the other, and
    `ambiguity` shows bits that can be read in two ways, if there are any.

    Parameters
    ----------
    words
        From each label to its word, a string of 0 and 1.

    Attributes
    ----------
    words
        From each label to its word.

    Examples
    --------
    >>> code = PrefixCode({"a": "00", "b": "01", "c": "10", "é": "1100001111"})
    >>> bits = code.encode("acbbécbaac")
    >>> bits, len(bits)
    ('0010010111000011111001000010', 28)
    >>> "".join(code.decode(bits))
    'acbbécbaac'
    """

    def __init__(self, words: Any) -> None:
        if not isinstance(words, Mapping):
            message = f"words is {check.shown(words)}; it must be a mapping from labels to words such as '01'"
            raise InputTypeError(message, value=words)
        if not words:
            message = "words is empty; a code has at least one word"
            raise EmptyError(message)
        for label, word in words.items():
            if not isinstance(word, str) or not word or word.strip("01"):
                message = f"the word of {check.shown(label)} is {check.shown(word)}; it must be made of 0 and 1"
                raise (InputError if isinstance(word, str) else InputTypeError)(message, index=label, value=word)
        self.words: dict[Hashable, str] = dict(words)

    # ---- ways to make one ----------------------------------------------------------------------------------------

    @classmethod
    def fixed(cls, labels: Any) -> PrefixCode:
        """Words of one length, as short as they can be: log2 of the number of labels, rounded up.

        Examples
        --------
        >>> PrefixCode.fixed("abc").words
        {'a': '00', 'b': '01', 'c': '10'}
        """
        source = labels.labels if isinstance(labels, Distribution) else labels
        found = list(dict.fromkeys(_hashable(check.items(source, "labels", "several labels"))))
        if not found:
            message = "labels is empty; a code has at least one word"
            raise EmptyError(message)
        size = max(1, (len(found) - 1).bit_length())
        return cls({label: f"{i:0{size}b}" for i, label in enumerate(found)})

    @classmethod
    def shannon(cls, p: Any) -> PrefixCode:
        """Shannon's code: words of −log2 p bits, rounded up, so that H ≤ L < H + 1.

        Parameters
        ----------
        p
            A Distribution, a mapping from label to probability, or data whose relative frequencies are taken (a string,
            bytes, a list of labels). Labels that cannot happen get no word.

        Examples
        --------
        >>> PrefixCode.shannon({"a": 0.5, "b": 0.25, "c": 0.25}).words
        {'a': '0', 'b': '10', 'c': '11'}
        """
        labels, weights = _support(p)
        return cls(dict(zip(labels, _lengths.shannon_words(weights), strict=True)))

    @classmethod
    def shannon_fano_elias(cls, p: Any) -> PrefixCode:
        """Elias's code: the middle of each label's interval to one bit more than Shannon's, so that L < H + 2.

        The labels stay in their order, which arithmetic coding grew from.

        Examples
        --------
        >>> PrefixCode.shannon_fano_elias({"a": 0.25, "b": 0.5, "c": 0.25}).words
        {'a': '001', 'b': '10', 'c': '111'}
        """
        labels, weights = _support(p)
        return cls(dict(zip(labels, _lengths.elias_words(weights), strict=True)))

    @classmethod
    def huffman(cls, p: Any, *, longest: int | None = None) -> PrefixCode:
        """Huffman's code: no code of whole bits per label has a smaller expected length.

        Parameters
        ----------
        p
            As for `shannon`.
        longest
            No word longer than this; the best code of that kind (by package-merge), in its canonical form.

        Examples
        --------
        >>> PrefixCode.huffman("abracadabra").words
        {'a': '0', 'b': '100', 'c': '110', 'd': '111', 'r': '101'}
        >>> PrefixCode.huffman({"a": 0.6, "b": 0.3, "c": 0.07, "d": 0.03}, longest=2).words
        {'a': '00', 'b': '01', 'c': '10', 'd': '11'}
        """
        labels, weights = _support(p)
        if longest is None:
            return cls(dict(zip(labels, _lengths.huffman_words(weights), strict=True)))
        limit = check.integer(longest, "longest", low=1, high=10_000)
        if limit < (len(labels) - 1).bit_length():
            message = f"{len(labels)} labels do not fit into words of at most {limit} bits; longest must be at least "
            message += str((len(labels) - 1).bit_length())
            raise RangeError(message, value=longest)
        sizes = _lengths.limited_lengths(weights, limit)
        return cls(dict(zip(labels, _lengths.canonical_words(sizes), strict=True)))

    def canonical(self) -> PrefixCode:
        """The code of the same lengths whose words count upwards, shorter ones first: lengths alone describe it.

        Examples
        --------
        >>> PrefixCode.huffman("abracadabra").canonical().words
        {'a': '0', 'b': '100', 'c': '101', 'd': '110', 'r': '111'}
        """
        if self.kraft > 1:
            message = f"the Kraft sum is {self.kraft}, above 1: no prefix-free code has words of these lengths"
            raise InputError(message, value=self.kraft)
        sizes = [len(word) for word in self.words.values()]
        return PrefixCode(dict(zip(self.words, _lengths.canonical_words(sizes), strict=True)))

    # ---- what it is ----------------------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels, in their order."""
        return tuple(self.words)

    @cached_property
    def kraft(self) -> Fraction:
        """Σ 2^−length over the words, exactly."""
        longest = max(map(len, self.words.values()))
        return Fraction(sum(1 << (longest - len(word)) for word in self.words.values()), 1 << longest)

    @cached_property
    def clash(self) -> tuple[Hashable, Hashable] | None:
        """Two labels such that the word of the first begins (or is) that of the second; None if it is prefix-free."""
        ordered = sorted(self.words, key=self.words.__getitem__)
        for first, second in pairwise(ordered):  # whatever a word begins stands right after it
            if self.words[second].startswith(self.words[first]):
                return first, second
        return None

    @property
    def prefix_free(self) -> bool:
        """Whether no word begins another, so that each is known by its last bit."""
        return self.clash is None

    @cached_property
    def ambiguity(self) -> str | None:
        """The bits of a message that can be read in two ways; None if there is none (Sardinas and Patterson).

        Examples
        --------
        >>> PrefixCode({"a": "0", "b": "01", "c": "10"}).ambiguity
        '010'
        >>> print(PrefixCode({"a": "0", "b": "01"}).ambiguity)
        None
        """
        return _ambiguity(list(self.words.values()))

    @property
    def uniquely_decodable(self) -> bool:
        """Whether every row of words can be read in one way only."""
        return self.ambiguity is None

    def figures(self, p: Any) -> CodeFigures:
        """The code used for a distribution: its expected length against the entropy.

        Parameters
        ----------
        p
            As for `shannon`.

        Examples
        --------
        >>> p = {"a": 0.5, "b": 0.25, "c": 0.25}
        >>> print(PrefixCode.fixed("abc").figures(p))
        expected length 2.0000 bits, entropy 1.5000, redundancy 0.5000; longest word 2 bits; Kraft sum 3/4
        """
        found = _distribution(p)
        terms = [
            float(q) * (len(self.words[label]) if label in self.words else float("inf"))
            for label, q in zip(found.labels, found.probabilities, strict=True)
            if q > 0
        ]
        longest = max(map(len, self.words.values()))
        return CodeFigures(_lengths.exact_sum(terms), found.entropy, longest, self.kraft)

    # ---- there and back ------------------------------------------------------------------------------------------

    def encode(self, data: Any) -> str:
        """The words of a row of labels, one after the other.

        Examples
        --------
        >>> PrefixCode({"a": "0", "b": "10", "c": "11"}).encode("abca")
        '010110'
        """
        parts = []
        for i, label in enumerate(_hashable(check.items(data, "data", "a row of labels"))):
            if label not in self.words:
                message = f"data[{i}] is {check.shown(label)}, for which the code has no word"
                raise UnknownLabelError(message, index=i, value=label)
            parts.append(self.words[label])
        return "".join(parts)

    def decode(self, bits: str) -> list[Hashable]:
        """The labels of a row of words.

        Examples
        --------
        >>> PrefixCode({"a": "0", "b": "10", "c": "11"}).decode("010110")
        ['a', 'b', 'c', 'a']
        """
        if not isinstance(bits, str) or bits.strip("01"):
            message = f"bits is {check.shown(bits)}; it must be a string of 0 and 1"
            raise (InputError if isinstance(bits, str) else InputTypeError)(message, value=bits)
        if self.clash is not None:
            first, second = self.clash
            message = (
                f"the word of {check.shown(first)} begins that of {check.shown(second)}, so where a word ends is not "
                "known when it is read; decode needs a prefix-free code"
            )
            raise ModelError(message, value=self.clash)
        meanings, longest = {word: label for label, word in self.words.items()}, max(map(len, self.words.values()))
        found: list[Hashable] = []
        start = 0
        for stop in range(1, len(bits) + 1):
            if bits[start:stop] in meanings:
                found.append(meanings[bits[start:stop]])
                start = stop
            elif stop - start >= longest:
                message = f"the bits from index {start} on are not a code word: {bits[start:stop]:.40}"
                raise InputError(message, index=start, value=bits)
        if start < len(bits):
            message = f"the bits end in the middle of a word, at index {start}: {bits[start:]:.40}"
            raise InputError(message, index=start, value=bits)
        return found

    def tree(self, *, deepest: int = 10) -> str:
        """The code as a tree, for a terminal: 0 upwards, 1 downwards.

        Parameters
        ----------
        deepest
            What lies deeper is only counted.

        Examples
        --------
        >>> print(PrefixCode.huffman({"a": 0.5, "b": 0.25, "c": 0.25}).tree())
        ┬─0─ 'a'
        └─1─┬─0─ 'b'
            └─1─ 'c'
        """
        return draw_tree(self.words, check.integer(deepest, "deepest", low=1, high=100))

    def __len__(self) -> int:
        return len(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PrefixCode) and self.words == other.words

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(f"{label!r}: {word}" for label, word in list(self.words.items())[:4])
        rest = f", … {len(self) - 4} more" if len(self) > 4 else ""
        return f"<PrefixCode of {len(self)} words, {shown}{rest}>"


def _hashable(entries: Iterable[Any]) -> Iterable[Hashable]:
    for i, entry in enumerate(entries):
        if not check.hashes(entry):
            message = f"label {i} is {check.shown(entry)}; labels must be hashable"
            raise InputTypeError(message, index=i, value=entry)
        yield entry


def _distribution(p: Any) -> Distribution:
    if isinstance(p, Distribution):
        return p
    return Distribution(p) if isinstance(p, Mapping) else Distribution.from_data(p)


def _support(p: Any) -> tuple[list[Hashable], list[float]]:
    found = _distribution(p)
    pairs = [(label, float(q)) for label, q in zip(found.labels, found.probabilities, strict=True) if q > 0]
    return [label for label, _ in pairs], [weight for _, weight in pairs]


def _ambiguity(words: list[str]) -> str | None:
    """Bits with two readings: where two began alike and one is ahead by a rest, can the other ever catch up."""
    if len(set(words)) < len(words):
        return next(word for i, word in enumerate(words) if word in words[:i])
    known, ordered = set(words), sorted(words)
    rests: deque[tuple[str, str]] = deque()
    for word in ordered:
        rests.extend((word[size:], word) for size in range(1, len(word)) if word[:size] in known)
    seen = {rest for rest, _ in rests}
    while rests:
        rest, read = rests.popleft()
        if rest in known:
            return read
        ahead = [(rest[size:], read) for size in range(1, len(rest)) if rest[:size] in known]
        behind = [(word[len(rest) :], read + word[len(rest) :]) for word in _beginning_with(rest, ordered)]
        for new, bits in (*ahead, *behind):
            if new not in seen:
                seen.add(new)
                rests.append((new, bits))
    return None


def _beginning_with(start: str, ordered: list[str]) -> Iterable[str]:
    from bisect import bisect_right

    i = bisect_right(ordered, start)
    while i < len(ordered) and ordered[i].startswith(start):
        yield ordered[i]
        i += 1
