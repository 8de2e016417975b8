"""Readable twins of the normalisers that perplexity filters have, from their rules, in Python's own Unicode."""

from __future__ import annotations

import re
import unicodedata

#: From, to: the list that CCNet, edugp, ROOTS and datatrove share.
PUNCTUATION = {
    "\uff0c": ",", "\u3002": ".", "\u3001": ",", "\u201e": '"', "\u201d": '"', "\u201c": '"', "\xab": '"', "\xbb": '"',
    "\uff11": '"', "\u300d": '"', "\u300c": '"', "\u300a": '"', "\u300b": '"', "\xb4": "'", "\u2236": ":",
    "\uff1a": ":", "\uff1f": "?", "\uff01": "!", "\uff08": "(", "\uff09": ")", "\uff1b": ";", "\u2013": "-",
    "\u2014": " - ", "\uff0e": ". ", "\uff5e": "~", "\u2019": "'", "\u2026": "...", "\u2501": "-",
    "\u3008": "<", "\u3009": ">", "\u3010": "[", "\u3011": "]", "\uff05": "%", "\u25ba": "-",
}  # fmt: skip
SPACES = dict.fromkeys(map(ord, "\u2009\u200a\u202f\u2005\u3000\u2002\xa0\u2008\u2003\ufffc"), " ")
CONTROLS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)])
NUMBER = re.compile("\\d+(?:[.,\u060c\u066b\u2396-\u2398]\\d+)?")


def plain(text: str) -> str:
    """Punctuation by the list, and no control characters."""
    return "".join(PUNCTUATION.get(char, char) for char in text).translate(CONTROLS)


def zeros(text: str) -> str:
    """Each decimal digit of any alphabet is 0."""
    return "".join("0" if char.isdecimal() else char for char in text)


def unaccented(text: str) -> str:
    """Decomposed, without nonspacing marks."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.category(char) != "Mn")


def ccnet(text: str) -> str:
    """Strip first; control characters, newlines among them, go last and leave nothing."""
    return plain(zeros(unaccented(text.strip().lower())))


def edugp(text: str) -> str:
    """The same with case and accents."""
    return plain(zeros(text.strip()))


def roots(text: str) -> str:
    """Control characters go first, so that white space behind them is stripped, too."""
    return plain(zeros(text.translate(CONTROLS).strip().translate(SPACES)))


def datatrove(text: str) -> str:
    """A number is one 0, and white space is stripped when accents have gone."""
    return plain(unaccented(NUMBER.sub("0", text.lower())).strip())


TWINS = {"ccnet": ccnet, "edugp": edugp, "roots": roots, "datatrove": datatrove}
