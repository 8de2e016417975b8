"""Texts sampled from a model (`sample`) as programs read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from bitmeter.models.sampled import SampledText
from bitmeter.reports.formats.table import Column, Table, columns_of

__all__ = ["sample_records"]

_COLUMNS = (
    Column("index", "integer"), Column("text"), *columns_of("bytes tokens", "integer"), Column("ended", "flag"),
    *columns_of("bits nats perplexity_per_token", "number"),
)  # fmt: skip


def sample_records(texts: Iterable[SampledText], model: str, *, seed: int, temperature: float) -> Table:
    """One row per text: what the model itself needs for it, its end included.

    Parameters
    ----------
    texts
        The texts; they are read as they are written.
    model
        The name of the model.
    seed, temperature
        With which they can be drawn again.

    Examples
    --------
    >>> from bitmeter.models.sampling import samples
    >>> table = sample_records(samples("uniform", 1, 1, length=4), "uniform", seed=1, temperature=1.0)
    >>> [(row[3], row[4], row[5], row[7]) for row in table.rows]
    [(4, False, 32.0, 256.0)]
    """

    def rows() -> Iterator[list[Any]]:
        for index, text in enumerate(texts, 1):
            nats = text.bits * math.log(2.0)
            # An end that was predicted is one of the predictions.
            perplexity = math.exp(nats / len(text.logprobs)) if len(text.logprobs) else None
            yield [
                index,
                str(text).rstrip("\n"),
                len(text.data),
                len(text.ids),
                text.ended,
                text.bits,
                nats,
                perplexity,
            ]

    return Table("bitmeter.sample/1", _COLUMNS, rows(), {"model": model, "seed": seed, "temperature": temperature})
