"""Shannon-McMillan-Breiman in numbers: figures of earlier simulations, and typical sets by other means."""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import Any

import numpy as np
import pytest

from bitmeter import HiddenMarkov, Iid, Markov, cross_entropy_rate
from bitmeter.errors import BitmeterError, RangeError
from bitmeter.theory.processes.examples import example_process, typewriter
from bitmeter.theory.processes.typicality import converge, typical_set

#: Relative error of a variance from m normal samples is sqrt(2/m); five of these are allowed below.
PATHS = 4000
SPREAD = 5 * math.sqrt(2 / PATHS)


def scores(process: Any, n: int, seed: int) -> Any:
    found = converge(process, n, paths=PATHS, points=3, seed=seed)
    return found, (found.final - found.limits[0]) / (found.deviations[0] / math.sqrt(n))


def test_ergodic() -> None:
    # Two-state chain [[.9,.1],[.3,.7]]: sigma^2 1.193 (1.196 in an earlier simulation), |z| < 1.96 in 95.1 %.
    found, z = scores(example_process("two-state"), 4000, 1)
    assert found.deviations[0] ** 2 == pytest.approx(1.193, abs=5e-4)
    assert found.final.var() * 4000 == pytest.approx(1.193, rel=SPREAD)
    assert found.coverage == pytest.approx(0.951, abs=4 * math.sqrt(0.95 * 0.05 / PATHS))
    assert found.coverage == pytest.approx((abs(z) < 1.959964).mean(), abs=1e-12)


def test_sticky() -> None:
    # The reference quotes sigma^2 30.12 (simulated 30.07) and .86 for independent steps, for a 4-state regime chain
    # with switch .005 that it does not write down. This one has all these figures: its regimes have the rows
    # (.5,.5), (.4,.6) and (.05,.95), (.98,.02), and a switch goes to either state of the other regime.
    chain = example_process("sticky")
    assert chain.varentropy_rate == pytest.approx(30.12, abs=0.01)
    assert isinstance(chain, Markov)
    steps = -np.log2(chain.transition)
    naive = (chain.stationary[:, None] * chain.transition * (steps - chain.entropy_rate) ** 2).sum()
    assert naive == pytest.approx(0.86, abs=5e-3)
    found, _ = scores(chain, 20_000, 2)
    # Still 2 % below the limit at this length, for the chain forgets in hundreds of steps.
    assert found.final.var() * 20_000 == pytest.approx(30.12, rel=SPREAD + 0.02)
    # Below the mixing time the central limit theorem promises the wrong rate: .335 against .549 at n = 100.
    short, _ = scores(chain, 100, 3)
    rms = math.sqrt(((short.final - short.limit) ** 2).mean())
    assert rms == pytest.approx(0.335, abs=0.012)
    assert math.sqrt(30.12 / 100) == pytest.approx(0.549, abs=5e-4)


def test_periodic_converges_all_the_same() -> None:
    # h .83374 and sigma^2 .290 (simulated .293, mean .83402): {0,1} -> {2,3} with rows (.1,.9), (.6,.4) and back
    # with (.2,.8), (.5,.5) is, up to names, the only chain on a grid of .05 with these figures.
    chain = example_process("periodic")
    assert chain.entropy_rate == pytest.approx(0.83374, abs=5e-6)
    assert chain.varentropy_rate == pytest.approx(0.290, abs=5e-4)
    found, z = scores(chain, 4000, 4)
    assert found.final.var() * 4000 == pytest.approx(0.290, rel=SPREAD)
    # The start (which state?) costs at most log2 of 4 states, once.
    assert found.final.mean() == pytest.approx(0.83374, abs=2 / 4000 + 4 * 0.5385 / math.sqrt(4000 * PATHS))
    assert (abs(z) < 1.96).mean() > 0.93


def test_non_ergodic_paths_go_their_own_ways() -> None:
    # Half Bern(.1), half Bern(.5): paths tend to .469 or 1.0, none to the process's rate .734.
    found = converge(example_process("two-coins"), 4000, paths=2000, points=20, seed=5)
    assert found.limits == pytest.approx((0.4690, 1.0), abs=5e-5)
    assert found.limit == pytest.approx(0.734, abs=1e-3)
    share = (found.component == 0).mean()
    assert share == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(2000))
    assert found.near(0.469, 0.08) == pytest.approx(share, abs=1e-12)
    assert found.near(1.0, 0.01) == pytest.approx(1 - share, abs=1e-12)
    assert found.near(0.734, 0.1) == 0.0
    low = found.component == 0
    assert (found.path_limits[low] == found.limits[0]).all()
    assert found.inside[low, -1].mean() == pytest.approx(0.95, abs=4 * math.sqrt(0.0475 / low.sum()))
    assert found.inside[~low, -1].all()  # a fair coin's curve is flat, but for the bit that chose it


