"""Converting model files."""

from __future__ import annotations

from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError, RangeError
from tests.models.made_up import skewed_lines

TEXT, TEST = skewed_lines(3000, 1), skewed_lines(200, 2)


@pytest.fixture(scope="module")
def model() -> bm.NGram:
    return bm.NGram(order=4).fit(TEXT)


def test_convert_both_ways(tmp_path: Path, model: bm.NGram) -> None:
    model.save(tmp_path / "fast.bmn")
    packed = bm.convert(tmp_path / "fast.bmn", tmp_path / "small.bmn", compact=True, heldout=TEST)
    assert packed.form == "compact"
    assert packed.perplexity_before == model.score(TEST).perplexity
    assert packed.perplexity_after == model.compact().score(TEST).perplexity
    assert packed.tokens == len(model.score(TEST).logprobs)
    assert packed.bytes_after == (tmp_path / "small.bmn").stat().st_size
    back = bm.convert(tmp_path / "small.bmn", tmp_path / "back.bmn", heldout=TEST)
    assert back.form == "fast"
    assert back.perplexity_after == back.perplexity_before == packed.perplexity_after
    arpa = bm.convert(tmp_path / "small.bmn", tmp_path / "small.arpa.zst", heldout=TEST)
    assert arpa.form == "ARPA"
    assert arpa.perplexity_after == pytest.approx(packed.perplexity_after, rel=1e-6)
    again = bm.convert(tmp_path / "small.arpa.zst", tmp_path / "again.bmn", compact=True, bits=12)
    assert sum("rounded" in line for line in again.notes) == 1
    assert "perplexity" in str(arpa)
    twice = bm.NGram.load(tmp_path / "small.bmn").compact(10)
    assert sum("rounded" in line for line in twice.notes) == 1


def test_convert_refuses(tmp_path: Path, model: bm.NGram) -> None:
    model.save(tmp_path / "fast.bmn")
    with pytest.raises(BitmeterError, match="no compact form"):
        bm.convert(tmp_path / "fast.bmn", tmp_path / "x.arpa", compact=True)
    with pytest.raises(FileFormatError, match="does not say what to write"):
        bm.convert(tmp_path / "fast.bmn", tmp_path / "x.bin")
    with pytest.raises(RangeError, match="bits"):
        bm.convert(tmp_path / "fast.bmn", tmp_path / "x.bmn", compact=True, bits=20)
    with pytest.raises(FileFormatError, match="exists already"):
        bm.convert(tmp_path / "fast.bmn", tmp_path / "fast.bmn")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fast.bmn"]
    done = bm.convert(tmp_path / "fast.bmn", tmp_path / "fast.bmn", compact=True, force=True)
    assert done.bytes_after < done.bytes_before
    assert bm.NGram.load(tmp_path / "fast.bmn").is_compact
