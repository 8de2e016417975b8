"""The header of an archive: by which model, of what text, and what decoding depends on. Every field is checked.

It is JSON, padded with spaces, between what identifies the file and a CRC-32 of all bytes before::

    magic (8 bytes), version (2), zero (2), size of the header (4), header, CRC-32 (4)

Version 1 has no `machine`: it is written wherever the text decodes on all machines. Version 3 has blocks that are
stored as they are; its `machine` may be empty.

A model that is made from its name (kt, uniform, universal) says most of that itself. Its header is compact, unless the
long one was asked for: 48 bytes for `universal`, and in it half of the text's hash::

    magic (8), 128 + length of the name (1), name, start of the SHA-256 of what the model is (4), bytes of text (6),
    start of the SHA-256 of the text (16), CRC-32 (4)

What the model is says also whether there are stored blocks, so that a program that does not know them says that the
archive is of another version.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import BinaryIO

from bitmeter._version import __version__
from bitmeter.coding.coders import PRECISION
from bitmeter.errors import BitmeterError, FileFormatError
from bitmeter.models.machine import Machine
from bitmeter.models.protocols import Model
from bitmeter.models.registry import is_named, resolve

__all__ = ["ArchiveHeader", "can_be_compact", "damaged", "pack", "read_header"]

MAGIC = b"\x89BMZ\r\n\x1a\n"
#: Formats: the one that needs no machine, the one that notes it, and the one with stored blocks, the newest.
PLAIN, NOTED, STORED = 1, 2, 3
VERSION = STORED
_START = struct.Struct("<8sHHI")
_CRC = struct.Struct("<I")
_LONGEST_HEADER = 1 << 16
_SHA256 = re.compile("[0-9a-f]{32}([0-9a-f]{32})?")
#: Of a compact header: the bit that marks it, and what follows the name.
_COMPACT = 0x80
_REST = struct.Struct("<4s6s16sI")
_MOST_FACTS = 64


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
        The length and the hash of the text; of a compact header that was read, the first half of the hash.
    embedded, embedded_sha256
        How many bytes of the archive are the model itself, and their hash.
    version
        The bitmeter that wrote it; empty if a compact header was read.
    machine
        What decoding depends on where the model predicts in floating point: processor, versions, threads. Empty where
        the archive decodes on all machines.
    compact
        Whether the header has the short form, of a model that is made from its name.
    stored
        Whether there are blocks that are stored as they are, because the model would take more bytes.
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
    machine: Machine = field(default_factory=dict)
    compact: bool = False
    stored: bool = False

    @property
    def size(self) -> int:
        """How many bytes the header takes in the file."""
        return len(pack(self))


def can_be_compact(model: Model) -> bool:
    """Whether a model's name says all of it, so that the short header does."""
    return is_named(model) and len(_short_name(model.name)) < _COMPACT


def _short_name(name: str) -> bytes:
    """The shortest name that makes the same model."""
    scheme = name.partition(":")[0]
    return (scheme if resolve(scheme).fingerprint == resolve(name).fingerprint else name).encode()


def _mark(fingerprint: str, units: str, *, stored: bool) -> bytes:
    """Four bytes that stand for what a model is, and for stored blocks."""
    what = f"{fingerprint}\0{units}\0{PRECISION}" + "\0stored" * stored
    return hashlib.sha256(what.encode()).digest()[:4]


def _pack_compact(header: ArchiveHeader) -> bytes:
    name = _short_name(header.model)
    start = MAGIC + bytes([_COMPACT | len(name)]) + name + _mark(header.fingerprint, header.units, stored=header.stored)
    start += header.bytes.to_bytes(6, "little") + bytes.fromhex(header.sha256)[:16]
    return start + _CRC.pack(zlib.crc32(start))


def _read_compact(start: bytes, file: BinaryIO, name: str) -> ArchiveHeader:
    size = start[-1] & ~_COMPACT
    rest = file.read(size + _REST.size)
    whole = start + rest
    if len(rest) < size + _REST.size or _CRC.unpack(whole[-4:])[0] != zlib.crc32(whole[:-4]):
        raise damaged(name, "its header is cut short or has a wrong checksum")
    mark, length, digest, _ = _REST.unpack(rest[size:])
    called = rest[:size].decode("ascii", "replace")
    try:
        model = resolve(called) if is_named(called) else None
    except BitmeterError:
        model = None
    if not isinstance(model, Model):
        raise damaged(name, f"its header names a model {called!a:.60} that cannot be made from its name")
    stored = mark == _mark(model.fingerprint, model.units.name, stored=True)
    if not stored and mark != _mark(model.fingerprint, model.units.name, stored=False):
        message = (
            f"{name} was coded by another version of {called} than this bitmeter has ({model.fingerprint}); decode it "
            "with the bitmeter that wrote it"
        )
        raise FileFormatError(message, value=name)
    return ArchiveHeader(
        model.name, model.fingerprint, model.units.name, PRECISION, int.from_bytes(length, "little"), digest.hex(),
        version="", compact=True, stored=stored,
    )  # fmt: skip


