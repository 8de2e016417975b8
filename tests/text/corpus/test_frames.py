"""Parts of .zst files: together they are the whole, whatever a seek table says."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import DamagedSourceError
from bitmeter.text.corpus.frames import Place, frame_starts, line_places, read_frames
from tests.text.corpus.test_cuts import same


def frames(*parts: bytes, checksum: bool = False) -> list[bytes]:
    return [zstandard.ZstdCompressor(write_checksum=checksum).compress(part) for part in parts]


def table(sizes: list[tuple[int, int]], flags: int = 0, number: int | None = None) -> bytes:
    """A seek table as the format's description has it (zstd, contrib/seekable_format)."""
    checksums = struct.pack("<I", 0) if flags & 0x80 else b""
    entries = b"".join(struct.pack("<II", *size) + checksums for size in sizes)
    rest = entries + struct.pack("<IBI", len(sizes) if number is None else number, flags, 0x8F92EAB1)
    return struct.pack("<II", 0x184D2A5E, len(rest)) + rest


def seekable(*parts: bytes, flags: int = 0) -> bytes:
    packed = frames(*parts)
    sizes = [(len(frame), len(part)) for frame, part in zip(packed, parts, strict=True)]
    return b"".join(packed) + table(sizes, flags)


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def cut(text: bytes, size: int) -> list[bytes]:
    return [text[at : at + size] for at in range(0, len(text), size)]


LINES = b"".join(b"line %d of many\n" % number for number in range(3000))


@pytest.mark.parametrize("flags", [0, 0x80, 0x03])
def test_frames_are_found_by_a_table_or_by_their_heads(tmp_path: Path, flags: int) -> None:
    path = written(tmp_path / "a.zst", seekable(*cut(LINES, 5000), flags=flags))
    by_table, by_heads = frame_starts(path), frame_starts(path, table=False)
    assert by_table == by_heads
    assert by_table is not None
    assert len(by_table) == -(-len(LINES) // 5000)


@pytest.mark.parametrize("checksum", [False, True])
def test_frames_without_a_table(tmp_path: Path, checksum: bool) -> None:
    """Also with blocks that are not compressed, blocks of one byte repeated, and frames that are skipped."""
    parts = [LINES[:70_000], bytes(range(256)) * 3, b"\0" * 300_000, b"", LINES]
    packed = frames(*parts, checksum=checksum)
    skipped = struct.pack("<II", 0x184D2A53, 5) + b"12345"
    path = written(tmp_path / "a.zst", skipped.join(packed))
    expected = [0]
    for frame in packed[:-1]:
        expected.append(expected[-1] + len(frame) + len(skipped))
    assert frame_starts(path) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no frame at all, but long enough for a foot",
        zstandard.compress(LINES),
        frames(LINES, LINES)[0] + frames(LINES)[0][:-9],
        frames(LINES)[0] + b"and something else",
    ],
    ids=["empty", "text", "one frame", "cut short", "something behind"],
)
def test_what_cannot_be_cut_is_one_part(tmp_path: Path, data: bytes) -> None:
    path = written(tmp_path / "a.zst", data)
    assert frame_starts(path) is None
    assert line_places(path, 10) == [Place(0, 0)]


@given(
    st.lists(st.text("ab\n", max_size=9), max_size=30), st.integers(1, 20), st.integers(1, 60), st.booleans(),
)  # fmt: skip
def test_parts_are_the_whole(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], frame: int, size: int, listed: bool
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt.zst"
    parts = cut("".join(texts).encode(), frame)
    path.write_bytes(seekable(*parts) if listed and parts else b"".join(frames(*parts)))
    same(bm.Corpus(path, docs="line"), bm.Corpus(path, docs="line").in_parts(size))


def test_rows_and_a_score(tmp_path: Path) -> None:
    rows = b"".join(json.dumps({"text": f"to be or not to be {n}"}).encode() + b"\n" for n in range(4000))
    path = tmp_path / "a.jsonl.zst"
    path.write_bytes(seekable(*cut(rows, 9000)))
    parts = bm.Corpus(path).in_parts(1)
    assert len(parts.sources) > 10
    same(bm.Corpus(path), parts)
    assert sum(source.share for source in parts.sources) == path.stat().st_size
    assert all(first.share > 0 for first in parts.sources)


