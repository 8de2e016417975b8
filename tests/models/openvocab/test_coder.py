"""Coding words unit by unit: the twin is the coder of n-gram models in the core."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import FileFormatError, ModelError
from bitmeter.models.openvocab.coder import SpelledCoder
from bitmeter.models.session import HistoryStepper
from bitmeter.text.formats import SEPARATORS
from tests.coding.models import TEXT, words

MODEL = words()
parts = st.lists(
    st.sampled_from([b"to", b"be", b"xyzzy", b"mind", b"\xc3\xa9", b" ", b"  ", b"\n", b"\n\n", b"\t", b" \n"]),
    max_size=20,
).map(b"".join)


def slow(model: bm.NGram = MODEL) -> SpelledCoder:
    return SpelledCoder(model.name, model.stepper(), model.outcomes.names, model.spelling, SEPARATORS["kenlm"])


@settings(max_examples=60, deadline=None)
@given(parts)
def test_it_costs_what_the_core_codes(text: bytes) -> None:
    quick, twin, back = MODEL.coder(), slow(), slow()
    quick.encode(text, True)
    coded, taken = twin.encode(text, True)
    assert taken == len(text)
    assert back.decode(coded, len(text)) == text
    # The core codes by whole-number probabilities that differ in the last bits.
    assert twin.bits == pytest.approx(quick.bits, abs=1e-2)


@settings(max_examples=40, deadline=None)
@given(parts, st.integers(0, 40))
def test_blocks_end_where_words_do_and_cost_the_same(text: bytes, cut: int) -> None:
    there, back, whole = slow(), slow(), slow()
    held, found = b"", b""
    for data, final in ((text[:cut], False), (text[cut:], True)):
        held += data
        coded, taken = there.encode(held, final)
        found += back.decode(coded, taken)
        held = held[taken:]
    assert (held, found) == (b"", text)
    whole.encode(text, True)
    assert there.bits == pytest.approx(whole.bits, abs=1e-9)


def test_a_word_without_probability_is_named() -> None:
    def row(history: np.ndarray) -> np.ndarray:
        found = np.full(len(MODEL.outcomes), -np.inf)
        found[2] = 0.0
        return found

    made = SpelledCoder("ends", HistoryStepper(row), MODEL.outcomes.names, MODEL.spelling, SEPARATORS["kenlm"])
    with pytest.raises(ModelError, match="ends gives 'to' no probability here"):
        made.encode(b"to be\n", True)
    double = SpelledCoder(
        "double",
        HistoryStepper(lambda history: MODEL.predict(history) + 1.0),
        MODEL.outcomes.names,
        MODEL.spelling,
        SEPARATORS["kenlm"],
    )
    with pytest.raises(ModelError, match=r"sum to 2\.7"):
        double.encode(b"to be\n", True)


def test_bytes_that_no_encoder_wrote_lead_to_an_error_or_to_a_text() -> None:
    coded, _ = slow().encode(TEXT, True)
    wrong = 0
    for i in range(len(coded)):
        damaged = bytes([*coded[:i], coded[i] ^ 0x55, *coded[i + 1 :]])
        try:
            assert slow().decode(damaged, len(TEXT)) != TEXT
        except FileFormatError:
            wrong += 1
    assert wrong > 0
