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
from typing import BinaryIO, Protocol

from bitmeter.coding.archive.format import damaged
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Bundled, Model
from bitmeter.models.registry import is_named, unbundle, unbundles

__all__ = ["pack_model", "unpack_model"]

MAGIC = b"BMPACK1\n"
#: The largest that all files of a model may become; a hostile archive must not fill the disk.
LARGEST_FILES = 4 << 30
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
    with tempfile.TemporaryDirectory(prefix="bitmeter-") as name, tempfile.TemporaryFile(prefix="bitmeter-") as made:
        folder = Path(name)
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


def unpack_model(packed: bytes, name: str, folder: Path) -> Model:
    """The model from what `pack_model` made, by files in a folder; nothing in it is trusted."""
    import zstandard

    content, files = folder / "content", folder / "model"
    files.mkdir()
    try:
        with content.open("wb") as file:
            _copy(zstandard.ZstdDecompressor().stream_reader(packed), file, LARGEST_FILES, name)
    except zstandard.ZstdError as error:
        raise damaged(name, "the model inside cannot be unpacked") from error
    with content.open("rb") as file:
        several = file.read(len(MAGIC)) == MAGIC
        first = _split_files(file, name, files)[0] if several else _ALONE
    if several:
        content.unlink()
    else:
        content.rename(files / _ALONE)
    return unbundle(files, first, name)


def _split_files(file: BinaryIO, name: str, folder: Path) -> list[str]:
    """Write the files that follow into the folder; their names."""
    number = _NUMBER.unpack(_exactly(file, _NUMBER.size, name))[0]
    if not 1 <= number <= _MOST_FILES:
        raise damaged(name, "the model inside has no sound number of files")
    names: list[str] = []
    for _ in range(number):
        size = _NAME.unpack(_exactly(file, _NAME.size, name))[0]
        called = _exactly(file, size, name).decode("ascii", "replace")
        if not _SOUND_NAME.fullmatch(called) or called in names:
            raise damaged(name, "a file of the model inside has no sound name")
        left = _SIZE.unpack(_exactly(file, _SIZE.size, name))[0]
        with (folder / called).open("wb") as out:
            while left:
                block = file.read(min(_BLOCK, left))
                if not block:
                    raise damaged(name, "the model inside is cut short")
                out.write(block)
                left -= len(block)
        names.append(called)
    if file.read(1):
        raise damaged(name, "the model inside goes on after its end")
    return names


class Readable(Protocol):
    """What can be read from."""

    def read(self, size: int) -> bytes:
        """The next bytes."""


def _exactly(file: BinaryIO, size: int, name: str) -> bytes:
    found = file.read(size)
    if len(found) < size:
        raise damaged(name, "the model inside is cut short")
    return found


def _copy(source: Readable, target: BinaryIO, most: int, name: str) -> None:
    left = most
    while block := source.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise damaged(name, f"the model inside would take more than {most:,} bytes")
        target.write(block)
