"""A sweep as a table for the terminal, and as a picture of size against bits."""

from __future__ import annotations

import math
from html import escape

from rich.console import Console
from rich.table import Table

from bitmeter.errors import EmptyError
from bitmeter.measure.gate.sweep import Sweep, SweepRow
from bitmeter.measure.interval.base import bracketed, decimals
from bitmeter.reports import figures
from bitmeter.reports.tables import plain_table

__all__ = ["describe_sweep", "size_picture", "sweep_cells", "sweep_lines", "sweep_tables"]

_WIDTH, _HEIGHT = 720, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 150, 24, 52
_UNITS = ((10**9, "GB"), (10**6, "MB"), (1000, "kB"), (1, "B"))


def sweep_tables(sweep: Sweep) -> list[Table]:
    """Size and bits of each model, then its divergence and speed; a * marks those on the Pareto front."""
    per = sweep.comparison.per
    level = f"{sweep.comparison.confidence * 100:g} %"
    names = _short_names([row.name for row in sweep.rows])
    marked = [f"{name} *" if row.best else name for name, row in zip(names, sweep.rows, strict=True)]
    bits = [("model", "left"), ("size", "right"), (f"bits/{per} [{level}]", "left"), (f"Δ [{level}]", "left")]
    more = [("model", "left"), ("KL", "right"), ("same top", "right"), ("kB/s", "right")]
    return [
        plain_table(bits, [[name, *_bits(row)] for name, row in zip(marked, sweep.rows, strict=True)]),
        plain_table(more, [[name, *_more(row)] for name, row in zip(marked, sweep.rows, strict=True)]),
    ]


def sweep_cells(sweep: Sweep) -> list[list[str]]:
    """The titles and the rows of both tables as one."""
    first, second = sweep_tables(sweep)
    columns = [[str(column.header), *map(str, column.cells)] for column in (*first.columns, *second.columns[1:])]
    return [list(row) for row in zip(*columns, strict=True)]


def sweep_lines(sweep: Sweep) -> list[str]:
    """How to read the table."""
    base = sweep.rows[0]
    lines = [f"Δ is in bits per {sweep.comparison.per} against {figures.short_names([base.name])[base.name]}."]
    if any(row.kl is not None for row in sweep.rows[1:]):
        lines.append("KL is D(first‖model) in bits per token.")
    if any(row.best for row in sweep.rows):
        lines.append("* no other model is both as small and as good (Pareto front).")
    if any(row.speed for row in sweep.rows):
        lines.append("kB/s: text scored per second of processor time, on this machine.")
    lines = [part for line in lines for part in figures.folded("", line, 0)]
    return [*lines, *(part for note in sweep.notes for part in figures.folded("note:", note, 6))]


def describe_sweep(sweep: Sweep) -> str:
    """The table and its notes as text."""
    console = Console(width=200, highlight=False, markup=False, emoji=False, color_system=None)
    with console.capture() as capture:
        for table in sweep_tables(sweep):
            console.print(table)
    return "\n".join([*(line.rstrip() for line in capture.get().splitlines()), *sweep_lines(sweep)])


def _short_names(names: list[str]) -> list[str]:
    plain = figures.short_names(names)
    return [plain[name] for name in names]


def _bits(row: SweepRow) -> list[str]:
    low, high = row.row.low, row.row.high
    if row.row.reason == "baseline":
        change = "baseline"
    elif low is None or high is None:
        change = f"{row.row.difference:+.4f}".replace("inf", "∞")
    else:
        places = min(4, decimals(high - low, least=3))
        change = f"{row.row.difference:+.{places}f} {bracketed(low, high, places, sign=True)}"
    size = "–" if row.size is None else size_words(row.size)
    return [size, figures.figure_with_interval(row.score), change]


def _more(row: SweepRow) -> list[str]:
    return [
        "–" if row.kl is None else "∞" if math.isinf(row.kl) else f"{row.kl:.4f}",
        "–" if row.same_top is None else f"{100 * row.same_top:.2f} %",
        "–" if row.speed is None else figures.number(row.speed / 1000.0, 3),
    ]


