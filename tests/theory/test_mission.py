"""The worked examples of the source documents, each with its figure (M1 to M14, M16 and M22 number what they teach)."""

from __future__ import annotations

import math
from string import ascii_lowercase

import numpy as np
import pytest
from scipy import stats

import bitmeter as bm
from bitmeter.text.corpus.sample import sample_text


@pytest.fixture
def letters() -> bm.Distribution:
    """The p of source 004: a 1/4, b 1/2, each of c…r 1/64, s…z never."""
    table = {letter: 1 / 64 if "c" <= letter <= "r" else 0.0 for letter in ascii_lowercase}
    return bm.Distribution({**table, "a": 1 / 4, "b": 1 / 2})


@pytest.fixture
def table() -> bm.Conditional:
    """The q of source 004, column by column."""
    names = ["a", "b", "e", "l", "o", "p", "r", "other"]
    certain = {"a": "b", "e": "other", "l": "e", "o": "b", "r": "o", "other": "p"}
    rows: dict[str, dict[str, float]] = {context: {outcome: 1.0} for context, outcome in certain.items()}
    rows["b"] = {"a": 0.5, "l": 0.5}
    rows["p"] = dict.fromkeys(names, 1 / 8)
    return bm.Conditional(rows, other="other", start="other")


def test_m1_information() -> None:
    assert (bm.information(1 / 8), bm.information(1), bm.information(0)) == (3.0, 0.0, math.inf)


def test_m2_entropy(letters: bm.Distribution) -> None:
    assert letters.entropy == 2.5
    assert letters.perplexity == 2**2.5
    assert bm.Distribution.uniform(10_000).perplexity == pytest.approx(10_000, rel=1e-13)
    assert bm.entropy(bm.Distribution.uniform(10_000), unit="nats") == pytest.approx(9.2103, abs=5e-5)


@pytest.mark.parametrize(("word", "bits"), [("barb", 2.5), ("probable", 4.25), ("abba", 1.5), ("baby", math.inf)])
def test_m3_cross_entropy_below_equal_and_above_the_entropy(letters: bm.Distribution, word: str, bits: float) -> None:
    over_data = bm.cross_entropy(word, letters)
    over_space = bm.cross_entropy(bm.Distribution.from_data(word), letters)
    assert over_data == over_space == bits


def test_m4_two_gaussians() -> None:
    found = bm.cross_entropy(stats.norm(0, 1), stats.norm(1, 2), unit="nats")
    assert found == pytest.approx(0.5 * math.log(8 * math.pi) + 0.25, rel=1e-12)


def test_m5_chain_rule() -> None:
    weather = [[0.3, 0.2], [0.1, 0.4]]
    assert bm.joint_entropy(weather) == pytest.approx(
        bm.entropy([0.5, 0.5]) + bm.conditional_entropy(weather), rel=1e-12
    )


def test_m6_one_half_on_the_other() -> None:
    text = sample_text()
    half = len(text) // 2
    train, test = bm.Distribution.from_data(text[:half]), text[half:]
    seen = [letter for letter in test if letter in train]
    on_other = bm.cross_entropy(seen, train)
    own = bm.entropy(seen, of="samples")
    assert own < on_other < own + 0.2
    # Unseen symbols are infinite unless smoothed on purpose.
    assert math.isinf(bm.cross_entropy([*seen, "\N{SNOWMAN}"], train))
    smoothed = train.mix(bm.Distribution.uniform([*train.labels, "\N{SNOWMAN}"]), weight=0.01)
    assert math.isfinite(bm.cross_entropy([*seen, "\N{SNOWMAN}"], smoothed))


def test_m7_conditional_table(letters: bm.Distribution, table: bm.Conditional) -> None:
    over_data = bm.cross_entropy("probable", table)
    over_space = table.cross_entropy(table.pairs("probable"))
    assert over_data == over_space == 0.625
    assert over_data < bm.cross_entropy("probable", letters) == 4.25


def test_m8_baby(letters: bm.Distribution) -> None:
    assert bm.cross_entropy("baby", letters) == math.inf
    assert bm.explain_infinite("baby", letters).events == (("y", 0.25),)


