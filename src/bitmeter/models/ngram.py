"""N-gram models of words: estimated here, kept in one mapped file, exchanged as ARPA."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import EmptyError, FileFormatError, InputError, InputTypeError, MissingSourceError, ModelError
from bitmeter.models.arpa import is_arpa, read_arpa, write_arpa
from bitmeter.models.base import Scheme
from bitmeter.models.details import Details, details_of_rows, joined_details
from bitmeter.text._files import as_path, replacing
from bitmeter.text.corpus import Corpus
from bitmeter.text.units import BLANK, SEPARATORS, Words
from bitmeter.theory._check import choice, flag, integer

__all__ = ["MAX_ORDER", "SMOOTHINGS", "NGram"]

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
#: Called between the stages of training: what comes next, and how much of it is done (0 to 1).
Progress = Callable[[str, float], None]

#: The highest order that the file format holds.
MAX_ORDER = 16
#: How counts become probabilities.
SMOOTHINGS = ("modified-kneser-ney",)
SUFFIX = ".bmn"

_UNKNOWN, _BEGIN, _END = 0, 1, 2
_STAGES = ("sort", "grow", "link", "weigh")
_TOLD = {
    "read": "reading the text", "sort": "sorting n-grams", "grow": "counting n-grams", "link": "adjusting counts",
    "weigh": "estimating", "model": "finishing",
}  # fmt: skip
_NOTHING = np.zeros(0, dtype=np.int64)
_CHUNK = 64


class NGram:
    r"""An n-gram model of words, by default with interpolated modified Kneser-Ney smoothing.

    Sentences are lines (or the records of a .jsonl or .parquet file). Each is preceded by `<s>`, which is never
    predicted, and followed by `</s>`, which is. The figures are those of KenLM's lmplz on the same text: the same
    n-grams, log-probabilities and back-offs to six digits.

    Parameters
    ----------
    order
        The longest n-gram, 1 to 16: 5 predicts each word from the four before it.
    smoothing
        "modified-kneser-ney".
    unk_word
        Take `<unk>` in the text for a word like any other, as is usual with WikiText and the Penn Treebank. Without it,
        a text that holds `<unk>` is refused, since the model needs the name for words that it does not know.
    threads
        How many to use; 0 for all of the machine's. The result does not depend on it.

    Attributes
    ----------
    order
        The longest n-gram.
    counts
        How many n-grams there are of each order.
    notes
        What a reader should be told, such as discounts that could not be estimated.

    Examples
    --------
    >>> import bitmeter as bm
    >>> text = b"to be or not to be\nthat is the question\n"
    >>> model = bm.NGram(order=2).fit(text)
    >>> model.counts
    (11, 11)
    >>> bm.score(model, b"to be\nor what\n", like="kenlm").oov
    1
    """

    predicts_end = True
    end_id = _END
    oov_ways = ("class",)

    def __init__(
        self, order: int = 5, smoothing: str = "modified-kneser-ney", *, unk_word: bool = False, threads: int = 0
    ) -> None:
        self.order = integer(order, "order", low=1, high=MAX_ORDER)
        self.smoothing = choice(smoothing, "smoothing", SMOOTHINGS)
        self.threads = integer(threads, "threads", low=0, high=1024)
        self._unk_word = flag(unk_word, "unk_word")
        self._oov = "none"
        self._model: _core.NgramModel | None = None
        self._units: Words | None = None
        self.notes: tuple[str, ...] = ()
        self.name = f"ngram(order {self.order})"

    # ---- making --------------------------------------------------------------------------------------------------

    def fit(self, text: Any, *, field: str | None = None, progress: Any = None) -> NGram:
        r"""Estimate the model from a text.

        Parameters
        ----------
        text
            A path, a pattern, a folder, an address, a list of those, a Corpus, or bytes (the text itself). Lines are
            sentences, blank ones too; in a Corpus, its documents are.
        field
            The field of JSON lines or the column of Parquet that holds the text.
        progress
            Called with each stage and how much of it is done.

        Returns
        -------
        NGram
            Itself.

        Examples
        --------
        >>> NGram(order=3).fit(b"one two three\none two\n").counts
        (6, 5, 4)
        """
        if progress is not None and not callable(progress):
            message = f"progress is {progress!r:.40}; it must be a function of a stage and a share"
            raise InputTypeError(message, value=progress)
        tell: Progress = progress if progress is not None else _silent
        estimation = _core.NgramEstimation(SEPARATORS["kenlm"], self._unk_word)
        corpus = Corpus.of(text, field=field) if isinstance(text, Corpus) else _lines(text, field)
        done = 0
        for block in corpus.blocks():
            tell(_TOLD["read"], done / corpus.total_bytes if corpus.total_bytes else 0.0)
            try:
                estimation.feed(block.data, block.ends)
            except LookupError as error:
                raise _reserved(corpus.name, *error.args) from error
            done += len(block.data)
        if estimation.sentences == 0:
            message = f"{corpus.name} holds no sentence; an n-gram model is estimated from at least one"
            raise EmptyError(message)
        estimation.begin(self.order, self.threads)
        for stage in _STAGES:
            tell(_TOLD[stage], 0.0)
            getattr(estimation, stage)()
        tell(_TOLD["model"], 0.0)
        discounts = estimation.statistics()
        undefined = [order for order, row in enumerate(discounts, start=1) if row[3]]
        notes = [_fallback_note(undefined)] if undefined else []
        model = estimation.model(
            _note(
                smoothing=self.smoothing,
                unk_word=self._unk_word,
                text=corpus.name[-200:],
                words=estimation.words,
                sentences=estimation.sentences,
                discounts=[row[:3] for row in discounts],
                notes=notes,
            )
        )
        self._adopt(model)
        return self

    def _adopt(self, model: _core.NgramModel) -> None:
        about = _read_note(model.note)
        self._model, self._units = model, None
        self.order = model.order
        self._unk_word = bool(about.get("unk_word"))
        self.smoothing = str(about.get("smoothing", "unknown"))
        notes = about.get("notes")
        self.notes = tuple(str(note) for note in notes) if isinstance(notes, list) else ()

    def save(self, path: Any, *, force: bool = False) -> None:
        r"""Write the model to a file: .bmn is mapped when it is loaded; .arpa, .arpa.gz and .arpa.zst are for others.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     NGram(order=2).fit(b"one two\n").save(pathlib.Path(folder) / "model.bmn")
        ...     NGram.load(pathlib.Path(folder) / "model.bmn").order
        2
        """
        model = self._fitted
        final = as_path(path)
        arpa = is_arpa(final.name)
        if not arpa and final.suffix != SUFFIX:
            message = f"{final} does not say what to write; end its name in {SUFFIX}, .arpa, .arpa.gz or .arpa.zst"
            raise FileFormatError(message, value=str(final))
        if arpa and self._unk_word:
            message = (
                "this model has <unk> as a word of the text, and ARPA keeps that name for unknown words; rename it in "
                f"the text (sed 's/<unk>/_unk_/g'), or save a {SUFFIX} file"
            )
            raise FileFormatError(message, value=str(final))
        with replacing(final, force=force) as beside:
            try:
                if arpa:
                    write_arpa(model, beside, final.name)
                else:
                    model.save(str(beside))
            except OSError as error:
                message = f"{final} cannot be written: {error.strerror}"
                raise FileFormatError(message, value=str(final)) from error

    @classmethod
    def load(cls, path: Any) -> NGram:
        """A model from a .bmn or an ARPA file. A .bmn file is mapped, so that it is ready at once.

        Its header is checked now and every link when it is followed; `verify` reads all of it.
        """
        found = as_path(path)
        name = str(found)
        if not found.exists():
            message = f"there is no model {name}; train one with: bitmeter train TEXT -o {name}"
            raise MissingSourceError(message, path=name)
        made = cls()
        if is_arpa(found.name):
            model, added = read_arpa(name, _note(smoothing="from ARPA", text=found.name[-200:]))
            made._adopt(model)
            if added:
                made.notes = (f"{added:,} n-grams without their history or suffix were given them; no figure changes",)
        else:
            with _sound(name):
                made._adopt(_core.NgramModel.open(name))
        made.name = f"ngram:{found.name}"
        return made

    def verify(self) -> None:
        """Read all of the model and check every sum and link; a damaged file is an error that says what is wrong."""
        with _sound(self.name):
            self._fitted.verify()

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def _fitted(self) -> _core.NgramModel:
        if self._model is None:
            message = "this NGram knows no text yet; call fit(text), or NGram.load(path)"
            raise ModelError(message)
        return self._model

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are of each order."""
        return tuple(self._fitted.counts)

    @property
    def size(self) -> int:
        """How many outcomes a prediction has: the words, `<unk>` and `</s>`."""
        return self._fitted.words - 1

    @property
    def units(self) -> Words:
        """Words, numbered by the model."""
        if self._units is None:
            with _sound(self.name):
                self._units = _ModelWords(self._fitted)
        return self._units

    @property
    def fingerprint(self) -> str:
        """A checksum of all that can change a probability."""
        return f"ngram-{self._fitted.fingerprint():016x}-{self._oov}"

    @property
    def outcome_names(self) -> tuple[bytes, ...]:
        """The bytes of each outcome of a prediction."""
        with _sound(self.name):
            return tuple(self._fitted.word(i) for i in range(self._fitted.words))

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each word given those before it in its sentence."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of every word after this history of one sentence; the probabilities sum to one.

        The first three are `<unk>` (any unknown word), `<s>` (impossible) and `</s>`.
        """
        with _sound(self.name):
            return self._fitted.predict(np.ascontiguousarray(history, dtype=np.int64))

    def places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where each id stands in what `predict` gives: its own place, or that of `<unk>`."""
        numbers = np.asarray(ids, dtype=np.int64)
        known = (numbers > _BEGIN) & (numbers < self._fitted.words)
        return np.where(known, numbers, _UNKNOWN)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units the model does not know."""
        return np.asarray((np.asarray(ids) <= _BEGIN) & (np.asarray(ids) != BLANK))

    def with_oov(self, way: str) -> NGram:
        """The same model, with unknown words impossible ("none") or costing their class `<unk>` ("class")."""
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", "class"))
        return other

    def stream(self) -> _NGramStream:
        """Remembers the last order − 1 words."""
        return _NGramStream(self)

    def __repr__(self) -> str:
        state = "not fitted" if self._model is None else " + ".join(f"{count:,}" for count in self.counts) + " n-grams"
        return f"<NGram order {self.order}, {state}>"


class _ModelWords(Words):
    """Words numbered by a model; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, model: _core.NgramModel) -> None:
        self.separators = SEPARATORS["kenlm"]
        self._table = model.table()
        self.name = "words"
        self.fingerprint = f"words/1@ngram-{model.fingerprint():016x}"


