"""A document filter for NeMo Curator's `ScoreFilter`: `ScoreFilter(DocumentScore("model.bmn", max=2.0))`.

Importing this module needs the package nemo-curator.
"""

from __future__ import annotations

from typing import Any

from bitmeter._util.optional import require
from bitmeter.hosts.limits import Limited

__all__ = ["DocumentScore"]

_DocumentFilter: Any = require(
    "nemo_curator.stages.text.filters.doc_filter", "The filter for NeMo Curator"
).DocumentFilter


class DocumentScore(_DocumentFilter):  # type: ignore[misc]
    """Scores a document, and keeps it within limits.

    Parameters
    ----------
    model
        The name of a model; each worker opens it by itself.
    by, min, max
        The figure, and its limits.
    conventions
        Keywords of `bitmeter.columns`.
    """

    def __init__(
        self, model: Any, by: str | None = None, min: float | None = None, max: float | None = None,  # noqa: A002
        **conventions: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self._limited = Limited(model, by, min, max, **conventions)
        self._name = f"bitmeter_{self._limited.by}"

    def score_document(self, text: str) -> float:
        """The figure of a text; NaN for an empty one, which is what tables of NeMo Curator have for no value."""
        value = self._limited.values([text])[0]
        return float("nan") if value is None else value

    def keep_document(self, scores: float) -> bool:
        """Whether the figure is within the limits."""
        return self._limited.keeps(None if scores != scores else scores)
