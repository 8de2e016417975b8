"""The smoothing methods that NLTK has too, by its own figures.

nltk.lm 3.10.4 was given the n-grams of orders 1 to 3 of LINES, each with one `<s>` before it and one `</s>` after it,
without the lone `<s>`, and the vocabulary of all words and `</s>` (to which it adds `<UNK>`):

    model = WittenBellInterpolated(3, vocabulary=Vocabulary(words, unk_cutoff=1)); model.fit(ngrams)
    model.score(word, history)
"""

from __future__ import annotations

import itertools
import math
from collections import Counter

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
#: MLE, Laplace, Lidstone(0.1): the same definitions as ours.
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


#: StupidBackoff(0.4), given two `<s>` before each sentence, and asked after histories that it saw, that begin a
#: sentence, and that never came: every step back costs 0.4.
STUPID = {
    ("sat", "the cat"): 0.6666666666666666, ("saw", "the cat"): 0.1, ("a", "sat on"): 0.009411764705882354,
    ("</s>", "the mat"): 0.5, ("the", "<s> <s>"): 0.5, ("dog", "<s> <s>"): 0.014117647058823533,
    ("cat", "<s> the"): 0.3333333333333333, ("mat", "<s> the"): 0.1, ("cat", "mat the"): 1.0,
    ("saw", "mat the"): 0.009411764705882354, ("dog", "on a"): 0.014117647058823533,
    ("a", "on dog"): 0.009411764705882354, ("sat", "<s> mat"): 0.014117647058823533,
    ("dog", "<s> mat"): 0.014117647058823533,
}  # fmt: skip


def asked(model: bm.NGram, history: str) -> dict[str, float]:
    """The distribution after a history; one that begins a sentence has `<s>` before it."""
    words = history.split()
    # A word never seen cuts the history off from the beginning of the sentence.
    known = [word for word in words if word != "<s>"] if words[0] == "<s>" else ["?", *words]
    ids = np.array([model.outcomes.names.index(w.encode()) if w != "?" else -1 for w in known], dtype=np.int64)
    names = (name.decode() for name in model.outcomes.names)
    return dict(zip(names, np.exp(model.predict(ids)).tolist(), strict=True))


@pytest.mark.parametrize("method", EQUAL)
def test_the_figures_of_nltk(method: str) -> None:
    model = bm.NGram(3, method).fit(LINES)
    found = [asked(model, history)[word] for word, history in ASKED]
    assert found == pytest.approx(EQUAL[method], rel=1e-6)


def test_the_scores_of_nltk() -> None:
    model = bm.NGram(3, "stupid-backoff:0.4").fit(LINES)
    found = {(word, history): asked(model, history)[word] for word, history in STUPID}
    assert found == pytest.approx(STUPID, rel=1e-6)


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


# ---- perplexities by NLTK's own pipeline -----------------------------------------------------------------------------

#: No word of it is new.
TEST = b"the dog sat on the mat\na cat saw a dog\nthe cat on the dog\n"
#: By `padded_everygram_pipeline(order, sentences)`, `fit`, and `perplexity` of the n-grams of `pad_both_ends`: what
#: users of NLTK print.
USUAL = {
    ("laplace", 2): 5.989395117009462, ("laplace", 3): 6.983948196575461,
    ("witten-bell", 2): 4.104489987066814, ("witten-bell", 3): 3.2268672320154637,
}  # fmt: skip
#: By the same classes given one `<s>` and one `</s>` a sentence, a vocabulary without `<s>`, and no lone `<s>`.
PLAIN = {
    ("laplace", 2): 5.5947680060300575, ("laplace", 3): 6.729412304079671,
    ("witten-bell", 2): 3.9460029382491384, ("witten-bell", 3): 3.6816801395682632,
}  # fmt: skip


def twin_perplexity(method: str, order: int, *, padded: bool, uniform: bool) -> float:
    """From the definitions, with each convention of NLTK by itself.

    padded
        order - 1 of `<s>` and of `</s>` around each sentence instead of one; `<s>` is a word that could come, is
        counted as one, and all ends are predicted.
    uniform
        Below single words stands the uniform distribution, for a word that was never seen.
    """
    pads = order - 1 if padded else 1
    counts: Counter[tuple[str, ...]] = Counter()
    for words in sentences(LINES, pads):
        for n, last in itertools.product(range(1, order + 1), range(len(words))):
            if last - n + 1 >= 0 and (padded or last > 0):  # a lone <s> is no word
                counts[tuple(words[last - n + 1 : last + 1])] += 1
    outcomes = {gram[0] for gram in counts if len(gram) == 1} | {"<unk>"}

    def p(word: str, history: tuple[str, ...]) -> float:
        after = [count for gram, count in counts.items() if len(gram) == len(history) + 1 and gram[:-1] == history]
        own = counts[*history, word]
        if method == "laplace":
            return (own + 1) / (sum(after) + len(outcomes))
        if not history and not uniform:
            return own / sum(after)
        lower = p(word, history[1:]) if history else 1 / len(outcomes)
        return (own + len(after) * lower) / (sum(after) + len(after)) if after else lower

    logs = [
        math.log(p(words[last], tuple(words[max(0, last - order + 1) : last])))
        for words in sentences(TEST, pads)
        for last in range(pads, len(words))
    ]
    return math.exp(-math.fsum(logs) / len(logs))


def sentences(text: bytes, pads: int) -> list[list[str]]:
    return [["<s>"] * pads + line.split() + ["</s>"] * pads for line in text.decode().split("\n")[:-1]]


@pytest.mark.parametrize(("method", "order"), USUAL)
def test_why_the_perplexities_of_nltk_differ(method: str, order: int) -> None:
    key = (method, order)
    ours = bm.score(bm.NGram(order, method).fit(LINES), TEST, like="nltk").perplexity("token")
    assert twin_perplexity(method, order, padded=True, uniform=False) == pytest.approx(USUAL[key], rel=1e-12)
    assert twin_perplexity(method, order, padded=False, uniform=False) == pytest.approx(PLAIN[key], rel=1e-12)
    assert twin_perplexity(method, order, padded=False, uniform=True) == pytest.approx(ours, rel=1e-6)
    assert abs(ours - USUAL[key]) > 0.03 * ours
