"""Scores as columns of Arrow batches: one callable for all engines that speak Arrow.

Ray `map_batches(batch_format="pyarrow")`, `datasets.map(batched=True)`, polars `map_batches`, DuckDB
`create_function(type="arrow")` and Spark `mapInArrow` call it as it is. It can be pickled: the model travels by name,
and is opened once per process.
"""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import choice, items, shown
from bitmeter._util.optional import require
from bitmeter.errors import InputError, InputTypeError, RecordError
from bitmeter.filter.formats.arrow import column_texts
from bitmeter.filter.scores import Scorers
from bitmeter.filter.settings import check_strings
from bitmeter.filter.statistics import COUNTS, PER_BYTE, STATISTICS, statistic
from bitmeter.measure.documents.scorer import DocumentColumns, DocumentScorer
from bitmeter.text.corpus.encoding import encode

__all__ = ["Columns", "columns", "joined_texts"]

#: What is given by default; the last only of models that pay for every byte.
_DEFAULT = ("nats", "bytes", "tokens", "oov", "perplexity", "bits_per_byte")

#: The scorers of this process, by what was asked for.
_opened: dict[bytes, DocumentScorer] = {}


class Columns:
    """Scores the texts of a batch; made by `columns`.

    Attributes
    ----------
    text
        The column of the texts.
    add
        The figures.
    prefix
        What the names of new columns begin with.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.columns("uniform").add
    ('nats', 'bytes', 'tokens', 'oov', 'perplexity', 'bits_per_byte')
    """

    def __init__(
        self,
        model: Any,
        text: str,
        add: tuple[str, ...] | None,
        prefix: str,
        conventions: dict[str, Any],
        *,
        single: bool,
    ) -> None:
        self.text, self.prefix = text, prefix
        self._model, self._conventions, self._single = model, conventions, single
        self._add = add
        self._local: DocumentScorer | None = None
        scorer = self.scorer  # a wrong name is an error here, and not on another machine
        self.add: tuple[str, ...] = add or tuple(
            name for name in _DEFAULT if name not in PER_BYTE or scorer.covers_bytes
        )
        for name in self.add:
            if name in PER_BYTE and not scorer.covers_bytes:
                message = f"{scorer.name} does not pay for every byte, so it has no {name}; choose others with add=…"
                raise InputError(message, value=name)

    @property
    def scorer(self) -> DocumentScorer:
        """What scores in this process."""
        if self._local is None:
            try:
                key = pickle.dumps((self._model, self._conventions))
            except (pickle.PicklingError, TypeError, AttributeError):
                return self._open()
            if key not in _opened:
                _opened[key] = self._open()
            self._local = _opened[key]
        return self._local

    def _open(self) -> DocumentScorer:
        conventions = dict(self._conventions)
        found = Scorers(self._model, None, conventions.pop("units"), "", conventions).of("")
        assert found is not None
        self._local = found[0]
        return self._local

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_local": None}

    def __call__(self, batch: Any) -> Any:
        """The batch with columns added.

        Parameters
        ----------
        batch
            A table or record batch, which gets columns; a dictionary of lists or arrays, likewise; an array or chunked
            array of texts, of which the result is a struct array, or the figures alone if `add` is one name. Also what
            speaks Arrow: a frame or series of polars, which comes back as such. A text that is null has null figures.
        """
        if isinstance(batch, Mapping):  # that of datasets is no dict
            return self._of_dictionary(batch)
        pa = require("pyarrow", "Scoring Arrow batches")
        if isinstance(batch, pa.Table | pa.RecordBatch):
            return self._of_table(batch, pa)
        if isinstance(batch, pa.Array | pa.ChunkedArray):
            return self._of_array(batch, pa)
        if type(batch).__module__.partition(".")[0] == "polars":
            polars = require("polars", "Scoring polars frames")
            return polars.from_arrow(self(batch.to_arrow()))
        message = (
            f"the batch is {shown(batch)}; it must be a table, record batch or array of pyarrow, a dictionary of "
            "lists, or a frame or series of polars"
        )
        raise InputTypeError(message, value=batch)

    def _figures(self, found: DocumentColumns, present: Bools) -> dict[str, tuple[Floats | Ints, Bools]]:
        """Each figure by the name of its column, and which documents have it."""
        result: dict[str, tuple[Floats | Ints, Bools]] = {}
        for name in self.add:
            if name in COUNTS:
                values: Floats | Ints = {
                    "bytes": found.bytes, "chars": found.chars, "words": found.words, "tokens": found.tokens,
                    "oov": found.oov,
                }[name]  # fmt: skip
                result[self.prefix + name] = values, present
            else:
                figure, defined = statistic(name, found)
                result[self.prefix + name] = figure, defined & present
        return result

    def _of_dictionary(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        if self.text not in batch:
            raise self._missing(list(batch))
        data, ends, present = joined_texts(batch[self.text])
        found = self.scorer.score(data, ends)
        lists = {
            name: [value if there else None for value, there in zip(values.tolist(), has.tolist(), strict=True)]
            for name, (values, has) in self._figures(found, present).items()
        }
        return {**batch, **lists}

    def _of_table(self, batch: Any, pa: Any) -> Any:
        if self.text not in batch.schema.names:
            raise self._missing(batch.schema.names)
        found, present = self._scored(batch.column(self.text), pa)
        for name, (values, has) in self._figures(found, present).items():
            if name in batch.schema.names:
                message = f"there is a column {name!r} already; give new ones another name with prefix=…"
                raise InputError(message, value=name)
            batch = batch.append_column(name, pa.array(values, mask=~has))
        return batch

    def _of_array(self, column: Any, pa: Any) -> Any:
        found, present = self._scored(column, pa)
        arrays = {name: pa.array(values, mask=~has) for name, (values, has) in self._figures(found, present).items()}
        return (
            next(iter(arrays.values())) if self._single else pa.StructArray.from_arrays([*arrays.values()], [*arrays])
        )

    def _scored(self, column: Any, pa: Any) -> tuple[DocumentColumns, Bools]:
        """Sums and counts of the texts of a column, without a loop over them."""
        try:
            data, ends, present = column_texts(column, pa)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            message = f"the column of texts is of type {column.type}; it must be text"
            raise InputTypeError(message, value=str(column.type)) from error
        return self.scorer.score(data, ends), present

    def _missing(self, names: list[str]) -> RecordError:
        listed = ", ".join(map(repr, names))
        return RecordError(
            f"there is no column {self.text!r}; there are {listed}. Choose one with text=…", path="batch"
        )


def joined_texts(texts: Any) -> tuple[bytes, Ints, Bools]:
    """Strings or bytes joined, where each ends, and which of them are there; None is one that is not.

    Examples
    --------
    >>> joined_texts(["ab", None, b"c"])[0]
    b'abc'
    """
    found = list(items(texts, "texts", "a list of texts"))
    wrong = next((text for text in found if not isinstance(text, str | bytes | None)), None)
    if wrong is not None:
        message = f"the texts hold {shown(wrong)}; each must be a string, bytes or None"
        raise InputTypeError(message, value=wrong)
    data = [encode(text) if isinstance(text, str) else text or b"" for text in found]
    ends: Ints = np.cumsum(np.fromiter(map(len, data), dtype=np.int64, count=len(data)))
    return b"".join(data), ends, np.array([text is not None for text in found], dtype=np.bool_)


def columns(
    model: Any,
    *,
    text: str = "text",
    add: Any = None,
    prefix: str = "",
    units: str | None = None,
    like: str = "bitmeter",
    norm: str | None = None,
    first: str | None = None,
    eos: str | None = None,
    oov: str | None = None,
    ctx: str | None = None,
    sentences: str | None = None,
) -> Columns:
    """A function that adds scores to batches of texts, for engines that speak Arrow.

    Parameters
    ----------
    model
        The name of a model, so that each process opens it by itself; or a model, which must then be pickled.
    text
        The column of the texts.
    add
        Which figures: a list of names as of `filter_corpus`. By default nats, bytes, tokens, oov, perplexity (per
        token), and bits_per_byte of models that have them. One name alone gives plain figures for an array of texts.
    prefix
        What the names of new columns begin with.
    units
        The tokenizer whose tokens are the words of the model, such as "sentencepiece:en.sp.model".
    like, norm, first, eos, oov, ctx, sentences
        As for `filter_corpus`.

    Returns
    -------
    Columns
        A function from batches to batches; it can be pickled.

    Examples
    --------
    >>> import bitmeter as bm
    >>> scored = bm.columns("uniform", add=["bits_per_byte", "tokens"])
    >>> scored({"text": ["abc", None], "id": [1, 2]})
    {'text': ['abc', None], 'id': [1, 2], 'bits_per_byte': [8.0, None], 'tokens': [3, None]}
    """
    names = None
    if add is not None:
        names = (add,) if isinstance(add, str) else tuple(items(add, "add", "a list of names"))
        for name in names:
            choice(name, "add", STATISTICS)
    check_strings(text=text, prefix=prefix)
    if units is not None:
        check_strings(units=units)
    conventions = {
        "units": units, "like": like, "norm": norm, "first": first, "eos": eos, "oov": oov, "ctx": ctx,
        "sentences": sentences,
    }  # fmt: skip
    return Columns(model, text, names, prefix, conventions, single=isinstance(add, str))
