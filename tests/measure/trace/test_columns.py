"""The columns of a trace in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bitmeter.errors import ChoiceError, FileFormatError
from bitmeter.measure.trace.columns import ALTERNATIVES, COLUMNS, MemoryColumns, missing_column, read_error
from bitmeter.models.outcomes import Details

DETAILS = Details(
    np.array([0.1, 0.2, 0.3]),
    np.array([1, 2, 1]),
    np.array([[0], [0], [1]]),
    np.log([[0.5], [0.6], [0.7]]),
    (b"x", b"y"),
)


def made(details: Details | None = None) -> MemoryColumns:
    arrays = {name: np.arange(3.0 if name == "logprob" else 3) for name in COLUMNS}
    return MemoryColumns(arrays, b"abccc", np.array([0, 1, 2, 5]), details)


def test_a_part_has_its_own_text_and_offsets() -> None:
    part = made(DETAILS).part(1, 3)
    assert part.length == 2
    data, cuts = part.text()
    assert (data, cuts.tolist()) == (b"bccc", [0, 1, 4])
    assert part.get("logprob").tolist() == [1.0, 2.0]
    assert part.get("rank").tolist() == [2, 1]
    assert part.alternatives(1) == ((b"y", np.log(0.7)),)


def test_an_empty_part() -> None:
    part = made().part(2, 2)
    assert part.length == 0
    assert part.text()[0] == b""


def test_details_are_columns_if_there_are_any() -> None:
    plain, detailed = made(), made(DETAILS)
    assert (plain.has("entropy"), plain.has(ALTERNATIVES)) == (False, False)
    assert (detailed.has("entropy"), detailed.has(ALTERNATIVES)) == (True, True)
    assert detailed.details() is DETAILS
    for missing in (lambda: plain.get("rank"), lambda: plain.alternatives(0)):
        with pytest.raises(ChoiceError, match="was not asked for it"):
            missing()


def test_errors_name_what_is_wrong() -> None:
    assert "no entropy" in str(missing_column("entropy"))
    error = read_error(Path("run.parquet"), "it is empty")
    assert isinstance(error, FileFormatError)
    assert "run.parquet is not a trace" in str(error)
    assert "--trace FILE" in str(error)
