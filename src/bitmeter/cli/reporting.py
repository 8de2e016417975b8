"""Reports that are written by verbs which measure: what a score must have recorded, and the file."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bitmeter._util.leftovers import temporary_folder
from bitmeter.cli.output import note

__all__ = ["Reported", "chosen_runs", "reported", "write"]

#: Above this many bytes, predictions are looked into only if --alternatives asks for it: it can take minutes.
DETAILED = 256_000
#: Above this many bytes, the trace does not stay in memory.
_KEPT = 1_900_000


def write(runs: list[Any], path: Path, *, force: bool, quiet: bool = False, **more: Any) -> None:
    """Write the report; notes say what it leaves out."""
    from bitmeter.reports.html.writer import report

    command = shlex.join(["bitmeter", *sys.argv[1:]])
    left = report(runs, path, command=command, force=force, **more)
    for line in () if quiet else left:
        note(line)


def chosen_runs(names: list[str], more: str) -> list[Any]:
    """The paths of saved runs, and the runs of the history that are named by number or short signature.

    Of a run that is not there, it is said how it is made; `more` ends that command.
    """
    from bitmeter._util.files import label
    from bitmeter.cli.trust.remembered import remembered_score
    from bitmeter.errors import FileFormatError

    found: list[Any] = []
    for name in names:
        remembered = remembered_score(name)
        if remembered is None and not Path(name).exists():
            message = f"there is no saved run {label(name)}; type: bitmeter score MODEL TEXT -o a.json {more}"
            raise FileFormatError(message, value=name)
        found.append(name if remembered is None else remembered)
    return found


class Reported:
    """What a score needs so that a report can be made of it."""

    def __init__(self, folder: Path | None, asked: int | None) -> None:
        self._folder, self._asked = folder, asked
        self.traces: list[Path] = []

    def added(self, keywords: dict[str, Any], model: Any, text: str) -> dict[str, Any]:
        """The keywords of `score` with what a report needs.

        Alternatives, where the model exposes them and the text is short or they were asked for; and a trace on disk
        where it would be too long for memory.
        """
        if self._folder is None:
            return keywords
        from bitmeter._util.optional import is_absent
        from bitmeter.models.protocols import Model, Predictor
        from bitmeter.models.registry import resolve

        measured = resolve(model)
        if not isinstance(measured, Model):
            return keywords
        size = sum(path.stat().st_size for path in _files(text))
        found = keywords | {"alternatives": self._asked}
        if self._asked is None and isinstance(measured, Predictor) and size <= DETAILED:
            found["alternatives"] = 5
        if found.get("trace") is not None:
            self.traces.append(found["trace"])
        elif size > _KEPT and not is_absent("pyarrow"):
            self.traces.append(self._folder / f"{len(self.traces)}.parquet")
            found["trace"] = self.traces[-1]
        return found


def _files(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        return [one for one in path.rglob("*") if one.is_file()]
    return [path] if path.is_file() else []


@contextlib.contextmanager
def reported(html: Path | None, alternatives: int | None) -> Iterator[Reported]:
    """Room for traces that are needed until the report is written; nothing if none is asked for."""
    if html is None:
        yield Reported(None, None)
        return
    with temporary_folder() as folder:
        yield Reported(folder, alternatives)
