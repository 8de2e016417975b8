"""The curves H(X₁…Xₙ)/n and H(Xₙ|X₁…Xₙ₋₁)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, Mixture, Process, entropy_curves, example_process
from bitmeter.errors import RangeError


def _process(kind: str, seed: int) -> Process:
    rng = np.random.default_rng(seed)
    if kind == "markov":
        return Markov(rng.dirichlet(np.ones(3), size=3))
    if kind == "second order":
        return Markov(rng.dirichlet(np.ones(2), size=4), order=2)
    if kind == "hidden":
        return HiddenMarkov(rng.dirichlet(np.ones(2), size=2), rng.dirichlet(np.ones(2), size=2))
    return Mixture([Iid(rng.dirichlet(np.ones(2))), Markov(rng.dirichlet(np.ones(2), size=2))])


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(["markov", "second order", "hidden", "mixture"]), st.integers(0, 10**6))
def test_both_curves_fall_to_the_rate_of_a_stationary_process(kind: str, seed: int) -> None:
    process = _process(kind, seed)
    curves = entropy_curves(process, 9)
    assert (np.diff(curves.conditional) <= 1e-12).all()
    assert (np.diff(curves.average) <= 1e-12).all()
    assert (curves.conditional <= curves.average + 1e-12).all()
    # By the chain rule both come from block entropies.
    blocks = [process.block_entropy(n) for n in range(1, 10)]
    assert curves.average == pytest.approx(np.array(blocks) / np.arange(1, 10), abs=1e-12)
    assert curves.conditional == pytest.approx(np.diff([0.0, *blocks]), abs=1e-12)
    assert curves.conditional[-1] >= process.rate(seed=1).lower - 1e-9


def test_a_chain_reaches_its_rate_after_its_order() -> None:
    chain = Markov([[0.9, 0.1], [0.5, 0.5]])
    curves = entropy_curves(chain, 100_000)
    assert curves.conditional[1:] == pytest.approx(np.full(99_999, chain.entropy_rate), abs=1e-12)
    # H(X1…Xn)/n = h + (H(X1) − h)/n for a stationary chain of order one.
    start = Iid([5 / 6, 1 / 6]).entropy_rate
    assert curves.average == pytest.approx(chain.entropy_rate + (start - chain.entropy_rate) / curves.n, abs=1e-11)


def test_a_chain_that_starts_elsewhere_settles() -> None:
    chain = Markov([[0.9, 0.1], [0.3, 0.7]], [0, 1])
    curves = entropy_curves(chain, 200)
    assert curves.conditional[0] == 0.0
    assert curves.conditional[-1] == pytest.approx(chain.entropy_rate, abs=1e-12)
    assert curves.conditional[:5] == pytest.approx(
        np.diff([0.0, *(chain.block_entropy(n) for n in range(1, 6))]), abs=1e-12
    )


def test_units_and_limits() -> None:
    noisy = example_process("noisy")
    bits, nats = entropy_curves(noisy, 5), entropy_curves(noisy, 5, unit="nats")
    assert nats.average == pytest.approx(bits.average * np.log(2), rel=1e-12)
    assert "at n = 5" in str(bits)
    with pytest.raises(RangeError, match="words"):
        entropy_curves(noisy, 40)
