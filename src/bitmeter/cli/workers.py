"""The options for several processes, and their progress: a bar, or JSON lines for schedulers."""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from bitmeter.cli.options import OptionBundle
from bitmeter.cli.progress import bar

if TYPE_CHECKING:
    from bitmeter._util.progress import Progress, Step

__all__ = ["Workers", "json_lines"]

#: Seconds between two lines.
_EVERY = 1.0


@dataclass(frozen=True)
class Workers(OptionBundle):
    """Who does the work."""

    section: ClassVar[str] = "Several processes"

    workers: Annotated[
        int | None, typer.Option(min=1, max=65536, metavar="N", help="Processes that share the work; 1 by default.")
    ] = None
    engine: Annotated[str, typer.Option(metavar="local|ray", help="Whose processes: of this machine, or of Ray.")] = (
        "local"
    )
    address: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Running Ray cluster: HOST:PORT, or auto to find one here.")
    ] = None
    progress: Annotated[
        str | None, typer.Option(metavar="bar|json", help="Progress on stderr: a bar, or JSON lines for schedulers.")
    ] = None

    @property
    def are_several(self) -> bool:
        """Whether others than this process are asked to work."""
        return self.engine != "local" or (self.workers or 1) > 1

    def as_keywords(self) -> dict[str, Any]:
        """The keywords of the library; a wrong one is a usage error."""
        from bitmeter.errors import ChoiceError

        if self.progress not in (None, "bar", "json"):
            message = f"--progress is {self.progress}; it must be bar or json"
            raise typer.BadParameter(message)
        if self.engine not in ("local", "ray") or (self.address is not None and self.engine == "local"):
            from bitmeter.scale.engines import executor_of

            try:
                executor_of(self.workers, self.engine, self.address)
            except ChoiceError as error:
                raise typer.BadParameter(str(error)) from error
        return {"workers": self.workers, "engine": self.engine, "address": self.address}

    def suited(self, model: Any) -> Workers:
        """These, or this process alone for a model of which parts of a text cannot be scored apart."""
        if not self.are_several:
            return self
        from bitmeter.scale.scoring import can_be_split

        return self if can_be_split(model) else Workers(progress=self.progress)

    def watching(
        self, verb: str, title: str, alone: Callable[[str], AbstractContextManager[Progress | None]]
    ) -> AbstractContextManager[Progress | None]:
        """The progress of the work: `alone` is that of one process."""
        if self.progress == "json":
            return contextlib.nullcontext(json_lines(sys.stderr))
        return _linked(_parts_bar(verb, title)) if self.are_several else alone(title)

    def staged(
        self, bar: Callable[[], AbstractContextManager[Progress | None]]
    ) -> AbstractContextManager[Progress | None]:
        """The progress of work in stages: a bar, or JSON lines."""
        self.as_keywords()
        return contextlib.nullcontext(json_lines(sys.stderr)) if self.progress == "json" else _linked(bar())


@contextlib.contextmanager
def _linked(bar: AbstractContextManager[Progress | None]) -> Iterator[Progress | None]:
    """A bar, with the address of Ray's dashboard above it where there is one."""
    from bitmeter._util.jobs import PartsStep

    with bar as shown:
        if shown is None:
            yield None
            return
        is_said = False

        def report(step: Step) -> None:
            nonlocal is_said
            if isinstance(step, PartsStep) and step.dashboard and not is_said:
                is_said = True
                print(f"Ray's dashboard: {step.dashboard}", file=sys.stderr)  # the bar moves down
            shown(step)

        yield report


@contextlib.contextmanager
def _parts_bar(verb: str, title: str) -> Iterator[Progress | None]:
    """Bytes done, parts done, throughput, and processes that were lost."""
    from bitmeter._util.jobs import PartsStep

    with bar(f"{verb} {title}", "bytes") as shown:
        if shown is None:
            yield None
            return
        started = time.monotonic()

        def report(step: Step) -> None:
            seconds = time.monotonic() - started
            value = f"{step.done / seconds / 1e6:.1f} MB/s" if seconds > 1.0 else ""
            if isinstance(step, PartsStep):
                lost = f", {step.lost} lost" * bool(step.lost)
                value = f"{step.parts}/{step.of} parts{lost} {value}"
            shown.update(step.done, step.total, value=value)

        yield report


def json_lines(file: IO[str]) -> Progress:
    """Write a line of JSON at most every second, and one at the end."""
    from bitmeter._util.jobs import PartsStep

    started = time.monotonic()
    last = -_EVERY
    # Since when, and from where on, speed is measured: without the start, and for each stage, which counts its own.
    first: tuple[str, float, float] | None = None

    def report(step: Step) -> None:
        nonlocal last, first
        seconds = time.monotonic() - started
        if first is None or first[0] != step.stage or step.done < first[2]:
            first = (step.stage, seconds, step.done)
        is_last = step.total is not None and step.done >= step.total
        if seconds - last < _EVERY and not is_last:
            return
        last = seconds
        speed = (step.done - first[2]) / (seconds - first[1]) if seconds > first[1] else 0.0
        left = None if step.total is None or speed <= 0.0 else max(0.0, (step.total - step.done) / speed)
        about: dict[str, Any] = {
            "stage": step.stage, "done": step.done, "total": step.total, "unit": step.unit, "share": step.share,
            "seconds": round(seconds, 3), "per_second": round(speed, 1), "seconds_left": left and round(left, 1),
        }  # fmt: skip
        if isinstance(step, PartsStep):
            about |= {"parts": step.parts, "of": step.of} if step.of else {}
            about |= {"workers": step.workers, "lost": step.lost}
            about |= {"dashboard": step.dashboard} if step.dashboard else {}
        if step.estimate is not None:
            about["bits_per_byte"] = step.estimate
        file.write(json.dumps(about) + "\n")
        file.flush()

    return report
