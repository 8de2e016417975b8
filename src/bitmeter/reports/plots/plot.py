"""Plots for the terminal: pure functions from numbers to lines of text, the same at a terminal and in a pipe.

Curves are drawn with braille dots (two by four to a character) and named at their right end, so that several curves
can be distinguished without colour. Bars are drawn with eighths of a block.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from bitmeter._util.width import line_width
from bitmeter.errors import EmptyError, InputError, ShapeError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["bars", "curves"]

#: Numbers along an axis.
Values: TypeAlias = "Sequence[float] | NDArray[np.integer | np.floating]"

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BLANK = 0x2800
#: The bit of each dot of a braille character, by row and column.
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


def bars(values: Mapping[str, float], *, width: int | None = None, digits: int = 3) -> str:
    """Horizontal bars, one per label, in proportion to the values.

    Parameters
    ----------
    values
        Label to value; no value may be negative. Infinite values are drawn as a full bar that ends in an arrow.
    width
        The maximum length of a line; 72 by default, less at a narrow terminal.
    digits
        Decimals of the number after each bar.

    Examples
    --------
    >>> print(bars({"a": 0.25, "b": 0.5, "c": 0}, width=30))
    a ███████████▌            0.25
    b ███████████████████████ 0.5
    c                         0
    """
    if not values:
        message = "there are no values to draw; give at least one label with its value"
        raise EmptyError(message)
    for label, value in values.items():
        if not value >= 0:
            message = f"the value of {label!r} is {value}; a bar has a length of zero or more"
            raise InputError(message, value=value)
    numbers = {label: _short(value, digits) for label, value in values.items()}
    label_width = max(map(len, values))
    width = min(72, line_width() - 4) if width is None else width
    room = max(width - label_width - max(map(len, numbers.values())) - 2, 8)
    finite = [value for value in values.values() if math.isfinite(value)]
    largest = max(finite, default=0.0)
    lines = []
    for label, value in values.items():
        bar = "█" * (room - 1) + "▶" if math.isinf(value) else _bar(value / largest * room if largest else 0.0)
        lines.append(f"{label:<{label_width}} {bar:<{room}} {numbers[label]}".rstrip())
    return "\n".join(lines)


def _bar(length: float) -> str:
    eighths = round(length * 8)
    return "█" * (eighths // 8) + (_EIGHTHS[eighths % 8] if eighths % 8 else "")


def _short(value: float, digits: int) -> str:
    if math.isinf(value):
        return "∞"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True, slots=True)
class _Axis:
    """A scale from values to dots 0 … size - 1."""

    low: float
    high: float
    size: int
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            value = math.log10(value)
        return (value - self.low) / (self.high - self.low) * (self.size - 1)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Round numbers along the axis with their text, at most `most` of them."""
        if self.log:
            low, high = math.ceil(self.low - 1e-9), math.floor(self.high + 1e-9)
            every = max(1, math.ceil((high - low + 1) / most))
            return [(10.0**power, _power(power)) for power in range(low, high + 1, every)]
        step = _round_step((self.high - self.low) / most)
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        plain = decimals <= 6 and max(abs(self.low), abs(self.high)) < 1e7
        return [
            (k * step, f"{k * step + 0.0:.{decimals}f}" if plain else f"{k * step:.4g}") for k in range(first, last + 1)
        ]


def _power(power: int) -> str:
    return f"{10**power:,}" if 0 <= power <= 6 else f"1e{power}"


def _round_step(least: float) -> float:
    """The smallest of 1, 2 or 5 times a power of ten that is not below `least`."""
    scale = 10.0 ** math.floor(math.log10(least))
    return next(step * scale for step in (1, 2, 5, 10) if step * scale >= least * (1 - 1e-9))


