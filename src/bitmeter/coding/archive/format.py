"""Archives: a text coded by a model, with all that is needed to know whether it came back whole.

An archive (.bmz) is::

    header, see `bitmeter.coding.archive.header`
    the model, where it travels along
    blocks: bytes of text (4), coded bytes (4), CRC-32 of both and of the coded bytes (4), coded bytes

Where the code of a model that can learn a text without coding it is longer than the block, the block is stored as it
is: the highest bit of its coded bytes is set, and the header says that there are such blocks. The model learns it, in
both directions, as if it had been coded.

Whole numbers have their little end first. Nothing that a file says is believed before it is held against the file: a
block is at most as long as its coded bytes can hold, and decoding stops where they end.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from typing import BinaryIO

from bitmeter._util.progress import Progress, Step
from bitmeter.coding.archive.header import ArchiveHeader, can_be_compact, damaged, pack, read_header
from bitmeter.coding.archive.input import read_exactly, size_left
from bitmeter.coding.coders import PRECISION, Coder, coder_machine, coder_of
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.machine import differences
from bitmeter.models.protocols import Model

__all__ = ["ArchiveHeader", "ArchiveReader", "ArchiveWriter", "read_header"]

#: How many bytes of text are coded at once.
BLOCK = 1 << 20
_FRAME = struct.Struct("<III")
_CRC = struct.Struct("<I")
_LONGEST_BLOCK = 1 << 30
#: Of the number of coded bytes: the block is stored as it is.
_STORED = 1 << 31
#: A block longer than BLOCK, as of a word that does not end, has at most so many bytes of text per coded byte.
_DENSEST = 1 << 16
#: No byte of an archive stands for more bytes of text: a block without coded bytes is its frame alone.
_MOST_PER_BYTE = (1 << 20) // _FRAME.size + 1
#: No byte of text takes more coded bytes, and a block no more than so many beside.
_MOST_CODED, _MOST_BESIDE = 64, 4096


class ArchiveWriter:
    """An archive being written to a file that can be gone back in."""

    def __init__(
        self, file: BinaryIO, model: Model, embedded: bytes, progress: Progress | None, *, long_header: bool = False
    ) -> None:
        self._file, self._model, self._progress = file, model, progress
        self._hash, self._length = hashlib.sha256(), 0
        self._embedded, self._machine = embedded, coder_machine(model)
        self._compact = not (long_header or embedded or self._machine) and can_be_compact(model)
        self.coder: Coder = coder_of(model, watch=self._watch)
        self.payload = 0
        #: Bytes of text that are stored as they are.
        self.stored = 0
        self._total: int | None = None
        file.write(pack(self.header()))
        file.write(embedded)

    def header(self) -> ArchiveHeader:
        """As it is so far."""
        model, embedded = self._model, self._embedded
        return ArchiveHeader(
            str(model.name), str(model.fingerprint), str(model.units.name), PRECISION, self._length,
            self._hash.hexdigest(), len(embedded), hashlib.sha256(embedded).hexdigest() if embedded else "",
            machine=self._machine, compact=self._compact, stored=self.stored > 0,
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
        self._file.write(pack(header))
        self._file.seek(0, 2)
        return header

    def _frame(self, text: bytes, coded: bytes) -> None:
        stored = self.coder.skips and len(coded) > len(text)
        if stored:
            coded = text
            self.stored += len(text)
        sizes = struct.pack("<II", len(text), len(coded) | _STORED * stored)
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
            if model.name == header.model:
                message += ", or the bitmeter that wrote the archive, if the model comes with it"
            raise ModelError(message, value=model.fingerprint)
        if model.units.name != header.units:
            raise damaged(
                name, f"its header says that {header.model} predicts {header.units:.60}; it predicts {model.units.name}"
            )
        left = size_left(file)
        if left is not None and header.bytes > left * _MOST_PER_BYTE:
            raise damaged(
                name, f"it says that it holds {header.bytes:,} bytes of text; its {left:,} coded bytes cannot"
            )
        self._done = 0
        self._model = model
        self._coder = coder_of(model, watch=self._watch, noted=header.machine)

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
        if not digest.hexdigest().startswith(self._header.sha256):
            wrong = self._undecoded("", "it was decoded to another text than was coded")
            raise wrong

    def _block(self) -> bytes:
        head = self._file.read(_FRAME.size)
        if len(head) < _FRAME.size:
            raise damaged(self._name, f"it is cut short after {self._done:,} of {self._header.bytes:,} bytes of text")
        size, coded_size, check = _FRAME.unpack(head)
        where = f"after {self._done:,} bytes of text"
        stored = self._header.stored and coded_size >= _STORED
        if stored:
            coded_size -= _STORED
            if coded_size != size:
                raise damaged(self._name, f"{where}, a block that is stored as it is has two lengths")
            if not self._coder.skips:
                raise damaged(self._name, f"{where}, a block is stored as it is, which {self._header.model} never does")
        if not 0 < size <= min(self._longest(coded_size), self._header.bytes - self._done):
            raise damaged(self._name, f"{where}, a block has no sound length")
        if coded_size > _MOST_CODED * size + _MOST_BESIDE:
            raise damaged(self._name, f"{where}, a block has more coded bytes than its text can take")
        coded = read_exactly(self._file, coded_size)
        if coded is None or zlib.crc32(coded, zlib.crc32(head[:8])) != check:
            raise damaged(self._name, f"{where}, its bytes are not those that were written")
        if stored:
            self._coder.skip(coded)
            return coded
        try:
            text = self._coder.decode(coded, size)
        except FileFormatError as error:
            raise self._undecoded(where, str(error)) from error
        if len(text) != size:
            wrong = self._undecoded(where, "a block has not the length that it says")
            raise wrong
        return text

    def _longest(self, coded_size: int) -> int:
        """The most bytes of text that a block with so many coded bytes may have."""
        if not self._coder.long_blocks:
            return BLOCK
        return max(BLOCK, min(_LONGEST_BLOCK, _DENSEST * coded_size))

    def _undecoded(self, where: str, what: str) -> FileFormatError:
        """The error for bytes that are those that were written, and yet do not decode to the text."""
        what = f"{where}, {what}" if where else what
        here = self._model.machine if self._header.machine else coder_machine(self._model)
        if not here:
            return damaged(self._name, what)
        found = differences(self._header.machine, here)
        if not self._header.machine:
            why = "it was written by a bitmeter that did not yet note the machine, so this may be another one"
        elif found:
            why = f"this is not the machine that wrote it: {'; '.join(found)}. Decode it where these agree"
        else:
            why = "this machine agrees with the one that wrote it in all that is noted, so the archive is damaged"
        message = (
            f"{self._name} cannot be decoded here: {what}. {self._header.model} predicts in floating point, whose last "
            f"bit depends on the machine; {why}"
        )
        return FileFormatError(message, value=self._name)
