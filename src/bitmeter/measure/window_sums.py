"""Windows over a long text, as far as measuring knows them: which a model is asked for, and sums by window.

The windows themselves are laid out in `models.windows`, because models may not import from measure/.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats
from bitmeter.errors import ModelError
from bitmeter.measure.aggregates import WindowSums
from bitmeter.measure.options import Settings
from bitmeter.measure.sums import DocumentRows
from bitmeter.models.protocols import Model, Windowed
from bitmeter.models.windows import Plan

__all__ = ["WindowTotals", "in_windows", "with_windows", "without_windows"]

W = TypeVar("W", bound=Windowed)


def with_windows(model: Model, settings: Settings, *, by_file: bool = False) -> tuple[Model, Settings]:
    """The model with the windows that the settings ask for, and the settings with all that the model decides.

    `by_file`: whether a model that learns can begin afresh with each file here.
    """
    if settings.ctx == "file":
        if model.traits.learns:
            _check_files(model, settings, by_file=by_file)
            return model, replace(without_windows(model.name, replace(settings, ctx=None)), ctx="file")
        settings = replace(settings, ctx=None)  # what is not learned need not be forgotten
    if not isinstance(model, Windowed):
        return model, without_windows(model.name, settings)
    return in_windows(model, settings)


def _check_files(model: Model, settings: Settings, *, by_file: bool) -> None:
    if not by_file or isinstance(model, Windowed) or settings.given is not None:
        why = (
            f"{model.name} sees windows" if isinstance(model, Windowed)
            else "with --given a model begins afresh with each record" if settings.given is not None
            else "only score and compare begin afresh with each file"
        )  # fmt: skip
        message = f"ctx='file' has no meaning here: {why}; leave it out (--ctx)"
        raise ModelError(message, value=settings.ctx)


def in_windows(model: W, settings: Settings) -> tuple[W, Settings]:
    """The same for a model that sees windows."""
    first = settings.first or model.default_first
    asked = settings.ctx or settings.default_ctx
    windowed = model.with_context(asked, first, settings.bos).with_arithmetic(settings.arithmetic)
    if windowed.windowing.kind == "half":
        first = "skip"  # no window has its beginning scored
    return windowed, replace(settings, ctx=str(windowed.windowing), first=first)


def without_windows(name: str, settings: Settings) -> Settings:
    """The settings for a model that sees all that came before."""
    if settings.ctx not in (None, "full"):
        message = f"{name} sees all that came before, so there are no windows; ctx must be 'full' (--ctx full)"
        raise ModelError(message, value=settings.ctx)
    if settings.first == "eos":
        message = f"{name} has no tokens around a text; first can be 'bos', 'skip' or 'uniform' (--first)"
        raise ModelError(message, value=settings.first)
    return replace(settings, ctx="full", first=settings.first or "bos")


class WindowTotals:
    """What each window cost: sums, counts and sums of squares of the tokens that it answers for."""

    def __init__(self) -> None:
        self._rows, self._counts = DocumentRows(2, np.float64), DocumentRows(2, np.int64)

    def add(self, logprobs: Floats, plan: Plan) -> None:
        """Add the windows over a piece; each token is in at most one of them."""
        edges = np.column_stack([plan.first, plan.stop]).ravel()
        opening = np.diff(plan.document, prepend=-1) > 0
        if len(plan) == 0:
            return
        # Odd segments are unscored tokens between windows; drop them.
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
