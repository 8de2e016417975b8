"""GGUF files run by llama.cpp itself, with the weights as they are stored and llama.cpp's own tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import choice, flag, integer
from bitmeter._util.files import label
from bitmeter.errors import ModelError
from bitmeter.models.causal.base import SPECIAL, CausalPredictor
from bitmeter.models.causal.gguf.engine import ATTENTIONS, Engine, Workspace
from bitmeter.models.causal.gguf.header import Header, read_header
from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.machine import Machine, machine_of
from bitmeter.models.pickling import SharedCopies, check_same
from bitmeter.models.session import Watch
from bitmeter.text.units.base import Units
from bitmeter.text.units.tokenizers import TokenUnits

__all__ = ["LlamaCpp"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: Whole predictions that are made at once, in values: 32 MB of float64.
_NUMBERS = 1 << 22


class LlamaCpp(SharedCopies, CausalPredictor):
    """A GGUF file in llama.cpp, by its low-level interface.

    Parameters
    ----------
    path, header
        The file, and what its head says.
    batch
        How many tokens go through the network at once; 0 to leave it to bitmeter.
    threads
        How many threads compute; 0 for one a processor.
    device
        "auto" (a GPU if llama.cpp was built for one), or "cpu".
    attention
        In what keys, values and attention are computed: "f16", as llama.cpp's own programs do, or "f32".
    special
        Take the name of a special token in a text for that token.
    """

    def __init__(self, path: Path, header: Header, **options: Any) -> None:
        others = sorted(set(options) - {"batch", "threads", "device", "attention", "special"})
        if others:
            message = f"{others[0]}= is not an option of llama.cpp; use it with engine=transformers"
            raise ModelError(message, value=others[0])
        self.name = f"gguf:{label(path.name)}"
        self._path, self._typed = path, options
        attention = choice(options.get("attention", ATTENTIONS[0]), "attention", ATTENTIONS)
        self._engine = Engine(
            path,
            threads=integer(options.get("threads", 0), "threads", low=0, high=1024),
            batch=integer(options.get("batch", 0), "batch", low=0, high=1 << 16),
            gpu=choice(options.get("device", "auto"), "device", ("auto", "cpu")) == "auto",
            attention=attention,
        )
        self.size, self.context = self._engine.size, self._engine.context
        # What the file says: where it is silent llama.cpp makes up an id, which is that of some other token.
        self.bos_id, self.eos_id = (_special(header, which, self.size) for which in ("bos", "eos"))
        self.adds_bos = self.bos_id is not None and bool(
            self._engine.api.llama_vocab_get_add_bos(self._engine.vocabulary)
        )
        self.precision = f"{header.kind} by llama.cpp, attention {attention} (llama-cpp-python {self._engine.version})"
        special = flag(options.get("special", False), "special")
        self._units = LlamaTokens(self._engine, header, path.name, special=special)
        self.caveats += (SPECIAL,) * special
        self._digest = ""

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if name in ("name", "_windowing")}
        return _unpickled, (str(self._path.resolve()), self._typed, self.weights_fingerprint, state)

    @property
    def units(self) -> Units:
        """llama.cpp's tokens."""
        return self._units

    @property
    def weights_fingerprint(self) -> str:
        """A hash of the file, and the version and precision of llama.cpp."""
        if not self._digest:
            with self._path.open("rb") as file:
                self._digest = hashlib.file_digest(file, _blake).hexdigest()
        return f"llama.cpp-{self._engine.version}-{self._engine.attention}-{self._digest}"

    @property
    def machine(self) -> Machine:
        """llama.cpp as it was built, and its threads."""
        return machine_of("numpy", "llama_cpp_python", threads=str(self._engine.threads))

    @property
    def _window(self) -> int:
        return self.windowing.window or self.context or 0

    def score_sequences(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Watch | None = None
    ) -> list[Floats]:
        """ln p of each token of each sequence from `first` on; each is a window of its own."""
        found = []
        with self._engine.shared(self._window) as workspace:
            for number, (sequence, first) in enumerate(zip(sequences, firsts, strict=True)):
                found.append(_chosen(workspace, sequence, first))
                if watch is not None:
                    watch(number + 1, len(sequences))
        return found

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Whole predictions, in blocks of rows."""
        step = max(1, _NUMBERS // self.size)
        workspace = self._engine.workspace(self._window)  # its own: between two blocks others may use the shared one
        for rows in workspace.logits(sequence[:-1], 0, first - 1):
            for at in range(0, len(rows), step):
                yield _normalised(rows[at : at + step])

    def stepper(self) -> NetworkStepper:
        """Begin a document token by token, with cached keys and values."""
        return NetworkStepper(
            lambda: _Steps(self._engine.workspace(self._window)), self.windowing, self.size, self.name
        )

    def __repr__(self) -> str:
        return f"<LlamaCpp {self.name}, {self.size:,} ids, context {self.context}, {self.precision}>"


def _unpickled(path: str, typed: dict[str, Any], weights: str, state: dict[str, Any]) -> LlamaCpp:
    made = LlamaCpp(Path(path), read_header(Path(path)), **typed)
    check_same(path, made.weights_fingerprint, weights)
    vars(made).update(state)
    return made


def _blake() -> Any:
    return hashlib.blake2b(digest_size=12)


def _special(header: Header, which: str, size: int) -> int | None:
    found = header.values.get(f"tokenizer.ggml.{which}_token_id")
    return found if isinstance(found, int) and 0 <= found < size else None


def _chosen(workspace: Workspace, sequence: Ints, first: int) -> Floats:
    """ln p of the tokens that came."""
    if len(sequence) <= first:
        return np.zeros(0)
    workspace.clear()
    found, at = [], first
    for rows in workspace.logits(sequence[:-1], 0, first - 1):
        targets = sequence[at : at + len(rows)]
        at += len(rows)
        own = np.take_along_axis(rows, targets[:, None], axis=1)[:, 0].astype(np.float64)
        found.append(own - _log_sums(rows))
    return np.concatenate(found)


def _log_sums(rows: NDArray[np.float32]) -> Floats:
    """ln of the sum of exponentials of each row: these in float32, which is good to 1e-7, the sum in float64."""
    top = rows.max(axis=1)
    with np.errstate(invalid="ignore"):  # a NaN stays one, and is named where the score is made
        total = np.exp(rows - top[:, None]).sum(axis=1, dtype=np.float64)
        sums: Floats = top.astype(np.float64) + np.log(total)
    return sums


def _normalised(rows: NDArray[np.float32]) -> Floats:
    """Rows of ln p, which sum to one in float64."""
    logs = rows.astype(np.float64)
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


class _Steps:
    """Steps through a window; the cache is the number of tokens seen."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def step(self, ids: Ints, cache: Any) -> tuple[Floats, Any]:
        """Process some tokens: ln p of every id as the next."""
        if cache is None:
            self._workspace.clear()
        seen = cache or 0
        (row,) = self._workspace.logits(ids, seen, len(ids) - 1)
        return _normalised(row)[0], seen + len(ids)


class LlamaTokens(TokenUnits):
    """The tokens of a GGUF file as llama.cpp makes them, without any around a document."""

    kind = "gguf"

    def __init__(self, engine: Engine, header: Header, name: str, *, special: bool = False) -> None:
        self._engine, self._special = engine, special
        self._tokens = [engine.piece(token) for token in range(engine.size)]
        self.path = name
        self.name = f"{self.kind}:{label(name)}"
        self.fingerprint = f"{self.kind}/1{'+special' * special}@{header.tokenizer}"

    def _encode(self, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
        return [(self._engine.tokenize(text.encode(), special=self._special), ()) for text in texts]

    def _places(self, document: bytes, ids: Sequence[int], begins: Sequence[int]) -> list[int]:
        """About where each token begins, in a text that the tokens do not give back: llama.cpp does not say."""
        text = document.decode("utf-8", "replace")
        places, at = [], 0
        for token in ids:
            piece = (self._tokens[token] or b"").decode("utf-8", "replace").strip()
            found = text.find(piece, at, at + len(piece) + 16) if piece else -1
            places.append(found if found >= 0 else at)
            at = found + len(piece) if found >= 0 else at
        return places
