"""N-gram models of words or other units: estimated here, kept in one mapped file, exchanged as ARPA."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import FileFormatError, InputError, MissingSourceError, ModelError
from bitmeter.models.arpa import is_arpa, read_arpa
from bitmeter.models.base import Scheme
from bitmeter.models.ngram_files import note, read_note, save_model, sound
from bitmeter.models.ngram_forms import CoreModel, NGramForms, open_model
from bitmeter.models.ngram_rating import NGramRating
from bitmeter.models.ngram_stream import ModelWords, NGramStream
from bitmeter.models.ngram_units import BEGIN, END, UNKNOWN, Numbering, UnitPlan, plan_of
from bitmeter.models.ngram_vocabulary import Vocabulary
from bitmeter.models.smoothing import Smoothing, thresholds
from bitmeter.models.spelling import SpelledStream
from bitmeter.text._files import as_path
from bitmeter.text.units import BLANK, Units
from bitmeter.theory._check import Seed, choice, flag, integer

if TYPE_CHECKING:
    from bitmeter.models.sampling import SampledText

__all__ = ["MAX_ORDER", "NGram"]

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
#: The highest order that the file format holds.
MAX_ORDER = 16


_DEFAULT = "modified-kneser-ney"


class NGram(NGramRating, NGramForms):
    r"""An n-gram model of words or other units, by default with interpolated modified Kneser-Ney smoothing.

    Sentences are lines (or the records of a .jsonl or .parquet file, or documents). Each is preceded by `<s>`, which is
    never predicted, and followed by `</s>`, which is. The figures of modified Kneser-Ney are those of KenLM's lmplz on
    the same text: the same n-grams, log-probabilities and back-offs to six digits.

    Where the units are bytes or characters and the sentences lines, the newline that ends a line is its `</s>`: it is
    predicted, costs what the end costs, and what follows begins anew. All 256 bytes are known, and all tokens of a
    tokenizer: such a model has no unknown units. Characters that the text does not have are unknown, as words are.

    Parameters
    ----------
    order
        The longest n-gram, 1 to 16: 5 predicts each word from the four before it.
    smoothing
        How counts become probabilities, one of `SMOOTHINGS`: "modified-kneser-ney", "kneser-ney", "absolute", "katz",
        "witten-bell", "jelinek-mercer", "lidstone:DELTA", "laplace", "maximum-likelihood" or "stupid-backoff". A
        parameter may follow: "lidstone:0.1", "stupid-backoff:0.4", "absolute:0.75" (else the discount is estimated).
    prune
        Thresholds by order, such as (0, 0, 1): n-grams of an order that occurred no more often than its threshold are
        dropped, and their probability goes to the back-off. The last one is that of all orders above, and single words
        always stay. The same as lmplz does.
    units
        What is predicted: "words" (between white space), "characters" (code points; bytes that are not UTF-8 each by
        itself), "bytes", "tokenizer:FILE", "sentencepiece:FILE", or such a tokenizer.
    unk_word
        Take `<unk>` in the text for a word like any other, as is usual with WikiText and the Penn Treebank. Without it,
        a text that holds `<unk>` is refused, since the model needs the name for words that it does not know; or, where
        the vocabulary is restricted, it counts as one of the unknown words.
    min_count
        Words that come less often become `<unk>`, of which the model then learns where it comes.
    vocab_size
        Only so many of the most frequent words are known; of equally frequent ones those that come first in the text.
    vocab
        The known words: a list, or the path of a file with a word a line. Those that the text lacks get the share of a
        word that was never seen; all others become `<unk>`.
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

    def __init__(
        self,
        order: int = 5,
        smoothing: str = _DEFAULT,
        *,
        prune: Iterable[int] | None = None,
        units: Any = "words",
        unk_word: bool = False,
        min_count: int = 1,
        vocab_size: int | None = None,
        vocab: Any = None,
        threads: int = 0,
    ) -> None:
        self.order = integer(order, "order", low=1, high=MAX_ORDER)
        self._smoothing = Smoothing.of(smoothing)
        self.smoothing = str(self._smoothing)
        self._prune = thresholds(prune, self.order)
        self.threads = integer(threads, "threads", low=0, high=1024)
        self._unk_word = flag(unk_word, "unk_word")
        self._vocabulary = Vocabulary.of(min_count, vocab_size, vocab, unk_word=self._unk_word)
        self._plan, self._trained_on = plan_of(units)
        _check_vocabulary(self._plan, self._vocabulary, unk_word=self._unk_word)
        self._oov = "none"
        self._model: CoreModel | None = None
        self._expanded: list[_core.NgramModel] = []  # of a compact model, once something needs it; copies share it
        self._asker: _core.NgramAsker | None = None  # once one sentence is asked for
        self._units: Units | None = None
        self._numbering: Numbering | None = None
        self._folder: Path | None = None
        self._spelling: _core.Spelling | None = None
        self.notes: tuple[str, ...] = ()
        #: The file that it was loaded from or saved to last.
        self.path: str | None = None
        usual = self.smoothing == _DEFAULT
        self.name = f"ngram(order {self.order})" if usual else f"ngram(order {self.order}, {self.smoothing})"

    # ---- making --------------------------------------------------------------------------------------------------

    def fit(
        self,
        text: Any,
        *,
        docs: str | None = None,
        heldout: Any = None,
        field: str | None = None,
        memory: int | str | None = None,
        temp: Any = None,
        progress: Any = None,
    ) -> NGram:
        r"""Estimate the model from a text.

        Parameters
        ----------
        text
            A path, a pattern, a folder, an address, a list of those, a Corpus, or bytes (the text itself). Lines are
            sentences, blank ones too; in a Corpus, its documents are.
        docs
            What a sentence is instead: "line", "file", "blank" (a paragraph) or "record".
        heldout
            The text by which jelinek-mercer finds its weights, given likewise. Without it, every tenth sentence of the
            text is held out for that (of a long text fewer, about a million words), and counted all the same.
        field
            The field of JSON lines or the column of Parquet that holds the text.
        memory
            How much memory the estimation may use, beside what the process has already: bytes, or "4G", "500M", "50%"
            (of what is free). Three quarters of what is free if not said. What does not fit goes to temporary files;
            the model is the same to the last bit.
        temp
            The folder of temporary files: if not said, the one that TMPDIR names, else /var/tmp. They have no name, so
            that nothing remains of them however the program ends.
        progress
            Called with each stage and how much of it is done, 0 to 1.

        Returns
        -------
        NGram
            Itself.

        Examples
        --------
        >>> NGram(order=3).fit(b"one two three\none two\n").counts
        (6, 5, 4)
        """
        from bitmeter.models.ngram_fit import Settings, estimate
        from bitmeter.models.ngram_memory import Allowance

        settings = Settings(
            self.order, self._smoothing, self._prune, self._unk_word, self.threads, self._plan, self._trained_on,
            self._vocabulary, Allowance.of(memory, temp),
        )  # fmt: skip
        self._adopt(estimate(text, settings, docs=docs, heldout=heldout, field=field, progress=progress))
        if self._plan.kind != "words":
            self._units = self._trained_on
        self.path = None
        return self

    def _adopt(self, model: CoreModel) -> None:
        about = read_note(model.note)
        self._model, self._units, self._numbering, self._spelling, self._asker = model, None, None, None, None
        self._expanded = []
        self._plan = UnitPlan.from_note(about, self.name)
        self.order = model.order
        self._unk_word = bool(about.get("unk_word"))
        self.smoothing = str(about.get("smoothing", "unknown"))
        notes = about.get("notes")
        self.notes = tuple(str(note) for note in notes) if isinstance(notes, list) else ()

    def fit_spelling(self, text: Any, *, field: str | None = None) -> NGram:
        r"""Learn how words are spelled and what stands between them, so that unknown words can be spelled.

        `fit` does it by itself. A model from ARPA has no spelling until it is fitted here; `save` keeps it in a .bmn
        file.

        Parameters
        ----------
        text
            As for `fit`: the text that the model was estimated from, or one like it.
        field
            The field of JSON lines or the column of Parquet that holds the text.

        Returns
        -------
        NGram
            Itself.

        Examples
        --------
        >>> NGram(order=2).fit(b"one two\n").fit_spelling(b"one two three\n").oov_ways
        ('class', 'spelled')
        """
        if self._plan.kind != "words":
            message = f"{self.name} is a model of {self._plan.kind}; spelling is for models of words"
            raise ModelError(message)
        from bitmeter.models.ngram_fit import spelling_of

        section = spelling_of(text, field=field, threads=self.threads)
        self._form.attach(section)
        self._spelling, self._expanded = None, []
        return self

    def save(self, path: Any, *, force: bool = False, progress: Any = None) -> None:
        r"""Write the model to a file: .bmn is mapped when it is loaded; .arpa, .arpa.gz and .arpa.zst are for others.

        `progress` is called with "writing" and how much of it is done.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     NGram(order=2).fit(b"one two\n").save(pathlib.Path(folder) / "model.bmn")
        ...     NGram.load(pathlib.Path(folder) / "model.bmn").order
        2
        """
        model = self._form
        if self._plan.kind in ("bytes", "characters") and is_arpa(as_path(path).name):
            message = (
                f"ARPA parts words by white space, which this model of {self._plan.kind} predicts; save a .bmn file"
            )
            raise FileFormatError(message, value=str(path))
        from bitmeter.models.ngram_fit import as_progress

        tell, distribution = as_progress(progress), self.is_distribution
        save_model(model, path, unk_word=self._unk_word, is_distribution=distribution, force=force, progress=tell)
        self.path = str(as_path(path))

    @classmethod
    def load(cls, path: Any, *, units: Any = None) -> NGram:
        """A model from a .bmn or an ARPA file. A .bmn file is mapped, so that it is ready at once.

        Its header is checked now and every link when it is followed; `verify` reads all of it.

        Parameters
        ----------
        path
            The file.
        units
            The tokenizer of the training, where it is neither beside the model nor where it was then. Another one is
            refused.
        """
        found = as_path(path)
        name = str(found)
        if not found.exists():
            message = f"there is no model {name}; train one with: bitmeter train TEXT -o {name}"
            raise MissingSourceError(message, path=name)
        made = cls()
        if is_arpa(found.name):
            model, added = read_arpa(name, note(smoothing="from ARPA", text=found.name[-200:]))
            made._adopt(model)
            if added:
                made.notes = (f"{added:,} n-grams without their history or suffix were given them; no figure changes",)
        else:
            with sound(name):
                made._adopt(open_model(name))
                if made._form.has_section:
                    _core.Spelling.glance(made._form)
        made.name, made.path = f"ngram:{found.name}", name
        made._folder = found.parent
        if units is not None:
            made._use(plan_of(units))
        return made

    def _use(self, given: tuple[UnitPlan, Units]) -> None:
        """Take these units for those of the training, if they are."""
        plan, units = given
        if plan.kind != self._plan.kind:
            message = f"{self.name} is a model of {self._plan.kind}, and units names {units.name}; leave units out"
            raise ModelError(message, value=units.name)
        if plan.kind == "tokens":
            self._plan.check(units)
            self._units = units

    def verify(self) -> None:
        """Read all of the model and check every sum and link; a damaged file is an error that says what is wrong."""
        with sound(self.name):
            self._form.verify()
            if self._form.has_section:
                _core.Spelling(self._form)

    def prune(self, threshold: float) -> NGram:
        r"""The model without n-grams whose loss raises its perplexity by less than a share (Stolcke 1998).

        What an n-gram adds is weighed by how often its history comes in an endless text by the model itself, so that it
        does not matter that the lower orders of a Kneser-Ney model are no marginals of the higher ones. Single words
        stay, and so does what a longer n-gram that stays begins or ends in. Probabilities that stay are what they were;
        back-offs make all sum to one again. `notes` says what went, and what it costs by the formula.

        Parameters
        ----------
        threshold
            The least rise of the perplexity that saves an n-gram, such as 1e-8; 0 leaves out only what changes nothing.

        Examples
        --------
        >>> model = NGram(order=3).fit(b"to be or not to be\nthat is the question\n")
        >>> model.counts, model.prune(0.01).counts
        ((11, 11, 10), (11, 11, 0))
        """
        from bitmeter.models.ngram_entropy import pruned

        found = pruned(self._fitted, threshold, self.smoothing)
        other = copy.copy(self)
        units, numbering = self._units, self._numbering
        other._adopt(found)
        other._units, other._numbering = (units, numbering) if self._plan.kind != "words" else (None, None)
        return other

    def sample(
        self, n: int = 1, seed: Seed = None, *, temperature: float = 1.0, length: int | None = None
    ) -> list[SampledText]:
        r"""Draw sentences by the model's own probabilities; see `bitmeter.sample`.

        Examples
        --------
        >>> model = NGram(order=3).fit(b"to be or not to be\nthat is the question\n")
        >>> [text.data for text in model.sample(2, seed=1, temperature=0.5)]
        [b'that is the question', b'that is the question']
        """
        from bitmeter.models.sampling import sample

        return sample(self, n, seed, temperature=temperature, length=length)

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def _form(self) -> CoreModel:
        """The model in the form that it has."""
        if self._model is None:
            message = "this NGram knows no text yet; call fit(text), or NGram.load(path)"
            raise ModelError(message)
        return self._model

    @property
    def _fitted(self) -> _core.NgramModel:
        """The model in the fast form, which is made in memory where it has the other."""
        if isinstance(self._form, _core.NgramModel):
            return self._form
        if not self._expanded:
            with sound(self.name):
                self._expanded.append(self._form.expanded(self.threads))
        return self._expanded[0]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are of each order."""
        return tuple(self._form.counts)

    @property
    def size(self) -> int:
        """How many outcomes a prediction has: the units, `</s>`, and `<unk>` where something can be unknown."""
        return self._form.words - 1 - self._plan.closed

    @property
    def is_distribution(self) -> bool:
        """Whether what it gives are probabilities; stupid back-off gives scores that do not sum to one."""
        return not self.smoothing.startswith("stupid-backoff")

    @property
    def units(self) -> Units:
        """Words, numbered by the model; or the bytes, characters or tokens that it was trained on."""
        if self._units is None and self._plan.kind != "words":
            self._units = self._plan.units(self._folder)
        if self._units is None:
            with sound(self.name):
                self._units = ModelWords(self._form)
        return self._units

    @property
    def of_words(self) -> bool:
        """Whether its units are words, so that unknown ones can be spelled."""
        return self._plan.kind == "words"

    @property
    def end_id(self) -> int:
        """The id that stands for the end of a sentence."""
        return self._plan.end_id

    @property
    def end_is_unit(self) -> bool:
        """Whether a unit of the text is the end of a sentence: the newline of a line."""
        return self._plan.newline_ends

    @property
    def outcome_ids(self) -> NDArray[np.int64]:
        """The id of each outcome of a prediction; -1 for what is no unit."""
        if self._plan.kind != "words":
            return self._numbers().ids.copy()
        ids = np.arange(self._form.words, dtype=np.int64)
        ids[[UNKNOWN, BEGIN]] = -1
        return ids

    @property
    def fingerprint(self) -> str:
        """A checksum of all that can change a probability."""
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" else ""
        return f"ngram-{self._form.fingerprint():016x}-{self._oov}{spelled}"

    @property
    def oov_ways(self) -> tuple[str, ...]:
        """What unknown words can cost: their class, or that and their spelling where the model has learnt it."""
        if self._plan.closed:
            return ()
        return ("class", "spelled") if self._model is not None and self._model.has_section else ("class",)

    @property
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words."""
        if self._spelling is None:
            if not self._form.has_section:
                message = (
                    f"{self.name} has not learnt how words are spelled, so unknown words cannot be; have it learn from "
                    "a text: bitmeter convert MODEL new.bmn --spelling TEXT (in Python model.fit_spelling(TEXT)), or "
                    "train a model: bitmeter train TEXT -o new.bmn"
                )
                raise ModelError(message)
            with sound(self.name):
                self._spelling = _core.Spelling(self._form)
        return self._spelling

    @property
    def outcome_names(self) -> tuple[bytes, ...]:
        """The bytes of each outcome of a prediction."""
        with sound(self.name):
            names = [self._form.word(i) for i in range(self._form.words)]
        if self._plan.newline_ends:
            names[END] = b"\n"
        if self._plan.kind == "tokens":
            join = self.units.join  # type: ignore[attr-defined]
            names[END + 1 :] = [join([i]) for i in self._numbers().ids[END + 1 :].tolist()]
        return tuple(names)

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each word given those before it in its sentence."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of every unit after this history of one sentence; the probabilities sum to one (if `is_distribution`).

        The first three are `<unk>` (any unknown unit), `<s>` (impossible) and `</s>`; `places` says which entry is that
        of an id.
        """
        numbers = self.numbered(history)
        if self.end_is_unit:
            ends = np.flatnonzero(numbers == END)
            numbers = numbers[ends[-1] + 1 :] if len(ends) else numbers
        return self.predict_numbers(numbers)

    def predict_numbers(self, numbers: NDArray[np.int64]) -> Floats:
        """As `predict`, of units by their numbers in the model."""
        with sound(self.name):
            return self._form.predict(np.ascontiguousarray(numbers))

    def numbered(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Units by their numbers in the model; a word that it does not know keeps the id that no word has."""
        if self._plan.kind == "words":
            return np.ascontiguousarray(ids, dtype=np.int64)
        return self._numbers().numbers(ids)

    def _numbers(self) -> Numbering:
        if self._numbering is None:
            with sound(self.name):
                self._numbering = Numbering(self._plan, self._form)
        return self._numbering

    def places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where each id stands in what `predict` gives: its own place, or that of `<unk>`."""
        numbers = self.numbered(ids)
        known = (numbers > BEGIN) & (numbers < self._form.words)
        return np.where(known, numbers, UNKNOWN)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units the model does not know."""
        return np.asarray((self.numbered(ids) <= BEGIN) & (np.asarray(ids) != BLANK))

    def with_oov(self, way: str) -> NGram:
        """The same model with another cost for unknown units.

        "none": they are impossible. "class": their class `<unk>`. "spelled", for words: `<unk>` and their bytes, and
        then white space is paid for too and newlines end sentences, so that the model is a distribution over byte
        strings.
        """
        other = copy.copy(self)
        ways = () if self._plan.closed else ("class", "spelled") if self._plan.kind == "words" else ("class",)
        other._oov = choice(way, "oov", ("none", *ways))
        if way == "spelled":
            other._spelling = self.spelling
        return other

    def stream(self) -> NGramStream | SpelledStream:
        """Remembers the last order − 1 words."""
        if self._oov == "spelled":
            return SpelledStream(NGramStream(self.with_oov("class")), self.spelling, self._form.words)
        return NGramStream(self)

    def __repr__(self) -> str:
        state = "not fitted" if self._model is None else " + ".join(f"{count:,}" for count in self.counts) + " n-grams"
        kind = "" if self._plan.kind == "words" else f" of {self._plan.kind}"
        return f"<NGram order {self.order}{kind}, {state}>"


def _check_vocabulary(plan: UnitPlan, vocabulary: Vocabulary, *, unk_word: bool) -> None:
    if plan.closed and (vocabulary.chosen or unk_word):
        message = (
            f"a model of {plan.kind} knows every one of them; min_count, vocab_size, vocab and unk_word are for words "
            "and characters, leave them out"
        )
        raise InputError(message)
    if plan.kind == "characters" and (vocabulary.words is not None or unk_word):
        message = "vocab and unk_word are for words; for characters use min_count or vocab_size"
        raise InputError(message)


def _load(rest: str) -> NGram:
    if not rest:
        message = "ngram needs a file: ngram:model.bmn; make one with: bitmeter train TEXT -o model.bmn"
        raise ModelError(message, value=rest)
    return NGram.load(Path(rest))


SCHEMES = (Scheme("ngram", "ngram:FILE", "an n-gram model in a .bmn or .arpa file (or its path alone)", _load),)
