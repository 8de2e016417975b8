"""Mixtures whose parts are chosen by a held-out text."""

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from bitmeter.models.mixture.auto import CANDIDATES, _chosen
from tests.models.mixture.made import HAMLET, ONE, ROSE, TWO


def drawn(seed: int, size: int) -> bytes:
    """Text in which words recur soon: each of many topics has names of its own."""
    rng = np.random.default_rng(seed)
    lines = []
    for topic in range(size):
        for _ in range(12):
            names = [b"name%d" % (10 * topic + rng.integers(3)) for _ in range(2)]
            lines.append(b"to be %b or not %b to be" % tuple(names))
    return b"\n".join(lines) + b"\n"


def test_caches_are_chosen_where_words_recur_and_the_mixture_is_better() -> None:
    model = bm.NGram(order=2).fit(drawn(1, 30))
    heldout, test = drawn(2, 30), drawn(3, 10)
    mixture, chosen = bm.auto_mixture([model], heldout)
    figures = [part.perplexity for part in chosen]
    assert len(chosen) > 1
    assert figures == sorted(figures, reverse=True)
    assert mixture.fitted is not None
    # The gate is fitted by the same likelihood that one set of weights maximises, and has those as a special case.
    assert mixture.fitted.perplexity < figures[-1]
    alone, mixed = (
        bm.score(m, test, docs="line", eos="yes", oov="class").perplexity("token") for m in (model, mixture)
    )
    assert mixed < 0.9 * alone
    again, _ = bm.auto_mixture([model], heldout)
    assert again.fingerprint == mixture.fingerprint


def test_the_first_figure_is_that_of_the_models_alone() -> None:
    _, chosen = bm.auto_mixture([ONE, TWO], HAMLET + ROSE, caches=[])
    assert len(chosen) == 1
    expected = bm.MixtureModel([ONE, TWO]).fit(HAMLET + ROSE).fitted
    assert expected is not None
    assert chosen[0].perplexity == pytest.approx(expected.perplexity, rel=1e-9)


def test_a_part_of_no_use_is_not_taken() -> None:
    logs = np.log(np.array([[0.5, 0.4, 0.3] * 50, [0.05, 0.04, 0.03] * 50, [0.2, 0.9, 0.2] * 50]))
    taken, figures = _chosen(logs, 1)
    assert taken == [0, 2]
    assert figures[0] == pytest.approx(math.exp(-logs[0].mean()))
    # By a search over the one weight.
    weights = np.linspace(0, 1, 10001)
    best = max(float(np.log((1 - w) * np.exp(logs[0]) + w * np.exp(logs[2])).mean()) for w in weights)
    assert figures[1] == pytest.approx(math.exp(-best), rel=1e-4)


def test_candidates_differ_and_nothing_to_choose_by_is_an_error() -> None:
    assert len({cache.name for cache in CANDIDATES}) == len(CANDIDATES)
    with pytest.raises(errors.EmptyError, match="held-out"):
        bm.auto_mixture([ONE], b"")
