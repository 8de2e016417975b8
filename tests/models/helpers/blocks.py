"""Scoring in blocks of any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest


def in_blocks(patch: pytest.MonkeyPatch, kind: Any, size: int) -> None:
    """Have models of this kind ask for blocks of so many bytes."""
    own: property = kind.traits
    patch.setattr(kind, "traits", property(lambda model: replace(own.__get__(model), block_bytes=size)))
