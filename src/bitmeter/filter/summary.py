"""What a filter did: counts by outcome, the histogram of the figure, the limits, and the signature."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bitmeter._util.check import integer
from bitmeter._util.files import replacing
from bitmeter._util.rendering import rendered
from bitmeter.filter.histogram import BELOW, Histogram, value_of
from bitmeter.filter.tally import Share, Tally
from bitmeter.measure.signature import Signature

__all__ = ["Example", "FilterSummary"]


@dataclass(frozen=True, slots=True)
class Example:
    """The document at a quantile.

    Attributes
    ----------
    share
        What share of all documents is up to here.
    value
        Its figure.
    file, row
        Where it is; rows count from 1.
    text
        How it begins.
    """

    share: float
    value: float
    file: str
    row: int
    text: str


@dataclass(frozen=True)
class FilterSummary:
    r"""What a filter did, or would do.

    Attributes
    ----------
    model
        By what documents were scored.
    by
        The figure that decided.
    rule
        How it decided, as JSON; with the limits that were computed.
    tally
        Counts and exact sums by outcome, histograms by language, bad records.
    signature
        The conventions of the figures.
    files, skipped
        How many files were read, and how many of them had been done before.
    failed
        Files that could not be read, and why.
    outputs
        The files that were written.
    aside
        Whether bad records were written to an output of their own.
    dry
        Whether nothing was written.
    examples
        Documents at the deciles, of a dry run.
    seconds
        How long it took.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = pathlib.Path(folder, "a.txt")
    ...     _ = text.write_bytes(b"to be or not to be\nxq zk vj wq zz kk qx\n")
    ...     found = bm.filter_corpus("zlib", text, pathlib.Path(folder, "out.txt"), keep="50%")
    >>> found.share("kept").documents, found.documents
    (1, 2)
    """

    model: str
    by: str
    rule: dict[str, Any]
    tally: Tally
    signature: Signature
    files: int
    skipped: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    outputs: tuple[str, ...] = ()
    aside: bool = False
    dry: bool = False
    examples: tuple[Example, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def documents(self) -> int:
        """All records that are not bad."""
        return sum(share.documents for share in self.tally.shares.values())

    @property
    def bytes(self) -> int:
        """The bytes of all texts."""
        return sum(share.bytes for share in self.tally.shares.values())

    @property
    def bad(self) -> int:
        """How many records could not be scored."""
        return self.tally.bad

    def share(self, label: str) -> Share:
        """The documents of one outcome: "kept", "dropped", "head", "middle", "tail", "all" or "unscored"."""
        return self.tally.shares.get(str(label), Share())

    def histogram(self, bins: int = 16) -> list[tuple[float, float, int]]:
        """How many documents there are between two values: from, to, number.

        Figures of zero have a row of their own, from 0 to 0; so have infinite ones, at the end.
        """
        return list(_grouped(self.tally.whole_histogram(), integer(bins, "bins", low=1, high=1 << 20)))

    def to_json(self) -> dict[str, Any]:
        """Everything, as JSON has it: infinite figures are strings."""
        shares = {}
        for name, share in self.tally.shares.items():
            nats = share.total_nats
            shares[name] = {
                "documents": share.documents, "bytes": share.bytes, "tokens": share.tokens, "nats": nats,
                "impossible": share.impossible,
            }  # fmt: skip
        return {
            "schema": "bitmeter.filter-summary/1",
            "model": self.model,
            "by": self.by,
            "rule": self.rule,
            "dry_run": self.dry,
            "documents": self.documents,
            "bytes": self.bytes,
            "outcomes": shares,
            "bad": {"records": self.bad, "first": self.tally.places},
            "histogram": [[_plain(low), _plain(high), count] for low, high, count in self.histogram(64)],
            "files": self.files,
            "skipped": self.skipped,
            "failed": [{"file": name, "reason": reason} for name, reason in self.failed],
            "outputs": list(self.outputs),
            "examples": [
                {"share": one.share, "value": _plain(one.value), "file": one.file, "row": one.row, "text": one.text}
                for one in self.examples
            ],
            "signature": str(self.signature),
            "seconds": self.seconds,
        }

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write it as JSON."""
        with replacing(path, force=force) as file:
            Path(file).write_text(json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def __str__(self) -> str:
        return rendered(self)


#: The bin of zero.
_ZERO = 1 << (63 - BELOW)


def _plain(value: float) -> float | str:
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


def _grouped(histogram: Histogram, bins: int) -> Iterator[tuple[float, float, int]]:
    """Neighbouring bins joined until there are few, each with about as wide a range of ranks of bins.

    Zero is apart: between it and the least figure are the bins of all small numbers.
    """
    places = sorted(histogram.counts)
    if not places:
        return
    finite = [place for place in places if math.isfinite(value_of(place << BELOW))]
    signs = [[place for place in finite if place < _ZERO], [place for place in finite if place > _ZERO]]
    spans = [range(part[0], part[-1] + 1) if part else range(0) for part in signs]
    width = max(1, -(-sum(map(len, spans)) // bins))
    for span in spans:
        if span is spans[1] and _ZERO in histogram.counts:
            yield 0.0, 0.0, histogram.counts[_ZERO]
        for start in span[::width]:
            stop = min(start + width, span.stop)
            count = sum(histogram.counts.get(place, 0) for place in range(start, stop))
            yield value_of(start << BELOW), value_of(stop << BELOW), count
    infinite = sum(histogram.counts[place] for place in places if place not in set(finite))
    if infinite:
        yield math.inf, math.inf, infinite