def test_m9_each_kind_of_process_samples_and_rates_what_it_sampled() -> None:
    pair, flip = bm.Iid([0.9, 0.1]), [[0.9, 0.1], [0.1, 0.9]]
    chain, hidden = bm.Markov([[0.9, 0.1], [0.3, 0.7]]), bm.HiddenMarkov(flip, flip)
    second = bm.Markov(np.full((2, 2, 2), 0.5), order=2)
    for process in (pair, chain, second, hidden, bm.Mixture([pair, chain, hidden])):
        path = process.sample(20, seed=1)
        assert process.logprob(path) == pytest.approx(math.fsum(process.logprobs(path)), rel=1e-13)
    assert chain.logprob([0, 0, 1]) == pytest.approx(math.log(0.75 * 0.9 * 0.1), rel=1e-12)


def test_m10_stationary_and_ergodic_with_the_reason() -> None:
    weather = bm.Markov([[0.8, 0.2], [0.4, 0.6]])
    assert weather.stationary == pytest.approx([2 / 3, 1 / 3], rel=1e-12)
    assert weather.is_stationary
    assert weather.is_ergodic
    stuck, circle = bm.Markov([[1, 0], [0, 1]]), bm.Markov([[0, 1], [1, 0]])
    assert not stuck.is_ergodic
    assert "reducible" in stuck.is_ergodic.reason
    assert circle.is_ergodic
    assert "period 2" in circle.is_mixing.reason
    coins = bm.Mixture([bm.Iid([0.9, 0.1]), bm.Iid([0.5, 0.5])])
    assert "mixture" in coins.is_ergodic.reason


def test_m11_typewriter_chain_and_hidden_chain() -> None:
    for keys in (2, 26, 10_000):
        assert bm.typewriter(keys).entropy_rate == pytest.approx(math.log2(keys), rel=1e-12)
    # pi = (5/6, 1/6), so h = 5/6 H(.1) + 1/6.
    rows = 5 / 6 * -(0.9 * math.log2(0.9) + 0.1 * math.log2(0.1)) + 1 / 6
    assert bm.Markov([[0.9, 0.1], [0.5, 0.5]]).entropy_rate == pytest.approx(rows, rel=1e-12)
    found = bm.example_process("noisy").rate(tolerance=1e-9)
    assert found.lower <= 0.7665963 + 5e-8
    assert found.upper >= 0.7665963 - 5e-8


def test_m12_one_sample_tells_the_rate_of_its_own_component() -> None:
    chain = bm.converge(bm.Markov([[0.9, 0.1], [0.3, 0.7]]), 4000, paths=1000, seed=1)
    assert 0.93 < chain.coverage < 0.97
    coins = bm.converge(bm.example_process("two-coins"), 4000, paths=200, seed=1)
    assert coins.near(0.469, 0.05) + coins.near(1.0, 0.05) == 1.0
    assert coins.near(coins.limit, 0.1) == 0.0


def test_m13_one_long_sample_and_many_agree_with_the_closed_form() -> None:
    p, q = bm.Markov([[0.9, 0.1], [0.3, 0.7]]), bm.Markov([[0.8, 0.2], [0.4, 0.6]])
    exact = bm.cross_entropy_rate(p, q).value
    for method in ("one-sample", "monte-carlo"):
        found = bm.cross_entropy_rate(p, q, method=method, n=50_000, seed=1)
        assert abs(found.value - exact) < 4 * found.standard_error < 0.05


def test_m14_the_rate_of_a_source_that_is_not_given() -> None:
    chain = bm.Markov([[0.9, 0.1], [0.3, 0.7]])
    found = bm.estimate_rate(chain.sample(10**6, seed=1))
    assert found.upper_bound
    assert found.value == pytest.approx(chain.entropy_rate, abs=0.002)
    # Technical English: above the 1.3 bits that people reach on prose, below what order 2 can do.
    assert 1.3 < bm.estimate_rate(sample_text().encode()).value < 2.4


def test_m16_perplexity_is_a_geometric_mean() -> None:
    steps = [0.5, 0.125, 0.25]
    each = [1 / p for p in steps]
    assert bm.sequence_perplexity(steps) == pytest.approx(math.prod(each) ** (1 / 3), rel=1e-12)
    assert bm.sequence_perplexity(steps) == pytest.approx(2 ** float(np.mean(bm.information(steps))), rel=1e-12)


def test_m22_units_never_change_what_is_said(letters: bm.Distribution) -> None:
    bits, nats, hartleys = (bm.cross_entropy("probable", letters, unit=u) for u in ("bits", "nats", "hartleys"))
    assert np.exp2(bits) == pytest.approx(np.exp(nats), rel=1e-12)
    assert np.exp2(bits) == pytest.approx(10.0**hartleys, rel=1e-12)
    assert bm.perplexity("probable", letters) == pytest.approx(np.exp2(bits), rel=1e-12)
