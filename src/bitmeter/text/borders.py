"""Where the units of an answer begin, behind those of the context that it is given.

A context and its answer are one document, so that the answer is predicted from the context. Which units are the
answer's is a convention where a unit lies across the border, as the tokens of some tokenizers do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.text.units.base import Split, Units

__all__ = ["BORDERS", "Answers", "answer_units", "split_apart", "without_contexts"]

#: How the border between a context and its answer is drawn, and what that means.
BORDERS = {
    "whole": "context and answer are split as one text; a unit across the border is the answer's",
    "apart": "context and answer are split each by itself, so that no unit lies across the border",
    "lm-eval": "white space at the end of the context is moved to the answer; context and answer are split as one "
    "text, of which the first units, as many as the context has by itself, are the context's",
}

_SPACE = b" \t\n\r\v\f"


@dataclass(frozen=True, slots=True)
class Answers:
    """Where answers begin among the units of a batch.

    Attributes
    ----------
    first
        For each document the index of the answer's first unit.
    across
        The number of units across a border that are the answer's.
    unpaid
        Bytes of answers that are white space behind the context's last word, in whose unit they are.
    """

    first: Ints
    across: int = 0
    unpaid: int = 0


def split_apart(units: Units, data: bytes, ends: Ints, context: Ints) -> Split:
    """The units of contexts and answers that are each split by themselves; a document is still both.

    Examples
    --------
    >>> from bitmeter.text.units.words import Words
    >>> split = split_apart(Words(), b"to be", np.array([5]), np.array([4]))
    >>> split.cuts.tolist(), split.bounds.tolist()
    ([0, 3, 4, 5], [0, 3])
    """
    starts = np.concatenate(([0], ends[:-1]))
    edges = np.column_stack([starts + context, ends]).ravel()
    found = units.split(data, edges)
    return Split(found.ids, found.cuts, found.bounds[::2].copy(), found.lossy)


def answer_units(split: Split, data: bytes, ends: Ints, context: Ints, units: Units, border: str) -> Answers:
    """Where the answers begin among the units of whole documents.

    Parameters
    ----------
    split
        The units, with the ends of documents where those are scored.
    data, ends
        The bytes of contexts and answers, and where each answer ends.
    context
        How many bytes of each document are its context.
    units
        Into what it was split.
    border
        One of `BORDERS`.

    Examples
    --------
    >>> from bitmeter.text.units.words import Words
    >>> data, words = b"to be or not", Words()
    >>> answer_units(words.split(data), data, np.array([12]), np.array([6]), words, "whole").first.tolist()
    [2]
    """
    begin, end = split.bounds[:-1], split.bounds[1:]
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
    edges = starts + context
    if border == "lm-eval":
        first = np.minimum(begin + _own_counts(units, data, starts, edges), end)
        inside = np.flatnonzero((first < end) & (context > 0))
        return Answers(first, int(np.count_nonzero(split.cuts[first[inside]] < edges[inside])))
    before = np.searchsorted(split.cuts[:-1], edges, side="left")
    first = np.clip(np.minimum(before, np.searchsorted(split.cuts[1:], edges, side="right")), begin, end)
    across = np.flatnonzero((first < end) & (split.cuts[np.minimum(first, len(split.cuts) - 2)] < edges))
    unpaid = 0
    if len(across) and not units.joins:
        behind = np.array(
            [not data[edges[j] : split.cuts[first[j] + 1]].strip(_SPACE) for j in across.tolist()], dtype=np.bool_
        )
        spaces = across[behind]
        unpaid = int((split.cuts[first[spaces] + 1] - edges[spaces]).sum())
        first[spaces] += 1
        across = across[~behind]
    return Answers(first, len(across), unpaid)


def _own_counts(units: Units, data: bytes, starts: Ints, edges: Ints) -> Ints:
    """How many units each context has by itself."""
    parts = [data[a:b] for a, b in zip(starts.tolist(), edges.tolist(), strict=True)]
    found = units.split(b"".join(parts), np.cumsum(np.array([len(part) for part in parts], dtype=np.int64)))
    return np.diff(found.bounds)


def without_contexts(split: Split, ends: Ints, context: Ints, first: Ints) -> tuple[Split, Ints, Ints]:
    """The answers alone: their units, where each ends in the bytes of all answers, and the indices of their units.

    Examples
    --------
    >>> from bitmeter.text.units.plain import Bytes
    >>> split = Bytes().split(b"to be or not", np.array([5, 12]))
    >>> own, ends, kept = without_contexts(split, np.array([5, 12]), np.array([3, 3]), np.array([3, 8]))
    >>> own.ids.tolist(), own.bounds.tolist(), ends.tolist()
    ([98, 101, 32, 110, 111, 116], [0, 2, 6], [2, 6])
    """
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)
    edges, left_out = starts + context, np.cumsum(context)
    counts = split.bounds[1:] - first
    bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    document = np.repeat(np.arange(len(counts)), counts)
    kept = np.arange(bounds[-1]) - bounds[document] + first[document] if len(document) else np.zeros(0, dtype=np.int64)
    begins = np.maximum(split.cuts[kept], edges[document]) - left_out[document]
    opening = bounds[:-1][counts > 0]
    own_ends = ends - left_out
    begins[opening] = np.concatenate(([0], own_ends[:-1]))[counts > 0]  # white space in the context's last unit, too
    size = np.array([own_ends[-1] if len(own_ends) else 0], dtype=np.int64)
    return Split(split.ids[kept], np.concatenate((begins, size)), bounds, split.lossy), own_ends, kept
