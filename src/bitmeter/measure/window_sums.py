"""How a long text meets a bounded context, on the side of the instrument: what is asked of a model, and sums by window.

The windows themselves are laid by the model's room (`models.windows`), because models may not know the instrument.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.measure.aggregates import WindowSums
from bitmeter.measure.options import Settings
from bitmeter.measure.sums import DocumentRows
from bitmeter.models.causal.windows import Plan

__all__ = ["WindowTotals", "with_windows"]


def with_windows(model: Any, settings: Settings) -> tuple[Any, Settings]:
    """The model reading as the settings ask, and the settings with all that the model decides."""
    if hasattr(model, "with_reading"):
        first = settings.first or model.usual_first
        asked = settings.ctx or settings.usual_ctx
        reader = model.with_reading(asked, first)
        if reader.reading.kind == "half":
            first = "skip"  # of no window is the beginning scored
        return reader, replace(settings, ctx=str(reader.reading), first=first)
    if settings.ctx not in (None, "full"):
        message = f"{model.name} sees all that came before, so there are no windows; ctx must be 'full' (--ctx full)"
        raise ModelError(message, value=settings.ctx)
    if settings.first == "eos":
        message = f"{model.name} has no tokens around a text; first can be 'bos', 'skip' or 'uniform' (--first)"
        raise ModelError(message, value=settings.first)
    return model, replace(settings, ctx="full", first=settings.first or "bos")


class WindowTotals:
    """What each window cost: sums, counts and sums of squares of the tokens that it answers for."""

    def __init__(self) -> None:
        self._rows, self._counts = DocumentRows(2, np.float64), DocumentRows(2, np.int64)

    def add(self, logprobs: NDArray[np.float64], plan: Plan) -> None:
        """Add the windows over a piece; each token is in at most one of them."""
        edges = np.column_stack([plan.first, plan.stop]).ravel()
        opening = np.diff(plan.document, prepend=-1) > 0
        if len(plan) == 0:
            return
        # A token that nobody was asked for stands between two windows: every second stretch is left out.
        sums = [-_core.segment_sums(values, edges)[::2] for values in (logprobs, -np.square(logprobs))]
        self._rows.add(np.column_stack(sums))
        self._counts.add(np.column_stack([plan.stop - plan.first, opening]))

    def finished(self) -> WindowSums | None:
        """The sums, or None where there were so many windows that neighbours had to be joined."""
        rows, sizes = self._rows.finished()
        if sizes is not None:
            return None
        nats, squares = (np.ascontiguousarray(column) for column in rows.T)
        tokens, opening = (np.ascontiguousarray(column) for column in self._counts.finished()[0].T)
        return WindowSums(nats + 0.0, squares + 0.0, tokens, opening)
