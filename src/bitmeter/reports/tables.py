"""Scores, comparisons and explanations for the terminal: pure functions of what was saved."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from bitmeter.measure.compare import Comparison, Row
from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.score import Score
from bitmeter.measure.signature import Difference, Signature
from bitmeter.measure.trace.trace import Trace, TracedUnit
from bitmeter.reports import panel as words

#: Where words begin behind a key.
_COLUMN = 13


def plain_table(columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines: columns of (title, "left" or "right"). No cell is read as markup."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    for title, side in columns:
        table.add_column(Text(title), justify="right" if side == "right" else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


# ---- scores and comparisons ------------------------------------------------------------------------------------------


def score_table(scores: Sequence[Score]) -> Table:
    """Several scores, a line each; with another tool's habits, the figures that it would print."""
    names = words.short_names([score.text for score in scores])
    figures = [words.tool_figures(score)[0] for score in scores]
    titles = list(dict.fromkeys(title for found in figures for title in found))
    columns = [("text", "left")] * (len(names) > 1) + [("model", "left"), ("bits/byte", "right")]
    columns += [(title, "right") for title in titles or ("ppl/word", "ppl/token")]
    columns += [("docs", "right"), ("bytes", "right"), ("signature", "left")]
    rows = []
    for score, found in zip(scores, figures, strict=True):
        row = [names[score.text]] * (len(names) > 1) + [score.model, words.figure_with_interval(score)]
        if titles:
            row += [words.tool_number(found[title]) if title in found else "–" for title in titles]
        else:
            row += [words.perplexity(score, "word"), words.perplexity(score, "token")]
        rows.append([*row, f"{score.documents:,}", f"{score.bytes:,}", score.signature.short])
    return plain_table(columns, rows)


def comparison_table(comparison: Comparison) -> Table:
    """The baseline, and each model's difference to it; columns that nothing is known for are left out."""
    level = f"{comparison.confidence * 100:g} %"
    columns = [("model", "left"), ("bits/byte", "right"), (f"Δ [{level}]", "left"), ("p", "right")]
    columns += [("e", "right"), ("better on", "right")]
    rows = [_comparison_row(row) for row in comparison.rows]
    kept = [k for k in range(len(columns)) if any(row[k] not in ("", "–") for row in rows)]
    return plain_table([columns[k] for k in kept], [[row[k] for k in kept] for row in rows])


def _comparison_row(row: Row) -> list[str]:
    figure = words.figure_with_interval(row.score)
    if row.reason == "baseline":
        return [row.score.model, figure, "baseline", "", "", ""]
    if row.test is None or row.low is None or row.high is None:
        change = f"{row.difference:+.4f}".replace("inf", "∞")
        return [row.score.model, figure, change, "–", "–", "–"]
    decimals = _decimals(row.high - row.low)
    change = f"{row.difference:+.{decimals}f} [{row.low:+.{decimals}f}, {row.high:+.{decimals}f}]"
    p_value = "–" if row.p_value is None else "<.001" if row.p_value < 0.001 else f"{row.p_value:.3f}".lstrip("0")
    e_value = "–" if row.test.e_value is None else words.number(row.test.e_value, 3)
    share, documents = row.test.share_won, row.clusters or 0
    won = f"{share * documents:g}/{documents} docs" if row.test.label == "by document" else "–"
    return [row.score.model, figure, change, p_value, e_value, won]


def _decimals(width: float) -> int:
    return 4 if not width > 0 else min(8, max(3, 1 - math.floor(math.log10(width / 2))))


# ---- traces ----------------------------------------------------------------------------------------------------------


def trace_table(units: Sequence[TracedUnit]) -> Table:
    """Units and what they cost; the number of the document where there are several."""
    columns = [("bits", "right"), ("unit", "left"), ("bytes", "left")]
    several = any(unit.doc for unit in units)
    told = any(unit.rank is not None for unit in units)
    rows = []
    for unit in units:
        bits = "∞" if math.isinf(unit.bits) else f"{unit.bits:.3f}"
        row = [bits, _cut(visible(unit.unit)), f"{unit.start}–{unit.end}"] + [str(unit.doc)] * several
        rows.append([*row, str(unit.rank), _alternatives(unit)] if told else row)
    titles = [("document", "right")] * several + [("rank", "right"), ("more likely seemed", "left")] * told
    return plain_table(columns + titles, rows)


