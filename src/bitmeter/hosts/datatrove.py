"""Steps of a datatrove pipeline: a filter by the score of documents, and statistics of it.

Importing this module needs the package datatrove.
"""

from __future__ import annotations

from typing import Any

from bitmeter._util.optional import require
from bitmeter.hosts.limits import Limited

__all__ = ["ScoreFilter", "ScoreStats"]

_BaseFilter: Any = require("datatrove.pipeline.filters.base_filter", "The steps for datatrove").BaseFilter
_BaseStats: Any = require("datatrove.pipeline.stats.base", "The steps for datatrove").BaseStats


class ScoreFilter(_BaseFilter):  # type: ignore[misc]
    """Keeps documents whose figure is within limits, and writes the figure to their metadata.

    Parameters
    ----------
    model
        The name of a model; each worker opens it by itself.
    by, min, max
        The figure, and its limits.
    exclusion_writer, batch_size
        As for other filters of datatrove. Batches are scored in one call.
    conventions
        Keywords of `bitmeter.columns`.
    """

    name = "bitmeter score filter"

    def __init__(
        self, model: Any, by: str | None = None, min: float | None = None, max: float | None = None,  # noqa: A002
        exclusion_writer: Any = None, batch_size: int = 1000, **conventions: Any,
    ) -> None:  # fmt: skip
        super().__init__(exclusion_writer, batch_size)
        self._limited = Limited(model, by, min, max, **conventions)

    def filter(self, doc: Any) -> bool | tuple[bool, str]:
        """One document."""
        found: bool | tuple[bool, str] = self.filter_batch([doc])[0]
        return found

    def filter_batch(self, batch: Any) -> list[bool | tuple[bool, str]]:
        """Many documents in one call."""
        documents = list(batch)
        result: list[bool | tuple[bool, str]] = []
        for document, value in zip(documents, self._limited.values([one.text for one in documents]), strict=True):
            if value is not None:
                document.metadata[self._limited.by] = value
            kept = self._limited.keeps(value)
            result.append(True if kept else (False, self._limited.by if value is not None else "no_text"))
        return result


class ScoreStats(_BaseStats):  # type: ignore[misc]
    """Summary statistics of the figure, by group, as those of datatrove.

    Parameters
    ----------
    output_folder
        Where the statistics go.
    model, by
        What scores, and the figure.
    groups_to_compute, histogram_round_digits, top_k_config
        As for other statistics of datatrove; left out, they have its defaults.
    conventions
        Keywords of `bitmeter.columns`.
    """

    name = "bitmeter score stats"

    def __init__(
        self, output_folder: Any, model: Any, by: str | None = None, groups_to_compute: Any = None,
        histogram_round_digits: int = 3, top_k_config: Any = None, **conventions: Any,
    ) -> None:  # fmt: skip
        more = {} if top_k_config is None else {"top_k_config": top_k_config}
        super().__init__(output_folder, groups_to_compute, histogram_round_digits, **more)
        self._limited = Limited(model, by, **conventions)

    def extract_stats(self, doc: Any) -> dict[str, float]:
        """The figure of one document; none if it is empty."""
        value = self._limited.values([doc.text])[0]
        return {} if value is None else {self._limited.by: value}
