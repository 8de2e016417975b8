"""What the adapters to other programs' filters share: a figure of each text, and limits on it."""

from __future__ import annotations

import math
from typing import Any

from bitmeter._util.check import choice, real
from bitmeter.errors import InputError
from bitmeter.filter.statistics import STATISTICS, default_statistic, statistic
from bitmeter.hosts.columns import Columns, columns, joined_texts

__all__ = ["Limited"]


class Limited:
    """Scores texts by one figure, and says which are within limits.

    Parameters
    ----------
    model
        The name of a model.
    by
        The figure, as of `filter_corpus`; bits per byte by default, or the perplexity of models without.
    low, high
        The least and the largest figure that is kept; None for no limit.
    conventions
        Keywords of `columns`: units, like, norm, first, eos, oov, ctx, sentences.

    Examples
    --------
    >>> limited = Limited("uniform", high=8.5)
    >>> limited.by, limited.values(["ab", "", None]), limited.keeps(8.0), limited.keeps(None)
    ('bits_per_byte', [8.0, None, None], True, False)
    """

    def __init__(
        self, model: Any, by: str | None = None, low: float | None = None, high: float | None = None, **conventions: Any
    ) -> None:
        self._columns: Columns = columns(model, **conventions)
        self.by = choice(by, "by", STATISTICS) if by is not None else default_statistic(self._columns.scorer)
        self._low = -math.inf if low is None else real(low, "min")
        self._high = math.inf if high is None else real(high, "max")
        if self._low > self._high:
            message = f"min {self._low:g} is above max {self._high:g}, so nothing would be kept"
            raise InputError(message, value=low)

    def values(self, texts: list[Any]) -> list[float | None]:
        """The figure of each text; None for one that is empty or is not there."""
        data, ends, present = joined_texts(texts)
        figures, defined = statistic(self.by, self._columns.scorer.score(data, ends))
        has = (defined & present).tolist()
        return [value if there else None for value, there in zip(figures.tolist(), has, strict=True)]

    def keeps(self, value: float | None) -> bool:
        """Whether a figure is within the limits; what has none is not kept."""
        return value is not None and self._low <= value <= self._high
