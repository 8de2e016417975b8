"""The universal model: it knows nothing beforehand, learns as it reads, and scores the bytes of any text."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter._util.check import choice
from bitmeter._util.files import as_path, replacing, unread
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.coder import Coder, CodeWatch
from bitmeter.models.outcomes import BYTE_NAMES, Details, Outcomes, byte_outcomes, details_of_rows, joined_details
from bitmeter.models.pickling import SharedCopies, pickled_file
from bitmeter.models.protocols import Bundled, Codes, Options, Predictor, Primable, Traits
from bitmeter.models.scheme import Scheme
from bitmeter.models.session import Batch, PredictingSession, Scored, Stepper, Watch
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes

__all__ = ["Universal"]

SUFFIX = ".bmu"
#: How such a file begins.
MAGIC = b"bmuniv\r\n"
#: In the order of the core's numbers, which files hold.
PRESETS = ("small", "medium", "large", "fast", "max")
#: Of each preset; changes with any figure that the core computes of it.
VERSIONS = {"small": 2, "medium": 2, "large": 2, "fast": 2, "max": 4}

#: Predictions that are held at once.
_AT_ONCE = 1024
_PRIMED_AT_ONCE = 1 << 20
#: Bytes that are scored between two reports of progress.
_WATCHED = 1 << 15


class Universal(SharedCopies, Predictor, Primable, Codes, Bundled):
    """Learns as it reads: the model that is always there, for any file in any language.

    Bits are predicted from contexts of several lengths, the word and the words before it, the column in the line, and
    the longest earlier match; each prediction is weighted by its past accuracy. All arithmetic is in integers, so the
    same bytes cost the same on every machine. What is learned goes on from document to document.

    Parameters
    ----------
    preset
        "fast" (41 MB of memory) has fewer than half the contexts of "medium" (181 MB) and is more than three times as
        fast. "large" (1.2 GB) can remember more than medium; texts of less than a megabyte cost the same in both.
        "max" (1.4 GB, of which a short text takes some 60 MB) has 79 contexts, some of them for nucleotides and machine
        code. On prose it needs 2 % to 4 % fewer bits than medium, on machine code 33 %, and over 20 times its time.
        "small" (16 MB) has neither the speed of fast nor the bits of medium, and is there for little memory and for
        figures and archives that were made with it.

    Attributes
    ----------
    memory
        The bytes of memory that it takes.
    learned
        How many bytes it has read before the text that it will be shown.
    frozen
        Whether it learns no more.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.Universal("small")
    >>> text = b"the sea, the sea, the open sea. " * 8
    >>> bm.score(model, text).bits_per_byte < bm.score("kt", text).bits_per_byte
    True
    >>> primed = model.with_prime(text)
    >>> round(bm.score(primed, b"the open sea.").bits_per_byte, 1) < 1
    True
    """

    BUNDLE = "model.bmu"
    name: str
    fingerprint: str

    def __init__(self, preset: str = "medium") -> None:
        self.preset = choice(preset, "preset", PRESETS)
        self.units: Units = Bytes()
        self._learned: _core.Universal | None = None  # None: nothing, and its memory is not taken yet
        self._lock = threading.Lock()
        self._live: tuple[bytes, _core.Universal] | None = None
        #: The file that it was loaded from or saved to last.
        self.path: str | None = None
        self._identify()

    def _identify(self) -> None:
        self.name = f"universal:{self.preset}"
        self.fingerprint = f"universal-{VERSIONS[self.preset]}-{self.preset}"
        if self._learned is not None:
            self.fingerprint += f"-{self._learned.checksum():016x}"
            self.fingerprint += "-frozen" * self.frozen

    @property
    def memory(self) -> int:
        """The bytes of memory that it takes."""
        return _core.universal_memory(PRESETS.index(self.preset))

    @property
    def learned(self) -> int:
        """How many bytes it has read before the text that it will be shown."""
        return 0 if self._learned is None else self._learned.learned

    @property
    def frozen(self) -> bool:
        """Whether it learns no more."""
        return self._learned is not None and self._learned.frozen

    @property
    def traits(self) -> Traits:
        """It chooses from 256 bytes."""
        return Traits(vocabulary=256, learns=not self.frozen)

    @property
    def outcomes(self) -> Outcomes:
        """The 256 bytes."""
        return byte_outcomes()

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each byte; what is learned goes on from document to document, unless it is frozen."""
        return self.open().logprobs(ids, bounds, continues=False)

    def predict(self, history: Ids) -> Floats:
        """ln p of each byte after this history; quick where it goes on from the one asked for before."""
        wanted = np.ascontiguousarray(history, dtype=np.uint8).tobytes()
        with self._lock:
            before, live = self._live or (b"", self.core())
            if not wanted.startswith(before):
                before = b""
                self._begin_again(live)
            live.learn(wanted[len(before) :])
            self._live = (wanted, live)
            return live.predict()

    def open(self, options: Options = Options()) -> UniversalSession:  # noqa: B008
        """Begin a text with a copy of what is learned."""
        return UniversalSession(self.core(), self._begin_again)

    def stepper(self) -> UniversalStepper:
        """Begin a document byte by byte with a copy of what is learned."""
        return UniversalStepper(self.core())

    def coder(self, watch: CodeWatch | None = None) -> UniversalCoder:
        """Wholly in the core: see `bitmeter.compress`."""
        with self._taking_memory():  # not from `core()`, which would be one more copy
            return UniversalCoder(_core.UniversalCoder(self._origin))

    def core(self) -> _core.Universal:
        """A copy of what is learned."""
        origin = self._origin
        with self._taking_memory():
            return _core.Universal(origin) if isinstance(origin, int) else origin.copy()

    @property
    def _origin(self) -> int | _core.Universal:
        """What a copy is made of: what is learned, or the size."""
        return PRESETS.index(self.preset) if self._learned is None else self._learned

    @contextlib.contextmanager
    def _taking_memory(self) -> Iterator[None]:
        """Say in an error how much memory there is to be."""
        try:
            yield
        except MemoryError as error:
            message = f"{self.name} takes {self.memory:,} bytes of memory, which are not free; try universal:small"
            raise ModelError(message, value=self.name) from error

    def _begin_again(self, core: _core.Universal) -> None:
        """Make a copy of what is learned out of one that went on, in its memory."""
        if self._learned is None:
            core.reset()
        else:
            core.assign(self._learned)

    def with_prime(self, text: object) -> Self:
        """The same after reading a text: a path, a Corpus, or bytes (the text itself).

        Examples
        --------
        >>> Universal("small").with_prime(b"some text").learned
        9
        """
        if self.frozen:
            message = "a frozen model reads no more; prime it before it is frozen"
            raise ModelError(message, value=self.name)
        learned = self.core()
        for block in Corpus.of(text).blocks(_PRIMED_AT_ONCE):
            learned.learn(bytes(block.data))
        return self._with(learned)

    def freeze(self) -> Self:
        """The same, but it learns no more: every document is scored by what is known now, and by itself."""
        learned = self.core()
        learned.freeze()
        return self._with(learned)

    def _with(self, learned: _core.Universal) -> Self:
        made = type(self)(PRESETS[learned.size])
        made._learned = learned
        made._identify()
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        if self._learned is None:
            return type(self), (self.preset,)
        return pickled_file(type(self), self.path, self.fingerprint, {"name": self.name}, self._learned.save, SUFFIX)

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write what is learned to a `.bmu` file."""
        final = as_path(path)
        if final.suffix != SUFFIX:
            message = f"{final} does not say what to write; end its name in {SUFFIX}"
            raise FileFormatError(message, value=str(final))
        learned = self._learned or self.core()
        with replacing(final, force=force) as beside:
            learned.save(str(beside))
        self.path = str(final)

    @property
    def needs_file(self) -> bool:
        """Whether it has learned anything."""
        return self.learned > 0

    def bundle(self, folder: Path, stem: str = "model") -> list[str]:
        """Write what is learned."""
        self._with(self.core()).save(folder / f"{stem}{SUFFIX}")
        return [f"{stem}{SUFFIX}"]

    @classmethod
    def unbundle(cls, folder: Path, name: str) -> Universal:
        """What `bundle` wrote."""
        return cls.load(folder / cls.BUNDLE)

    @staticmethod
    def load(path: Any) -> Universal:
        """A model that was saved.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "model.bmu")
        ...     Universal("small").with_prime(b"some text").save(file)
        ...     Universal.load(file).learned
        9
        """
        final = as_path(path)
        try:
            learned = _core.Universal.load(str(final))
        except OSError as error:
            message = f"{final} {unread(error)}"
            raise FileFormatError(message, value=str(final)) from error
        except _core.UniversalFormatError as error:
            message = f"{final} is not a sound universal model: {error}"
            raise FileFormatError(message, value=str(final)) from error
        made = Universal()._with(learned)
        made.path = str(final)
        return made


class UniversalStepper(Stepper):
    """What is learned, byte by byte, carrying on over documents."""

    def __init__(self, core: _core.Universal) -> None:
        self._core = core

    def begin(self) -> None:
        """Begin a new document; what is learned goes on."""
        self._core.begin()

    def predict(self) -> Floats:
        """ln p of each byte."""
        return self._core.predict()

    def take(self, unit: int) -> None:
        """Learn a byte."""
        self._core.learn(bytes([unit]))

    def copy(self) -> Self:
        """The same, to go on apart."""
        return type(self)(self._core.copy())


class UniversalSession(PredictingSession):
    """Scores a text; what is learned carries on over documents."""

    def __init__(self, core: _core.Universal, begin_again: Callable[[_core.Universal], object]) -> None:
        self._core, self._begin_again = core, begin_again

    @property
    def outcomes(self) -> Outcomes:
        """The 256 bytes."""
        return byte_outcomes()

    def stepper(self) -> UniversalStepper:
        """With what is learned so far."""
        return UniversalStepper(self._core.copy())

    def restart(self) -> bool:
        """In the same memory, which is many times quicker than to take other memory."""
        self._begin_again(self._core)
        return True

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """In parts, with progress between them; with details the costs are those of the predicted rows."""
        split = batch.split
        data, starts = np.ascontiguousarray(split.ids, dtype=np.uint8), _starts(split.bounds, continues=batch.continues)
        if details is not None:
            logs, found = _detailed(self._core, data, starts, details, watch)
            return Scored(split, batch.blank, logs, found)
        parts = [np.zeros(0)]
        for i in range(0, len(data), _WATCHED):
            here = starts[(starts >= i) & (starts < i + _WATCHED)] - i
            parts.append(self._core.score(data[i : i + _WATCHED], here))
            if watch is not None:
                watch(min(i + _WATCHED, len(data)), len(data))
        return Scored(split, batch.blank, np.concatenate(parts))

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each byte."""
        return self._core.score(np.ascontiguousarray(ids, dtype=np.uint8), _starts(bounds, continues=continues))

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """From predicted rows, many at once."""
        data = np.ascontiguousarray(ids, dtype=np.uint8)
        return _detailed(self._core.copy(), data, _starts(bounds, continues=continues), alternatives, watch)[1]


