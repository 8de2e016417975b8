"""bitmeter: perplexity you can compare.

The public API is flat: every name below is `bitmeter.name`. Names load when they are first used, so that
`import bitmeter` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bitmeter._version import __version__

if TYPE_CHECKING:
    from bitmeter.errors import BitmeterError

#: Where each public name lives.
_HOMES = {
    "BitmeterError": "errors",
}

__all__ = ["BitmeterError", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'bitmeter' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(f"bitmeter.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
