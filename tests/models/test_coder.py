"""Coding unit by unit: what is decoded is what was encoded, in as many bits as the model says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import _core
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.coder import StepwiseCoder, decode_errors
from bitmeter.models.outcomes import Outcomes, byte_outcomes
from bitmeter.models.session import HistoryStepper
from bitmeter.text.units.plain import Bytes, Characters


def by_last(history: NDArray[np.int64]) -> NDArray[np.float64]:
    """A byte is like the one before it: half for the same, the rest for all others alike."""
    row = np.full(256, 0.5 / 255)
    row[int(history[-1]) if len(history) else 0] = 0.5
    return np.asarray(np.log(row))


def coder(watch: list[int] | None = None) -> StepwiseCoder:
    return StepwiseCoder(
        "last", Bytes(), byte_outcomes(), HistoryStepper(by_last), None if watch is None else watch.append
    )


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=200), st.integers(0, 200))
def test_blocks_come_back_in_as_many_bits_as_the_model_says(data: bytes, cut: int) -> None:
    there, back = coder(), coder()
    total = 0
    for part in (data[:cut], data[cut:]):
        coded, taken = there.encode(part, final=True)
        assert taken == len(part)
        assert back.decode(coded, len(part)) == part
        total += len(coded)
    before = b"\0" + data
    same = sum(a == b for a, b in zip(before, data, strict=False))
    expected = same + (len(data) - same) * np.log2(255 / 0.5)
    assert there.bits == pytest.approx(expected, abs=1e-3)
    assert 8 * total <= there.bits + 32  # each block ends at a whole byte


def test_a_unit_that_may_go_on_waits_for_the_next_call() -> None:
    letters = bm.TableModel(bm.Distribution({"é": 0.5, "a": 0.5}))
    made = StepwiseCoder("letters", Characters(), letters.outcomes, letters.stepper())
    data = "aé".encode()
    coded, taken = made.encode(data[:2], final=False)
    assert taken == 1
    more, taken = made.encode(data[1:], final=True)
    assert taken == 2
    back = StepwiseCoder("letters", Characters(), letters.outcomes, letters.stepper())
    assert back.decode(coded, 1) + back.decode(more, 2) == data


def test_progress_is_reported_in_bytes() -> None:
    seen: list[int] = []
    coder(seen).encode(b"a" * 1000, final=True)
    assert seen == sorted(seen)
    assert seen[-1] > 700


def test_what_has_no_probability_is_named_with_its_offset() -> None:
    table = bm.TableModel(bm.Distribution({"a": 1.0}))
    made = StepwiseCoder("table", Characters(), table.outcomes, table.stepper())
    with pytest.raises(ModelError, match="gives 'b' at byte 2 no probability"):
        made.encode(b"aab", final=True)


def test_rows_that_are_no_distribution_are_refused() -> None:
    double = StepwiseCoder("double", Bytes(), byte_outcomes(), HistoryStepper(lambda history: by_last(history) + 0.5))
    with pytest.raises(ModelError, match=r"sum to 1\.64"):
        double.encode(b"a", final=True)
    short = StepwiseCoder("short", Bytes(), byte_outcomes(), HistoryStepper(lambda history: by_last(history)[:5]))
    with pytest.raises(ModelError, match=r"predicts \(5,\) values for 256 outcomes"):
        short.encode(b"a", final=True)


def test_an_entry_of_several_units_codes_none_of_them() -> None:
    shared = Outcomes(2, lambda: np.array([97, -1]), index=lambda ids: np.where(np.asarray(ids) == 97, 0, 1))
    made = StepwiseCoder("shared", Bytes(), shared, HistoryStepper(lambda history: np.log([0.5, 0.5])))
    made.encode(b"aaa", final=True)
    assert made.bits == pytest.approx(3.0)
    with pytest.raises(ModelError, match="'b' at byte 3"):
        made.encode(b"b", final=True)


def test_what_no_encoder_wrote_is_a_typed_error() -> None:
    with pytest.raises(FileFormatError, match="broken"), decode_errors():
        raise _core.CodeError("broken")
    with pytest.raises(FileFormatError):
        coder().decode(b"", 500)


def test_progress_counts_the_same_units_both_ways() -> None:
    there: list[int] = []
    back: list[int] = []
    data = b"a" * 600
    coded, _ = coder(there).encode(data, final=True)
    coder(back).decode(coded, len(data))
    assert there == back == [256, 512]
