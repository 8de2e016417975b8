"""The figures of SRILM's `ngram -ppl` by formula; the program itself was not run (its licence is for research only).

The denominators of ppl and ppl1 are as its users' list gives them. That words of probability zero leave the sum and the
count as unknown ones do is from memory, and was checked against nothing.
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


def test_ppl_and_ppl1_follow_the_formula_of_srilm() -> None:
    # With logprob over all that is known, `ppl` is 10^(-logprob / (words - OOVs - zeroprobs +
    # sentences)) and `ppl1` leaves the sentences out; OOVs and zeroprobs are not in logprob; blank lines are no
    # sentences. The row of `other` is what a word after an unknown one is predicted from.
    rows = {**TABLE, "dog": {**TABLE["dog"], "dog": 0.0, "sat": 0.4375}}
    table = bm.Conditional(rows, start="<s>", other="<unk>")
    text = b"the cat sat\n\nthe zebra sat dog dog\n \nzebra cat"
    known = [0.5, 0.4375, 0.5, 0.5, 0.5, 0.25, 0.0625, 0.3125, 0.125, 0.25]
    # the cat sat </s>; the [zebra] sat dog [dog after dog: zero] </s>; [zebra] cat </s>
    logprob = math.fsum(math.log10(p) for p in known)
    figures = convention("srilm").figures(bm.score(table, text, like="srilm"))
    assert figures == {
        "sentences": 3.0,
        "words": 10.0,
        "OOVs": 2.0,
        "zeroprobs": 1.0,
        "logprob": pytest.approx(logprob, rel=1e-12),
        "ppl": pytest.approx(10 ** (-logprob / (10 - 2 - 1 + 3)), rel=1e-12),
        "ppl1": pytest.approx(10 ** (-logprob / (10 - 2 - 1)), rel=1e-12),
    }
