"""What `overlap` finds: coverage, by document and by source, and the longest matches."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from bitmeter._util.arrays import Ints
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.rendering import InNotebooks, rendered

__all__ = ["Overlap", "OverlapMatch", "OverlapSource"]


@dataclass(frozen=True, slots=True)
class OverlapMatch:
    """A string of the text that stands in the corpus too.

    Attributes
    ----------
    document, offset
        Where it stands in the text: the document, and the first byte there.
    bytes, units
        How long it is.
    source, source_offset
        Where it first stands in the corpus.
    excerpt
        How it begins.
    """

    document: str
    offset: int
    bytes: int
    units: int
    source: str
    source_offset: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class OverlapSource:
    """A document of the corpus from which matches come.

    Attributes
    ----------
    name
        The document.
    units
        How many units of the text are covered by matches that first stand in it.
    matches
        How many such matches there are.
    """

    name: str
    units: int
    matches: int


@dataclass(frozen=True, slots=True, eq=False)
class Overlap(Tabular, InNotebooks):
    """How much of a text stands in a corpus.

    Attributes
    ----------
    text, corpus
        What they are called; `corpus` is "" where the text was searched in itself.
    unit, length
        A match counts if it holds at least so many of these units.
    bytes, units, covered
        Of the text: its bytes, its units, and how many units lie in a match.
    longest
        The longest match, in bytes; matches beyond 1 MiB are not followed.
    curve
        (length, covered) for other lengths.
    names
        The documents of the text.
    document_bytes, document_units, document_covered, document_longest
        The same figures of each document.
    document_sources
        Where the longest match of each document that counts first stands in the corpus; "" if it has none.
    matches
        The longest matches, no two of which overlap in the text.
    sources
        The documents of the corpus from which most comes.

    Examples
    --------
    >>> import bitmeter as bm
    >>> corpus = bm.Corpus.from_documents(["the quick brown fox jumps over the lazy dog"])
    >>> found = bm.overlap(b"a quick brown fox, and more", corpus, length=10)
    >>> found.covered, round(found.coverage, 4), found.longest
    (16, 0.5926, 16)
    >>> found.matches[0].source, found.matches[0].source_offset, found.matches[0].excerpt
    ('documents:1', 3, ' quick brown fox')
    """

    text: str
    corpus: str
    unit: str
    length: int
    bytes: int
    units: int
    covered: int
    longest: int
    curve: tuple[tuple[int, int], ...]
    names: tuple[str, ...]
    document_bytes: Ints
    document_units: Ints
    document_covered: Ints
    document_longest: Ints
    document_sources: tuple[str, ...]
    matches: tuple[OverlapMatch, ...]
    sources: tuple[OverlapSource, ...]

    @property
    def coverage(self) -> float:
        """The share of units that lie in a match; 0 for a text without units."""
        return self.covered / self.units if self.units else 0.0

    @property
    def documents(self) -> int:
        """How many documents the text has."""
        return len(self.names)

    @property
    def touched(self) -> int:
        """How many documents have a match."""
        return int((self.document_covered > 0).sum())

    def rows(self) -> list[dict[str, Any]]:
        """One record per document.

        Examples
        --------
        >>> import bitmeter as bm
        >>> found = bm.overlap(bm.Corpus.from_documents(["to be or", "x"]), b"to be or not to be", length=5)
        >>> found.rows()[0]["coverage"], found.rows()[0]["longest"], found.rows()[1]["coverage"]
        (1.0, 8, 0.0)
        """
        columns = zip(
            self.names,
            self.document_bytes.tolist(),
            self.document_units.tolist(),
            self.document_covered.tolist(),
            self.document_longest.tolist(),
            self.document_sources,
            strict=True,
        )
        return [
            {"document": name, "bytes": size, "units": units, "covered": covered,
             "coverage": covered / units if units else 0.0, "longest": longest, "source": source}
            for name, size, units, covered, longest, source in columns
        ]  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision."""
        return {
            "schema": "bitmeter.overlap/1",
            "text": self.text,
            "corpus": self.corpus or None,
            "unit": self.unit,
            "length": self.length,
            "bytes": self.bytes,
            "units": self.units,
            "covered": self.covered,
            "coverage": self.coverage,
            "longest": self.longest,
            "documents": self.documents,
            "documents_with_match": self.touched,
            "curve": [{"length": length, "covered": covered} for length, covered in self.curve],
            "matches": [asdict(match) for match in self.matches],
            "sources": [asdict(source) for source in self.sources],
            "by_document": self.rows(),
        }

    def to_columns(self) -> dict[str, Column]:
        """One row per document, for `to_pandas`, `to_polars` and `to_arrow`.

        Examples
        --------
        >>> import bitmeter as bm
        >>> found = bm.overlap(bm.Corpus.from_documents(["to be or", "x"]), b"to be or not to be", length=5)
        >>> found.to_columns()["coverage"].tolist()
        [1.0, 0.0]
        """
        return {
            "document": list(self.names), "bytes": self.document_bytes, "units": self.document_units,
            "covered": self.document_covered, "coverage": self.document_covered / self.document_units.clip(min=1),
            "longest": self.document_longest, "source": list(self.document_sources),
        }  # fmt: skip

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return rendered(self)

    def __repr__(self) -> str:
        where = self.corpus or "itself"
        return f"Overlap({self.text} in {where}: {100.0 * self.coverage:.2f} % of {self.units:,} {self.unit})"
