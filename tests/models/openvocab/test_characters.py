"""Unknown characters: the class, and an equal share of all characters."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.text.units.plain import Characters


def test_characters_that_are_not_known_are_coded_among_all_that_there_are(tmp_path: Path) -> None:
    model = bm.NGram(3, units="chars").fit("der Bär saß\nauf dem Stuhl\n".encode() * 9)
    text = "der Bär aß 漢字\n".encode() + b"\xff \xe6\xbc\n\xf0\x9f\x99\x82"
    score = bm.score(model, text)
    assert score.signature.oov == "spelled"
    # 漢, 字, the emoji, and three bytes that are no character.
    assert score.oov == 6
    share = math.log2((0x110000 + 256) / 256) + 8
    assert score.bits == pytest.approx(bm.score(model, text, oov="class").bits + 6 * share, rel=1e-12)
    proof = bm.prove(model, text)
    assert proof.holds
    assert proof.quantised_bits == pytest.approx(score.bits, abs=0.01)
    bm.compress(model, text, tmp_path / "x.bmz", embed=True)
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == text
    # All ids that a text can have: the shares of all together are one.
    from bitmeter.models.openvocab.characters import CHARACTER_ROWS, ROW_SIZE, SPELLING_COST

    assert CHARACTER_ROWS * ROW_SIZE == Characters.INVALID + 256
    assert math.exp(SPELLING_COST) * CHARACTER_ROWS * ROW_SIZE == pytest.approx(1.0)
    # In batches, and unknown only where the model does not know it.
    assert bm.score(model, "Bär".encode()).oov == 0
    parts = model.with_oov("spelled")._unit_session()
    split = model.units.split(text)
    half = len(split.ids) // 2
    logs = np.concatenate([
        parts.logprobs(split.ids[:half], np.array([0, half]), continues=False),
        parts.logprobs(split.ids[half:], np.array([0, len(split.ids) - half]), continues=True),
    ])  # fmt: skip
    np.testing.assert_allclose(logs, model.with_oov("spelled").logprobs(split.ids, split.bounds))


@settings(max_examples=60, deadline=None)
@given(text=st.binary(max_size=60))
def test_any_bytes_come_back_from_a_model_of_characters(text: bytes) -> None:
    proof = bm.prove(LETTERS, text)
    assert proof.holds


LETTERS = bm.NGram(2, units="chars").fit("eine kleine Zeile äöü\n".encode() * 3)
