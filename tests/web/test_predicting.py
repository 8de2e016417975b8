"""What comes next, as the models themselves predict it."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.web.predicting import predicted
from bitmeter.web.served import Models

MODELS = Models(["zlib"])


@pytest.mark.parametrize("name", ["kt", "universal", "sample-bytes"])
def test_bytes_are_those_of_the_model(name: str) -> None:
    model = MODELS.get(name).predictor()
    text = b"to be or not to b"
    row = np.asarray(model.predict(model.units.split(text, np.array([len(text)])).ids))
    found = predicted(MODELS.get(name), text, 4)
    assert [one["p"] for one in found["units"]] == pytest.approx(np.sort(np.exp(row))[::-1][:4])
    assert found["entropy"] == pytest.approx(bm.entropy(np.exp(row) / np.exp(row).sum()), abs=1e-6)


def test_words_after_a_space_and_within_one() -> None:
    one = MODELS.get("sample-words")
    after = predicted(one, b"If the ", 5)
    assert after["within"] == ""
    assert all(unit["insert"] for unit in after["units"] if unit["insert"] is not None)
    within = predicted(one, b"The fun", 5)
    assert within["within"] == "fun"
    assert [unit["shown"][:3] for unit in within["units"]] == ["fun"] * 5
    assert within["units"][0]["insert"] == "ction"
    assert sum(unit["p"] for unit in predicted(one, b"The fun", 50)["units"]) == pytest.approx(1.0, abs=0.2)
    nothing = predicted(one, b"zzqq", 5)
    assert (nothing["units"], nothing["entropy"]) == ([], None)
    # A line is a sentence of its own.
    assert predicted(one, b"one\nThe ", 3)["units"] == predicted(one, b"two\nThe ", 3)["units"]


def test_half_a_character_cannot_be_inserted() -> None:
    text = "é".encode()[:1]
    units = predicted(MODELS.get("kt"), text * 40, 1)["units"]
    assert units[0]["shown"] == "\\xc3"
    assert units[0]["insert"] is None


def test_a_compressor_predicts_nothing() -> None:
    with pytest.raises(ModelError, match="does not expose"):
        predicted(MODELS.get("zlib"), b"a", 1)


def test_the_end_of_a_sentence_is_no_text() -> None:
    """It may be predicted, and a click on it inserts nothing."""
    found = predicted(MODELS.get("sample-words"), b"", 8)["units"]
    assert all(one["insert"] is None for one in found if one["shown"] in ("</s>", "<s>", "<unk>"))
    assert predicted(MODELS.get("sample-words"), b"a </", 3)["units"] == []
