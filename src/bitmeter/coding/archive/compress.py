"""compress() and decompress(): any model that predicts, as a compressor whose files are as long as its score says."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from bitmeter._util.check import flag
from bitmeter._util.files import as_path, check_destination, label, replacing, unread
from bitmeter._util.leftovers import temporary_folder, temporary_place
from bitmeter._util.paths import is_inside
from bitmeter._util.progress import Progress
from bitmeter.coding.archive.bundle import pack_model, unpack_model
from bitmeter.coding.archive.format import ArchiveReader, ArchiveWriter
from bitmeter.coding.archive.header import ArchiveHeader, damaged, read_header
from bitmeter.coding.archive.input import size_left
from bitmeter.coding.coders import for_bytes
from bitmeter.errors import FileFormatError, InputTypeError, MissingSourceError, ModelError
from bitmeter.models.machine import Machine
from bitmeter.models.protocols import Model, Primable
from bitmeter.models.registry import is_named, names_model, primed, resolve

__all__ = ["Archive", "compress", "decompress"]

#: The largest model that travels along.
_LARGEST_EMBEDDED = 1 << 28
_BLOCK = 1 << 20
#: Schemes whose models are files.
_IN_FILES = ("ngram", "mixture", "neural")


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive, by its sizes.

    Attributes
    ----------
    path
        Where it is; "-" for standard output.
    model, fingerprint
        By which model it was coded.
    original
        How many bytes the text has.
    size
        How many bytes the archive has, all counted.
    payload
        How many of these are the coded text.
    embedded
        How many are the model.
    bits
        The length of the model's code before it became bytes: −log2 of the whole-number probabilities of all of the
        text, stored or not.
    stored
        How many bytes of the text are stored as they are, in blocks of which the model's code is longer than the text.
        Only then the payload may be less than `bits`.
    sha256
        The hash of the text.
    machine
        What decoding depends on where the model predicts in floating point: processor, versions, threads. Empty where
        the archive decodes on all machines.
    """

    path: str
    model: str
    fingerprint: str
    original: int
    size: int
    payload: int
    embedded: int
    bits: float
    sha256: str
    machine: Machine = field(default_factory=dict)
    stored: int = 0

    @property
    def bits_per_byte(self) -> float:
        """Of the whole archive, for each byte of the text; infinite for an empty text."""
        return 8.0 * self.size / self.original if self.original else float("inf")

    def __str__(self) -> str:
        saved = f", {self.bits_per_byte:.4f} bits per byte" if self.original else ""
        parts = [f"{self.payload:,} of text"]
        if self.stored:
            parts.append(f"{self.stored:,} of these stored as they are")
        if self.embedded:
            parts.append(f"{self.embedded:,} of the model")
        parts.append(f"{self.size - self.payload - self.embedded:,} of header and checksums")
        where = ""
        if self.machine:
            facts = ", ".join(f"{name} {value}" for name, value in self.machine.items())
            where = (
                f"\nnote: {self.model} predicts in floating point, so this decodes only "
                f"on machines like this one: {facts}"
            )
        return (
            f"{self.path}: {self.original:,} bytes in {self.size:,}{saved} ({', '.join(parts)}); decoded and compared"
            f"{where}"
        )


