"""Texts that grow: what was scored of a text is kept, and only what was added to it is scored.

A text is scored from left to right, so a session that stands at the end of a text can go on with what is typed after
it. Where what follows may change the last unit, as letters do a word, the session stops before that unit, and a copy of
it scores the unit as it stands. The figures are those of scoring all of it again, to the last bit. Where a text was
edited further up, its session begins again in the memory that it has: to take another 181 MB takes longer than to score
the text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Self, cast

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.models.protocols import Batch, Model, OpenVocabulary, Options, Scored, Session, Traits, Watch
from bitmeter.text.units.base import Split, Units

__all__ = ["Continued", "continued"]

#: How many texts are kept for each model; a session of universal takes up to 181 MB.
_KEPT = 2


@dataclass(slots=True)
class _Scored:
    """The beginning of a text, what its units cost, and a session that stands at its end.

    `ends` are those of the documents that are over; what follows the last of them is a document that goes on.
    """

    data: bytes
    ends: Ints
    split: Split
    blank: Bools
    logprobs: Floats
    session: Session

    @property
    def is_open(self) -> bool:
        """Whether the last document goes on."""
        return len(self.data) > (int(self.ends[-1]) if len(self.ends) else 0)

    def begins(self, data: bytes, ends: Ints) -> bool:
        """Whether a text with documents that end so begins with this one."""
        own = len(self.ends)
        return (
            own < len(ends)
            and len(self.data) < ends[own]
            and data.startswith(self.data)
            and np.array_equal(self.ends, ends[:own])
        )

    def followed(self, found: Scored, part: Batch) -> _Scored:
        """With what follows it."""
        split, more = self.split, found.split
        bounds = split.bounds[:-1] if self.is_open else split.bounds
        joined = Split(
            np.concatenate((split.ids, more.ids)),
            np.concatenate((split.cuts[:-1], more.cuts + len(self.data))),
            np.concatenate((bounds, more.bounds[1:] + len(split.ids))),
            split.lossy + more.lossy,
        )
        return _Scored(
            self.data + part.data,
            np.concatenate((self.ends, part.ends + len(self.data))),
            joined,
            np.concatenate((self.blank, found.blank)),
            np.concatenate((self.logprobs, np.asarray(found.logprobs))),
            self.session,
        )


def _nothing(session: Session) -> _Scored:
    zero, none = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int64)
    return _Scored(b"", none, Split(none, zero, zero), np.zeros(0, dtype=np.bool_), np.zeros(0), session)


class Continued(Model):
    """A model of bytes or words that remembers the texts that it scored last.

    Parameters
    ----------
    model
        A model that scores from left to right. Whole texts that are scored without details go on from what was scored
        before; all others are passed on, and so are those of a session that cannot be copied where it has to be.
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
        """Those of the model."""
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

    def taken(self, data: bytes, ends: Ints) -> _Scored | None:
        """The longest of the kept texts with which this one begins; no other thread gets it meanwhile."""
        with self._lock:
            fitting = [text for text, kept in self._kept.items() if kept.begins(data, ends)]
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


class ContinuedWords(Continued, OpenVocabulary):
    """The same of a model that meets words it does not know; texts are remembered for each cost of those."""

    def __init__(self, model: OpenVocabulary) -> None:
        super().__init__(model)
        self._open = model
        self._ways: dict[str, ContinuedWords] = {}

    def unknown(self, ids: Ids) -> Bools:
        """Those of the model."""
        return self._open.unknown(ids)

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown units, and the texts that were scored so."""
        other = self._open.with_oov(way)
        with self._lock:
            return cast("Self", self._ways.setdefault(way, type(self)(other)))

    @property
    def spelling(self) -> _core.Spelling:
        """That of the model."""
        return self._open.spelling

    def oov_remedies(self) -> tuple[str, ...]:
        """Those of the model."""
        return self._open.oov_remedies()


def continued(model: Model) -> Model:
    """A model that remembers the texts that it scored last, where it scores bytes or words from left to right."""
    if model.traits.whole_documents or model.units.name not in ("bytes", "words"):
        return model
    return ContinuedWords(model) if isinstance(model, OpenVocabulary) else Continued(model)


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
        is_first = self._plain is None and not batch.continues
        if is_first and details is None and not batch.unfinished and batch.context is None and batch.data:
            found = self._grown(batch, watch)
            if found is not None:
                return found
        self._plain = self._plain or self._model.begin(self._options)
        return self._plain.score(batch, details, watch)

    def _grown(self, batch: Batch, watch: Watch | None) -> Scored | None:
        """All of a text, of which the session scores what it has not seen; None if it cannot."""
        data, ends = batch.data, batch.ends
        closed = int(ends[-2]) if len(ends) > 1 else 0
        safe = closed + batch.units.cut(data[closed:])
        if safe == len(data) and batch.eos != "no":
            return None  # the end of the last document could not be taken back
        kept = self._model.taken(data[:safe], np.append(ends[:-1], len(data) + 1))  # the last document may go on
        if kept is None:
            kept = _nothing(self._model.replaced(data, self._options))
        before = len(kept.data)
        if before < safe:
            # The last document stays unfinished for the session, so that it can go on with what is typed next.
            part = Batch(
                data[before:safe], ends[len(kept.ends) : -1] - before, batch.units, before, kept.is_open, safe > closed,
                batch.eos, batch.end,
            )  # fmt: skip
            kept = kept.followed(kept.session.score(part, None, watch), part)
        apart = kept.session.copy() if safe < len(data) else None
        self._model.keep(kept)
        if safe == len(data):
            return Scored(kept.split, kept.blank, kept.logprobs)
        if apart is None:
            return None
        rest = np.array([len(data) - safe], dtype=np.int64)
        part = Batch(data[safe:], rest, batch.units, safe, kept.is_open, False, batch.eos, batch.end)
        whole = kept.followed(apart.score(part, None, watch), part)
        return Scored(whole.split, whole.blank, whole.logprobs)