def test_reducible_chains_and_hidden_ones_too() -> None:
    blocks = np.zeros((4, 4))
    blocks[:2, :2], blocks[2:, 2:] = [[0.9, 0.1], [0.9, 0.1]], 0.5
    hidden = HiddenMarkov(np.eye(2), [[0.9, 0.1], [0.5, 0.5]], [0.3, 0.7])
    for process in (Markov(blocks, [0.27, 0.03, 0.35, 0.35]), hidden):
        found = converge(process, 3000, paths=500, points=4, seed=6)
        assert found.weights == pytest.approx((0.3, 0.7))
        assert found.limits == pytest.approx((0.469, 1.0), abs=1e-3)
        for number, limit in enumerate(found.limits):
            mine = found.final[found.component == number]
            assert mine == pytest.approx(np.full(mine.size, limit), abs=0.12)
    absorbed = Markov([[0.98, 0.01, 0.01], [0, 1, 0], [0, 0, 1]], [1, 0, 0])
    short = converge(absorbed, 10, paths=200, seed=1)
    assert set(short.component.tolist()) == {-1, 0, 1}
    assert not np.isnan(short.path_limits).any()


def test_hidden_processes_have_a_band_from_samples() -> None:
    found = converge(example_process("noisy"), 4000, paths=1000, points=3, seed=7)
    assert found.limits[0] == pytest.approx(0.7665963, abs=5e-8)
    assert found.coverage == pytest.approx(0.95, abs=0.04)
    even = converge(example_process("even"), 4000, paths=1000, points=3, seed=8)
    assert even.coverage == pytest.approx(0.95, abs=0.03)


def test_a_model_costs_its_cross_entropy() -> None:
    p, q = example_process("two-state"), Markov([[0.8, 0.2], [0.4, 0.6]])
    found = converge(p, 4000, paths=2000, model=q, points=3, seed=9)
    assert found.limits[0] == pytest.approx(cross_entropy_rate(p, q).value, abs=1e-13)
    assert found.coverage == pytest.approx(0.95, abs=0.025)
    noisy = converge(p, 2000, paths=500, model=example_process("noisy"), points=3, seed=9)
    assert noisy.coverage == pytest.approx(0.95, abs=0.05)
    never = converge(p, 1000, paths=5, model=example_process("golden-mean"), seed=9)
    assert never.limits == (math.inf,)
    assert not np.isnan(never.rates).any()
    assert "inf" in str(never)


def test_typewriter_is_flat() -> None:
    found = converge(typewriter(26), 1000, paths=5, seed=1)
    assert found.rates == pytest.approx(np.full(found.rates.shape, math.log2(26)), abs=1e-12)
    assert found.coverage == 1.0
    assert found.band()[0] == pytest.approx(np.full(found.n.size, math.log2(26)))


def test_curves_are_the_running_surprise() -> None:
    chain = Markov([[0.9, 0.1], [0.3, 0.7]])
    found = converge(chain, 500, paths=2, points=500, seed=3, unit="nats")
    assert found.n[0] == 1
    assert found.n[-1] == 500
    # However many points are asked for, the samples are the same.
    again = converge(chain, 500, paths=2, points=2, seed=3, unit="nats")
    assert again.rates[:, -1].tolist() == found.rates[:, -1].tolist()
    first = {round(-math.log(p), 12) for p in (0.75, 0.25)}
    assert {round(float(x), 12) for x in found.rates[:, 0]} <= first


# ---- typical sets ----------------------------------------------------------------------------------------------------


def brute_force(process: Any, n: int, epsilon: float) -> tuple[int, float]:
    count, total = 0, 0.0
    for word in itertools.product(range(process.alphabet_size), repeat=n):
        logprob = process.logprob(word, unit="bits")
        if abs(-logprob / n - process.entropy_rate) <= epsilon + 1e-12:
            count, total = count + 1, total + 2.0**logprob
    return count, total


