"""What is done with one file, as tasks that any process can do: they are given names, and open models by themselves."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from bitmeter._util.files import label, unread
from bitmeter._util.jobs import Report
from bitmeter.errors import ModelError, SourceError
from bitmeter.filter.plan import Shard
from bitmeter.filter.receipts import file_digest
from bitmeter.filter.rules import Decision
from bitmeter.filter.scores import Scorers
from bitmeter.filter.settings import Settings
from bitmeter.filter.shard import decide_only, score_shard, write_shard
from bitmeter.text.formats import COMPRESSIONS

#: The size of a file and its time of change.
Stamp = tuple[int, int]

__all__ = ["Digest", "Models", "Written", "digest", "rehearse_file", "score_file", "write_file"]


@dataclass(frozen=True)
class Models:
    """How models are opened: the arguments of `Scorers`, with the hash of those that the caller has opened.

    Attributes
    ----------
    arguments
        Of `Scorers`.
    fingerprints
        What the models were for the caller, by language; each must be the same for whoever opens them.
    opened
        Of the caller itself, which opens nothing twice; not sent to others.
    """

    arguments: tuple[Any, ...]
    fingerprints: tuple[tuple[str, str], ...] = ()
    opened: Scorers | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"arguments": self.arguments, "fingerprints": self.fingerprints, "opened": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, value)

    def scorers(self) -> Scorers:
        """The models, opened once per process; without languages yet."""
        found = self.opened if self.opened is not None else _opened(self)
        found.forget_languages()
        return found


#: The models of this process, by what they are asked for with: those of one job at a time.
_kept: dict[bytes, Scorers] = {}


def _opened(models: Models) -> Scorers:
    key = pickle.dumps(models.arguments)
    found = _kept.get(key)
    if found is None:
        _kept.clear()
        found = _kept[key] = Scorers(*models.arguments, threads=1)
    known = found.fingerprints()
    for language, fingerprint in models.fingerprints:
        if known.get(language, fingerprint) != fingerprint:
            message = (
                "a model is not the same for all processes: its file was changed while the filter ran, or it differs "
                "between machines; run the filter again when it is in place"
            )
            raise ModelError(message)
    return found


class Digest(NamedTuple):
    """A file as it was when the filter began."""

    #: Its size and the hash of its bytes, which receipts hold.
    about: dict[str, Any]
    #: Its size and its time of change.
    stamp: Stamp


def digest(source: str, report: Report) -> Digest:
    """The size and the hash of a file."""
    try:
        stamp = _stamp(source)
        about = file_digest(source)
        _check_unchanged(source, stamp)
    except OSError as error:
        message = f"{label(source)} {unread(error)}"
        raise SourceError(message, path=source) from error
    return Digest(about, stamp)


def _stamp(source: str) -> Stamp:
    found = os.stat(source)
    return found.st_size, found.st_mtime_ns


def _check_unchanged(source: str, stamp: Stamp) -> None:
    """Refuse what was read of a file that is no longer the one whose hash its receipt would hold."""
    if _stamp(source) != stamp:
        message = f"{label(source)} was changed while it was read; run the filter again"
        raise SourceError(message, path=source)


def score_file(shard: Shard, stamp: Stamp, settings: Settings, models: Models, path: Path, report: Report) -> list[str]:
    """Write the scores of the records of a file; gives the languages in the order of their numbers."""
    scorers = models.scorers()
    score_shard(shard, settings, scorers, path, _watch(shard, report))
    _check_unchanged(shard.source, stamp)
    return list(scorers.languages)


def rehearse_file(
    shard: Shard,
    stamp: Stamp,
    settings: Settings,
    models: Models,
    decision: Decision | None,
    path: Path,
    report: Report,
) -> tuple[dict[str, Any], list[str]]:
    """Write the scores of the records of a file, and count what a decision would make of them, if there is one.

    Gives the counts, and the languages in the order of their numbers.
    """
    scorers = models.scorers()
    watch = _watch(shard, report)
    if decision is None:
        tally = score_shard(shard, settings, scorers, path, watch)
    else:
        tally = decide_only(shard, settings, scorers, decision, path, watch)
    _check_unchanged(shard.source, stamp)
    return tally.to_json(), list(scorers.languages)


class Written(NamedTuple):
    """What was written of a file."""

    tally: dict[str, Any]
    #: With their sizes and hashes.
    outputs: list[tuple[str, dict[str, Any]]]
    models: dict[str, str]
    signature: str


def write_file(
    shard: Shard,
    stamp: Stamp,
    settings: Settings,
    models: Models,
    decision: Decision,
    scores: Path | None,
    languages: Sequence[str],
    force: bool,  # noqa: FBT001 (arguments of a task have no names)
    report: Report,
) -> Written:
    """Score the records of a file, or take their scores, and write what becomes of them."""
    scorers = models.scorers()
    for language in languages:
        scorers.number(language)
    tally, paths = write_shard(shard, settings, scorers, decision, scores, _watch(shard, report), force=force)
    _check_unchanged(shard.source, stamp)
    for language in scorers.languages:
        scorers.of(language)  # whose scores may have been computed elsewhere
    used = {
        language: mark
        for language, mark in scorers.fingerprints().items()
        if not scorers.is_pattern or language in scorers.languages
    }
    outputs = [(str(path), file_digest(path)) for path in paths]
    return Written(tally.to_json(), outputs, used, str(scorers.signature or ""))


def _watch(shard: Shard, report: Report) -> Callable[[int], None]:
    """Report how far a file is, in its own bytes; a compressed one is taken to be a quarter of its text."""
    size, reported = shard.size, 0
    packed = shard.source.lower().endswith((*COMPRESSIONS, ".parquet", ".pq"))
    read = 0

    def watch(more: int) -> None:
        nonlocal read, reported
        read += more
        here = min(size, read // 4 if packed else read)
        if here > reported:
            report(here - reported)
            reported = here

    return watch
