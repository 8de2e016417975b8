"""The compact form: the same figures as its expansion, sums that never pass one, damaged files that are errors."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import _core
from bitmeter.errors import BitmeterError, FileFormatError, RangeError
from tests.models.made_up import SKEWED_WORDS, skewed_lines

TEXT, TEST = skewed_lines(3000, 1), skewed_lines(200, 2)


@pytest.fixture(scope="module")
def model() -> bm.NGram:
    return bm.NGram(order=4).fit(TEXT)


@pytest.fixture(scope="module")
def small(model: bm.NGram) -> bm.NGram:
    return model.compact(6)


def test_the_compact_form_says_what_its_expansion_says(small: bm.NGram) -> None:
    fast = small.fast()
    assert small.is_compact
    assert not fast.is_compact
    assert fast.counts == small.counts
    for oov in ("class", "none"):
        np.testing.assert_array_equal(small.score(TEST, oov=oov).logprobs, fast.score(TEST, oov=oov).logprobs)
    ours, theirs = bm.score(small, TEST), bm.score(fast, TEST)
    assert ours.bits == theirs.bits
    assert ours.signature != theirs.signature, "another file, another fingerprint"
    assert small.logprob("w1 w2 what") == fast.logprob("w1 w2 what")


def test_states_and_predictions(small: bm.NGram) -> None:
    fast = small.fast()
    ours, theirs = small.begin(), fast.begin()
    for word in ["w1", "w0", "what", "w2", "w3", "w1", "w0", "w0"]:
        (a, ours), (b, theirs) = ours.extend(word), theirs.extend(word)
        assert a == b
        assert ours.key == theirs.key
    history = small.units.split(b"w1 w0 w2").ids
    np.testing.assert_array_equal(small.predict(history), fast.predict(history))
    words = ["w1", "w2", "w3"]
    np.testing.assert_array_equal(
        small.extend([small.begin()] * 3, words)[0], fast.extend([fast.begin()] * 3, words)[0]
    )
    with pytest.raises(RangeError, match="not a state of this model"):
        small.at(1 << 40)


@settings(deadline=None, max_examples=60)
@given(history=st.lists(st.sampled_from([*SKEWED_WORDS, "what"]), max_size=5), bits=st.sampled_from([4, 8]))
def test_predictions_never_sum_to_more_than_one(history: list[str], bits: int) -> None:
    model = COMPACT[bits]
    logs = model.predict(model.units.split(" ".join(history).encode()).ids)
    total = math.fsum(np.exp(logs))
    assert LEAST[bits] - 1e-6 <= total <= 1 + 1e-6
    assert (logs[2:] > -math.inf).all(), "what was possible stays possible"


COMPACT = {bits: bm.NGram(order=4).fit(TEXT).compact(bits) for bits in (4, 8)}
LEAST = {bits: float(model.notes[-1].split("between ")[1].split()[0]) for bits, model in COMPACT.items()}


def test_the_perplexity_is_near_and_above(model: bm.NGram) -> None:
    """On the training text itself the exact figures are better than rounded ones, and few bits are worst."""
    exact = model.score(TEXT).perplexity
    by_bits = [model.compact(bits).score(TEXT).perplexity for bits in (4, 6, 8, 12)]
    assert by_bits == sorted(by_bits, reverse=True)
    assert exact < by_bits[-1] < exact * 1.0002
    assert by_bits[2] < exact * 1.003


def test_few_figures_are_not_changed() -> None:
    model = bm.NGram(order=3).fit(b"to be or not to be\nthat is the question\n")
    np.testing.assert_array_equal(model.compact().score(TEST).logprobs, model.score(TEST).logprobs)
    sparse = bm.NGram(order=3, smoothing="maximum-likelihood").fit(b"to be or not to be\n")
    np.testing.assert_array_equal(sparse.compact().score(b"to be\n").logprobs, sparse.score(b"to be\n").logprobs)


@pytest.mark.parametrize("name", ["maximum-likelihood", "katz", "jelinek-mercer", "lidstone:0.1", "stupid-backoff"])
def test_other_smoothings(name: str) -> None:
    model = bm.NGram(order=3, smoothing=name).fit(TEXT)
    small = model.compact(8)
    assert small.is_distribution == model.is_distribution
    ours, theirs = small.score(TEXT).logprobs, model.score(TEXT).logprobs
    np.testing.assert_array_equal(np.isinf(ours), np.isinf(theirs))
    finite = np.isfinite(theirs)
    assert abs((ours[finite] - theirs[finite]).mean()) < 0.01
    small.verify()
    for history in ([], [3], [3, 4], [5, 3, 9]):
        total = math.fsum(np.exp(small.predict(np.array(history))))
        if model.is_distribution:
            assert 0.95 < total <= 1 + 1e-6


def test_files(tmp_path: Path, small: bm.NGram) -> None:
    small.save(tmp_path / "small.bmn")
    loaded = bm.NGram.load(tmp_path / "small.bmn")
    loaded.verify()
    assert loaded.is_compact
    assert loaded.notes == small.notes
    assert "predictions sum to between 0." in loaded.notes[-1]
    assert loaded.fingerprint == small.fingerprint
    assert loaded.traits.oov == ("class", "spelled"), "the spelling came along"
    assert loaded.spelling.fingerprint() == small.spelling.fingerprint()
    assert bm.score(loaded, TEST).bits == bm.score(small, TEST).bits
    loaded.save(tmp_path / "small.arpa.gz")
    again = bm.NGram.load(tmp_path / "small.arpa.gz")
    assert abs(again.score(TEST).logprobs - small.score(TEST).logprobs).max() < 1e-5
    small.fast().save(tmp_path / "fast.bmn")
    for path in (tmp_path / "small.bmn", tmp_path / "fast.bmn"):  # maps of files, which cannot be written to
        loaded = bm.NGram.load(path)
        before, spelled = loaded.score(TEST).logprobs, loaded.spelling.fingerprint()
        loaded.fit_spelling(b"other words\n")
        np.testing.assert_array_equal(loaded.score(TEST).logprobs, before)
        assert loaded.spelling.fingerprint() != spelled


def test_the_size_is_what_the_layout_says(tmp_path: Path, model: bm.NGram) -> None:
    """Two bits more a figure, and the tables of figures; everything else is the same."""
    sizes = {}
    for bits in (6, 8):
        model.compact(bits).save(tmp_path / f"{bits}.bmn")
        sizes[bits] = (tmp_path / f"{bits}.bmn").stat().st_size
    _, pairs, triples, leaves = model.counts
    figures = (2 * leaves + 4 * (pairs + triples)) / 8  # two bits more a figure
    tables = 4 * (3 * (256 - 64) + 2 * (1024 - 256))
    assert abs(sizes[8] - sizes[6] - figures - tables) < 64 * 10, "but for the rounding of each part to 64 bytes"
    model.save(tmp_path / "fast.bmn")
    assert sizes[8] < (tmp_path / "fast.bmn").stat().st_size / 2


def test_mixtures_compression_and_samples(tmp_path: Path, small: bm.NGram) -> None:
    fast = small.fast()
    ours, theirs = (bm.MixtureModel([m, bm.Cache(50)], buckets=True).fit(TEST) for m in (small, fast))
    assert ours.fitted is not None
    assert theirs.fitted is not None
    assert ours.fitted.perplexity == theirs.fitted.perplexity
    bm.compress(small, TEST, tmp_path / "test.bmz")
    bm.decompress(tmp_path / "test.bmz", tmp_path / "test.txt", model=small)
    assert (tmp_path / "test.txt").read_bytes() == TEST
    with pytest.raises(BitmeterError):
        bm.decompress(tmp_path / "test.bmz", tmp_path / "other.txt", model=fast)


def test_damaged_files(tmp_path: Path) -> None:
    """Bytes turned and ends cut off: an error that names the file, or figures; the core's own test turns every byte."""
    path = tmp_path / "small.bmn"
    bm.NGram(order=3).fit(skewed_lines(30, 3)).compact(4).save(path)
    data = path.read_bytes()
    draw = np.random.default_rng(4)
    errors = 0
    for at in sorted({*range(0, 300, 7), *draw.integers(0, len(data), 150).tolist()}):
        bad = bytearray(data)
        bad[at] ^= 1 << int(draw.integers(8))
        path.write_bytes(bad)
        try:
            found = bm.NGram.load(path)
            bm.score(found, b"w1 w2 w3\n")
            found.predict(np.array([3, 4]))
            found.verify()
        except FileFormatError as error:
            assert "small.bmn" in str(error)  # noqa: PT017
            errors += 1
    assert errors > 100
    for size in (0, 1, 15, 16, 17, 255, 256, 257, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:size])
        with pytest.raises(FileFormatError, match=r"small\.bmn"):
            bm.NGram.load(path).verify()


def test_the_core_refuses_what_no_file_has(model: bm.NGram) -> None:
    with pytest.raises(ValueError, match="2 to 16 bits"):
        _core.NgramPacker(model.fast_form, 17, 8)
    small = model.compact().form
    nothing = np.zeros(0, dtype=np.int64)
    with pytest.raises(ValueError, match="bounds must ascend"):
        small.logprobs(np.zeros(3, dtype=np.int64), np.array([0, 2]), nothing, True)