@pytest.mark.parametrize(
    "process",
    [
        Iid([0.9, 0.1]),
        Iid([0.25, 0.5, 0.25]),
        Iid([0.5, 0.0, 0.3, 0.2]),
        Markov([[0.9, 0.1], [0.3, 0.7]]),
        example_process("golden-mean"),
        example_process("even"),
        example_process("noisy"),
        example_process("two-coins"),
    ],
    ids=repr,
)
def test_typical_sets_by_brute_force(process: Any) -> None:
    for n, epsilon in ((1, 0.5), (4, 0.2), (6, 0.3)):
        found = typical_set(process, n, epsilon)
        count, probability = brute_force(process, n, epsilon)
        assert found.count == count
        assert found.probability == pytest.approx(probability, abs=1e-12)
        assert found.log2_count <= found.log2_upper + 1e-9
        if found.is_large_enough:
            assert found.log2_count >= found.log2_lower - 1e-9


def test_typical_set_of_a_coin_by_the_binomial() -> None:
    # Bern(.1), n = 1000, eps = .05: -1/n log2 P is linear in the number of ones, so the set is a range of it.
    found = typical_set(Iid([0.9, 0.1]), 1000, 0.05)
    slope = math.log2(9)
    ones = [k for k in range(1001) if abs((k / 1000 - 0.1) * slope) <= 0.05]
    assert found.count == sum(math.comb(1000, k) for k in ones)
    exact = math.fsum(math.comb(1000, k) * 0.1**k * 0.9 ** (1000 - k) for k in ones)
    assert found.probability == pytest.approx(exact, rel=1e-10)
    assert found.words == 2**1000


def test_the_set_fills_up_for_ergodic_processes_and_not_for_mixtures() -> None:
    coin = [typical_set(Iid([0.9, 0.1]), n, 0.1).probability for n in (10, 100, 1000, 5000)]
    assert coin == sorted(coin)
    assert coin[-1] > 0.9999
    last = typical_set(Iid([0.9, 0.1]), 5000, 0.1)
    assert last.is_large_enough
    assert last.log2_lower <= last.log2_count <= last.log2_upper
    # Around the mixture's rate there is little, and ever less: components' sets lie elsewhere.
    assert typical_set(example_process("two-coins"), 20, 0.05).probability < 0.2
    # All words of a typewriter are typical, for any epsilon.
    keys = typical_set(typewriter(26), 50, 0.0)
    assert keys.count == 26**50
    assert keys.probability == pytest.approx(1.0)


def test_units_of_typical_sets() -> None:
    bits = typical_set(Iid([0.9, 0.1]), 100, 0.1)
    nats = typical_set(Iid([0.9, 0.1]), 100, 0.1 * math.log(2), unit="nats")
    assert (bits.count, bits.probability) == (nats.count, nats.probability)
    assert nats.log2_upper == pytest.approx(bits.log2_upper)
    assert nats.rate == pytest.approx(bits.rate * math.log(2))
    assert typical_set(Iid([0.9, 0.1]), 3, 2.0).log2_lower == -math.inf
    assert "2^" in str(bits)


def test_limits_are_explained() -> None:
    with pytest.raises(RangeError, match="at most 22"):
        typical_set(example_process("two-state"), 30, 0.1)
    with pytest.raises(RangeError, match="kinds"):
        typical_set(Iid(np.arange(1, 11), normalise=True), 1000, 0.1)
    with pytest.raises(RangeError, match="too many"):
        converge(example_process("two-state"), 10**9, paths=100)


@pytest.mark.parametrize("value", [None, -1, 0, 2.5, math.nan, "x", [], [1], {}, object(), np.zeros(2), True, 10**30])
def test_only_typed_errors(value: Any) -> None:
    coin = Iid([0.5, 0.5])
    found = converge(coin, 10, seed=1)
    calls: list[Any] = [
        lambda: converge(value, 10),
        lambda: converge(coin, value),
        lambda: converge(coin, 10, paths=value),
        lambda: converge(coin, 10, model=value),
        lambda: converge(coin, 10, points=value),
        lambda: converge(coin, 10, confidence=value),
        lambda: converge(coin, 10, seed=value),
        lambda: converge(coin, 10, unit=value),
        lambda: typical_set(value, 5, 0.1),
        lambda: typical_set(coin, value, 0.1),
        lambda: typical_set(coin, 5, value),
        lambda: typical_set(coin, 5, 0.1, unit=value),
        lambda: example_process(value),
        lambda: typewriter(value),
        lambda: found.band(value),
        lambda: found.near(value, 0.1),
        lambda: found.near(1.0, value),
    ]
    for call in calls:
        with contextlib.suppress(BitmeterError):
            call()
