"""The figures of single documents by which a filter may decide, by name."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.measure.documents.scorer import DocumentColumns, DocumentScorer

__all__ = ["COUNTS", "PER_BYTE", "STATISTICS", "default_statistic", "difference", "statistic"]

_LN2 = math.log(2.0)


def _per(total: Floats, count: Ints) -> Floats:
    """A quotient; not a number where there is nothing to divide by, which `statistic` takes out."""
    return np.asarray(np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0))


def _per_token(total: Floats, columns: DocumentColumns) -> Floats:
    """A quotient by tokens; an empty document has none, though its end may be a token."""
    return _per(total, np.where(columns.bytes > 0, columns.tokens, 0))


def _perplexity(columns: DocumentColumns) -> Floats:
    """By the exact sums; where the conventions are those of a tool, the tool's own figure."""
    return _exp(_per_token(columns.nats, columns)) if columns.perplexity is None else columns.perplexity


def _exp(nats: Floats) -> Floats:
    with np.errstate(over="ignore"):
        return np.exp(nats)


STATISTICS: dict[str, Callable[[DocumentColumns], Floats]] = {
    "bits_per_byte": lambda c: _per(c.nats / _LN2, c.bytes),
    "bits_per_char": lambda c: _per(c.nats / _LN2, c.chars),
    "bits_per_word": lambda c: _per(c.nats / _LN2, c.words),
    "bits_per_token": lambda c: _per_token(c.nats / _LN2, c),
    "perplexity": _perplexity,
    "word_perplexity": lambda c: _exp(_per(c.nats, c.words)),
    "ratio": lambda c: _per(c.nats / (8 * _LN2), c.bytes),
    "oov_share": lambda c: _per_token(c.oov.astype(np.float64), c),
    "nats": lambda c: c.nats,
    "bits": lambda c: c.nats / _LN2,
    "bytes": lambda c: c.bytes.astype(np.float64),
    "chars": lambda c: c.chars.astype(np.float64),
    "words": lambda c: c.words.astype(np.float64),
    "tokens": lambda c: c.tokens.astype(np.float64),
    "oov": lambda c: c.oov.astype(np.float64),
}
#: Those that are whole numbers.
COUNTS = ("bytes", "chars", "words", "tokens", "oov")
#: Those that mean something only if every byte is paid for.
PER_BYTE = ("bits_per_byte", "bits_per_char", "ratio")


def default_statistic(scorer: DocumentScorer) -> str:
    """Bits per byte; of a model with a closed vocabulary, its perplexity per token."""
    return "bits_per_byte" if scorer.covers_bytes else "perplexity"


def check_statistic(name: str, scorer: DocumentScorer) -> str:
    """Refuse a figure that the model does not have."""
    choice(name, "by", STATISTICS)
    if name in PER_BYTE and not scorer.covers_bytes:
        message = (
            f"{scorer.name} has a closed vocabulary and does not pay for every byte, so it has no {name}; decide by "
            "perplexity, word_perplexity or bits_per_word (--by)"
        )
        raise ModelError(message, value=name)
    return name


def statistic(name: str, columns: DocumentColumns) -> tuple[Floats, Bools]:
    """The figure of each document, and which have one; an empty document has no quotient, and its figure is 0."""
    values = STATISTICS[name](columns) + 0.0
    defined = ~np.isnan(values)
    return np.where(defined, values, 0.0), defined


def difference(name: str, first: DocumentColumns, second: DocumentColumns) -> tuple[Floats, Bools]:
    """The figure by one model less that by another, and which documents have one: not those impossible for both."""
    (a, has_a), (b, has_b) = statistic(name, first), statistic(name, second)
    defined = has_a & has_b & ~(np.isinf(a) & np.isinf(b))
    with np.errstate(invalid="ignore"):
        values = np.where(defined, a - b, 0.0) + 0.0
    return values, defined
