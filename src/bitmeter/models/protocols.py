"""What a model is: all that measuring, coding, mixing and showing may know of one.

A `Model` gives ln p of each unit of a text. What else it can do it declares by inheriting from one of the classes
below; nothing is found out by asking for attributes. Another package writes a `PlainModel`, and `registry.adapt` makes
a Model of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import ModelError
from bitmeter.models.coder import Coder, CodeWatch
from bitmeter.models.machine import Machine
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.sampled import SampledText
from bitmeter.models.scored_text import ScoredText
from bitmeter.models.session import Batch, End, Options, Scored, Session, Stepper, Watch
from bitmeter.models.windows import Plan, Windowing
from bitmeter.text.units.base import Units

__all__ = [
    "Batch",
    "Bundled",
    "Checked",
    "Codes",
    "Compressor",
    "End",
    "Meter",
    "Model",
    "NGramLike",
    "OpenVocabulary",
    "Options",
    "PlainModel",
    "Predictor",
    "Primable",
    "PseudoScorer",
    "Samples",
    "Scored",
    "SentenceScorer",
    "Session",
    "Stepper",
    "Threaded",
    "Traits",
    "Watch",
    "Windowed",
    "WindowedPredictor",
]


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts about a model that decide how it is measured.

    Attributes
    ----------
    vocabulary
        How many units it chooses from; None if that is not fixed.
    is_distribution
        Whether its predictions sum to one. Otherwise its scores have no perplexity.
    end
        How it predicts the end of a document; None if it does not.
    oov
        What an unknown unit can cost beside being impossible: "class", "spelled".
    whole_documents
        Whether it must be given each document in one batch.
    block_bytes
        The preferred number of bytes per batch.
    precision
        The arithmetic, for the signature: "float64", "bfloat16, logits float32".
    rounded
        Whether its probabilities are quantised so that they may sum to less than one, never to more.
    caveats
        What a reader of its score should know.
    norm
        How the text of its training was normalised, by the names that `score` has for it; None if that is not known.
    reach
        Of a plug-in: how many of the last units `predict` looks at; None for all.
    learns
        Whether it learns from what it scores, on from document to document: costs fall along a text, which intervals
        allow for, and the order of documents matters. Such a model starts afresh for each answer that has a context.
    metered
        Whether each call may cost money, such as that of a server: nothing is tried by many calls.
    """

    vocabulary: int | None = None
    is_distribution: bool = True
    end: End | None = None
    oov: tuple[str, ...] = ()
    whole_documents: bool = False
    block_bytes: int = 1 << 18
    precision: str = "float64"
    rounded: bool = False
    caveats: tuple[str, ...] = ()
    norm: str | None = None
    reach: int | None = None
    learns: bool = False
    metered: bool = False


