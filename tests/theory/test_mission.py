"""The worked examples of the source documents, each with its figure (the rows M1 to M8 of the mission)."""

from __future__ import annotations

import math
from string import ascii_lowercase

import numpy as np
import pytest
from scipy import stats

import bitmeter as bm
from bitmeter.text.sample import sample_text


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
    assert found == pytest.approx(0.5 * math.log(8 * math.pi) + 0.25, rel=1e-14)


def test_m5_chain_rule() -> None:
    weather = [[0.3, 0.2], [0.1, 0.4]]
    assert bm.joint_entropy(weather) == pytest.approx(
        bm.entropy([0.5, 0.5]) + bm.conditional_entropy(weather), rel=1e-14
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


def test_m22_units_never_change_what_is_said(letters: bm.Distribution) -> None:
    bits, nats, hartleys = (bm.cross_entropy("probable", letters, unit=u) for u in ("bits", "nats", "hartleys"))
    assert np.exp2(bits) == pytest.approx(np.exp(nats), rel=1e-14)
    assert np.exp2(bits) == pytest.approx(10.0**hartleys, rel=1e-14)
    assert bm.perplexity("probable", letters) == pytest.approx(np.exp2(bits), rel=1e-14)
