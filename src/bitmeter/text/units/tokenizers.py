"""Tokenizers by the packages of others: Hugging Face tokenizer files, and what all tokenizers share.

Where the bytes of a document's tokens join to the document, they give the spans. Where they do not (the tokenizer
changed case, dropped white space, met bytes that are not UTF-8), spans come from the offsets that the tokenizer
reports: a token lasts from its first character until the next token begins, so that spans still partition the bytes,
and the document's bytes are counted in `Split.lossy`. A document of which a tokenizer keeps nothing is one unit with
the id `BLANK`.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Any, ClassVar, Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import flag, items, shown
from bitmeter._util.files import label, read_whole
from bitmeter._util.optional import require
from bitmeter.errors import BitmeterError, DamagedSourceError, InputTypeError, MissingSourceError, SourceError
from bitmeter.text.units.base import BLANK, Split, Units

__all__ = ["BYTE_OF", "META", "REPLACED", "FileUnits", "TokenUnits", "Tokenizer", "asking_tokenizer", "piece_bytes"]

#: Stands for a space in SentencePiece's tokens.
META = "\u2581"

#: More than any tokenizer has; the ids of a sound one leave few gaps.
_MOST_IDS = 1 << 24

#: A token that stands for one byte, where a character has no token of its own.
_BYTE_TOKEN = re.compile("<0x[0-9A-F]{2}>")


class TokenUnits(Units):
    """Base of all tokenizers. A document is split whole: its tokens may depend on all of it."""

    kind: ClassVar[str]
    path: str
    joins = True
    _tokens: list[bytes | None]

    @abstractmethod
    def _encode(self, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
        """For each text its ids, and at which character each token begins."""

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are."""
        return len(self._tokens)

    @property
    def token_bytes(self) -> tuple[bytes | None, ...]:
        """The bytes of each id; None for an id without bytes of its own."""
        return tuple(self._tokens)

    def join(self, ids: Any) -> bytes:
        """The bytes that the ids stand for; an id without bytes adds none."""
        found = list(items(ids, "ids", "a sequence of ids"))
        wrong = [i for i in found if not isinstance(i, int | np.integer) or not 0 <= i < len(self._tokens)]
        if wrong:
            message = f"ids holds {shown(wrong[0])}; each must be a whole number in 0..{len(self._tokens) - 1}"
            raise InputTypeError(message, value=wrong[0])
        return b"".join(self._tokens[i] or b"" for i in found)

    def _split(self, data: bytes, ends: Ints) -> Split:
        places = [0, *ends.tolist()]
        documents = [data[a:b] for a, b in pairwise(places)]
        encoded = self._encode(
            [document.decode("utf-8", "surrogateescape").translate(REPLACED) for document in documents]
        )
        ids: list[Ints] = []
        cuts: list[Ints] = []
        bounds = [0]
        lossy = 0
        for start, document, (numbers, begins) in zip(places, documents, encoded, strict=False):
            found, exact = self._spans(document, numbers, begins)
            lossy += 0 if exact else len(document)
            ids.append(np.asarray(numbers, dtype=np.int64) if len(found) == len(numbers) else np.array([BLANK]))
            cuts.append(found + start)
            bounds.append(bounds[-1] + len(found))
        empty = np.empty(0, dtype=np.int64)
        all_cuts = np.concatenate([*cuts, [len(data)]]).astype(np.int64)
        return Split(np.concatenate([empty, *ids]), all_cuts, np.array(bounds), lossy)

    def _spans(self, document: bytes, ids: Sequence[int], begins: Sequence[int]) -> tuple[Ints, bool]:
        """Where each token begins in the document's bytes, and whether the ids give the document back."""
        if not ids:  # the tokenizer kept nothing: one unit, so that no byte is lost
            return np.zeros(1 if document else 0, dtype=np.int64), not document
        tokens = [self._tokens[i] for i in ids]
        if None not in tokens:
            joined = b"".join(tokens)  # type: ignore[arg-type]
            extra = 1 if joined == b" " + document else 0  # the space that some tokenizers prepend
            if extra or joined == document:
                lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))  # type: ignore[arg-type]
                starts = np.maximum(np.cumsum(lengths) - lengths - extra, 0)
                return starts, True
        offsets = _core.split_chars(document, np.array([len(document)]))[1]
        places = np.asarray(self._places(document, ids, begins), dtype=np.int64)
        starts = offsets[np.minimum(places, len(offsets) - 1)]
        starts = np.maximum.accumulate(starts)
        starts[0] = 0
        return starts, False

    def _places(self, document: bytes, ids: Sequence[int], begins: Sequence[int]) -> Sequence[int]:
        """At which character each token begins: as the encoder reported."""
        return begins

    def _cut(self, data: bytes) -> int:
        return 0


