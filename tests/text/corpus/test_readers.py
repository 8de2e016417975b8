"""Files of every kind: compressed, rows, columns, datasets, addresses; and what is said of broken ones."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import (
    DamagedSourceError,
    InputError,
    RecordError,
    SourceError,
)
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.readers import encode
from tests.text.helpers import data_of

TEXT = "a first line\nné, and a second\r\n".encode() * 500 + b"\xff\0 tail"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


# ---- compression -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compressed_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.txt.{suffix}"
    path.write_bytes(COMPRESS[suffix](TEXT) + COMPRESS[suffix](b"\nmore"))  # two streams, one after the other
    corpus = Corpus(path)
    assert data_of(corpus) == [TEXT + b"\nmore"]
    assert b"".join(block.data for block in corpus.blocks(100)) == TEXT + b"\nmore"
    assert corpus.total_bytes is None
    assert data_of(Corpus(path, docs="line")) == [line + b"\n" for line in TEXT.split(b"\n")] + [b"more"]


@pytest.mark.parametrize("suffix", COMPRESS)
def test_damaged_compressed_files(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.txt.{suffix}"
    whole = COMPRESS[suffix](TEXT)
    path.write_bytes(whole[:-10])
    with pytest.raises(DamagedSourceError, match=r"x\.txt\.") as caught:
        list(Corpus(path))
    assert caught.value.path == str(path)
    path.write_bytes(b"this is not compressed at all")
    with pytest.raises(DamagedSourceError, match=f"remove .{suffix} from its name"):
        list(Corpus(path))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_small_file_that_unpacks_to_much_is_read_in_bounded_memory(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(COMPRESS[suffix](bytes(48 << 20)))
    tracemalloc.start()
    total = sum(len(block.data) for block in Corpus(path, docs="line").blocks())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 48 << 20
    assert peak < 24 << 20  # xz itself takes 9 MB


# ---- rows ------------------------------------------------------------------------------------------------------------


@given(rows=st.lists(st.text(max_size=20), max_size=8), size=st.sampled_from([1, 5, 1 << 20]))
@settings(max_examples=50)
def test_jsonl_gives_what_was_written(rows: list[str], size: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("rows") / "x.jsonl"
    path.write_text("".join(json.dumps({"id": i, "text": row}) + "\n" for i, row in enumerate(rows)))
    corpus = Corpus(path)
    assert data_of(corpus) == [row.encode("utf-8", "surrogatepass") for row in rows]
    blocks = list(corpus.blocks(size))
    assert sum(len(block.ends) for block in blocks) == len(rows)
    assert corpus.docs == "record"


def test_jsonl_with_a_mark_blank_lines_carriage_returns_and_odd_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    rows = b'\xef\xbb\xbf{"body": "a"}\r\n\n  \n{"body": "\xff\\ud800"}\n{"body": "last"}'
    path.write_bytes(gzip.compress(rows))
    corpus = Corpus(path, field="body")
    assert data_of(corpus) == [b"a", b"\xff\xed\xa0\x80", b"last"]
    assert [d.name for d in corpus] == [f"{path}:{i}" for i in (1, 2, 3)]


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ('{"text": "a"}\n{"txt": "b", "id": 1}\n', 2, "line 2 has no field 'text'; it has 'txt', 'id'.*field="),
        ('{"text": "a"}\n\n{"text": \n', 3, "line 3 is not JSON"),
        ('["a"]\n', 1, r"line 1 holds \['a'\]; it must be a JSON object"),
        ('{"text": null}', 1, "line 1: 'text' is null; it must be text"),
        ('{"text": 5}', 1, "line 1: 'text' is 5"),
        ("{}", 1, "it has none"),
        ("[" * 100_000, 1, "is not JSON"),
    ],
)
def test_bad_rows(content: str, line: int, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(RecordError, match=message) as caught:
        list(Corpus(path).blocks())
    assert (caught.value.path, caught.value.line) == (str(path), line)


def test_rows_are_documents_and_texts_are_not_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a"}\n')
    with pytest.raises(InputError, match="holds rows, each of which is a document"):
        Corpus(path, docs="line")
    text = tmp_path / "x.txt"
    text.write_text("b")
    mixed = Corpus([path, text])
    assert (mixed.docs, data_of(mixed), mixed.total_bytes) == ("mixed", [b"a", b"b"], None)


# ---- parquet ---------------------------------------------------------------------------------------------------------

TYPES = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_parquet_of_every_kind_of_text(kind: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = ["", "né", "b" * 50, "né", ""] * 40
    column = pa.array([row.encode() if "binary" in str(kind) else row for row in rows], type=kind)
    pq.write_table(pa.table({"id": list(range(200)), "text": column}), path, row_group_size=64)
    corpus = Corpus(path)
    for size in (1, 100, 1 << 20):
        assert sum(len(block.ends) for block in corpus.blocks(size)) == 200
    assert data_of(corpus) == [row.encode() for row in rows]


def test_parquet_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.pq"
    pq.write_table(pa.table({"text": pa.array([], type=pa.string())}), path)
    assert data_of(Corpus(path)) == []


def test_parquet_errors(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "body": ["a", None, "c"]}), path)
    with pytest.raises(RecordError, match="has no column 'text'; it has 'id', 'body'"):
        list(Corpus(path))
    with pytest.raises(RecordError, match="the column 'id' is of type int64"):
        list(Corpus(path, field="id"))
    with pytest.raises(RecordError, match="row 2: 'body' is null") as caught:
        list(Corpus(path, field="body"))
    assert caught.value.line == 2
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DamagedSourceError, match="is not a sound parquet file"):
        list(Corpus(path, field="body"))
    (tmp_path / "y.parquet.gz").write_bytes(b"")
    with pytest.raises(SourceError, match="unpack it first"):
        Corpus(tmp_path / "y.parquet.gz")


# ---- datasets --------------------------------------------------------------------------------------------------------


# ---- addresses -------------------------------------------------------------------------------------------------------


# ---- names -----------------------------------------------------------------------------------------------------------


@given(st.text())
def test_encode_loses_nothing(text: str) -> None:
    if not any("\ud800" <= char <= "\udfff" for char in text):
        assert encode(text) == text.encode()
    assert isinstance(encode(text + "\udc80\ud800"), bytes)
