"""The entropy rate of a source that is known only by one long sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.check import Unit
from bitmeter._util.compressors import COMPRESSORS
from bitmeter.errors import InputError, RangeError
from bitmeter.theory.estimators import alphabets
from bitmeter.theory.estimators.blocks import BlockRow, block_rows
from bitmeter.theory.estimators.compressed import own_size, sizes

__all__ = ["RATE_METHODS", "BlockRow", "RateEstimate", "estimate_rate"]

#: The methods of `estimate_rate`, the default first.
RATE_METHODS: tuple[str, ...] = ("ctw", "lz76", "lz78", "match-a", "match-b", "block", *COMPRESSORS)

_LN2 = math.log(2.0)
_MOST_SYMBOLS = 1 << 20  # of context tree weighting: 20 bits per symbol
_KEY_BITS = 64


@dataclass(frozen=True, slots=True)
class RateEstimate:
    """An entropy rate estimated from one sample.

    Attributes
    ----------
    value
        The estimate, per symbol.
    unit
        What it is measured in.
    method
        How it was estimated.
    symbols
        The length of the sample.
    alphabet_size
        How many different symbols it has.
    upper_bound
        Whether the expectation of `value` is known not to be below the source's rate, because it is the length of a
        code that decodes to the sample and that pays for all that its decoder needs, the alphabet included.
    note
        Why it is a bound or is not, and which way it errs.
    parameters
        The settings of the method and what it counted, such as ``depth``, ``phrases`` or ``bytes``.
    blocks
        One row for each block length, for method ``"block"``.
    """

    value: float
    unit: Unit
    method: str
    symbols: int
    alphabet_size: int
    upper_bound: bool
    note: str
    parameters: Mapping[str, float] = field(default_factory=dict, hash=False)
    blocks: tuple[BlockRow, ...] = ()

    def __str__(self) -> str:
        settings = ", ".join(f"{name} {value:g}" for name, value in self.parameters.items())
        unit = check.unit_name(self.unit)
        return (
            f"{self.value:.4f} {unit} per symbol by {self.method}{f' ({settings})' if settings else ''}\n"
            f"{self.symbols} symbols, {self.alphabet_size} different · "
            f"{'an upper bound' if self.upper_bound else 'not a bound'}: {self.note}"
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """The symbols numbered 0, 1, … in the narrowest type that holds them."""

    ids: NDArray[Any]
    occurring: NDArray[Any]
    data: Any
    symbols: check.Symbols

    @property
    def kinds(self) -> int:
        return int(self.occurring.size)

    @property
    def length(self) -> int:
        return int(self.ids.size)

    def suffixes(self) -> NDArray[Any]:
        """The suffix array. Symbols of several bytes are sorted by their bytes, an order like any other."""
        from pydivsufsort import divsufsort

        # It refuses arrays that cannot be written to, such as those of bytes, though it does not write.
        places: NDArray[Any] = divsufsort(self.ids if self.ids.flags.writeable else self.ids.copy())
        return places

    def longest_previous(self) -> NDArray[Any]:
        return _core.longest_previous(self.ids, self.suffixes())

    @property
    def numbered(self) -> bool:
        """Whether a compressor is given symbol numbers, which mean nothing without the alphabet."""
        return not isinstance(self.data, str) and self.symbols.ids.dtype != np.uint8

    def as_bytes(self) -> bytes:
        """What a compressor is given: bytes as they are, strings in UTF-8, else symbol numbers of 1, 2 or 4 bytes."""
        if isinstance(self.data, str):
            return self.data.encode("utf-8", "surrogatepass")
        ids = self.ids if self.numbered else self.symbols.ids
        return ids.astype(ids.dtype.newbyteorder("<"), copy=False).tobytes()

    def alphabet_bits(self) -> float | None:
        """The cost of the symbols' list, in the order of their numbers; None if they cannot be spelled."""
        labels = self.symbols.labels
        if labels is None:
            return alphabets.set_bits(self.occurring)
        if isinstance(self.data, str):
            return alphabets.set_bits(np.array([ord(str(label)) for label in labels]))
        return alphabets.spelled_bits(labels)


@dataclass(frozen=True, slots=True)
class _Found:
    """The result of a method, in nats."""

    nats: float
    upper_bound: bool
    note: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    blocks: tuple[BlockRow, ...] = ()


