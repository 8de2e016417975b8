"""The front of bits against time, as tables and as a picture: presets of universal beside compressors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bitmeter.reports.plots.themes import themed

OURS = "universal:"


@dataclass(frozen=True)
class Packed:
    """What one contender made of one file."""

    size: int
    written: int
    seconds: float

    @property
    def bits(self) -> float:
        """Per byte of the file."""
        return 8.0 * self.written / self.size

    @property
    def speed(self) -> float:
        """Megabytes per CPU second."""
        return self.size / max(self.seconds, 1e-4) / 1e6


@dataclass(frozen=True)
class Contender:
    """What one contender made of each kind of file."""

    name: str
    packed: dict[str, Packed]
    memory: int

    @property
    def ours(self) -> bool:
        return self.name.startswith(OURS)

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.packed.values())

    @property
    def bits(self) -> float:
        """The geometric mean over the kinds."""
        return math.exp(math.fsum(math.log(one.bits) for one in self.packed.values()) / len(self.packed))

    @property
    def speed(self) -> float:
        """Of all kinds together."""
        return sum(one.size for one in self.packed.values()) / max(self.seconds, 1e-4) / 1e6


def on_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """The points of (speed, bits) that no other beats in both, the fastest first."""
    order = sorted(range(len(points)), key=lambda i: (-points[i][0], points[i][1]))
    found: list[int] = []
    for i in order:
        if not found or points[i][1] < points[found[-1]][1]:
            found.append(i)
    return found


def show(contenders: Sequence[Contender]) -> None:
    """Bits per byte of each kind, and what each peer has against the preset of ours that comes nearest to its speed."""
    console = Console(width=160)
    kinds = list(contenders[0].packed)
    best = {kind: min(one.packed[kind].written for one in contenders) for kind in kinds}
    front = {contenders[i].name for i in on_front([(one.speed, one.bits) for one in contenders])}
    table = Table(
        title="bits per byte", title_justify="left", caption="* on the front", caption_justify="left", box=None
    )
    for column in ("", *kinds, "mean", "CPU s", "MB/CPU s", "memory"):
        table.add_column(column, justify="right" if column else "left")
    for one in sorted(contenders, key=lambda one: one.bits):
        cells = [
            f"[b]{found.bits:.3f}[/]" if found.written == best[kind] else f"{found.bits:.3f}"
            for kind, found in one.packed.items()
        ]
        table.add_row(
            one.name + " *" * (one.name in front), *cells, f"{one.bits:.4f}", f"{one.seconds:.2f}", f"{one.speed:.3f}",
            f"{one.memory / 1e6:,.0f} MB",
        )  # fmt: skip
    console.print(table)
    ours = [one for one in contenders if one.ours]
    if not ours or len(ours) == len(contenders):
        return
    table = Table(title="each peer and our preset nearest to its speed", title_justify="left", box=None)
    for column in ("peer", "preset", "bits, ours", "peer's", "ratio", "CPU s, ours", "peer's", "ratio"):
        table.add_column(column, justify="left" if column in ("peer", "preset") else "right")
    for peer in sorted((one for one in contenders if not one.ours), key=lambda one: one.bits):
        near = min(ours, key=lambda one: abs(math.log(one.speed / peer.speed)))
        table.add_row(
            peer.name, near.name, f"{near.bits:.4f}", f"{peer.bits:.4f}", f"{peer.bits / near.bits:.3f}",
            f"{near.seconds:.2f}", f"{peer.seconds:.2f}", f"{peer.seconds / near.seconds:.2f}",
        )  # fmt: skip
    console.print(table)


# ---- the picture ----------------------------------------------------------------------------------------------------

_BLUE, _GREY, _INK, _LINE, _PALE = "#0b5fc0", "#6a6f7c", "#333333", "#cfcbc0", "#e4e1d9"
_PLAIN, _BOLD = f'fill="{_INK}"', f'fill="{_INK}" font-weight="bold"'
_WIDTH, _TALL, _SMALL, _COLUMNS = 760, 400, 150, 5


@dataclass(frozen=True)
class Frame:
    """A rectangle with speeds across, in powers of ten, and bits up."""

    left: float
    top: float
    width: float
    height: float
    speeds: tuple[float, float]
    bits: tuple[float, float]

    def across(self, speed: float) -> float:
        low, high = map(math.log10, self.speeds)
        return self.left + self.width * (math.log10(speed) - low) / (high - low)

    def down(self, bits: float) -> float:
        low, high = self.bits
        return self.top + self.height * (high - bits) / (high - low)

    def at(self, point: tuple[float, float]) -> tuple[float, float]:
        return self.across(point[0]), self.down(point[1])


def _span(values: Iterable[float], step: float) -> tuple[float, float]:
    """A range of whole steps that has room around the values."""
    found = list(values)
    low, high = math.floor((min(found) - step / 4) / step) * step, math.ceil((max(found) + step / 4) / step) * step
    return low, high


def _decades(speeds: tuple[float, float], every: bool) -> list[float]:
    """1, 2 and 5 times powers of ten within a range, or the powers alone."""
    first, last = (math.floor(math.log10(speed)) for speed in speeds)
    found = [factor * 10.0**power for power in range(first, last + 1) for factor in ((1, 2, 5) if every else (1,))]
    return [value for value in found if speeds[0] <= value <= speeds[1]]


def _step(points: Sequence[tuple[float, float]], frame: Frame) -> str:
    """The front as a staircase: what can be had at each speed."""
    path = ""
    for i in on_front(points):
        x, y = frame.at(points[i])
        path += f"H{x:.1f}V{y:.1f}" if path else f"M{x:.1f},{y:.1f}"
    return f'<path d="{path}" fill="none" stroke="{_GREY}" stroke-dasharray="4 3" stroke-opacity="0.7"/>'


def _dot(contender: Contender, at: tuple[float, float], radius: float) -> str:
    (x, y), name = at, escape(contender.name)
    if contender.ours:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{_BLUE}"><title>{name}</title></circle>'
    wide = 2 * radius
    place = f'x="{x - radius:.1f}" y="{y - radius:.1f}" width="{wide}" height="{wide}"'
    return f'<rect {place} fill="{_GREY}"><title>{name}</title></rect>'


def _text(x: float, y: float, said: str, *, anchor: str = "start", size: int = 11, more: str = "") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f"<text {place} {more or _PLAIN}>{escape(said)}</text>"


Box = tuple[float, float, float, float]


def _overlaps(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _labels(named: Sequence[tuple[str, bool, tuple[float, float]]], frame: Frame) -> list[str]:
    """A label beside each point, where it covers no other label and no point, if there is such a place."""
    taken: list[Box] = [(x - 5, y - 5, x + 5, y + 5) for _, _, (x, y) in named]
    parts = []
    for name, ours, (x, y) in sorted(named, key=lambda one: not one[1]):
        wide = 6.6 * len(name)
        places = [
            (x + 8 + dx if side > 0 else x - 8 - dx - wide, y + dy)
            for dy in (0, -12, 12, -22, 22, -32, 32)
            for dx in (0, -6, 8)
            for side in (1, -1)
        ]
        boxes = [(left, middle - 7, left + wide, middle + 6) for left, middle in places]
        inside = [box for box in boxes if box[0] > frame.left and box[2] < _WIDTH and box[1] > frame.top - 8]
        free = [box for box in inside if not any(_overlaps(box, other) for other in taken)]
        box = (free or inside or boxes)[0]
        taken.append(box)
        more = f'fill="{_BLUE}" font-weight="bold"' if ours else _PLAIN
        parts.append(_text(box[0], box[1] + 11, name, more=more))
    return parts


def picture(contenders: Sequence[Contender], theme: str = "auto") -> str:
    """Bits per byte against megabytes per CPU second: the means over all kinds, and below each kind by itself."""
    kinds = list(contenders[0].packed)
    rows = -(-len(kinds) // _COLUMNS)
    height = _TALL + rows * _SMALL + 30
    every = [one.speed for one in contenders] + [found.speed for one in contenders for found in one.packed.values()]
    speeds = (min(every) / 1.3, max(every) * 1.3)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" '
        'role="img" aria-label="Bits per byte against megabytes per CPU second">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        _text(8, 16, f"bits per byte, geometric mean over {len(kinds)} kinds of files", size=13),
    ]
    points = [(one.speed, one.bits) for one in contenders]
    main = (min(one.speed for one in contenders) / 1.4, max(one.speed for one in contenders) * 2)
    frame = Frame(40, 30, _WIDTH - 60, _TALL - 80, main, _span((one.bits for one in contenders), 0.25))
    low, high = frame.bits
    for i in range(round((high - low) / 0.25) + 1):
        y = frame.down(low + 0.25 * i)
        parts.append(f'<path d="M{frame.left},{y:.1f}h{frame.width}" stroke="{_PALE}"/>')
        parts.append(_text(34, y + 4, f"{low + 0.25 * i:g}", anchor="end"))
    for speed in _decades(main, every=True):
        x, bottom = frame.across(speed), frame.top + frame.height
        parts.append(f'<path d="M{x:.1f},{bottom}v5" stroke="{_LINE}"/>')
        parts.append(_text(x, bottom + 17, f"{speed:g}", anchor="middle"))
    said = "megabytes per CPU second, compressing"
    parts.append(_text(_WIDTH - 20, frame.top + frame.height + 34, said, anchor="end"))
    parts.append(_step(points, frame))
    parts += [_dot(one, frame.at(point), 4.5) for one, point in zip(contenders, points, strict=True)]
    named = [(one.name, one.ours, frame.at(point)) for one, point in zip(contenders, points, strict=True)]
    parts += _labels(named, frame)
    cell = (_WIDTH - 20) / _COLUMNS
    for i, kind in enumerate(kinds):
        left, top = 10 + cell * (i % _COLUMNS), _TALL + _SMALL * (i // _COLUMNS)
        parts += _panel(kind, contenders, Frame(left + 28, top + 18, cell - 36, _SMALL - 44, speeds, (0, 1)))
    return themed("\n".join([*parts, "</svg>\n"]), theme)


def _panel(kind: str, contenders: Sequence[Contender], empty: Frame) -> list[str]:
    """One kind by itself, with its own range of bits."""
    points = [(one.packed[kind].speed, one.packed[kind].bits) for one in contenders]
    least, most = min(bits for _, bits in points), max(bits for _, bits in points)
    room = max(0.08 * (most - least), 0.002)
    frame = Frame(empty.left, empty.top, empty.width, empty.height, empty.speeds, (least - room, most + room))
    bottom = frame.top + frame.height
    parts = [
        _text(frame.left, frame.top - 6, kind, more=_BOLD),
        f'<path d="M{frame.left},{frame.top}V{bottom}h{frame.width:.1f}" fill="none" stroke="{_LINE}"/>',
    ]
    left = frame.left - 4
    parts += [_text(left, frame.down(bits) + 4, f"{bits:.2f}", anchor="end", size=9) for bits in (least, most)]
    decades = _decades(frame.speeds, every=False)
    for speed in decades if len(decades) < 5 else decades[::2]:  # more would touch each other
        x = frame.across(speed)
        parts.append(f'<path d="M{x:.1f},{bottom}v3" stroke="{_LINE}"/>')
        parts.append(_text(x, bottom + 13, f"{speed:g}", anchor="middle", size=9))
    parts.append(_step(points, frame))
    return parts + [_dot(one, frame.at(point), 2.5) for one, point in zip(contenders, points, strict=True)]


def draw(contenders: Sequence[Contender], path: Path) -> None:
    path.write_text(picture(contenders))
    print(f"drawn: {path}")
