"""`bitmeter models`: the models that this installation can load."""

from __future__ import annotations

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import Force, Json, check_free
from bitmeter.cli.output import show

__all__ = ["models"]


def models(
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
) -> None:
    """List the models that this installation can load, and what to install for the others."""
    formats = chosen_formats(format, json=json, output=output)
    check_free(output, force=force)
    from bitmeter._util.optional import install_line, is_absent
    from bitmeter.models.registry import survey_schemes

    found, broken = survey_schemes()
    rows = []
    for scheme in found.values():
        missing = scheme.requires is not None and is_absent(scheme.requires)
        rows.append((scheme.usage, scheme.summary, install_line(scheme.requires or "") if missing else "ready"))
    rows += [(plugin.name, plugin.value, f"unusable: {plugin.reason}") for plugin in broken]
    from bitmeter.reports.formats.table import Table, columns_of

    table = Table("bitmeter.models/1", columns_of("usage summary state"), rows)
    save_records(formats, lambda: table, force=force)
    if print_records(formats, lambda: table):
        return
    from bitmeter.reports.tables import plain_table

    show(plain_table([("model", "left"), ("what it is", "left"), ("state", "left")], rows))
