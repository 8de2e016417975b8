"""What goes in: labels meet labels, missing values are named, narrow floats and exact fractions are what they are."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import (
    BitmeterError,
    InputError,
    InputTypeError,
    ShapeError,
)
from tests.theory.strategies import vectors

TINY = Fraction(1, 2**2000)
MEASURES = [bm.cross_entropy, bm.kl_divergence, bm.js_divergence, bm.perplexity]


def series(labels: str, values: Any) -> Any:
    return pd.Series(list(values), index=list(labels))


def data_array(labels: str, values: Any) -> Any:
    return xr.DataArray(list(values), dims="word", coords={"word": list(labels)})


def mapping(labels: str, values: Any) -> Any:
    return dict(zip(labels, values, strict=True))


def distribution(labels: str, values: Any) -> Any:
    return bm.Distribution(mapping(labels, values))


KINDS = [series, data_array, mapping, distribution]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("one", "two"), list(itertools.product(KINDS, KINDS)))
def test_labels_meet_whatever_their_order(measure: Callable[..., Any], one: Any, two: Any) -> None:
    # −(.9 log .9 + .1 log .1) = 0.469 bits; taken by position it would be 3.005.
    p, q = [0.7, 0.2, 0.1], [0.5, 0.3, 0.2]
    assert measure(one("abc", p), two("cab", [0.2, 0.5, 0.3])) == pytest.approx(measure(p, q), rel=1e-14)


def test_the_figure_of_two_series() -> None:
    p, q = series("ab", [0.9, 0.1]), series("ba", [0.1, 0.9])
    assert bm.cross_entropy(p, q) == pytest.approx(0.4689955935892812, abs=1e-15)
    assert bm.kl_divergence(p, q) == 0.0
    assert bm.Distribution(p).labels == ("a", "b")
    assert bm.Distribution(data_array("ab", [0.9, 0.1]))["b"] == 0.1
    assert bm.Iid(p).labels == ("a", "b")


@given(vectors(5), vectors(5, positive=True), st.permutations(range(5)))
def test_order_never_matters(p: Any, q: Any, order: list[int]) -> None:
    shuffled = pd.Series(q[order], index=order)
    assert bm.cross_entropy(pd.Series(p, index=[*range(5)]), shuffled) == pytest.approx(
        bm.cross_entropy(p, q), rel=1e-12, abs=1e-12
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_label_that_the_model_lacks_is_impossible_and_named(kind: Any) -> None:
    p, q = kind("ac", [0.5, 0.5]), kind("ab", [0.5, 0.5])
    assert bm.cross_entropy(p, q) == math.inf
    assert bm.explain_infinite(p, q).events == (("c", 0.5),)
    assert bm.js_divergence(p, q) == 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("measure", MEASURES)
def test_labels_against_none_must_be_explained(kind: Any, measure: Callable[..., Any]) -> None:
    p = kind("ab", [0.9, 0.1])
    for one, two in ((p, [0.9, 0.1]), ([0.9, 0.1], p), (p, np.array([0.9, 0.1])), (p, pd.Series([0.9, 0.1]))):
        with pytest.raises(InputTypeError, match="of='probabilities'"):
            measure(one, two)
        if not isinstance(two, pd.Series):
            assert measure(one, two, of="probabilities") == pytest.approx(measure(p, p), abs=1e-12)


def test_positions_are_the_labels_of_what_has_no_others() -> None:
    p, q = pd.Series([0.9, 0.1]), pd.Series([0.1, 0.9], index=[1, 0])
    assert bm.cross_entropy(p, q) == bm.cross_entropy(p, p) == bm.cross_entropy(p, [0.9, 0.1])
    assert bm.cross_entropy(bm.Distribution([0.9, 0.1]), [0.9, 0.1]) == bm.cross_entropy(p, p)


def test_counts_and_samples_with_labels() -> None:
    model = series("ba", [0.25, 0.75])
    expected = bm.cross_entropy("aab", bm.Distribution({"a": 0.75, "b": 0.25}))
    assert bm.cross_entropy("aab", model) == expected
    assert bm.cross_entropy(pd.Series(list("aab")), model) == expected
    assert bm.cross_entropy(pd.Series(list("aab"), index=[7, 9, 11]), model, of="samples") == expected
    assert bm.cross_entropy(Counter("aab"), model) == pytest.approx(expected, rel=1e-15)
    assert bm.cross_entropy(series("ab", [2, 1]), model, of="counts") == pytest.approx(expected, rel=1e-15)
    assert bm.entropy(Counter("aabb")) == bm.entropy({"a": 0.5, "b": 0.5}) == 1.0
    assert bm.entropy(pd.Series([1, 1, 2, 2], index=list("wxyz")), of="samples") == 1.0
    with pytest.raises(InputTypeError, match="of='samples'"):
        bm.cross_entropy(series("ab", [2, 1]), bm.Distribution({"a": 0.5, "b": 0.5}))
    with pytest.raises(InputError, match="already"):
        bm.entropy(series("aa", [0.5, 0.5]))


def test_frames_meet_by_row_and_column() -> None:
    p = pd.DataFrame([[0.9, 0.1], [0.5, 0.5]], index=["x", "y"], columns=["a", "b"])
    q = pd.DataFrame([[0.3, 0.7], [0.2, 0.8]], index=["y", "x"], columns=["b", "a"])
    expected = np.asarray(bm.cross_entropy([[0.9, 0.1], [0.5, 0.5]], [[0.8, 0.2], [0.7, 0.3]]))
    assert bm.cross_entropy(p, q) == pytest.approx(expected, rel=1e-14)
    assert bm.cross_entropy(xr.DataArray(p), xr.DataArray(q)) == pytest.approx(expected, rel=1e-14)
    one: Any = bm.cross_entropy(p, series("ba", [0.2, 0.8]))
    assert one[0] == pytest.approx(expected[0], rel=1e-14)
    with pytest.raises(ShapeError, match="different rows"):
        bm.cross_entropy(p, q.rename(index={"y": "z"}))
    table = pa.table({"b": [0.2], "a": [0.8]})
    assert bm.cross_entropy(series("ab", [0.9, 0.1]), table) == pytest.approx(expected[:1], rel=1e-14)


def test_processes_keep_the_labels_of_frames() -> None:
    plain = bm.Markov([[0.9, 0.1], [0.5, 0.5]], [0.7, 0.3], labels="ab")
    frame = pd.DataFrame([[0.5, 0.5], [0.1, 0.9]], index=["b", "a"], columns=["b", "a"])
    mixed = pd.DataFrame([[0.9, 0.1], [0.5, 0.5]], index=["a", "b"], columns=["a", "b"]).loc[["b", "a"]]
    for table in (frame, mixed):
        chain = bm.Markov(table, series("ab", [0.7, 0.3]))
        assert chain.logprob("aab") == pytest.approx(plain.logprob("aab"), rel=1e-14)
    with pytest.raises(InputError, match="different labels"):
        bm.Markov(pd.DataFrame([[0.9, 0.1], [0.5, 0.5]], index=["a", "b"], columns=["b", "c"]))
    emits = pd.DataFrame([[0.2, 0.8], [0.9, 0.1]], index=["a", "b"], columns=["x", "y"])
    hidden = bm.HiddenMarkov(frame, emits, series("ab", [0.7, 0.3]))
    expected = bm.HiddenMarkov([[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.9, 0.1]], [0.7, 0.3], labels="xy")
    assert hidden.logprob("xyy") == pytest.approx(expected.logprob("xyy"), rel=1e-14)
    with pytest.raises(InputError, match="both name the states"):
        bm.HiddenMarkov(frame, emits.rename(index={"a": "c"}))


def test_paired_samples_meet_by_index() -> None:
    x = pd.Series([0, 0, 1, 1], index=list("abcd"))
    y = pd.Series([5, 6, 5, 6], index=list("acbd"))  # in the order of x: 5, 5, 6, 6
    assert bm.mutual_information(x, y) == 1.0
    assert bm.mutual_information(x.to_numpy(), y.to_numpy()) == 0.0
    with pytest.raises(InputError, match="to_numpy"):
        bm.mutual_information(x, y.rename({"a": "z"}))
    pairs = {("x", 0): 0.5, ("y", 1): 0.5}
    assert bm.mutual_information(pairs) == bm.mutual_information(pd.Series(pairs)) == 1.0


def test_a_mapping_to_narrow_floats() -> None:
    values = np.array([0.1] * 10, dtype=np.float32)
    assert abs(values.astype(float).sum() - 1) > 1e-9
    assert bm.entropy(dict(enumerate(values))) == pytest.approx(math.log2(10), rel=1e-12)


def test_floats_as_samples_are_warned_about() -> None:
    for call in (
        lambda: bm.entropy([0.1, 0.2, 0.3], of="samples"),
        lambda: bm.estimate_entropy(np.array([0.1, 0.2, 0.3]), "miller-madow"),
        lambda: bm.mutual_information([0.1, 0.2, 0.3], [1, 2, 3]),
    ):
        with pytest.warns(UserWarning, match="differential entropy"):
            call()
    with pytest.warns(UserWarning, match="sum to 1"):
        bm.entropy([0.5, 0.25, 0.25], of="samples")
    assert bm.entropy([0.5, 0.5, 1.0, 1.0], of="samples") == 1.0  # grades, not measurements
    assert bm.entropy([1.0, 2.0], of="samples") == 1.0  # whole numbers in a column of floats


def test_generators_and_views_are_taken() -> None:
    assert bm.entropy(x / 4 for x in (2, 1, 1)) == 1.5
    assert bm.entropy({"a": 0.5, "b": 0.5}.values()) == 1.0
    assert bm.entropy((c for c in "abba"), of="samples") == 1.0
    assert bm.cross_entropy((c for c in "ab"), {"a": 0.5, "b": 0.5}) == 1.0
    assert bm.Distribution(x for x in (0.5, 0.5)).entropy == 1.0
    assert bm.cross_entropy((x for x in (0.5, 0.5)), (x for x in (0.5, 0.5))) == 1.0

    def broken() -> Any:
        yield 0.5
        raise OSError

    with pytest.raises(InputError, match="beyond 1"):
        bm.entropy(broken())


@pytest.mark.parametrize(("base", "name"), [(2, "bits"), (math.e, "nats"), (10, "hartleys"), (np.float64(2), "bits")])
def test_a_base_is_a_unit(base: Any, name: Any) -> None:
    p, q = [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]
    chain = bm.Markov([[0.9, 0.1], [0.3, 0.7]])
    calls: tuple[Callable[[Any], Any], ...] = (
        lambda unit: bm.entropy(p, unit=unit),
        lambda unit: bm.varentropy(p, unit=unit),
        lambda unit: bm.cross_entropy(p, q, unit=unit),
        lambda unit: chain.entropy_rate_in(unit),
        lambda unit: chain.logprob([0, 1], unit=unit),
        lambda unit: bm.estimate_entropy("abca", unit=unit, resamples=0).value,
    )
    for call in calls:
        assert call(base) == pytest.approx(call(name), rel=1e-14)


def test_units_that_are_none() -> None:
    assert bm.entropy([0.25] * 4, unit=4) == 1.0
    assert bm.entropy([1 / 3] * 3, unit=3.0) == pytest.approx(1.0, rel=1e-14)
    assert "0.5 digits of base 4" in str(bm.Iid([0.5, 0.5]).rate(unit=4))
    bad: Any
    for bad in (1, 0, -2, math.inf, math.nan, True, "trits", None):
        with pytest.raises(BitmeterError):
            bm.entropy([0.5, 0.5], unit=bad)
