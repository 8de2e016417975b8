"""Perplexities of NLTK 3.10.4, and what bitmeter says in its convention of the same tables."""

from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.measure.conventions.registry import convention

# Two bigram models of nltk.lm, Laplace and MLE, were fitted with padded_everygram_pipeline(2, …) on the sentences
# "the cat sat", "the dog sat" and "a cat sat the dog"; the tables hold model.score(word, [context]) for all words of
# model.vocab. The figures are model.perplexity(…) over the bigrams of pad_both_ends(line.split(), n=2) of all lines.
NLTK_WORDS = ["</s>", "<UNK>", "<s>", "a", "cat", "dog", "sat", "the"]
NLTK_COUNTS = {
    "<s>": {"the": 2, "a": 1},
    "the": {"cat": 1, "dog": 2},
    "cat": {"sat": 2},
    "sat": {"</s>": 2, "the": 1},
    "dog": {"sat": 1, "</s>": 1},
    "a": {"cat": 1},
    "<UNK>": {},
}
NLTK_TRAINING = b"the cat sat\nthe dog sat\na cat sat the dog\n"
NLTK_TEST = b"the cat sat\n\nthe zebra sat a dog\ndog"
NLTK_LAPLACE = {NLTK_TRAINING: 4.184924418570054, NLTK_TEST: 6.283809316807517}
NLTK_MLE = {NLTK_TRAINING: 1.6623108379871312, NLTK_TEST: math.inf}
#: Three scores of the Laplace model as it printed them, to show that the table below is its own.
NLTK_SCORES = {("the", "<s>"): 0.2727272727272727, ("dog", "the"): 0.2727272727272727, ("sat", "<UNK>"): 0.125}


def laplace() -> bm.Conditional:
    rows = {}
    for context, counts in NLTK_COUNTS.items():
        total = sum(counts.values()) + len(NLTK_WORDS)
        rows[context] = {word: (counts.get(word, 0) + 1) / total for word in NLTK_WORDS}
    return bm.Conditional(rows, start="<s>")


def mle() -> bm.Conditional:
    rows = {}
    for context, counts in NLTK_COUNTS.items():
        if counts:
            rows[context] = {word: counts.get(word, 0) / sum(counts.values()) for word in NLTK_WORDS}
    return bm.Conditional(rows, start="<s>")


def test_the_table_is_that_of_nltk() -> None:
    table = laplace()
    assert {pair: table.probability(*pair) for pair in NLTK_SCORES} == NLTK_SCORES


@pytest.mark.parametrize("text", [NLTK_TRAINING, NLTK_TEST], ids=["training", "test"])
def test_perplexity_is_that_of_nltk(text: bytes) -> None:
    for table, expected in ((laplace(), NLTK_LAPLACE[text]), (mle(), NLTK_MLE[text])):
        score = bm.score(table, text, like="nltk")
        assert convention("nltk").figures(score) == {"perplexity": pytest.approx(expected, rel=1e-12)}
