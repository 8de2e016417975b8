"""The text of a trace, and where its units and documents lie in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.errors import InputError
from bitmeter.measure.signature import JOINED_TEXT
from bitmeter.measure.trace.trace import Trace

__all__ = ["TracedText", "offsets_of", "traced_text"]


def offsets_of(lengths: Ints) -> Ints:
    """The offset of each unit's first byte in the whole text; units come in the order of the text, without a gap."""
    return np.asarray(np.cumsum(lengths) - lengths, dtype=np.int64)


@dataclass(frozen=True, slots=True)
class TracedText:
    """The bytes of a text, the offsets of the units in it, and where its documents end."""

    data: bytes
    #: One more than there are units.
    cuts: Ints
    #: One per document, empty ones included.
    ends: Ints


def traced_text(trace: Trace, documents: int | None = None) -> TracedText:
    r"""The text of a trace; an InputError if it is not the text that its signature names.

    Examples
    --------
    >>> import bitmeter as bm
    >>> text = traced_text(bm.score("kt", b"one\ntwo\n", docs="line").trace)
    >>> text.data, text.ends.tolist(), len(text.cuts)
    (b'one\ntwo\n', [4, 8], 9)
    """
    data, cuts = trace.text
    doc = trace.doc
    lengths = np.diff(cuts)
    number = (int(doc[-1]) + 1 if len(doc) else 0) if documents is None else documents
    sums = np.bincount(doc, lengths, number).astype(np.int64) if len(doc) else np.zeros(number, dtype=np.int64)
    hashed, _, size = trace.signature.text.removeprefix("sha256-").partition(".")
    if "+" not in trace.signature.text and not trace.signature.text.startswith(JOINED_TEXT) and hashed:
        own = hashlib.sha256(data).hexdigest()
        if not own.startswith(hashed) or size != str(len(data)):
            message = (
                f"the bytes of this trace are not the text of its signature (sha256 {own[: len(hashed)]}, "
                f"{len(data):,} bytes, instead of {hashed}, {size}); write the trace again with --trace"
            )
            raise InputError(message)
    return TracedText(data, np.asarray(cuts, dtype=np.int64), np.cumsum(sums).astype(np.int64))
