from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.measure.conventions.hf_docs import CONVENTION
from tests.measure.made import made_score, windows_of

COSTS = [[1.0, 2.0, 3.0], [4.0, 4.0], [5.0]]


def test_windows_are_weighted_by_their_tokens_less_one() -> None:
    # Means 2, 4 and 5; the first window lost its first token before the sum, so that its 3 tokens count in full.
    score = made_score(
        [19.0], [6], by_window=windows_of(COSTS, [1, 0, 0]), signature=bm.Signature(ctx="4.2")
    )  # fmt: skip
    assert CONVENTION.figures(score) == {"perplexity": pytest.approx(math.exp((2 * 3 + 4 * 1 + 5 * 0) / 4), rel=1e-15)}


def test_disjoint_windows_all_lose_their_first_token() -> None:
    score = made_score([19.0], [6], by_window=windows_of(COSTS, [1, 0, 0]), signature=bm.Signature(ctx="4.4"))
    assert CONVENTION.figures(score) == {"perplexity": pytest.approx(math.exp(19 / 6), rel=1e-15)}


def test_without_windows_it_is_the_mean_over_tokens() -> None:
    assert CONVENTION.figures(made_score([6.0], [3])) == {"perplexity": math.exp(2)}