def estimate_rate(
    data: Any,
    method: str = "ctw",
    *,
    unit: Unit = "bits",
    depth: int | None = None,
    alphabet: int | Sequence[Any] | None = None,
    min_coverage: float | None = None,
    level: int | None = None,
    compressor: Callable[[bytes], bytes] | None = None,
) -> RateEstimate:
    r"""Estimate the entropy rate, per symbol, of the stationary source of a sample.

    Parameters
    ----------
    data
        The sample: a string (characters), bytes, integers, or any hashable labels. The alphabet is what occurs in it.
    method
        One of `RATE_METHODS`, with n symbols in all and logarithms to base 2:

        - ``"ctw"`` (the default, the best on almost all sources): the code length of context tree weighting, with
          Krichevsky-Trofimov leaves and weight ½. Symbols are coded bit by bit, the contexts are whole symbols, and
          the context before the first symbol is the alphabet's first symbol, repeated. The code begins with n and
          the alphabet, so that it decodes: an upper bound.
        - ``"lz76"``: c log n / n, with c phrases of the 1976 parsing; ``"lz78"``: c log c / n, of the 1978 parsing.
          Both converge to the rate slowly, from above for small alphabets, from below for large ones (by more than a
          bit for 10⁵ random bytes). Not bounds.
        - ``"match-a"``, ``"match-b"``: from the length Lᵢ of the shortest string that starts at position i and
          occurs nowhere before: [mean Lᵢ / log(i + 1)]⁻¹ and mean log(i + 1) / Lᵢ. Not bounds.
        - ``"block"``: H_k − H_{k−1} with the largest k for which the sample still covers the distribution of blocks;
          `RateEstimate.blocks` has all of them. Not a bound.
        - ``"zlib"``, ``"bz2"``, ``"xz"``, ``"zstd"``, ``"brotli"``, ``"ppmd"``: the size of the compressed file,
          headers included (``bytes_of_nothing`` is what an empty one takes). Upper bounds. They see bytes: bytes as
          they are, strings in UTF-8, other symbols numbered in 1, 2 or 4 bytes each, plus the alphabet.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    depth
        Symbols of context, for ``"ctw"``; by default as many as fit in 64 bits (64 of two symbols, 8 of bytes).
    alphabet
        For ``"ctw"``: what the decoder knows beforehand. By default it knows nothing, and the symbols that occur are
        coded, too: integers and characters by their gaps, labels by their spelling (labels that are neither text nor
        bytes cannot be spelled: the result is then no bound). A whole number: the symbols come from a known alphabet
        of that size. A sequence of integers, strings or bytes, for integer data: symbol i stands for ``alphabet[i]``,
        which is coded instead of i.
    min_coverage
        For ``"block"``: the least 1 − (blocks seen once) / (blocks) that is trusted; 0.99 by default.
    level
        For a compressor: its level, or PPMd's order (8; 16 for alphabets of at most four symbols).
    compressor
        A lossless compressor of your own, from bytes to bytes, instead of `method`.

    Returns
    -------
    RateEstimate

    Notes
    -----
    Integers are taken for the symbols themselves. Where they number something else (words, tokens of a vocabulary that
    was made from the sample), a decoder needs that, too: give the labels, or `alphabet`.

    The methods that divide by or multiply with log n give 0 for a sample of one symbol, for which log n is 0.

    Examples
    --------
    >>> estimate_rate("ab" * 500).value
    0.06
    >>> estimate_rate("ab" * 500).parameters
    {'depth': 64, 'alphabet_bits': 19.0, 'length_bits': 16}
    >>> round(estimate_rate("ab" * 500, "block").value, 4)
    0.0
    >>> estimate_rate(b"to be or not to be, that is the question", "lz76").parameters["phrases"]
    21
    >>> import zlib
    >>> estimate_rate("ab" * 500, compressor=zlib.compress).parameters["bytes"] < 30
    True
    """
    name = _chosen(method, compressor)
    per_unit = check.nats_per(unit)
    _refuse_unused(name, depth=depth, alphabet=alphabet, min_coverage=min_coverage, level=level)
    sample = _read(data)
    found = _run(name, sample, depth, alphabet, min_coverage, level, compressor, per_unit)
    return RateEstimate(
        value=found.nats / per_unit,
        unit=unit,
        method=name,
        symbols=sample.length,
        alphabet_size=sample.kinds,
        upper_bound=found.upper_bound,
        note=found.note,
        parameters=found.parameters,
        blocks=found.blocks,
    )


