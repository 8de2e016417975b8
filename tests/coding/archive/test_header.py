"""Every field of an archive's header is checked."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.coding.archive import header as headers
from bitmeter.errors import FileFormatError
from tests.coding.archive.forging import forged, forged_header, parts

SOUND = headers.ArchiveHeader("kt", "kt-order0-bytes-1", "bytes", 32, 5, "0" * 64)
HASH = "0123456789abcdef" * 4


def read(data: bytes) -> headers.ArchiveHeader:
    return headers.read_header(io.BytesIO(data), "x.bmz")


def test_a_header_comes_back_and_says_its_size() -> None:
    for header in (SOUND, headers.ArchiveHeader("a", "b", "c", 32, 0, HASH, 3, HASH, "1", {"torch": "2.6"})):
        packed = headers.pack(header)
        assert read(packed + b"rest") == header
        assert header.size == len(packed)


def compact(name: bytes, mark: bytes, size: int = 5) -> bytes:
    """A compact header of these parts, as the page of the format describes it."""
    start = headers.MAGIC + bytes([128 + len(name)]) + name + mark + size.to_bytes(6, "little") + bytes(16)
    return start + struct.pack("<I", zlib.crc32(start))


MARK = hashlib.sha256(b"kt-order0-bytes-1\0bytes\x0032").digest()[:4]


@pytest.mark.parametrize(("model", "size"), [("kt", 41), ("uniform", 46), ("universal", 48), ("universal:large", 54)])
def test_a_model_that_its_name_makes_has_a_compact_header(model: str, size: int, tmp_path: Path) -> None:
    made = bm.compress(model, b"to be", tmp_path / "x.bmz")
    long = bm.compress(model, b"to be", tmp_path / "long.bmz", long_header=True)
    assert (made.payload, made.sha256) == (long.payload, long.sha256)
    short, whole = (read((tmp_path / name).read_bytes()) for name in ("x.bmz", "long.bmz"))
    assert short.size == size
    assert short.sha256 == whole.sha256[:32] == hashlib.sha256(b"to be").hexdigest()[:32]
    assert (short.model, short.fingerprint, short.units, short.bytes) == (
        whole.model, whole.fingerprint, whole.units, whole.bytes,
    )  # fmt: skip
    for name in ("x.bmz", "long.bmz"):
        bm.decompress(tmp_path / name, tmp_path / "x", force=True)
        assert (tmp_path / "x").read_bytes() == b"to be"


def test_a_compact_header_is_checked() -> None:
    found = read(compact(b"kt", MARK))
    assert (found.model, found.bytes, found.compact) == ("kt", 5, True)
    for size in range(len(compact(b"kt", MARK))):
        with pytest.raises(FileFormatError):
            read(compact(b"kt", MARK)[:size])
    with pytest.raises(FileFormatError, match="another version of kt"):
        read(compact(b"kt", b"abcd"))
    for name in (
        b"",
        b"hf:gpt2",
        b"universal:none",
        b"uniform:99999999999999999999",
        b"\x1b[2J",
        b"\xff\xfe",
        b"./m.bmn",
    ):
        with pytest.raises(FileFormatError, match="cannot be made from its name"):
            read(compact(name, MARK))


def test_only_an_archive_that_depends_on_the_machine_needs_the_newer_format() -> None:
    assert headers.pack(SOUND)[8] == 1
    noted = headers.ArchiveHeader("a", "b", "c", 32, 0, HASH, machine={"threads": "2"})
    assert headers.pack(noted)[8] == 2
    body = headers.pack(noted)[16:-4]
    with pytest.raises(FileFormatError, match="machine"):
        read(forged_header(body, version=1))
    with pytest.raises(FileFormatError, match="machine"):
        read(forged_header(headers.pack(SOUND)[16:-4], version=2))
    with pytest.raises(FileFormatError, match="newer bitmeter"):
        read(forged_header(body, version=4))
    with pytest.raises(FileFormatError, match="not one"):
        read(forged_header(body, version=0))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", ""), ("model", None), ("model", ["kt"]), ("model", "\x1b]0;title\x07"), ("model", "a\nb"),
        ("fingerprint", 5), ("fingerprint", "x" * 20_000), ("units", 7), ("units", ""), ("units", "a\tb"),
        ("precision", 31), ("precision", 2**62), ("precision", "32"), ("precision", True), ("precision", 32.0),
        ("bytes", -1), ("bytes", 2**63), ("bytes", 1.0), ("bytes", "5"), ("bytes", True), ("bytes", None),
        ("sha256", "0" * 63), ("sha256", "G" * 64), ("sha256", "A" * 64), ("sha256", 0), ("sha256", "0" * 64 + "\n"),
        ("embedded", -1), ("embedded", 2**63), ("embedded", [1]),
        ("embedded_sha256", "0" * 64), ("embedded_sha256", None), ("embedded_sha256", "x"),
        ("version", 1), ("version", "1\x00"), ("version", "1" * 300),
        ("machine", {"a": 1}), ("machine", {"": "a"}), ("machine", ["a"]), ("machine", {str(i): "" for i in range(9)}),
    ],
)  # fmt: skip
def test_a_field_that_is_not_sound_is_named(field: str, value: Any) -> None:
    fields = json.loads(headers.pack(SOUND)[16:-4]) | {field: value}
    with pytest.raises(FileFormatError, match=field):
        read(forged_header(json.dumps(fields).encode(), 2 if field == "machine" else 1))


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"[]", b"{}", b'"kt"', b"\xff", b"[" * 60_000, b'{"model": "kt"}', b'{"unknown": 1}', b"1" * 9000],
)
def test_a_header_that_is_not_one_is_an_error(body: bytes) -> None:
    with pytest.raises(FileFormatError, match="is damaged: its header"):
        read(forged_header(body))


def test_units_that_are_not_the_models_are_an_error(tmp_path: Path) -> None:
    bm.compress("kt", b"to be", tmp_path / "x.bmz")
    fields, embedded, frames = parts((tmp_path / "x.bmz").read_bytes())
    with pytest.raises(FileFormatError, match="predicts words; it predicts bytes"):
        bm.decompress(forged(fields | {"units": "words"}, embedded, frames), tmp_path / "x")
    assert bm.decompress(forged(fields, embedded, frames), tmp_path / "x").units == "bytes"
