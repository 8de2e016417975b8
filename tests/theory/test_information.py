"""Entropy, cross-entropy, divergences: closed forms, identities, and other tools where those are right."""

from __future__ import annotations

import functools
import math
from typing import Any

import dit
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from pyitlib import discrete_random_variable as drv
from scipy.special import rel_entr
from scipy.stats import entropy as scipy_entropy

import bitmeter as bm
from bitmeter import errors
from tests.theory.strategies import pairs, samples, vectors

Vector = NDArray[np.float64]
UNITS: dict[Any, float] = {"bits": 2.0, "nats": math.e, "hartleys": 10.0}


def test_information_of_an_event() -> None:
    # M1: closed forms.
    assert bm.information(1 / 8) == 3.0
    assert bm.information(1.0) == 0.0
    assert math.copysign(1.0, bm.information(1.0)) == 1.0
    assert bm.information(0.0) == math.inf
    assert bm.information(0.1, unit="hartleys") == pytest.approx(1.0, rel=1e-12)
    assert bm.information(1 / math.e, unit="nats") == pytest.approx(1.0, rel=1e-12)
    np.testing.assert_array_equal(bm.information([0.5, 0.25]), [1.0, 2.0])
    assert bm.information(5e-324) == 1074.0


@pytest.mark.parametrize("m", [1, 2, 3, 10, 10_000])
def test_uniform_entropy_is_log_m(m: int) -> None:
    for unit, base in UNITS.items():
        assert bm.entropy(np.full(m, 1 / m), unit=unit) == pytest.approx(math.log(m, base), rel=1e-12, abs=1e-14)
    assert bm.perplexity(np.full(m, 1 / m)) == pytest.approx(m, rel=1e-13)


def test_log_10000_of_the_sources() -> None:
    # M2, source 002: a random guess among 10,000 words costs log 10000 = 9.21 nats.
    assert bm.entropy(np.full(10_000, 1e-4), unit="nats") == pytest.approx(9.2103, abs=5e-5)


@given(vectors())
def test_entropy_agrees_with_scipy_and_its_bounds(p: Vector) -> None:
    h = bm.entropy(p)
    assert h == pytest.approx(scipy_entropy(p, base=2), rel=1e-12, abs=1e-14)
    assert 0.0 <= h <= math.log2(len(p)) + 1e-12


@given(pairs())
def test_cross_entropy_is_entropy_plus_divergence(pq: tuple[Vector, Vector]) -> None:
    # M3.
    p, q = pq
    h, cross, divergence = bm.entropy(p), bm.cross_entropy(p, q), bm.kl_divergence(p, q)
    assert cross == pytest.approx(h + divergence, rel=1e-13, abs=1e-14)
    assert divergence >= 0.0
    assert divergence == pytest.approx(rel_entr(p, q).sum() / math.log(2), rel=1e-9, abs=1e-13)


@given(pairs(positive=False))
def test_infinite_exactly_where_p_has_what_q_has_not(pq: tuple[Vector, Vector]) -> None:
    # M8.
    p, q = pq
    impossible = np.flatnonzero((p > 0) & (q == 0))
    found = bm.explain_infinite(p, q)
    assert {event for event, _ in found.events} == set(impossible.tolist())
    assert found.mass == pytest.approx(p[impossible].sum(), rel=1e-12)
    assert math.isinf(bm.cross_entropy(p, q)) == bool(len(impossible)) == bool(found)
    assert math.isinf(bm.kl_divergence(p, q)) == bool(len(impossible))
    assert not math.isnan(bm.js_divergence(p, q))


@given(pairs(positive=False))
def test_jensen_shannon_is_symmetric_and_at_most_one_bit(pq: tuple[Vector, Vector]) -> None:
    p, q = pq
    js = bm.js_divergence(p, q)
    assert 0.0 <= js <= 1.0
    assert js == pytest.approx(bm.js_divergence(q, p), rel=1e-12, abs=1e-14)
    middle = 0.5 * (p + q)
    by_entropies = bm.entropy(middle, normalise=True) - 0.5 * (bm.entropy(p) + bm.entropy(q))
    assert js == pytest.approx(by_entropies, abs=1e-12)


def test_same_figures_as_dit() -> None:
    # dit 2.3 is right on valid input.
    p, q = [0.5, 0.25, 0.125, 0.125], [0.1, 0.2, 0.3, 0.4]
    a, b = dit.Distribution(list("abcd"), p), dit.Distribution(list("abcd"), q)
    assert bm.entropy(p) == pytest.approx(dit.shannon.entropy(a), rel=1e-12)
    assert bm.cross_entropy(p, q) == pytest.approx(dit.divergences.cross_entropy(a, b), rel=1e-12)
    assert bm.kl_divergence(p, q) == pytest.approx(dit.divergences.kullback_leibler_divergence(a, b), rel=1e-12)
    assert bm.js_divergence(p, q) == pytest.approx(dit.divergences.jensen_shannon_divergence([a, b]), rel=1e-13)
    for order in (0, 0.5, 1, 2, 5, math.inf):
        assert bm.renyi_entropy(p, order) == pytest.approx(dit.other.renyi_entropy(a, order), rel=1e-12)
    assert bm.perplexity(p) == pytest.approx(dit.other.perplexity(a), rel=1e-12)


