"""bitmeter: perplexity you can compare.

The public API is flat: every name below is `bitmeter.name`. Names load when they are first used, so that
`import bitmeter` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bitmeter._version import __version__

if TYPE_CHECKING:
    from bitmeter import errors
    from bitmeter.errors import BitmeterError
    from bitmeter.theory.conditional import Conditional
    from bitmeter.theory.distributions import Distribution
    from bitmeter.theory.impossible import Impossible, explain_infinite
    from bitmeter.theory.information import (
        cross_entropy,
        entropy,
        information,
        js_divergence,
        kl_divergence,
        perplexity,
        renyi_entropy,
        sequence_perplexity,
        varentropy,
    )
    from bitmeter.theory.joint import conditional_entropy, joint_entropy, mutual_information
    from bitmeter.theory.monte_carlo import MonteCarlo, monte_carlo_cross_entropy

#: Where each public name lives.
_HOMES = {
    "BitmeterError": "errors",
    "Conditional": "theory.conditional",
    "Distribution": "theory.distributions",
    "Impossible": "theory.impossible",
    "MonteCarlo": "theory.monte_carlo",
    "conditional_entropy": "theory.joint",
    "cross_entropy": "theory.information",
    "entropy": "theory.information",
    "explain_infinite": "theory.impossible",
    "information": "theory.information",
    "joint_entropy": "theory.joint",
    "js_divergence": "theory.information",
    "kl_divergence": "theory.information",
    "monte_carlo_cross_entropy": "theory.monte_carlo",
    "mutual_information": "theory.joint",
    "perplexity": "theory.information",
    "renyi_entropy": "theory.information",
    "sequence_perplexity": "theory.information",
    "varentropy": "theory.information",
}

__all__ = [
    "BitmeterError",
    "Conditional",
    "Distribution",
    "Impossible",
    "MonteCarlo",
    "__version__",
    "conditional_entropy",
    "cross_entropy",
    "entropy",
    "errors",
    "explain_infinite",
    "information",
    "joint_entropy",
    "js_divergence",
    "kl_divergence",
    "monte_carlo_cross_entropy",
    "mutual_information",
    "perplexity",
    "renyi_entropy",
    "sequence_perplexity",
    "varentropy",
]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return importlib.import_module("bitmeter.errors")
    if name not in _HOMES:
        message = f"module 'bitmeter' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(f"bitmeter.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
