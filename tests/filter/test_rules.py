"""Which documents a rule keeps."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bitmeter.errors import ChoiceError, InputError
from bitmeter.filter.rules import (
    Between,
    Buckets,
    Everything,
    Shares,
    parse_range,
    parse_sample,
    parse_shares,
)

VALUES = np.array([1.0, 2.0, 3.0, 4.0])


def no_draw(_: Any) -> Any:
    raise AssertionError


def test_limits_are_included_unless_above() -> None:
    assert Between({"": (2.0, 3.0)}).decide(VALUES, None, no_draw).tolist() == [1, 0, 0, 1]
    assert Between({"": (2.0, 3.0)}, above=True).decide(VALUES, None, no_draw).tolist() == [1, 1, 0, 1]
    assert Everything().decide(VALUES, None, no_draw).tolist() == [0, 0, 0, 0]


def test_limits_by_language() -> None:
    rule = Between({"en": (-math.inf, 1.5), "": (-math.inf, 3.0)})
    assert rule.decide(VALUES, ["en", "en", "de", "de"], no_draw).tolist() == [0, 1, 0, 1]
    without = Between({"en": (-math.inf, 9.0)})
    assert without.decide(VALUES, ["en", "de", "de", "en"], no_draw).tolist() == [0, 1, 1, 0]


def test_buckets_as_in_ccnet_are_below_their_cuts() -> None:
    strict = Buckets({"en": (2.0, 3.0)}, strict=True)
    assert strict.labels == ("head", "middle", "tail", "all")
    assert strict.decide(VALUES, ["en"] * 4, no_draw).tolist() == [0, 1, 2, 2]
    assert strict.decide(VALUES, ["de"] * 4, no_draw).tolist() == [3, 3, 3, 3]
    assert Buckets({"": (2.0, 3.0)}).decide(VALUES, None, no_draw).tolist() == [0, 0, 1, 2]


def test_shares_become_limits() -> None:
    asked: list[tuple[str, Fraction]] = []

    def quantile(language: str, share: Fraction) -> float:
        asked.append((language, share))
        return -math.inf if share == 0 else float(share)

    rule = Shares(parse_range("30%")).settled(quantile, ["de", "en"])
    assert rule == Between({"de": (-math.inf, 0.3), "en": (-math.inf, 0.3)}, above=True)
    assert asked == [("de", Fraction(0)), ("de", Fraction(3, 10)), ("en", Fraction(0)), ("en", Fraction(3, 10))]
    assert Shares(parse_shares("30%,60%"), buckets=True).settled(quantile, [""]) == Buckets({"": (0.3, 0.6)})


def test_sampling_keeps_below_the_weight() -> None:
    rule = parse_sample("steps:1=0.5,3=0.25", 7, Everything())
    draws = np.array([0.49, 0.2, 0.25, 0.0])
    assert rule.decide(VALUES, None, lambda left: draws[left]).tolist() == [0, 0, 1, 1]
    within = parse_sample("uniform:1", 7, Between({"": (2.0, 3.0)}))
    assert within.decide(VALUES, None, lambda left: draws[left]).tolist() == [1, 0, 0, 1]
    assert within.describe()["within"]["limits"] == {"": [2.0, 3.0]}


def test_the_gaussian_weight() -> None:
    weight = parse_sample("gaussian:2,1", 0, Everything()).weight
    assert weight(np.array([2.0, 3.0])).tolist() == pytest.approx([1.0, math.exp(-0.5)])
    assert weight(np.array([math.inf])).tolist() == [0.0]


@pytest.mark.parametrize("text", ["", "30", "x%", "101%", "30%-20%", "0%", "-5%", "30%-", "1e1%", "nan%", "50%-50%"])
def test_wrong_ranges(text: str) -> None:
    if text == "30":
        assert parse_range(text) == (Fraction(0), Fraction(3, 10))
        return
    with pytest.raises(ChoiceError):
        parse_range(text)


@pytest.mark.parametrize("text", ["", "30%", "60%,30%", "10%,20%,30%", "a,b"])
def test_wrong_shares(text: str) -> None:
    with pytest.raises(ChoiceError):
        parse_shares(text)


@pytest.mark.parametrize(
    "text",
    ["", "uniform", "uniform:x", "gaussian:1", "gaussian:1,0", "gaussian:nan,1", "steps:", "steps:1", "steps:2=1,1=1",
     "steps:1=2", "steps:1=-1", "steps:nan=1", "other:1"],
)  # fmt: skip
def test_wrong_weights(text: str) -> None:
    with pytest.raises(ChoiceError):
        parse_sample(text, 0, Everything())


@pytest.mark.parametrize("text", ["uniform:2", "uniform:nan"])
def test_a_probability_is_one(text: str) -> None:
    with pytest.raises(InputError):
        parse_sample(text, 0, Everything())
