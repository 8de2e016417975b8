"""Units by name."""

from __future__ import annotations

from collections.abc import Callable

from bitmeter._util.check import shown
from bitmeter.errors import ChoiceError
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words

__all__ = ["units_of"]


def _graphemes() -> Units:
    from bitmeter.text.units.unicode import Graphemes

    return Graphemes()


def _unicode_words() -> Units:
    from bitmeter.text.units.unicode import UnicodeWords

    return UnicodeWords()


def _sentences() -> Units:
    from bitmeter.text.units.unicode import Sentences

    return Sentences()


def _tokenizer(path: str) -> Units:
    from bitmeter.text.units.tokenizers import Tokenizer

    return Tokenizer(path)


def _sentencepiece(path: str) -> Units:
    from bitmeter.text.units.sentencepiece import SentencePiece

    return SentencePiece(path)


# Unicode and tokenizer units are imported when asked for: few runs need them, and their modules take time to load.
_NAMED: dict[str, Callable[[], Units]] = {
    "bytes": Bytes, "chars": Characters, "graphemes": _graphemes, "words": Words, "unicode-words": _unicode_words,
    "sentences": _sentences,
}  # fmt: skip
_FROM_FILE: dict[str, Callable[[str], Units]] = {"tokenizer": _tokenizer, "sentencepiece": _sentencepiece}


def units_of(spec: Units | str) -> Units:
    """Units by name; units themselves are returned as they are.

    Names are "bytes", "chars", "graphemes", "words" (with a convention: "words:lmplz", "words:srilm"), "unicode-words",
    "sentences", "tokenizer:FILE" and "sentencepiece:FILE".

    Examples
    --------
    >>> units_of("words:srilm").name
    'words:srilm'
    """
    if isinstance(spec, Units):
        return spec
    if isinstance(spec, str):
        kind, _, rest = spec.partition(":")
        if spec in _NAMED:
            return _NAMED[spec]()
        if kind == "words":
            return Words(rest)
        if kind in _FROM_FILE and rest:
            return _FROM_FILE[kind](rest)
    names = [*_NAMED, *(f"{kind}:FILE" for kind in _FROM_FILE)]
    message = f"units is {shown(spec)}; it must be one of {', '.join(map(repr, names))}"
    raise ChoiceError(message, value=spec)
