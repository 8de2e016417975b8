"""Figures by group as lines of text: one score, several models, and differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bitmeter._util.width import line_width
from bitmeter.measure.groups.rows import groups_of, macro, source_means, sums_of
from bitmeter.measure.interval.base import Interval, bracketed, decimals
from bitmeter.measure.score import Score
from bitmeter.reports import figures

if TYPE_CHECKING:
    from rich.table import Table  # slow to import, and not needed for the lines of one score

    from bitmeter.measure.compare import Comparison
    from bitmeter.measure.groups.compare import GroupDifference

__all__ = ["difference_lines", "difference_table", "group_lines", "groups_table", "with_ends"]


def with_ends(value: float | None, found: Interval | None, *, sign: bool = False) -> str:
    """A figure with its interval, in as many decimals as the interval supports; – if there is none."""
    if value is None:
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    plus = "+" if sign else ""
    if found is None or found.low is None or found.high is None:
        return f"{value:{plus}.4f}"
    if found.high - found.low <= 1e-12 * abs(value):  # rounding of the sums
        return f"{value:{plus}.4f} ± 0"
    places = min(6, decimals(found.high - found.low, least=3))
    return f"{value:{plus}.{places}f} {bracketed(found.low, found.high, places, sign=sign)}"


def _names(score: Score) -> list[str]:
    names = sums_of(score).names
    return [figures.short_names(names)[name] for name in names] if sums_of(score).kind == "file" else list(names)


def _title(score: Score) -> str:
    return "/".join(part.removeprefix("field.") for part in sums_of(score).kind.split(","))


def group_lines(score: Score) -> list[str]:
    """The groups of one score, below its other lines."""
    from bitmeter.reports.layout import aligned

    per = score.figure_per
    rows = [(_title(score), f"bits/{per}", "docs", f"{per}s")]
    for name, group in zip(_names(score), groups_of(score), strict=True):
        size = group.bytes if per == "byte" else group.tokens
        rows.append((name, with_ends(group.figure, group.interval), f"{group.documents:,}", f"{size:,}"))
    rows.append(("micro", figures.figure_with_interval(score), f"{score.documents:,}", f"{score.count(per):,}"))
    sources, mean = source_means(score), macro(score)
    rows += [
        (f"macro {name}", with_ends(None if own is None else own.estimate, own), "", "")
        for name, own in sources.items()
    ]
    rows.append(("macro", with_ends(None if mean is None else mean.estimate, mean), "", ""))
    lines = aligned(rows, line_width(), right=(2, 3))
    return [*lines, *figures.folded("  note", _averages(mean, nested=bool(sources)), 15)]


def _averages(mean: Interval | None, *, nested: bool) -> str:
    weighed = "macro every source, and in a source every domain" if nested else "macro every group"
    said = f"micro weighs every byte alike, {weighed}; intervals hold for one group each, not for all at once"
    if mean is not None and mean.low is None:
        said += f"; no interval of macro: {'; '.join(mean.notes)}"
    return said


def groups_table(scores: Sequence[Score]) -> Table:
    """Models × groups: one line per group, one column per model."""
    from bitmeter.reports.tables import plain_table

    titles = [(_title(scores[0]), "left"), ("docs", "right"), *((score.model, "right") for score in scores)]
    columns = [groups_of(score) for score in scores]
    rows = []
    for k, name in enumerate(_names(scores[0])):
        cells = [with_ends(column[k].figure, None) for column in columns]
        rows.append([name, f"{columns[0][k].documents:,}", *cells])
    means = [macro(score) for score in scores]
    rows.append(["micro", f"{scores[0].documents:,}", *map(figures.figure, scores)])
    within = [source_means(score) for score in scores]
    rows += [[f"macro {name}", "", *(_estimate(own[name]) for own in within)] for name in within[0]]
    rows.append(["macro", "", *map(_estimate, means)])
    return plain_table(titles, rows)


def _estimate(mean: Interval | None) -> str:
    return with_ends(None if mean is None else mean.estimate, None)


def difference_table(comparison: Comparison) -> Table:
    """The difference of each model to the baseline on each group."""
    from bitmeter.reports.tables import plain_table

    titles = [("group", "left"), (comparison.baseline.model, "right")]
    several = len({found.model for found in comparison.groups}) > 1
    titles += [("model", "left")] * several
    titles += [(f"Δ [{comparison.confidence * 100:g} %]", "left"), ("p", "right")]
    rows = []
    for found in comparison.groups:
        cells = [found.group, with_ends(found.base, None), *([found.model] * several)]
        rows.append([*cells, _change(found), _p(found.p_value)])
    return plain_table(titles, rows)


def _change(found: GroupDifference) -> str:
    interval = None if found.test is None else found.test.interval
    return with_ends(found.difference, interval, sign=True)


def _p(value: float | None) -> str:
    return "–" if value is None else "<.001" if value < 0.001 else f"{value:.3f}".lstrip("0")


def difference_lines(comparison: Comparison) -> Iterable[str]:
    """How to read the differences by group."""
    tests = sum(found.p_value is not None for found in comparison.groups)
    if tests:
        said = f"p is corrected for {figures.counted(tests, 'difference')} on groups (Holm)."
        yield from figures.folded("", said, 0)
    yield from figures.folded("", "Intervals hold for one group each, not for all at once.", 0)
    missing = [found for found in comparison.groups if found.p_value is None]
    for reason in dict.fromkeys(found.reason for found in missing):
        names = [found.group for found in missing if found.reason == reason]
        listed = ", ".join(dict.fromkeys(names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
        yield from figures.folded("", f"{listed}: {reason}", 0)