@runtime_checkable
class PlainModel(Protocol):
    """All that another package must write; `registry.adapt` makes a `Model` of it.

    It may also have `predict(history)`, which gives ln p of each unit id as the next unit; `outcome_names`, the bytes
    of each; `traits`; `stream()`, by which documents come in parts; and, if its units are words, `spelling`: an `NGram`
    of words whose spelling unknown words cost. It is never shown a negative id.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> class Ascii:
    ...     name, fingerprint, units = "ascii", "ascii-1", bm.units_of("bytes")
    ...     def logprobs(self, ids, bounds):
    ...         return np.where(ids < 128, -np.log(128), -np.inf)
    >>> round(bm.score(Ascii(), b"abc").bits, 6)
    21.0
    """

    @property
    def name(self) -> str:
        """As it is typed, such as `toy:3`."""

    @property
    def units(self) -> Units:
        """What it predicts, one after the other."""

    @property
    def fingerprint(self) -> str:
        """Changes with anything that can change a probability."""

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p(ids[i] | what came before in its document), for whole documents ids[bounds[j]:bounds[j+1]]."""


class Model(InNotebooks, ABC):
    """Gives ln p of each unit of a text.

    Attributes
    ----------
    name
        As it is typed, such as `uniform:256`.
    units
        What it predicts, one after the other.
    fingerprint
        Changes with anything that can change a probability.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.load("kt")
    >>> isinstance(model, bm.Model), model.traits.vocabulary
    (True, 256)
    """

    if TYPE_CHECKING:  # a subclass may have these as attributes or as properties

        @property
        def name(self) -> str:
            """As it is typed."""

        @property
        def units(self) -> Units:
            """What it predicts."""

        @property
        def fingerprint(self) -> str:
            """Changes with anything that can change a probability."""

    @property
    def traits(self) -> Traits:
        """Facts that decide how it is measured."""
        return Traits()

    @property
    def machine(self) -> Machine:
        """What the last bit of its predictions depends on beside its files; empty if they are equal on all machines."""
        return {}

    @abstractmethod
    def open(self, options: Options = Options()) -> Session:  # noqa: B008 (frozen)
        """Begin a text."""

    @abstractmethod
    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p(ids[i] | what came before in its document), for whole documents ids[bounds[j]:bounds[j+1]]."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Predictor(Model):
    """Knows the probability of every possible next unit.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> row = bm.load("kt").predict(np.array([97]))
    >>> round(float(np.exp(row[97])), 4)
    0.0116
    """

    @property
    @abstractmethod
    def outcomes(self) -> Outcomes:
        """What the entries of a predicted row stand for."""

    @abstractmethod
    def stepper(self) -> Stepper:
        """Begin a document unit by unit."""

    def predict(self, history: Ids) -> Floats:
        """ln p of each outcome after this history of one document; the probabilities sum to one."""
        stepper = self.stepper()
        for unit in np.asarray(history, dtype=np.int64).tolist():
            stepper.take(unit)
        return stepper.predict()


class Threaded(Model):
    """Uses several threads at once; its figures do not depend on how many.

    Attributes
    ----------
    threads
        The most that it uses; 0 for as many as there are processors.
    """

    threads: int


class OpenVocabulary(Model):
    """Meets units that it does not know; what they cost can be chosen.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.NGram(order=2).fit(b"to be or not to be").traits.oov
    ('class', 'spelled')
    """

    @abstractmethod
    def unknown(self, ids: Ids) -> Bools:
        """Which units it does not know."""

    @abstractmethod
    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown units: "none" (impossible) or one of `traits.oov`.

        Where it has no such way, an error says what is missing.
        """

    def for_bytes(self) -> Self:
        """The same model as a distribution over byte strings: unknown units are spelled, where it can do that."""
        return self.with_oov("spelled") if "spelled" in self.traits.oov else self

    @property
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words; an error if it has none."""
        message = f"{self.name} has no model of how words are spelled"
        raise ModelError(message, value=self.name)

    def oov_remedies(self) -> tuple[str, ...]:
        """What to type so that unknown units are no longer impossible."""
        return ("--oov class lets each cost <unk> alone",) if "class" in self.traits.oov else ()

    def some_words(self, most: int) -> list[bytes]:
        """Up to about so many words from all over its vocabulary; none where it does not list them."""
        return []


class Windowed(Model):
    """Sees a bounded number of units at once, in windows.

    Attributes
    ----------
    default_first
        How a document's first unit is conditioned unless the user says otherwise.
    windowing
        How long documents are laid out in windows.

    Examples
    --------
    >>> import bitmeter as bm
    >>> issubclass(bm.Endpoint, bm.Windowed), issubclass(bm.Endpoint, bm.Predictor)
    (True, False)
    """

    if TYPE_CHECKING:

        @property
        def default_first(self) -> str:
            """How a document's first unit is conditioned by default."""

        @property
        def windowing(self) -> Windowing:
            """How long documents are laid out in windows."""

    @abstractmethod
    def with_context(self, ctx: str, first: str, bos: str | None = None) -> Self:
        """The same model with another windowing.

        Parameters
        ----------
        ctx
            As for `score`: "auto", "full", "WINDOW.STRIDE", "disjoint", "rolling" or "half".
        first
            "bos", "eos", "skip" or "uniform".
        bos
            Where BOS stands: one of `windows.BOS_RULES`; None for what the kind of windows implies.
        """

    def with_arithmetic(self, way: str) -> Self:
        """The same model with its logits normalised in one of `models.arithmetic.ARITHMETICS`.

        A model that has no logits, or one way only, stays as it is; `traits.precision` says what was followed.
        """
        return self

    @abstractmethod
    def with_windowing(self, windowing: Windowing) -> Self:
        """The same model with the windows of another."""

    @abstractmethod
    def plan(self, bounds: Ints, context: Ints | None = None) -> Plan:
        """The windows over these documents, of which the first units, so many of each, are context alone."""


class WindowedPredictor(Windowed, Predictor):
    """Predicts all units of a window at once."""

    @abstractmethod
    def sequences(self, tokens: Ints, plan: Plan) -> tuple[list[Ints], list[int]]:
        """The ids of each window, with the token before the text if any, and the index of the first scored id."""

    @abstractmethod
    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Rows of ln p of every id as sequence[i], for i from `first` (at least 1) to the end, in blocks."""

    @property
    @abstractmethod
    def boundary_ids(self) -> Sequence[int]:
        """The ids of the tokens for the beginning and the end of a text; the end first."""


class Primable(Model):
    """Learns as it reads; can be primed with a text.

    Examples
    --------
    >>> import bitmeter as bm
    >>> bm.Universal("small").with_prime(b"some text").learned
    9
    """

    @abstractmethod
    def with_prime(self, text: object) -> Self:
        """The same after reading a text: a path, a Corpus, or bytes (the text itself)."""


class Codes(Model):
    """Has a coder of its own, faster than coding by single predictions.

    Examples
    --------
    >>> import bitmeter as bm
    >>> coded, taken = bm.load("kt").coder().encode(b"to be or not to be", True)
    >>> len(coded), taken
    (16, 18)
    """

    @abstractmethod
    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Begin a text in one direction; `watch` is called with the bytes coded so far in a block."""

    @property
    def coder_machine(self) -> Machine:
        """What decoding depends on beside the model's files; empty if its coder is the same on all machines."""
        return self.machine

    def machine_coder(self, watch: CodeWatch | None = None) -> Coder:
        """The coder of archives that note a machine, where `coder` no longer depends on one."""
        return self.coder(watch)


