"""Scores, comparisons and explanations as tables for the terminal: pure functions of what was saved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from rich import box
from rich.table import Table

from bitmeter.measure.compare import Comparison, Row
from bitmeter.measure.score import Score
from bitmeter.measure.trace import Trace, TracedUnit
from bitmeter.measure.words import figure_with_interval, number


def plain_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines: columns of (title, "left" or "right")."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title, side in columns:
        table.add_column(title, justify="right" if side == "right" else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table


def perplexity(score: Score, per: Any) -> str:
    """A perplexity in few digits; – where the model has none, 2^x where it is astronomical."""
    if (per == "token" and score.tokens is None) or not score.count(per):
        return "–"
    bits = score.rate(per)
    return "∞" if math.isinf(bits) else number(2.0**bits) if bits < 64 else f"2^{bits:.1f}"


def score_table(scores: Sequence[Score]) -> Table:
    """Several scores, a line each."""
    texts = len({score.text for score in scores}) > 1
    columns = [("model", "left"), ("bits/byte", "right"), ("ppl/word", "right"), ("ppl/token", "right")]
    columns += [("docs", "right"), ("bytes", "right"), ("signature", "left")]
    if texts:
        columns.insert(0, ("text", "left"))
    rows = []
    for score in scores:
        row = [score.model, figure_with_interval(score), perplexity(score, "word"), perplexity(score, "token")]
        row += [f"{score.documents:,}", f"{score.bytes:,}", score.signature.short]
        rows.append([score.text, *row] if texts else row)
    return plain_table(columns, rows)


def comparison_table(comparison: Comparison) -> Table:
    """The baseline, and each model's difference to it."""
    level = f"{comparison.confidence * 100:g} %"
    columns = [("model", "left"), ("bits/byte", "right"), (f"Δ [{level}]", "left"), ("p", "right")]
    columns += [("e", "right"), ("better on", "right")]
    return plain_table(columns, [_comparison_row(row) for row in comparison.rows])


def _comparison_row(row: Row) -> list[str]:
    figure = figure_with_interval(row.score)
    if row.reason == "baseline":
        return [row.score.model, figure, "baseline", "", "", ""]
    if row.test is None or row.low is None or row.high is None:
        return [row.score.model, figure, f"{row.difference:+.4f}", "–", "–", "–"]
    decimals = _decimals(row.high - row.low)
    change = f"{row.difference:+.{decimals}f} [{row.low:+.{decimals}f}, {row.high:+.{decimals}f}]"
    p_value = "–" if row.p_value is None else "<.001" if row.p_value < 0.001 else f"{row.p_value:.3f}".lstrip("0")
    e_value = "–" if row.test.e_value is None else number(row.test.e_value, 3)
    won = f"{row.test.share_won * (row.clusters or 0):g}/{row.clusters}" if row.test.label == "by document" else "–"
    return [row.score.model, figure, change, p_value, e_value, won]


def _decimals(width: float) -> int:
    return 4 if not width > 0 else min(8, max(3, 1 - math.floor(math.log10(width / 2))))


def trace_table(units: Sequence[TracedUnit]) -> Table:
    """Units and what they cost."""
    columns = [("bits", "right"), ("unit", "left"), ("document", "right"), ("bytes", "left")]
    rows = [
        ["∞" if math.isinf(unit.bits) else f"{unit.bits:.3f}", shown(unit), str(unit.doc), f"{unit.start}–{unit.end}"]
        for unit in units
    ]
    return plain_table(columns, rows)


def shown(unit: TracedUnit) -> str:
    """The unit as text, with what cannot be seen escaped, and cut when it is long."""
    text = repr(unit.text)[1:-1]
    return text if len(text) <= 60 else text[:57] + "…"


def trace_lines(trace: Trace) -> Iterable[str]:
    """Every unit as tab-separated values: document, start, end, bits, the unit with tabs and line ends escaped."""
    yield "doc\tstart\tend\tbits\tunit"
    for unit in trace:
        yield f"{unit.doc}\t{unit.start}\t{unit.end}\t{unit.bits!r}\t{repr(unit.text)[1:-1]}"
