"""Small neural networks, trained here by cross-entropy, and models like any other."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice, flag, integer, real
from bitmeter._util.files import as_path, label
from bitmeter._util.optional import require
from bitmeter._util.progress import as_progress
from bitmeter.errors import EmptyError, ModelError
from bitmeter.models.causal.arithmetic import torch_machine
from bitmeter.models.causal.base import CausalPredictor
from bitmeter.models.causal.forking import survive_forks
from bitmeter.models.causal.stepping import NetworkStepper, Stepping
from bitmeter.models.causal.trained.curve import LearningCurve
from bitmeter.models.causal.trained.defaults import defaults_for
from bitmeter.models.causal.trained.stepper import WordStepper
from bitmeter.models.causal.trained.units import KINDS_OF_UNITS, UNKNOWN_WORD, Alphabet, learn_alphabet
from bitmeter.models.coder import Coder, CodeWatch, StepwiseCoder
from bitmeter.models.machine import Machine
from bitmeter.models.openvocab.coder import SpelledCoder
from bitmeter.models.openvocab.networks import SpelledNetworkSession, fit_spelling
from bitmeter.models.outcomes import Details, Outcomes
from bitmeter.models.protocols import Bundled, Codes, OpenVocabulary, Options, Session, Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import Watch
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.words import Words

if TYPE_CHECKING:
    from bitmeter.models.causal.trained.network import Network
    from bitmeter.models.causal.trained.scorer import NetworkScorer
    from bitmeter.models.causal.trained.session import NetworkSession
    from bitmeter.models.ngram.model import NGram

__all__ = ["Neural", "training_texts"]

KINDS = ("lstm", "transformer")


class Neural(CausalPredictor, OpenVocabulary, Codes, Bundled):
    r"""A small network, trained here: an LSTM, or a transformer.

    Its loss is cross-entropy, the mean of -ln p of what came: the negative log-likelihood, and the logarithm of the
    perplexity. Training stops when text that was held out costs more and more, and the best weights are kept. All that
    is random follows from the seed, so that on one machine the same call gives the same weights.

    Parameters
    ----------
    kind
        "lstm" carries a state over a text of any length; "transformer" sees `context` units at once.
    units
        What it predicts: "bytes"; "bpe", byte pairs learned from the text; or "words", with those that come once, or
        that are not among the most frequent, as `<unk>`.
    vocabulary
        How many byte pairs or words there are at most; 0 to choose it by the size of the text, as all settings below.
    width
        Of its layers.
    layers
        How many.
    context
        How many units a transformer sees at once, and over how many at a time an LSTM is trained.
    dropout
        The dropout probability in training; None to choose it by the size of the text.
    seed
        Another gives other weights.
    threads
        How many torch uses in training; 0 to leave it as it is.

    Attributes
    ----------
    curve
        Its learning curve.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.Neural("lstm", "bytes", width=16).fit(b"abab" * 100, epochs=60, batch=4, learning_rate=0.02)
    >>> bm.score(model, b"abababab").bits_per_byte < 1
    True
    """

    BUNDLE = "model.json"

    def __init__(
        self,
        kind: str = "lstm",
        units: str = "bpe",
        *,
        vocabulary: int = 0,
        width: int = 0,
        layers: int = 0,
        context: int = 0,
        dropout: float | None = None,
        seed: int = 1,
        threads: int = 0,
    ) -> None:
        self.kind = choice(kind, "kind", KINDS)
        self.units_kind = choice(units, "units", KINDS_OF_UNITS)
        self.vocabulary = integer(vocabulary, "vocabulary", low=0, high=1 << 20)
        self.width = integer(width, "width", low=0, high=1 << 13)
        self.layers = integer(layers, "layers", low=0, high=64)
        self._context = integer(context, "context", low=0, high=1 << 16)
        for name, found, least in (("vocabulary", self.vocabulary, 257), ("context", self._context, 4)):
            if 0 < found < least:
                message = f"{name} is {found}; it must be at least {least}, or 0 to choose it by the text"
                raise ModelError(message, value=found)
        self.dropout = None if dropout is None else real(dropout, "dropout", low=0.0, high=0.95)
        #: As it was asked for; what was not is chosen by each text again.
        self._asked = (self.vocabulary, self.width, self.layers, self._context, self.dropout)
        self.seed = integer(seed, "seed", low=0, high=(1 << 32) - 1)
        self.threads = integer(threads, "threads", low=0, high=1024)
        self._network: Network | None = None
        self._alphabet: Alphabet | None = None
        self._oov = "none"
        #: How unknown words are spelled; of words only.
        self._words: NGram | None = None
        self._digest = ""
        self.curve: LearningCurve | None = None
        self.name = f"neural({self.kind}, {self.units_kind})"
        self.precision = "float32"
        self.path: str | None = None

    # ---- making --------------------------------------------------------------------------------------------------

    def fit(
        self,
        text: Any,
        *,
        docs: str | None = None,
        heldout: Any = None,
        field: str | None = None,
        epochs: float | None = None,
        batch: int = 0,
        learning_rate: float | None = None,
        patience: int = 5,
        looks: int = 20,
        checkpoint: Any = None,
        resume: bool = False,
        progress: Any = None,
    ) -> Neural:
        r"""Train the network.

        Parameters
        ----------
        text
            A path, a pattern, a folder, an address, a list of those, a Corpus, or bytes (the text itself).
        docs
            Where documents end: "file", "line", "blank", "record", "joined", "joined-line" or "joined-blank". Before
            each is a boundary.
        heldout
            The text that decides when to stop, given likewise. Without it, the last tenth of the text is held out (a
            megabyte at most): whole documents, or lines of the last one.
        field
            The field of JSON lines or the column of Parquet that holds the text.
        epochs
            The maximum number of passes over the text; None to choose it by the size of the text.
        batch
            How many sequences per batch; 0 likewise.
        learning_rate
            The highest; it rises to it in the first twentieth of the steps and then falls by a cosine. None likewise.
        patience
            After so many looks at the held-out text without a gain, training stops.
        looks
            How often that text is looked at, in all.
        checkpoint
            A folder in which to leave a checkpoint after each look; `save` to the same folder removes it.
        resume
            Go on from the checkpoint in that folder, where there is one: the rest is as if nothing had happened.
        progress
            Called after each step with a `Step` that also has the `LearningCurve` so far as `curve`.

        Returns
        -------
        Neural
            Itself.

        Examples
        --------
        >>> model = Neural("transformer", "bytes", width=16, layers=1).fit(b"one two " * 60, epochs=2)
        >>> model.curve.best.step <= model.curve.steps
        True
        """
        require("torch", "Training a network")
        survive_forks()
        require("safetensors", "Training a network")
        from bitmeter.models.causal.trained import train as neural_train
        from bitmeter.models.causal.trained.files import prepare_folder
        from bitmeter.models.causal.trained.network import MOST_RECENT, Shape, build

        asked_epochs = None if epochs is None else real(epochs, "epochs", low=1e-6, high=1e6)
        asked_batch = integer(batch, "batch", low=0, high=1 << 16)
        asked_rate = None if learning_rate is None else real(learning_rate, "learning_rate", low=1e-9, high=100.0)
        again = flag(resume, "resume")
        most = integer(patience, "patience", low=1, high=1 << 30)
        often = integer(looks, "looks", low=1, high=1 << 30)
        report = None if progress is None else as_progress(progress)
        documents, held, fingerprint = training_texts(text, docs, heldout, field)
        chosen = defaults_for(self.kind, sum(map(len, documents)))
        vocabulary, width, layers, context, dropout = self._asked
        schedule = neural_train.Schedule(
            epochs=chosen.epochs if asked_epochs is None else asked_epochs,
            batch=asked_batch or chosen.batch,
            learning_rate=chosen.learning_rate if asked_rate is None else asked_rate,
            weight_decay=chosen.weight_decay,
            patience=most,
            looks=often,
            seed=self.seed,
        )
        self.vocabulary = vocabulary or chosen.vocabulary
        alphabet = learn_alphabet(self.units_kind, documents, self.vocabulary)
        material = neural_train.Material(
            alphabet.row(documents), alphabet.row(held), sum(map(len, documents)), sum(map(len, held)), fingerprint
        )
        seen = context or chosen.context
        shape = Shape(
            self.kind,
            alphabet.size,
            width or chosen.width,
            layers or chosen.layers,
            seen,
            chosen.dropout if dropout is None else dropout,
            alphabet.never,
            previous=int(self.kind == "transformer"),
            recency=int(self.kind == "transformer" and seen <= MOST_RECENT),
        )
        folder = None if checkpoint is None else prepare_folder(checkpoint, force=False, resume=True)
        with neural_train.own_torch(self.seed, self.threads):
            trainer = neural_train.Trainer(network := build(shape), alphabet, material, schedule)
            if folder is not None and again and (folder / neural_train.CHECKPOINT).exists():
                trainer.resume(folder / neural_train.CHECKPOINT)
            curve = trainer.run(folder, report)
        self._adopt(network, alphabet, curve)
        self._words = fit_spelling(documents) if alphabet.kind == "words" else None
        self.path = None
        return self

    def _adopt(self, network: Network, alphabet: Alphabet, curve: LearningCurve) -> None:
        self._network, self._alphabet, self.curve = network.eval(), alphabet, curve
        shape = network.shape
        self.kind, self.units_kind = shape.kind, alphabet.kind
        self.width, self.layers, self._context, self.dropout = shape.width, shape.layers, shape.context, shape.dropout
        self.size = shape.size
        self.context = shape.context if shape.kind == "transformer" else None
        # One id for both: a document ends where the next begins. Of words, it ends a line too.
        self.eos_id = alphabet.boundary
        self.bos_id = None if alphabet.kind == "words" else alphabet.boundary
        self._windowing, self._digest = None, ""

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write the model as a folder: model.json, weights.safetensors, curve.json, and its units."""
        from bitmeter.models.causal.trained.files import write_folder

        network, alphabet = self._fitted
        assert self.curve is not None
        about = {"seed": self.seed, "vocabulary": self.vocabulary}
        write_folder(path, network, alphabet, self.curve, about, self._words, force=flag(force, "force"))
        self.path = str(as_path(path))

    @classmethod
    def load(cls, path: Any) -> Neural:
        """A model from its folder."""
        require("torch", "Running a network")
        survive_forks()
        require("safetensors", "Running a network")
        from bitmeter.models.causal.trained.files import read_folder, read_spelling

        network, alphabet, curve, about = read_folder(path)
        made = cls(network.shape.kind, alphabet.kind)
        for name in ("seed", "vocabulary"):
            found = about.get(name)
            setattr(made, name, found if isinstance(found, int) else getattr(made, name))
        made._adopt(network, alphabet, curve)
        made._words = read_spelling(path) if alphabet.kind == "words" else None
        made.path = str(as_path(path))
        made.name = f"neural:{label(Path(made.path).resolve().name)}"
        return made

    # ---- as a model ----------------------------------------------------------------------------------------------

    @property
    def _fitted(self) -> tuple[Network, Alphabet]:
        if self._network is None or self._alphabet is None:
            message = "this Neural knows no text yet; call fit(text), or Neural.load(path)"
            raise ModelError(message)
        return self._network, self._alphabet

    @property
    def _scorer(self) -> NetworkScorer:
        from bitmeter.models.causal.trained.scorer import NetworkScorer

        return NetworkScorer(self._fitted[0])

    @property
    def units(self) -> Units:
        """Bytes, byte pairs or words."""
        return self._fitted[1].units

    @property
    def parameters(self) -> int:
        """The number of parameters."""
        return sum(weight.numel() for weight in self._fitted[0].parameters())

    @property
    def weights_fingerprint(self) -> str:
        """A hash of every weight, of the shape of the network and of its units."""
        if not self._digest:
            network, alphabet = self._fitted
            total = hashlib.blake2b(json.dumps(network.shape.as_dict(), sort_keys=True).encode(), digest_size=12)
            total.update(alphabet.units.fingerprint.encode())
            for name, weight in sorted(network.state_dict().items()):
                total.update(f"{name} {tuple(weight.shape)}".encode())
                total.update(memoryview(weight.detach().contiguous().numpy()).cast("B"))
            self._digest = f"neural-{total.hexdigest()}"
        return self._digest

    @property
    def machine(self) -> Machine:
        """What torch computes with."""
        return torch_machine(require("torch", "Running a network"), "cpu")

    @property
    def fingerprint(self) -> str:
        """The weights, what stands before a text, and what unknown words cost."""
        if self._words is None:
            return super().fingerprint
        spelled = f"-{self._words.spelling.fingerprint():016x}" if self._oov == "spelled" else ""
        return f"{super().fingerprint}-{self._oov}{spelled}"

    @property
    def outcomes(self) -> Outcomes:
        """The ids of the network."""
        return Outcomes(self.size, names=self._names, index=self.network_ids)

    def _names(self) -> tuple[bytes, ...]:
        """The bytes of each id; empty for one that stands for none."""
        alphabet = self._fitted[1]
        if alphabet.kind == "bytes":
            return (*(bytes([byte]) for byte in range(256)), b"")
        if alphabet.kind == "words":
            return (b"<unk>", b"<s>", b"</s>", *(alphabet.source.split(b"\n") if alphabet.source else ()))
        return super()._names()

    # ---- unknown words -------------------------------------------------------------------------------------------

    @property
    def traits(self) -> Traits:
        """Only where unknown words are spelled does it take documents in parts."""
        self._fitted  # noqa: B018
        ways = ("class", "spelled") if self.units_kind == "words" else ()
        return replace(super().traits, oov=ways, whole_documents=self._oov != "spelled")

    def unknown(self, ids: Ids) -> Bools:
        """Which units the model does not know."""
        found = np.asarray(ids)
        words = self.units_kind == "words"
        return np.asarray((found == -1) | (found == UNKNOWN_WORD)) if words else np.zeros(len(found), dtype=np.bool_)

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown words.

        "none": they are impossible. "class": that of `<unk>`. "spelled": that and their bytes, and then white space is
        paid for too and newlines end lines, so that the model is a distribution over byte strings.
        """
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", *self.traits.oov))
        return other

    def network_ids(self, ids: Ids) -> Ints:
        """Ids as the network knows them; below zero for what it is not shown."""
        tokens = np.asarray(ids, dtype=np.int64)
        return np.where(tokens == -1, UNKNOWN_WORD, tokens) if self.units_kind == "words" else tokens

    def priced(self, ids: Ids, logs: Floats) -> Floats:
        """Unknown words are impossible where no other way was asked for."""
        if self.units_kind == "words" and self._oov == "none":
            return np.where(self.unknown(ids), -np.inf, logs)
        return logs

    # ---- figures -------------------------------------------------------------------------------------------------

    def scored(
        self,
        ids: Ids,
        bounds: Ints,
        alternatives: int | None = None,
        watch: Watch | None = None,
        context: Ints | None = None,
    ) -> tuple[Floats, Details | None]:
        """ln p of each unit, with the details of each prediction where asked for."""
        self._fitted  # noqa: B018
        logs, details = super().scored(self.network_ids(ids), bounds, alternatives, watch, context)
        return self.priced(ids, logs), details

    def scored_ids(self, tokens: Ints, bounds: Ints) -> Floats:
        """The same of ids as the network knows them, whatever unknown words cost."""
        return super().scored(tokens, bounds)[0]

    def score_sequences(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None
    ) -> list[Floats]:
        """ln p of each unit of each sequence from `first` on."""
        return self._scorer.logprobs(sequences, firsts, watch)

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Whole predictions, in blocks of rows."""
        return self._scorer.predictions(sequence, first)

    def predict(self, history: Ids) -> Floats:
        """ln p of each id after this history of one document; the probabilities sum to one."""
        self._fitted  # noqa: B018
        return super().predict(self.network_ids(history))

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text; where unknown words are spelled, documents may come in parts."""
        if self._oov != "spelled":
            return super().open(options)
        return SpelledNetworkSession(self.session(), self.spelling, self.size)

    def session(self) -> NetworkSession:
        """A session that takes documents in parts: an LSTM carries its state on, a transformer its window."""
        from bitmeter.models.causal.trained.session import NetworkSession

        return NetworkSession(self, self._scorer, self.windowing)

    @property
    def spelling(self) -> _core.Spelling:
        """How unknown words and white space are spelled, by a model of words."""
        if self._words is None:
            message = f"{self.name} predicts {self.units_kind}, of which none is unknown, so it spells nothing"
            raise ModelError(message)
        return self._words.spelling

    def stepper(self) -> NetworkStepper:
        """Begin a document unit by unit, with what was computed before kept."""
        return self._stepper(lambda: self._scorer)

    def _stepper(self, steps: Callable[[], Stepping]) -> NetworkStepper:
        made = WordStepper if self.units_kind == "words" else NetworkStepper
        return made(steps, self.windowing, self.size, self.name)

    @property
    def coder_machine(self) -> Machine:
        """Nothing: its coder predicts in the core, with the same bits on every machine."""
        return {}

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Unit by unit, in the core; unknown words are spelled."""
        from bitmeter.models.causal.trained.portable import PortableSteps

        steps = PortableSteps(self._fitted[0])
        return self._coder(self._stepper(lambda: steps), watch)

    def machine_coder(self, watch: CodeWatch | None = None) -> Coder:
        """The same by torch, which coded archives before the core did."""
        return self._coder(self.stepper(), watch)

    def _coder(self, stepper: NetworkStepper, watch: CodeWatch | None) -> Coder:
        if isinstance(self.units, Words):
            names = self.outcomes.names
            return SpelledCoder(self.name, stepper, names, self.spelling, self.units.separators, watch)
        return StepwiseCoder(self.name, self.units, self.outcomes, stepper, watch)

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write its folder; refused where it would be another model when it is read again."""
        if stem != "model":
            message = (
                f"{self.name} is a folder, which cannot travel as a part of another model (leave embed out: --embed)"
            )
            raise ModelError(message)
        copy.copy(self).save(folder)
        again = Neural.load(folder).for_bytes()
        if again.fingerprint != self.fingerprint:
            message = (
                f"{self.name} ({self.fingerprint}) would be another model when it is unpacked ({again.fingerprint}); "
                "leave embed out (--embed), and give it to whoever decodes"
            )
            raise ModelError(message, value=self.name)
        return [self.BUNDLE, *sorted(path.name for path in folder.iterdir() if path.name != self.BUNDLE)]

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> Neural:
        """The network from its folder."""
        return cls.load(folder)

    def __repr__(self) -> str:
        if self._network is None:
            return f"<Neural {self.kind}, {self.units_kind}, not fitted>"
        return f"<Neural {self.kind}, {self.units_kind}, {self.size:,} ids, {self.parameters:,} parameters>"


def training_texts(
    text: Any, docs: str | None, heldout: Any, field: str | None
) -> tuple[list[bytes], list[bytes], str]:
    """Documents to learn from, those held out (the last tenth where no text is given for it), and a hash of both."""
    from bitmeter.models.causal.trained.train import split_off

    corpus = Corpus.of(text, docs=docs, field=field)
    documents = [document.data for document in corpus]
    if not any(documents):
        message = f"{corpus.name} is empty; there is nothing to learn from"
        raise EmptyError(message)
    marks = [corpus.fingerprint(), corpus.boundaries()]
    if heldout is None:
        documents, held = split_off(documents)
    else:
        other = Corpus.of(heldout, docs=docs, field=field)
        held = [document.data for document in other]
        if not any(held):
            message = f"{other.name}, to be held out, is empty; give a text, or leave it out"
            raise EmptyError(message)
        marks += [other.fingerprint(), other.boundaries()]
    return documents, held, hashlib.sha256(" ".join(marks).encode()).hexdigest()


def is_model_path(path: str) -> bool:
    """Whether a path is the folder of a network, finished or not."""
    if "\0" in path:
        return False
    folder = Path(path)
    return any((folder / name).is_file() for name in ("model.json", "checkpoint.safetensors"))


load_path = Neural.load


def _load(rest: str) -> Neural:
    if not rest:
        message = "neural needs a folder: neural:model; make one with: bitmeter train TEXT -o model --kind lstm"
        raise ModelError(message, value=rest)
    return Neural.load(rest)


SCHEMES = (Scheme("neural", "neural:FOLDER", "a network of bitmeter train (or the path alone)", _load, "torch"),)
