"""N-gram models of words or other units: estimated here, kept in one mapped file, exchanged as ARPA."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitmeter import _core
from bitmeter._util.asking import ask
from bitmeter._util.check import Seed, choice, flag, integer
from bitmeter._util.files import as_path, label
from bitmeter.errors import FileFormatError, InputError, MissingSourceError, ModelError
from bitmeter.models.components import Components
from bitmeter.models.ngram.arpa import is_arpa, read_arpa
from bitmeter.models.ngram.estimate.smoothing import Smoothing, pruning_thresholds
from bitmeter.models.ngram.estimate.vocabulary import Vocabulary
from bitmeter.models.ngram.files import SUFFIX, damage_errors, format_errors, is_model_file, metadata, save_model
from bitmeter.models.ngram.forms import NGramForms, open_model
from bitmeter.models.ngram.kinds import begins_as_arpa, begins_as_kenlm, holds_ngrams, refuse_foreign
from bitmeter.models.ngram.pickling import NGramPickling
from bitmeter.models.ngram.query import NGramQuery
from bitmeter.models.ngram.units import UnitPlan, plan_of
from bitmeter.models.sampled import SampledText
from bitmeter.models.scheme import Scheme
from bitmeter.text.units.base import Units

if TYPE_CHECKING:
    from bitmeter.text.units.sentencepiece import SentencePiece

__all__ = ["MAX_ORDER", "NGram"]

#: The highest order that the file format holds.
MAX_ORDER = 16


_DEFAULT = "modified-kneser-ney"


class NGram(NGramQuery, NGramForms, NGramPickling):
    r"""An n-gram model of words or other units, by default with interpolated modified Kneser-Ney smoothing.

    Sentences are lines (or the records of a .jsonl or .parquet file, or documents). Each is preceded by `<s>`, which is
    never predicted, and followed by `</s>`, which is. The figures of modified Kneser-Ney are those of KenLM's lmplz on
    the same text: the same n-grams, log-probabilities and back-offs to six digits.

    Where the units are bytes or characters and the sentences lines, the newline that ends a line is its `</s>`: it is
    predicted, costs what the end costs, and what follows begins a new one. All 256 bytes are known, and all tokens of a
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
        Take `<unk>` in the text for a word like others, as is common with WikiText and the Penn Treebank. Without it,
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
        Caveats for a reader, such as discounts that could not be estimated.

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
        self._prune = pruning_thresholds(prune, self.order)
        self.threads = integer(threads, "threads", low=0, high=1024)
        self._unk_word = flag(unk_word, "unk_word")
        self._vocabulary = Vocabulary.of(min_count, vocab_size, vocab, unk_word=self._unk_word)
        self._plan, self._trained_on = plan_of(units)
        self._work: Path | None = None
        _check_vocabulary(self._plan, self._vocabulary, unk_word=self._unk_word)
        self._oov = "none"
        self._model = None
        self._expanded = []
        self._querier = None
        self._units = None
        self._pieces = None
        self._ids_by_unit = None
        self._folder = None
        self._spelling = None
        self.notes = ()
        self.norm = None
        self.path = None
        default = self.smoothing == _DEFAULT
        self.name = f"ngram(order {self.order})" if default else f"ngram(order {self.order}, {self.smoothing})"

    # ---- making --------------------------------------------------------------------------------------------------

    def fit(
        self,
        text: Any,
        *,
        docs: str | None = None,
        heldout: Any = None,
        field: str | None = None,
        norm: str = "none",
        like: str | None = None,
        memory: int | str | None = None,
        temp: Any = None,
        progress: Any = None,
        workers: int | None = None,
        engine: str = "local",
        address: str | None = None,
        work: Any = None,
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
            A text by which jelinek-mercer finds its weights and modified-kneser-ney its discounts, given likewise (of a
            long one, about the first million words tune discounts). Without it, discounts are estimated from the
            counts, and for jelinek-mercer every tenth sentence of the text is held out (of a long text fewer, about a
            million words), and counted all the same.
        field
            The field of JSON lines or the column of Parquet that holds the text.
        norm
            What is done to each sentence before, by the names that `score` has for it, such as "ccnet". The model keeps
            the name, and a text that is scored in another way is warned of.
        like
            "lmplz": words are separated as KenLM's lmplz does it, by NUL, tab, carriage return and space, and not by
            vertical tab and form feed. Such a model does not learn to spell unknown words.
        memory
            How much memory the estimation may use, beside what the process has already: bytes, or "4G", "500M", "50%"
            (of what is free). Three quarters of what is free by default. What does not fit goes to temporary files;
            the model is the same to the last bit.
        temp
            The folder of temporary files: by default the one that TMPDIR names, else /var/tmp. They have no name, so
            that nothing remains of them however the program ends.
        progress
            Called with a `Step`: the stage, and the share of it that is done.
        workers, engine, address
            How many processes read, count and estimate, and whose: those of this machine ("local"), or of Ray
            ("ray", at an address). The model is the same to the last bit. With katz they count, and the threads of
            this process estimate.
        work
            With several processes: a folder for their files, from which an interrupted run goes on; `save` removes
            it. A temporary one by default. On several machines all must see it by this name.

        Returns
        -------
        NGram
            Itself.

        Examples
        --------
        >>> NGram(order=3).fit(b"one two three\none two\n").counts
        (6, 5, 4)
        """
        from bitmeter.models.ngram.estimate.fit import Settings, estimate
        from bitmeter.models.ngram.estimate.memory import Allowance
        from bitmeter.text.corpus.normalise import NORMALISERS

        chosen = choice(norm, "norm", ("none", "data-juicer", *NORMALISERS))
        if like is not None:
            choice(like, "like", ("lmplz",))
            if self._plan.kind != "words":
                message = f"lmplz trains models of words, and this is one of {self._plan.kind}; leave like out"
                raise InputError(message, value=like)
        settings = Settings(
            self.order, self._smoothing, self._prune, self._unk_word, self.threads, self._plan, self._trained_on,
            self._vocabulary, Allowance.of(memory, temp), norm="none" if chosen == "data-juicer" else chosen,
            separators=like or "kenlm",
        )  # fmt: skip
        with ask("an executor", workers, engine, address) as executor:
            shared = engine != "local" or (workers or 1) > 1
            made = estimate(
                text, settings, docs=docs, heldout=heldout, field=field, progress=progress,
                executor=executor if shared else None, work=work,
            )  # fmt: skip
        self._adopt(made)
        if self._plan.kind != "words":
            self._units = self._trained_on
        self.path = None
        self._work = as_path(work) if work is not None and shared else None
        return self

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
        >>> NGram(order=2).fit(b"one two\n").fit_spelling(b"one two three\n").traits.oov
        ('class', 'spelled')
        """
        if self._plan.kind != "words":
            message = f"{self.name} is a model of {self._plan.kind}; spelling is for models of words"
            raise ModelError(message)
        from bitmeter.models.ngram.estimate.fit import spelling_of

        section = spelling_of(text, field=field, threads=self.threads)
        if isinstance(self.form, _core.KenlmModel):
            self._adopt(self.fast_form)
        self.form.attach(section)
        self._spelling, self._expanded = None, []
        return self

    def save(self, path: Any, *, force: bool = False, progress: Any = None) -> None:
        r"""Write the model to a file: .bmn is mapped when it is loaded; .arpa, .arpa.gz and .arpa.zst are for others.

        `progress` is called with a `Step` of the stage "writing".

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     NGram(order=2).fit(b"one two\n").save(pathlib.Path(folder) / "model.bmn")
        ...     NGram.load(pathlib.Path(folder) / "model.bmn").order
        2
        """
        model = self.form
        if self._plan.kind in ("bytes", "characters") and is_arpa(as_path(path).name):
            message = (
                f"ARPA parts words by white space, which this model of {self._plan.kind} predicts; save a .bmn file"
            )
            raise FileFormatError(message, value=str(path))
        from bitmeter.models.ngram.estimate.fit import by_stages

        report, distribution = by_stages(progress), self.is_distribution
        with damage_errors(self.name):
            save_model(model, path, unk_word=self._unk_word, is_distribution=distribution, force=force, progress=report)
        self.path = str(as_path(path))
        if self._work is not None:
            from bitmeter.models.ngram.estimate.parts import remove_work

            remove_work(self._work)
            self._work = None

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> NGram:
        """The model from its file, all of which is checked."""
        made = cls.load(folder / cls.BUNDLE)
        made.verify()
        return made

    @classmethod
    def load(cls, path: Any, *, units: Any = None, components: Components | None = None) -> NGram:
        """A model from a .bmn file, an ARPA file or a binary of KenLM, whatever its name.

        A .bmn file and a binary are mapped, so that processes share them, and scored in place. A binary of KenLM has
        no checksum: its head and sizes are checked when it is opened, and its figures and links when they are used.
        All of a .bmn file is read and compared with its checksums first; every link is checked when it is followed.
        If the file is cut or changed by others while it is in use, no figure is given but an error.

        Parameters
        ----------
        path
            The file.
        units
            The tokenizer of the training, where it is not beside the model. Another one is refused. For an ARPA file or
            a binary of KenLM whose words are pieces: "sentencepiece:FILE", which splits the text into them.
        components
            Tokenizers among which that of the training may be.
        """
        found = as_path(path)
        name = str(found)
        if not found.exists():
            message = f"there is no model {name}; train one with: bitmeter train TEXT -o {name}"
            raise MissingSourceError(message, path=name)
        made = cls()
        kenlm = found.suffix != SUFFIX and begins_as_kenlm(name)
        if found.suffix != SUFFIX and not kenlm:
            refuse_foreign(name)
        if not kenlm and (is_arpa(found.name) or (found.suffix != SUFFIX and begins_as_arpa(name))):
            model, added = read_arpa(name, metadata(smoothing="from ARPA", text=label(found.name)[-200:]))
            made._adopt(model)
            if added:
                made.notes = (f"{added:,} n-grams without their history or suffix were given them; no figure changes",)
        else:
            with format_errors(name):
                made._adopt(open_model(name))
                if made.form.has_section:
                    _core.Spelling.check(made.own_form)
        made.name, made.path = f"ngram:{label(found.name)}", name
        made._folder = found.parent
        if units is not None:
            made._use(plan_of(units))
        elif components is not None and made._plan.kind == "tokens":
            made._units = components.tokenizer(made._plan.fingerprint)
        elif components is not None and made._plan.kind == "words":
            made._pieces = made._pieces_of(components)
        return made

    def _pieces_of(self, components: Components) -> SentencePiece | None:
        """A SentencePiece model that was given, where the words of this model are its pieces."""
        from bitmeter.models.ngram.pieces import holds_pieces
        from bitmeter.text.units.sentencepiece import SentencePiece

        found = components.units(lambda one: isinstance(one, SentencePiece) and holds_pieces(self.form, one))
        return found if isinstance(found, SentencePiece) else None

    def _use(self, given: tuple[UnitPlan, Units]) -> None:
        """Take these units for those of the training, if they are."""
        plan, units = given
        if self._plan.kind == "words" and plan.kind == "tokens":
            from bitmeter.text.units.sentencepiece import SentencePiece

            if isinstance(units, SentencePiece):
                self._units, self._pieces = self._piece_words(units), units
                return
        if plan.kind != self._plan.kind:
            message = f"{self.name} is a model of {self._plan.kind}, and units names {units.name}; leave units out"
            raise ModelError(message, value=units.name)
        if plan.kind == "tokens":
            self._plan.check(units)
            self._units = units

    def prune(self, threshold: float) -> NGram:
        r"""The model without n-grams whose loss raises its perplexity by less than a share (Stolcke 1998).

        What an n-gram adds is weighed by how often its history comes in an endless text by the model itself, so that it
        does not matter that the lower orders of a Kneser-Ney model are not marginals of the higher ones. Single words
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
        from bitmeter.models.ngram.estimate.prune import pruned

        with damage_errors(self.name):
            found = pruned(self.fast_form, threshold, self.smoothing)
        other = self._with_form(found)
        other.path = self.path
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
        from bitmeter.models.sampling import sample  # what it imports is slow to load

        return sample(self, n, seed, temperature=temperature, length=length)

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


def is_model_path(path: str) -> bool:
    """Whether a path is that of an n-gram model, by its name or by how the file begins."""
    return is_model_file(path) or holds_ngrams(path)


load_path = NGram.load


def _load(rest: str) -> NGram:
    if not rest:
        message = "ngram needs a file: ngram:model.bmn; make one with: bitmeter train TEXT -o model.bmn"
        raise ModelError(message, value=rest)
    return NGram.load(Path(rest))


SCHEMES = (Scheme("ngram", "ngram:FILE", "n-grams: .bmn, ARPA, KenLM (or the path alone)", _load),)
