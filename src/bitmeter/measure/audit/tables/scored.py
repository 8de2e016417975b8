"""The score of a table: its log-probabilities, summed over the raw text by the sums of every other score."""

from __future__ import annotations

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.progress import Progress
from bitmeter.measure.audit.tables.tiling import RawText
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.run import Run
from bitmeter.measure.score import Score
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.models.protocols import Batch, Model, Options, Scored, Session, Traits, Watch
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Split, Units

__all__ = ["TableUnits", "score_table"]


class TableUnits(Units):
    """The units of a table: known by their offsets alone, so that no other text can be split by them."""

    joins = True

    def __init__(self, name: str, digest: str) -> None:
        self.name, self.fingerprint = name, f"table/1@{digest[:24]}"

    def _split(self, data: bytes, ends: Ints) -> Split:
        raise NotImplementedError  # the session of a table knows its units

    def _cut(self, data: bytes) -> int:
        return 0


class _TableModel(Model):
    """Log-probabilities that are known already."""

    name: str
    units: Units
    fingerprint: str

    def __init__(
        self, name: str, digest: str, precision: str, units: Units | None, ids: Ints, cuts: Ints, logs: Floats
    ) -> None:
        self.name, self.fingerprint = f"table:{name}", f"sha256-{digest[:24]}"
        self.units = TableUnits("table", digest) if units is None else units
        self._precision, self.ids, self.cuts, self.logs = precision, ids, cuts, logs

    @property
    def traits(self) -> Traits:
        """Whole documents, because offsets are known for those."""
        caveat = f"log-probabilities are those of a table (SHA-256 {self.fingerprint[7:19]}…), not measured here"
        return Traits(whole_documents=True, precision=f"{self._precision}, from a table", caveats=(caveat,))

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin the text."""
        return _TableSession(self)

    def logprobs(self, ids: Ints, bounds: Ints) -> Floats:
        """Not known of other ids."""
        raise NotImplementedError


class _TableSession(Session):
    def __init__(self, model: _TableModel) -> None:
        self._model = model

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """The units that lie in the batch."""
        model = self._model
        end = batch.offset + len(batch.data)
        first, last = np.searchsorted(model.cuts[:-1], [batch.offset, end]).tolist()
        last = len(model.ids) if end == model.cuts[-1] else last  # with units without bytes at the very end
        cuts = np.append(model.cuts[first:last], end) - batch.offset
        ends = np.concatenate(([0], batch.all_ends)).astype(np.int64)
        bounds = np.searchsorted(cuts[:-1], ends).astype(np.int64)
        bounds[-1] = last - first
        split = Split(model.ids[first:last], cuts.astype(np.int64), bounds)
        return Scored(split, np.zeros(last - first, dtype=np.bool_), model.logs[first:last].copy())


def score_table(
    name: str,
    digest: str,
    precision: str,
    corpus: Corpus,
    text: RawText,
    *,
    start: Ints,
    logs: Floats,
    ids: Ints | None,
    counts: Bools,
    units: Units | None,
    confidence: float,
    progress: Progress | None,
) -> Score:
    """The score of the units that count; those must cover the text."""
    chosen = np.flatnonzero(counts)
    order = chosen[np.argsort(start[chosen], kind="stable")]
    cuts = np.append(np.maximum.accumulate(start[order]), len(text.data)).astype(np.int64)
    cuts[:1] = 0
    numbers = np.zeros(len(order), dtype=np.int64) if ids is None else ids[order]
    model = _TableModel(name, digest, precision, units, numbers, cuts, logs[order])
    settings = settle(convention("bitmeter"), None, None, None, "bos", None, None, None, None, confidence)
    return Run(model, corpus, settings, Tracer(None, force=False), None, progress).measure()
