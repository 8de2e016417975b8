"""Items of a reading experiment: texts or words in a table, and what each word of them cost."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from bitmeter._util.check import integer
from bitmeter.errors import ChoiceError, InputError, RecordError
from bitmeter.measure.surprisal.frequency import frequency_of
from bitmeter.measure.surprisal.segment import Segment
from bitmeter.measure.surprisal.words import WordSurprisals, word_surprisals
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.rows import Item, check_names, read_items, read_text
from bitmeter.text.formats import kind_of
from bitmeter.text.units.unicode import Sentences

__all__ = ["ItemWords", "Stimulus", "item_surprisals", "read_stimuli"]


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One text.

    Attributes
    ----------
    item
        What it is called.
    text
        Its bytes.
    rows
        The rows of the table that it comes from: one, or one per word.
    spans
        Where its words are, if they are given; None to find them.
    """

    item: Any
    text: bytes
    rows: tuple[Mapping[str, Any], ...] = ()
    spans: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True, slots=True)
class ItemWords:
    """The words of items.

    Attributes
    ----------
    stimuli
        The texts; `words.doc` numbers them.
    columns
        The names of the columns of the table.
    words
        What each word cost.
    sentence, index
        The sentence of each word in its text, and its place in the text; both from 1.
    frequency
        The bits of each word without context; None for one that is not known, () if none were asked for.
    """

    stimuli: tuple[Stimulus, ...]
    columns: tuple[str, ...]
    words: WordSurprisals
    sentence: tuple[int, ...]
    index: tuple[int, ...]
    frequency: tuple[float | None, ...] = field(default=())

    def row_of(self, place: int) -> Mapping[str, Any]:
        """The row of the table from which a word comes."""
        rows = self.stimuli[int(self.words.doc[place])].rows
        return rows[self.index[place] - 1] if len(rows) > 1 else rows[0] if rows else {}


def read_stimuli(
    source: Any,
    *,
    text: str | None = None,
    word: str | None = None,
    item: str | None = None,
    delimiter: str | None = None,
    joiner: str = " ",
) -> tuple[list[Stimulus], tuple[str, ...]]:
    """The texts of a table or a plain text, and the names of the table's columns.

    Parameters
    ----------
    source
        A table (.csv, .tsv, .jsonl, .parquet), or plain text, of which each line that is not blank is an item.
    text
        The column of the texts.
    word
        The column of the words, for a table with one row per word; `item` then says which belong together.
    item
        The column that names the item; by default items are numbered from 1.
    delimiter
        What stands between given words or regions of a text; white space around them is dropped.
    joiner
        What is put between given words.
    """
    check_names(optional=True, text=text, word=word, item=item, delimiter=delimiter)
    if not _is_table(source):
        if text or word or item:
            option = "text" if text else "word" if word else "item"
            message = f"--{option} names a column, and {source} is plain text; give .csv, .tsv, .jsonl or .parquet"
            raise InputError(message, value=source)
        lines = [document.data for document in Corpus(source, docs="line")]
        kept = [line for line in lines if line.strip()]
        plain = [_segmented(number, line.strip(), (), delimiter, joiner) for number, line in enumerate(kept, 1)]
        _check_delimiter(plain, delimiter)
        return plain, ()
    if text is None and word is None:
        message = (
            f"{source} is read as a table; say which column holds the texts (--text COLUMN), or the words, one per row "
            "(--word COLUMN)"
        )
        raise ChoiceError(message, value=source)
    if text is not None and word is not None:
        message = "--text is for a table with one text per row, --word for one word per row; give one of them"
        raise ChoiceError(message, value=source)
    items = list(read_items(source))
    columns = tuple(dict.fromkeys(name for found in items for name in found.row))
    if word is not None:
        return _joined_words(items, word, item, joiner), columns
    assert text is not None
    found: list[Stimulus] = []
    for number, row in enumerate(items, 1):
        name = number if item is None else _label(row, item)
        found.append(_segmented(name, encode(read_text(row, text, "text")), (row.row,), delimiter, joiner))
    _check_delimiter(found, delimiter)
    return found, columns


def _check_delimiter(stimuli: Sequence[Stimulus], delimiter: str | None) -> None:
    """Refuse a delimiter that is in no text: each whole text would be one word in silence."""
    if delimiter is not None and stimuli and all(len(stimulus.spans or ()) < 2 for stimulus in stimuli):
        message = (
            f"--delimiter {delimiter!r} is in none of the {len(stimuli):,} texts, so that each would be one word; "
            "leave it out for words between white space"
        )
        raise ChoiceError(message, value=delimiter)


