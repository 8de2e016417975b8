"""One file: its records are scored, decided about and written; or only scored, for a rule that must know all values."""

from __future__ import annotations

import contextlib
import hashlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.files import label, replacing
from bitmeter.errors import SourceError
from bitmeter.filter.outputs import Columns, Writer, compressed, make_folder, opened, write_bad
from bitmeter.filter.plan import Shard, kept_path
from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Rows
from bitmeter.filter.rules import Decision
from bitmeter.filter.scores import BAD, RECORD, SCORED, Records, Scorers, columns_of, read_scores
from bitmeter.filter.settings import VALUE, Settings
from bitmeter.filter.statistics import COUNTS, STATISTICS
from bitmeter.filter.tally import Tally

__all__ = ["MOST_PLACES", "UNSCORED_LABEL", "decide", "decide_only", "score_shard", "write_shard"]

#: How many bad records a receipt names.
MOST_PLACES = 5
#: The outcome of records without a figure.
UNSCORED_LABEL = "unscored"

#: Called with the bytes of records that were read.
Watch = Callable[[int], object]


def decide(records: Records, rows: Rows | None, decision: Decision, languages: list[str], seed: int) -> Ints:
    """The outcome of each record: a label of the decision; one more for those without a figure; -1 for bad ones."""
    state = records["state"]
    outcomes = np.where(state == BAD, -1, len(decision.labels)).astype(np.int64)
    scored = np.flatnonzero(state == SCORED)
    named = [languages[number] for number in records["language"][scored].tolist()] if any(languages) else None
    values = np.ascontiguousarray(records["value"][scored])
    outcomes[scored] = decision.decide(values, named, lambda left: _draws(rows, scored[left], seed))
    return outcomes


