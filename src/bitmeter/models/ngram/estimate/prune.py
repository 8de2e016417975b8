"""Pruning an n-gram model by relative entropy, and saying what that costs."""

from __future__ import annotations

import math
from typing import Any

from bitmeter import _core
from bitmeter._util.check import real
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import metadata, read_metadata


def pruned(model: _core.NgramModel, threshold: Any, smoothing: str) -> _core.NgramModel:
    """The model without n-grams that cost less than the threshold; its notes say what went."""
    least = real(threshold, "threshold", low=0.0, high=1.0)
    if model.order < 2:
        message = "a model of order 1 has nothing to prune: single words stay"
        raise ModelError(message)
    if smoothing.startswith("stupid-backoff"):
        message = "stupid back-off gives scores that do not sum to one, so they have no entropy to prune by; use prune="
        raise ModelError(message)
    found = model.prune_by_entropy(least)
    about = read_metadata(model.metadata)
    notes = about.get("notes")
    kept = [str(line) for line in notes] if isinstance(notes, list) else []
    described = cost_note(least, tuple(model.counts), tuple(found.counts), found.divergence)
    return found.model(metadata(**{**about, "notes": [*kept, described]}))


def cost_note(threshold: float, before: tuple[int, ...], after: tuple[int, ...], divergence: float) -> str:
    """What went, and the rise of the perplexity by Stolcke's formula, exp(D) − 1.

    Examples
    --------
    >>> cost_note(1e-8, (10, 200), (10, 150), 0.002)
    'pruning by entropy at 1e-08 left 150 of 200 n-grams above order 1; by the formula perplexity rises by 0.2 %'
    """
    was, now = sum(before[1:]), sum(after[1:])
    rise = 100.0 * math.expm1(max(0.0, divergence))
    return (
        f"pruning by entropy at {threshold:g} left {now:,} of {was:,} n-grams above order 1; "
        f"by the formula perplexity rises by {rise:.2g} %"
    )
