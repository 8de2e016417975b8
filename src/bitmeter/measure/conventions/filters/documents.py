"""The figures of perplexity filters: one number per document, rounded to a decimal."""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.conventions.base import single_documents
from bitmeter.measure.score import Score

__all__ = ["document_figures", "rounded_perplexities"]

_LN10 = math.log(10.0)


def rounded_perplexities(documents: DocumentSums, *, without_pieces: float | None = None) -> Floats:
    """10^(-sum of log10 p / number of pieces and ends) of each document, rounded to one decimal.

    `without_pieces` is the figure of a document that has nothing but its end; None for that of the end.

    Examples
    --------
    >>> import bitmeter as bm
    >>> table = bm.Distribution({"to": 0.5, "be": 0.25, "</s>": 0.25})
    >>> score = bm.score(table, b"to be\\nto\\n", docs="line", eos="yes")
    >>> rounded_perplexities(score.by_document).tolist()
    [3.2, 2.8]
    """
    means = np.divide(documents.nats, documents.tokens, where=documents.tokens > 0, out=np.full(len(documents), np.inf))
    # Python's power and its rounding are those of the tools; numpy's differ in last digits.
    figures = [_power(mean / _LN10) for mean in means.tolist()]
    if without_pieces is not None:
        alone = (documents.tokens <= 1).tolist()
        figures = [without_pieces if bare else figure for figure, bare in zip(figures, alone, strict=True)]
    return np.array(figures, dtype=np.float64)


def _power(exponent: float) -> float:
    return round(10.0**exponent, 1) if exponent < 308.0 else math.inf


def document_figures(score: Score, *, without_pieces: float | None = None) -> dict[str, float]:
    """The figure of a document; of several, their mean, and the percentiles at which CCNet splits them."""
    figures = rounded_perplexities(single_documents(score), without_pieces=without_pieces)
    if len(figures) == 0:
        return {"perplexity": math.inf}
    if len(figures) == 1:
        return {"perplexity": float(figures[0])}
    with np.errstate(invalid="ignore"):  # the difference of two infinite figures
        low, high = np.percentile(figures, [30.0, 60.0]).tolist()
    found = {"mean perplexity": math.fsum(figures.tolist()) / len(figures), "30th percentile": low, "60th percentile": high}
    return {name: math.inf if math.isnan(value) else value for name, value in found.items()}
