"""Text files: lines or paragraphs, joined they are the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter.filter import records
from bitmeter.filter.formats import text as texts
from bitmeter.filter.formats.text import text_rows
from bitmeter.filter.records import Fields, Rows


def read(path: Path, fields: Fields = Fields()) -> list[Rows]:  # noqa: B008
    return list(text_rows(str(path), fields))


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
    path = tmp_path / "a.txt"
    path.write_text("1\n2\n3\n4\n")
    assert [(rows.first, len(rows)) for rows in read(path)] == [(0, 3), (3, 1)]


def test_lines_that_are_too_long_do_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "LONGEST", 20)
    monkeypatch.setattr(texts, "_READ", 8)
    path = tmp_path / "a.txt"
    path.write_text("short\n" + "long" * 50 + "\nend\n")
    [rows] = read(path)
    assert rows.texts == [b"short\n", b"end\n"]
    assert [(bad.place, bad.row) for bad in rows.bad] == [("line 2", 1)]
