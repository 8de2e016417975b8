"""Single plots as Vega-Lite specifications: pure data, made of scores and traces alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from bitmeter.errors import EmptyError
from bitmeter.measure.compare import compare_scores
from bitmeter.measure.score import Score
from bitmeter.measure.trace.trace import Trace
from bitmeter.reports.html.inputs import Measured
from bitmeter.reports.series.calibration import calibration
from bitmeter.reports.series.histogram import histogram
from bitmeter.reports.series.position import PositionBin, positions, window_positions
from bitmeter.reports.series.running import running
from bitmeter.reports.series.sizes import SizedModel
from bitmeter.reports.series.texts import traced_text
from bitmeter.reports.series.words import word_costs, word_cuts

__all__ = ["KINDS", "spec_of", "sweep_spec"]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
#: A is blue and B orange, as in the report; others are grey and differ by dash and marker.
_COLOURS = ("#0b5fc0", "#b64a06", "#6a6f7c", "#8a8f9c", "#4a4f5c", "#a0a6b2")
_DASHES = ([1, 0], [1, 0], [6, 3], [2, 3], [8, 3, 2, 3], [1, 4])
_SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down")
_CONFIG = {
    "font": "DejaVu Sans, Noto Sans, sans-serif",
    "view": {"stroke": None},
    "axis": {"gridColor": "#e4e1d9", "domainColor": "#cfcbc0", "tickColor": "#cfcbc0", "labelColor": "#474c58"},
    "title": {"anchor": "start", "fontSize": 14},
    "background": "#ffffff",
}


def _spec(title: str, values: list[dict[str, Any]], layers: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "$schema": _SCHEMA,
        "title": title,
        "width": 520,
        "height": 280,
        "config": _CONFIG,
        "data": {"values": values},
        "layer": layers,
    }


def _colour(names: Sequence[str], *, legend: bool = True) -> dict[str, Any]:
    colours = [_COLOURS[min(k, len(_COLOURS) - 1)] for k in range(len(names))]
    found: dict[str, Any] = {"field": "model", "type": "nominal", "sort": list(names), "title": None}
    found["scale"] = {"domain": list(names), "range": colours}
    if not legend:
        found["legend"] = None
    return found


def _by_model(names: Sequence[str], channel: str) -> dict[str, Any]:
    """Models differ by more than colour."""
    given: Sequence[Any] = _DASHES if channel == "strokeDash" else _SHAPES
    scale = {"domain": list(names), "range": [given[k % len(given)] for k in range(len(names))]}
    return {"field": "model", "type": "nominal", "scale": scale, "title": None}


def _quantity(field: str, title: str, **more: Any) -> dict[str, Any]:
    scale = {"zero": False, **more.pop("scale", {})}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, **more}


def running_spec(measured: Sequence[Measured]) -> dict[str, Any]:
    """The cross-entropy of the text so far, with its interval."""
    values: list[dict[str, Any]] = []
    for one in measured:
        curve = running(one.score)
        if curve is None:
            continue
        rows = zip(curve.read, curve.figure, curve.low, curve.high, strict=True)
        values += [
            {"model": one.name, "read": r, "figure": f, "low": low, "high": high}
            for r, f, low, high in rows
            if math.isfinite(f)
        ]
    _some(values, "only totals are known of these runs, so there is no curve")
    names, per = [one.name for one in measured], measured[0].score.figure_per
    x = _quantity("read", f"{per}s read", scale={"type": "log", "base": 2, "nice": False}, axis={"format": ",.0f"})
    colour = _colour(names)
    band = {
        "mark": {"type": "area", "opacity": 0.15},
        "transform": [{"filter": "datum.low != null"}],
        "encoding": {"x": x, "y": _quantity("low", f"bits per {per}"), "y2": {"field": "high"}, "color": colour},
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": x, "y": _quantity("figure", f"bits per {per}"), "color": colour,
            "strokeDash": _by_model(names, "strokeDash"),
        },
    }  # fmt: skip
    return _spec("Running cross-entropy", values, [band, line])


def histogram_spec(measured: Sequence[Measured]) -> dict[str, Any]:
    """How many words cost how much."""
    traced = _traced(measured)
    costs = []
    for one in traced:
        assert one.trace is not None
        text = traced_text(one.trace, one.score.documents)
        words = word_cuts(text.data, text.ends)
        costs.append(word_costs(text.data, text.cuts, one.trace.bits, words).bits)
    found = histogram(costs)
    values = [
        {"model": one.name, "from": found.edges[k], "to": found.edges[k + 1], "words": count}
        for one, counts in zip(traced, found.counts, strict=True)
        for k, count in enumerate(counts)
    ]
    names = [one.name for one in traced]
    bar = {
        "mark": {"type": "bar", "opacity": 0.35, "strokeWidth": 1},
        "encoding": {
            "x": _quantity("from", "bits per word", scale={"zero": True}), "x2": {"field": "to"},
            "y": {"field": "words", "type": "quantitative", "title": "words", "stack": None},
            "color": _colour(names), "stroke": _colour(names, legend=False),
        },
    }  # fmt: skip
    return _spec("Surprisal per word", values, [bar])


def position_spec(measured: Sequence[Measured]) -> dict[str, Any]:
    """Bits per byte by position in the document, and beside it in the window of models that have one."""
    traced = _traced(measured)
    values = _at_positions(traced, positions)
    _some(values, "the traces have no unit with a finite cost")
    whole = _by_position(
        "Surprisal by position in the document", "bytes from the start of the document", values, traced
    )
    within = _at_positions(traced, window_positions)
    if not within:
        return whole
    window = _by_position("Surprisal by position in the window", "tokens of context in the window", within, traced)
    panels = [{key: part for key, part in one.items() if key not in ("$schema", "config")} for one in (whole, window)]
    return {"$schema": _SCHEMA, "config": _CONFIG, "hconcat": panels}


def _at_positions(
    measured: Sequence[Measured], series: Callable[[Score, Trace], Sequence[PositionBin]]
) -> list[dict[str, Any]]:
    return [
        {"model": one.name, "position": math.sqrt(max(1, b.begin) * b.end), "bytes": b.bytes, "figure": b.figure,
         "low": b.low, "high": b.high}
        for one in measured
        if one.trace is not None
        for b in series(one.score, one.trace)
        if math.isfinite(b.figure)
    ]  # fmt: skip


def _by_position(
    title: str, x_title: str, values: list[dict[str, Any]], measured: Sequence[Measured]
) -> dict[str, Any]:
    x = _quantity("position", x_title, scale={"type": "log", "base": 2}, axis={"format": "~s"})
    return _points(title, values, x, "figure", "bits per byte", measured, line=True)


def calibration_spec(measured: Sequence[Measured]) -> dict[str, Any]:
    """How often the first guess was right, by its probability."""
    traced = _traced(measured)
    values: list[dict[str, Any]] = []
    errors = []
    for one in traced:
        assert one.trace is not None
        found = calibration(one.score, one.trace)
        if found is None:
            continue
        errors.append(f"{one.name}: {found.error:.3f}")
        values += [
            {
                "model": one.name,
                "probability": b.probability,
                "right": b.right,
                "low": b.low,
                "high": b.high,
                "count": b.count,
            }
            for b in found.bins
        ]
    _some(values, "none of the traces has alternatives; score with --alternatives 5 and --trace FILE")
    share: dict[str, Any] = {"scale": {"domain": [0, 1]}, "axis": {"format": ".0%"}}
    x = _quantity("probability", "probability of the first guess", **share)
    spec = _points("Calibration of the first guess", values, x, "right", "share of them that came", traced, **share)
    diagonal = {
        "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
        "mark": {"type": "line", "color": "#626774", "strokeDash": [2, 3], "strokeWidth": 1},
        "encoding": {"x": {"field": "x", "type": "quantitative"}, "y": {"field": "y", "type": "quantitative"}},
    }
    spec["layer"].insert(0, diagonal)
    spec["title"] = {"text": spec["title"], "subtitle": f"expected calibration error {', '.join(errors)}"}
    return spec


def _points(
    title: str, values: list[dict[str, Any]], x: dict[str, Any], field: str, y_title: str, measured: Sequence[Measured],
    *, line: bool = False, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    names = [one.name for one in measured]
    colour = _colour(names)
    y = _quantity(field, y_title, **more)
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "transform": [{"filter": "datum.low != null"}],
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour, "shape": _by_model(names, "shape")},
        },
    ]
    if line:
        layers.insert(0, {"mark": {"type": "line", "opacity": 0.6}, "encoding": {"x": x, "y": y, "color": colour}})
    return _spec(title, values, layers)


def compare_spec(measured: Sequence[Measured]) -> dict[str, Any]:
    """Each model's figure with its interval, and its difference from the first: a forest plot."""
    scores = [one.score for one in measured]
    per = scores[0].figure_per
    names = [one.name for one in measured]
    values: list[dict[str, Any]] = []
    for one in measured:
        found, figure = one.score.interval, one.score.per(per)
        low, high = (None, None) if found is None else (found.low, found.high)
        if math.isfinite(figure):
            values.append({"panel": f"bits per {per}", "model": one.name, "value": figure, "low": low, "high": high})
    if len(scores) > 1:
        comparison = compare_scores(scores, scores[0].confidence)
        for name, row in zip(names[1:], comparison.rows[1:], strict=True):
            if math.isfinite(row.difference):
                panel = f"difference from {names[0]}"
                values.append(
                    {"panel": panel, "model": name, "value": row.difference, "low": row.low, "high": row.high}
                )
    _some(values, "all of these scores are infinite")
    y = {"field": "model", "type": "nominal", "sort": names, "title": None}
    colour = _colour(names, legend=False)
    rule = {
        "mark": {"type": "rule", "strokeWidth": 3},
        "transform": [{"filter": "datum.low != null"}],
        "encoding": {"y": y, "x": _quantity("low", ""), "x2": {"field": "high"}, "color": colour},
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {"y": y, "x": _quantity("value", ""), "color": colour},
    }
    return {
        "$schema": _SCHEMA,
        "title": "Models",
        "config": _CONFIG,
        "data": {"values": values},
        "facet": {"column": {"field": "panel", "type": "nominal", "title": None, "sort": None}},
        "spec": {"width": 300, "height": {"step": 36}, "layer": [rule, point]},
        "resolve": {"scale": {"x": "independent"}},
    }


