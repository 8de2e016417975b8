"""Scores, comparisons and traces as tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from bitmeter.measure.compare import Comparison, Row
from bitmeter.measure.interval.base import bracketed, decimals
from bitmeter.measure.interval.paired import THIS_TEXT
from bitmeter.measure.score import Score
from bitmeter.measure.trace.trace import TracedUnit
from bitmeter.reports import figures


def plain_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> Table:
    """A table without rules, with columns of (title, "left" or "right"); cells are not parsed as markup."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title, side in columns:
        table.add_column(Text(title), justify="right" if side == "right" else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


# ---- scores and comparisons ------------------------------------------------------------------------------------------


def score_table(scores: Sequence[Score]) -> Table:
    """Several scores, one per line; with the convention of another tool, the figures that it would print."""
    names = figures.short_names([score.text for score in scores])
    printed = [figures.tool_figures(score)[0] for score in scores]
    titles = list(dict.fromkeys(title for found in printed for title in found))
    units = sorted({score.figure_per for score in scores})  # a closed vocabulary has no bits per byte
    columns = [("text", "left")] * (len(names) > 1) + [("model", "left")]
    columns += [(f"bits/{per}", "right") for per in units]
    columns += [(title, "right") for title in titles or ("ppl/word", "ppl/token")]
    columns += [("docs", "right"), ("bytes", "right"), ("signature", "left")]
    rows = []
    for score, found in zip(scores, printed, strict=True):
        row = [names[score.text]] * (len(names) > 1) + [score.model]
        row += [figures.figure_with_interval(score) if per == score.figure_per else "–" for per in units]
        if titles:
            row += [figures.tool_number(found[title]) if title in found else "–" for title in titles]
        else:
            row += [figures.perplexity(score, "word"), figures.perplexity(score, "token")]
        rows.append([*row, f"{score.documents:,}", f"{score.bytes:,}", score.signature.short])
    return plain_table(columns, rows)


def comparison_table(comparison: Comparison) -> Table:
    """The baseline, and the difference of each model to it; empty columns are left out."""
    level = f"{comparison.confidence * 100:g} %"
    columns = [("model", "left"), (f"bits/{comparison.per}", "right"), (f"Δ [{level}]", "left"), ("p", "right")]
    columns += [("e", "right"), ("better on", "right")]
    rows = [comparison_cells(row) for row in comparison.rows]
    kept = [k for k in range(len(columns)) if any(row[k] not in ("", "–") for row in rows)]
    return plain_table([columns[k] for k in kept], [[row[k] for k in kept] for row in rows])


def comparison_cells(row: Row) -> list[str]:
    """The cells of one line of `comparison_table`, all columns."""
    # The interval that matters here is that of the difference.
    figure = figures.figure(row.score)
    if row.reason == "baseline":
        return [row.score.model, figure, "baseline", "", "", ""]
    if row.test is None or row.low is None or row.high is None:
        change = f"{row.difference:+.4f}".replace("inf", "∞")
        return [row.score.model, figure, change, "–", "–", "–"]
    places = min(8, decimals(row.high - row.low, least=3))
    change = f"{row.difference:+.{places}f} {bracketed(row.low, row.high, places, sign=True)}"
    p_value = "–" if row.p_value is None else "<.001" if row.p_value < 0.001 else f"{row.p_value:.3f}".lstrip("0")
    e_value = "–" if row.test.e_value is None else figures.number(row.test.e_value, 3)
    share, documents = row.test.share_won, row.clusters or 0
    won = f"{share * documents:g}/{documents}" if row.test.label != THIS_TEXT else "–"
    return [row.score.model, figure, change, p_value, e_value, won]


# ---- traces ----------------------------------------------------------------------------------------------------------


def trace_table(units: Sequence[TracedUnit], *, stripped: bool = False) -> Table:
    """Units and their costs; with the index of the document if there are several.

    Parameters
    ----------
    units
        Those to show.
    stripped
        Whether to show them without the white space around them, for words.
    """
    columns = [("bits", "right"), ("unit", "left"), ("bytes", "left")]
    several = any(unit.doc for unit in units)
    detailed = any(unit.rank is not None for unit in units)
    rows = []
    for unit in units:
        bits = "∞" if math.isinf(unit.bits) else f"{unit.bits:.3f}"
        shown = unit.unit.strip() or unit.unit if stripped else unit.unit
        row = [bits, _cut(visible(shown)), f"{unit.start}–{unit.end}"] + [str(unit.doc)] * several
        rows.append([*row, str(unit.rank), _alternatives(unit)] if detailed else row)
    titles = [("document", "right")] * several + [("rank", "right"), ("most likely", "left")] * detailed
    return plain_table(columns + titles, rows)


def _alternatives(unit: TracedUnit) -> str:
    """The most likely outcomes, each with its probability."""
    return "  ".join(f"'{visible(name)}' {math.exp(logprob):.3g}" for name, logprob in unit.alternatives)


def _cut(text: str) -> str:
    return text if len(text) <= 48 else text[:47] + "…"


def visible(unit: bytes) -> str:
    r"""The unit as text, with invisible characters escaped so that nothing is lost.

    A byte that is not UTF-8 is `\xHH`, an invisible character `\uHHHH`, and a backslash is doubled.

    Examples
    --------
    >>> print(visible("née\n\\".encode() + b"\xff"))
    née\n\\\xff
    """
    return "".join(map(_letter, unit.decode("utf-8", "surrogateescape")))


def _letter(letter: str) -> str:
    code = ord(letter)
    if letter.isprintable() and letter != "\\":
        return letter
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x80:
        return repr(letter)[1:-1]
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
