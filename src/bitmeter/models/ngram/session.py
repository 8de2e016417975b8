"""Sessions and steppers of n-gram models, which carry the last order − 1 units."""

from __future__ import annotations

import copy
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.models.ngram.files import CoreModel, OwnForm, content_mark, format_errors
from bitmeter.models.ngram.units import END, sentences_within
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.session import Batch, End, Options, PredictingSession, Scored, Stepper, Totals, Watch
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Split, Units
from bitmeter.text.units.words import Words

__all__ = ["HISTORY_BINS", "ModelWords", "NGramSession", "NGramStepper", "NGramView"]

_NOTHING = np.zeros(0, dtype=np.int64)
_ONE, _ONE_BOUNDS = np.zeros(1, dtype=np.int64), np.array([0, 1], dtype=np.int64)
#: How sure a model is of a history: log10 of its back-off, in bins.
_BACKOFFS = np.array([-1.2, -0.8, -0.55, -0.35, -0.2, -0.1])
#: How many buckets of histories there are for each known length.
HISTORY_BINS = len(_BACKOFFS) + 1


class NGramView(Protocol):
    """What sessions and steppers need of an n-gram model."""

    name: str
    order: int
    threads: int

    @property
    def form(self) -> CoreModel:
        """The compiled model."""

    @property
    def own_form(self) -> OwnForm:
        """The same where it is one of our own."""

    @property
    def units(self) -> Units:
        """Its units."""

    @property
    def end(self) -> End:
        """How it predicts the end of a sentence."""

    @property
    def outcomes(self) -> Outcomes:
        """The entries of a predicted row."""

    def own_ids_of(self, ids: Ids) -> Ints:
        """The model's own ids of units."""

    @property
    def own_words(self) -> NDArray[np.uint32]:
        """The model's own id of each token, and last that of the end."""

    def predict_own(self, ids: Ints) -> Floats:
        """ln p of every outcome after a history."""


class ModelWords(Words):
    """Words with the ids of a model; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, model: CoreModel) -> None:
        self.separators = SEPARATORS["kenlm"]
        self._model = model
        _core.ngram_id(model, b"")  # the compact form builds its index now, so that a damaged one shows here
        self.name = "words"
        self.fingerprint = f"words/1@ngram-{content_mark(model)}"

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are, those of `<unk>`, `<s>` and `</s>` included."""
        return self._model.words

    def _split(self, data: bytes, ends: Ints) -> Split:
        return Split(*_core.ngram_split(self._model, data, ends, self.separators))

    def _ids(self, data: bytes, starts: Ints, stops: Ints) -> Ints:
        return _core.ngram_find(self._model, data, np.ascontiguousarray(starts), np.ascontiguousarray(stops))


