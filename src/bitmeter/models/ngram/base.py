"""An n-gram model as a model: what its units are, what it predicts, and what unknown units cost."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice, shown
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.coder import Coder, CodeWatch, StepwiseCoder
from bitmeter.models.ngram.coder import NGramCoder
from bitmeter.models.ngram.files import (
    QUANTISED,
    ROUNDED,
    SUFFIX,
    CoreModel,
    OwnForm,
    content_mark,
    format_errors,
    read_metadata,
    save_model,
)
from bitmeter.models.ngram.session import HISTORY_BINS, ModelWords, NGramSession, NGramStepper
from bitmeter.models.ngram.units import BEGIN, END, UNKNOWN, ModelIds, UnitPlan
from bitmeter.models.openvocab.characters import CharacterCoder, SpelledCharacters
from bitmeter.models.openvocab.words import SpelledNGramSession
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.protocols import Bundled, Checked, Codes, NGramLike, Options, Samples, Session, Threaded, Traits
from bitmeter.models.sampled import SampledText
from bitmeter.models.session import End
from bitmeter.text.units.base import BLANK, Units

if TYPE_CHECKING:
    from bitmeter.text.units.sentencepiece import SentencePiece

__all__ = ["NGramBase"]


class NGramBase(NGramLike, Codes, Samples, Checked, Bundled, Threaded):
    """What makes an `NGram` a model that predicts, codes and draws texts."""

    BUNDLE = f"model{SUFFIX}"

    name: str
    order: int
    smoothing: str
    threads: int
    notes: tuple[str, ...]
    #: How the text of the training was normalised; None if that is not known.
    norm: str | None
    path: str | None
    _unk_word: bool
    _plan: UnitPlan
    _oov: str
    _model: CoreModel | None
    #: Of a compact model, once something needs it; copies share it.
    _expanded: list[_core.NgramModel]
    _units: Units | None
    #: Splits a text into the words of the model, where these are pieces.
    _pieces: SentencePiece | None
    _ids_by_unit: ModelIds | None
    #: Where the file of its tokenizer may lie.
    _folder: Path | None
    _spelling: _core.Spelling | None
    #: Once one sentence is asked for.
    _querier: _core.NgramQuerier | None

    @property
    def form(self) -> CoreModel:
        """The model in the form that it has."""
        if self._model is None:
            message = "this NGram knows no text yet; call fit(text), or NGram.load(path)"
            raise ModelError(message)
        return self._model

    @property
    def own_form(self) -> OwnForm:
        """The same where it is one of our own forms, which have states, spelling, and other units than words."""
        form = self.form
        if isinstance(form, _core.KenlmModel):
            message = (
                f"{self.name} is a binary of KenLM, which has neither states nor spelling; for states use "
                "bitmeter.kenlm, or convert it: bitmeter convert MODEL new.bmn"
            )
            raise ModelError(message, value=self.name)
        return form

    def _adopt(self, model: CoreModel) -> None:
        about = read_metadata(model.metadata)
        self._model, self._units, self._ids_by_unit, self._spelling, self._querier = model, None, None, None, None
        self._expanded = []
        self._plan = UnitPlan.from_metadata(about, self.name)
        self.order = model.order
        self._unk_word = bool(about.get("unk_word"))
        self.smoothing = str(about.get("smoothing", "unknown"))
        norm = about.get("norm")
        self.norm = norm if isinstance(norm, str) and len(norm) < 100 and norm.isprintable() else None
        notes = about.get("notes")
        self.notes = tuple(str(line) for line in notes) if isinstance(notes, list) else ()

    def _with_form(self, core: CoreModel) -> Self:
        """The same model by another compiled one, with no file yet."""
        other = copy.copy(self)
        units, own_ids = self._units, self._ids_by_unit
        other._adopt(core)
        other._units, other._ids_by_unit = (None, None) if self._plan.kind == "words" else (units, own_ids)
        other.path = None
        return other

    @property
    def fast_form(self) -> _core.NgramModel:
        """The model in the fast form, which is made in memory where it has the other."""
        if isinstance(self.form, _core.NgramModel):
            return self.form
        if not self._expanded:
            with format_errors(self.name):
                self._expanded.append(self.form.expanded(self.threads))
        return self._expanded[0]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are of each order."""
        return tuple(self.form.counts)

    @property
    def size(self) -> int:
        """How many outcomes a prediction has: the units, `</s>`, and `<unk>` where something can be unknown."""
        return self.form.words - 1 - self._plan.closed

    @property
    def traits(self) -> Traits:
        """What is predicted, and what unknown units can cost."""
        return Traits(
            vocabulary=self.size, is_distribution=self.is_distribution, end=self.end, oov=self._oov_ways,
            rounded=any(line.startswith(ROUNDED) for line in self.notes),
            caveats=tuple(line for line in self.notes if line.startswith(QUANTISED)), norm=self.norm,
        )  # fmt: skip

    @property
    def is_distribution(self) -> bool:
        """Whether what it gives are probabilities; stupid back-off gives scores that do not sum to one."""
        return not self.smoothing.startswith("stupid-backoff")

    @property
    def units(self) -> Units:
        """Words, with the ids of the model; or the bytes, characters or tokens that it was trained on."""
        if self._units is None and self._plan.kind != "words":
            self._units = self._plan.units(self._folder)
        if self._units is None:
            with format_errors(self.name):
                self._units = ModelWords(self.form) if self._pieces is None else self._piece_words(self._pieces)
        return self._units

    def _piece_words(self, pieces: SentencePiece) -> Units:
        from bitmeter.models.ngram.pieces import PieceWords  # tokenizers are slow to load

        return PieceWords(self.form, pieces)

    @property
    def of_words(self) -> bool:
        """Whether its units are words between white space, so that unknown ones can be spelled."""
        return self._plan.kind == "words" and self._pieces is None

    @property
    def end(self) -> End:
        """The id of the end of a sentence, and whether a unit of the text is one: the newline of a line."""
        return End(self._plan.end_id, self._plan.newline_ends)

    @property
    def outcomes(self) -> Outcomes:
        """`<unk>` (any unknown unit), `<s>` (impossible), `</s>`, and the units."""
        return Outcomes(self.form.words, lambda: self._outcome_ids, lambda: self._outcome_names, self._entries)

    @property
    def _outcome_ids(self) -> Ints:
        if self._plan.kind != "words":
            return self._model_ids().ids.copy()
        ids = np.arange(self.form.words, dtype=np.int64)
        ids[[UNKNOWN, BEGIN]] = -1
        return ids

    @property
    def fingerprint(self) -> str:
        """A checksum of all that can change a probability; what the file says about its training is left out."""
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" and self.of_words else ""
        return f"ngram-{content_mark(self.form)}-{self._oov}{spelled}"

    @property
    def _oov_ways(self) -> tuple[str, ...]:
        """What unknown units can cost: their class, or that and their spelling where the model has learned it."""
        if self._plan.closed:
            return ()
        if self._plan.kind == "words" and not self.of_words:
            return ("class",)
        spells = self._plan.kind == "characters" or (self._model is not None and self._model.has_section)
        return ("class", "spelled") if spells else ("class",)

    @property
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words."""
        if self._spelling is None:
            if not self.form.has_section:
                message = (
                    f"{self.name} has not learned how words are spelled, so it cannot spell unknown ones; let it learn "
                    "from a text: bitmeter convert MODEL new.bmn --spelling TEXT (in Python model.fit_spelling(TEXT)), "
                    "or train a model: bitmeter train TEXT -o new.bmn"
                )
                raise ModelError(message)
            with format_errors(self.name):
                self._spelling = _core.Spelling(self.own_form)
        return self._spelling

    @property
    def _outcome_names(self) -> tuple[bytes, ...]:
        with format_errors(self.name):
            names = [self.form.word(i) for i in range(self.form.words)]
        if self._plan.newline_ends:
            names[END] = b"\n"
        if self._plan.kind == "tokens":
            names[END + 1 :] = [self.units.join([i]) for i in self._model_ids().ids[END + 1 :].tolist()]
        return tuple(names)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each word given those before it in its sentence; an unknown word that is spelled as its class."""
        if self._oov == "spelled" and self.of_words:
            return NGramSession(self).logprobs(ids, bounds, continues=False)
        return self._unit_session().logprobs(ids, bounds, continues=False)

    def predict(self, history: Ids) -> Floats:
        """ln p of every outcome after this history of one sentence; they sum to one (if `is_distribution`).

        The first three are `<unk>` (any unknown unit), `<s>` (impossible) and `</s>`.
        """
        ids = np.asarray(history)
        if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
            message = (
                f"history is {shown(history)}; it must be a row of ids, such as model.units.split(b'to be').ids, or "
                "[model.word_id('to'), model.word_id('be')]"
            )
            raise InputTypeError(message, value=history)
        numbers = self.own_ids_of(ids)
        if self.end.is_unit:
            ends = np.flatnonzero(numbers == END)
            numbers = numbers[ends[-1] + 1 :] if len(ends) else numbers
        return self.predict_own(numbers)

    def predict_own(self, ids: Ints) -> Floats:
        """As `predict`, of units by the model's own ids."""
        with format_errors(self.name):
            return self.form.predict(np.ascontiguousarray(ids))

    def own_ids_of(self, ids: Ids) -> Ints:
        """Units by the model's own ids; an unknown word keeps the id that no word has."""
        if self._plan.kind == "words":
            return np.ascontiguousarray(ids, dtype=np.int64)
        return self._model_ids().of(ids)

    @property
    def own_words(self) -> NDArray[np.uint32]:
        """The model's own id of each unit by its id, and last that of the end."""
        return self._model_ids().own

    def _model_ids(self) -> ModelIds:
        if self._ids_by_unit is None:
            with format_errors(self.name):
                self._ids_by_unit = ModelIds(self._plan, self.own_form)
        return self._ids_by_unit

    def _entries(self, ids: Ids) -> Ints:
        """The entry of each id in a prediction: its own, or that of `<unk>`."""
        numbers = self.own_ids_of(ids)
        known = (numbers > BEGIN) & (numbers < self.form.words)
        return np.where(known, numbers, UNKNOWN)

    def unknown(self, ids: Ids) -> Bools:
        """Which units the model does not know."""
        return np.asarray((self.own_ids_of(ids) <= BEGIN) & (np.asarray(ids) != BLANK))

    def some_words(self, most: int) -> list[bytes]:
        """Words from all over the vocabulary; none where the file does not list them, or its units are not words."""
        form = self.form
        size = form.words
        if self._plan.kind != "words" or size <= END + 1:
            return []
        with format_errors(self.name):
            try:
                return [form.word(i) for i in range(END + 1, size, -(-size // most))]
            except _core.NgramUnableError:  # a binary of KenLM made with build_binary -v
                return []

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown units.

        "none": they are impossible. "class": their class `<unk>`. "spelled": `<unk>`, and then the bytes of a word or
        which character it is, so that the model is a distribution over byte strings; of words, white space is paid
        for too and newlines end sentences.
        """
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none",) if self._plan.closed else ("none", "class", "spelled"))
        if way == "spelled" and self.of_words:
            other._spelling = self.spelling
        return other

    def for_bytes(self) -> Self:
        """With unknown words or characters spelled; a model that has not learned spelling says so."""
        return self.with_oov("spelled") if self.of_words or self._plan.kind == "characters" else self

    def oov_remedies(self) -> tuple[str, ...]:
        """What to type so that unknown units are no longer impossible."""
        if not self.of_words:
            return super().oov_remedies()
        learn = "bitmeter convert MODEL new.bmn --spelling TEXT makes a model that spells them"
        return (*super().oov_remedies(), learn)

    # ---- through a text ------------------------------------------------------------------------------------------

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text; the last order − 1 units are remembered."""
        if self._oov == "spelled" and self.of_words:
            plain = NGramSession(self, options)
            return SpelledNGramSession(plain, self.spelling, self.form.words)
        return self._unit_session(options)

    def _unit_session(self, options: Options = Options()) -> NGramSession:  # noqa: B008
        if self._oov == "spelled":
            return SpelledCharacters(self, self.unknown, options)
        return NGramSession(self, options, self._oov)

    def stepper(self) -> NGramStepper:
        """Begin a sentence unit by unit."""
        return NGramStepper(self)

    @property
    def history_buckets(self) -> int:
        """By how much of a history is known, and how surely."""
        return (self.order + 1) * HISTORY_BINS

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Of words, wholly in the core, which spells unknown ones."""
        if self.of_words:
            return NGramCoder(self.name, self.fast_form, self.spelling)
        made = CharacterCoder if self._oov == "spelled" else StepwiseCoder
        return made(self.name, self.units, self.outcomes, self.stepper(), watch)

    def draw(self, texts: int, seed: Any, temperature: float, longest: int | None) -> Iterator[SampledText]:
        """Draw sentences by the structure of the model, in the core."""
        from bitmeter.models.ngram.sampler import draw  # what it imports is slow to load

        return draw(self, texts, seed, temperature, longest)

    def verify(self) -> None:
        """Read all of the model and check every sum and link; a damaged file is an error that says what is wrong."""
        with format_errors(self.name):
            self.form.verify()
            if self.form.has_section:
                _core.Spelling(self.own_form)

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write the model's file."""
        save_model(self.form, folder / f"{stem}{SUFFIX}", unk_word=self._unk_word, force=False)
        return [f"{stem}{SUFFIX}"]
