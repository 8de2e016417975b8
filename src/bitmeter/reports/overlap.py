"""Overlap as text: coverage, the longest matches, and where they come from."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from bitmeter._util.width import line_width
from bitmeter.measure.overlap.result import Overlap
from bitmeter.reports.figures import folded, short_names
from bitmeter.reports.layout import fitted
from bitmeter.reports.tables import plain_table

__all__ = ["describe_overlap"]

#: So many matches, sources and documents are shown.
_SHOWN = 5
#: The longest match that is followed.
_LONGEST = 1 << 20


def describe_overlap(found: Overlap) -> str:
    """The summary, the coverage by length of match, the sources and the longest matches, within 80 columns."""
    where = "itself" if not found.corpus else _short(found.corpus)
    lines = [f"{_cut(_short(found.text), 38)} in {_cut(where, 38)}", *_summary(found), ""]
    unit = _plural(found)
    curve = plain_table(
        [(f"matches of at least … {unit}", "right"), (f"{unit} covered", "right"), ("share", "right")],
        [
            [f"{length:,}{' *' if length == found.length else '  '}", f"{hits:,}", _percent(hits, found.units)]
            for length, hits in _until_zero(found)
        ],
    )
    lines += [*_printed(curve), f"* counts as a match (--length {found.length})"]
    if found.sources:
        rows = [
            [_cut(source.name, 40), f"{source.units:,}", _percent(source.units, found.units), f"{source.matches:,}"]
            for source in found.sources[:_SHOWN]
        ]
        head = [("comes from", "left"), (unit, "right"), ("share", "right"), ("matches", "right")]
        lines += ["", *_printed(plain_table(head, rows))]
    if found.matches:
        head = [("longest", "right"), ("at", "left"), ("first stands at", "left"), ("begins", "left")]
        matches = [
            [_size(match.bytes), _at(match.document, match.offset), _at(match.source, match.source_offset),
             _cut(match.excerpt.strip(), 22, end=True)]
            for match in found.matches[:_SHOWN]
        ]  # fmt: skip
        lines += ["", *_printed(plain_table(head, matches))]
    return "\n".join(lines)


def _summary(found: Overlap) -> list[str]:
    unit = _plural(found)
    share = _percent(found.covered, found.units)
    lines = [
        *folded("covered", f"{share} of {found.units:,} {unit}, by matches of {found.length:,} or more", 13),
        *folded("documents", f"{found.touched:,} of {found.documents:,} have a match", 13),
        *folded("longest", f"{_size(found.longest)} bytes", 13),
    ]
    if found.documents > 1 and found.touched:
        worst = int((found.document_covered / found.document_units.clip(min=1)).argmax())
        share = _percent(int(found.document_covered[worst]), int(found.document_units[worst]))
        lines.append(f"most in      {_cut(found.names[worst], 50)} ({share})")
    return lines


def _until_zero(found: Overlap) -> list[tuple[int, int]]:
    """The curve as far as something is covered, and the length that counts."""
    return [(length, hits) for length, hits in found.curve if hits or length <= found.length]


def _plural(found: Overlap) -> str:
    kind = found.unit.partition(":")[0]
    return {"tokenizer": "tokens", "sentencepiece": "tokens", "unicode-words": "words"}.get(kind, kind)


def _percent(part: int, whole: int) -> str:
    return f"{100.0 * part / whole:.2f} %" if whole else "–"


def _size(size: int) -> str:
    return f"{size:,}{' or more' if size >= _LONGEST else ''}"


def _at(name: str, offset: int) -> str:
    return f"{_cut(name, 12)} {offset:,}"


def _short(name: str) -> str:
    return short_names([name])[name]


def _cut(text: str, most: int, *, end: bool = False) -> str:
    """A text that is too long loses its beginning, where names are alike; with `end`, its end."""
    if len(text) <= most:
        return text
    return f"{text[: most - 1]}…" if end else f"…{text[1 - most :]}"


def _printed(table: Table) -> list[str]:
    console = Console(width=400, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as capture:
        for part in fitted(table, line_width()):
            console.print(part)
    return [line.rstrip() for line in capture.get().splitlines()]