class Bundled(Model):
    """Can travel in an archive as files, and be named by its file in another; of our own classes only.

    Attributes
    ----------
    path
        The file that it was loaded from or saved to last.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bm.TableModel(bm.Distribution({"a": 1.0})).bundle(pathlib.Path(folder))
    ['table.json']
    """

    #: The name of its first file in a bundle, by which its kind is known.
    BUNDLE: ClassVar[str]

    if TYPE_CHECKING:

        @property
        def path(self) -> str | None:
            """Its file."""

    @property
    def needs_file(self) -> bool:
        """Whether its name alone does not make it."""
        return True

    @abstractmethod
    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write its files into a folder and return their names, the model's own first; the model is left as it is."""

    @classmethod
    @abstractmethod
    def unbundle(cls, folder: Path, name: str) -> Model:
        """The model from its files; nothing in them is trusted. `name` is that of the archive, for messages."""


class Samples(Model):
    """Draws texts by a method of its own, faster than by single predictions."""

    @abstractmethod
    def draw(self, texts: int, seed: object, temperature: float, longest: int | None) -> Iterator[SampledText]:
        """Draw texts one after the other."""


class SentenceScorer(Model):
    """Scores the sentences of a text as arrays, without an interval or a signature."""

    @abstractmethod
    def score(
        self, text: Any, *, docs: str | None = None, field: str | None = None, eos: str = "yes", oov: str = "class"
    ) -> ScoredText:
        """ln p (or the score) of each word of a text."""


class Checked(Model):
    """Has a file whose every checksum and link can be verified."""

    @abstractmethod
    def verify(self) -> None:
        """Read all of it; a damaged file is an error that says what is wrong."""


class NGramLike(Predictor, OpenVocabulary):
    """Has the outcomes of an n-gram model: `<unk>`, `<s>` and `</s>` first, then its units.

    What a mixture needs to give several such models one vocabulary, and to weight them by the history.

    Attributes
    ----------
    order
        The longest n-gram.
    of_words
        Whether its units are words.
    """

    order: int

    @property
    @abstractmethod
    def of_words(self) -> bool:
        """Whether its units are words."""

    @property
    @abstractmethod
    def end(self) -> End:
        """How it predicts the end of a sentence."""

    @property
    @abstractmethod
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words; an error if it has none."""

    @property
    @abstractmethod
    def history_buckets(self) -> int:
        """Into how many buckets it sorts histories."""


class PseudoScorer(ABC):
    """Ranks sentences, but is no distribution over texts: it has no perplexity, and only `prefer` takes it.

    Attributes
    ----------
    name
        As it is typed: `mlm:PATH`.
    fingerprint
        Changes with anything that can change a figure.
    metric
        What the figures are.
    caveats
        What a reader of them should know.

    Examples
    --------
    >>> import bitmeter as bm
    >>> issubclass(bm.PseudoScorer, bm.Model)
    False
    """

    name: str
    fingerprint: str
    metric: str
    caveats: tuple[str, ...]

    @abstractmethod
    def pseudo(self, sentences: list[bytes], watch: Watch | None = None) -> tuple[Floats, Ints]:
        """The cost of each sentence in nats, and its number of tokens."""


class Meter(Protocol):
    """A compressor at work."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""

    def finish(self) -> int:
        """The bytes of the compressed file."""


class Compressor(InNotebooks, ABC):
    """Gives only the size of a whole text, compressed.

    Attributes
    ----------
    name
        As it is typed: `zstd:19`.
    fingerprint
        The program, its version and its setting.
    overhead
        What part of the file is not the text, as a phrase; "" if unknown.

    Examples
    --------
    >>> import bitmeter as bm
    >>> meter = bm.load("zlib").meter()
    >>> meter.feed(b"a" * 1000)
    >>> meter.finish() < 100
    True
    """

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """As it is typed."""

        @property
        def fingerprint(self) -> str:
            """Changes with anything that can change a probability."""

        @property
        def overhead(self) -> str:
            """What part of the file is not the text."""

    else:
        overhead = ""

    @abstractmethod
    def meter(self) -> Meter:
        """Begin a file."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"
