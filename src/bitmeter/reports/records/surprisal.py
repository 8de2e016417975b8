"""Surprisals of words as a table: one row per word, with the columns of the input beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from bitmeter.measure.surprisal.items import ItemWords
from bitmeter.reports.formats.table import Column, Kind, Table, columns_of
from bitmeter.reports.records.paper import narrowed

__all__ = ["summary", "surprisal_paper", "surprisal_records"]

_LN2 = math.log(2.0)
_OWN = (
    Column("item"), *columns_of("sentence index", "integer"), Column("word"),
    *columns_of("start end char_start char_end", "integer"),
    *columns_of("surprisal_bits surprisal_nats plain_bits plain_nats entropy_bits surplus_bits", "number"),
    *columns_of("tokens length", "integer"), Column("crossed", "flag"),
)  # fmt: skip


#: A number as CSV has it; "007" and "1,000" are names.
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def surprisal_records(found: ItemWords, spillover: int = 0, *, typed: bool = False) -> Table:
    """One row per word.

    Parameters
    ----------
    found
        The words.
    spillover
        For how many words before each, in the same text, their surprisal, length and frequency are given, too.
    typed
        Whether a column of the input that holds numbers as text, as CSV does, becomes one of numbers: for formats that
        know kinds.
    """
    words = found.words
    texts = words.texts
    own = [
        [
            found.stimuli[doc].item, found.sentence[k], found.index[k], texts[k],
            *(int(column[k]) for column in (words.start, words.end, words.char_start, words.char_end)),
            float(words.nats[k]) / _LN2, float(words.nats[k]), float(words.plain[k]) / _LN2, float(words.plain[k]),
            float(words.entropy[k]) / _LN2, float(words.nats[k] - words.entropy[k]) / _LN2,
            int(words.tokens[k]), len(texts[k]), bool(words.crossed[k]),
        ]
        for k, doc in enumerate(words.doc.tolist())
    ]  # fmt: skip
    columns = list(_OWN)
    if found.frequency:
        columns.append(Column("unigram_bits", "number"))
        own = [[*row, bits] for row, bits in zip(own, found.frequency, strict=True)]
    names = [column.name for column in columns]
    shown = [name for name in ("surprisal_bits", "length", "unigram_bits") if name in names]
    for back in range(1, spillover + 1):
        for name in shown:
            columns.append(Column(f"previous{back}_{name}", columns[names.index(name)].kind))
    rows = []
    for k, row in enumerate(own):
        more: list[Any] = []
        for back in range(1, spillover + 1):
            there = k - back if found.index[k] > back else None
            more += [None if there is None else own[there][names.index(name)] for name in shown]
        rows.append([*row, *more, words.signature.short])
    columns.append(Column("short"))
    if typed:
        items = _numbers([row[0] for row in rows])
        rows = [[item, *row[1:]] for item, row in zip(items, rows, strict=True)]
    inputs = _inputs(found, [column.name for column in columns], rows, typed=typed)
    about = {"short": words.signature.short, "signature": str(words.signature), "spaces_nats": words.spaces}
    titles = tuple(Column(name, kind) for name, kind, _ in inputs)
    whole = [[*(values[k] for _, _, values in inputs), *row] for k, row in enumerate(rows)]
    return Table("bitmeter.surprisal/1", (*titles, *_typed(columns, rows)), whole, about)


def _inputs(
    found: ItemWords, own: Sequence[str], rows: Sequence[Sequence[Any]], *, typed: bool
) -> list[tuple[str, Kind, list[Any]]]:
    """The columns of the input; one whose name is taken is called input_NAME, unless it is the same."""
    columns = []
    for name in found.columns:
        values = [found.row_of(k).get(name) for k in range(len(rows))]
        values = _numbers(values) if typed else values
        if name in own and values == [row[own.index(name)] for row in rows]:
            continue
        columns.append((f"input_{name}" if name in own else name, _kind(values), values))
    return columns


def _numbers(values: list[Any]) -> list[Any]:
    """Numbers where all values are written as numbers or empty, which is then None; else the values as they are."""
    texts = [value for value in values if value not in (None, "")]
    if not texts or not all(isinstance(value, str) and _NUMBER.fullmatch(value) for value in texts):
        return values
    kind = int if all(value.lstrip("-").isdigit() for value in texts) else float
    return [None if value in (None, "") else kind(value) for value in values]


def _kind(values: Sequence[Any]) -> Kind:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool}:
        return "flag" if kinds else "text"
    if kinds <= {int}:
        return "integer"
    if kinds <= {int, float}:
        return "number"
    return "text" if kinds <= {str} else "data"


def _typed(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    """The item is a number where all items are."""
    return (Column("item", _kind([row[0] for row in rows])), *columns[1:])


def surprisal_paper(found: ItemWords) -> Table:
    """The words with the figures that readers look at, for a paper."""
    titles = {
        "item": "item", "index": "index", "word": "word", "surprisal_bits": "surprisal", "plain_bits": "plain",
        "entropy_bits": "entropy", "tokens": "tokens", "unigram_bits": "unigram",
    }  # fmt: skip
    return narrowed(surprisal_records(found), titles, (f"Surprisal of words, in bits. {summary(found)}.",))


def summary(found: ItemWords) -> str:
    """The words in a sentence."""
    words = found.words
    if not len(words):
        return f"No words in {len(found.stimuli):,} items; {words.signature.short}"
    mean = math.fsum(words.nats) / len(words) / _LN2
    items = len(found.stimuli)
    crossed = int(words.crossed.sum())
    said = f"{len(words):,} words of {items:,} item{'s' * (items != 1)}, {mean:.3f} bits per word"
    if crossed:
        said += f"; {crossed:,} share a token with another word (column crossed)"
    undecoded = sum("\N{REPLACEMENT CHARACTER}" in word.decode("utf-8", "replace") for word in words.words)
    if undecoded:
        said += f"; {undecoded:,} with bytes that are not UTF-8 (shown as \\xHH)"
    unknown = sum(bits is None for bits in found.frequency)
    if unknown:
        said += f"; {unknown:,} have no frequency"
    return f"{said}; {words.signature.short}"
