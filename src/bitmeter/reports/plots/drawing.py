"""plot(): one plot of saved results, as a chart for notebooks or as a file."""

from __future__ import annotations

import json
import os
from typing import Any

from bitmeter._util.check import choice
from bitmeter._util.files import as_path, check_destination, replacing
from bitmeter._util.optional import require
from bitmeter.errors import ChoiceError
from bitmeter.reports.html.inputs import gather
from bitmeter.reports.plots.specs import KINDS, spec_of, sweep_spec
from bitmeter.reports.plots.themes import THEMES, dark_spec, themed
from bitmeter.reports.series.sizes import sized_models

__all__ = ["FORMATS", "PLOTS", "plot"]

PLOTS = (*KINDS, "sweep")
FORMATS = ("svg", "png", "html", "json")
_PURPOSE = "Drawing a plot"


def plot(
    kind: str,
    runs: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    traces: Any = (),
    theme: str = "light",
    force: bool = False,
) -> Any:
    """Draw one plot of runs.

    Parameters
    ----------
    kind
        "running" (cross-entropy of the text so far), "histogram" (bits per word), "calibration" (of the first guess),
        "position" (bits by position in the document), "compare" (models and differences with intervals), or "sweep"
        (size against bits).
    runs
        Scores, or the paths of saved runs, as `report` takes them; for "sweep" a Sweep or the path of its JSON.
    path
        Where to write it: .svg, .png, .html (nothing is fetched) or .json (the Vega-Lite specification).
    traces
        Further traces, as `report` takes them.
    theme
        "light", "dark", or "auto" for an .svg that takes the colours that the reader's system prefers.
    force
        Overwrite an existing file.

    Returns
    -------
    altair.Chart or None
        Without a path a chart, which notebooks show; with one, nothing.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import bitmeter as bm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "running.json"
    ...     bm.plot("running", bm.score("kt", b"to be or not to be"), file)
    ...     json.loads(file.read_text())["title"]
    'Running cross-entropy'
    """
    choice(kind, "kind", PLOTS)
    choice(theme, "theme", THEMES)
    ending = "" if path is None else as_path(path).suffix.removeprefix(".").lower()
    if path is not None:
        if ending not in FORMATS:
            message = f"{path} has no ending that says how to draw it; name it .svg, .png, .html or .json"
            raise ChoiceError(message, value=str(path))
        check_destination(path, force=force)
    if theme == "auto" and ending != "svg":
        message = 'only an .svg can take the reader\'s colours (theme="auto"); choose light or dark, or name it .svg'
        raise ChoiceError(message, value=theme)
    spec = sweep_spec(sized_models(runs)) if kind == "sweep" else spec_of(kind, gather(runs, traces))
    if theme == "dark":
        spec = dark_spec(spec)
    if path is None:
        return require("altair", _PURPOSE).Chart.from_dict(spec)
    with replacing(path, force=force) as beside:
        beside.write_bytes(_drawn(spec, ending, theme))
    return None


def _drawn(spec: dict[str, Any], ending: str, theme: str) -> bytes:
    if ending == "json":
        return (json.dumps(spec, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode(
            "utf-8", "backslashreplace"
        )
    converter = require("vl_convert", _PURPOSE)
    if ending == "png":
        return bytes(converter.vegalite_to_png(spec, scale=2))
    if ending == "svg":
        drawn = str(converter.vegalite_to_svg(spec))
        return themed(drawn, "auto" if theme == "auto" else "light").encode()  # a dark specification is drawn dark
    return str(converter.vegalite_to_html(spec, bundle=True)).encode()
