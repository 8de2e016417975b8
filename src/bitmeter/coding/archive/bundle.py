"""Models that travel in an archive, as files.

N-gram models, what the universal model has learned, mixtures of these, tables, and networks trained here.
What travels is compressed by zstd. An n-gram model is its file; of others there may be several files, each with its
name and size before it::

    magic (8 bytes), number of files (4); for each: size of its name (2), name, size (8), the file

Whole numbers have their little end first. The first file is the model; those after it are its components, or the other
files of a network's folder.
"""

from __future__ import annotations

import copy
import re
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

from bitmeter.coding.archive.format import damaged
from bitmeter.coding.archive.tables import read_table, write_table
from bitmeter.errors import ModelError
from bitmeter.models.baseline.tables import TableModel
from bitmeter.models.causal.trained.model import Neural
from bitmeter.models.mixture.cache import Cache, is_cache_name
from bitmeter.models.mixture.files import SUFFIX, read_mixture
from bitmeter.models.mixture.model import MixtureModel
from bitmeter.models.ngram.model import NGram
from bitmeter.models.registry import load
from bitmeter.models.universal.model import Universal

__all__ = ["BY_NAME", "pack_model", "unpack_model"]

MAGIC = b"BMPACK1\n"
#: Schemes whose models are made from their name alone, so that an archive may name them.
BY_NAME = ("kt", "uniform", "universal")
#: The largest that all files of a model may become; a hostile archive must not fill the disk.
LARGEST_FILES = 4 << 30
_NUMBER, _NAME, _SIZE = struct.Struct("<I"), struct.Struct("<H"), struct.Struct("<Q")
_MOST_FILES = 1000
#: The first file of a network, and that of a table.
_NETWORK, _TABLE = "model.json", "table.json"
_SOUND_NAME = re.compile(
    r"[a-z0-9]{1,16}\.(bmn|bmu|bmx)|(model|table|curve|tokenizer)\.json|weights\.safetensors|words\.txt"
)
_BLOCK = 1 << 20


def pack_model(model: Any) -> bytes:
    """A model as bytes that can travel; an error says why it cannot."""
    import zstandard

    with tempfile.TemporaryDirectory(prefix="bitmeter-") as folder:
        here = Path(folder)
        if isinstance(model, NGram):
            copy.copy(model).save(here / "model.bmn")  # a copy: where the model itself lies stays as it is
            return zstandard.ZstdCompressor(level=9).compress((here / "model.bmn").read_bytes())
        names = _files_of(model, here)
        made = here / "packed"
        packer = zstandard.ZstdCompressor(level=9)
        with made.open("wb") as file, packer.stream_writer(file, closefd=False) as out:
            out.write(MAGIC + _NUMBER.pack(len(names)))
            for name in names:
                size = (here / name).stat().st_size
                out.write(_NAME.pack(len(name)) + name.encode() + _SIZE.pack(size))
                with (here / name).open("rb") as source:
                    shutil.copyfileobj(source, out, _BLOCK)
        return made.read_bytes()


def _files_of(model: Any, folder: Path) -> list[str]:
    """The names of the files of a model, which are written into a folder; the first is that of the model."""
    if isinstance(model, Universal) and model.learned:
        _again(model).save(folder / "model.bmu")
        return ["model.bmu"]
    if isinstance(model, MixtureModel):
        names, parts = ["model.bmx"], []
        for place, part in enumerate(model.components):
            kept = copy.copy(part)
            if isinstance(part, NGram):
                names.append(f"part{place}.bmn")
                kept.save(folder / names[-1])
            elif isinstance(part, Universal) and part.learned:
                names.append(f"part{place}.bmu")
                kept = _again(part)
                kept.save(folder / names[-1])
            elif not isinstance(part, Cache):
                _check_named(part, f"its component {part.name}")
            parts.append(kept)
        model.with_components(parts).save(folder / "model.bmx")
        return names
    if isinstance(model, TableModel) and write_table(model, folder / _TABLE):
        _check_same(model, read_table(folder / _TABLE, model.name))
        return [_TABLE]
    if isinstance(model, Neural):
        copy.copy(model).save(folder)
        _check_same(model, _coding(Neural.load(folder)))
        return [_NETWORK, *sorted(path.name for path in folder.iterdir() if path.name != _NETWORK)]
    _check_named(model, model.name)
    message = f"{model.name} has no file that could travel along; its name is enough, or leave embed out (--embed)"
    raise ModelError(message)


def _coding(model: Any) -> Any:
    """A network as it codes: one of words spells those that it does not know."""
    return model.with_oov("spelled") if model.oov_ways else model


def _check_same(model: Any, again: Any) -> None:
    """Refuse a model that would be another after its travel: one that reads otherwise than as it was saved."""
    if again.fingerprint != model.fingerprint:
        message = (
            f"{model.name} ({model.fingerprint}) would be another model when it is unpacked ({again.fingerprint}); "
            "leave embed out (--embed), and give it to whoever decodes"
        )
        raise ModelError(message, value=model.name)


def _made_by_name(name: str) -> bool:
    """Whether a name says all of a model: no file and no address is in it."""
    scheme, _, rest = name.partition(":")
    return scheme in BY_NAME and rest.isalnum() == bool(rest)


def _again(model: Universal) -> Universal:
    """The same model as another object: where the model itself lies stays as it is."""
    return model._with(model.core())


def _check_named(model: Any, what: str) -> None:
    """Refuse a model that has neither a file that can travel nor a name from which it is made."""
    if not _made_by_name(str(model.name)) or load(str(model.name)).fingerprint != model.fingerprint:
        message = (
            f"{what} has no file that could travel along; save the model, and give it to whoever decodes (leave embed "
            "out: --embed)"
        )
        raise ModelError(message)


def unpack_model(packed: bytes, name: str, folder: Path) -> Any:
    """The model from what `pack_model` made, by files in a folder; nothing in it is trusted."""
    import zstandard

    content = folder / "content"
    try:
        with content.open("wb") as file:
            _copy(zstandard.ZstdDecompressor().stream_reader(packed), file, LARGEST_FILES, name)
    except zstandard.ZstdError as error:
        raise damaged(name, "the model inside cannot be unpacked") from error
    with content.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            model = NGram.load(content.rename(folder / "model.bmn"))
            model.verify()
            return model
        names = _split_files(file, name, folder)
    content.unlink()
    if names[0] == _TABLE:
        return read_table(folder / _TABLE, name)
    if names[0] == _NETWORK:
        return Neural.load(folder)
    _check_components(folder / names[0], names, name)
    model = load(str(folder / names[0]))
    for part in (model, *getattr(model, "components", ())):
        if isinstance(part, NGram):
            part.verify()
    return model


def _check_components(path: Path, names: list[str], name: str) -> None:
    """A mixture that came along may name no other files than those beside it, and no models of the world outside."""
    if path.suffix != SUFFIX:
        return
    beside = {str(path.parent / called) for called in names}
    for part in read_mixture(path).models:
        if part not in beside and not is_cache_name(part) and not _made_by_name(part):
            raise damaged(name, f"the mixture inside names {part!r:.60}, which did not come along")


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


def _exactly(file: BinaryIO, size: int, name: str) -> bytes:
    found = file.read(size)
    if len(found) < size:
        raise damaged(name, "the model inside is cut short")
    return found


def _copy(source: Any, target: BinaryIO, most: int, name: str) -> None:
    left = most
    while block := source.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise damaged(name, f"the model inside would take more than {most:,} bytes")
        target.write(block)
