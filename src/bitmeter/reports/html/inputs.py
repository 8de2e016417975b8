"""What a report is made of: runs, each with its trace where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.check import items
from bitmeter._util.optional import is_absent
from bitmeter.errors import EmptyError, IncomparableError, InputError, InputTypeError, UndefinedError
from bitmeter.measure.score import Score, as_score
from bitmeter.measure.trace.trace import Trace
from bitmeter.reports.figures import short_names

__all__ = ["MOST_RUNS", "Measured", "gather"]

#: A page with more models than this is no longer read.
MOST_RUNS = 24


@dataclass(frozen=True, slots=True)
class Measured:
    """One model on the text of the report."""

    score: Score
    trace: Trace | None
    #: Its name on the page, different from those of the others.
    name: str


def gather(runs: object, traces: object = ()) -> list[Measured]:
    """Scores or saved runs with their traces.

    The trace of a score in memory is its own; that of a saved run `a.json` is `a.parquet` beside it. Others are given
    and find their run by the signature.

    Parameters
    ----------
    runs
        Scores, or the paths of saved runs; one alone or several.
    traces
        Traces, or the paths of saved ones.
    """
    given: Iterable[Any] = (
        [runs] if isinstance(runs, Score | str | os.PathLike) else items(runs, "runs", "a list of runs")
    )
    listed = list(given)
    if not listed:
        message = "there is no run to report; give at least one score, or the path of a saved run"
        raise EmptyError(message)
    if len(listed) > MOST_RUNS:
        message = f"{len(listed)} runs are given; a report shows at most {MOST_RUNS} models of one text"
        raise InputError(message)
    scores = [as_score(one) for one in listed]
    _check_text(scores)
    loose = [
        _trace(one)
        for one in (
            [traces] if isinstance(traces, Trace | str | os.PathLike) else items(traces, "traces", "a list of traces")
        )
    ]
    found = [_own(score, one) for score, one in zip(scores, listed, strict=True)]
    for trace in loose:
        places = [k for k, score in enumerate(scores) if score.signature == trace.signature]
        if not places:
            message = (
                f"the trace {trace.signature.short} belongs to none of the runs "
                f"({', '.join(s.signature.short for s in scores)}): "
                "a run and its trace are written together, by score -o RUN --trace FILE"
            )
            raise InputError(message)
        found[places[0]] = trace
    names = _names(scores)
    return [Measured(score, trace, name) for score, trace, name in zip(scores, found, names, strict=True)]


def _check_text(scores: Sequence[Score]) -> None:
    first = scores[0]
    for other in scores[1:]:
        if other.signature.text != first.signature.text:
            message = (
                f"a report shows one text, and these runs are on two: {first.text} ({first.signature.short}) and "
                f"{other.text} ({other.signature.short}); make one report for each"
            )
            raise IncomparableError(message)


def _trace(value: object) -> Trace:
    if isinstance(value, Trace):
        return value
    if isinstance(value, str | os.PathLike):
        return Trace.load(value)
    message = f"{value!r:.60} is not a trace; it must be a Trace or the path of a saved one"
    raise InputTypeError(message, value=value)


def _own(score: Score, given: object) -> Trace | None:
    """The trace in memory, or the one beside a saved run."""
    if isinstance(given, Score):
        try:
            return given.trace
        except UndefinedError:
            return None
    beside = Path(str(given)).with_suffix(".parquet")
    if not beside.is_file() or is_absent("pyarrow"):
        return None
    trace = Trace.load(beside)
    return trace if trace.signature == score.signature else None


def _names(scores: Sequence[Score]) -> list[str]:
    """The names of the models without folders; numbered where two are the same."""
    plain = short_names({score.model for score in scores})
    names = [plain[score.model] for score in scores]
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if names.count(name) == 1 else f"{name} ({seen[name]})")
    return found