def size_words(size: int) -> str:
    """A size in the largest fitting unit of 1000.

    Examples
    --------
    >>> size_words(512), size_words(163_408), size_words(5_000_000_000)
    ('512 B', '163.41 kB', '5.00 GB')
    """
    unit, name = next((unit, name) for unit, name in _UNITS if size >= unit or unit == 1)
    return f"{size} B" if unit == 1 else f"{size / unit:.2f} {name}"


# ---- the picture -----------------------------------------------------------------------------------------------------


def size_picture(sweep: Sweep) -> str:
    """Bits over size (logarithmic), with intervals, the Pareto front as a line: one SVG with nothing fetched."""
    per = sweep.comparison.per
    drawn = [row for row in sweep.rows if row.size and math.isfinite(row.score.per(per))]
    if not drawn:
        message = "no model of this sweep has files, so that there is no size to draw bits against"
        raise EmptyError(message)
    names = dict(zip([row.name for row in drawn], _short_names([row.name for row in drawn]), strict=True))
    across = _Axis([math.log10(row.size or 1) for row in drawn], _LEFT, _WIDTH - _RIGHT)
    ends = [end for row in drawn for end in _ends(row, per)]
    down = _Axis([row.score.per(per) for row in drawn] + ends, _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12" role="img" aria-label="size against bits">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<path d="M{_LEFT} {_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - _RIGHT}" fill="none" stroke="#444"/>',
    ]
    for value in down.ticks():
        y = down.place(value)
        parts.append(f'<path d="M{_LEFT - 4} {y:.1f}h4" stroke="#444"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for size in _round_sizes(across.low, across.high):
        x = across.place(math.log10(size))
        parts.append(f'<path d="M{x:.1f} {_HEIGHT - _BOTTOM}v4" stroke="#444"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{size_words(size)}</text>')
    front = sorted((row for row in drawn if row.best), key=lambda row: row.size or 0)
    if len(front) > 1:
        line = " ".join(
            f"{across.place(math.log10(row.size or 1)):.1f},{down.place(row.score.per(per)):.1f}" for row in front
        )
        parts.append(f'<polyline points="{line}" fill="none" stroke="#0072b2" stroke-dasharray="4 3"/>')
    for row in drawn:
        x, y = across.place(math.log10(row.size or 1)), down.place(row.score.per(per))
        low, high = (down.place(end) for end in _ends(row, per))
        colour = "#0072b2" if row.best else "#d55e00"
        parts.append(f'<path d="M{x:.1f} {low:.1f}V{high:.1f}" stroke="{colour}"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{x + 7:.1f}" y="{y - 6:.1f}">{escape(_visible(names[row.name]))}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle:.0f}" y="{_HEIGHT - 12}" text-anchor="middle">size on disk</text>')
    parts.append(f'<text x="{_LEFT - 56}" y="{_TOP - 8}">bits per {per}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _round_sizes(low: float, high: float) -> list[int]:
    """1, 2 and 5 times powers of ten between two logarithms; of many, the powers of ten alone."""
    powers = range(max(0, math.floor(low)), math.ceil(high) + 1)
    factors = (1, 2, 5) if high - low <= 3.0 else (1,)
    sizes = (factor * 10**power for power in powers for factor in factors)
    return [size for size in sizes if low <= math.log10(size) <= high]


def _visible(text: str) -> str:
    """Without what an XML file cannot hold."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _ends(row: SweepRow, per: str) -> tuple[float, float]:
    """The ends of the interval of a model's figure; the figure itself where there is none."""
    found = row.score.interval
    figure = row.score.bits_per_byte if per == "byte" else row.score.bits_per_token
    if found is None or found.low is None or found.high is None:
        return figure, figure
    return found.low, found.high


class _Axis:
    """From values to places of the picture."""

    def __init__(self, values: list[float], begin: float, end: float) -> None:
        low, high = min(values), max(values)
        margin = 0.08 * (high - low) or 0.5
        self.low, self.high, self._begin, self._end = low - margin, high + margin, begin, end

    def place(self, value: float) -> float:
        return self._begin + (self._end - self._begin) * (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 2.0))
        step = next(step * factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= 8)
        first = math.ceil(self.low / step)
        return [step * number for number in range(first, math.floor(self.high / step) + 1)]
