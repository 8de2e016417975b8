"""Archives: every text comes back, and what is damaged is an error and leaves no file."""

from __future__ import annotations

import io
import itertools
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.coding.archive import format as archives
from bitmeter.errors import FileFormatError, InputTypeError, MissingSourceError, ModelError
from tests.coding.models import Plain, byte_mixture, word_mixture, words

NGRAM = words()
MODELS: dict[str, Any] = {
    "kt": bm.KrichevskyTrofimov(), "uniform": bm.Uniform(), "ngram": NGRAM, "plain": Plain(),
    "universal": bm.Universal("small"), "words mixed": word_mixture(), "bytes mixed": byte_mixture(),
}  # fmt: skip


def small_archive(tmp_path: Path) -> bytes:
    bm.compress("kt", b"to be or not to be", tmp_path / "small.bmz")
    return (tmp_path / "small.bmz").read_bytes()


def test_an_archive_cut_anywhere_is_an_error(tmp_path: Path) -> None:
    whole = small_archive(tmp_path)
    for size in range(len(whole)):
        with pytest.raises(FileFormatError):
            bm.decompress(whole[:size], tmp_path / "x")
    with pytest.raises(FileFormatError, match="goes on after its end"):
        bm.decompress(whole + b"\0", tmp_path / "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["small.bmz"]


def test_an_archive_with_any_bit_flipped_is_an_error(tmp_path: Path) -> None:
    whole = small_archive(tmp_path)
    for place, bit in itertools.product(range(len(whole)), (1, 16, 128)):
        wrong = bytearray(whole)
        wrong[place] ^= bit
        with pytest.raises((FileFormatError, ModelError)):
            bm.decompress(bytes(wrong), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def resealed(whole: bytes, place: int, value: int) -> bytes:
    """A byte of the coded text changed, and the checksum made to fit: only the hash of the text can tell."""
    header = archives.read_header(io.BytesIO(whole), "x")
    start = header.size
    size, coded_size, _ = struct.unpack_from("<III", whole, start)
    coded = bytearray(whole[start + 12 : start + 12 + coded_size])
    coded[place] ^= value
    sizes = struct.pack("<II", size, coded_size)
    return whole[:start] + sizes + struct.pack("<I", zlib.crc32(coded, zlib.crc32(sizes))) + bytes(coded)


@pytest.mark.parametrize("model", ["kt", "ngram", "plain", "universal", "words mixed", "bytes mixed"])
def test_forged_bytes_decode_to_the_text_or_to_an_error(model: str, tmp_path: Path) -> None:
    text = b"to be or xyzzy  \n that is the question\n"
    made = bm.compress(MODELS[model], text, tmp_path / "x.bmz")
    whole = (tmp_path / "x.bmz").read_bytes()
    for place, value in itertools.product(range(made.payload), (1, 64, 255)):
        try:
            bm.decompress(resealed(whole, place, value), tmp_path / "x", model=MODELS[model], force=True)
        except FileFormatError:
            continue
        assert (tmp_path / "x").read_bytes() == text


def test_a_newer_format_and_other_files_are_named(tmp_path: Path) -> None:
    whole = bytearray(small_archive(tmp_path))
    whole[8] = 2
    with pytest.raises(FileFormatError, match="newer bitmeter"):
        bm.decompress(bytes(whole), tmp_path / "x")
    with pytest.raises(FileFormatError, match="not an archive"):
        bm.decompress(b"PK\x03\x04 zip", tmp_path / "x")
    with pytest.raises(FileFormatError, match="as text"):
        bm.decompress(bytes(whole).replace(b"\r\n", b"\n"), tmp_path / "x")
    with pytest.raises(MissingSourceError):
        bm.decompress(tmp_path / "missing.bmz", tmp_path / "x")
    with pytest.raises(InputTypeError):
        bm.compress("kt", 3, tmp_path / "x")
