"""From names to sources: files, folders, patterns, addresses, streams, datasets."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from bitmeter.errors import (
    BitmeterError,
    InputTypeError,
    MissingSourceError,
    RecordError,
    SourceError,
)
from bitmeter.text.corpus.corpus import Corpus
from tests.text.helpers import cut_up, data_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.txt").write_bytes(b"second\n")
    (tmp_path / "a.txt").write_bytes(b"first\nline")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "c.txt").write_bytes(b"third")
    (tmp_path / ".hidden").write_bytes(b"no")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.txt").write_bytes(b"no")
    return tmp_path


def test_files_folders_patterns_and_lists(folder: Path) -> None:
    whole = Corpus(folder)
    assert [document.data for document in whole] == [b"first\nline", b"second\n", b"third"]
    assert whole.notes == (f"{folder}: 2 hidden files or folders skipped",)
    assert whole.total_bytes == 22
    assert [d.name for d in Corpus(str(folder / "a.txt"), docs="line")] == [f"{folder}/a.txt:{i}" for i in (1, 2)]
    assert [d.name for d in Corpus(folder / "a.txt")] == [f"{folder}/a.txt"]
    assert [d.data for d in Corpus(f"{folder}/*.txt")] == [b"first\nline", b"second\n"]
    assert [d.data for d in Corpus(f"{folder}/**/*.txt")] == [b"first\nline", b"second\n", b"third"]
    backwards = Corpus([folder / "b.txt", folder / "a.txt"])
    assert [d.data for d in backwards] == [b"second\n", b"first\nline"]
    assert backwards.name == f"{folder}/b.txt and 1 more"
    # Files never share a document: "line" and "third" are two lines.
    assert [d.data for d in Corpus([folder / "a.txt", folder / "inner" / "c.txt"], docs="line")] == [
        b"first\n", b"line", b"third",
    ]  # fmt: skip
    assert cut_up(Corpus(folder, docs="line"), 3) == [b"first\n", b"line", b"second\n", b"third"]


def test_standard_input_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Pipe(b"a\nb\n")))
    corpus = Corpus("-", docs="line")
    assert corpus.name == "stdin"
    assert corpus.total_bytes is None
    assert cut_up(corpus, 100) == [b"a\n", b"b\n"]
    assert corpus.fingerprint() == hashlib.sha256(b"a\nb\n").hexdigest()  # taken on the way
    with pytest.raises(SourceError, match="a stream can be read only once; save it to a file"):
        list(corpus.blocks())


def test_open_files(folder: Path) -> None:
    with open(folder / "a.txt", "rb") as file:
        file.read(2)
        corpus = Corpus(file)
        assert [d.data for d in corpus] == [b"rst\nline"] == [d.data for d in corpus]
    with open(folder / "a.txt") as file, pytest.raises(InputTypeError, match="mode 'rb'"):
        Corpus(file)
    with pytest.raises(InputTypeError, match="mode 'rb'"):
        Corpus(io.StringIO("text"))


def test_a_folder_without_files(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_bytes(b"x")
    with pytest.raises(MissingSourceError, match="holds no files, only 1 hidden ones") as caught:
        Corpus(tmp_path)
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.path == str(tmp_path)


def test_a_file_that_vanishes_or_is_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"x")
    corpus = Corpus(path)
    os.remove(path)
    with pytest.raises(MissingSourceError, match=r"x\.txt does not exist"):
        list(corpus)
    path.mkdir()
    with pytest.raises(SourceError, match="is a folder; name a file"):
        list(corpus)


class LookAlike:
    """As much of `datasets.Dataset` as is used."""

    def __init__(self, rows: list[dict[str, Any]], *, known: bool = True) -> None:
        self.rows = rows
        self.column_names = list(rows[0]) if known else None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)


def test_datasets() -> None:
    dataset = LookAlike([{"text": "né", "id": 1}, {"text": "", "id": 2}])
    assert data_of(Corpus(dataset)) == ["né".encode(), b""]
    assert Corpus(dataset).docs == "record"
    assert [d.name for d in Corpus(dataset)] == ["dataset:1", "dataset:2"]
    with pytest.raises(RecordError, match="has no column 'body'; it has 'text', 'id'"):
        list(Corpus(dataset, field="body"))
    with pytest.raises(RecordError, match="row 1 has no field 'body'"):
        list(Corpus(LookAlike(dataset.rows, known=False), field="body"))
    with pytest.raises(RecordError, match="row 1: 'id' is 1; it must be text"):
        list(Corpus(dataset, field="id"))


def test_a_set_of_splits_asks_for_one() -> None:
    class Splits(dict[str, LookAlike]):
        column_names: dict[str, list[str]] = {}  # noqa: RUF012

    with pytest.raises(InputTypeError, match=r"one per split: 'train'; choose one, as in dataset\['train'\]"):
        Corpus(Splits(train=LookAlike([{"text": "a"}])))


@pytest.fixture
def memory() -> Iterator[Any]:
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]
    yield files
    files.store.clear()


def test_addresses(memory: Any) -> None:
    memory.pipe("/texts/b.txt", b"second")
    memory.pipe("/texts/a.txt.gz", gzip.compress(b"first"))
    memory.pipe("/texts/.hidden", b"no")
    memory.pipe("/rows.jsonl", b'{"text": "row"}\n')
    pq.write_table(pa.table({"text": ["x", "y"]}), sink := pa.BufferOutputStream())
    memory.pipe("/rows.parquet", sink.getvalue().to_pybytes())
    assert data_of(Corpus("memory://texts/b.txt")) == [b"second"]
    folder = Corpus("memory://texts")
    assert data_of(folder) == [b"first", b"second"]
    # The size of a remote file is not asked for.
    assert folder.notes == ("memory://texts: 1 hidden file or folder skipped", "a.txt.gz was unpacked")
    assert data_of(Corpus("memory://texts/*.txt")) == [b"second"]
    assert data_of(Corpus(["memory://rows.jsonl", "memory://rows.parquet"])) == [b"row", b"x", b"y"]


@pytest.mark.parametrize(
    ("address", "kind", "message"),
    [
        ("memory://no/such.txt", MissingSourceError, "does not exist"),
        ("memory://no/*.txt", MissingSourceError, "matches no file"),
        ("surely-unknown://x", SourceError, "cannot be read"),
    ],
)
def test_bad_addresses(address: str, kind: type[BitmeterError], message: str, memory: Any) -> None:
    with pytest.raises(kind, match=message):
        list(Corpus(address))


def test_what_is_unpacked_is_said(tmp_path: Path) -> None:
    for name in ("a.txt.gz", "b.TXT.GZ", "c.jsonl.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b'{"text": "to be"}\n' * 50))
    (tmp_path / "d.txt").write_bytes(b"plain")
    size = (tmp_path / "a.txt.gz").stat().st_size
    assert Corpus(tmp_path / "a.txt.gz").notes == (f"a.txt.gz was unpacked: {size} bytes in the file",)
    assert Corpus(tmp_path / "c.jsonl.gz").notes[0].startswith("c.jsonl.gz was unpacked")
    assert Corpus(tmp_path / "d.txt").notes == ()
    total = sum((tmp_path / name).stat().st_size for name in ("a.txt.gz", "b.TXT.GZ"))
    both = Corpus([tmp_path / "a.txt.gz", tmp_path / "b.TXT.GZ", tmp_path / "d.txt"])
    assert both.notes == (f"2 files were unpacked: {total} bytes in the files",)
    with (tmp_path / "a.txt.gz").open("rb") as stream:  # an open file is read as it is
        found = Corpus(stream)
        assert found.notes == ()
        assert b"".join(block.data for block in found.blocks()) == (tmp_path / "a.txt.gz").read_bytes()


def test_the_notes_of_a_text_are_those_of_its_score(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"to be or not to be"))
    (tmp_path / ".hidden").write_bytes(b"")
    size = (tmp_path / "a.txt.gz").stat().st_size
    wanted = [f"{tmp_path}: 1 hidden file or folder skipped", f"a.txt.gz was unpacked: {size} bytes in the file"]
    for model, norm in (("kt", None), ("kt", "lower"), ("zlib", None)):
        assert [note for note in bm.score(model, tmp_path, norm=norm).notes if note in wanted] == wanted
