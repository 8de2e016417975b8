"""Documents at the deciles of a figure, for a look before anything is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.files import label
from bitmeter.filter.histogram import Histogram, exact_quantiles, rank_of
from bitmeter.filter.plan import Shard
from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Fields
from bitmeter.filter.scores import SCORED, read_scores
from bitmeter.filter.summary import Example

__all__ = ["examples_of"]

_DECILES = tuple(Fraction(number, 10) for number in range(11))
_BEGINNING = 200


def examples_of(shards: Sequence[Shard], scores: Sequence[Path], histogram: Histogram, fields: Fields) -> list[Example]:
    """At each decile the first document in the order of the files that has its value."""
    total = histogram.total
    if not total:
        return []
    ranks = {share: max(1, rank_of(share, total)) for share in _DECILES}
    values = exact_quantiles(histogram, ranks.values(), _all(scores))
    wanted = {values[rank] for rank in ranks.values()}
    places: dict[float, tuple[int, int]] = {}
    for number, path in enumerate(scores):
        row = 0
        for records in read_scores(path, 1 << 16):
            for value in wanted - set(places):
                found = np.flatnonzero((records["value"] == value) & (records["state"] == SCORED))
                if len(found):
                    places[value] = number, row + int(found[0])
            row += len(records)
    texts = {}
    for number in sorted({shard for shard, _ in places.values()}):
        rows = {row for shard, row in places.values() if shard == number}
        texts.update({(number, row): text for row, text in _texts(shards[number], rows, fields)})
    examples: list[Example] = []
    for share, rank in ranks.items():
        value = values[rank]
        place = places[value]
        text = texts[place][:_BEGINNING].decode("utf-8", "replace")
        examples.append(Example(float(share), value, label(shards[place[0]].source), place[1] + 1, text))
    return examples


def _all(scores: Sequence[Path]) -> Callable[[], Iterator[Floats]]:
    def values() -> Iterator[Floats]:
        for path in scores:
            for records in read_scores(path, 1 << 16):
                yield np.ascontiguousarray(records["value"][records["state"] == SCORED])

    return values


def _texts(shard: Shard, rows: set[int], fields: Fields) -> Iterator[tuple[int, bytes]]:
    left = set(rows)
    for batch in read_rows(shard.source, fields):
        for at, text in zip(batch.good, batch.texts, strict=True):
            if batch.first + at in left:
                left.discard(batch.first + at)
                yield batch.first + at, text
        if not left:
            return
