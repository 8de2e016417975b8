"""The learning curve of a model is not dependence between neighbours."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.interval.cluster import named
from bitmeter.measure.interval.learning import without_curve
from bitmeter.measure.interval.paired import paired_clusters
from bitmeter.measure.interval.ratio import Ratio, standard_error


def falling(rng: np.random.Generator, power: float = 0.5, drop: float = 60.0) -> tuple[np.ndarray, np.ndarray]:
    """Costs of documents under a model that learns: 2 bits per byte, drop/t^power more, and noise between documents."""
    sizes = rng.lognormal(8.0, 0.5, 30)
    read = np.append(0.0, np.cumsum(sizes))
    curve = drop / (1 - power) * np.diff((read + 64.0) ** (1 - power))
    return sizes * (2.0 + 0.1 * rng.standard_normal(30)) + curve, sizes


def test_the_interval_of_a_learner_is_narrower_and_covers() -> None:
    rng = np.random.default_rng(0)
    truth, hits, narrower = [], [], []
    draws = [falling(rng) for _ in range(150)]
    for _, sizes in draws:
        read = np.append(0.0, np.cumsum(sizes))
        truth.append(2.0 + 120.0 * float(np.diff((read[[0, -1]] + 64.0) ** 0.5)[0]) / sizes.sum())
    for (costs, sizes), expected in zip(draws, truth, strict=True):
        clusters = named(costs, sizes, "file")
        plain, learner = (Ratio(replace(clusters, learns=learns)).interval(0.95) for learns in (False, True))
        assert learner.low is not None
        assert learner.high is not None
        assert plain.half_width is not None
        assert learner.half_width is not None
        hits.append(expected in learner)
        narrower.append(learner.half_width / plain.half_width)
        # Never narrower than Student's t over the documents as they are.
        error, _ = standard_error(costs - learner.estimate * sizes, sizes)
        assert learner.half_width > 1.96 * error
    assert np.mean(hits) >= 0.93
    assert np.median(narrower) < 0.8


def test_a_curve_that_is_none_is_left() -> None:
    rng = np.random.default_rng(1)
    sizes = np.full(40, 1000.0)
    rising = np.linspace(-1.0, 1.0, 40) * 1000.0
    assert np.array_equal(without_curve(rising, sizes), rising)  # costs that rise are not learned
    few = rng.standard_normal(5)
    assert np.array_equal(without_curve(few, np.ones(5)), few)
    assert np.array_equal(without_curve(np.zeros(9), np.ones(9)), np.zeros(9))
    one_large = np.append(np.full(30, 1e-9), 1.0)
    noise = rng.standard_normal(31) * one_large
    assert np.array_equal(without_curve(noise, one_large), noise)


def test_what_the_fit_takes_is_given_back() -> None:
    # Of independent noise the spread stays what it was, on average.
    rng = np.random.default_rng(2)
    sizes = np.full(12, 500.0)
    before = after = 0.0
    for _ in range(400):
        noise = rng.standard_normal(12) * 500.0
        noise -= noise.mean()
        before += float(np.square(noise).sum())
        after += float(np.square(without_curve(noise, sizes)).sum())
    assert after / before == pytest.approx(1.0, abs=0.12)


def test_models_that_learn_say_so() -> None:
    text = b"".join(b"line %d of a text\n" % i for i in range(40))
    assert bm.score("kt", text, docs="line").signature.interval == "serial-clusters(line,learning) 0.95"
    assert bm.score("universal:small", text).signature.interval.startswith("serial-blocks(64,learning)")
    assert bm.score("uniform", text, docs="line").signature.interval == "serial-clusters(line) 0.95"
    mixture = bm.MixtureModel(["kt", "uniform"])
    assert bm.load(mixture).traits.learns
    primed = bm.Universal("small").with_prime(text)
    assert primed.traits.learns
    assert not primed.freeze().traits.learns
    score = bm.score("kt", text, docs="line")
    assert bm.Score.from_json(score.to_json()) == score
    assert json.loads(score.to_json())["learns"] is True
    assert not (score + score).learns
    assert "by line (40)" in str(score)
    assert "learning" in bm.compare("uniform", "kt", on=text, docs="line").method
    assert "learning" not in bm.compare("uniform", bm.Distribution.from_data(text), on=text, docs="line").method


def test_a_difference_to_a_learner_is_that_of_the_learner_mirrored() -> None:
    costs, sizes = falling(np.random.default_rng(3))
    constant = 2.0 * sizes
    forth, back = (
        Ratio(replace(named(d, sizes, "file"), learns=True, signed=True)).interval(0.95)
        for d in (costs - constant, constant - costs)
    )
    assert (forth.low, forth.high) == pytest.approx((-(back.high or 0.0), -(back.low or 0.0)))


def test_a_learner_has_no_e_value() -> None:
    costs, sizes = falling(np.random.default_rng(4))
    found, plain = (
        paired_clusters(costs, 2.5 * sizes, replace(named(costs, sizes, "file"), learns=learns), 0.95)
        for learns in (True, False)
    )
    assert found.e_value is None
    assert "a model that learns as it reads makes documents depend on each other" in found.reason
    assert "learns" not in plain.reason
