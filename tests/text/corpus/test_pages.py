"""The headers of Parquet pages, against what Arrow says of the same file."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bitmeter.text.corpus.footer import Chunk, read_footer
from bitmeter.text.corpus.pages import Page, pages_of
from bitmeter.text.corpus.thrift import ThriftError

TEXTS = [f"{number} " * 50 for number in range(2000)]


def chunks_of(file: IO[bytes]) -> list[Chunk]:
    """The column "text" in each row group."""
    return [chunk for (chunk,) in read_footer(file, ["text"]).chunks["text"]]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_sizes_and_values_are_those_of_the_footer(
    version: str, compression: str, dictionary: bool, tmp_path: Path
) -> None:  # fmt: skip
    path = tmp_path / "x.parquet"
    pq.write_table(
        pa.table({"id": range(2000), "text": TEXTS}), path, compression=compression, data_page_version=version,
        use_dictionary=dictionary, data_page_size=10_000, row_group_size=700, write_batch_size=50,
    )  # fmt: skip
    metadata = pq.read_metadata(path)
    with path.open("rb") as file:
        chunks = chunks_of(file)
        assert len(chunks) == metadata.num_row_groups
        for number, chunk in enumerate(chunks):
            group = metadata.row_group(number)
            pages = list(pages_of(file, chunk))
            assert len(pages) > 1
            assert [page.is_dictionary for page in pages] == [dictionary, *[False] * (len(pages) - 1)]
            assert sum(page.values for page in pages if not page.is_dictionary) == group.num_rows
            # The footer counts the headers too, with the least and the greatest value of each page.
            said = group.column(1)
            assert 0.95 * said.total_uncompressed_size < sum(page.size for page in pages) < said.total_uncompressed_size
            packed = sum(page.packed for page in pages)
            assert said.total_compressed_size - 700 * len(pages) < packed < said.total_compressed_size


def test_the_encoding_that_repeats_is_known(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": TEXTS}), path, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"})
    with path.open("rb") as file:
        pages = list(pages_of(file, chunks_of(file)[0]))
    assert {page.encoding for page in pages} == {7}


def test_any_bytes_for_a_header_are_pages_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": TEXTS[:50]}), path, compression="none")
    whole = path.read_bytes()
    (chunk,) = chunks_of(io.BytesIO(whole))
    wrong = 0
    for place in range(4, 60):
        for value in (0, 0x15, 0x19, 0x1B, 0x7F, 0x80, 0xFF):
            data = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                list(pages_of(io.BytesIO(data), chunk))
            except ThriftError:
                wrong += 1
    assert wrong > 50


def header(kind: int, size: int, packed: int, rest: bytes = b"") -> bytes:
    """A header whose numbers are below 64: one byte each, twice their value."""
    return bytes([0x15, 2 * kind, 0x15, 2 * size, 0x15, 2 * packed]) + rest + b"\0"


def test_the_struct_of_its_own_kind_counts() -> None:
    # Field 5, a page of version 1: 9 values in encoding 7; field 8, one of version 2: 4 values in encoding 0.
    both = bytes([0x2C, 0x15, 18, 0x15, 14, 0, 0x3C, 0x15, 8, 0x35, 0, 0])
    for kind, values, encoding in ((0, 9, 7), (3, 4, 0), (2, 0, -1), (1, 0, -1)):
        data = header(kind, 50, 5, both) + bytes(5)
        expected = Page(50, 5, values, encoding, kind == 2)
        assert list(pages_of(io.BytesIO(data), Chunk(1, 0, len(data)))) == [expected]


def test_a_column_without_values_has_no_pages() -> None:
    assert list(pages_of(io.BytesIO(b""), Chunk(0, 0, 100))) == []


def test_a_page_may_end_a_little_late() -> None:
    """Old writers did not count all bytes, and Arrow reads 100 more of their columns."""
    head = header(0, 50, 63)
    file = io.BytesIO(head + bytes(63))
    assert len(list(pages_of(file, Chunk(1, 0, len(head))))) == 1
    late = bytes([0x15, 0, 0x15, 2, 0x15, 0xE0, 0x12, 0])  # 1,200 bytes
    with pytest.raises(ThriftError, match="a page of 1,200 bytes goes on beyond"):
        list(pages_of(io.BytesIO(late + bytes(1200)), Chunk(1, 0, len(late))))


@pytest.mark.parametrize("data", [b"\x15\0\0", b"\x15\0\x18\x01\x00\0", b"\x15", header(0, 63, 1)[:-1]])
def test_headers_without_sizes_are_refused(data: bytes) -> None:
    with pytest.raises(ThriftError):
        list(pages_of(io.BytesIO(data), Chunk(1, 0, len(data))))