class FileUnits(TokenUnits):
    """Tokens from the file of a tokenizer."""

    #: Whether the name of a special token in a text is that token.
    special = False

    def __init__(self, path: Any) -> None:
        data = _file(path)
        self._take(data, PurePath(path).name, str(path))

    @classmethod
    def from_data(cls, data: bytes, name: str) -> Self:
        """Units from the contents of such a file."""
        made = cls.__new__(cls)
        made._take(data, name, name)
        return made

    def _take(self, data: bytes, name: str, path: str) -> None:
        self._load(data, path)
        self._tokens = self._token_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        self.path = path
        self.name = f"{self.kind}:{label(name)}"
        self.fingerprint = f"{self.kind}/{self._rule}@{digest}"

    @property
    def _rule(self) -> str:
        """The version of how texts are split, for the fingerprint."""
        return "1"

    @abstractmethod
    def _load(self, data: bytes, path: str) -> None: ...

    @abstractmethod
    def _token_bytes(self, path: str) -> list[bytes | None]:
        """The bytes of each id; None for an id without bytes of its own."""


#: Bytes that are not UTF-8 are passed to tokenizers as replacement characters, one each.
REPLACED = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")


def _file(path: Any) -> bytes:
    try:
        return read_whole(Path(path))
    except TypeError as error:
        message = f"path is {shown(path)}; it must be the path of a tokenizer file"
        raise InputTypeError(message, value=path) from error
    except FileNotFoundError as error:
        message = f"there is no tokenizer file {shown(str(path))}; give the path of a tokenizer.json or a .model file"
        raise MissingSourceError(message, path=str(path)) from error
    except (OSError, ValueError) as error:
        message = f"{path} cannot be read: {error}"
        raise SourceError(message, path=str(path)) from error


@contextmanager
def asking_tokenizer(path: str) -> Iterator[None]:
    """Turn what the package `tokenizers` raises about a file into an error that names the file."""
    try:
        yield
    except BaseException as error:
        # The package raises bare Exception; where its Rust panics, something that is not even an Exception.
        if isinstance(error, BitmeterError) or not (isinstance(error, Exception) or _is_panic(error)):
            raise
        reason = " ".join(str(error).split())[:300]
        message = f"{path} is not a tokenizer file: {reason}. A Hugging Face model has it as tokenizer.json"
        raise DamagedSourceError(message, path=path) from error


def _is_panic(error: BaseException) -> bool:
    return type(error).__module__ == "pyo3_runtime"


