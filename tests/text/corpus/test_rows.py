"""Items with several fields, from every form."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.text.corpus.rows import read_items, read_text, source_label

ROWS = [{"good": "a, b", "bad": 'c "d"'}, {"good": "é", "bad": "f\ng"}]


def test_every_form_gives_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"good": "a, b", "bad": "c \\"d\\""}\n\n{"good": "é", "bad": "f\\ng"}\n', "utf-8"
    )
    (tmp_path / "a.csv").write_bytes('good,bad\n"a, b","c ""d"""\né,"f\ng"\n'.encode())
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress('good\tbad\na, b\t"c ""d"""\né\t"f\ng"\n'.encode()))
    for name in ("a.jsonl", "a.csv", "a.tsv.gz"):
        assert [dict(item.row) for item in read_items(tmp_path / name)] == ROWS
    assert [dict(item.row) for item in read_items([tmp_path / "a.csv", tmp_path / "a.jsonl"])] == ROWS * 2
    assert [item.row for item in read_items(ROWS)] == ROWS


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "good,bad\na\n", "line 2 has 1 values for 2 names"),
        ("a.csv", "good,good\na,b\n", "of which none comes twice"),
        ("a.jsonl", "{nope\n", "line 1 is not JSON"),
        ("a.jsonl", "[1]\n", "must be a JSON object"),
        ("a.txt", "x", "holds no items"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(bm.BitmeterError, match=message):
        list(read_items(tmp_path / name))


def test_fields() -> None:
    [item] = read_items([{"good": 3}])
    with pytest.raises(bm.BitmeterError, match="item 1 has no field 'bad'; it has 'good'"):
        read_text(item, "bad", "bad")
    with pytest.raises(bm.BitmeterError, match="'good' is 3; it must be text"):
        read_text(item, "good", "good")
    assert (source_label(["a", "b"]), source_label(ROWS)) == ("a and 1 more", "items")
