"""`bitmeter models`: the models that this installation can load."""

from __future__ import annotations

import importlib.util

import typer

from bitmeter.cli.common import Json, show


def models(json: Json = False) -> None:
    """List the models that this installation can load, and what to install for others."""
    from bitmeter._optional import EXTRAS
    from bitmeter.models.base import schemes

    rows = []
    for scheme in schemes().values():
        missing = scheme.requires is not None and importlib.util.find_spec(scheme.requires) is None
        package = EXTRAS.get(scheme.requires or "")
        line = f"pip install 'bitmeter[{package}]'" if package else f"pip install {scheme.requires}"
        rows.append((scheme.usage, scheme.summary, line if missing else "ready"))
    if json:
        import json as encoder

        typer.echo(encoder.dumps([{"usage": u, "summary": s, "state": state} for u, s, state in rows]))
        return
    from bitmeter.reports.scores import plain_table

    show(plain_table([("model", "left"), ("what it is", "left"), ("", "left")], rows))