def _detailed(
    core: _core.Universal, data: NDArray[np.uint8], starts: Ints, alternatives: int, watch: Watch | None
) -> tuple[Floats, Details]:
    """ln p and details of each byte, from predicted rows; the core goes on."""
    logs, parts = [], []
    for i in range(0, max(1, len(data)), _AT_ONCE):
        here = data[i : i + _AT_ONCE].astype(np.int64)
        rows = core.rows(data[i : i + _AT_ONCE], starts[(starts >= i) & (starts < i + _AT_ONCE)] - i)
        logs.append(np.asarray(rows[np.arange(len(here)), here]))
        parts.append(details_of_rows(rows, here, alternatives, BYTE_NAMES))
        if watch is not None:
            watch(min(i + _AT_ONCE, len(data)), max(1, len(data)))
    return np.concatenate(logs), joined_details(parts)


class UniversalCoder(Coder):
    """Bytes by the predictions of the core."""

    long_blocks = False
    skips = True

    def __init__(self, core: _core.UniversalCoder) -> None:
        self._core = core

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """The coded bytes of all of `data`."""
        return self._core.encode(data), len(data)

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        try:
            return self._core.decode(coded, size)
        except _core.UniversalFormatError as error:
            raise FileFormatError(str(error)) from error

    def skip(self, data: bytes) -> None:
        """Learn a block that is stored as it is."""
        self._core.learn(data)


def _starts(bounds: Ints, *, continues: bool) -> Ints:
    """Offsets at which documents begin."""
    starts = np.ascontiguousarray(bounds[:-1], dtype=np.int64)
    return starts[1:] if continues and len(starts) else starts


def is_model_path(path: str) -> bool:
    """Whether a path is that of a universal model's file, by its name."""
    return path.endswith(SUFFIX)


load_path = Universal.load


def _load(rest: str) -> Universal:
    if is_model_path(rest):
        return Universal.load(rest)
    if rest and rest not in PRESETS:
        message = f"universal:{rest:.40} is not a preset; it must be one of {', '.join(PRESETS)}, or a {SUFFIX} file"
        raise ModelError(message, value=rest)
    return Universal(rest or "medium")


SCHEMES = (
    Scheme(
        "universal",
        "universal[:SIZE|FILE]",
        "learns as it reads: fast, medium, large or max",
        _load,
    ),
)
