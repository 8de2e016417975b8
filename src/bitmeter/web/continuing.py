"""Texts that grow: what was scored of a text is kept, and only what was added to it is scored.

A model of bytes scores a text from left to right, so a session that stands at the end of a text can go on with what is
typed after it. The figures are those of scoring all of it again, to the last bit. Where a text was edited further up,
its session begins again in the memory that it has: to take another 181 MB takes longer than to score the text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.models.protocols import Batch, Model, Options, Scored, Session, Traits, Watch
from bitmeter.text.units.base import Units

__all__ = ["Continued"]

#: How many texts are kept for each model; a session of universal takes up to 181 MB.
_KEPT = 2


@dataclass(slots=True)
class _Scored:
    """A text, what its bytes cost, and a session that stands at its end."""

    data: bytes
    logprobs: Floats
    session: Session


class Continued(Model):
    """A model of bytes that remembers the texts that it scored last.

    Parameters
    ----------
    model
        A model whose units are bytes. Texts of one document, scored without details and without its end, go on from
        what was scored before; all others are passed on.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, _Scored] = OrderedDict()

    @property
    def name(self) -> str:
        """That of the model."""
        return self._model.name

    @property
    def units(self) -> Units:
        """Bytes."""
        return self._model.units

    @property
    def fingerprint(self) -> str:
        """That of the model: its figures are the same."""
        return self._model.fingerprint

    @property
    def traits(self) -> Traits:
        """Those of the model."""
        return self._model.traits

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """As the model gives them."""
        return self._model.logprobs(ids, bounds)

    def open(self, options: Options = Options()) -> Session:  # noqa: B008 (frozen)
        """Begin a text."""
        return _ContinuedSession(self, options)

    def begin(self, options: Options) -> Session:
        """A session of the model itself."""
        return self._model.open(options)

    def taken(self, data: bytes) -> _Scored | None:
        """The longest of the kept texts with which this one begins; no other thread gets it meanwhile."""
        with self._lock:
            fitting = [text for text in self._kept if data.startswith(text)]
            return self._kept.pop(max(fitting, key=len)) if fitting else None

    def replaced(self, data: bytes, options: Options) -> Session:
        """A session for a text that goes on from none: that of the text of which it is an edited version, or a new one.

        Another text that is being typed keeps its own.
        """
        with self._lock:
            alike = max(self._kept, key=lambda text: _common(text, data), default=None)
            edited = alike is not None and 2 * _common(alike, data) >= min(len(alike), len(data))
            old = self._kept.pop(alike) if alike is not None and edited else None
            if old is None and len(self._kept) >= _KEPT:
                old = self._kept.popitem(last=False)[1]
        return old.session if old is not None and old.session.restart() else self.begin(options)

    def keep(self, scored: _Scored) -> None:
        """Keep a text, and forget the oldest."""
        with self._lock:
            self._kept[scored.data] = scored
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)


def _common(first: bytes, second: bytes) -> int:
    """How many bytes two texts share at their beginning and at their end."""
    most = min(len(first), len(second))
    a, b = (np.frombuffer(text, dtype=np.uint8) for text in (first, second))
    before = a[:most] != b[:most]
    after = a[len(a) - most :] != b[len(b) - most :]
    head = int(before.argmax()) if before.any() else most
    tail = int(after[::-1].argmax()) if after.any() else most
    return min(most, head + tail)


class _ContinuedSession(Session):
    """Scores one text; the first batch may go on from a text that was scored before."""

    def __init__(self, model: Continued, options: Options) -> None:
        self._model, self._options = model, options
        self._plain: Session | None = None

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """Score the next batch."""
        whole = not batch.continues and not batch.unfinished and len(batch.ends) == 1 and len(batch.data) > 0
        if (
            self._plain is not None
            or details is not None
            or not whole
            or batch.eos != "no"
            or batch.context is not None
        ):
            self._plain = self._plain or self._model.begin(self._options)
            return self._plain.score(batch, details, watch)
        kept = self._model.taken(batch.data)
        if kept is None:
            kept = _Scored(b"", np.zeros(0), self._model.replaced(batch.data, self._options))
        added = batch.data[len(kept.data) :]
        logs = kept.logprobs
        if added:
            # The document stays unfinished for the session, so that it can go on with what is typed next.
            part = Batch(
                added, np.zeros(0, dtype=np.int64), batch.units, len(kept.data), bool(kept.data), True, "no", batch.end
            )
            logs = np.concatenate((logs, np.asarray(kept.session.score(part, None, watch).logprobs)))
        self._model.keep(_Scored(batch.data, logs, kept.session))
        return Scored(batch.split, batch.blank, logs)
