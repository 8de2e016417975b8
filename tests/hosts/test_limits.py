"""What the adapters share."""

from __future__ import annotations

import math
import pickle

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError
from bitmeter.hosts.limits import Limited


def test_figures_and_limits() -> None:
    limited = Limited("kt", "perplexity", 2.0, 200.0)
    [value, empty, missing] = limited.values(["to be", "", None])
    assert value == pytest.approx(bm.score("kt", b"to be").perplexity("token"), rel=1e-12)
    assert (empty, missing) == (None, None)
    assert [limited.keeps(one) for one in (2.0, 200.0, 1.9, 201.0, None)] == [True, True, False, False, False]
    assert pickle.loads(pickle.dumps(limited)).values(["to be"]) == [value]


@pytest.mark.parametrize("arguments", [("kt", "cost"), ("kt", None, 2, 1), ("kt", None, math.nan), ("none",)], ids=str)
def test_wrong_arguments(arguments: tuple[object, ...]) -> None:
    with pytest.raises(BitmeterError):
        Limited(*arguments)  # type: ignore[arg-type]
