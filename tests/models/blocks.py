"""Scoring in blocks of any size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bitmeter.models.protocols import Model


def in_blocks(patch: pytest.MonkeyPatch, kind: type[Model], size: int) -> None:
    """Have models of this kind ask for blocks of so many bytes."""
    own = kind.traits
    assert isinstance(own, property)
    patch.setattr(kind, "traits", property(lambda model: replace(own.__get__(model), block_bytes=size)))
