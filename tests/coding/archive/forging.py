"""Archives that say what is not so, with every checksum repaired."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import asdict
from io import BytesIO
from typing import Any

from bitmeter.coding.archive.header import MAGIC, read_header

#: A frame: bytes of text, coded bytes.
Frame = tuple[int, bytes]
#: Set in the number of coded bytes of a block that is stored as it is.
STORED = 1 << 31


def parts(whole: bytes) -> tuple[dict[str, Any], bytes, list[Frame]]:
    """The header, the model inside, and the frames of an archive."""
    file = BytesIO(whole)
    header = read_header(file, "x")
    embedded = file.read(header.embedded)
    frames = []
    while head := file.read(12):
        size, coded, _ = struct.unpack("<III", head)
        frames.append((size, file.read(coded & ~STORED if header.stored else coded)))
    return asdict(header), embedded, frames


def forged_header(body: bytes, version: int = 1) -> bytes:
    """Any bytes as a header, with its length and its checksum."""
    start = struct.pack("<8sHHI", MAGIC, version, 0, len(body)) + body
    return start + struct.pack("<I", zlib.crc32(start))


def header_of(fields: dict[str, Any]) -> bytes:
    """A header of these fields, in the format that they need."""
    said = {name: value for name, value in fields.items() if name not in ("machine", "compact") or value}
    said.pop("compact", None)
    stored = said.pop("stored", False)
    said["version"] = said["version"] or "0"
    return forged_header(json.dumps(said).encode(), 3 if stored else 2 if "machine" in said else 1)


def frame(size: int, coded: bytes, coded_size: int | None = None) -> bytes:
    """A frame, with its checksum."""
    sizes = struct.pack("<II", size, len(coded) if coded_size is None else coded_size)
    return sizes + struct.pack("<I", zlib.crc32(coded, zlib.crc32(sizes))) + coded


def forged(fields: dict[str, Any], embedded: bytes, frames: list[Frame]) -> bytes:
    """An archive of these parts."""
    return header_of(fields) + embedded + b"".join(frame(*one) for one in frames)
