"""What KenLM says of a text under a bigram table, and what bitmeter says in its convention.

KenLM 0.3.0 (the Python module of PyPI, and `query` built from the same sources) was run on an ARPA file with the
probabilities of `TABLE`: each as a bigram, log10 with seven digits; the unigrams are never reached.
"""

from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.measure.conventions.registry import convention

#: p(word | word before): full rows, so that nothing backs off.
TABLE = {
    "<s>": {"the": 0.5, "cat": 0.125, "sat": 0.0625, "dog": 0.0625, "<unk>": 0.125, "</s>": 0.125},
    "the": {"the": 0.03125, "cat": 0.4375, "sat": 0.03125, "dog": 0.25, "<unk>": 0.1875, "</s>": 0.0625},
    "cat": {"the": 0.0625, "cat": 0.03125, "sat": 0.5, "dog": 0.03125, "<unk>": 0.125, "</s>": 0.25},
    "sat": {"the": 0.25, "cat": 0.0625, "sat": 0.0625, "dog": 0.0625, "<unk>": 0.0625, "</s>": 0.5},
    "dog": {"the": 0.0625, "cat": 0.0625, "sat": 0.375, "dog": 0.0625, "<unk>": 0.125, "</s>": 0.3125},
    "<unk>": {"the": 0.125, "cat": 0.125, "sat": 0.25, "dog": 0.125, "<unk>": 0.125, "</s>": 0.25},
}
#: An unknown word, an empty line, one of white space, white space at the edges of a line, and no newline at the end.
TEXT = b"the cat sat\n\nthe zebra sat the dog\n \t \nzebra zebra\n  cat\tsat "

#: `[(log10 p, is it unknown?)]` of kenlm.Model("table.arpa").full_scores(line), line by line of TEXT.split("\n").
KENLM_TOKENS = [
    (-0.3010300099849701, False), (-0.3590219020843506, False), (-0.3010300099849701, False),
    (-0.3010300099849701, False),
    (-0.9030900001525879, False),
    (-0.3010300099849701, False), (-0.7269986867904663, True), (-0.6020600199699402, False),
    (-0.6020600199699402, False), (-0.6020600199699402, False), (-0.5051500201225281, False),
    (-0.9030900001525879, False),
    (-0.9030900001525879, True), (-0.9030900001525879, True), (-0.6020600199699402, False),
    (-0.9030900001525879, False), (-0.3010300099849701, False), (-0.3010300099849701, False),
]  # fmt: skip
#: What `query table.arpa` prints for TEXT with a newline at its end.
KENLM_QUERY = {
    "Perplexity including OOVs": 3.744477102728065,
    "Perplexity excluding OOVs": 3.3051474260528755,
    "OOVs": 3.0,
    "Tokens": 18.0,
}
#: And without: the words of the last line are counted, but neither their cost nor the end of the sentence is.
KENLM_QUERY_UNTERMINATED = 3.3005159218956996


@pytest.fixture(scope="module")
def bigram() -> bm.Conditional:
    return bm.Conditional(TABLE, start="<s>")


def test_each_token_costs_what_kenlm_says(bigram: bm.Conditional) -> None:
    score = bm.score(bigram, TEXT, like="kenlm")
    trace = score.trace
    assert (trace.logprob / math.log(10)).tolist() == pytest.approx([p for p, _ in KENLM_TOKENS], abs=1e-6)
    model = bm.TableModel(bigram, oov="class")
    assert model.unknown(trace.id).tolist() == [unknown for _, unknown in KENLM_TOKENS]


@pytest.mark.parametrize("text", [TEXT, TEXT + b"\n", TEXT.replace(b"\n", b"\r\n") + b"\r\n"],
                         ids=["no newline at the end", "a newline at the end", "Windows"])  # fmt: skip
def test_the_summary_is_that_of_kenlm(text: bytes, bigram: bm.Conditional) -> None:
    figures = convention("kenlm").figures(bm.score(bigram, text, like="kenlm"))
    assert figures == {name: pytest.approx(value, rel=1e-6) for name, value in KENLM_QUERY.items()}
    # A last line without its newline is a line like the others here; KenLM's figure for it is another.
    assert abs(figures["Perplexity including OOVs"] - KENLM_QUERY_UNTERMINATED) > 0.4


def test_the_unit_of_the_figures_does_not_matter(bigram: bm.Conditional) -> None:
    score = bm.score(bigram, TEXT, like="kenlm")
    total = math.fsum(p for p, _ in KENLM_TOKENS)
    assert score.log_likelihood("hartleys") == pytest.approx(total, rel=1e-6)
    assert score.log_likelihood("bits") == pytest.approx(total * math.log2(10), rel=1e-6)
    assert score.perplexity("token") == pytest.approx(KENLM_QUERY["Perplexity including OOVs"], rel=1e-6)
