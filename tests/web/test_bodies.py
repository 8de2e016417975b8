"""What requests may hold."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bitmeter.web.bodies import JobBody, LiveBody, PredictBody, ScoreBody


def test_defaults() -> None:
    body = JobBody(models=["kt"], text="a")
    assert (body.docs, body.confidence, body.alternatives, body.remember) == ("file", 0.95, 5, True)
    assert not ScoreBody(model="kt", text="a").remember


@pytest.mark.parametrize(
    "given",
    [
        {"models": ["kt"] * 7, "text": "a"},
        {"models": [""], "text": "a"},
        {"models": ["kt"], "text": "a", "docs": "record"},
        {"models": ["kt"], "text": "a", "confidence": 1.0},
        {"models": ["kt"], "text": "a", "confidence": float("nan")},
        {"models": ["kt"], "text": "\ud800"},
        {"models": ["kt\udc00"], "text": "a"},
        {"models": ["kt"], "text": b"a"},
        {"models": ["kt"], "text": "a", "like": "kenlm"},
        {"models": ["kt"], "text": "a", "name": "n" * 201},
    ],
)
def test_what_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        LiveBody.model_validate(given)


def test_predictions_are_bounded() -> None:
    with pytest.raises(ValidationError):
        PredictBody(model="kt", text="a", most=51)
