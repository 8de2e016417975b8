"""Figures of documents, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.filter.statistics import STATISTICS, check_statistic, default_statistic, difference, statistic
from bitmeter.measure.documents.scorer import DocumentColumns, DocumentScorer


def columns(nats: float, tokens: int = 4, size: int = 8) -> DocumentColumns:
    whole = [np.array([number]) for number in (tokens, size, size - 1, 2, 1)]
    return DocumentColumns(np.array([nats]), *whole)


# Of a document of 8 bytes, 7 characters, 2 words and 4 tokens that costs 16 bits: closed forms.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bits_per_byte", 2.0), ("bits_per_char", 16 / 7), ("bits_per_word", 8.0), ("bits_per_token", 4.0),
        ("perplexity", 16.0), ("word_perplexity", 256.0), ("ratio", 0.25), ("oov_share", 0.25), ("bits", 16.0),
        ("nats", 16 * math.log(2)), ("bytes", 8), ("chars", 7), ("words", 2), ("tokens", 4), ("oov", 1),
    ],
)  # fmt: skip
def test_each_figure_is_its_quotient(name: str, expected: float) -> None:
    values, defined = statistic(name, columns(16 * math.log(2)))
    assert defined.all()
    assert values[0] == pytest.approx(expected, rel=1e-14)
    assert name in STATISTICS


def test_what_cannot_be_divided_has_no_figure_and_no_nan() -> None:
    values, defined = statistic("perplexity", columns(0.0, tokens=0))
    assert not defined.any()
    assert values.tolist() == [0.0]


def test_impossible_is_infinite() -> None:
    assert statistic("perplexity", columns(math.inf))[0].tolist() == [math.inf]
    assert statistic("perplexity", columns(1e5))[0].tolist() == [math.inf]


def test_a_difference_is_that_of_two_figures() -> None:
    first, second = columns(16 * math.log(2)), columns(8 * math.log(2))
    assert difference("bits_per_byte", first, second)[0].tolist() == pytest.approx([1.0])
    both = difference("bits_per_byte", columns(math.inf), columns(math.inf))
    assert not both[1].any()
    assert difference("bits_per_byte", columns(math.inf), second)[0].tolist() == [math.inf]


def test_a_closed_vocabulary_has_no_bits_per_byte() -> None:
    closed = DocumentScorer(bm.NGram(order=2).fit(b"a b\n"), oov="class")
    assert default_statistic(closed) == "perplexity"
    assert default_statistic(DocumentScorer(bm.load("kt"))) == "bits_per_byte"
    with pytest.raises(ModelError, match="closed vocabulary"):
        check_statistic("bits_per_byte", closed)


def test_the_figure_of_a_tool_goes_first() -> None:
    from dataclasses import replace

    found = replace(columns(16 * math.log(2)), perplexity=np.array([16.3]))
    assert statistic("perplexity", found)[0].tolist() == [16.3]
    assert not statistic("perplexity", replace(found, perplexity=np.array([math.nan])))[1].any()


@pytest.mark.parametrize("name", ["perplexity", "bits_per_token", "oov_share", "bits_per_byte"])
def test_the_end_of_an_empty_document_is_no_figure(name: str) -> None:
    assert not statistic(name, columns(2.0, tokens=1, size=0))[1].any()
