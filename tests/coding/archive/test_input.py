"""What a file says that it holds is read only as far as it is there."""

from __future__ import annotations

import io
import os
import tracemalloc

import pytest

from bitmeter.coding.archive.input import read_exactly, size_left


@pytest.mark.parametrize("size", [0, 1, 5, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_as_many_bytes_as_are_asked_for(size: int) -> None:
    data = os.urandom(size)
    assert read_exactly(io.BytesIO(data + b"rest"), size) == data
    if size:
        assert read_exactly(io.BytesIO(data[:-1]), size) is None


def test_bytes_that_are_not_there_take_no_memory() -> None:
    tracemalloc.start()
    try:
        assert read_exactly(io.BytesIO(b"abc"), 1 << 40) is None
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_the_size_of_a_stream_is_not_known() -> None:
    read, write = os.pipe()
    with os.fdopen(read, "rb") as stream, os.fdopen(write, "wb"):
        assert size_left(stream) is None
    file = io.BytesIO(b"abcdef")
    file.seek(2)
    assert (size_left(file), file.tell()) == (4, 2)
