"""bitmeter's own convention."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention

CONVENTION = Convention(
    name="bitmeter",
    settings={},
    statements=("Every unit is scored once; bits are divided by bytes.",),
    figures=lambda score: {},
)
