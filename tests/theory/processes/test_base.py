"""What all processes share: sampling, log-probability, alphabets, words, bad input."""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, Mixture, Process
from bitmeter.errors import BitmeterError, RangeError, ShapeError, UnknownLabelError

TWO = [[0.9, 0.1], [0.3, 0.7]]


def random_rows(rng: np.random.Generator, rows: int, columns: int, *, zeros: bool = True) -> Any:
    values = rng.dirichlet(np.ones(columns), size=rows)
    if zeros and columns > 1:
        values[rng.random(values.shape) < 0.2] = 0.0
        values[values.sum(axis=1) == 0] = 1.0
    return values / values.sum(axis=1, keepdims=True)


def random_process(seed: int) -> Process:
    """Any kind of process over a few symbols, with some impossible steps."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 4))

    def simple(kind: int) -> Process:
        if kind == 0:
            return Iid(random_rows(rng, 1, size)[0])
        if kind < 3:
            order = kind
            return Markov(random_rows(rng, size**order, size), random_rows(rng, 1, size**order)[0], order)
        states = int(rng.integers(1, 4))
        return HiddenMarkov(
            random_rows(rng, states, states), random_rows(rng, states, size), random_rows(rng, 1, states)[0]
        )

    kind = int(rng.integers(0, 5))
    if kind < 4:
        return simple(kind)
    return Mixture([simple(int(rng.integers(0, 4))) for _ in range(3)], rng.dirichlet(np.ones(3)))


def by_definition(process: Process, word: tuple[int, ...]) -> float:
    """P(word) written out as the sum over all hidden paths; slow and plain."""
    if isinstance(process, Mixture):
        pairs = zip(process.weights, process.components, strict=True)
        return math.fsum(weight * by_definition(part, word) for weight, part in pairs)
    if isinstance(process, Iid):
        return math.prod(float(process.probabilities[s]) for s in word)
    if isinstance(process, Markov):
        size, order = process.alphabet_size, process.order
        starts = process.initial.reshape((size,) * order)
        if len(word) <= order:
            return float(starts[word].sum())
        total = float(starts[word[:order]])
        table = process.transition.reshape((size,) * (order + 1))
        for t in range(order, len(word)):
            total *= float(table[word[t - order : t + 1]])
        return total
    assert isinstance(process, HiddenMarkov)
    total = 0.0
    for path in itertools.product(range(process.states), repeat=len(word)):
        p = float(process.initial[path[0]]) * float(process.emission[path[0], word[0]])
        for t in range(1, len(word)):
            p *= float(process.transition[path[t - 1], path[t]]) * float(process.emission[path[t], word[t]])
        total += p
    return total


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_logprob_is_the_definition_and_the_chain_rule_holds(seed: int, length: int) -> None:
    process = random_process(seed)
    blocks = process.block_probabilities(length)
    assert blocks.sum() == pytest.approx(1.0, abs=1e-12)
    for word in itertools.product(range(process.alphabet_size), repeat=length):
        expected = by_definition(process, word)
        assert blocks[word] == pytest.approx(expected, rel=1e-12, abs=1e-300)
        found, steps = process.logprob(word), process.logprobs(word)
        assert not np.isnan(steps).any()
        if expected == 0:
            assert found == -math.inf
            assert steps.sum() == -math.inf
        else:
            assert math.exp(found) == pytest.approx(expected, rel=1e-11)
            assert steps.sum() == pytest.approx(found, rel=1e-11, abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_what_is_sampled_is_possible_and_has_the_right_frequencies(seed: int) -> None:
    process = random_process(seed)
    paths = 4000
    sample = process.sample(3, seed=seed, paths=paths)
    assert sample.shape == (paths, 3)
    words = np.ravel_multi_index(tuple(sample.T.astype(np.int64)), (process.alphabet_size,) * 3)
    counts = np.bincount(words, minlength=process.alphabet_size**3)
    expected = process.block_probabilities(3).ravel()
    assert (counts[expected == 0] == 0).all()
    # Six standard deviations, for each of at most 27 words.
    reach = 6 * np.sqrt(np.clip(expected * (1 - expected), 0, None) / paths) + 6 / paths
    assert (np.abs(counts / paths - expected) <= reach).all()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6))
def test_one_seed_one_sample(seed: int) -> None:
    process = random_process(seed)
    many = process.sample(20, seed=7, paths=9)
    assert (many == process.sample(20, seed=7, paths=9)).all()
    assert (many[:4] == process.sample(20, seed=7, paths=4)).all()
    assert (many[0] == process.sample(20, seed=7)).all()
    goes_on = np.random.default_rng(7)
    assert (process.sample(20, goes_on) == many[0]).all()


def test_samples_are_the_same_everywhere() -> None:
    # Pinned: a change here is a change of everyone's samples. The last figure is the number of ones in 10**5 symbols.
    chain = Markov(TWO)
    assert chain.sample(16, seed=0).tolist() == SAMPLES["markov"]
    assert HiddenMarkov(TWO, TWO).sample(16, seed=0).tolist() == SAMPLES["hidden"]
    assert Mixture([chain, Iid([0.5, 0.5])]).sample(16, seed=0).tolist() == SAMPLES["mixture"]
    assert int(chain.sample(10**5, seed=0).sum()) == SAMPLES["ones"]


SAMPLES: dict[str, Any] = {
    "markov": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    "hidden": [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0],
    "mixture": [1, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1],
    "ones": 25182,
}


def test_labels() -> None:
    chain = Markov(TWO, labels="ab")
    assert chain.logprob("aab") == Markov(TWO).logprob([0, 0, 1])
    assert chain.logprob(["a", "a", "b"]) == chain.logprob(np.array(["a", "a", "b"]))
    drawn = chain.sample(50, seed=1)
    assert set(drawn) == {"a", "b"}
    assert chain.logprob(drawn) == Markov(TWO).logprob(Markov(TWO).sample(50, seed=1))
    # Labels that are integers are labels, not places.
    turned = Iid([0.9, 0.1], labels=[1, 0])
    assert turned.logprob([1]) == pytest.approx(math.log(0.9))
    assert turned.logprob(turned.sample(20, seed=1)) == Iid([0.9, 0.1]).logprob(Iid([0.9, 0.1]).sample(20, seed=1))
    mixed = Iid([0.5, 0.5], labels=[("x", 1), None])
    assert mixed.logprob(mixed.sample(5, seed=1)) == pytest.approx(5 * math.log(0.5))
    assert Iid({"x": 0.25, "y": 0.75}).labels == ("x", "y")


def test_unknown_symbols_are_named() -> None:
    with pytest.raises(UnknownLabelError, match=r"sequence\[2\] is 5") as caught:
        Iid([0.5, 0.5]).logprob([0, 1, 5])
    assert (caught.value.index, caught.value.value) == (2, 5)
    with pytest.raises(UnknownLabelError, match="labels="):
        Iid([0.5, 0.5]).logprob("ab")
    with pytest.raises(UnknownLabelError, match=r"sequence\[1\] is 'c'"):
        Iid([0.5, 0.5], labels="ab").logprob("acb")
    with pytest.raises(UnknownLabelError, match="-1"):
        Iid([0.5, 0.5]).logprob([0, -1])


def test_units() -> None:
    process = Markov(TWO)
    bits = process.logprob([0, 1, 1], unit="bits")
    assert process.logprob([0, 1, 1]) == pytest.approx(bits * math.log(2))
    assert process.entropy_rate_in("nats") == pytest.approx(process.entropy_rate * math.log(2))
    assert process.entropy_rate_in("hartleys") == pytest.approx(process.entropy_rate * math.log10(2))
    assert process.rate(unit="nats").variance_rate == pytest.approx(process.varentropy_rate * math.log(2) ** 2)


def test_block_entropy_grows_to_the_rate() -> None:
    process = Markov(TWO)
    # Of a stationary chain of order one, every step after the first adds the entropy rate.
    assert process.block_entropy(5) - process.block_entropy(4) == pytest.approx(process.entropy_rate, abs=1e-13)
    with pytest.raises(RangeError, match="shorten"):
        process.block_entropy(40)


RUBBISH: list[Any] = [
    None, -1, 0, 1.5, math.nan, math.inf, 10**30, "x", b"x", "", [], [[]], [1], [[1, 2], [3]], [[0.5, 0.5]], {},
    {"a": 1}, {1: "a"}, object(), np.zeros((2, 2)), np.full((2, 2), np.nan), np.array(["a"]),
    np.array(0.5), [None], True, 1j, 1e308,
]  # fmt: skip


@pytest.mark.parametrize("value", RUBBISH, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]}")
def test_only_typed_errors(value: Any) -> None:
    chain, coin = Markov(TWO), Iid([0.5, 0.5])
    calls: list[Any] = [
        lambda: Iid(value),
        lambda: Iid([0.5, 0.5], labels=value),
        lambda: Iid([0.5, 0.5], normalise=value),
        lambda: Markov(value),
        lambda: Markov(TWO, value),
        lambda: Markov(TWO, order=value),
        lambda: Markov(TWO, labels=value),
        lambda: Markov.fit(value),
        lambda: Markov.fit("abab", value),
        lambda: Markov.fit("abab", smoothing=value),
        lambda: Markov.fit("abab", labels=value),
        lambda: Markov.fit([0, 1, 0], alphabet_size=value),
        lambda: HiddenMarkov(value, TWO),
        lambda: HiddenMarkov(TWO, value),
        lambda: HiddenMarkov(TWO, TWO, value),
        lambda: HiddenMarkov(TWO, TWO).rate_bounds(tolerance=value, work=10**4),
        lambda: HiddenMarkov(TWO, TWO).rate_bounds(work=value),
        lambda: HiddenMarkov(TWO, TWO).sample_with_states(value),
        lambda: Mixture(value),
        lambda: Mixture([chain, coin], value),
        lambda: Mixture([chain, value]),
        lambda: chain.sample(value),
        lambda: chain.sample(5, value),
        lambda: chain.sample(5, paths=value),
        lambda: chain.logprob(value),
        lambda: chain.logprobs(value),
        lambda: chain.logprob([0, 1], unit=value),
        lambda: chain.block_probabilities(value),
        lambda: chain.block_entropy(value),
        lambda: chain.entropy_rate_in(value),
        lambda: chain.rate(unit=value),
    ]
    for call in calls:
        with contextlib.suppress(BitmeterError):
            call()


def test_shapes_are_explained() -> None:
    with pytest.raises(ShapeError, match="one axis"):
        Iid([[0.5, 0.5]])
    with pytest.raises(ShapeError, match=r"\(2, 2, 2\)"):
        Markov(TWO, order=2)
    with pytest.raises(ShapeError, match="first 2 symbol"):
        Markov(np.full((4, 2), 0.5), [1, 0], order=2)
    with pytest.raises(ShapeError, match="one row and one column"):
        HiddenMarkov([[0.5, 0.5]], TWO)
    with pytest.raises(ShapeError, match="3 rows"):
        HiddenMarkov(np.eye(3), TWO)
    with pytest.raises(ShapeError, match="one probability for each"):
        HiddenMarkov(TWO, TWO, [1.0])
    with pytest.raises(ShapeError, match="same symbols"):
        Mixture([Iid([1.0]), Iid([0.5, 0.5])])
    with pytest.raises(ShapeError, match="one weight"):
        Mixture([Iid([0.5, 0.5])], [0.5, 0.5])
    with pytest.raises(ShapeError, match="2 symbols"):
        Iid([0.5, 0.5], labels="abc")
