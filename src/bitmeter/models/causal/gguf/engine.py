"""llama.cpp by its lowest calls: a file's network and vocabulary, and logits for the tokens of a window.

Nothing above `llama_decode` is used. What llama-cpp-python builds on it pairs tokens with the wrong logits where a
model adds no BOS, and chooses for itself what stands before a text.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.optional import require
from bitmeter.errors import ModelError

__all__ = ["ATTENTIONS", "Engine", "Workspace"]

Ints = NDArray[np.int64]
#: Logits that exist at once: 128 MB of float32.
_LOGITS = 1 << 25
#: How many tokens go through the network at once by default; llama.cpp's own choice.
_BATCH = 512
_ERROR = 4  # as ggml.h numbers it
#: In what keys, values and attention may be computed; the first is llama.cpp's own choice.
ATTENTIONS = ("f16", "f32")

#: The last errors of llama.cpp, which writes them to a log and returns nothing.
_complaints: deque[str] = deque(maxlen=4)
_listener: Any = None


def _listen(api: Any) -> None:
    """Keep what llama.cpp logs from the terminal, and its errors for our messages."""
    global _listener  # the log is one for the whole process, and what it calls must stay alive
    if _listener is None:

        def hear(level: int, text: bytes, _: Any) -> None:
            if level == _ERROR:
                _complaints.append(text.decode("utf-8", "replace").strip())

        _listener = api.llama_log_callback(hear)
        api.llama_log_set(_listener, ctypes.c_void_p(0))
        api.llama_backend_init()


def _reason() -> str:
    reason = "; ".join(_complaints)
    _complaints.clear()
    return f" llama.cpp says: {reason}"[:400] if reason else ""


class Engine:
    """A GGUF file in llama.cpp.

    Parameters
    ----------
    path
        The file.
    threads
        How many threads compute; 0 for one a processor.
    batch
        How many tokens go through the network at once; 0 for 512, or fewer where the vocabulary is large.
    gpu
        Whether layers may lie on a GPU, where llama.cpp was built for one.
    attention
        One of `ATTENTIONS`.
    """

    def __init__(self, path: Path, *, threads: int, batch: int, gpu: bool, attention: str) -> None:
        self.api = require("llama_cpp", "Running a GGUF file by llama.cpp")
        _listen(self.api)
        _complaints.clear()
        settings = self.api.llama_model_default_params()
        if not gpu:
            settings.n_gpu_layers = 0
        self.network = self.api.llama_model_load_from_file(os.fsencode(path), settings)
        if not self.network:
            message = f"{path.name} cannot be loaded by llama.cpp; try engine=transformers.{_reason()}"
            raise ModelError(message, value=str(path))
        self.open: dict[int, tuple[Any, Any]] = {}
        weakref.finalize(self, _free_all, self.api, self.network, self.open)
        if self.api.llama_model_has_encoder(self.network) or not self.api.llama_model_has_decoder(self.network):
            message = f"{path.name} is not a causal language model: it has an encoder, or no decoder"
            raise ModelError(message, value=str(path))
        self.vocabulary = self.api.llama_model_get_vocab(self.network)
        self.size = int(self.api.llama_vocab_n_tokens(self.vocabulary))
        self.context = int(self.api.llama_model_n_ctx_train(self.network))
        self.attention = attention
        self.threads = threads or _processors()
        self.batch = batch or max(32, min(_BATCH, _LOGITS // max(1, self.size)))
        self._kept: Workspace | None = None
        self._lock = threading.Lock()

    @property
    def version(self) -> str:
        """That of llama-cpp-python, which carries one of llama.cpp."""
        return str(self.api.__version__)

    def workspace(self, window: int) -> Workspace:
        """A new workspace for windows of so many tokens."""
        return Workspace(self, window)

    @contextlib.contextmanager
    def shared(self, window: int) -> Iterator[Workspace]:
        """One that is kept for the next time, for one user at a time."""
        with self._lock:
            if self._kept is None or self._kept.window != window:
                self._kept = None  # its memory goes before the new one's comes
                self._kept = self.workspace(window)
            yield self._kept

    # ---- tokens --------------------------------------------------------------------------------------------------

    def tokenize(self, text: bytes, *, special: bool = False) -> list[int]:
        """The tokens of a text; nothing is put around it. The names of special tokens are text, unless `special`."""
        if len(text) >= 1 << 31:
            message = f"llama.cpp tokenises at most 2 GB at once; a document has {len(text):,} bytes (--docs splits)"
            raise ModelError(message, value=len(text))
        room = len(text) + 16
        found = (ctypes.c_int32 * room)()
        number = self.api.llama_tokenize(self.vocabulary, text, len(text), found, room, False, special)
        if number < 0:
            message = f"llama.cpp cannot tokenise a document of {len(text):,} bytes.{_reason()}"
            raise ModelError(message)
        return found[:number]

    def piece(self, token: int) -> bytes | None:
        """The bytes that a token stands for; None for control tokens and the unknown one."""
        attributes = self.api.llama_vocab_get_attr(self.vocabulary, token)
        if attributes & (self.api.LLAMA_TOKEN_ATTR_UNKNOWN | self.api.LLAMA_TOKEN_ATTR_CONTROL):
            return None
        room = 64
        while True:
            found = ctypes.create_string_buffer(room)
            size = self.api.llama_token_to_piece(self.vocabulary, token, found, room, 0, False)
            if size >= 0:
                return found.raw[:size]
            room = -size


class Workspace:
    """A llama.cpp context: keys and values for one window."""

    def __init__(self, engine: Engine, window: int) -> None:
        api = engine.api
        self.window = window
        self._engine, self._api = engine, api
        settings = api.llama_context_default_params()
        settings.n_ctx = window
        settings.n_batch = settings.n_ubatch = self._room = min(engine.batch, window)
        settings.n_threads = settings.n_threads_batch = engine.threads
        settings.no_perf = True
        if engine.attention == "f32":
            settings.type_k = settings.type_v = api.GGML_TYPE_F32
            settings.flash_attn_type = api.LLAMA_FLASH_ATTN_TYPE_DISABLED  # it rounds to half precision by itself
        self._context = api.llama_init_from_model(engine.network, settings)
        if not self._context:
            message = f"llama.cpp has no room for a window of {window:,} tokens; give a shorter one (--ctx).{_reason()}"
            raise ModelError(message, value=window)
        self._memory = api.llama_get_memory(self._context)
        self._batch = api.llama_batch_init(self._room, 0, 1)
        number = next(_numbers)
        engine.open[number] = (self._context, self._batch)
        weakref.finalize(self, _free, api, engine.open, number)
        for place in range(self._room):
            self._batch.n_seq_id[place] = 1
            self._batch.seq_id[place][0] = 0

    def clear(self) -> None:
        """Clear the cache."""
        if self._memory:
            self._api.llama_memory_clear(self._memory, True)

    def logits(self, ids: Ints, seen: int, first: int) -> Iterator[NDArray[np.float32]]:
        """Process more tokens after `seen` others; yields rows of logits for those from `first` on.

        Rows are of the engine's own memory: they hold until the next are asked for.
        """
        fields = (self._batch.token, self._batch.pos, self._batch.logits)
        tokens, positions, wanted = (np.ctypeslib.as_array(field, (self._room,)) for field in fields)
        for begin in range(0, len(ids), self._room):
            part = ids[begin : begin + self._room]
            size = len(part)
            tokens[:size] = part
            positions[:size] = np.arange(seen + begin, seen + begin + size)
            wanted[:size] = np.arange(begin, begin + size) >= first
            self._batch.n_tokens = size
            failed = self._api.llama_decode(self._context, self._batch)
            if failed:
                message = f"llama.cpp could not compute a window of {seen + len(ids):,} tokens ({failed}).{_reason()}"
                raise ModelError(message, value=failed)
            rows = min(size, begin + size - first)
            if rows > 0:
                found = self._api.llama_get_logits(self._context)
                yield np.ctypeslib.as_array(found, (rows, self._engine.size))


#: Contexts are counted, so that each is freed once, by itself or with its network.
_numbers = itertools.count()


def _free(api: Any, kept: dict[int, tuple[Any, Any]], number: int) -> None:
    """Free a context, unless its network has freed it."""
    if number in kept:
        context, batch = kept.pop(number)
        api.llama_batch_free(batch)
        api.llama_free(context)


def _free_all(api: Any, network: Any, kept: dict[int, tuple[Any, Any]]) -> None:
    """Free a network, its contexts first: they use it when they are freed, and Python may collect it before them."""
    for number in list(kept):
        _free(api, kept, number)
    api.llama_model_free(network)


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
