"""The headers of Parquet pages, against what Arrow says of the same file."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bitmeter.errors import DamagedSourceError
from bitmeter.text.corpus.pages import column_pages

TEXTS = [f"{number} " * 50 for number in range(2000)]


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
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            pages = list(column_pages(file, group, "text", "x"))
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
        pages = list(column_pages(file, pq.read_metadata(path).row_group(0), "text", "x"))
    assert {page.encoding for page in pages} == {7}


def test_any_bytes_for_a_header_are_pages_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": TEXTS[:50]}), path, compression="none")
    whole, group = path.read_bytes(), pq.read_metadata(path).row_group(0)
    wrong = 0
    for place in range(4, 60):
        for value in (0, 0x15, 0x19, 0x1B, 0x7F, 0x80, 0xFF):
            data = whole[:place] + bytes([value]) + whole[place + 1 :]
            try:
                list(column_pages(io.BytesIO(data), group, "text", "x"))
            except DamagedSourceError:
                wrong += 1
    assert wrong > 50