def _draws(rows: Rows | None, chosen: Ints, seed: int) -> Floats:
    """A number in [0, 1) for each record, from its text and the seed alone."""
    assert rows is not None, "sampling needs the texts"
    text_of = dict(zip(rows.good, rows.texts, strict=True))
    key = seed.to_bytes((seed.bit_length() + 7) // 8 or 1, "big")[-64:]
    found = np.empty(len(chosen))
    for place, at in enumerate(chosen.tolist()):
        digest = hashlib.blake2b(text_of[at], digest_size=8, key=key).digest()
        found[place] = (int.from_bytes(digest, "big") >> 11) * 2.0**-53
    return found


def score_shard(shard: Shard, settings: Settings, scorers: Scorers, destination: Path, watch: Watch) -> Tally:
    """Write the scores of all records of a file, and give their histograms."""
    tally = Tally()
    with replacing(destination, force=True) as path, open(path, "wb") as file:
        for rows in read_rows(shard.source, settings.fields):
            records = scorers.score(rows)
            tally.add_scores(records, scorers.languages)
            tally.note_bad((_placed(shard, bad.place, bad.reason) for bad in rows.bad), MOST_PLACES)
            file.write(records.tobytes())
            watch(rows.size)
    return tally


def decide_only(
    shard: Shard, settings: Settings, scorers: Scorers, decision: Decision, destination: Path, watch: Watch
) -> Tally:
    """Write the scores of all records of a file, and count what a decision makes of them."""
    tally = Tally()
    labels = (*decision.labels, UNSCORED_LABEL)
    with replacing(destination, force=True) as path, open(path, "wb") as file:
        for rows in read_rows(shard.source, settings.fields):
            records = scorers.score(rows)
            file.write(records.tobytes())
            tally.add_scores(records, scorers.languages)
            tally.add_labels(records, decide(records, rows, decision, scorers.languages, settings.seed), labels)
            tally.note_bad((_placed(shard, bad.place, bad.reason) for bad in rows.bad), MOST_PLACES)
            watch(rows.size)
    return tally


def write_shard(
    shard: Shard,
    settings: Settings,
    scorers: Scorers,
    decision: Decision,
    scores: Path | None,
    watch: Watch,
    *,
    force: bool,
) -> tuple[Tally, list[Path]]:
    """Write what becomes of a file; the outputs get their names together at the end.

    Parameters
    ----------
    shard, settings, scorers, decision
        What is done.
    scores
        The scores of all records, where they were written before.
    watch
        Called as records are read.
    force
        Whether outputs of the same names are replaced.
    """
    tally = Tally()
    labels = (*decision.labels, UNSCORED_LABEL)
    keeps = np.array([*decision.keeps, settings.unscored == "keep"]) | bool(settings.tag)
    paths: list[Path] = []
    with contextlib.ExitStack() as stack:
        writers: dict[str, Writer] = {}
        for number, name in enumerate(labels):
            if shard.kept is not None and keeps[number]:
                place = kept_path(shard.kept, name)
                if place not in paths:
                    paths.append(place)
                    writers[str(place)] = stack.enter_context(opened(place, force=force))
        rejected = None
        if shard.rejected is not None:
            paths.append(shard.rejected)
            rejected = stack.enter_context(opened(shard.rejected, force=force))
        aside = None if shard.bad is None else stack.enter_context(_bad_file(shard.bad, force=force))
        if shard.bad is not None:
            paths.append(shard.bad)
        for rows, records in _scored(shard, settings, scorers, scores):
            outcomes = decide(records, rows, decision, scorers.languages, settings.seed)
            tally.add_scores(records, scorers.languages)
            tally.add_labels(records, outcomes, labels)
            tally.note_bad((_placed(shard, bad.place, bad.reason) for bad in rows.bad), MOST_PLACES)
            columns = _columns(records, outcomes, labels, settings)
            for where, writer in writers.items():
                here = [n for n, name in enumerate(labels) if keeps[n] and _is_place(shard, name, where)]
                writer.write(rows, np.flatnonzero(np.isin(outcomes, here)).tolist(), columns)
            if rejected is not None:
                dropped = [n for n in range(len(labels)) if not keeps[n]]
                rejected.write(rows, np.flatnonzero(np.isin(outcomes, dropped)).tolist(), columns)
            for bad in rows.bad:
                if aside is not None:
                    write_bad(aside, label(shard.source), bad)
            watch(rows.size)
    return tally, paths


def _is_place(shard: Shard, name: str, place: str) -> bool:
    assert shard.kept is not None
    return str(kept_path(shard.kept, name)) == place


@contextlib.contextmanager
def _bad_file(destination: Path, *, force: bool) -> Iterator[IO[bytes]]:
    make_folder(destination)
    with replacing(destination, force=force) as path, compressed(path, destination.suffix.lower()) as file:
        yield file


def _scored(shard: Shard, settings: Settings, scorers: Scorers, scores: Path | None) -> Iterator[tuple[Rows, Records]]:
    """The records with their scores, which are computed now or were before."""
    if scores is None:
        for rows in read_rows(shard.source, settings.fields):
            yield rows, scorers.score(rows)
        return
    with open(scores, "rb") as file:
        for rows in read_rows(shard.source, settings.fields):
            data = file.read(len(rows) * RECORD.itemsize)
            if len(data) != len(rows) * RECORD.itemsize:
                message = f"{shard.source} has changed since it was scored; run the filter again with --force"
                raise SourceError(message, path=shard.source)
            yield rows, np.frombuffer(data, dtype=RECORD)


def _columns(records: Records, outcomes: Ints, labels: tuple[str, ...], settings: Settings) -> Columns:
    """The fields that are added, for all records."""
    found: Columns = {}
    if not settings.added and not settings.tag:
        return found
    scored = (records["state"] == SCORED).tolist()
    columns = columns_of(records)
    for name, figure in settings.added.items():
        if figure == VALUE:
            values: list[Any] = records["value"].tolist()
        elif figure in COUNTS:
            values = getattr(columns, figure).tolist()
        else:
            values = [None if math.isnan(value) else value for value in STATISTICS[figure](columns).tolist()]
        found[name] = [value if is_scored else None for value, is_scored in zip(values, scored, strict=True)]
    if settings.tag:
        found[settings.tag] = [labels[number] if number >= 0 else None for number in outcomes.tolist()]
    return found


def _placed(shard: Shard, place: str, reason: str) -> str:
    return f"{label(shard.source)}, {place}: {reason}"


def tally_scores(scores: Path, tally: Tally, decision: Decision, languages: list[str]) -> None:
    """Count what a decision would make of scores that were written."""
    labels = (*decision.labels, UNSCORED_LABEL)
    for records in read_scores(scores, 1 << 16):
        tally.add_labels(records, decide(records, None, decision, languages, 0), labels)
