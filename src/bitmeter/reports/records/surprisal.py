"""Surprisals of words as a table: one row per word, with the columns of the input beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bitmeter.measure.surprisal.items import ItemWords
from bitmeter.reports.formats.table import Column, Kind, Table, columns_of

__all__ = ["summary", "surprisal_records"]

_LN2 = math.log(2.0)
_OWN = (
    Column("item"), *columns_of("sentence index", "integer"), Column("word"),
    *columns_of("start end char_start char_end", "integer"),
    *columns_of("surprisal_bits surprisal_nats plain_bits plain_nats entropy_bits surplus_bits", "number"),
    *columns_of("tokens length", "integer"), Column("crossed", "flag"),
)  # fmt: skip


def surprisal_records(found: ItemWords, spillover: int = 0) -> Table:
    """One row per word.

    Parameters
    ----------
    found
        The words.
    spillover
        For how many words before each, in the same text, their surprisal, length and frequency are given, too.
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
    inputs = _inputs(found, [column.name for column in columns], rows)
    about = {"short": words.signature.short, "signature": str(words.signature), "spaces_nats": words.spaces}
    titles = tuple(Column(name, kind) for name, kind, _ in inputs)
    whole = [[*(values[k] for _, _, values in inputs), *row] for k, row in enumerate(rows)]
    return Table("bitmeter.surprisal/1", (*titles, *_typed(columns, rows)), whole, about)


def _inputs(found: ItemWords, own: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[tuple[str, Kind, list[Any]]]:
    """The columns of the input; one whose name is taken is called input_NAME, unless it is the same."""
    columns = []
    for name in found.columns:
        values = [found.row_of(k).get(name) for k in range(len(rows))]
        if name in own and values == [row[own.index(name)] for row in rows]:
            continue
        columns.append((f"input_{name}" if name in own else name, _kind(values), values))
    return columns


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
    unknown = sum(bits is None for bits in found.frequency)
    if unknown:
        said += f"; {unknown:,} have no frequency"
    return f"{said}; {words.signature.short}"
