"""Coding words in the core: the file is as long as the score says, and damage is an error."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import FileFormatError, ModelError
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


@pytest.mark.parametrize(
    ("text", "unit", "offset"),
    [(b"mind the question\n", b"mind", 0), (b"to be\nmind the question", b"mind", 6), (b"to be,\n", b"be,", 3)],
)
def test_what_is_impossible_is_refused(text: bytes, unit: bytes, offset: int) -> None:
    # Its score is infinite, and yet it was coded, at about 40 bits for each impossible word.
    unsmoothed = bm.NGram(order=2, smoothing="maximum-likelihood").fit(TEXT)
    assert bm.score(unsmoothed, text).impossible

    def encode(cut: int) -> None:
        coder = unsmoothed.coder()
        _, taken = coder.encode(text[:cut], False)
        coder.encode(text[taken:], True)

    for cut in range(len(text) + 1):
        with pytest.raises(ModelError, match=f"{unit.decode()!r} at byte {offset} no probability") as caught:
            encode(cut)
        assert (caught.value.value, caught.value.index) == (unit, offset)


def test_white_space_at_the_end_is_no_end_of_a_line() -> None:
    # It is coded as the end of a line, which the score does not have: it may be improbable, never impossible.
    unsmoothed = bm.NGram(order=2, smoothing="maximum-likelihood").fit(TEXT)
    text = TEXT.split()[0] + b" "
    assert not bm.score(unsmoothed, text).impossible
    coded, _ = unsmoothed.coder().encode(text, True)
    assert unsmoothed.coder().decode(coded, len(text)) == text


def test_archives_of_what_is_impossible_still_decode() -> None:
    # b"mind the question\n" by the same model, as it was coded before such words were refused.
    unsmoothed = bm.NGram(order=2, smoothing="maximum-likelihood").fit(TEXT)
    assert unsmoothed.coder().decode(bytes.fromhex("0000000000f2df21dbe3eaa1"), 18) == b"mind the question\n"
