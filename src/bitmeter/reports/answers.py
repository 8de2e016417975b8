"""Choices and minimal pairs as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitmeter._util.width import line_width
from bitmeter.measure.answers.accuracy import Accuracy
from bitmeter.measure.answers.choices import Choices, Way
from bitmeter.measure.answers.pairs import PairGroup, Preferences
from bitmeter.measure.interval.base import Interval
from bitmeter.reports.figures import counted, folded, short_names
from bitmeter.reports.groups import with_ends
from bitmeter.reports.layout import aligned

__all__ = ["describe_choices", "describe_preferences", "pair_lines"]

_COLUMN = 15
#: Wider than any table.
_WIDE = 10_000
#: How each way is shown.
_WAYS = {
    "sum": ("by sum", "bits"),
    "byte": ("per byte", "bits/byte"),
    "char": ("per char", "bits/char"),
    "token": ("per token", "bits/token"),
    "calibrated": ("calibrated", "bits"),
}


def _percent(found: Interval | None) -> str:
    if found is None:
        return "–"
    share = f"{100 * found.estimate:.1f} %"
    if found.low is None or found.high is None:
        return share
    return f"{share} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def describe_choices(found: Choices) -> str:
    """A result of `choose` in a few lines."""
    name = short_names([found.text])[found.text]
    sizes = f"{counted(found.items, 'item')}, {counted(found.answers, 'answer')}"
    lines = folded(f"{found.model} on {name}:", sizes, 2)
    rows = [("", "accuracy", "ties", "margin")]
    rows += [_row(way) for way in found.ways.values()]
    lines += _aligned_apart(rows)
    lines += folded("  bits/byte", f"of the labelled answers: {_figure(found.micro)} over bytes (micro)", _COLUMN)
    lines += folded(" " * _COLUMN, f"{_figure(found.macro)} over items (macro)", _COLUMN)
    grouped = found.ways["sum"]
    if grouped.by_group:
        lines += _accuracies(grouped.by_group, grouped.macro, "by sum")
    notes = [*found.notes]
    if found.calibrate is not None:
        notes.append(f"calibrated: the cost of each answer after {found.calibrate!r} is subtracted")
    notes.append(
        f"{100 * found.confidence:g} % intervals: Wilson's for accuracies, each item one observation for margins; a "
        "tie of n answers counts 1/n"
    )
    for note in notes:
        lines += folded("  note", note, _COLUMN)
    return "\n".join([*lines, f"  signature    {found.signature.short}"])


def _figure(found: Interval | None) -> str:
    return with_ends(None if found is None else found.estimate, found)


def _row(way: Way) -> tuple[str, str, str, str]:
    title, unit = _WAYS[way.name]
    margin = "∞" if way.margin is None else f"{with_ends(way.margin.estimate, way.margin, sign=True)} {unit}"
    return title, _percent(way.accuracy.interval), f"{way.accuracy.ties:,}", margin


def _accuracies(groups: Mapping[str, Accuracy], macro: Interval | None, how: str) -> list[str]:
    rows = [("group", f"accuracy {how}", "items")]
    rows += [(name, _percent(found.interval), f"{found.items:,}") for name, found in groups.items()]
    rows.append(("macro", _percent(macro), ""))
    return _aligned(rows, line_width())


def _aligned_apart(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows whose last column, the margins, gets a table of its own where all are too wide together."""
    width = line_width()
    whole = _aligned(rows, _WIDE)
    parts = [_aligned([row[:-1] for row in rows], _WIDE)]
    parts.append(_aligned([(row[0], row[-1]) for row in rows if any(row[-1:])], _WIDE))
    if max(map(len, whole)) <= width:
        return whole
    if max(len(line) for part in parts for line in part) <= width:
        return [line for part in parts for line in part]
    return _aligned(rows, width)


def _aligned(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    return aligned(rows, width, least=_COLUMN - 3)


def describe_preferences(found: Preferences) -> str:
    """A result of `prefer` in a few lines."""
    return "\n".join(pair_lines(found))


def pair_lines(found: Preferences, *, worst_first: bool = False) -> list[str]:
    """The lines of a result of `prefer`; groups in the order of the pairs, or the least accurate first."""
    name = short_names([found.text])[found.text]
    unit = "bits" if found.per == "total" else f"bits/{found.per}"
    lines = folded(f"{found.model} on {name}:", counted(len(found), "pair"), 2)
    groups = sorted(found.groups, key=lambda group: group.accuracy.share) if worst_first else found.groups
    rows = [("", "accuracy", "pairs", "ties", f"margin in {unit}")]
    rows += [_pair_row(group) for group in groups]
    rows.append(_pair_row(PairGroup("all (micro)" if groups else "all", found.accuracy, found.margin)))
    if groups:
        rows.append(("macro", _percent(found.macro), "", "", ""))
    lines += _aligned_apart(rows)
    notes = list(found.notes)
    notes.append(
        f"{100 * found.confidence:g} % intervals, each by itself: Wilson's for accuracies, each pair one observation "
        "for margins; a tie counts half"
    )
    for note in notes:
        lines += folded("  note", note, _COLUMN)
    return [*lines, f"  signature    {found.short}"] if found.short else lines


def _pair_row(group: PairGroup) -> tuple[str, str, str, str, str]:
    margin = "∞" if group.margin is None else with_ends(group.margin.estimate, group.margin, sign=True)
    accuracy = group.accuracy
    return group.name, _percent(accuracy.interval), f"{accuracy.items:,}", f"{accuracy.ties:,}", margin
