"""Verdicts, classes and rates as values."""

from __future__ import annotations

import math

import pytest

from bitmeter.theory.processes.results import Rate, StateClass, Verdict, blend


def test_a_verdict_is_its_truth_value_with_a_reason() -> None:
    assert Verdict(True, "because")
    assert not Verdict(False, "because")
    assert [str(Verdict(holds, "because")) for holds in (True, False)] == ["yes: because", "no: because"]


def test_a_class_names_its_states() -> None:
    assert str(StateClass(("a", "b"), True, 2, True)) == "recurrent, period 2: a, b"
    assert str(StateClass((0,), False, 0, False)) == "transient, period 0: 0"


def test_a_rate_says_how_it_is_known() -> None:
    exact = Rate.exact(math.log(2)).to("bits")
    assert str(exact) == "1 bits per step, closed form"
    assert float(exact) == 1.0
    bounds = Rate(0.5, 0.4, 0.6, 0.0, "bounds", "bits")
    assert str(bounds) == "0.5 bits per step within [0.4, 0.6], bounds"
    sampled = Rate(0.5, 0.4, 0.6, 0.05, "one sample", "nats")
    assert str(sampled) == "0.5 nats per step ± 0.05 (standard error), one sample"


def test_units_scale_values_and_squares_of_units_variances() -> None:
    nats = Rate(1.0, 0.5, 2.0, 0.25, "method", "nats", 4.0)
    bits = nats.to("bits")
    per = math.log(2)
    found = (bits.value, bits.lower, bits.upper, bits.standard_error, bits.variance_rate, bits.unit)
    assert found[:4] == pytest.approx((1 / per, 0.5 / per, 2 / per, 0.25 / per))
    assert found[4] == pytest.approx(4 / per**2)
    assert found[5] == "bits"
    again = bits.to("hartleys").to("nats")
    assert (again.value, again.variance_rate) == pytest.approx((1.0, 4.0))


def test_a_blend_is_the_weighted_mean_with_independent_errors() -> None:
    first = Rate(1.0, 0.8, 1.2, 0.1, "one", "bits", 1.0)
    second = Rate(3.0, 2.0, 4.0, 0.2, "two", "bits")
    found = blend([(0.25, first), (0.75, second)])
    assert (found.value, found.lower, found.upper) == pytest.approx((2.5, 1.7, 3.3))
    assert found.standard_error == pytest.approx(math.hypot(0.25 * 0.1, 0.75 * 0.2))
    assert (found.method, found.unit, found.variance_rate) == ("one; two", "bits", None)
    assert blend([(1.0, first)]) is first
