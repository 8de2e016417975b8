"""The figures of perplexity filters: one number per document, rounded to a decimal."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.conventions.base import single_documents
from bitmeter.measure.score import Score

__all__ = ["SingleSums", "document_figures", "figure_of_each", "rounded_perplexities"]

_LN10 = math.log(10.0)


class SingleSums:
    """The cost of each document, -log10 p, as KenLM's module has it: in single precision, one piece after the other.

    Over a thousand pieces that differs from the exact sum by a millionth, which shows in one of fifty figures.

    Examples
    --------
    >>> sums = SingleSums()
    >>> sums.add(np.log([0.1, 0.1, 0.01]), np.array([0, 2, 3]), continues=False, unfinished=False)
    >>> sums.finished().tolist()
    [2.0, 2.0]
    """

    def __init__(self) -> None:
        self._sums: list[float] = []
        self._open = np.float32(0.0)
        self._is_open = False

    def add(self, logprobs: Floats, bounds: Ints, *, continues: bool, unfinished: bool) -> None:
        """Take the next documents."""
        places = bounds.tolist()
        if len(places) < 2:
            return
        logs = (logprobs / _LN10).astype(np.float32)
        before = self._open if continues and self._is_open else np.float32(0.0)
        for start, stop in pairwise(places):
            part = logs[start:stop]
            if before:
                part = np.concatenate(([before], part))
            # accumulate() adds from left to right; sum() would add in pairs.
            self._sums.append(float(np.add.accumulate(part)[-1]) if len(part) else 0.0)
            before = np.float32(0.0)
        self._is_open = unfinished
        if unfinished:
            self._open = np.float32(self._sums.pop())

    def finished(self) -> Floats:
        """The cost of each document."""
        last = [float(self._open)] if self._is_open else []
        return -np.array([*self._sums, *last], dtype=np.float64) + 0.0


def rounded_perplexities(documents: DocumentSums, *, without_pieces: float | None = None) -> Floats:
    r"""10^(-sum of log10 p / number of pieces and ends) of each document, rounded to one decimal.

    `without_pieces` is the figure of a document that has nothing but its end; None for what the end costs.

    Examples
    --------
    >>> import bitmeter as bm
    >>> table = bm.Distribution({"to": 0.5, "be": 0.25, "</s>": 0.25})
    >>> score = bm.score(table, b"to be\nto\n", docs="line", eos="yes")
    >>> rounded_perplexities(score.by_document).tolist()
    [3.2, 2.8]
    """
    costs = documents.nats / _LN10 if documents.tool is None else documents.tool
    return figure_of_each(costs, documents.tokens, without_pieces=without_pieces)


def figure_of_each(costs: Floats, tokens: Ints, *, without_pieces: float | None = None) -> Floats:
    """The same from the cost of each document, -log10 p, and its number of pieces and ends.

    Examples
    --------
    >>> figure_of_each(np.array([2.0, 1.0]), np.array([4, 1]), without_pieces=0.0).tolist()
    [3.2, 0.0]
    """
    # Python's power and its rounding are those of the tools; numpy's differ in last digits.
    figures = [_figure(cost, length) for cost, length in zip(costs.tolist(), tokens.tolist(), strict=True)]
    if without_pieces is not None:
        alone = (tokens <= 1).tolist()
        figures = [without_pieces if bare else figure for figure, bare in zip(figures, alone, strict=True)]
    return np.array(figures, dtype=np.float64)


def _figure(cost: float, length: int) -> float:
    if not length or cost / length > 308.0:
        return math.inf
    return float(round(10.0 ** (cost / length), 1))


def document_figures(score: Score, *, without_pieces: float | None = None, leave_out: bool = False) -> dict[str, float]:
    """The figure of a document; of several, their mean, and the percentiles at which CCNet splits them.

    With `leave_out`, a document without pieces has no figure.
    """
    documents = single_documents(score)
    figures = rounded_perplexities(documents, without_pieces=without_pieces)
    figures = figures[documents.tokens > 1] if leave_out else figures
    if len(figures) == 0:
        return {"documents": 0.0}
    if len(figures) == 1:
        return {"perplexity": float(figures[0])}
    found = {"documents": float(len(figures)), "mean perplexity": math.fsum(figures.tolist()) / len(figures)}
    with np.errstate(invalid="ignore"):  # the difference of two infinite figures
        percentiles = np.percentile(figures, [30.0, 60.0]).tolist()
    low, high = (math.inf if math.isnan(value) else float(value) for value in percentiles)
    return {**found, "30th percentile": low, "60th percentile": high}
