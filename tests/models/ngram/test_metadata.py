"""What is found in the metadata without a JSON parser is what the parser finds."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.models.ngram.files import metadata as made_metadata
from bitmeter.models.ngram.files import read_metadata
from bitmeter.models.ngram.metadata import is_word_distribution

TEXT = b"to be or not to be\nthat is the question\n"


@pytest.mark.parametrize("units", ["words", "chars", "bytes"])
@pytest.mark.parametrize("smoothing", ["modified-kneser-ney", "stupid-backoff:0.3", "laplace"])
@pytest.mark.parametrize("compact", [False, True])
def test_it_agrees_with_the_model(units: str, smoothing: str, compact: bool) -> None:
    model = bm.NGram(order=2, smoothing=smoothing, units=units).fit(TEXT)
    if compact and model.is_distribution:
        model = model.compact()
    assert is_word_distribution(bytes(model.form.metadata)) == (model.of_words and model.is_distribution)


def test_no_string_can_pretend_to_be_the_units() -> None:
    metadata = made_metadata(text='"units": {"kind": "words"', units={"kind": "bytes"}).encode()
    assert read_metadata(metadata)["units"] == {"kind": "bytes"}
    assert not is_word_distribution(metadata)
