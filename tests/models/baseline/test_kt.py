"""The Krichevsky-Trofimov estimator against its closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import FileFormatError
from bitmeter.models.outcomes import BYTE_NAMES, details_of_rows


def kt_nats(data: bytes) -> float:
    """The closed form: Γ(n+128)/Γ(128) · Π Γ(½)/Γ(n(x)+½), with 256 symbols of weight ½."""
    counts = [data.count(x) for x in range(256)]
    seen = math.fsum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts if c)
    return math.lgamma(len(data) + 128) - math.lgamma(128) - seen


@given(st.binary(min_size=1, max_size=400))
def test_kt_is_the_dirichlet_mixture(data: bytes) -> None:
    assert bm.score("kt", data).nats == pytest.approx(kt_nats(data), rel=1e-11)


def test_kt_on_a_long_text_and_its_regret() -> None:
    data = (b"to be or not to be, " * 5_000)[:90_000]
    score = bm.score("kt", data)
    assert score.nats == pytest.approx(kt_nats(data), rel=1e-10)
    # Never more than ½·255·log2 n + O(1) above the best fixed distribution; and never below it.
    best = bm.Distribution.from_data(data).entropy * len(data)
    assert best < score.bits < best + 0.5 * 255 * math.log2(len(data)) + 10


def test_the_counts_of_kt_go_on_from_document_to_document() -> None:
    one = bm.score("kt", b"ab\nab\n")
    lines = bm.score("kt", b"ab\nab\n", docs="line")
    assert lines.nats == pytest.approx(one.nats, rel=1e-15)
    assert lines.by_document is not None
    assert lines.by_document.nats[0] > lines.by_document.nats[1]


def test_kt_takes_no_setting() -> None:
    with pytest.raises(bm.errors.ModelError, match="kt takes no setting; found kt:3"):
        bm.load("kt:3")


def test_first_uniform_makes_each_first_byte_cost_eight_bits() -> None:
    """The closed form for the rest: the counts go on, so only the first byte of each document is replaced."""
    documents = [b"abab", b"ba"]
    score = bm.score("kt", bm.Corpus.from_documents(documents), first="uniform")
    plain = bm.score("kt", bm.Corpus.from_documents(documents)).trace.bits
    assert score.trace.bits.tolist() == pytest.approx([8.0, *plain[1:4], 8.0, plain[5]])


def test_details_are_those_of_single_predictions() -> None:
    """Cumulative counts, many at once, against the slow twin: one prediction after the other."""
    data = np.frombuffer(b"abracadabra" * 3, dtype=np.uint8)
    session, model = bm.KrichevskyTrofimov().open(), bm.KrichevskyTrofimov()
    session.logprobs(data[:5], np.array([0, 5]), continues=False)
    found = session.details(data[5:], np.array([0, len(data) - 5]), continues=True, alternatives=2)
    rows = np.array([model.predict(data[:i]) for i in range(5, len(data))])
    expected = details_of_rows(rows, data[5:].astype(np.int64), 2, BYTE_NAMES)
    np.testing.assert_allclose(found.entropy, expected.entropy, rtol=1e-12)
    np.testing.assert_array_equal(found.rank, expected.rank)
    np.testing.assert_array_equal(found.top, expected.top)
    np.testing.assert_allclose(found.top_logprobs, expected.top_logprobs, rtol=1e-12)


@given(st.binary(max_size=300), st.integers(0, 300))
def test_the_coder_round_trips_in_blocks_and_keeps_the_promise_of_the_score(data: bytes, cut: int) -> None:
    there, back = bm.KrichevskyTrofimov().coder(), bm.KrichevskyTrofimov().coder()
    blocks = [part for part in (data[:cut], data[cut:]) if part]
    for part in blocks:
        coded, taken = there.encode(part, False)
        assert taken == len(part)
        assert back.decode(coded, len(part)) == part
    assert there.bits == pytest.approx(kt_nats(data) / math.log(2) if data else 0.0, abs=1.0)


def test_damaged_code_is_a_typed_error() -> None:
    with pytest.raises(FileFormatError):
        bm.KrichevskyTrofimov().coder().decode(b"", 1000)
