"""Runs by name: a number of the history, a short signature, or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from bitmeter.history.runs import RememberedRun
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Signature

__all__ = ["NamedRun", "named_run", "remembered_runs", "remembered_score"]


@dataclass(frozen=True)
class NamedRun:
    """A run that was found: in the history, or in a file.

    Attributes
    ----------
    name
        What was typed.
    signature
        Its conventions.
    line
        Its line in the history, or None.
    score
        The run, or None if only its line was kept.
    path
        The file, or None.
    """

    name: str
    signature: Signature
    line: RememberedRun | None = None
    score: Score | None = None
    path: Path | None = None

    def whole(self) -> Score:
        """The run; an error if only its line was kept."""
        from bitmeter.history.runs import History

        if self.score is not None:
            return self.score
        assert self.line is not None
        return History().load(self.line)


def remembered_runs(name: str) -> list[RememberedRun]:
    """The lines of the history that a number or a short signature names; of its first digits, only of one signature."""
    from bitmeter.history.runs import History

    lines = History().find(name)
    others = sorted({line.short for line in lines})
    if len(others) > 1:
        listed = ", ".join(others[:4]) + ", …" * (len(others) > 4)
        message = f"{name} begins several signatures: {listed}; type one of them whole"
        raise typer.BadParameter(message)
    return lines


def named_run(name: str) -> NamedRun:
    """The run that a word names.

    The newest of the history with that number or signature; else a saved run with that signature in the working
    folder; else the saved run at that path.
    """
    from bitmeter.history.beside import runs_beside
    from bitmeter.history.runs import History, is_short
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Signature

    is_number = name.isascii() and name.isdigit()
    if Path(name).exists() and not is_number:
        score = Score.load(name)
        return NamedRun(name, score.signature, score=score, path=Path(name))
    lines = remembered_runs(name) if is_number or is_short(name) else []
    if lines:
        line = lines[0]
        found = History().load(line) if line.whole else None
        return NamedRun(name, Signature.parse(line.signature) if found is None else found.signature, line, found)
    if is_short(name):
        beside = list(runs_beside(Path(), name))
        if len({score.signature for _, score in beside}) == 1:
            path, score = beside[0]
            return NamedRun(name, score.signature, score=score, path=path)
    raise typer.BadParameter(_missing(name, is_number=is_number, is_short=is_short(name)))


def remembered_score(name: str) -> Score | None:
    """The run of a number or a short signature; None for what has the form of neither, or is a file."""
    from bitmeter.history.runs import is_short

    if Path(name).exists() or not (is_short(name) or (name.isascii() and name.isdigit())):
        return None
    return named_run(name).whole()


def _missing(name: str, *, is_number: bool, is_short: bool) -> str:
    if is_number:
        return f"there is no run {name} in the history; `bitmeter runs list` lists them"
    if is_short:
        return (
            f"{name} is neither in the history (bitmeter runs list) nor the signature of a saved run in this folder. A "
            "short signature is a hash, from which the conventions cannot be found: give the run (saved with -o), or "
            "the long signature, which --json prints"
        )
    return f"{name} is no saved run, no number of `bitmeter runs list`, and no signature such as bm1-0a2db555"
