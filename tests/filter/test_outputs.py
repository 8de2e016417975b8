"""Writing records: as they were, compressed by the suffix, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bitmeter.errors import InputError
from bitmeter.filter.outputs import check_format, opened, write_bad
from bitmeter.filter.records import Bad, Rows
from bitmeter.text.corpus.readers import file_blocks

LINES = [b'{"a":  1.0, "text": "x"}', b'{ "text" : "\xc3\xa9" }  ']


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".xz", ".bz2"])
def test_lines_are_copied_and_compressed(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    for _ in range(2):  # the same bytes each time: no time stamps
        with opened(path, force=True) as writer:
            writer.write(Rows(0, LINES), [0, 1], {})
            writer.write(Rows(0, LINES), [], {})
        data = path.read_bytes()
    assert b"".join(file_blocks(str(path), 1 << 16)) == b"".join(line + b"\n" for line in LINES)
    with opened(path, force=True) as writer:
        writer.write(Rows(0, LINES), [0, 1], {})
        writer.write(Rows(0, LINES), [], {})
    assert path.read_bytes() == data


def test_fields_are_added_at_the_end_and_the_rest_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    columns: dict[str, list[Any]] = {"ppl": [1.5, float("inf")], "n": [3, None], 'odd "name"': ["head", "é"]}
    with opened(path, force=False) as writer:
        writer.write(Rows(0, LINES), [0, 1], columns)
    first, second = path.read_bytes().splitlines()
    assert first == b'{"a":  1.0, "text": "x", "ppl": 1.5, "n": 3, "odd \\"name\\"": "head"}'
    assert json.loads(second) == {"text": "é", "ppl": "inf", "n": None, 'odd "name"': "é"}


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    def interrupted() -> None:
        with opened(tmp_path / "a.jsonl", force=False) as writer:
            writer.write(Rows(0, LINES), [0], {})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert list(tmp_path.iterdir()) == []


def test_formats_must_agree() -> None:
    check_format("a.jsonl", "b.jsonl.zst")
    for source, destination in (("a.jsonl", "b.txt"), ("a.parquet", "b.parquet.gz"), ("a.txt", "b.parquet")):
        with pytest.raises(InputError, match="suffix"):
            check_format(source, destination)


def test_bad_records_keep_their_bytes(tmp_path: Path) -> None:
    with open(tmp_path / "bad", "wb") as file:
        write_bad(file, "a.jsonl", Bad(2, "line 3", "not JSON", b"\xff{"))
    found = json.loads((tmp_path / "bad").read_text())
    assert found["record"].encode("utf-8", "surrogateescape") == b"\xff{"
    assert (found["file"], found["place"], found["reason"]) == ("a.jsonl", "line 3", "not JSON")
