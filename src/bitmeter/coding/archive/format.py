"""Archives: a text coded by a model, with all that is needed to know whether it came back whole.

An archive (.bmz) is::

    magic (8 bytes), version (2), zero (2), size of the header (4)
    header: JSON, padded with spaces; then its CRC-32, all bytes before included
    the model, where it travels along
    blocks: bytes of text (4), coded bytes (4), CRC-32 of both and of the coded bytes (4), coded bytes

Whole numbers have their little end first. The header holds the model's name and fingerprint, the units, the precision,
the length of the text and its SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from bitmeter._util.progress import Progress, Step
from bitmeter._version import __version__
from bitmeter.coding.coders import PRECISION, Coder, coder_of
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.protocols import Model

__all__ = ["ArchiveHeader", "ArchiveReader", "ArchiveWriter", "read_header"]

MAGIC = b"\x89BMZ\r\n\x1a\n"
VERSION = 1
#: How many bytes of text are coded at once.
BLOCK = 1 << 20
_START = struct.Struct("<8sHHI")
_FRAME = struct.Struct("<III")
_CRC = struct.Struct("<I")
_LONGEST_HEADER = 1 << 16
_LONGEST_BLOCK = 1 << 30


@dataclass(frozen=True, slots=True)
class ArchiveHeader:
    """What an archive says of itself.

    Attributes
    ----------
    model, fingerprint
        By which model it was coded.
    units
        What that model predicts.
    precision
        Bits of the whole numbers that stand for probabilities.
    bytes, sha256
        The length and the hash of the text.
    embedded, embedded_sha256
        How many bytes of the archive are the model itself, and their hash.
    version
        The bitmeter that wrote it.
    """

    model: str
    fingerprint: str
    units: str
    precision: int
    bytes: int
    sha256: str
    embedded: int = 0
    embedded_sha256: str = ""
    version: str = __version__

    @property
    def size(self) -> int:
        """How many bytes the header takes in the file."""
        return len(_pack(self))


def _pack(header: ArchiveHeader) -> bytes:
    fields = {name: getattr(header, name) for name in ArchiveHeader.__slots__}
    text = json.dumps(fields, ensure_ascii=True)
    # The length is known last: room for the longest is kept.
    room = len(json.dumps({**fields, "bytes": 2**63, "sha256": "0" * 64}, ensure_ascii=True))
    body = text.ljust(room).encode()
    start = _START.pack(MAGIC, VERSION, 0, len(body)) + body
    return start + _CRC.pack(zlib.crc32(start))


def read_header(file: BinaryIO, name: str) -> ArchiveHeader:
    """The header of an archive; an error says what is wrong with it."""
    start = file.read(_START.size)
    if not start.startswith(MAGIC[:4]):
        message = f"{name} is not an archive of bitmeter; make one with: bitmeter compress MODEL FILE -o {name}"
        raise FileFormatError(message, value=name)
    if len(start) < _START.size or start[:8] != MAGIC:
        raise damaged(name, "its first bytes are not those of an archive, as after a transfer as text")
    _, version, zero, size = _START.unpack(start)
    if version > VERSION:
        message = (
            f"{name} was written by a newer bitmeter (format {version}; this one reads up to {VERSION}); update it"
        )
        raise FileFormatError(message, value=name)
    if version != VERSION or zero != 0 or size > _LONGEST_HEADER:
        raise damaged(name, "its header is not one")
    body = file.read(size)
    check = file.read(_CRC.size)
    if len(check) < _CRC.size or _CRC.unpack(check)[0] != zlib.crc32(start + body):
        raise damaged(name, "its header is cut short or has a wrong checksum")
    try:
        fields = json.loads(body)
        header = ArchiveHeader(**fields)
    except (ValueError, TypeError, RecursionError) as error:
        raise damaged(name, "its header cannot be read") from error
    numbers = (header.precision, header.bytes, header.embedded)
    if not all(type(number) is int and 0 <= number < 2**63 for number in numbers):
        raise damaged(name, "its header cannot be read")
    if not all(isinstance(getattr(header, key), str) for key in ("model", "fingerprint", "units", "sha256", "version")):
        raise damaged(name, "its header cannot be read")
    return header


def damaged(name: str, what: str) -> FileFormatError:
    """A file that is not what was written."""
    message = f"{name} is damaged: {what}; fetch it again"
    return FileFormatError(message, value=name)


class ArchiveWriter:
    """An archive being written to a file that can be gone back in."""

    def __init__(self, file: BinaryIO, model: Model, embedded: bytes, progress: Progress | None) -> None:
        self._file, self._model, self._progress = file, model, progress
        self._hash, self._length = hashlib.sha256(), 0
        self._embedded = embedded
        self.coder: Coder = coder_of(model, watch=self._watch)
        self.payload = 0
        self._total: int | None = None
        file.write(_pack(self.header()))
        file.write(embedded)

    def header(self) -> ArchiveHeader:
        """As it is so far."""
        model, embedded = self._model, self._embedded
        return ArchiveHeader(
            str(model.name), str(model.fingerprint), str(model.units.name), PRECISION, self._length,
            self._hash.hexdigest(), len(embedded), hashlib.sha256(embedded).hexdigest() if embedded else "",
        )  # fmt: skip

    def _watch(self, done: int) -> None:
        if self._progress is not None:
            self._progress(Step(self._length + done, self._total, stage="coding"))

    def take(self, source: BinaryIO, total: int | None) -> ArchiveHeader:
        """Code all of a source."""
        self._total = total
        held, wanted = b"", BLOCK
        while True:
            piece = source.read(wanted)
            data = held + piece
            final = len(piece) == 0
            if data:
                coded, done = self.coder.encode(data, final)
                if done:
                    self._frame(data[:done], coded)
                held = data[done:]
                # A unit that does not end is asked for again with twice as much, or the time would be quadratic.
                wanted = BLOCK if done else max(BLOCK, len(data))
            if final:
                break
        self._file.seek(0)
        header = self.header()
        self._file.write(_pack(header))
        self._file.seek(0, 2)
        return header

    def _frame(self, text: bytes, coded: bytes) -> None:
        sizes = struct.pack("<II", len(text), len(coded))
        self._file.write(sizes + _CRC.pack(zlib.crc32(coded, zlib.crc32(sizes))) + coded)
        self._hash.update(text)
        self._length += len(text)
        self.payload += len(coded)
        self._watch(0)


class ArchiveReader:
    """An archive being read, after its header and what travels along with it."""

    def __init__(
        self, file: BinaryIO, header: ArchiveHeader, model: Model, name: str, progress: Progress | None = None
    ) -> None:
        self._file, self._header, self._name, self._progress = file, header, name, progress
        if model.fingerprint != header.fingerprint:
            message = (
                f"{name} was coded by {header.model} ({header.fingerprint}), and this model is {model.name} "
                f"({model.fingerprint}); decoding needs the very same one (--model)"
            )
            raise ModelError(message, value=model.fingerprint)
        self._done = 0
        self._coder = coder_of(model, watch=self._watch)

    def _watch(self, done: int) -> None:
        if self._progress is not None:
            self._progress(Step(self._done + done, self._header.bytes, stage="decoding"))

    def give(self, output: BinaryIO | None) -> None:
        """Decode everything into a file, or only check that it is what was coded."""
        digest = hashlib.sha256()
        while self._done < self._header.bytes:
            text = self._block()
            digest.update(text)
            self._done += len(text)
            if output is not None:
                output.write(text)
            self._watch(0)
        if self._file.read(1):
            raise damaged(self._name, "it goes on after its end")
        if digest.hexdigest() != self._header.sha256:
            message = (
                f"{self._name} was decoded to another text than was coded: the model's probabilities are not those of "
                "the machine that wrote it"
            )
            raise FileFormatError(message, value=self._name)

    def _block(self) -> bytes:
        head = self._file.read(_FRAME.size)
        if len(head) < _FRAME.size:
            raise damaged(self._name, f"it is cut short after {self._done:,} of {self._header.bytes:,} bytes of text")
        size, coded_size, check = _FRAME.unpack(head)
        if not 0 < size <= min(_LONGEST_BLOCK, self._header.bytes - self._done):
            raise damaged(self._name, f"after {self._done:,} bytes of text, a block has no sound length")
        coded = self._file.read(coded_size)
        if len(coded) < coded_size or zlib.crc32(coded, zlib.crc32(head[:8])) != check:
            raise damaged(self._name, f"after {self._done:,} bytes of text, its bytes are not those that were written")
        try:
            text = self._coder.decode(coded, size)
        except FileFormatError as error:
            raise damaged(self._name, f"after {self._done:,} bytes of text, {error}") from error
        if len(text) != size:
            raise damaged(self._name, f"after {self._done:,} bytes of text, a block has not the length that it says")
        return text
