"""What conventions share: perplexities, means over documents, and what cannot be computed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bitmeter.errors import UndefinedError
from bitmeter.measure.conventions.base import mean_of_perplexities, perplexity, single_documents, token_perplexity
from tests.measure.made import made_score


def test_perplexity_is_e_to_the_mean() -> None:
    assert perplexity(6.0, 3) == math.exp(2.0)
    assert perplexity(0.0, 5) == 1.0


@pytest.mark.parametrize(("nats", "count"), [(1.0, 0), (0.0, 0), (1.0, -1), (math.inf, 3), (7100.0, 10)])
def test_perplexity_is_infinite_where_it_is_not_a_number(nats: float, count: int) -> None:
    assert perplexity(nats, count) == math.inf


def test_tokens_count_alike_or_documents_do() -> None:
    # exp(6/4) over all tokens; (exp(1) + exp(5))/2 over documents, of which the empty one has none.
    score = made_score([1.0, 5.0, 0.0], [1, 1, 0])
    assert token_perplexity(score) == {"perplexity": math.exp(3.0)}
    assert mean_of_perplexities(score)["mean_perplexity"] == pytest.approx((math.e + math.exp(5.0)) / 2, rel=1e-15)
    assert mean_of_perplexities(made_score([0.0], [0])) == {"mean_perplexity": math.inf}


def test_documents_must_be_known_one_by_one() -> None:
    score = made_score([1.0, 5.0], [1, 1])
    assert single_documents(score) is score.by_document
    with pytest.raises(UndefinedError, match="made gives only a total"):
        single_documents(replace(score, by_document=None))
    assert score.by_document is not None
    joined = replace(score.by_document, sizes=np.array([2, 1]))
    with pytest.raises(UndefinedError, match="only sums over neighbours"):
        single_documents(replace(score, by_document=joined, documents=3))
