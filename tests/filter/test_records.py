"""Records in batches: what they hold, and how they are gathered."""

from __future__ import annotations

import numpy as np
import pytest

from bitmeter.errors import FileFormatError
from bitmeter.filter import records
from bitmeter.filter.records import Gathered, Rows, Slices, format_of, taken


def test_formats_by_name() -> None:
    names = ["a.jsonl", "a.ndjson.gz", "a.parquet", "a.txt", "a.warc.wet.gz", "a.wet", "a.zst"]
    assert [format_of(name) for name in names] == ["jsonl", "jsonl", "parquet", "text", "wet", "wet", "text"]


@pytest.mark.parametrize(
    ("starts", "stops"), [([0, 2, 2], [2, 2, 5]), ([1, 3, 3], [3, 3, 4]), ([0, 3], [1, 5]), ([], [])]
)
def test_slices_are_a_sequence_of_bytes(starts: list[int], stops: list[int]) -> None:
    data = b"abcde"
    wanted = [data[a:b] for a, b in zip(starts, stops, strict=True)]
    parts = Slices(data, np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64))
    assert list(parts) == wanted
    assert [parts[at] for at in range(len(parts))] == wanted
    assert parts[1:] == wanted[1:]
    assert parts.size == sum(map(len, wanted))
    rows = Rows(0, parts, range(len(parts)), parts)
    assert rows.size == parts.size
    assert rows.lines(list(range(len(parts)))) == wanted
    for found in (rows.joined(), Rows(0, wanted, texts=wanted).joined()):
        assert found[0] == b"".join(wanted)
        assert found[1].tolist() == np.cumsum([len(part) for part in wanted]).tolist()


def test_batches_are_full_by_bytes_or_by_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "BATCH_ROWS", 3)
    monkeypatch.setattr(records, "BATCH_BYTES", 10)
    gathered = Gathered()
    full = []
    for raw in (b"a", b"b", b"c", b"0123456789"):
        gathered.add(raw, raw, "line")
        full.append(gathered.full)
        if gathered.full:
            gathered.carry(b"head")
            [rows] = gathered.taken()
            assert rows.carried == b"head"
    assert full == [False, False, True, True]
    assert rows.first == 3
    assert list(gathered.taken()) == []


def test_a_field_that_is_there_already_is_named() -> None:
    error = taken("oov", "a.jsonl", "line 3")
    assert isinstance(error, FileFormatError)
    assert "a.jsonl, line 3 has a field 'oov'" in str(error)
