"""Numbers of other libraries: missing ones are named, and narrow floats are held to their own tolerance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import NotFiniteError, NotNormalisedError


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([0.5, None, 0.5]),
        pd.Series([0.5, None, 0.5], dtype="Float64"),
        pd.Series([0.5, None, 0.5], index=list("abc"), dtype="Float64"),
        pa.array([0.5, None, 0.5]),
        [0.5, float("nan"), 0.5],
    ],
)
def test_a_missing_probability_is_named_in_every_library(values: Any) -> None:
    with pytest.raises(NotFiniteError, match=r"p\[1\] is NaN"):
        bm.entropy(values)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["a", None]),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([pd.Timestamp(0), pd.NaT]),
        pd.Series(["a", pd.NA], dtype=object),
        pa.array(["a", None]),
        pa.array([1, None]),
    ],
)
def test_a_missing_sample_is_named_in_every_library(values: Any) -> None:
    with pytest.raises(NotFiniteError, match=r"p\[1\] is .*missing value"):
        bm.entropy(values, of="samples")


@pytest.mark.parametrize("kind", [torch.float32, torch.float16, torch.bfloat16])
def test_softmax_rows_of_every_width(kind: torch.dtype) -> None:
    logits = torch.tensor(np.random.default_rng(1).normal(scale=3, size=(4, 50_000)))
    rows, exact = torch.softmax(logits.to(kind), -1), torch.softmax(logits, -1)
    assert any(abs(total - 1) > 1e-9 for total in rows.double().sum(-1).tolist())
    # What is within the tolerance is the distribution p/Σp.
    expected = np.asarray(bm.entropy(rows.double().numpy(), normalise=True))
    assert bm.entropy(rows) == pytest.approx(expected, rel=1e-12)
    assert bm.entropy(rows) == pytest.approx(bm.entropy(exact), abs=0.1)
    assert bm.cross_entropy(rows, rows) == pytest.approx(expected, rel=1e-12)
    assert bm.js_divergence(rows, exact) == pytest.approx(np.zeros(4), abs=0.01)
    assert bm.Distribution(rows[0]).entropy == pytest.approx(expected[0], rel=1e-12)
    assert bm.Markov(torch.softmax(logits[:4, :4].to(kind), -1)).alphabet_size == 4
    with pytest.raises(NotNormalisedError):
        bm.entropy(rows * 0.9)
    # A double is held to what a double can do, also beside a narrower one.
    with pytest.raises(NotNormalisedError, match=r"p\[0\].*1e-09"):
        bm.cross_entropy(exact * (1 + 1e-7), rows)
