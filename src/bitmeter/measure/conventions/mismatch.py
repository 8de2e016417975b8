"""Whether a text is normalised as that of the model's training was: by name, or by what the vocabulary never has."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bitmeter.models.protocols import Model

__all__ = ["NormWatch", "caveats_of"]

#: How much of a text is looked at, and how many words of a vocabulary; from fewer words nothing is concluded.
_TEXT, _MOST_WORDS, _FIRST_WORDS, _FEWEST_WORDS = 1 << 18, 20_000, 2_000, 1_000
#: A kind of character is missing if fewer of the words of the vocabulary have it, while more of those of the text do. A
#: few may have it all the same: SentencePiece makes a 2 of a superscript, behind any normaliser.
_IN_VOCABULARY, _IN_TEXT = 0.0005, 0.01
#: A vocabulary of which so many words have upper case is that of a text with upper case.
_CASED = 0.1


def _is_upper(char: str) -> bool:
    return char != char.lower()


def _is_digit(char: str) -> bool:
    return char.isdecimal() and char != "0"


def _is_accented(char: str) -> bool:
    return len(char.encode()) > 1 and any(unicodedata.category(c) == "Mn" for c in unicodedata.normalize("NFD", char))


_KINDS: dict[str, Callable[[str], bool]] = {
    "upper-case letters": _is_upper,
    "digits but 0": _is_digit,
    "accents": _is_accented,
}


#: The words of a vocabulary, at most so many of them.
Vocabulary = Callable[[int], list[bytes]]


class NormWatch:
    """Looks at the beginning of a text as it goes by.

    Parameters
    ----------
    model
        The model that scores it.
    norm
        How the text is normalised.
    """

    def __init__(self, model: Model, norm: str) -> None:
        from bitmeter.models.protocols import OpenVocabulary  # slow to import

        self._norm, self._trained = norm, model.traits.norm
        self._words: Vocabulary | None = model.some_words if isinstance(model, OpenVocabulary) else None
        self._looks = self._words is not None and self._trained is None
        self._seen: list[bytes] = []
        self._size = 0

    def look(self, data: bytes) -> None:
        """Take the next bytes of the text."""
        if self._looks and self._size < _TEXT:
            self._seen.append(data[: _TEXT - self._size])
            self._size += len(self._seen[-1])

    def caveats(self) -> list[str]:
        """What a reader should know: nothing, if text and training seem to agree."""
        return caveats_of(self._trained, self._norm, b"".join(self._seen), self._words)


def caveats_of(trained: str | None, norm: str, text: bytes, vocabulary: Vocabulary | None) -> list[str]:
    """What a reader should know of a text and a model: nothing, if text and training seem to agree.

    Parameters
    ----------
    trained
        How the text of the training was normalised; None if that is not known.
    norm
        How this text is normalised.
    text
        Its beginning.
    vocabulary
        The words that the model knows; None if it knows no words.
    """
    if trained is not None:
        return [] if trained == norm else [_by_name(trained, norm)]
    if vocabulary is None:
        return []
    words = _Words(text[:_TEXT].decode("utf-8", "ignore").split())
    many = words.count >= _FEWEST_WORDS
    shares = {name: words.share(holds) for name, holds in _KINDS.items()}
    asked = {name for name, share in shares.items() if share > _IN_TEXT}
    if not many and not asked:
        return []
    lower = many and shares["upper-case letters"] < _IN_VOCABULARY
    if asked and not lower:  # most vocabularies have a kind in so many words that a few of them show it
        few = _decoded(vocabulary(_FIRST_WORDS))
        asked = {name for name in asked if not few.count or few.share(_KINDS[name]) < 10 * _IN_VOCABULARY}
    known = _decoded(vocabulary(_MOST_WORDS) if asked or lower else [])
    if known.count < _FEWEST_WORDS:
        return []
    missing = {
        name: shares[name] for name, holds in _KINDS.items() if name in asked and known.share(holds) < _IN_VOCABULARY
    }
    if missing:
        return [_by_words(missing)]
    cased = known.share(_is_upper) if lower else 0.0
    return [_by_case(cased)] if cased > _CASED else []


class _Words:
    """Words of which it is counted how many have characters of a kind."""

    def __init__(self, words: list[str]) -> None:
        self.count = len(words)
        self._times = Counter(words)
        self._chars: set[str] = set().union(*self._times)

    def share(self, holds: Callable[[str], bool]) -> float:
        """The share of words that have a character of a kind."""
        chars = set(filter(holds, self._chars))
        if not chars:
            return 0.0
        return sum(times for word, times in self._times.items() if not chars.isdisjoint(word)) / self.count


def _decoded(words: list[bytes]) -> _Words:
    return _Words([word.decode("utf-8", "ignore") for word in words])


def _by_name(trained: str, norm: str) -> str:
    how = "as it is" if norm == "none" else f"with --norm {norm}"
    return (
        f"the model was trained on text with --norm {trained}, and this text is scored {how}, which raises its "
        f"perplexity: add --norm {trained}"
    )


def _by_case(share: float) -> str:
    return (
        f"this text has hardly any upper-case letters, which {100.0 * share:.0f} % of the words of the vocabulary "
        "have; it seems to be in lower case, and the text of the training was not: try --norm none or --norm edugp"
    )


def _by_words(missing: dict[str, float]) -> str:
    names = " and ".join(f"hardly any {name}" for name in missing)
    shares = " and ".join(f"{100.0 * share:.2g} %" for share in missing.values())
    remedy = ""
    if "digits but 0" in missing:
        remedy = ": try --norm ccnet" if len(missing) > 1 else ": try --norm edugp or --norm roots"
    elif list(missing) == ["upper-case letters"]:
        remedy = ": try --norm lower"
    return (
        f"the vocabulary has {names}, which {shares} of the words of this text have; the text of the training was "
        f"normalised, and this one is not{remedy}"
    )
