"""The progress bar on stderr, and the callbacks that drive it.

There is one bar. The library reports progress in several forms; each has a function here that yields a callback of
that form, or None where stderr is not a terminal.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = ["Bar", "bar", "coding", "scoring", "stages", "steps", "whole_share"]

#: What the bar counts: a share in per cent, bytes, or steps.
Counter = Literal["share", "bytes", "steps"]
#: About how much of the time each stage of estimating an n-gram model takes, by how its name begins.
_SHARES = {"reading": 0.15, "sorting": 0.28, "counting": 0.12, "adjusting": 0.24, "estimating": 0.15, "finishing": 0.01}


class Bar:
    """A bar on stderr with the time left."""

    def __init__(self, title: str, counter: Counter) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )
        from rich.text import Text

        class WithChart(Progress):
            """Shows a chart above the bar, if there is one."""

            chart = ""

            def get_renderables(self) -> Iterable[RenderableType]:
                if self.chart:
                    yield Text(self.chart)
                yield from super().get_renderables()

        counters = {"share": TaskProgressColumn, "bytes": DownloadColumn, "steps": MofNCompleteColumn}
        console = Console(stderr=True)
        self.width = console.width
        self._progress = WithChart(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            counters[counter](),
            TextColumn("{task.fields[value]}"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=console,
            transient=True,
            refresh_per_second=4,
        )
        self._task = self._progress.add_task(title, total=None, value="")

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def update(self, done: float, total: float | None, *, title: str | None = None, value: str | None = None) -> None:
        """Set how much is done, and if given the title and the value that is shown beside the bar."""
        changed = {name: text for name, text in (("description", title), ("value", value)) if text is not None}
        self._progress.update(self._task, completed=done, total=total, **changed)  # type: ignore[arg-type]

    def draw(self, chart: str) -> None:
        """Set the chart above the bar."""
        self._progress.chart = chart


@contextlib.contextmanager
def bar(title: str, counter: Counter = "share") -> Iterator[Bar | None]:
    """A bar on stderr; None where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with Bar(title, counter) as shown:
        yield shown


@contextlib.contextmanager
def scoring(title: str) -> Iterator[Callable[[int, int | None, float], None] | None]:
    """The progress of a score: bytes done, bytes in all, bits per byte so far."""
    with bar(f"scoring {title}") as shown:
        if shown is None:
            yield None
            return

        def report(done: int, total: int | None, value: float) -> None:
            shown.update(done, total, value="" if math.isnan(value) else f"{value:.3f} bits/byte so far")

        yield report


@contextlib.contextmanager
def coding(verb: str, title: str) -> Iterator[Callable[[int, int | None], None] | None]:
    """The progress of coding, in bytes; a second pass over the text is the decoding that checks the first."""
    with bar(f"{verb} {title}", "bytes") as shown:
        if shown is None:
            yield None
            return
        reached = 0

        def report(done: int, total: int | None) -> None:
            nonlocal reached
            shown.update(done, total, title=f"decoding {title}" if done < reached else None)
            reached = done

        yield report


@contextlib.contextmanager
def stages() -> Iterator[Callable[[str, float], None] | None]:
    """The progress of estimating or converting an n-gram model: the stage, and the share of it that is done."""
    with bar("") as shown:
        if shown is None:
            yield None
            return
        yield lambda stage, done: shown.update(whole_share(stage, done), 1.0, title=f"{stage:<18}")


@contextlib.contextmanager
def steps(verb: str) -> Iterator[Callable[[str, int], None] | None]:
    """The progress of a survey: called with the name of each step as it begins, and the number of steps."""
    with bar(verb, "steps") as shown:
        if shown is None:
            yield None
            return
        begun = 0

        def report(name: str, total: int) -> None:
            nonlocal begun
            shown.update(begun, total, title=f"{verb} {name:<20}")
            begun += 1

        yield report


def whole_share(stage: str, done: float) -> float:
    """The share of all the work that is done, when this share of a stage is."""
    before = 0.0
    for name, share in _SHARES.items():
        if stage.startswith(name):
            return before + share * done
        before += share
    return before + (1.0 - before) * done