def pack(header: ArchiveHeader) -> bytes:
    """The bytes of a header."""
    if header.compact:
        return _pack_compact(header)
    fields = asdict(header)
    del fields["compact"], fields["stored"]
    if not header.machine:
        del fields["machine"]
    text = json.dumps(fields, ensure_ascii=True)
    # The length is known last: room for the longest is kept.
    room = len(json.dumps({**fields, "bytes": 2**63, "sha256": "0" * 64}, ensure_ascii=True))
    body = text.ljust(room).encode()
    version = STORED if header.stored else NOTED if header.machine else PLAIN
    start = _START.pack(MAGIC, version, 0, len(body)) + body
    return start + _CRC.pack(zlib.crc32(start))


def read_header(file: BinaryIO, name: str) -> ArchiveHeader:
    """The header of an archive; an error says what is wrong with it."""
    start = file.read(len(MAGIC) + 1)
    if not start.startswith(MAGIC[:4]):
        message = f"{name} is not an archive of bitmeter; make one with: bitmeter compress MODEL FILE -o {name}"
        raise FileFormatError(message, value=name)
    if len(start) > len(MAGIC) and start[:8] == MAGIC and start[8] & _COMPACT:
        return _read_compact(start, file, name)
    start += file.read(_START.size - len(start))
    if len(start) < _START.size or start[:8] != MAGIC:
        raise damaged(name, "its first bytes are not those of an archive, as after a transfer as text")
    _, version, zero, size = _START.unpack(start)
    if version > VERSION:
        message = (
            f"{name} was written by a newer bitmeter (format {version}; this one reads up to {VERSION}); update it"
        )
        raise FileFormatError(message, value=name)
    if version < PLAIN or zero != 0 or size > _LONGEST_HEADER:
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
    _check(header, fields, name)
    if version < STORED and bool(header.machine) != (version == NOTED):
        raise damaged(name, f"the field machine of its header does not fit format {version}")
    return replace(header, stored=version == STORED)


def _is_text(most: int) -> Callable[[object], bool]:
    """A line of text: control characters would reach the terminal of whoever reads a message."""
    return lambda value: (
        isinstance(value, str)
        and 0 < len(value) <= most
        and not any(ord(char) < 32 or 127 <= ord(char) < 160 for char in value)
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_hash_or_empty(value: object) -> bool:
    return value == "" or _is_hash(value)


def _is_machine(value: object) -> bool:
    line = _is_text(1000)
    return (
        isinstance(value, dict)
        and len(value) <= _MOST_FACTS
        and all(line(part) for pair in value.items() for part in pair)
    )


#: What each field must be, in words and as a test.
_FIELDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "model": ("a line of text", _is_text(1 << 14)),
    "fingerprint": ("a line of text", _is_text(1 << 14)),
    "units": ("a line of text", _is_text(1 << 14)),
    "precision": (f"{PRECISION}", lambda value: type(value) is int and value == PRECISION),
    "bytes": ("a whole number below 2^63", _is_count),
    "sha256": ("64 hexadecimal digits, or the first 32", _is_hash),
    "embedded": ("a whole number below 2^63", _is_count),
    "embedded_sha256": ("64 hexadecimal digits where a model is inside, else empty", _is_hash_or_empty),
    "version": ("a line of text", _is_text(200)),
    "machine": ("facts in lines of text", _is_machine),
}  # fmt: skip


def _check(header: ArchiveHeader, fields: dict[str, object], name: str) -> None:
    for key in fields:
        if key not in _FIELDS:
            raise damaged(name, "its header cannot be read")
        what, sound = _FIELDS[key]
        if not sound(fields[key]):
            raise damaged(name, f"the field {key} of its header is {fields[key]!r:.60}; it must be {what}")
    if bool(header.embedded) != bool(header.embedded_sha256):
        what = _FIELDS["embedded_sha256"][0]
        raise damaged(name, f"the field embedded_sha256 of its header must be {what}")


def damaged(name: str, what: str) -> FileFormatError:
    """A file that is not what was written."""
    message = f"{name} is damaged: {what}; fetch it again"
    return FileFormatError(message, value=name)