@given(samples())
def test_entropy_of_samples_agrees_with_pyitlib(x: list[int]) -> None:
    # pyitlib's plug-in entropy is right where no symbol is -1.
    assert bm.entropy(x, of="samples") == pytest.approx(float(drv.entropy(np.array(x))), rel=1e-12, abs=1e-13)


@given(vectors(positive=True), st.floats(0.0, 50.0))
@example(np.array([0.5, 0.5]), 1.0)
@example(np.array([0.9, 0.1]), 1.0 + 1e-9)
def test_renyi_entropy_falls_with_its_order(p: Vector, order: float) -> None:
    here, after = bm.renyi_entropy(p, order), bm.renyi_entropy(p, order + 0.5)
    assert after <= here + 1e-10
    assert bm.renyi_entropy(p, math.inf) - 1e-10 <= here <= bm.renyi_entropy(p, 0) + 1e-10


def test_renyi_near_order_one_has_no_cancellation() -> None:
    p = [0.7, 0.2, 0.1]
    # H_α ≈ H − ½ (α − 1) V: the slope at one is minus half the varentropy (in nats).
    h, v = bm.entropy(p, unit="nats"), bm.varentropy(p, unit="nats")
    for step in (1e-5, 1e-8, -1e-8):
        assert bm.renyi_entropy(p, 1 + step, unit="nats") == pytest.approx(h - 0.5 * step * v, rel=1e-10)


@given(vectors())
def test_varentropy_is_the_variance_of_surprisal(p: Vector) -> None:
    q = p[p > 0]
    surprisal = -np.log2(q)
    expected = math.fsum(q * (surprisal - math.fsum(q * surprisal)) ** 2)
    assert bm.varentropy(p) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(vectors(), st.sampled_from(sorted(UNITS)))
def test_units_differ_by_a_constant_and_perplexity_not_at_all(p: Vector, unit: Any) -> None:
    # M22.
    base = UNITS[unit]
    assert bm.entropy(p, unit=unit) * math.log2(base) == pytest.approx(bm.entropy(p), rel=1e-13, abs=1e-14)
    assert base ** bm.entropy(p, unit=unit) == pytest.approx(bm.perplexity(p), rel=1e-12)


@given(st.lists(st.floats(1e-3, 1.0), min_size=1, max_size=50))
def test_perplexity_of_a_sequence(steps: list[float]) -> None:
    # M16: the geometric mean of inverse probabilities, of which the logarithm is the arithmetic mean of surprisal.
    perplexity = bm.sequence_perplexity(steps)
    assert perplexity == pytest.approx(math.prod(1 / p for p in steps) ** (1 / len(steps)), rel=1e-12)
    assert math.log2(perplexity) == pytest.approx(np.mean(bm.information(steps)), rel=1e-10, abs=1e-12)
    each = [bm.sequence_perplexity([p]) for p in steps]
    assert perplexity == pytest.approx(math.exp(np.mean(np.log(each))), rel=1e-12)


def test_batches_along_the_last_axis() -> None:
    rng = np.random.default_rng(0)
    p, q = rng.random((3, 4, 7)), rng.random((3, 4, 7))
    p /= p.sum(-1, keepdims=True)
    q /= q.sum(-1, keepdims=True)
    for function in (bm.cross_entropy, bm.kl_divergence, bm.js_divergence):
        found = function(p, q)
        assert isinstance(found, np.ndarray)
        assert found.shape == (3, 4)
        assert found[1, 2] == function(p[1, 2], q[1, 2])
        assert function(p, q[0, 0])[2, 1] == function(p[2, 1], q[0, 0])  # type: ignore[index]
    assert bm.entropy(p)[2, 3] == bm.entropy(p[2, 3])  # type: ignore[index]
    assert bm.perplexity(p).shape == (3, 4)  # type: ignore[union-attr]
    assert bm.renyi_entropy(p, 2).shape == (3, 4)  # type: ignore[union-attr]


def test_identities_on_an_alphabet_of_ten_million() -> None:
    rng = np.random.default_rng(1)
    p, q = rng.standard_exponential(10**7), rng.standard_exponential(10**7)
    p /= math.fsum(p)
    q /= math.fsum(q)
    h = bm.entropy(p, unit="nats")
    # Extended precision as the witness.
    exact = -float(np.sum(p.astype(np.longdouble) * np.log(p.astype(np.longdouble))))
    assert h == pytest.approx(exact, rel=1e-12)
    assert bm.cross_entropy(p, q, unit="nats") == pytest.approx(h + bm.kl_divergence(p, q, unit="nats"), rel=1e-12)


