"""Statistics of documents as text."""

from __future__ import annotations

import math

import numpy as np
from rich.console import Console

from bitmeter._util.width import line_width
from bitmeter.measure.interval.base import bracketed, decimals
from bitmeter.measure.membership.statistics import Statistic, TextStatistics
from bitmeter.reports.figures import WIDTH, folded, short_names
from bitmeter.reports.layout import fitted
from bitmeter.reports.tables import plain_table

__all__ = ["describe_statistics"]

#: So many documents are shown one by one.
_SHOWN = 20


def describe_statistics(found: TextStatistics) -> str:
    """The mean of each statistic with its interval, then the documents; with a null, the quantile of each in it."""
    title = f"{found.model} on {short_names([found.text])[found.text]}"
    means = plain_table(
        [("statistic", "left"), ("mean [95 %]".replace("95", f"{100 * _level(found):g}"), "left"), ("null", "right"),
         ("quantile", "right")],
        [[one.name, _mean(one), _null(one), _quantile(one.quantiles)] for one in found.statistics],
    )  # fmt: skip
    columns = [("document", "left"), *((one.name, "right") for one in found.statistics)]
    width = WIDTH - 4 - 18 * len(found.statistics)
    rows = [
        [name if len(name) <= width else f"…{name[1 - width :]}", *(_cell(one, place) for one in found.statistics)]
        for place, name in enumerate(found.documents[:_SHOWN])
    ]
    console = Console(width=400, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as capture:
        for table in (means, plain_table(columns, rows)):
            for part in fitted(table, line_width()):
                console.print(part)
    lines = [title, *(line.rstrip() for line in capture.get().splitlines())]
    if len(found.documents) > _SHOWN:
        lines.append(f"… and {len(found.documents) - _SHOWN:,} more documents; --json has all.")
    if any(one.name.startswith("min-k") for one in found.statistics):
        lines.append(f"min-k: the mean over the lowest {100 * found.share:g} % of a document's tokens, in nats.")
    if len(found.statistics[0].null):
        lines.append(f"(q): the share of {len(found.statistics[0].null):,} null documents that lie below.")
    lines.append("These are numbers, not a verdict: the null decides what is usual.")
    tables = len(capture.get().splitlines()) + 1
    return "\n".join([*lines[:tables], *(part for line in lines[tables:] for part in folded("", line, 0))])


def _level(found: TextStatistics) -> float:
    return found.statistics[0].mean.confidence


def _mean(one: Statistic) -> str:
    low, high = one.mean.low, one.mean.high
    if low is None or high is None:
        return _shown(one.mean.estimate)
    places = min(6, decimals(high - low, least=3))
    return f"{one.mean.estimate:.{places}f} {bracketed(low, high, places)}"


def _null(one: Statistic) -> str:
    return _shown(float(one.null.mean())) if len(one.null) else "–"


def _quantile(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    return f"{float(values.mean()):.3f}" if len(values) else "–"


def _cell(one: Statistic, place: int) -> str:
    value = _shown(float(one.values[place]))
    return f"{value} ({one.quantiles[place]:.2f})" if len(one.quantiles) else value


def _shown(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.4f}"
