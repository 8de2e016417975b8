"""Records of files: as they are, with their texts; bad ones set aside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bitmeter.errors import DamagedSourceError, FileFormatError
from bitmeter.filter import records
from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Fields, Rows, format_of


def read(path: Path, fields: Fields = Fields()) -> list[Rows]:  # noqa: B008
    return list(read_rows(str(path), fields))


def test_formats_by_name() -> None:
    names = ["a.jsonl", "a.ndjson.gz", "a.parquet", "a.txt", "a.warc.wet.gz", "a.wet", "a.zst"]
    assert [format_of(name) for name in names] == ["jsonl", "jsonl", "parquet", "text", "wet", "wet", "text"]


def test_bad_lines_are_set_aside_with_place_and_reason(tmp_path: Path) -> None:
    lines = [
        b'\xef\xbb\xbf{"text": "one"}', b"", b"nonsense", b'{"text": null}', b'{"other": 1}', b'{"text": 7}', b"[1]",
        b'  {"text": "spaced"}  ', b'{"text": "bad \xff byte"}', b'{"text": "\\ud800"}', b'{"text": "x"} {}',
        b'{"text": "' + b"[" * 9 + b'"}', b"[" * 100_000,
    ]  # fmt: skip
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join(lines))
    [rows] = read(path)
    assert rows.texts == [b"one", b"spaced", b"bad \xff byte", b"\xed\xa0\x80", b"[" * 9]
    assert [(bad.place, bad.row) for bad in rows.bad] == [
        ("line 3", 1), ("line 4", 2), ("line 5", 3), ("line 6", 4), ("line 7", 5), ("line 11", 9), ("line 13", 11),
    ]  # fmt: skip
    assert "null" in rows.bad[1].reason
    assert "no field 'text'; it has 'other'" in rows.bad[2].reason
    assert [rows.raw[at] for at in rows.good][1] == lines[7]
    assert len(rows) == 12


def test_languages_come_with_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "lang": "en"}\n{"text": "b"}\n{"text": "c", "lang": "de"}\n')
    [rows] = read(path, Fields(language="lang"))
    assert rows.languages == ["en", "de"]
    assert "lang" in rows.bad[0].reason


def test_a_field_that_is_to_be_added_must_not_be_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b", "perplexity": 3}\n')
    with pytest.raises(FileFormatError, match=r"line 2 has a field 'perplexity'.*--prefix"):
        read(path, Fields(added=("perplexity",)))


@pytest.mark.parametrize("docs", ["line", "blank"])
def test_texts_joined_are_the_file(tmp_path: Path, docs: str) -> None:
    data = b"one\ntwo\n\n\nthree \xff\nfour"
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    [rows] = read(path, Fields(docs=docs))
    assert b"".join(rows.texts) == data
    assert rows.raw == rows.texts
    assert len(rows.texts) == (6 if docs == "line" else 2)


def test_batches_are_bounded_and_numbered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BATCH_ROWS", 3)
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": str(number)}) + "\n" for number in range(8)))
    batches = read(path)
    assert [(rows.first, len(rows)) for rows in batches] == [(0, 3), (3, 3), (6, 2)]
    text = tmp_path / "a.txt"
    text.write_text("1\n2\n3\n4\n")
    assert [(rows.first, len(rows)) for rows in read(text)] == [(0, 3), (3, 1)]


def test_records_that_are_too_long_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST", 20)
    monkeypatch.setattr(records, "_READ", 8)
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "' + "b" * 500 + '"}\n{"text": "c"}\n{"text": "' + "d" * 99)
    [rows] = read(path)
    assert rows.texts == [b"a", b"c"]
    assert [bad.place for bad in rows.bad] == ["line 2", "line 4"]
    assert all(len(bad.raw) < 60 for bad in rows.bad)
    text = tmp_path / "a.txt"
    text.write_text("short\n" + "long" * 50 + "\nend\n")
    [rows] = read(text)
    assert rows.texts == [b"short\n", b"end\n"]
    assert rows.bad[0].place == "line 2"


def test_an_empty_file_has_no_records_and_a_cut_one_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    assert read(tmp_path / "a.jsonl") == []
    (tmp_path / "b.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    with pytest.raises(DamagedSourceError):
        read(tmp_path / "b.jsonl.gz")
