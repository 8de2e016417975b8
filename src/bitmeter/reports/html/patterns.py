"""Which kind of text each byte belongs to: spaces, newlines, URLs, numbers, words, code."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Ints

__all__ = ["PATTERNS", "pattern_of_bytes", "pattern_of_segments"]

#: Name and regular expression, tried in this order at each character.
_RULES = (
    ("URL", r"(?:https?://|www\.)[^\s<>\"']+"),
    ("number", r"\d+(?:[.,:]\d+)*"),
    ("identifier", r"[A-Za-z0-9]*_\w*|[a-z]+[A-Z][A-Za-z0-9_]*(?![^\W\d_])"),
    ("non-ASCII word", r"[A-Za-z]*(?![A-Za-z])[^\W\d_](?:[^\W\d_]|['’](?=[^\W\d_]))*"),
    ("capitalised word", r"[A-Z](?:[A-Za-z]|['’](?=[A-Za-z]))*"),
    ("word", r"[a-z](?:[A-Za-z]|['’](?=[A-Za-z]))*"),
    ("several newlines", r"\n(?:[ \t\r]*\n)+"),
    ("newline", r"\r?\n"),
    ("tab or return", r"[\t\r]+"),
    ("several spaces", r"  +"),
    ("space", r" "),
    ("code punctuation", r"[{}\[\]<>=+*/\\|&^%$#@~`_]"),
    ("punctuation", r"[!-~]"),
    ("other ASCII", r"[\x00-\x7f]"),
    ("other non-ASCII", r"[^\x00-\x7f]"),
)
PATTERNS = tuple(name for name, _ in _RULES)
#: What a segment is not called after if it has anything else.
_BLANK = tuple(
    PATTERNS.index(name) for name in ("several newlines", "newline", "tab or return", "several spaces", "space")
)
_WHOLE = re.compile("|".join(f"({rule})" for _, rule in _RULES))


def pattern_of_bytes(data: bytes) -> NDArray[np.uint8]:
    """The index of the pattern of each byte, as `PATTERNS` has them; what is not UTF-8 is "other non-ASCII".

    Examples
    --------
    >>> [PATTERNS[k] for k in pattern_of_bytes(b"to 42")]
    ['word', 'word', 'space', 'number', 'number']
    """
    text = data.decode("utf-8", "surrogateescape")
    spans = [(match.end(), match.lastindex or 1) for match in _WHOLE.finditer(text)]
    if not spans:
        return np.zeros(0, dtype=np.uint8)
    ends, kinds = np.array(spans, dtype=np.int64).T
    if len(text) != len(data):
        ends = _byte_offsets(text)[ends]
    return np.repeat((kinds - 1).astype(np.uint8), np.diff(ends, prepend=0))


def _byte_offsets(text: str) -> Ints:
    """The byte offset of each character, one more than there are; a byte that is not UTF-8 is one character."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    sizes = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    sizes[(codes >= 0xDC80) & (codes <= 0xDCFF)] = 1
    return np.append(0, np.cumsum(sizes))


def pattern_of_segments(kinds: NDArray[np.uint8], cuts: Ints) -> NDArray[np.uint8]:
    r"""The pattern of each segment: that of its first byte that is not white space, else of its first byte.

    Examples
    --------
    >>> kinds = pattern_of_bytes(b" word\n")
    >>> [PATTERNS[k] for k in pattern_of_segments(kinds, np.array([0, 5, 6]))]
    ['word', 'newline']
    """
    if len(cuts) < 2:
        return np.zeros(0, dtype=np.uint8)
    full = np.append(np.flatnonzero(~np.isin(kinds, _BLANK)), len(kinds))
    first = full[np.searchsorted(full, cuts[:-1])]
    return kinds[np.where(first < cuts[1:], first, cuts[:-1])]
