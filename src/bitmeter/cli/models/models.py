"""`bitmeter models`: the models that this installation can load."""

from __future__ import annotations

import typer

from bitmeter.cli.common import Json, show


def models(json: Json = False) -> None:
    """List the models that this installation can load, and what to install for others."""
    from bitmeter._util.optional import install_line, is_absent
    from bitmeter.models.registry import survey_schemes

    found, broken = survey_schemes()
    rows = []
    for scheme in found.values():
        missing = scheme.requires is not None and is_absent(scheme.requires)
        rows.append((scheme.usage, scheme.summary, install_line(scheme.requires or "") if missing else "ready"))
    rows += [(plugin.name, plugin.value, f"unusable: {plugin.reason}") for plugin in broken]
    if json:
        import json as encoder

        typer.echo(encoder.dumps([{"usage": u, "summary": s, "state": state} for u, s, state in rows]))
        return
    from bitmeter.reports.tables import plain_table

    show(plain_table([("model", "left"), ("what it is", "left"), ("", "left")], rows))
