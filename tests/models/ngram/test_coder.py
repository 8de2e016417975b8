"""Coding words in the core: the file is as long as the score says, and damage is an error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.models.ngram.coder import NGramCoder
from tests.coding.models import TEXT, words

MODEL = words()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([b"to", b"be", b"xyzzy", b"\xff", b" ", b"\n", b"\t "]), max_size=30), st.integers(0, 60)
)
def test_blocks_come_back_and_cost_what_the_score_says(parts: list[bytes], cut: int) -> None:
    text = b"".join(parts)
    there, back = MODEL.coder(), MODEL.coder()
    assert isinstance(there, NGramCoder)
    held, found = b"", b""
    for data, final in ((text[:cut], False), (text[cut:], True)):
        held += data
        coded, taken = there.encode(held, final)
        found += back.decode(coded, taken)
        held = held[taken:]
    assert (held, found) == (b"", text)
    # The end of the text is not coded, but that of a last line of white space is.
    assert there.bits == pytest.approx(bm.score(MODEL, text).bits if text else 0.0, abs=12.0)


def test_a_line_costs_its_score() -> None:
    made = MODEL.coder()
    made.encode(TEXT, True)
    assert made.bits == pytest.approx(bm.score(MODEL, TEXT).bits, abs=0.01)


def test_damaged_code_is_a_typed_error() -> None:
    with pytest.raises(FileFormatError):
        MODEL.coder().decode(b"", 10_000)


def test_the_impossible_still_comes_back() -> None:
    """The core gives every word a code: an impossible one, whose score is infinite, costs about 32 bits."""
    unsmoothed, text = bm.NGram(order=2, smoothing="maximum-likelihood").fit(TEXT), b"mind the question\n"
    score = bm.score(unsmoothed, text)
    assert score.impossible == 2
    coder = unsmoothed.coder()
    coded, _ = coder.encode(text, True)
    assert 2 * 30 < coder.bits < 100
    assert unsmoothed.coder().decode(coded, len(text)) == text
