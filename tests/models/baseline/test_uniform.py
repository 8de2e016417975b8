"""The uniform model: every figure is a logarithm of its size."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm


@given(st.binary(min_size=1, max_size=200))
def test_uniform_costs_eight_bits_per_byte(data: bytes) -> None:
    score = bm.score("uniform", data)
    assert score.bits == pytest.approx(8 * len(data), rel=1e-15)
    assert score.tokens == len(data)


@pytest.mark.parametrize("size", [1, 2, 10_000, 2**53])
def test_uniform_over_words_costs_the_logarithm_of_their_number(size: int) -> None:
    score = bm.score(f"uniform:{size}", b"to be or not\nto be")
    assert score.bits == pytest.approx(6 * math.log2(size), rel=1e-15)
    assert score.perplexity("word") == pytest.approx(size, rel=1e-12)
    assert score.perplexity("token") == pytest.approx(size, rel=1e-12)


@pytest.mark.parametrize("spec", ["uniform:0", "uniform:-1", "uniform:1.5", "uniform:x", "uniform:" + "9" * 5000,
                                  f"uniform:{2**53 + 1}", "uniform: 7"])  # fmt: skip
def test_uniform_needs_a_whole_number(spec: str) -> None:
    with pytest.raises(bm.errors.ModelError, match="needs a whole number of choices"):
        bm.load(spec)
    for size in (True, 2.0, "7", None):
        with pytest.raises(bm.errors.ModelError):
            bm.Uniform(size)  # type: ignore[arg-type]


def test_uniform_over_other_units() -> None:
    model = bm.Uniform(27, units="chars")
    assert bm.score(model, "né".encode()).bits == pytest.approx(2 * math.log2(27))
    assert model.fingerprint != bm.Uniform(27).fingerprint


def test_its_alternatives_are_equally_likely() -> None:
    trace = bm.score("uniform", b"ab", alternatives=2).trace
    found = trace.alternatives(1)
    assert [name for name, *_ in found] == [b"\0", b"\1"]
    assert [alternative[1] for alternative in found] == pytest.approx([-math.log(256)] * 2)
    np.testing.assert_array_equal(trace.rank, [1, 1])
    np.testing.assert_allclose(trace.entropy, math.log(256))


def test_a_first_unit_that_is_uniform_costs_the_same() -> None:
    documents = bm.Corpus.from_documents([b"ab", b"c"])
    assert bm.score("uniform", documents, first="uniform").bits == pytest.approx(24.0)
