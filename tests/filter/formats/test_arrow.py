"""Columns of every layout that Arrow has for texts."""

from __future__ import annotations

import pyarrow as pa
import pytest

from bitmeter.filter.formats.arrow import column_texts


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_slices_and_chunks_and_nulls(kind: pa.DataType) -> None:
    whole = pa.array(["zero", "one", None, "", "two"], type=kind)
    columns = [whole.slice(1), pa.chunked_array([whole.slice(1, 2), whole.slice(3)])]
    if kind == pa.string():
        columns.append(whole.slice(1).dictionary_encode())
    for column in columns:
        data, ends, present = column_texts(column, pa)
        assert (data, ends.tolist(), present.tolist()) == (b"onetwo", [3, 3, 3, 6], [True, False, True, True])


def test_empty_and_wrong_columns() -> None:
    for column in (pa.array([], pa.string()), pa.chunked_array([], pa.string())):
        data, ends, present = column_texts(column, pa)
        assert (data, len(ends), len(present)) == (b"", 0, 0)
    with pytest.raises(pa.ArrowNotImplementedError):
        column_texts(pa.array([1.5]), pa)
