"""The head of a GGUF file: what it says of itself, and whether all of its weights are there.

Files are untrusted: every length is held against the file's own before it is used, so that a file that is cut or
damaged is named as such before anything large is read.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from bitmeter._util.optional import require
from bitmeter.errors import DamagedSourceError, ModelError

__all__ = ["Header", "read_header"]

_MAGIC = b"GGUF"
#: Version 1 counted in 32 bits; no program of today writes it.
_VERSIONS = (2, 3)
#: How a value of each kind is packed; strings (8) and arrays (9) have a length of their own.
_FORMATS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_ALIGNMENT = 32


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says of itself.

    Attributes
    ----------
    values
        Its numbers, words and truths by their names; of an array only the length.
    kind
        How most of the numbers are stored: "f32", "q8_0".
    tokenizer
        A hash of all that it says of its tokens.
    """

    values: dict[str, Any]
    kind: str
    tokenizer: str


def read_header(path: Path) -> Header:
    """Read the head of a file, and hold what it promises against its size."""
    with path.open("rb") as file:
        if file.read(4) != _MAGIC:
            message = f"{path} is not a GGUF file: it does not begin with the letters GGUF"
            raise ModelError(message, value=str(path))
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data, str(path)).header()


class _Reader:
    def __init__(self, data: mmap.mmap, path: str) -> None:
        self._data, self._path, self._at = data, path, 4

    def header(self) -> Header:
        version = self._number("<I")
        if version not in _VERSIONS:
            message = f"{self._path} is GGUF of version {version}; versions {_VERSIONS[0]} and {_VERSIONS[1]} are read"
            raise ModelError(message, value=version)
        tensors, entries = self._number("<Q"), self._number("<Q")
        values = {}
        tokens = hashlib.sha256()
        for _ in range(entries):
            begin = self._at
            name = self._string()
            values[name] = self._value(self._number("<I"))
            if name.startswith("tokenizer.ggml."):
                tokens.update(self._data[begin : self._at])
        if values.get("split.count", 1) not in (0, 1):
            message = f"{self._path} is one part of several; put them together first (llama-gguf-split --merge)"
            raise ModelError(message, value=self._path)
        kind = self._check_weights(tensors, values.get("general.alignment", _ALIGNMENT))
        return Header(values, kind, tokens.hexdigest())

    def _fail(self, what: str) -> NoReturn:
        message = f"{self._path} is cut short or damaged: {what}. Fetch or convert it again"
        raise DamagedSourceError(message, path=self._path)

    def _take(self, size: int) -> int:
        """Go on by so many bytes, and say where they begin."""
        begin = self._at
        if size > len(self._data) - begin:
            self._fail(f"it ends within its head, after {len(self._data):,} bytes")
        self._at += size
        return begin

    def _number(self, form: str) -> Any:
        return struct.unpack_from(form, self._data, self._take(struct.calcsize(form)))[0]

    def _string(self) -> str:
        size = self._number("<Q")
        begin = self._take(size)
        return self._data[begin : begin + size].decode("utf-8", "replace")

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            inner, size = self._number("<I"), self._number("<Q")
            if inner in _FORMATS:
                self._take(size * struct.calcsize(_FORMATS[inner]))
            elif inner == _STRING:
                for _ in range(size):
                    self._take(self._number("<Q"))
            else:
                self._fail(f"it holds a list of values of the unknown kind {inner}")
            return size
        if kind not in _FORMATS:
            self._fail(f"it holds a value of the unknown kind {kind}")
        return self._number(_FORMATS[kind])

    def _check_weights(self, tensors: int, alignment: Any) -> str:
        """How most weights are stored, after a look at whether the file has room for all."""
        gguf = require("gguf", "Reading a GGUF file")
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            self._fail(f"its alignment is {alignment!r:.40}")
        known = {int(stored) for stored in gguf.GGML_QUANT_SIZES}
        numbers: Counter[str] = Counter()
        end = 0
        for _ in range(tensors):
            name = self._string()
            dimensions = [self._number("<Q") for _ in range(min(self._number("<I"), 9))]
            kind, offset = self._number("<I"), self._number("<Q")
            if kind not in known:
                self._fail(f"the weight {name!r:.60} is stored in the unknown way {kind}")
            stored = gguf.GGMLQuantizationType(kind)
            block, size = gguf.GGML_QUANT_SIZES[stored]
            count = 1
            for dimension in dimensions:
                count *= dimension
            numbers[stored.name.lower()] += count
            end = max(end, offset + -(-count // block) * size)
        if not numbers:
            message = f"{self._path} holds no weights: it is a vocabulary alone"
            raise ModelError(message, value=self._path)
        begin = -(-self._at // alignment) * alignment
        if begin + end > len(self._data):
            self._fail(f"its weights end at byte {begin + end:,}, but it has {len(self._data):,}")
        return numbers.most_common(1)[0][0]