def test_denormal_probabilities_are_right() -> None:
    # The reference measured 536 nats for D([.5, .5] ‖ [1, 5e-324]) = ½ ln ½ + ½ ln(½/5e-324).
    expected = 0.5 * math.log(0.5) + 0.5 * (math.log(0.5) - math.log(5e-324))
    assert bm.kl_divergence([0.5, 0.5], [1.0, 5e-324]) == pytest.approx(expected / math.log(2), rel=1e-12)
    assert bm.cross_entropy([0.0, 1.0], [1.0, 5e-324]) == 1074.0
    assert bm.entropy([1.0, 5e-324]) == pytest.approx(1074 * 5e-324, abs=0.0, rel=1e-3)


def test_float32_is_accumulated_in_float64() -> None:
    p = np.full(2**20, 2.0**-20, dtype=np.float32)
    assert bm.entropy(p) == 20.0
    rough = np.random.default_rng(2).random(10**6).astype(np.float32)
    assert bm.entropy(rough, normalise=True) == pytest.approx(
        bm.entropy(rough.astype(np.float64), normalise=True), rel=1e-12
    )


def test_what_is_nearly_normalised_is_taken_as_normalised() -> None:
    p = np.array([0.5, 0.5]) * (1 + 5e-10)
    assert bm.entropy(p) == pytest.approx(1.0, rel=1e-12)
    assert bm.kl_divergence(p, [0.5, 0.5]) == pytest.approx(0.0, abs=1e-14)


def test_counts_samples_and_strings() -> None:
    assert bm.entropy([3, 1], of="counts") == pytest.approx(bm.entropy([0.75, 0.25]), rel=1e-12)
    assert bm.entropy("aaab") == bm.entropy(b"aaab") == bm.entropy(["x", "x", "x", "y"], of="samples")
    assert bm.entropy(np.array([7, 7, 7, -2]), of="samples") == bm.entropy([1, 3], of="counts")
    assert bm.entropy(bm.Distribution({"a": 0.75, "b": 0.25})) == bm.entropy([0.75, 0.25])
    assert bm.cross_entropy([3, 1], [0.5, 0.5], of="counts") == 1.0
    with pytest.raises(errors.InputTypeError, match="of='samples'"):
        bm.entropy(["a", "b"])
    with pytest.raises(errors.InputTypeError, match="of='probabilities'"):
        bm.cross_entropy([0.5, 0.5], bm.Distribution([0.5, 0.5]))
    assert bm.cross_entropy([0.5, 0.5], bm.Distribution({"a": 0.25, "b": 0.75}), of="probabilities") == pytest.approx(
        1.2075187496394219, rel=1e-12
    )


BAD: list[tuple[Any, type[errors.BitmeterError], Any]] = [
    ([0.5, 0.7, -0.2], errors.NegativeError, 2),
    ([0.5, math.nan], errors.NotFiniteError, 1),
    ([math.inf, 0.5], errors.NotFiniteError, 0),
    ([], errors.EmptyError, None),
    ([0.5, 0.5 + 1e-6], errors.NotNormalisedError, None),
    ([[0.5, 0.5], [0.5, 0.6]], errors.NotNormalisedError, (1,)),
    ([[0.5, 0.5], [1.5, -0.5]], errors.NegativeError, (1, 1)),
    ([[0.5, 0.5], [1.0]], errors.InputTypeError, None),
    (0.5, errors.ShapeError, None),
    (None, errors.InputTypeError, None),
    ([1j], errors.InputTypeError, None),
    ({"a": "b"}, errors.InputTypeError, None),
]


@pytest.mark.parametrize(("p", "error", "index"), BAD)
def test_bad_input_is_named(p: Any, error: type[errors.BitmeterError], index: Any) -> None:
    good = [0.5, 0.5]
    for call in (bm.entropy, bm.varentropy, functools.partial(bm.renyi_entropy, order=2)):
        with pytest.raises(error) as caught:
            call(p)
        assert caught.value.index == index
    with pytest.raises(errors.BitmeterError):
        bm.cross_entropy(good, p)
    with pytest.raises(errors.BitmeterError):
        bm.kl_divergence(p, good)


def test_messages_name_place_reason_and_remedy() -> None:
    with pytest.raises(errors.NotNormalisedError, match=r"p sums to 4\.0, not to 1 .* normalise=True"):
        bm.entropy([1, 1, 2])
    with pytest.raises(errors.NegativeError, match=r"p\[1, 0\] is -0\.5"):
        bm.entropy([[0.5, 0.5], [-0.5, 1.5]])
    with pytest.raises(errors.ShapeError, match=r"shape \(2,\) .* shape \(3,\)"):
        bm.cross_entropy([0.5, 0.5], [0.2, 0.3, 0.5])
    with pytest.raises(errors.ChoiceError, match="'bits', 'nats', 'hartleys'"):
        bm.entropy([0.5, 0.5], unit="dits")  # type: ignore[arg-type]
    with pytest.raises(errors.NotNormalisedError, match="cannot be normalised"):
        bm.entropy([0.0, 0.0], normalise=True)
    with pytest.raises(errors.RangeError, match="at most 1"):
        bm.information(1.5)
    with pytest.raises(errors.RangeError, match="more than a double can hold"):
        bm.perplexity([0.0, 1.0], [1.0, 5e-324])
    with pytest.raises(errors.NotNormalisedError):
        bm.entropy([1e308, 1e308], normalise=True)  # the sum overflows
