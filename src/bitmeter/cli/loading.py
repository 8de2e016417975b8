"""Loading the models of a command line, with what their files refer to."""

from __future__ import annotations

from typing import Any

__all__ = ["load_models"]


def load_models(names: list[str], given: list[str] | None) -> list[Any]:
    """The models of these names; what is given (--with) is for all of them, and must be of use to one."""
    from bitmeter.models.registry import components_of, resolve

    components = components_of(given or ())
    found: list[Any] = [resolve(name, components) for name in names]
    components.check_used()
    return found
