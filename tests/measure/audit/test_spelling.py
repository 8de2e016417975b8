"""The spelling of unknown words and white space sums to one, and is found out where it does not."""

from __future__ import annotations

import types
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit.spelling import _spelled, check_spelling
from bitmeter.measure.audit.subject import Subject
from tests.coding.models import TEXT, words
from tests.measure.audit.subjects import subject


def spelled(model: Any) -> Subject:
    return Subject(model.with_oov("spelled"), subject(model, TEXT).samples, spells=True)


def test_honest() -> None:
    (check,), findings = check_spelling(spelled(words()))
    assert (check.status, findings) == ("passed", [])
    assert check.worst is not None
    assert check.worst < 1e-6
    (check,), findings = check_spelling(spelled(bm.NGram(order=2, units="chars").fit(TEXT)))
    assert check.status == "passed"


@pytest.mark.parametrize("wrong", ["predict", "gaps", "predict_gap", "newline"])
def test_what_does_not_sum_to_one_is_found(wrong: str) -> None:
    """The spelling of a model, with one part of it changed."""
    own = words().spelling
    parts: dict[str, Any] = {
        "predict": own.predict, "gaps": own.gaps, "predict_gap": own.predict_gap, "escape": own.escape,
        "newline": own.newline, "no_newline": own.no_newline, "lines": own.lines,
    }  # fmt: skip
    changed: dict[str, Any] = {
        "predict": lambda prefix: own.predict(prefix) * 1.01,
        "gaps": lambda place: [(gap, share * 1.5) for gap, share in own.gaps(place)],
        "predict_gap": lambda last: own.predict_gap(last) * 0.9,
        "newline": own.newline + 0.1,
    }
    forged: Any = types.SimpleNamespace(**parts | {wrong: changed[wrong]})
    worst, where = _spelled(forged, [b"to", b"question"])
    assert worst > 1e-3
    assert where
    assert _spelled(own, [b"to", b"question"])[0] < 1e-6
    assert np.isfinite(worst)
