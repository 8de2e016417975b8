"""Resampling from the restored distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter.theory.estimators import spectrum
from bitmeter.theory.estimators.resampling import resamples, restore
from bitmeter.theory.estimators.spectrum import Spectrum


def test_resamples_have_the_spread_of_samples() -> None:
    """Both ways of drawing agree with fresh samples of the restored law in mean and spread of the plug-in."""
    source = restore(Spectrum.of_counts(np.random.default_rng(5).multinomial(3000, np.full(1500, 1 / 1500))), None)
    from bitmeter.theory.estimators import resampling

    rng = np.random.default_rng(6)
    plug_in = spectrum.FORMULAS["maximum-likelihood"]
    exact = [plug_in(s, None) for s in resampling._multinomial(source, 400, rng)]
    quickly = [plug_in(s, None) for s in resampling._poisson(source, 400, rng)]
    assert np.mean(quickly) == pytest.approx(np.mean(exact), abs=0.003)
    assert np.std(quickly) == pytest.approx(np.std(exact), rel=0.3)
    assert float((source.probabilities * source.kinds).sum()) == pytest.approx(1)
    assert len(list(resamples(source, 3, rng))) == 3


@pytest.mark.parametrize("counts", [[1, 1, 1, 5, 9], [2, 2, 40], [1] * 30, [1], [7]])
def test_the_restored_distribution_sums_to_one_and_keeps_what_was_seen(counts: list[int]) -> None:
    found = restore(Spectrum.of_counts(np.array(counts)), None)
    assert float((found.probabilities * found.kinds).sum()) == pytest.approx(1.0, abs=1e-12)
    assert found.observations == sum(counts)
    assert (found.probabilities >= 0).all()
    # Chao's lower bound of the unseen symbols: f1²/2f2, or f1(f1 − 1)/2 without doubletons, times (N − 1)/N.
    once, twice, total = counts.count(1), counts.count(2), sum(counts)
    unseen = (total - 1) / total * (once**2 / (2 * twice) if twice else once * (once - 1) / 2)
    assert int(found.kinds.sum()) == len(counts) + math.ceil(unseen)


def test_an_alphabet_limits_the_unseen_symbols() -> None:
    spectrum = Spectrum.of_counts(np.ones(30, dtype=np.int64))
    assert int(restore(spectrum, 33).kinds.sum()) == 33
    assert int(restore(spectrum, 30).kinds.sum()) == 30
