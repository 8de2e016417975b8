"""What a filter did, as text: outcomes, limits, histogram, examples."""

from __future__ import annotations

import math
from typing import Any

from bitmeter._util.width import LONGEST, line_width
from bitmeter.filter.summary import FilterSummary
from bitmeter.reports.figures import folded

__all__ = ["describe_filter"]

_NAMES = {
    "bits_per_byte": "bits/byte", "bits_per_char": "bits/char", "bits_per_word": "bits/word",
    "bits_per_token": "bits/token", "perplexity": "perplexity/token", "word_perplexity": "perplexity/word",
    "oov_share": "share of unknown units",
}  # fmt: skip
_BAR = 32
_INDENT = 15


def describe_filter(summary: FilterSummary) -> str:
    """The summary for a terminal of 80 columns."""
    lines = folded("", f"{summary.model}: {_documents(summary)}, by {_NAMES.get(summary.by, summary.by)}", 0)
    lines += _outcomes(summary)
    lines += _row("limits", _limits(summary))
    lines += _histogram(summary)
    lines += _examples(summary)
    if summary.bad:
        s = "s" * (summary.bad > 1)
        where = "set aside" if summary.aside else "in no output (--bad OUT keeps them)"
        lines += _row("bad records", f"{summary.bad:,} record{s} could not be scored, {where}:")
        lines += [line for place in summary.tally.places for line in _folded("", place)]
        if summary.bad > len(summary.tally.places):
            lines += _folded("", f"and {summary.bad - len(summary.tally.places):,} more")
    for name, reason in summary.failed:
        lines += _row("unreadable", reason if name in reason else f"{name}: {reason}")
    if summary.skipped:
        many = summary.skipped > 1
        lines += _row(
            "done before", f"{summary.skipped:,} files, by their receipts" if many else "1 file, by its receipt"
        )
    if summary.dry:
        lines += _row("dry run", "nothing was written")
    lines += _row("signature", summary.signature.short)
    return "\n".join(lines)


def _documents(summary: FilterSummary) -> str:
    s = "s" * (summary.documents != 1)
    files = f" in {summary.files:,} files" if summary.files > 1 else ""
    return f"{summary.documents:,} document{s}{files}"


def _row(title: str, text: str) -> list[str]:
    return _folded(title, text) if text else []


def _folded(title: str, text: str) -> list[str]:
    found: list[str] = folded(f"  {title}", text, _INDENT)
    return found


def _outcomes(summary: FilterSummary) -> list[str]:
    documents, size = max(1, summary.documents), max(1, summary.bytes)
    lines = []
    for name, share in sorted(summary.tally.shares.items(), key=lambda item: _ORDER.get(item[0], 9)):
        many, much = _counted(share.documents, "doc"), _counted(share.bytes, "byte")
        rate, room = f"{100 * share.documents / documents:5.1f} %", f"{100 * share.bytes / size:5.1f} %"
        if line_width() < LONGEST:
            lines += [f"  {name}", f"    {many} {rate}, {much} {room}"]
        else:
            # A word in the singular has the place of the plural, so that columns stay.
            many, much = (one if one.endswith("s") else f"{one} " for one in (many, much))
            lines.append(f"  {name:<13}{many:>16} {rate} {much:>21} {room}")
    return lines


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


_ORDER = {"kept": 0, "dropped": 1, "head": 2, "middle": 3, "tail": 4, "all": 5, "unscored": 6}


def _limits(summary: FilterSummary) -> str:
    """The limits in words."""
    rule = summary.rule.get("settled", summary.rule)
    if rule["rule"] == "sample":
        return f"sampled by {rule['weight']}, seed {rule['seed']}"
    limits = rule.get("limits", rule.get("cuts", {}))
    parts = []
    for language, found in limits.items():
        name = f"{language}: " if language else "others: " if len(limits) > 1 else ""
        parts.append(name + (_between(found, above=rule["above"]) if "limits" in rule else _cuts(found, rule)))
    shown = parts[:12]
    more = [f"and {len(parts) - 12:,} languages more"] if len(parts) > 12 else []
    return "; ".join((*shown, *more))


def _between(found: list[Any], *, above: bool) -> str:
    low, high = map(float, found)
    parts = [] if low == -math.inf else [f"{'above' if above else 'from'} {_figure(low)}"]
    parts += [] if high == math.inf else [f"up to {_figure(high)}"]
    return " and ".join(parts) or "none"


def _cuts(found: list[Any], rule: dict[str, Any]) -> str:
    word = "below" if rule["strict"] else "up to"
    return f"head {word} {_figure(float(found[0]))}, middle {word} {_figure(float(found[1]))}"


def _figure(value: float) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:.4f}" if abs(value) < 100 else f"{value:,.1f}"


def _histogram(summary: FilterSummary) -> list[str]:
    rows = summary.histogram()
    if not rows:
        return []
    most = max(count for _, _, count in rows)
    wide = max(4, min(_BAR, line_width() - 25 - len(f"{most:,}")))
    lines = []
    for low, high, count in rows:
        bar = "█" * round(wide * count / most) or ("▏" if count else "")
        between = "infinite" if math.isinf(low) else "0" if low == high else f"{_short(low)} … {_short(high)}"
        lines.append(f"  {between:>19}  {bar:<{wide}} {count:,}")
    return lines


def _short(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.4g}"


def _examples(summary: FilterSummary) -> list[str]:
    lines = []
    for one in summary.examples:
        start = f"  {100 * one.share:4.0f} % {_figure(one.value):>11}  "
        text = " ".join(one.text.split()) or "(white space)"
        room = max(8, line_width() - len(start))
        lines.append(start + (text if len(text) <= room else text[: room - 1] + "…"))
    return lines
