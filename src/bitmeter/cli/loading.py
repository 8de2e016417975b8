"""Loading the models of a command line, with what their files refer to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["check_order", "load_models"]


def check_order(verb: str, model: str, text: str) -> None:
    """Refuse a text that stands before its model."""
    from bitmeter.models.registry import names_model

    if Path(model).exists() and not names_model(model) and names_model(text) and not Path(text).exists():
        import typer

        message = f"the model comes first; type: bitmeter {verb} {text} {model}"
        raise typer.BadParameter(message)


def load_models(names: list[str], given: list[str] | None) -> list[Any]:
    """The models of these names; what is given (--with) is for all of them, and must be of use to one."""
    from bitmeter.models.registry import components_of, resolve

    components = components_of(given or ())
    found: list[Any] = [resolve(name, components) for name in names]
    components.check_used()
    return found
