"""The bytes that a table counts for each unit, against those that the unit has: which known mistake each is."""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.arrays import Bools, Floats
from bitmeter.measure.audit.result import Finding, plural
from bitmeter.measure.audit.tables.tiling import RawText, Tiling

__all__ = ["size_findings"]


def size_findings(counted: Floats, scored: Bools, tiling: Tiling, text: RawText, bits: float) -> list[Finding]:
    """One finding for each kind of miscounted unit, the most bytes first.

    Parameters
    ----------
    counted, scored
        The bytes that the table counts for each unit, and which units it counts.
    tiling, text
        Where the units lie.
    bits
        What the text costs.
    """
    true = np.where(tiling.counts, tiling.end - tiling.start, 0)
    more = np.where(scored, np.nan_to_num(counted, nan=0.0), 0.0) - np.where(scored, true, 0)
    wrong = np.flatnonzero(more != 0)
    if not len(wrong):
        return []
    claimed = float(np.nansum(counted[scored]))
    kinds: dict[tuple[str, str], list[int]] = {}
    for unit in wrong.tolist():
        kinds.setdefault(_kind(unit, float(more[unit]), float(counted[unit]), tiling, text), []).append(unit)
    total = float(more[wrong].sum())
    findings = []
    for kind, units in sorted(kinds.items(), key=lambda pair: -abs(float(more[pair[1]].sum()))):
        extra = float(more[units].sum())
        at = int(tiling.start[units[0]])
        # What this kind alone does to the quotient.
        without = len(text.data) + total - extra
        effect = bits / without - bits / claimed if without > 0 and claimed > 0 and math.isfinite(bits) else None
        findings.append(
            Finding(
                "bytes",
                f"{plural(len(units), *kind)}: {extra:+,.0f} {'byte' if abs(extra) == 1 else 'bytes'} "
                f"in the denominator, {extra / len(text.data):+.1%}",
                byte=at,
                document=text.document(at),
                unit=text.shown(at, max(at + 1, int(tiling.end[units[0]]))),
                bits_per_byte=effect,
            )
        )
    return findings


def _kind(unit: int, more: float, counted: float, tiling: Tiling, text: RawText) -> tuple[str, str]:
    start, end = int(tiling.start[unit]), int(tiling.end[unit])
    here = text.data[start:end]
    written = None if tiling.units is None else tiling.units[unit]
    if not tiling.counts[unit]:
        return (
            "unit that stands for no byte of the text (a special or sentinel token) is counted",
            "units that stand for no byte of the text (special or sentinel tokens) are counted",
        )
    if len(here) == 1 and counted in (3.0, 6.0):
        return (
            f"byte-fallback unit of one byte is counted as {counted:.0f}",
            f"byte-fallback units of one byte are counted as {counted:.0f}",
        )
    try:
        here.decode()
    except UnicodeDecodeError:
        if counted == len(here.decode("utf-8", "replace").encode()):
            return (
                "part of a character is counted as U+FFFD, three bytes",
                "parts of characters are counted as U+FFFD, three bytes each",
            )
    spaced = here[:1] == b" " or (written is not None and written[:1] == b" ")
    if spaced and more == 1.0:
        return "unit has its leading space counted twice", "units have their leading space counted twice"
    if spaced and more == -1.0:
        return "unit has its leading space (▁) not counted", "units have their leading space (▁) not counted"
    if counted == len(here.decode("utf-8", "replace")):
        return "unit is counted in characters", "units are counted in characters"
    return (
        "unit is counted with another number of bytes than it has",
        "units are counted with another number of bytes than they have",
    )
