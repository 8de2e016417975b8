"""Numbers with labels are recognised, put in one order, or refused."""

from __future__ import annotations

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pytest
import xarray as xr

from bitmeter._util import labelled
from bitmeter.errors import InputError, InputTypeError


def test_what_has_labels() -> None:
    found = labelled.read(pd.Series([1.0, 2.0], index=["a", "b"]), "x")
    assert found is not None
    assert found.names == ("a", "b")
    assert not found.positional
    counted = labelled.read(pd.Series([1.0, 2.0]), "x")
    assert counted is not None
    assert counted.positional
    for other in ([1.0], np.ones(2), "ab", pd.Series(["a", "b"]), xr.DataArray([1.0, 2.0]), None):
        assert labelled.read(other, "x") is None

    class Mine(pd.Series):  # type: ignore[misc]
        """A class that inherits from a Series is one."""

    assert labelled.library_class(Mine([1.0])) == "pandas.Series"


def test_two_orders_become_one() -> None:
    p, q = labelled.read({"a": 1, "b": 2}, "p"), labelled.read({"b": 3, "c": 4}, "q")
    assert p is not None
    assert q is not None
    names, first, second = labelled.align(p, q)
    assert names == ("b", "c", "a")
    assert first.tolist() == [2, 0, 1]
    assert second.tolist() == [3, 4, 0]
    with pytest.raises(InputTypeError, match="p has labels"):
        labelled.refuse("p", ("a",), "q")


def test_a_vector_in_the_order_of_labels() -> None:
    assert labelled.in_order({"b": 1.0}, ("a", "b"), "x").tolist() == [0.0, 1.0]
    assert labelled.in_order([1.0, 2.0], ("a", "b"), "x") == [1.0, 2.0]
    with pytest.raises(InputError, match="'c'"):
        labelled.in_order({"c": 1.0}, ("a", "b"), "x")
