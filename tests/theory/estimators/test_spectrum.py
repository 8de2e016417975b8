"""Estimators as formulas over counts of counts, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given

from bitmeter.theory.estimators import spectrum
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum
from tests.theory.strategies import count_lists, estimate, quick


@quick
@given(count_lists)
def test_jackknife_is_its_definition(counts: list[int]) -> None:
    def plug_in(c: list[int]) -> float:
        n = sum(c)
        return -math.fsum(k / n * math.log(k / n) for k in c if k)

    total = sum(counts)
    left_out = math.fsum(k * plug_in([*counts[:i], k - 1, *counts[i + 1 :]]) for i, k in enumerate(counts) if total > 1)
    expected = total * plug_in(counts) - (total - 1) / total * left_out
    assert estimate(counts, "jackknife") == pytest.approx(expected, abs=1e-10)


@quick
@given(count_lists)
def test_zhang_is_its_double_sum(counts: list[int]) -> None:
    """Zhang 2012: Σ_v 1/v Σ_k p̂_k Π_{j<v} (1 − (n_k − 1)/(N − 1 − j)), with products over j = 0 … v − 1."""
    total = sum(counts)
    expected = 0.0
    for k in counts:
        product = 1.0
        for v in range(1, total - k + 1):
            product *= 1 - (k - 1) / (total - v)
            expected += k / total * product / v
    assert estimate(counts, "zhang") == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("a", [0.9, 0.3, 0.21, 0.19, 0.05, 1e-3])
@pytest.mark.parametrize("start", [2, 30, 10_000])
def test_tail_of_chao_wang_jost(a: float, start: int) -> None:
    terms = ((1 - a) ** j / (start + j) for j in range(int(60 / a)))
    assert spectrum._lerch(a, start) == pytest.approx(math.fsum(terms), rel=2e-15)


def test_tail_of_chao_wang_jost_for_rare_deficits() -> None:
    # Where a · start is tiny the closed form is well conditioned: (1 − a)^−N [−ln a − Σ_{r<N} (1 − a)^r / r].
    a, start = 1e-12, 1000
    series = math.fsum(math.exp(r * math.log1p(-a)) / r for r in range(1, start))
    assert spectrum._lerch(a, start) == pytest.approx(
        (-math.log(a) - series) * math.exp(-start * math.log1p(-a)), rel=1e-14
    )


def test_chao_wang_jost_keeps_its_digits() -> None:
    # f₁ = 1, f₂ = 14: the form with −ln A loses 1.5e-7 here. Expected: Zhang plus the series, summed term by term.
    counts = [1] + [2] * 14 + [50] * 20
    total, once, twice = sum(counts), 1, 14
    a = 2 * twice / ((total - 1) * once + 2 * twice)
    tail = math.fsum((1 - a) ** (1 + j) / (total + j) for j in range(2000))
    assert estimate(counts, "chao-wang-jost") == pytest.approx(
        estimate(counts, "zhang") + once / total * tail, abs=1e-14
    )


def test_a_spectrum_is_the_counts_of_counts() -> None:
    found = Spectrum.of_counts(np.array([1, 5, 1, 0, 2, 5, 5]))
    pairs = dict(zip(found.values.tolist(), found.kinds.tolist(), strict=True))
    assert pairs == {1: 2, 2: 1, 5: 3}
    assert (found.observations, found.symbols, found.seen(5), found.seen(3)) == (19, 6, 3, 0)
    assert found.mean(np.ones(3)) == 1.0
    # A value may come twice, and pairs without symbols are dropped.
    split = Spectrum.of_pairs(np.array([1, 1, 2, 5, 0, 7]), np.array([1, 1, 1, 3, 4, 0]))
    for formula in FORMULAS.values():
        assert formula(split, None) == pytest.approx(formula(found, None), abs=1e-14)
