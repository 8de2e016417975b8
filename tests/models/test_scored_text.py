"""What each word of a text costs, as arrays: sums and perplexity by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter.errors import ModelError
from bitmeter.models.scored_text import ScoredText


def made(*, is_distribution: bool = True) -> ScoredText:
    """Two sentences, "a b </s>" and a blank line with its end."""
    return ScoredText(
        np.log([0.5, 0.25, 0.5, 1.0, 0.125]),
        np.array([3, -1, 2, -2, 2]),
        np.array([0, 2, 3, 4, 5, 5]),
        np.array([0, 3, 5]),
        np.array([False, False, False, True, False]),
        is_distribution,
    )


def test_sums_are_those_of_the_words() -> None:
    scored = made()
    assert scored.tokens == 4
    assert scored.unknown.tolist() == [False, True, False, False, False]
    assert np.exp(scored.sentences).tolist() == pytest.approx([1 / 16, 1 / 8])
    assert math.exp(scored.logprob) == pytest.approx(1 / 128)
    assert scored.perplexity == pytest.approx(128 ** (1 / 4))
    assert str(scored).startswith("2 sentences, 4 words and ends, 1 of them unknown: perplexity 3.36")


def test_scores_that_do_not_sum_to_one_have_no_perplexity() -> None:
    scored = made(is_distribution=False)
    with pytest.raises(ModelError, match="do not sum to one"):
        _ = scored.perplexity
    assert "no perplexity" in str(scored)
