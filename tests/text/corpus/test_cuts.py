"""Files in parts: the same bytes and documents as the whole, and never a document in two parts."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.text.corpus.cuts import cut_source, file_size
from bitmeter.text.corpus.sources import resolve


def same(whole: bm.Corpus, parts: bm.Corpus) -> None:
    """Bytes, documents, and where files begin; and each part by itself."""
    assert (parts.fingerprint(), parts.boundaries()) == (whole.fingerprint(), whole.boundaries())
    np.testing.assert_array_equal(parts.first_documents(), whole.first_documents())
    alone = [document.data for n in range(len(parts.sources)) for document in parts.part(n, n + 1)]
    assert alone == [document.data for document in whole]


@given(st.lists(st.text("ab\n", max_size=9), max_size=30), st.integers(1, 60))
def test_lines(tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    path.write_text("".join(texts), newline="")
    same(bm.Corpus(path, docs="line"), bm.Corpus(path, docs="line").in_parts(size))


@given(st.lists(st.text(max_size=9), max_size=20), st.integers(1, 200))
def test_rows(tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int) -> None:
    path = tmp_path_factory.mktemp("rows") / "a.jsonl"
    rows = "\n".join(json.dumps({"text": text}) for text in texts)
    path.write_bytes(b"\xef\xbb\xbf" + rows.encode("utf-8", "surrogatepass"))
    same(bm.Corpus(path), bm.Corpus(path).in_parts(size))


@pytest.mark.parametrize("size", [1, 300, 5000])
def test_row_groups(tmp_path: Path, size: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "a.parquet"
    texts = [f"row {number} " * (number % 7) for number in range(100)]
    pq.write_table(pa.table({"text": texts, "n": list(range(100))}), path, row_group_size=9)
    parts = bm.Corpus(path).in_parts(size)
    same(bm.Corpus(path), parts)
    assert len(parts.sources) > 1 or size == 5000


def test_several_files(tmp_path: Path) -> None:
    for number, text in enumerate(("a\nb\nc\n" * 20, "", "d", "e\n" * 50)):
        (tmp_path / f"{number}.txt").write_text(text)
    parts = bm.Corpus(tmp_path, docs="line").in_parts(16)
    assert len(parts.sources) > 8
    same(bm.Corpus(tmp_path, docs="line"), parts)


def test_what_cannot_be_cut_stays_whole(tmp_path: Path) -> None:
    text, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    text.write_bytes(b"line\n\n" * 1000)
    packed.write_bytes(b"x" * 1000)
    for path, docs in ((text, "file"), (text, "blank"), (packed, "line")):
        (source,) = resolve(path).sources
        assert cut_source(source, docs, 10) == [source]
    (memory,) = bm.Corpus.from_text("a\n" * 100, docs="line").sources
    assert cut_source(memory, "line", 10) == [memory]


def test_parts_are_sent_and_know_their_size(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * 100)
    parts = bm.Corpus(path, docs="line").in_parts(50)
    assert sum(map(file_size, parts.sources)) == 500
    again = pickle.loads(pickle.dumps(parts.part(1, 2)))
    assert b"".join(document.data for document in again) == b"line\n" * 10


def test_a_file_without_newlines_is_searched_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1000)
    assert len(bm.Corpus(path, docs="line").in_parts(10).sources) == 1
