"""Strings as bytes."""

from __future__ import annotations

__all__ = ["encode"]


def encode(text: str) -> bytes:
    r"""A string as bytes, whatever it holds.

    Lone surrogates U+DC80 to U+DCFF become the bytes that Python's "surrogateescape" made them from; other lone
    surrogates are encoded as UTF-8 would if it allowed them. Both count as invalid bytes.

    Examples
    --------
    >>> encode("é"), encode(b"\xff!".decode("utf-8", "surrogateescape"))
    (b'\xc3\xa9', b'\xff!')
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        return b"".join(
            char.encode("utf-8", "surrogateescape" if "\udc80" <= char <= "\udcff" else "surrogatepass")
            for char in text
        )
