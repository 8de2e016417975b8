"""report(): one HTML file of scores and traces, which opens from disk and fetches nothing."""

from __future__ import annotations

import base64
import datetime
import hashlib
import html
import json
import os
import re
from functools import cache
from importlib.resources import files
from typing import Any

from bitmeter._util.check import integer
from bitmeter._util.files import check_destination, label, replacing
from bitmeter.errors import InputTypeError
from bitmeter.reports.figures import figure_with_interval
from bitmeter.reports.html.inputs import Measured, gather
from bitmeter.reports.html.packing import BUDGET
from bitmeter.reports.html.page import page_data
from bitmeter.reports.series.sizes import sized_models

__all__ = ["SCRIPTS", "bundled", "embedded_json", "render", "report"]

#: The modules of the page, each after those that it imports.
SCRIPTS = (
    "dom.js",
    "data.js",
    "scale.js",
    "legend.js",
    "inspector.js",
    "reader.js",
    "charts.js",
    "tables.js",
    "against.js",
    "header.js",
    "text.js",
    "sections.js",
    "chrome.js",
    "report.js",
)


def report(
    runs: Any,
    path: str | os.PathLike[str],
    *,
    traces: Any = (),
    sweep: Any = None,
    title: str | None = None,
    budget: int = BUDGET,
    command: str = "",
    force: bool = False,
) -> tuple[str, ...]:
    """Write a report on one or more models of one text as an HTML file.

    It shows the text with the surprisal of each unit, where the first model needs fewer bits than the others, curves,
    calibration, tables and the signature. The file fetches nothing and opens from disk.

    Parameters
    ----------
    runs
        Scores, or the paths of saved runs; the first is the baseline. A saved run `a.json` finds its trace
        `a.parquet` beside it. Without a trace, there is no text.
    path
        The file to write.
    traces
        Further traces, or the paths of saved ones; each finds its run by the signature.
    sweep
        The result of `sweep`, or the file with its JSON, for a plot of size against bits.
    title
        The heading; by default the name of the text.
    budget
        The most bytes of packed columns; what they leave out is said on the page.
    command
        What made it, for the foot of the page.
    force
        Overwrite an existing file.

    Returns
    -------
    tuple
        What was left out, as the page says it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import bitmeter as bm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = pathlib.Path(folder) / "report.html"
    ...     left_out = bm.report([bm.score("kt", b"to be or not to be", alternatives=3)], page)
    ...     page.read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    sized = () if sweep is None else sized_models(sweep)
    words: tuple[tuple[Any, str], ...] = (("" if title is None else title, "title"), (command, "command"))
    for value, name in words:
        if not isinstance(value, str):
            message = f"{name} is {value!r:.60}; it must be a string"
            raise InputTypeError(message, value=value)
    room = integer(budget, "budget", low=0, high=1 << 40)
    check_destination(path, force=force)
    measured = gather(runs, traces)
    heading = (
        label(os.path.basename(measured[0].score.text) or measured[0].score.text) if title is None else label(title)
    )
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    data = page_data(measured, heading, today, label(command), room, sized)
    written = render(data, measured)
    with replacing(path, force=force) as beside:
        beside.write_text(written, encoding="utf-8", newline="\n")
    return tuple(data["left"])


def render(data: dict[str, Any], measured: list[Measured]) -> str:
    """The page: the template with its style, its script and its data."""
    script = bundled()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    plain = "".join(
        f"<li>{html.escape(one.name)}: {html.escape(figure_with_interval(one.score))} bits per {one.score.figure_per} "
        f"({one.score.signature.short})</li>"
        for one in measured
    )
    parts = {
        "title": html.escape(f"{data['title']} · bitmeter"),
        "digest": digest,
        "style": asset("report.css"),
        "script": script,
        "data": embedded_json(data),
        "plain": plain,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], asset("report.html"))


def embedded_json(data: Any) -> str:
    r"""JSON that can stand in a script element: it holds no `<`, and no line or paragraph separator.

    Examples
    --------
    >>> embedded_json({"a": "</script>"})
    '{"a":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # Half of a surrogate pair cannot be written as UTF-8: a name of a file may have one.
    text = re.sub("[<\u2028\u2029\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.replace("\x7f", "\\u007f")


@cache
def asset(name: str) -> str:
    """A file that is shipped with the package."""
    return files("bitmeter.reports.html").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def bundled() -> str:
    """The modules of the page as one classic script, because modules do not load from disk.

    `import` lines are dropped and `export` is cut off, so names must be unique among the modules; a test sees to that.
    """
    parts = []
    for name in SCRIPTS:
        text = re.sub(r"^import [^;]*;\n", "", asset(name), flags=re.MULTILINE)
        parts.append(re.sub(r"^export ", "", text, flags=re.MULTILINE).strip())
    body = "\n\n".join(parts)
    if "</script" in body or "<!--" in body:
        message = "the script of the page must not hold the end of a script element"
        raise AssertionError(message)
    return f'"use strict";\n(() => {{\n{body}\nstart();\n}})();\n'