def test_a_line_of_many_frames_is_searched_once(tmp_path: Path) -> None:
    path = written(tmp_path / "a.zst", b"".join(frames(*cut(b"x" * 300_000, 1000))))
    assert line_places(path, 1) == [Place(0, 0)]
    path = written(tmp_path / "b.zst", b"".join(frames(*cut(b"x" * 300_000 + b"\n", 1000), b"y\n", b"z\n")))
    assert [place.after for place in line_places(path, 1)] == [0, 299_001, 2, 2]


@pytest.mark.parametrize(
    ("sizes", "flags", "number"),
    [
        ([(10, 0), (10, 0)], 0, None),  # less than the frames have
        ([(1 << 31, 1), (1 << 31, 1)], 0, None),  # more
        ([(0, 0), (0, 0)], 0, None),
        ([(7, 0), (9, 0)], 0x40, None),  # a bit that must be zero
        ([(7, 0), (9, 0)], 0, 1 << 27),  # more entries than the file has bytes
        ([(7, 0), (9, 0)], 0x80, 3),
    ],
    ids=str,
)
def test_a_table_that_does_not_add_up_is_not_used(
    tmp_path: Path, sizes: list[tuple[int, int]], flags: int, number: int | None
) -> None:
    packed = frames(*cut(LINES, 9000))
    path = written(tmp_path / "a.txt.zst", b"".join(packed) + table(sizes, flags, number))
    starts = frame_starts(path)
    assert starts is not None
    assert [end - start for start, end in pairwise(starts)] == [len(frame) for frame in packed[:-1]]
    same(bm.Corpus(path, docs="line"), bm.Corpus(path, docs="line").in_parts(100))


def test_a_table_that_adds_up_and_lies(tmp_path: Path) -> None:
    """It points to nothing in a frame: the frames are found by their heads."""
    packed = frames(*cut(LINES, 9000))
    total = sum(map(len, packed))
    path = written(tmp_path / "a.txt.zst", b"".join(packed) + table([(total // 2, 0), (total - total // 2, 0)]))
    assert frame_starts(path) == [0, total // 2]
    same(bm.Corpus(path, docs="line"), bm.Corpus(path, docs="line").in_parts(100))


def test_a_table_that_points_to_a_frame_within_a_frame(tmp_path: Path) -> None:
    """What it points to unpacks, and is no part of the text: the frame before does not end there."""
    hidden = zstandard.compress(b"a line that the file does not hold\n" * 9)
    # A frame of one block that is not compressed, in which the other frame stands.
    content = b"begins\n" + hidden + b"\nends\n"
    head = struct.pack("<I", 0xFD2FB528) + bytes([0x20, 0]) if len(content) < 256 else b""
    assert head, "a single segment of less than 256 bytes"
    frame = head[:5] + bytes([len(content)]) + (len(content) << 3 | 1).to_bytes(3, "little") + content
    assert zstandard.decompress(frame) == content
    inside = frame.index(hidden)
    path = written(tmp_path / "a.txt.zst", frame + table([(inside, 7), (len(frame) - inside, 9)]))
    assert frame_starts(path) == [0, inside]
    places = line_places(path, 1)
    assert places[1].frame == inside
    with pytest.raises(DamagedSourceError, match="no frame that ends at byte"):
        list(read_frames(path, places[0], places[1], 1 << 16))
    with pytest.raises(DamagedSourceError, match="seek table"):
        list(bm.Corpus(path, docs="line").in_parts(1).blocks())
    assert b"".join(document.data for document in bm.Corpus(path, docs="line")) == content


@pytest.mark.parametrize("size", [1, 100, 1 << 20])
def test_reading_between_two_places(tmp_path: Path, size: int) -> None:
    path = written(tmp_path / "a.zst", b"".join(frames(*cut(LINES, 4000))))
    starts = frame_starts(path)
    assert starts is not None
    places = [Place(0, 0), Place(starts[2], 11), Place(starts[5], 3999), Place(starts[5], 4100)]
    found = [b"".join(read_frames(path, *pair, size)) for pair in pairwise(places[:3])]
    found.append(b"".join(read_frames(path, places[2], None, size)))
    assert found == [LINES[:8011], LINES[8011:23999], LINES[23999:]]
    assert b"".join(read_frames(path, places[3], None, size)) == LINES[24100:]
