"""The scores of records: by the model of each record's language, as rows of fixed size that can wait in a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Ints
from bitmeter.errors import InputError
from bitmeter.filter.records import Rows
from bitmeter.filter.statistics import STATISTICS, check_statistic, default_statistic, difference, statistic
from bitmeter.measure.documents.scorer import DocumentColumns, DocumentScorer
from bitmeter.measure.signature import Signature
from bitmeter.models.protocols import Compressor, Model, Threaded
from bitmeter.models.registry import components_of, resolve

__all__ = ["BAD", "NO_FIGURE", "NO_MODEL", "RECORD", "SCORED", "Scorers", "columns_of", "read_scores"]

#: What became of a record: it was scored; it is bad; it is empty, so that there is nothing to divide by; there is no
#: model of its language.
SCORED, BAD, NO_FIGURE, NO_MODEL = range(4)

RECORD = np.dtype(
    [
        ("nats", "<f8"), ("value", "<f8"), ("bytes", "<i8"), ("chars", "<i8"), ("words", "<i8"), ("tokens", "<i8"),
        ("oov", "<i8"), ("perplexity", "<f8"), ("language", "<i4"), ("state", "u1"),
    ]
)  # fmt: skip
Records = NDArray[np.void]
_COLUMNS = ("nats", "tokens", "bytes", "chars", "words", "oov")

#: What a language may be called to be part of the name of a file.
_LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")
_PLACEHOLDER = "{lang}"
#: The most languages whose names are kept apart.
_MOST_LANGUAGES = 1 << 16


class Scorers:
    """The models of all languages, each opened when the first record of its language comes.

    Parameters
    ----------
    model
        A model or its name; with ``{lang}`` in it, a pattern for the models of all languages.
    minus
        A second one, whose figure is subtracted; None for none.
    units
        The tokenizer whose tokens are the model's words, as a name that may be a pattern too; None for none.
    by
        The figure; empty for the default of the model.
    conventions
        Keywords of `DocumentScorer`.
    given
        What the files of models refer to (`--with`).
    threads
        How many threads a model may use; 0 for as many as there are processors.
    """

    def __init__(
        self,
        model: Any,
        minus: Any,
        units: str | None,
        by: str,
        conventions: dict[str, Any],
        given: Sequence[str] = (),
        *,
        threads: int = 0,
    ) -> None:
        self._names, self._units, self._conventions = (model, minus), units, conventions
        self._given, self._threads = tuple(given), threads
        self._opened: dict[str, tuple[DocumentScorer, DocumentScorer | None] | None] = {}
        self.by = by
        #: The languages that came, in the order of their numbers.
        self.languages: list[str] = []
        self._numbers: dict[str, int] = {}
        self.is_pattern = any(isinstance(name, str) and _PLACEHOLDER in name for name in (model, minus, units))
        if not self.is_pattern:
            self.of("")

    def of(self, language: str) -> tuple[DocumentScorer, DocumentScorer | None] | None:
        """The scorers of a language; None if it has no model."""
        key = language if self.is_pattern else ""
        if key not in self._opened:
            if len(self._opened) >= _MOST_LANGUAGES:
                message = f"more than {_MOST_LANGUAGES:,} different languages; the field does not name languages"
                raise InputError(message, value=language)
            self._opened[key] = self._open(key)
        return self._opened[key]

    def _open(self, language: str) -> tuple[DocumentScorer, DocumentScorer | None] | None:
        if self.is_pattern and (not _LANGUAGE.fullmatch(language) or not self._is_there(language)):
            return None
        first = self._scorer(self._names[0], language)
        second = None if self._names[1] is None else self._scorer(self._names[1], language)
        self.by = self.by or (default_statistic(first) if second is None else _default_difference(first, second))
        for scorer in (first, second):
            if scorer is not None:
                check_statistic(self.by, scorer)
        if second is not None and not self.by.startswith("bits_per_"):
            message = (
                f"{self.by} of two models cannot be subtracted; decide by bits_per_byte, bits_per_word or "
                "bits_per_token (--by)"
            )
            raise InputError(message, value=self.by)
        return first, second

    def _is_there(self, language: str) -> bool:
        """Whether there are models of a language; a tokenizer that is missing beside a model is an error."""
        patterns = [name for name in self._names if isinstance(name, str) and _PLACEHOLDER in name]
        return all(os.path.exists(name.replace(_PLACEHOLDER, language)) for name in patterns)

    def _scorer(self, name: Any, language: str) -> DocumentScorer:
        named = name.replace(_PLACEHOLDER, language) if isinstance(name, str) else name
        model: Model | Compressor
        if self._units is not None:
            from bitmeter.models.ngram.model import NGram

            model = NGram.load(named, units=_tokenizer(self._units.replace(_PLACEHOLDER, language)))
        else:
            components = components_of(self._given)
            model = resolve(named, components)
            components.check_used()
        if self._threads and isinstance(model, Threaded):
            model.threads = self._threads
        return DocumentScorer(model, **self._conventions)

    def fingerprints(self) -> dict[str, str]:
        """The models that were used, by language."""
        return {
            language: "-".join(scorer.signature.model for scorer in found if scorer is not None)
            for language, found in sorted(self._opened.items())
            if found is not None
        }

    def described(self) -> list[str]:
        """The names that were given: the model, the second one, the tokenizer."""
        opened = self._opened.get("")
        if opened is not None:
            return [scorer.name for scorer in opened if scorer is not None]
        return [name for name in (*self._names, self._units) if isinstance(name, str)]

    @property
    def signature(self) -> Signature | None:
        """The conventions, of the first of the languages whose model was opened; None before."""
        opened = next((found for _, found in sorted(self._opened.items()) if found is not None), None)
        return None if opened is None else opened[0].signature

    def forget_languages(self) -> None:
        """Number languages afresh, as each file does; models stay open."""
        self.languages, self._numbers = [], {}

    def number(self, language: str) -> int:
        """The number of a language."""
        found = self._numbers.get(language)
        if found is None:
            if len(self.languages) >= _MOST_LANGUAGES:
                message = f"more than {_MOST_LANGUAGES:,} different languages; the field does not name languages"
                raise InputError(message, value=language)
            found = self._numbers[language] = len(self.languages)
            self.languages.append(language)
        return found

    def score(self, rows: Rows) -> Records:
        """One row for each record, good or bad."""
        records = np.zeros(len(rows), dtype=RECORD)
        records["state"] = BAD
        good = np.array(rows.good, dtype=np.int64)
        if not rows.languages:
            self._score(records, good, rows, range(len(good)), "")
            return records
        by_language: dict[str, list[int]] = {}
        for place, language in enumerate(rows.languages):
            by_language.setdefault(language, []).append(place)
        for language, places in by_language.items():
            self._score(records, good, rows, places, language)
        return records

    def _score(self, records: Records, good: Ints, rows: Rows, places: Sequence[int], language: str) -> None:
        """The records of one language."""
        chosen = good[np.array(places, dtype=np.int64)]
        records["language"][chosen] = self.number(language)
        found = self.of(language)
        if found is None:
            records["state"][chosen] = NO_MODEL
            return
        if len(places) == len(rows.texts):
            data, ends = rows.joined()
        else:
            data, ends = Rows(0, [], texts=[rows.texts[place] for place in places]).joined()
        first, second = found
        columns = first.score(data, ends)
        if second is None:
            values, defined = statistic(self.by, columns)
        else:
            values, defined = difference(self.by, columns, second.score(data, ends))
        for name in _COLUMNS:
            records[name][chosen] = getattr(columns, name)
        records["perplexity"][chosen] = STATISTICS["perplexity"](columns)
        records["value"][chosen] = values
        records["state"][chosen] = np.where(defined, SCORED, NO_FIGURE)


def _default_difference(first: DocumentScorer, second: DocumentScorer) -> str:
    return "bits_per_byte" if first.covers_bytes and second.covers_bytes else "bits_per_word"


def _tokenizer(name: str) -> str:
    """The tokenizer of a file, by its suffix where no scheme says it."""
    if name.startswith(("sentencepiece:", "tokenizer:")):
        return name
    return f"{'tokenizer' if name.endswith('.json') else 'sentencepiece'}:{name}"


def columns_of(records: Records) -> DocumentColumns:
    """The sums and counts of records."""
    return DocumentColumns(*(np.ascontiguousarray(records[name]) for name in (*_COLUMNS, "perplexity")))


def read_scores(path: Path, size: int) -> Iterator[Records]:
    """Scores that were written, so many records at once."""
    with open(path, "rb") as file:
        while data := file.read(size * RECORD.itemsize):
            yield np.frombuffer(data, dtype=RECORD, count=len(data) // RECORD.itemsize)
