"""What was measured, as trackers of experiments know it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from bitmeter._version import __version__
from bitmeter.history.runs import Measured
from bitmeter.hosts.tracking import Tracked
from bitmeter.measure.score import Score
from bitmeter.reports.formats.cells import encoded
from bitmeter.reports.records.machine import figures_of, score_document

__all__ = ["tracked"]

_COUNTS = ("bytes", "chars", "words", "tokens", "documents", "oov", "skipped", "invalid", "impossible")


def tracked(found: Score | Measured, verb: str) -> Tracked:
    """The conventions are parameters, figures, counts and the ends of the interval are metrics.

    Parameters
    ----------
    found
        A score, or what another verb measured.
    verb
        Which.

    Examples
    --------
    >>> import bitmeter as bm
    >>> run = tracked(bm.score("uniform", b"to be or not to be"), "score")
    >>> run.metrics["bits_per_byte"], run.params["docs"]
    (8.0, 'file.1.e48d939f')
    """
    params: dict[str, Any] = {"verb": verb, "model": found.model, "text": found.text, "version": __version__}
    params |= {name: value for name, value in asdict(found.signature).items() if name not in params}
    params |= {"signature": str(found.signature), "short": found.signature.short}
    name = f"{found.model} on {found.text}"
    if isinstance(found, Measured):
        figures: dict[str, Any] = {f"bits_per_{found.per}": found.bits, "bytes": found.bytes}
        about = {"verb": verb, **figures, "model": found.model, "text": found.text, "signature": str(found.signature)}
        return Tracked.of(name, params, figures, encoded(about))
    figures = figures_of(found) | {count: getattr(found, count) for count in _COUNTS}
    if found.interval is not None:
        figures |= {"low": found.interval.low, "high": found.interval.high}
    return Tracked.of(name, params, figures, encoded(score_document(found)))
