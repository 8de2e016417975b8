"""`bitmeter diverge`: the KL divergence of the library, in every output form."""

from __future__ import annotations

import json

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.models.networks import TINY

TEXTS = str(TINY / "texts.jsonl")


def test_a_rounded_model_is_near_its_original(capsys: pytest.CaptureFixture[str]) -> None:
    models = (f"hf:{TINY}", f"hf:{TINY},dtype=bfloat16")
    code, printed, said = run(capsys, "diverge", *models, TEXTS, "--json")
    assert (code, said) == (0, "")
    found = json.loads(printed)
    assert found["tokens"] == 431
    assert 0 < found["mean"] < 0.01
    assert found["same_top_rate"] > 0.95
    _, printed, _ = run(capsys, "diverge", *models, TEXTS, "-q")
    assert float(printed) == bm.divergence(*models, TEXTS).mean


def test_a_model_does_not_diverge_from_itself(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "diverge", f"hf:{TINY}", f"hf:{TINY}", TEXTS, "-q", "--ctx", "32.16")
    assert code == 0
    assert float(printed) == pytest.approx(0.0, abs=1e-12)


def test_a_model_without_token_predictions_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "diverge", "kt", f"hf:{TINY}", TEXTS)
    assert (code, printed) == (1, "")
    assert said.startswith("error: kt ")
