"""The array types are those that the core and numpy give back."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints


@pytest.mark.parametrize(
    ("alias", "array"),
    [
        (Floats, _core.segment_sums(np.ones(3), np.array([0, 1, 3]))),
        (Ints, _core.split_words(b"to be", np.array([5]), b" ", None)[1]),
        (Bools, np.array([1, 2]) == 1),
    ],
)
def test_an_alias_names_the_dtype_of_what_is_given_back(alias: object, array: np.ndarray) -> None:
    dtype = get_args(alias)[1]
    assert array.dtype == get_args(dtype)[0]