def _chosen(method: Any, compressor: Any) -> str:
    name = check.choice(method, "method", RATE_METHODS)
    if compressor is None:
        return name
    if name != "ctw":
        message = f"method is {name!r}, and a compressor is given as well: leave one of them out"
        raise InputError(message, value=name)
    return "compressor"


def _refuse_unused(method: str, **settings: Any) -> None:
    """A setting that the method does not have would change nothing: say so instead."""
    owners = {"depth": ("ctw",), "alphabet": ("ctw",), "min_coverage": ("block",), "level": tuple(COMPRESSORS)}
    for name, value in settings.items():
        if value is not None and method not in owners[name]:
            message = f"{name} is a setting of {', '.join(map(repr, owners[name]))}; leave it out for {method!r}"
            raise InputError(message, value=value)


def _read(data: Any) -> _Sample:
    symbols = check.symbols(data, "data")
    kinds, _ = check.count(symbols)
    narrow = np.uint8 if kinds.size <= 1 << 8 else np.uint16 if kinds.size <= 1 << 16 else np.uint32
    low, high = int(kinds[0]), int(kinds[-1])
    if low == 0 and high == kinds.size - 1:
        ids = symbols.ids.astype(narrow, copy=False)
    elif high - low < 1 << 24:
        numbers = np.zeros(high - low + 1, dtype=narrow)
        numbers[kinds - low] = np.arange(kinds.size)
        ids = numbers[symbols.ids if low == 0 else symbols.ids.astype(np.int64) - low]
    else:
        ids = np.searchsorted(kinds, symbols.ids).astype(narrow)
    return _Sample(np.ascontiguousarray(ids), kinds, data, symbols)


def _run(
    name: str,
    sample: _Sample,
    depth: Any,
    alphabet: Any,
    min_coverage: Any,
    level: Any,
    compressor: Any,
    per_unit: float,
) -> _Found:
    if name == "ctw":
        return _ctw(sample, depth, _alphabet_bits(sample, alphabet))
    if name == "block":
        return _block(sample, min_coverage, per_unit)
    if name == "compressor":
        return _compressed(sample, own_size(compressor, sample.as_bytes()), "if it loses nothing, ")
    if name in COMPRESSORS:
        return _compressed(sample, sizes(name, sample.as_bytes(), level, sample.kinds), "")
    return {"lz76": _lz76, "lz78": _lz78, "match-a": _match_a, "match-b": _match_b}[name](sample)


def _alphabet_bits(sample: _Sample, alphabet: Any) -> float | None:
    """What the alphabet costs, if it can be written down."""
    if alphabet is None:
        return sample.alphabet_bits()
    if isinstance(alphabet, int | np.integer):
        size = check.integer(alphabet, "alphabet", low=1, high=2**53)
        if size < sample.kinds:
            message = f"alphabet is {size}, but {sample.kinds} different symbols occur; it must be at least that"
            raise RangeError(message, value=size)
        return alphabets.known_bits(size, sample.kinds)
    labels = check.labels(alphabet, "alphabet")
    if sample.symbols.labels is not None or int(sample.occurring[0]) < 0 or int(sample.occurring[-1]) >= len(labels):
        message = (
            f"alphabet lists {len(labels)} labels, so data must be integers from 0 to {len(labels) - 1}; "
            "or leave alphabet out and give the labels themselves as data"
        )
        raise InputError(message, value=alphabet)
    found = check.symbols(labels, "alphabet")
    ascending = found.labels is None and bool((np.diff(found.ids) > 0).all())
    cost = alphabets.set_bits(found.ids) if ascending else alphabets.spelled_bits(labels)
    # Labels that do not occur are in the decoder's list all the same: a second list says which do.
    return cost if cost is None or len(labels) == sample.kinds else cost + alphabets.set_bits(sample.occurring)


