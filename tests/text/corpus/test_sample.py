"""The embedded text, and its two parts."""

from __future__ import annotations

from pydoc_data.topics import topics

import pytest

from bitmeter.text.corpus.sample import sample_parts, sample_text


def test_no_paragraph_is_in_both_parts() -> None:
    paragraphs = [part.strip("\n") for part in sample_text().split("\n\n") if part.strip()]
    train, rest = (part.decode() for part in sample_parts())
    long = [part for part in paragraphs if len(part) > 200]
    assert len(long) > 100
    assert not [part for part in long if part in train and part in rest]


def test_the_parts_have_the_share_that_is_asked_for() -> None:
    for share in (0.2, 0.5, 0.8):
        train, rest = sample_parts(share)
        # A part ends with a paragraph, of which none is as long as a tenth of the text.
        assert len(train) / (len(train) + len(rest)) == pytest.approx(share, abs=0.1)


def test_the_text_is_that_of_pydoc() -> None:
    text = sample_text()
    assert all(topic in text for topic in topics.values())
    assert len(text) == sum(map(len, topics.values())) + len(topics) - 1
