"""What the page asks for: scores of models on a text, as data of the report, or as the command line prints them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util.files import label
from bitmeter._version import __version__
from bitmeter.errors import ModelError, UndefinedError
from bitmeter.history.database import is_on
from bitmeter.history.runs import History
from bitmeter.measure.compare import compare_scores
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.measure.trace.trace import Trace
from bitmeter.models.protocols import Predictor
from bitmeter.reports.formats.cells import json_value
from bitmeter.reports.html.inputs import Measured
from bitmeter.reports.html.packing import BUDGET, Columns, packed_bytes, packed_models
from bitmeter.reports.html.page import compared, cuts_of, page_data, run_entry
from bitmeter.reports.records.machine import comparison_document, score_document
from bitmeter.reports.series.running import running_line
from bitmeter.reports.series.texts import traced_text
from bitmeter.reports.series.words import word_costs, word_cuts
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.web.limits import Deadline
from bitmeter.web.served import ServedModel

__all__ = [
    "Report", "TextToMeasure", "comparison", "live", "remembered", "report", "report_of", "scored", "two_runs",
]  # fmt: skip

#: Marks the figures of a live text, which have less than those of a report.
SCHEMA = "bitmeter.live/1"


@dataclass(frozen=True, slots=True)
class TextToMeasure:
    """A text, where documents end in it, and what it is called."""

    data: bytes
    name: str = "text"
    docs: str = "file"
    confidence: float = 0.95

    @property
    def corpus(self) -> Corpus:
        """As models are measured on it."""
        return Corpus.from_text(self.data, docs=self.docs, name=label(self.name) or "text")


@dataclass(frozen=True, slots=True)
class Report:
    """What a job found: the data of the page, and what it is made of, to be saved as a file."""

    data: dict[str, Any]
    measured: list[Measured]


def _score(one: ServedModel, text: TextToMeasure, deadline: Deadline, alternatives: int | None = None) -> Score:
    model = one.model()
    details = alternatives if isinstance(model, Predictor) and model.outcomes.named else None
    with one.use():
        deadline.check()
        return score(model, text.corpus, confidence=text.confidence, alternatives=details, progress=deadline)


def _grown(one: ServedModel, text: TextToMeasure, deadline: Deadline) -> Score:
    """The same for a text that is being typed, which often begins with one that was scored before."""
    model = one.growing()
    with one.use():
        deadline.check()
        return score(model, text.corpus, confidence=text.confidence, progress=deadline)


def scored(one: ServedModel, text: TextToMeasure, deadline: Deadline) -> tuple[Score, dict[str, Any]]:
    """A score, and the document that `bitmeter score --json` prints."""
    found = _score(one, text, deadline)
    return found, score_document(found)


def comparison(
    models: Sequence[ServedModel], text: TextToMeasure, deadline: Deadline
) -> tuple[list[Score], dict[str, Any]]:
    """Scores, and the document that `bitmeter compare --json` prints."""
    if len({one.id for one in models}) < 2:
        message = "name two or more different models to compare"
        raise ModelError(message)
    found = [_score(one, text, deadline) for one in models]
    return found, comparison_document(compare_scores(found, text.confidence))


def remembered(scores: Sequence[Score], verb: str = "serve") -> list[int]:
    """Put scores into the history of runs; nothing if that is off."""
    return History().record(scores, verb) if scores and is_on() else []


def live(models: Sequence[ServedModel], text: TextToMeasure, deadline: Deadline) -> dict[str, Any]:
    """What the page shows while one types: the figures with their intervals, and the bits of each unit.

    It is the data of a report without what takes longer: alternatives, entropies, bands of curves, tables.
    """
    measured = [Measured(_grown(one, text, deadline), None, one.id) for one in models]
    scores = [one.score for one in measured]
    found: dict[str, Any] = {
        "schema": SCHEMA,
        "version": __version__,
        "confidence": text.confidence,
        "runs": [run_entry(one, curve=False) for one in measured],
        "verdicts": compared(scores)[1],
    }
    for entry, one in zip(found["runs"], scores, strict=True):
        entry["line"] = json_value([list(column) for column in running_line(one)])
    _add_units(found, scores)
    return found


def _add_units(found: dict[str, Any], scores: Sequence[Score]) -> None:
    """The text and its units under each model that has a trace, as a report has them."""
    traces = [(k, trace) for k, trace in enumerate(map(_trace, scores)) if trace is not None]
    if not traces:
        return
    columns, across, whole = [], [], None
    for k, trace in traces:
        own = traced_text(trace, scores[k].documents)
        if whole is None:
            whole, words = own, word_cuts(own.data, own.ends)
        columns.append(Columns(np.diff(own.cuts), np.asarray(trace.bits), None))
        across.append(word_costs(own.data, own.cuts, trace.bits, words).across)
    assert whole is not None
    entries, _ = packed_models(columns, BUDGET)
    for entry, (k, _), own_columns, over in zip(entries, traces, columns, across, strict=True):
        entry |= {"run": k, "bytewise": bool((own_columns.lengths <= 1).all()), "across": over}
        entry["unit"] = found["runs"][k]["unit"]
    found["text"] = {
        "z": packed_bytes(whole.data),
        "bytes": len(whole.data),
        "words": cuts_of(words),
        "documents": cuts_of(np.append(0, whole.ends)),
    }
    found["models"] = entries


def _trace(one: Score) -> Trace | None:
    try:
        return one.trace
    except UndefinedError:
        return None


def report(
    models: Sequence[ServedModel],
    text: TextToMeasure,
    alternatives: int,
    deadline: Deadline,
    stage: Callable[[str, float], None],
) -> Report:
    """All that a report shows, as data: with alternatives, entropies, ranks, curves and tables."""
    scores = []
    for one in models:
        stage(f"scoring with {one.id}", 0.9 / len(models))
        scores.append(_score(one, text, deadline, alternatives))
    stage("writing", 0.1)
    measured = [Measured(found, _trace(found), one.id) for found, one in zip(scores, models, strict=True)]
    return report_of(measured, label(text.name), deadline.check)


def report_of(measured: list[Measured], title: str, check: Callable[[], object]) -> Report:
    """The data of a report on runs that were measured; `check` may end the work."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    return Report(page_data(measured, title, today, "bitmeter serve", BUDGET, check=check), measured)


def two_runs(first: Score, second: Score) -> dict[str, Any]:
    """Two remembered runs: the figures of both, and the verdict, or why they must not be compared."""
    measured = [Measured(one, None, label(one.model)) for one in (first, second)]
    return {
        "runs": [run_entry(one, curve=False) for one in measured],
        "verdicts": compared([first, second])[1],
        "same_text": first.signature.text == second.signature.text,
    }