def _ctw(sample: _Sample, depth: Any, alphabet_bits: float | None) -> _Found:
    if sample.kinds > _MOST_SYMBOLS:
        message = (
            f"data has {sample.kinds} different symbols; context tree weighting takes at most {_MOST_SYMBOLS}. "
            "Measure its bytes or characters instead, or use method='lz76'"
        )
        raise RangeError(message, value=sample.kinds)
    bits = max(1, (sample.kinds - 1).bit_length())
    deepest = _KEY_BITS // bits
    depth = deepest if depth is None else check.integer(depth, "depth", low=0, high=deepest)
    nats = -_core.ctw_log_probability(sample.ids, bits, depth) if sample.kinds > 1 else 0.0
    if alphabet_bits is None:
        note = (
            "the length of a code whose decoder must be given the alphabet, which cannot be spelled; below the rate "
            "where the sample does not show the whole alphabet"
        )
        return _Found(nats / sample.length, False, note, {"depth": depth})
    length_bits = alphabets.number_bits(sample.length)
    note = (
        "the length of a code that tells its decoder the alphabet and the length, so on average not below the rate; "
        "above it by that, by the cost of learning, and by what contexts longer than the depth would add"
    )
    parameters = {"depth": depth, "alphabet_bits": alphabet_bits, "length_bits": length_bits}
    return _Found((nats + _LN2 * (alphabet_bits + length_bits)) / sample.length, True, note, parameters)


_LEMPEL_ZIV_NOTE = (
    "tends to the rate, {}, from above for a small alphabet and from below for one that is large for the sample; the "
    "formula is the leading term of a code's length, not the whole"
)


def _lz76(sample: _Sample) -> _Found:
    phrases = int(_core.lz76_phrases(sample.longest_previous()))
    note = _LEMPEL_ZIV_NOTE.format("slowly")
    return _Found(phrases * math.log(sample.length) / sample.length, False, note, {"phrases": phrases})


def _lz78(sample: _Sample) -> _Found:
    phrases = int(_core.lz78_phrases(sample.ids))
    note = _LEMPEL_ZIV_NOTE.format("very slowly")
    return _Found(phrases * math.log(phrases) / sample.length, False, note, {"phrases": phrases})


_MATCH_NOTE = "tends to the rate, from either side; too low where the sample repeats itself at length"


def _match_a(sample: _Sample) -> _Found:
    length_over_log, _ = _core.match_means(sample.longest_previous())
    return _Found(_LN2 / length_over_log if length_over_log > 0 else 0.0, False, _MATCH_NOTE)


def _match_b(sample: _Sample) -> _Found:
    _, log_over_length = _core.match_means(sample.longest_previous())
    return _Found(_LN2 * log_over_length, False, _MATCH_NOTE)


def _block(sample: _Sample, min_coverage: Any, per_unit: float) -> _Found:
    limit = 0.99 if min_coverage is None else check.real(min_coverage, "min_coverage", low=0, high=1)
    suffixes = sample.suffixes()
    rows = tuple(block_rows(suffixes, _core.common_prefixes(sample.ids, suffixes), per_unit))
    chosen = rows[0]
    for row in rows:
        if row.coverage < limit:
            break
        chosen = row
    note = "too high where longer contexts would add information, too low where blocks were not seen often enough"
    if rows[0].coverage < limit:
        note += f"; here not even single symbols are covered ({chosen.coverage:.3f}), so this is only H₁"
    parameters = {"length": chosen.length, "coverage": chosen.coverage, "min_coverage": limit}
    return _Found(chosen.rate * per_unit, False, note, parameters, rows)


def _compressed(sample: _Sample, parameters: dict[str, int], condition: str) -> _Found:
    note = (
        f"{condition}the sample decodes from this many bytes (headers included), so on average not below the "
        "rate; far above it for short samples, and for alphabets much smaller than a byte"
    )
    bits = 8.0 * parameters["bytes"]
    if not sample.numbered:
        return _Found(_LN2 * bits / sample.length, True, note, parameters)
    alphabet_bits = sample.alphabet_bits()
    if alphabet_bits is None:
        note = (
            "compressed are the numbers of the symbols, which mean nothing without the alphabet, and that cannot be "
            "spelled; below the rate where the sample does not show the whole alphabet"
        )
        return _Found(_LN2 * bits / sample.length, False, note, parameters)
    return _Found(
        _LN2 * (bits + alphabet_bits) / sample.length, True, note, {**parameters, "alphabet_bits": alphabet_bits}
    )
