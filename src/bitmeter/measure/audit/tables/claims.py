"""A claimed figure against the table: by which known mistake one comes from the other.

Each mistake is a total, a number of bytes or a unit that programs were seen to take instead of the right one. The
figure that each would give on this table is computed and held against the claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.measure.audit.tables.tiling import RawText, Tiling
from bitmeter.text.units.counts import count_units

__all__ = ["Facts", "Mistake", "claim_tolerance", "explanations", "facts_of", "mistakes"]

_LN2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Mistake:
    """What somebody may have computed instead, and the bits per byte that it gives."""

    text: str
    bits_per_byte: float


@dataclass(frozen=True, slots=True)
class Facts:
    """What the figures of a table can be made of.

    Attributes
    ----------
    nats, special_nats, first_nats
        The cost of the units of the text, of units that stand for none of it, and of the first unit.
    units, documents, bytes, chars, words
        Counts.
    spaces
        Units that begin with a space.
    fallback
        Units of one byte that is no character: byte-fallback tokens.
    replaced
        How many bytes more units have when each is decoded alone, with U+FFFD for what is no character.
    specials
        Units that stand for no text.
    counted
        The bytes that the table itself counts; None if it does not.
    macro
        The mean over documents of bits per byte.
    """

    nats: float
    special_nats: float
    first_nats: float
    units: int
    documents: int
    bytes: int
    chars: int
    words: int
    spaces: int
    fallback: int
    replaced: int
    specials: int
    counted: float | None
    macro: float


def facts_of(
    tiling: Tiling, text: RawText, logprobs: Floats, special: Bools, counted: Floats | None, scored: Bools
) -> Facts:
    """Count what known mistakes confuse."""
    chosen = np.flatnonzero(tiling.counts)
    start, end = tiling.start[chosen], tiling.end[chosen]
    costs = -logprobs[chosen]
    full_units = end > start
    first = np.frombuffer(text.data, dtype=np.uint8)[start[full_units]]
    fallback, replaced = _broken_units(text.data, start[full_units], end[full_units], first)
    documents = np.searchsorted(text.ends, start, side="right")
    sizes = np.diff(np.concatenate(([0], text.ends)))
    by_document = np.bincount(documents, weights=costs, minlength=len(sizes))[: len(sizes)]
    full = sizes > 0
    with np.errstate(invalid="ignore"):
        macro = float(np.mean(by_document[full] / sizes[full])) / _LN2 if full.any() else math.nan
    found = count_units(text.data)
    return Facts(
        nats=math.fsum(costs.tolist()),
        special_nats=math.fsum((-logprobs[special & scored]).tolist()),
        first_nats=float(costs[0]) if len(costs) else 0.0,
        units=len(chosen),
        documents=len(text.ends),
        bytes=len(text.data),
        chars=found.chars,
        words=found.words,
        spaces=int(np.count_nonzero(first == 0x20)),
        fallback=fallback,
        replaced=replaced,
        specials=int(np.count_nonzero(special & scored)),
        counted=None if counted is None else float(counted[scored].sum()),
        macro=macro,
    )


def _broken_units(data: bytes, start: Ints, end: Ints, first: Ids) -> tuple[int, int]:
    """Units of one byte that is no character, and by how much U+FFFD would lengthen units that hold parts of one."""
    high = np.flatnonzero(first >= 0x80)
    single = int(np.count_nonzero((end - start)[high] == 1))
    last = np.frombuffer(data, dtype=np.uint8)[end - 1]
    more = 0
    for i in np.flatnonzero((first >= 0x80) | (last >= 0x80)).tolist():
        unit = data[int(start[i]) : int(end[i])]
        more += len(unit.decode("utf-8", "replace").encode()) - len(unit)
    return single, more


def mistakes(facts: Facts) -> Iterator[Mistake]:
    """Every single mistake, and every pair of one in the total and one in the bytes."""
    totals, sizes = list(_totals(facts)), list(_sizes(facts))
    for scale, word in (
        (1.0, ""),
        (_LN2, "nats called bits"),
        (1.0 / _LN2, "bits converted twice, divided by ln 2"),
        (1.0 / math.log2(10.0), "logarithms of base 10 called bits"),
    ):
        for total, what in totals:
            for size, which in sizes:
                said = [part for part in (what, which, word) if part]
                value = total / size / _LN2 * scale if size > 0 else math.nan
                if said and math.isfinite(value):
                    yield Mistake("; ".join(said), value)
    if facts.documents > 1 and math.isfinite(facts.macro):
        yield Mistake("the mean over documents of their bits per byte (macro average)", facts.macro)


def _totals(facts: Facts) -> Iterator[tuple[float, str]]:
    n, nats = facts.units, facts.nats
    yield nats, ""
    if facts.specials:
        yield nats + facts.special_nats, f"the cost of {facts.specials:,} special tokens is in the total"
    if n > 1:
        yield (nats - facts.first_nats) / (n - 1) * n, "the mean over n − 1 tokens, times n"
        yield nats / (n - 1) * n, "the total divided by n − 1 tokens, times n"
        yield nats / n * (n - 1), "the mean over n tokens, times n − 1"
        yield nats - facts.first_nats, "the first token is not in the total"


def _sizes(facts: Facts) -> Iterator[tuple[float, str]]:
    size = facts.bytes
    yield size, ""
    if facts.counted is not None and facts.counted != size:
        yield facts.counted, f"divided by the {facts.counted:,.0f} bytes that the table counts"
    if facts.spaces:
        yield size + facts.spaces, f"the leading space of {facts.spaces:,} tokens is counted twice"
        yield size - facts.spaces, f"the leading space (▁) of {facts.spaces:,} tokens is not counted"
    if facts.fallback:
        yield size + 2 * facts.fallback, f"{facts.fallback:,} byte-fallback tokens are counted as three bytes"
        yield size + 5 * facts.fallback, f"{facts.fallback:,} byte-fallback tokens are counted as six, as <0xE4>"
        if facts.spaces:
            both = size + 2 * facts.fallback + facts.spaces
            yield both, "byte-fallback tokens are counted as three bytes, and leading spaces twice"
    if facts.replaced and facts.replaced != 2 * facts.fallback:
        yield size + facts.replaced, "parts of characters are counted as U+FFFD, three bytes each"
    if facts.specials:
        yield size + facts.specials, f"a byte is counted for each of {facts.specials:,} special tokens"
    if facts.documents > 1 or not facts.specials:
        yield size + facts.documents, f"a sentinel byte is counted for each of {facts.documents:,} documents"
    if facts.chars != size:
        yield facts.chars, f"divided by {facts.chars:,} characters, not bytes"
    yield facts.words, f"divided by {facts.words:,} words, not bytes"
    yield facts.units, f"divided by {facts.units:,} tokens, not bytes"


def claim_tolerance(claimed: float | str) -> float:
    """Half of the last decimal of a figure as it was written.

    Examples
    --------
    >>> claim_tolerance("0.9485"), claim_tolerance(1.25)
    (5e-05, 0.005)
    """
    written = claimed if isinstance(claimed, str) else repr(float(claimed))
    return 0.5 * 10.0 ** -len(written.partition(".")[2].partition("e")[0])


def explanations(claimed: float | str, facts: Facts) -> list[Mistake]:
    """The mistakes that give the claim, as far as it is written: the simplest first, at most three."""
    value, within = float(claimed), claim_tolerance(claimed) * 1.0001
    found = [one for one in mistakes(facts) if abs(one.bits_per_byte - value) <= within]
    fewest = min((one.text.count("; ") for one in found), default=0)
    simple = [one for one in found if one.text.count("; ") == fewest]
    return sorted(simple, key=lambda one: abs(one.bits_per_byte - value))[:3]