def _axis(values: Iterable[float], size: int, *, log: bool = False) -> _Axis:
    finite = [math.log10(v) if log else v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if not finite:
        message = "there is no finite value to draw; check the numbers, and that a logarithmic axis has positive ones"
        raise EmptyError(message)
    low, high = min(finite), max(finite)
    if high - low <= max(1e-12 * max(abs(low), abs(high)), 1e-300):  # a point: give it room on both sides
        margin = abs(low) * 0.1 or 0.5
        low, high = low - margin, high + margin
    return _Axis(low, high, size, log)


class _Canvas:
    """A rectangle of characters; each holds either a braille pattern or one letter of text."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.cells = [[_BLANK] * width for _ in range(height)]

    def dot(self, x: int, y: int) -> None:
        """Set the dot at column x and row y, counted from below."""
        if 0 <= x < 2 * self.width and 0 <= y < 4 * self.height:
            down = 4 * self.height - 1 - y
            self.cells[down // 4][x // 2] |= _DOTS[down % 4][x % 2]

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A straight line of dots."""
        steps = max(1, math.ceil(max(abs(end[0] - start[0]), abs(end[1] - start[1]))))
        for k in range(steps + 1):
            self.dot(
                round(start[0] + (end[0] - start[0]) * k / steps), round(start[1] + (end[1] - start[1]) * k / steps)
            )

    def level(self, y: float) -> None:
        """A dotted line from left to right."""
        for x in range(0, 2 * self.width, 3):
            self.dot(x, round(y))

    def rows(self) -> list[str]:
        """The lines of text from top to bottom."""
        return ["".join(" " if cell == _BLANK else chr(cell) for cell in row) for row in self.cells]


def curves(
    series: Mapping[str, tuple[Values, Values | Sequence[Values]]],
    *,
    levels: Mapping[str, float] | None = None,
    width: int | None = None,
    height: int = 14,
    x_label: str = "",
    y_label: str = "",
    log_x: bool = False,
) -> str:
    """Curves over common axes, each named at its right end.

    Parameters
    ----------
    series
        Name to (x values, y values); y may be several rows, one per curve of that name. Points that are not finite
        leave a gap. An empty name draws without a label.
    levels
        Name to the height of a dotted line.
    width, height
        The size in characters, with the axes and names; the height without the line of the y label. The width is 76 by
        default, less at a narrow terminal.
    x_label, y_label
        What the axes measure.
    log_x
        Whether the x axis is logarithmic.

    Examples
    --------
    >>> print(curves({"x²": (range(9), [x * x for x in range(9)])}, width=40, height=6))
    50 ┤                            ⣀⠤⠒⠉  x²
       │                      ⢀⣀⠤⠒⠊⠉
       │               ⢀⣀⠤⠤⠒⠊⠉⠁
     0 ┤⣀⣀⣀⣀⣀⣀⠤⠤⠤⠤⠒⠒⠒⠉⠉⠁
       └┬───────┬───────┬──────┬───────┬
        0       2       4      6       8
    """
    levels = dict(levels or {})
    if not series:
        message = "there are no curves to draw; give at least one name with its x and y values"
        raise EmptyError(message)
    lines = {name: (_numbers(xs), _rows(name, xs, ys)) for name, (xs, ys) in series.items()}
    all_y = [y for _, many in lines.values() for ys in many for y in ys] + [float(y) for y in levels.values()]
    rows = max(height - 2, 3)
    y_axis = _axis(all_y, 4 * rows)
    y_ticks = y_axis.ticks(max(3, rows // 2))
    tick_width = max(len(text) for _, text in y_ticks)
    name_width = max((len(name) for name in (*series, *levels)), default=0)
    width = min(76, line_width() - 4) if width is None else width
    columns = max(width - tick_width - 2 - (name_width + 2 if name_width else 0), 8)
    x_axis = _axis((x for xs, _ in lines.values() for x in xs), 2 * columns, log=log_x)

    canvas = _Canvas(columns, rows)
    names: dict[int, list[str]] = {}
    for name, level in levels.items():
        canvas.level(y_axis(level))
        names.setdefault(_row(y_axis(level), rows), []).append(name)
    for name, (xs, curve_rows) in lines.items():
        ends = [_draw(canvas, x_axis, y_axis, xs, ys) for ys in curve_rows]
        highest = max((end for end in ends if end is not None), default=None)
        if highest is not None and name:
            names.setdefault(_row(highest, rows), []).append(name)
    tick_texts = {_row(y_axis(value), rows): text for value, text in y_ticks}
    side = _spread(names, rows)
    shown = [y_label] if y_label else []
    for row, text in enumerate(canvas.rows()):
        tick = tick_texts.get(row, "")
        name = side.get(row, "")
        shown.append(f"{tick:>{tick_width}} {'┤' if tick else '│'}{text}  {name}".rstrip())
    shown += _x_lines(x_axis, columns, tick_width)
    if x_label:
        shown.append(" " * (tick_width + 2) + f"{x_label:>{columns}}")
    return "\n".join(shown)


def _numbers(values: Values) -> list[float]:
    return [float(value) for value in values]


def _rows(name: str, xs: Values, ys: Values | Sequence[Values]) -> list[list[float]]:
    """The curves of one name, each as long as the x values."""
    several = len(ys) > 0 and isinstance(ys[0], Sized)
    rows = [_numbers(row) for row in cast("Sequence[Values]", ys if several else [ys])]
    for row in rows:
        if len(row) != len(xs):
            message = f"the curve {name!r} has {len(xs)} x values and {len(row)} y values; it needs equally many"
            raise ShapeError(message)
    return rows


def _row(dots: float, rows: int) -> int:
    return min(max((4 * rows - 1 - round(dots)) // 4, 0), rows - 1)


def _draw(canvas: _Canvas, x_axis: _Axis, y_axis: _Axis, xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Draw one curve; the height in dots at which it ends."""
    before: tuple[float, float] | None = None
    last: float | None = None
    for x, y in zip(xs, ys, strict=True):
        if not (math.isfinite(x) and math.isfinite(y)) or (x_axis.log and x <= 0):
            before = None
            continue
        here = (x_axis(float(x)), y_axis(float(y)))
        canvas.line(before or here, here)
        before, last = here, here[1]
    return last


def _spread(names: Mapping[int, Sequence[str]], rows: int) -> dict[int, str]:
    """Give each name a row of its own, as close as possible to the end of its curve."""
    placed: dict[int, str] = {}
    for row in sorted(names):
        for name in names[row]:
            free = [r for r in range(rows) if r not in placed]
            if free:
                placed[min(free, key=lambda r, row=row: (abs(r - row), r))] = name  # type: ignore[misc]
    return placed


def _x_lines(axis: _Axis, columns: int, indent: int) -> list[str]:
    rule = ["─"] * columns
    numbers = [" "] * (columns + 12)
    end = -1
    for value, text in axis.ticks(max(2, columns // 8)):
        at = min(round(axis(value)) // 2, columns - 1)
        start = max(at - len(text) // 2, 0)
        if start > end:
            rule[at] = "┬"
            numbers[start : start + len(text)] = text
            end = start + len(text)
    return [" " * (indent + 1) + "└" + "".join(rule), (" " * (indent + 2) + "".join(numbers)).rstrip()]
