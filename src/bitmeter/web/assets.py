"""The files of the page: its own, and those of the HTML report that it shares."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from bitmeter.reports.html.writer import SCRIPTS, asset

__all__ = ["TYPES", "page_file", "page_files"]

#: The content types of what is served; nothing else is.
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
#: The files of the report that the page uses.
_SHARED = (*SCRIPTS, "report.css")


@cache
def page_files() -> frozenset[str]:
    """The names of all files, as they are asked for: "page.js", or "shared/dom.js" for those of the report.

    What draws the lessons is in a folder of its own, "pictures/".

    Examples
    --------
    >>> {"index.html", "shared/reader.js"} <= page_files()
    True
    """
    folder = files("bitmeter.web").joinpath("assets")
    own = {entry.name for entry in folder.iterdir() if "." in entry.name}
    own |= {f"pictures/{entry.name}" for entry in folder.joinpath("pictures").iterdir()}
    return frozenset(
        {name for name in own if name.rpartition(".")[2] in TYPES} | {f"shared/{name}" for name in _SHARED}
    )


@cache
def page_file(name: str) -> tuple[bytes, str] | None:
    """The content and the type of a file; None if there is none of this name. No name is a path."""
    if name not in page_files():
        return None
    kind = f"{TYPES[name.rpartition('.')[2]]}; charset=utf-8"
    if name.startswith("shared/"):
        return asset(name.removeprefix("shared/")).encode(), kind
    return files("bitmeter.web").joinpath("assets", name).read_bytes(), kind
