"""What makes an n-gram model a model: histories, outcomes, units."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm


@pytest.mark.parametrize("history", ["to be", ["to", "be"], b"to", None, [0.5], [[1, 2]], [None]])
def test_a_history_is_of_ids(history: Any) -> None:
    model = bm.NGram(order=2).fit(b"to be or not to be\n")
    with pytest.raises(bm.errors.InputTypeError, match=r"row of ids, such as model.units.split"):
        model.predict(history)
    assert model.predict(np.zeros(0, dtype=np.int64)).shape == model.predict(np.array([model.word_id("to")])).shape