def _alternatives(unit: TracedUnit) -> str:
    """What the model held likely, with the probability of each."""
    return "  ".join(f"'{visible(name)}' {math.exp(logprob):.3g}" for name, logprob in unit.alternatives)


def _cut(text: str) -> str:
    return text if len(text) <= 48 else text[:47] + "…"


def visible(unit: bytes) -> str:
    r"""The unit as text, with what cannot be seen escaped so that nothing is lost.

    A byte that is not UTF-8 is `\xHH`, a character that cannot be seen `\uHHHH`, a backslash two of them.

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


def trace_lines(trace: Trace) -> Iterator[str]:
    """Every unit as tab-separated values: document, start, end, bits, the unit with tabs and line ends escaped.

    Where the trace tells them, the entropy of the prediction in bits and the rank of the truth follow.
    """
    heading = "doc\tstart\tend\tbits\tunit"
    for number, unit in enumerate(trace):
        told = unit.entropy is not None
        if number == 0:
            yield heading + "\tentropy\trank" * told
        line = f"{unit.doc}\t{unit.start}\t{unit.end}\t{unit.bits!r}\t{visible(unit.unit)}"
        yield line + (f"\t{(unit.entropy or 0.0) / math.log(2)!r}\t{unit.rank}" if told else "")
    if len(trace) == 0:
        yield heading


# ---- explanations ----------------------------------------------------------------------------------------------------


def signature_lines(signature: Signature) -> list[str]:
    """A signature in words."""
    lines = [signature.short, "Two figures compare if these agree:"]
    for key, value, meaning in words.explain_signature(signature):
        if key == "units":
            lines.append("These may differ:")
        lines += words.folded(f"  {key}", f"{value or '(empty)'}: {meaning}", _COLUMN)
    return lines


def difference_lines(found: Sequence[Difference], first: str = "A", second: str = "B") -> list[str]:
    """Each difference with its two values, and what it means."""
    lines = []
    for d in found:
        a, b = words.value_shown(d.key, d.first) or "(empty)", words.value_shown(d.key, d.second) or "(empty)"
        lines += words.folded(f"  {d.key}", f"{a} ≠ {b}", _COLUMN)
        meaning = words.explain_difference(d, first, second)
        parts = meaning.split(f"; {second}: ", 1)
        lines += words.folded("", parts[0], _COLUMN)
        if len(parts) == 2:
            lines += words.folded("", f"{second}: {parts[1]}", _COLUMN)
    return lines


def pair_lines(first: Signature, second: Signature) -> list[str]:
    """Two runs: whether they compare, and all that differs."""
    verdict, found = words.explain_two(first, second)
    decisive = [d for d in found if d.decisive]
    rest = [d for d in found if not d.decisive]
    lines = [verdict, *difference_lines(decisive)]
    if decisive and rest:
        lines.append("These differ too, and may:")
    return lines + difference_lines(rest)


def convention_lines(convention: Convention) -> list[str]:
    """A tool's habits in words, and what they set."""
    lines = [f"{convention.name}:"]
    for statement in convention.statements:
        lines += words.folded("  -", statement, 4)
    if convention.settings:
        settings = ", ".join(f"{key}={value}" for key, value in convention.settings.items())
        lines += words.folded("  Sets", settings + ".", 10)
    if convention.needs:
        lines += words.folded("  Needs", f"a model with {convention.needs}.", 10)
    return lines


def tools_lines(first: Convention, second: Convention) -> list[str]:
    """Two tools' habits, and in what they differ."""
    found = words.explain_conventions(first, second)
    lines = [*convention_lines(first), *convention_lines(second)]
    if not found:
        return [*lines, "They score in the same way; what differs is what they divide by and average."]
    return [*lines, "How they differ:", *difference_lines(found, first.name, second.name)]


def run_and_tool_lines(signature: Signature, tool: Convention) -> list[str]:
    """A run against a tool's habits."""
    found = words.explain_run_and_tool(signature, tool)
    lines = convention_lines(tool)
    if not found:
        return [*lines, f"The run scores as {tool.name} does; what may differ is what is divided by and averaged."]
    return [*lines, f"How the run differs from {tool.name}:", *difference_lines(found, "the run", tool.name)]
