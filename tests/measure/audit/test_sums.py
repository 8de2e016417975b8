"""What is said of sums: at how many positions, what share that leaves open, and when that is too much."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit.predictions import predicted
from bitmeter.measure.audit.sums import MOST_WRONG, share_bound
from tests.coding.models import TEXT, Plain
from tests.measure.audit.subjects import Only, Parity, both, quiet


def summary(found: bm.Audit) -> str:
    check = found.check("sums")
    assert check is not None
    return check.summary


def test_the_bound_is_that_of_a_sample_without_a_miss() -> None:
    """If a share s of positions were wrong, n draws would miss them with probability (1 − s)^n = alpha."""
    for number in (1, 8, 64, 300):
        assert (1.0 - share_bound(number, 10**9)) ** number == pytest.approx(0.05, rel=1e-9)
        assert (1.0 - share_bound(number, 10**9, 0.01)) ** number == pytest.approx(0.01, rel=1e-9)
    assert share_bound(10, 10) == 0.0
    assert share_bound(300, 10**9) == pytest.approx(3.0 / 300, rel=0.01)  # the rule of three


def test_a_share_of_wrong_positions_as_large_as_the_bound_is_missed_at_most_once_in_twenty() -> None:
    """Over 200 seeds, a model that is wrong at the stated share of positions: 10 misses are expected at most."""
    share = share_bound(63, 10**9)
    rng = np.random.default_rng(5)
    text = bytes(rng.integers(97, 123, 4_000).astype(np.uint8))
    bad = rng.random(4_000) < share

    class Somewhere(Plain):
        def predict(self, history: Any) -> Any:
            return np.full(256, -np.log(128.0 if bad[len(history)] else 256.0))

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.where(bad[: len(ids)], -np.log(128.0), -np.log(256.0))

    made = both(Somewhere(), text)
    missed = sum(float(predicted(*made, None, seed, quiet).logs.max()) < 0.1 for seed in range(200))
    # Binomial(200, .05) is above 19 with probability .002; the seeds are fixed.
    assert 1 <= missed <= 19


def test_what_is_said_of_positions() -> None:
    assert "at 64 of 840 positions (so fewer than 4.6 % are wrong, at 95 % confidence)" in summary(
        bm.audit("uniform", (TEXT * 30)[:840])
    )
    said = summary(bm.audit(Only(), TEXT * 400))
    assert "at 1,024 of " in said
    assert "(so fewer than 0.56 % are wrong, at 95 % confidence)" in said  # 1 − (.05 / 15) ** (1 / 1023)
    assert "scored after the last 16 units, which give the same costs as the whole text" in said
    far = summary(bm.audit(Parity(), TEXT * 20))
    assert "(so fewer than 5.0 % are wrong" in far  # 1 − .04 ** (1 / 63)
    assert "scored after histories of up to" in far


def test_too_few_positions_are_no_proof() -> None:
    for number, verdict in ((1, "unproven"), (20, "unproven"), (59, "unproven"), (60, "proven")):
        found = bm.audit("uniform", TEXT * 30, positions=number)
        assert found.verdict == verdict
        assert ("too few positions to exclude that 5 % of them are wrong" in summary(found)) == (verdict != "proven")
    assert bm.audit("uniform", b"abc", positions=3).verdict == "proven"  # all of them
    assert MOST_WRONG == 0.05


def test_what_is_out_of_reach_is_not_proven_and_a_certificate_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bitmeter.measure.audit.enumeration._farthest", lambda histories, size, shown: 700)
    found = bm.audit(Parity(), TEXT * 90)
    assert found.farthest == 700
    assert found.verdict == "unproven"
    assert {one.name for one in found.missing} == {"sums", "agreement", "learning"}
    assert "looked at in the first 701 units of a document only, for time" in summary(found)
    found.save(tmp_path / "c.json")
    monkeypatch.undo()
    again = bm.audit(Parity(), TEXT * 90, check=tmp_path / "c.json")
    assert again.differences == ()
    assert again.checks == found.checks
