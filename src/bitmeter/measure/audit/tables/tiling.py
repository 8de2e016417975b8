"""The bytes of a table's units: where they lie in the text, and whether each byte is in exactly one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bitmeter._util.arrays import Bools, Ints
from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.result import Finding, plural
from bitmeter.measure.audit.tables.columns import TableColumns
from bitmeter.measure.audit.tables.pieces import Laid, lay, piece_ways, tokenizer_bytes
from bitmeter.text.units.base import Units

__all__ = ["RawText", "Tiling", "tile"]


@dataclass(frozen=True, slots=True)
class RawText:
    """The raw text: its bytes, and where its documents begin and end."""

    data: bytes
    ends: Ints

    @property
    def starts(self) -> Ints:
        """Where documents begin."""
        return np.concatenate(([0], self.ends[:-1])).astype(np.int64)

    def document(self, byte: int) -> int:
        """The document of a byte."""
        return min(int(np.searchsorted(self.ends, byte, side="right")), max(0, len(self.ends) - 1))

    def shown(self, start: int, end: int) -> str:
        """Some bytes as text."""
        return repr(self.data[start : min(end, start + 24)].decode("utf-8", "backslashreplace"))


@dataclass
class Tiling:
    """Where each unit lies, and what is wrong with that.

    Attributes
    ----------
    start, end
        The bytes of each unit, as the table has them.
    counts
        Which units are part of the text's cost: they lie in the text and stand for bytes of it.
    special
        Units that stand for no byte.
    unpaid
        How many bytes are in no unit.
    findings
        Gaps, overlaps, and units outside of the text.
    laid
        How pieces were laid over the text, where there are pieces or ids.
    units
        The bytes of each unit as the table writes them; None without pieces and ids.
    """

    start: Ints
    end: Ints
    counts: Bools
    special: Bools
    unpaid: int = 0
    findings: list[Finding] = field(default_factory=list)
    laid: Laid | None = None
    units: list[bytes] | None = None


def tile(columns: TableColumns, text: RawText, units: Units | None, name: str) -> Tiling:
    """Lay a table over its text."""
    laid, written = _laid(columns, text, units, name)
    if columns.start is not None and columns.end is not None:
        start, end = _absolute(columns, text)
        found = _tiled(start, end, text)
        if written is not None:
            _hold_against(written, found, text)
            led = [i for i in np.flatnonzero(found.special).tolist() if written[i] == b" "]
            _count_led(found, [i for i in led if int(start[i]) in set(text.starts.tolist())])
        found.units = written
        return found
    assert laid is not None, "read_columns asks for spans, pieces or ids"
    found = _tiled(laid.start, laid.end, text, at_most=None if laid.broken is None else laid.broken[0])
    found.laid, found.units = laid, written
    _count_led(found, laid.led)
    _name_faults(laid, found, text)
    if laid.broken is not None:
        unit, at = laid.broken
        assert written is not None, "they were laid"
        found.findings.insert(
            0,
            Finding(
                "bytes",
                f"unit {unit} of the table, {written[unit].decode('utf-8', 'backslashreplace')!r:.40}, is not what the "
                f"text has here, {text.shown(at, at + 24)}",
                byte=at,
                document=text.document(at),
                unit=text.shown(at, at + 8),
            ),
        )
    return found


def _count_led(found: Tiling, led: list[int]) -> None:
    """The space that a tokenizer puts before a document is a unit that the model predicts, though it has no byte."""
    found.counts[led] = True
    found.special[led] = False


def _laid(
    columns: TableColumns, text: RawText, units: Units | None, name: str
) -> tuple[Laid | None, list[bytes] | None]:
    """The units laid over the text by their pieces or their ids, in the way that fits best."""
    spans = columns.start is not None and columns.end is not None
    if columns.pieces is not None:
        ways = piece_ways(columns.pieces, name)
    elif columns.ids is not None and units is not None and units.token_bytes is not None:
        ids, tokens = columns.ids, units.token_bytes
        ways = {f"the bytes of {units.name}": lambda: tokenizer_bytes(ids, tokens, units.name)}
    elif columns.ids is not None and units is not None and units.joins:
        ids = columns.ids
        ways = {f"the bytes of {units.name}": lambda: [units.join([unit]) for unit in ids.tolist()]}
    elif not spans:
        message = f"{name} has ids and no pieces or offsets; say what the ids are: --units tokenizer:FILE, or bytes"
        raise FileFormatError(message, value=name)
    else:
        return None, None
    first = _first_units(columns, text)
    best: tuple[int, str, Laid, list[bytes]] | None = None
    for way, read in ways.items():
        written = read()
        laid = lay(written, text.data, text.starts, first)
        if best is None or laid.faults < best[0]:
            best = laid.faults, way, laid, written
        if best[0] == 0:
            break
    assert best is not None, "there is a way"
    _, way, laid, written = best
    columns.assumptions.append(f"units are read as {way}")
    if laid.led and not spans:
        columns.assumptions.append(
            f"the space before {len(laid.led):,} documents' first units is the tokenizer's and not the text's"
        )
    return laid, written


def _first_units(columns: TableColumns, text: RawText) -> Ints | None:
    """The first unit of each document, where the table says it and has as many documents as the text."""
    if columns.doc is None or not len(columns.doc):
        return None
    changes = np.flatnonzero(np.diff(columns.doc) != 0) + 1
    first = np.concatenate(([0], changes)).astype(np.int64)
    if len(first) != len(text.ends):
        columns.assumptions.append(
            f"the table has {len(first):,} documents and the text {len(text.ends):,}, so its documents are ignored"
        )
        return None
    return first


def _absolute(columns: TableColumns, text: RawText) -> tuple[Ints, Ints]:
    """Offsets in bytes of the whole text, from those of the table."""
    start, end = columns.start, columns.end
    assert start is not None
    assert end is not None, "asked for both"
    first = _first_units(columns, text)
    if first is not None and len(first) > 1 and (start[first] == 0).all():
        columns.assumptions.append("start and end are offsets within each document")
        shift = np.repeat(text.starts, np.diff(np.append(first, len(start))))
        _refuse_characters(text, end, first)
        return start + shift, end + shift
    columns.assumptions.append("start and end are offsets in the whole text")
    lengths = text.data.decode("utf-8", "surrogateescape")
    if len(lengths) != len(text.data) and len(end) and int(end.max()) == len(lengths):
        columns.assumptions.append("start and end count characters, not bytes: they end where the characters do")
        sizes = np.fromiter((len(c.encode("utf-8", "surrogateescape")) for c in lengths), np.int64, len(lengths))
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        inside = (start >= 0) & (end <= len(lengths)) & (start <= end)
        return (
            np.where(inside, offsets[np.clip(start, 0, len(lengths))], start),
            np.where(inside, offsets[np.clip(end, 0, len(lengths))], end),
        )
    return start, end


def _refuse_characters(text: RawText, end: Ints, first: Ints) -> None:
    """Offsets within documents that end where the characters of every document do are not offsets of bytes."""
    last = np.append(first[1:], len(end)) - 1
    sizes = np.diff(np.concatenate(([0], text.ends)))
    pairs = zip(text.starts.tolist(), text.ends.tolist(), strict=True)
    chars = np.array([len(text.data[a:b].decode("utf-8", "surrogateescape")) for a, b in pairs], dtype=np.int64)
    if (chars != sizes).any() and (end[last] == chars).all():
        message = "start and end count characters within documents; write byte offsets: len(text[:i].encode())"
        raise FileFormatError(message)


def _tiled(start: Ints, end: Ints, text: RawText, at_most: int | None = None) -> Tiling:
    """What is wrong with spans: units outside, bytes in no unit, bytes in two."""
    size = len(text.data)
    outside = (start < 0) | (end > size) | (end < start)
    special = ~outside & (start == end)
    counts = ~outside & ~special
    if at_most is not None:
        counts[at_most:] = False
        special[at_most:] = False
    found = Tiling(start, end, counts, special)
    if outside.any():
        at = int(np.argmax(outside))
        found.findings.append(
            Finding(
                "bytes",
                f"{plural(int(outside.sum()), 'unit lies', 'units lie')} outside of the text of "
                f"{plural(size, 'byte', 'bytes')}; the first is unit "
                f"{at} at {start[at]} to {end[at]}",
                byte=max(0, min(int(start[at]), size)),
            )
        )
    inside = np.flatnonzero(counts)
    order = inside[np.argsort(start[inside], kind="stable")]
    if (order != inside).any():
        at = int(inside[np.argmax(order != inside)])
        found.findings.append(
            Finding(
                "bytes",
                f"units are not in the order of the text; the first out of order is unit {at}",
                "note",
                byte=int(start[at]),
            )
        )
    ends = np.concatenate(([0], end[order])).astype(np.int64)
    reached = np.maximum.accumulate(ends)[:-1]
    begins = start[order]
    gaps, twice = begins > reached, begins < reached
    _gaps(found, text, gaps, begins, reached, int(ends.max(initial=0)))
    if any(one.severity == "unsound" for one in found.findings):
        _name_shift(found, size)
    if twice.any():
        at = int(np.argmax(twice))
        again = int(np.minimum(reached - begins, end[order] - begins)[twice].sum())
        found.findings.append(
            Finding(
                "bytes",
                f"{plural(again, 'byte is', 'bytes are')} in two units or more "
                f"({plural(int(twice.sum()), 'unit', 'units')}); each is paid once",
                byte=int(begins[at]),
                document=text.document(int(begins[at])),
                unit=text.shown(int(begins[at]), int(end[order][at])),
            )
        )
    return found


#: What would have to be added to starts and ends, and what the offsets are then.
_SHIFTS = {
    (0, 1): "ends are those of the last byte of a unit; write the offset after it",
    (-1, -1): "offsets are counted from 1; count from 0",
    (-1, 0): "offsets are counted from 1, and ends are those of the last byte; write the offset after it, from 0",
    (1, 1): "offsets begin at −1; count from 0",
}


def _name_shift(found: Tiling, size: int) -> None:
    """Where all offsets would be right if they were shifted, say so."""
    for (by, until), said in _SHIFTS.items():
        order = np.argsort(found.start, kind="stable")
        start, end = found.start[order] + by, found.end[order] + until
        if len(start) and start[0] == 0 and end[-1] == size and (start[1:] == end[:-1]).all() and (end > start).all():
            found.findings.append(Finding("bytes", f"with a shift, the units partition the text: {said}", "note"))


def _gaps(found: Tiling, text: RawText, gaps: Bools, begins: Ints, reached: Ints, last: int) -> None:
    size = len(text.data)
    found.unpaid = int((begins - reached)[gaps].sum()) + max(0, size - last)
    if not found.unpaid:
        return
    at = int(reached[np.argmax(gaps)]) if gaps.any() else last
    until = int(begins[np.argmax(gaps)]) if gaps.any() else size
    found.findings.append(
        Finding(
            "bytes",
            plural(found.unpaid, "byte is in no unit, so it is", "bytes are in no unit, so they are") + " not paid for",
            byte=at,
            document=text.document(at),
            unit=text.shown(at, until),
        )
    )


def _hold_against(written: list[bytes], found: Tiling, text: RawText) -> None:
    """Units with offsets and pieces: the pieces must be what lies there."""
    pairs = zip(found.start.tolist(), found.end.tolist(), written, found.counts.tolist(), strict=True)
    for index, (start, end, unit, counted) in enumerate(pairs):
        here = text.data[start:end]
        if counted and unit not in (here, b" " + here) and b"\xef\xbf\xbd" not in unit:
            found.findings.append(
                Finding(
                    "bytes",
                    f"unit {index} is written as {unit.decode('utf-8', 'backslashreplace')!r:.40}, and the "
                    f"text has {text.shown(start, end)} there",
                    byte=start,
                    document=text.document(start),
                )
            )
            return


def _name_faults(laid: Laid, found: Tiling, text: RawText) -> None:
    for units, one, more, what in (
        (laid.extra, "unit begins", "units begin", "with a space that the text does not have there"),
        (laid.missing, "unit lacks", "units lack", "the space that the text has before; it is counted to the unit"),
        (laid.replaced, "unit is", "units are", "written as U+FFFD, so that single bytes are not known"),
    ):
        if units:
            at = int(laid.start[units[0]])
            found.findings.append(
                Finding(
                    "bytes",
                    f"{plural(len(units), one, more)} {what}",
                    "note",
                    byte=at,
                    document=text.document(at),
                    unit=text.shown(at, int(laid.end[units[0]])),
                )
            )
