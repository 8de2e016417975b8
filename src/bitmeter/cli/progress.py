"""The progress bar on stderr.

There is one bar, and one callback: each function here yields what takes a `Step`, or None where stderr is not a
terminal.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Literal

from bitmeter._util.secrets import without_secrets

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bitmeter._util.progress import Progress, Step

__all__ = ["Bar", "bar", "coding", "scoring", "stages", "steps", "whole_share"]

#: What the bar counts: a share in per cent, bytes, or steps.
Counter = Literal["share", "bytes", "steps"]
#: About how much of the time each stage of estimating an n-gram model takes, by how its name begins.
_SHARES = {
    "reading": 0.15,
    "sorting": 0.28,
    "merging": 0.0,
    "counting": 0.12,
    "adjusting": 0.24,
    "estimating": 0.15,
    "finishing": 0.01,
}


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
def scoring(title: str) -> Iterator[Progress | None]:
    """The progress of a score: bytes done, bytes in all, bits per byte so far."""
    with bar(f"scoring {without_secrets(title)}") as shown:
        if shown is None:
            yield None
            return

        def report(step: Step) -> None:
            value = "" if step.estimate is None else f"{step.estimate:.3f} bits/byte so far"
            shown.update(step.done, step.total, value=value)

        yield report


@contextlib.contextmanager
def coding(verb: str, title: str) -> Iterator[Progress | None]:
    """The progress of coding, in bytes; a second pass over the text is the decoding that checks the first."""
    with bar(f"{verb} {without_secrets(title)}", "bytes") as shown:
        if shown is None:
            yield None
            return

        def report(step: Step) -> None:
            shown.update(step.done, step.total, title=f"decoding {title}" if step.stage == "decoding" else None)

        yield report


@contextlib.contextmanager
def stages() -> Iterator[Progress | None]:
    """The progress of estimating or converting an n-gram model: the stage, and the share of it that is done."""
    with bar("") as shown:
        if shown is None:
            yield None
            return

        def report(step: Step) -> None:
            shown.update(whole_share(step.stage, step.share or 0.0), 1.0, title=f"{step.stage:<18}")

        yield report


@contextlib.contextmanager
def steps(verb: str) -> Iterator[Progress | None]:
    """The progress of a survey: the name of each method as it begins, and how many are done."""
    with bar(verb, "steps") as shown:
        if shown is None:
            yield None
            return

        def report(step: Step) -> None:
            shown.update(step.done, step.total, title=f"{verb} {step.stage:<20}")

        yield report


def whole_share(stage: str, done: float) -> float:
    """The share of all the work that is done, when this share of a stage is."""
    before = 0.0
    for name, share in _SHARES.items():
        if stage.startswith(name):
            return before + share * done
        before += share
    return before + (1.0 - before) * done
