"""Texts of an Arrow column, without a loop over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools, Ints

__all__ = ["column_texts"]


def column_texts(column: Any, pa: Any) -> tuple[bytes, Ints, Bools]:
    """The bytes of all texts, where each ends, and which of them are there; a null one is empty.

    `pa` is the package; what cannot be text raises its ArrowInvalid or ArrowNotImplementedError.

    Examples
    --------
    >>> import pyarrow as pa
    >>> data, ends, present = column_texts(pa.array(["ab", None, "c"]), pa)
    >>> data, ends.tolist(), present.tolist()
    (b'abc', [2, 2, 3], [True, False, True])
    """
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.large_binary())
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    column = column.cast(pa.large_binary())
    present = ~column.is_null().to_numpy(zero_copy_only=False)
    column = column.fill_null(b"")
    if len(column) == 0:
        return b"", np.zeros(0, dtype=np.int64), present
    offsets = np.frombuffer(column.buffers()[1], dtype=np.int64, count=len(column) + 1, offset=8 * column.offset)
    first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    buffer = column.buffers()[2]
    data = b"" if buffer is None else buffer.slice(first, size).to_pybytes()
    return data, offsets[1:] - first, present