def sweep_spec(models: Sequence[SizedModel]) -> dict[str, Any]:
    """Bits against size, with the Pareto front."""
    values: list[dict[str, Any]] = [
        {"model": m.name, "size": m.size, "figure": m.figure, "low": m.low, "high": m.high, "best": m.best}
        for m in models
        if m.size and math.isfinite(m.figure)
    ]
    _some(values, "no model of this sweep has files, so that there is no size to draw bits against")
    x = _quantity("size", "bytes on disk", scale={"type": "log"}, axis={"format": "~s"})
    per = models[0].per
    y = _quantity("figure", f"bits per {per}")
    best = {
        "field": "best", "type": "nominal", "title": "Pareto front",
        "scale": {"domain": [True, False], "range": [_COLOURS[0], _COLOURS[2]]},
    }  # fmt: skip
    front = [{"filter": "datum.best"}]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "line", "strokeDash": [4, 3], "color": _COLOURS[2]},
            "transform": front,
            "encoding": {"x": x, "y": y},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 2},
            "transform": [{"filter": "datum.low != null"}],
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": best},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": best},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 8, "dy": -8},
            "encoding": {"x": x, "y": y, "text": {"field": "model", "type": "nominal"}},
        },
    ]
    return _spec("Size against bits", values, layers)


def _traced(measured: Sequence[Measured]) -> list[Measured]:
    found = [one for one in measured if one.trace is not None]
    _some(found, "none of the runs has a trace, from which this is drawn: score with -o a.json --trace a.parquet")
    return found


def _some(values: Sequence[Any], otherwise: str) -> None:
    if not values:
        raise EmptyError(otherwise)


#: What can be drawn of runs, by name.
KINDS = {
    "running": running_spec,
    "histogram": histogram_spec,
    "calibration": calibration_spec,
    "position": position_spec,
    "compare": compare_spec,
}


def spec_of(kind: str, measured: Sequence[Measured]) -> dict[str, Any]:
    """The specification of one kind of plot.

    Examples
    --------
    >>> import bitmeter as bm
    >>> from bitmeter.reports.html.inputs import gather
    >>> spec = spec_of("running", gather([bm.score("kt", b"to be or not to be")]))
    >>> spec["title"], spec["data"]["values"][-1]["read"]
    ('Running cross-entropy', 18.0)
    """
    return KINDS[kind](measured)