class NGramSession(PredictingSession):
    """Scores a text; carries the last order − 1 units of a document.

    Parameters
    ----------
    model
        The model.
    options
        Whether ends of documents are scored.
    oov
        "class": an unknown unit costs its class `<unk>`. Anything else: it is impossible.
    """

    def __init__(self, model: NGramView, options: Options = Options(), oov: str = "class") -> None:  # noqa: B008
        self._model, self._eos = model, options.eos
        self._class = oov == "class"
        self._before = _NOTHING

    @property
    def outcomes(self) -> Outcomes:
        """Those of the model."""
        return self._model.outcomes

    @property
    def scores_bytes(self) -> bool:
        """Whether splitting and scoring go in one pass over the bytes: for models of words."""
        return isinstance(self._model.units, ModelWords)

    def copy(self) -> Self:
        """The same last units, to go on apart."""
        return copy.copy(self)

    def stepper(self) -> NGramStepper:
        """Goes on from the last units."""
        return NGramStepper(self._model, self._before)

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """Score a batch, from its bytes where that is possible."""
        pieces = self._pieces
        if details is None and pieces is not None and (batch.context is None or batch.border != "apart"):
            try:
                return self._score_pieces(*pieces, batch)
            except _core.PieceUnsupportedError:  # a text that only the tokenizer's own package splits
                return super().score(batch, details, watch)
        if details is not None or not self.scores_bytes:
            return super().score(batch, details, watch)
        split, blank, logs = self.score_bytes(batch.data, batch.all_ends, len(batch.ends), batch.continues, self._eos)
        return Scored(split, blank, logs, owned=True)

    @property
    def _pieces(self) -> tuple[CoreModel, _core.TextEncoder, _core.PieceWords | NDArray[np.uint32]] | None:
        """What scores pieces in one pass over the bytes; None where units are no pieces, or a package splits."""
        model = self._model
        if model.units.encoder is not None:
            return model.own_form, model.units.encoder, model.own_words
        return None if model.units.piece_words is None else (model.form, *model.units.piece_words)

    def totals(self, batch: Batch) -> Totals | None:
        """By pieces, in one pass over the bytes."""
        pieces = self._pieces
        if pieces is None or batch.context is not None or batch.continues or batch.unfinished:
            return None
        form, encoder, words = pieces
        try:
            with format_errors(self._model.name):
                found = _core.ngram_token_totals(
                    form, encoder, words, batch.data, batch.ends, self._eos, self._class, self._model.threads
                )
        except _core.PieceUnsupportedError:
            return None
        return Totals(*found)

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit given those before it in its sentence."""
        model = self._model
        numbers = model.own_ids_of(ids)
        before = self._before if continues else _NOTHING
        if model.end.is_unit:
            bounds = sentences_within(numbers, bounds) if len(numbers) else bounds
            before = before if len(before) and before[-1] != END else _NOTHING
        with format_errors(model.name):
            logs = model.form.logprobs(numbers, np.ascontiguousarray(bounds), before, self._class, model.threads)
        self._remember(numbers, bounds, before)
        return logs

    def _remember(self, numbers: Ints, bounds: Ints, before: Ints) -> None:
        reach = max(1, self._model.order - 1)
        last = numbers[bounds[-2] :] if len(bounds) > 1 else numbers
        self._before = np.concatenate((before, last[-reach:]) if len(bounds) == 2 else (last[-reach:],))[-reach:]

    def score_bytes(
        self,
        data: bytes,
        ends: Ints,
        finished: int,
        continues: bool,  # noqa: FBT001
        eos: str,
    ) -> tuple[Split, Bools, Floats]:
        """The units of some documents, which of them are blank, and ln p of each, in one pass over the bytes.

        Documents end at `ends`, the last of them where the data do; the first `finished` are whole, and get their end
        as one more unit if `eos` is "yes", or "nonblank" and they hold more than white space.
        """
        model = self._model
        before = self._before if continues else _NOTHING
        with format_errors(model.name):
            ids, cuts, bounds, blank, logs = _core.ngram_score(
                model.form,
                data,
                ends,
                finished,
                before,
                SEPARATORS["kenlm"],
                eos,
                self._class,
                model.threads,
            )
        self._remember(ids, bounds, before)
        return Split(ids, cuts, bounds), blank.view(np.bool_), logs

    def _score_pieces(
        self,
        form: CoreModel,
        encoder: _core.TextEncoder,
        words: _core.PieceWords | NDArray[np.uint32],
        batch: Batch,
    ) -> Scored:
        """The pieces of a batch and ln p of each, in one pass over the bytes."""
        model = self._model
        before = self._before if batch.continues else _NOTHING
        with format_errors(model.name):
            ids, cuts, bounds, blank, logs, lossy = _core.ngram_score_tokens(
                form, encoder, words, batch.data, batch.all_ends, len(batch.ends), before, self._eos, self._class,
                model.threads,
            )  # fmt: skip
        batch.lossy_apart = lossy
        last = ids[bounds[-2] :] if len(bounds) > 1 else ids
        reach = max(1, model.order - 1)
        numbers = model.own_ids_of(last[-reach:])
        self._before = np.concatenate((before, numbers))[-reach:] if len(bounds) == 2 else numbers
        return Scored(Split(ids, cuts, bounds), blank.view(np.bool_), logs, owned=True)

    def score_spelled(
        self, spelling: _core.Spelling, batch: Batch, *, goes_on: bool
    ) -> tuple[Split, Bools, Floats, bool | None]:
        """As `score_bytes`, with unknown words spelled and white space paid for.

        The first sentence continues that of the batch before if it `goes_on`. The last value is whether the text ends
        with a sentence; None if it has nothing of one.
        """
        model = self._model
        before = self._before if goes_on else _NOTHING
        with format_errors(model.name):
            ids, cuts, bounds, blank, logs, after, empty, ended = _core.ngram_score_spelled(
                model.own_form, spelling, batch.data, batch.all_ends, len(batch.ends), before, SEPARATORS["kenlm"],
                self._eos, batch.continues, model.threads,
            )  # fmt: skip
        if not empty:
            self._before = after
        return Split(ids, cuts, bounds), blank.view(np.bool_), logs, None if empty else ended

    def spelled_totals(self, spelling: _core.Spelling, batch: Batch) -> Totals:
        """The sums of whole documents, with unknown words spelled and white space paid for."""
        model = self._model
        with format_errors(model.name):
            found = _core.ngram_spelled_totals(
                model.own_form, spelling, batch.data, batch.ends, SEPARATORS["kenlm"], self._eos, model.threads
            )
        return Totals(*found)

    def buckets(self, ids: Ids, bounds: Ints, continues: bool) -> Ints:  # noqa: FBT001
        """The bucket of the history of each unit that `logprobs` with the same arguments would score next."""
        model = self._model
        numbers = model.own_ids_of(ids)
        if model.end.is_unit and len(numbers):
            bounds = sentences_within(numbers, bounds)
        return context_buckets(model, numbers, bounds, _sentence(model, self._before) if continues else _NOTHING)


class NGramStepper(Stepper):
    """An n-gram model unit by unit, of which the last units are enough.

    Parameters
    ----------
    model
        The model.
    before
        The model's ids of the units so far.
    """

    def __init__(self, model: NGramView, before: Ints = _NOTHING) -> None:
        self._model = model
        self._before: list[int] = _sentence(model, before).tolist()

    def begin(self) -> None:
        """Begin a sentence."""
        self._before = []

    def predict(self) -> Floats:
        """ln p of each outcome."""
        return self._model.predict_own(np.array(self._before, dtype=np.int64))

    def bucket(self) -> int:
        """The bucket of the history."""
        before = np.array(self._before, dtype=np.int64)
        return int(context_buckets(self._model, _ONE, _ONE_BOUNDS, before)[0])

    def take(self, unit: int) -> None:
        """Remember a unit; after the end of a sentence, the next begins."""
        number = int(self._model.own_ids_of(np.array([unit], dtype=np.int64))[0])
        if number == END:
            self.begin()
            return
        self._before.append(number)
        del self._before[: -max(1, self._model.order)]

    def copy(self) -> Self:
        """The same units, to go on apart."""
        return type(self)(self._model, np.array(self._before, dtype=np.int64))


def _sentence(model: NGramView, numbers: Ints) -> Ints:
    """What of a history belongs to the sentence that is open."""
    if not model.end.is_unit:
        return numbers
    ends = np.flatnonzero(numbers == END)
    return numbers[ends[-1] + 1 :] if len(ends) else numbers


def context_buckets(model: NGramView, numbers: Ints, bounds: Ints, before: Ints) -> Ints:
    """The bucket of the history of each unit: how much of it is known, and how surely."""
    with format_errors(model.name):
        lengths, backoffs = _core.ngram_contexts(model.form, numbers, np.ascontiguousarray(bounds), before)
    return np.asarray(lengths * HISTORY_BINS + np.digitize(backoffs, _BACKOFFS), dtype=np.int64)
