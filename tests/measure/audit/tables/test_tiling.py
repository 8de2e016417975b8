"""Whether each byte is in exactly one unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.tables.columns import read_columns
from bitmeter.measure.audit.tables.reading import read_table
from bitmeter.measure.audit.tables.tiling import RawText, Tiling, tile
from bitmeter.text.units.named import units_of


def tiled(columns: dict[str, Any], data: bytes, ends: list[int] | None = None, units: Any = None) -> Tiling:
    number = len(next(iter(columns.values())))
    table = read_table({"logprob": [-1.0] * number, **columns})
    text = RawText(data, np.array(ends or [len(data)], dtype=np.int64))
    return tile(read_columns(table, None, None), text, units, "t")


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(0, 11), st.sampled_from(["fine", "gap", "twice"])
)
def test_gaps_and_overlaps_are_counted(sizes: list[int], at: int, how: str) -> None:
    """Against a count of how often each byte is covered."""
    ends = np.cumsum(sizes)
    starts = ends - sizes
    at %= len(sizes)
    if how == "gap":
        starts[at] += 1
    elif how == "twice" and starts[at] > 0:
        starts[at] -= 1
    found = tiled({"start": starts, "end": ends}, b"x" * int(ends[-1]))
    covered = np.zeros(int(ends[-1]), dtype=int)
    for a, b in zip(starts, ends, strict=True):
        covered[a:b] += 1
    assert found.unpaid == int((covered == 0).sum())
    said = " ".join(finding.text for finding in found.findings)
    assert ("in two units" in said) == bool((covered > 1).any())
    assert ("in no unit" in said) == bool((covered == 0).any())


def test_offsets_within_documents() -> None:
    found = tiled({"doc": [0, 0, 1], "start": [0, 2, 0], "end": [2, 3, 2]}, b"abcde", [3, 5])
    assert found.start.tolist() == [0, 2, 3]
    assert found.findings == []


def test_offsets_in_characters() -> None:
    found = tiled({"start": [0, 1, 2], "end": [1, 2, 3]}, "néé".encode())
    assert found.end.tolist() == [1, 3, 5]
    assert found.findings == []
    with pytest.raises(FileFormatError, match="count characters"):
        tiled({"doc": [0, 1], "start": [0, 0], "end": [2, 2]}, "néné".encode(), [3, 6])


def test_units_out_of_order_are_noted() -> None:
    found = tiled({"start": [2, 0], "end": [3, 2]}, b"abc")
    assert [finding.severity for finding in found.findings] == ["note"]


def test_pieces_beside_offsets_must_be_what_lies_there() -> None:
    rows = {"start": [0, 2], "end": [2, 5], "piece": ["to", " be"]}
    assert tiled(rows, b"to be").findings == []
    (finding,) = tiled({**rows, "piece": ["to", " by"]}, b"to be").findings
    assert "written as ' by'" in finding.text


def test_ids_of_bytes_and_of_no_units() -> None:
    found = tiled({"id": [97, 98]}, b"ab", units=units_of("bytes"))
    assert found.end.tolist() == [1, 2]
    with pytest.raises(FileFormatError, match="--units"):
        tiled({"id": [97, 98]}, b"ab")


def test_documents_that_do_not_match_are_ignored_and_said() -> None:
    table = read_table({"doc": [0, 1, 2], "start": [0, 1, 2], "end": [1, 2, 3], "logprob": [-1.0] * 3})
    columns = read_columns(table, None, None)
    tile(columns, RawText(b"abc", np.array([3])), None, "t")
    assert any("3 documents and the text 1" in line for line in columns.assumptions)


@pytest.mark.parametrize(("by", "until", "said"), [
    (0, -1, "ends are those of the last byte"),
    (1, 1, "counted from 1; count"),
    (1, 0, "counted from 1, and ends"),
    (-1, -1, "begin at −1"),
])  # fmt: skip
def test_offsets_that_are_all_off_by_one_are_named(by: int, until: int, said: str) -> None:
    start, end = np.array([0, 2, 5]), np.array([2, 5, 12])
    right = tiled({"start": start, "end": end, "nll": np.ones(3)}, b"to be or not")
    assert not right.findings
    found = tiled({"start": start + by, "end": end + until, "nll": np.ones(3)}, b"to be or not")
    assert any(said in one.text for one in found.findings)
    one_wrong = end.copy()
    one_wrong[0] += until or 1
    other = tiled({"start": start, "end": one_wrong, "nll": np.ones(3)}, b"to be or not")
    assert not any("with a shift" in one.text for one in other.findings)
