"""Windows on the side of the instrument: which model has them, and what each costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings, settle
from bitmeter.measure.window_sums import WindowTotals, with_windows
from bitmeter.models.windows import Windowing, plan_windows
from tests.models.networks import TINY


def settled(**given: Any) -> Settings:
    keywords: dict[str, Any] = dict.fromkeys(("docs", "field", "norm", "first", "eos", "oov", "den", "ctx"))
    return settle(convention("bitmeter"), **{**keywords, "confidence": 0.95, **given})


def test_a_model_without_a_bound_sees_all() -> None:
    model = bm.load("kt")
    found, settings = with_windows(model, settled())
    assert found is model
    assert (settings.ctx, settings.first) == ("full", "bos")
    with pytest.raises(ModelError, match="sees all that came before"):
        with_windows(model, settled(ctx="16.8"))
    with pytest.raises(ModelError, match="no tokens around a text"):
        with_windows(model, settled(first="eos"))


def test_a_model_with_a_bound_decides_what_is_left_open() -> None:
    model = bm.load(f"hf:{TINY}")
    found, settings = with_windows(model, settled())
    assert isinstance(found, bm.Windowed)
    assert settings.ctx == str(found.windowing)
    assert with_windows(model, settled(ctx="half.16"))[1].first == "skip"


def test_sums_by_window_are_those_of_their_tokens() -> None:
    """A slow twin: each window's tokens summed one by one."""
    logs = -np.arange(1.0, 12.0)
    plan = plan_windows(Windowing("sliding", 4, 2, None), np.array([0, 7, 11]))
    totals = WindowTotals()
    totals.add(logs, plan)
    found = totals.finished()
    assert found is not None
    windows = list(zip(plan.first.tolist(), plan.stop.tolist(), strict=True))
    assert found.nats.tolist() == pytest.approx([-logs[a:b].sum() for a, b in windows])
    assert found.squares.tolist() == pytest.approx([(logs[a:b] ** 2).sum() for a, b in windows])
    assert found.tokens.tolist() == [b - a for a, b in windows]
    assert int(found.opening.sum()) == 2
