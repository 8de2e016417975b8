"""A scheme: how models are named on the command line, as `scheme:name`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Scheme"]


@dataclass(frozen=True, slots=True)
class Scheme:
    """A way to name models on the command line.

    Another package adds one by an entry point of the group `bitmeter.models`, whose name is that of the scheme::

        [project.entry-points."bitmeter.models"]
        toy = "toy_package:SCHEME"

    Attributes
    ----------
    name
        What stands before the colon.
    usage
        How it is typed, such as `zstd:LEVEL`.
    summary
        One line for `bitmeter models`.
    load
        From what stands after the colon (or an empty string) to a model.
    requires
        The package without which it cannot be loaded.
    """

    name: str
    usage: str
    summary: str
    load: Callable[[str], Any]
    requires: str | None = None
