"""Saved runs in a folder, found by their short signature."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bitmeter._util.files import read_whole
from bitmeter.errors import BitmeterError
from bitmeter.measure.score import Score

__all__ = ["runs_beside"]

#: The most files that are looked into, and the most bytes of each.
_MOST_FILES = 1000
_LARGEST = 1 << 26


def runs_beside(folder: Path, short: str) -> Iterator[tuple[Path, Score]]:
    """The saved runs (*.json) of a folder whose short signature begins so; other files are passed over."""
    wanted = short.encode()
    for path in sorted(islice(folder.glob("*.json"), _MOST_FILES)):
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST or wanted not in read_whole(path, _LARGEST):
                continue
            score = Score.load(path)
        except (OSError, BitmeterError):
            continue  # no run, or none that can be read: what was looked for may be in another
        if score.signature.short.startswith(short):
            yield path, score
