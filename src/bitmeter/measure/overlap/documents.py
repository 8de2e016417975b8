"""Overlap by document, as a function for filters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import integer
from bitmeter.measure.overlap.counting import covered, join, runs_of
from bitmeter.measure.overlap.index import as_index
from bitmeter.measure.overlap.run import default_length
from bitmeter.text.corpus.corpus import Document, _bytes_of
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of

__all__ = ["overlap_columns"]


def overlap_columns(
    corpus: Any, *, length: int | None = None, unit: str | Units = "bytes", threads: int = 1
) -> Callable[[Iterable[str | bytes | Document]], dict[str, Floats | Ints]]:
    """A function from documents to columns: the share of each that stands in a corpus, and its longest match.

    Parameters
    ----------
    corpus
        An `OverlapIndex`, the path of one, or a corpus, which is then indexed.
    length, unit, threads
        As for `overlap`.

    Examples
    --------
    >>> columns = overlap_columns(b"to be or not to be", length=5)
    >>> {name: values.tolist() for name, values in columns(["or not", "nothing"]).items()}
    {'overlap': [1.0, 0.0], 'longest_match': [6, 3]}
    """
    index = as_index(corpus, None, None, None, None, None)
    units = units_of(unit)
    least = default_length(units.name) if length is None else integer(length, "length", low=1)
    many = integer(threads, "threads", low=0, high=1024)

    def columns(documents: Iterable[str | bytes | Document]) -> dict[str, Floats | Ints]:
        texts = [
            document.data if isinstance(document, Document) else _bytes_of(document, f"documents[{place}]")
            for place, document in enumerate(documents)
        ]
        if not texts:
            return {"overlap": np.zeros(0), "longest_match": np.zeros(0, dtype=np.int64)}
        text = join(texts)
        lengths = index._lengths(text.data, -1, many)
        runs = runs_of(text, lengths, units)
        sums = np.concatenate(([0], np.cumsum(covered(runs.sizes, least)[0])))
        hits, sizes = np.diff(sums[runs.bounds]), np.diff(runs.bounds)
        longest = np.maximum.reduceat(np.append(lengths, np.uint32(0)), text.starts).astype(np.int64)
        return {"overlap": hits / np.maximum(sizes, 1), "longest_match": longest}

    return columns
