"""Records from files and streams."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bitmeter.errors import BitmeterError, InputError, RecordError
from bitmeter.text.corpus.records import Origin, record_format, records_corpus

ROWS = [{"id": 7, "text": 'one, "two"\nthree'}, {"id": 8, "text": None}, {"id": 9, "text": ""}, {"id": 10, "text": "é"}]
GOOD = [b'one, "two"\nthree', b"", "é".encode()]


def write(folder: Path) -> None:
    lines = [json.dumps(row) for row in ROWS]
    (folder / "a.jsonl").write_text("\n".join([*lines[:2], "", *lines[2:]]) + "\n")
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "a.parquet")
    (folder / "a.csv").write_text('id,text\n7,"one, ""two""\nthree"\n9,\n10,é\n')
    (folder / "a.tsv").write_text('id\ttext\n7\t"one, ""two""\nthree"\n9\t\n10\té\n')


@pytest.mark.parametrize(
    ("name", "numbers"), [("a.jsonl", [1, 4, 5]), ("a.parquet", [1, 3, 4]), ("a.csv", [2, 4, 5]), ("a.tsv", [2, 4, 5])]
)
def test_documents_and_where_they_are(name: str, numbers: list[int], tmp_path: Path) -> None:
    write(tmp_path)
    corpus, rows = records_corpus(str(tmp_path / name), id_field="id", on_bad="skip")
    rows.keeps = True
    assert [document.data for document in corpus] == GOOD
    origins = list(rows.origins)
    assert [origin.number for origin in origins] == numbers
    assert [str(origin.id) for origin in origins] == ["7", "9", "10"]
    assert origins[0].path == str(tmp_path / name)
    if name in ("a.jsonl", "a.parquet"):
        assert rows.bad == 1
        assert rows.notes() == [f"1 record left out, of 4: {tmp_path / name}, {rows.first_bad.split(', ')[1]}"]
        again, _ = records_corpus(str(tmp_path / name))
        with pytest.raises(RecordError, match="'text' is null; it must be text"):
            list(again)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv", "tsv"])
def test_a_stream(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path)
    data = (tmp_path / f"a.{kind}").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    corpus, rows = records_corpus("-", input_format=kind, on_bad="skip")
    rows.keeps = True
    assert [document.data for document in corpus] == GOOD
    assert rows.origins[0] == Origin("stdin", 2 if kind in ("csv", "tsv") else 1, None)
    with pytest.raises(BitmeterError, match="only once"):
        list(corpus)


def test_several_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text(f"text\n{name}\n")
    corpus, rows = records_corpus(str(tmp_path / "*.csv"))
    rows.keeps = True
    assert [document.data for document in corpus] == [b"a", b"b"]
    assert [origin.path[-5:] for origin in rows.origins] == ["a.csv", "b.csv"]
    assert corpus.name.endswith("(2 files)")


def test_what_cannot_be(tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "short.csv").write_text("a,text\n1\n")
    (tmp_path / "twice.csv").write_text("a,a\n1,2\n")
    for name in ("-", str(tmp_path / "a.txt")):
        with pytest.raises(InputError, match="--input-format jsonl, csv, tsv or parquet"):
            records_corpus(name)
    for name, said in (("short.csv", "1 values for 2 names"), ("twice.csv", "none comes twice")):
        with pytest.raises(RecordError, match=said):
            list(records_corpus(str(tmp_path / name))[0])
    with pytest.raises(RecordError, match=r"no record has a text: .* has no field 'body'; it has 'id', 'text'"):
        list(records_corpus(str(tmp_path / "a.csv"), field="body", on_bad="skip")[0])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(BitmeterError, match="not a sound parquet file"):
        list(records_corpus(str(tmp_path / "bad.parquet"))[0])
    for keywords in ({"input_format": "xml"}, {"on_bad": "mend"}):
        with pytest.raises(BitmeterError):
            records_corpus(str(tmp_path / "a.csv"), **keywords)
    assert record_format("A.NDJSON.zst") == "jsonl"
    assert record_format("folder") is None