class Tokenizer(FileUnits):
    """The tokens of a Hugging Face tokenizer file, without special tokens around a document.

    Truncation, padding and dropout in the file are ignored: every byte is split, and always the same way. A document is
    tokenised whole (`cut` is always 0), so that memory must hold the longest one. Text is text: ``<|endoftext|>``
    written out in a document is split like any other text, unless `special` says otherwise.

    Parameters
    ----------
    path
        A ``tokenizer.json``.
    special
        Take the name of a special token in a text for that token.
    """

    kind = "tokenizer"
    _data: bytes
    _has_special = False
    _encoder: _core.TextEncoder | None = None
    #: The package's, where it is needed.
    _package: Any = None

    def __init__(self, path: Any, *, special: bool = False) -> None:
        self.special = flag(special, "special")
        super().__init__(path)

    @classmethod
    def from_data(cls, data: bytes, name: str, *, special: bool = False) -> Self:
        """Units from the contents of such a file."""
        made = cls.__new__(cls)
        made.special = special
        made._take(data, name, name)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("_encoder", "_package")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._load(self._data, self.path)

    @property
    def encoder(self) -> _core.TextEncoder | None:
        """What splits in the core; None for kinds that the package splits."""
        return self._encoder

    @property
    def _rule(self) -> str:
        # Without special tokens nothing has changed since version 1, which took their names for them.
        return "1" if not self._has_special else "2+special" if self.special else "2"

    def _load(self, data: bytes, path: str) -> None:
        self._data = data
        try:
            self._encoder, self._has_special = _core.tokenizer_encoder(data, self.special)
        except _core.PieceUnsupportedError:
            with asking_tokenizer(path):
                self._package = self._by_package()
        except _core.PieceFormatError as error:
            message = f"{path} is not a tokenizer file: {error}. A Hugging Face model has it as tokenizer.json"
            raise DamagedSourceError(message, path=path) from error

    def _by_package(self) -> Any:
        tokenizers = require("tokenizers", "Splitting by a tokenizer of this kind")
        made = tokenizers.Tokenizer.from_buffer(self._data)
        made.no_truncation()
        made.no_padding()
        made.encode_special_tokens = not self.special
        if hasattr(made.model, "dropout") and made.model.dropout:
            made.model.dropout = None  # a split that is drawn at random is for training alone
        return made

    def _token_bytes(self, path: str) -> list[bytes | None]:
        if self._encoder is not None:
            return self._encoder.tokens()
        with asking_tokenizer(path):
            vocabulary = self._package.get_vocab(with_added_tokens=True)
            largest = max(vocabulary.values(), default=-1)
            if largest >= _MOST_IDS:  # writing it out, and the list below, take memory for each id up to the largest
                message = f"{path} is not a tokenizer file: its largest id is {largest:,}, beyond that of any tokenizer"
                raise DamagedSourceError(message, path=path)
            spec = json.loads(self._package.to_str())
        rules = json.dumps([spec.get("decoder"), spec.get("pre_tokenizer"), spec.get("normalizer")])
        byte_level = '"ByteLevel"' in rules
        meta = META in json.dumps(spec.get("decoder"), ensure_ascii=False) or '"Metaspace"' in rules
        fallback = bool(spec["model"].get("byte_fallback"))
        unknown = spec["model"].get("unk_token")
        added = {entry["content"] for entry in spec.get("added_tokens", [])}
        self._has_special = any(entry.get("special") for entry in spec.get("added_tokens", []))
        result: list[bytes | None] = [None] * (largest + 1)
        for token, number in vocabulary.items():
            if token == unknown:
                continue
            if token in added and not (fallback and _BYTE_TOKEN.fullmatch(token)):
                result[number] = token.encode()
            elif byte_level:
                result[number] = b"".join(BYTE_OF.get(char, char.encode()) for char in token)
            else:
                result[number] = piece_bytes(token, meta=meta, fallback=fallback)
        return result

    def _split(self, data: bytes, ends: Ints) -> Split:
        if self._encoder is not None:
            try:
                return Split(*self._encoder.split(data, ends))
            except _core.PieceUnsupportedError:  # such as a text that is not in the normal form of the file
                pass
        return super()._split(data, ends)

    def _encode(self, texts: list[str]) -> list[tuple[Sequence[int], Sequence[int]]]:
        with asking_tokenizer(self.path):
            if self._package is None:
                self._package = self._by_package()
            found = self._package.encode_batch(texts, add_special_tokens=False)
        return [(item.ids, [start for start, _ in item.offsets]) for item in found]


def _byte_level_alphabet() -> dict[str, bytes]:
    """The character that byte-level tokenizers write for each byte: itself if printable, else from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    unseen = [byte for byte in range(256) if byte not in seen]
    return {chr(byte): bytes([byte]) for byte in seen} | {
        chr(0x100 + place): bytes([byte]) for place, byte in enumerate(unseen)
    }


BYTE_OF = _byte_level_alphabet()


def piece_bytes(token: str, *, meta: bool, fallback: bool) -> bytes:
    """The bytes of a token in which `META` may stand for a space, and <0x0A> for a byte."""
    if fallback and _BYTE_TOKEN.fullmatch(token):
        return bytes.fromhex(token[3:5])
    return (token.replace(META, " ") if meta else token).encode()
