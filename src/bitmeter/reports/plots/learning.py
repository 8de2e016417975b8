"""A learning curve as text for the terminal and as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from bitmeter._util.check import choice
from bitmeter.errors import EmptyError
from bitmeter.models.causal.trained.curve import LearningCurve
from bitmeter.reports.plots.plot import curves
from bitmeter.reports.plots.themes import THEMES, themed

__all__ = ["chart", "picture"]

_WIDTH, _HEIGHT = 720, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 150, 24, 46
#: The least distance between two labels.
_LINE = 15.0
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")


def chart(curve: LearningCurve, *, levels: Mapping[str, float] | None = None, width: int = 76, height: int = 14) -> str:
    """Training and held-out bits per byte over the steps, in braille dots.

    Parameters
    ----------
    curve
        With one point or more.
    levels
        Bits per byte of other models on the held-out text, drawn as dotted lines.
    width, height
        In characters.
    """
    steps = [point.step for point in curve.points]
    series = {
        "training": (steps, [point.train_bits_per_byte for point in curve.points]),
        "held out": (steps, [point.bits_per_byte for point in curve.points]),
    }
    return curves(series, levels=levels, width=width, height=height, x_label="steps", y_label="bits per byte")


def picture(
    found: Mapping[str, LearningCurve], *, levels: Mapping[str, float] | None = None, theme: str = "light"
) -> str:
    """Held-out (solid) and training (dashed) bits per byte over the seconds, as a self-contained SVG.

    Parameters
    ----------
    found
        Curves by name.
    levels
        Bits per byte of other models on the held-out text, drawn as dotted lines.
    theme
        "light", "dark", or "auto": the colours that the reader's system prefers.
    """
    choice(theme, "theme", THEMES)
    levels = dict(levels or {})
    if not found or not all(curve.points for curve in found.values()):
        message = "there is no point to draw; train a little longer"
        raise EmptyError(message)
    values = [y for curve in found.values() for p in curve.points for y in (p.bits_per_byte, p.train_bits_per_byte)]
    frame = _Frame(max(curve.points[-1].seconds for curve in found.values()) or 1.0, [*values, *levels.values()])
    parts, labels = frame.axes(), []
    for name, value in levels.items():
        y = frame.down(value)
        parts.append(f'<path d="M{_LEFT},{y:.1f}H{_WIDTH - _RIGHT}" stroke="#555555" stroke-dasharray="2 4"/>')
        labels.append((y, name, "#555555"))
    for index, (name, curve) in enumerate(found.items()):
        colour = _COLOURS[index % len(_COLOURS)]
        held = frame.line((point.seconds, point.bits_per_byte) for point in curve.points)
        training = frame.line((point.seconds, point.train_bits_per_byte) for point in curve.points)
        dashes = 'stroke-dasharray="6 4" stroke-opacity="0.6"'
        parts.append(f'<polyline points="{training}" fill="none" stroke="{colour}" stroke-width="1.5" {dashes}/>')
        parts.append(f'<polyline points="{held}" fill="none" stroke="{colour}" stroke-width="2"/>')
        labels.append((frame.down(curve.points[-1].bits_per_byte), name, colour))
    for y, (_, name, colour) in zip(_apart([y for y, _, _ in sorted(labels)]), sorted(labels), strict=True):
        parts.append(f'<text x="{_WIDTH - _RIGHT + 6}" y="{y + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    return themed("\n".join([*parts, "</svg>\n"]), theme)


class _Frame:
    """Maps seconds and bits per byte to positions in a picture."""

    def __init__(self, last: float, values: Sequence[float]) -> None:
        self._last = last
        self._low = math.floor(min(values) * 5) / 5
        self._high = max(math.ceil(max(values) * 5) / 5, self._low + 0.2)

    def across(self, seconds: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * seconds / self._last

    def down(self, bits: float) -> float:
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (self._high - bits) / (self._high - self._low)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.across(x):.1f},{self.down(y):.1f}" for x, y in points)

    def axes(self) -> list[str]:
        """The opening of the picture with its axes and ticks."""
        right = _WIDTH - _RIGHT
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
            'font-size="12" role="img" aria-label="Learning curve: bits per byte over seconds">',
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
            f'<text x="{_LEFT}" y="{_TOP - 8}" fill="#333333">bits per byte</text>',
            f'<text x="{right}" y="{_HEIGHT - 8}" text-anchor="end" fill="#333333">seconds of training</text>',
        ]
        for value in _ticks(self._low, self._high):
            y = self.down(value)
            parts.append(f'<path d="M{_LEFT},{y:.1f}H{right}" stroke="#dddddd"/>')
            parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#333333">{value:g}</text>')
        for value in _ticks(0.0, self._last):
            x, y = self.across(value), _HEIGHT - _BOTTOM + 18
            parts.append(f'<text x="{x:.1f}" y="{y}" text-anchor="middle" fill="#333333">{value:g}</text>')
        return parts


def _apart(heights: Sequence[float]) -> list[float]:
    """Ascending heights moved down just enough that labels do not overlap."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + _LINE) if found else height)
    return found


def _ticks(low: float, high: float) -> list[float]:
    """About six round numbers within a range."""
    least = (high - low) / 6
    scale = 10.0 ** math.floor(math.log10(least))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= least * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [round(number * step, 10) for number in range(first, math.floor(high / step + 1e-9) + 1)]
