"""Models that travel in an archive, as files.

N-gram models, what the universal model has learned, mixtures of these, tables, and networks trained here.
What travels is compressed by zstd. An n-gram model is its file; of others there may be several files, each with its
name and size before it::

    magic (8 bytes), number of files (4); for each: size of its name (2), name, size (8), the file

Whole numbers have their little end first. The first file is the model; those after it are its components, or the other
files of a network's folder.
"""

from __future__ import annotations

import re
import shutil
import struct
import tempfile
from pathlib import Path
from typing import BinaryIO

from bitmeter import _core
from bitmeter._util.leftovers import temporary_folder, temporary_place
from bitmeter.coding.archive.header import damaged
from bitmeter.coding.archive.input import Readable
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Bundled, Model
from bitmeter.models.registry import is_named, unbundle, unbundles
from bitmeter.models.universal.model import PRESETS

__all__ = ["pack_model", "unpack_model"]

MAGIC = b"BMPACK1\n"
#: The largest that all files of a model may become.
LARGEST_FILES = 4 << 30
#: Models shrink to a half or a tenth; what would grow more than so many times is refused beyond so many bytes.
_DENSEST, _FREE = 64, 1 << 26
#: What the universal model has learned, in the largest preset, with room for its header.
_LEARNED, _LARGEST_LEARNED = ".bmu", max(map(_core.universal_memory, range(len(PRESETS)))) + (1 << 20)
#: What zstd may keep of what it has unpacked; `pack_model` needs 8 MB.
_LARGEST_WINDOW = 1 << 25
_NUMBER, _NAME, _SIZE = struct.Struct("<I"), struct.Struct("<H"), struct.Struct("<Q")
_MOST_FILES = 1000
#: A model that is this one file travels as it is, without a list of files.
_ALONE = "model.bmn"
_SOUND_NAME = re.compile(
    r"[a-z0-9]{1,16}\.(bmn|bmu|bmx)|(model|table|curve|tokenizer)\.json|weights\.safetensors|words\.txt"
)
_BLOCK = 1 << 20


def pack_model(model: Model) -> bytes:
    """A model as bytes that can travel; an error says why it cannot."""
    import zstandard

    if not isinstance(model, Bundled) or not model.needs_file:
        raise _no_file(model)
    if not unbundles(model):
        message = (
            f"{model.name} is a {type(model).__name__} of another package, which a decoder cannot unpack; give "
            "the model to whoever decodes (leave embed out: --embed)"
        )
        raise ModelError(message, value=model.name)
    packer = zstandard.ZstdCompressor(level=9)
    with temporary_folder() as folder, tempfile.TemporaryFile(dir=temporary_place()) as made:
        names = model.bundle(folder)
        if names == [_ALONE]:
            return packer.compress((folder / _ALONE).read_bytes())
        with packer.stream_writer(made, closefd=False) as out:
            out.write(MAGIC + _NUMBER.pack(len(names)))
            for file in names:
                size = (folder / file).stat().st_size
                out.write(_NAME.pack(len(file)) + file.encode() + _SIZE.pack(size))
                with (folder / file).open("rb") as source:
                    shutil.copyfileobj(source, out, _BLOCK)
        made.seek(0)
        return made.read()


def _no_file(model: Model) -> ModelError:
    if is_named(model):
        message = f"{model.name} has no file that could travel along; its name is enough, or leave embed out (--embed)"
    else:
        message = (
            f"{model.name} has no file that could travel along; save the model, and give it to whoever decodes (leave "
            "embed out: --embed)"
        )
    return ModelError(message)


def unpack_model(packed: BinaryIO, size: int, name: str, folder: Path) -> Model:
    """The model from what `pack_model` made, `size` bytes of a file, by files in a folder; nothing in it is trusted."""
    import zstandard

    folder.mkdir()
    reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(packed, closefd=False)
    content = _Content(reader, name, max(_FREE, _DENSEST * size))
    try:
        begin = content.read(len(MAGIC))
        if begin == MAGIC:
            return unbundle(folder, _split_files(content, folder)[0], name)
        with (folder / _ALONE).open("wb") as file:
            file.write(begin)
            while block := content.read(_BLOCK):
                file.write(block)
    except zstandard.ZstdError as error:
        raise damaged(name, "the model inside cannot be unpacked") from error
    return unbundle(folder, _ALONE, name)


def _split_files(content: _Content, folder: Path) -> list[str]:
    """Write the files that follow into the folder; their names."""
    name = content.name
    number = _NUMBER.unpack(content.exactly(_NUMBER.size))[0]
    if not 1 <= number <= _MOST_FILES:
        raise damaged(name, "the model inside has no sound number of files")
    names: list[str] = []
    for _ in range(number):
        size = _NAME.unpack(content.exactly(_NAME.size))[0]
        called = content.exactly(size).decode("ascii", "replace")
        if not _SOUND_NAME.fullmatch(called) or called in names:
            raise damaged(name, "a file of the model inside has no sound name")
        left = _SIZE.unpack(content.exactly(_SIZE.size))[0]
        if called.endswith(_LEARNED):  # mostly zeros until it has learned much, so its length says nothing
            content.allow(min(left, _LARGEST_LEARNED))
        with (folder / called).open("wb") as out:
            while left:
                block = content.read(min(_BLOCK, left))
                if not block:
                    raise damaged(name, "the model inside is cut short")
                out.write(block)
                left -= len(block)
        names.append(called)
    if content.read(1):
        raise damaged(name, "the model inside goes on after its end")
    return names


class _Content:
    """What is packed, up to a number of bytes: a hostile archive must not fill the disk."""

    def __init__(self, source: Readable, name: str, most: int) -> None:
        self._source, self.name = source, name
        self._most, self._read = most, 0

    def allow(self, more: int) -> None:
        """So many bytes more."""
        self._most = min(self._most + more, LARGEST_FILES)

    def read(self, size: int) -> bytes:
        """Up to `size` bytes; none at the end."""
        block = self._source.read(size)
        self._read += len(block)
        if self._read > min(self._most, LARGEST_FILES):
            raise damaged(self.name, f"the model inside would take more than {self._most:,} bytes")
        return block

    def exactly(self, size: int) -> bytes:
        """So many bytes."""
        found = b""
        while len(found) < size:
            block = self.read(size - len(found))
            if not block:
                raise damaged(self.name, "the model inside is cut short")
            found += block
        return found
