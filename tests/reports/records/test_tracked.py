from __future__ import annotations

import json

import pytest

import bitmeter as bm
from bitmeter.history.runs import Measured
from bitmeter.reports.records.tracked import tracked

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(40))


def test_a_score_has_its_figures_and_its_conventions() -> None:
    score = bm.score("kt", TEXT, docs="line")
    found = tracked(score, "score")
    assert found.metrics["bits_per_byte"] == score.bits_per_byte
    assert found.metrics["bytes"] == len(TEXT)
    assert found.metrics["low"] < score.bits_per_byte < found.metrics["high"]
    assert found.params["signature"] == str(score.signature)
    assert found.params["verb"] == "score"
    assert found.params["first"] == score.signature.first
    assert json.loads(found.document)["signature"] == str(score.signature)


def test_an_infinite_score_names_what_is_infinite() -> None:
    model = bm.Distribution({"a": 0.5, "b": 0.5})
    found = tracked(bm.score(model, b"abc"), "score")
    assert "bits_per_byte" not in found.metrics
    assert "bits_per_byte" in found.params["infinite"].split()


def test_what_is_no_score_has_its_figure() -> None:
    score = bm.score("kt", TEXT)
    found = tracked(Measured("kt", "t", score.signature, "word", 3.5, 9), "surprisal")
    assert found.metrics == {"bits_per_word": 3.5, "bytes": 9.0}
    assert json.loads(found.document)["bits_per_word"] == pytest.approx(3.5)
