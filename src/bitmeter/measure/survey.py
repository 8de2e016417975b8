"""A survey of a text: its empirical entropy by order, estimates that correct it, and bounds on its entropy rate."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bitmeter._util.progress import Progress, Step
from bitmeter.models.universal.model import Universal
from bitmeter.text.units.symbols import UNITS, SymbolSequence, split
from bitmeter.theory.estimators.alphabets import number_bits
from bitmeter.theory.estimators.entropy import ENTROPY_METHODS, estimate_entropy
from bitmeter.theory.estimators.rates import RateEstimate, estimate_rate

__all__ = ["PRIMED", "RELIABLE_COVERAGE", "UNIVERSAL", "Row", "Survey", "headline", "singular", "survey"]

#: Below this coverage a row is marked: too much of the distribution was not observed.
RELIABLE_COVERAGE = 0.99

#: The entropy rates that are estimated, the headline first; compressors read bytes, whatever the units.
_RATES = ("ctw", "lz76", "match-b", "lz78")
_COMPRESSORS = ("xz", "zstd", "bz2", "zlib")
UNIVERSAL, PRIMED = "universal", "universal-primed"
_MOST_CTW_SYMBOLS = 1 << 20
_AT_ONCE = 1 << 20  # bytes that the universal model scores in one call


@dataclass(frozen=True, slots=True)
class Row:
    """One figure of a survey.

    Attributes
    ----------
    group
        "order" (empirical entropy given the k preceding symbols), "estimate" (of single symbols), or "rate".
    name
        The method; for "order" the number of preceding symbols.
    nats
        The figure, per symbol.
    corrected
        The same with the default correction for undersampling, if that applies.
    interval
        The range of the figure in other samples of the same size, if known.
    coverage
        The share of the distribution that was observed, if known.
    upper_bound
        Whether the figure is the length of a code that pays for all that its decoder needs, and so on average at
        least the entropy rate.
    reliable
        Whether the coverage is high enough to trust the figure; for estimates, also whether what was not seen
        could matter (`EntropyEstimate.well_sampled`).
    note
        A remark for the reader.
    """

    group: Literal["order", "estimate", "rate"]
    name: str
    nats: float
    corrected: float | None = None
    interval: tuple[float, float] | None = None
    coverage: float | None = None
    upper_bound: bool = False
    reliable: bool = True
    note: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """The figures of a text, in nats per symbol.

    Attributes
    ----------
    source
        The name of the text.
    units
        What one symbol is: "bytes", "chars" or "words".
    symbols, kinds
        The number of symbols, and the number of distinct ones.
    byte_count, undecoded
        The length in bytes, and the number of bytes that are not UTF-8.
    rows
        The figures.
    """

    source: str
    units: str
    symbols: int
    kinds: int
    byte_count: int
    undecoded: int
    rows: tuple[Row, ...]

    @property
    def headline(self) -> Row:
        """The single figure for scripts: context tree weighting, or LZ76 if the alphabet is too large for it."""
        rates = {row.name: row for row in self.rows if row.group == "rate"}
        return rates.get("ctw") or rates["lz76"]

    @property
    def best_bound(self) -> Row:
        """The lowest of the upper bounds."""
        return min((row for row in self.rows if row.upper_bound), key=lambda row: row.nats)


def survey(
    data: bytes,
    *,
    units: str = "bytes",
    orders: int = 5,
    source: str = "text",
    prime: object = None,
    progress: Progress | None = None,
) -> Survey:
    """Measure a text.

    Parameters
    ----------
    data
        The bytes of the text.
    units
        What one symbol is: "bytes", "chars" or "words".
    orders
        The longest context, in symbols, for the empirical entropy.
    source
        The name of the text in the result.
    prime
        A text (a path, a Corpus or bytes) that the universal model reads first, for one more row.
    progress
        Called with a `Step` before each method: its name as the stage, and how many are done of how many.

    Examples
    --------
    >>> result = survey(b"to be or not to be " * 50)
    >>> [row.name for row in result.rows if row.upper_bound]
    ['universal', 'ctw', 'xz', 'zstd', 'bz2', 'zlib']
    """
    sequence = split(data, units)
    methods = [name for name in ENTROPY_METHODS if name != "nsb" or units == "bytes"]
    total = 1 + len(methods) + len(_RATES) + len(_COMPRESSORS) + 1 + (prime is not None)
    per_symbol = len(data) / sequence.ids.size
    begun = itertools.count()

    def begin(name: str) -> None:
        if progress is not None:
            progress(Step(next(begun), total, "steps", stage=name))

    begin("blocks")
    blocks = estimate_rate(sequence.ids, "block", unit="nats", min_coverage=RELIABLE_COVERAGE)
    rows = list(_order_rows(blocks, orders))
    for method in methods:
        begin(method)
        rows.append(_estimate_row(sequence, method))
    begin(UNIVERSAL)
    rows.append(_universal_row(data, per_symbol))
    if prime is not None:
        begin(PRIMED)
        rows.append(_universal_row(data, per_symbol, prime))
    for method in _RATES:
        begin(method)
        if method != "ctw" or sequence.kinds <= _MOST_CTW_SYMBOLS:
            rows.append(_rate_row(_symbol_rate(sequence, method), 1.0))
    for method in _COMPRESSORS:
        begin(method)
        rows.append(_rate_row(estimate_rate(data, method, unit="nats"), per_symbol))
    rows.sort(key=lambda row: row.group == "rate" and not row.upper_bound)
    return Survey(
        source, units, sequence.ids.size, sequence.kinds, sequence.byte_count, sequence.undecoded, tuple(rows)
    )


def headline(data: bytes, *, units: str = "bytes") -> Row:
    """The single figure for scripts, without the rest of the survey.

    Examples
    --------
    >>> headline(b"to be or not to be " * 50) == survey(b"to be or not to be " * 50).headline
    True
    """
    sequence = split(data, units)
    method = "ctw" if sequence.kinds <= _MOST_CTW_SYMBOLS else "lz76"
    return _rate_row(_symbol_rate(sequence, method), 1.0)


def _order_rows(blocks: RateEstimate, orders: int) -> Iterator[Row]:
    """Plug-in entropy of a symbol given the k preceding ones; low coverage makes it far too low, and marks it."""
    for block in blocks.blocks[: orders + 1]:
        reliable = block.coverage >= RELIABLE_COVERAGE
        yield Row(
            "order",
            str(block.length - 1),
            max(block.plug_in_rate, 0.0),
            corrected=max(block.rate, 0.0),
            coverage=block.coverage,
            reliable=reliable,
            note="" if reliable else f"too low: {1 - block.coverage:.0%} of the distribution was never seen",
        )


def _estimate_row(sequence: SymbolSequence, method: str) -> Row:
    found = estimate_entropy(
        sequence.ids,
        method,
        unit="nats",
        alphabet_size=256 if method == "nsb" else None,
        resamples=200 if method in ("chao-wang-jost", "nsb") else 0,
    )
    reliable = found.coverage >= RELIABLE_COVERAGE and found.well_sampled
    note = "" if reliable else found.note
    if method == "nsb":
        note = note or "given 256 symbols"
    return Row(
        "estimate", method, found.value, interval=found.interval, coverage=found.coverage, reliable=reliable, note=note
    )


def _symbol_rate(sequence: SymbolSequence, method: str) -> RateEstimate:
    """The rate of the symbols; a code of them tells its decoder which characters or words they are."""
    alphabet = sequence.alphabet if method == "ctw" else None
    return estimate_rate(sequence.ids, method, unit="nats", alphabet=alphabet)


def _universal_row(data: bytes, symbols_ratio: float, prime: object = None) -> Row:
    model = Universal() if prime is None else Universal().with_prime(prime)
    session = model.open()
    nats = number_bits(len(data)) * math.log(2.0)
    for start in range(0, len(data), _AT_ONCE):
        block = np.frombuffer(data, dtype=np.uint8, count=min(_AT_ONCE, len(data) - start), offset=start)
        nats -= math.fsum(session.logprobs(block, np.array([0, block.size]), continues=start > 0))
    value = nats / len(data) * symbols_ratio
    if prime is None:
        note = (
            "the length of a code that begins with the length and knows nothing else, so on average not below the rate"
        )
        return Row("rate", UNIVERSAL, value, upper_bound=True, note=note)
    note = (
        f"the length of a code whose decoder has read {model.learned:,} bytes of priming text first: a bound on the "
        "rate given that text, not for a decoder without it"
    )
    return Row("rate", PRIMED, value, note=note)


def _rate_row(found: RateEstimate, symbols_ratio: float) -> Row:
    return Row("rate", found.method, found.value * symbols_ratio, upper_bound=found.upper_bound, note=found.note)


def singular(units: str) -> str:
    """The name of one unit."""
    return UNITS[units]
