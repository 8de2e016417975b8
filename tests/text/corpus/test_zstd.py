"""Reading .zst files, against what the package zstandard packed."""

from __future__ import annotations

import io
import resource
from pathlib import Path

import pytest
import zstandard

import bitmeter as bm
from bitmeter.text.corpus.zstd import ZstdReader


def packed(*parts: bytes) -> bytes:
    return b"".join(zstandard.ZstdCompressor().compress(part) for part in parts)


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
def test_frames_are_read_one_after_another(size: int) -> None:
    parts = (b"one " * 5000, b"", bytes(range(256)) * 40)
    reader = io.BufferedReader(ZstdReader(io.BytesIO(packed(*parts))))
    found = b"".join(iter(lambda: reader.read(size), b""))
    assert found == b"".join(parts)


def test_a_skippable_frame_holds_no_text() -> None:
    skippable = (0x184D2A50).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"
    assert ZstdReader(io.BytesIO(packed(b"x") + skippable + packed(b"y"))).readall() == b"xy"


def test_an_empty_file_is_an_empty_text(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(b"")
    assert b"".join(block.data for block in bm.Corpus.of(tmp_path / "a.zst").blocks()) == b""


def test_every_truncation_is_an_error(tmp_path: Path) -> None:
    whole = packed(b"to be or not to be, " * 40)
    for length in range(1, len(whole)):
        path = tmp_path / "a.zst"
        path.write_bytes(whole[:length])
        with pytest.raises(bm.BitmeterError, match=r"truncated|not a sound"):
            list(bm.Corpus.of(path).blocks())


def test_what_is_not_zstd_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.zst").write_bytes(b"plain text, and no frame")
    with pytest.raises(bm.BitmeterError, match=r"a\.zst is not a sound \.zst file"):
        list(bm.Corpus.of(tmp_path / "a.zst").blocks())


def test_a_bomb_takes_little_memory() -> None:
    """1 GB of zeros in 32 kB: what is unpacked at a time stays below 8 MB."""
    bomb = zstandard.ZstdCompressor(level=19).compress(bytes(1 << 26)) * 16
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reader = io.BufferedReader(ZstdReader(io.BytesIO(bomb)))
    total = 0
    while block := reader.read(1 << 20):
        total += len(block)
    assert total == 1 << 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
