"""Where words are in a text: between white space, by the rules and dictionaries of ICU, or as someone gives them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeAlias

from bitmeter._util.optional import is_absent, require
from bitmeter.errors import ChoiceError, InputError

__all__ = ["SEGMENTS", "Segment", "between_spaces", "by_icu", "check_unspaced", "segment_of", "segment_value"]

#: From the bytes of a document to the offsets of its words, ascending.
Segment: TypeAlias = Callable[[bytes], Sequence[tuple[int, int]]]
#: What words can be.
SEGMENTS = ("space", "icu")

#: The form of a locale: a language, then a script, a country or variants. ICU takes any other for the root's.
_LOCALE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_WORD = re.compile(rb"[^\t\n\v\f\r ]+")
#: Letters of scripts that put no space between words, and how many in a row are more than a word. Then the same without
#: katakana, of which loanwords are: how many in an entry between spaces are more than a word, and how many on average
#: over a document are more than words.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_INDIC = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_UNSPACED = (
    (re.compile(f"[\u3040-\u30ff{_HAN}]+"), 8, re.compile(f"[\u3040-\u309f{_HAN}]"), 6, 4),
    (re.compile(f"[{_INDIC}]+"), 24, re.compile(f"[{_INDIC}]"), 24, 12),
)
#: A stop or comma of these scripts within an entry: what is before it and behind it are two words at least.
_STOP = re.compile(f"[\u3040-\u30ff{_HAN}][\u3001\u3002\uff01\uff0c\uff1b\uff1f]+[\u3040-\u30ff{_HAN}]")


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
    for letters, longest, counted, most, mean in _UNSPACED:
        for found in letters.finditer(text):
            if len(found[0]) > longest:
                _refuse(name, found[0], len(found[0]))
        entries = [(entry, len(counted.findall(entry))) for entry in text.split()]
        entries = [(entry, count) for entry, count in entries if count]
        worst = max(entries, key=lambda pair: pair[1], default=("", 0))
        if worst[1] > most or sum(count for _, count in entries) > mean * len(entries):
            _refuse(name, *worst)
    if stop := _STOP.search(text):
        entry = next(entry for entry in text.split() if stop[0] in entry)
        _refuse(name, entry, len(entry))


def _refuse(name: str, entry: str, letters: int) -> NoReturn:
    message = (
        f"{name}: {entry[:12]!r}… has {letters} letters without a space, of a script that puts "
        "none between words, so that words between spaces would be whole sentences. Give the words: "
        "--words icu finds them (icu4py), or --delimiter '|', or one row per word with --word COLUMN"
    )
    raise InputError(message, value=entry)


def by_icu(locale: str = "") -> Segment:
    """Words as ICU finds them, for Chinese, Japanese, Thai and others by a dictionary; punctuation joins a word.

    Parameters
    ----------
    locale
        The language, such as "ja"; "" for that of the root, which knows these scripts, too.
    """
    if locale and not _LOCALE.fullmatch(locale):
        message = f"{locale!r:.40} is no locale; type that of a language, such as icu:ja or icu:zh_TW"
        raise ChoiceError(message, value=locale)
    breaker = require("icu4py.breakers", "Finding words by ICU").WordBreaker

    def spans(data: bytes) -> list[tuple[int, int]]:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            message = (
                f"byte {error.start:,} of the document is not UTF-8, so that ICU cannot give offsets in it; "
                "mend it first (iconv -f latin1 -t utf-8), or give the words by --delimiter or --word"
            )
            raise InputError(message, value=data[error.start : error.start + 8]) from error
        found: list[tuple[int, int]] = []
        offset = 0
        opens = False  # whether the last entry is punctuation alone, which the next word follows
        for piece in breaker(text, locale):
            stop = offset + len(piece.encode())
            if piece.strip():
                sign = not any(map(str.isalnum, piece))
                # Punctuation belongs to the word before it, or to that behind it if there is a space before.
                if found and found[-1][1] == offset and (sign or opens):
                    found[-1] = (found[-1][0], stop)
                    opens = opens and sign
                else:
                    found.append((offset, stop))
                    opens = sign
            offset = stop
        return found

    return spans


def segment_value(name: str) -> str:
    """A segmentation as a signature has it: that of ICU with its version, because dictionaries change.

    Examples
    --------
    >>> segment_value("space")
    'space'
    """
    head, _, locale = name.partition(":")
    if head != "icu":
        return name
    version = require("icu4py", "Finding words by ICU").icu_version
    return f"icu-{version}:{locale}" if locale else f"icu-{version}"


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
        more = "" if not is_absent("icu4py") else " (which needs icu4py)"
        message = f"words is {name!r:.40}; it must be 'space', or 'icu' or 'icu:LOCALE'{more}"
        raise ChoiceError(message, value=name)
    return between_spaces
