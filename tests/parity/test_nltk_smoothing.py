"""The smoothing methods that NLTK has too, by its own figures.

nltk.lm 3.10.4 was given the n-grams of orders 1 to 3 of LINES, each with one `<s>` before it and one `</s>` after it,
without the lone `<s>`, and the vocabulary of all words and `</s>` (to which it adds `<UNK>`):

    model = WittenBellInterpolated(3, vocabulary=Vocabulary(words, unk_cutoff=1)); model.fit(ngrams)
    model.score(word, history)
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bitmeter as bm

LINES = (
    b"the cat sat on the mat\nthe dog sat on the cat\na cat saw the dog\nthe dog saw a mat\n\non the mat the cat sat\n"
)
#: A word, and the history after which NLTK was asked for it; the last four begin a sentence.
ASKED = [
    ("sat", "the cat"), ("saw", "the cat"), ("mat", "on the"), ("cat", "on the"), ("the", "sat on"), ("a", "sat on"),
    ("dog", "saw the"), ("</s>", "the mat"), ("on", "dog sat"), ("the", "cat saw"),
    ("the", "<s>"), ("dog", "<s>"), ("cat", "<s> the"), ("mat", "<s> the"),
]  # fmt: skip
#: MLE, Laplace, Lidstone(0.1), StupidBackoff(0.4): the same definitions as ours, as far as these questions go. (NLTK's
#: stupid back-off multiplies by alpha for a history that was never seen too; ours shortens it at no cost.)
EQUAL = {
    "maximum-likelihood": [
        0.6666666666666666, 0.0, 0.6666666666666666, 0.3333333333333333, 1.0, 0.0, 1.0, 0.5, 1.0, 1.0, 0.5, 0.0,
        0.3333333333333333, 0.0,
    ],
    "laplace": [
        0.23076923076923078, 0.07692307692307693, 0.23076923076923078, 0.15384615384615385, 0.25, 0.08333333333333333,
        0.18181818181818182, 0.16666666666666666, 0.18181818181818182, 0.18181818181818182, 0.25, 0.0625,
        0.15384615384615385, 0.07692307692307693,
    ],
    "lidstone:0.1": [
        0.525, 0.025, 0.525, 0.275, 0.7000000000000001, 0.03333333333333333, 0.55, 0.3666666666666667, 0.55, 0.55,
        0.4428571428571429, 0.014285714285714287, 0.275, 0.025,
    ],
    "stupid-backoff:0.4": [
        0.6666666666666666, 0.1, 0.6666666666666666, 0.3333333333333333, 1.0, 0.009411764705882354, 1.0, 0.5, 1.0, 1.0,
        0.5, 0.03529411764705883, 0.3333333333333333, 0.1,
    ],
}  # fmt: skip
#: WittenBellInterpolated, AbsoluteDiscountingInterpolated(0.75), KneserNeyInterpolated(0.1): NLTK ends in the plain
#: shares of words (of what they follow, for Kneser-Ney), which leave nothing for unknown words; ours discounts those
#: too and interpolates them with the uniform distribution. NLTK's Kneser-Ney divides by zero where a sentence begins.
OTHER_WORDS = {
    "witten-bell": [
        0.5294117647058822, 0.06722689075630252, 0.48235294117647054, 0.32192513368983955, 0.9362745098039216,
        0.004901960784313725, 0.6483957219251337, 0.4852941176470588, 0.7176470588235294, 0.6838235294117647,
        0.3941176470588235, 0.03529411764705883, 0.32192513368983955, 0.08235294117647059,
    ],
    "absolute:0.75": [
        0.5977328431372549, 0.04779411764705882, 0.5071997549019608, 0.24050245098039214, 0.9283088235294118,
        0.005514705882352941, 0.4795496323529412, 0.5036764705882353, 0.5955882352941176, 0.47610294117647056,
        0.49264705882352944, 0.04411764705882353, 0.24050245098039214, 0.09053308823529412,
    ],
    "kneser-ney:0.1": [
        0.6539393939393939, 0.020606060606060607, 0.6436363636363636, 0.3325252525252525, 0.9979545454545454,
        0.00022727272727272733, 0.9318939393939394, 0.5148484848484849, 0.963939393939394, 0.9468181818181819,
    ],
}  # fmt: skip


def asked(model: bm.NGram, history: str) -> dict[str, float]:
    """The distribution after a history; one that begins a sentence has `<s>` before it."""
    words = history.split()
    # A word never seen cuts the history off from the beginning of the sentence.
    known = words[1:] if words[0] == "<s>" else ["?", *words]
    ids = np.array([model.outcome_names.index(w.encode()) if w != "?" else -1 for w in known], dtype=np.int64)
    names = (name.decode() for name in model.outcome_names)
    return dict(zip(names, np.exp(model.predict(ids)).tolist(), strict=True))


@pytest.mark.parametrize("method", EQUAL)
def test_the_figures_of_nltk(method: str) -> None:
    model = bm.NGram(3, method).fit(LINES)
    found = [asked(model, history)[word] for word, history in ASKED]
    assert found == pytest.approx(EQUAL[method], rel=1e-6)


def words_alone(method: str) -> dict[str, float]:
    """The distribution that NLTK ends in: shares of single words, or of the different words before each of them."""
    sentences = [["<s>", *line.split(), "</s>"] for line in LINES.decode().split("\n")[:-1]]
    pairs = [pair for words in sentences for pair in itertools.pairwise(words)]
    counted = [word for _, word in (set(pairs) if method.startswith("kneser") else pairs)]
    return {word: counted.count(word) / len(counted) for word in set(counted)}


@pytest.mark.parametrize("method", OTHER_WORDS)
def test_the_figures_of_nltk_but_for_single_words(method: str) -> None:
    model = bm.NGram(3, method).fit(LINES)
    single = asked(model, "?")
    theirs = words_alone(method)
    for (word, history), expected in zip(ASKED, OTHER_WORDS[method], strict=False):
        ours = asked(model, history)
        # <unk> is never seen, so what it has after a history is the share that all histories leave to single words.
        reached = ours["<unk>"] / single["<unk>"]
        assert ours[word] + reached * (theirs[word] - single[word]) == pytest.approx(expected, rel=1e-6)