def compress(
    model: Any,
    source: Any,
    output: Any,
    *,
    embed: bool = False,
    prime: Any = None,
    long_header: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> Archive:
    r"""Write a text as an archive, decode it again, and only then say that it is there.

    Parameters
    ----------
    model
        A name such as "kt", the path of an n-gram model, a Distribution, or anything that predicts.
    source
        The path of a file, "-" for standard input, or bytes. What it holds is taken as it is: a .gz file is coded
        as the bytes that it has.
    output
        The path of the archive, "-" for standard output.
    embed
        Put the model into the archive, so that whoever decodes need not have it; its size counts. For n-gram models,
        what the universal model has learned, mixtures of these, tables, and networks trained here.
    prime
        A text that a model which learns as it reads (universal) reads before: a path, a Corpus, or bytes. Whoever
        decodes needs the same text, unless the model travels along.
    long_header
        Note fingerprint, units, version and the whole hash of the text in words, also for a model that is made from its
        name, whose header otherwise takes about 48 bytes.
    force
        Overwrite the archive.
    progress
        Called with a `Step` as it goes on.

    Returns
    -------
    Archive
        How large it is, and what of it is what.

    Examples
    --------
    >>> import bitmeter as bm, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "text.bmz"
    ...     made = bm.compress("kt", b"to be or not to be", path)
    ...     back = bm.decompress(path, pathlib.Path(folder) / "text")
    ...     made.payload, (pathlib.Path(folder) / "text").read_bytes()
    (16, b'to be or not to be')
    """
    _check_output(output, force=force)
    chosen = _predictor(model, prime)
    flag(embed, "embed")
    flag(long_header, "long_header")
    embedded = pack_model(chosen) if embed else b""
    if len(embedded) > _LARGEST_EMBEDDED:
        message = (
            f"{chosen.name} takes {len(embedded):,} bytes, which is too much to travel along; leave embed out (--embed)"
        )
        raise ModelError(message)
    with _input(source, "source") as (file, size), _output(output, force=force) as (made, name):
        writing = ArchiveWriter(made, chosen, embedded, progress, long_header=long_header)
        header = writing.take(file, size)
        made.flush()
        made.seek(0)
        _verify(made, name, chosen, progress)
        length = made.seek(0, 2)
    return Archive(
        name, header.model, header.fingerprint, header.bytes, length, writing.payload, len(embedded),
        writing.coder.bits, header.sha256, header.machine, writing.stored,
    )  # fmt: skip


def decompress(
    archive: Any,
    output: Any,
    *,
    model: Any = None,
    prime: Any = None,
    force: bool = False,
    progress: Progress | None = None,
) -> ArchiveHeader:
    """Write the text of an archive; nothing is written unless it is the text that was coded, by its hash.

    Parameters
    ----------
    archive
        The path of the archive, "-" for standard input, or its bytes.
    output
        The path of the text, "-" for standard output.
    model
        The model that coded it. Not needed where the archive names one that is made from its name (kt, uniform,
        universal), where it holds the model, or where the file of the n-gram model or the mixture is beside it.
    prime
        The text that the universal model had read before, where it had read one: a path, a Corpus, or bytes.
    force
        Overwrite the output.
    progress
        Called with a `Step` as it goes on.

    Returns
    -------
    ArchiveHeader
        What the archive says of itself.

    Examples
    --------
    >>> import bitmeter as bm, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     here = pathlib.Path(folder)
    ...     _ = bm.compress("uniform", b"abc", here / "x.bmz")
    ...     bm.decompress(here / "x.bmz", here / "x").bytes
    3
    """
    _check_output(output, force=force)
    with _input(archive, "archive") as (file, _):
        name = archive if isinstance(archive, str) and archive != "-" else getattr(file, "name", "the archive")
        name = str(name) if isinstance(name, str) else "the archive"
        header = read_header(file, name)
        with temporary_folder() as folder:
            chosen = _model_of(header, file, name, model, prime, folder)
            reading = ArchiveReader(file, header, chosen, name, progress)
            with _output(output, force=force) as (made, _):
                reading.give(made)
    return header


def _verify(file: BinaryIO, name: str, model: Model, progress: Progress | None) -> None:
    header = read_header(file, name)
    try:
        with temporary_folder() as folder:
            # By the model inside, where there is one: whoever decodes has no other.
            used = _model_of(header, file, name, None, None, folder) if header.embedded else model
            ArchiveReader(file, header, used, name, progress).give(None)
    except FileFormatError as error:
        message = (
            f"what {model.name} coded does not come back when it is decoded ({error}): its predictions are not the "
            "same the second time, so nothing was written"
        )
        raise ModelError(message) from error


def _predictor(model: Any, prime: Any = None) -> Model:
    return for_bytes(resolve(model) if prime is None else primed(model, prime))


def _model_of(header: ArchiveHeader, file: BinaryIO, name: str, given: Any, prime: Any, folder: Path) -> Model:
    """The model that an archive needs: the one that is given, the one inside, or the one it names."""
    if header.embedded:
        if header.embedded > _LARGEST_EMBEDDED:
            raise damaged(name, "the model inside has no sound size")
        with (folder / "packed").open("w+b") as packed:
            _copy_model(header, file, name, packed)
            if given is None and prime is None:
                return _predictor(unpack_model(cast(BinaryIO, packed), header.embedded, name, folder / "model"))
    if given is not None:
        return _predictor(given, prime)
    scheme, _, rest = header.model.partition(":")
    if is_named(header.model):
        return _named(header, name, prime)
    if prime is not None:
        message = f"{name} was coded by {header.model}, which reads no text beforehand; leave prime out (--prime)"
        raise ModelError(message, value=header.model)
    if scheme in _IN_FILES and rest == os.path.basename(rest) and is_inside(rest, Path(name).parent):
        path = Path(name).parent / rest
        if path.is_file() or (path.is_dir() and names_model(str(path))):
            return _predictor(f"{scheme}:{path}")
    # What the header says is not repeated as something to type: it may be hf:…,trust=yes.
    said = "name its file with --model" if scheme in _IN_FILES else "name the model that you trust with --model"
    message = (
        f"{name} was coded by {header.model} ({header.fingerprint}), which is not here; {said} (in Python: model=…)"
    )
    raise ModelError(message, value=header.model)


def _copy_model(header: ArchiveHeader, file: BinaryIO, name: str, packed: Any) -> None:
    """The model inside into a file of its own, from which it is read only if its hash fits."""
    digest, left = hashlib.sha256(), header.embedded
    room = size_left(file)
    if room is not None and room < left:
        raise damaged(name, "the model inside is cut short")
    while left and (block := file.read(min(_BLOCK, left))):
        digest.update(block)
        packed.write(block)
        left -= len(block)
    if left or digest.hexdigest() != header.embedded_sha256:
        raise damaged(name, "the model inside is cut short or changed")
    packed.seek(0)


def _named(header: ArchiveHeader, name: str, prime: Any) -> Model:
    """A model that is made from its name, after reading the text that the one of the archive had read."""
    found = _predictor(header.model, prime)
    if found.fingerprint == header.fingerprint or not isinstance(found, Primable):
        return found
    had = header.fingerprint.removeprefix(resolve(header.model).fingerprint)
    if prime is None and had.startswith("-"):
        message = (
            f"{name} was coded by {header.model} ({header.fingerprint}) after it had read a text; give the same one "
            "with --prime, or the model's file with --model (in Python: prime=…, model=…)"
        )
        raise ModelError(message, value=header.fingerprint)
    if prime is not None:
        what = "another text than this" if had.startswith("-") else "no text"
        message = (
            f"{name} was coded by {header.model} ({header.fingerprint}), which had read {what} before: with this text "
            f"it is {found.fingerprint}; give the very same text with --prime"
        )
        raise ModelError(message, value=found.fingerprint)
    return found


@contextlib.contextmanager
def _input(source: Any, what: str) -> Iterator[tuple[BinaryIO, int | None]]:
    if isinstance(source, bytes | bytearray | memoryview):
        yield io.BytesIO(bytes(source)), len(bytes(source))
        return
    if isinstance(source, str) and source == "-":
        yield sys.stdin.buffer, None
        return
    if not isinstance(source, str | os.PathLike):
        message = f"{what} is {source!r:.60}; it must be a path, '-' or bytes"
        raise InputTypeError(message, value=source)
    path = as_path(source)
    if not path.exists():
        message = f"there is no file {path}"
        raise MissingSourceError(message, path=str(path))
    try:
        file = path.open("rb")
    except OSError as error:
        message = f"{path} {unread(error)}"
        raise FileFormatError(message, value=str(path)) from error
    with file:
        yield cast(BinaryIO, file), path.stat().st_size


def _check_output(output: Any, *, force: Any) -> None:
    if not isinstance(output, str) or output != "-":
        check_destination(output, force=force)


@contextlib.contextmanager
def _output(output: Any, *, force: Any) -> Iterator[tuple[BinaryIO, str]]:
    """A file that appears only if all goes well; for standard output, what is written is held back until then."""
    if isinstance(output, str) and output == "-":
        with tempfile.TemporaryFile(dir=temporary_place()) as held:
            yield cast(BinaryIO, held), "-"
            held.seek(0)
            shutil.copyfileobj(held, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    with replacing(output, force=force) as beside, beside.open("w+b") as file:
        yield cast(BinaryIO, file), label(as_path(output))