class _NGramStream:
    def __init__(self, model: NGram) -> None:
        self._model = model
        self._before = _NOTHING

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        model = self._model
        numbers = np.ascontiguousarray(ids, dtype=np.int64)
        before = self._before if continues else _NOTHING
        with _sound(model.name):
            logs = model._fitted.logprobs(
                numbers, np.ascontiguousarray(bounds), before, model._oov == "class", model.threads
            )
        last = numbers[bounds[-2] :] if len(bounds) > 1 else numbers
        self._before = np.concatenate((before, last) if len(bounds) == 2 else (last,))[-max(1, model.order - 1) :]
        return logs

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        model = self._model
        names = model.outcome_names
        numbers = model.places(ids)
        histories = [
            np.concatenate((self._before, numbers[:place])) if continues and first == 0 else numbers[first:place]
            for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            for place in range(first, last)
        ]
        parts = []
        for i in range(0, max(1, len(numbers)), _CHUNK):
            rows = [model.predict(history[-model.order :]) for history in histories[i : i + _CHUNK]]
            table = np.array(rows).reshape(len(rows), len(names))
            parts.append(details_of_rows(table, numbers[i : i + _CHUNK], alternatives, names))
        return joined_details(parts)


class _sound:  # noqa: N801
    """Turns what the core says of a damaged file into an error that names it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, _core.NgramFormatError):
            message = f"{self._name} is not a sound n-gram model: {error}"
            raise FileFormatError(message, value=self._name) from error
        if isinstance(error, OSError):
            message = f"{self._name} cannot be read: {error.strerror or error}"
            raise FileFormatError(message, value=self._name) from error


def _silent(stage: str, done: float) -> None:
    """Nobody wants to know."""


def _lines(text: Any, field: Any) -> Corpus:
    """A corpus whose sentences are lines, or records where the source has them."""
    if isinstance(text, bytes | bytearray | memoryview):
        return Corpus.from_text(bytes(text), docs="line")
    found = Corpus(text, field=field)
    return found if found.docs == "record" else Corpus(text, docs="line", field=field)


def _reserved(name: str, word: bytes, sentence: int) -> InputError:
    shown = word.decode()
    remedy = "say unk_word=True (on the command line: --unk-word), or rename it" if word == b"<unk>" else "rename it"
    message = (
        f"{name}, sentence {sentence}: the word {shown} stands in the text, but the model keeps that name for itself; "
        f"{remedy}: sed 's/{shown.replace('/', chr(92) + '/')}/_{shown.strip('</>')}_/g'"
    )
    return InputError(message, index=sentence, value=shown)


def _fallback_note(orders: list[int]) -> str:
    return (
        f"the text is too small or too odd to estimate the discounts of order {', '.join(map(str, orders))}; "
        "0.5, 1 and 1.5 stand for them"
    )


def _note(**about: Any) -> str:
    """What the file says about itself; a long name gives way."""
    return json.dumps(about, ensure_ascii=True)[:4096]


def _read_note(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def is_model_file(name: str) -> bool:
    """Whether a name is that of an n-gram model's file."""
    return name.endswith(SUFFIX) or is_arpa(name)


def _load(rest: str) -> NGram:
    if not rest:
        message = "ngram needs a file: ngram:model.bmn; make one with: bitmeter train TEXT -o model.bmn"
        raise ModelError(message, value=rest)
    return NGram.load(Path(rest))


SCHEMES = (Scheme("ngram", "ngram:FILE", "an n-gram model in a .bmn or .arpa file (or its path alone)", _load),)
