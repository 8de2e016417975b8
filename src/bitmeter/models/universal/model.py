"""The universal model: it knows nothing beforehand, learns as it reads, and rates the bytes of any text."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import choice, shown
from bitmeter._util.files import as_path, replacing
from bitmeter.errors import FileFormatError, InputTypeError, ModelError
from bitmeter.models.outcomes import Details, details_of_rows, joined_details
from bitmeter.models.registry import Scheme
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]

SUFFIX = ".bmu"
SIZES = ("small", "medium", "large")
#: Changes with any figure that the core computes.
VERSION = 2

_NO_STARTS = np.zeros(0, dtype=np.int64)
_NAMES = tuple(bytes([byte]) for byte in range(256))
#: Predictions that are held whole at once.
_CHUNK = 1024
_PRIMED_AT_ONCE = 1 << 20


class Universal:
    """Learns as it reads: the model that is always there, for any file in any language.

    Bits are foretold from contexts of several lengths, the word and the words before it, the place in the line, and
    the longest earlier match; what each foretells is weighed by how well it did. All in whole numbers, so that the
    same bytes cost the same on every machine. What is learned goes on from document to document.

    Parameters
    ----------
    size
        "small" (16 MB of memory), "medium" (181 MB) or "large" (1.2 GB): what it can remember. Texts of less than a
        megabyte cost the same in medium and large.

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

    def __init__(self, size: str = "medium") -> None:
        self.size = choice(size, "size", SIZES)
        self.units: Units = Bytes()
        self._learned: _core.Universal | None = None  # None: nothing, and its memory is not taken yet
        self._lock = threading.Lock()
        self._live: tuple[bytes, _core.Universal] | None = None
        #: The file that it was loaded from or saved to last.
        self.path: str | None = None
        self._identify()

    def _identify(self) -> None:
        self.name = f"universal:{self.size}"
        self.fingerprint = f"universal-{VERSION}-{self.size}"
        if self._learned is not None:
            self.fingerprint += f"-{self._learned.checksum():016x}"
            self.fingerprint += "-frozen" * self.frozen

    @property
    def memory(self) -> int:
        """The bytes of memory that it takes."""
        return _core.universal_memory(SIZES.index(self.size))

    @property
    def learned(self) -> int:
        """How many bytes it has read before the text that it will be shown."""
        return 0 if self._learned is None else self._learned.learned

    @property
    def frozen(self) -> bool:
        """Whether it learns no more."""
        return self._learned is not None and self._learned.frozen

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each byte; what is learned goes on from document to document, unless it is frozen."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of each byte after this history; quick where it goes on from the one asked for before."""
        wanted = np.ascontiguousarray(history, dtype=np.uint8).tobytes()
        with self._lock:
            before, live = self._live or (b"", self.core())
            if not wanted.startswith(before):
                before, live = b"", self.core()
            live.learn(wanted[len(before) :])
            self._live = (wanted, live)
            return live.predict()

    def stream(self) -> UniversalStream:
        """A copy that goes through a text."""
        return UniversalStream(self.core())

    def coder(self) -> UniversalCoder:
        """Codes texts, in the core: see `bitmeter.compress`."""
        return UniversalCoder(self.core())

    def core(self) -> _core.Universal:
        """A copy of what is learned, for the coder and for streams."""
        return _core.Universal(SIZES.index(self.size)) if self._learned is None else self._learned.copy()

    def with_prime(self, text: Any) -> Universal:
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

    def freeze(self) -> Universal:
        """The same, but it learns no more: every document is rated by what is known now, and by itself."""
        learned = self.core()
        learned.freeze()
        return self._with(learned)

    def _with(self, learned: _core.Universal) -> Universal:
        made = Universal(SIZES[learned.size])
        made._learned = learned
        made._identify()
        return made

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
            message = f"{final} cannot be read: {error.strerror or error}"
            raise FileFormatError(message, value=str(final)) from error
        except _core.UniversalFormatError as error:
            message = f"{final} is not a sound universal model: {error}"
            raise FileFormatError(message, value=str(final)) from error
        made = Universal()._with(learned)
        made.path = str(final)
        return made


class UniversalStream:
    """A universal model in the middle of a text: it is rated byte by byte, and may be asked what it expects next."""

    def __init__(self, core: _core.Universal) -> None:
        self._core = core

    @property
    def core(self) -> _core.Universal:
        """What it has learned so far."""
        return self._core

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        """As `Streaming.stream().logprobs`."""
        return self._core.rate(np.ascontiguousarray(ids, dtype=np.uint8), _starts(bounds, continues=continues))

    def predict(self) -> Floats:
        """ln p of each byte that may come next; the stream does not move."""
        return self._core.predict()

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The whole prediction at each place; the stream does not move."""
        data, starts = np.ascontiguousarray(ids, dtype=np.uint8), _starts(bounds, continues=continues)
        core, parts = self._core.copy(), []
        for i in range(0, max(1, len(data)), _CHUNK):
            here = data[i : i + _CHUNK]
            rows = core.rows(here, starts[(starts >= i) & (starts < i + _CHUNK)] - i)
            parts.append(details_of_rows(rows, here.astype(np.int64), alternatives, _NAMES))
        return joined_details(parts)


class UniversalCoder:
    """A text on its way into an archive or out of it; one object goes one way."""

    def __init__(self, core: _core.Universal) -> None:
        self._core = _core.UniversalCoder(core)

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """The coded bytes of a stretch, and how many bytes of `data` they hold: all."""
        return self._core.encode(data), len(data)

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of a stretch."""
        try:
            return self._core.decode(coded, size)
        except _core.UniversalFormatError as error:
            raise FileFormatError(str(error)) from error


def _starts(bounds: Bounds, *, continues: bool) -> Bounds:
    """Where documents begin."""
    starts = np.ascontiguousarray(bounds[:-1], dtype=np.int64)
    return starts[1:] if continues and len(starts) else starts


def is_model_file(name: str) -> bool:
    """Whether a name is that of a universal model's file."""
    return name.endswith(SUFFIX)


def primed(model: Any, text: Any) -> Any:
    """A model after reading a text, if it is one that learns as it reads."""
    if not hasattr(model, "with_prime"):
        name = getattr(model, "name", None)
        what = name or shown(model)
        message = f"{what} cannot read a text beforehand; prime universal, or train an n-gram model on the text"
        raise ModelError(message, value=name) if name else InputTypeError(message, value=model)
    return model.with_prime(text)


def _load(rest: str) -> Universal:
    if is_model_file(rest):
        return Universal.load(rest)
    if rest and rest not in SIZES:
        message = f"universal:{rest:.40} is no size; it must be one of {', '.join(SIZES)}, or a {SUFFIX} file"
        raise ModelError(message, value=rest)
    return Universal(rest or "medium")


SCHEMES = (
    Scheme(
        "universal",
        "universal[:SIZE|FILE]",
        "learns as it reads: small, medium or large",
        _load,
    ),
)
