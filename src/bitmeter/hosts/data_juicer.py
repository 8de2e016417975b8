"""A filter operator of Data-Juicer, `bitmeter_filter`, which is registered when this module is imported.

Importing this module needs the package py-data-juicer.
"""

from __future__ import annotations

from typing import Any

from bitmeter._util.optional import require
from bitmeter.hosts.limits import Limited

__all__ = ["OP_NAME", "ScoreFilter"]

OP_NAME = "bitmeter_filter"

_base: Any = require("data_juicer.ops.base_op", "The operator for Data-Juicer")
_stats: str = require("data_juicer.utils.constant", "The operator for Data-Juicer").Fields.stats


@_base.OPERATORS.register_module(OP_NAME)
class ScoreFilter(_base.Filter):  # type: ignore[misc]
    """Keeps samples whose figure is within limits; the figure is a stat of the sample.

    Parameters
    ----------
    model
        The name of a model; each worker opens it by itself.
    by, min, max
        The figure, and its limits.
    conventions
        Keywords of `bitmeter.columns`.
    args, kwargs
        As for other operators of Data-Juicer.
    """

    _batched_op = True

    def __init__(
        self, model: str = "", by: str | None = None, min: float | None = None, max: float | None = None,  # noqa: A002
        conventions: dict[str, Any] | None = None, *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(*args, **kwargs)
        self._limited = Limited(model, by, min, max, **(conventions or {}))
        self.stat = f"bitmeter_{self._limited.by}"

    def compute_stats_batched(self, samples: Any, context: bool = False) -> Any:  # noqa: FBT001
        """Score the samples that have no figure yet, in one call."""
        del context
        stats = samples[_stats]
        left = [place for place, one in enumerate(stats) if self.stat not in one]
        for place, value in zip(left, self._limited.values([samples[self.text_key][n] for n in left]), strict=True):
            stats[place][self.stat] = value
        return samples

    def process_batched(self, samples: Any) -> Any:
        """Which samples are within the limits."""
        return [self._limited.keeps(one[self.stat]) for one in samples[_stats]]
