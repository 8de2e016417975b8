r"""lm-eval's words are the parts of re.split(r"\s+"): checked against that call at every cut into blocks."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure.conventions.base import WordCounter
from bitmeter.measure.conventions.lm_eval import CONVENTION, SplitCounter
from tests.measure.made import made_score

DOCUMENTS = st.lists(st.text("ab \n\t\u00a0é\u2003", max_size=6), min_size=1, max_size=4)


def counted(documents: list[str]) -> int:
    return sum(len(re.split(r"\s+", document)) for document in documents)


def fed(documents: list[str], cuts: list[int]) -> int:
    """The count over the joined text in blocks that end at the cuts."""
    data = "".join(documents).encode()
    ends = np.cumsum([len(document.encode()) for document in documents]).tolist()
    counter: WordCounter = SplitCounter()
    for start, stop in itertools.pairwise([0, *cuts, len(data)]):
        inside = [end - start for end in ends if start < end <= stop or start == end == 0]
        counter.add(data[start:stop], np.array(inside, dtype=np.int64))
    return counter.finished()


@given(DOCUMENTS, st.data())
@example([" ", " "], None)
@example([""], None)
def test_it_counts_as_split_does_wherever_blocks_end(documents: list[str], draw: st.DataObject | None) -> None:
    size = len("".join(documents).encode())
    cuts = [] if draw is None or size < 2 else draw.draw(st.lists(st.integers(1, size - 1), unique=True).map(sorted))
    assert fed(documents, cuts) == counted(documents)


@pytest.mark.parametrize("document", ["a  b", " a \n b ", "é\u00a0\u2003é", "\u2003", "  ", "word"])
def test_blocks_of_one_byte(document: str) -> None:
    assert fed([document], list(range(1, len(document.encode())))) == counted([document])


def test_an_open_document_is_counted() -> None:
    counter = SplitCounter()
    counter.add(b"one two", np.zeros(0, dtype=np.int64))
    assert counter.finished() == 2
    assert SplitCounter().finished() == 0


def test_its_words_divide_the_figures() -> None:
    score = made_score([8.0], [4], pieces=4, words=2)
    found = CONVENTION.figures(score)
    assert found["word_perplexity"] == math.exp(8 / 4)
    assert found["byte_perplexity"] == pytest.approx(math.exp(8 / 10))
    assert found["bits_per_byte"] == score.bits_per_byte
    assert CONVENTION.figures(made_score([8.0], [4], words=2))["word_perplexity"] == math.exp(8 / 2)


def test_a_score_is_counted_by_it() -> None:
    documents = ["to be \n", " or not", ""]
    score = bm.score("uniform", bm.Corpus.from_documents(documents), like="lm-eval", ctx="full")
    assert CONVENTION.words is SplitCounter
    assert score.pieces == counted(documents)
    assert bm.score("uniform", b"to be").pieces is None