def _is_table(source: Any) -> bool:
    if not isinstance(source, str | os.PathLike):
        return True
    return kind_of(os.fsdecode(source)) != "text"


def _label(row: Item, field_name: str) -> Any:
    if field_name not in row.row:
        listed = ", ".join(map(repr, row.row))
        missing = f" has no field {field_name!r}; it has {listed}. Choose one with --item"
        raise row.fail(missing)
    return row.row[field_name]


def _segmented(
    item: Any, text: bytes, rows: tuple[Mapping[str, Any], ...], delimiter: str | None, joiner: str
) -> Stimulus:
    if delimiter is None:
        return Stimulus(item, text, rows)
    if not delimiter:
        message = "the delimiter is empty; give what stands between words, such as '|'"
        raise ChoiceError(message, value=delimiter)
    words = [part.strip() for part in text.split(encode(delimiter))]
    return Stimulus(item, *_laid(item, [part for part in words if part], rows, joiner))


def _laid(
    item: Any, words: Sequence[bytes], rows: tuple[Mapping[str, Any], ...], joiner: str
) -> tuple[bytes, tuple[Mapping[str, Any], ...], tuple[tuple[int, int], ...]]:
    """Words one after the other, and where they are."""
    between = encode(joiner)
    stops = np.cumsum([len(word) + len(between) for word in words]).tolist()
    spans = [(stop - len(word) - len(between), stop - len(between)) for stop, word in zip(stops, words, strict=True)]
    return between.join(words), rows, tuple(spans)


def _joined_words(items: Sequence[Item], word: str, item: str | None, joiner: str) -> list[Stimulus]:
    """Rows of words, of which those with one value of the item column, one after the other, are a text."""
    labels = [1 if item is None else _label(row, item) for row in items]
    edges = [0, *(k for k in range(1, len(items)) if labels[k] != labels[k - 1]), len(items)]
    found = []
    for begin, end in pairwise(edges):
        rows = items[begin:end]
        words = [encode(read_text(row, word, "word")).strip() for row in rows]
        empty = next((row for row, one in zip(rows, words, strict=True) if not one), None)
        if empty is not None:
            blank = f": {word!r} is empty; each row must hold a word"
            raise empty.fail(blank)
        if rows:
            found.append(Stimulus(labels[begin], *_laid(labels[begin], words, tuple(row.row for row in rows), joiner)))
    return found


class _Given:
    """The offsets of the words of each text, one text after the other."""

    def __init__(self, stimuli: Sequence[Stimulus]) -> None:
        self._left = iter(stimuli)

    def __call__(self, data: bytes) -> Sequence[tuple[int, int]]:
        return next(self._left).spans or ()


def item_surprisals(
    model: Any,
    stimuli: Sequence[Stimulus],
    columns: Sequence[str] = (),
    *,
    name: str = "items",
    words: str | Segment = "space",
    frequency: str | os.PathLike[str] | None = None,
    **keywords: Any,
) -> ItemWords:
    """What each word of each text costs; other keywords are those of `word_surprisals`.

    Examples
    --------
    >>> found = item_surprisals("uniform", [Stimulus(7, b"To be. Or not.")])
    >>> found.words.texts, found.sentence, found.index
    (['To', 'be.', 'Or', 'not.'], (1, 1, 2, 2), (1, 2, 3, 4))
    """
    if not stimuli:
        message = f"{name} holds no items"
        raise RecordError(message, path=name)
    given = stimuli[0].spans is not None
    looked_up = None if frequency is None else frequency_of(frequency)
    corpus = Corpus.from_documents([stimulus.text for stimulus in stimuli], name=name)
    found = word_surprisals(model, corpus, words=_Given(stimuli) if given else words, **keywords)
    sentences, places = [], []
    before = -1
    starts = np.zeros(0, dtype=np.int64)
    for doc, start in zip(found.doc.tolist(), found.start.tolist(), strict=True):
        if doc != before:
            data = stimuli[doc].text
            starts = Sentences().split(data, np.array([len(data)], dtype=np.int64)).cuts[:-1]
            before, count = doc, 0
        count += 1
        places.append(count)
        sentences.append(int(np.searchsorted(starts, start, side="right")))
    bits: Callable[[str], float | None] | None = looked_up
    frequencies = () if bits is None else tuple(bits(word) for word in found.texts)
    return ItemWords(tuple(stimuli), tuple(columns), found, tuple(sentences), tuple(places), frequencies)


def check_spillover(value: Any) -> int:
    """How many words before each are written beside it."""
    return integer(value, "spillover", low=0, high=16)
