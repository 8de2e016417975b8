"""Light and dark colours of plots that are files."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["THEMES", "dark_spec", "following", "themed"]

#: "auto": an SVG that takes the colours that the reader's system prefers.
THEMES = ("light", "dark", "auto")
#: Each colour of our plots, and what it becomes on a dark ground.
_DARK = {
    "#ffffff": "#14161b", "white": "#14161b", "#000": "#eef0f4", "#000000": "#eef0f4", "black": "#eef0f4",
    "#333333": "#eef0f4", "#474c58": "#b9bfca", "#555555": "#9097a5", "#626774": "#9097a5",
    "#dddddd": "#262a33", "#e4e1d9": "#262a33", "#cfcbc0": "#3a404c",
    "#0b5fc0": "#74b0ff", "#b64a06": "#ffa066", "#0072b2": "#74b0ff", "#d55e00": "#ffa066", "#009e73": "#5fd6a0",
    "#cc79a7": "#e6a3cb", "#6a6f7c": "#a0a6b2", "#8a8f9c": "#7b8291", "#4a4f5c": "#c3c9d4", "#a0a6b2": "#6a7080",
}  # fmt: skip
_INK = "#eef0f4"


def dark_spec(spec: dict[str, Any]) -> dict[str, Any]:
    """A Vega-Lite specification in dark colours.

    Examples
    --------
    >>> dark_spec({"mark": {"color": "#0b5fc0"}, "config": {"background": "#ffffff"}})["mark"]
    {'color': '#74b0ff'}
    """
    found: dict[str, Any] = _exchanged(spec)
    config = found.setdefault("config", {})
    config["title"] = {**config.get("title", {}), "color": _INK, "subtitleColor": _INK}
    config["text"] = {**config.get("text", {}), "color": _INK}
    config["axis"] = {**config.get("axis", {}), "titleColor": _INK}
    for part in ("legend", "header"):
        config[part] = {**config.get(part, {}), "labelColor": _INK, "titleColor": _INK}
    return found


def _exchanged(part: Any) -> Any:
    """The data of a plot are no colours."""
    if isinstance(part, dict):
        return {key: value if key in ("data", "datasets") else _exchanged(value) for key, value in part.items()}
    if isinstance(part, list):
        return list(map(_exchanged, part))
    return _DARK.get(part, part) if isinstance(part, str) else part


def following(svg: str) -> str:
    """An SVG with rules for systems that prefer dark colours; programs without style sheets show it in light ones.

    Examples
    --------
    >>> found = following('<svg width="1"><text fill="#333333">bits</text></svg>')
    >>> found.startswith('<svg width="1"><style>@media (prefers-color-scheme: dark)')
    True
    """
    rules = "".join(
        f'[{side}="{light}"]{{{side}:{dark}}}'
        for light, dark in _DARK.items()
        for side in ("fill", "stroke")
        if f'{side}="{light}"' in svg
    )
    at = svg.index(">", svg.index("<svg")) + 1
    return f"{svg[:at]}<style>@media (prefers-color-scheme: dark){{{rules}}}</style>{svg[at:]}"


def themed(svg: str, theme: str) -> str:
    """An SVG that was drawn in light colours, in those of one of `THEMES`.

    Examples
    --------
    >>> themed('<svg><text fill="#333333">bits</text></svg>', "dark")
    '<svg><text fill="#eef0f4">bits</text></svg>'
    """
    if theme == "auto":
        return following(svg)
    if theme == "dark":
        return re.sub(r'(fill|stroke)="([^"]*)"', lambda found: f'{found[1]}="{_DARK.get(found[2], found[2])}"', svg)
    return svg
