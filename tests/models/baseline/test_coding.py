"""Coding by a table, in the core: the twin is the same table asked unit by unit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.baseline.coding import TableCoder
from bitmeter.models.coder import StepwiseCoder
from tests.coding.models import chain


def quick(model: bm.TableModel) -> TableCoder:
    made = model.coder()
    assert isinstance(made, TableCoder)
    return made


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="abc ", max_size=60), st.integers(0, 60))
def test_it_codes_what_the_twin_codes_in_as_many_bits(text: str, cut: int) -> None:
    model, data = bm.TableModel(chain()), text.encode()
    there, back = quick(model), quick(model)
    slow = StepwiseCoder(model.name, model.units, model.outcomes, model.stepper())
    for part in (data[:cut], data[cut:]):
        coded, taken = there.encode(part, final=True)
        assert (taken, back.decode(coded, len(part))) == (len(part), part)
        slow.encode(part, final=True)
    assert there.bits == pytest.approx(slow.bits, abs=1e-3)
    assert there.bits == pytest.approx(bm.score(model, data).bits if data else 0.0, abs=1e-3)


def test_a_row_that_does_not_sum_to_one_is_refused() -> None:
    model = bm.TableModel(chain())
    with pytest.raises(ModelError, match="sum to 2"):
        TableCoder("twice", model.units, model.outcomes, np.log(np.array([[1.0, 1.0]])), 0)


def test_what_is_impossible_is_named_with_its_offset() -> None:
    made = quick(bm.TableModel(bm.Distribution({"a": 0.5, "b": 0.5})))
    made.encode(b"ab", final=True)
    with pytest.raises(ModelError, match="'c' at byte 3 no probability"):
        made.encode(b"ac", final=True)


def test_damaged_code_is_a_typed_error() -> None:
    with pytest.raises(FileFormatError):
        quick(bm.TableModel(chain())).decode(b"", 1000)
