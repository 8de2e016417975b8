"""How frequent words are: their bits without context, from a list of counts or an n-gram model of order 1."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import numpy as np

from bitmeter._util.files import as_path, read_whole, unread
from bitmeter.errors import FileFormatError, InputError, ModelError
from bitmeter.models.protocols import NGramLike
from bitmeter.models.registry import names_model, resolve

__all__ = ["forms", "frequency_of", "read_counts"]

_EDGES = " \t\n.,;:!?…\"'“”‘’«»()[]{}<>–—-"


def forms(word: str) -> tuple[str, ...]:
    """The forms under which a word is looked up: as it is, without punctuation around it, and in lower case.

    Examples
    --------
    >>> forms('"Yes,')
    ('"Yes,', 'Yes', 'yes')
    """
    bare = word.strip(_EDGES)
    return tuple(dict.fromkeys(form for form in (word, bare, bare.lower()) if form))


def frequency_of(source: str | os.PathLike[str]) -> Callable[[str], float | None]:
    """A function from a word to its bits without context, −log2 of its share; None for a word that is not known.

    Parameters
    ----------
    source
        A list of words with counts (a word, a tab or comma, a count per line), or an n-gram model of words of order 1.
    """
    if names_model(str(source)):
        return _by_model(str(source))
    counts = read_counts(source)
    total = math.fsum(counts.values())
    lower: dict[str, float] = {}
    for word, count in counts.items():
        lower[word.lower()] = lower.get(word.lower(), 0.0) + count

    def bits(word: str) -> float | None:
        own = forms(word)
        count = next((counts[form] for form in own if form in counts), None)
        if count is None:
            count = lower.get(own[-1].lower()) if own else None
        return None if not count else -math.log2(count / total)

    return bits


def _by_model(name: str) -> Callable[[str], float | None]:
    model = resolve(name)
    if not isinstance(model, NGramLike) or not model.of_words or model.order != 1:
        message = (
            f"{name} is no n-gram model of words of order 1, so it has no frequencies of words; give a list of counts, "
            "or type: bitmeter train TEXT -o unigrams.bmn --order 1"
        )
        raise ModelError(message, value=name)
    plain = model.with_oov("class")
    assert isinstance(plain, NGramLike)
    row = plain.predict(np.zeros(0, dtype=np.int64))
    # The first three stand for unknown words and for the ends of sentences.
    names = [word.decode("utf-8", "backslashreplace") for word in plain.outcomes.names]
    known = {word: place for place, word in enumerate(names) if place > 2}

    def bits(word: str) -> float | None:
        place = next((known[form] for form in forms(word) if form in known), None)
        return None if place is None else float(-row[place] / math.log(2.0))

    return bits


def read_counts(path: str | os.PathLike[str]) -> dict[str, float]:
    """The counts of a list: per line a word, a tab, comma or spaces, and its count; the first line may name them."""
    found: dict[str, float] = {}
    place = as_path(path)
    try:
        text = read_whole(place, 1 << 30).decode("utf-8", "replace")
    except OSError as error:
        message = f"{place} {unread(error)}"
        raise InputError(message, value=str(path)) from error
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip():
            continue
        separator = next((sign for sign in "\t,;" if sign in line), None)
        parts = [part.strip().strip('"') for part in (line.split(separator) if separator else line.split())]
        try:
            count = float(parts[1].replace("_", "x"))
        except (IndexError, ValueError):
            if number == 1:
                continue  # the names of the columns
            message = f"{place}, line {number} is {line[:40]!r}; it must be a word and its count, with a tab between"
            raise FileFormatError(message, value=str(path)) from None
        if not (parts[0] and 0.0 <= count < math.inf):
            message = f"{place}, line {number}: {parts[1]} is no count of the word {parts[0]!r}"
            raise FileFormatError(message, value=str(path))
        found[parts[0]] = found.get(parts[0], 0.0) + count
    if not math.fsum(found.values()):
        message = f"{place} holds no words with counts"
        raise FileFormatError(message, value=str(path))
    return found
