"""Where words are in a text: between white space, by the rules and dictionaries of ICU, or as someone gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from bitmeter._util.optional import is_absent, require
from bitmeter.errors import ChoiceError, InputError

__all__ = ["SEGMENTS", "Segment", "between_spaces", "by_icu", "check_unspaced", "segment_of"]

#: From the bytes of a document to the offsets of its words, ascending.
Segment: TypeAlias = Callable[[bytes], Sequence[tuple[int, int]]]
#: What words can be.
SEGMENTS = ("space", "icu")

#: ICU's status of a segment: below it are white space and punctuation.
_WORDS_FROM = 100
_WORD = re.compile(rb"[^\t\n\v\f\r ]+")
#: Letters of scripts that put no space between words, and how many in a row are more than a word.
_UNSPACED = (
    (re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"), 8),
    (re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"), 24),
)


def between_spaces(data: bytes) -> list[tuple[int, int]]:
    """Words between white space.

    Examples
    --------
    >>> between_spaces(b"to be, or")
    [(0, 2), (3, 6), (7, 9)]
    """
    return [found.span() for found in _WORD.finditer(data)]


def check_unspaced(data: bytes, name: str) -> None:
    """Refuse a text whose script puts no spaces between words, where words would be whole sentences."""
    if data.isascii():
        return
    text = data.decode("utf-8", "surrogateescape")
    for letters, most in _UNSPACED:
        for found in letters.finditer(text):
            if len(found[0]) > most:
                message = (
                    f"{name}: {found[0][:12]!r}… has {len(found[0])} letters without a space, of a script that puts "
                    "none between words, so that words between spaces would be whole sentences. Give the words: "
                    "--words icu finds them (PyICU), or --delimiter '|', or one row per word with --word COLUMN"
                )
                raise InputError(message, value=found[0])


def by_icu(locale: str = "") -> Segment:
    """Words as ICU finds them, for Chinese, Japanese, Thai and others by a dictionary; punctuation joins a word.

    Parameters
    ----------
    locale
        The language, such as "ja"; "" for that of the root, which knows these scripts, too.
    """
    icu = require("icu", "Finding words by ICU")

    def spans(data: bytes) -> list[tuple[int, int]]:
        text = data.decode("utf-8", "replace")
        if len(text.encode()) != len(data):
            message = "the text has bytes that are not UTF-8, so that ICU cannot give offsets in it; mend them first"
            raise InputError(message)
        breaker = icu.BreakIterator.createWordInstance(icu.Locale(locale))
        whole = icu.UnicodeString(text)
        breaker.setText(whole)
        found: list[tuple[int, int]] = []
        begin = offset = 0
        opens = False  # whether the last entry is punctuation alone, which the next word follows
        for end in breaker:
            piece = str(whole[begin:end])
            stop = offset + len(piece.encode())
            if piece.strip():
                sign = breaker.getRuleStatus() < _WORDS_FROM
                # Punctuation belongs to the word before it, or to that behind it if there is a space before.
                if found and found[-1][1] == offset and (sign or opens):
                    found[-1] = (found[-1][0], stop)
                    opens = opens and sign
                else:
                    found.append((offset, stop))
                    opens = sign
            begin, offset = end, stop
        return found

    return spans


def segment_of(name: str) -> Segment:
    """The segmentation of a name: "space", "icu", or "icu:LOCALE".

    Examples
    --------
    >>> segment_of("space")(b"a b")
    [(0, 1), (2, 3)]
    """
    head, _, locale = name.partition(":")
    if head == "icu":
        return by_icu(locale)
    if name != "space":
        more = "" if not is_absent("icu") else " (which needs PyICU)"
        message = f"words is {name!r:.40}; it must be 'space', or 'icu' or 'icu:LOCALE'{more}"
        raise ChoiceError(message, value=name)
    return between_spaces
